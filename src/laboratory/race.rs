//! The race: times every search on the same frozen particles, with interleaved runs, and returns a table with ratios to
//! the best values.
//!
//! The race uses [`SearchTrial`], the job that `nearwater bench` runs, with the same passes, warm-up, order of runs and
//! medians. The device may lower its clock between two frames of a window, so a window should advance the race as often
//! as it has time.

use std::time::SystemTime;

use super::LaboratoryError;
use crate::bench::{MakePasses, Progress, SearchFigures, SearchTrial, Spread, TrialInput};
use crate::format;
use crate::gpu::Gpu;
use crate::search::Domain;
use crate::search::verify::SearchConfiguration;

/// The input of a race.
pub struct RaceInput<'a> {
    /// Positions, `array<vec4<f32>>`, m; len = `particle_count`. They are copied, so the simulation may continue.
    pub positions: &'a wgpu::Buffer,
    /// Number of particles.
    pub particle_count: u32,
    /// The box and the support radius.
    pub domain: Domain,
    /// The searches with their settings, for example [`SearchConfiguration::all`].
    pub configurations: Vec<SearchConfiguration>,
    /// Timed runs of each search.
    pub runs: u32,
    /// Passes of physics to be timed after each traversal, for example density and forces.
    pub physics: Option<MakePasses>,
    /// The cost of a step beside build and traversal, measured elsewhere and the same for every search, ms. Ignored if
    /// `physics` is given.
    pub physics_milliseconds: Option<f64>,
}

/// The running race. Dropping it cancels it.
pub struct Race {
    trial: SearchTrial,
    physics_milliseconds: Option<f64>,
    table: RaceTable,
}

/// The device, the version and the date of a measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// The adapter's name.
    pub adapter: String,
    /// Driver name and version.
    pub driver: String,
    /// Vulkan, Metal or DX12.
    pub backend: String,
    /// Version of Nearwater.
    pub version: &'static str,
    /// Date in UTC, as year-month-day.
    pub date: String,
    /// Why the numbers are not those of the program's own shaders, if they are not.
    pub remark: Option<String>,
}

impl Circumstances {
    /// The circumstances of a measurement on this device now.
    pub fn now(gpu: &Gpu) -> Self {
        let capabilities = &gpu.capabilities;
        let time = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        Self {
            adapter: capabilities.name.clone(),
            driver: capabilities.driver.clone(),
            backend: format!("{:?}", capabilities.backend),
            version: env!("CARGO_PKG_VERSION"),
            date: time.chars().take_while(|&letter| letter != 'T').collect(),
            remark: gpu.shaders().edits().remark(),
        }
    }

    /// All of them in one line.
    pub fn line(&self) -> String {
        let Self { adapter, driver, backend, version, date, remark } = self;
        let remark = remark.as_ref().map(|remark| format!(", {remark}")).unwrap_or_default();
        format!("nearwater {version} on {adapter}, {backend}, driver {driver}, {date}{remark}")
    }

    /// The remark of a row of a table, with that of the circumstances.
    pub(super) fn remark_with(&self, of_row: String) -> String {
        let parts = [self.remark.clone().unwrap_or_default(), of_row];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

/// The result of a race, which is incomplete while the race is running.
#[derive(Clone, Debug)]
pub struct RaceTable {
    /// Device, version and date.
    pub circumstances: Circumstances,
    /// Number of particles.
    pub particle_count: u32,
    /// Support radius, m.
    pub radius: f32,
    /// Timed runs of each search.
    pub runs: u32,
    /// One row for each search with its settings, in the order of the input.
    pub rows: Vec<RaceRow>,
}

/// One search with its settings.
#[derive(Clone, Debug)]
pub struct RaceRow {
    /// The search and its settings.
    pub configuration: SearchConfiguration,
    /// Its figures, or why there are none.
    pub outcome: RaceOutcome,
}

/// The outcome of one search.
#[derive(Clone, Debug)]
pub enum RaceOutcome {
    /// The search was timed.
    Timed(Box<RaceFigures>),
    /// The search refused the input with this message.
    Refused(String),
}

/// The figures of one search.
#[derive(Clone, Debug)]
pub struct RaceFigures {
    /// Times and counts of the search.
    pub search: SearchFigures,
    /// Time of the physics of a step, ms; `None` if it was not measured.
    pub physics: Option<Spread>,
}

/// A column of the table for which ratios to the best value are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaceColumn {
    /// Build passes, ms.
    Build,
    /// Traversal, ms.
    Search,
    /// Physics, ms.
    Physics,
    /// Build, traversal and physics, ms.
    Total,
    /// Candidates per particle.
    Candidates,
    /// Neighbors per particle.
    Neighbors,
    /// Bytes beyond the particles' own arrays: the search's buffers, and the deposits of a sum.
    Bytes,
}

impl RaceColumn {
    /// All columns, in the order of the table.
    pub const ALL: [Self; 7] =
        [Self::Build, Self::Search, Self::Physics, Self::Total, Self::Candidates, Self::Neighbors, Self::Bytes];

    /// Its heading, with the unit.
    pub fn label(self) -> &'static str {
        match self {
            Self::Build => "build [ms]",
            Self::Search => "search [ms]",
            Self::Physics => "physics [ms]",
            Self::Total => "total [ms]",
            Self::Candidates => "candidates/particle",
            Self::Neighbors => "neighbors/particle",
            Self::Bytes => "bytes",
        }
    }
}

impl RaceFigures {
    /// The value in a column; `None` if it was not measured.
    pub fn value(&self, column: RaceColumn, particle_count: u32) -> Option<f64> {
        let per_particle = |count: u64| count as f64 / f64::from(particle_count.max(1));
        Some(match column {
            RaceColumn::Build => self.search.build.median,
            RaceColumn::Search => self.search.traversal.median,
            RaceColumn::Physics => self.physics?.median,
            RaceColumn::Total => self.total(),
            RaceColumn::Candidates => per_particle(self.search.totals.candidates),
            RaceColumn::Neighbors => per_particle(self.search.totals.neighbors),
            RaceColumn::Bytes => self.search.bytes as f64,
        })
    }

    /// Time from the start of the build to the end of the traversal, plus physics if it was measured, ms.
    pub fn total(&self) -> f64 {
        self.search.total.median + self.physics.map_or(0.0, |physics| physics.median)
    }
}

impl Race {
    /// Copies the positions and starts the race.
    ///
    /// # Errors
    /// When the copy does not fit the device, or the device has no timestamps.
    pub fn new(gpu: &Gpu, input: RaceInput<'_>) -> Result<Self, LaboratoryError> {
        let frozen = gpu.storage::<[f32; 4]>("frozen positions", input.particle_count.into())?;
        let bytes = u64::from(input.particle_count) * size_of::<[f32; 4]>() as u64;
        gpu.submit(|encoder| encoder.copy_buffer_to_buffer(input.positions, 0, &frozen, 0, bytes));
        let table = RaceTable {
            circumstances: Circumstances::now(gpu),
            particle_count: input.particle_count,
            radius: input.domain.support_radius,
            runs: input.runs,
            rows: Vec::new(),
        };
        let given = TrialInput { positions: frozen, particle_count: input.particle_count, domain: input.domain };
        let trial = SearchTrial::new(gpu, given, input.configurations, input.runs)?;
        Ok(Self {
            physics_milliseconds: if input.physics.is_some() { None } else { input.physics_milliseconds },
            trial: match input.physics {
                Some(physics) => trial.with_physics(physics),
                None => trial,
            },
            table,
        })
    }

    /// Runs the next small part without waiting for the device: creates a search, or submits or collects a run.
    ///
    /// # Errors
    /// When the device or a shader fails.
    pub fn advance(&mut self, gpu: &Gpu) -> Result<Progress, LaboratoryError> {
        Ok(self.trial.advance(gpu)?)
    }

    /// The table as far as it has been measured. Medians still change while runs are missing.
    pub fn table(&self) -> RaceTable {
        let elsewhere = self.physics_milliseconds.map(|median| Spread { median, deviation: 0.0 });
        let rows = self.trial.rows().into_iter().map(|row| match row {
            Ok(search) => RaceRow {
                configuration: search.configuration.clone(),
                outcome: RaceOutcome::Timed(Box::new(RaceFigures { physics: search.physics.or(elsewhere), search })),
            },
            Err((configuration, refusal)) => {
                RaceRow { configuration, outcome: RaceOutcome::Refused(refusal.to_string()) }
            }
        });
        RaceTable { rows: rows.collect(), ..self.table.clone() }
    }
}

impl RaceTable {
    /// The fastest search among those with correct results.
    pub fn winner(&self) -> Option<&RaceRow> {
        let timed =
            self.rows.iter().filter_map(|row| Some((row, row.figures().filter(|figures| figures.search.is_right())?)));
        timed.min_by(|a, b| a.1.total().total_cmp(&b.1.total())).map(|(row, _)| row)
    }

    /// The smallest value of a column among the searches with correct results.
    pub fn best(&self, column: RaceColumn) -> Option<f64> {
        let right = self.rows.iter().filter_map(RaceRow::figures).filter(|figures| figures.search.is_right());
        right.filter_map(|figures| figures.value(column, self.particle_count)).min_by(f64::total_cmp)
    }

    /// The ratio of a row's value to the best; `None` if either was not measured or the best is zero.
    pub fn ratio(&self, row: &RaceRow, column: RaceColumn) -> Option<f64> {
        let best = self.best(column).filter(|&best| best > 0.0)?;
        Some(row.figures()?.value(column, self.particle_count)? / best)
    }

    /// The columns that were measured.
    pub fn columns(&self) -> Vec<RaceColumn> {
        RaceColumn::ALL.into_iter().filter(|&column| self.best(column).is_some()).collect()
    }

    /// The table with numbers in full precision, for a file: a header and a row for each search. Each value is followed
    /// by its ratio to the best, and the last column contains refusals.
    pub fn records(&self) -> Vec<Vec<String>> {
        let columns = self.columns();
        let mut header = vec!["search".to_owned()];
        header.extend(
            columns.iter().flat_map(|column| [column.label().to_owned(), format!("{} over best", column.label())]),
        );
        header.push("remark".to_owned());
        let mut records = vec![header];
        for row in &self.rows {
            let mut record = vec![row.configuration.to_string()];
            for &column in &columns {
                let value = row.figures().and_then(|figures| figures.value(column, self.particle_count));
                let ratio = self.ratio(row, column);
                record.extend([value, ratio].map(|number| number.map(|number| number.to_string()).unwrap_or_default()));
            }
            record.push(self.circumstances.remark_with(row.remark()));
            records.push(record);
        }
        records
    }

    /// The table as CSV.
    ///
    /// # Errors
    /// When the table cannot be formatted, for lack of memory.
    pub fn csv(&self) -> Result<String, LaboratoryError> {
        super::csv_text(&self.records())
    }

    /// The table as text: aligned columns for a monospaced font, below a line with the device.
    pub fn text(&self) -> String {
        let columns = self.columns();
        let mut lines = vec![vec!["search".to_owned()]];
        lines[0].extend(columns.iter().map(|column| column.label().to_owned()));
        for row in self.rows.iter().filter(|row| row.figures().is_some()) {
            let cell = |&column: &RaceColumn| {
                let Some(value) = row.figures().and_then(|figures| figures.value(column, self.particle_count)) else {
                    return String::new();
                };
                let value =
                    if column == RaceColumn::Bytes { format::bytes(value as u64) } else { format::number(value) };
                let ratio = self.ratio(row, column).map(|ratio| format!(" ({ratio:.2}x)")).unwrap_or_default();
                value + &ratio
            };
            lines.push([row.configuration.to_string()].into_iter().chain(columns.iter().map(cell)).collect());
        }
        let mut text = format!(
            "{}\n{} particles, radius {} m, medians of {} runs, with ratios to the best\n\n",
            self.circumstances.line(),
            format::count(self.particle_count.into()),
            self.radius,
            self.runs
        );
        text.push_str(&aligned(&lines));
        for row in self.rows.iter().filter(|row| !row.remark().is_empty()) {
            text += &[row.configuration.to_string(), ": ".to_owned(), row.remark(), "\n".to_owned()].concat();
        }
        if let Some(winner) = self.winner() {
            text += &["The fastest is ", &winner.configuration.to_string(), ".\n"].concat();
        }
        text
    }
}

impl RaceRow {
    /// The figures, unless the search refused the input.
    pub fn figures(&self) -> Option<&RaceFigures> {
        match &self.outcome {
            RaceOutcome::Timed(figures) => Some(figures),
            RaceOutcome::Refused(_) => None,
        }
    }

    /// The refusal, or a note that the result is wrong; empty for a correct search.
    pub fn remark(&self) -> String {
        match &self.outcome {
            RaceOutcome::Refused(refusal) => refusal.clone(),
            RaceOutcome::Timed(figures) if figures.search.is_right() => String::new(),
            RaceOutcome::Timed(_) => "its sums differ from those of the CPU, so it cannot win".to_owned(),
        }
    }
}

/// Aligns columns: the first to the left, the others to the right.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let padding = " ".repeat(width - cell.chars().count());
            let parts = if column == 0 { ["", cell.as_str(), &padding] } else { ["  ", &padding, cell.as_str()] };
            text.extend(parts);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{PairTotals, SEARCHES, SearchOptions};

    fn row(search: usize, total: f64, largest_error: f64) -> RaceRow {
        let configuration = SearchConfiguration { search: SEARCHES[search], options: SearchOptions::default() };
        let spread = |median| Spread { median, deviation: 0.0 };
        let search = SearchFigures {
            configuration: configuration.clone(),
            build: spread(0.25 * total),
            traversal: spread(0.75 * total),
            total: spread(total),
            physics: None,
            totals: PairTotals { candidates: 300, neighbors: 100 },
            bytes: 1_000,
            paper_bytes: 0,
            cell_count: 1,
            largest_error,
        };
        RaceRow { configuration, outcome: RaceOutcome::Timed(Box::new(RaceFigures { search, physics: None })) }
    }

    fn table(rows: Vec<RaceRow>) -> RaceTable {
        let circumstances = Circumstances {
            adapter: "Card".to_owned(),
            driver: "1.2".to_owned(),
            backend: "Vulkan".to_owned(),
            version: "0.0",
            date: "2026-11-22".to_owned(),
            remark: None,
        };
        RaceTable { circumstances, particle_count: 10, radius: 0.5, runs: 3, rows }
    }

    #[test]
    fn a_wrong_search_never_wins_and_ratios_refer_to_the_best_correct_one() {
        let refused = RaceRow { outcome: RaceOutcome::Refused("too many".to_owned()), ..row(2, 1.0, 0.0) };
        let table = table(vec![row(0, 8.0, 0.0), row(1, 2.0, 0.0), row(3, 0.5, f64::NAN), refused]);
        assert_eq!(table.winner().map(|row| row.configuration.search), Some(SEARCHES[1]));
        let ratio = |row: usize| table.ratio(&table.rows[row], RaceColumn::Total);
        assert_eq!((ratio(0), ratio(1), ratio(3)), (Some(4.0), Some(1.0), None));
        assert!(!table.columns().contains(&RaceColumn::Physics), "physics was not measured");
        let text = table.text();
        for part in ["Card", "driver 1.2", "2026-11-22", "10 particles", "(4.00x)", "too many", "cannot win"] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
        let csv = table.csv().expect("enough memory");
        assert_eq!(csv.lines().count(), 5);
        let records = csv::Reader::from_reader(csv.as_bytes()).into_records().collect::<Result<Vec<_>, _>>();
        assert_eq!(records.expect("rows of equal length").len(), 4);
    }

    #[test]
    fn columns_are_aligned() {
        let lines = [["a", "1"], ["long", "22"]].map(|line| line.map(str::to_owned).to_vec());
        assert_eq!(aligned(&lines), "a      1\nlong  22\n");
    }
}
