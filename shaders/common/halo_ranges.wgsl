// The ranges of memory that contain the particles of a coarse cell and those of its halo (`nearwater::halo`): of the
// cells around it, the parts (`nearwater::cell_parts`) that are within reach of the cell. Only border particles are
// read there.
#define_import_path nearwater::halo_ranges

#import nearwater::cell_parts::{PART_COUNT, UNPARTED, part_index}
#import nearwater::cell_blocks::{grid_parameters, particles_of}
#import nearwater::grid
#import nearwater::owners::{border_count, inner_count}

// Number of ranges: those of the 26 cells around a coarse cell, and the border and the inner particles of the cell
// itself.
const RUNS_AROUND: u32 = 62u;
const RUN_COUNT: u32 = RUNS_AROUND + 2u;

// First index of the particles of each part of each coarse cell, in sorted order; len = 27 * cell_count.
@group(0) @binding(4) var<storage, read> part_starts: array<u32>;

// Which of the three cells along an axis contains a range, and which of its three parts along that axis. The cell in
// the middle has three parts within reach, the other two have one each.
struct Slot {
    cell: u32,
    part: u32,
}

// Number 0 to 4: the high part of the cell below, the three parts of the cell in the middle, the low part of the cell
// above.
fn slot(number: u32) -> Slot {
    return Slot((number + 2u) / 3u, (number + 2u) % 3u);
}

// A number of consecutive parts of the cell whose coordinates differ by `cell - 1` from those of the coarse cell.
struct Parts {
    cell: vec3<u32>,
    first: vec3<u32>,
    count: u32,
}

// The parts of range number `run` < RUNS_AROUND. Parts beside each other along x are adjacent in memory, so that a
// range contains three parts, or nine, if the cell has the same coordinate along x, or along x and y.
fn parts_of(run: u32) -> Parts {
    if run < 50u {
        let y = slot(run / 5u % 5u);
        let z = slot(run % 5u);
        let is_above = run / 25u;
        return Parts(vec3<u32>(2u * is_above, y.cell, z.cell), vec3<u32>(2u - 2u * is_above, y.part, z.part), 1u);
    }
    if run < 60u {
        let z = slot(run % 5u);
        let is_above = (run - 50u) / 5u;
        return Parts(vec3<u32>(1u, 2u * is_above, z.cell), vec3<u32>(0u, 2u - 2u * is_above, z.part), 3u);
    }
    let is_above = run - 60u;
    return Parts(vec3<u32>(1u, 1u, 2u * is_above), vec3<u32>(0u, 0u, 2u - 2u * is_above), 9u);
}

// The first index and the length of range number `run` around a coarse cell.
fn candidates(run: u32, cell: u32) -> vec2<u32> {
    if run >= RUNS_AROUND {
        let own = particles_of(cell);
        if run == RUNS_AROUND {
            return vec2<u32>(own.border_first, border_count(own));
        }
        return vec2<u32>(own.inner_first, inner_count(own));
    }
    let parts = parts_of(run);
    // A coordinate below 0 wraps around and exceeds the number of cells.
    let coord = grid::coord_of(grid_parameters, cell) + parts.cell - 1u;
    if any(coord >= grid_parameters.cell_counts) {
        return vec2<u32>(0u, 0u);
    }
    let other = grid::cell_index(grid_parameters, coord);
    if part_starts[PART_COUNT * other] == UNPARTED {
        // The first of the ranges in the same cell contains all its border particles, and the others are empty.
        let is_first = all((parts.cell != vec3<u32>(1u)) | (parts.first == vec3<u32>(0u)));
        let particles = particles_of(other);
        return vec2<u32>(particles.border_first, select(0u, border_count(particles), is_first));
    }
    let first = PART_COUNT * other + part_index(parts.first);
    let start = part_starts[first];
    return vec2<u32>(start, part_starts[first + parts.count] - start);
}
