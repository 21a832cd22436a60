// Measures the water in sensors, and lists the cells near the surface in which masses of water run into each other.
//
// Entry points, in order of dispatch:
//   watch_particles   one invocation per particle: counts those in each sensor, and sums up velocities in coarse cells
//   watch_cells       one invocation per coarse cell: lists those with a splash

#import nearwater::dispatch

const WORKGROUP: u32 = 128u;
const MOST_SENSORS: u32 = #{MOST_SENSORS}u;
const MOST_SPLASHES: u32 = #{MOST_SPLASHES}u;
// Velocities are summed up as whole numbers, in units of `watch.unit_speed` over this.
const STEPS: f32 = 4096.0;
// Largest speed that is summed up, in units of `watch.unit_speed`: the sums of 100,000 particles fit into 32 bits.
const FASTEST: f32 = 3.0;
// A cell is full from this fraction of the particles that it holds at rest.
const FULL: f32 = 0.7;

struct Watch {
    // Lowest corner of the coarse cells, m.
    low: vec3<f32>,
    // Edge of a coarse cell, m.
    cell_edge: f32,
    cell_counts: vec3<u32>,
    particle_count: u32,
    // Fluid particles have original indices below this.
    fluid_count: u32,
    sensor_count: u32,
    // Fewest particles of a splash.
    least_particles: u32,
    // Number of particles of a cell at rest.
    particles_at_rest: f32,
    // Smallest relative speed of a splash, m/s.
    least_speed: f32,
    // m/s
    unit_speed: f32,
    // Particles farther along x are in the reservoir, m.
    parked_beyond: f32,
    padding: u32,
}

// The rows of the map from the water to the sensor, whose coordinates are from -0.5 to 0.5 inside it.
struct Sensor {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

struct CellSum {
    count: atomic<u32>,
    squares: atomic<u32>,
    x: atomic<i32>,
    y: atomic<i32>,
    z: atomic<i32>,
}

struct Splash {
    // Center of the cell, m.
    place: vec3<f32>,
    particles: u32,
    // Mean velocity, m/s.
    velocity: vec3<f32>,
    // Root mean square of the velocities relative to the mean, m/s.
    speed: f32,
}

struct Events {
    sensors: array<atomic<u32>, MOST_SENSORS>,
    // Number of splashes, also of those past the end of the list.
    splash_count: atomic<u32>,
    padding_one: u32,
    padding_two: u32,
    padding_three: u32,
    splashes: array<Splash, MOST_SPLASHES>,
}

@group(0) @binding(0) var<uniform> watch: Watch;
// Places of the sensors in the water; len = max(sensor_count, 1).
@group(0) @binding(1) var<storage, read> sensors: array<Sensor>;
// Positions of the particles: xyz in m; len = particle_count.
@group(0) @binding(2) var<storage, read> positions: array<vec4<f32>>;
// Velocities: xyz in m/s, and in w the bits of the original index; len = particle_count.
@group(0) @binding(3) var<storage, read> velocities: array<vec4<f32>>;
// Sums over the particles of each coarse cell, zeros before the first pass; x runs fastest; len = number of cells.
@group(0) @binding(4) var<storage, read_write> cells: array<CellSum>;
// What was found, zeros before the first pass; len = 1.
@group(0) @binding(5) var<storage, read_write> events: Events;

var<workgroup> in_sensors: array<atomic<u32>, MOST_SENSORS>;

fn cell_index(cell: vec3<u32>) -> u32 {
    return cell.x + watch.cell_counts.x * (cell.y + watch.cell_counts.y * cell.z);
}

fn is_in(sensor: Sensor, place: vec4<f32>) -> bool {
    let local = vec3<f32>(dot(sensor.x, place), dot(sensor.y, place), dot(sensor.z, place));
    return all(abs(local) <= vec3<f32>(0.5));
}

@compute @workgroup_size(WORKGROUP)
fn watch_particles(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    if local < MOST_SENSORS {
        atomicStore(&in_sensors[local], 0u);
    }
    workgroupBarrier();
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index < watch.particle_count {
        let place = vec4<f32>(positions[index].xyz, 1.0);
        let moving = velocities[index];
        let is_water = bitcast<u32>(moving.w) < watch.fluid_count && place.x <= watch.parked_beyond;
        let relative = (place.xyz - watch.low) / watch.cell_edge;
        if is_water && all(relative >= vec3<f32>(0.0)) && all(relative <= vec3<f32>(watch.cell_counts)) {
            for (var number = 0u; number < watch.sensor_count; number += 1u) {
                if is_in(sensors[number], place) {
                    atomicAdd(&in_sensors[number], 1u);
                }
            }
            let cell = cell_index(min(vec3<u32>(relative), watch.cell_counts - vec3<u32>(1u)));
            let units = moving.xyz / watch.unit_speed;
            let speed = length(units);
            let velocity = units * select(1.0, FASTEST / speed, speed > FASTEST);
            atomicAdd(&cells[cell].count, 1u);
            atomicAdd(&cells[cell].squares, u32(round(STEPS * dot(velocity, velocity))));
            let words = vec3<i32>(round(STEPS * velocity));
            atomicAdd(&cells[cell].x, words.x);
            atomicAdd(&cells[cell].y, words.y);
            atomicAdd(&cells[cell].z, words.z);
        }
    }
    workgroupBarrier();
    if local < watch.sensor_count {
        let count = atomicLoad(&in_sensors[local]);
        if count > 0u {
            atomicAdd(&events.sensors[local], count);
        }
    }
}

// Whether a neighbor of a cell is in the box and not full of water.
fn is_free(cell: vec3<i32>) -> bool {
    if any(cell < vec3<i32>(0)) || any(cell >= vec3<i32>(watch.cell_counts)) {
        return false;
    }
    return f32(atomicLoad(&cells[cell_index(vec3<u32>(cell))].count)) < FULL * watch.particles_at_rest;
}

@compute @workgroup_size(WORKGROUP)
fn watch_cells(
    @builtin(workgroup_id) workgroup_id: vec3<u32>,
    @builtin(num_workgroups) workgroup_count: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = dispatch::workgroup_index(workgroup_id, workgroup_count) * WORKGROUP + local;
    if index >= watch.cell_counts.x * watch.cell_counts.y * watch.cell_counts.z {
        return;
    }
    let particles = atomicLoad(&cells[index].count);
    if particles < watch.least_particles {
        return;
    }
    let sum = vec3<i32>(atomicLoad(&cells[index].x), atomicLoad(&cells[index].y), atomicLoad(&cells[index].z));
    let mean = vec3<f32>(sum) / (STEPS * f32(particles));
    let squares = f32(atomicLoad(&cells[index].squares)) / (STEPS * f32(particles));
    let speed = watch.unit_speed * sqrt(max(squares - dot(mean, mean), 0.0));
    if speed < watch.least_speed {
        return;
    }
    let row = index / watch.cell_counts.x;
    let cell = vec3<u32>(index % watch.cell_counts.x, row % watch.cell_counts.y, row / watch.cell_counts.y);
    let middle = vec3<i32>(cell);
    let x = vec3<i32>(1, 0, 0);
    let y = vec3<i32>(0, 1, 0);
    let z = vec3<i32>(0, 0, 1);
    let is_near_surface = is_free(middle) || is_free(middle + x) || is_free(middle - x) || is_free(middle + y)
        || is_free(middle - y) || is_free(middle + z) || is_free(middle - z);
    if !is_near_surface {
        return;
    }
    let number = atomicAdd(&events.splash_count, 1u);
    if number < MOST_SPLASHES {
        let place = watch.low + watch.cell_edge * (vec3<f32>(cell) + 0.5);
        events.splashes[number] = Splash(place, particles, watch.unit_speed * mean, speed);
    }
}
