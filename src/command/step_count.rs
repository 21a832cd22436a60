//! The number of time steps of a run, which is limited.

use super::CommandError;

/// Largest number of steps of a run: days even where a step takes a tenth of a millisecond.
const MOST_STEPS: f64 = 1e9;

/// Number of steps of `time_step`, s, that a run of `seconds` takes.
///
/// # Errors
/// When there would be more than 10^9, or the time is not finite.
pub fn step_count(seconds: f64, time_step: f64) -> Result<u64, CommandError> {
    let steps = (seconds / time_step).ceil();
    if steps <= MOST_STEPS {
        Ok(steps as u64)
    } else {
        Err(CommandError::Steps { seconds, time_step, most: MOST_STEPS })
    }
}

#[cfg(test)]
mod tests {
    use super::step_count;

    #[test]
    fn a_run_has_at_most_a_billion_steps() {
        assert_eq!(step_count(1.0, 0.3).expect("few steps"), 4);
        assert_eq!(step_count(0.0, 1e-3).expect("no step"), 0);
        assert_eq!(step_count(1e6, 1e-3).expect("just possible"), 1_000_000_000);
        for (seconds, step) in [(1e300, 1e-3), (1.0, 1e-30), (1.0, 0.0), (f64::NAN, 1.0), (1.0, f64::NAN)] {
            let told = step_count(seconds, step).expect_err("too many").to_string();
            assert!(told.contains("1000000000"), "{told}");
        }
    }
}
