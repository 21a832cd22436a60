//! Properties of single drops at solids of every kind: none passes, what they lose the solid gains, and those that do
//! not come too near are left alone. A drop of one particle has no pressure, so that only the contact acts on it
//! (`src/fluid/contact.rs`), and where kernels are wide the repulsion by solids.

use glam::{DVec3, Vec3};

use super::run::{Run, larger, largest, scatter};
use super::visiting::{FROM_A_LIST, ONCE, ONCE_IN_WORKGROUPS, Visiting};
use super::water::{Method, SPACING, Tank, Water};
use super::{Measure, Property};
use crate::fluid::{Scene, core_reach};
use crate::verification::VerificationError;

/// A plate and a ball that are fixed, a plate that moves towards the drops along x, and a cloth with drops on both
/// sides.
const SOLIDS: &str = "boundaries: [Box(low: (-1.1, -1.9, -1.1), high: (1.1, -1.6, 1.1)),
        Sphere(center: (0.6, 0.1, 0.0), radius: 0.75)],
    bodies: [(shape: Box(size: (0.3, 2.2, 2.2)), position: (-1.8, 0.0, 0.0),
        motion: Shuttle(to: (-0.8, 0.0, 0.0), speed: 0.5))],
    cloths: [(corner: (-1.1, 1.4, -1.1), along: (2.2, 0.0, 0.0), across: (0.0, 0.0, 2.2), density: 120.0,
        stretch: 9000.0, shear: 3000.0, bend: 50.0, pinned: [Left, Right, Near, Far])],";
/// The layers of particles of these solids: half a spacing below their surfaces, but for the cloth, m.
const PLATE: f64 = -1.65;
const BALL: (DVec3, f64) = (DVec3::new(0.6, 0.1, 0.0), 0.7);
const BODY: f64 = -1.7;
const CLOTH: f64 = 1.4;
/// Speed of the moving plate, m/s.
const SPEED: f64 = 0.5;
/// Drops along each edge of the group of a solid.
const EDGE: usize = 4;
/// Drops of each solid.
const GROUP: usize = EDGE * EDGE;

/// Radius ratios of usual and of wide kernels.
const USUAL: f32 = 2.2;
pub(super) const WIDE: f32 = 3.0;

/// Distance from a flat layer at which drops stop, m: where the repulsion that wide kernels need begins, which would
/// throw them back.
pub(super) fn nearest() -> f64 {
    core_reach(WIDE.into()).map_or(f64::NAN, |reach| reach * f64::from(SPACING))
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Solid {
    Plate,
    Ball,
    Body,
    Cloth,
}

const ALL: [Solid; 4] = [Solid::Plate, Solid::Ball, Solid::Body, Solid::Cloth];

/// Where the way of a drop meets the layer of a solid.
#[derive(Clone, Copy, Debug)]
struct Target {
    solid: Solid,
    /// A point of the layer, m.
    point: DVec3,
    /// Away from the solid.
    normal: DVec3,
    /// A direction along the surface.
    along: DVec3,
    /// Velocity of the solid, m/s.
    velocity: DVec3,
    /// From 0 to 1, different for each.
    number: f64,
}

/// All targets, in an order in which consecutive ones have the same solid.
fn targets() -> Vec<Target> {
    let target = |(index, solid): (usize, Solid)| {
        let (column, row) = (index % EDGE, index / EDGE % EDGE);
        let offset = |place: usize| 0.48 * (place as f64 - 1.5);
        let off = 0.06 * scatter(index + 5_000).as_dvec3();
        let (u, v) = (offset(column) + off.x, offset(row) + off.y);
        let turn = scatter(index + 6_000).as_dvec3();
        let (point, normal, velocity) = match solid {
            Solid::Plate => (DVec3::new(u, PLATE, v), DVec3::Y, DVec3::ZERO),
            Solid::Ball => {
                // A spiral from pole to pole.
                let height = 1.0 - (2.0 * (index % GROUP) as f64 + 1.0) / GROUP as f64;
                let (sine, cosine) = (2.4 * index as f64).sin_cos();
                let normal = DVec3::new(cosine, 0.0, sine) * (1.0 - height * height).sqrt() + height * DVec3::Y;
                (BALL.0 + BALL.1 * normal, normal, DVec3::ZERO)
            }
            Solid::Body => (DVec3::new(BODY, u, v), DVec3::X, SPEED * DVec3::X),
            Solid::Cloth => {
                let side = if (column + row) % 2 == 0 { DVec3::Y } else { DVec3::NEG_Y };
                (DVec3::new(u, CLOTH, v), side, DVec3::ZERO)
            }
        };
        let along = normal.cross(turn).normalize_or_zero();
        Target { solid, point, normal, along, velocity, number: ((index * 7) % GROUP) as f64 / GROUP as f64 }
    };
    let solids = ALL.into_iter().flat_map(|solid| [solid; GROUP]);
    solids.enumerate().map(target).collect()
}

/// All solids with a drop for each target, without gravity.
fn thrown(water: &Water, ratio: f32) -> Result<Scene, VerificationError> {
    let low = Vec3::new(-0.8, -1.4, -0.8);
    // As many particles as targets; they are placed anew.
    let block = [low, low + SPACING * Vec3::new(4.0, 4.0, 4.0)];
    let box_high = Vec3::new(1.8, 2.0, 1.8);
    water.scene(&Tank {
        solids: SOLIDS,
        material: "viscosity: 0.0",
        ratio,
        ..Tank::still(Vec3::new(-2.2, -2.0, -1.8), box_high, block)
    })
}

/// Places and velocities of drops from what each has over its target: the height above the layer, m, the velocity
/// towards it and the velocity along it, m/s.
fn drops(targets: &[Target], over: impl Fn(&Target) -> [f64; 3]) -> (Vec<Vec3>, Vec<Vec3>) {
    let drop = |target: &Target| {
        let [height, towards, along] = over(target);
        let velocity = target.velocity - towards * target.normal + along * target.along;
        ((target.point + height * target.normal).as_vec3(), velocity.as_vec3())
    };
    targets.iter().map(drop).unzip()
}

/// How far a place is above the layer of a target's solid, m.
fn height(target: &Target, place: DVec3, time: f64, cloth: &[DVec3]) -> f64 {
    match target.solid {
        Solid::Plate => place.y - PLATE,
        Solid::Ball => place.distance(BALL.0) - BALL.1,
        Solid::Body => place.x - BODY - SPEED * time,
        Solid::Cloth => {
            let across = |point: &&DVec3| (**point - place).with_y(0.0).length();
            let nearest = cloth.iter().min_by(|a, b| across(a).total_cmp(&across(b)));
            nearest.map_or(f64::NAN, |point| target.normal.y * (place.y - point.y))
        }
    }
}

/// Steps in which a drop reaches a solid and would be behind its layer.
const STEPS: usize = 4;

/// What happens to drops that fly at solids.
#[derive(Default)]
struct Flight {
    /// The least height above the layer of each kind of solid, m.
    lowest: [f64; 4],
    /// Largest speed away from a solid relative to that towards it at the start.
    thrown_back: f64,
    /// Sum over the steps of the changes of all momentum over what is exchanged.
    lost: f64,
    /// The same of angular momentum, m.
    turned: f64,
    /// Momentum that is exchanged over the mass of a particle, m/s.
    exchanged: f64,
}

/// Throws a drop at each target, at different speeds and from different heights and directions.
fn fly(run: &mut Run) -> Result<Flight, VerificationError> {
    let resolution = *run.simulation.resolution();
    let (step, radius) = (f64::from(resolution.time_step), f64::from(resolution.support_radius));
    // A drop that is not in reach when a step begins is not where drops stop when it ends.
    let fastest = 0.85 * (radius - nearest()) / step;
    let speed = |target: &Target| match target.solid {
        // Faster drops would tear it.
        Solid::Cloth => fastest.min(6.0) * (0.1 + target.number),
        _ => fastest * (0.15 + 0.84 * target.number * target.number),
    };
    let targets = targets();
    let (places, velocities) = drops(&targets, |target| {
        let steps = 0.3 + 1.2 * (7.3 * target.number).fract();
        // Not where a drop would stop that is stopped too far away.
        let height = nearest() + 0.12 * f64::from(SPACING) + steps * step * speed(target);
        [height, speed(target), 0.3 * speed(target)]
    });
    run.simulation.set_particles(&places, &velocities)?;
    let mut before = run.frame()?;
    let mut flight = Flight { lowest: [f64::INFINITY; 4], ..Flight::default() };
    for _ in 0..STEPS {
        let of_solids = run.solid_places()?;
        run.steps(1)?;
        let (forces, after, now) = (run.forces_on_solids()?, run.frame()?, run.solid_places()?);
        let cloth: Vec<DVec3> = now.into_iter().filter(|place| place.y > CLOTH - 0.4).collect();
        let impulses = || of_solids.iter().zip(forces.iter().map(|force| step * *force));
        let mut momentum: DVec3 = impulses().map(|(_, impulse)| impulse).sum();
        let mut spin: DVec3 = impulses().map(|(place, impulse)| place.cross(impulse)).sum();
        flight.exchanged += impulses().map(|(_, impulse)| impulse.length()).sum::<f64>();
        for (index, target) in targets.iter().enumerate() {
            let vector = |of: &[[f32; 3]]| Vec3::from(of[index]).as_dvec3();
            let gained = vector(&after.velocities) - vector(&before.velocities);
            momentum += gained;
            spin += vector(&before.positions).cross(gained);
            let height = height(target, vector(&after.positions), run.simulation.time(), &cloth);
            let lowest = &mut flight.lowest[target.solid as usize];
            *lowest = -larger(-*lowest, -height);
            let away = (vector(&after.velocities) - target.velocity).dot(target.normal);
            flight.thrown_back = larger(flight.thrown_back, away / speed(target));
        }
        flight.lost += momentum.length();
        flight.turned += spin.length();
        before = after;
    }
    flight.lost /= flight.exchanged;
    flight.turned /= flight.exchanged;
    Ok(flight)
}

/// Whether its densities begin with that at rest, so that drops are as dense as water.
pub(super) fn is_elastic(water: &Water) -> bool {
    water.method == Method::EquationOfState && !water.sums_densities()
}

/// The height above a flat layer that no drop goes below, m.
fn limit(water: &Water, radius_ratio: f32) -> f64 {
    // Where the prediction is beyond a surface, the particles of the surface make the drop as dense as water.
    let is_dense = is_elastic(water) || water.method == Method::Positions && radius_ratio < WIDE;
    if is_dense { SURFACE * f64::from(SPACING) } else { nearest() }
}

/// Height of a surface above its layer of particles, spacings.
const SURFACE: f64 = 0.5;
/// By how much a drop may be too near, spacings. The layer is not seen exactly between its particles, and that of a
/// ball, as the mean of a piece as wide as the kernel, below its highest point.
const ON_A_PLANE: f64 = 0.05;
const ON_A_BALL: f64 = 0.2;

/// Drops that fly at each solid at different speeds and directions, with usual and with wide kernels.
pub(super) const STOPPED: Property = Property {
    name: "no drop passes a solid, and what it loses the solid gains",
    is_quick: true,
    scenes: |water| Ok(vec![thrown(water, USUAL)?, thrown(water, WIDE)?]),
    measure: |gpu, water, scenes| {
        let mut measures = Vec::new();
        for scene in scenes {
            let mut run = Run::new(gpu, scene)?;
            let (flight, kernels) = (fly(&mut run)?, if scene.radius_ratio() < WIDE { "usual" } else { "wide" });
            let limit = limit(water, scene.radius_ratio());
            for (solid, lowest) in ALL.iter().zip(flight.lowest) {
                let missing = (limit - lowest) / f64::from(SPACING);
                // Drops that are slow, as on a cloth, stop farther away with PBF.
                let (missing, most) = match solid {
                    Solid::Plate | Solid::Body => (missing.abs(), ON_A_PLANE),
                    Solid::Ball => (missing.abs(), ON_A_BALL),
                    Solid::Cloth => (missing, ON_A_PLANE),
                };
                let what = format!("how much too near to the {solid:?} a drop gets with {kernels} kernels, spacings");
                measures.push(Measure::new(what, missing, most));
            }
            // Water that integrates densities is elastic: it gains no energy.
            let back = if is_elastic(water) { 1.0 } else { 0.1 };
            let mut of_all = |what: &str, value, most| {
                measures.push(Measure::new(format!("{what} with {kernels} kernels"), value, most));
            };
            of_all("the speed away from a solid relative to that towards it", flight.thrown_back, back);
            // Sums of the device are rounded in the last of 24 bits, those of 64 drops and their solids a few times.
            of_all("the lost momentum relative to what is exchanged", flight.lost, 1e-5);
            // The repulsion of wide kernels acts at the places that PBF predicts.
            if scene.radius_ratio() < WIDE || water.method != Method::Positions {
                of_all("the lost angular momentum over the momentum that is exchanged, m,", flight.turned, 1e-5);
            }
            of_all("1 / what is exchanged over the mass of a particle, s/m,", 1.0 / flight.exchanged, 1.0);
        }
        Ok(measures)
    },
};

/// What a drop has over its target, as for [`drops`], from a height that drops may have, m, its number, a speed, m/s,
/// and the time step, s.
type Over = fn([f64; 4]) -> [f64; 3];

/// Drops that stay as far away as drops are stopped, or fly away from nearer places.
pub(super) const LEFT_ALONE: Property = Property {
    name: "a drop that comes no nearer to a solid than drops may is left alone",
    is_quick: true,
    scenes: |water| Ok(vec![thrown(water, USUAL)?]),
    measure: |gpu, water, scenes| {
        let mut run = Run::new(gpu, &scenes[0])?;
        let step = f64::from(run.simulation.resolution().time_step);
        let spacing = f64::from(SPACING);
        let stop = nearest();
        // The means that stand for a layer are not exact between its particles, and less so on a ball.
        let free = stop + 0.15 * spacing;
        let fast = 0.5 * spacing / step;
        let cases: [(&str, Over); 4] = [
            ("at rest", |[free, ..]| [free, 0.0, 0.0]),
            ("on its way along the surface", |[free, _, fast, _]| [free, 0.0, fast]),
            ("on its way to where drops stop", |[free, number, fast, step]| {
                let towards = fast * (0.1 + number);
                [free + step * towards, towards, 0.0]
            }),
            ("on its way out of the surface", |[free, number, fast, _]| [free * (0.4 + 0.5 * number), -fast, 0.0]),
        ];
        let targets = targets();
        let mut measures = Vec::new();
        // A drop that leaves a solid in the accurate mode is under tension, and sticks to it.
        let sticks = is_elastic(water) && !water.is_central;
        // Where solids have pressures of their own, a drop between a surface and its layer compresses the solid.
        let is_pushed = water.method == Method::EquationOfState && water.sums_densities();
        for (words, over) in cases.into_iter().take(if sticks || is_pushed { 3 } else { 4 }) {
            let (places, velocities) = drops(&targets, |target| over([free, target.number, fast, step]));
            let gained = run.gained(&places, &velocities, 1)?;
            let after = run.frame()?.positions;
            let off = |(index, place): (usize, &[f32; 3])| {
                (Vec3::from(*place) - places[index]).as_dvec3() - step * velocities[index].as_dvec3()
            };
            let (faster, off) = (step * largest(gained), largest(after.iter().enumerate().map(off)));
            // Places in a box of 4 m are rounded to 2e-7 m.
            measures.push(Measure::new(
                format!("the change of velocity {words}, spacings per step"),
                faster / spacing,
                1e-5,
            ));
            measures.push(Measure::new(format!("the error of the way {words}, spacings"), off / spacing, 1e-5));
        }
        Ok(measures)
    },
};

/// The same drops with pairs that are visited in other ways.
pub(super) const VISITED: Property = Property {
    name: "drops are stopped in the same way however pairs are visited",
    is_quick: false,
    scenes: |water| Ok(vec![thrown(water, USUAL)?]),
    measure: |gpu, _, scenes| {
        let flown = |run: &mut Run| -> Result<_, VerificationError> {
            let flight = fly(run)?;
            let frame = run.frame()?;
            let places: Vec<DVec3> = frame.positions.iter().map(|place| Vec3::from(*place).as_dvec3()).collect();
            Ok((flight, places))
        };
        let (_, expected) = flown(&mut Run::new(gpu, &scenes[0])?)?;
        let mut measures = Vec::new();
        for visiting in [ONCE, ONCE_IN_WORKGROUPS, FROM_A_LIST] {
            let Visiting { words, .. } = visiting;
            let (flight, places) = flown(&mut Run::with(gpu, &scenes[0], &visiting.settings(&scenes[0])?)?)?;
            let off = largest(places.iter().zip(&expected).map(|(place, expected)| *place - *expected));
            let off = off / f64::from(SPACING);
            // Sums in another order are rounded otherwise; at the edge of the reach, where kernels vanish, means are of
            // few digits, and so is where a drop stops that flies two spacings in a step.
            measures.push(Measure::new(
                format!("the difference of a place with pairs visited {words}, spacings"),
                off,
                1e-2,
            ));
            measures.push(Measure::new(
                format!("the lost momentum relative to what is exchanged, {words}"),
                flight.lost,
                1e-5,
            ));
        }
        Ok(measures)
    },
};
