// The coarse cells of FENNS after its build: where the particles of each begin in the sorted order, the border
// particles first, and where its inner particles begin.
#define_import_path nearwater::fenns_cells

#import nearwater::grid::Grid

@group(0) @binding(0) var<uniform> grid_parameters: Grid;
// Start of each coarse cell's particles, then start of each coarse cell's inner particles; len = 2 * cell_count.
@group(0) @binding(2) var<storage, read> cell_starts: array<u32>;

fn start_of(cell: u32) -> u32 {
    // The end of the last cell is the particle count. The next entry of the array is a start of inner particles.
    if cell == grid_parameters.cell_count {
        return grid_parameters.particle_count;
    }
    return cell_starts[cell];
}

// Start of a cell's inner particles.
fn inner_start_of(cell: u32) -> u32 {
    return cell_starts[grid_parameters.cell_count + cell];
}
