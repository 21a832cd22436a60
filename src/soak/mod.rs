//! Random use of the simulation without an end: scenes, searches, solvers, numbers of particles, switches while it
//! runs, materials, pushes, walls, saved states and pictures of any size, from a seed that repeats every step of it.
//!
//! An *episode* (`plan.rs`) begins with a scene and consists of a few actions. After each action the run is checked
//! (`run.rs`): the number of particles, that none is outside the box or not finite, speeds, densities, momentum where
//! nothing acts from outside, and that a state is read back as it was saved. After each *generation* of episodes the
//! device is closed, and the memory and the handles of the process are noted (`growth.rs`): neither may grow.

mod growth;
mod materials;
mod plan;
mod run;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

pub use growth::{Growth, Usage, resident_bytes};

use crate::fluid::FluidError;
use crate::gpu::{Gpu, GpuError};
use crate::search::SearchInfo;
use plan::Plan;
use run::Run;

/// Number of episodes that share a device.
pub const GENERATION: u64 = 12;

/// What random use may choose from.
pub struct Soak {
    /// Seed of the first episode; that of each further one is larger by 1.
    pub seed: u64,
    /// The only search; `None` for all.
    pub search: Option<&'static SearchInfo>,
    /// Largest number of particles.
    pub most_particles: u32,
    /// Most steps of one action.
    pub most_steps: u32,
    /// Folder for the states that are saved and loaded.
    pub folder: PathBuf,
    /// What was done so far.
    pub totals: SoakTotals,
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SoakTotals {
    /// Number of episodes.
    pub episodes: u64,
    /// Number of time steps.
    pub steps: u64,
    /// Number of actions that were carried out.
    pub actions: u64,
    /// Number of actions that were refused with a sentence, as a wall that would leave too little room is.
    pub refused: u64,
    /// Number of actions after which densities were not judged, because the solver itself warned that it does not
    /// converge, because of a body that weighs less than a particle, or because another kernel has found the water
    /// squeezed.
    pub unjudged: u64,
}

/// An episode and how it ended.
#[derive(Debug)]
pub struct Episode {
    /// Its seed, which repeats it.
    pub seed: u64,
    /// What was done, in order, up to the failure if there is one.
    pub sequence: Vec<String>,
    /// Number of time steps.
    pub steps: u64,
    /// What was wrong.
    pub failure: Option<String>,
}

impl Soak {
    /// Carries out the next episode on a device. It ends early when `is_over` says so, which is asked every few steps.
    ///
    /// # Errors
    /// When the device is lost. Anything else that is wrong is a failure of the episode.
    pub fn episode(&mut self, gpu: &Arc<Gpu>, is_over: &dyn Fn() -> bool) -> Result<Episode, GpuError> {
        let seed = self.seed.wrapping_add(self.totals.episodes);
        self.totals.episodes += 1;
        let plan = Plan::random(seed, self.search, (self.most_particles, self.most_steps));
        let mut episode = Episode { seed, sequence: vec![plan.start()], steps: 0, failure: None };
        let outcome = catch_unwind(AssertUnwindSafe(|| self.carry_out(gpu, &plan, &mut episode, is_over)));
        let failure = match outcome {
            Ok(Ok(())) => None,
            Ok(Err(Fault::Device(error))) if gpu.lost().is_some() => return Err(error),
            Ok(Err(fault)) => Some(fault.to_string()),
            Err(panic) => {
                let said = panic.downcast_ref::<String>().map(String::as_str);
                Some(format!("it panicked: {}", said.or_else(|| panic.downcast_ref().copied()).unwrap_or("no message")))
            }
        };
        self.totals.steps += episode.steps;
        episode.failure = failure;
        Ok(episode)
    }

    fn carry_out(
        &mut self,
        gpu: &Arc<Gpu>,
        plan: &Plan,
        episode: &mut Episode,
        is_over: &dyn Fn() -> bool,
    ) -> Result<(), Fault> {
        let mut run = match Run::begin(gpu, plan, self.folder.join("soak.state")) {
            Ok(run) => run,
            Err(Fault::Refused(reason)) => {
                episode.sequence.push(format!("refused: {reason}"));
                self.totals.refused += 1;
                return Ok(());
            }
            Err(fault) => return Err(fault),
        };
        for action in &plan.actions {
            if is_over() {
                break;
            }
            episode.sequence.push(action.to_string());
            let outcome = run.act(action, is_over);
            episode.steps = run.steps();
            match outcome {
                Ok(()) => self.totals.actions += 1,
                Err(Fault::Refused(reason)) => {
                    self.totals.refused += 1;
                    if let Some(last) = episode.sequence.last_mut() {
                        *last = format!("{last} (refused: {reason})");
                    }
                }
                Err(fault) => return Err(fault),
            }
            if let Some(unjudged) = run.check()? {
                self.totals.unjudged += 1;
                if let Some(last) = episode.sequence.last_mut() {
                    *last = format!("{last} ({unjudged})");
                }
            }
        }
        Ok(())
    }
}

/// Why an action did not do what it says.
#[derive(Debug, thiserror::Error)]
enum Fault {
    /// It was refused with a sentence, which is no failure.
    #[error("{0}")]
    Refused(String),
    /// The result is wrong.
    #[error("{0}")]
    Wrong(String),
    /// The device failed.
    #[error("the device failed: {0}")]
    Device(GpuError),
}

impl From<FluidError> for Fault {
    fn from(error: FluidError) -> Self {
        match error {
            FluidError::Gpu(error) => Self::Device(error),
            error => Self::Refused(error.to_string()),
        }
    }
}

impl From<GpuError> for Fault {
    fn from(error: GpuError) -> Self {
        Self::Device(error)
    }
}
