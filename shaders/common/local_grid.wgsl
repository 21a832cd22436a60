// The second level of the two-level searches (FENNS, CLAWS): a chunk of particles in workgroup memory, sorted into a
// local grid. A workgroup builds it during the traversal:
//   start             empties the grid
//   enclose           with CLIPPED_ROWS, every invocation: adds the bounding box of the particles that it will insert
//   enclosed          with CLIPPED_ROWS: the common bounding box
//   fit               with CLIPPED_ROWS: creates the grid over it
//   over_cell         without CLIPPED_ROWS: creates the grid over the coarse cell
//   count             for every particle: counts it in its cell
//   finish_counting   turns the counters into ends of cells
//   put               for every particle: takes a slot of its cell from the end down, after which the counter is the
//                     cell's start
//   (workgroupBarrier)
// and then tests visitors against it (`nearwater::visit_chunk`). `start`, `enclosed` and `finish_counting` contain
// barriers. With a halo (`nearwater::halo`), `around` gives a grid over the bounding box and all that is within reach
// of it.
//
// Variants: with CLIPPED_ROWS, which none of the papers describes, the grid covers the chunk's own bounding box and its
// cells are narrower than the radius. Without it, as in FENNS (2019, section 3.2), the grid covers the coarse cell and
// no cell is narrower than the radius.
//
// Numbers: CHUNK_CAPACITY particles, LOCAL_CELL_CAPACITY cells, DENSE_CHUNK particles per cube of edge r beyond which
// cells are half as large.
#define_import_path nearwater::local_grid

#import nearwater::grid
#import nearwater::grid::Grid
#import nearwater::workgroup_scan::{Place, WORKGROUP_SIZE, order, workgroup_exclusive_scan}

const CHUNK_CAPACITY: u32 = #{CHUNK_CAPACITY}u;
const LOCAL_CELL_CAPACITY: u32 = #{LOCAL_CELL_CAPACITY}u;

// Slots past the last that may be read where candidates are tested four at a time; what they contain is not used.
const SLOTS_PAST_END: u32 = 3u;
// Position in xyz, m, and the index in the sorted order as the bits of w; ordered by cell after `put`.
var<workgroup> chunk: array<vec4<f32>, CHUNK_CAPACITY + SLOTS_PAST_END>;
// Number of particles in each local cell, then the cell's end, then its start; the entry past the last cell is the
// chunk's particle count.
var<workgroup> local_cell_start: array<atomic<u32>, LOCAL_CELL_CAPACITY + 1u>;
#ifdef CLIPPED_ROWS
// The chunk's bounding box, as integers in the order of the floats.
var<workgroup> lowest: array<atomic<u32>, 3>;
var<workgroup> highest: array<atomic<u32>, 3>;
#endif

// Farther away, a coordinate's resolution is coarser than any radius, and its square would overflow a float.
const FARTHEST: f32 = 1e15;

// NaN becomes the farthest coordinate, out of reach of every particle.
fn bounded(position: vec3<f32>) -> vec3<f32> {
    let numbers = select(vec3<f32>(-FARTHEST), position, grid::are_numbers(position));
    return clamp(numbers, vec3<f32>(-FARTHEST), vec3<f32>(FARTHEST));
}

// A bounding box that ignores coordinates that are NaN, since one of them would invalidate the box of its whole chunk.
struct Box {
    low: vec3<f32>,
    high: vec3<f32>,
}

// Inverted: `low` exceeds `high`.
fn empty_box() -> Box {
    return Box(vec3<f32>(3.0e38), vec3<f32>(-3.0e38));
}

fn widened(box: Box, position: vec3<f32>) -> Box {
    let are_numbers = grid::are_numbers(position);
    return Box(
        select(box.low, min(box.low, position), are_numbers),
        select(box.high, max(box.high, position), are_numbers),
    );
}

// Maps floats to unsigned integers in the same order: positive floats above all negative ones, and the latter reversed.
fn comparable(value: f32) -> u32 {
    let bits = bitcast<u32>(value);
    return select(bits | 0x80000000u, ~bits, bits >= 0x80000000u);
}

fn from_comparable(number: u32) -> f32 {
    return bitcast<f32>(select(~number, number & 0x7fffffffu, number >= 0x80000000u));
}

fn start(place: Place) {
    // Another invocation may still be reading the data of an earlier chunk.
    workgroupBarrier();
    clear(place);
}

// The same where no invocation can be reading an earlier chunk any more. Ends with a barrier.
fn clear(place: Place) {
    let local = order(place);
    for (var cell = local; cell <= LOCAL_CELL_CAPACITY; cell += WORKGROUP_SIZE) {
        atomicStore(&local_cell_start[cell], 0u);
    }
#ifdef CLIPPED_ROWS
    empty_enclosed(place);
#endif
    workgroupBarrier();
}

#ifdef CLIPPED_ROWS
// Forgets the bounding box that was enclosed.
fn empty_enclosed(place: Place) {
    let axis = order(place);
    if axis < 3u {
        atomicStore(&lowest[axis], 0xffffffffu);
        atomicStore(&highest[axis], 0u);
    }
}

// `box`: bounding box of the invocation's particles, inverted along an axis without valid coordinates.
fn enclose(place: Place, box: Box) {
#ifdef SUBGROUPS
    let least = subgroupMin(box.low);
    let most = subgroupMax(box.high);
    if place.lane > 0u {
        return;
    }
#else
    let least = box.low;
    let most = box.high;
#endif
    // An inverted box has no effect unless all are inverted, which `fit` detects.
    atomicMin(&lowest[0], comparable(least.x));
    atomicMin(&lowest[1], comparable(least.y));
    atomicMin(&lowest[2], comparable(least.z));
    atomicMax(&highest[0], comparable(most.x));
    atomicMax(&highest[1], comparable(most.y));
    atomicMax(&highest[2], comparable(most.z));
}
#endif

// At least one cell along each axis and at most `capacity` in all: cells with edges `edge`, doubled along the axis with
// the most cells until they fit.
fn fitted_counts(extent: vec3<f32>, edge: vec3<f32>, capacity: u32) -> vec3<u32> {
    // At most 1,023 cells per axis keep the product within 32 bits.
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

// `counts` cells over the box that begins at `low`; positions outside belong to the outermost cells.
fn grid_over(search: Grid, low: vec3<f32>, extent: vec3<f32>, counts: vec3<u32>, particle_count: u32) -> Grid {
    let cell_size = extent / vec3<f32>(counts);
    // Coordinates outside the box may be larger, and with them the rounding of their differences.
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

#ifdef CLIPPED_ROWS
// The bounding box that was enclosed. Begins with a barrier.
fn enclosed() -> Box {
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
    return Box(low, high);
}

// The grid over a bounding box of `particle_count` particles.
fn fit(search: Grid, box: Box, particle_count: u32) -> Grid {
    // Along an axis without valid coordinates the box is a point.
    let is_upright = box.low <= box.high;
    let origin = select(search.origin, bounded(box.low), is_upright);
    let extent = select(vec3<f32>(0.0), bounded(box.high) - origin, is_upright);
    return fine_grid(search, origin, extent, particle_count);
}

// A grid over a box: cells of r/4 by r by r, or of half these edges where they would contain many particles: fewer
// candidates, but more rows.
fn fine_grid(search: Grid, origin: vec3<f32>, extent: vec3<f32>, particle_count: u32) -> Grid {
    let radius = sqrt(search.radius_squared);
    let solid = max(extent, vec3<f32>(radius));
    let per_radius_cubed = f32(particle_count) * (radius / solid.x) * (radius / solid.y) * (radius / solid.z);
    let fineness = select(1.0, 2.0, per_radius_cubed > #{DENSE_CHUNK}.0);
    let edge = vec3<f32>(0.25, 1.0, 1.0) * (radius / fineness);
    return grid_over(search, origin, extent, fitted_counts(extent, edge, LOCAL_CELL_CAPACITY), particle_count);
}

// The grid over a box and all that is within reach of it, where `particle_count` particles are in the box itself, and
// the density around it is the same.
fn around(box: Grid, search: Grid, particle_count: u32) -> Grid {
    let extent = box.cell_size * vec3<f32>(box.cell_counts);
    let solid = max(extent, vec3<f32>(box.reach));
    let larger = (solid + 2.0 * box.reach) / solid;
    let expected = u32(min(f32(particle_count) * larger.x * larger.y * larger.z, 1e9));
    return fine_grid(search, box.origin - box.reach, extent + 2.0 * box.reach, expected);
}

// Whether a position can have neighbors in the chunk.
fn in_reach(local_grid: Grid, position: vec3<f32>) -> bool {
    let from_low = local_grid.origin - bounded(position);
    let extent = local_grid.cell_size * vec3<f32>(local_grid.cell_counts);
    let gap = max(max(from_low, -from_low - extent), vec3<f32>(0.0));
    return dot(gap, gap) <= local_grid.reach * local_grid.reach;
}
#else
// The local grid of a coarse cell, from that of a coarse cell whose lowest corner is the origin.
fn over_cell(of_any_cell: Grid, search: Grid, cell: vec3<u32>, particle_count: u32) -> Grid {
    var local_grid = of_any_cell;
    local_grid.origin += search.origin + vec3<f32>(cell) * search.cell_size;
    local_grid.particle_count = particle_count;
    return local_grid;
}

// The box that contains all particles that can have neighbors in a coarse cell, m: the cell extended by the reach on
// every side. The outermost cells contain the particles outside the grid, so their boxes extend to infinity.
struct Surroundings {
    low: vec3<f32>,
    high: vec3<f32>,
}

const INFINITY: f32 = 3.4e38;

// The bound on rounding that the reach includes is much larger than the rounding of these sums.
fn surroundings_of(search: Grid, cell: vec3<u32>) -> Surroundings {
    let corner = search.origin + vec3<f32>(cell) * search.cell_size;
    return Surroundings(
        select(corner - search.reach, vec3<f32>(-INFINITY), cell == vec3<u32>(0u)),
        select(corner + search.cell_size + search.reach, vec3<f32>(INFINITY), cell == search.cell_counts - 1u),
    );
}

fn is_in(surroundings: Surroundings, position: vec3<f32>) -> bool {
    return all(position >= surroundings.low) && all(position <= surroundings.high);
}
#endif

fn local_cell(local_grid: Grid, position: vec3<f32>) -> u32 {
    return grid::cell_index(local_grid, grid::cell_coord(local_grid, bounded(position)));
}

fn count(local_grid: Grid, position: vec3<f32>) {
    count_in(local_cell(local_grid, position));
}

// The same for a particle whose cell the caller determines.
fn count_in(cell: u32) {
    atomicAdd(&local_cell_start[cell], 1u);
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
    put_in(local_cell(local_grid, position), position, sorted_place);
}

fn put_in(cell: u32, position: vec3<f32>, sorted_place: u32) {
    let slot = atomicSub(&local_cell_start[cell], 1u) - 1u;
    if slot < CHUNK_CAPACITY {
        chunk[slot] = vec4<f32>(position, bitcast<f32>(sorted_place));
    }
}
