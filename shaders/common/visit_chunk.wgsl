// How a traversal by local grids (FENNS, CLAWS) processes a visitor: it tests the visitor against the chunk in
// workgroup memory.
//
// Variants, as in `nearwater::local_grid`: with CLIPPED_ROWS, a row of fine cells is read only as far as the sphere
// around the visitor extends. Without it, all cells that the visitor looks up are read completely, one row along x at a
// time, or cell by cell with LOOK_UP_27. With MARKS, up to 32 candidates are tested before the kernel is evaluated for
// those that are neighbors: as a branch of the test, the evaluation would make lanes wait for each other at every
// candidate.
#define_import_path nearwater::visit_chunk

#import nearwater::grid
#import nearwater::grid::{CellBlock, Grid}
#import nearwater::local_grid::{bounded, chunk, local_cell_start}
#import nearwater::pair as pair
#ifndef MARKS
#import nearwater::visit::visit
#endif
#ifdef DEPOSITS
#import nearwater::visit::visit_once
#endif
#ifdef RECORD
#import nearwater::recording
#endif

struct Found {
    sum: pair::Sum,
    // Particles of the chunk that were met, the visitor itself included.
    met: u32,
}

#ifdef CLIPPED_ROWS
// The position of a visitor relative to the local grid.
struct Stand {
    // From the grid's lowest corner, m.
    position: vec3<f32>,
    // The cells within reach.
    cells: CellBlock,
}

fn stand_of(local_grid: Grid, position: vec3<f32>) -> Stand {
    let center = bounded(position);
    return Stand(center - local_grid.origin, grid::cells_to_look_up(local_grid, center));
}

// What remains of the squared reach after subtracting the squared gap between the visitor and the slab of cells with
// index `cell` along an axis.
fn rest_past_slab(reach_squared: f32, position: f32, cell: u32, size: f32) -> f32 {
    let low = f32(cell) * size;
    let gap = max(max(low - position, position - low - size), 0.0);
    return reach_squared - gap * gap;
}

// The first and the last cell that the sphere around a visitor touches in a row of cells along x; the row's chord
// extends by the root of `chord_squared` to either side of the visitor.
fn cells_in_reach(local_grid: Grid, x: f32, row: u32, chord_squared: f32) -> vec2<u32> {
    let chord = sqrt(chord_squared);
    let last = f32(local_grid.cell_counts.x - 1u);
    return row + vec2<u32>(
        u32(clamp((x - chord) * local_grid.inverse_cell_size.x, 0.0, last)),
        u32(clamp((x + chord) * local_grid.inverse_cell_size.x, 0.0, last)),
    );
}
#endif

// `sum` plus the contributions of the chunk, one by one, to a particle with index `index` in the sorted order. If
// `both_ways`, which needs a traversal that deposits, the particle is not in the chunk, and its own contributions are
// deposited on the particles of the chunk.
fn visit_chunk(
    local_grid: Grid,
    sum: pair::Sum,
    position: vec3<f32>,
    particle: pair::Particle,
    index: u32,
    both_ways: bool,
) -> Found {
    var found = Found(sum, 0u);
#ifdef RECORD
    recording::local_grid(local_grid);
#endif
#ifdef CLIPPED_ROWS
    let stand = stand_of(local_grid, position);
    let cells = stand.cells;
    let reach_squared = local_grid.reach * local_grid.reach;
#else
    let cells = grid::cells_to_look_up(local_grid, position);
#endif
    for (var z = cells.low.z; z <= cells.high.z; z++) {
#ifdef CLIPPED_ROWS
        let rest = rest_past_slab(reach_squared, stand.position.z, z, local_grid.cell_size.z);
#endif
        for (var y = cells.low.y; y <= cells.high.y; y++) {
            let row = grid::cell_index(local_grid, vec3<u32>(0u, y, z));
#ifdef CLIPPED_ROWS
            let chord_squared = rest_past_slab(rest, stand.position.y, y, local_grid.cell_size.y);
            if chord_squared < 0.0 {
                continue;
            }
            let ends = cells_in_reach(local_grid, stand.position.x, row, chord_squared);
#else
            let ends = row + vec2<u32>(cells.low.x, cells.high.x);
#endif
#ifdef LOOK_UP_27
            for (var cell = ends.x; cell <= ends.y; cell++) {
                found = visit_cells(local_grid, vec2<u32>(cell), found, position, particle, index, both_ways);
            }
#else
            found = visit_cells(local_grid, ends, found, position, particle, index, both_ways);
#endif
        }
    }
    return found;
}

// Adds to `found_before` what a row of cells contributes, from the first cell of `ends` to the second. The cells are
// adjacent in memory, so that their particles are one range.
fn visit_cells(
    local_grid: Grid,
    ends: vec2<u32>,
    found_before: Found,
    position: vec3<f32>,
    particle: pair::Particle,
    index: u32,
    both_ways: bool,
) -> Found {
    var found = found_before;
    let begin = atomicLoad(&local_cell_start[ends.x]);
    let end = atomicLoad(&local_cell_start[ends.y + 1u]);
    found.met += max(end, begin) - begin;
#ifdef RECORD
    recording::local_range(begin, end, ends.x, ends.y);
#endif
#ifdef DEPOSITS
    if both_ways {
        for (var slot = begin; slot < end; slot++) {
            let candidate = chunk[slot];
            let offset = position - candidate.xyz;
            let other = bitcast<u32>(candidate.w);
            found.sum = visit_once(found.sum, particle, other, offset, local_grid.radius_squared);
        }
        return found;
    }
#endif
#ifdef MARKS
    for (var start = begin; start < end; start += MOST_MARKS) {
        var marks = neighbors_among(start, min(end - start, MOST_MARKS), position, index, local_grid.radius_squared);
        while marks != 0u {
            let candidate = chunk[start + firstTrailingBit(marks)];
            marks &= marks - 1u;
            let offset = position - candidate.xyz;
            let other = pair::load(bitcast<u32>(candidate.w));
            found.sum = pair::add(found.sum, pair::contribution(particle, other, offset, dot(offset, offset)));
        }
    }
#else
    for (var slot = begin; slot < end; slot++) {
        let candidate = chunk[slot];
        let other = bitcast<u32>(candidate.w);
        let offset = position - candidate.xyz;
        found.sum = visit(found.sum, particle, other, other != index, offset, local_grid.radius_squared);
    }
#endif
    return found;
}

#ifdef MARKS
// Largest number of candidates that are tested at a time: a bit for each.
const MOST_MARKS: u32 = 32u;

fn is_neighbor(slot: u32, position: vec3<f32>, index: u32, radius_squared: f32) -> bool {
    let candidate = chunk[slot];
    let offset = position - candidate.xyz;
    return dot(offset, offset) <= radius_squared && bitcast<u32>(candidate.w) != index;
}

// The bits of the neighbors of the particle with index `index` among `count` slots from `start` on, at most MOST_MARKS.
fn neighbors_among(start: u32, count: u32, position: vec3<f32>, index: u32, radius_squared: f32) -> u32 {
    var marks = 0u;
    // Every round is complete, because lanes would wait for each other in a second loop over the rest. The bits of what
    // is read past the end, up to SLOTS_PAST_END of `nearwater::local_grid`, are removed.
    for (var tested = 0u; tested < count; tested += 4u) {
        let slot = start + tested;
        let four = select(0u, 1u, is_neighbor(slot, position, index, radius_squared))
            | select(0u, 2u, is_neighbor(slot + 1u, position, index, radius_squared))
            | select(0u, 4u, is_neighbor(slot + 2u, position, index, radius_squared))
            | select(0u, 8u, is_neighbor(slot + 3u, position, index, radius_squared));
        marks |= four << tested;
    }
    return marks & (0xffffffffu >> (MOST_MARKS - count));
}
#endif
