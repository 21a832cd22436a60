// The second level of the two-level searches (FENNS, CLAWS): a chunk of particles in workgroup memory, sorted into a
// local grid over the chunk's own bounding box. A workgroup makes it on the fly:
//   start             nothing in it yet
//   enclose           every invocation: the box of the particles it will bring
//   fit               the grid over the box of all
//   count             every particle
//   finish_counting   counters become ends of cells
//   put               every particle: takes a slot of its cell downward, after which the counter is the cell's start
//   (workgroupBarrier)
// and then tests visitors against it (`nearwater::visit_chunk`). All but `enclose`, `count` and `put` have barriers.
//
// Numbers: CHUNK_CAPACITY particles, LOCAL_CELL_CAPACITY cells.
#define_import_path nearwater::local_grid

#import nearwater::grid
#import nearwater::grid::Grid
#import nearwater::workgroup_scan::{Place, WORKGROUP_SIZE, order, workgroup_exclusive_scan}

const CHUNK_CAPACITY: u32 = #{CHUNK_CAPACITY}u;
const LOCAL_CELL_CAPACITY: u32 = #{LOCAL_CELL_CAPACITY}u;

// xyz in metres, bits of the place in the sorted order; cell by cell after `put`.
var<workgroup> chunk: array<vec4<f32>, CHUNK_CAPACITY>;
// Particles in each local cell, then the cell's end, then its start; the entry past the last cell is the chunk's count.
var<workgroup> local_cell_start: array<atomic<u32>, LOCAL_CELL_CAPACITY + 1u>;
// The chunk's box, as numbers that compare like the floats.
var<workgroup> lowest: array<atomic<u32>, 3>;
var<workgroup> highest: array<atomic<u32>, 3>;

// Farther out a coordinate's digits are coarser than any radius; its square would leave the range of a float.
const FARTHEST: f32 = 1e15;

fn bounded(position: vec3<f32>) -> vec3<f32> {
    return clamp(position, vec3<f32>(-FARTHEST), vec3<f32>(FARTHEST));
}

// Orders unsigned numbers as the floats they stand for: positive ones past all negative ones, and those reversed.
fn comparable(value: f32) -> u32 {
    let bits = bitcast<u32>(value);
    return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

fn from_comparable(number: u32) -> f32 {
    return bitcast<f32>(select(~number, number & 0x7fffffffu, number >= 0x80000000u));
}

fn start(place: Place) {
    let local = order(place);
    // What an earlier chunk left may still be being read.
    workgroupBarrier();
    for (var cell = local; cell <= LOCAL_CELL_CAPACITY; cell += WORKGROUP_SIZE) {
        atomicStore(&local_cell_start[cell], 0u);
    }
    if local < 3u {
        atomicStore(&lowest[local], 0xffffffffu);
        atomicStore(&highest[local], 0u);
    }
    workgroupBarrier();
}

// `low` and `high`: box of the invocation's particles; upside down if it has none.
fn enclose(place: Place, low: vec3<f32>, high: vec3<f32>) {
#ifdef SUBGROUPS
    let least = subgroupMin(low);
    let most = subgroupMax(high);
    if place.lane > 0u {
        return;
    }
#else
    let least = low;
    let most = high;
#endif
    if least.x <= most.x {
        atomicMin(&lowest[0], comparable(least.x));
        atomicMin(&lowest[1], comparable(least.y));
        atomicMin(&lowest[2], comparable(least.z));
        atomicMax(&highest[0], comparable(most.x));
        atomicMax(&highest[1], comparable(most.y));
        atomicMax(&highest[2], comparable(most.z));
    }
}

// At least one cell along each axis and at most `capacity` in all: cells of edges `edge`, doubled where there are most
// of them until they fit.
fn fitted_counts(extent: vec3<f32>, edge: vec3<f32>, capacity: u32) -> vec3<u32> {
    // 1,023 an axis keep the product within 32 bits.
    var counts = vec3<u32>(min(extent / edge, vec3<f32>(1022.0))) + 1u;
    while counts.x * counts.y * counts.z > capacity {
        let most = max(counts.x, max(counts.y, counts.z));
        if counts.x == most {
            counts.x = (counts.x + 1u) / 2u;
        } else if counts.y == most {
            counts.y = (counts.y + 1u) / 2u;
        } else {
            counts.z = (counts.z + 1u) / 2u;
        }
    }
    return counts;
}

// `counts` cells over the box from `low` on; what lies outside falls into the outermost.
fn grid_over(search: Grid, low: vec3<f32>, extent: vec3<f32>, counts: vec3<u32>, particle_count: u32) -> Grid {
    let cell_size = extent / vec3<f32>(counts);
    // Coordinates outside the box may be larger, and so may be what rounding adds to their differences.
    let far = max(abs(low), abs(low + extent));
    let rounding = 16.0 * 1.1920929e-7 * max(far.x, max(far.y, far.z));
    return Grid(
        low,
        search.radius_squared,
        counts,
        search.reach + rounding,
        vec3<f32>(counts) / max(extent, vec3<f32>(1e-30)),
        particle_count,
        cell_size,
        counts.x * counts.y * counts.z,
    );
}

// The grid over the box that was enclosed, for that many particles.
fn fit(search: Grid, particle_count: u32) -> Grid {
    workgroupBarrier();
    let low = vec3<f32>(
        from_comparable(atomicLoad(&lowest[0])),
        from_comparable(atomicLoad(&lowest[1])),
        from_comparable(atomicLoad(&lowest[2])),
    );
    let high = vec3<f32>(
        from_comparable(atomicLoad(&highest[0])),
        from_comparable(atomicLoad(&highest[1])),
        from_comparable(atomicLoad(&highest[2])),
    );
    let origin = bounded(low);
    let extent = bounded(high) - origin;
    let radius = sqrt(search.radius_squared);
    // Rows of r by r cut into r/4, or half as wide where they would hold many: fewer candidates, but more rows.
    let solid = max(extent, vec3<f32>(radius));
    let per_radius_cubed = f32(particle_count) * (radius / solid.x) * (radius / solid.y) * (radius / solid.z);
    let fineness = select(1.0, 2.0, per_radius_cubed > #{DENSE_CHUNK}.0);
    let edge = vec3<f32>(0.25, 1.0, 1.0) * (radius / fineness);
    return grid_over(search, origin, extent, fitted_counts(extent, edge, LOCAL_CELL_CAPACITY), particle_count);
}

fn local_cell(local_grid: Grid, position: vec3<f32>) -> u32 {
    return grid::cell_index(local_grid, grid::cell_coord(local_grid, bounded(position)));
}

fn count(local_grid: Grid, position: vec3<f32>) {
    atomicAdd(&local_cell_start[local_cell(local_grid, position)], 1u);
}

fn finish_counting(place: Place, local_grid: Grid) {
    workgroupBarrier();
    let share = (local_grid.cell_count + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE;
    let first = min(order(place) * share, local_grid.cell_count);
    let end = min(first + share, local_grid.cell_count);
    var sum = 0u;
    for (var cell = first; cell < end; cell++) {
        sum += atomicLoad(&local_cell_start[cell]);
    }
    sum = workgroup_exclusive_scan(place, vec4<u32>(sum, 0u, 0u, 0u)).before.x;
    for (var cell = first; cell < end; cell++) {
        sum += atomicLoad(&local_cell_start[cell]);
        atomicStore(&local_cell_start[cell], sum);
    }
    if order(place) == 0u {
        atomicStore(&local_cell_start[local_grid.cell_count], local_grid.particle_count);
    }
    workgroupBarrier();
}

fn put(local_grid: Grid, position: vec3<f32>, sorted_place: u32) {
    let slot = atomicSub(&local_cell_start[local_cell(local_grid, position)], 1u) - 1u;
    chunk[slot] = vec4<f32>(position, bitcast<f32>(sorted_place));
}

// Whether a position can have neighbors in the chunk.
fn in_reach(local_grid: Grid, position: vec3<f32>) -> bool {
    let from_low = local_grid.origin - bounded(position);
    let extent = local_grid.cell_size * vec3<f32>(local_grid.cell_counts);
    let gap = max(max(from_low, -from_low - extent), vec3<f32>(0.0));
    return dot(gap, gap) <= local_grid.reach * local_grid.reach;
}
