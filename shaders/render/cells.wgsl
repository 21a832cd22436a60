// The search's cells as the renderer knows them.
#define_import_path nearwater::render::cells
#import nearwater::grid::Grid
#import nearwater::render::frame::frame

// As the search itself sees it, but for what only a search needs.
fn cell_grid() -> Grid {
    let count = frame.cell_counts.x * frame.cell_counts.y * frame.cell_counts.z;
    return Grid(
        frame.cell_origin,
        0.0,
        frame.cell_counts,
        frame.cell_border,
        frame.inverse_cell_size,
        0u,
        frame.cell_size,
        count,
    );
}

// The cell of that linear number, x running fastest.
fn cell_of_number(number: u32) -> vec3<u32> {
    let counts = frame.cell_counts;
    return vec3<u32>(number % counts.x, number / counts.x % counts.y, number / (counts.x * counts.y));
}
