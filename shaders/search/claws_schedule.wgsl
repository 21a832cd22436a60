// CLAWS 2020, section 3.4, Algorithms 2 to 4: the loads of up to TARGETS ranges of memory shared out over the subgroups
// of a workgroup. Every range that is not empty gets a group of subgroups, at least one and otherwise in proportion to
// its load, and the groups exactly fill the workgroup. Where there are more such ranges than subgroups, which the paper
// has no case for, every group is one subgroup, and a subgroup serves one group after the other.
//
// Departures: the paper's "32 warps of 32" are the subgroups that there are. Its rounded percentages are cut down by
// lanes that race for a counter; here the ranges take turns in their order, so that the same loads always give the same
// schedule. Shares are rounded up, so the branch that raises them (lines 22 to 31) would never be taken.
#define_import_path nearwater::claws_schedule

#import nearwater::workgroup_scan::{Place, SUBGROUP_CAPACITY, order}

const TARGETS: u32 = #{TARGETS}u;

// Particles in each range.
var<workgroup> loads: array<u32, TARGETS>;
// Subgroups of each range; 0 where it is empty.
var<workgroup> shares: array<u32, TARGETS>;
// Group of each subgroup: the first, where it serves several.
var<workgroup> warp_map: array<u32, SUBGROUP_CAPACITY>;
// Range of each group.
var<workgroup> target_map: array<u32, TARGETS>;
// First subgroup of each group, and the end of the last.
var<workgroup> warp_starts: array<u32, TARGETS + 1u>;
// Ranges that are not empty.
var<workgroup> group_count: u32;

// Algorithm 2: `load` of the range that has the invocation's number. Barriers at both ends.
fn schedule_warps(place: Place, load: u32) {
    let own = order(place);
    let is_range = own < TARGETS;
    workgroupBarrier();
    if is_range {
        loads[own] = load;
    }
    if own < place.subgroup_count {
        warp_map[own] = own;
    }
    workgroupBarrier();

    // Up to 2^16 times a subgroup's number fits 32 bits.
    var largest = 0u;
    for (var range = 0u; range < TARGETS; range++) {
        largest = max(largest, loads[range]);
    }
    let shift = max(firstLeadingBit(max(largest, 1u)), 15u) - 15u;
    var total = 0u;
    var groups = 0u;
    var groups_before = 0u;
    for (var range = 0u; range < TARGETS; range++) {
        let is_used = u32(loads[range] > 0u);
        total += scaled(loads[range], shift);
        groups += is_used;
        groups_before += select(0u, is_used, range < own);
    }
    if own == 0u {
        group_count = groups;
    }
    let is_group = is_range && load > 0u;
    if is_range {
        shares[own] = 0u;
    }
    if is_group {
        // Line 10.
        shares[own] = (scaled(load, shift) * place.subgroup_count + total - 1u) / total;
    }
    workgroupBarrier();

    var share = 0u;
    if is_group {
        share = cut_share(own, place.subgroup_count, groups);
    }
    workgroupBarrier();
    if is_range {
        shares[own] = share;
    }
    workgroupBarrier();

    // Algorithms 3 and 4: the scans of lanes are sums over the few ranges before.
    if is_group {
        var first = 0u;
        for (var range = 0u; range < own; range++) {
            first += shares[range];
        }
        target_map[groups_before] = own;
        warp_starts[groups_before] = first;
        if groups_before + 1u == groups {
            warp_starts[groups] = first + share;
        }
        if groups <= place.subgroup_count {
            for (var subgroup = first; subgroup < first + share; subgroup++) {
                warp_map[subgroup] = groups_before;
            }
        }
    }
    workgroupBarrier();
}

fn scaled(load: u32, shift: u32) -> u32 {
    return select(0u, max(load >> shift, 1u), load > 0u);
}

// Lines 12 to 21: what is too many is taken from the shares larger than one, turn by turn.
fn cut_share(own: u32, subgroup_count: u32, groups: u32) -> u32 {
    if groups > subgroup_count {
        return 1u;
    }
    var excess = 0u;
    for (var range = 0u; range < TARGETS; range++) {
        excess += shares[range];
    }
    excess -= subgroup_count;
    var turn = 0u;
    loop {
        var cut = 0u;
        var cut_before = 0u;
        for (var range = 0u; range < TARGETS; range++) {
            let is_cut = u32(shares[range] > turn + 1u);
            cut += is_cut;
            cut_before += select(0u, is_cut, range < own);
        }
        if excess <= cut {
            let is_cut = shares[own] > turn + 1u && cut_before < excess;
            return max(max(shares[own], turn) - turn, 1u) - u32(is_cut);
        }
        excess -= cut;
        turn += 1u;
    }
    return 0u;
}
