//! What mutants are tried on: a check of a search or of a solver's pair kernels that is right without a mutant.

use std::sync::Arc;

use super::VerificationError;
use crate::fluid::FluidError;
use crate::gpu::{Gpu, GpuError};
use crate::search::SearchError;

/// A check that depends on shaders.
pub trait Trial: Sync {
    /// What is checked: a search or a solver with its settings.
    fn subject(&self) -> String;
    /// What it is checked on.
    fn fixture(&self) -> String;
    /// Whether a shader of the check contains this file below `shaders/`.
    fn uses(&self, file: &str) -> bool;
    /// Runs the check on a device.
    fn run(&self, gpu: &Arc<Gpu>) -> Verdict;
}

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing is wrong.
    Right,
    /// What is wrong.
    Wrong(String),
    /// The check is refused because of its size alone, with and without a mutant.
    Refused,
    /// A shader does not compile or validate; the first line of the message.
    Invalid(String),
}

impl Verdict {
    /// The outcome of a check that failed.
    pub fn of_error(error: &VerificationError) -> Self {
        match gpu_error(error) {
            Some(GpuError::Shader { message, .. }) => {
                Self::Invalid(message.lines().next().unwrap_or_default().to_owned())
            }
            Some(GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. }) => Self::Refused,
            _ => match error {
                VerificationError::Search(
                    SearchError::TooManyCells { .. } | SearchError::TooSlow { .. } | SearchError::TooCrowded { .. },
                ) => Self::Refused,
                error => Self::Wrong(error.to_string()),
            },
        }
    }
}

/// The error of the device that caused this one.
fn gpu_error(error: &VerificationError) -> Option<&GpuError> {
    match error {
        VerificationError::Gpu(error)
        | VerificationError::Search(SearchError::Gpu(error))
        | VerificationError::Fluid(FluidError::Gpu(error) | FluidError::Search(SearchError::Gpu(error))) => Some(error),
        _ => None,
    }
}
