//! The damped oscillation that fits a series best.

/// A damped oscillation: exp(−rate t) (a cos ω t + b sin ω t).
#[derive(Clone, Copy, Debug)]
pub(super) struct Oscillation {
    /// ω, 1/s.
    pub frequency: f64,
    /// 1/s.
    pub rate: f64,
}

/// Number of frequencies and of rates on each side of the best one that are tried.
const GRID: i32 = 12;

impl Oscillation {
    /// Fits points of time, s, and value by least squares. The search begins at a frequency, 1/s, and narrows down
    /// around the best of a grid of frequencies and rates.
    pub(super) fn fitted(points: &[(f64, f64)], near: f64) -> Self {
        if points.len() < 8 || points.iter().any(|point| !point.1.is_finite()) {
            return Self { frequency: f64::NAN, rate: f64::NAN };
        }
        let (mut best, mut span) = (Self { frequency: near, rate: 0.0 }, (0.4 * near, 0.5 * near));
        for _ in 0..14 {
            let at = |i: i32, j: i32| Self {
                frequency: best.frequency + span.0 * f64::from(i) / f64::from(GRID),
                rate: best.rate + span.1 * f64::from(j) / f64::from(GRID),
            };
            let all = (-GRID..=GRID).flat_map(|i| (-GRID..=GRID).map(move |j| (i, j))).map(|(i, j)| at(i, j));
            let errors = all.map(|one| (one.error(points), one));
            best = errors.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(best, |(_, one)| one);
            span = (0.35 * span.0, 0.35 * span.1);
        }
        best
    }

    /// Sum of the squared differences with the best amplitudes.
    fn error(self, points: &[(f64, f64)]) -> f64 {
        let (mut cc, mut cs, mut ss, mut cy, mut sy, mut yy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for &(time, y) in points {
            let decay = (-self.rate * time).exp();
            let (s, c) = (self.frequency * time).sin_cos();
            let (s, c) = (decay * s, decay * c);
            (cc, cs, ss) = (cc + c * c, cs + c * s, ss + s * s);
            (cy, sy, yy) = (cy + c * y, sy + s * y, yy + y * y);
        }
        let det = cc * ss - cs * cs;
        let (a, b) = ((cy * ss - sy * cs) / det, (sy * cc - cy * cs) / det);
        let error = yy - a * cy - b * sy;
        if error.is_finite() { error } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::Oscillation;

    #[test]
    fn frequency_and_decay_of_an_oscillation_are_found() {
        for (frequency, rate) in [(5.3, 0.01), (5.3, 0.25), (4.7, -0.02), (6.1, 1.2)] {
            let value = |time: f64| 3.0 * (-rate * time).exp() * (frequency * time + 0.4).cos();
            let points: Vec<_> = (0..300_u32).map(|n| 0.024 * f64::from(n)).map(|time| (time, value(time))).collect();
            let fit = Oscillation::fitted(&points, 5.3);
            assert!((fit.frequency - frequency).abs() < 1e-4 && (fit.rate - rate).abs() < 1e-4, "{fit:?}");
        }
        assert!(Oscillation::fitted(&[(0.0, f64::NAN); 10], 5.3).rate.is_nan());
    }
}
