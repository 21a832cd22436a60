//! Decides at which time steps a periodic output is due.

use nearwater::fluid::Simulation;
use nearwater::video::FrameClock;

use super::CommandError;

/// Tolerance of an interval as a fraction of a time step, for the rounding of its number.
const TOLERANCE: f64 = 1e-6;

/// A periodic event in simulated time, due at the first step that is not earlier than each multiple of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    clock: FrameClock,
    step: f64,
}

impl Schedule {
    /// Starts at the simulation's current time. `option` names the command-line option that gave `every` (s), for the
    /// error message.
    pub fn new(option: &'static str, every: f64, simulation: &Simulation) -> Result<Self, CommandError> {
        let step = f64::from(simulation.resolution().time_step);
        Self::every(option, every, step, simulation.time())
    }

    fn every(option: &'static str, every: f64, step: f64, time: f64) -> Result<Self, CommandError> {
        if !(every.is_finite() && every >= step * (1.0 - TOLERANCE)) {
            return Err(CommandError::Interval { option, every, step });
        }
        Ok(Self { clock: FrameClock::at_multiples(every, time), step })
    }

    /// Whether the event is due at `time`, s.
    pub fn is_due(&self, time: f64) -> bool {
        self.clock.is_due(time)
    }

    /// Marks the event as done for `time`, s.
    pub fn done(&mut self, time: f64) {
        self.clock.done(time);
    }

    /// Number of steps from `time`, s, until the event is due; at least one.
    pub fn steps_until_due(&self, time: f64) -> u64 {
        self.clock.steps_until_due(time, self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::Schedule;

    /// Steps at which a schedule is due, found as a run finds them: by advancing to the next due step.
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
    fn an_event_is_due_at_the_first_step_that_is_not_earlier() {
        assert_eq!(due_steps(0.1, 0.01, 0, 50), [0, 10, 20, 30, 40, 50]);
        assert_eq!(due_steps(0.1, 0.03, 0, 20), [0, 4, 7, 10, 14, 17, 20]);
        assert_eq!(due_steps(0.01, 0.01, 0, 4), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_resumed_run_keeps_the_times() {
        assert_eq!(due_steps(0.1, 0.01, 20, 20), [20, 30, 40]);
        assert_eq!(due_steps(0.1, 0.01, 25, 20), [30, 40]);
    }

    #[test]
    fn invalid_intervals_and_those_shorter_than_a_step_are_rejected() {
        for every in [0.0, -1.0, f64::NAN, f64::INFINITY, 0.0099] {
            let error = Schedule::every("--every", every, 0.01, 0.0).expect_err("the interval is invalid").to_string();
            assert!(error.contains("--every") && error.contains("0.01 s"), "{error}");
        }
    }
}
