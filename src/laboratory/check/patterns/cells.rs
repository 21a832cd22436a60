//! Hypotheses about the cells of both particles of a pair.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::UVec3;

use super::evidence::{Claim, Look};
use super::{Hypothesis, Kind, Test};
use crate::laboratory::check::WrongPair;

const AXES: [&str; 3] = ["x", "y", "z"];

impl Look<'_> {
    /// Describes the cells, in parentheses.
    fn cells(&self) -> String {
        let (counts, size) = (self.places.cells.counts, self.places.cells.size);
        format!(
            "(cells of {}: {} x {} x {} of {:.4} x {:.4} x {:.4} m)",
            self.name, counts.x, counts.y, counts.z, size.x, size.y, size.z
        )
    }

    fn claim(&self, words: &str, holds: impl Fn(UVec3, UVec3) -> bool) -> Claim {
        let words = format!("{words} {}", self.cells());
        self.evidence.claim(words, |pair| holds(self.places.cell(pair.first), self.places.cell(pair.second)))
    }
}

/// The names of the axes in a mask of bits.
fn axes_of(mask: u32) -> String {
    let names: Vec<_> = AXES.into_iter().enumerate().filter(|(axis, _)| mask >> axis & 1 == 1).collect();
    names.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(" and ")
}

/// The axes along which two cells differ, as bits.
fn crossed(a: UVec3, b: UVec3) -> u32 {
    a.cmpne(b).bitmask()
}

pub(super) static CROSSING: Hypothesis = Hypothesis {
    name: "crossing",
    kinds: &Kind::ALL,
    test: Test::Cells(|look| {
        let mut claims = vec![look.claim("have their particles in different cells", |a, b| a != b)];
        for axis in 0..3_u32 {
            let words = format!("cross a face between cells along {}", axes_of(1 << axis));
            claims.push(look.claim(&words, |a, b| crossed(a, b) >> axis & 1 == 1));
        }
        for mask in 1..8_u32 {
            let (what, end) = match mask.count_ones() {
                1 => ("a face", " and along no other axis"),
                2 => ("an edge", ""),
                _ => ("a corner", ""),
            };
            let words = format!("cross {what} between cells along {}{end}", axes_of(mask));
            claims.push(look.claim(&words, |a, b| crossed(a, b) == mask));
        }
        for (count, what) in [(1, "a face"), (2, "an edge"), (3, "a corner")] {
            let words = format!("are in cells that share {what} and no more");
            claims.push(look.claim(&words, |a, b| crossed(a, b).count_ones() == count));
        }
        let words = "are in cells that share only an edge or a corner";
        claims.push(look.claim(words, |a, b| crossed(a, b).count_ones() >= 2));
        claims
    }),
};

pub(super) static TOWARDS: Hypothesis = Hypothesis {
    name: "towards",
    kinds: &Kind::ALL,
    test: Test::Cells(|look| {
        if look.evidence.once {
            return Vec::new();
        }
        let index = |cell: UVec3| {
            let counts = look.places.cells.counts.as_u64vec3();
            (u64::from(cell.z) * counts.y + u64::from(cell.y)) * counts.x + u64::from(cell.x)
        };
        let mut claims = vec![
            look.claim("have their second particle in a cell of higher index", |a, b| index(b) > index(a)),
            look.claim("have their second particle in a cell of lower index", |a, b| index(b) < index(a)),
        ];
        for (axis, name) in AXES.into_iter().enumerate() {
            let words = |where_to| format!("have their second particle in a {where_to} cell along {name}");
            claims.push(look.claim(&words("higher"), |a, b| b[axis] > a[axis]));
            claims.push(look.claim(&words("lower"), |a, b| b[axis] < a[axis]));
        }
        claims
    }),
};

pub(super) static SAME_CELL: Hypothesis = Hypothesis {
    name: "same cell",
    kinds: &Kind::ALL,
    test: Test::Cells(|look| vec![look.claim("have both particles in the same cell", |a, b| a == b)]),
};

pub(super) static OUTERMOST_CELL: Hypothesis = Hypothesis {
    name: "outermost cell",
    kinds: &Kind::ALL,
    test: Test::Cells(|look| {
        let counts = look.places.cells.counts;
        let mut claims = Vec::new();
        for axis in (0..3).filter(|&axis| counts[axis] > 1) {
            for (place, which) in [(counts[axis] - 1, "last"), (0, "first")] {
                let words = |who: &str| format!("have {who} in the {which} cell along {}", AXES[axis]);
                claims.push(look.claim(&words("a particle"), |a, b| a[axis] == place || b[axis] == place));
                if !look.evidence.once {
                    claims.push(look.claim(&words("their second particle"), |_, b| b[axis] == place));
                    claims.push(look.claim(&words("their first particle"), |a, _| a[axis] == place));
                }
            }
        }
        claims
    }),
};

pub(super) static CLASSES: Hypothesis = Hypothesis {
    name: "classes",
    kinds: &Kind::ALL,
    test: Test::Cells(|look| {
        if look.places.cells.border.is_none() {
            return Vec::new();
        }
        let is_border = |particle: u32| look.places.is_border(particle) == Some(true);
        let borders = |pair: &WrongPair| [pair.first, pair.second].map(is_border);
        let differ = |pair: &WrongPair| look.places.cell(pair.first) != look.places.cell(pair.second);
        let claim = |words: &str, holds: &dyn Fn(&WrongPair) -> bool| {
            look.evidence.claim(format!("{words} {}", look.cells()), holds)
        };
        vec![
            claim("are between border particles of different cells", &|pair| {
                borders(pair) == [true; 2] && differ(pair)
            }),
            claim("are between border particles of one cell", &|pair| borders(pair) == [true; 2] && !differ(pair)),
            claim("are between border and inner particles", &|pair| borders(pair)[0] != borders(pair)[1]),
            claim("are between inner particles", &|pair| borders(pair) == [false; 2]),
            claim("have a border particle first and an inner one second", &|pair| borders(pair) == [true, false]),
            claim("have an inner particle first and a border one second", &|pair| borders(pair) == [false, true]),
        ]
    }),
};

pub(super) static CAPPED_CELL: Hypothesis =
    Hypothesis { name: "capped cell", kinds: &[Kind::Missing], test: Test::Cells(capped_cell) };

/// Tests whether cells can store only a limited number of particles, so that the remaining particles of a fuller cell
/// are never found as neighbors.
fn capped_cell(look: &Look<'_>) -> Vec<Claim> {
    let mut occupancy: HashMap<UVec3, u32> = HashMap::new();
    for particle in 0..look.evidence.particle_count() {
        *occupancy.entry(look.places.cell(particle)).or_default() += 1;
    }
    let mut lost: HashMap<UVec3, BTreeSet<u32>> = HashMap::new();
    for pair in &look.evidence.wrong.pairs {
        lost.entry(look.places.cell(pair.second)).or_default().insert(pair.second);
    }
    // The most frequent number of remaining particles among the cells that lost particles.
    let mut votes: BTreeMap<u32, usize> = BTreeMap::new();
    for (cell, lost) in &lost {
        *votes.entry(occupancy[cell].saturating_sub(lost.len() as u32)).or_default() += 1;
    }
    let Some((&cap, _)) = votes.iter().filter(|(cap, _)| **cap > 0).max_by_key(|(_, votes)| **votes) else {
        return Vec::new();
    };
    let full: Vec<_> = occupancy.iter().filter(|(_, held)| **held > cap).map(|(cell, _)| *cell).collect();
    if full.len() < 3 {
        return Vec::new();
    }
    let follow =
        full.iter().filter(|cell| lost.get(cell).is_some_and(|lost| lost.len() as u32 == occupancy[*cell] - cap));
    let certainty = follow.count() as f64 / full.len() as f64;
    let words = format!("have their second particle in a cell with more than {cap} particles: a cap of {cap} per cell");
    vec![look.claim(&words, |_, b| occupancy[&b] > cap).with_certainty(certainty)]
}

pub(super) static UNTESTED_DISTANCE: Hypothesis = Hypothesis {
    name: "untested distance",
    kinds: &[Kind::Extra],
    test: Test::Cells(|look| {
        let near = |a: UVec3, b: UVec3| a.max(b) - a.min(b);
        let all = |pair: &WrongPair, most: u32| {
            let (a, b) = (look.places.cell(pair.first), look.places.cell(pair.second));
            near(a, b).cmple(UVec3::splat(most)).all()
        };
        let mut claims = Vec::new();
        for (most, where_from) in [(0, "the same cell"), (1, "the same or neighboring cells")] {
            let words = format!("are in {where_from} at any distance: the distance was not tested");
            let certainty = look.evidence.share_listed_beyond(|pair| all(pair, most));
            claims
                .push(look.claim(&words, |a, b| near(a, b).cmple(UVec3::splat(most)).all()).with_certainty(certainty));
        }
        claims
    }),
};
