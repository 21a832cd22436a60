//! Times of another program on the same scenarios, read from a CSV file, and how a search compares with them.
//!
//! The file has a header and at least the columns `n`, `r` [m], `input` (random or coherent), `name` and `total_ms`.
//! Rows of other scenarios are ignored, and so are rows without a result that was checked: where there is a column
//! `max_rel_err`, it must be below 1e-4, and where there is a column `neighbours_total`, it must not be 0. These are
//! the columns of the CUDA program that `docs/BENCHMARKS.md` compares with.

use std::path::Path;

use super::{BenchError, InputOrder, Scenario};

/// Largest relative difference from the exact result in a row that counts.
const LARGEST_ERROR: f64 = 1e-4;

/// One timed variant of the other program on one input.
#[derive(Clone, Debug, PartialEq)]
struct RivalRow {
    particle_count: u32,
    radius: f32,
    input: String,
    name: String,
    total: f64,
}

/// The fastest variant of the other program on an input.
#[derive(Clone, Debug, PartialEq)]
pub struct RivalTime {
    /// The variant's name.
    pub name: String,
    /// Build and traversal, ms.
    pub total: f64,
}

/// The times of another program.
#[derive(Clone, Debug, Default)]
pub struct Rival {
    rows: Vec<RivalRow>,
}

impl Rival {
    /// Reads the file.
    ///
    /// # Errors
    /// When the file cannot be read, lacks a column, or contains no row that counts.
    pub fn read(path: &Path) -> Result<Self, BenchError> {
        let fail = |reason: String| BenchError::Rival { file: path.display().to_string(), reason };
        let reader = csv::ReaderBuilder::new().flexible(true).from_path(path);
        let mut reader = reader.map_err(|error| fail(error.to_string()))?;
        let header = reader.headers().map_err(|error| fail(error.to_string()))?.clone();
        let column = |name: &str| header.iter().position(|column| column.trim() == name);
        let needed = |name: &str| column(name).ok_or_else(|| fail(format!("it has no column \"{name}\"")));
        let columns = [needed("n")?, needed("r")?, needed("input")?, needed("name")?, needed("total_ms")?];
        let [checked, counted] = [column("max_rel_err"), column("neighbours_total")];
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| fail(error.to_string()))?;
            let [count, radius, input, name, total] = columns;
            // Names may contain commas without quotes, which shift the columns after them.
            let shift = record.len().saturating_sub(header.len());
            let text = |place: usize| {
                let place = if place > name { place + shift } else { place };
                record.get(place).unwrap_or_default().trim()
            };
            let number = |place: usize| text(place).parse::<f64>().ok().filter(|number| number.is_finite());
            let is_right = checked.is_none_or(|place| number(place).is_some_and(|error| error < LARGEST_ERROR))
                && counted.is_none_or(|place| number(place).is_some_and(|total| total > 0.0))
                // Rows of builds alone have no single result.
                && !text(name).starts_with("build ");
            let (Ok(particle_count), Some(radius), Some(total)) = (text(count).parse(), number(radius), number(total))
            else {
                continue;
            };
            if is_right && total > 0.0 && particle_count > 0 {
                let input = text(input).to_owned();
                let name = record.iter().skip(name).take(shift + 1).collect::<Vec<_>>().join(",");
                rows.push(RivalRow { particle_count, radius: radius as f32, input, name, total });
            }
        }
        if rows.is_empty() {
            Err(fail("it contains no time with a checked result".to_owned()))
        } else {
            Ok(Self { rows })
        }
    }

    /// The other program's fastest variant on a scenario in the given order; `None` if the file does not contain it.
    pub fn best(&self, scenario: &Scenario, order: InputOrder) -> Option<RivalTime> {
        let is_same = |row: &&RivalRow| {
            row.particle_count == scenario.particle_count
                && (row.radius - scenario.radius).abs() <= 1e-6 * scenario.radius
                && row.input == order.label()
        };
        let fastest = self.rows.iter().filter(is_same).min_by(|one, other| one.total.total_cmp(&other.total))?;
        Some(RivalTime { name: fastest.name.clone(), total: fastest.total })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::bench::SCENARIOS;

    fn read(text: &str) -> Result<Rival, BenchError> {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(text.as_bytes()).expect("it is written");
        Rival::read(file.path())
    }

    #[test]
    fn the_fastest_row_with_a_right_result_counts() {
        let rival = read(
            "scenario,n,r,input,name,build,build_ms,query_ms,total_ms,max_rel_err,neighbours_total\n\
             ceiling,0,0,-,copy_TBps,-,0,0,0,0,0\n\
             T1a n=1M r=1.5,1048576,1.5,random,build k=1 kx=4,all,0.01,0.01,0.01,0,864000\n\
             T1a n=1M r=1.5,1048576,1.5,random,wrong,atomic,0.01,0.02,0.03,1.0e-1,5\n\
             T1a n=1M r=1.5,1048576,1.5,random,slow,atomic,0.1,0.2,0.3,1.0e-6,5\n\
             T1a n=1M r=1.5,1048576,1.5,random,\"two, owned\",atomic,0.1,0.1,0.2,1.0e-6,5\n\
             T1a n=1M r=1.5,1048576,1.5,random,one, unquoted,atomic,0.1,0.15,0.25,1.0e-6,5\n\
             T1a n=1M r=1.5,1048576,1.5,coherent,other, unquoted,atomic,0.1,0.1,0.1,1.0e-6,5\n",
        )
        .expect("a table");
        let (_, scenario) = SCENARIOS[0];
        let best = rival.best(&scenario, InputOrder::Random);
        assert_eq!(best, Some(RivalTime { name: "two, owned".to_owned(), total: 0.2 }));
        let coherent = rival.best(&scenario, InputOrder::Coherent).expect("a row");
        assert_eq!(coherent, RivalTime { name: "other, unquoted".to_owned(), total: 0.1 });
        assert_eq!(rival.best(&Scenario { radius: 0.75, ..scenario }, InputOrder::Random), None);
    }

    #[test]
    fn files_without_times_are_refused_with_the_reason() {
        let reason = |text: &str| read(text).expect_err("a refusal").to_string();
        assert!(reason("n,r,input,name\n1,1,random,x\n").contains("total_ms"), "{}", reason("n,r,input,name\n"));
        assert!(reason("n,r,input,name,total_ms\n").contains("no time"), "{}", reason("n,r,input,name,total_ms\n"));
        assert!(Rival::read(Path::new("/nowhere.csv")).is_err());
    }
}
