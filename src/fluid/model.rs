//! The model: the shared context and the solver over it. It is recreated when the search, the smoothing kernel, the
//! solver or the set of enabled terms changes; where only numbers of the scene change, they are rewritten in place.

use super::context::{Context, ContextInput, SolidArrays};
use super::flow::Parking;
use super::need_of_neighbors::NeedOfNeighbors;
use super::parameters::FluidParameters;
use super::particles::ParticleState;
use super::problem::lightest_cloth;
use super::problem::{medium, problem};
use super::solids::{Held, SampledSolids, core_reach, held_by_solids};
use super::solvers::{FluidSolver, SOLID_PRESSURES, Shape, Solver, SolverInput};
use super::surface_tension::{SurfaceScale, has_surface_tension};
use super::viscous_weight::{FLOOR, approach_strength, viscous_strength};
use super::{Dimensions, FluidError, Probe, Resolution, Scene, Settings, SmoothingKernel};
use crate::gpu::Gpu;
use crate::search::Domain;

/// The properties of a scene that decide which passes there are, besides search and smoothing kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Features {
    /// The solver.
    pub solver: Solver,
    /// The passes and variants that the solver needs.
    pub shape: Shape,
    /// Whether there is a surface tension.
    pub surface_tension: bool,
    /// Whether probes read forces on the walls of the box.
    pub wall_loads: bool,
}

impl Features {
    pub(super) fn of(scene: &Scene) -> Self {
        Self {
            solver: scene.solver,
            shape: (scene.solver.shape)(medium(scene)),
            surface_tension: has_surface_tension(scene),
            wall_loads: scene.solver.is_fluid() && scene.probes.iter().any(Probe::reads_walls),
        }
    }
}

/// One search, smoothing kernel, resolution and solver over a particle state.
pub(super) struct Model {
    /// The buffers that solver and solids share.
    pub context: Context,
    /// The solver that moves the fluid.
    pub solver: Box<dyn FluidSolver>,
    /// The features that the passes were made for.
    pub features: Features,
    /// Whether forces on solids and walls are those of the last step: there has been one with these buffers.
    pub has_forces: bool,
}

impl Model {
    /// `solids` are the arrays of the particles of solids; `None` where all particles are fluid.
    ///
    /// # Errors
    /// When the search refuses the particles, or the device has no memory for them.
    pub(super) fn new(
        gpu: &Gpu,
        scene: &Scene,
        settings: &Settings,
        resolution: &Resolution,
        state: &ParticleState,
        solids: Option<SolidArrays>,
    ) -> Result<Self, FluidError> {
        let features = Features::of(scene);
        let parameters = fluid_parameters(scene, settings.kernel, resolution);
        let context = ContextInput {
            search: settings.search,
            options: &settings.options,
            neighbors: NeedOfNeighbors::of(scene, resolution, &settings.options),
            kernel: settings.kernel,
            domain: domain(scene, resolution, parking_end(scene, resolution, solids.as_ref()))?,
            state,
            parameters: &parameters,
            solids,
            carried: (scene.solver.carried)(&features.shape),
            surface_tension: features.surface_tension,
            wall_loads: features.wall_loads,
        };
        let context = Context::new(gpu, context)?;
        let input = solver_input(gpu, scene, (settings.kernel, resolution), &features.shape, (&parameters, state));
        let solver = (scene.solver.create)(&input)?;
        Ok(Self { context, solver, features, has_forces: false })
    }

    /// Rewrites the parameters for a scene that has the same features.
    pub(super) fn write(&self, gpu: &Gpu, scene: &Scene, resolution: &Resolution, state: &ParticleState) {
        let kernel = self.context.kernel;
        let parameters = fluid_parameters(scene, kernel, resolution);
        gpu.write_uniform(&self.context.parameters, &parameters);
        let shape = &self.features.shape;
        self.solver.write(&solver_input(gpu, scene, (kernel, resolution), shape, (&parameters, state)));
    }
}

fn solver_input<'a>(
    gpu: &'a Gpu,
    scene: &'a Scene,
    (kernel, resolution): (SmoothingKernel, &'a Resolution),
    shape: &'a Shape,
    (parameters, state): (&'a FluidParameters, &'a ParticleState),
) -> SolverInput<'a> {
    SolverInput {
        gpu,
        problem: problem(scene, kernel, resolution.spacing, resolution.support_radius),
        shape,
        resolution,
        parameters,
        positions: &state.positions,
        particle_count: state.count,
    }
}

/// The arrays of the particles of the scene's solids; `None` where all particles are fluid and stay in the box.
pub(super) fn solid_arrays(
    scene: &Scene,
    kernel: SmoothingKernel,
    resolution: &Resolution,
    solids: &SampledSolids,
) -> Option<SolidArrays> {
    let has_parking = Parking::new(scene, resolution).is_some();
    (!solids.is_empty() || has_parking).then(|| {
        let mut weights = solids.weights(kernel, scene, resolution);
        if !scene.solver.is_fluid() {
            // A negative weight makes the particle count as one of the solver's own particles.
            weights.fill(-1.0);
        }
        let has_pressures = Features::of(scene).shape.has(SOLID_PRESSURES);
        let shares = || solids.water_shares(kernel, scene, resolution);
        let water_shares = if has_pressures { shares() } else { vec![0.0; weights.len()] };
        let mobilities = solids.mobilities(scene, resolution);
        SolidArrays { weights, water_shares, mobilities, parking_count: solids.parking_count() }
    })
}

/// Highest x of a parked particle of the fluid or of a solid, m; that of the box where none is ever parked.
fn parking_end(scene: &Scene, resolution: &Resolution, solids: Option<&SolidArrays>) -> f32 {
    match solids.map_or(0, |solids| solids.parking_count) {
        0 => Parking::new(scene, resolution).map_or(scene.high.x, |parking| parking.end()),
        count => Parking::of_solids(scene, resolution, count).end(),
    }
}

/// The box and radius that a search is made for, with the region of parked particles, which reaches up to `end` along
/// x, m. In two dimensions the box is thinner than a cell, so that there is one layer of cells.
pub(super) fn domain(scene: &Scene, resolution: &Resolution, end: f32) -> Result<Domain, FluidError> {
    let radius = resolution.support_radius;
    let (mut low, mut high) = (scene.low, scene.high);
    if scene.dimensions == Dimensions::Two {
        low.z = scene.plane() - 0.25 * radius;
        high.z = scene.plane() + 0.25 * radius;
    }
    high.x = end;
    Ok(Domain::new(low, high, radius)?)
}

/// Distance from a wall, in support radii, beyond which a particle has no images in reach, with a margin for rounding.
const WITH_IMAGES: f32 = 1.001;

/// The change of the velocity between fluid and a very light cloth or body where they meet, in units of the velocity
/// with which they approach. Both get the velocity of their common mass with 1; beyond 2 they are thrown apart faster
/// than they have met, and steps are unstable. It is 2 with a cloth as heavy as a layer of the fluid, if the fluid
/// takes it all.
const CHANGE: f32 = 1.6;

/// How many times heavier than the lightest cloth a layer of the fluid is; 0 without cloths (`FluidParameters`).
fn layers_over_cloth(scene: &Scene, resolution: &Resolution) -> f32 {
    let layer = scene.material.rest_density * resolution.spacing;
    lightest_cloth(scene).map_or(0.0, |cloth| layer / cloth)
}

/// The parameters of the scene that every pass reads.
pub(super) fn fluid_parameters(scene: &Scene, kernel: SmoothingKernel, resolution: &Resolution) -> FluidParameters {
    let (material, dimensions) = (&scene.material, scene.dimensions);
    let radius = f64::from(resolution.support_radius);
    let spacing = f64::from(resolution.spacing);
    let sound_speed = f64::from(resolution.sound_speed);
    let density_scale = resolution.density_scale(scene, kernel);
    let viscous_strength = viscous_strength(dimensions, resolution.particle_mass.into(), radius);
    // Not computed where it has no effect, since walls that move ask for the parameters in every step.
    let sticks = material.no_slip > 0.0;
    let held = if sticks { held_by_solids(kernel, dimensions, radius / spacing) } else { Held::default() };
    let surface = SurfaceScale::of(scene, kernel, resolution);
    let (low, high) = scene.bounds(resolution.support_radius);
    let mut center = scene.central_gravity.center;
    if dimensions == Dimensions::Two {
        center.z = scene.plane();
    }
    FluidParameters {
        box_low: low.to_array(),
        inverse_radius: radius.recip() as f32,
        box_high: high.to_array(),
        time_step: resolution.time_step,
        gravity: scene.gravity.to_array(),
        particle_count: resolution.particle_count + resolution.boundary_count,
        center: center.to_array(),
        center_strength: scene.central_gravity.strength,
        density_scale: density_scale as f32,
        gradient_scale: (density_scale / (radius * radius)) as f32,
        rest_density: material.rest_density,
        stiffness: (f64::from(material.rest_density) * sound_speed * sound_speed / 7.0) as f32,
        approach_viscosity: approach_strength(material, sound_speed, radius) as f32,
        viscosity: (viscous_strength * f64::from(material.kinematic_viscosity)) as f32,
        viscosity_floor: (FLOOR * radius * radius) as f32,
        xsph: material.xsph,
        surface_term: surface.term as f32,
        inverse_spacing: spacing.recip() as f32,
        pressure_scale: kernel.lattice_moment(dimensions, radius / spacing).recip() as f32,
        fluid_count: resolution.particle_count,
        velocity_low: [0.0; 3],
        no_slip: material.no_slip,
        velocity_high: [0.0; 3],
        skin_friction: material.skin_friction,
        near_walls: WITH_IMAGES + scene.solver.moves,
        most_tension: material.most_tension(),
        inverse_core: core_reach(radius / spacing).map_or(f32::MAX, |reach| (reach * spacing).recip() as f32),
        held_far: material.no_slip * held.far as f32,
        held_near: material.no_slip * held.near as f32,
        least_surface: surface.least as f32,
        surface_viscosity: (viscous_strength * surface.viscosity) as f32,
        first_cloth: resolution.particle_count + resolution.boundary_count - resolution.cloth_count,
        layers_over_cloth: layers_over_cloth(scene, resolution),
        contact_change: CHANGE,
        padding_x: 0,
        padding_y: 0,
    }
}
