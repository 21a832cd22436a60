//! The tables of the papers, for repetition here: their cases and the published results.

use serde::Deserialize;

use super::{BenchError, Scenario, Spread};
use crate::gpu::nearest_names;
use crate::search::verify::SearchConfiguration;
use crate::search::{SearchError, SearchOptions, search_named};

static TABLES: &str = include_str!("../../assets/papers/tables.csv");

/// Device of the papers whose figures are shown beside ours.
const SHOWN_DEVICE: &str = "GTX 1080 Ti";

/// Number of coarse cells along each edge in the FENNS and CLAWS papers.
const PAPER_COARSE_CELLS: u32 = 18;

/// Cell edges that Morillo et al. compare, in support radii.
const MORILLO_EDGES: [&str; 3] = ["2", "2.52", "4"];

/// What is ours of CLAWS, each switched on.
const OUR_CLAWS: [&str; 3] = ["claws-queue=on", "claws-local-grid=clipped rows", "claws-fine-order=on"];
/// Each of the paper's four ideas switched off.
const CLAWS_IDEAS_OFF: [&str; 4] = ["claws-once=off", "claws-reorder=off", "claws-rows=off", "claws-schedule=off"];

/// Whose settings a search is run with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settings {
    /// The paper's: its cells and its look-ups.
    Paper,
    /// The paper's cells, and the look-ups that we would choose.
    OurLookUps,
    /// As it is here unless somebody chooses.
    Ours,
}

impl Settings {
    /// As written in tables.
    pub fn label(self) -> &'static str {
        match self {
            Self::Paper => "as published",
            Self::OurLookUps => "our look-ups",
            Self::Ours => "our settings",
        }
    }
}

/// A search that is run for a paper's case.
#[derive(Clone, Debug)]
pub struct PaperRun {
    /// Whose settings it has.
    pub settings: Settings,
    /// The search and its settings.
    pub configuration: SearchConfiguration,
}

/// A paper's table.
#[derive(Clone, Debug)]
pub struct PaperTable {
    /// Name on the command line.
    pub name: String,
    /// Its rows, in the paper's order.
    pub cases: Vec<PaperCase>,
}

/// A row of a paper's table: one input for several searches.
#[derive(Clone, Debug)]
pub struct PaperCase {
    /// The input.
    pub scenario: Scenario,
    /// The published results, by search.
    pub published: Vec<Published>,
}

/// The published result of one search.
#[derive(Clone, Debug)]
pub struct Published {
    /// The search's name.
    pub search: String,
    /// Time on [`PaperTable::device`], ms; `None` where the paper only shows a curve.
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

/// The tables with that name, or all of them for `all`.
///
/// # Errors
/// When there is none; the message contains the nearest names.
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

    /// What is run for a case: each search as the paper ran it first, then with the look-ups that we would choose on
    /// the paper's cells, and then as it is here unless somebody chooses.
    ///
    /// # Errors
    /// Only if a search or a setting had another name here.
    pub fn runs(&self, case: &PaperCase) -> Result<Vec<PaperRun>, SearchError> {
        let coarse = format!("coarse-cells={PAPER_COARSE_CELLS}");
        match self.name.as_str() {
            "morillo" => morillo_runs(),
            "claws-ideas" => claws_idea_runs(&coarse),
            name => {
                // The second FENNS table gives all methods the same coarse cells; the others the grids their edge of
                // 2r.
                let edge = if name == "fenns-2" {
                    format!("cell-radii={}", case.scenario.box_edge / PAPER_COARSE_CELLS as f32 / case.scenario.radius)
                } else {
                    "cell-edge=2r".to_owned()
                };
                let mut runs = vec![
                    run(Settings::Paper, "hoetzlein", &[&edge])?,
                    run(Settings::Paper, "green", &[&edge])?,
                    run(Settings::Paper, "fenns", &[&coarse])?,
                    run(Settings::Paper, "claws", &[&coarse])?,
                    run(Settings::OurLookUps, "hoetzlein", &[&edge])?,
                    run(Settings::OurLookUps, "green", &[&edge])?,
                    run(Settings::OurLookUps, "claws", &[&coarse])?,
                ];
                for search in ["hoetzlein", "green", "fenns", "claws"] {
                    runs.push(run(Settings::Ours, search, &[])?);
                }
                Ok(runs)
            }
        }
    }
}

/// A search with more options than its settings have: those of its paper, or none.
fn run(settings: Settings, search: &str, options: &[&str]) -> Result<PaperRun, SearchError> {
    let search = search_named(search)?;
    let mut configuration = match settings {
        Settings::Paper => SearchConfiguration::published(search)?,
        Settings::OurLookUps | Settings::Ours => SearchConfiguration { search, options: SearchOptions::default() },
    };
    options.iter().try_for_each(|option| configuration.options.parse(option))?;
    Ok(PaperRun { settings, configuration })
}

/// The standard division, which is Green's search with all 27 cells, and the octants, on cells of each edge; and
/// Green's search that leaves out the cells beyond the radius.
fn morillo_runs() -> Result<Vec<PaperRun>, SearchError> {
    let green = |edge| format!("cell-radii={edge}");
    let standard = MORILLO_EDGES.iter().map(|edge| run(Settings::Paper, "green", &[&green(edge)]));
    let octants = MORILLO_EDGES.iter().map(|edge| run(Settings::Paper, "morillo", &[&format!("octant-edge={edge}")]));
    let touched = MORILLO_EDGES.iter().map(|edge| run(Settings::OurLookUps, "green", &[&green(edge)]));
    standard.chain(octants).chain(touched).collect()
}

/// The paper's system with all of its four ideas, with all but one, and with none; then with each of the three things
/// that are ours, and with all of them.
fn claws_idea_runs(coarse: &str) -> Result<Vec<PaperRun>, SearchError> {
    let paper = |more: &[&str]| run(Settings::Paper, "claws", &[&[coarse], more].concat());
    let mut runs = vec![paper(&[])?];
    for idea in CLAWS_IDEAS_OFF {
        runs.push(paper(&[idea])?);
    }
    runs.push(paper(&CLAWS_IDEAS_OFF)?);
    for ours in OUR_CLAWS {
        runs.push(PaperRun { settings: Settings::OurLookUps, ..paper(&[ours])? });
    }
    runs.push(run(Settings::OurLookUps, "claws", &[coarse])?);
    runs.push(run(Settings::Ours, "claws", &[])?);
    Ok(runs)
}

impl PaperCase {
    /// The time of a search in the paper, ms.
    pub fn published_time(&self, search: &str) -> Option<Spread> {
        self.published.iter().find(|published| published.search == search).and_then(|published| published.time)
    }
}

/// Which of two searches is faster and by how much, in a paper and here.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The search that the claim is about.
    pub subject: &'static str,
    /// What it is compared with.
    pub baseline: &'static str,
    /// How many times faster the subject is in the paper; below 1, it is slower.
    pub published: (f64, f64),
    /// How many times faster it is here, as published.
    pub here: f64,
    /// The same with our look-ups on the paper's cells; `None` where something was refused.
    pub with_our_look_ups: Option<f64>,
}

/// A ratio within this factor of 1 does not show which search is faster: it is the spread of the papers' own runs.
const EVEN: f64 = 1.05;

impl Verdict {
    /// Whether the same search is faster here as in the paper.
    pub fn holds(&self) -> bool {
        self.is_held_by(self.here)
    }

    /// The same with our look-ups.
    pub fn holds_with_our_look_ups(&self) -> Option<bool> {
        self.with_our_look_ups.map(|here| self.is_held_by(here))
    }

    fn is_held_by(&self, here: f64) -> bool {
        let (low, high) = self.published;
        if low > EVEN {
            here > 1.0
        } else if high < 1.0 / EVEN {
            here < 1.0
        } else {
            (1.0 / EVEN..=EVEN).contains(&here) || (low..=high).contains(&here)
        }
    }
}

/// Morillo et al. 2014, section 7: how many times faster their method is than the standard division.
const MORILLO_CLAIM: (f64, f64) = (1.85, 2.15);

impl PaperTable {
    /// What the case's claims come to, given the total times of what ran, ms.
    pub fn verdicts(&self, case: &PaperCase, totals: &[(PaperRun, f64)]) -> Vec<Verdict> {
        let total = |settings: Settings, name: &str| {
            let is_it = |run: &PaperRun| run.settings == settings && run.configuration.search.name == name;
            totals.iter().find(|(run, _)| is_it(run)).map(|(_, time)| *time)
        };
        let published = |name| total(Settings::Paper, name);
        // A search that has one look-up alone is run once.
        let ours = |name| total(Settings::OurLookUps, name).or_else(|| published(name));
        let claims: &[(&str, &str)] = match self.name.as_str() {
            // The paper has no such table.
            "claws-ideas" => &[],
            "morillo" => &[("morillo", "green")],
            "claws-1" | "claws-2" => &[("claws", "hoetzlein"), ("claws", "fenns"), ("fenns", "hoetzlein")],
            _ => &[("fenns", "hoetzlein"), ("fenns", "green")],
        };
        let verdict = |&(subject, baseline): &(&'static str, &'static str)| {
            let claimed = if self.name == "morillo" {
                MORILLO_CLAIM
            } else {
                let ratio = case.published_time(baseline)?.median / case.published_time(subject)?.median;
                (ratio, ratio)
            };
            Some(Verdict {
                subject,
                baseline,
                published: claimed,
                here: published(baseline)? / published(subject)?,
                with_our_look_ups: ours(baseline).zip(ours(subject)).map(|(baseline, subject)| baseline / subject),
            })
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
        let expected = [
            ("fenns-1", 20),
            ("fenns-2", 20),
            ("fenns-3", 20),
            ("claws-1", 7),
            ("claws-2", 3),
            ("claws-ideas", 5),
            ("morillo", 8),
        ];
        assert_eq!(counts, expected.map(|(name, count)| (name.to_owned(), count)));
    }

    #[test]
    fn a_case_carries_its_papers_figures() {
        let tables = paper_tables("claws-2").expect("a table");
        let case = &tables[0].cases[2];
        assert_eq!(case.scenario, Scenario { particle_count: 8_388_608, box_edge: 90.0, radius: 1.5 });
        assert_eq!(case.published_time("claws"), Some(Spread { median: 174.02, deviation: 4.57 }));
        assert!(tables[0].runs(case).expect("every search is there").len() >= 6);
        assert!(paper_tables("claws").expect_err("no such table").to_string().contains("claws-1"));
    }

    #[test]
    fn a_claim_holds_only_when_the_same_search_is_faster() {
        let verdict = |published, here| Verdict {
            subject: "a",
            baseline: "b",
            published: (published, published),
            here,
            with_our_look_ups: Some(2.0),
        };
        assert_eq!(verdict(0.5, 0.9).holds_with_our_look_ups(), Some(false));
        assert!(verdict(2.0, 1.2).holds() && !verdict(2.0, 0.9).holds());
        assert!(verdict(0.5, 0.9).holds() && !verdict(0.5, 1.1).holds());
        assert!(verdict(1.01, 1.0).holds() && !verdict(1.01, 2.0).holds());
    }

    #[test]
    fn what_is_run_as_published_is_what_the_papers_ran() {
        for table in paper_tables("all").expect("the tables ship with the program") {
            for case in &table.cases {
                let runs = table.runs(case).expect("every search and setting is there");
                for run in &runs {
                    let is = |option: &str| run.configuration.to_string().contains(option);
                    let is_published = run.settings == Settings::Paper;
                    match run.configuration.search.name {
                        "green" | "hoetzlein" => assert_eq!(is("look-up 27 cells"), is_published, "{run:?}"),
                        "claws" => assert!(
                            !is_published
                                || (is("shared queue off") && is("local grid 27 cells") && is("fine order off")),
                            "{run:?}"
                        ),
                        _ => {}
                    }
                }
                let mut configurations: Vec<_> = runs.iter().map(|run| &run.configuration).collect();
                let count = configurations.len();
                configurations.dedup();
                assert_eq!(configurations.len(), count, "{}: a run twice", table.name);
            }
        }
    }

    #[test]
    fn a_verdict_compares_what_has_the_same_settings() {
        let tables = paper_tables("claws-2").expect("a table");
        let case = &tables[0].cases[2];
        let times = |settings, search: &str| match (settings, search) {
            (Settings::Paper, "hoetzlein") => 40.0,
            (Settings::Paper, "claws") => 20.0,
            (Settings::OurLookUps, "hoetzlein") => 10.0,
            (Settings::OurLookUps, "claws") => 8.0,
            (Settings::Paper, "fenns") => 16.0,
            _ => 1.0,
        };
        let runs = tables[0].runs(case).expect("every search is there");
        let totals: Vec<_> =
            runs.into_iter().map(|run| (run.clone(), times(run.settings, run.configuration.search.name))).collect();
        let verdicts = tables[0].verdicts(case, &totals);
        let found: Vec<_> = verdicts.iter().map(|verdict| (verdict.here, verdict.with_our_look_ups)).collect();
        assert_eq!(found, [(2.0, Some(1.25)), (0.8, Some(2.0)), (2.5, Some(0.625))]);
    }
}
