//! Finds what wrong pairs have in common: hypotheses about errors of a neighbor search are tested on the wrong and on
//! the right pairs of a list.
//!
//! Each hypothesis makes claims of the form "all missing pairs cross a face between cells along x". A claim is rated by
//! two numbers: its share, the fraction of the wrong pairs for which it is true, and its certainty, the fraction of
//! wrong pairs among all pairs for which it is true. The claim with the largest harmonic mean of both is reported if it
//! is true for nearly all wrong pairs, or for many of them and for hardly any right pair.

mod cells;
mod evidence;
mod extra;
mod indices;
mod missing;

use std::fmt;

pub(super) use evidence::Evidence;
use evidence::{Claim, Look};

use super::super::Places;
use crate::format::count;
use crate::gpu::GpuError;
use crate::search::Cells;
use crate::search::verify::SearchConfiguration;

/// How a pair is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The pair is not in the list.
    Missing,
    /// The pair is in the list, but its distance exceeds the radius.
    Extra,
    /// The pair is in the list more than once.
    Double,
}

impl Kind {
    /// All kinds, in the order of a report.
    pub const ALL: [Self; 3] = [Self::Missing, Self::Extra, Self::Double];

    /// Its name in reports.
    pub fn label(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Double => "double",
        }
    }
}

/// A way in which a search can be wrong.
pub struct Hypothesis {
    /// Short name, for tables and tests.
    pub name: &'static str,
    /// The kinds of wrong pairs that it can explain.
    pub kinds: &'static [Kind],
    test: Test,
}

impl fmt::Debug for Hypothesis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// How a hypothesis makes its claims.
enum Test {
    /// From indices and positions.
    Pairs(fn(&Evidence<'_>) -> Vec<Claim>),
    /// From the cells of a search; tested with the cells of every search.
    Cells(fn(&Look<'_>) -> Vec<Claim>),
}

/// All hypotheses; of equally strong claims the first is reported. A new hypothesis is one entry here.
pub static HYPOTHESES: &[&Hypothesis] = &[
    &extra::ROUNDING,
    &extra::OTHER_RADIUS,
    &extra::PERIODIC,
    &extra::CONSTANT_INDEX,
    &missing::SMALLER_RADIUS,
    &missing::UNFINISHED_BLOCK,
    &missing::CAPPED_LIST,
    &indices::EVERY_PAIR,
    &indices::ONE_DIRECTION,
    &indices::SHIFTED,
    &indices::REVERSED,
    &cells::CROSSING,
    &cells::SAME_CELL,
    &cells::OUTERMOST_CELL,
    &cells::CLASSES,
    &cells::CAPPED_CELL,
    &cells::UNTESTED_DISTANCE,
    &cells::TOWARDS,
    &missing::SILENT_PARTICLES,
    &indices::OTHER_ORDER,
];

/// The pattern that the wrong pairs of one kind have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// The kind of the wrong pairs.
    pub kind: Kind,
    /// Name of the hypothesis.
    pub name: &'static str,
    /// A predicate that describes the pairs, as in "cross a face between cells along x".
    pub words: String,
    /// Fraction of the wrong pairs of this kind for which the predicate is true, 0 to 1.
    pub share: f64,
    /// Fraction of wrong pairs among all pairs for which the predicate is true, 0 to 1.
    pub certainty: f64,
    /// Number of wrong pairs of this kind.
    pub count: u64,
    /// Number of those pairs for which the predicate was tested.
    pub tested: u64,
}

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (percent(self.share).as_str(), self.tested < self.count) {
            ("100", false) => write!(formatter, "all {}", count(self.count))?,
            (share, false) => write!(formatter, "{share} % of the {}", count(self.count))?,
            (share, true) => {
                let (tested, count) = (count(self.tested), count(self.count));
                write!(formatter, "{share} % of {tested} tested out of {count}")?;
            }
        }
        write!(formatter, " {} pairs {}", self.kind.label(), self.words)
    }
}

/// A fraction in percent, which is written as 100 only if it is exactly 1.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        100.0.. => "100".to_owned(),
        99.9..100.0 => "over 99.9".to_owned(),
        _ => format!("{percent:.1}"),
    }
}

/// Finds what the wrong pairs of each kind have in common. The second argument is the selected search with its places;
/// `place` computes the places for another search, unless that search has no cells or the same cells as an earlier one.
pub(super) fn find(
    evidence: &[Evidence<'_>],
    (configuration, chosen): (&SearchConfiguration, Option<&Places>),
    place: impl Fn(&SearchConfiguration, &[Cells]) -> Result<Option<Places>, GpuError>,
) -> Result<Vec<Pattern>, GpuError> {
    let mut best: Vec<Best> = evidence.iter().map(|_| Best::default()).collect();
    for (evidence, best) in evidence.iter().zip(&mut best) {
        best.consider(evidence, None);
    }
    let mut seen = Vec::new();
    let mut look = |configuration: &SearchConfiguration, places: &Places, best: &mut [Best]| {
        seen.push(places.cells);
        let name = configuration.to_string();
        for (evidence, best) in evidence.iter().zip(best) {
            best.consider(evidence, Some((&name, places)));
        }
        seen.clone()
    };
    let mut known = Vec::new();
    if let Some(places) = chosen {
        known = look(configuration, places, &mut best);
    }
    for configuration in SearchConfiguration::all() {
        if best.iter().all(Best::is_perfect) {
            break;
        }
        if let Some(places) = place(&configuration, &known)? {
            known = look(&configuration, &places, &mut best);
        }
    }
    Ok(evidence.iter().zip(best).filter_map(|(evidence, best)| best.pattern(evidence)).collect())
}

/// The strongest claim so far.
#[derive(Default)]
struct Best {
    found: Option<(usize, &'static str, Claim)>,
}

impl Best {
    /// Tests all hypotheses about pairs if `cells` is `None`, otherwise all hypotheses about cells with the given
    /// cells.
    fn consider(&mut self, evidence: &Evidence<'_>, cells: Option<(&str, &Places)>) {
        let hypotheses = HYPOTHESES.iter().enumerate().filter(|(_, known)| known.kinds.contains(&evidence.kind));
        for (rank, hypothesis) in hypotheses {
            let claims = match (&hypothesis.test, cells) {
                (Test::Pairs(test), None) => test(evidence),
                (Test::Cells(test), Some((name, places))) => test(&Look { evidence, name, places }),
                _ => continue,
            };
            for claim in claims.into_iter().filter(|claim| claim.is_worth_naming(evidence)) {
                let is_better = self.found.as_ref().is_none_or(|(other_rank, _, other)| {
                    let gain = claim.strength() - other.strength();
                    gain > 1e-9 || (gain > -1e-9 && rank < *other_rank)
                });
                if is_better {
                    self.found = Some((rank, hypothesis.name, claim));
                }
            }
        }
    }

    fn is_perfect(&self) -> bool {
        self.found.as_ref().is_some_and(|(.., claim)| claim.strength() > 0.999)
    }

    fn pattern(self, evidence: &Evidence<'_>) -> Option<Pattern> {
        let (_, name, claim) = self.found?;
        Some(Pattern {
            kind: evidence.kind,
            name,
            words: claim.words,
            share: claim.share,
            certainty: claim.certainty,
            count: evidence.wrong.count,
            tested: evidence.wrong.pairs.len() as u64,
        })
    }
}
