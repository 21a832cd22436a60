//! Computes the resolution of a scene from a particle count or a support radius.

use std::borrow::Cow;

use super::problem::problem;
use super::solids::SampledSolids;
use super::solvers::{Problem, longest_viscous_step};
use super::{Dimensions, FluidError, Resolution, Scene, SceneEdits, Size, SmoothingKernel, Solver, lattice};

impl Resolution {
    /// The resolution whose number of particles is as near as possible to `asked`. Blocks are filled with whole
    /// layers, so not every count is possible. Where particles are read from files, their spacing determines the
    /// resolution and `asked` is ignored.
    ///
    /// # Errors
    /// When `asked` is 0, or so small that the support radius would not fit the box.
    pub fn from_count(scene: &Scene, kernel: SmoothingKernel, asked: u32) -> Result<Self, FluidError> {
        Ok(Self::with_solids(scene, kernel, Size::Count(asked))?.0)
    }

    /// The particle spacing, m, that a size leads to, and how many fluid particles the scene has before solids take
    /// their room. Nothing is sampled for it, so a program can refuse a size that is far too large at once, where
    /// [`Resolution::from_count`] may take minutes. `None` where the scene cannot be resolved with this size at all.
    pub fn before_solids(scene: &Scene, size: Size) -> Option<(f32, u64)> {
        let spacing = match size {
            Size::Count(asked) if asked > 0 || scene.points_spacing().is_some() => spacing_of_count(scene, asked),
            Size::Radius(radius) if RADII.contains(&radius) => {
                scene.points_spacing().unwrap_or_else(|| radius / scene.radius_ratio())
            }
            Size::Count(_) | Size::Radius(_) => return None,
        };
        Some((spacing, lattice::count(scene, spacing)))
    }

    /// The resolution with this support radius, m; where particles are read from files, the resolution of their
    /// spacing.
    ///
    /// # Errors
    /// When `radius` is not positive and finite, does not fit the box or the blocks, or leads to more particles than
    /// a 32-bit count can represent.
    pub fn from_radius(scene: &Scene, kernel: SmoothingKernel, radius: f32) -> Result<Self, FluidError> {
        Ok(Self::with_solids(scene, kernel, Size::Radius(radius))?.0)
    }

    /// Length of a step, s, of a scene with another solver and about `asked` particles. Nothing is sampled for it, so
    /// it can be called in every frame.
    ///
    /// # Errors
    /// When `asked` is 0.
    pub fn time_step_for(
        scene: &Scene,
        solver: Solver,
        kernel: SmoothingKernel,
        asked: u32,
    ) -> Result<f64, FluidError> {
        if asked == 0 {
            return Err(FluidError::NoParticles);
        }
        // Copied only where needed, because the panel asks in every frame.
        let scene = if solver == scene.solver {
            Cow::Borrowed(scene)
        } else {
            Cow::Owned(SceneEdits { solver: Some(solver), ..SceneEdits::default() }.applied_to(scene))
        };
        let spacing = scene.points_spacing().unwrap_or_else(|| lattice::spacing_for(&scene, asked));
        let problem = problem(&scene, kernel, spacing, spacing * scene.radius_ratio());
        Ok((solver.time_step)(&problem))
    }

    /// Shortens the steps of a scene as its solver needs it for the lightest body of `all`, the scene with the bodies that
    /// were added while it ran.
    pub(super) fn shorten_step(&mut self, scene: &Scene, all: &Scene, kernel: SmoothingKernel) {
        let of = |scene| problem(scene, kernel, self.spacing, self.support_radius);
        let problem = Problem { lightest_body: of(all).lightest_body, ..of(scene) };
        self.time_step = (scene.solver.time_step)(&problem) as f32;
    }

    /// Refuses steps that are too long for the surface tension or the viscosity of a scene.
    pub(super) fn check_step(&self, scene: &Scene, kernel: SmoothingKernel) -> Result<(), FluidError> {
        if !scene.solver.is_fluid() {
            return Ok(());
        }
        let problem = problem(scene, kernel, self.spacing, self.support_radius);
        let (step, spacing, material) = (f64::from(self.time_step), self.spacing, &scene.material);
        // Steps that follow from a limit are rounded.
        let is_beyond = |limit: f64| step > 1.000_1 * limit;
        let limit = problem.capillary_step();
        if is_beyond(limit) {
            let (tension, times) = (material.surface_tension, (step / limit).ceil());
            return Err(FluidError::BeyondCapillary { step, limit, tension, spacing, times });
        }
        let limit = longest_viscous_step(&problem);
        if is_beyond(limit) {
            let (viscosity, times) = (material.kinematic_viscosity, (step / limit).ceil());
            return Err(FluidError::BeyondStages { step, limit, viscosity, spacing, times });
        }
        Ok(())
    }

    /// The factor by which a sum of the kernel's shapes gives a density, kg/m³: for a fluid the one with which a
    /// particle in the lattice of the start has exactly the rest density.
    pub fn density_scale(&self, scene: &Scene, kernel: SmoothingKernel) -> f64 {
        let radius = f64::from(self.support_radius);
        let normalization = if scene.solver.is_fluid() {
            kernel.lattice_normalization(scene.dimensions, radius, radius / f64::from(self.spacing))
        } else {
            kernel.normalization(scene.dimensions, radius)
        };
        f64::from(self.particle_mass) * normalization
    }

    /// The resolution of a scene's size, together with the particles of its solids, which are sampled to count those of
    /// the fluid.
    ///
    /// # Errors
    /// As [`Resolution::from_count`] and [`Resolution::from_radius`].
    pub(super) fn with_solids(
        scene: &Scene,
        kernel: SmoothingKernel,
        size: Size,
    ) -> Result<(Self, SampledSolids), FluidError> {
        let (spacing, radius) = lengths(scene, size)?;
        check_box(scene, radius)?;
        let mut count = lattice::count(scene, spacing);
        if count == 0 && scene.has_fluid() {
            return Err(FluidError::RadiusBeyondBlocks { radius, spacing });
        }
        // A count beyond 32 bits is refused below, so sampling the solids would be wasted work.
        let solids = match u32::try_from(count) {
            Ok(_) => SampledSolids::new(scene, spacing)?,
            Err(_) => SampledSolids::default(),
        };
        if solids.takes_room() {
            let beside = lattice::count_beside(scene, spacing, &solids);
            if beside == 0 && count > 0 {
                return Err(FluidError::NoRoom { spacing, count });
            }
            count = beside;
        }
        let counts = Counts {
            particles: u32::try_from(count).map_err(|_| FluidError::Uncountable { count })?,
            in_reservoir: lattice::reservoir_count(scene, spacing) as u32,
            of_solids: solids.count() as u32,
            of_cloths: solids.thin_count() as u32,
        };
        Ok((Self::of_counts(scene, kernel, (spacing, radius), counts)?, solids))
    }

    /// The resolution of the same particles after an edit that leaves the lattice as it is: of the material, of the
    /// solver or of the kernel. Nothing is sampled for it.
    ///
    /// # Errors
    /// When the edit leads to numbers beyond range, or to steps that are too long.
    pub(super) fn after_edit(&self, scene: &Scene, kernel: SmoothingKernel) -> Result<Self, FluidError> {
        let counts = Counts {
            particles: self.particle_count,
            in_reservoir: self.reservoir_count,
            of_solids: self.boundary_count,
            of_cloths: self.cloth_count,
        };
        Self::of_counts(scene, kernel, (self.spacing, self.support_radius), counts)
    }

    /// The resolution of particles that were counted, from their spacing and support radius, m.
    fn of_counts(
        scene: &Scene,
        kernel: SmoothingKernel,
        (spacing, radius): (f32, f32),
        counts: Counts,
    ) -> Result<Self, FluidError> {
        let problem = problem(scene, kernel, spacing, radius);
        let resolution = Self {
            particle_count: counts.particles,
            reservoir_count: counts.in_reservoir,
            boundary_count: counts.of_solids,
            cloth_count: counts.of_cloths,
            spacing,
            support_radius: radius,
            particle_mass: (scene.solver.particle_mass)(&problem),
            sound_speed: problem.sound_speed as f32,
            resting_sound: (scene.solver.resting_sound)(&problem) as f32,
            time_step: (scene.solver.time_step)(&problem) as f32,
        };
        for (what, value) in [
            ("mass of a particle", resolution.particle_mass),
            ("speed of sound", resolution.sound_speed),
            ("time step", resolution.time_step),
        ] {
            if !(value.is_normal() && value > 0.0) {
                return Err(FluidError::Degenerate { what, value, radius });
            }
        }
        resolution.check_step(scene, kernel)?;
        let limits = (scene.solver.limits)(&problem, &resolution);
        scene.solids.kinds().try_for_each(|info| (info.check)(scene, &resolution, &limits))?;
        Ok(resolution)
    }
}

/// Numbers of particles; the fields of [`Resolution`] explain them.
#[derive(Clone, Copy)]
struct Counts {
    particles: u32,
    in_reservoir: u32,
    of_solids: u32,
    of_cloths: u32,
}

/// Spacing and support radius of a size, m; where particles are read from files, those of their spacing.
fn lengths(scene: &Scene, size: Size) -> Result<(f32, f32), FluidError> {
    let with_radius = |spacing: f32| (spacing, spacing * scene.radius_ratio());
    match size {
        Size::Count(0) => Err(FluidError::NoParticles),
        Size::Count(asked) => Ok(with_radius(spacing_of_count(scene, asked))),
        Size::Radius(radius) if !(radius.is_finite() && radius > 0.0) => Err(FluidError::Radius(radius)),
        Size::Radius(radius) => {
            check_radius(radius)?;
            let of_points = scene.points_spacing().map(with_radius);
            Ok(of_points.unwrap_or((radius / scene.radius_ratio(), radius)))
        }
    }
}

/// Refuses a support radius, m, that does not fit the box of a scene.
fn check_box(scene: &Scene, radius: f32) -> Result<(), FluidError> {
    check_radius(radius)?;
    let edges = scene.high - scene.low;
    let extent = match scene.dimensions {
        Dimensions::Two => edges.truncate().min_element(),
        Dimensions::Three => edges.min_element(),
    };
    if extent.is_finite() && radius <= extent { Ok(()) } else { Err(FluidError::RadiusBeyondBox { radius, extent }) }
}

/// The spacing with which a scene has about `asked` particles, m; where particles are read from files, theirs.
fn spacing_of_count(scene: &Scene, asked: u32) -> f32 {
    let of_solids = || scene.solids.kinds().find_map(|info| (info.spacing_for)(scene, asked));
    let of_lattice = || {
        let alone = if scene.has_fluid() { None } else { of_solids() };
        alone.unwrap_or_else(|| lattice::spacing_for(scene, asked))
    };
    scene.points_spacing().unwrap_or_else(of_lattice)
}

/// Smallest and largest support radius of a fluid, m: the fourth powers of these, which gradients of kernels contain,
/// are within the range of single precision.
pub(super) const RADII: std::ops::RangeInclusive<f32> = 1e-8..=1e9;

fn check_radius(radius: f32) -> Result<(), FluidError> {
    let (least, most) = (*RADII.start(), *RADII.end());
    if RADII.contains(&radius) { Ok(()) } else { Err(FluidError::RadiusBeyondNumbers { radius, least, most }) }
}

#[cfg(test)]
mod tests {
    use crate::fluid::{FluidError, Material, Resolution, Scene, SceneEdits, SmoothingKernel, Solver, lattice};

    const KERNEL: SmoothingKernel = SmoothingKernel::WendlandC2;

    #[test]
    fn the_length_of_a_step_is_known_without_sampling() {
        for name in ["dam_break", "drop", "flotsam"] {
            let scene = Scene::load(name).expect("an embedded scene");
            for solver in Solver::all().filter(|solver| solver.is_fluid()) {
                let edited = SceneEdits { solver: Some(solver), ..SceneEdits::default() }.applied_to(&scene);
                let resolution = Resolution::from_count(&edited, KERNEL, 3_000).expect("the scene suits");
                let found = Resolution::time_step_for(&scene, solver, KERNEL, 3_000).expect("the scene suits");
                assert!(
                    (found / f64::from(resolution.time_step) - 1.0).abs() < 1e-5,
                    "{name}, {}: {found} s instead of {} s",
                    solver.label(),
                    resolution.time_step
                );
            }
        }
    }

    #[test]
    fn an_edit_gives_the_same_particles_the_resolution_of_the_edited_scene() {
        for name in ["dam_break", "flotsam", "cloth_on_ball", "fountain", "flatland"] {
            let scene = Scene::load(name).expect("an embedded scene");
            let found = Resolution::from_count(&scene, KERNEL, 2_000).expect("the scene suits");
            for solver in Solver::all() {
                let mut edits = SceneEdits { solver: Some(solver), ..SceneEdits::default() };
                edits.material = Some(Material { rest_density: 900.0, ..scene.material.clone() });
                let edited = edits.applied_to(&scene);
                if edited.radius_ratio().to_bits() != scene.radius_ratio().to_bits() {
                    continue;
                }
                for kernel in [KERNEL, SmoothingKernel::Poly6] {
                    let expected = Resolution::from_count(&edited, kernel, 2_000).expect("the scene suits");
                    let after = found.after_edit(&edited, kernel).expect("the scene suits");
                    assert_eq!(after, expected, "{name}, {}", solver.label());
                    assert!(after.particle_mass < found.particle_mass);
                }
            }
        }
    }

    fn scene() -> Scene {
        Scene::load("dam_break").expect("it ships with the program")
    }

    #[test]
    fn the_count_is_the_nearest_that_whole_layers_give() {
        let scene = scene();
        let (block, ratio) = (&scene.blocks[0], scene.material.radius_ratio);
        let extent = block.high - block.low;
        // Every possible count: it can only change at spacings that divide an edge of the block.
        let spacings = (1..80).flat_map(|layers| extent.to_array().map(|edge| edge / layers as f32));
        let counts: Vec<u64> = spacings.map(|spacing| lattice::count(&scene, spacing)).collect();
        for asked in [50, 1000, 4096, 65_536, 262_144] {
            let resolution = Resolution::from_count(&scene, KERNEL, asked).expect("the count fits");
            let off = resolution.particle_count.abs_diff(asked);
            let least = counts.iter().map(|&count| count.abs_diff(asked.into())).min().expect("there are counts");
            assert_eq!(u64::from(off), least, "asked for {asked}, got {}", resolution.particle_count);
            assert_eq!(resolution.support_radius.to_bits(), (resolution.spacing * ratio).to_bits());
            let placed = lattice::fill_alone(&scene, resolution.spacing, 1);
            assert_eq!(placed.len(), resolution.particle_count as usize);
            let inside = |low: glam::Vec3, high: glam::Vec3| {
                placed.iter().all(|p| p.position.cmpge(low).all() && p.position.cmple(high).all())
            };
            assert!(inside(block.low, block.high), "{asked}: particles beyond their block");
        }
    }

    #[test]
    fn the_radius_is_kept_and_everything_follows_it() {
        let scene = scene();
        let coarse = Resolution::from_radius(&scene, KERNEL, 0.4).expect("the radius fits");
        let fine = Resolution::from_radius(&scene, KERNEL, 0.2).expect("the radius fits");
        assert_eq!((coarse.support_radius, fine.support_radius), (0.4, 0.2));
        let near = |ratio: f32, expected: f32| (ratio / expected - 1.0).abs() < 1e-3;
        assert!(near(coarse.particle_mass / fine.particle_mass, 8.0));
        assert!(near(coarse.time_step / fine.time_step, 2.0));
        assert!(near(coarse.sound_speed, fine.sound_speed));
        // The volume of the column times the density, up to the layers that do not fit.
        let mass = fine.particle_mass * fine.particle_count as f32;
        assert!((mass / 48_000.0 - 1.0).abs() < 0.1, "{mass} kg");
    }

    #[test]
    fn water_weighs_what_its_volume_does_and_has_the_rest_density_in_its_lattice() {
        for (solver, ratio) in Solver::fluids().flat_map(|solver| [2.0, 2.2, 2.6, 3.0].map(|ratio| (solver, ratio))) {
            let mut scene = Scene { solver, ..scene() };
            scene.material.radius_ratio = ratio;
            let resolution = Resolution::from_radius(&scene, KERNEL, 0.1 * ratio).expect("the radius fits");
            let weight = f64::from(resolution.particle_mass) / (1000.0 * f64::from(resolution.spacing).powi(3));
            assert!((weight - 1.0).abs() < 1e-6, "{}, {ratio}: {weight}", solver.label());
            let lattice =
                KERNEL.lattice_sum(scene.dimensions, f64::from(resolution.support_radius / resolution.spacing));
            let density = resolution.density_scale(&scene, KERNEL) * lattice;
            assert!((density - 1000.0).abs() < 1e-3, "{}, {ratio}: {density}", solver.label());
        }
    }

    #[test]
    fn lattices_differ_only_by_their_seed() {
        let scene = scene();
        let positions =
            |seed| -> Vec<_> { lattice::fill_alone(&scene, 0.25, seed).iter().map(|placed| placed.position).collect() };
        assert_eq!(positions(1), positions(1));
        let (one, two) = (positions(1), positions(2));
        assert_ne!(one, two);
        let farthest = one.iter().zip(&two).map(|(a, b)| (a - b).abs().max_element()).fold(0.0, f32::max);
        assert!(farthest < 0.02 * 0.25 + 1e-5, "the jitter is {farthest} m");
    }

    #[test]
    fn sizes_that_fit_no_box_are_refused() {
        let scene = scene();
        for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let error = Resolution::from_radius(&scene, KERNEL, radius).expect_err("no radius");
            assert!(matches!(error, FluidError::Radius(_)), "{error}");
        }
        let error = Resolution::from_radius(&scene, KERNEL, 3.1).expect_err("the box is 3 m across");
        assert!(matches!(error, FluidError::RadiusBeyondBox { .. }), "{error}");
        let error = Resolution::from_radius(&scene, KERNEL, 1e-4).expect_err("that makes 10^14 particles");
        assert!(matches!(error, FluidError::Uncountable { .. }), "{error}");
        for radius in [1e-9, 1e-30, 1e10] {
            let error = Resolution::from_radius(&scene, KERNEL, radius).expect_err("its powers are beyond range");
            assert!(matches!(error, FluidError::RadiusBeyondNumbers { .. }), "{error}");
        }
        let error = Resolution::from_count(&scene, KERNEL, 0).expect_err("no particles");
        assert!(matches!(error, FluidError::NoParticles), "{error}");
        let mut thin = scene;
        thin.blocks[0].high.y = 0.1;
        let error = Resolution::from_radius(&thin, KERNEL, 1.0).expect_err("the block is thinner than a spacing");
        assert!(matches!(error, FluidError::RadiusBeyondBlocks { .. }), "{error}");
    }
}
