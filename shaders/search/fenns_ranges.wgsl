// The chunks of FENNS, and the ranges of memory that contain the particles around them.
//
// Number: CHUNK_MEMBERS, most particles of a chunk.
#define_import_path nearwater::fenns_ranges

#import nearwater::cell_blocks::{grid_parameters, inner_start_of, start_of}
#import nearwater::grid
#import nearwater::sorted::sorted_positions

const CHUNK_MEMBERS: u32 = #{CHUNK_MEMBERS}u;
// Number of ranges of visitors: before and after the chunk in its own cell, and the border particles of 26 cells.
const RUN_COUNT: u32 = 28u;

// The particles [first, last) of a coarse cell; empty if the workgroup has no chunk.
struct Chunk {
    cell: u32,
    first: u32,
    last: u32,
}

// Each of the first workgroups serves the first chunk of a coarse cell. Each of the others corresponds to an index in
// the sorted order that is a multiple of the capacity; a block that needs further chunks contains at least as many of
// these indices.
fn chunk_of_workgroup(workgroup: u32) -> Chunk {
    var cell = workgroup;
    var number = 0u;
    if workgroup >= grid_parameters.cell_count {
        let multiple = workgroup - grid_parameters.cell_count + 1u;
        if multiple > grid_parameters.particle_count / CHUNK_MEMBERS {
            return Chunk(0u, 0u, 0u);
        }
        let position = sorted_positions[multiple * CHUNK_MEMBERS - 1u].xyz;
        cell = grid::cell_index(grid_parameters, grid::cell_coord(grid_parameters, position));
        number = multiple - start_of(cell) / CHUNK_MEMBERS;
    }
    let start = start_of(cell);
    let length = start_of(cell + 1u) - start;
    let chunk_count = (length + CHUNK_MEMBERS - 1u) / CHUNK_MEMBERS;
    if number >= chunk_count {
        return Chunk(0u, 0u, 0u);
    }
    // The chunks of a cell are equally long.
    let chunk_length = (length + chunk_count - 1u) / chunk_count;
    let first = min(number * chunk_length, length);
    return Chunk(cell, start + first, start + min(first + chunk_length, length));
}

// The first index and the length of a range of visitors.
fn visitors(run: u32, own: Chunk) -> vec2<u32> {
    if run == 0u {
        return vec2<u32>(start_of(own.cell), own.first - start_of(own.cell));
    }
    if run == 1u {
        return vec2<u32>(own.last, start_of(own.cell + 1u) - own.last);
    }
    // Numbers 0 to 26 without 13, the cell in the middle.
    let number = run - 2u + u32(run >= 15u);
    // A coordinate below 0 wraps around and exceeds the number of cells.
    let coord = grid::coord_of(grid_parameters, own.cell) + vec3<u32>(number % 3u, number / 3u % 3u, number / 9u) - 1u;
    if any(coord >= grid_parameters.cell_counts) {
        return vec2<u32>(0u, 0u);
    }
    let other = grid::cell_index(grid_parameters, coord);
    return vec2<u32>(start_of(other), inner_start_of(other) - start_of(other));
}
