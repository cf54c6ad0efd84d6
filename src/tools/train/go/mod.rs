//! Training of networks for Go: positions labelled by a network that knows more, the training itself, and how good it is.

mod check;
mod fit;
mod label;
mod labels;
mod measure;

pub use check::{CheckOptions, run as check};
pub use fit::{NetOptions, run as net};
pub use label::{LabelOptions, run as label};
pub use measure::{ReportOptions, run as report};
