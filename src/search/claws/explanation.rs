//! The explanation of CLAWS, in the notation of its Algorithms 1 to 4 and of section 3.

use super::{BUILD_FILE, ORDER_FILE, TRAVERSAL_FILE};
use crate::explanation::Expression::{Number, Sum, Symbol as S, Term};
use crate::explanation::{Advice, Explanation, Formula, PassTag, PseudocodeLine, SlownessCause, Symbol, Unit};
use crate::search::explained::{
    BORDER_SHARE, DEPOSITS, FINISH_LINES, HALO_LINES, HALO_SYMBOLS, SCAN, SCAN_SYMBOLS, VOLUMES,
};

const CLEAR: &[PassTag] = &[PassTag::EntryPoint(BUILD_FILE, "clear_counters")];
const COUNT: &[PassTag] = &[PassTag::EntryPoint(BUILD_FILE, "count_particles")];
const REORDER: &[PassTag] = &[PassTag::EntryPoint(BUILD_FILE, "reorder")];
const ORDER: &[PassTag] = &[PassTag::EntryPoint(ORDER_FILE, "order_blocks")];
const TRAVERSE: &[PassTag] = &[PassTag::EntryPoint(TRAVERSAL_FILE, "traverse")];

pub(super) static EXPLANATION: Explanation = Explanation {
    sentences: [
        "The coarse grid and the local grids are those of FENNS, but in memory all inner particles come first and then \
         all border particles, so that three cells along x are one range of border particles.",
        "A pair of particles within a coarse cell is evaluated once, and both particles get their contributions.",
        "The warps (subgroups) of a group are shared out over the nine rows around its cell in proportion to the \
         particles of the rows, so that no warp is idle while another has a long row.",
    ],
    pseudocode: &[
        &[
            PseudocodeLine::heading("reordering (section 3.2):"),
            PseudocodeLine::new(0, "counter := 0", CLEAR),
            PseudocodeLine::new(0, "foreach particle do", COUNT),
            PseudocodeLine::new(1, "block := grid position + isBorder · l³", COUNT),
            PseudocodeLine::new(1, "atomicAdd(sharedCounter[block], 1), then into counter", COUNT),
            PseudocodeLine::new(0, "inclusive prefix sum (counter)", SCAN),
            PseudocodeLine::new(0, "foreach particle do", REORDER),
            PseudocodeLine::new(1, "output[atomicAdd(counter[block], −1) − 1] := particle", REORDER),
            PseudocodeLine::new(0, "sort each block by a finer grid (not in the paper)", ORDER),
        ],
        &[
            PseudocodeLine::heading("per chunk of a coarse cell:"),
            PseudocodeLine::new(0, "build the local grid of the chunk (FENNS, Algorithm 3)", TRAVERSE),
            PseudocodeLine::new(0, "foreach particle of the chunk do  LookupNeighborCells()", TRAVERSE),
            PseudocodeLine::new(0, "foreach particle of the later chunks of the cell do", TRAVERSE),
            PseudocodeLine::new(1, "LookupNeighborCells() for both particles (section 3.1)", TRAVERSE),
            PseudocodeLine::heading("Algorithm 1, surrounding grid cells:"),
            PseudocodeLine::new(0, "if warp index = 0 ∧ lane index < 9 then", TRAVERSE),
            PseudocodeLine::new(1, "warpMap[lane index] := particles of the row (3 cells)", TRAVERSE),
            PseudocodeLine::new(1, "ScheduleWarps(warpMap, targetMap, warpStarts)", TRAVERSE),
            PseudocodeLine::new(0, "group barrier", TRAVERSE),
            PseudocodeLine::new(0, "targetWarp := warpMap[warp index]", TRAVERSE),
            PseudocodeLine::new(0, "row := targetMap[targetWarp]", TRAVERSE),
            PseudocodeLine::new(0, "stepsize := warpStarts[targetWarp] · warp size", TRAVERSE),
            PseudocodeLine::new(0, "for k := borderStart; k < borderEnd; k += stepsize do", TRAVERSE),
            PseudocodeLine::new(1, "if k ∉ own cell then  LookupNeighborCells()", TRAVERSE),
            PseudocodeLine::heading("Algorithm 2, ScheduleWarps:"),
            PseudocodeLine::new(0, "amountWarps := WarpReduce(warpMap)", TRAVERSE),
            PseudocodeLine::new(0, "percentage := ⌈warpMap · warps / amountWarps⌉", TRAVERSE),
            PseudocodeLine::new(0, "add or take warps until the group is exactly filled", TRAVERSE),
        ],
        FINISH_LINES,
        HALO_LINES,
    ],
    formulas: &[
        Formula::exact("memory of the search", Sum(&[Term(8.0, "l³"), Number(8.0), S("s"), S("h")]), Unit::Bytes, "M")
            .from("two counters for each coarse cell, one unused and one past the last"),
        Formula::unmeasured("memory in the paper", Term(8.0, "l³"), Unit::Bytes).from("section 4.3, as FENNS"),
        DEPOSITS,
        BORDER_SHARE,
        Formula::exact("dispatches of a build", Sum(&[S("q"), S("f"), Number(3.0)]), Unit::Count, "B"),
    ],
    symbols: &[
        SCAN_SYMBOLS[0],
        SCAN_SYMBOLS[1],
        Symbol::new("f", "dispatches that sort the blocks by a finer grid, 1 with fine order or a halo", Unit::Count),
        VOLUMES[0],
        VOLUMES[1],
        HALO_SYMBOLS[0],
        HALO_SYMBOLS[1],
    ],
    advice: &[
        Advice::new(
            SlownessCause::Candidates,
            "the local grid of clipped rows tests fewer particles than the 27 cells of the paper",
        ),
        Advice::new(
            SlownessCause::Divergence,
            "the fine order and the shared queue give the lanes of a subgroup similar work",
        ),
        Advice::new(
            SlownessCause::Build,
            "the fine order costs a pass over all particles, which pays only if the traversal is long",
        ),
        Advice::new(
            SlownessCause::WorkgroupMemory,
            "a chunk fills the workgroup memory on purpose, because fewer chunks visit each other less",
        ),
    ],
};
