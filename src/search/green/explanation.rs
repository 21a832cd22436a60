//! The explanation of Green's search.

use super::FILE;
use crate::explanation::{Advice, Explanation, Formula, PassTag, PseudocodeLine, SlownessCause, Unit};
use crate::search::explained::{LOOKED_UP, TESTS_OF_CELLS};
use crate::search::sorted_cells::explanation::{DISPATCHES, MEMORY, PAPER_MEMORY, SORT_LINES, SYMBOLS};

const TRAVERSE: &[PassTag] = &[PassTag::EntryPoint(FILE, "traverse")];

pub(super) static EXPLANATION: Explanation = Explanation {
    sentences: [
        "The box is divided into cells, and the particles are sorted by the number of their cell with a radix sort.",
        "In the sorted list a cell begins where the number changes, so that two indices describe all particles of a \
         cell.",
        "A particle looks up its own cell and the cells around it, and tests only the particles that they contain.",
    ],
    pseudocode: &[
        SORT_LINES,
        &[
            PseudocodeLine::new(0, "foreach particle i do", TRAVERSE),
            PseudocodeLine::new(1, "foreach cell h of the up to 27 around x_i do", TRAVERSE),
            PseudocodeLine::new(2, "for j := start[h]; j < end[h]; j := j + 1 do", TRAVERSE),
            PseudocodeLine::new(3, "if |x_i − x_j| ≤ r ∧ j ≠ i then  sum += f(i, j)", TRAVERSE),
            PseudocodeLine::new(1, "finish(i, sum)", TRAVERSE),
        ],
    ],
    formulas: &[
        Formula::estimate("tests of one traversal, evenly distributed", TESTS_OF_CELLS, Unit::Count, "T"),
        MEMORY,
        PAPER_MEMORY,
        DISPATCHES,
    ],
    symbols: &[SYMBOLS[0], SYMBOLS[1], LOOKED_UP],
    advice: &[
        Advice::new(
            SlownessCause::Candidates,
            "cells of edge r and the look-up of touched cells test the fewest particles that this search can test",
        ),
        Advice::new(
            SlownessCause::Divergence,
            "neighboring lanes have different numbers of candidates where the density of particles changes",
        ),
        Advice::new(
            SlownessCause::Build,
            "the radix sort moves every particle once per digit, where a counting sort moves it once",
        ),
    ],
};
