// The starts of the blocks of CLAWS after the build, and the coarse cell that a workgroup processes. A cell with
// `count` particles may need count / CHUNK_CAPACITY + 1 workgroups, its work items. These are numbered consecutively,
// so that the number of particles before a cell determines its first work item, and no table of items is needed.
#define_import_path nearwater::claws_work

#import nearwater::claws_blocks::grid_parameters
#import nearwater::local_grid::CHUNK_CAPACITY
#import nearwater::workgroup_scan::{Place, WORKGROUP_SIZE, order}

// Result of `claws_build`: index of each block's first particle, stored one entry later. len = 2 * cell_count + 2.
@group(0) @binding(2) var<storage, read> block_counters: array<u32>;

const NO_CELL: u32 = 0xffffffffu;

// The index of a block's first particle. For the block past the last it is the number of particles.
fn block_start(block: u32) -> u32 {
    return block_counters[block + 1u];
}

fn first_item(cell: u32) -> u32 {
#ifdef REORDER
    let border_before = block_start(grid_parameters.cell_count + cell) - block_start(grid_parameters.cell_count);
    let before = block_start(cell) + border_before;
#else
    let before = block_start(2u * cell);
#endif
    return before / CHUNK_CAPACITY + cell;
}

var<workgroup> found_cell: u32;

// The cell of a work item; NO_CELL past the last item. Contains barriers.
fn cell_of_item(place: Place, item: u32) -> u32 {
    if order(place) == 0u {
        found_cell = NO_CELL;
    }
    workgroupBarrier();
    // Each invocation searches a range of consecutive cells.
    let share = (grid_parameters.cell_count + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    var low = order(place) * share;
    var high = min(low + share, grid_parameters.cell_count);
    if low < high && first_item(low) <= item && item < first_item(high) {
        while high - low > 1u {
            let middle = (low + high) / 2u;
            if first_item(middle) <= item {
                low = middle;
            } else {
                high = middle;
            }
        }
        found_cell = low;
    }
    return workgroupUniformLoad(&found_cell);
}
