//! A property of drops at a cloth that is much lighter than a layer of water: it takes its part of the change of
//! velocity where they meet (`src/fluid/contact.rs`). A heavy cloth and fixed solids take all of it.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::drops::nearest;
use super::run::{Run, larger};
use super::water::{Method, SPACING, Tank, Water};
use super::{Measure, Property};
use crate::fluid::Scene;
use crate::gpu::Gpu;
use crate::verification::VerificationError;

/// A plate with a cloth over it, which is lighter than a layer of water, 100 kg/m², or heavier.
macro_rules! solids {
    ($density:literal) => {
        concat!(
            "boundaries: [Box(low: (-1.1, -0.9, -1.1), high: (1.1, -0.6, 1.1))],
            cloths: [(corner: (-1.1, 0.4, -1.1), along: (2.2, 0.0, 0.0), across: (0.0, 0.0, 2.2), density: ",
            $density,
            ", stretch: 900.0, shear: 300.0, bend: 5.0, pinned: [Left, Right, Near, Far])],"
        )
    };
}
const LIGHT: &str = solids!(10.0);
const HEAVY: &str = solids!(120.0);
/// The part of the change of velocity that drops take at the light cloth (docs/VALIDATION.md, *Water in a light
/// cloth*).
const SHARE: f64 = 1.6 * 10.0 / (0.6 * 10.0 + 100.0);
/// Heights of the layers of particles, m.
const PLATE: f64 = -0.65;
const CLOTH: f64 = 0.4;
/// Drops over each.
const DROPS: usize = 8;
/// How much too near the drops would come in a step, spacings.
const TOO_NEAR: f64 = 0.4;
/// Their way in the step, spacings.
const WAY: f64 = 0.5;

fn scene(water: &Water, solids: &'static str) -> Result<Scene, VerificationError> {
    let low = Vec3::new(-0.2, 1.0, -0.2);
    let block = [low, low + SPACING * Vec3::new(4.0, 2.0, 2.0)];
    let tank = Tank::still(Vec3::new(-1.4, -1.0, -1.4), Vec3::new(1.4, 1.4, 1.4), block);
    water.scene(&Tank { solids, material: "viscosity: 0.0", ..tank })
}

/// The way by which each drop is held up in a step, spacings: first those over the plate, then those over the cloth.
fn held_up(gpu: &Arc<Gpu>, scene: &Scene) -> Result<Vec<f64>, VerificationError> {
    let mut run = Run::new(gpu, scene)?;
    let (spacing, step) = (f64::from(SPACING), f64::from(run.simulation.resolution().time_step));
    let place = |number: usize| {
        let layer = if number < DROPS { PLATE } else { CLOTH };
        let (column, row) = (number % DROPS % 4, number % DROPS / 4);
        let along = |place: usize| 0.487 * (place as f64 - 1.5);
        DVec3::new(along(column), layer + nearest() + (WAY - TOO_NEAR) * spacing, along(row)).as_vec3()
    };
    let places: Vec<Vec3> = (0..2 * DROPS).map(place).collect();
    let velocity = (-WAY * spacing / step) as f32 * Vec3::Y;
    let gained = run.gained(&places, &[velocity; 2 * DROPS], 1)?;
    Ok(gained.into_iter().map(|gained| gained.y * step / spacing).collect())
}

/// The same drops over a light cloth and over a heavy one.
pub(super) const LIGHT_CLOTH: Property = Property {
    name: "a light cloth takes its part of the change of velocity where a drop meets it",
    is_quick: true,
    scenes: |water| {
        // The other solvers refuse so light a cloth, and with other densities drops have a pressure.
        if water.method != Method::EquationOfState || !water.sums_densities() {
            return Ok(Vec::new());
        }
        Ok(vec![scene(water, LIGHT)?, scene(water, HEAVY)?])
    },
    measure: |gpu, _, scenes| {
        let (light, heavy) = (held_up(gpu, &scenes[0])?, held_up(gpu, &scenes[1])?);
        let off = |drops: std::ops::Range<usize>, share: f64| {
            let apart = |drop: usize| (light[drop] / heavy[drop] - share).abs();
            drops.map(apart).fold(0.0, larger)
        };
        let least = -heavy.iter().map(|held| -held).fold(f64::NEG_INFINITY, larger);
        Ok(vec![
            Measure::new("1 / the way by which a drop is held up at least, 1 / spacings,", 1.0 / least, 4.0),
            Measure::new("the error of a drop's share at a plate", off(0..DROPS, 1.0), 1e-3),
            Measure::new("the error of a drop's share at a light cloth", off(DROPS..2 * DROPS, SHARE), 1e-3),
        ])
    },
};
