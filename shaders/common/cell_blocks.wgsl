// The particles of each coarse cell after the build, from the search's table of blocks: in the sorted order the border
// particles of a cell are one range, and its inner particles another.
//
// Variant, as the search's `BlockTable`: with INNER_THEN_BORDER the inner particles of all cells precede all border
// particles. Without it, the border particles of a cell precede its inner particles.
#define_import_path nearwater::cell_blocks

#import nearwater::grid::Grid
#import nearwater::owners::Owners

@group(0) @binding(0) var<uniform> grid_parameters: Grid;
#ifdef INNER_THEN_BORDER
// One unused word, the start of each cell's inner particles, the start of each cell's border particles, and the number
// of particles; len = 2 * cell_count + 2.
@group(0) @binding(2) var<storage, read> block_table: array<u32>;

fn particles_of(cell: u32) -> Owners {
    let border = 1u + grid_parameters.cell_count + cell;
    return Owners(block_table[border], block_table[border + 1u], block_table[1u + cell], block_table[2u + cell]);
}
#else
// Start of each coarse cell's particles, then start of each coarse cell's inner particles; len = 2 * cell_count.
@group(0) @binding(2) var<storage, read> block_table: array<u32>;

fn start_of(cell: u32) -> u32 {
    // The end of the last cell is the particle count. The next entry of the array is a start of inner particles.
    if cell == grid_parameters.cell_count {
        return grid_parameters.particle_count;
    }
    return block_table[cell];
}

// Start of a cell's inner particles.
fn inner_start_of(cell: u32) -> u32 {
    return block_table[grid_parameters.cell_count + cell];
}

fn particles_of(cell: u32) -> Owners {
    let inner = inner_start_of(cell);
    return Owners(start_of(cell), inner, inner, start_of(cell + 1u));
}
#endif
