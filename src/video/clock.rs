//! Which simulated times are due when something happens at regular intervals of simulated time.

/// Tolerance of times as a fraction of the interval, for the rounding of accumulated time steps.
const TOLERANCE: f64 = 1e-6;

/// Regular moments of simulated time. A moment is due at the first time step that is not earlier, so what is recorded
/// is late by less than one time step, and the delay does not accumulate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameClock {
    origin: f64,
    interval: f64,
    next: u64,
}

impl FrameClock {
    /// Moments at `start` and every `interval` after it, s.
    pub fn starting_at(start: f64, interval: f64) -> Self {
        Self { origin: start, interval, next: 0 }
    }

    /// Moments at the multiples of `interval`, s, that are not earlier than `time`.
    pub fn at_multiples(interval: f64, time: f64) -> Self {
        let next = (time / interval - TOLERANCE).ceil().max(0.0) as u64;
        Self { origin: 0.0, interval, next }
    }

    /// Whether a moment is due at `time`, s.
    pub fn is_due(&self, time: f64) -> bool {
        self.moments_due(time) > 0
    }

    /// Number of moments that are due at `time`, s, and not yet done.
    pub fn moments_due(&self, time: f64) -> u64 {
        let passed = ((time - self.origin) / self.interval + TOLERANCE).floor();
        if passed < 0.0 { 0 } else { (passed as u64 + 1).saturating_sub(self.next) }
    }

    /// Marks all moments up to `time`, s, as done, and returns their number.
    pub fn done(&mut self, time: f64) -> u64 {
        let due = self.moments_due(time);
        self.next += due;
        due
    }

    /// Number of time steps of `step` seconds from `time`, s, until the next moment is due; at least one.
    pub fn steps_until_due(&self, time: f64, step: f64) -> u64 {
        let wanted = self.origin + (self.next as f64 - TOLERANCE) * self.interval;
        (((wanted - time) / step).ceil() as u64).max(1)
    }

    /// Continues at another simulated time, s, where the next moment is then due: after a reset or a change of the
    /// scene.
    pub fn continue_at(&mut self, time: f64) {
        self.origin = time - self.next as f64 * self.interval;
    }
}

#[cfg(test)]
mod tests {
    use super::FrameClock;

    #[test]
    fn moments_are_due_at_the_first_step_that_is_not_earlier() {
        // Steps of 0.3 ms that accumulate rounding errors, and 60 moments a second.
        let (step, interval) = (3e-4, 1.0 / 60.0);
        let mut clock = FrameClock::starting_at(0.5, interval);
        let (mut time, mut steps, mut moments) = (0.5, 0_u64, 0_u64);
        while moments < 600 {
            if clock.is_due(time) {
                let expected = (moments as f64 * interval / step - 1e-6).ceil() as u64;
                assert_eq!(steps, expected, "moment {moments}");
                assert_eq!(clock.done(time), 1);
                moments += 1;
            }
            let wait = clock.steps_until_due(time, step);
            (0..wait).for_each(|_| time += step);
            steps += wait;
        }
    }

    #[test]
    fn moments_that_one_step_passes_are_counted() {
        let mut clock = FrameClock::starting_at(0.0, 0.01);
        assert_eq!(clock.done(0.0), 1);
        assert_eq!(clock.done(0.005), 0);
        assert_eq!(clock.done(0.0351), 3);
        assert_eq!(clock.steps_until_due(0.0351, 0.001), 5);
    }

    #[test]
    fn a_clock_continues_after_a_reset() {
        let mut clock = FrameClock::starting_at(2.0, 0.01);
        assert_eq!(clock.done(2.1), 11);
        assert!(!clock.is_due(0.0));
        clock.continue_at(0.0);
        assert_eq!(clock.done(0.0), 1);
        assert_eq!(clock.done(0.02), 2);
    }
}
