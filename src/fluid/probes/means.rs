//! Means of readings over windows of time.

use std::collections::VecDeque;

use super::MEAN_OVER;
use crate::fluid::Scene;

/// Readings that a window should contain.
const SAMPLES: f64 = 20.0;
/// Relative tolerance of times, for the rounding of their sums.
const ROUNDING: f64 = 1e-6;

/// Replaces the readings of probes with a window of time ([`MEAN_OVER`]) by the means over their last seconds. Whoever
/// reads probes gives it every row, in the order of time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProbeMeans {
    /// For each column the length of its window, s; 0 without one.
    windows: Vec<f64>,
    /// Times, s, and rows as they were read; no older than the longest window.
    rows: VecDeque<(f64, Vec<Option<f64>>)>,
}

impl ProbeMeans {
    /// The windows of a scene's probes, without readings.
    pub fn of(scene: &Scene) -> Self {
        let windows = scene.probes.iter().flat_map(|probe| {
            let window = f64::from(probe.number(&MEAN_OVER)).max(0.0);
            std::iter::repeat_n(window, probe.columns(scene.dimensions).len())
        });
        Self { windows: windows.collect(), rows: VecDeque::new() }
    }

    /// Longest time between two readings, s, that leaves enough of them in every window; `None` without windows.
    pub fn interval(&self) -> Option<f64> {
        let windows = self.windows.iter().copied().filter(|&window| window > 0.0);
        windows.reduce(f64::min).map(|window| window / SAMPLES)
    }

    /// Takes the readings at `time`, s, and returns them with the means over the windows that end there. Windows that
    /// began before the first reading are shorter. A time before the last one begins anew.
    pub fn take(&mut self, time: f64, row: Vec<Option<f64>>) -> Vec<Option<f64>> {
        let longest = self.windows.iter().copied().fold(0.0, f64::max);
        if longest == 0.0 {
            return row;
        }
        if self.rows.back().is_some_and(|(last, _)| time < *last) {
            self.rows.clear();
        }
        self.rows.push_back((time, row.clone()));
        let is_within = |then: f64, window: f64| time - then < window * (1.0 - ROUNDING);
        while self.rows.front().is_some_and(|(then, _)| !is_within(*then, longest)) {
            self.rows.pop_front();
        }
        let mean = |(column, reading): (usize, Option<f64>)| {
            let window = self.windows.get(column).copied().filter(|&window| window > 0.0);
            let Some(window) = window else { return reading };
            let within = self.rows.iter().filter(|(then, _)| is_within(*then, window));
            let (mut sum, mut count) = (0.0, 0.0);
            for reading in within.filter_map(|(_, row)| row[column]) {
                sum += reading;
                count += 1.0;
            }
            (count > 0.0).then(|| sum / count)
        };
        row.into_iter().enumerate().map(mean).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::ProbeMeans;
    use crate::fluid::{Probe, Scene};

    fn means() -> ProbeMeans {
        let mut scene = Scene::load("dam_break").expect("it is embedded");
        let probes = ["Pressure(name: \"p\", at: (0.0, 1.0, 0.0), mean_over: 0.2)", "KineticEnergy"];
        scene.probes = probes.map(|text| Probe::parse(text).expect("a probe")).to_vec();
        ProbeMeans::of(&scene)
    }

    #[test]
    fn a_window_is_the_mean_of_the_last_seconds_and_other_columns_are_as_read() {
        let mut means = means();
        assert!(means.interval().is_some_and(|interval| (interval - 0.01).abs() < 1e-9), "{:?}", means.interval());
        let read = |means: &mut ProbeMeans, step: u32| {
            let value = f64::from(step);
            means.take(0.05 * value, vec![Some(value), Some(10.0 * value)])
        };
        let found: Vec<_> = (0..8).map(|step| read(&mut means, step)).collect();
        // The window of 0.2 s holds the last four readings, which are 0.05 s apart.
        let expected = [0.0, 0.5, 1.0, 1.5, 2.5, 3.5, 4.5, 5.5];
        for (step, (row, expected)) in found.iter().zip(expected).enumerate() {
            assert_eq!(row[..], [Some(expected), Some(10.0 * step as f64)], "step {step}");
        }
        // The scene was started again.
        assert_eq!(read(&mut means, 2), [Some(2.0), Some(20.0)]);
        // Missing readings are no zeros.
        assert_eq!(means.take(0.15, vec![None, None]), [Some(2.0), None]);
    }
}
