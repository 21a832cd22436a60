//! Jets of emitters: the water that they send and how its layers lie, the force with which they press on a plate, and
//! how they end.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod common;
#[path = "common/fluid_particles.rs"]
mod fluid_particles;

use common::gpu;
use fluid_particles::fluid;
use glam::{Vec3, Vec3Swizzles};
use nearwater::fluid::{Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel};
use nearwater::search::{SearchOptions, search_named};

const SPACING: f32 = 0.025;
/// Speed of the jets, m/s.
const SPEED: f32 = 2.0;
/// x of the disc that they leave, m.
const DISC: f32 = 0.1;
/// The solvers, and the accurate mode of WCSPH.
const SOLVERS: [&str; 4] = ["Wcsph", "Wcsph, wcsph: (accurate: 1)", "Pbf", "Dfsph"];

/// A jet along x in a box 1 m long, without gravity, from a disc with this radius, m.
fn jet(solver: &str, dimensions: u32, radius: f32, more: &str) -> Simulation {
    jet_with("hoetzlein", solver, dimensions, radius, more)
}

fn jet_with(search: &str, solver: &str, dimensions: u32, radius: f32, more: &str) -> Simulation {
    let text = format!(
        "(title: \"\", description: \"\", low: (0.0, 0.0, -0.5), high: (1.0, 1.4, 0.5), gravity: (0.0, 0.0, 0.0),
        blocks: [], dimensions: {dimensions}, solver: {solver}, {more}
        emitters: [(center: ({DISC}, 0.7, 0.0), radius: {radius}, velocity: ({SPEED:?}, 0.0, 0.0))],
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.05, radius_ratio: 2.6))"
    );
    let scene = Scene::parse("jet.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    let settings = Settings {
        search: search_named(search).unwrap(),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Radius(2.6 * SPACING),
        seed: 7,
        edits: SceneEdits::default(),
    };
    Simulation::new(&gpu(), &scene, &settings).unwrap_or_else(|error| panic!("{error}"))
}

fn run_to(simulation: &mut Simulation, time: f64) {
    while simulation.time() < time {
        gpu().submit(|encoder| (0..10).for_each(|_| simulation.record_step(encoder, None)));
        gpu().wait().unwrap();
    }
}

/// The places of the particles that have left the reservoir, m.
fn sent(simulation: &Simulation) -> Vec<Vec3> {
    fluid(simulation).into_iter().map(|(position, _)| position).filter(|position| position.x <= 1.0).collect()
}

#[test]
fn a_jet_presses_on_a_plate_with_its_momentum() {
    // 0.2 m of water at 2 m/s, which leaves along the plate, N/m.
    const EXPECTED: f64 = 800.0;
    const PLATE: &str = "reservoir: 0.7, boundaries: [Box(low: (0.7, 0.2, -0.5), high: (0.8, 1.2, 0.5))],
        drains: [(low: (0.0, 0.0, -0.5), high: (1.0, 0.1, 0.5)), (low: (0.0, 1.3, -0.5), high: (1.0, 1.4, 0.5))],
        probes: [Force(name: \"plate\", on: \"boundaries[0]\", mean_over: 0.5)],";
    for solver in SOLVERS {
        let mut simulation = jet(solver, 2, 0.1, PLATE);
        run_to(&mut simulation, 0.8);
        // The probe takes its mean over the steps that it sees.
        let mut sum = 0.0;
        for number in 1..=50 {
            run_to(&mut simulation, 0.8 + 0.01 * f64::from(number));
            sum += simulation.readings(&simulation.observe().unwrap()).unwrap()[0].expect("a reading");
        }
        let force = sum / 50.0;
        let rear = sent(&simulation).iter().map(|place| place.x).fold(1.0, f32::min);
        println!("{solver}: {force:.0} of {EXPECTED} N/m; the rearmost particle at {rear} m");
        // From run to run the mean over half a second differs by up to 7 %.
        assert!((force / EXPECTED - 1.0).abs() < 0.15, "{solver}: {force} N/m");
        assert!(rear > DISC - 2.0 * SPACING, "{solver}: a particle at {rear} m, behind the disc at {DISC} m");
    }
}

#[test]
fn a_jet_sends_the_volume_of_its_disc() {
    for (dimensions, spacings, allowed) in
        [(2, 4.0, 0.01), (2, 2.5, 0.01), (2, 3.2, 0.07), (3, 3.2, 0.01), (3, 4.0, 0.01), (3, 2.0, 0.04)]
    {
        let mut simulation = jet("Dfsph", dimensions, spacings * SPACING, "reservoir: 0.2,");
        run_to(&mut simulation, 0.2);
        let layers = (simulation.time() * f64::from(SPEED / SPACING)).round();
        let area = if dimensions == 2 { 2.0 * spacings } else { std::f32::consts::PI * spacings * spacings };
        let (sent, expected) = (sent(&simulation).len() as f64, layers * f64::from(area));
        println!("{dimensions} dimensions, {spacings} spacings: {sent} of {expected}");
        // A layer may be about to leave.
        let off = ((sent - expected).abs() - f64::from(area)).max(0.0);
        assert!(off < allowed * expected, "{dimensions} dimensions, {spacings} spacings: {sent} of {expected}");
    }
}

#[test]
fn a_jet_ends_in_a_whole_layer_when_the_reservoir_is_empty() {
    // Eight particles in a layer, and room for 60.
    let mut simulation = jet("Dfsph", 2, 4.0 * SPACING, "reservoir: 0.0375,");
    assert_eq!(simulation.resolution().reservoir_count, 60);
    run_to(&mut simulation, 0.3);
    assert_eq!(sent(&simulation).len(), 56);
}

/// How many of the others are at most a tenth of a spacing from a particle where it is seen along the jet, for every
/// particle, divided by the number of layers.
fn behind_each_other(sent: &[Vec3], layers: usize) -> f64 {
    let is_behind = |a: &Vec3, b: &Vec3| a.yz().distance(b.yz()) < 0.1 * SPACING;
    let pairs: usize = sent.iter().map(|a| sent.iter().filter(|b| is_behind(a, b)).count() - 1).sum();
    pairs as f64 / (sent.len() * layers) as f64
}

#[test]
fn the_layers_of_a_jet_do_not_lie_behind_each_other() {
    // Of particles that are spread evenly, 0.2 and 0.01 π are within a tenth of a spacing.
    for (dimensions, spacings, most) in [(2, 4.0, 0.35), (2, 3.2, 0.35), (3, 4.0, 0.06), (3, 2.5, 0.06)] {
        for solver in SOLVERS {
            let mut simulation = jet(solver, dimensions, spacings * SPACING, "reservoir: 0.2,");
            run_to(&mut simulation, 0.3);
            let sent = sent(&simulation);
            let layers = (simulation.time() * f64::from(SPEED / SPACING)) as usize;
            let behind = behind_each_other(&sent, layers);
            let apart = |a: &Vec3| sent.iter().filter(|b| a != *b).map(|b| a.distance(*b)).fold(1.0, f32::min);
            let nearest = sent.iter().map(apart).fold(1.0, f32::min) / SPACING;
            let what = format!("{solver}, {dimensions} dimensions, {spacings} spacings");
            println!("{what}: {behind:.3} of {layers} layers, nearest {nearest:.3} spacings");
            assert!(layers > 20 && behind < most, "{what}: {behind} of the layers");
            // Layers are sent a spacing apart. DFSPH draws the particles of a layer together by up to 10 %, as it does
            // where all layers are the same.
            assert!(nearest > 0.85, "{what}: two particles are {nearest} spacings apart");
        }
    }
}

#[test]
fn a_jet_resumes_from_a_state_with_the_layer_that_is_next() {
    // This search sums in an order that does not vary.
    let begun = || jet_with("green", "Dfsph", 3, 2.5 * SPACING, "reservoir: 0.05,");
    let (mut whole, mut resumed) = (begun(), begun());
    run_to(&mut whole, 0.1);
    resumed.load_state(&whole.save_state().unwrap()).unwrap();
    run_to(&mut whole, 0.2);
    run_to(&mut resumed, 0.2);
    assert!(sent(&whole).len() > 200, "{} particles", sent(&whole).len());
    assert!(sent(&whole) == sent(&resumed), "the jets differ");
}

#[test]
fn a_jet_beside_a_solid_sends_no_water_into_it() {
    // A plate under the jet that covers a part of its disc.
    const PLATE: &str = "reservoir: 0.2, boundaries: [Box(low: (0.0, 0.6, -0.5), high: (0.5, 0.65, 0.5))],";
    let mut simulation = jet("Dfsph", 3, 4.0 * SPACING, PLATE);
    let all = std::f64::consts::PI * 16.0;
    for _ in 0..10 {
        let time = simulation.time();
        run_to(&mut simulation, time + 0.01);
        let sent = sent(&simulation);
        // Farther on, particles that touch the plate may sink into it a little.
        let new = sent.iter().filter(|place| place.x < DISC + 2.0 * SPACING);
        let lowest = new.map(|place| place.y).fold(1.0, f32::min);
        assert!(lowest > 0.65, "a particle at {lowest} m, in the plate");
        let layers = simulation.time() * f64::from(SPEED / SPACING) + 1.0;
        let share = sent.len() as f64 / layers / all;
        assert!((0.5..0.85).contains(&share), "{share} of the disc");
    }
}
