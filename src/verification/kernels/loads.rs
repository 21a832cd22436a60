//! What probes read of the forces on the walls of the box (`shaders/fluid/loads.wgsl`): together with the forces on
//! solids they are all that the water gives, and each wall bears its own part.

use std::sync::Arc;

use glam::{BVec3, DVec3, Vec3};

use super::run::{Run, random_velocities, scattered};
use super::sums::{densities, pair_acceleration};
use super::visiting::{ONCE_IN_WORKGROUPS, TWICE, Visiting};
use super::water::{Method, SPACING, Tank, Water};
use super::{Measure, Property};
use crate::files::Frame;
use crate::fluid::{Scene, SmoothingKernel};
use crate::gpu::Gpu;
use crate::verification::VerificationError;

/// Probes on the momentum of the water and on all sides of a box.
macro_rules! probes {
    ($more:literal) => {
        concat!(
            "probes: [Momentum, Force(name: \"left\", on: \"left\"), Force(name: \"right\", on: \"right\"),
            Force(name: \"bottom\", on: \"bottom\"), Force(name: \"top\", on: \"top\"),",
            $more,
            "],"
        )
    };
}
/// A box in space with a ball on the floor.
const BALL: &str = concat!(
    "boundaries: [Sphere(center: (0.3, 0.1, 0.3), radius: 0.15)],",
    probes!(
        "Force(name: \"back\", on: \"back\"), Force(name: \"front\", on: \"front\"),
        Force(name: \"ball\", on: \"boundaries[0]\")"
    )
);
const FLAT: &str = probes!("");
const STEPS: usize = 3;

/// What the water has got and given in a few steps, kg m/s.
struct Exchange {
    /// The change of its momentum that forces and weight do not explain.
    missing: DVec3,
    /// The sum of the impulses of all forces and of the weight, each by its length.
    whole: f64,
    /// The impulses of the forces, in the order of the probes.
    impulses: Vec<DVec3>,
}

fn exchange(
    run: &mut Run,
    (places, velocities): (&[Vec3], &[Vec3]),
    steps: usize,
) -> Result<Exchange, VerificationError> {
    let vectors = |frame: &Frame, run: &Run| -> Result<Vec<DVec3>, VerificationError> {
        let row = run.simulation.readings(frame)?;
        // Nothing is read of a wall before the first step.
        let component = |reading: Option<f64>| reading.unwrap_or(0.0);
        Ok(row.chunks(3).map(|it| DVec3::new(component(it[0]), component(it[1]), component(it[2]))).collect())
    };
    run.simulation.set_particles(places, velocities)?;
    let first = vectors(&run.frame()?, run)?;
    let mass = f64::from(run.simulation.resolution().particle_mass);
    let weight = mass * places.len() as f64 * run.simulation.scene().gravity.as_dvec3();
    let step = f64::from(run.simulation.resolution().time_step);
    let (mut impulses, mut whole, mut now) = (vec![DVec3::ZERO; first.len() - 1], 0.0, first[0]);
    for _ in 0..steps {
        run.steps(1)?;
        let row = vectors(&run.frame()?, run)?;
        now = row[0];
        impulses.iter_mut().zip(&row[1..]).for_each(|(impulse, force)| *impulse += step * *force);
        whole += step * (weight.length() + row[1..].iter().map(|force| force.length()).sum::<f64>());
    }
    let missing = now - first[0] - step * steps as f64 * weight + impulses.iter().sum::<DVec3>();
    Ok(Exchange { missing, whole, impulses })
}

/// Water with random velocities that fills a part of a box with a solid, some of it nearer to walls than it may be.
pub(super) const BORNE: Property = Property {
    name: "walls and solids bear what the water gives",
    is_quick: false,
    scenes: |water| {
        let block = [Vec3::ZERO, Vec3::new(0.7, 0.4, 0.6)];
        let high = Vec3::new(1.0, 0.8, 0.6);
        let tank = |material| {
            water.scene(&Tank { gravity: -9.81, material, solids: BALL, ..Tank::still(Vec3::ZERO, high, block) })
        };
        // The second is so viscous that long steps consist of several stages.
        Ok(vec![
            tank("viscosity: 0.5, kinematic_viscosity: 0.01, no_slip: 0.5, skin_friction: 0.5")?,
            tank("viscosity: 0.0, kinematic_viscosity: 1.0, no_slip: 1.0")?,
        ])
    },
    measure: |gpu, water, scenes| {
        let mut measures = Vec::new();
        let cases: [(&str, &Scene, &Visiting); 3] = [
            ("", &scenes[0], &TWICE),
            (" in viscous water", &scenes[1], &TWICE),
            (" with pairs visited once in several workgroups", &scenes[0], &ONCE_IN_WORKGROUPS),
        ];
        for (words, scene, visiting) in cases {
            let mut run = Run::with(gpu, scene, &visiting.settings(scene)?)?;
            let places = scattered(&run.frame()?, 0.55);
            let velocities = random_velocities(places.len());
            let Exchange { missing, whole, .. } = exchange(&mut run, (&places, &velocities), STEPS)?;
            let what = format!("the momentum that nothing bears relative to what was exchanged{words}");
            // PBF's corrections of places are divided by a short step, and their rounding with them.
            let most = if water.method == Method::Positions { 1e-4 } else { 1e-6 };
            measures.push(Measure::new(what, missing.length() / whole, most));
        }
        Ok(measures)
    },
};

/// Loose water in an edge of a box in the plane, where only viscosity acts.
pub(super) const SHARED: Property = Property {
    name: "a wall bears the friction along it and what presses on it",
    is_quick: true,
    scenes: |water| {
        // Where densities are integrated, they are not the sums that this property computes.
        if water.method == Method::EquationOfState && !water.sums_densities() {
            return Ok(Vec::new());
        }
        let material = match water.method {
            Method::EquationOfState => "viscosity: 0.5, kinematic_viscosity: 0.05, no_slip: 0.7",
            // So viscous that a single stage suffices for their long steps.
            _ => "viscosity: 0.02, kinematic_viscosity: 0.001, no_slip: 0.7",
        };
        let block = [Vec3::ZERO, Vec3::splat(6.0 * SPACING)];
        Ok(vec![water.scene(&Tank { material, solids: FLAT, ..Tank::flat(4.0, 4.0, block) })?])
    },
    measure: |gpu, water, scenes| {
        let scene = &scenes[0];
        let (found, expected) = loads_in_an_edge(gpu, water, scene)?;
        let whole = expected.iter().map(|impulse| impulse.length()).fold(0.0, f64::max);
        let names = ["left", "bottom"];
        Ok(names
            .iter()
            .zip(found.iter().zip(&expected))
            .map(|(name, (found, expected))| {
                let what = format!("the error of the force on the {name} wall relative to the larger one");
                Measure::new(what, found.distance(*expected) / whole, 1e-3)
            })
            .collect())
    },
};

/// The impulses on the left wall and on the floor in a step as read, and as computed in double precision, kg m/s.
fn loads_in_an_edge(
    gpu: &Arc<Gpu>,
    water: &Water,
    scene: &Scene,
) -> Result<([DVec3; 2], [DVec3; 2]), VerificationError> {
    let mut run = Run::new(gpu, scene)?;
    let places: Vec<Vec3> = scattered(&run.frame()?, 0.1).iter().map(|place| (1.15 * *place).with_z(0.0)).collect();
    let velocities: Vec<Vec3> = random_velocities(places.len()).iter().map(|it| it.with_z(0.0)).collect();
    let impulses = exchange(&mut run, (&places, &velocities), 1)?.impulses;
    let resolution = *run.simulation.resolution();
    let step = resolution.time_step;
    // Where places are predicted, viscosity acts there.
    let ahead = if water.method == Method::Positions { step } else { 0.0 };
    let places: Vec<Vec3> = places.iter().zip(&velocities).map(|(place, it)| *place + ahead * *it).collect();
    let of = densities(&places, scene, (&resolution, SmoothingKernel::WendlandC2));
    let once = 1.0 - 2.0 * f64::from(scene.material.no_slip);
    // On the left wall and on the floor.
    let mut loads = [DVec3::ZERO; 2];
    for (a, place) in places.iter().enumerate() {
        for (b, other) in places.iter().enumerate() {
            for mirrored in
                [BVec3::new(true, false, false), BVec3::new(false, true, false), BVec3::new(true, true, false)]
            {
                let image = DVec3::select(mirrored, -other.as_dvec3(), other.as_dvec3());
                let offset = place.as_dvec3() - image;
                if offset.length() >= f64::from(resolution.support_radius) {
                    continue;
                }
                // Without slip the components along each wall are reversed as well.
                let along = DVec3::new(if mirrored.y { once } else { 1.0 }, if mirrored.x { once } else { 1.0 }, 1.0);
                let velocity = velocities[b].as_dvec3();
                let seen = along * DVec3::select(mirrored, -velocity, velocity);
                let density = 0.5 * (of[a] + of[b]);
                let motion = (offset, velocities[a].as_dvec3() - seen);
                let acceleration =
                    pair_acceleration(motion, scene, (&resolution, SmoothingKernel::WendlandC2, density));
                let force = -f64::from(resolution.particle_mass) * acceleration;
                // What acts along a mirrored axis presses on the wall across it; the rest is friction along the other.
                loads[usize::from(!mirrored.x)].x += force.x;
                loads[usize::from(mirrored.y)].y += force.y;
            }
        }
    }
    Ok(([impulses[0], impulses[2]], loads.map(|load| f64::from(step) * load)))
}
