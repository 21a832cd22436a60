// The uniform grid of the grid-based searches: the cell of a position, and the cells within its reach.
#define_import_path nearwater::grid

// Mirrored by `search::domain::Grid`.
struct Grid {
    origin: vec3<f32>,
    radius_squared: f32,
    cell_counts: vec3<u32>,
    reach: f32,
    inverse_cell_size: vec3<f32>,
    particle_count: u32,
    cell_size: vec3<f32>,
    cell_count: u32,
}

// Which coordinates are not NaN; infinite ones count as numbers. Tests the bits, because compilers may assume that no
// value is NaN.
fn are_numbers(position: vec3<f32>) -> vec3<bool> {
    return (bitcast<vec3<u32>>(position) & vec3<u32>(0x7fffffffu)) <= vec3<u32>(0x7f800000u);
}

// A position in units of cells from the grid's lowest corner, from 0 to the number of cells. NaN counts as 0, because
// the result of `clamp` would be undefined, and two passes could then assign such a particle to different cells and
// overwrite others.
fn place_in_cells(grid: Grid, position: vec3<f32>) -> vec3<f32> {
    let place = (position - grid.origin) * grid.inverse_cell_size;
    return clamp(select(vec3<f32>(0.0), place, are_numbers(place)), vec3<f32>(0.0), vec3<f32>(grid.cell_counts));
}

// Monotonic in each coordinate, also for positions outside the box, which belong to the outermost cells: a neighbor's
// cell therefore always lies between those of `position - reach` and `position + reach`.
fn cell_coord(grid: Grid, position: vec3<f32>) -> vec3<u32> {
    // Bounded as a float, because converting a float outside the integer's range is undefined.
    return min(vec3<u32>(place_in_cells(grid, position)), grid.cell_counts - 1u);
}

// Whether another cell lies within a particle's reach, so that it may have neighbors there: the border of a coarse
// cell. It rounds as `cell_coord` does, so both particles of a pair in two different cells are border particles.
// With a reach of 0, no particle is one.
fn is_border(grid: Grid, position: vec3<f32>) -> bool {
    return any(cell_coord(grid, position - grid.reach) != cell_coord(grid, position + grid.reach));
}

// A block of cells, both corners included.
struct CellBlock {
    low: vec3<u32>,
    high: vec3<u32>,
}

// The cells that a particle looks up: those that overlap the cube of `reach` around it. With LOOK_UP_27 also its own
// cell and the 26 cells around it, as far as the grid extends; if no cell is narrower than the reach, they include the
// others.
fn cells_to_look_up(grid: Grid, position: vec3<f32>) -> CellBlock {
    let touched = CellBlock(cell_coord(grid, position - grid.reach), cell_coord(grid, position + grid.reach));
#ifdef LOOK_UP_27
    let own = cell_coord(grid, position);
    let around = cells_around(grid, own);
    return CellBlock(min(touched.low, around.low), max(touched.high, around.high));
#else
    return touched;
#endif
}

// A cell and the cells around it, as far as the grid extends: 27 cells in the interior of the grid.
fn cells_around(grid: Grid, cell: vec3<u32>) -> CellBlock {
    return CellBlock(max(cell, vec3<u32>(1u)) - 1u, min(cell + 1u, grid.cell_counts - 1u));
}

// Linear in x, so that adjacent cells of a row are adjacent in memory.
fn cell_index(grid: Grid, cell: vec3<u32>) -> u32 {
    return (cell.z * grid.cell_counts.y + cell.y) * grid.cell_counts.x + cell.x;
}

// The cell with that index.
fn coord_of(grid: Grid, cell: u32) -> vec3<u32> {
    let counts = grid.cell_counts;
    return vec3<u32>(cell % counts.x, cell / counts.x % counts.y, cell / (counts.x * counts.y));
}

// The distance along each axis between a position and a cell's slab, 0 inside; the outermost cells extend to infinity,
// because they contain everything outside the grid.
fn gap_to_cell(grid: Grid, position: vec3<f32>, cell: vec3<u32>) -> vec3<f32> {
    let low = grid.origin + vec3<f32>(cell) * grid.cell_size;
    let below = select(low - position, vec3<f32>(0.0), cell == vec3<u32>(0u));
    let above = select(position - low - grid.cell_size, vec3<f32>(0.0), cell == grid.cell_counts - 1u);
    return max(max(below, above), vec3<f32>(0.0));
}
