//! Signals that end a run: SIGINT (Ctrl+C) and SIGTERM. The first one asks the run to end, which then writes what was
//! asked for; the second one ends the process at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Exit code of a process that a signal ended: 128 and the number of the signal, as shells report it.
const ENDED_BY_SIGNAL: i32 = 128;

/// Watches for signals from its creation until the process ends.
pub struct Interrupts {
    /// The number of the signal that arrived; 0 before one has.
    arrived: Arc<AtomicUsize>,
}

impl Interrupts {
    /// Begins to watch.
    ///
    /// # Errors
    /// When the system refuses the handlers.
    pub fn watch() -> io::Result<Self> {
        let (arrived, once) = (Arc::new(AtomicUsize::new(0)), Arc::default());
        for signal in [SIGINT, SIGTERM] {
            // In this order, because handlers run in the order of their registration: the second signal finds the
            // flag set by the first.
            flag::register_conditional_shutdown(signal, ENDED_BY_SIGNAL + signal, Arc::clone(&once))?;
            flag::register(signal, Arc::clone(&once))?;
            flag::register_usize(signal, Arc::clone(&arrived), signal as usize)?;
        }
        Ok(Self { arrived })
    }

    /// The name of the signal that asked the run to end, if one has.
    pub fn signal(&self) -> Option<&'static str> {
        match self.arrived.load(Ordering::Relaxed) {
            0 => None,
            number if number == SIGINT as usize => Some("SIGINT"),
            _ => Some("SIGTERM"),
        }
    }
}
