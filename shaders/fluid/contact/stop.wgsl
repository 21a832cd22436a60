// Pair kernel of the contact of fluid with solids, at the end of a step: takes from each fluid particle the velocity
// with which it would come too near to the surface of a solid, and the way it has gone by it in this step.
//
// Pressure stops water, but no single particle: that has no more neighbors than the layer of the solid's surface
// gives it, is never as dense as the water, and would fall through. The particles of the layer that are in reach give
// the direction to the surface and the distance from it, as means weighted by the kernel: for a flat layer these are
// exact, wherever its particles lie. Water at rest is farther from the surface than the limit, so that nothing changes
// for it.
//
// Viscosity between fluid and a surface that the fluid slips along acts here too, since it is known here what is
// towards the surface and what along it: it brakes what moves towards the surface and away from it, as the images
// behind smooth walls do, and nothing that moves along it. The step of it is implicit, so that it is stable however
// strong it is.
#define_import_path nearwater::contact_stop

#import nearwater::boundaries::{is_mixed, pair_weight, weights}
#import nearwater::contact::{share_of, way_between}
#import nearwater::fluid::fluid
#import nearwater::integration::off_walls
#import nearwater::viscosity::viscous_push
#ifdef DEPOSITS
#import nearwater::deposits
#endif

// Least distance of fluid from the layer of a solid's particles, spacings: its surface lies half a spacing outside of
// the layer.
const NEAREST: f32 = 0.5;
// The same for drops, whose density is below this share of the rest density: where kernels are wide, the repulsion of
// core.wgsl, which ends here, would throw them back.
const NEAREST_DROP: f32 = 0.85;
const DENSITY_OF_DROPS: f32 = 0.7;
#ifdef SHIFTED
// Share of what a particle is too near by that it is moved away in a step.
const AWAY: f32 = 0.1;
#endif

struct Particle {
    // That of solids is theirs in the step; that of fluid is read with PREDICTED only, and is that of the prediction,
    // m/s.
    velocity_x: f32,
    velocity_y: f32,
    velocity_z: f32,
    // Weight as defined in boundaries.wgsl.
    weight: f32,
    // How many times heavier than the solid a layer of fluid is, per area of its surface: 0 for solids that do not give
    // way and for fluid.
    layers: f32,
}

struct Sum {
    // Sum of the ways from the particles of solids, m, weighted by the kernel and what they represent.
    way: vec3<f32>,
    // Sum of the velocities of the particles of solids, m/s, with the same weights.
    velocity: vec3<f32>,
    // Sum of the weights.
    weight: f32,
    // The rates at which viscosity brakes fluid that comes nearer to the particles of solids, and that moves away from
    // them, 1/s.
    approaching: f32,
    parting: f32,
    // Sum of the layers of the particles of solids, with the same weights as their velocities.
    layers: f32,
}

#ifdef PREDICTED
// Velocities in the order of the build, which were predicted: xyz in m/s, bits of the original index; len =
// particle_count.
@group(1) @binding(2) var<storage, read> sorted_velocities: array<vec4<f32>>;
#endif
// Positions after the step, in sorted order: xyz in meters, 1; len = particle_count.
@group(1) @binding(3) var<storage, read_write> positions: array<vec4<f32>>;
// Velocities after the step, in sorted order: xyz in m/s, bits of the original index; len = particle_count.
@group(1) @binding(4) var<storage, read_write> velocities: array<vec4<f32>>;
// Density in kg/m³ and, in m⁵/(kg s²), pressure / density²; in sorted order; len = particle_count.
@group(1) @binding(11) var<storage, read> densities: array<vec2<f32>>;
// How much the solid of each boundary particle gives way, 1/m; 0 where it does not. In the order of the boundary
// particles; len = boundary_count.
@group(1) @binding(6) var<storage, read> mobilities: array<f32>;
// The acceleration of each fluid particle by the contact over the sum of its weights: xyz in m/s²; len =
// particle_count.
@group(1) @binding(5) var<storage, read_write> stops: array<vec4<f32>>;

fn load(index: u32) -> Particle {
#ifdef PREDICTED
    let velocity = sorted_velocities[index];
#else
    // Not those of the build, where DFSPH has its shifts by now. Those of fluid may have been changed already.
    let velocity = velocities[index];
#endif
    let weight = weights[index];
    return Particle(velocity.x, velocity.y, velocity.z, weight, layers_over(weight, bitcast<u32>(velocity.w)));
}

// How many times heavier than the solid of a particle a layer of fluid is. A free body is as heavy as a layer whose
// thickness is the inverse of its mobility.
fn layers_over(weight: f32, original: u32) -> f32 {
    if weight >= 0.0 {
        return 0.0;
    }
    if original >= fluid.first_cloth {
        return fluid.layers_over_cloth;
    }
    return mobilities[original - fluid.fluid_count] / fluid.inverse_spacing;
}

// Solids are not stopped.
fn needs_no_sum(particle: Particle) -> bool {
    return particle.weight <= 0.0;
}

fn zero() -> Sum {
    var sum: Sum;
    return sum;
}

fn velocity_of(particle: Particle) -> vec3<f32> {
    return vec3<f32>(particle.velocity_x, particle.velocity_y, particle.velocity_z);
}

fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum {
    // Most particles have no solid in reach.
    if !is_mixed(a.weight, b.weight) {
        return zero();
    }
    let way = way_between(offset, velocity_of(a) - velocity_of(b));
    let share = share_of(a.weight, b.weight, way);
    let of_solid = select(velocity_of(b), velocity_of(a), a.weight < 0.0);
    let squared = dot(way, way);
    let represented = squared * pair_weight(a.weight, b.weight);
    let densities = 2.0 * fluid.rest_density;
    // The forces on a pair over the offset, at unit velocity towards each other and away from each other.
    let approaching = viscous_push(fluid.approach_viscosity, fluid.viscosity, -1.0, squared, densities);
    let parting = -viscous_push(fluid.approach_viscosity, fluid.viscosity, 1.0, squared, densities);
    let layers = share * max(a.layers, b.layers);
    return Sum(share * way, share * of_solid, share, represented * approaching, represented * parting, layers);
}

fn mirror(contribution: Sum) -> Sum {
    var mirrored = contribution;
    mirrored.way = -contribution.way;
    return mirrored;
}

fn add(a: Sum, b: Sum) -> Sum {
    let rates = vec2<f32>(a.approaching + b.approaching, a.parting + b.parting);
    return Sum(a.way + b.way, a.velocity + b.velocity, a.weight + b.weight, rates.x, rates.y, a.layers + b.layers);
}

fn finish(index: u32, particle: Particle, sum: Sum) {
    var stop = vec3<f32>(0.0);
    let way = length(sum.way);
    // Between two layers that it is equally far from there is no direction to a surface.
    if particle.weight > 0.0 && way > 1e-3 * sum.weight / fluid.inverse_spacing {
        let normal = sum.way / way;
        let is_drop = densities[index].x < DENSITY_OF_DROPS * fluid.rest_density;
        let nearest = select(NEAREST, NEAREST_DROP, is_drop) / fluid.inverse_spacing;
        let room = way / sum.weight - nearest;
        let before = velocities[index];
        let parting = dot(before.xyz - sum.velocity / sum.weight, normal);
#ifdef SHIFTED
        // A particle that is nearer already is moved away without a velocity, as shifts move it. If they hold it where
        // it is, water would otherwise flow towards it for as long as it stays there.
        let least = min(-room / fluid.time_step, 0.0);
        let wanted = AWAY * max(-room, 0.0);
#else
        // A particle that is nearer already moves away about as fast as gravity moves water by what it lacks; faster,
        // it would be thrown out of crevices.
        let rate = select(1.0 / fluid.time_step, sqrt(length(fluid.gravity) * fluid.inverse_spacing), room < 0.0);
        let least = -rate * room;
        let wanted = 0.0;
#endif
        let allowed = max(parting, least);
        let braked = (1.0 - fluid.no_slip) * select(sum.approaching, sum.parting, parting > 0.0);
        // The solid gets the same momentum, and changes its velocity by that over its mass. The fluid takes a share of
        // the change with which the solid is not thrown away, and the implicit step of viscosity is one of both.
        let layers = sum.layers / sum.weight;
        let taken = min(fluid.contact_change / (fluid.contact_change - 1.0 + layers), 1.0);
        let rate_in_step = fluid.time_step * braked;
        let kept = max(allowed * (1.0 + rate_in_step * layers) / (1.0 + rate_in_step * (1.0 + layers)), least);
        let change = (kept - parting - (1.0 - taken) * (allowed - parting)) * normal;
        let away = max(wanted - fluid.time_step * max(kept, 0.0), 0.0);
        // The particle takes the way of its new velocity, as if that had changed before the motion. The places from
        // which the direction is known are those of before, and without this the solid would get another angular
        // momentum than the fluid loses.
        let next = positions[index].xyz + fluid.time_step * change + away * normal;
        positions[index] = vec4<f32>(off_walls(next), 1.0);
        velocities[index] = vec4<f32>(before.xyz + change, before.w);
        stop = change / (fluid.time_step * sum.weight);
    }
    stops[index] = vec4<f32>(stop, 0.0);
}

#ifdef DEPOSITS
fn deposit(index: u32, sum: Sum) {
    deposits::deposit_vector(10u * index, sum.way);
    deposits::deposit_vector(10u * index + 3u, sum.velocity);
    deposits::deposit_vector(10u * index + 6u, vec3<f32>(sum.weight, sum.approaching, sum.parting));
    deposits::deposit(10u * index + 9u, sum.layers);
}

fn withdraw(index: u32) -> Sum {
    let way = deposits::withdraw_vector(10u * index);
    let velocity = deposits::withdraw_vector(10u * index + 3u);
    let others = deposits::withdraw_vector(10u * index + 6u);
    return Sum(way, velocity, others.x, others.y, others.z, deposits::withdraw(10u * index + 9u));
}
#endif
