//! What every room needs and no game owns.

pub mod clock;
pub mod colour;
pub mod control;
pub mod rng;

pub use clock::{Budget, Byoyomi, Clock, Limits};
pub use colour::Colour;
pub use control::Control;
pub use rng::Rng;
