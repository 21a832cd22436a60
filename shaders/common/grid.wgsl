// The uniform grid of Green's and Hoetzlein's searches: which cell a position is in, and which cells it can see.
#define_import_path nearwater::grid

// Mirrored by `search::domain::Grid`.
struct Grid {
    origin: vec3<f32>,
    radius_squared: f32,
    cell_counts: vec3<u32>,
    reach: f32,
    inverse_cell_size: f32,
    particle_count: u32,
    cell_count: u32,
    padding: u32,
}

// Monotone in each coordinate, also for positions outside the box, which fall into the outermost cells: so a
// neighbor's cell always lies between those of `position - reach` and `position + reach`.
fn cell_coord(grid: Grid, position: vec3<f32>) -> vec3<u32> {
    let scaled = (position - grid.origin) * grid.inverse_cell_size;
    // Bounded as a float first: converting a float that fits no integer is undefined.
    let bounded = clamp(scaled, vec3<f32>(0.0), vec3<f32>(grid.cell_counts));
    return min(vec3<u32>(bounded), grid.cell_counts - 1u);
}

// Linear in x, so that neighboring cells of a row are neighbors in memory.
fn cell_index(grid: Grid, cell: vec3<u32>) -> u32 {
    return (cell.z * grid.cell_counts.y + cell.y) * grid.cell_counts.x + cell.x;
}
