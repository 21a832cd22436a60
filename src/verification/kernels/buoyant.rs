//! The lift of a disc that is held in viscous water at rest, which shows whether the discrete water can flow into a
//! solid without a rate of its density: then it does so all the time, and drags the disc down.

use std::f64::consts::PI;

use glam::{DVec3, Vec3};

use super::run::Run;
use super::water::{Method, Tank};
use super::{Measure, Property};

const GRAVITY: f64 = 9.81;
/// Radius of the disc, m.
const RADIUS: f64 = 0.4;
/// Time until the water is at rest, and that of the mean, s.
const UNTIL_REST: f64 = 2.0;
const OBSERVED: f64 = 0.6;

/// Water as viscous as honey around a disc, whose particles do not lie in the order of the lattice.
pub(super) const BUOYANT: Property = Property {
    name: "viscous water at rest lifts a disc by what it displaces",
    is_quick: false,
    scenes: |water| {
        // Only these pressures follow from rates. Without corrected gradients the lift is less exact than what wrong
        // shaders make of it, as it is at other radius ratios.
        if water.method != Method::Projection || water.is_central {
            return Ok(Vec::new());
        }
        let block = [Vec3::ZERO, Vec3::new(2.4, 3.2, 0.0)];
        Ok(vec![water.scene(&Tank {
            gravity: -GRAVITY as f32,
            ratio: 2.6,
            material: "viscosity: 0.0, kinematic_viscosity: 2.7, no_slip: 1.0",
            solids: "boundaries: [Sphere(center: (1.2, 1.68, 0.0), radius: 0.4)],",
            ..Tank::flat(2.4, 4.0, block)
        })?])
    },
    measure: |gpu, _, scenes| {
        let mut run = Run::new(gpu, &scenes[0])?;
        let resolution = run.simulation.resolution();
        let (step, mass) = (f64::from(resolution.time_step), f64::from(resolution.particle_mass));
        run.steps((UNTIL_REST / step).ceil() as u64)?;
        let (mut sum, mut count) = (0.0, 0.0);
        let end = run.simulation.time() + OBSERVED;
        while run.simulation.time() < end {
            run.steps(1)?;
            sum += mass * run.forces_on_solids()?.iter().sum::<DVec3>().y;
            count += 1.0;
        }
        let displaced = 1000.0 * GRAVITY * PI * RADIUS * RADIUS;
        // 4.7 %, and 9.2 % where solids count once for rates (llvmpipe, 2026-11-27).
        Ok(vec![Measure::new("the relative error of the lift", (sum / count / displaced - 1.0).abs(), 0.07)])
    },
};
