//! Median and standard deviation of repeated measurements.

use std::fmt;

/// Median and spread of repeated measurements, ms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Median.
    pub median: f64,
    /// Standard deviation.
    pub deviation: f64,
}

impl Spread {
    /// The spread of at least one value; zero for no values.
    pub fn of(values: Vec<f64>) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        Self { median: median(values).unwrap_or_default(), deviation: variance.sqrt() }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.3} ± {:.3}", self.median, self.deviation)
    }
}

/// The median of `values`, or the upper of the two middle values; `None` if there are none.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn the_median_is_not_moved_by_an_outlier() {
        let spread = Spread::of(vec![1.0, 2.0, 900.0]);
        assert!((spread.median - 2.0).abs() < 1e-12);
        assert!(spread.deviation > 400.0);
    }
}
