//! What every room needs and no game owns.

pub mod clock;
pub mod colour;
pub mod control;
pub mod cpu;
pub mod files;
pub mod report;
pub mod rng;
pub mod settings;

pub use clock::{Budget, Byoyomi, Clock, Limits};
pub use colour::Colour;
pub use control::Control;
pub use report::{Cell, Report, Table};
pub use rng::Rng;
