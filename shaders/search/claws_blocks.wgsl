// The blocks of CLAWS: the inner particles or the border particles of a coarse cell.
#define_import_path nearwater::claws_blocks

#import nearwater::grid
#import nearwater::grid::Grid

@group(0) @binding(0) var<uniform> grid_parameters: Grid;

// The number of a coarse cell's block. With REORDER (section 3.2) all inner blocks precede all border blocks; without
// it, as in FENNS, the border block and the inner block of each cell are adjacent.
fn block_of(cell: u32, is_inner: bool) -> u32 {
#ifdef REORDER
    return select(grid_parameters.cell_count + cell, cell, is_inner);
#else
    return 2u * cell + u32(is_inner);
#endif
}

fn cell_of_block(block: u32) -> u32 {
#ifdef REORDER
    return block % grid_parameters.cell_count;
#else
    return block / 2u;
#endif
}

fn cell_coord_of(cell: u32) -> vec3<u32> {
    return grid::coord_of(grid_parameters, cell);
}
