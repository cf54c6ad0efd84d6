//! Signals that ask the process to stop or to leave.

use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// From the keyboard, or from a front end that wants the present search to end.
    Interrupt,
    /// The process is to end: a service is stopped, the machine shuts down.
    Terminate,
    /// The terminal is gone.
    HangUp,
}

impl Signal {
    /// The exit code of a process that a signal has ended, as shells count them.
    pub const fn exit_code(self) -> u8 {
        match self {
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
            Signal::HangUp => 129,
        }
    }
}

/// Calls `handler`, from a thread of its own, for each signal from now on. No signal ends the process any more.
#[cfg(unix)]
pub fn watch(mut handler: impl FnMut(Signal) + Send + 'static) -> io::Result<()> {
    use signal_hook::{
        consts::{SIGHUP, SIGINT, SIGTERM},
        iterator::Signals,
    };
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let listen = move || {
        for signal in signals.forever() {
            handler(match signal {
                SIGTERM => Signal::Terminate,
                SIGHUP => Signal::HangUp,
                _ => Signal::Interrupt,
            });
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(listen).map(drop)
}

/// A write beyond the limit on the size of files becomes an error of that write; it would end the process otherwise, and
/// unsaved work with it.
pub fn survive_file_limit() {
    #[cfg(unix)]
    {
        use signal_hook::{consts::signal::SIGXFSZ, flag};
        use std::sync::{Arc, atomic::AtomicBool};
        if let Err(error) = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))) {
            log::warn!("a limit on the size of files would end the process: {error}");
        }
    }
}

/// Calls `handler`, from a thread of its own, for each interrupt from now on.
#[cfg(not(unix))]
pub fn watch(mut handler: impl FnMut(Signal) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || handler(Signal::Interrupt)).map_err(io::Error::other)
}
