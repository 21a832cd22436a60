// Collects the counters and the state of selected particles.
//
// Entry point: gather, one invocation per selected particle.
#import nearwater::dispatch
#import nearwater::grid
#import nearwater::grid::Grid

const WORKGROUP: u32 = 256u;

// Mirrored by `laboratory::gathered::GatherParameters`.
struct GatherParameters {
    particle_count: u32,
    chosen_count: u32,
}

// Mirrored by `laboratory::gathered::GatheredParticle`.
struct GatheredParticle {
    candidates: u32,
    neighbors: u32,
    // Density, kg/m^3.
    density: f32,
    // Speed, m/s.
    speed: f32,
    // 1 if the search classifies it as a border particle.
    is_border: u32,
    // 1 if a particle with this identity exists.
    found: u32,
}

@group(0) @binding(0) var<uniform> gather_parameters: GatherParameters;
// The search's cells; a single cell if the search has none.
@group(0) @binding(1) var<uniform> cell_grid: Grid;
// In the drawn order; len = particle_count each.
@group(0) @binding(2) var<storage, read> positions: array<vec4<f32>>;
// Velocity in m/s, and the identity as the bits of the fourth component.
@group(0) @binding(3) var<storage, read> identities: array<vec4<f32>>;
// Density in kg/m^3, and pressure over density squared.
@group(0) @binding(4) var<storage, read> densities: array<vec2<f32>>;
@group(0) @binding(5) var<storage, read> neighbor_counts: array<u32>;
@group(0) @binding(6) var<storage, read> candidate_counts: array<u32>;
// Identities of the selected particles; len = at least chosen_count.
@group(0) @binding(7) var<storage, read> chosen: array<u32>;
// Index in the drawn order for each identity; len = particle_count.
@group(0) @binding(8) var<storage, read> drawn_places: array<u32>;
// The result, in the order of `chosen`; len = at least chosen_count.
@group(0) @binding(9) var<storage, read_write> gathered: array<GatheredParticle>;

@compute @workgroup_size(WORKGROUP)
fn gather(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if number >= gather_parameters.chosen_count {
        return;
    }
    var particle = GatheredParticle();
    if chosen[number] < gather_parameters.particle_count {
        let place = drawn_places[chosen[number]];
        particle.candidates = candidate_counts[place];
        particle.neighbors = neighbor_counts[place];
        particle.density = densities[place].x;
        particle.speed = length(identities[place].xyz);
        particle.is_border = u32(grid::is_border(cell_grid, positions[place].xyz));
        particle.found = 1u;
    }
    gathered[number] = particle;
}
