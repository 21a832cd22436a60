//! Every search on random fixtures until it is stopped, or until one is wrong. Each fixture runs on the next of several
//! devices; a failure is reduced to the fewest particles that still fail.

use std::fmt;
use std::path::PathBuf;

use super::{TestDevice, VerificationError, fewest, random_fixture, write_fixture};
use crate::search::fixtures::Fixture;
use crate::search::random::splitmix64;
use crate::search::verify::{Case, SearchConfiguration, compare};

/// Most runs of the failing search while a failure is reduced.
const MOST_TRIALS: u32 = 3_000;

/// The searches that run, on what, and from which seed.
pub struct Endless {
    /// The searches and their settings.
    pub configurations: Vec<SearchConfiguration>,
    /// The devices that take turns; there must be one.
    pub devices: Vec<TestDevice>,
    /// Seed of the first fixture; each fixture has a seed of its own.
    pub seed: u64,
    /// Largest number of particles.
    pub most_particles: u32,
    /// Folder for the fixture of a failure.
    pub folder: PathBuf,
    /// What has been compared so far.
    pub totals: EndlessTotals,
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

/// The result of one fixture.
#[derive(Debug)]
pub struct EndlessRound {
    /// The fixture's name, which contains its seed.
    pub fixture: String,
    /// The device that ran it.
    pub device: String,
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
    /// Compares all searches on the next fixture.
    ///
    /// # Errors
    /// When a device fails, or the fixture of a failure cannot be written. A wrong search is a result, not an error.
    pub fn round(&mut self) -> Result<EndlessRound, VerificationError> {
        let number = self.totals.fixtures;
        let seed = splitmix64(self.seed.wrapping_add(number));
        let device = &self.devices[number as usize % self.devices.len()];
        let case = Case::new(random_fixture(seed, self.most_particles)?);
        self.totals.fixtures += 1;
        let mut round =
            EndlessRound { fixture: case.fixture().name.clone(), device: device.name.clone(), pairs: 0, failure: None };
        let mut fingerprint = None;
        for configuration in &self.configurations {
            let comparison = match compare(&device.gpu, configuration, &case) {
                Ok(comparison) => comparison,
                Err(refusal) if refusal.is_refusal() => {
                    self.totals.refused += 1;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            self.totals.comparisons += 1;
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
        self.totals.pairs += round.pairs;
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
