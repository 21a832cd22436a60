// The uniform grid of the searches that have one: which cell a position is in, and which cells it can see.
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

// A position in cells from the grid's lowest corner, 0 to the number of cells.
fn place_in_cells(grid: Grid, position: vec3<f32>) -> vec3<f32> {
    return clamp((position - grid.origin) * grid.inverse_cell_size, vec3<f32>(0.0), vec3<f32>(grid.cell_counts));
}

// Monotone in each coordinate, also for positions outside the box, which fall into the outermost cells: so a
// neighbor's cell always lies between those of `position - reach` and `position + reach`.
fn cell_coord(grid: Grid, position: vec3<f32>) -> vec3<u32> {
    // Bounded as a float: converting a float that fits no integer is undefined.
    return min(vec3<u32>(place_in_cells(grid, position)), grid.cell_counts - 1u);
}

// Whether a particle has another cell within reach, and may have neighbors there: the border of a coarse cell. Its
// rounding is that of `cell_coord`, so both particles of a pair in two cells are border particles.
fn is_border(grid: Grid, position: vec3<f32>) -> bool {
    return any(cell_coord(grid, position - grid.reach) != cell_coord(grid, position + grid.reach));
}

// Linear in x, so that neighboring cells of a row are neighbors in memory.
fn cell_index(grid: Grid, cell: vec3<u32>) -> u32 {
    return (cell.z * grid.cell_counts.y + cell.y) * grid.cell_counts.x + cell.x;
}

// The gap along each axis between a position and a cell's slab, 0 inside; the outermost cells reach to infinity,
// since they hold what lies outside the grid.
fn gap_to_cell(grid: Grid, position: vec3<f32>, cell: vec3<u32>) -> vec3<f32> {
    let low = grid.origin + vec3<f32>(cell) * grid.cell_size;
    let below = select(low - position, vec3<f32>(0.0), cell == vec3<u32>(0u));
    let above = select(position - low - grid.cell_size, vec3<f32>(0.0), cell == grid.cell_counts - 1u);
    return max(max(below, above), vec3<f32>(0.0));
}
