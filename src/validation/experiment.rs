//! Reference data: tables of published experiments, each with its source in its first lines.

use super::{Series, ValidationError};

/// A table embedded in the program.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    name: &'static str,
    text: &'static str,
}

macro_rules! table {
    ($name:literal) => {
        Table { name: $name, text: include_str!(concat!("../../assets/validation/", $name, ".csv")) }
    };
}

/// Martin and Moyce 1952, table 2: the front of a column twice as high as wide.
pub const MARTIN_MOYCE_FRONT: Table = table!("martin_moyce_1952_table2_front_n2eq2");
/// Martin and Moyce 1952, table 6: the height of the same column at the wall.
pub const MARTIN_MOYCE_HEIGHT: Table = table!("martin_moyce_1952_table6_height_n2eq2");
/// Martin and Moyce 1952, figure 3: the front up to a distance of 14 widths.
pub const MARTIN_MOYCE_LONG_RUN: Table = table!("martin_moyce_1952_fig3_front_n2eq2_long");
/// Martin and Moyce 1952, figure 3, for a column half as wide.
pub const MARTIN_MOYCE_SMALLER: Table = table!("martin_moyce_1952_fig3_front_n2eq2_a1p125in");
/// Koshizuka and Oka 1996, a repetition of the same experiment.
pub const KOSHIZUKA_OKA: Table = table!("koshizuka_oka_1996_exp_front");
/// The result of another SPH code: Violeau 2012.
pub const VIOLEAU_SPH: Table = table!("violeau_sph_front_n2eq2");
/// Kleefsman et al. 2005: water heights at four gauges.
pub const KLEEFSMAN: Table = table!("spheric2_kleefsman_heights_50ms");

/// Lobovsky et al. 2014: the 2.5, 50 and 97.5 percentiles of the pressure at their second sensor.
pub const LOBOVSKY_SENSOR: Table = table!("lobovsky_2014_sensor2_h300_percentiles");

impl Table {
    /// The table's column with the given number over its first column.
    ///
    /// # Errors
    /// Only if a file in the program is damaged.
    pub fn column(&self, number: usize) -> Result<Series, ValidationError> {
        let damaged =
            |reason: &dyn std::fmt::Display| ValidationError::Data { table: self.name, reason: reason.to_string() };
        let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(self.text.as_bytes());
        let mut points = Vec::new();
        for row in reader.records() {
            let row = row.map_err(|error| damaged(&error))?;
            let value = |column: usize| {
                let text = row.get(column).ok_or_else(|| damaged(&"a row is too short"))?;
                text.trim().parse::<f64>().map_err(|error| damaged(&error))
            };
            points.push((value(0)?, value(number)?));
        }
        if points.is_empty() || !points.is_sorted_by(|a, b| a.0 < b.0) {
            return Err(damaged(&"its first column does not ascend"));
        }
        Ok(Series::new(points))
    }
}

#[cfg(test)]
mod tests {
    use super::{
        KLEEFSMAN, KOSHIZUKA_OKA, MARTIN_MOYCE_FRONT, MARTIN_MOYCE_HEIGHT, MARTIN_MOYCE_LONG_RUN, MARTIN_MOYCE_SMALLER,
        Table, VIOLEAU_SPH,
    };

    #[test]
    fn every_table_reads_and_names_its_source() {
        let fronts = [MARTIN_MOYCE_FRONT, MARTIN_MOYCE_LONG_RUN, MARTIN_MOYCE_SMALLER, KOSHIZUKA_OKA, VIOLEAU_SPH];
        for table in fronts {
            let series = table.column(1).unwrap_or_else(|error| panic!("{error}"));
            assert!(series.points().len() >= 8 && series.points().is_sorted_by(|a, b| a.1 < b.1), "{}", table.name);
            assert!(
                table.text.starts_with("# ") && table.text.contains("Source: ") | table.text.contains("ranscribed")
            );
        }
        let heights = MARTIN_MOYCE_HEIGHT.column(1).expect("it ships with the program");
        assert!(heights.points().is_sorted_by(|a, b| a.1 > b.1) && heights.end() == Some(7.4));
        for gauge in 1..=4 {
            let gauge = KLEEFSMAN.column(gauge).expect("it ships with the program");
            assert_eq!((gauge.points().len(), gauge.end()), (121, Some(6.0)));
        }
    }

    #[test]
    fn the_slope_of_the_measured_front_matches_the_published_one() {
        let front = MARTIN_MOYCE_FRONT.column(1).expect("it ships with the program");
        let slope = front.slope_between(2.0, 3.9).expect("the data reaches 4.1");
        assert!((slope - 1.371).abs() < 0.02, "{slope}");
    }

    #[test]
    fn damaged_tables_are_reported_by_name() {
        for text in ["T,Z\n1,x\n", "T,Z\n1\n", "T,Z\n", "T,Z\n2,1\n1,2\n"] {
            let error = Table { name: "damaged_table", text }.column(1).expect_err("it makes no sense").to_string();
            assert!(error.contains("damaged_table"), "{error}");
        }
    }
}
