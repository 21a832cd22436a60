// CLAWS 2020, the search: coarse cells in memory, chunks of them in workgroup memory.
//
// Entry points, in order of dispatch, after those of `claws_build` and `claws_order`:
//   traverse          one workgroup a chunk of a coarse cell, which it keeps in workgroup memory: all that can have
//                     neighbors there visit it (Algorithm 1)
//   (finish_deposits)
//
// Variants: REORDER, MERGED_ROWS, PAIRS_ONCE and SCHEDULE are the paper's sections 3.2, 3.3, 3.1 and 3.4; without them the
// search does as FENNS 2019 did.

#import nearwater::claws_blocks::{block_of, cell_coord_of, grid_parameters}
#import nearwater::claws_schedule::{TARGETS, group_count, target_map, warp_map, warp_starts}
#import nearwater::claws_targets::{Target, place_in, schedule_around, target_around}
#import nearwater::claws_work::{NO_CELL, block_start, cell_of_item, first_item}
#import nearwater::dispatch
#import nearwater::grid::Grid
#import nearwater::local_grid
#import nearwater::local_grid::{CHUNK_CAPACITY, chunk}
#import nearwater::pair as pair
#import nearwater::visit_chunk::{Found, VISITOR, visit_chunk, visit_chunk_both_ways}
#import nearwater::workgroup_scan::{Invocation, Place, WORKGROUP_SIZE, order, place_of}
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif

// xyz in metres, bits of the index into the unsorted positions; len = particle_count.
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;

// A coarse cell's particles, counted from its first inner to its last border one.
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

// The members of one block, `start` to `start` + `count`, of which the first is number `number` of the cell, but for those
// with numbers from `begin` to `end`.
fn others(start: u32, count: u32, number: u32, begin: u32, end: u32) -> Target {
    let gap_start = clamp(begin, number, number + count) - number;
    let gap_end = clamp(end, number, number + count) - number;
    return Target(start, gap_start, gap_end - gap_start, count - (gap_end - gap_start));
}

// A subgroup's part of a range of visitors: every `turns`-th stretch as long as the subgroup.
struct Part {
    visitors: Target,
    turn: u32,
    turns: u32,
}

// Who visits a chunk: the other members of its cell, which is two ranges for all subgroups together, or the border
// particles around, as scheduled.
struct Visits {
    are_from_around: bool,
    cell: vec3<u32>,
    members: Members,
    // Members that do not.
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

// A subgroup serves several groups where there are more of these than subgroups.
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

const QUEUE_CAPACITY: u32 = #{QUEUE_CAPACITY}u;

// Places of visitors in reach of the chunk, until there is no room for a subgroup's next ones.
var<workgroup> queue: array<u32, QUEUE_CAPACITY>;
// Room that was asked for, and the first that was not there.
var<workgroup> queue_asked: atomic<u32>;
var<workgroup> queue_end: atomic<u32>;
// Visitors that have been taken out.
var<workgroup> queue_served: atomic<u32>;
// Whether some could not be queued.
var<workgroup> more_visitors: u32;

// The subgroup's sum up to the lane, and all of it.
fn before_and_total(value: u32) -> vec2<u32> {
#ifdef SUBGROUPS
    return vec2<u32>(subgroupExclusiveAdd(value), subgroupAdd(value));
#else
    return vec2<u32>(0u, value);
#endif
}

// The first lane's value.
fn from_first_lane(value: u32) -> u32 {
#ifdef SUBGROUPS
    return subgroupBroadcastFirst(value);
#else
    return value;
#endif
}

// Whether a range has that number, and its particle is in reach.
fn is_visitor(chunk_grid: Grid, visitors: Target, number: u32) -> bool {
    // Somebody's past the end.
    let place = place_in(visitors, min(number, visitors.load));
    let position = sorted_positions[min(place, grid_parameters.particle_count - 1u)].xyz;
    return number < visitors.load && local_grid::in_reach(chunk_grid, position);
}

// Queues those of four stretches that are in reach; false if there is no room for them.
fn queue_visitors(place: Place, chunk_grid: Grid, visitors: Target, number: u32, stride: u32) -> bool {
    let numbers = vec4<u32>(number, number + stride, number + 2u * stride, number + 3u * stride);
    let are_visitors = vec4<bool>(
        is_visitor(chunk_grid, visitors, numbers.x),
        is_visitor(chunk_grid, visitors, numbers.y),
        is_visitor(chunk_grid, visitors, numbers.z),
        is_visitor(chunk_grid, visitors, numbers.w),
    );
    // A byte for each stretch: no subgroup has more than 128 lanes.
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
    return true;
}

fn deliver(visitor: u32, found: Found) {
    pair::deposit(visitor, found.sum);
#ifdef COUNT_PAIRS
    counting::count_particle(visitor, found.candidates, found.neighbors);
#endif
}

// Lets those of the visitors that are in reach visit the chunk: each subgroup reads its parts, and puts who is in reach
// into a queue for all; then all subgroups serve the queue, so that nobody idles beside a row of many visitors. Both ways,
// the chunk's particles get theirs in the same turn (section 3.1).
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
            let stride = part.turns * place.subgroup_size;
            if !queue_visitors(place, chunk_grid, part.visitors, number + place.lane, stride) {
                more_visitors = 1u;
                break;
            }
            number += 4u * stride;
        }
        workgroupBarrier();
        let waiting = min(atomicLoad(&queue_asked), atomicLoad(&queue_end));
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
                let visitor = queue[first + place.lane];
                let position = sorted_positions[visitor].xyz;
                if both_ways {
                    deliver(visitor, visit_chunk_both_ways(chunk_grid, position, pair::load(visitor)));
                } else {
                    deliver(visitor, visit_chunk(chunk_grid, position, pair::load(visitor), VISITOR));
                }
            }
        }
        if workgroupUniformLoad(&more_visitors) == 0u {
            break;
        }
    }
}

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
    // As few chunks as hold the cell, all of about the same size.
    let chunks = max((count + CHUNK_CAPACITY - 1u) / CHUNK_CAPACITY, 1u);
    let chunk_size = (count + chunks - 1u) / chunks;
    let begin = (item - first_item(cell_number)) * chunk_size;
    let end = min(begin + chunk_size, count);
    if begin >= end {
        return;
    }

    local_grid::start(place);
    var low = vec3<f32>(3.0e38);
    var high = vec3<f32>(-3.0e38);
    for (var number = begin + own; number < end; number += WORKGROUP_SIZE) {
        let position = sorted_positions[place_of_member(members, number)].xyz;
        low = min(low, position);
        high = max(high, position);
    }
    local_grid::enclose(place, low, high);
    let chunk_grid = local_grid::fit(grid_parameters, end - begin);
    for (var number = begin + own; number < end; number += WORKGROUP_SIZE) {
        local_grid::count(chunk_grid, sorted_positions[place_of_member(members, number)].xyz);
    }
    local_grid::finish_counting(place, chunk_grid);
    for (var number = begin + own; number < end; number += WORKGROUP_SIZE) {
        let member = place_of_member(members, number);
        local_grid::put(chunk_grid, sorted_positions[member].xyz, member);
    }
#ifdef SCHEDULE
    schedule_around(place, cell_coord_of(cell_number));
#else
    workgroupBarrier();
#endif

    // Inside the chunk each particle gathers: both of a pair are visitors at the same time.
    for (var slot = own; slot < end - begin; slot += WORKGROUP_SIZE) {
        let member = chunk[slot];
        let index = bitcast<u32>(member.w);
        deliver(index, visit_chunk(chunk_grid, member.xyz, pair::load(index), slot));
    }


    // The coarse cell's other particles: in pairs, only those of later chunks, as they give to the chunk what they take.
    let cell = cell_coord_of(cell_number);
    if chunks > 1u {
#ifdef PAIRS_ONCE
        let_visit(place, chunk_grid, Visits(false, cell, members, 0u, end), true);
#else
        let_visit(place, chunk_grid, Visits(false, cell, members, begin, end), false);
#endif
    }

    // Border particles of the cells around, lines 17 to 28 of Algorithm 1.
    let_visit(place, chunk_grid, Visits(true, cell, members, 0u, 0u), false);
}
