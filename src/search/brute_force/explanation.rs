//! The explanation of brute force.

use super::FILE;
use crate::explanation::Expression::{Difference, Number, Product, Symbol as S};
use crate::explanation::{Advice, Explanation, Formula, PassTag, PseudocodeLine, SlownessCause, Unit};
use crate::search::explained::FINISH_LINES;

const STAMP: &[PassTag] = &[PassTag::EntryPoint(FILE, "stamp_indices")];
const TRAVERSE: &[PassTag] = &[PassTag::EntryPoint(FILE, "traverse")];
const ONCE: &[PassTag] = &[PassTag::EntryPoint(FILE, "traverse_once")];

pub(super) static EXPLANATION: Explanation = Explanation {
    sentences: [
        "Each particle is compared with every other particle, so nothing has to be sorted and no table is kept.",
        "A workgroup loads 128 positions at a time into workgroup memory, where all its particles test them.",
        "The work grows with the square of the number of particles: twice the water takes four times as long.",
    ],
    pseudocode: &[
        &[PseudocodeLine::new(0, "foreach particle i do  output[i] := (x_i, i)", STAMP)],
        &[
            PseudocodeLine::heading("pairs both ways:"),
            PseudocodeLine::new(0, "foreach particle i do", TRAVERSE),
            PseudocodeLine::new(1, "foreach tile of 128 positions do", TRAVERSE),
            PseudocodeLine::new(2, "tile := input[first .. first + 128];  group barrier", TRAVERSE),
            PseudocodeLine::new(2, "foreach j ∈ tile with j ≠ i do", TRAVERSE),
            PseudocodeLine::new(3, "if |x_i − x_j| ≤ r then  sum += f(i, j)", TRAVERSE),
            PseudocodeLine::new(1, "finish(i, sum)", TRAVERSE),
        ],
        &[
            PseudocodeLine::heading("pairs once:"),
            PseudocodeLine::new(0, "foreach pair of tiles (a, b) with a ≤ b do", ONCE),
            PseudocodeLine::new(1, "foreach i ∈ a, j ∈ b with j > i do", ONCE),
            PseudocodeLine::new(2, "if |x_i − x_j| ≤ r then  sum_i += f(i, j);  sum_j += f(j, i)", ONCE),
        ],
        FINISH_LINES,
    ],
    formulas: &[
        Formula::exact(
            "tests of one traversal",
            Product(&[S("n"), Difference(&[S("n"), Number(1.0)])]),
            Unit::Count,
            "T",
        ),
        Formula::exact("memory of the search", Number(0.0), Unit::Bytes, "M"),
        Formula::exact("dispatches of a build", Number(1.0), Unit::Count, "B"),
    ],
    symbols: &[],
    advice: &[Advice::new(SlownessCause::Candidates, "any search with a grid tests only particles in nearby cells")],
};
