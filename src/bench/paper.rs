//! The tables of the papers, to be run again here: their cases and what they measured.

use serde::Deserialize;

use super::{BenchError, Scenario, Spread};
use crate::gpu::nearest_names;
use crate::search::verify::Manner;
use crate::search::{SearchError, SearchOptions, search_named};

static TABLES: &str = include_str!("../../assets/papers/tables.csv");

/// Device of the papers whose figures are shown beside ours.
const SHOWN_DEVICE: &str = "GTX 1080 Ti";

/// Coarse cells along each edge in the FENNS and CLAWS papers.
const PAPER_COARSE_CELLS: u32 = 18;

/// Edges that Morillo et al. compare, in support radii.
const MORILLO_EDGES: [&str; 3] = ["2", "2.52", "4"];

/// A paper's table.
#[derive(Clone, Debug)]
pub struct PaperTable {
    /// As on the command line.
    pub name: String,
    /// Its rows, in the paper's order.
    pub cases: Vec<PaperCase>,
}

/// A row of a paper's table: one input for several searches.
#[derive(Clone, Debug)]
pub struct PaperCase {
    /// The input.
    pub scenario: Scenario,
    /// What was measured, by search.
    pub published: Vec<Published>,
}

/// What a paper says of one search.
#[derive(Clone, Debug)]
pub struct Published {
    /// The search's name.
    pub search: String,
    /// On [`PaperTable::device`], ms; `None` where the paper prints only a curve.
    pub time: Option<Spread>,
}

/// A line of the data file.
#[derive(Deserialize)]
struct Line {
    table: String,
    particles: u32,
    r#box: f32,
    radius: f32,
    search: String,
    device: String,
    milliseconds: Option<f64>,
    deviation: Option<f64>,
}

/// The tables of that name, or all of them for `all`.
///
/// # Errors
/// When there is none; the message names the nearest.
pub fn paper_tables(wanted: &str) -> Result<Vec<PaperTable>, BenchError> {
    let tables = parse(TABLES)?;
    let names: Vec<String> = tables.iter().map(|table| table.name.clone()).collect();
    let found: Vec<PaperTable> = tables.into_iter().filter(|table| wanted == "all" || table.name == wanted).collect();
    if found.is_empty() {
        let nearest = nearest_names(wanted, names.iter().map(String::as_str)).join(", ");
        return Err(BenchError::UnknownTable { name: wanted.to_owned(), nearest });
    }
    Ok(found)
}

fn parse(text: &str) -> Result<Vec<PaperTable>, BenchError> {
    let mut tables: Vec<PaperTable> = Vec::new();
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    for line in reader.deserialize::<Line>() {
        let line = line.map_err(|error| BenchError::TableData(error.to_string()))?;
        if line.milliseconds.is_some() && line.device != SHOWN_DEVICE {
            continue;
        }
        if tables.last().is_none_or(|table| table.name != line.table) {
            tables.push(PaperTable { name: line.table, cases: Vec::new() });
        }
        let scenario = Scenario { particle_count: line.particles, box_edge: line.r#box, radius: line.radius };
        let time = line.milliseconds.zip(line.deviation).map(|(median, deviation)| Spread { median, deviation });
        let published = Published { search: line.search, time };
        let Some(table) = tables.last_mut() else { continue };
        match table.cases.last_mut().filter(|case| case.scenario == scenario) {
            Some(case) => case.published.push(published),
            None => table.cases.push(PaperCase { scenario, published: vec![published] }),
        }
    }
    Ok(tables)
}

impl PaperTable {
    /// The device whose figures are shown.
    pub fn device(&self) -> &'static str {
        SHOWN_DEVICE
    }

    /// What is run for a case: each search as the paper ran it first, then the cell edges and grids we would choose.
    ///
    /// # Errors
    /// Only if a search had another name here.
    pub fn manners(&self, case: &PaperCase) -> Result<Vec<Manner>, SearchError> {
        let manner = |name: &str, option: &str| {
            let mut options = SearchOptions::default();
            if !option.is_empty() {
                options.parse(option)?;
            }
            Ok(Manner { search: search_named(name)?, options })
        };
        if self.name == "morillo" {
            let standard = MORILLO_EDGES.iter().map(|edge| manner("green", &format!("cell-radii={edge}")));
            let ours = MORILLO_EDGES.iter().map(|edge| manner("morillo", &format!("octant-edge={edge}")));
            return standard.chain(ours).collect();
        }
        // The second FENNS table gives all methods the same coarse cells; the others the grids their edge of 2r.
        let grid = if self.name == "fenns-2" {
            format!("cell-radii={}", case.scenario.box_edge / PAPER_COARSE_CELLS as f32 / case.scenario.radius)
        } else {
            "cell-edge=2r".to_owned()
        };
        let coarse = format!("coarse-cells={PAPER_COARSE_CELLS}");
        let as_published = [("hoetzlein", &grid), ("green", &grid), ("fenns", &coarse), ("claws", &coarse)];
        let as_published = as_published.into_iter().map(|(name, option)| manner(name, option));
        as_published.chain(["hoetzlein", "green", "fenns", "claws"].map(|name| manner(name, ""))).collect()
    }
}

impl PaperCase {
    /// What the paper measured of a search, ms.
    pub fn published_time(&self, search: &str) -> Option<Spread> {
        self.published.iter().find(|published| published.search == search).and_then(|published| published.time)
    }
}

/// Who is faster, by how much: in a paper and here.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The search that the claim is about.
    pub subject: &'static str,
    /// What it is compared with.
    pub baseline: &'static str,
    /// How many times faster the paper has the subject; below 1, slower.
    pub published: (f64, f64),
    /// How many times faster it is here.
    pub here: f64,
}

/// Ratios within this of 1 are no claim about who is faster: the spread of the papers' own runs.
const EVEN: f64 = 1.05;

impl Verdict {
    /// Whether who is faster is the same here as in the paper.
    pub fn holds(&self) -> bool {
        let (low, high) = self.published;
        if low > EVEN {
            self.here > 1.0
        } else if high < 1.0 / EVEN {
            self.here < 1.0
        } else {
            (1.0 / EVEN..=EVEN).contains(&self.here) || (low..=high).contains(&self.here)
        }
    }
}

/// Morillo et al. 2014, section 7: how many times faster than the standard division.
const MORILLO_CLAIM: (f64, f64) = (1.85, 2.15);

impl PaperTable {
    /// What the case's claims come to, given the total times of manners that ran, ms.
    pub fn verdicts(&self, case: &PaperCase, totals: &[(Manner, f64)]) -> Vec<Verdict> {
        // The first of a search's manners is the paper's.
        let total = |name: &str| totals.iter().find(|(manner, _)| manner.search.name == name).map(|(_, time)| *time);
        let claims: &[(&str, &str)] = match self.name.as_str() {
            "morillo" => &[("morillo", "green")],
            "claws-1" | "claws-2" => &[("claws", "hoetzlein"), ("claws", "fenns"), ("fenns", "hoetzlein")],
            _ => &[("fenns", "hoetzlein"), ("fenns", "green")],
        };
        let verdict = |&(subject, baseline): &(&'static str, &'static str)| {
            let published = if self.name == "morillo" {
                MORILLO_CLAIM
            } else {
                let ratio = case.published_time(baseline)?.median / case.published_time(subject)?.median;
                (ratio, ratio)
            };
            Some(Verdict { subject, baseline, published, here: total(baseline)? / total(subject)? })
        };
        claims.iter().filter_map(verdict).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_every_table_is_there() {
        let counts: Vec<_> = paper_tables("all")
            .expect("the tables ship with the program")
            .iter()
            .map(|table| (table.name.clone(), table.cases.len()))
            .collect();
        let expected =
            [("fenns-1", 20), ("fenns-2", 20), ("fenns-3", 20), ("claws-1", 7), ("claws-2", 3), ("morillo", 8)];
        assert_eq!(counts, expected.map(|(name, count)| (name.to_owned(), count)));
    }

    #[test]
    fn a_case_carries_its_papers_figures() {
        let tables = paper_tables("claws-2").expect("a table");
        let case = &tables[0].cases[2];
        assert_eq!(case.scenario, Scenario { particle_count: 8_388_608, box_edge: 90.0, radius: 1.5 });
        assert_eq!(case.published_time("claws"), Some(Spread { median: 174.02, deviation: 4.57 }));
        assert!(tables[0].manners(case).expect("every search is there").len() >= 6);
        assert!(paper_tables("claws").expect_err("no such table").to_string().contains("claws-1"));
    }

    #[test]
    fn a_claim_holds_only_when_the_same_search_is_faster() {
        let verdict =
            |published, here| Verdict { subject: "a", baseline: "b", published: (published, published), here };
        assert!(verdict(2.0, 1.2).holds() && !verdict(2.0, 0.9).holds());
        assert!(verdict(0.5, 0.9).holds() && !verdict(0.5, 1.1).holds());
        assert!(verdict(1.01, 1.0).holds() && !verdict(1.01, 2.0).holds());
    }
}
