// CLAWS 2020, section 3.4, Algorithms 2 to 4: distributes the subgroups of a workgroup over up to TARGETS ranges of
// memory by their loads. Every range that is not empty gets a group of subgroups, at least one and otherwise in
// proportion to its load, and the groups exactly fill the workgroup. If there are more such ranges than subgroups, a
// case that the paper does not treat, every group is one subgroup, and a subgroup serves several groups one after the
// other.
//
// Departures from the paper: its "32 warps of 32" are the subgroups of the adapter. In the paper, lanes that race for a
// counter reduce the rounded percentages; here the ranges are reduced in a fixed order, so that the same loads always
// give the same schedule. Shares are rounded up, so the branch that increases them (lines 22 to 31) is never needed.
#define_import_path nearwater::claws_schedule

#import nearwater::workgroup_scan::{Place, SUBGROUP_CAPACITY, order}

const TARGETS: u32 = #{TARGETS}u;

// Number of particles in each range.
var<workgroup> loads: array<u32, TARGETS>;
// Number of subgroups of each range; 0 if it is empty.
var<workgroup> shares: array<u32, TARGETS>;
// Group of each subgroup; the first group if it serves several.
var<workgroup> warp_map: array<u32, SUBGROUP_CAPACITY>;
// Range of each group.
var<workgroup> target_map: array<u32, TARGETS>;
// First subgroup of each group, and one past the last subgroup of the last group.
var<workgroup> warp_starts: array<u32, TARGETS + 1u>;
// Number of ranges that are not empty.
var<workgroup> group_count: u32;

// Algorithm 2. `load` is the load of the range with the invocation's number. Begins and ends with a barrier.
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

    // Loads are scaled below 2^16, so that the product with the number of subgroups fits 32 bits.
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

    // Algorithms 3 and 4. Sums over the few preceding ranges replace the scans over lanes.
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

// Lines 12 to 21: the excess is taken from the shares larger than one, one subgroup per turn.
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
