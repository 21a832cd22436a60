// The factors of a stage of viscosity, apart from viscosity.wgsl because passes without a smoothing kernel read them
// too.
#define_import_path nearwater::viscous_factors

// The factors of a stage of viscosity; solvers/viscosity.rs gives them.
struct Stage {
    // Of the change by the stage before; 0 in the first stage.
    repeated: f32,
    // By how much an impulse of this stage has grown at the end of the last one.
    carried: f32,
    // Strengths of the artificial and of the physical viscosity, as `viscous_push` takes them.
    approach_viscosity: f32,
    viscosity: f32,
    // The share of the step that this stage is.
    share: f32,
}
