//! Two-way coupling of water and a body: a cube floats with the draft that Archimedes' principle gives, and without
//! other forces the total momentum of body and water is conserved.

use glam::{DVec3, Vec3};

use super::watch::with_short_steps;
use super::{
    Axis, Case, Check, Curve, Figure, Look, Measured, Outcome, Panel, PlottedCurve, Series, Tolerance, Trial,
    ValidationError,
};
use crate::files::Frame;
use crate::fluid::{Body, BodyShape, Probe, Scene, Simulation, Size};

/// Side of the cube, m.
const SIDE: f32 = 0.6;
/// Densities of the cube relative to the water's.
const SHARES: [(f32, &str, &str); 2] =
    [(0.5, "half", "draft of a cube of 0.5"), (0.9, "heavy", "draft of a cube of 0.9")];
/// Interval between observations, s.
const EVERY: f64 = 0.02;
/// Fraction of the time, at its end, over which drafts are averaged.
const LATE: f64 = 0.4;
/// Duration over which the momentum is observed, s; in it the body turns and the water leaves it.
const FREE_SECONDS: f64 = 0.3;
/// Fraction of a spacing that the fastest water may cross in a step, of solvers whose steps can be chosen.
const STEP_FRACTION: f64 = 0.1;

/// The case.
pub(super) static CASE: Case = Case {
    name: "buoyancy",
    title: "A floating cube and a free cube",
    source: "Archimedes: draft / side = density ratio; the momentum of body and water is conserved",
    unit: "across the cube",
    resolutions: &[8, 16],
    software_resolution: 4,
    range: (4, 40),
    seconds: 6.0,
    measure,
    figure,
};

/// The tank of the scene `buoyancy` with a single cube in it, at the depth at which it should float.
fn tank(share: f32) -> Result<Scene, ValidationError> {
    let mut scene = Scene::load("buoyancy")?;
    let (level, rest_density) = (scene.blocks[0].high.y, scene.material.rest_density);
    let bodies = scene.solids.of_mut::<Body>();
    bodies.truncate(1);
    bodies[0] = Body {
        shape: BodyShape::Box { size: Vec3::splat(SIDE) },
        density: share * rest_density,
        position: Vec3::new(0.0, level + (0.5 - share) * SIDE, 0.0),
        ..bodies[0].clone()
    };
    scene.probes = vec![Probe::parse("BodyPosition(name: \"cube\", body: 0)")?];
    Ok(scene)
}

/// The draft of the cube divided by its side, over time. The level of the water is the one at which all the water and
/// the displaced part of the cube would end at the rest density, because the visible surface is rough by about one
/// layer.
fn drafts(heights: &Series, water: f64, share: f64, area: f64) -> Vec<(f64, f64)> {
    let side = f64::from(SIDE);
    let level = (water + share * side.powi(3)) / area;
    let draft = |&(time, height): &(f64, f64)| (time, (level - (height - 0.5 * side)) / side);
    heights.points().iter().map(draft).collect()
}

fn measure(trial: &mut Trial<'_>) -> Result<Measured, ValidationError> {
    let (mut checks, mut curves, mut first) = (Vec::new(), Vec::new(), None);
    let Trial { gpu, settings, solver, resolution, seconds, ref mut progress } = *trial;
    let spacing = f64::from(SIDE) / f64::from(resolution);
    for (part, (share, quantity, name)) in (0_u32..).zip(SHARES) {
        let scene = tank(share)?;
        let edges = (scene.high - scene.low).as_dvec3();
        let fall = (2.0 * -f64::from(scene.gravity.y) * f64::from(scene.blocks[0].high.y)).sqrt();
        let size = Size::Radius((spacing * f64::from(scene.material.radius_ratio)) as f32);
        let rest_density = f64::from(scene.material.rest_density);
        let scene = with_short_steps(scene, spacing, fall, STEP_FRACTION);
        let progress = &mut |done: f64| progress(0.45 * (f64::from(part) + done));
        let mut trial = Trial { gpu, settings, solver, resolution, seconds, progress };
        let watched = trial.watch(scene, size, EVERY, &mut |_, _| {})?;
        let resolution = &watched.resolution;
        let water = f64::from(resolution.particle_mass) * f64::from(resolution.particle_count) / rest_density;
        let points = drafts(&watched.column("cube_y_m"), water, share.into(), edges.x * edges.z);
        let mean = Series::new(points.clone()).mean_from((1.0 - LATE) * seconds);
        checks.push(Check::near(name, "of its side", mean, share.into(), Tolerance::stretching(0.05, 0.02)));
        curves.push(Curve { quantity, points });
        first.get_or_insert(watched);
    }
    let progress = &mut |done: f64| progress(0.9 + 0.1 * done);
    let mut free = Trial { gpu, settings, solver, resolution, seconds: FREE_SECONDS, progress };
    let (lost, points) = free_momentum(&mut free, spacing)?;
    checks.push(Check::at_most(
        "momentum lost by water and a free cube",
        "1e-6",
        1e6 * lost,
        Tolerance::stretching(10.0, 1.0),
    ));
    curves.push(Curve { quantity: "momentum", points });
    let watched = first.ok_or(ValidationError::Data { table: CASE.name, reason: "no cube was run".into() })?;
    Ok(Measured { watched, checks, curves })
}

/// Largest fraction of the momentum that body and water together lose without gravity and far from all walls, and that
/// fraction over time.
fn free_momentum(trial: &mut Trial<'_>, spacing: f64) -> Result<(f64, Vec<(f64, f64)>), ValidationError> {
    let mut scene = tank(0.6)?;
    let away = Vec3::splat(2.0 * SIDE);
    (scene.blocks[0].low, scene.blocks[0].high) = (-away, away);
    scene.blocks[0].velocity = Vec3::new(0.7, -0.4, 0.2);
    (scene.low, scene.high) = (Vec3::splat(-4.0), Vec3::splat(4.0));
    scene.gravity = Vec3::ZERO;
    let cube = &mut scene.solids.of_mut::<Body>()[0];
    cube.position = Vec3::ZERO;
    cube.velocity = Vec3::new(0.1, 0.3, 0.0);
    cube.angular_velocity = Vec3::new(30.0, 60.0, -20.0);
    let size = Size::Radius((spacing * f64::from(scene.material.radius_ratio)) as f32);
    let mut before = None;
    let mut shares = Vec::new();
    let mut look = |frame: &Frame, simulation: &Simulation| {
        let mass = f64::from(simulation.resolution().particle_mass);
        let of_water: DVec3 = frame.velocities.iter().map(|&velocity| Vec3::from(velocity).as_dvec3()).sum();
        let states = simulation.bodies().map(|view| view.state);
        let of_bodies: DVec3 = states.map(|state| f64::from(state.mass) * state.velocity.as_dvec3()).sum();
        let momentum = mass * of_water + of_bodies;
        let start = *before.get_or_insert(momentum);
        shares.push((frame.time, (momentum - start).length() / start.length()));
    };
    trial.watch(scene, size, EVERY, &mut look)?;
    // `f64::max` would hide NaN.
    let largest = shares.iter().map(|point| point.1).fold(0.0, |most, share| if share <= most { most } else { share });
    Ok((largest, shares))
}

#[expect(clippy::unnecessary_wraps, reason = "other cases read tables for theirs")]
fn figure(outcomes: &[Outcome]) -> Result<Figure, ValidationError> {
    let seconds = outcomes.iter().map(|outcome| outcome.seconds).fold(0.1, f64::max);
    let panel = |(share, quantity, _): (f32, &str, &str)| {
        let share = f64::from(share);
        let theory = PlottedCurve::new("Archimedes", vec![(0.0, share), (seconds, share)], Look::Theory);
        Panel {
            title: format!("A cube of {share:.1} of the water's density"),
            x: Axis::linear("time, s", 0.0, seconds),
            y: Axis::linear("draft / side", share - 0.3, share + 0.3),
            curves: [vec![theory], PlottedCurve::of_runs(outcomes, quantity)].concat(),
        }
    };
    Ok(Figure { title: CASE.title.to_owned(), columns: 2, panels: SHARES.into_iter().map(panel).collect() })
}

#[cfg(test)]
mod tests {
    use super::{SHARES, SIDE, Series, drafts, tank};

    #[test]
    fn a_cube_placed_by_archimedes_principle_has_the_expected_draft() {
        for (share, ..) in SHARES {
            let scene = tank(share).expect("the scene ships with the program");
            let edges = (scene.high - scene.low).as_dvec3();
            let area = edges.x * edges.z;
            // The water in the block, without the part of the cube below its surface.
            let (level, side) = (f64::from(scene.blocks[0].high.y), f64::from(SIDE));
            let water = level * area - f64::from(share) * side.powi(3);
            let cube = &scene.solids.of::<super::Body>()[0];
            let at = Series::new(vec![(0.0, f64::from(cube.position.y))]);
            let found = drafts(&at, water, share.into(), area)[0].1;
            assert!((found - f64::from(share)).abs() < 1e-6, "{found}");
            let higher = Series::new(vec![(0.0, f64::from(cube.position.y) + 0.1 * side)]);
            let found = drafts(&higher, water, share.into(), area)[0].1;
            assert!((found - f64::from(share) + 0.1).abs() < 1e-6, "{found}");
        }
    }
}
