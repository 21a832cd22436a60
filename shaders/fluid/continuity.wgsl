// Densities that are kept from step to step; continuity.rs says why. The struct of the same name there says what the
// fields mean.
#define_import_path nearwater::continuity

struct ContinuityParameters {
    diffusion: f32,
    compressibility: f32,
}

@group(1) @binding(3) var<uniform> continuity: ContinuityParameters;
