//! The settings of CLAWS: the four ideas of the paper, and what this project adds (`claws.rs`).

use crate::search::halo::HALO;
use crate::search::{OptionChoice, OptionKind, SearchOption, SearchOptions};

/// Whether all inner particles precede all border particles.
pub(super) static REORDER: SearchOption = SearchOption {
    name: "claws-reorder",
    title: "Reorder",
    hover: "whether all inner particles precede all border particles in memory",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "inner particles by cell, then border particles by cell" },
        OptionChoice { label: "off", hover: "as in FENNS: border and inner particles of each cell are adjacent" },
    ]),
};

/// Whether three cells along x are looked up as one range.
pub(super) static MERGED_ROWS: SearchOption = SearchOption {
    name: "claws-rows",
    title: "Merged rows",
    hover: "whether three cells along x are looked up as one range",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "9 ranges around a cell" },
        OptionChoice { label: "off", hover: "26 ranges, one per cell" },
    ]),
};

/// Whether a pair of particles in the same coarse cell, but in different chunks, is evaluated once for both particles.
pub(super) static PAIRS_ONCE: SearchOption = SearchOption {
    name: "claws-once",
    title: "Pairs once",
    hover: "whether a pair in the same coarse cell, but in different chunks, is evaluated once for both particles",
    kind: OptionKind::Choice(&[
        OptionChoice {
            label: "on",
            hover: "the particles of later chunks of the cell visit a chunk, and both sides get their contributions",
        },
        OptionChoice { label: "off", hover: "the particles of all other chunks of the cell visit a chunk" },
    ]),
};

/// Whether a workgroup's subgroups are distributed over the ranges around a cell by load.
pub(super) static SCHEDULE: SearchOption = SearchOption {
    name: "claws-schedule",
    title: "Schedule",
    hover: "whether a workgroup's subgroups are distributed over the ranges around a cell by load",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "in proportion to the particles of the ranges, so that all subgroups work" },
        OptionChoice { label: "off", hover: "as in FENNS: one subgroup per range, and the others are idle" },
    ]),
};

/// Whether the particles of a block are sorted by a finer grid, which is not part of the paper.
pub(super) static FINE_ORDER: SearchOption = SearchOption {
    name: "claws-fine-order",
    title: "Fine order",
    hover: "whether the particles of a block are sorted by a finer grid, which is not part of the paper",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "particles that are adjacent in memory are close in space" },
        OptionChoice { label: "off", hover: "the particles of a block have no particular order" },
    ]),
};

/// Whether visitors wait in a queue that all subgroups process, which is not part of the paper.
pub(super) static SHARED_QUEUE: SearchOption = SearchOption {
    name: "claws-queue",
    title: "Shared queue",
    hover: "whether visitors wait in a queue that all subgroups of a workgroup process; not part of the paper",
    kind: OptionKind::Choice(&[
        OptionChoice { label: "on", hover: "the schedule assigns the reading of visitors; free subgroups serve them" },
        OptionChoice {
            label: "off",
            hover: "as in the paper: a subgroup serves the visitors that it reads, as the schedule assigns them",
        },
    ]),
};

/// The local grid of a chunk in workgroup memory.
pub(super) static LOCAL_GRID: SearchOption = SearchOption {
    name: "claws-local-grid",
    title: "Local grid",
    hover: "how a chunk of particles is sorted and looked up in workgroup memory",
    kind: OptionKind::Choice(&[
        OptionChoice {
            label: "clipped rows",
            hover: "not part of the paper: cells of r/4 to r/8 over the chunk alone, clipped to the sphere",
        },
        OptionChoice {
            label: "27 cells",
            hover: "as in the paper: cells no narrower than r over the coarse cell and r around it; looks up 27",
        },
    ]),
};

/// Whether the local grid is the fine grid over a chunk instead of the paper's grid over a coarse cell.
pub(super) fn clips_rows(options: &SearchOptions) -> bool {
    options.is(&LOCAL_GRID, "clipped rows")
}

/// Whether all inner particles precede all border particles, which they always do with a halo.
pub(super) fn reorders(options: &SearchOptions) -> bool {
    options.is(&REORDER, "on") || options.is(&HALO, "on")
}
