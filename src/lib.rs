//! Shirokuro: a headless engine for Othello and Go.
//!
//! The modules stand in dependency order: each uses only those above it. `ARCHITECTURE.md` is the map.

pub mod base;
pub mod engine;
pub mod gopal;
pub mod report;

pub mod go;
pub mod othello;

pub mod backlog;
pub mod input;
pub mod protocol;
pub mod worker;

pub mod session;

pub mod tools;

pub mod cli;

#[cfg(test)]
mod layers;
