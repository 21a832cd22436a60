// Mirror images of particles behind the flat walls of the box: solids/walls.rs explains them. The image of a neighbor
// is never nearer than the neighbor itself, so the pairs that a search finds contain all pairs of a particle and an
// image.
//
// Only particles near a wall have images in reach, and the code for them takes registers and time even where it is
// skipped. They are the special ones of the pair kernels that divide the particles (gpu/pair_kernel.rs): for the others
// everything here vanishes from the kernel.
#define_import_path nearwater::images

#import nearwater::division::may_serve_special
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

// Limit of q = distance / support radius for pairs with images. At the radius a traversal may also count the particle
// itself, whose own images `finish` adds.
const WITHIN: f32 = 0.99999;

// Whether a wall is nearer than `reach` support radii. Positions are only subtracted and scaled, so that the result is
// the same in every shader.
fn has_wall_within(reach: f32, heights: vec3<f32>) -> bool {
    let low = heights * fluid.inverse_radius;
    let high = ((fluid.box_high - fluid.box_low) - heights) * fluid.inverse_radius;
    return any(low < vec3<f32>(reach)) || any(high < vec3<f32>(reach));
}

// Whether a particle at this position of the search's build belongs to the special ones. A solver that moves particles
// between its traversals needs a wider limit (`SolverInfo::moves`).
fn may_come_near_wall(position: vec3<f32>) -> bool {
    return has_wall_within(fluid.near_walls, heights_of(position));
}

// Whether a pair may have images: its q, and the heights of one of its particles.
fn may_have_images(q: f32, heights: vec3<f32>) -> bool {
    return may_serve_special() && q < WITHIN && has_wall_within(1.0, heights);
}

// The axes that have an image, one bit each. The images themselves are numbered by the nonempty subsets of these bits:
// the axes along which the particle is mirrored.
fn axes_with_images(offsets: vec3<f32>) -> u32 {
    if !may_serve_special() {
        return 0u;
    }
    let bits = select(vec3<u32>(0u), AXES, offsets < vec3<f32>(FAR));
    return bits.x | bits.y | bits.z;
}

// The subset after this one; 0 after the last one.
fn next_image(mirrored: u32, axes: u32) -> u32 {
    return (mirrored - 1u) & axes;
}

// An image of particle b for particle a, and of a for b.
struct Image {
    // The axes that they are mirrored along.
    mirrored: vec3<bool>,
    // Offset of a from the image of b, m.
    for_a: vec3<f32>,
    // Offset of b from the image of a, m: seen from a wall, b is opposite to a.
    for_b: vec3<f32>,
}

// The image with this number for a pair at `offset`, whose offsets from images along each axis are `offsets`.
fn image_of_pair(number: u32, offset: vec3<f32>, offsets: vec3<f32>) -> Image {
    let mirrored = (vec3<u32>(number) & AXES) != vec3<u32>(0u);
    let for_a = select(offset, offsets, mirrored);
    return Image(mirrored, for_a, -reflected(for_a, mirrored));
}

// A vector seen from the image: reversed along the mirrored axes.
fn reflected(vector: vec3<f32>, mirrored: vec3<bool>) -> vec3<f32> {
    return select(vector, -vector, mirrored);
}

// The components of a force by an image that act on a particle of this weight (boundaries.wgsl). Walls hold solids near
// them by other means, so a solid feels images along the wall only: the image of the water beside it presses on its
// lower end as the water would that stands there, and the forces along a wall add up to zero.
fn felt_components(weight: f32, image: Image) -> vec3<f32> {
    return select(vec3<f32>(1.0), vec3<f32>(0.0), vec3<bool>(weight < 0.0) & image.mirrored);
}

// The velocity of an image of a particle with this velocity: reversed relative to the wall along the mirrored axes.
fn image_velocity(velocity: vec3<f32>, image: Image) -> vec3<f32> {
    // Behind a low face an image has the smaller coordinate.
    let wall = select(fluid.velocity_high, fluid.velocity_low, image.for_a > vec3<f32>(0.0));
    return select(velocity, 2.0 * wall - velocity, image.mirrored);
}

// The velocity of an image as viscosity sees it. At a wall without slip the components along the wall are reversed as
// well, so that the mean of a particle and its image rests at the wall; every other axis that is mirrored does so once.
fn velocity_for_friction(velocity: vec3<f32>, image: Image) -> vec3<f32> {
    let mirrored = select(vec3<f32>(0.0), vec3<f32>(1.0), image.mirrored);
    let others = vec3<f32>(mirrored.x + mirrored.y + mirrored.z) - mirrored;
    let once = 1.0 - 2.0 * fluid.no_slip;
    let twice = select(vec3<f32>(once * once), vec3<f32>(once), others < vec3<f32>(1.5));
    return select(twice, vec3<f32>(1.0), others < vec3<f32>(0.5)) * image_velocity(velocity, image);
}

// The sum of two parts by walls.
fn with_walls(one: vec3<f32>, other: vec3<f32>) -> vec3<f32> {
    if !may_serve_special() {
        return vec3<f32>(0.0);
    }
    return one + other;
}
