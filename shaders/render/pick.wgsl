// Writes the number of the particle at one pixel into a picture of that one number. Draw 3 vertices.
#import nearwater::render::names::{picture_size, sample_at}
#import nearwater::render::screen::{ScreenCorner, screen_corner}

// Mirrored by `render::picker::Pick`.
struct Pick {
    // The pixel, counted from the upper left.
    pixel: vec2<u32>,
    // Largest distance from the pixel at which a particle is still found, pixels.
    slack: u32,
    padding: u32,
}

@group(1) @binding(0) var<uniform> pick: Pick;

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> ScreenCorner {
    return screen_corner(index);
}

#ifdef MULTISAMPLED
const SAMPLES: i32 = 4;
#else
const SAMPLES: i32 = 1;
#endif

// The particle in any sample of a pixel; 0 outside the picture.
fn name_at(pixel: vec2<i32>) -> u32 {
    if any(pixel < vec2<i32>(0)) || any(pixel >= picture_size()) {
        return 0u;
    }
    var name = 0u;
    for (var sample = 0; sample < SAMPLES && name == 0u; sample += 1) {
        name = sample_at(pixel, sample);
    }
    return name;
}

@fragment
fn fragment(corner: ScreenCorner) -> @location(0) u32 {
    let slack = i32(pick.slack);
    var found = 0u;
    var nearest = slack * slack + 1;
    for (var y = -slack; y <= slack; y += 1) {
        for (var x = -slack; x <= slack; x += 1) {
            let distance = x * x + y * y;
            if distance < nearest {
                let name = name_at(vec2<i32>(pick.pixel) + vec2<i32>(x, y));
                if name != 0u {
                    found = name;
                    nearest = distance;
                }
            }
        }
    }
    return found;
}
