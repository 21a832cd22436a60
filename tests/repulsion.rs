//! Particles that repel each other, as simulated by Morillo et al. 2014.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod common;

use common::gpu;
use glam::{DVec3, Vec3};
use nearwater::depiction::shown_field;
use nearwater::fluid::{
    Block, Boundary, Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver, SolverSettings,
};
use nearwater::gpu::read_buffer;
use nearwater::render::ColorFieldInfo;
use nearwater::render::color_fields::COLOR_FIELDS;
use nearwater::search::random::uniform;
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{SearchOptions, search_named};

const RADIUS: f32 = 0.01;

fn settings() -> Settings {
    Settings {
        search: search_named("green").unwrap(),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Radius(RADIUS),
        seed: 5,
        edits: SceneEdits::default(),
    }
}

/// A box of ten radii without gravity, in a corner of which `counts` particles start.
fn scene(counts: Vec3) -> Scene {
    let mut scene = Scene::load("morillo_repulsion").unwrap();
    (scene.low, scene.high) = (Vec3::ZERO, Vec3::splat(10.0 * RADIUS));
    scene.blocks = vec![Block::at_rest(Vec3::ZERO, RADIUS * counts)];
    scene.gravity = Vec3::ZERO;
    scene.solver_settings = SolverSettings::default();
    scene
}

/// Positions and velocities in the original order.
fn state(simulation: &Simulation) -> (Vec<Vec3>, Vec<Vec3>) {
    let particles = simulation.particles();
    let count = particles.count as usize;
    let positions: Vec<[f32; 4]> = read_buffer(&gpu(), particles.positions, count).unwrap();
    let velocities: Vec<[f32; 4]> = read_buffer(&gpu(), particles.velocities, count).unwrap();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&place| velocities[place][3].to_bits());
    let xyz = |values: &[[f32; 4]]| order.iter().map(|&place| Vec3::from_slice(&values[place][..3])).collect();
    (xyz(&positions), xyz(&velocities))
}

fn steps(simulation: &mut Simulation, count: u32) {
    gpu().submit(|encoder| (0..count).for_each(|_| simulation.record_step(encoder, None)));
    gpu().wait().unwrap();
}

#[test]
fn two_particles_repel_each_other_in_proportion_to_their_overlap() {
    let scene = scene(Vec3::new(2.0, 1.0, 1.0));
    let mut simulation = Simulation::new(&gpu(), &scene, &settings()).unwrap();
    let resolution = *simulation.resolution();
    assert_eq!((resolution.particle_count, resolution.time_step, resolution.particle_mass), (2, 2e-4, 3e-4));
    assert_eq!((resolution.support_radius, resolution.spacing), (RADIUS, RADIUS));
    for share in [0.1_f32, 0.4, 0.7, 0.99, 1.01, 1.5] {
        let direction = Vec3::new(0.6, 0.64, -0.48);
        let middle = Vec3::splat(5.0 * RADIUS);
        let half = 0.5 * share * RADIUS * direction;
        simulation.set_particles(&[middle + half, middle - half], &[Vec3::ZERO; 2]).unwrap();
        steps(&mut simulation, 1);
        let (_, velocities) = state(&simulation);
        assert_eq!(velocities[0], -velocities[1], "opposite to the last bit");
        // k (R − d) / m dt along the line.
        let expected = 3600.0 * (1.0 - share).max(0.0) * RADIUS / 3e-4 * 2e-4 * direction;
        let off = (velocities[0] - expected).length();
        // The stiffness amplifies the rounding of the positions, which are 5 cm from the origin.
        assert!(off < 3e-4, "{share} radii: {}, not {expected}", velocities[0]);
    }
    simulation.set_particles(&[Vec3::splat(0.05); 2], &[Vec3::ZERO; 2]).unwrap();
    steps(&mut simulation, 1);
    assert_eq!(state(&simulation).1, [Vec3::ZERO; 2], "coincident particles exert no force on each other");
}

#[test]
fn a_bounce_restores_the_speed_except_for_the_damping() {
    let rebound = |repulsion: SolverSettings| {
        let mut scene = scene(Vec3::new(2.0, 1.0, 1.0));
        scene.solver_settings = repulsion;
        let mut simulation = Simulation::new(&gpu(), &scene, &settings()).unwrap();
        let positions = [Vec3::new(0.04, 0.05, 0.05), Vec3::new(0.052, 0.05, 0.05)];
        simulation.set_particles(&positions, &[Vec3::X, -Vec3::X]).unwrap();
        steps(&mut simulation, 60);
        let (_, velocities) = state(&simulation);
        assert_eq!(velocities[0], -velocities[1]);
        velocities[1].x
    };
    // Verlet's energy has an error of (ω dt)² / 4 during the bounce, which vanishes except for the part of a step in
    // which the bounce ends.
    let elastic = rebound(SolverSettings::parsed(&["repulsion.time_step=5e-5"]).unwrap());
    assert!((elastic - 1.0).abs() < 0.02, "{elastic} m/s");
    let damped = rebound(SolverSettings::parsed(&["repulsion.time_step=5e-5", "repulsion.damping=0.1"]).unwrap());
    // exp(−π ζ / √(1 − ζ²)) with ζ = c / √(2 k m).
    let zeta = 0.1 / (2.0_f32 * 3600.0 * 3e-4).sqrt();
    let expected = (-std::f32::consts::PI * zeta / (1.0 - zeta * zeta).sqrt()).exp();
    assert!((damped - expected).abs() < 0.05, "{damped} m/s, not {expected}");
}

#[test]
fn a_particle_comes_to_rest_on_its_mirror_image_below_the_floor() {
    let mut scene = scene(Vec3::ONE);
    scene.gravity = Vec3::new(0.0, -9.81, 0.0);
    scene.solver_settings = SolverSettings::parsed(&["repulsion.stiffness=36.0", "repulsion.damping=0.02"]).unwrap();
    let mut simulation = Simulation::new(&gpu(), &scene, &settings()).unwrap();
    simulation.set_particles(&[Vec3::new(0.05, 0.006, 0.05)], &[Vec3::ZERO]).unwrap();
    for _ in 0..20 {
        steps(&mut simulation, 100);
    }
    let (positions, velocities) = state(&simulation);
    // m g = k (R − 2 y).
    let expected = 0.5 * (RADIUS - 3e-4 * 9.81 / 36.0);
    assert!((positions[0].y - expected).abs() < 1e-6 && velocities[0].length() < 1e-4, "{} m", positions[0].y);
}

/// A dense cloud away from the walls, with random velocities.
fn cloud(simulation: &Simulation) -> (Vec<Vec3>, Vec<Vec3>) {
    let vector = |index: u64| Vec3::new(uniform(9, 3 * index), uniform(9, 3 * index + 1), uniform(9, 3 * index + 2));
    let count = u64::from(simulation.resolution().particle_count);
    let position = |index| RADIUS * (3.0 + 4.0 * vector(index));
    let velocity = |index| vector(index + count) - 0.5;
    ((0..count).map(position).collect(), (0..count).map(velocity).collect())
}

#[test]
fn momentum_is_conserved_and_every_search_gives_the_same_motion() {
    let scene = {
        let mut scene = scene(Vec3::new(5.0, 5.0, 6.0));
        scene.solver_settings =
            SolverSettings::parsed(&["repulsion.stiffness=36.0", "repulsion.damping=0.002"]).unwrap();
        scene
    };
    let mut reference: Option<Vec<Vec3>> = None;
    for SearchConfiguration { search, options, .. } in SearchConfiguration::all() {
        let settings = Settings { search, options, ..settings() };
        let mut simulation = Simulation::new(&gpu(), &scene, &settings).unwrap();
        let (positions, velocities) = cloud(&simulation);
        simulation.set_particles(&positions, &velocities).unwrap();
        steps(&mut simulation, 10);
        let (after, moving) = state(&simulation);
        let sum = |velocities: &[Vec3]| velocities.iter().map(|velocity| velocity.as_dvec3()).sum::<DVec3>();
        let size: f64 = moving.iter().map(|velocity| f64::from(velocity.length())).sum();
        let drift = (sum(&moving) - sum(&velocities)).length() / size;
        assert!(drift < 1e-6, "{}: momentum drifts by {drift}", search.name);
        let changed = moving.iter().zip(&velocities).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(changed > 0.5, "the particles hardly met");
        let reference = reference.get_or_insert_with(|| after.clone());
        let off = after.iter().zip(&*reference).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(off < 1e-5 * RADIUS * 10.0, "{}: {off} m off", search.name);
    }
}

#[test]
fn solids_and_particles_exert_opposite_forces() {
    let mut scene = scene(Vec3::new(10.0, 2.0, 10.0));
    scene.blocks[0].low.y = 0.04;
    scene.blocks[0].high.y = 0.06;
    scene.gravity = Vec3::new(0.0, -9.81, 0.0);
    scene.solids = vec![Boundary::Box { low: Vec3::ZERO, high: Vec3::new(0.1, 0.03, 0.1) }].into();
    scene.solver_settings.parse("repulsion.damping=0.01").unwrap();
    let mut simulation = Simulation::new(&gpu(), &scene, &settings()).unwrap();
    let fluid = simulation.resolution().particle_count;
    for _ in 0..20 {
        steps(&mut simulation, 50);
        let (positions, _) = state(&simulation);
        let lowest = positions[..fluid as usize].iter().map(|position| position.y).fold(f32::MAX, f32::min);
        assert!(lowest > 0.03, "a particle is in the solid, at {lowest} m");
    }
    // The forces of solid and particles sum to zero, so the mean over the bounces is the weight.
    let count = simulation.resolution().boundary_count as usize;
    let mut pushed = 0.0;
    let samples = 200;
    for _ in 0..samples {
        steps(&mut simulation, 10);
        let reactions: Vec<[f32; 4]> = read_buffer(&gpu(), simulation.boundary_reactions().unwrap(), count).unwrap();
        pushed += reactions.iter().map(|reaction| f64::from(reaction[1])).sum::<f64>() / f64::from(samples);
    }
    let weight = f64::from(fluid) * 9.81;
    assert!((pushed / weight + 1.0).abs() < 0.1, "{pushed} of {weight}");
}

#[test]
fn terms_that_need_a_density_are_left_out() {
    let scene = Scene::load("dam_break").unwrap();
    let mut settings = Settings { size: Size::Count(500), ..settings() };
    let mut simulation = Simulation::new(&gpu(), &scene, &settings).unwrap();
    steps(&mut simulation, 2);
    settings.edits.solver = Some(Solver::named("repulsion").unwrap());
    simulation.change(&settings).unwrap();
    let resolution = simulation.resolution();
    assert_eq!(
        (simulation.step_count(), resolution.spacing),
        (0, resolution.support_radius),
        "the particles must be on a new lattice"
    );
    steps(&mut simulation, 2);
    let frame = simulation.observe().unwrap();
    let columns = simulation.scene().probe_columns();
    let readings = simulation.readings(&frame).unwrap();
    assert_eq!(columns.len(), readings.len());
    assert!(readings[..5].iter().all(Option::is_some) && readings[5].is_none(), "{readings:?}");
    let field = |name| ColorFieldInfo::by_argument(COLOR_FIELDS, name).unwrap();
    assert_eq!(shown_field(field("density"), simulation.scene()), field("neighbor-count"));
    assert_eq!(shown_field(field("density"), &scene), field("density"));
    assert_eq!(shown_field(field("pressure"), simulation.scene()), field("pressure"));
}
