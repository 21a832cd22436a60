// What the lanes of a subgroup tell each other. Without SUBGROUPS an invocation is a subgroup of its own.
#define_import_path nearwater::lanes

// The subgroup's exclusive prefix sum for the lane, and the total.
fn before_and_total(value: u32) -> vec2<u32> {
#ifdef SUBGROUPS
    return vec2<u32>(subgroupExclusiveAdd(value), subgroupAdd(value));
#else
    return vec2<u32>(0u, value);
#endif
}

// The value of the subgroup's first lane.
fn from_first_lane(value: u32) -> u32 {
#ifdef SUBGROUPS
    return subgroupBroadcastFirst(value);
#else
    return value;
#endif
}
