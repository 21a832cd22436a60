//! The explanation of FENNS, in the notation of its Algorithms 1 to 4.

use super::FILE;
use crate::explanation::Expression::{Number, Sum, Symbol as S, Term};
use crate::explanation::{Advice, Explanation, Formula, PassTag, PseudocodeLine, SlownessCause, Unit};
use crate::search::explained::{BORDER_SHARE, DEPOSITS, FINISH_LINES, HALO_LINES, HALO_SYMBOLS, VOLUMES};

const CLEAR: &[PassTag] = &[PassTag::EntryPoint(FILE, "clear_cells")];
const COUNT: &[PassTag] = &[PassTag::EntryPoint(FILE, "count_particles")];
const SCAN: &[PassTag] = &[PassTag::EntryPoint(FILE, "scan_cells")];
const SORT: &[PassTag] = &[PassTag::EntryPoint(FILE, "sort_particles")];
const STARTS: &[PassTag] = &[PassTag::EntryPoint(FILE, "find_starts")];
const TRAVERSE: &[PassTag] = &[PassTag::EntryPoint(FILE, "traverse")];

pub(super) static EXPLANATION: Explanation = Explanation {
    sentences: [
        "The grid in memory is so coarse that its counters fit workgroup memory: l³ cells, however large the box and \
         however many the particles.",
        "The particles of a coarse cell are kept in two blocks, [border | inner], because only border particles, within \
         r of another cell, can have neighbors there.",
        "The fine grid that a look-up needs is built on the fly in workgroup memory, for one chunk of a coarse cell at \
         a time, and the cell's other particles and the border particles around it visit the chunk.",
    ],
    pseudocode: &[
        &[
            PseudocodeLine::heading("Algorithm 1, sort, part 1:"),
            PseudocodeLine::new(0, "count := 0", CLEAR),
            PseudocodeLine::new(0, "foreach particle ∈ input do", COUNT),
            PseudocodeLine::new(1, "pos := CalculateGridPosition(particle, grid)", COUNT),
            PseudocodeLine::new(1, "atomicAdd(sharedGrid[pos], 1)", COUNT),
            PseudocodeLine::new(0, "group barrier", COUNT),
            PseudocodeLine::new(0, "foreach (value, cellIdx) ∈ sharedGrid do", COUNT),
            PseudocodeLine::new(1, "atomicAdd(count[cellIdx], value)", COUNT),
            PseudocodeLine::new(0, "inclusive and exclusive prefix sum (count)", SCAN),
            PseudocodeLine::heading("Algorithm 2, sort, part 2:"),
            PseudocodeLine::new(0, "foreach particle ∈ input do", SORT),
            PseudocodeLine::new(1, "isBorder := CheckBorderRegion(particle, grid)", SORT),
            PseudocodeLine::new(1, "reorderedPos := atomicAdd(count[pos + isBorder · partSize],", SORT),
            PseudocodeLine::new(2, "isBorder · 2 − 1) + (isBorder − 1)", SORT),
            PseudocodeLine::new(1, "output[reorderedPos] := particle", SORT),
            PseudocodeLine::new(0, "foreach cellIdx do  recover the start of the cell", STARTS),
        ],
        &[
            PseudocodeLine::heading("Algorithm 3, search, one group per chunk:"),
            PseudocodeLine::new(0, "offset := atomicAdd(gridOffsets[pos], 1);  group barrier", TRAVERSE),
            PseudocodeLine::new(0, "prefix sum (gridOffsets)", TRAVERSE),
            PseudocodeLine::new(0, "particles[Exclusive(pos, gridOffsets) + offset] := particle", TRAVERSE),
            PseudocodeLine::new(0, "for j := start; j < end do  LookupNeighborCells(input[j])", TRAVERSE),
            PseudocodeLine::new(0, "foreach of the 26 neighboring cells do", TRAVERSE),
            PseudocodeLine::new(1, "for k := startN; k < borderEndN do", TRAVERSE),
            PseudocodeLine::new(2, "LookupNeighborCells(input[k])", TRAVERSE),
            PseudocodeLine::heading("Algorithm 4, LookupNeighborCells(neighborParticle):"),
            PseudocodeLine::new(0, "foreach local cell lookupPos around neighborParticle do", TRAVERSE),
            PseudocodeLine::new(1, "for k := Exclusive(lookupPos); k < Inclusive(lookupPos) do", TRAVERSE),
            PseudocodeLine::new(2, "o := particles[k];  if |o − neighborParticle| ≤ r then", TRAVERSE),
            PseudocodeLine::new(3, "InvokeNeighborIterationFunction", TRAVERSE),
        ],
        FINISH_LINES,
        HALO_LINES,
    ],
    formulas: &[
        Formula::exact("memory of the search", Sum(&[Term(8.0, "l³"), S("h")]), Unit::Bytes, "M")
            .from("section 4.3: two counters for each coarse cell, whatever n is"),
        DEPOSITS,
        BORDER_SHARE,
        Formula::exact("dispatches of a build", Sum(&[Number(4.0), S("d")]), Unit::Count, "B"),
    ],
    symbols: &[VOLUMES[0], VOLUMES[1], HALO_SYMBOLS[0], HALO_SYMBOLS[1]],
    advice: &[
        Advice::new(
            SlownessCause::Candidates,
            "cells of the local grid cannot be narrower than r, and more coarse cells make them fit the radius better",
        ),
        Advice::new(
            SlownessCause::Divergence,
            "without a halo the particles of a coarse cell are in no order, so that lanes of a subgroup look up different \
             local cells",
        ),
        Advice::new(
            SlownessCause::Build,
            "each workgroup clears and adds all counters of the coarse grid, so that fewer coarse cells help",
        ),
        Advice::new(SlownessCause::WorkgroupMemory, "smaller coarse cells need smaller chunks"),
    ],
};
