//! Proofs of the searches beyond the fixed fixtures: random fixtures without an end, of which a failure is reduced to
//! the fewest particles, and deliberately wrong shaders of searches and solvers, which fixtures and physical properties
//! must reveal.

mod devices;
mod endless;
mod error;
mod fewest;
mod fixture_file;
mod kernels;
mod mutant;
mod mutants;
mod random_fixture;
mod search_trials;
mod trial;

pub use devices::{TestDevice, test_devices};
pub use endless::{Endless, EndlessFailure, EndlessRound, EndlessTotals};
pub use error::VerificationError;
pub use fewest::fewest;
pub use fixture_file::{read_fixture, write_fixture};
pub use kernels::{KernelProperty, Measure, kernel_properties};
pub use mutant::{Mutant, kernel_mutants, mutants};
pub use mutants::{Fate, MutantBench, joined};
pub use random_fixture::random_fixture;
pub use search_trials::{SearchTrial, search_trials};
pub use trial::{Trial, Verdict};
