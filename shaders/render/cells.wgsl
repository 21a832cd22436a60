// The search's cells as the renderer stores them.
#define_import_path nearwater::render::cells
#import nearwater::grid::Grid
#import nearwater::render::frame::frame

// The search's grid, without the members that only a search needs.
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

// The cell with the given number in the range of drawn cells, where x runs fastest.
fn drawn_cell(number: u32) -> vec3<u32> {
    let counts = frame.drawn_cells;
    let place = vec3<u32>(number % counts.x, number / counts.x % counts.y, number / (counts.x * counts.y));
    return frame.drawn_cells_first + place;
}

// Whether a cell is in the range of drawn cells.
fn is_drawn_cell(cell: vec3<i32>) -> bool {
    let place = cell - vec3<i32>(frame.drawn_cells_first);
    return all(place >= vec3<i32>(0)) && all(place < vec3<i32>(frame.drawn_cells));
}

// The number of a cell in that range.
fn drawn_number(cell: vec3<i32>) -> u32 {
    let place = vec3<u32>(cell - vec3<i32>(frame.drawn_cells_first));
    return (place.z * frame.drawn_cells.y + place.y) * frame.drawn_cells.x + place.x;
}
