// The large shape of the water, as written by the relief passes.
#define_import_path nearwater::render::shape
#import nearwater::render::frame::frame
#import nearwater::render::light::light_sampler

// Normal of the water's large shape in world space, multiplied by its alpha; alpha is 0 where there is no water.
@group(0) @binding(5) var relief: texture_2d<f32>;

// The shape's normal in a pixel with center `pixel`.
fn shape_at(pixel: vec2<f32>) -> vec4<f32> {
    let pixels = vec2<f32>(textureDimensions(relief) * frame.relief_scale);
    return textureSampleLevel(relief, light_sampler, pixel / pixels, 0.0);
}
