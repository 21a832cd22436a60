use std::path::PathBuf;
use std::time::{Duration, Instant};

use nearwater::files::{FrameFormat, FrameSeries};
use nearwater::fluid::Simulation;

use super::CommandError;
use super::schedule::Schedule;

/// Frames that somebody wants written while the water runs.
#[derive(Clone, Debug)]
pub struct Export {
    /// Where to.
    pub folder: PathBuf,
    /// Seconds of water from one to the next.
    pub every: f64,
    /// As what.
    pub format: FrameFormat,
}

/// Takes down what was asked for while the water runs.
pub struct Recorder {
    series: Option<(Schedule, FrameSeries)>,
    spent: Duration,
}

impl Recorder {
    /// Refuses what cannot be taken down, before the first step.
    pub fn new(export: Option<&Export>, simulation: &Simulation) -> Result<Self, CommandError> {
        let series = export
            .map(|export| {
                let schedule = Schedule::new("--every", export.every, simulation)?;
                Ok::<_, CommandError>((schedule, FrameSeries::new(&export.folder, export.format)?))
            })
            .transpose()?;
        Ok(Self { series, spent: Duration::ZERO })
    }

    /// Takes down what is due of the water as it is.
    pub fn record(&mut self, simulation: &Simulation) -> Result<(), CommandError> {
        let started = Instant::now();
        let time = simulation.time();
        if let Some((_, series)) = self.series.as_mut().filter(|(schedule, _)| schedule.is_due(time)) {
            series.add(&simulation.observe()?)?;
        }
        if let Some((schedule, _)) = &mut self.series {
            schedule.done(time);
        }
        self.spent += started.elapsed();
        Ok(())
    }

    /// Steps until something is due; at least one.
    pub fn steps_until_due(&self, time: f64) -> u64 {
        self.series.iter().map(|(schedule, _)| schedule.steps_until_due(time)).min().unwrap_or(u64::MAX)
    }

    /// Time of the user's that taking down took.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Words on how far it is, for the progress bar.
    pub fn progress(&self) -> String {
        self.series.as_ref().map(|(_, series)| format!("{} frames, ", series.len())).unwrap_or_default()
    }

    /// Says what there is now, and where.
    pub fn report(&self) {
        if let Some((_, series)) = &self.series {
            let seconds = self.spent.as_secs_f64();
            println!("{} frames are listed in {}; writing took {seconds:.2} s", series.len(), series.list().display());
        }
    }
}
