use nearwater::fluid::Simulation;

use super::CommandError;

/// Share of a step by which times may be off: what adding up steps rounds.
const TOLERANCE: f64 = 1e-6;

/// Something due every so many seconds of water, at the first step that is not earlier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    every: f64,
    step: f64,
    next: u64,
}

impl Schedule {
    /// From the water's time on; `option` is where the user said how often.
    pub fn new(option: &'static str, every: f64, simulation: &Simulation) -> Result<Self, CommandError> {
        let step = f64::from(simulation.resolution().time_step);
        Self::every(option, every, step, simulation.time())
    }

    fn every(option: &'static str, every: f64, step: f64, time: f64) -> Result<Self, CommandError> {
        if !(every.is_finite() && every >= step * (1.0 - TOLERANCE)) {
            return Err(CommandError::Interval { option, every, step });
        }
        Ok(Self { every, step, next: ((time - TOLERANCE * step) / every).ceil() as u64 })
    }

    /// Whether it is due at that time, s.
    pub fn is_due(&self, time: f64) -> bool {
        time >= self.next as f64 * self.every - TOLERANCE * self.step
    }

    /// It was done for that time, s.
    pub fn done(&mut self, time: f64) {
        while self.is_due(time) {
            self.next += 1;
        }
    }

    /// Steps from a time, s, until it is due; at least one.
    pub fn steps_until_due(&self, time: f64) -> u64 {
        (((self.next as f64 * self.every - time) / self.step - TOLERANCE).ceil() as u64).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;

    /// Steps at which a schedule comes due, walked as a run does: from due to due.
    fn due_steps(every: f64, step: f64, first: u64, count: u64) -> Vec<u64> {
        let time = |steps: u64| (0..steps).fold(0.0, |time, _| time + step);
        let mut schedule = Schedule::every("--every", every, step, time(first)).expect("the interval is long enough");
        let (mut at, mut due) = (first, Vec::new());
        while at <= first + count {
            if schedule.is_due(time(at)) {
                due.push(at);
                schedule.done(time(at));
            }
            at += schedule.steps_until_due(time(at));
        }
        due
    }

    #[test]
    fn it_is_due_at_the_first_step_that_is_not_earlier() {
        assert_eq!(due_steps(0.1, 0.01, 0, 50), [0, 10, 20, 30, 40, 50]);
        assert_eq!(due_steps(0.1, 0.03, 0, 20), [0, 4, 7, 10, 14, 17, 20]);
        assert_eq!(due_steps(0.01, 0.01, 0, 4), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_run_that_goes_on_keeps_the_times() {
        assert_eq!(due_steps(0.1, 0.01, 20, 20), [20, 30, 40]);
        assert_eq!(due_steps(0.1, 0.01, 25, 20), [30, 40]);
    }

    #[test]
    fn intervals_that_are_none_or_shorter_than_a_step_are_refused() {
        for every in [0.0, -1.0, f64::NAN, f64::INFINITY, 0.0099] {
            let error = Schedule::every("--every", every, 0.01, 0.0).expect_err("no interval").to_string();
            assert!(error.contains("--every") && error.contains("0.01 s"), "{error}");
        }
    }
}
