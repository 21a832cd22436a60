// The class of a diffuse particle, and its motion in a step of foam (Ihmsen et al. 2012, section 3.2).
#define_import_path nearwater::foam::motion

#import nearwater::fluid::{fluid, gravity_at}
#import nearwater::foam::{BUBBLE, FOAM, NOTHING, SPRAY, foam}
#import nearwater::integration::{at_rest_in_walls, inside}

// Numbers of neighbors, in those of the paper, below which a particle is spray and above which it is a bubble.
const SPRAY_BELOW: f32 = 6.0;
const BUBBLES_ABOVE: f32 = 20.0;
// Fraction of its velocity that spray keeps where it touches a wall or a solid.
const SLIDING: f32 = 0.8;

// What a diffuse particle finds around it.
struct Around {
    // Number of neighbors of the water, in those of the paper.
    neighbors: f32,
    // Mean velocity of the water, m/s.
    velocity: vec3<f32>,
    // From the particles of solids to this one, m: their weighted mean. Zero where there are none.
    from_solid: vec3<f32>,
}

// A diffuse particle.
struct Diffuse {
    position: vec3<f32>,
    // Remaining life, s.
    life: f32,
    velocity: vec3<f32>,
    kind: f32,
}

// The part of a sphere around a particle, or in two dimensions of a circle, that is beyond a wall at a distance of q
// radii.
fn part_beyond(q: vec3<f32>) -> vec3<f32> {
    let near = clamp(q, vec3<f32>(0.0), vec3<f32>(1.0));
    if foam.is_planar != 0u {
        return (acos(near) - near * sqrt(1.0 - near * near)) / 3.14159265;
    }
    let rest = 1.0 - near;
    return rest * rest * (2.0 + near) / 4.0;
}

// A number of neighbors in those of the paper, as if the water continued beyond the walls.
fn scaled_neighbors(count: f32, position: vec3<f32>) -> f32 {
    let within = (1.0 - part_beyond((position - fluid.box_low) * fluid.inverse_radius))
        * (1.0 - part_beyond((fluid.box_high - position) * fluid.inverse_radius));
    return count * foam.neighbor_scale / (within.x * within.y * within.z);
}

fn kind_of(neighbors: f32) -> f32 {
    if neighbors < SPRAY_BELOW {
        return SPRAY;
    }
    return select(FOAM, BUBBLE, neighbors > BUBBLES_ABOVE);
}

// Tests the bits, because compilers may assume that floats are finite.
fn is_finite(value: vec3<f32>) -> bool {
    return all((bitcast<vec3<u32>>(value) & vec3<u32>(0x7f800000u)) != vec3<u32>(0x7f800000u));
}

// The particle after a step; its kind is NOTHING at the end of its life.
fn moved(before: Diffuse, around: Around) -> Diffuse {
    var after = before;
    let time_step = foam.time_step;
    let pull = gravity_at(before.position);
    after.kind = kind_of(around.neighbors);
    var path = vec3<f32>(0.0);
    if after.kind == SPRAY {
        // Exact for a constant acceleration.
        path = time_step * before.velocity + 0.5 * time_step * time_step * pull;
        after.velocity += time_step * pull;
    } else if after.kind == FOAM {
        after.velocity = around.velocity;
        path = time_step * after.velocity;
    } else {
        after.velocity += foam.drag * (around.velocity - before.velocity) - time_step * foam.buoyancy * pull;
        path = time_step * after.velocity;
    }
    let distance = length(path);
    if distance > foam.longest_move {
        path *= foam.longest_move / distance;
    }
    var touches = false;
#ifdef BOUNDARY
    // The particles of a solid near this one are taken as a plane through their mean.
    let height_before = length(around.from_solid);
    if height_before > 0.0 {
        let normal = around.from_solid / height_before;
        let height = height_before + dot(path, normal);
        if height < foam.solid_margin {
            touches = true;
            path += (foam.solid_margin - height) * normal;
            after.velocity -= min(dot(after.velocity, normal), 0.0) * normal;
        }
    }
#endif
    let next = before.position + path;
    after.position = inside(next);
    touches = touches || any(after.position != next);
    after.velocity = at_rest_in_walls(after.velocity, next);
    if after.kind == SPRAY && touches {
        after.velocity *= SLIDING;
    }
    if after.kind == FOAM || (after.kind == SPRAY && touches) {
        after.life -= time_step;
    }
    if after.life <= 0.0 || !is_finite(after.position) || !is_finite(after.velocity) {
        after.kind = NOTHING;
    }
    return after;
}
