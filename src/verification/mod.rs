//! Proofs of the searches beyond the fixed fixtures: random fixtures without an end, of which a failure is reduced to the
//! fewest particles, and deliberately wrong shaders, which the fixtures must reveal.

mod devices;
mod endless;
mod error;
mod fewest;
mod fixture_file;
mod mutant;
mod mutants;
mod random_fixture;

pub use devices::{TestDevice, test_devices};
pub use endless::{Endless, EndlessFailure, EndlessRound, EndlessTotals};
pub use error::VerificationError;
pub use fewest::fewest;
pub use fixture_file::{read_fixture, write_fixture};
pub use mutant::{Mutant, mutants};
pub use mutants::{MutantBench, Verdict};
pub use random_fixture::random_fixture;
