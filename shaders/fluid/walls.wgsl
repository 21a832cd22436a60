// The six flat walls of the box, felt without any particles in them. Behind a wall the fluid goes on, at rest
// density: what of a particle's kernel lies there is known in closed form. Formulas stand in boundary.rs.
#define_import_path nearwater::walls

#import nearwater::fluid::fluid

struct Walls {
    // Fraction of the kernel that lies behind walls, 0 to 1.
    fraction: f32,
    // Its gradient, 1/m: points into the walls.
    gradient: vec3<f32>,
}

// The fraction of the kernel behind a wall q support radii away.
fn fraction_behind(q: vec3<f32>) -> vec3<f32> {
#ifdef POLY6
    let s = q * q;
    return 0.5 - 1.23046875 * q * (1.0 + s * (-1.3333333333 + s * (1.2 + s * (-0.5714285714 + s * 0.1111111111))));
#endif
#ifdef CUBIC_SPLINE
    let w = 1.0 - q;
    let s = q * q;
    let near = 0.5 - q * (1.4 + s * (-2.6666666667 + s * (4.8 - 3.2 * q)));
    let far = w * w * w * w * w * (1.6 - 1.0666666667 * w);
    return select(far, near, q <= vec3<f32>(0.5));
#endif
#ifdef WENDLAND_C2
    let w = 1.0 - q;
    let w_cubed = w * w * w;
    return w_cubed * w_cubed * (3.5 + w * (1.5 * w - 4.5));
#endif
}

// How fast that fraction falls with q: the kernel's integral over the plane at q, times the support radius.
fn planar_integral(q: vec3<f32>) -> vec3<f32> {
#ifdef POLY6
    let w = 1.0 - q * q;
    let w_squared = w * w;
    return 1.23046875 * w_squared * w_squared;
#endif
#ifdef CUBIC_SPLINE
    let w = 1.0 - q;
    let s = q * q;
    let near = 1.4 + s * (-8.0 + s * (24.0 - 19.2 * q));
    let far = w * w * w * w * (8.0 - 6.4 * w);
    return select(far, near, q <= vec3<f32>(0.5));
#endif
#ifdef WENDLAND_C2
    let w = 1.0 - q;
    let w_squared = w * w;
    return w_squared * w_squared * w * (21.0 + w * (12.0 * w - 31.5));
#endif
}

// Walls are combined as 1 - (1 - a)(1 - b)..., which is exact in a corner.
fn walls_at(position: vec3<f32>) -> Walls {
    let low = clamp((position - fluid.box_low) * fluid.inverse_radius, vec3<f32>(0.0), vec3<f32>(1.0));
    let high = clamp((fluid.box_high - position) * fluid.inverse_radius, vec3<f32>(0.0), vec3<f32>(1.0));
    if all(min(low, high) == vec3<f32>(1.0)) {
        return Walls(0.0, vec3<f32>(0.0));
    }
    let open_low = 1.0 - fluid.wall_factor * fraction_behind(low);
    let open_high = 1.0 - fluid.wall_factor * fraction_behind(high);
    let open = open_low * open_high;
    let slope = planar_integral(high) * open_low - planar_integral(low) * open_high;
    let others = vec3<f32>(open.y * open.z, open.z * open.x, open.x * open.y);
    return Walls(1.0 - open.x * others.x, fluid.wall_factor * fluid.inverse_radius * slope * others);
}
