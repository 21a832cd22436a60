// Corrections of the gradients of pressure: what a symmetric tensor without trace takes from the pressure term of each
// particle. wcsph/accurate.rs explains them. A tensor consists of its components xx, yy, zz and yz, xz, xy.
#define_import_path nearwater::corrections

#import nearwater::fluid::fluid

struct Tensor {
    normal: vec3<f32>,
    shear: vec3<f32>,
}

// The share of a neighbor at this offset in the first moment of the kernel's gradients, not scaled.
fn moment_of(slope: f32, offset: vec3<f32>) -> Tensor {
    return Tensor(-slope * offset * offset, -slope * offset.yxx * offset.zzy);
}

// Which of the components yz, xz and xy change their sign in an image: those of which one of two axes is mirrored.
fn is_opposite(mirrored: vec3<bool>) -> vec3<bool> {
    return mirrored.yxx != mirrored.zzy;
}

// Limit of the norm of a correction, as a share of the pressure term.
const MOST_CORRECTED: f32 = 0.4;

// The correction of a particle from its moment, not scaled, the share by which it counts as within the fluid, and the
// limit of its norm.
fn correction_of(whole: Tensor, within: f32, most: f32) -> Tensor {
    let scale = fluid.pressure_scale * fluid.gradient_scale / fluid.rest_density;
    let moment = scale * whole.normal;
    // In two dimensions all particles have the same depth, and the moment along z is zero.
    let along = select(vec3<f32>(1.0), vec3<f32>(0.0), moment == vec3<f32>(0.0));
    let normal = moment - along * (dot(moment, along) / max(dot(along, along), 1.0));
    let shear = scale * whole.shear;
    let deviation = sqrt(dot(normal, normal) + 2.0 * dot(shear, shear));
    let share = within * min(1.0, most / max(deviation, 1e-6));
    return Tensor(share * normal, share * shear);
}

// In memory a correction is xx and yy, zz and yz, xz and xy in steps of 1/32,767 of the pressure term, and 0: each
// neighbor loads it, its components are less than 1, and four words are loaded faster than three.
fn packed(correction: Tensor) -> vec4<u32> {
    let normal = correction.normal;
    let shear = correction.shear;
    let middle = pack2x16snorm(vec2<f32>(normal.z, shear.x));
    return vec4<u32>(pack2x16snorm(normal.xy), middle, pack2x16snorm(shear.yz), 0u);
}

// What a stored correction takes from a pressure term.
fn taken(stored: vec4<u32>, pressure_term: f32) -> Tensor {
    let outer = pressure_term * unpack2x16snorm(stored.x);
    let middle = pressure_term * unpack2x16snorm(stored.y);
    let last = pressure_term * unpack2x16snorm(stored.z);
    return Tensor(vec3<f32>(outer, middle.x), vec3<f32>(middle.y, last));
}

// A tensor applied to a vector.
fn applied(tensor: Tensor, to: vec3<f32>) -> vec3<f32> {
    let normal = tensor.normal;
    let shear = tensor.shear;
    let x = normal.x * to.x + shear.z * to.y + shear.y * to.z;
    let y = shear.z * to.x + normal.y * to.y + shear.x * to.z;
    let z = shear.y * to.x + shear.x * to.y + normal.z * to.z;
    return vec3<f32>(x, y, z);
}

// The corrections of both particles of a pair applied to their offset. The components are added first, so that the two
// forces of the pair cancel to the last bit.
fn of_pair(a: Tensor, b: Tensor, offset: vec3<f32>) -> vec3<f32> {
    return applied(Tensor(a.normal + b.normal, a.shear + b.shear), offset);
}

// The corrections of particle a and of the image of b, applied to their offset. The tensor of an image is mirrored, and
// so the correction for b and the image of a is this one, mirrored and reversed.
fn of_image(a: Tensor, b: Tensor, mirrored: vec3<bool>, from_image: vec3<f32>) -> vec3<f32> {
    let shear = select(b.shear, -b.shear, is_opposite(mirrored));
    return of_pair(a, Tensor(b.normal, shear), from_image);
}
