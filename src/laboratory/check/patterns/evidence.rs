//! The evidence for hypotheses: the wrong and the right pairs of a list, and the measurement of claims about them.

use glam::Vec3;

use super::super::super::Places;
use super::super::wrong::{WrongPair, WrongPairs};
use super::Kind;
use crate::search::{Domain, ListedNeighbors};

/// From this share on, a claim is considered true for nearly all wrong pairs.
const NEARLY_ALL: f64 = 0.95;
/// Smallest number of wrong pairs for which a share is meaningful.
const ENOUGH: u64 = 8;
/// Smallest number of particles whose pairs are tested for whether the list contains the pairs that a hypothesis
/// predicts.
const LEAST_PROBED: usize = 64;
/// Number of pairs that are tested for this, unless [`LEAST_PROBED`] particles have more.
const PROBED_PAIRS: usize = 1 << 24;

/// Wrong pairs of one kind, and the right pairs to compare with.
pub(in super::super) struct Evidence<'a> {
    pub kind: Kind,
    pub wrong: &'a WrongPairs,
    /// Positions, m.
    pub points: &'a [Vec3],
    pub domain: Domain,
    /// Whether the rows contain each pair once, in the row of its smaller index.
    pub once: bool,
    /// The list in rows, sorted, including repetitions.
    pub mine: &'a ListedNeighbors,
    /// The correct list, with each pair in both directions.
    pub truth: &'a ListedNeighbors,
    /// A sample of the pairs that are in both lists, and in `mine` only once.
    pub right: &'a [WrongPair],
    /// Number of pairs that are in both lists.
    pub right_count: u64,
    /// The largest distance of these pairs, m.
    pub farthest_right: f64,
}

/// The evidence together with the cells of a search.
pub(super) struct Look<'a> {
    pub evidence: &'a Evidence<'a>,
    /// The search and its settings.
    pub name: &'a str,
    pub places: &'a Places,
}

/// A claim of a hypothesis about the wrong pairs, with its rating.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Claim {
    /// A predicate that describes the pairs.
    pub words: String,
    /// Fraction of the wrong pairs for which it is true.
    pub share: f64,
    /// Fraction of wrong pairs among all pairs for which it is true.
    pub certainty: f64,
    /// Whether the certainty was determined by counting right pairs, of which there can be very many.
    pub is_counted: bool,
    /// Whether a few pairs suffice, because the claim is about all pairs of a particle.
    pub suits_few: bool,
}

impl Claim {
    /// Harmonic mean of share and certainty.
    pub fn strength(&self) -> f64 {
        2.0 * self.share * self.certainty / (self.share + self.certainty).max(f64::MIN_POSITIVE)
    }

    /// The same claim, which a few pairs suffice for.
    pub fn for_few(self) -> Self {
        Self { suits_few: true, ..self }
    }

    /// The same claim with a certainty that was not determined by counting right pairs.
    pub fn with_certainty(self, certainty: f64) -> Self {
        Self { certainty, is_counted: false, ..self }
    }

    pub(super) fn is_worth_naming(&self, evidence: &Evidence<'_>) -> bool {
        let count = evidence.wrong.count;
        if count < 2 || (count < ENOUGH && !self.suits_few) {
            return false;
        }
        // A property of nearly all pairs explains nothing, unless nearly all pairs are wrong.
        let base = count as f64 / (count + evidence.right_count) as f64;
        let stands_out = self.is_counted && count >= 4 * ENOUGH && self.certainty >= 5.0 * base;
        let explains = self.certainty >= 0.5 || stands_out;
        let has_lift = self.certainty >= 0.99 || self.certainty >= 1.5 * base;
        (self.share >= NEARLY_ALL && explains && has_lift) || (self.share >= 0.4 && self.certainty >= 0.8 && has_lift)
    }
}

impl Evidence<'_> {
    /// Measures a claim about single pairs.
    pub(super) fn claim(&self, words: impl Into<String>, holds: impl Fn(&WrongPair) -> bool) -> Claim {
        let share_of =
            |pairs: &[WrongPair]| pairs.iter().filter(|pair| holds(pair)).count() as f64 / pairs.len().max(1) as f64;
        let share = share_of(&self.wrong.pairs);
        let wrong = share * self.wrong.count as f64;
        let right = share_of(self.right) * self.right_count as f64;
        let certainty = if wrong > 0.0 { wrong / (wrong + right) } else { 0.0 };
        Claim { words: words.into(), share, certainty, is_counted: true, suits_few: false }
    }

    /// Support radius, m.
    pub fn radius(&self) -> f64 {
        f64::from(self.domain.support_radius)
    }

    /// Number of particles.
    pub fn particle_count(&self) -> u32 {
        self.points.len() as u32
    }

    /// Whether the list contains a pair.
    pub fn is_listed(&self, first: u32, second: u32) -> bool {
        let [first, second] = if self.once { [first.min(second), first.max(second)] } else { [first, second] };
        self.mine.of(first as usize).binary_search(&second).is_ok()
    }

    /// Whether the correct list contains a pair.
    pub fn is_true(&self, first: u32, second: u32) -> bool {
        self.truth.of(first as usize).binary_search(&second).is_ok()
    }

    /// Number of neighbors of each particle in the list, without repetitions. If the list contains each pair once, the
    /// pair counts for both particles.
    pub fn listed_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.points.len()];
        for first in 0..self.points.len() {
            for listed in self.mine.of(first).chunk_by(|a, b| a == b) {
                counts[first] += 1;
                if self.once {
                    counts[listed[0] as usize] += 1;
                }
            }
        }
        counts
    }

    /// Number of neighbors of each particle in the correct list.
    pub fn true_counts(&self) -> Vec<u32> {
        (0..self.points.len()).map(|particle| self.truth.of(particle).len() as u32).collect()
    }

    /// Fraction of the pairs that the list contains, among the pairs that are farther apart than the radius and for
    /// which
    /// `is_expected` is true. Tests all pairs of a sample of particles.
    pub fn share_listed_beyond(&self, is_expected: impl Fn(&WrongPair) -> bool) -> f64 {
        let probed = (PROBED_PAIRS / self.points.len()).max(LEAST_PROBED);
        let step = (self.points.len() / probed).max(1);
        let (mut expected, mut listed) = (0_u64, 0_u64);
        for first in (step / 2..self.points.len()).step_by(step) {
            for second in 0..self.points.len() {
                let distance = self.points[first].as_dvec3().distance(self.points[second].as_dvec3());
                let beyond_radius = distance - self.radius();
                let pair = WrongPair { first: first as u32, second: second as u32, distance, beyond_radius };
                if first != second && beyond_radius > 0.0 && is_expected(&pair) {
                    expected += 1;
                    listed += u64::from(self.is_listed(pair.first, pair.second));
                }
            }
        }
        listed as f64 / expected.max(1) as f64
    }
}
