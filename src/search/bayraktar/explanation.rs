//! The explanation of Bayraktar's search.

use super::FILE;
use crate::explanation::Expression::{Number, Sum, Symbol as S, Term};
use crate::explanation::{Advice, Explanation, Formula, PassTag, PseudocodeLine, SlownessCause, Symbol, Unit};
use crate::search::explained::{LOOKED_UP, RADIX_COUNT, RADIX_SCAN, RADIX_SCATTER, SCAN, SCAN_SYMBOLS, TESTS_OF_CELLS};

const COORDINATES: &[PassTag] = &[PassTag::EntryPoint(FILE, "find_coordinates")];
const SORT: &[PassTag] = &[
    PassTag::EntryPoint("primitives/bitonic_sort.wgsl", "sort_tiles"),
    PassTag::EntryPoint("primitives/bitonic_sort.wgsl", "merge"),
    RADIX_COUNT[0],
    RADIX_SCAN[0],
    RADIX_SCATTER[0],
];
const GATHER: &[PassTag] = &[PassTag::EntryPoint(FILE, "gather_positions")];
const FIRST: &[PassTag] = &[PassTag::EntryPoint(FILE, "find_first")];
const OWN: &[PassTag] = &[PassTag::EntryPoint(FILE, "count_own")];
const AROUND: &[PassTag] = &[PassTag::EntryPoint(FILE, "count_around")];
const FILL: &[PassTag] = &[PassTag::EntryPoint(FILE, "fill_fluid_grid")];
const TRAVERSE: &[PassTag] = &[PassTag::EntryPoint(FILE, "traverse")];

pub(super) static EXPLANATION: Explanation = Explanation {
    sentences: [
        "For each cell the search writes a list of all particles in the cell and the 26 cells around it, so that the \
         candidates of a particle are one contiguous range.",
        "It was made for fragment shaders, which cannot write to a computed address: every pass gathers, and finds its \
         input by binary search.",
        "A particle is listed up to 27 times, and these lists take most of the memory and most of the time of a build.",
    ],
    pseudocode: &[&[
        PseudocodeLine::heading("Algorithm 1, grid map (R, G, B, A per cell):"),
        PseudocodeLine::new(0, "1: texGridCoor[i] := (1D grid coordinate of x_i, i)", COORDINATES),
        PseudocodeLine::new(0, "2: sort texGridCoor by grid coordinate", SORT),
        PseudocodeLine::new(1, "gather the positions in sorted order", GATHER),
        PseudocodeLine::new(0, "3: R[c] := first occurrence of c, by binary search", FIRST),
        PseudocodeLine::new(0, "4: G[c] := particles belonging to c", OWN),
        PseudocodeLine::new(0, "5: B[c] := ∑ G of c and its immediate neighbors", AROUND),
        PseudocodeLine::new(0, "6: A[c] := ∑ B[j] for j < c", SCAN),
        PseudocodeLine::heading("Algorithm 2, fluid grid:"),
        PseudocodeLine::new(0, "foreach texture coordinate t of texFluidGrid do", FILL),
        PseudocodeLine::new(1, "c := host cell of t, by binary search in A", FILL),
        PseudocodeLine::new(1, "linear search of t − A[c] in the particles around c", FILL),
        PseudocodeLine::new(1, "texFluidGrid[t] := particle ID", FILL),
        PseudocodeLine::heading("look-up (section 4.2):"),
        PseudocodeLine::new(0, "foreach particle i in cell c do", TRAVERSE),
        PseudocodeLine::new(1, "for t := A[c]; t < A[c] + B[c]; t := t + 1 do", TRAVERSE),
        PseudocodeLine::new(2, "j := texFluidGrid[t]", TRAVERSE),
        PseudocodeLine::new(2, "if |x_i − x_j| ≤ r ∧ j ≠ i then  sum += f(i, j)", TRAVERSE),
        PseudocodeLine::new(1, "finish(i, sum)", TRAVERSE),
    ]],
    formulas: &[
        Formula::estimate("tests of one traversal, evenly distributed", TESTS_OF_CELLS, Unit::Count, "T"),
        Formula::exact(
            "memory of the search",
            Sum(&[Term(8.0, "n"), Term(16.0, "m³"), Term(4.0, "E"), S("b"), S("s")]),
            Unit::Bytes,
            "M",
        )
        .from("coordinates and indices, four numbers for each cell, and the lists"),
        Formula::unmeasured(
            "memory in the paper",
            Sum(&[Term(8.0, "n"), Term(16.0, "m³"), Term(216.0, "n")]),
            Unit::Bytes,
        )
        .from("table 2, with 27 entries of 8 bytes per particle"),
        Formula::exact("dispatches of a build", Sum(&[S("p"), S("q"), Number(6.0)]), Unit::Count, "B"),
    ],
    symbols: &[
        Symbol::new("E", "entries of the fluid grid: room for each particle in every cell around it", Unit::Count),
        Symbol::new("p", "dispatches of the sort", Unit::Count),
        SCAN_SYMBOLS[0],
        Symbol::new("b", "memory of the radix sort and padding of the buffers", Unit::Bytes),
        SCAN_SYMBOLS[1],
        LOOKED_UP,
    ],
    advice: &[
        Advice::new(
            SlownessCause::Candidates,
            "the list of a cell contains all 27 cells, also those that the sphere of a particle does not touch",
        ),
        Advice::new(
            SlownessCause::Build,
            "the sort and the lists of up to 27 entries per particle are written anew in every step; the radix sort \
             shortens the first of them",
        ),
    ],
};
