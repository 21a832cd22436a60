//! The progress of a job that runs between frames.

/// The progress of a job that is advanced a little in every frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of completed parts.
    pub done: u64,
    /// Number of all parts.
    pub total: u64,
}

impl Progress {
    /// Whether the job is complete.
    pub fn is_done(self) -> bool {
        self.done >= self.total
    }

    /// The completed fraction, from 0 to 1.
    pub fn fraction(self) -> f32 {
        if self.total == 0 { 1.0 } else { (self.done as f32 / self.total as f32).min(1.0) }
    }
}
