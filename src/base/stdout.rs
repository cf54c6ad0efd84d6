//! Standard output for tools: a reader that has seen enough (`… | head -1`) is no error.

use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
};

static GONE: AtomicBool = AtomicBool::new(false);

/// Writes to standard output and remembers when nobody reads it any more.
pub struct Stdout;

impl Stdout {
    /// The reader has gone away: whatever failed because of that has not failed.
    pub fn is_gone() -> bool {
        GONE.load(Ordering::Relaxed)
    }
}

fn noticed<T>(result: io::Result<T>) -> io::Result<T> {
    if let Err(error) = &result
        && error.kind() == io::ErrorKind::BrokenPipe
    {
        GONE.store(true, Ordering::Relaxed);
    }
    result
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        noticed(io::stdout().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        noticed(io::stdout().flush())
    }
}

/// `println!` for long work that goes on when nobody reads its output.
#[macro_export]
macro_rules! say_line {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!($crate::base::stdout::Stdout, $($text)*);
    }};
}
