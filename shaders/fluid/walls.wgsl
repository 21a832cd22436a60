// The flat walls of the box, which act on the fluid without containing particles. The formulas are in walls.rs.
#define_import_path nearwater::walls

#import nearwater::fluid::fluid

struct Walls {
    // exp(Psi): the factor that corrects the sum over neighbors to give the density; 1 away from walls.
    factor: f32,
    // Gradient of Psi, 1/m: points into the walls.
    gradient: vec3<f32>,
}

// psi and its slope per spacing at this distance from a wall, in spacings.
fn wall_at(distance: f32) -> vec2<f32> {
    if distance >= fluid.wall_reach {
        return vec2<f32>(0.0);
    }
    let layer = max(floor(distance - 0.5), 0.0);
    let piece = fluid.wall_pieces[u32(layer)];
    let u = 1.5 + layer - distance;
    // Linear extrapolation between the wall and the first layer.
    let bent = clamp(u, 1e-6, 1.0);
    let power = pow(bent, piece.w - 1.0);
    return vec2<f32>(
        piece.x - piece.y * u + piece.z * (power * bent + piece.w * max(u - 1.0, 0.0)),
        piece.y - piece.z * piece.w * power,
    );
}

fn walls_at(position: vec3<f32>) -> Walls {
    let low = max(position - fluid.box_low, vec3<f32>(0.0)) * fluid.inverse_spacing;
    let high = max(fluid.box_high - position, vec3<f32>(0.0)) * fluid.inverse_spacing;
    if all(min(low, high) >= vec3<f32>(fluid.wall_reach)) {
        return Walls(1.0, vec3<f32>(0.0));
    }
    var exponent = 0.0;
    var slope = vec3<f32>(0.0);
    for (var axis = 0u; axis < 3u; axis++) {
        let below = wall_at(low[axis]);
        let above = wall_at(high[axis]);
        exponent += below.x + above.x;
        slope[axis] = below.y - above.y;
    }
    return Walls(exp(exponent), fluid.inverse_spacing * slope);
}
