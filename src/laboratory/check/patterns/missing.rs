//! Hypotheses about pairs that are missing from the list, from indices and distances.

use super::evidence::{Claim, Evidence};
use super::{Hypothesis, Kind, Test};
use crate::format::count;

/// Workgroup sizes, largest first, whose last, incomplete block may have been left out.
const BLOCKS: [u32; 6] = [1024, 512, 256, 128, 64, 32];

pub(super) static SMALLER_RADIUS: Hypothesis = Hypothesis {
    name: "smaller radius",
    kinds: &[Kind::Missing],
    test: Test::Pairs(|evidence| {
        let (found, radius) = (evidence.farthest_right, evidence.radius());
        if found == 0.0 {
            return Vec::new();
        }
        let is = |other: f64| (found / other - 1.0).abs() < 0.02;
        let reason = if is(0.5 * radius) {
            ": perhaps the radius was taken for a diameter"
        } else if is(radius * radius) {
            ": perhaps the distance was compared with the squared radius"
        } else {
            ""
        };
        let words = format!(
            "are farther apart than {found:.5} m, {:.3} times the radius, as if this were the radius{reason}",
            found / radius
        );
        vec![evidence.claim(words, |pair| pair.distance > found)]
    }),
};

/// Makes a claim about particles in two variants: for the first particle of a pair, and for either particle.
fn in_both_ways(evidence: &Evidence<'_>, words: &str, is: impl Fn(u32) -> bool) -> Vec<Claim> {
    let either = evidence.claim(words, |pair| is(pair.first) || is(pair.second)).for_few();
    if evidence.once {
        return vec![either];
    }
    vec![evidence.claim(words, |pair| is(pair.first)).for_few(), either]
}

pub(super) static UNFINISHED_BLOCK: Hypothesis = Hypothesis {
    name: "unfinished last block",
    kinds: &[Kind::Missing],
    test: Test::Pairs(|evidence| {
        let particles = evidence.particle_count();
        let listed = evidence.listed_counts();
        let end = listed.iter().rposition(|&count| count > 0).map_or(0, |last| last as u32 + 1);
        // There may be particles without neighbors before the first one that was left out.
        let block = |end: u32| BLOCKS.into_iter().find(|block| end.is_multiple_of(*block) && particles - end < *block);
        let truth = evidence.true_counts();
        let next = (end..particles).find(|&particle| truth[particle as usize] > 0).unwrap_or(particles);
        let start = (end..=next).find(|&start| start > 0 && block(start).is_some());
        if next == particles || (start.is_none() && particles - end < 2) {
            return Vec::new();
        }
        let from = start.unwrap_or(end);
        let reason = match start.and_then(block) {
            Some(block) => format!("the last, incomplete block of {block} particles was left out"),
            None => "the list ends there".to_owned(),
        };
        let words = format!(
            "belong to particles from index {} on, of {}: {reason}",
            count(from.into()),
            count(particles.into())
        );
        in_both_ways(evidence, &words, |particle| particle >= from)
    }),
};

pub(super) static SILENT_PARTICLES: Hypothesis = Hypothesis {
    name: "silent particles",
    kinds: &[Kind::Missing],
    test: Test::Pairs(|evidence| {
        let (listed, truth) = (evidence.listed_counts(), evidence.true_counts());
        let is_silent = |particle: u32| listed[particle as usize] == 0 && truth[particle as usize] > 0;
        let silent: Vec<u32> = (0..evidence.particle_count()).filter(|&particle| is_silent(particle)).collect();
        let words = match silent.as_slice() {
            [] => return Vec::new(),
            [one] => format!("belong to one particle, index {one}, which has no neighbor in the list"),
            [first, ..] => {
                let silent = count(silent.len() as u64);
                format!("belong to {silent} particles that have no neighbor in the list (the first is index {first})")
            }
        };
        in_both_ways(evidence, &words, is_silent)
    }),
};

pub(super) static CAPPED_LIST: Hypothesis = Hypothesis {
    name: "capped list",
    kinds: &[Kind::Missing],
    test: Test::Pairs(|evidence| {
        // In a list with each pair once, a row contains only the neighbors with a larger index.
        let row = |particle: usize| evidence.mine.of(particle).chunk_by(|a, b| a == b).count() as u32;
        let is_counted = |particle: usize, other: u32| !evidence.once || other as usize > particle;
        let truth = |particle: usize| {
            evidence.truth.of(particle).iter().filter(|&&other| is_counted(particle, other)).count() as u32
        };
        let particles = 0..evidence.points.len();
        let cap = particles.clone().map(row).max().unwrap_or(0);
        let rich: Vec<usize> = particles.filter(|&particle| truth(particle) > cap).collect();
        if cap == 0 || rich.len() < 3 {
            return Vec::new();
        }
        let full = rich.iter().filter(|&&particle| row(particle) == cap).count();
        let words = format!(
            "belong to the {} particles with more than {cap} neighbors, which have {cap} in the list: a cap of {cap}",
            count(rich.len() as u64)
        );
        let is_rich = |particle: u32| rich.binary_search(&(particle as usize)).is_ok();
        vec![evidence.claim(words, |pair| is_rich(pair.first)).with_certainty(full as f64 / rich.len() as f64)]
    }),
};
