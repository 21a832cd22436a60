//! Runs mutants: with each, the checks that use its shader run until one of them is wrong.
//!
//! Mutants run with wgpu's checks and with loops that end, so that none of them hangs the device or damages its memory.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use super::trial::{Trial, Verdict};
use super::{Mutant, VerificationError};
use crate::gpu::{Gpu, ShaderLibrary, ShaderTexts};

/// The checks that mutants are tried on.
pub struct MutantBench<T> {
    trials: Vec<T>,
    adapter: Option<String>,
    /// Numbers of the checks that were found to be right without a mutant.
    right: Mutex<HashSet<usize>>,
}

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// A check was wrong or failed.
    Caught {
        /// What was checked.
        subject: String,
        /// What it was checked on.
        fixture: String,
        /// The disagreement or the error.
        reason: String,
    },
    /// The shader does not compile or validate, so that it could never run.
    Invalid(String),
    /// Nothing was wrong.
    Survived {
        /// Number of searches or solvers, with their settings, that use the shader.
        subjects: usize,
        /// Number of checks.
        checks: u64,
    },
}

impl fmt::Display for Fate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Caught { subject, fixture, reason } => {
                write!(formatter, "caught by {subject} on \"{fixture}\": {reason}")
            }
            Self::Invalid(reason) => write!(formatter, "does not compile: {reason}"),
            Self::Survived { subjects, checks } => {
                write!(formatter, "SURVIVED {checks} checks of {subjects} configurations")
            }
        }
    }
}

/// The device on which mutants run, and the one on which the same checks run without them.
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

impl<T: Trial> MutantBench<T> {
    /// A bench that tries mutants on these checks, in this order, on the adapter of `gpu`.
    pub fn new(gpu: &Gpu, trials: Vec<T>) -> Self {
        Self { trials, adapter: Some(gpu.capabilities.name.clone()), right: Mutex::default() }
    }

    /// Runs mutants on `workers` pairs of devices at the same time and calls `report` with each fate as it is found.
    ///
    /// # Errors
    /// When a mutant does not fit its file, a check is wrong without a mutant, or a device cannot be opened.
    pub fn run(
        &self,
        mutants: &[Mutant],
        workers: usize,
        report: impl Fn(&Mutant, &Fate) + Sync,
    ) -> Result<(), VerificationError> {
        let next = AtomicUsize::new(0);
        let work = || -> Result<(), VerificationError> {
            let mut devices = Devices::open(self.adapter.as_deref())?;
            while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
                let fate = self.fate(&mut devices, mutant)?;
                report(mutant, &fate);
            }
            Ok(())
        };
        thread::scope(|scope| {
            let workers = workers.clamp(1, mutants.len().max(1));
            joined((0..workers).map(|_| scope.spawn(work)).collect())
        })
    }

    fn fate(&self, devices: &mut Devices, mutant: &Mutant) -> Result<Fate, VerificationError> {
        let text = mutant.apply(&devices.clean.shaders().original(&mutant.file)?)?;
        let texts = BTreeMap::from([(mutant.file.clone(), Arc::from(text))]);
        devices.mutated.edit_shaders(Arc::new(texts), true);
        let (mut subjects, mut checks) = (BTreeSet::new(), 0);
        for (number, trial) in self.trials.iter().enumerate().filter(|(_, trial)| trial.uses(&mutant.file)) {
            let reason = match trial.run(&devices.mutated) {
                Verdict::Wrong(reason) => reason,
                Verdict::Invalid(message) => return Ok(Fate::Invalid(message)),
                verdict => {
                    checks += u64::from(verdict == Verdict::Right);
                    subjects.insert(trial.subject());
                    continue;
                }
            };
            if devices.mutated.lost().is_some() {
                *devices = Devices::open(self.adapter.as_deref())?;
            }
            self.check_without_mutant(devices, number)?;
            return Ok(Fate::Caught { subject: trial.subject(), fixture: trial.fixture(), reason });
        }
        Ok(Fate::Survived { subjects: subjects.len(), checks })
    }

    /// Fails unless a check is right without a mutant.
    fn check_without_mutant(&self, devices: &Devices, number: usize) -> Result<(), VerificationError> {
        if self.right.lock().unwrap_or_else(PoisonError::into_inner).contains(&number) {
            return Ok(());
        }
        let trial = &self.trials[number];
        if let Verdict::Wrong(reason) | Verdict::Invalid(reason) = trial.run(&devices.clean) {
            let (subject, fixture) = (trial.subject(), trial.fixture());
            return Err(VerificationError::WrongWithoutMutant { subject, fixture, reason });
        }
        self.right.lock().unwrap_or_else(PoisonError::into_inner).insert(number);
        Ok(())
    }
}

/// Waits for workers; the first error is returned.
///
/// # Errors
/// Those of the workers.
///
/// # Panics
/// When a worker has panicked.
pub fn joined<E>(workers: Vec<ScopedJoinHandle<'_, Result<(), E>>>) -> Result<(), E> {
    workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
}
