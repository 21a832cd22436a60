//! Exports frames and probe readings at regular intervals of a headless run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nearwater::files::{Frame, FrameFormat, FrameSeries};
use nearwater::fluid::Simulation;
use nearwater::fluid::probes::ProbeMeans;

use super::CommandError;
use super::probe_table::ProbeTable;
use super::schedule::Schedule;

/// A requested export of frames.
#[derive(Clone, Debug)]
pub struct Export {
    /// The folder of the frames.
    pub folder: PathBuf,
    /// Simulated time between frames, s.
    pub every: f64,
    /// The file format of the frames.
    pub format: FrameFormat,
}

impl Export {
    /// The list of the frames, which no other output may overwrite.
    pub fn list(&self) -> PathBuf {
        self.format.list_in(&self.folder)
    }
}

/// A requested table of probe readings.
#[derive(Clone, Copy, Debug)]
pub struct Probing<'a> {
    /// The CSV file of the readings.
    pub file: &'a Path,
    /// Simulated time between rows, s.
    pub every: f64,
}

/// A table of readings on its way.
struct Probes {
    /// When a row is due.
    rows: Schedule,
    /// When the probes are read: with each row, and in between for windows of time.
    samples: Schedule,
    means: ProbeMeans,
    table: ProbeTable,
}

impl Probes {
    fn new(probing: Probing<'_>, simulation: &Simulation) -> Result<Self, CommandError> {
        let step = f64::from(simulation.resolution().time_step);
        // Rows that would be nearer to each other than steps are one for each step.
        let every = if probing.every > 0.0 { probing.every.max(step) } else { probing.every };
        let rows = Schedule::new("--probe-every", every, simulation)?;
        let means = ProbeMeans::of(simulation.scene());
        let between = means.interval().map_or(every, |interval| interval.clamp(step.min(every), every));
        let samples = Schedule::new("--probe-every", between, simulation)?;
        Ok(Self { rows, samples, means, table: ProbeTable::new(probing.file, simulation.scene())? })
    }

    fn is_due(&self, time: f64) -> bool {
        self.rows.is_due(time) || self.samples.is_due(time)
    }

    /// Takes the readings at the time of a frame, and adds a row if one is due.
    fn take(&mut self, frame: &Frame, readings: Vec<Option<f64>>) -> Result<(), CommandError> {
        let readings = self.means.take(frame.time, readings);
        self.samples.done(frame.time);
        if !self.rows.is_due(frame.time) {
            return Ok(());
        }
        self.rows.done(frame.time);
        self.table.add(frame, &readings)
    }

    fn steps_until_due(&self, time: f64) -> u64 {
        self.rows.steps_until_due(time).min(self.samples.steps_until_due(time))
    }
}

/// Writes the requested frames and probe readings while the simulation runs.
pub struct Recorder {
    series: Option<(Schedule, FrameSeries)>,
    probes: Option<Probes>,
    /// Why frames or readings could not be written. The run goes on without them, because its other output is still
    /// wanted.
    failures: Vec<CommandError>,
    spent: Duration,
}

impl Recorder {
    /// Prepares the requested output before the first step.
    ///
    /// # Errors
    /// When an interval is shorter than a time step, a file or folder cannot be written, or the scene has no probes.
    pub fn new(
        export: Option<&Export>,
        probing: Option<Probing<'_>>,
        simulation: &Simulation,
    ) -> Result<Self, CommandError> {
        let probes = probing.map(|probing| Probes::new(probing, simulation)).transpose()?;
        let series = export
            .map(|export| {
                let schedule = Schedule::new("--every", export.every, simulation)?;
                Ok::<_, CommandError>((schedule, FrameSeries::new(&export.folder, export.format)?))
            })
            .transpose()?;
        Ok(Self { series, probes, failures: Vec::new(), spent: Duration::ZERO })
    }

    /// Writes the frame and the readings that are due at the simulation's current time. An output that cannot be
    /// written gets no further frames or readings, and [`Recorder::finish`] reports it.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn record(&mut self, simulation: &Simulation) -> Result<(), CommandError> {
        let started = Instant::now();
        let time = simulation.time();
        let series = self.series.as_mut().filter(|(schedule, _)| schedule.is_due(time));
        let probes = self.probes.as_mut().filter(|probes| probes.is_due(time));
        if series.is_some() || probes.is_some() {
            let frame = simulation.observe()?;
            if let Some((schedule, series)) = series {
                schedule.done(time);
                if let Err(error) = series.add(&frame) {
                    self.failures.push(error.into());
                    self.series = None;
                }
            }
            if let Some(probes) = probes
                && let Err(error) = probes.take(&frame, simulation.readings(&frame)?)
            {
                self.failures.push(error);
                self.probes = None;
            }
        }
        self.spent += started.elapsed();
        Ok(())
    }

    /// Number of steps until the next frame or reading is due; at least one.
    pub fn steps_until_due(&self, time: f64) -> u64 {
        let frames = self.series.iter().map(|(schedule, _)| schedule.steps_until_due(time));
        frames.chain(self.probes.iter().map(|probes| probes.steps_until_due(time))).min().unwrap_or(u64::MAX)
    }

    /// Wall-clock time spent in this recorder.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// The number of frames so far, as text for the progress bar.
    pub fn progress(&self) -> String {
        self.series.as_ref().map(|(_, series)| format!("{} frames, ", series.len())).unwrap_or_default()
    }

    /// Writes the remaining rows, and prints which files were written.
    ///
    /// # Errors
    /// All failures to write frames and readings, those while the simulation ran and those of now.
    pub fn finish(&mut self) -> Result<(), CommandError> {
        if let Some((_, series)) = &self.series {
            let seconds = self.spent.as_secs_f64();
            outln!("{} frames are listed in {}; writing took {seconds:.2} s", series.len(), series.list().display());
        }
        if let Some(Probes { table: probes, .. }) = &mut self.probes {
            match probes.write() {
                Ok(()) => outln!("{} rows of probe readings are in {}", probes.len(), probes.file().display()),
                Err(error) => self.failures.push(error),
            }
        }
        CommandError::all(std::mem::take(&mut self.failures))
    }
}
