//! Hypotheses about the indices of pairs: directions, repetition, other numberings.

use super::evidence::{Claim, Evidence};
use super::{Hypothesis, Kind, Test};

pub(super) static EVERY_PAIR: Hypothesis = Hypothesis {
    name: "every pair",
    kinds: &[Kind::Double],
    test: Test::Pairs(|evidence| {
        // A pair that is listed twice counts once as right and once as double.
        let certainty = evidence.wrong.count as f64 / evidence.right_count.max(1) as f64;
        vec![
            evidence
                .claim("are all pairs of the list: each pair is written twice", |_| true)
                .with_certainty(certainty.min(1.0)),
        ]
    }),
};

pub(super) static ONE_DIRECTION: Hypothesis = Hypothesis {
    name: "one direction",
    kinds: &[Kind::Missing],
    test: Test::Pairs(|evidence| {
        if evidence.once {
            return Vec::new();
        }
        let words = |relation| {
            format!(
                "have a second index {relation} the first: each pair is listed once; if this is intended, use --once"
            )
        };
        vec![
            evidence.claim(words("below"), |pair| pair.second < pair.first),
            evidence.claim(words("above"), |pair| pair.second > pair.first),
        ]
    }),
};

/// A claim that the wrong pairs are right pairs in another numbering. Its certainty is the fraction of right pairs for
/// which that is not the case.
fn renumbered(evidence: &Evidence<'_>, words: &str, other: impl Fn(u32) -> Option<u32>) -> Claim {
    let is_other = |first: u32, second: u32| {
        let (Some(first), Some(second)) = (other(first), other(second)) else { return false };
        match evidence.kind {
            Kind::Missing => evidence.is_listed(first, second),
            Kind::Extra | Kind::Double => evidence.is_true(first, second),
        }
    };
    let claim = evidence.claim(words, |pair| is_other(pair.first, pair.second));
    let right = evidence.right.iter().filter(|pair| is_other(pair.first, pair.second)).count();
    let background = right as f64 / evidence.right.len().max(1) as f64;
    // If there are hardly any right pairs, they cannot be used for comparison.
    let certainty = if evidence.wrong.count > 4 * evidence.right_count { 1.0 } else { 1.0 - background };
    claim.with_certainty(certainty)
}

pub(super) static SHIFTED: Hypothesis = Hypothesis {
    name: "shifted indices",
    kinds: &[Kind::Missing, Kind::Extra],
    test: Test::Pairs(|evidence| {
        let count = evidence.particle_count();
        let up = |index: u32| Some(index + 1).filter(|&index| index < count);
        let down = |index: u32| index.checked_sub(1);
        let one_based = "with both indices higher by one: the list counts from 1; use --one-based";
        let too_low = "with both indices lower by one: was 1 subtracted twice?";
        match evidence.kind {
            Kind::Missing => vec![
                renumbered(evidence, &format!("are in the list {one_based}"), up),
                renumbered(evidence, &format!("are in the list {too_low}"), down),
            ],
            Kind::Extra | Kind::Double => vec![
                renumbered(evidence, &format!("are right pairs {one_based}"), down),
                renumbered(evidence, &format!("are right pairs {too_low}"), up),
            ],
        }
    }),
};

pub(super) static REVERSED: Hypothesis = Hypothesis {
    name: "reversed indices",
    kinds: &[Kind::Missing, Kind::Extra],
    test: Test::Pairs(|evidence| {
        let last = evidence.particle_count() - 1;
        let words = "are right pairs if the particles are numbered from the last to the first";
        vec![renumbered(evidence, words, |index| Some(last - index))]
    }),
};

pub(super) static OTHER_ORDER: Hypothesis = Hypothesis {
    name: "other order",
    kinds: &[Kind::Missing, Kind::Extra],
    test: Test::Pairs(|evidence| {
        let [mut listed, mut truth] = [evidence.listed_counts(), evidence.true_counts()];
        let is_elsewhere = listed != truth;
        listed.sort_unstable();
        truth.sort_unstable();
        if !is_elsewhere || listed != truth || truth.first() == truth.last() {
            return Vec::new();
        }
        let words = "are due to another order of the particles: the list has the right numbers of neighbors, but for \
                     other particles (are these the indices of a sorted copy?)";
        vec![evidence.claim(words, |_| true).with_certainty(1.0)]
    }),
};
