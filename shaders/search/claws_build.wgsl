// CLAWS 2020, section 3.2: sorts the particles by class (inner or border) and by coarse cell.
//
// Entry points, in order of dispatch:
//   clear_counters    one invocation per counter: sets it to zero, and with WITH_HALO the number of chunks
//   count_particles   histogram of the blocks in workgroup memory, then one atomic addition per counter in device
//                     memory
//   (exclusive scan)  over the counters and one more entry; afterwards the entry after that of a block is the end
//                     of the block
//   reorder           one invocation per particle: reserves its slot downward from the end of its block; afterwards
//                     every end has become a start
//   (claws_order, or with WITH_HALO halo_order)

#import nearwater::claws_blocks::{block_of, grid_parameters}
#import nearwater::dispatch
#import nearwater::grid
#import nearwater::workgroup_scan::{Invocation, WORKGROUP_SIZE, order, place_of}

// Positions in the order of the search's input: xyz in meters; len = particle_count.
@group(0) @binding(1) var<storage, read> positions: array<vec4<f32>>;
// Number of particles in each block; after the scan, one entry later, the end of the block; after `reorder`, its start.
// The last entry is the number of particles. len = 2 * cell_count + 2.
@group(0) @binding(2) var<storage, read_write> block_counters: array<atomic<u32>>;
// Positions in sorted order: xyz in meters, w the bits of the index into the input; len = particle_count.
@group(0) @binding(3) var<storage, read_write> sorted_positions: array<vec4<f32>>;
#ifdef WITH_HALO
// Its first word is the number of chunks that `halo_order` lists; len = 11 * most chunks + 1.
@group(0) @binding(5) var<storage, read_write> chunk_list: array<u32>;
#endif

var<workgroup> histogram: array<atomic<u32>, #{BLOCK_CAPACITY}u>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn clear_counters(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let entry = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP_SIZE + local;
    let last = 2u * grid_parameters.cell_count + 1u;
    if entry <= last {
        // The scan does not include the last entry.
        atomicStore(&block_counters[entry], select(0u, grid_parameters.particle_count, entry == last));
    }
#ifdef WITH_HALO
    if entry == 0u {
        chunk_list[0] = 0u;
    }
#endif
}

fn block_at(position: vec3<f32>) -> u32 {
    let cell = grid::cell_index(grid_parameters, grid::cell_coord(grid_parameters, position));
    return block_of(cell, !grid::is_border(grid_parameters, position));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn count_particles(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let block_count = 2u * grid_parameters.cell_count;
    for (var block = local; block < block_count; block += WORKGROUP_SIZE) {
        atomicStore(&histogram[block], 0u);
    }
    workgroupBarrier();
    let stride = workgroup_count.x * workgroup_count.y * WORKGROUP_SIZE;
    var index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP_SIZE + local;
    for (; index < grid_parameters.particle_count; index += stride) {
        atomicAdd(&histogram[block_at(positions[index].xyz)], 1u);
    }
    workgroupBarrier();
    for (var block = local; block < block_count; block += WORKGROUP_SIZE) {
        let particles = atomicLoad(&histogram[block]);
        if particles > 0u {
            atomicAdd(&block_counters[block], particles);
        }
    }
}

// No block: the invocation has reserved its slot, or has no particle.
const NONE: u32 = 0xffffffffu;

// The bounds check prevents writes past the end if the counters are wrong.
fn store_sorted(place: u32, position: vec3<f32>, index: u32) {
    if place < grid_parameters.particle_count {
        sorted_positions[place] = vec4<f32>(position, bitcast<f32>(index));
    }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn reorder(invocation: Invocation) {
    let workgroup = dispatch::workgroup_index(invocation.workgroup_id, invocation.workgroup_count);
    let index = workgroup * WORKGROUP_SIZE + order(place_of(invocation));
    var position = vec3<f32>(0.0);
    var block = NONE;
    if index < grid_parameters.particle_count {
        position = positions[index].xyz;
        block = block_at(position);
    }
#ifdef SUBGROUPS
    // The particles of a simulation are nearly sorted, so that the lanes of a subgroup would contend for the same
    // counter. The lanes of one block therefore reserve their slots together, then those of a second block.
    for (var turn = 0u; turn < 2u; turn++) {
        let shared_block = subgroupMin(block);
        let draws = shared_block != NONE && block == shared_block;
        let before = subgroupExclusiveAdd(u32(draws));
        let count = subgroupAdd(u32(draws));
        var first = 0u;
        if draws && before == 0u {
            first = atomicSub(&block_counters[block + 1u], count) - count;
        }
        first = subgroupAdd(first);
        if draws {
            store_sorted(first + before, position, index);
            block = NONE;
        }
    }
#endif
    if block != NONE {
        store_sorted(atomicSub(&block_counters[block + 1u], 1u) - 1u, position, index);
    }
}
