// CLAWS 2020, the traversal: chunks of coarse cells in workgroup memory, and the visitors that are tested against them.
//
// Entry points, in order of dispatch, after those of `claws_build` and `claws_order`:
//   traverse          one workgroup per chunk of a coarse cell, which is in workgroup memory: tests all particles that
//                     can have neighbors in the chunk, its visitors, against it (Algorithm 1)
//   (finish_deposits)
//
// Variants: REORDER, MERGED_ROWS, PAIRS_ONCE and SCHEDULE select the ideas of sections 3.2, 3.3, 3.1 and 3.4 of the
// paper; without them the search works as FENNS 2019. SHARED_QUEUE and CLIPPED_ROWS are not part of the paper: with the
// former, visitors within reach wait in a queue that all subgroups serve; with the latter, local grids have fine cells
// whose rows are clipped to the sphere. Without SHARED_QUEUE a subgroup itself serves the visitors that it reads.
// Without CLIPPED_ROWS, and with LOOK_UP_27, a visitor looks up the 27 cells of edge r around it.

#import nearwater::claws_blocks::{block_of, cell_coord_of, grid_parameters}
#import nearwater::claws_schedule::{TARGETS, group_count, target_map, warp_map, warp_starts}
#import nearwater::claws_targets::{Target, place_in, schedule_around, target_around}
#import nearwater::claws_work::{NO_CELL, block_start, cell_of_item, first_item}
#import nearwater::dispatch
#import nearwater::grid::Grid
#import nearwater::lanes::{before_and_total, from_first_lane}
#import nearwater::local_grid
#import nearwater::local_grid::{CHUNK_CAPACITY, chunk}
#import nearwater::pair as pair
#import nearwater::visit_chunk::{Found, visit_chunk}
#import nearwater::workgroup_scan::{Invocation, Place, WORKGROUP_SIZE, order, place_of}
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif
#ifdef RECORD
#import nearwater::recording
#endif
#ifdef LIMITED_LOOPS
#import nearwater::loop_limit
#endif

// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
#ifndef CLIPPED_ROWS
// The local grid of a coarse cell whose lowest corner is the origin.
@group(0) @binding(3) var<uniform> local_parameters: Grid;
#endif

// The particles (members) of a coarse cell, numbered from its first inner particle to its last border particle.
struct Members {
    inner_start: u32,
    inner_count: u32,
    border_start: u32,
    border_count: u32,
}

fn members_of(cell: u32) -> Members {
    let inner = block_of(cell, true);
    let border = block_of(cell, false);
    let inner_start = block_start(inner);
    let border_start = block_start(border);
    return Members(
        inner_start,
        block_start(inner + 1u) - inner_start,
        border_start,
        block_start(border + 1u) - border_start,
    );
}

fn place_of_member(members: Members, number: u32) -> u32 {
    let is_inner = number < members.inner_count;
    return select(members.border_start - members.inner_count, members.inner_start, is_inner) + number;
}

// The members of one block without those with numbers from `begin` up to but excluding `end`. The block has the indices
// `start` up to but excluding `start + count` in the sorted order, and its first member has the number `number` in the
// cell.
fn others(start: u32, count: u32, number: u32, begin: u32, end: u32) -> Target {
    let gap_start = clamp(begin, number, number + count) - number;
    let gap_end = clamp(end, number, number + count) - number;
    return Target(start, gap_start, gap_end - gap_start, count - (gap_end - gap_start));
}

// A subgroup's part of a range of visitors. The range is divided into pieces of the subgroup's size, of which the part
// contains every `turns`-th, beginning with piece `turn`.
struct Part {
    visitors: Target,
    turn: u32,
    turns: u32,
}

// The visitors of a chunk: either the other members of its cell, which are two ranges that all subgroups share, or the
// border particles of the cells around it, as scheduled.
struct Visits {
    are_from_around: bool,
    cell: vec3<u32>,
    members: Members,
    // The range of members that do not visit.
    begin: u32,
    end: u32,
}

fn part_count(visits: Visits) -> u32 {
#ifdef SCHEDULE
    return select(2u, group_count, visits.are_from_around);
#else
    return select(2u, TARGETS, visits.are_from_around);
#endif
}

fn first_part(place: Place, visits: Visits) -> u32 {
#ifdef SCHEDULE
    return select(0u, warp_map[place.subgroup], visits.are_from_around);
#else
    return select(0u, place.subgroup, visits.are_from_around);
#endif
}

// If there are more groups than subgroups, a subgroup serves several groups.
fn next_part(place: Place, visits: Visits, part: u32) -> u32 {
    return part + select(1u, place.subgroup_count, visits.are_from_around);
}

fn part_of(place: Place, visits: Visits, part: u32) -> Part {
    let members = visits.members;
    if !visits.are_from_around {
        let inner = others(members.inner_start, members.inner_count, 0u, visits.begin, visits.end);
        let border = others(
            members.border_start, members.border_count, members.inner_count, visits.begin, visits.end);
        if part == 0u {
            return Part(inner, place.subgroup, place.subgroup_count);
        }
        return Part(border, place.subgroup, place.subgroup_count);
    }
#ifdef SCHEDULE
    let first = warp_starts[part];
    let turns = warp_starts[part + 1u] - first;
    return Part(target_around(visits.cell, target_map[part]), select(place.subgroup - first, 0u, turns == 1u), turns);
#else
    return Part(target_around(visits.cell, part), 0u, 1u);
#endif
}

// Whether the range has a visitor with the given number, and the chunk is within reach of that visitor.
fn is_visitor(chunk_grid: Grid, cell: vec3<u32>, visitors: Target, number: u32) -> bool {
    // For numbers past the end, a valid position is read and the result is discarded.
    let place = place_in(visitors, min(number, visitors.load));
    let position = sorted_positions[min(place, grid_parameters.particle_count - 1u)].xyz;
#ifdef CLIPPED_ROWS
    let is_in_reach = local_grid::in_reach(chunk_grid, position);
#else
    let is_in_reach = local_grid::is_in(local_grid::surroundings_of(grid_parameters, cell), position);
#endif
    return number < visitors.load && is_in_reach;
}

fn deliver(visitor: u32, found: Found) {
    pair::deposit(visitor, found.sum);
#ifdef COUNT_PAIRS
    counting::finish(visitor);
#endif
}

// Tests a visitor against the chunk. With `both_ways`, the particles of the chunk get their contributions at the same
// time (section 3.1).
fn serve(visitor: u32, chunk_grid: Grid, both_ways: bool) {
    let position = sorted_positions[visitor].xyz;
#ifdef RECORD
    recording::begin_visitor(visitor);
#endif
    deliver(visitor, visit_chunk(chunk_grid, pair::zero(), position, pair::load(visitor), visitor, both_ways));
}

// The number of the memory range that a part reads: a range around the cell, or after these the two blocks of the cell
// itself.
fn source_of(visits: Visits, part: u32) -> u32 {
    if !visits.are_from_around {
        return TARGETS + part;
    }
#ifdef SCHEDULE
    return target_map[part];
#else
    return part;
#endif
}

#ifdef SHARED_QUEUE
const QUEUE_CAPACITY: u32 = #{QUEUE_CAPACITY}u;

// Indices in the sorted order of visitors within reach of the chunk, until a subgroup's next visitors do not fit.
var<workgroup> queue: array<u32, QUEUE_CAPACITY>;
// The number of requested entries, and the first entry of the first request that did not fit.
var<workgroup> queue_asked: atomic<u32>;
var<workgroup> queue_end: atomic<u32>;
// Number of visitors that have been taken from the queue.
var<workgroup> queue_served: atomic<u32>;
// Whether some visitors did not fit the queue.
var<workgroup> more_visitors: u32;

// The next functions are called in loops that the lanes of a subgroup leave together, but within which they diverge.
// The code relies on the lanes reconverging after a branch and a loop; `gpu::subgroups` checks this when it opens a
// device, and otherwise SUBGROUPS is not defined.

// Appends the visitors within reach, of four pieces of a part, to the queue. Returns false if they do not fit.
fn queue_visitors(place: Place, chunk_grid: Grid, cell: vec3<u32>, part: Part, number: u32, source: u32) -> bool {
    let visitors = part.visitors;
    let stride = part.turns * place.subgroup_size;
    let numbers = vec4<u32>(number, number + stride, number + 2u * stride, number + 3u * stride);
    let are_visitors = vec4<bool>(
        is_visitor(chunk_grid, cell, visitors, numbers.x),
        is_visitor(chunk_grid, cell, visitors, numbers.y),
        is_visitor(chunk_grid, cell, visitors, numbers.z),
        is_visitor(chunk_grid, cell, visitors, numbers.w),
    );
    // One byte per piece is sufficient, because no subgroup has more than 128 lanes.
    let bits = vec4<u32>(are_visitors) << vec4<u32>(0u, 8u, 16u, 24u);
    let scanned = before_and_total(bits.x | bits.y | bits.z | bits.w);
    let before = (vec4<u32>(scanned.x) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu);
    let totals = (vec4<u32>(scanned.y) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu);
    let total = totals.x + totals.y + totals.z + totals.w;
    var first = 0u;
    if place.lane == 0u && total > 0u {
        first = atomicAdd(&queue_asked, total);
        if first + total > QUEUE_CAPACITY {
            atomicMin(&queue_end, first);
        }
    }
    first = from_first_lane(first);
    if first + total > QUEUE_CAPACITY {
        return false;
    }
    let starts = first + vec4<u32>(0u, totals.x, totals.x + totals.y, totals.x + totals.y + totals.z) + before;
    if are_visitors.x { queue[starts.x] = place_in(visitors, numbers.x); }
    if are_visitors.y { queue[starts.y] = place_in(visitors, numbers.y); }
    if are_visitors.z { queue[starts.z] = place_in(visitors, numbers.z); }
    if are_visitors.w { queue[starts.w] = place_in(visitors, numbers.w); }
#ifdef RECORD
    for (var piece = 0u; piece < 4u; piece++) {
        if numbers[piece] < visitors.load {
            recording::visitor(place_in(visitors, numbers[piece]), are_visitors[piece], source);
        }
    }
    if place.lane == 0u {
        recording::reading(source, 4u, select(2u, 1u, source >= TARGETS), true);
    }
    recording::next_batch();
#endif
    return true;
}

// Tests the visitors within reach against the chunk. Each subgroup reads its parts and appends the visitors within
// reach to a shared queue. Then all subgroups serve the queue, so that none is idle while another has a row with many
// visitors.
fn let_visit(place: Place, chunk_grid: Grid, visits: Visits, both_ways: bool) {
    let count = part_count(visits);
    var part_number = first_part(place, visits);
    var part = Part(Target(0u, 0u, 0u, 0u), 0u, 1u);
    if part_number < count {
        part = part_of(place, visits, part_number);
    }
    var number = part.turn * place.subgroup_size;
    loop {
        workgroupBarrier();
        if order(place) == 0u {
            atomicStore(&queue_asked, 0u);
            atomicStore(&queue_end, QUEUE_CAPACITY);
            atomicStore(&queue_served, 0u);
            more_visitors = 0u;
        }
        workgroupBarrier();
        while part_number < count {
            if number >= part.visitors.load {
                part_number = next_part(place, visits, part_number);
                if part_number < count {
                    part = part_of(place, visits, part_number);
                    number = part.turn * place.subgroup_size;
                }
                continue;
            }
            let source = source_of(visits, part_number);
            if !queue_visitors(place, chunk_grid, visits.cell, part, number + place.lane, source) {
                more_visitors = 1u;
                break;
            }
            number += 4u * part.turns * place.subgroup_size;
        }
        workgroupBarrier();
        let waiting = min(atomicLoad(&queue_asked), atomicLoad(&queue_end));
#ifdef SERVE_AS_READY
        loop {
            var first = 0u;
            if place.lane == 0u {
                first = atomicAdd(&queue_served, place.subgroup_size);
            }
            first = from_first_lane(first);
            if first >= waiting {
                break;
            }
            if first + place.lane < waiting {
                serve(queue[first + place.lane], chunk_grid, both_ways);
#ifdef RECORD
                recording::served(select(1u, 2u, visits.are_from_around));
#endif
            }
#ifdef RECORD
            recording::next_batch();
#endif
        }
#else
#ifdef RECORD
        let turn_of_first = recording::turn();
#endif
        for (var number_waiting = order(place); number_waiting < waiting; number_waiting += WORKGROUP_SIZE) {
            serve(queue[number_waiting], chunk_grid, both_ways);
#ifdef RECORD
            recording::served(select(1u, 2u, visits.are_from_around));
            recording::next_batch();
#endif
        }
#ifdef RECORD
        recording::set_turn(turn_of_first + (waiting + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE);
#endif
#endif
        if workgroupUniformLoad(&more_visitors) == 0u {
            break;
        }
    }
}
#else
// Tests the visitors within reach against the chunk as in the paper (Algorithm 1, lines 17 to 28, and FENNS, Algorithm
// 3, lines 20 to 35): each lane of a subgroup reads a visitor of the subgroup's part and, if it is within reach, serves
// it before the subgroup reads the next ones. The schedule therefore determines which subgroup serves a visitor.
fn let_visit(place: Place, chunk_grid: Grid, visits: Visits, both_ways: bool) {
    workgroupBarrier();
    let count = part_count(visits);
    for (var number = first_part(place, visits); number < count; number = next_part(place, visits, number)) {
        let part = part_of(place, visits, number);
        let stride = part.turns * place.subgroup_size;
        for (var first = part.turn * place.subgroup_size; first < part.visitors.load; first += stride) {
            let own = first + place.lane;
            let is_in_reach = is_visitor(chunk_grid, visits.cell, part.visitors, own);
#ifdef RECORD
            let source = source_of(visits, number);
            let phase = select(1u, 2u, visits.are_from_around);
            if own < part.visitors.load {
                recording::visitor(place_in(part.visitors, own), is_in_reach, source);
            }
            if place.lane == 0u {
                recording::reading(source, 1u, phase, false);
            }
#endif
            if is_in_reach {
                serve(place_in(part.visitors, own), chunk_grid, both_ways);
#ifdef RECORD
                recording::served(phase);
#endif
            }
#ifdef RECORD
            recording::next_batch();
#endif
        }
    }
}
#endif

@compute @workgroup_size(WORKGROUP_SIZE)
fn traverse(invocation: Invocation) {
    let item = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    let place = place_of(invocation);
    let own = order(place);
    let cell_number = cell_of_item(place, item);
    if cell_number == NO_CELL {
        return;
    }
    let members = members_of(cell_number);
    let count = members.inner_count + members.border_count;
    // The smallest number of chunks that hold the cell, all of about the same size.
    let chunks = max((count + CHUNK_CAPACITY - 1u) / CHUNK_CAPACITY, 1u);
    let chunk_size = (count + chunks - 1u) / chunks;
    let begin = (item - first_item(cell_number)) * chunk_size;
    let end = min(begin + chunk_size, count);
    if begin >= end {
        return;
    }

#ifdef RECORD
    recording::enter_cell(cell_number, item, place.subgroup, place.lane);
#endif
    let cell = cell_coord_of(cell_number);
    local_grid::start(place);
#ifdef CLIPPED_ROWS
    var box = local_grid::empty_box();
    for (var number = begin + own; number < end; number += WORKGROUP_SIZE) {
        box = local_grid::widened(box, sorted_positions[place_of_member(members, number)].xyz);
    }
    local_grid::enclose(place, box);
    let chunk_grid = local_grid::fit(grid_parameters, local_grid::enclosed(), end - begin);
#else
    let chunk_grid = local_grid::over_cell(local_parameters, grid_parameters, cell, end - begin);
#endif
    for (var number = begin + own; number < end; number += WORKGROUP_SIZE) {
        local_grid::count(chunk_grid, sorted_positions[place_of_member(members, number)].xyz);
    }
    local_grid::finish_counting(place, chunk_grid);
    for (var number = begin + own; number < end; number += WORKGROUP_SIZE) {
        let member = place_of_member(members, number);
        local_grid::put(chunk_grid, sorted_positions[member].xyz, member);
    }
#ifdef SCHEDULE
    schedule_around(place, cell);
#else
    workgroupBarrier();
#endif

#ifdef RECORD
    if own == 0u {
        recording::chunk_grid(chunk_grid);
    }
    for (var slot = own; slot < end - begin; slot += WORKGROUP_SIZE) {
        recording::member(bitcast<u32>(chunk[slot].w), slot);
    }
#endif
    // Within the chunk each particle gathers, because both particles of a pair are visitors at the same time.
    for (var slot = own; slot < end - begin; slot += WORKGROUP_SIZE) {
        let member = chunk[slot];
        let index = bitcast<u32>(member.w);
#ifdef RECORD
        recording::begin_visitor(index);
#endif
        deliver(index, visit_chunk(chunk_grid, pair::zero(), member.xyz, pair::load(index), index, false));
#ifdef RECORD
        recording::served(0u);
        recording::next_batch();
#endif
    }
#ifdef RECORD
    recording::set_turn((end - begin + WORKGROUP_SIZE - 1u) / WORKGROUP_SIZE);
#endif

    // The other particles of the coarse cell. With PAIRS_ONCE only those of later chunks visit, and both sides of a
    // pair get their contributions.
    if chunks > 1u {
#ifdef PAIRS_ONCE
        let_visit(place, chunk_grid, Visits(false, cell, members, 0u, end), true);
#else
        let_visit(place, chunk_grid, Visits(false, cell, members, begin, end), false);
#endif
    }

    // The border particles of the cells around the coarse cell, lines 17 to 28 of Algorithm 1.
    let_visit(place, chunk_grid, Visits(true, cell, members, 0u, 0u), false);
#ifdef LIMITED_LOOPS
    loop_limit::check();
#endif
}
