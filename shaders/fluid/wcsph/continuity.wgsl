// Parameters of densities that are integrated in time, as described in continuity.rs. The struct of the same name
// there documents the fields.
#define_import_path nearwater::continuity

struct ContinuityParameters {
    diffusion: f32,
    compressibility: f32,
    tension_from: f32,
    tension_whole: f32,
    settling: f32,
    padding_x: u32,
    padding_y: u32,
    padding_z: u32,
}

@group(1) @binding(3) var<uniform> continuity: ContinuityParameters;
