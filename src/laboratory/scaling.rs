//! The scaling lab: times searches over a range of particle counts or radii on this device, and finds where one search
//! overtakes another.
//!
//! The particles are uniformly random in a cube, as in the benchmark. A sweep over the particle count lets the box grow
//! at constant density, so each particle has the same mean number of neighbors at every count. A sweep over the radius
//! keeps the count and the box.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use super::LaboratoryError;
use super::race::Circumstances;
use crate::bench::{InputOrder, Progress, Scenario, SearchTrial, TrialInput, upload};
use crate::format;
use crate::gpu::Gpu;
use crate::search::verify::SearchConfiguration;
use crate::validation::{Axis, Figure, Look, Panel, PlottedCurve};

/// Allowed numbers of points of a sweep.
const POINTS: Range<usize> = 2..65;

/// Largest number of letters of a sentence that fits the heading of a plot together with the device.
const LONGEST_HEADING: usize = 110;

/// The swept quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swept {
    /// The number of particles, at constant density and radius.
    Particles,
    /// The support radius, m, with the same particles.
    Radius,
}

impl Swept {
    /// The label of the axis.
    pub fn label(self) -> &'static str {
        match self {
            Self::Particles => "particles",
            Self::Radius => "support radius [m]",
        }
    }

    /// A value as text, rounded to two digits.
    fn written(self, value: f64) -> String {
        match self {
            Self::Particles => format!("{} particles", format::count(two_digits(value) as u64)),
            Self::Radius => format!("a radius of {} m", format::number(two_digits(value))),
        }
    }
}

/// The input of a sweep.
#[derive(Clone, Debug)]
pub struct ScalingInput {
    /// The swept quantity.
    pub swept: Swept,
    /// Its smallest value.
    pub from: f64,
    /// Its largest value.
    pub to: f64,
    /// Number of values, evenly spaced in their logarithms.
    pub points: usize,
    /// Everything that is not swept; particle count and box determine the density.
    pub base: Scenario,
    /// The order of the particles in memory.
    pub order: InputOrder,
    /// The searches with their settings.
    pub configurations: Vec<SearchConfiguration>,
    /// Timed runs of each point.
    pub runs: u32,
    /// Points whose predicted time is longer are left out.
    pub longest: Duration,
}

/// The running sweep. Dropping it cancels it.
pub struct ScalingLab {
    input: ScalingInput,
    table: ScalingTable,
    point: usize,
    trial: Option<SearchTrial>,
}

/// The result of a sweep, which is incomplete while the sweep is running.
#[derive(Clone, Debug)]
pub struct ScalingTable {
    /// Device, version and date.
    pub circumstances: Circumstances,
    /// The swept quantity.
    pub swept: Swept,
    /// The searches with their settings.
    pub configurations: Vec<SearchConfiguration>,
    /// Timed runs of each point.
    pub runs: u32,
    /// One point for each value and search, value by value.
    pub points: Vec<ScalingPoint>,
}

/// One search at one value.
#[derive(Clone, Debug)]
pub struct ScalingPoint {
    /// Index in [`ScalingTable::configurations`].
    pub configuration: usize,
    /// The swept value.
    pub value: f64,
    /// The input.
    pub scenario: Scenario,
    /// The times, or why there are none.
    pub outcome: Result<ScalingTimes, String>,
}

/// The times of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalingTimes {
    /// Build passes, ms.
    pub build: f64,
    /// Traversal, ms.
    pub search: f64,
    /// Both, ms.
    pub total: f64,
}

/// A value at which the fastest search changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossover {
    /// The swept value from which on `to` is faster.
    pub value: f64,
    /// Index in [`ScalingTable::configurations`] of the fastest search below this value.
    pub from: usize,
    /// Index of the fastest search above this value.
    pub to: usize,
}

impl ScalingLab {
    /// Starts a sweep.
    ///
    /// # Errors
    /// When the input is invalid.
    pub fn new(gpu: &Gpu, input: ScalingInput) -> Result<Self, LaboratoryError> {
        let refuse = |reason: String| Err(LaboratoryError::Sweep(reason));
        let (from, to) = (input.from, input.to);
        if !(from.is_finite() && to.is_finite() && 0.0 < from && from < to) {
            return refuse(format!(
                "a sweep from {from} to {to} is invalid: give two positive numbers, the smaller one first"
            ));
        }
        if input.swept == Swept::Particles && !(2.0..=f64::from(u32::MAX / 4)).contains(&from.max(to)) {
            return refuse(format!("a sweep from {from} to {to} particles is invalid: give 2 to {}", u32::MAX / 4));
        }
        if !POINTS.contains(&input.points) {
            let (least, most) = (POINTS.start, POINTS.end - 1);
            return refuse(format!("a sweep of {} points is invalid: give {least} to {most}", input.points));
        }
        if input.configurations.is_empty() || input.runs == 0 {
            return refuse("a sweep needs at least one search and one timed run".to_owned());
        }
        let table = ScalingTable {
            circumstances: Circumstances::now(gpu),
            swept: input.swept,
            configurations: input.configurations.clone(),
            runs: input.runs,
            points: Vec::new(),
        };
        Ok(Self { input, table, point: 0, trial: None })
    }

    /// Runs the next small part without waiting for the device. At the start of each value, its particles are
    /// generated, which takes some ten milliseconds for a million particles.
    ///
    /// # Errors
    /// When the device or a shader fails.
    pub fn advance(&mut self, gpu: &Gpu) -> Result<Progress, LaboratoryError> {
        if self.point < self.input.points {
            match &mut self.trial {
                None => self.begin_point(gpu)?,
                Some(trial) => {
                    if trial.advance(gpu)?.is_done() {
                        self.end_point();
                    }
                }
            }
        }
        Ok(self.progress())
    }

    fn progress(&self) -> Progress {
        /// Parts of the progress per value.
        const PARTS: u64 = 1_000;
        let within = self.trial.as_ref().map_or(0.0, |trial| trial.progress().fraction());
        let done = self.point as u64 * PARTS + (within * (PARTS - 1) as f32) as u64;
        Progress { done, total: self.input.points as u64 * PARTS }
    }

    /// The results so far, value by value.
    pub fn table(&self) -> &ScalingTable {
        &self.table
    }

    fn value(&self) -> f64 {
        let share = self.point as f64 / (self.input.points - 1) as f64;
        (self.input.from.ln() + share * (self.input.to / self.input.from).ln()).exp()
    }

    fn scenario(&self) -> Scenario {
        let (base, value) = (self.input.base, self.value());
        match self.input.swept {
            Swept::Particles => {
                let count = (value.round() as u32).max(1);
                let grown = (f64::from(count) / f64::from(base.particle_count.max(1))).cbrt() as f32;
                Scenario { particle_count: count, box_edge: base.box_edge * grown, radius: base.radius }
            }
            Swept::Radius => Scenario { radius: value as f32, ..base },
        }
    }

    /// The predicted time of a search at the next value, s, if it exceeds the limit; extrapolated from its last two
    /// values.
    fn predicted(&self, configuration: usize) -> Option<f64> {
        let measured = self.table.curve(configuration, |times| times.total);
        let [.., (before, earlier), (last, later)] = measured.as_slice() else { return None };
        // The exponent is limited so that one disturbed run does not lead to a far too long prediction: no search grows
        // faster than with the square of the count or with the cube of the radius.
        let steepest = if self.input.swept == Swept::Particles { 2.0 } else { 3.0 };
        let slope = ((later / earlier).ln() / (last / before).ln()).min(steepest);
        let milliseconds = later * (self.value() / last).powf(slope);
        Some(milliseconds * 1e-3).filter(|seconds| *seconds > self.input.longest.as_secs_f64())
    }

    fn begin_point(&mut self, gpu: &Gpu) -> Result<(), LaboratoryError> {
        let scenario = self.scenario();
        let (mut wanted, value) = (Vec::new(), self.value());
        for (number, configuration) in self.table.configurations.clone().into_iter().enumerate() {
            let outcome = if let Some(seconds) = self.predicted(number) {
                let limit = format::number(self.input.longest.as_secs_f64());
                Err(format!("left out: it would take about {} s, and the limit is {limit} s", format::number(seconds)))
            } else {
                wanted.push(configuration);
                Err(String::new())
            };
            self.table.points.push(ScalingPoint { configuration: number, value, scenario, outcome });
        }
        if wanted.is_empty() {
            self.point += 1;
            return Ok(());
        }
        let positions = upload(gpu, &scenario.positions(self.input.order))?;
        let given = TrialInput { positions, particle_count: scenario.particle_count, domain: scenario.domain()? };
        self.trial = Some(SearchTrial::new(gpu, given, wanted, self.input.runs)?.refuse_wrong_results());
        Ok(())
    }

    fn end_point(&mut self) {
        let rows = self.trial.take().map(|trial| trial.rows()).unwrap_or_default();
        let first = self.table.points.len() - self.table.configurations.len();
        let waiting = self.table.points[first..].iter_mut().filter(|point| point.outcome == Err(String::new()));
        for (point, row) in waiting.zip(rows) {
            point.outcome = match row {
                Ok(figures) => Ok(ScalingTimes {
                    build: figures.build.median,
                    search: figures.traversal.median,
                    total: figures.total.median,
                }),
                Err((_, refusal)) => Err(refusal.to_string()),
            };
        }
        self.point += 1;
    }
}

impl ScalingTable {
    /// The curve of a search: swept values and measured times, ms.
    pub fn curve(&self, configuration: usize, time: impl Fn(&ScalingTimes) -> f64) -> Vec<(f64, f64)> {
        let own = self.points.iter().filter(|point| point.configuration == configuration);
        own.filter_map(|point| Some((point.value, time(point.outcome.as_ref().ok()?)))).collect()
    }

    /// The values at which the fastest search changes, in order. Between two measured values, each time is interpolated
    /// by a power of the swept value. If a search was left out from a value on, the next best search takes over at that
    /// value.
    pub fn crossovers(&self) -> Vec<Crossover> {
        let mut values: Vec<f64> = self.points.iter().map(|point| point.value).collect();
        values.dedup();
        let mut crossovers = Vec::new();
        let Some(mut fastest) = values.iter().find_map(|&value| self.fastest(value)) else { return crossovers };
        for (place, &value) in values.iter().enumerate() {
            if let (None, Some(to)) = (self.total(fastest, value), self.fastest(value)) {
                crossovers.push(Crossover { value, from: fastest, to });
                fastest = to;
            }
            let Some(&next) = values.get(place + 1) else { break };
            let (pair, low, high) = ([value, next], value.ln(), next.ln());
            let mut at = 0.0;
            // Between two values, the fastest search changes fewer times than there are searches.
            for _ in 0..self.configurations.len() {
                let crossing = |other: usize| {
                    let gap = |value| Some((self.total(fastest, value)? / self.total(other, value)?).ln());
                    let (before, after) = (gap(pair[0])?, gap(pair[1])?);
                    // The fraction of the interval (in logarithms) at which the other search becomes as fast.
                    let share = before / (before - after);
                    (other != fastest && after > 0.0 && before < after).then(|| (share.max(at), other, after))
                };
                let found = (0..self.configurations.len()).filter_map(crossing);
                let first = found.min_by(|a, b| a.0.total_cmp(&b.0).then(b.2.total_cmp(&a.2)));
                let Some((share, other, _)) = first else { break };
                let value = (low + share * (high - low)).exp();
                crossovers.push(Crossover { value, from: fastest, to: other });
                (fastest, at) = (other, share);
            }
        }
        crossovers
    }

    fn total(&self, configuration: usize, value: f64) -> Option<f64> {
        let point =
            self.points.iter().find(|point| point.configuration == configuration && same(point.value, value))?;
        point.outcome.as_ref().ok().map(|times| times.total)
    }

    fn fastest(&self, value: f64) -> Option<usize> {
        let timed = (0..self.configurations.len())
            .filter_map(|configuration| Some((configuration, self.total(configuration, value)?)));
        timed.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(configuration, _)| configuration)
    }

    /// Which search is the fastest over which range, as a sentence.
    pub fn sentence(&self) -> String {
        let crossovers = self.crossovers();
        let title = |configuration: usize| self.title(configuration);
        let Some(first) = crossovers.first() else {
            let first = self.points.first().and_then(|point| self.fastest(point.value));
            return match first {
                Some(configuration) => format!("{} is the fastest at every measured value.", title(configuration)),
                None => "Nothing was measured.".to_owned(),
            };
        };
        let mut words = format!("{} is the fastest below {}", title(first.from), self.swept.written(first.value));
        for pair in crossovers.windows(2) {
            words.extend(["; from there to ", &self.swept.written(pair[1].value), " it is ", &title(pair[0].to)]);
        }
        let last = crossovers.last().map_or(first.to, |last| last.to);
        format!("{words}; above it is {}.", title(last))
    }

    /// The title of a search, with its settings if the search occurs more than once.
    pub fn title(&self, configuration: usize) -> String {
        let Some(own) = self.configurations.get(configuration) else { return String::new() };
        let alone = self.configurations.iter().filter(|other| other.search == own.search).count() == 1;
        if alone { own.search.title.to_owned() } else { own.to_string() }
    }

    /// The table for a file: a header, and a row for each value and search.
    pub fn records(&self) -> Vec<Vec<String>> {
        let header =
            ["search", "particles", "box [m]", "radius [m]", "build [ms]", "search [ms]", "total [ms]", "remark"];
        let row = |point: &ScalingPoint| {
            let times = point.outcome.as_ref().ok();
            let time = |time: fn(&ScalingTimes) -> f64| times.map(|times| time(times).to_string()).unwrap_or_default();
            vec![
                self.configurations[point.configuration].to_string(),
                point.scenario.particle_count.to_string(),
                point.scenario.box_edge.to_string(),
                point.scenario.radius.to_string(),
                time(|times| times.build),
                time(|times| times.search),
                time(|times| times.total),
                self.circumstances.remark_with(point.outcome.as_ref().err().cloned().unwrap_or_default()),
            ]
        };
        [header.map(str::to_owned).to_vec()].into_iter().chain(self.points.iter().map(row)).collect()
    }

    /// The table as CSV.
    ///
    /// # Errors
    /// When the table cannot be formatted, for lack of memory.
    pub fn csv(&self) -> Result<String, LaboratoryError> {
        super::csv_text(&self.records())
    }

    /// Plots total, build and search over the swept value into a PNG file, which is written atomically.
    ///
    /// # Errors
    /// When nothing was measured or the file cannot be written.
    pub fn write_png(&self, file: &Path) -> Result<(), LaboratoryError> {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            let positive = values.filter(|value| *value > 0.0);
            let (low, high) = positive.fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
            (low < high).then_some((low, high))
        };
        let times = || self.points.iter().filter_map(|point| point.outcome.as_ref().ok());
        let values = range(&mut self.points.iter().map(|point| point.value));
        let heights = range(&mut times().flat_map(|times| [times.build, times.search, times.total]));
        let (Some((from, to)), Some((low, high))) = (values, heights) else {
            return Err(LaboratoryError::Sweep(
                "there is nothing to plot: no search was timed at any value".to_owned(),
            ));
        };
        let panels: [(&str, Time); 3] = [
            ("build and search", |times| times.total),
            ("build", |times| times.build),
            ("search", |times| times.search),
        ];
        let panel = |(title, time): (&str, Time)| Panel {
            title: title.to_owned(),
            x: Axis::logarithmic(self.swept.label(), from, to),
            y: Axis::logarithmic("milliseconds", 0.8 * low, 1.25 * high),
            curves: (0..self.configurations.len())
                .map(|configuration| {
                    PlottedCurve::new(
                        &self.title(configuration),
                        self.curve(configuration, time),
                        Look::Series(configuration),
                    )
                })
                .collect(),
        };
        let Circumstances { adapter, date, remark, .. } = &self.circumstances;
        let remark = remark.as_ref().map(|remark| format!(", {remark}")).unwrap_or_default();
        let sentence = self.sentence();
        // The heading has one line, which a sentence with many crossovers does not fit.
        let heading = if sentence.len() <= LONGEST_HEADING { sentence } else { "Times of the searches.".to_owned() };
        let title = format!("{heading}  {adapter}, {date}{remark}");
        let figure = Figure { title, columns: panels.len(), panels: panels.map(panel).into() };
        Ok(figure.write(file)?)
    }
}

/// Reads one of the times, ms.
type Time = fn(&ScalingTimes) -> f64;

/// Whether two swept values are the same; compared bit by bit, because they are copies of each other.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits()
}

/// Rounds to two digits, since the measured times do not justify more.
fn two_digits(value: f64) -> f64 {
    let unit = 10.0_f64.powf(value.abs().max(f64::MIN_POSITIVE).log10().floor() - 1.0);
    (value / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{SEARCHES, SearchOptions};

    /// Times of searches, a row for each value; `None` if a search was left out.
    fn table(rows: &[(f64, &[Option<f64>])]) -> ScalingTable {
        let configurations = (0..rows[0].1.len())
            .map(|number| SearchConfiguration { search: SEARCHES[number], options: SearchOptions::default() });
        let scenario = Scenario { particle_count: 1, box_edge: 1.0, radius: 1.0 };
        let points = rows.iter().flat_map(|&(value, totals)| {
            totals.iter().enumerate().map(move |(configuration, total)| ScalingPoint {
                configuration,
                value,
                scenario,
                outcome: total
                    .map(|total| ScalingTimes { build: 0.5 * total, search: 0.5 * total, total })
                    .ok_or_else(|| "left out".to_owned()),
            })
        });
        ScalingTable {
            circumstances: Circumstances {
                adapter: "Card".to_owned(),
                driver: String::new(),
                backend: String::new(),
                version: "0.0",
                date: String::new(),
                remark: None,
            },
            swept: Swept::Particles,
            configurations: configurations.collect(),
            runs: 1,
            points: points.collect(),
        }
    }

    #[test]
    fn crossovers_of_powers_are_exact() {
        // n² and 3,100 n cross at 3,100, far from any measured value.
        let at = |n: f64| (n, [Some(n * n), Some(3_100.0 * n)]);
        let rows: Vec<_> = [1e2, 1e3, 1e4, 1e5].map(at).into();
        let rows: Vec<(f64, &[Option<f64>])> = rows.iter().map(|(n, totals)| (*n, totals.as_slice())).collect();
        let table = table(&rows);
        let [crossover] = table.crossovers()[..] else { panic!("{:?}", table.crossovers()) };
        assert!((crossover.value / 3_100.0 - 1.0).abs() < 1e-9 && (crossover.from, crossover.to) == (0, 1));
        assert_eq!(table.sentence(), "Brute force is the fastest below 3,100 particles; above it is Green 2008.");
    }

    #[test]
    fn the_fastest_search_changes_twice_between_two_values_and_where_one_was_left_out() {
        let three = table(&[(1.0, &[Some(1.0), Some(10.0), Some(40.0)]), (1e4, &[Some(1e4), Some(1e2), Some(40.0)])]);
        let order: Vec<_> = three.crossovers().iter().map(|crossover| (crossover.from, crossover.to)).collect();
        assert_eq!(order, [(0, 1), (1, 2)]);
        assert!(three.crossovers().windows(2).all(|pair| pair[0].value < pair[1].value));
        let left = table(&[(10.0, &[Some(1.0), Some(2.0)]), (100.0, &[None, Some(4.0)]), (1000.0, &[None, Some(5.0)])]);
        assert_eq!(left.crossovers(), [Crossover { value: 100.0, from: 0, to: 1 }]);
        let last = table(&[(10.0, &[Some(1.0), Some(2.0)]), (100.0, &[None, Some(4.0)])]);
        assert_eq!(last.crossovers(), [Crossover { value: 100.0, from: 0, to: 1 }]);
        let never = table(&[(10.0, &[Some(1.0), Some(2.0)]), (100.0, &[Some(2.0), Some(4.0)])]);
        assert_eq!(never.sentence(), "Brute force is the fastest at every measured value.");
    }

    #[test]
    fn numbers_are_rounded_to_two_digits() {
        assert!((two_digits(3_142.0) - 3_100.0).abs() < 1e-6);
        assert!((two_digits(0.012_6) - 0.013).abs() < 1e-9);
    }
}
