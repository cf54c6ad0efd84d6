#![doc = include_str!("../README.md")]
#![no_std]

/// The weights of Othello's evaluation, compressed, in the program's own format.
pub static EVAL: &[u8] = include_bytes!("../eval.bin");
