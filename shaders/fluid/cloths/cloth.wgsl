// The parameters that every pass of the cloths reads; the structs of the same names in cloths/device.rs document the
// fields.
#define_import_path nearwater::cloth

struct Cloths {
    first: u32,
    count: u32,
    step: f32,
    fluid_mass: f32,
    contact_stiffness: f32,
    contact_damping: f32,
    solid_distance: f32,
}

struct Cloth {
    first: u32,
    columns: u32,
    rows: u32,
    mass: f32,
    rest_along: f32,
    rest_across: f32,
    rest_diagonal: f32,
    rest_other_diagonal: f32,
    stretch: f32,
    shear: f32,
    bend: f32,
    damping_stretch: f32,
    damping_shear: f32,
    damping_bend: f32,
    thickness: f32,
    friction: f32,
    drag: f32,
}

@group(1) @binding(1) var<uniform> cloths: Cloths;
// Parameters of each cloth: size, springs and first particle; len = number of cloths.
@group(1) @binding(2) var<storage, read> cloth_words: array<Cloth>;
// Number of the cloth of each cloth particle, and PINNED; len = cloths.count.
@group(1) @binding(3) var<storage, read> cloth_numbers: array<u32>;

// Flag in `cloth_numbers` beside the number: the particle is fixed in space.
const PINNED: u32 = 0x80000000u;

fn cloth_of(number: u32) -> u32 {
    return cloth_numbers[number] & ~PINNED;
}

fn is_pinned(number: u32) -> bool {
    return (cloth_numbers[number] & PINNED) != 0u;
}
