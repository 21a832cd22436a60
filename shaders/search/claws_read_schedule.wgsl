// Writes the schedule of CLAWS for one coarse cell to a buffer, as the traversal computes it, so that it can be read
// back.
//
// Entry point: write_schedule, one workgroup.

#import nearwater::claws_blocks::cell_coord_of
#import nearwater::claws_schedule::{TARGETS, group_count, loads, target_map, warp_map, warp_starts}
#import nearwater::claws_targets::{offset_of, schedule_around}
#import nearwater::workgroup_scan::{Invocation, WORKGROUP_SIZE, order, place_of}

// Mirrored by `search::ScheduleRequest`.
struct ScheduleRequest {
    cell: u32,
}

@group(0) @binding(1) var<uniform> schedule_request: ScheduleRequest;
// Number of subgroups, number of groups, then the offsets of the ranges and the lists of `search::Schedule`;
// len = 2 + the words of the lists.
@group(0) @binding(3) var<storage, read_write> schedule_words: array<u32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn write_schedule(invocation: Invocation) {
    let place = place_of(invocation);
    schedule_around(place, cell_coord_of(schedule_request.cell));
    let own = order(place);
    if own == 0u {
        schedule_words[0] = place.subgroup_count;
        schedule_words[1] = group_count;
    }
    if own < TARGETS {
        let offset = vec3<u32>(offset_of(own));
        schedule_words[2u + 3u * own] = offset.x;
        schedule_words[3u + 3u * own] = offset.y;
        schedule_words[4u + 3u * own] = offset.z;
        schedule_words[2u + 3u * TARGETS + own] = loads[own];
    }
    if own < group_count {
        schedule_words[2u + 4u * TARGETS + own] = target_map[own];
    }
    if group_count > 0u && own <= group_count {
        schedule_words[2u + 5u * TARGETS + own] = warp_starts[own];
    }
    if own < place.subgroup_count {
        schedule_words[3u + 6u * TARGETS + own] = warp_map[own];
    }
}
