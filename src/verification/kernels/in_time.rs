//! Properties that water shows after a second or two: pressure at rest, also on a solid, and friction at a wall. The
//! period of waves is in `sloshing.rs`.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::Vec3;

use super::run::{Run, larger};
use super::water::{Method, SPACING, Tank, Water};
use super::{Measure, Property};
use crate::files::Frame;
use crate::fluid::Scene;
use crate::gpu::Gpu;
use crate::verification::VerificationError;

/// Particles across and above each other in a tank at rest.
const ACROSS: u8 = 8;
const LAYERS: u8 = 7;
/// Height of the solid floor in the second tank, m.
const FLOOR: f32 = 0.3;

/// Water in a tank, on a wall and on a solid.
pub(super) const REST: Property = Property {
    name: "water at rest has the pressure of its depth",
    is_quick: false,
    scenes: |water| {
        let (width, depth) = (f32::from(ACROSS) * SPACING, f32::from(LAYERS) * SPACING);
        let tank = |floor: f32, solids| {
            let block = [Vec3::new(0.0, floor, 0.0), Vec3::new(width, floor + depth, 0.0)];
            // As viscous as syrup, so that it is at rest after a second.
            let material = "viscosity: 0.0, kinematic_viscosity: 0.2";
            water.scene(&Tank { gravity: -9.81, material, solids, ..Tank::flat(width, floor + depth + 0.3, block) })
        };
        Ok(vec![tank(0.0, "")?, tank(FLOOR, "boundaries: [Box(low: (-1.0, -1.0, -1.0), high: (2.0, 0.3, 1.0))],")?])
    },
    measure: |gpu, water, scenes| {
        let mut measures = at_rest(gpu, water, (&scenes[0], 0.0, "on a wall"))?;
        measures.extend(at_rest(gpu, water, (&scenes[1], FLOOR, "on a solid"))?);
        Ok(measures)
    },
};

/// Mean over particles and times of the pressure divided by the weight above.
#[derive(Default)]
struct Region {
    sum: f64,
    count: f64,
}

impl Region {
    fn add(&mut self, ratio: f64) {
        (self.sum, self.count) = (self.sum + ratio, self.count + 1.0);
    }

    fn error(&self) -> f64 {
        (self.sum / self.count - 1.0).abs()
    }
}

fn at_rest(
    gpu: &Arc<Gpu>,
    water: &Water,
    (scene, floor, words): (&Scene, f32, &str),
) -> Result<Vec<Measure>, VerificationError> {
    let mut run = Run::new(gpu, scene)?;
    let width = f32::from(ACROSS) * SPACING;
    let depth = f32::from(LAYERS) * SPACING;
    let step = run.simulation.resolution().time_step;
    run.steps((1.0 / step) as u64)?;
    let [mut corner, mut bottom, mut wall, mut interior] = <[Region; 4]>::default();
    let mut fastest = 0.0_f64;
    for _ in 0..5 {
        run.steps((0.02 / step).ceil() as u64)?;
        let Frame { positions, pressures, velocities, .. } = run.frame()?;
        // Twice the height of the center of mass, since the highest particles form no level.
        let mean = positions.iter().map(|[_, y, _]| f64::from(y - floor)).sum::<f64>() / positions.len() as f64;
        for ((&[x, y, _], &pressure), &velocity) in positions.iter().zip(&pressures).zip(&velocities) {
            let ratio = f64::from(pressure) / (9810.0 * (2.0 * mean - f64::from(y - floor)));
            match (x.min(width - x) < SPACING, y - floor < SPACING) {
                (true, true) => corner.add(ratio),
                (false, true) => bottom.add(ratio),
                (true, false) if y - floor < 0.6 * depth => wall.add(ratio),
                (false, false) if y - floor < 0.6 * depth => interior.add(ratio),
                _ => {}
            }
            fastest = larger(fastest, Vec3::from(velocity).as_dvec3().length());
        }
    }
    // Pressures of iterations are less exact than those of an equation of state, and those at a solid less than at a
    // wall.
    let allowed = match (water.method, floor > 0.0) {
        (Method::EquationOfState, false) => 0.04,
        (_, false) => 0.08,
        (_, true) => 0.15,
    };
    let off = |what: &str, region: &Region| {
        Measure::new(format!("the relative error of the pressure {what} {words}"), region.error(), allowed)
    };
    let mut measures = Vec::new();
    // A solver that warns has found pressures in spite of a fault, from one step to the next.
    for (figure, value) in run.figures()? {
        if let Some(most) = figure.warns_above {
            let what = format!("what the solver warns of {words}, \"{}\", {}", figure.name, figure.unit);
            measures.push(Measure::new(what, value.into(), most.into()));
        }
    }
    measures.extend([
        off("in the water", &interior),
        off("at the bottom", &bottom),
        off("beside walls", &wall),
        off("in corners", &corner),
        Measure::new(format!("the highest speed {words}, m/s"), fastest, 0.05),
    ]);
    Ok(measures)
}

/// Height of a layer of water, m, and its layers of particles.
const HEIGHT: f64 = 0.6;
/// Its speed, m/s, its kinematic viscosity, m²/s, and the time that it slides, s.
const SPEED: f32 = 0.04;
const VISCOSITY: f64 = 0.06;
const SECONDS: f64 = 0.9;

/// A slab on the floor, and the height of its surface, m.
const SLAB: &str = "boundaries: [Box(low: (0.0, 0.0, -1.0), high: (6.0, 0.4, 1.0))],";
const SURFACE: f32 = 0.4;

/// A layer of water that slides along the floor or a slab, without gravity.
pub(super) const FRICTION: Property = Property {
    name: "water on a wall or a solid loses momentum as in theory",
    is_quick: false,
    scenes: |water| {
        let block = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(5.0, HEIGHT as f32, 0.0)];
        let tank = |material| water.scene(&Tank { material, ratio: 3.4, ..Tank::flat(6.0, 1.5, block) });
        let above = block.map(|corner| corner + SURFACE * Vec3::Y);
        let on_slab =
            |material| water.scene(&Tank { material, ratio: 2.6, solids: SLAB, ..Tank::flat(6.0, 1.9, above) });
        Ok(vec![
            tank("viscosity: 0.0, kinematic_viscosity: 0.06")?,
            tank("viscosity: 0.0, kinematic_viscosity: 0.06, no_slip: 1.0")?,
            // The artificial viscosity must not brake it either.
            on_slab("viscosity: 0.2, kinematic_viscosity: 0.06")?,
            on_slab("viscosity: 0.0, kinematic_viscosity: 0.06, no_slip: 1.0")?,
        ])
    },
    measure: |gpu, water, scenes| {
        let kept = |scene: &Scene| -> Result<(f64, f64), VerificationError> {
            let mut run = Run::new(gpu, scene)?;
            let places: Vec<Vec3> = run.frame()?.positions.iter().map(|place| Vec3::from(*place)).collect();
            run.simulation.set_particles(&places, &vec![SPEED * Vec3::X; places.len()])?;
            let step = f64::from(run.simulation.resolution().time_step);
            run.steps((SECONDS / step).ceil() as u64)?;
            let velocities = run.frame()?.velocities;
            let sum: f64 = velocities.iter().map(|velocity| f64::from(velocity[0])).sum();
            Ok((sum / velocities.len() as f64 / f64::from(SPEED), run.simulation.time()))
        };
        let smooth = if water.method == Method::Positions { 0.03 } else { 3e-3 };
        let mut measures = Vec::new();
        for (ground, smooth, scenes) in [("wall", smooth, &scenes[..2]), ("solid", 0.03, &scenes[2..])] {
            let (slippery, _) = kept(&scenes[0])?;
            let (held, time) = kept(&scenes[1])?;
            let error = ((1.0 - held) / (1.0 - left_without_slip(time)) - 1.0).abs();
            let lost = (1.0 - slippery).abs();
            measures.push(Measure::new(format!("the momentum lost on a smooth {ground}"), lost, smooth));
            let what = format!("the relative error of the momentum lost without slip on a {ground}");
            measures.push(Measure::new(what, error, 0.15));
        }
        Ok(measures)
    },
};

/// The share that is left of the momentum of a layer on a wall without slip, with a free surface: the solution of the
/// equation of heat for a layer that is kept cold on one side (H. S. Carslaw and J. C. Jaeger, Conduction of Heat in
/// Solids, 1959, section 3.3).
fn left_without_slip(time: f64) -> f64 {
    let mode = |number: u32| {
        let wave = PI * (f64::from(number) + 0.5);
        2.0 / wave.powi(2) * (-wave.powi(2) * VISCOSITY * time / HEIGHT.powi(2)).exp()
    };
    (0..50).map(mode).sum()
}
