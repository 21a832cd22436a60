//! Every search on random fixtures, of which each number has its own; a failure is reduced to the fewest particles that
//! still fail.

use std::fmt;
use std::path::PathBuf;

use super::{TestDevice, VerificationError, fewest, random_fixture, write_fixture};
use crate::search::fixtures::Fixture;
use crate::search::random::splitmix64;
use crate::search::verify::{Case, SearchConfiguration, compare};

/// Most runs of the failing search while a failure is reduced.
const MOST_TRIALS: u32 = 3_000;

/// The searches that run, and from which seed. Several threads may compare fixtures at the same time.
pub struct Endless {
    /// The searches and their settings.
    pub configurations: Vec<SearchConfiguration>,
    /// The seed from which the seed of each fixture follows.
    pub seed: u64,
    /// Largest number of particles.
    pub most_particles: u32,
    /// Folder for the fixture of a failure.
    pub folder: PathBuf,
}

/// What has been compared so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndlessTotals {
    /// Number of random fixtures.
    pub fixtures: u64,
    /// Number of fixtures times searches that were compared.
    pub comparisons: u64,
    /// Number of fixtures times searches that the search refused because of its limits.
    pub refused: u64,
    /// Number of neighbors that were found and compared, each direction counted.
    pub pairs: u64,
}

impl EndlessTotals {
    /// Adds the result of a fixture.
    pub fn add(&mut self, round: &EndlessRound) {
        self.fixtures += 1;
        self.comparisons += round.comparisons;
        self.refused += round.refused;
        self.pairs += round.pairs;
    }
}

/// The result of one fixture.
#[derive(Debug)]
pub struct EndlessRound {
    /// The fixture's name, which contains its seed.
    pub fixture: String,
    /// The device that ran it.
    pub device: String,
    /// Number of searches that were compared.
    pub comparisons: u64,
    /// Number of searches that refused the fixture because of their limits.
    pub refused: u64,
    /// Number of neighbors of all searches, each direction counted.
    pub pairs: u64,
    /// The first search that was wrong.
    pub failure: Option<EndlessFailure>,
}

/// A search that was wrong, with the smallest fixture on which it is.
#[derive(Debug)]
pub struct EndlessFailure {
    /// The search and its settings.
    pub configuration: String,
    /// What was wrong on the whole fixture.
    pub reason: String,
    /// Number of particles of the whole fixture, and of the smallest.
    pub particles: (usize, usize),
    /// The file of the smallest fixture.
    pub file: PathBuf,
}

impl fmt::Display for EndlessFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, smallest) = self.particles;
        write!(
            formatter,
            "WRONG: {} on {whole} particles: {}; {smallest} of them suffice: nearwater verify --only {}",
            self.configuration,
            self.reason,
            self.file.display()
        )
    }
}

impl Endless {
    /// Compares all searches on the fixture of a number.
    ///
    /// # Errors
    /// When the device fails, or the fixture of a failure cannot be written. A wrong search is a result, not an error.
    pub fn round(&self, number: u64, device: &TestDevice) -> Result<EndlessRound, VerificationError> {
        // Mixed twice, so that runs whose seeds follow each other do not repeat each other's fixtures.
        let seed = splitmix64(splitmix64(self.seed).wrapping_add(number));
        let case = Case::new(random_fixture(seed, self.most_particles)?);
        let mut round = EndlessRound {
            fixture: case.fixture().name.clone(),
            device: device.name.clone(),
            comparisons: 0,
            refused: 0,
            pairs: 0,
            failure: None,
        };
        let mut fingerprint = None;
        for configuration in &self.configurations {
            let comparison = match compare(&device.gpu, configuration, &case) {
                Ok(comparison) => comparison,
                Err(refusal) if refusal.is_refusal() => {
                    round.refused += 1;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            round.comparisons += 1;
            round.pairs += comparison.neighbor_count;
            let differs = *fingerprint.get_or_insert(comparison.fingerprint) != comparison.fingerprint;
            let reason = match comparison.disagreement {
                Some(disagreement) => disagreement.to_string(),
                None if differs => "its fingerprint differs from that of the other searches".to_owned(),
                None => continue,
            };
            round.failure = Some(self.reduced(device, configuration, case.fixture(), (seed, reason))?);
            break;
        }
        Ok(round)
    }

    /// Reduces the fixture of a failure and writes it to a file.
    fn reduced(
        &self,
        device: &TestDevice,
        configuration: &SearchConfiguration,
        fixture: &Fixture,
        (seed, reason): (u64, String),
    ) -> Result<EndlessFailure, VerificationError> {
        let with = |positions: &[glam::Vec3]| Fixture { positions: positions.to_vec(), ..fixture.clone() };
        let positions = fewest(&fixture.positions, MOST_TRIALS, |positions| {
            let compared = compare(&device.gpu, configuration, &Case::new(with(positions)));
            compared.is_ok_and(|comparison| comparison.disagreement.is_some())
        });
        let particles = (fixture.positions.len(), positions.len());
        let file = self.folder.join(format!("verify-failure-{seed:016x}.ron"));
        let comment = format!(
            "{configuration}: {reason}\n{} particles of \"{}\", {}, on {}",
            positions.len(),
            fixture.name,
            device.name,
            device.gpu.capabilities.name
        );
        let name = format!("{} of {} particles, {}", particles.1, particles.0, fixture.name);
        write_fixture(&file, &Fixture { name, ..with(&positions) }, &comment)?;
        Ok(EndlessFailure { configuration: configuration.to_string(), reason, particles, file })
    }
}
