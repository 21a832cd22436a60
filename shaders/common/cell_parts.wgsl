// The parts of a coarse cell, by the cells around it that are within a particle's reach: along each axis a particle is
// near the low side, in the middle, or near the high side. The 26 parts with border particles precede each other along
// x first, then y, then z, so that the particles of a cell that can have neighbors in another cell are few ranges of
// memory; the part in the middle, with the inner particles, is the last. No paper describes this; FENNS (2019, section
// 3.1) distinguishes border and inner particles only.
//
// Within a part, particles are ordered by fine cells of about half a radius.
#define_import_path nearwater::cell_parts

#import nearwater::grid
#import nearwater::grid::Grid
#import nearwater::local_grid::{LOCAL_CELL_CAPACITY, bounded}

const PART_COUNT: u32 = 27u;
// In a table of the starts of parts, the first start of a cell whose border particles are not ordered by parts: they do
// not fit workgroup memory at once, or some are near both sides of a narrow cell.
const UNPARTED: u32 = 0xffffffffu;
// Number of fine cells between a side of the cell and the end of its reach.
const NEAR_SIDE: u32 = select(1u, 2u, LOCAL_CELL_CAPACITY >= 125u);

// The sides of its coarse cell that are within a particle's reach, along each axis. A side without another cell behind
// it is not.
struct Sides {
    is_low: vec3<bool>,
    is_high: vec3<bool>,
}

fn sides_of(search: Grid, position: vec3<f32>) -> Sides {
    let own = grid::cell_coord(search, position);
    return Sides(
        grid::cell_coord(search, position - search.reach) < own,
        grid::cell_coord(search, position + search.reach) > own,
    );
}

// Whether a particle is within reach of both sides of its cell along some axis, so that no part describes it.
fn is_near_both_sides(search: Grid, position: vec3<f32>) -> bool {
    let sides = sides_of(search, position);
    return any(sides.is_low & sides.is_high);
}

// The part of a particle: along each axis 0 near the low side, 1 in the middle, 2 near the high side of its coarse
// cell.
fn part_coord(search: Grid, position: vec3<f32>) -> vec3<u32> {
    let sides = sides_of(search, position);
    return 1u + vec3<u32>(sides.is_high) - vec3<u32>(sides.is_low);
}

// The number of the part in the middle, which contains the inner particles: the last one.
const MIDDLE_PART: u32 = PART_COUNT - 1u;

// The place of a part among the 27 boxes along x, then y, then z, of which the middle is in place 13.
fn place_of_part(coord: vec3<u32>) -> u32 {
    return (coord.z * 3u + coord.y) * 3u + coord.x;
}

// The number of a part.
fn part_index(coord: vec3<u32>) -> u32 {
    let box = place_of_part(coord);
    return select(box - u32(box > 13u), MIDDLE_PART, box == 13u);
}

// The coordinates of the part with that number.
fn part_with_index(part: u32) -> vec3<u32> {
    let box = select(part + u32(part >= 13u), 13u, part == MIDDLE_PART);
    return vec3<u32>(box % 3u, box / 3u % 3u, box / 9u);
}

// Whether a particle of the grid can be near both sides of its cell along some axis.
fn has_narrow_cells(search: Grid) -> bool {
    // The margin is much larger than the rounding of positions that the reach includes.
    return any((search.cell_counts > vec3<u32>(1u)) & (0.999 * search.cell_size <= vec3<f32>(2.0 * search.reach)));
}

// Number of fine cells in the middle along each axis.
fn middle_cells(search: Grid) -> vec3<u32> {
    let middle = max(search.cell_size - 2.0 * search.reach, vec3<f32>(0.0));
    let edge = sqrt(search.radius_squared) * 0.5;
    // At most 1,023 cells per axis keep the product within 32 bits.
    var counts = vec3<u32>(min(middle / edge, vec3<f32>(1000.0))) + 1u;
    loop {
        let all = counts + 2u * NEAR_SIDE;
        let most = max(counts.x, max(counts.y, counts.z));
        if all.x * all.y * all.z <= LOCAL_CELL_CAPACITY || most == 1u {
            return counts;
        }
        counts = select(counts, (counts + 1u) / 2u, counts == vec3<u32>(most));
    }
    return counts;
}

// The fine cells of a coarse cell whose lowest corner is `low`, for `particle_count` particles: their number along each
// axis, and in all. Their edges differ between sides and middle.
fn fine_cells(search: Grid, low: vec3<f32>, particle_count: u32) -> Grid {
    let counts = middle_cells(search) + 2u * NEAR_SIDE;
    var fine = search;
    fine.origin = low;
    fine.cell_counts = counts;
    fine.cell_count = counts.x * counts.y * counts.z;
    fine.particle_count = particle_count;
    return fine;
}

// Number of fine cells along each axis of the part with those coordinates.
fn cells_of_part(fine: Grid, part: vec3<u32>) -> vec3<u32> {
    return select(vec3<u32>(NEAR_SIDE), fine.cell_counts - 2u * NEAR_SIDE, part == vec3<u32>(1u));
}

// The number of a part's first fine cell. All fine cells of a part precede those of the next part.
fn first_cell_of_part(fine: Grid, part: vec3<u32>) -> u32 {
    let cells = cells_of_part(fine, part);
    let before = select(
        select(vec3<u32>(0u), vec3<u32>(NEAR_SIDE), part == vec3<u32>(1u)),
        fine.cell_counts - NEAR_SIDE,
        part == vec3<u32>(2u),
    );
    let ahead = (before.z * fine.cell_counts.y + before.y * cells.z) * fine.cell_counts.x + before.x * cells.y * cells.z;
    let middle = fine.cell_counts - 2u * NEAR_SIDE;
    let in_middle = middle.x * middle.y * middle.z;
    let box = place_of_part(part);
    return select(ahead - select(0u, in_middle, box > 13u), fine.cell_count - in_middle, box == 13u);
}

// The number of a particle's fine cell; `coarse` is the grid of coarse cells.
fn fine_cell(fine: Grid, coarse: Grid, position: vec3<f32>) -> u32 {
    let part = part_coord(coarse, position);
    let cells = cells_of_part(fine, part);
    let middle = max(coarse.cell_size - 2.0 * coarse.reach, vec3<f32>(0.0));
    let low = select(
        select(vec3<f32>(0.0), vec3<f32>(coarse.reach), part == vec3<u32>(1u)),
        coarse.reach + middle,
        part == vec3<u32>(2u),
    );
    let extent = select(vec3<f32>(coarse.reach), middle, part == vec3<u32>(1u));
    let place = (bounded(position) - fine.origin - low) / max(extent, vec3<f32>(1e-30));
    // Rounding, and particles outside the box, may give positions outside the part.
    let own = min(vec3<u32>(clamp(place, vec3<f32>(0.0), vec3<f32>(1.0)) * vec3<f32>(cells)), cells - 1u);
    return first_cell_of_part(fine, part) + (own.z * cells.y + own.y) * cells.x + own.x;
}
