//! Collects the readings of a scene's probes and writes them to a CSV file.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nearwater::files::{Frame, check_writable, write_table};
use nearwater::fluid::{ProbeColumn, Scene};

use super::CommandError;

/// Wall-clock time after which the table is written again, so that an interrupted run leaves most of it.
const BETWEEN_WRITES: Duration = Duration::from_secs(10);

/// The readings of probes, one row per time.
pub struct ProbeTable {
    file: PathBuf,
    rows: Vec<Vec<String>>,
    written: Instant,
}

impl ProbeTable {
    /// Starts an empty table.
    ///
    /// # Errors
    /// When the scene has no probes or the file could not be written.
    pub fn new(file: &Path, scene: &Scene) -> Result<Self, CommandError> {
        if scene.probes.is_empty() {
            return Err(CommandError::NoProbes(scene.name.clone()));
        }
        check_writable(file)?;
        let columns = scene.probe_columns();
        let header =
            ["time_s".to_owned(), "step".to_owned()].into_iter().chain(columns.iter().map(ProbeColumn::head)).collect();
        Ok(Self { file: file.to_owned(), rows: vec![header], written: Instant::now() })
    }

    /// Adds a row; a field without a reading is left empty.
    pub fn add(&mut self, frame: &Frame, readings: &[Option<f64>]) -> Result<(), CommandError> {
        let place = [frame.time.to_string(), frame.step.to_string()];
        let readings = readings.iter().map(|reading| reading.map_or_else(String::new, |number| number.to_string()));
        self.rows.push(place.into_iter().chain(readings).collect());
        if self.written.elapsed() > BETWEEN_WRITES { self.write() } else { Ok(()) }
    }

    /// Writes all rows so far.
    pub fn write(&mut self) -> Result<(), CommandError> {
        write_table(&self.file, &self.rows)?;
        self.written = Instant::now();
        Ok(())
    }

    /// Number of rows so far.
    pub fn len(&self) -> usize {
        self.rows.len() - 1
    }

    /// The file to which the table is written.
    pub fn file(&self) -> &Path {
        &self.file
    }
}
