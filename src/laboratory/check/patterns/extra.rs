//! Hypotheses about pairs that are farther apart than the radius.

use glam::DVec3;

use super::evidence::{Claim, Evidence};
use super::{Hypothesis, Kind, Test};

/// Distances that exceed the radius by at most this fraction of it are attributed to rounding.
const ROUNDING_FRACTION: f64 = 1e-4;
/// Radii that differ by at most this fraction are considered equal.
const SAME: f64 = 0.02;

pub(super) static ROUNDING: Hypothesis = Hypothesis {
    name: "rounding",
    kinds: &[Kind::Extra],
    test: Test::Pairs(|evidence| {
        let margin = ROUNDING_FRACTION * evidence.radius();
        let words = format!("exceed the radius by less than {margin:.1e} m, which suggests rounding");
        vec![evidence.claim(words, |pair| pair.beyond_radius > 0.0 && pair.beyond_radius < margin)]
    }),
};

pub(super) static OTHER_RADIUS: Hypothesis =
    Hypothesis { name: "larger radius", kinds: &[Kind::Extra], test: Test::Pairs(larger_radius) };

fn larger_radius(evidence: &Evidence<'_>) -> Vec<Claim> {
    let mut distances: Vec<f64> = evidence.wrong.pairs.iter().map(|pair| pair.distance).collect();
    distances.sort_unstable_by(f64::total_cmp);
    let (Some(&largest), usual) = (distances.last(), distances.get(distances.len() * 99 / 100)) else {
        return Vec::new();
    };
    // A few pairs with another cause must not determine the radius.
    let found = usual.copied().filter(|usual| largest > 1.05 * usual).unwrap_or(largest);
    let radius = evidence.radius();
    let is = |other: f64| (found / other - 1.0).abs() < SAME;
    let reason = if is(2.0 * radius) {
        ": perhaps the radius was used for a diameter or doubled".to_owned()
    } else if is(radius.sqrt()) {
        ": perhaps the squared distance was compared with the radius, which was not squared".to_owned()
    } else {
        String::new()
    };
    let times = found / radius;
    let words =
        format!("are up to {found:.5} m apart, {times:.3} times the radius, as if this were the radius{reason}");
    let certainty = evidence.share_listed_beyond(|pair| pair.distance <= found);
    vec![evidence.claim(words, |pair| pair.distance <= found).with_certainty(certainty)]
}

pub(super) static PERIODIC: Hypothesis =
    Hypothesis { name: "periodic box", kinds: &[Kind::Extra], test: Test::Pairs(periodic) };

fn periodic(evidence: &Evidence<'_>) -> Vec<Claim> {
    let extent = (evidence.domain.high - evidence.domain.low).as_dvec3();
    // The box around the points can be slightly larger than the period.
    let reach = 1.1 * evidence.radius();
    let across = |first: u32, second: u32| {
        let offset = (evidence.points[first as usize] - evidence.points[second as usize]).as_dvec3().abs();
        let wrapped = offset.cmpgt(0.5 * extent);
        let nearest = DVec3::select(wrapped, (extent - offset).max(DVec3::ZERO), offset);
        if nearest.length() <= reach { wrapped.bitmask() } else { 0 }
    };
    let axes = evidence.wrong.pairs.iter().map(|pair| across(pair.first, pair.second)).fold(0, |all, one| all | one);
    let names: Vec<_> = ["x", "y", "z"].into_iter().zip(0..).filter(|(_, axis)| axes >> axis & 1 == 1).collect();
    let names: Vec<_> = names.into_iter().map(|(name, _)| name).collect();
    let words =
        format!("are neighbors only across the faces of the box along {}, as in a periodic box", names.join(", "));
    vec![evidence.claim(words, |pair| across(pair.first, pair.second) != 0)]
}

pub(super) static CONSTANT_INDEX: Hypothesis = Hypothesis {
    name: "one index",
    kinds: &[Kind::Extra],
    test: Test::Pairs(|evidence| {
        let mut seconds: Vec<u32> = evidence.wrong.pairs.iter().map(|pair| pair.second).collect();
        seconds.sort_unstable();
        let longest = seconds.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
        let Some(&[second, ..]) = longest else { return Vec::new() };
        let words = format!("have particle {second} as the second one, as if the entries were never written");
        vec![evidence.claim(words, |pair| pair.second == second)]
    }),
};
