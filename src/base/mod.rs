//! What every room needs and no game owns.

pub mod args;
pub mod checksum;
pub mod clock;
pub mod colour;
pub mod control;
pub mod cpu;
pub mod files;
pub mod kept;
pub mod kernel;
pub mod language;
pub mod parse_error;
pub mod places;
pub mod report;
pub mod rng;
pub mod settings;
pub mod sgf;
pub mod signals;
pub mod stdout;
pub mod svg;

pub use args::{Args, BadArgs};
pub use clock::{Budget, Byoyomi, Clock, Clocks, Limits, Stopwatch, TimeSource};
pub use colour::Colour;
pub use control::Control;
pub use language::Language;
pub use parse_error::ParseError;
pub use report::{Cell, OnBoard, PerLabel, PerPoint, Report, Table, Way};
pub use rng::Rng;
pub use signals::Signal;
