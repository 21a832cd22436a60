//! The explanation of Hoetzlein's search.

use super::FILE;
use crate::explanation::Expression::{Number, Sum, Symbol as S, Term};
use crate::explanation::{Advice, Explanation, Formula, PassTag, PseudocodeLine, SlownessCause, Unit};
use crate::search::explained::{LOOKED_UP, SCAN, SCAN_SYMBOLS, TESTS_OF_CELLS};

const CLEAR: &[PassTag] = &[PassTag::EntryPoint(FILE, "clear_cells")];
const COUNT: &[PassTag] = &[PassTag::EntryPoint(FILE, "count_particles")];
const SCATTER: &[PassTag] = &[PassTag::EntryPoint(FILE, "scatter")];
const TRAVERSE: &[PassTag] = &[PassTag::EntryPoint(FILE, "traverse")];

pub(super) static EXPLANATION: Explanation = Explanation {
    sentences: [
        "A counting sort replaces the radix sort: an atomic addition to the counter of its cell tells each particle \
         how many particles of the cell came before it.",
        "The prefix sum of the counters is the start of each cell in the sorted list.",
        "Start plus offset is the place of the particle, which is written there once; a look-up reads rows of cells \
         that are adjacent in memory.",
    ],
    pseudocode: &[&[
        PseudocodeLine::new(0, "foreach cell h do  count[h] := 0", CLEAR),
        PseudocodeLine::new(0, "foreach particle i do", COUNT),
        PseudocodeLine::new(1, "cell[i] := CalculateGridPosition(x_i)", COUNT),
        PseudocodeLine::new(1, "offset[i] := atomicAdd(count[cell[i]], 1)", COUNT),
        PseudocodeLine::new(0, "start := exclusive prefix sum (count)", SCAN),
        PseudocodeLine::new(0, "foreach particle i do", SCATTER),
        PseudocodeLine::new(1, "output[start[cell[i]] + offset[i]] := input[i]", SCATTER),
        PseudocodeLine::new(0, "foreach particle i do", TRAVERSE),
        PseudocodeLine::new(1, "foreach row of cells h₁ .. h₂ around x_i do", TRAVERSE),
        PseudocodeLine::new(2, "for j := start[h₁]; j < start[h₂ + 1]; j := j + 1 do", TRAVERSE),
        PseudocodeLine::new(3, "if |x_i − x_j| ≤ r ∧ j ≠ i then  sum += f(i, j)", TRAVERSE),
        PseudocodeLine::new(1, "finish(i, sum)", TRAVERSE),
    ]],
    formulas: &[
        Formula::estimate("tests of one traversal, evenly distributed", TESTS_OF_CELLS, Unit::Count, "T"),
        Formula::exact(
            "memory of the search",
            Sum(&[Term(8.0, "n"), Term(4.0, "m³"), Number(4.0), S("s")]),
            Unit::Bytes,
            "M",
        )
        .from("cell and offset of each particle, a start for each cell and one past the last"),
        Formula::unmeasured("memory in the paper", Sum(&[Term(8.0, "n"), Term(4.0, "m³")]), Unit::Bytes)
            .from("FENNS paper, section 4.3"),
        Formula::exact("dispatches of a build", Sum(&[S("q"), Number(3.0)]), Unit::Count, "B"),
    ],
    symbols: &[SCAN_SYMBOLS[0], SCAN_SYMBOLS[1], LOOKED_UP],
    advice: &[
        Advice::new(
            SlownessCause::Candidates,
            "the cell edge \"fine\", which clips rows of narrow cells to the sphere, tests the fewest particles",
        ),
        Advice::new(
            SlownessCause::Divergence,
            "neighboring lanes have different numbers of candidates where the density of particles changes",
        ),
        Advice::new(
            SlownessCause::Build,
            "counters and prefix sum grow with the box, so that wider cells make the build shorter",
        ),
    ],
};
