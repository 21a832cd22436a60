use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nearwater::files::{FrameFormat, FrameSeries};
use nearwater::fluid::Simulation;

use super::CommandError;
use super::probe_table::ProbeTable;
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

/// Probes that somebody wants read while the water runs.
#[derive(Clone, Copy, Debug)]
pub struct Probing<'a> {
    /// Where their table goes.
    pub file: &'a Path,
    /// Seconds of water from one row to the next.
    pub every: f64,
}

/// Takes down what was asked for while the water runs.
pub struct Recorder {
    series: Option<(Schedule, FrameSeries)>,
    probes: Option<(Schedule, ProbeTable)>,
    spent: Duration,
}

impl Recorder {
    /// Refuses what cannot be taken down, before the first step.
    pub fn new(
        export: Option<&Export>,
        probing: Option<Probing<'_>>,
        simulation: &Simulation,
    ) -> Result<Self, CommandError> {
        let probes = probing
            .map(|probing| {
                let schedule = Schedule::new("--probe-every", probing.every, simulation)?;
                Ok::<_, CommandError>((schedule, ProbeTable::new(probing.file, simulation.scene())?))
            })
            .transpose()?;
        let series = export
            .map(|export| {
                let schedule = Schedule::new("--every", export.every, simulation)?;
                Ok::<_, CommandError>((schedule, FrameSeries::new(&export.folder, export.format)?))
            })
            .transpose()?;
        Ok(Self { series, probes, spent: Duration::ZERO })
    }

    /// Takes down what is due of the water as it is.
    pub fn record(&mut self, simulation: &Simulation) -> Result<(), CommandError> {
        let started = Instant::now();
        let time = simulation.time();
        let series = self.series.as_mut().filter(|(schedule, _)| schedule.is_due(time));
        let probes = self.probes.as_mut().filter(|(schedule, _)| schedule.is_due(time));
        if series.is_some() || probes.is_some() {
            let frame = simulation.observe()?;
            if let Some((schedule, series)) = series {
                schedule.done(time);
                series.add(&frame)?;
            }
            if let Some((schedule, probes)) = probes {
                schedule.done(time);
                probes.add(&frame, &simulation.readings(&frame))?;
            }
        }
        self.spent += started.elapsed();
        Ok(())
    }

    /// Steps until something is due; at least one.
    pub fn steps_until_due(&self, time: f64) -> u64 {
        let schedules = self.series.iter().map(|(schedule, _)| schedule).chain(self.probes.iter().map(|(it, _)| it));
        schedules.map(|schedule| schedule.steps_until_due(time)).min().unwrap_or(u64::MAX)
    }

    /// Time of the user's that taking down took.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Words on how far it is, for the progress bar.
    pub fn progress(&self) -> String {
        self.series.as_ref().map(|(_, series)| format!("{} frames, ", series.len())).unwrap_or_default()
    }

    /// Writes what is left to write, and says what there is now and where.
    pub fn finish(&mut self) -> Result<(), CommandError> {
        if let Some((_, series)) = &self.series {
            let seconds = self.spent.as_secs_f64();
            println!("{} frames are listed in {}; writing took {seconds:.2} s", series.len(), series.list().display());
        }
        if let Some((_, probes)) = &mut self.probes {
            probes.write()?;
            println!("{} rows of probes are in {}", probes.len(), probes.file().display());
        }
        Ok(())
    }
}
