//! Runs mutants: with each, the searches that use its shader run on the fixtures until one of them is wrong.
//!
//! Mutants run with wgpu's checks and with loops that end, so that none of them hangs the device or damages its memory.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::{Mutant, VerificationError};
use crate::gpu::{Gpu, GpuError, ShaderLibrary, ShaderTexts};
use crate::search::verify::{Case, SearchConfiguration, compare};
use crate::search::{Domain, Instrument, PairCounters, SearchError, SearchInput, count_kernel};

/// A search with its settings, and the shader files that its passes are composed of.
struct User {
    configuration: SearchConfiguration,
    files: BTreeSet<&'static str>,
}

/// The fixtures and searches that mutants run on.
pub struct MutantBench {
    cases: Vec<Case>,
    users: Vec<User>,
    adapter: Option<String>,
    /// Numbers of searches and fixtures that were found to be right without a mutant.
    right: Mutex<HashSet<(usize, usize)>>,
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A search was wrong or failed.
    Caught {
        /// The search and its settings.
        configuration: String,
        /// The fixture's name.
        fixture: String,
        /// The disagreement or the error.
        reason: String,
    },
    /// The shader does not compile or validate, so that it could never run.
    Invalid(String),
    /// Nothing was wrong.
    Survived {
        /// Number of searches, with their settings, that use the shader.
        searches: usize,
        /// Number of comparisons with the oracle.
        comparisons: u64,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caught { configuration, fixture, reason } => {
                write!(formatter, "caught by {configuration} on \"{fixture}\": {reason}")
            }
            Self::Invalid(reason) => write!(formatter, "does not compile: {reason}"),
            Self::Survived { searches, comparisons } => {
                write!(formatter, "SURVIVED {comparisons} comparisons of {searches} searches")
            }
        }
    }
}

/// The device on which mutants run, and the one on which the same searches run without them.
struct Devices {
    mutated: Arc<Gpu>,
    clean: Arc<Gpu>,
}

impl Devices {
    fn open(adapter: Option<&str>) -> Result<Self, VerificationError> {
        // Texts of edited files are shared by copies of a library, so each device gets its own.
        let mutated = Gpu::open(adapter, ShaderLibrary::embedded())?;
        mutated.edit_shaders(ShaderTexts::default(), true);
        Ok(Self { mutated, clean: Gpu::open(adapter, ShaderLibrary::embedded().checked())? })
    }
}

impl MutantBench {
    /// Finds out which shader files each search uses on the adapter of `gpu`. Fixtures of about a thousand particles run
    /// first, because most mutants are caught by any of them.
    ///
    /// # Errors
    /// When a search or a shader fails without any change.
    pub fn new(
        gpu: &Gpu,
        mut cases: Vec<Case>,
        configurations: Vec<SearchConfiguration>,
    ) -> Result<Self, VerificationError> {
        cases.sort_by_key(|case| {
            let count = case.fixture().positions.len();
            (count < 1_000, count)
        });
        let capabilities = gpu.capabilities.clone();
        let validating = Gpu::validating(ShaderLibrary::embedded(), |pretended| *pretended = capabilities)?;
        let users = configurations
            .into_iter()
            .map(|configuration| {
                let files = files_of(&validating, &configuration)?;
                Ok(User { configuration, files })
            })
            .collect::<Result<Vec<_>, VerificationError>>()?;
        Ok(Self { cases, users, adapter: Some(gpu.capabilities.name.clone()), right: Mutex::default() })
    }

    /// Runs mutants on `workers` pairs of devices at the same time and calls `report` with each verdict as it is found.
    ///
    /// # Errors
    /// When a mutant does not fit its file, a search is wrong without a mutant, or a device cannot be opened.
    pub fn run(
        &self,
        mutants: &[Mutant],
        workers: usize,
        report: impl Fn(&Mutant, &Verdict) + Sync,
    ) -> Result<(), VerificationError> {
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), VerificationError> {
            let mut devices = Devices::open(self.adapter.as_deref())?;
            while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                let verdict = self.verdict(&mut devices, mutant)?;
                report(mutant, &verdict);
            }
            Ok(())
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..workers.clamp(1, mutants.len().max(1))).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    fn verdict(&self, devices: &mut Devices, mutant: &Mutant) -> Result<Verdict, VerificationError> {
        let text = mutant.apply(&devices.clean.shaders().original(&mutant.file)?)?;
        let texts = BTreeMap::from([(mutant.file.clone(), Arc::from(text))]);
        devices.mutated.edit_shaders(Arc::new(texts), true);
        let users: Vec<usize> =
            (0..self.users.len()).filter(|&user| self.users[user].files.contains(mutant.file.as_str())).collect();
        let mut comparisons = 0;
        for case in 0..self.cases.len() {
            for &user in &users {
                let configuration = &self.users[user].configuration;
                let reason = match compare(&devices.mutated, configuration, &self.cases[case]) {
                    Ok(comparison) => {
                        comparisons += 1;
                        comparison.disagreement.map(|disagreement| disagreement.to_string())
                    }
                    Err(error) if is_refused_for_its_size(&error) => None,
                    Err(SearchError::Gpu(GpuError::Shader { message, .. })) => {
                        let first = message.lines().next().unwrap_or_default();
                        return Ok(Verdict::Invalid(first.to_owned()));
                    }
                    Err(error) => Some(error.to_string()),
                };
                let Some(reason) = reason else { continue };
                if devices.mutated.lost().is_some() {
                    *devices = Devices::open(self.adapter.as_deref())?;
                }
                self.check_without_mutant(devices, (user, case))?;
                return Ok(Verdict::Caught {
                    configuration: configuration.to_string(),
                    fixture: self.cases[case].fixture().name.clone(),
                    reason,
                });
            }
        }
        Ok(Verdict::Survived { searches: users.len(), comparisons })
    }

    /// Fails unless a search is right on a fixture without a mutant.
    fn check_without_mutant(&self, devices: &Devices, (user, case): (usize, usize)) -> Result<(), VerificationError> {
        let is_known = |right: &HashSet<_>| right.contains(&(user, case));
        if is_known(&self.right.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(());
        }
        let (configuration, case_run) = (&self.users[user].configuration, &self.cases[case]);
        let reason = match compare(&devices.clean, configuration, case_run) {
            Ok(comparison) => comparison.disagreement.map(|disagreement| disagreement.to_string()),
            Err(error) => Some(error.to_string()),
        };
        if let Some(reason) = reason {
            let fixture = case_run.fixture().name.clone();
            return Err(VerificationError::WrongWithoutMutant {
                configuration: configuration.to_string(),
                fixture,
                reason,
            });
        }
        self.right.lock().unwrap_or_else(PoisonError::into_inner).insert((user, case));
        Ok(())
    }
}

/// Whether a search refuses the input because of its size alone, with and without a mutant.
fn is_refused_for_its_size(error: &SearchError) -> bool {
    matches!(
        error,
        SearchError::TooManyCells { .. }
            | SearchError::TooSlow { .. }
            | SearchError::TooCrowded { .. }
            | SearchError::Gpu(GpuError::TooLarge { .. } | GpuError::OutOfMemory { .. })
    )
}

/// The shader files of the passes that a comparison runs, on a device that compiles nothing.
fn files_of(
    validating: &Gpu,
    configuration: &SearchConfiguration,
) -> Result<BTreeSet<&'static str>, VerificationError> {
    let particle_count = 4_097;
    let positions = validating.storage::<[f32; 4]>("positions", particle_count.into())?;
    let input = SearchInput {
        positions: &positions,
        particle_count,
        domain: Domain::new(glam::Vec3::ZERO, glam::Vec3::ONE, 0.1)?,
        options: &configuration.options,
    };
    let search = configuration.search.create(validating, input)?;
    let counts = validating.storage::<u32>("neighbors of each particle", particle_count.into())?;
    let deposits = validating.storage::<u32>("deposited counts", particle_count.into())?;
    let buffers = [("pair_counts", &counts), ("deposits", &deposits)];
    let counters = PairCounters::new(validating, particle_count)?;
    let mut passes = search.build_passes(validating)?;
    passes.extend(search.traversal_passes(validating, count_kernel(&buffers), None)?);
    passes.extend(search.traversal_passes(validating, count_kernel(&buffers), Some(Instrument::Count(&counters)))?);
    // Each comparison lists the neighbors, for which it scans their numbers, and sums a kernel.
    let mut files: BTreeSet<&'static str> = BTreeSet::from([
        "search/list_pairs.wgsl",
        "search/kernel_sum.wgsl",
        "primitives/exclusive_scan.wgsl",
        "primitives/workgroup_scan.wgsl",
    ]);
    for pass in &passes {
        files.extend(validating.shaders().files_of(pass.shader())?);
    }
    Ok(files)
}
