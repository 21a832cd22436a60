//! What the scene's probes have read while the app runs.

use crate::fluid::{FluidError, ProbeColumn, Scene, Simulation};

/// Most readings that are kept: a plot has no more points than that across.
const MOST: usize = 2_048;

/// Readings of the scene's probes over the time of the water.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProbeHistory {
    columns: Vec<ProbeColumn>,
    /// s, rising.
    times: Vec<f64>,
    /// Of each column, a reading for every time; NaN where there was nothing to read.
    readings: Vec<Vec<f64>>,
    /// Shortest time from one reading to the next, s: doubled each time that they become too many.
    apart: f64,
}

impl ProbeHistory {
    /// No readings yet of a scene.
    pub fn of(scene: &Scene) -> Self {
        let columns = scene.probe_columns();
        Self { readings: vec![Vec::new(); columns.len()], columns, ..Self::default() }
    }

    /// Whether a reading at `time` would be a new one.
    pub fn wants(&self, time: f64) -> bool {
        self.times.last().is_none_or(|&last| time - last >= self.apart.max(1e-9) || time < last)
    }

    /// Adds a row of readings. A time before the last one begins the history anew.
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

    /// Every other reading goes.
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

    /// Whether it is of these columns.
    pub fn is_of(&self, scene: &Scene) -> bool {
        self.columns == scene.probe_columns()
    }

    /// Times of the readings, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The columns and their readings, as many as there are times each.
    pub fn columns(&self) -> impl Iterator<Item = (&ProbeColumn, &[f64])> {
        self.columns.iter().zip(self.readings.iter().map(Vec::as_slice))
    }

    /// Reads the probes of what runs: waits for the device.
    ///
    /// # Errors
    /// When the device has no room for it, or is lost.
    pub(super) fn read(&mut self, simulation: &Simulation) -> Result<(), FluidError> {
        let frame = simulation.observe()?;
        self.push(frame.time, &simulation.readings(&frame));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, ProbeHistory};
    use crate::fluid::Scene;

    #[test]
    fn many_readings_are_thinned_out_evenly_and_a_restart_begins_anew() {
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
