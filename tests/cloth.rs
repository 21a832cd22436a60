//! Cloths: springs, contacts and water.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod common;

use common::gpu;
use glam::{DVec3, Vec3};
use nearwater::fluid::{
    Block, Boundary, Cloth, Continuation, Pin, SavedState, Scene, SceneEdits, Settings, Simulation, Size,
    SmoothingKernel, Solver, SolverSettings,
};
use nearwater::gpu::read_buffer;
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{SearchOptions, search_named};

const SPACING: f32 = 0.05;

fn settings() -> Settings {
    Settings {
        search: search_named("green").unwrap(),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Radius(2.2 * SPACING),
        seed: 5,
        edits: SceneEdits::default(),
    }
}

/// A horizontal cloth with edges of one meter in the center of a box of two.
fn cloth() -> Cloth {
    let text = "(corner: (0.5, 1.0, 0.5), along: (1.0, 0.0, 0.0), across: (0.0, 0.0, 1.0), density: 10.0,
        stretch: 400.0, shear: 100.0, bend: 20.0)";
    ron::from_str(text).unwrap()
}

fn scene(cloths: Vec<Cloth>) -> Scene {
    let mut scene = Scene::load("drop").unwrap();
    (scene.low, scene.high) = (Vec3::ZERO, Vec3::splat(2.0));
    scene.blocks.clear();
    scene.solids = cloths.into();
    scene
}

fn block(low: Vec3, high: Vec3) -> Block {
    Block::at_rest(low, high)
}

fn simulation(scene: &Scene) -> Simulation {
    Simulation::new(&gpu(), scene, &settings()).unwrap_or_else(|error| panic!("{error}"))
}

fn steps(simulation: &mut Simulation, count: u64) {
    for batch in (0..count).step_by(50) {
        gpu().submit(|encoder| (batch..count.min(batch + 50)).for_each(|_| simulation.record_step(encoder, None)));
        gpu().wait().unwrap();
    }
}

fn seconds(simulation: &mut Simulation, seconds: f32) {
    steps(simulation, (seconds / simulation.resolution().time_step).ceil() as u64);
}

/// Positions and velocities in the original order: those of the fluid, then those of the cloths.
fn state(simulation: &Simulation) -> [(Vec<Vec3>, Vec<Vec3>); 2] {
    let particles = simulation.particles();
    let count = particles.count as usize;
    let positions: Vec<[f32; 4]> = read_buffer(&gpu(), particles.positions, count).unwrap();
    let velocities: Vec<[f32; 4]> = read_buffer(&gpu(), particles.velocities, count).unwrap();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&place| velocities[place][3].to_bits());
    assert!((0..).zip(&order).all(|(original, &place)| velocities[place][3].to_bits() == original));
    let fluid = ..particles.fluid_count as usize;
    let cloth = count - simulation.resolution().cloth_count as usize..;
    let xyz = |values: &[[f32; 4]], order: &[usize]| -> Vec<Vec3> {
        order.iter().map(|&place| Vec3::from_slice(&values[place][..3])).collect()
    };
    let of = |order: &[usize]| (xyz(&positions, order), xyz(&velocities, order));
    [of(&order[fluid]), of(&order[cloth])]
}

/// The positions that a renderer reads.
fn drawn(simulation: &Simulation) -> Vec<Vec3> {
    let of = |view: nearwater::fluid::solids::SheetView<'_>| {
        let (first, count) = (view.first as usize, (view.columns * view.rows) as usize);
        let all: Vec<[f32; 4]> = read_buffer(&gpu(), view.positions, first + count).unwrap();
        all[first..].iter().map(|position| Vec3::from_slice(&position[..3])).collect::<Vec<_>>()
    };
    simulation.sheets().flat_map(of).collect()
}

/// Mass of a particle of the only cloth, kg.
fn cloth_mass(simulation: &Simulation) -> f64 {
    let cloth = &simulation.scene().solids.of::<Cloth>()[0];
    f64::from(cloth.density * cloth.along.cross(cloth.across).length()) / f64::from(simulation.resolution().cloth_count)
        * simulation.scene().solids.of::<Cloth>().len() as f64
}

/// Total momentum and the sum of the magnitudes of its parts, kg m/s.
fn momentum(simulation: &Simulation) -> (DVec3, f64) {
    let masses = [f64::from(simulation.resolution().particle_mass), cloth_mass(simulation)];
    let parts = state(simulation);
    let parts = masses
        .iter()
        .zip(&parts)
        .flat_map(|(&mass, (_, velocities))| velocities.iter().map(move |velocity| mass * velocity.as_dvec3()));
    parts.fold((DVec3::ZERO, 0.0), |(sum, size), part| (sum + part, size + part.length()))
}

#[test]
fn the_momentum_of_water_and_a_free_cloth_is_conserved() {
    for (solver, bound) in [(Solver::named("wcsph").unwrap(), 2e-6), (Solver::named("pbf").unwrap(), 3e-4)] {
        let mut scene = scene(vec![Cloth { density: 60.0, ..cloth() }]);
        scene.gravity = Vec3::ZERO;
        scene.solver = solver;
        scene.solver_settings = SolverSettings::parsed(&["pbf.substeps=4", "pbf.iterations=3"]).unwrap();
        scene.blocks = vec![block(Vec3::new(0.8, 1.05, 0.8), Vec3::new(1.2, 1.3, 1.2))];
        scene.blocks[0].velocity = Vec3::new(0.3, -1.0, 0.1);
        let mut simulation = simulation(&scene);
        let (before, _) = momentum(&simulation);
        seconds(&mut simulation, 0.2);
        let (after, size) = momentum(&simulation);
        let [_, (_, velocities)] = state(&simulation);
        let fastest = velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max);
        assert!(fastest > 0.1, "{solver:?}: the water has not moved the cloth");
        let drift = (after - before).length() / size;
        println!("{solver:?}: momentum drifts by {drift:.1e}");
        assert!(drift < bound, "{solver:?}: momentum drifts by {drift}");
    }
}

#[test]
fn the_momentum_of_colliding_cloths_is_conserved_and_they_stay_apart() {
    let falling = Cloth { velocity: Vec3::new(0.2, -1.5, 0.0), ..cloth() };
    let lower = Cloth { corner: Vec3::new(0.63, 0.8, 0.42), ..cloth() };
    let mut scene = scene(vec![falling, lower]);
    scene.gravity = Vec3::ZERO;
    let mut simulation = simulation(&scene);
    let (before, _) = momentum(&simulation);
    let half = simulation.resolution().cloth_count as usize / 2;
    for _ in 0..5 {
        seconds(&mut simulation, 0.06);
        let [_, (positions, _)] = state(&simulation);
        let (upper, lower) = positions.split_at(half);
        let distance = |place: &Vec3| lower.iter().map(|other| other.distance(*place)).fold(f32::MAX, f32::min);
        let nearest = upper.iter().map(distance).fold(f32::MAX, f32::min);
        assert!(nearest > 0.4 * SPACING, "{nearest} m apart");
    }
    let [_, (positions, velocities)] = state(&simulation);
    let mean = |values: &[Vec3]| values.iter().copied().sum::<Vec3>() / values.len() as f32;
    assert!(mean(&positions[..half]).y > mean(&positions[half..]).y, "one fell through the other");
    assert!(mean(&velocities[half..]).y < -0.5, "the lower cloth was hardly pushed");
    let (after, size) = momentum(&simulation);
    let drift = (after - before).length() / size;
    assert!(drift < 2e-6, "momentum drifts by {drift}");
}

/// Without water, in steps of PBF, which are the longest.
fn dry(mut cloth: Cloth, pinned: Vec<Pin>) -> Scene {
    cloth.pinned = pinned;
    let mut scene = scene(vec![cloth]);
    scene.solver = Solver::named("pbf").unwrap();
    scene.solver_settings = SolverSettings::parsed(&["pbf.iterations=1"]).unwrap();
    scene
}

#[test]
fn a_hanging_cloth_stretches_under_its_weight() {
    let hung = Cloth {
        corner: Vec3::new(0.9, 1.5, 1.0),
        along: Vec3::new(0.2, 0.0, 0.0),
        across: Vec3::new(0.0, -0.5, 0.0),
        counts: Some((5, 11)),
        density: 0.5,
        stretch: 25.0,
        shear: 0.0,
        bend: 0.0,
        drag: 10.0,
        ..cloth()
    };
    let mut simulation = simulation(&dry(hung, vec![Pin::Near]));
    let start = drawn(&simulation);
    seconds(&mut simulation, 1.5);
    let [_, (positions, velocities)] = state(&simulation);
    assert_eq!(positions, drawn(&simulation), "the drawn positions must be the simulated ones");
    assert_eq!(positions[..5], start[..5], "the held edge has moved");
    let fastest = velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max);
    assert!(fastest < 1e-3, "it still moves at {fastest} m/s");
    // A row carries all rows below it: each of its springs carries m g times their number.
    let mass = cloth_mass(&simulation);
    let longer: f64 = (1..11).map(|row| mass * 9.81 * f64::from(11 - row) / 25.0).sum();
    let found = f64::from(start[52].y - positions[52].y);
    println!("{found:.5} m longer, by the springs' law {longer:.5} m");
    assert!((found / longer - 1.0).abs() < 0.01, "{found} m longer, not {longer}");
}

#[test]
fn a_cloth_held_at_its_corners_comes_to_rest_at_minimal_energy() {
    let held = Cloth { counts: Some((13, 13)), density: 0.5, stretch: 60.0, damping: 0.5, drag: 5.0, ..cloth() };
    let mut simulation = simulation(&dry(held.clone(), vec![Pin::Corners]));
    let start = drawn(&simulation);
    seconds(&mut simulation, 2.5);
    let [_, (positions, velocities)] = state(&simulation);
    for corner in [0, 12, 156, 168] {
        assert_eq!(positions[corner], start[corner], "a corner has moved");
    }
    let fastest = velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max);
    assert!(fastest < 5e-3, "it still moves at {fastest} m/s");
    let sag = start[84].y - positions[84].y;
    assert!((0.1..0.6).contains(&sag), "{sag} m");
    // The energy of springs and weight, computed independently of the shader: its gradient vanishes at every particle.
    let mass = cloth_mass(&simulation);
    let energy = |places: &[DVec3]| -> f64 {
        let springs = [(1, 0, held.stretch), (0, 1, held.stretch), (1, 1, held.shear), (1, -1, held.shear)];
        let springs = springs.into_iter().chain([(2, 0, held.bend), (0, 2, held.bend)]);
        let mut energy: f64 = places.iter().map(|place| mass * 9.81 * place.y).sum();
        for (right, down, stiffness) in springs {
            let rest = f64::from(right * right + down * down).sqrt() / 12.0;
            for row in 0..13_i32 {
                for column in 0..13_i32 {
                    let (other_row, other_column) = (row + down, column + right);
                    if (0..13).contains(&other_row) && (0..13).contains(&other_column) {
                        let [a, b] =
                            [(row, column), (other_row, other_column)].map(|(r, c)| places[(13 * r + c) as usize]);
                        energy += 0.5 * f64::from(stiffness) * (a.distance(b) - rest).powi(2);
                    }
                }
            }
        }
        energy
    };
    let places: Vec<DVec3> = positions.iter().map(|position| position.as_dvec3()).collect();
    let least = energy(&places);
    let level: Vec<DVec3> = start.iter().map(|position| position.as_dvec3()).collect();
    assert!(least < energy(&level) - 0.1, "{least} J");
    for number in [84, 40, 6, 100] {
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let moved = |by: f64| {
                let mut moved = places.clone();
                moved[number] += by * axis;
                energy(&moved)
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!(slope.abs() < 0.05 * mass * 9.81 * 13.0, "particle {number} is pulled with {slope} N");
        }
    }
}

#[test]
fn a_cloth_falls_over_a_ball_and_never_into_it() {
    const RADIUS: f32 = 0.4;
    let center = Vec3::new(1.0, 0.6, 1.0);
    let mut scene = scene(vec![Cloth { corner: Vec3::new(0.3, 1.15, 0.3), ..cloth() }]);
    scene.solids.of_mut::<Cloth>()[0].along *= 1.4;
    scene.solids.of_mut::<Cloth>()[0].across *= 1.4;
    scene.solids.set(vec![Boundary::Sphere { center, radius: RADIUS }]);
    let mut simulation = simulation(&scene);
    for _ in 0..8 {
        seconds(&mut simulation, 0.08);
        let [_, (positions, velocities)] = state(&simulation);
        assert!(velocities.iter().all(|velocity| velocity.length() < 10.0), "the cloth was thrown around");
        let nearest = positions.iter().map(|position| position.distance(center)).fold(f32::MAX, f32::min);
        assert!(nearest > RADIUS - 0.5 * SPACING, "{} m into the ball", RADIUS - nearest);
    }
    let [_, (positions, _)] = state(&simulation);
    let highest = positions.iter().map(|position| position.y).fold(0.0, f32::max);
    let lowest = positions.iter().map(|position| position.y).fold(f32::MAX, f32::min);
    assert!((highest - 1.0).abs() < 1.5 * SPACING, "its top is at {highest} m, and the ball's at 1");
    assert!(lowest < 0.5, "it hangs down to {lowest} m only");
}

/// Water on a strong cloth whose edges are held.
fn full() -> Scene {
    let pinned = vec![Pin::Near, Pin::Far, Pin::Left, Pin::Right];
    let mut scene = scene(vec![Cloth { pinned, stretch: 4000.0, shear: 1000.0, ..cloth() }]);
    scene.blocks = vec![block(Vec3::new(0.75, 1.05, 0.75), Vec3::new(1.25, 1.3, 1.25))];
    scene
}

#[test]
fn a_cloth_holds_water() {
    let mut simulation = simulation(&full());
    seconds(&mut simulation, 0.5);
    let [(water, _), (cloth, _)] = state(&simulation);
    let lowest = cloth.iter().map(|position| position.y).fold(f32::MAX, f32::min);
    assert!(lowest < 0.99, "the water does not weigh on it");
    let leaked = water.iter().filter(|position| position.y < lowest - 0.5 * SPACING).count();
    assert_eq!(leaked, 0, "of {}", water.len());
    assert!(water.iter().all(|position| position.is_finite()));
}

/// Water that is ten times heavier than the cloth it falls into stretches it by half, which leaves the cloth little
/// mass beside each particle of water.
#[test]
fn water_does_not_throw_a_light_cloth_away() {
    let scene = Scene::load("bayraktar_cloth").unwrap();
    let size = Size::Count(1_000);
    let mut simulation = Simulation::new(&gpu(), &scene, &Settings { size, ..settings() }).unwrap();
    seconds(&mut simulation, 0.62);
    let [water, cloth] = state(&simulation);
    for (places, velocities) in [water, cloth] {
        assert!(places.iter().all(|place| place.is_finite()));
        let fastest = velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max);
        // It is 202 m/s if the water takes all of the change of velocity, and the energy of the fall allows 5.5.
        assert!(fastest < 15.0, "{fastest} m/s");
    }
}

#[test]
fn cloth_and_water_move_the_same_with_every_search() {
    let mut reference: Option<Vec<Vec3>> = None;
    let mut scene = full();
    scene.blocks = vec![block(Vec3::new(0.85, 1.05, 0.85), Vec3::new(1.15, 1.2, 1.15))];
    scene.solids.of_mut().push(Cloth { velocity: Vec3::Y, ..cloth() });
    for (cloth, corner) in
        scene.solids.of_mut::<Cloth>().iter_mut().zip([Vec3::new(0.8, 1.0, 0.8), Vec3::new(0.85, 0.97, 0.82)])
    {
        cloth.corner = corner;
        (cloth.along, cloth.across) = (0.4 * cloth.along, 0.4 * cloth.across);
    }
    for SearchConfiguration { search, options, .. } in SearchConfiguration::all_in_steps() {
        let mut simulation = Simulation::new(&gpu(), &scene, &Settings { search, options, ..settings() }).unwrap();
        steps(&mut simulation, 12);
        let [(water, _), (cloth, _)] = state(&simulation);
        let found = [water, cloth].concat();
        let reference = reference.get_or_insert_with(|| found.clone());
        let off = found.iter().zip(&*reference).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(off < 1e-3 * SPACING, "{}: {off} m off", search.name);
    }
}

#[test]
fn a_run_resumes_from_a_state_bit_for_bit() {
    for solver in Solver::all() {
        let mut scene = full();
        scene.solids.of_mut::<Cloth>()[0].density = 60.0;
        scene.solver = solver;
        scene.solver_settings = SolverSettings::parsed(&["repulsion.mass=0.1", "repulsion.radius_ratio=2.2"]).unwrap();
        let mut whole = simulation(&scene);
        steps(&mut whole, 15);
        let state_then = whole.save_state().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cloth.state");
        state_then.write(&file).unwrap();
        steps(&mut whole, 15);
        let mut second = simulation(&scene);
        steps(&mut second, 3);
        assert_eq!(second.load_state(&SavedState::read(&file).unwrap()).unwrap(), Continuation::Exact);
        let [_, (cloth, _)] = state(&second);
        assert_eq!(drawn(&second), cloth, "the drawn positions must be those of the loaded state");
        steps(&mut second, 15);
        assert_eq!(state(&second), state(&whole), "{solver:?}");
        assert_eq!(drawn(&second), drawn(&whole), "{solver:?}");
        assert!(drawn(&second) != cloth, "nothing moved");
        whole.reset().unwrap();
        assert_eq!(drawn(&whole), drawn(&simulation(&scene)), "a reset must restore the start");
    }
}

#[test]
fn another_search_or_solver_leaves_the_cloth_where_it_is() {
    let mut simulation = simulation(&full());
    steps(&mut simulation, 20);
    let before = drawn(&simulation);
    let mut changed = settings();
    changed.search = search_named("hoetzlein").unwrap();
    simulation.change(&changed).unwrap();
    assert_eq!(drawn(&simulation), before);
    changed.edits.solver = Some(Solver::named("pbf").unwrap());
    let refusal = simulation.change(&changed).unwrap_err().to_string();
    assert!(refusal.contains("cloths[0].density") && refusal.contains("50.000 kg/m²"), "{refusal}");
    steps(&mut simulation, 20);
    assert_ne!(drawn(&simulation), before);
}

#[test]
fn invalid_cloths_are_refused_with_a_message() {
    let refusal = |edit: &dyn Fn(&mut Scene)| {
        let mut scene = full();
        edit(&mut scene);
        Simulation::new(&gpu(), &scene, &settings()).err().expect("the cloth is invalid").to_string()
    };
    let of_cloth =
        |edit: &dyn Fn(&mut Cloth)| refusal(&|scene: &mut Scene| edit(&mut scene.solids.of_mut::<Cloth>()[0]));
    let cases: Vec<(String, &[&str])> = vec![
        (of_cloth(&|cloth| cloth.corner.x = 1.5), &["cloths[0].corner", "out of the box"]),
        (of_cloth(&|cloth| cloth.corner.x = f32::NAN), &["cloths[0].corner", "finite"]),
        (of_cloth(&|cloth| cloth.across = Vec3::ZERO), &["cloths[0].across", "length"]),
        (of_cloth(&|cloth| cloth.across = cloth.along), &["cloths[0].across", "angle"]),
        (of_cloth(&|cloth| cloth.counts = Some((1, 5))), &["cloths[0].counts", "2"]),
        (of_cloth(&|cloth| cloth.density = 0.0), &["cloths[0].density", "is 0"]),
        (of_cloth(&|cloth| cloth.damping = 2.0), &["cloths[0].damping", "critical"]),
        (of_cloth(&|cloth| cloth.thickness = Some(0.5)), &["cloths[0].thickness", "0.5 m", "radius"]),
        (of_cloth(&|cloth| cloth.stretch = 1e8), &["cloths[0].stretch", "substeps", "at most", "N/m"]),
        (of_cloth(&|cloth| cloth.pinned = vec![Pin::Point(0.5, 1.5)]), &["cloths[0].pinned[0]", "0 to 1"]),
        (of_cloth(&|cloth| cloth.corner.y = 1.2), &["cloths[0].corner", "blocks[0]"]),
        (refusal(&|scene| scene.blocks[0].low = scene.blocks[0].high), &["blocks[0]"]),
        (
            refusal(&|scene| {
                scene.solids.clear();
                scene.blocks.clear();
            }),
            &["no fluid", "a cloth"],
        ),
    ];
    for (told, parts) in cases {
        assert!(parts.iter().all(|part| told.contains(part)), "{parts:?} are not all in: {told}");
    }
    // The largest value that the message names is accepted.
    let told = of_cloth(&|cloth| cloth.stretch = 1e8);
    let most: f32 = told.split("at most ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let mut scene = full();
    let share = most / 1e8;
    let cloth = &mut scene.solids.of_mut::<Cloth>()[0];
    (cloth.stretch, cloth.shear, cloth.bend) = (most, cloth.shear * share, cloth.bend * share);
    simulation(&scene);
}
