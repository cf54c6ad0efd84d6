//! How the system treats what is typed: saved at the beginning and put back at every end.

/// The terminal's mode when the program began.
#[derive(Debug, Clone)]
pub struct Mode {
    #[cfg(unix)]
    found: Option<rustix::termios::Termios>,
}

#[cfg(unix)]
impl Mode {
    /// Remembers the mode. From now on what is typed between two lines is not shown by the system: the editor shows it.
    pub fn take() -> Mode {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let found = tcgetattr(std::io::stdin()).ok();
        if let Some(mut quiet) = found.clone() {
            quiet.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON);
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &quiet);
        }
        Mode { found }
    }

    pub fn put_back(&self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        if let Some(found) = &self.found {
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, found);
        }
    }
}

#[cfg(not(unix))]
impl Mode {
    pub fn take() -> Mode {
        Mode {}
    }

    pub fn put_back(&self) {}
}
