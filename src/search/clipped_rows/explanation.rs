//! The explanation of the search by clipped rows.

use super::{BUILD_FILE, FILE};
use crate::explanation::Expression::{Number, Sum, Symbol as S, Term};
use crate::explanation::{Advice, Explanation, Formula, PassTag, PseudocodeLine, SlownessCause, Symbol, Unit};

const COUNT: &[PassTag] = &[PassTag::EntryPoint(BUILD_FILE, "count_particles")];
const PLACE: &[PassTag] = &[PassTag::EntryPoint(BUILD_FILE, "place_rows")];
const SCATTER: &[PassTag] = &[PassTag::EntryPoint(BUILD_FILE, "scatter")];
const TRAVERSE: &[PassTag] = &[PassTag::EntryPoint(FILE, "traverse")];

pub(super) static EXPLANATION: Explanation = Explanation {
    sentences: [
        "Particles that follow one another in the sorted order have nearly the same candidates, so one invocation owns \
         several of them and reads each candidate once for all.",
        "The box is divided into rows of short cells; of each row only the part within the sphere around the owned \
         particles is read.",
        "Rows may lie in memory in any order, so each workgroup sorts complete rows by itself and takes room for them \
         with one atomic addition; the build has three dispatches.",
    ],
    pseudocode: &[&[
        PseudocodeLine::new(0, "foreach particle i do", COUNT),
        PseudocodeLine::new(1, "offset[i] := atomicAdd(count[cell(x_i)], 1)", COUNT),
        PseudocodeLine::new(0, "foreach batch of rows R do", PLACE),
        PseudocodeLine::new(1, "first := atomicAdd(placed, particles in R)", PLACE),
        PseudocodeLine::new(1, "start := first + exclusive prefix sum (count);  count := 0", PLACE),
        PseudocodeLine::new(0, "foreach particle i do", SCATTER),
        PseudocodeLine::new(1, "output[start[cell(x_i)] + offset[i]] := input[i]", SCATTER),
        PseudocodeLine::new(0, "foreach w consecutive particles of a row, with box b do", TRAVERSE),
        PseudocodeLine::new(1, "foreach row within r of b do", TRAVERSE),
        PseudocodeLine::new(2, "chord := √(r² − distance²(row, b))", TRAVERSE),
        PseudocodeLine::new(2, "h₁ .. h₂ := cells from low(b) − chord to high(b) + chord", TRAVERSE),
        PseudocodeLine::new(2, "for j := start[h₁]; j < start[h₂ + 1]; j := j + 1 do", TRAVERSE),
        PseudocodeLine::new(3, "foreach i: if |x_i − x_j| ≤ r, j ≠ i then  sum += f(i, j)", TRAVERSE),
        PseudocodeLine::new(1, "foreach i do  finish(i, sum)", TRAVERSE),
    ]],
    formulas: &[
        Formula::exact(
            "memory of the search",
            Sum(&[Term(4.0, "n"), Term(8.0, "a"), Number(4.0)]),
            Unit::Bytes,
            "M",
        )
        .from("the offset of each particle; a counter and a start for each cell, and up to four more of both for each row"),
        Formula::exact("dispatches of a build", Number(3.0), Unit::Count, "B"),
        Formula::unmeasured("particles that an invocation owns", S("w"), Unit::Count)
            .from("for pair kernels that are evaluated for every candidate"),
    ],
    symbols: &[
        Symbol::new("a", "entries of the table: cells and ends of rows", Unit::Count),
        Symbol::new("l", "rows of cells", Unit::Count),
        Symbol::new("w", "particles that an invocation owns", Unit::Count),
        Symbol::new("v", "volume of the clipped rows around a single particle, on average", Unit::Other("m³")),
    ],
    advice: &[
        Advice::new(
            SlownessCause::Candidates,
            "an invocation that owns fewer particles reads fewer candidates for each, but shares its loads among fewer",
        ),
        Advice::new(
            SlownessCause::Divergence,
            "lanes own particles of different rows, whose numbers of candidates differ most in thin layers and spray",
        ),
        Advice::new(
            SlownessCause::Build,
            "counters and starts grow with the box; fewer cells per radius make the build shorter",
        ),
    ],
};
