//! A toy solver in files of its own, outside the program's crate: a crowd whose members push their neighbors away and
//! grow older. It is not a physical model; it uses every part of the contract of solvers.

use nearwater::fluid::{
    Accuracy, CarriedArray, FluidError, FluidShader, FluidSolver, Limits, PassMaker, PressureSource, Shape, SolverInfo,
    SolverInput, SolverSetting,
};
use nearwater::gpu::{GpuStruct, Pass};
use nearwater::search::Instrument;

/// Strength of the push between two members.
pub static STRENGTH: SolverSetting = SolverSetting {
    solver: "crowd",
    name: "strength",
    title: "Strength",
    hover: "acceleration between two members at the same position",
    unit: "m/s²",
    least: 0.0,
    most: 100.0,
    default: 1.0,
    whole: false,
    dial: Some(0.1),
};

/// Whether members push each other.
pub static PUSHES: SolverSetting = SolverSetting {
    solver: "crowd",
    name: "pushes",
    title: "Pushes",
    hover: "1: members push each other; 0: the crowd does not move",
    unit: "",
    least: 0.0,
    most: 1.0,
    default: 1.0,
    whole: true,
    dial: None,
};

/// Length of a step, s.
pub const STEP: f64 = 0.01;

static AGES: &[CarriedArray] = &[CarriedArray {
    label: "ages",
    sorted_label: "ages in sorted order",
    name: "ages",
    sorted_name: "sorted_ages",
    words: 1,
}];

pub static INFO: SolverInfo = SolverInfo {
    name: "crowd",
    scene_name: "Crowd",
    title: "Crowd",
    source: "this test",
    idea: "members push their neighbors away",
    explanation: None,
    settings: &[&STRENGTH, &PUSHES],
    figures: &[],
    is_fluid: true,
    heeds_density: false,
    predicts: false,
    shifts: false,
    moves: 0.0,
    pressures: PressureSource::Densities,
    stiffness: |_, _| f64::INFINITY,
    resting_sound: |_| f64::INFINITY,
    accuracy: Accuracy::Resolved,
    plot_colors: [[0, 0, 0], [128, 128, 128]],
    fault: |medium| {
        let is_too_strong = medium.settings.value(&STRENGTH) > 50.0;
        is_too_strong.then(|| (STRENGTH.path(), "is too large for a crowd; take at most 50".to_owned()))
    },
    radius_ratio: |medium| medium.material.radius_ratio,
    particle_mass: |problem| problem.mass_of_cell(),
    time_step: |_| STEP,
    limits: |problem, resolution| Limits {
        wall_speed: problem.expected_speed,
        wall_advice: "",
        thrown_speed: resolution.spacing / resolution.time_step,
        lightest_cloth: 0.0,
    },
    shorten_steps: None,
    lengthen_steps: None,
    terms: &["PUSHES"],
    shape: |medium| {
        let pushes = (medium.settings.count(&PUSHES) > 0).then_some("PUSHES");
        Shape { terms: pushes.into_iter().collect(), repeats: 1 }
    },
    carried: |_| AGES,
    shaders: |shape, _| vec![GROW_OLDER, crowd(shape), crowd(shape).with(&["ADVANCE"])],
    create: |input| {
        let parameters = input.gpu.uniform("crowd", &CrowdParameters::new(input));
        Ok(Box::new(Crowd { parameters, shape: input.shape.clone() }))
    },
};

const GROW_OLDER: FluidShader = FluidShader::single("fluid/crowd/grow_older.wgsl", "grow_older");

fn crowd(shape: &Shape) -> FluidShader {
    FluidShader::pair("fluid/crowd/crowd.wgsl", false).with(&shape.terms)
}

/// Mirrors the struct of the same name in crowd.wgsl.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct CrowdParameters {
    strength: f32,
}

impl CrowdParameters {
    fn new(input: &SolverInput<'_>) -> Self {
        Self { strength: input.problem.medium.settings.value(&STRENGTH) }
    }
}

impl GpuStruct for CrowdParameters {
    const NAME: &'static str = "CrowdParameters";
    const FIELDS: &'static [(&'static str, usize)] = &[("strength", 0)];
}

struct Crowd {
    parameters: wgpu::Buffer,
    shape: Shape,
}

impl FluidSolver for Crowd {
    fn write(&self, input: &SolverInput<'_>) {
        input.gpu.write_uniform(&self.parameters, &CrowdParameters::new(input));
    }

    fn advance(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let mut passes = vec![maker.each("grow older", &GROW_OLDER, &[])?];
        let shader = crowd(&self.shape).with(&["ADVANCE"]);
        passes.extend(maker.pairs("crowd", &shader, &[("crowd", &self.parameters)], None)?);
        Ok(passes)
    }

    fn densities(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let mut passes = vec![maker.each("grow older", &GROW_OLDER, &[])?];
        passes.extend(maker.pairs("density", &crowd(&self.shape), &[("crowd", &self.parameters)], None)?);
        Ok(passes)
    }

    fn watch_pairs(&self, maker: &PassMaker<'_>, instrument: Instrument<'_>) -> Result<Vec<Pass>, FluidError> {
        maker.pairs("count pairs", &crowd(&self.shape), &[("crowd", &self.parameters)], Some(instrument))
    }
}
