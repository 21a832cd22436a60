// Parameters of the passes of PBF besides the fluid's; the struct of the same name in pbf/parameters.rs documents the
// fields.
#define_import_path nearwater::pbf

struct PbfParameters {
    relaxation: f32,
    tensile: f32,
    inverse_tensile_shape: f32,
    tensile_power: f32,
    vorticity: f32,
    share: f32,
    bearing: f32,
    evenness: f32,
    iterations: f32,
}

@group(1) @binding(8) var<uniform> pbf: PbfParameters;
