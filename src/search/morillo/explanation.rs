//! The explanation of the search of Morillo et al.

use super::FILE;
use crate::explanation::{Advice, Explanation, Formula, PassTag, PseudocodeLine, SlownessCause, Unit};
use crate::search::explained::{LOOKED_UP, TESTS_OF_CELLS};
use crate::search::sorted_cells::explanation::{DISPATCHES, MEMORY, SORT_LINES, SYMBOLS};

const TRAVERSE: &[PassTag] = &[PassTag::EntryPoint(FILE, "traverse")];

pub(super) static EXPLANATION: Explanation = Explanation {
    sentences: [
        "Cells are at least twice as wide as the influence radius R, so that a particle in the low half of its cell \
         cannot have a neighbor beyond the high face.",
        "Along each axis the half that contains the particle decides which one of the two adjacent cells is looked up.",
        "Eight cells are searched in place of 27: fewer and longer ranges, but a larger volume than 27 cells of edge R.",
    ],
    pseudocode: &[
        SORT_LINES,
        &[
            PseudocodeLine::new(0, "foreach particle a do", TRAVERSE),
            PseudocodeLine::new(1, "determine which octant of its cell contains a", TRAVERSE),
            PseudocodeLine::new(2, "x_j < x_jmin + e/2:  offsets −1 .. 0", TRAVERSE),
            PseudocodeLine::new(2, "x_j ≥ x_jmin + e/2:  offsets  0 .. 1", TRAVERSE),
            PseudocodeLine::new(1, "N_Adj := the 8 searchable cells, as 4 ranges", TRAVERSE),
            PseudocodeLine::new(1, "foreach particle b contained in a cell from N_Adj do", TRAVERSE),
            PseudocodeLine::new(2, "if distance(a, b) ≤ R then  b is a neighbour of a", TRAVERSE),
            PseudocodeLine::new(1, "finish(a, sum)", TRAVERSE),
        ],
    ],
    formulas: &[
        Formula::estimate("tests of one traversal, evenly distributed", TESTS_OF_CELLS, Unit::Count, "T"),
        MEMORY,
        DISPATCHES,
    ],
    symbols: &[SYMBOLS[0], SYMBOLS[1], LOOKED_UP],
    advice: &[
        Advice::new(
            SlownessCause::Candidates,
            "eight cells of edge 2R hold 64 R³ of water where 27 cells of edge R hold 27 R³, so the smallest octant \
             edge tests the fewest",
        ),
        Advice::new(
            SlownessCause::Divergence,
            "neighboring lanes are in different octants and have different numbers of candidates",
        ),
        Advice::new(SlownessCause::Build, "the radix sort moves every particle once per digit"),
    ],
};
