//! History of the readings of the scene's probes while the app runs.

use crate::fluid::probes::ProbeMeans;
use crate::fluid::{FluidError, ProbeColumn, Scene, Simulation};

/// Largest number of stored readings, which is enough for the width of a plot in pixels.
const MOST: usize = 2_048;

/// Readings of the scene's probes over the simulated time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProbeHistory {
    columns: Vec<ProbeColumn>,
    /// Times of the readings, s, ascending.
    times: Vec<f64>,
    /// For each column, a reading at every time; NaN where the probe had no value.
    readings: Vec<Vec<f64>>,
    /// Shortest time between readings, s, which doubles whenever readings are thinned out.
    apart: f64,
    /// The windows of time of the probes that have some.
    means: ProbeMeans,
}

impl ProbeHistory {
    /// An empty history of a scene's probes.
    pub fn of(scene: &Scene) -> Self {
        let columns = scene.probe_columns();
        Self { readings: vec![Vec::new(); columns.len()], columns, means: ProbeMeans::of(scene), ..Self::default() }
    }

    /// Whether a reading at `time` (s) is far enough from the last one to be added.
    pub fn wants(&self, time: f64) -> bool {
        self.times.last().is_none_or(|&last| time - last >= self.apart.max(1e-9) || time < last)
    }

    /// Adds a row of readings. A time before the last one clears the history first, because the scene was restarted.
    pub fn push(&mut self, time: f64, row: &[Option<f64>]) {
        if self.times.last().is_some_and(|&last| time < last) {
            self.times.clear();
            self.readings.iter_mut().for_each(Vec::clear);
            self.apart = 0.0;
        }
        self.times.push(time);
        for (readings, reading) in self.readings.iter_mut().zip(row) {
            readings.push(reading.unwrap_or(f64::NAN));
        }
        if self.times.len() >= MOST {
            self.thin_out();
        }
    }

    /// Removes every other reading.
    fn thin_out(&mut self) {
        for values in self.readings.iter_mut().chain([&mut self.times]) {
            let mut place = 0;
            values.retain(|_| {
                place += 1;
                place % 2 == 1
            });
        }
        if let [first, .., last] = self.times[..] {
            self.apart = (last - first) / (self.times.len() - 1) as f64;
        }
    }

    /// Whether the history has the columns of this scene's probes.
    pub fn is_of(&self, scene: &Scene) -> bool {
        self.columns == scene.probe_columns()
    }

    /// Times of the readings, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The columns and their readings; each has as many readings as there are times.
    pub fn columns(&self) -> impl Iterator<Item = (&ProbeColumn, &[f64])> {
        self.columns.iter().zip(self.readings.iter().map(Vec::as_slice))
    }

    /// Reads the probes of the running simulation, and waits for the device.
    ///
    /// # Errors
    /// When the device has not enough memory, or is lost.
    pub(super) fn read(&mut self, simulation: &Simulation) -> Result<(), FluidError> {
        let frame = simulation.observe()?;
        let readings = self.means.take(frame.time, simulation.readings(&frame)?);
        self.push(frame.time, &readings);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, ProbeHistory};
    use crate::fluid::Scene;

    #[test]
    fn many_readings_are_thinned_out_evenly_and_a_restart_clears_them() {
        let scene = Scene::load("dam_break").expect("it is embedded");
        let mut history = ProbeHistory::of(&scene);
        assert!(history.is_of(&scene));
        let columns = scene.probe_columns().len();
        let row = |value: f64| vec![Some(value); columns];
        for step in 0..5 * MOST {
            let time = 0.001 * step as f64;
            if history.wants(time) {
                history.push(time, &row(time));
            }
        }
        assert!(history.times().len() < MOST && history.times().len() > MOST / 3, "{}", history.times().len());
        assert!(history.times()[0].abs() < 1e-12, "the first is kept");
        assert!(history.times().is_sorted());
        let last = history.times()[history.times().len() - 1];
        assert!(last > 0.99 * 0.001 * (5 * MOST) as f64, "the newest are kept: {last}");
        for (column, readings) in history.columns() {
            assert_eq!(readings, history.times(), "{column:?}");
        }
        assert!(!history.wants(last));
        assert!(history.wants(0.0), "the scene was started again");
        history.push(0.0, &vec![None; columns]);
        assert_eq!(history.times(), [0.0]);
        assert!(history.columns().all(|(_, readings)| readings.len() == 1 && readings[0].is_nan()));
    }
}
