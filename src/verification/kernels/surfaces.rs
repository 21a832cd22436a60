//! Properties of water and drops that are at the surface of a solid already: water gets no nearer than its surface,
//! drops that are too near come out as gently as gravity moves them, and those between a solid and a wall stay in the
//! box (`src/fluid/contact.rs`).

use glam::{DVec3, Vec3};

use super::drops::{is_elastic, nearest};
use super::run::{Run, larger};
use super::water::{Method, SPACING, Tank};
use super::{Measure, Property};

const GRAVITY: f64 = 9.81;
/// Height of the surface of a floor, m, whose layer of particles is half a spacing below it.
const FLOOR: f32 = 0.3;
const LAYER: f64 = 0.25;

/// Width of the box, m.
const EDGE: f32 = 0.8;

/// Water that fills a box from wall to wall and is moved onto a floor faster than its pressure can stop.
pub(super) const FALLING: Property = Property {
    name: "water gets as near to a solid as its surface and no nearer",
    is_quick: true,
    scenes: |water| {
        let edge = EDGE;
        let block = [Vec3::new(0.0, FLOOR, 0.0), Vec3::new(edge, FLOOR + 5.0 * SPACING, edge)];
        Ok(vec![water.scene(&Tank {
            solids: "boundaries: [Box(low: (-1.0, -1.0, -1.0), high: (2.0, 0.3, 2.0))],",
            material: "viscosity: 0.0",
            ..Tank::still(Vec3::ZERO, Vec3::new(edge, 1.5, edge), block)
        })?])
    },
    measure: |gpu, water, scenes| {
        let mut run = Run::new(gpu, &scenes[0])?;
        let (spacing, step) = (f64::from(SPACING), f64::from(run.simulation.resolution().time_step));
        let start = run.frame()?;
        let lower = Vec3::Y * (0.25 * SPACING);
        let places: Vec<Vec3> = start.positions.iter().map(|place| Vec3::from(*place) - lower).collect();
        let fall = (-0.5 * spacing / step) as f32 * Vec3::Y;
        run.gained(&places, &vec![fall; places.len()], 1)?;
        let after = run.frame()?.positions;
        // Beside a wall the layer is seen on one side only.
        let is_within =
            |[x, _, z]: &&[f32; 3]| [x, z].iter().all(|at| (2.2 * SPACING..EDGE - 2.2 * SPACING).contains(*at));
        let within = after.iter().filter(is_within).map(|[_, y, _]| f64::from(*y));
        let lowest = -within.map(|y| -y).fold(f64::NEG_INFINITY, larger);
        let missing = 0.5 - (lowest - LAYER) / spacing;
        // Where pressures are iterated they may stop it earlier.
        let missing = if water.method == Method::EquationOfState { missing.abs() } else { missing };
        Ok(vec![Measure::new("how much lower than on the surface the lowest water is, spacings", missing, 0.01)])
    },
};

/// Speed of drops in two dimensions towards a floor, spacings per step.
const FALL: f64 = 0.8;

/// Drops that fly at a floor in two dimensions, where one component of every force is exactly zero.
pub(super) const FLAT: Property = Property {
    name: "in two dimensions a floor gains what drops lose",
    is_quick: true,
    scenes: |water| {
        let block = [Vec3::new(1.0, 1.0, 0.0), Vec3::new(1.0 + 4.0 * SPACING, 1.0 + SPACING, 0.0)];
        let solids = "boundaries: [Box(low: (-1.0, -1.0, -1.0), high: (3.0, 0.3, 1.0))],";
        Ok(vec![water.scene(&Tank { solids, material: "viscosity: 0.0", ..Tank::flat(2.4, 1.5, block) })?])
    },
    measure: |gpu, _, scenes| {
        let mut run = Run::new(gpu, &scenes[0])?;
        let (spacing, step) = (f64::from(SPACING), f64::from(run.simulation.resolution().time_step));
        let drops: Vec<Vec3> = run.frame()?.positions.iter().map(|place| Vec3::from(*place)).collect();
        let above = (LAYER + nearest() + 0.5 * FALL * spacing) as f32;
        let places: Vec<Vec3> = (0_u8..)
            .zip(&drops)
            .map(|(number, drop)| Vec3::new(0.43 + 0.47 * f32::from(number), above, drop.z))
            .collect();
        let velocity = Vec3::new(0.1, -1.0, 0.0) * (FALL * spacing / step) as f32;
        let gained: DVec3 = run.gained(&places, &vec![velocity; places.len()], 1)?.into_iter().sum();
        let on_floor: DVec3 = run.forces_on_solids()?.into_iter().map(|force| step * force).sum();
        Ok(vec![
            Measure::new(
                "the lost momentum relative to what drops give",
                (gained + on_floor).length() / gained.length(),
                1e-5,
            ),
            Measure::new("spacings per step over what drops give", spacing / step / gained.length(), 10.0),
        ])
    },
};

/// Drops in the surface of a floor, which gravity has not pressed into it.
pub(super) const LIFTED: Property = Property {
    name: "a drop in the surface of a solid comes out as gently as gravity would move it",
    is_quick: false,
    scenes: |water| {
        // Where drops are as dense as water, pressure lifts them.
        if is_elastic(water) {
            return Ok(Vec::new());
        }
        let block = [Vec3::new(-0.2, 0.5, -0.2), Vec3::new(0.2, 0.5 + SPACING, 0.2)];
        Ok(vec![water.scene(&Tank {
            solids: "boundaries: [Box(low: (-2.0, -1.0, -2.0), high: (2.0, 0.3, 2.0))],",
            material: "viscosity: 0.0",
            gravity: -GRAVITY as f32,
            ..Tank::still(Vec3::new(-1.2, 0.0, -1.2), Vec3::new(1.2, 1.2, 1.2), block)
        })?])
    },
    measure: |gpu, _, scenes| {
        let mut run = Run::new(gpu, &scenes[0])?;
        let (spacing, step) = (f64::from(SPACING), f64::from(run.simulation.resolution().time_step));
        // Each above another place of the layer, and with another way to go, m.
        let way = |number: usize| spacing * (0.05 + 0.01 * number as f64);
        let place = |number: usize| {
            let along = |place: usize| (0.487 * (place as f64 - 1.5)) as f32;
            Vec3::new(along(number % 4), (LAYER + nearest() - way(number)) as f32, along(number / 4))
        };
        let places: Vec<Vec3> = (0..16).map(place).collect();
        run.simulation.set_particles(&places, &[Vec3::ZERO; 16])?;
        // The time in which gravity moves something by half a spacing.
        let time = (spacing / GRAVITY).sqrt();
        let (mut fastest, mut left) = (0.0, 0.0);
        for _ in 0..10 {
            run.steps((0.5 * time / step).ceil() as u64)?;
            let frame = run.frame()?;
            left = 0.0;
            for (number, ([_, y, _], velocity)) in frame.positions.iter().zip(&frame.velocities).enumerate() {
                let freely = (2.0 * GRAVITY * way(number)).sqrt();
                fastest = larger(fastest, Vec3::from(*velocity).as_dvec3().length() / freely);
                left = larger(left, (LAYER + nearest() - f64::from(*y)) / way(number));
            }
        }
        Ok(vec![
            Measure::new("the speed of a drop relative to that after falling as far", fastest, 1.0),
            Measure::new("the share of the way out that is left after a while", left, 0.05),
        ])
    },
};

/// Least distance of fluid from a wall, m (integration.wgsl).
const CLEARANCE: f64 = 0.025;

/// Drops at a wall that a plate moves towards.
pub(super) const SQUEEZED: Property = Property {
    name: "a drop between a solid and a wall stays in the box",
    is_quick: true,
    scenes: |water| {
        let block = [Vec3::new(0.8, 0.5, -0.2), Vec3::new(0.8 + SPACING, 0.9, 0.2)];
        Ok(vec![water.scene(&Tank {
            // Its layer is a little farther from the drops than its surface is from the layer.
            solids: "bodies: [(shape: Box(size: (0.3, 1.2, 1.2)), position: (0.177, 0.7, 0.0),
                motion: Shuttle(to: (0.157, 0.7, 0.0), speed: 0.4))],",
            material: "viscosity: 0.0",
            gravity: -GRAVITY as f32,
            ..Tank::still(Vec3::new(0.0, 0.0, -0.9), Vec3::new(2.0, 1.5, 0.9), block)
        })?])
    },
    measure: |gpu, _, scenes| {
        let mut run = Run::new(gpu, &scenes[0])?;
        let place = |number: usize| {
            let along = |place: usize| 0.25 * (place as f32 - 1.5);
            Vec3::new(CLEARANCE as f32 + 0.0005, 0.7 + along(number % 4), along(number / 4))
        };
        let places: Vec<Vec3> = (0..16).map(place).collect();
        run.gained(&places, &[Vec3::ZERO; 16], 1)?;
        let nearest = run.frame()?.positions.iter().map(|[x, _, _]| -f64::from(*x)).fold(f64::NEG_INFINITY, larger);
        let missing = (CLEARANCE + nearest) / f64::from(SPACING);
        Ok(vec![Measure::new("how much nearer to a wall than fluid may be a drop is, spacings", missing, 1e-5)])
    },
};
