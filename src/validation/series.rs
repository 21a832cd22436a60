//! Series of values over an ascending abscissa, with the statistics that validation needs.

/// Values over an ascending abscissa, usually time, with linear interpolation between the points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    points: Vec<(f64, f64)>,
}

impl Series {
    /// A series of points with ascending abscissae.
    pub fn new(points: Vec<(f64, f64)>) -> Self {
        Self { points }
    }

    /// The points.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The last abscissa; `None` if there are no points.
    pub fn end(&self) -> Option<f64> {
        self.points.last().map(|point| point.0)
    }

    /// The value at an abscissa: before the first and after the last point, the value of that point; NaN if there are
    /// no points.
    pub fn at(&self, x: f64) -> f64 {
        let after = self.points.partition_point(|point| point.0 < x);
        match (after.checked_sub(1).map(|before| self.points[before]), self.points.get(after)) {
            (Some((x0, y0)), Some(&(x1, y1))) => y0 + (y1 - y0) * (x - x0) / (x1 - x0),
            (Some((_, y)), None) | (None, Some(&(_, y))) => y,
            (None, None) => f64::NAN,
        }
    }

    /// Scales both axes: abscissae by the first factor, values by the second.
    #[must_use]
    pub fn scaled(&self, x: f64, y: f64) -> Self {
        Self { points: self.points.iter().map(|point| (x * point.0, y * point.1)).collect() }
    }

    /// The median of the values within half of `width` of each point, which removes single splashes.
    #[must_use]
    pub fn medians(&self, width: f64) -> Self {
        let median = |&(x, _): &(f64, f64)| {
            let near = self.points.iter().filter(|point| (point.0 - x).abs() <= 0.5 * width);
            let mut values: Vec<f64> = near.map(|point| point.1).collect();
            values.sort_unstable_by(f64::total_cmp);
            let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
            (x, f64::midpoint(low, high))
        };
        Self { points: self.points.iter().map(median).collect() }
    }

    /// Mean of the values from that abscissa on; NaN if there are none.
    pub fn mean_from(&self, from: f64) -> f64 {
        let late = self.points.iter().filter(|point| point.0 >= from);
        let (sum, count) = late.fold((0.0, 0_u32), |(sum, count), point| (sum + point.1, count + 1));
        sum / f64::from(count)
    }

    /// Slope of the least-squares line through the points with values in that range; `None` if there are fewer than
    /// three, or if the values never reach the end of the range.
    pub fn slope_between(&self, low: f64, high: f64) -> Option<f64> {
        let first_beyond = self.points.iter().position(|point| point.1 > high);
        let reached = self.points.iter().position(|point| point.1 >= high)?;
        let until = first_beyond.unwrap_or(reached + 1);
        let inside: Vec<_> = self.points[..until].iter().filter(|point| point.1 >= low).collect();
        slope(&inside.iter().map(|point| (point.0, point.1)).collect::<Vec<_>>())
    }
}

/// Slope of the least-squares line through the points; `None` for fewer than three.
pub fn slope(points: &[(f64, f64)]) -> Option<f64> {
    if points.len() < 3 {
        return None;
    }
    let count = points.len() as f64;
    let (mean_x, mean_y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (covariance, variance) = points.iter().fold((0.0, 0.0), |(covariance, variance), point| {
        let away = point.0 - mean_x;
        (covariance + away * (point.1 - mean_y), variance + away * away)
    });
    Some(covariance / variance)
}

#[cfg(test)]
mod tests {
    use super::{Series, slope};

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn values_are_interpolated_linearly_and_constant_beyond_the_ends() {
        let series = Series::new(vec![(0.0, 1.0), (1.0, 3.0), (3.0, -1.0)]);
        for (x, y) in [(-5.0, 1.0), (0.0, 1.0), (0.5, 2.0), (1.0, 3.0), (2.0, 1.0), (3.0, -1.0), (9.0, -1.0)] {
            assert!(near(series.at(x), y), "{} at {x}, not {y}", series.at(x));
        }
        assert!(Series::default().at(1.0).is_nan());
        assert!(near(series.scaled(2.0, 10.0).at(1.0), 20.0));
    }

    #[test]
    fn medians_remove_single_splashes() {
        let mut points: Vec<_> = (0..11_u32).map(|n| (f64::from(n), f64::from(n))).collect();
        points[5].1 = 100.0;
        let smooth = Series::new(points).medians(2.0);
        assert!(near(smooth.at(5.0), 6.0) && near(smooth.at(4.0), 4.0) && near(smooth.at(8.0), 8.0), "{smooth:?}");
        assert!(near(smooth.at(0.0), 0.5), "at an end, the median of two values is their mean");
    }

    #[test]
    fn slopes_are_those_of_the_requested_range() {
        let bent = |x: f64| if x < 2.0 { 0.5 * x } else { 1.0 + 3.0 * (x - 2.0) };
        let series = Series::new((0..=40_u32).map(|n| 0.1 * f64::from(n)).map(|x| (x, bent(x))).collect());
        let found = series.slope_between(1.6, 5.0).expect("the series reaches 7");
        assert!((found - 3.0).abs() < 1e-9, "{found}");
        assert_eq!(series.slope_between(1.6, 8.0), None, "the series never reaches 8");
        assert_eq!(slope(&[(0.0, 1.0), (1.0, 2.0)]), None);
        // Values that return into the range after leaving it do not count.
        let mut fallen = series.points().to_vec();
        fallen.extend((41..80_u32).map(|n| (0.1 * f64::from(n), 4.0)));
        let found = Series::new(fallen).slope_between(1.6, 5.0).expect("the series reached the end of the range");
        assert!((found - 3.0).abs() < 1e-9, "{found}");
    }

    #[test]
    fn means_are_those_of_the_late_part() {
        let series = Series::new(vec![(0.0, 100.0), (1.0, 2.0), (2.0, 4.0)]);
        assert!(near(series.mean_from(1.0), 3.0));
        assert!(series.mean_from(5.0).is_nan());
    }
}
