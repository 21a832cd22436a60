// Puts spray, foam and bubbles over the picture: draw 3 vertices, blended, with the sums that `foam.wgsl` makes.
#import nearwater::render::screen::{ScreenCorner, screen_corner}
#import nearwater::render::shading::{dithered, toned}

// Sums over the particles in each pixel: light weighted with optical depth, and optical depth.
@group(1) @binding(0) var foam_layer: texture_2d<f32>;

// Color of the thinnest foam.
const THIN: vec3<f32> = vec3<f32>(0.72, 0.96, 1.0);

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

@fragment
fn fragment(corner: ScreenCorner) -> @location(0) vec4<f32> {
    let sum = textureLoad(foam_layer, vec2<i32>(corner.clip.xy), 0);
    if sum.a <= 0.0 {
        discard;
    }
    // Lambert's and Beer's law: what the layers let through is the product of their transmittances.
    let cover = 1.0 - exp(-sum.a);
    // Light that thin foam scatters has passed through the water around it; without the tint it would look violet on
    // blue water.
    let light = sum.rgb / sum.a * mix(THIN, vec3<f32>(1.0), cover);
    return vec4<f32>(dithered(toned(light), corner.clip.xy), cover);
}
