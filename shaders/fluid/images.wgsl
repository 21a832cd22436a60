// Mirror images of particles behind the flat walls of the box: images.rs explains them. The image of a neighbor is never
// nearer than the neighbor itself, so the pairs that a search finds contain all pairs of a particle and an image.
#define_import_path nearwater::images

#import nearwater::fluid::fluid

// Greater than every support radius: the offset along an axis without an image.
const FAR: f32 = 1e18;

// The axes of the box.
const AXES: vec3<u32> = vec3<u32>(1u, 2u, 4u);

// Heights of a position above the box's low faces, m.
fn heights_of(position: vec3<f32>) -> vec3<f32> {
    return position - fluid.box_low;
}

// Along each axis the offset of a particle from the image of another one behind the wall that is near to both, m; FAR
// where they have none. It is the same with the particles exchanged.
fn image_offsets(heights: vec3<f32>, other_heights: vec3<f32>) -> vec3<f32> {
    let low = heights + other_heights;
    let high = low - 2.0 * (fluid.box_high - fluid.box_low);
    let reaches_low = low * fluid.inverse_radius < vec3<f32>(1.0);
    let reaches_high = high * fluid.inverse_radius > vec3<f32>(-1.0);
    return select(select(vec3<f32>(FAR), high, reaches_high), low, reaches_low);
}

// The axes that have an image, one bit each. The images themselves are numbered by the nonempty subsets of these bits:
// the axes along which the particle is mirrored.
fn axes_with_images(offsets: vec3<f32>) -> u32 {
    let bits = select(vec3<u32>(0u), AXES, offsets < vec3<f32>(FAR));
    return bits.x | bits.y | bits.z;
}

// The subset after this one; 0 after the last one.
fn next_image(mirrored: u32, axes: u32) -> u32 {
    return (mirrored - 1u) & axes;
}

// Which axes an image is mirrored along.
fn is_mirrored(mirrored: u32) -> vec3<bool> {
    return (vec3<u32>(mirrored) & AXES) != vec3<u32>(0u);
}

// A vector seen from the image: reversed along the mirrored axes.
fn reflected(vector: vec3<f32>, mirrored: vec3<bool>) -> vec3<f32> {
    return select(vector, -vector, mirrored);
}
