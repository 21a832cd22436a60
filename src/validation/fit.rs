//! The time shift that fits a simulated series to a measured one.

use super::Series;

/// Range of shifts that are tried, in the unit of the abscissa: wider than plausible shifts, so that a fit can fail.
const SHIFTS: (f64, f64) = (-0.5, 1.0);
/// Interval between two shifts.
const STEP: f64 = 0.001;

/// The relative difference between a simulated and a measured series whose clock was started by hand: simulated(x −
/// shift) / measured(x) − 1 at the measured points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShiftFit {
    /// The shift with the smallest mean error.
    pub shift: f64,
    /// Mean absolute error at that shift.
    pub mean: f64,
    /// Largest absolute error at that shift.
    pub largest: f64,
    /// Mean absolute error without a shift.
    pub raw_mean: f64,
    /// Largest absolute error without a shift.
    pub raw_largest: f64,
}

impl ShiftFit {
    /// Fits the shift. All values are NaN if a series is empty or the simulated one ends before the measured one.
    pub fn new(simulated: &Series, measured: &Series) -> Self {
        let covered = simulated.end().zip(measured.end()).is_some_and(|(simulated, measured)| simulated >= measured);
        let errors = |shift: f64| {
            let error = |&(x, y): &(f64, f64)| (simulated.at(x - shift) / y - 1.0).abs();
            let count = measured.points().len() as f64;
            let add = |(sum, largest): (f64, f64), error: f64| (sum + error / count, largest.max(error));
            measured.points().iter().map(error).fold((0.0, 0.0), add)
        };
        if !covered {
            let none = f64::NAN;
            return Self { shift: none, mean: none, largest: none, raw_mean: none, raw_largest: none };
        }
        let steps = ((SHIFTS.1 - SHIFTS.0) / STEP).round() as u32;
        let shifts = (0..=steps).map(|step| SHIFTS.0 + STEP * f64::from(step));
        let by_mean = |a: &(f64, (f64, f64)), b: &(f64, (f64, f64))| a.1.0.total_cmp(&b.1.0);
        let best = shifts.map(|shift| (shift, errors(shift))).min_by(by_mean);
        let (shift, (mean, largest)) = best.unwrap_or_default();
        let (raw_mean, raw_largest) = errors(0.0);
        Self { shift, mean, largest, raw_mean, raw_largest }
    }
}

#[cfg(test)]
mod tests {
    use super::{Series, ShiftFit};

    /// A front that starts slowly and then moves on, sampled at intervals of 0.01.
    fn front(delay: f64, faster: f64) -> Series {
        let z = |t: f64| 1.0 + faster * (t - delay).max(0.0).powi(2) / (1.0 + 0.3 * (t - delay).max(0.0));
        Series::new((0..=400_u32).map(|n| 0.01 * f64::from(n)).map(|t| (t, z(t))).collect())
    }

    fn measured(of: &Series) -> Series {
        Series::new([0.4, 0.9, 1.3, 1.7, 2.2, 2.6, 3.1].map(|t| (t, of.at(t))).to_vec())
    }

    #[test]
    fn the_shift_of_a_late_clock_is_found_and_no_error_remains() {
        let fit = ShiftFit::new(&front(0.0, 0.5), &measured(&front(0.175, 0.5)));
        assert!((fit.shift - 0.175).abs() < 1.5e-3, "{fit:?}");
        assert!(fit.mean < 1e-3 && fit.largest < 2e-3, "{fit:?}");
        assert!(fit.raw_mean > 0.05 && fit.raw_largest > fit.raw_mean, "{fit:?}");
        let early = ShiftFit::new(&front(0.3, 0.5), &measured(&front(0.0, 0.5)));
        assert!((early.shift + 0.3).abs() < 1.5e-3, "shifts can be negative: {early:?}");
    }

    #[test]
    fn a_shift_does_not_hide_a_front_that_is_too_fast() {
        let fit = ShiftFit::new(&front(0.0, 0.9), &measured(&front(0.1, 0.5)));
        assert!(fit.largest > 0.03 && fit.shift > 0.3, "{fit:?}");
    }

    #[test]
    fn a_series_that_does_not_cover_the_measured_one_gives_no_fit() {
        let whole = front(0.0, 0.5);
        let half = Series::new(whole.points()[..200].to_vec());
        let fit = ShiftFit::new(&half, &measured(&whole));
        assert!(fit.shift.is_nan() && fit.mean.is_nan() && fit.largest.is_nan());
        assert!(ShiftFit::new(&whole, &Series::default()).mean.is_nan());
    }
}
