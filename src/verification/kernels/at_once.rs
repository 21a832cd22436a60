//! Properties that a few steps show: densities and forces of pairs as computed in double precision, momentum, images of
//! walls, the independence of the traversal, and the forces on solids.

use glam::{DVec3, Vec3};

use super::run::{Run, larger, largest, random_velocities, scatter, scattered};
use super::sums::{densities, pair_acceleration, pair_density, pair_drift};
use super::visiting::{ONCE, ONCE_IN_WORKGROUPS, TWICE, Visiting};
use super::water::{Method, SPACING, Tank, Water};
use super::{Measure, Property};
use crate::files::Frame;
use crate::fluid::{Density, Face, Scene, Settings, SmoothingKernel, SolverSettings};
use crate::verification::VerificationError;

/// A block that fills a box, with each particle moved at random: all six walls, all edges and all corners have images.
pub(super) const DENSITY: Property = Property {
    name: "densities are the sums over particles and images",
    is_quick: true,
    scenes: |water| {
        let edge = Vec3::splat(7.0 * SPACING);
        Ok(vec![water.scene(&Tank::still(Vec3::ZERO, edge, [Vec3::ZERO, edge]))?])
    },
    measure: |gpu, water, scenes| {
        let scene = &scenes[0];
        // Where densities are integrated, they begin with the sum or the density at rest, whichever is larger.
        let is_plain =
            scene.material.density == Density::Summation && scene.solver_settings == SolverSettings::default();
        let is_summed = is_plain || water.method != Method::EquationOfState;
        let mut measures = Vec::new();
        for kernel in SmoothingKernel::ALL {
            let settings = Settings { kernel, ..TWICE.settings(scene)? };
            let mut run = Run::with(gpu, scene, &settings)?;
            let places = scattered(&run.frame()?, 0.4);
            run.simulation.set_particles(&places, &vec![Vec3::ZERO; places.len()])?;
            let found = run.frame()?.densities;
            let rest = f64::from(scene.material.rest_density);
            let least = if is_summed { 0.0 } else { rest };
            let expected = densities(&places, scene, (run.simulation.resolution(), kernel));
            let error = |(found, expected): (&f32, f64)| (f64::from(*found) - expected.max(least)).abs() / rest;
            let errors = found.iter().zip(expected).map(error);
            let worst = errors.fold(0.0, larger);
            measures.push(Measure::new(format!("the relative error of a density with {kernel:?}"), worst, 1e-5));
        }
        Ok(measures)
    },
};

/// Water that fills a box and gathers in its middle, where densities are integrated.
pub(super) const CONTINUITY: Property = Property {
    name: "integrated densities follow the sums",
    is_quick: true,
    scenes: |water| {
        if water.method != Method::EquationOfState || water.sums_densities() {
            return Ok(Vec::new());
        }
        let edge = Vec3::splat(7.0 * SPACING);
        let mut scene = water.scene(&Tank::still(Vec3::ZERO, edge, [Vec3::ZERO, edge]))?;
        // Diffusion is what they differ by.
        scene.material.density = Density::Continuity { diffusion: 0.0 };
        Ok(vec![scene])
    },
    measure: |gpu, _, scenes| {
        let scene = &scenes[0];
        let mut run = Run::new(gpu, scene)?;
        let places: Vec<Vec3> = run.frame()?.positions.iter().map(|place| Vec3::from(*place)).collect();
        let velocities: Vec<Vec3> = places.iter().map(|place| 0.5 * (0.5 * scene.high - *place)).collect();
        run.gained(&places, &velocities, 1)?;
        let before = run.frame()?;
        run.steps(3)?;
        let after = run.frame()?;
        let resolution = *run.simulation.resolution();
        let summed = |frame: &Frame| {
            let places: Vec<Vec3> = frame.positions.iter().map(|place| Vec3::from(*place)).collect();
            densities(&places, scene, (&resolution, SmoothingKernel::WendlandC2))
        };
        let expected: Vec<f64> = summed(&after).iter().zip(summed(&before)).map(|(a, b)| a - b).collect();
        let found = after.densities.iter().zip(&before.densities).map(|(a, b)| f64::from(*a) - f64::from(*b));
        let whole = expected.iter().fold(0.0, |most: f64, change| most.max(change.abs()));
        let error = found.zip(&expected).fold(0.0, |most, (found, expected)| larger(most, (found - expected).abs()));
        Ok(vec![
            Measure::new("the error of a change of density relative to the largest", error / whole, 5e-3),
            Measure::new("1 / the largest change of density, m³/kg", 1.0 / whole, 1e2),
        ])
    },
};

const PAIRS: usize = 64;

/// 64 pairs in a grid of cells, each isolated from all others.
pub(super) const PAIR: Property = Property {
    name: "isolated pairs have the forces of the formulas",
    is_quick: true,
    scenes: |water| {
        if water.method == Method::Positions {
            return Ok(Vec::new());
        }
        let material = match (water.method, water.takes_xsph()) {
            // So viscous that a single stage suffices for its long steps.
            (Method::Projection, _) => "viscosity: 0.02, kinematic_viscosity: 0.001, xsph: 0.3",
            (_, true) => "viscosity: 0.5, kinematic_viscosity: 0.01, xsph: 0.3",
            (_, false) => "viscosity: 0.5, kinematic_viscosity: 0.01",
        };
        let block = [Vec3::ONE, Vec3::ONE + SPACING * Vec3::new(4.0, 8.0, 4.0)];
        Ok(vec![water.scene(&Tank { material, ..Tank::still(Vec3::ZERO, Vec3::splat(4.0), block) })?])
    },
    measure: |gpu, water, scenes| {
        let (scene, kernel) = (&scenes[0], SmoothingKernel::WendlandC2);
        let mut run = Run::new(gpu, scene)?;
        let resolution = *run.simulation.resolution();
        let radius = resolution.support_radius;
        let direction = |pair: usize| scatter(pair).normalize();
        // The lattice may have a few more particles than the pairs; they lie where the cells meet.
        let count = run.frame()?.positions.len();
        let corner =
            |index: usize| Vec3::new((1 + index % 3) as f32, (1 + index / 3 % 3) as f32, (1 + index / 9) as f32);
        let places: Vec<Vec3> = (0..PAIRS)
            .flat_map(|pair| {
                let middle = 0.5 + Vec3::new((pair % 4) as f32, (pair / 4 % 4) as f32, (pair / 16) as f32);
                let half = 0.5 * radius * direction(pair) * (0.1 + 0.85 * pair as f32 / PAIRS as f32);
                [middle + half, middle - half]
            })
            .chain((2 * PAIRS..count).map(|extra| corner(extra - 2 * PAIRS)))
            .collect();
        let velocities = random_velocities(count);
        let gained = run.gained(&places, &velocities, 1)?;
        let after = run.frame()?.positions;
        let step = f64::from(resolution.time_step);
        let (mut error, mut whole, mut off) = (0.0_f64, 0.0_f64, 0.0_f64);
        for pair in 0..PAIRS {
            let (a, b) = (2 * pair, 2 * pair + 1);
            let offset = (places[a] - places[b]).as_dvec3();
            let motion = (offset, (velocities[a] - velocities[b]).as_dvec3());
            let summed = pair_density(offset.length(), scene, (&resolution, kernel));
            let is_summed = scene.material.xsph > 0.0;
            let density = if is_summed { summed } else { f64::from(scene.material.rest_density) };
            let of_pair = (&resolution, kernel, density);
            let drift = if is_summed { pair_drift(motion, scene, of_pair) } else { DVec3::ZERO };
            let is_velocity = water.method == Method::Projection;
            let (faster, farther) = if is_velocity { (drift / step, DVec3::ZERO) } else { (DVec3::ZERO, drift) };
            let expected = step * pair_acceleration(motion, scene, of_pair) + faster;
            whole = whole.max(expected.length());
            error = larger(error, gained[a].distance(expected));
            let velocity = velocities[a].as_dvec3() + gained[a];
            let moved = (Vec3::from(after[a]) - places[a]).as_dvec3();
            off = larger(off, moved.distance(step * velocity + farther));
        }
        let mut measures =
            vec![Measure::new("the error of a pair's force relative to the largest", error / whole, 1e-4)];
        if water.method != Method::Projection {
            let off = off / f64::from(radius);
            measures.push(Measure::new("the error of a particle's displacement relative to the radius", off, 1e-5));
        }
        Ok(measures)
    },
};

/// A block far from every wall.
fn free(water: &Water, material: &'static str) -> Result<Scene, VerificationError> {
    let half = Vec3::splat(4.0 * SPACING);
    water.scene(&Tank { material, ..Tank::still(Vec3::splat(-2.0), Vec3::splat(2.0), [-half, half]) })
}

/// A block with random velocities, with every term that forces of pairs have.
pub(super) const MOMENTUM: Property = Property {
    name: "momentum and angular momentum are kept",
    is_quick: true,
    scenes: |water| {
        let all = match (water.method, water.takes_xsph()) {
            (Method::Positions, _) | (_, true) => "viscosity: 0.5, kinematic_viscosity: 0.01, xsph: 0.1",
            (_, false) => "viscosity: 0.5, kinematic_viscosity: 0.01",
        };
        let mut scenes = vec![free(water, all)?];
        if water.is_central {
            scenes.push(free(water, "viscosity: 0.5, kinematic_viscosity: 0.01")?);
        }
        Ok(scenes)
    },
    measure: |gpu, _, scenes| {
        let mut measures = Vec::new();
        for (number, scene) in scenes.iter().enumerate() {
            let mut run = Run::new(gpu, scene)?;
            let places: Vec<Vec3> = scattered(&run.frame()?, 0.2).iter().map(|place| 0.97 * *place).collect();
            let velocities = random_velocities(places.len());
            let gained = run.gained(&places, &velocities, if number == 0 { 3 } else { 1 })?;
            let all: f64 = gained.iter().map(|gained| gained.length()).sum();
            if number == 0 {
                let whole = gained.iter().sum::<DVec3>().length() / all;
                measures.push(Measure::new("the change of momentum relative to what was exchanged", whole, 1e-5));
                // Otherwise nothing would have been tested.
                let mean = all / gained.len() as f64;
                measures.push(Measure::new("1 / the mean change of velocity, s/m", 1.0 / mean, 1e3));
            } else {
                let turned = places.iter().zip(&gained).map(|(place, gained)| place.as_dvec3().cross(*gained));
                let arms: f64 = places.iter().zip(&gained).map(|(p, g)| p.as_dvec3().length() * g.length()).sum();
                let whole = turned.sum::<DVec3>().length() / arms;
                measures.push(Measure::new(
                    "the change of angular momentum relative to what was exchanged",
                    whole,
                    5e-4,
                ));
            }
        }
        Ok(measures)
    },
};

/// Highest corner of a block in the corner of a box, m.
const CORNER: Vec3 = Vec3::splat(5.0 * SPACING);
/// A material with both viscosities and a surface tension.
const RUBBING: &str = "viscosity: 0.5, kinematic_viscosity: 0.05, surface_tension: 500.0";

/// Water in the low corner of a large box.
fn in_corner(water: &Water) -> Result<Scene, VerificationError> {
    water.scene(&Tank { material: RUBBING, ..Tank::still(Vec3::ZERO, Vec3::splat(4.0), [Vec3::ZERO, CORNER]) })
}

/// Random places and velocities of that water.
fn corner_water(corner: &Run, water: &Water) -> Result<(Vec<Vec3>, Vec<Vec3>), VerificationError> {
    // Images have the pressure of the water itself only where every step computes it from densities; without pressure,
    // water that is looser than at rest shows the viscosity of walls.
    let stretch = if water.method == Method::EquationOfState { 0.97 } else { 1.12 };
    let places: Vec<Vec3> = scattered(&corner.frame()?, 0.1).iter().map(|place| stretch * *place).collect();
    let velocities = random_velocities(places.len());
    Ok((places, velocities))
}

/// Water in the corner of a box, and in the middle of another one with particles in the places of its images.
pub(super) const IMAGES: Property = Property {
    name: "walls act as mirrored water does",
    is_quick: true,
    scenes: |water| {
        let block = CORNER;
        let tank = Tank { material: RUBBING, ..Tank::still(Vec3::splat(-2.0), Vec3::splat(2.0), [-block, block]) };
        Ok(vec![in_corner(water)?, water.scene(&tank)?])
    },
    measure: |gpu, water, scenes| {
        let mut corner = Run::new(gpu, &scenes[0])?;
        let mut open = Run::new(gpu, &scenes[1])?;
        let high = scenes[0].high;
        let (places, velocities) = corner_water(&corner, water)?;
        let octants: Vec<Vec3> = (0..8_u8)
            .map(|octant| {
                let sign = |axis: u8| if octant >> axis & 1 == 1 { -1.0 } else { 1.0 };
                Vec3::new(sign(0), sign(1), sign(2))
            })
            .collect();
        let mirrored = |of: &[Vec3]| {
            octants.iter().flat_map(|octant| of.iter().map(move |one| *octant * *one)).collect::<Vec<_>>()
        };
        let by_walls = corner.gained(&places, &velocities, 1)?;
        let expected = open.gained(&mirrored(&places), &mirrored(&velocities), 1)?;
        let whole = largest(expected.iter().copied());
        let error = largest(by_walls.iter().zip(&expected).map(|(found, expected)| *found - *expected)) / whole;
        let opposite: Vec<Vec3> = places.iter().map(|place| high - *place).collect();
        let reversed: Vec<Vec3> = velocities.iter().map(|velocity| -*velocity).collect();
        let by_high_walls = corner.gained(&opposite, &reversed, 1)?;
        let high = largest(by_high_walls.iter().zip(&expected).map(|(found, expected)| *found + *expected)) / whole;
        // The rounding of places is divided by the step.
        let most = if water.method == Method::Positions { 6e-3 } else { 2e-3 };
        Ok(vec![
            Measure::new("the difference of a force beside low walls relative to the largest", error, most),
            Measure::new("the difference of a force beside high walls relative to the largest", high, most),
            Measure::new("1 / the largest change of velocity, s/m", 1.0 / whole, 1e3),
        ])
    },
};

/// Water in a corner whose walls move, and that moves with them; then in the opposite corner, whose walls move the
/// other way.
pub(super) const MOVING_WALLS: Property = Property {
    name: "walls that move with the water act as walls at rest do",
    is_quick: true,
    scenes: |water| Ok(vec![in_corner(water)?]),
    measure: |gpu, water, scenes| {
        let scene = &scenes[0];
        let mut still = Run::new(gpu, scene)?;
        let (places, velocities) = corner_water(&still, water)?;
        let expected = still.gained(&places, &velocities, 1)?;
        let whole = largest(expected.iter().copied());
        let mut moving = Run::new(gpu, scene)?;
        for face in Face::of(scene.dimensions) {
            moving.simulation.move_wall(face, 1.0)?;
        }
        // Walls begin to move after a step.
        moving.steps(1)?;
        let step = moving.simulation.resolution().time_step;
        let low = moving.simulation.walls()[0];
        let speed = (low - scene.low) / step;
        let shifted: Vec<Vec3> = places.iter().map(|place| low + *place).collect();
        let faster: Vec<Vec3> = velocities.iter().map(|velocity| *velocity + speed).collect();
        let by_low_walls = moving.gained(&shifted, &faster, 1)?;
        let error = largest(by_low_walls.iter().zip(&expected).map(|(found, expected)| *found - *expected)) / whole;
        let high = moving.simulation.walls()[1];
        let opposite: Vec<Vec3> = places.iter().map(|place| high - *place).collect();
        let reversed: Vec<Vec3> = faster.iter().map(|velocity| -*velocity).collect();
        let by_high_walls = moving.gained(&opposite, &reversed, 1)?;
        let high = largest(by_high_walls.iter().zip(&expected).map(|(found, expected)| *found + *expected)) / whole;
        // Where places are corrected, they are predicted before the walls have moved.
        let most = if water.method == Method::Positions { 0.03 } else { 2e-3 };
        Ok(vec![
            Measure::new("the difference of a force beside low walls relative to the largest", error, most),
            Measure::new("the difference of a force beside high walls relative to the largest", high, most),
            Measure::new("1 / the speed of the walls, s/m", 1.0 / f64::from(speed.length()), 20.0),
        ])
    },
};

const SOLIDS: &str = "boundaries: [Sphere(center: (0.3, 0.1, 0.3), radius: 0.15)],
    bodies: [(shape: Sphere(radius: 0.15), position: (0.65, 0.3, 0.3))],";

/// A tank with a fixed and a floating solid, and one without solids, whose shaders differ; searches that visit every
/// pair for each of its particles, once for both, and once in several workgroups.
pub(super) const TRAVERSALS: Property = Property {
    name: "it does not matter how pairs are visited",
    is_quick: false,
    scenes: |water| {
        let material = match (water.method, water.takes_xsph()) {
            (Method::Positions, _) | (_, true) => {
                "viscosity: 0.5, kinematic_viscosity: 0.01, surface_tension: 5.0, xsph: 0.1, no_slip: 0.5"
            }
            (_, false) => "viscosity: 0.5, kinematic_viscosity: 0.01, surface_tension: 5.0, no_slip: 0.5",
        };
        let block = [Vec3::ZERO, Vec3::new(1.0, 0.4, 0.6)];
        let high = Vec3::new(1.0, 0.8, 0.6);
        let tank = |solids| Tank { gravity: -9.81, material, solids, ..Tank::still(Vec3::ZERO, high, block) };
        Ok(vec![water.scene(&tank(SOLIDS))?, water.scene(&tank(""))?])
    },
    measure: |gpu, _, scenes| {
        let mut measures = Vec::new();
        for (scene, place) in scenes.iter().zip(["beside solids", "without solids"]) {
            let after = |visiting: &Visiting| -> Result<_, VerificationError> {
                let settings = visiting.settings(scene)?;
                let mut run = Run::with(gpu, scene, &settings)?;
                let places = scattered(&run.frame()?, 0.1);
                let velocities = random_velocities(places.len());
                run.gained(&places, &velocities, 2)
            };
            let expected = after(&TWICE)?;
            let whole = largest(expected.iter().copied());
            for visiting in [ONCE, ONCE_IN_WORKGROUPS] {
                let found = after(&visiting)?;
                let error = largest(found.iter().zip(&expected).map(|(a, b)| *a - *b)) / whole;
                let words = visiting.words;
                let what =
                    format!("the difference of a force {place} relative to the largest with pairs visited {words}");
                measures.push(Measure::new(what, error, 1e-3));
            }
        }
        Ok(measures)
    },
};

/// A ball that is held in water without gravity.
pub(super) const REACTION: Property = Property {
    name: "what a solid gives it gets",
    is_quick: true,
    scenes: |water| {
        let half = Vec3::splat(5.0 * SPACING);
        let tank = |material| {
            water.scene(&Tank {
                solids: "boundaries: [Sphere(center: (0.0, 0.0, 0.0), radius: 0.2)],",
                material,
                ..Tank::still(Vec3::splat(-2.0), Vec3::splat(2.0), [-half, half])
            })
        };
        // The second is so viscous that long steps consist of several stages.
        Ok(vec![tank("viscosity: 0.5, no_slip: 1.0")?, tank("viscosity: 0.0, kinematic_viscosity: 1.0, no_slip: 1.0")?])
    },
    measure: |gpu, water, scenes| {
        let mut measures = Vec::new();
        for (words, scene) in [("", &scenes[0]), (" in viscous water", &scenes[1])] {
            let mut run = Run::new(gpu, scene)?;
            let places = scattered(&run.frame()?, 0.1);
            let towards = |place: &Vec3| -0.5 * place.normalize_or_zero() + 0.1 * Vec3::X;
            let velocities: Vec<Vec3> = places.iter().map(towards).collect();
            let gained = run.gained(&places, &velocities, 1)?;
            let forces = run.forces_on_solids()?;
            let step = f64::from(run.simulation.resolution().time_step);
            let on_solid: DVec3 = forces.iter().sum();
            let on_water = gained.iter().sum::<DVec3>() / step;
            let exchanged: f64 = forces.iter().map(|force| force.length()).sum();
            measures.extend([
                Measure::new(
                    format!("the sum of both forces relative to that on the solid{words}"),
                    (on_solid + on_water).length() / exchanged,
                    // The rounding of places is divided by the step.
                    if water.method == Method::Positions { 4e-3 } else { 1e-3 },
                ),
                Measure::new(
                    format!("1 / the force on the solid per mass of a particle{words}, s²/m"),
                    1.0 / exchanged,
                    0.1,
                ),
            ]);
        }
        Ok(measures)
    },
};

/// Two equal vortices, one with confinement.
pub(super) const CONFINEMENT: Property = Property {
    name: "confinement of vorticity feeds a vortex",
    is_quick: true,
    scenes: |water| {
        let Some(confinement) = water.confinement else {
            return Ok(Vec::new());
        };
        let block = [Vec3::splat(1.0), Vec3::splat(1.0 + 16.0 * SPACING)];
        let tank = Tank { material: "viscosity: 0.0", ..Tank::flat(4.0, 4.0, block) };
        let still = water.scene(&tank)?;
        let mut fed = still.clone();
        fed.solver_settings.parse(confinement)?;
        Ok(vec![still, fed])
    },
    measure: |gpu, _, scenes| {
        let energy = |scene: &Scene| -> Result<f64, VerificationError> {
            let mut run = Run::new(gpu, scene)?;
            let places: Vec<Vec3> = run.frame()?.positions.iter().map(|place| Vec3::from(*place)).collect();
            let middle = places.iter().sum::<Vec3>() / places.len() as f32;
            let around = |place: &Vec3| {
                let arm = *place - middle;
                Vec3::Z.cross(arm) * (-arm.length_squared() / 0.16).exp()
            };
            let velocities: Vec<Vec3> = places.iter().map(around).collect();
            run.simulation.set_particles(&places, &velocities)?;
            run.steps(1)?;
            Ok(run.frame()?.velocities.iter().map(|velocity| Vec3::from(*velocity).as_dvec3().length_squared()).sum())
        };
        let (still, fed) = (energy(&scenes[0])?, energy(&scenes[1])?);
        let gain = fed / still - 1.0;
        Ok(vec![
            Measure::new("1 / the relative gain of energy", if gain > 0.0 { 1.0 / gain } else { f64::NAN }, 1e4),
            Measure::new("the relative gain of energy", gain, 0.1),
        ])
    },
};
