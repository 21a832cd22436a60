//! The shader variants of CLAWS, and how workgroup memory is divided.

use super::options::{MERGED_ROWS, PAIRS_ONCE, SCHEDULE, SHARED_QUEUE, clips_rows, reorders};
use super::{BUILD_FILE, CELLS_AROUND, ORDER_FILE, ROWS};
use crate::gpu::{AdapterClass, Capabilities, ShaderVariant};
use crate::search::coarse_grid::COARSE_CELLS;
use crate::search::halo::HALO;
use crate::search::local_grid::{LocalGridSizes, workgroup_bytes};
use crate::search::{SearchInput, SearchOptions};

/// Average number of particles per coarse cell, in eighths of a chunk. If water fills only a part of the box, the cells
/// in the water contain several times as many.
const CHUNK_EIGHTHS_PER_CELL: u32 = 3;

/// A shader variant with the ideas that are switched on, for workgroups of the build passes or of the traversal.
pub(super) fn variant(capabilities: &Capabilities, options: &SearchOptions, file: &'static str) -> ShaderVariant {
    let sizes = sizes(capabilities);
    let is_on = |option| options.is(option, "on");
    let sorts = file == BUILD_FILE || file == ORDER_FILE;
    sizes
        .variant(capabilities, file, if sorts { sizes.sorting_workgroup_size } else { sizes.workgroup_size })
        .with_number("BLOCK_CAPACITY", sizes.counter_capacity)
        .with_number("QUEUE_CAPACITY", queue_capacity(capabilities))
        .with_number("TARGETS", if is_on(&MERGED_ROWS) { ROWS } else { CELLS_AROUND })
        .with_flag_if(reorders(options), "REORDER")
        .with_flag_if(is_on(&MERGED_ROWS), "MERGED_ROWS")
        .with_flag_if(is_on(&PAIRS_ONCE), "PAIRS_ONCE")
        .with_flag_if(is_on(&SCHEDULE), "SCHEDULE")
        .with_flag_if(is_on(&SHARED_QUEUE), "SHARED_QUEUE")
        .with_flag_if(clips_rows(options), "CLIPPED_ROWS")
        .with_flag_if(!clips_rows(options), "LOOK_UP_27")
        // llvmpipe runs the subgroups of a workgroup one after the other, so that the first would serve the whole
        // queue. It also ends all loops of an invocation after 65,535 iterations in total.
        .with_flag_if(capabilities.class != AdapterClass::Software, "SERVE_AS_READY")
}

pub(super) fn sizes(capabilities: &Capabilities) -> LocalGridSizes {
    let number = size_of::<u32>() as u32;
    // Four numbers per range and one more for the schedule, the owner of a work item, the number of groups, four
    // numbers of the queue, and the queue; the group of each subgroup is counted per subgroup.
    let own_bytes = (4 * CELLS_AROUND + 7 + queue_capacity(capabilities)) * number;
    LocalGridSizes::new(capabilities, own_bytes, number)
}

/// The capacity of the queue of visitors, which occupies an eighth of the workgroup memory.
pub(super) fn queue_capacity(capabilities: &Capabilities) -> u32 {
    workgroup_bytes(capabilities) / 8 / size_of::<u32>() as u32
}

/// The largest number of coarse cells for the input: as many as counters fit workgroup memory, but by default, and
/// without a halo, no more than are needed to fill the chunks.
pub(super) fn cell_limit(sizes: &LocalGridSizes, input: &SearchInput<'_>) -> u32 {
    let most = sizes.counter_capacity / 2;
    if !input.options.is(&COARSE_CELLS, "auto") || input.options.is(&HALO, "on") {
        return most;
    }
    let per_cell = (sizes.chunk_capacity * CHUNK_EIGHTHS_PER_CELL / 8).max(1);
    (input.particle_count / per_cell).clamp(1, most)
}
