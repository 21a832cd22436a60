use super::boundaries::BoundarySamples;
use super::time_step::{expected_speed, substep, time_step};
use super::{Dimensions, FluidError, Scene, SmoothingKernel, Solver, cloths, lattice};

/// The one value that couples particle count, spacing, support radius, mass, sound speed and time step: whichever of
/// them somebody moves, the others follow, and the water stays what it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resolution {
    /// Particles of the fluid: those that the scene's blocks really hold beside its boundaries, and its reservoir's.
    pub particle_count: u32,
    /// Those of them that are in the reservoir at the start.
    pub reservoir_count: u32,
    /// Particles that the boundaries, bodies and cloths are made of.
    pub boundary_count: u32,
    /// Those of them that cloths are made of.
    pub cloth_count: u32,
    /// Distance of neighbors in the lattice that the blocks are filled with, m.
    pub spacing: f32,
    /// Distance from which on particles do not see each other, m.
    pub support_radius: f32,
    /// Mass of a particle, kg, in two dimensions kg/m: such that the lattice reads exactly the rest density; of particles that
    /// repel each other what they are told.
    pub particle_mass: f32,
    /// Speed of sound, m/s: not water's, but enough above the flow's to keep compression near 1 %.
    pub sound_speed: f32,
    /// Length of a step, s: what the fastest signal allows, a substep of PBF, or what repelling particles are told.
    pub time_step: f32,
}

impl Resolution {
    /// The resolution whose number of particles is as near as possible to `asked`. Blocks hold whole layers, so the
    /// count comes in steps. Where particles are read from files, their spacing decides, and `asked` says nothing.
    ///
    /// # Errors
    /// When `asked` is 0, or so small that the support radius would not fit the box.
    pub fn from_count(scene: &Scene, kernel: SmoothingKernel, asked: u32) -> Result<Self, FluidError> {
        if asked == 0 {
            return Err(FluidError::NoParticles);
        }
        if let Some(spacing) = scene.points_spacing() {
            return Self::from_spacing(scene, kernel, spacing);
        }
        let spacing =
            if scene.has_fluid() { lattice::spacing_for(scene, asked) } else { cloths::spacing_for(scene, asked) };
        Self::from_spacing(scene, kernel, spacing)
    }

    /// The resolution with that support radius, m; where particles are read from files, that of their spacing.
    ///
    /// # Errors
    /// When `radius` is not positive and finite, does not fit the box or the blocks, or asks for more particles than
    /// 32 bits count.
    pub fn from_radius(scene: &Scene, kernel: SmoothingKernel, radius: f32) -> Result<Self, FluidError> {
        if !(radius.is_finite() && radius > 0.0) {
            return Err(FluidError::Radius(radius));
        }
        if let Some(spacing) = scene.points_spacing() {
            return Self::from_spacing(scene, kernel, spacing);
        }
        Self::new(scene, kernel, radius / scene.radius_ratio(), radius)
    }

    fn from_spacing(scene: &Scene, kernel: SmoothingKernel, spacing: f32) -> Result<Self, FluidError> {
        Self::new(scene, kernel, spacing, spacing * scene.radius_ratio())
    }

    fn new(scene: &Scene, kernel: SmoothingKernel, spacing: f32, radius: f32) -> Result<Self, FluidError> {
        let edges = scene.high - scene.low;
        let extent = match scene.dimensions {
            Dimensions::Two => edges.truncate().min_element(),
            Dimensions::Three => edges.min_element(),
        };
        if radius > extent {
            return Err(FluidError::RadiusBeyondBox { radius, extent });
        }
        let mut count = lattice::count(scene, spacing);
        if count == 0 && scene.has_fluid() {
            return Err(FluidError::RadiusBeyondBlocks { radius, spacing });
        }
        let mut boundary_count = 0;
        // What no adapter holds need not be held against the boundaries.
        if u32::try_from(count).is_ok()
            && let Some(boundaries) = BoundarySamples::new(scene, spacing)?
        {
            let beside = lattice::count_beside(scene, spacing, &boundaries);
            if beside == 0 && count > 0 {
                return Err(FluidError::NoRoom { spacing, count });
            }
            count = beside;
            boundary_count = boundaries.points().len() as u32;
        }
        let cloth_count = cloths::count(scene, spacing);
        if cloth_count > cloths::MOST_PARTICLES {
            return Err(FluidError::TooManyClothParticles { count: cloth_count, limit: cloths::MOST_PARTICLES });
        }
        let limit = u64::from(u32::MAX);
        let particle_count = u32::try_from(count).map_err(|_| FluidError::TooManyParticles { count, limit })?;
        let material = &scene.material;
        let ratio = f64::from(radius) / f64::from(spacing);
        let sound_speed = f64::from(material.sound_speed_factor) * expected_speed(scene);
        let lattice_sum =
            kernel.normalisation(scene.dimensions, f64::from(radius)) * kernel.lattice_sum(scene.dimensions, ratio);
        let time_step = match scene.solver {
            Solver::Wcsph => time_step(scene, f64::from(radius), sound_speed) * cloths::share_of_step(scene, spacing),
            Solver::Pbf => substep(scene, kernel, f64::from(radius)),
            Solver::Repulsion => f64::from(scene.repulsion.time_step),
        };
        let particle_mass = match scene.solver {
            Solver::Wcsph | Solver::Pbf => (f64::from(material.rest_density) / lattice_sum) as f32,
            Solver::Repulsion => scene.repulsion.mass,
        };
        check_walls(scene, f64::from(spacing), time_step)?;
        let resolution = Self {
            particle_count,
            reservoir_count: lattice::reservoir_count(scene, spacing) as u32,
            boundary_count: boundary_count + cloth_count as u32,
            cloth_count: cloth_count as u32,
            spacing,
            support_radius: radius,
            particle_mass,
            sound_speed: sound_speed as f32,
            time_step: time_step as f32,
        };
        cloths::check(scene, &resolution)?;
        Ok(resolution)
    }
}

/// Spacings that a wall may move in a step that sound says nothing about: what is before it has to get out of its way.
const WALL_STEP: f64 = 0.25;

/// Refuses walls that are told to move faster than the water is expected to, which the speed of sound and the time step are
/// made for, or than a step of PBF could push it away.
fn check_walls(scene: &Scene, spacing: f64, time_step: f64) -> Result<(), FluidError> {
    let (limit, mend) = match scene.solver {
        Solver::Wcsph => (expected_speed(scene), ", or raise the water that the scene expects to move as fast"),
        Solver::Pbf => (WALL_STEP * spacing / time_step, ", or take more substeps"),
        Solver::Repulsion => (WALL_STEP * spacing / time_step, ", or take shorter steps"),
    };
    let too_fast = scene.bodies.iter().position(|body| f64::from(body.told_speed()) > limit);
    too_fast.map_or(Ok(()), |body| {
        let speed = scene.bodies[body].told_speed();
        Err(FluidError::WallTooFast { body, speed, limit: limit as f32, mend })
    })
}

#[cfg(test)]
mod tests {
    use super::Resolution;
    use crate::fluid::{FluidError, Scene, SmoothingKernel, lattice};

    const KERNEL: SmoothingKernel = SmoothingKernel::WendlandC2;

    fn scene() -> Scene {
        Scene::load("dam_break").expect("it ships with the program")
    }

    #[test]
    fn the_count_is_the_nearest_that_whole_layers_give() {
        let scene = scene();
        let (block, ratio) = (&scene.blocks[0], scene.material.radius_ratio);
        let extent = block.high - block.low;
        // Every count there is: it can only change where a spacing divides an edge of the block.
        let spacings = (1..80).flat_map(|layers| extent.to_array().map(|edge| edge / layers as f32));
        let counts: Vec<u64> = spacings.map(|spacing| lattice::count(&scene, spacing)).collect();
        for asked in [50, 1000, 4096, 65_536, 262_144] {
            let resolution = Resolution::from_count(&scene, KERNEL, asked).expect("the count fits");
            let off = resolution.particle_count.abs_diff(asked);
            let least = counts.iter().map(|&count| count.abs_diff(asked.into())).min().expect("there are counts");
            assert_eq!(u64::from(off), least, "asked for {asked}, got {}", resolution.particle_count);
            assert_eq!(resolution.support_radius.to_bits(), (resolution.spacing * ratio).to_bits());
            let placed = lattice::fill(&scene, resolution.spacing, 1, None);
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
        // Column volume times density, up to the layers that do not fit.
        let mass = fine.particle_mass * fine.particle_count as f32;
        assert!((mass / 48_000.0 - 1.0).abs() < 0.1, "{mass} kg");
    }

    #[test]
    fn lattices_are_told_apart_by_their_seed_only() {
        let scene = scene();
        let positions =
            |seed| -> Vec<_> { lattice::fill(&scene, 0.25, seed, None).iter().map(|placed| placed.position).collect() };
        assert_eq!(positions(1), positions(1));
        let (one, two) = (positions(1), positions(2));
        assert_ne!(one, two);
        let farthest = one.iter().zip(&two).map(|(a, b)| (a - b).abs().max_element()).fold(0.0, f32::max);
        assert!(farthest < 0.02 * 0.25 + 1e-5, "the jitter is {farthest} m");
    }

    #[test]
    fn what_fits_no_box_is_refused_in_words() {
        let scene = scene();
        for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let error = Resolution::from_radius(&scene, KERNEL, radius).expect_err("no radius");
            assert!(matches!(error, FluidError::Radius(_)), "{error}");
        }
        let error = Resolution::from_radius(&scene, KERNEL, 3.1).expect_err("the box is 3 m across");
        assert!(matches!(error, FluidError::RadiusBeyondBox { .. }), "{error}");
        let error = Resolution::from_radius(&scene, KERNEL, 1e-4).expect_err("that makes 10^14 particles");
        assert!(matches!(error, FluidError::TooManyParticles { .. }), "{error}");
        let error = Resolution::from_count(&scene, KERNEL, 0).expect_err("no particles");
        assert!(matches!(error, FluidError::NoParticles), "{error}");
        let mut thin = scene;
        thin.blocks[0].high.y = 0.1;
        let error = Resolution::from_radius(&thin, KERNEL, 1.0).expect_err("the block is thinner than a spacing");
        assert!(matches!(error, FluidError::RadiusBeyondBlocks { .. }), "{error}");
    }
}
