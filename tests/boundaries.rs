//! Boundaries on the device: the load that they bear, that no water enters them, and that their forces on the water are
//! opposite to the water's on them.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod altered;
mod common;
mod tank;

use std::path::Path;
use std::sync::Arc;

use common::gpu;
use glam::{DVec3, Vec3, Vec3Swizzles as _};
use nearwater::fluid::{
    Boundary, Dimensions, Drain, Emitter, Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver,
    Survey,
};
use nearwater::gpu::{AdapterClass, read_buffer};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{SearchOptions, search_named};
use tank::water_tank;

/// The tank with water in `block` and with `boundaries`.
fn tank(solver: Solver, block: (Vec3, Vec3), boundaries: Vec<Boundary>) -> Scene {
    Scene { solids: boundaries.into(), ..water_tank(solver, block) }
}

fn settings(spacing: f32) -> Settings {
    Settings {
        search: search_named("hoetzlein").unwrap(),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Radius(2.2 * spacing),
        seed: 7,
        edits: SceneEdits::default(),
    }
}

/// A particle, by its original index.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Particle {
    position: Vec3,
    velocity: Vec3,
    density: f32,
}

/// The fluid's particles and the boundary's particles.
fn particles(simulation: &Simulation) -> (Vec<Particle>, Vec<Particle>) {
    let buffers = simulation.particles();
    let count = buffers.count as usize;
    let positions: Vec<[f32; 4]> = read_buffer(&gpu(), buffers.positions, count).unwrap();
    let velocities: Vec<[f32; 4]> = read_buffer(&gpu(), buffers.velocities, count).unwrap();
    let densities: Vec<[f32; 2]> = read_buffer(&gpu(), buffers.densities, count).unwrap();
    let mut found = vec![None; count];
    for ((position, velocity), density) in positions.iter().zip(&velocities).zip(&densities) {
        let original = velocity[3].to_bits() as usize;
        let [position, velocity] = [position, velocity].map(|values| Vec3::from_slice(&values[..3]));
        assert_eq!(found[original].replace(Particle { position, velocity, density: density[0] }), None);
    }
    let mut fluid: Vec<_> = found.into_iter().map(Option::unwrap).collect();
    let boundary = fluid.split_off(buffers.fluid_count as usize);
    (fluid, boundary)
}

fn run_steps(simulation: &mut Simulation, steps: u64) {
    for _ in (0..steps).step_by(25) {
        gpu().submit(|encoder| (0..25).for_each(|_| simulation.record_step(encoder, None)));
        gpu().wait().unwrap();
    }
}

fn survey(simulation: &mut Simulation) -> Survey {
    gpu().submit(|encoder| {
        simulation.record_densities(encoder, None);
        simulation.record_survey(encoder);
    });
    gpu().wait().unwrap();
    // The thread of another test may be polling the device and may not have finished yet.
    loop {
        if let Some(survey) = simulation.take_survey() {
            return survey;
        }
        std::thread::yield_now();
    }
}

/// A slab over the entire floor.
fn slab(height: f32) -> Boundary {
    Boundary::Box { low: Vec3::ZERO, high: Vec3::new(1.0, height, 1.0) }
}

#[test]
fn water_on_a_slab_has_the_rest_density_and_is_left_out_inside_it() {
    let spacing = 0.1_f32;
    let scene = tank(Solver::named("wcsph").unwrap(), (Vec3::ZERO, Vec3::new(1.0, 0.9, 1.0)), vec![slab(0.3)]);
    let mut simulation = Simulation::new(&gpu(), &scene, &settings(spacing)).unwrap();
    let resolution = *simulation.resolution();
    assert_eq!(resolution.particle_count, 600);
    let notices = simulation.notices();
    assert!(notices.len() == 1 && notices[0].starts_with("300 of the 900 particles"), "{notices:?}");
    survey(&mut simulation);
    let (fluid, boundary) = particles(&simulation);
    assert_eq!(boundary.len(), resolution.boundary_count as usize);
    let mut seen = 0;
    for particle in &fluid {
        assert!(particle.position.y > 0.34, "a particle in the slab at {}", particle.position);
        let at_wall = (particle.position.xz() - 0.5).abs().max_element() > 0.3;
        if particle.position.y < 0.4 && !at_wall {
            seen += 1;
            // The lattice is jittered by a hundredth of a spacing.
            assert!((particle.density / 1000.0 - 1.0).abs() < 0.01, "{particle:?}");
        }
    }
    assert_eq!(seen, 36);
}

#[test]
fn water_and_boundaries_move_the_same_with_every_search() {
    // DFSPH and PBF with several stages of viscosity, PBF also with the single one of its first correction.
    let named = |name| Solver::named(name).unwrap();
    let solvers = [("wcsph", 0.0), ("pbf", 0.0), ("pbf", 1.0), ("dfsph", 1.0)];
    assert!(Solver::fluids().all(|solver| solvers.iter().any(|(name, _)| named(name) == solver)));
    for (solver, viscosity) in solvers.map(|(name, viscosity)| (named(name), viscosity)) {
        let sphere = Boundary::Sphere { center: Vec3::new(0.5, 0.2, 0.5), radius: 0.25 };
        let mut scene = tank(solver, (Vec3::ZERO, Vec3::new(1.0, 0.7, 1.0)), vec![sphere]);
        scene.material.xsph = 0.1;
        scene.material.surface_tension = if solver == Solver::named("wcsph").unwrap() { 10.0 } else { 0.0 };
        if solver == Solver::named("pbf").unwrap() {
            scene.solver_settings.parse("pbf.vorticity=0.1").unwrap();
        }
        scene.material.kinematic_viscosity = viscosity;
        let mut first: Option<(Vec<Particle>, Vec<Particle>, u64)> = None;
        // With PBF, one configuration of each search, and the one that serves both particles of a pair.
        let all = SearchConfiguration::all_in_steps().into_iter().filter(|configuration| {
            let is_usual = configuration.is_usual() || configuration.search.name == "brute_force";
            solver == Solver::named("wcsph").unwrap() || is_usual
        });
        for SearchConfiguration { search, options } in all {
            let settings = Settings { search, options: options.clone(), ..settings(0.125) };
            let mut simulation = Simulation::new(&gpu(), &scene, &settings).unwrap();
            gpu().submit(|encoder| (0..3).for_each(|_| simulation.record_step(encoder, None)));
            let survey = survey(&mut simulation);
            let (fluid, boundary) = particles(&simulation);
            let name = format!("{solver:?} {} {options:?}", search.name);
            assert!(survey.mean_density > 500.0 && survey.highest_speed > 1e-3 && survey.not_finite == 0, "{name}");
            let Some((expected, expected_boundary, pairs)) = &first else {
                first = Some((fluid, boundary, survey.pairs.neighbors));
                continue;
            };
            assert_eq!(survey.pairs.neighbors, *pairs, "{name}");
            assert_eq!(boundary, *expected_boundary, "{name}: the boundary moved");
            for (a, b) in fluid.iter().zip(expected) {
                // The sums are in a different order; pressure amplifies their rounding by a factor of some hundred.
                assert!((a.density / b.density - 1.0).abs() < 1e-4, "{name}: {a:?}, not {b:?}");
                assert!((a.velocity - b.velocity).length() < 2e-3, "{name}: {a:?}, not {b:?}");
            }
        }
    }
}

/// Graphics cards serve the particles near walls in the same pass as the others where neighbors are listed, and
/// software adapters in one of their own.
#[test]
fn water_at_walls_moves_the_same_in_one_pass_and_in_two() {
    let card = altered::altered(|capabilities| capabilities.class = AdapterClass::Discrete);
    for solver in Solver::fluids() {
        let mut scene = tank(solver, (Vec3::ZERO, Vec3::new(0.5, 0.9, 1.0)), Vec::new());
        scene.material.viscosity = 0.1;
        let found = [gpu(), Arc::clone(&card)].map(|gpu| {
            let mut simulation = Simulation::new(&gpu, &scene, &settings(0.1)).unwrap();
            let near_walls = simulation.passes().filter(|pass| pass.label == "near walls").count();
            assert_eq!(near_walls > 0, gpu.capabilities.class == AdapterClass::Software, "{solver:?}");
            gpu.submit(|encoder| (0..5).for_each(|_| simulation.record_step(encoder, None)));
            simulation.observe().unwrap()
        });
        let [two, one] = &found;
        assert!(
            two.velocities.iter().any(|velocity| Vec3::from(*velocity).length() > 0.02),
            "{solver:?}: nothing moves"
        );
        for (a, b) in two.velocities.iter().zip(&one.velocities) {
            assert!(Vec3::from(*a).distance(Vec3::from(*b)) < 1e-4, "{solver:?}: {a:?}, not {b:?}");
        }
    }
}

#[test]
fn forces_between_boundary_and_water_are_opposite() {
    // DFSPH and PBF also with several stages of viscosity.
    let thick = ["dfsph", "pbf"].map(|name| (Solver::named(name).unwrap(), 1.0));
    for (solver, viscosity) in Solver::fluids().map(|solver| (solver, 0.0)).chain(thick) {
        let sphere = Boundary::Sphere { center: Vec3::splat(0.5), radius: 0.15 };
        let mut scene = tank(solver, (Vec3::splat(0.2), Vec3::splat(0.8)), vec![sphere]);
        scene.material.kinematic_viscosity = viscosity;
        // Far from all walls, and thrown against the sphere.
        scene.gravity = Vec3::ZERO;
        (scene.low, scene.high) = (Vec3::splat(-3.0), Vec3::splat(4.0));
        scene.blocks[0].velocity = Vec3::new(0.7, -0.4, 0.2);
        let mut simulation = Simulation::new(&gpu(), &scene, &settings(0.05)).unwrap();
        let time_step = f64::from(simulation.resolution().time_step);
        let count = simulation.resolution().boundary_count as usize;
        let momentum = |simulation: &Simulation| -> DVec3 {
            particles(simulation).0.iter().map(|particle| particle.velocity.as_dvec3()).sum()
        };
        let (mut taken, mut exchanged) = (DVec3::ZERO, 0.0);
        let before = momentum(&simulation);
        for _ in 0..20 {
            gpu().submit(|encoder| simulation.record_step(encoder, None));
            let reactions: Vec<[f32; 4]> =
                read_buffer(&gpu(), simulation.boundary_reactions().unwrap(), count).unwrap();
            for reaction in reactions {
                let reaction = time_step * Vec3::from_slice(&reaction[..3]).as_dvec3();
                taken += reaction;
                exchanged += reaction.length();
            }
        }
        let kept = momentum(&simulation) + taken - before;
        println!("{}: {:e} of {exchanged} m/s lost", solver.name(), kept.length() / exchanged);
        assert!(exchanged > 10.0, "{}: the boundary exerted no force", solver.name());
        // Velocities of 1 m/s of 1,700 particles, rounded to 6e-8 twenty times; those of PBF are differences of
        // positions of about 1 m over a step of 8 ms.
        let bound = if solver == Solver::named("pbf").unwrap() { 3e-4 } else { 1e-6 };
        assert!(kept.length() < bound * exchanged, "{}: {kept} of {exchanged}", solver.name());
    }
}

#[test]
fn water_rests_on_a_slab_as_on_the_floor_and_never_enters() {
    for solver in Solver::fluids() {
        let spacing = 0.1_f32;
        // Released a little above the slab.
        let block = (Vec3::new(0.0, 0.4, 0.0), Vec3::new(1.0, 0.9, 1.0));
        let rest = |boundaries: Vec<Boundary>, floor: f32| {
            let mut scene = tank(solver, block, boundaries);
            scene.low.y = 0.3 - floor;
            let mut simulation = Simulation::new(&gpu(), &scene, &settings(spacing)).unwrap();
            assert_eq!((simulation.resolution().particle_count, simulation.notices().len()), (500, 0));
            let steps = (2.5 / simulation.resolution().time_step) as u64;
            run_steps(&mut simulation, steps);
            let (fluid, _) = particles(&simulation);
            let count = fluid.len() as f64;
            let lowest = fluid.iter().map(|particle| particle.position.y).fold(f32::INFINITY, f32::min);
            let middle = fluid.iter().map(|particle| f64::from(particle.position.y)).sum::<f64>() / count;
            let squares: f64 = fluid.iter().map(|particle| f64::from(particle.velocity.length_squared())).sum();
            (lowest, middle, 0.5 * squares / count)
        };
        let (slab, floor) = (rest(vec![slab(0.3)], 0.3), rest(Vec::new(), 0.0));
        println!("{}: lowest, middle and kinetic energy on a slab {slab:?}, on the floor {floor:?}", solver.name());
        assert!(slab.0 > 0.3, "{}: a particle sank to {}", solver.name(), slab.0);
        // 0.55 in the lattice; compressed by 0.5 %, and rearranged.
        assert!((0.52..0.565).contains(&slab.1), "{}: middle at {}", solver.name(), slab.1);
        assert!(
            (slab.1 - floor.1).abs() < 0.015,
            "{}: middle at {}, and {} on the floor",
            solver.name(),
            slab.1,
            floor.1
        );
        for (kinetic, on) in [(slab.2, "a slab"), (floor.2, "the floor")] {
            // In units of g times half the depth.
            assert!(kinetic < 1e-3 * 9.81 * 0.25, "{} on {on}: {kinetic} m²/s²", solver.name());
        }
    }
}

/// A jet along x without gravity, which a drain at the other end removes.
fn jet(solver: Solver, dimensions: Dimensions) -> Scene {
    let mut scene = tank(solver, (Vec3::ZERO, Vec3::ONE), Vec::new());
    scene.gravity = Vec3::ZERO;
    scene.dimensions = dimensions;
    scene.blocks.clear();
    scene.high.x = 3.0;
    scene.emitters =
        vec![Emitter { center: Vec3::new(0.2, 0.5, 0.5), radius: 0.16, velocity: Vec3::new(2.0, 0.0, 0.0) }];
    scene.drains = vec![Drain { low: Vec3::new(1.2, 0.0, 0.0), high: Vec3::new(3.0, 1.0, 1.0) }];
    scene.reservoir = if dimensions == Dimensions::Two { 1.0 } else { 0.125 };
    scene
}

#[test]
fn an_emitter_emits_at_the_rest_density_and_a_drain_removes_the_water() {
    for (solver, dimensions) in [
        (Solver::named("wcsph").unwrap(), Dimensions::Three),
        (Solver::named("pbf").unwrap(), Dimensions::Three),
        (Solver::named("wcsph").unwrap(), Dimensions::Two),
    ] {
        let name = format!("{} in {dimensions:?} dimensions", solver.name());
        let spacing = 0.05_f32;
        let mut simulation = Simulation::new(&gpu(), &jet(solver, dimensions), &settings(spacing)).unwrap();
        let resolution = *simulation.resolution();
        assert_eq!(
            (resolution.particle_count, resolution.reservoir_count),
            match dimensions {
                Dimensions::Two => (400, 400),
                Dimensions::Three => (1000, 1000),
            }
        );
        assert_eq!(survey(&mut simulation).present, 0, "{name}");
        // A disk of radius 3.2 spacings has room for 32 particles, a line for 6; the drain begins 20 spacings
        // downstream.
        let layer = if dimensions == Dimensions::Two { 6 } else { 32 };
        while simulation.time() < 0.35 {
            run_steps(&mut simulation, 25);
        }
        let health = survey(&mut simulation);
        let layers = simulation.time() * 2.0 / f64::from(spacing);
        let off = f64::from(health.present) / f64::from(layer) - layers;
        assert!(off.abs() <= 1.0, "{name}: {} particles in {layers:.1} layers", health.present);
        let (fluid, _) = particles(&simulation);
        let inside = fluid.iter().filter(|particle| (0.4..0.8).contains(&particle.position.x));
        let middle = inside.filter(|particle| (particle.position.yz() - 0.5).abs().max_element() < 0.03);
        let densities: Vec<f32> = middle.map(|particle| particle.density).collect();
        let mean = densities.iter().sum::<f32>() / densities.len() as f32;
        println!("{name}: {} in the jet, {mean} kg/m³ in its middle", health.present);
        assert!((0.97..1.03).contains(&(mean / 1000.0)), "{name}: {mean} kg/m³");
        assert!((1.9..2.2).contains(&health.highest_speed) && health.outside == 0, "{name}: {health:?}");
        // Twice the time of flight to the drain: as much water leaves as enters, and nothing is lost.
        while simulation.time() < 1.0 {
            run_steps(&mut simulation, 25);
        }
        let health = survey(&mut simulation);
        let full = layer as f32 * 20.0;
        // The remaining pressure accelerates the jet a little.
        assert!((0.75..1.1).contains(&(health.present as f32 / full)), "{name}: {} of {full}", health.present);
        let (fluid, _) = particles(&simulation);
        let mut parked: Vec<_> =
            fluid.iter().map(|particle| particle.position).filter(|position| position.x > 3.0).collect();
        assert_eq!(parked.len() + health.present as usize, fluid.len(), "{name}");
        parked.sort_by(|a, b| a.to_array().partial_cmp(&b.to_array()).unwrap());
        parked.dedup();
        assert_eq!(
            parked.len() + health.present as usize,
            fluid.len(),
            "{name}: two particles are parked at the same place"
        );
    }
}

#[test]
fn the_jet_ends_when_the_reservoir_is_empty() {
    let mut scene = jet(Solver::named("wcsph").unwrap(), Dimensions::Three);
    scene.drains.clear();
    scene.reservoir = 0.0125;
    let mut simulation = Simulation::new(&gpu(), &scene, &settings(0.05)).unwrap();
    assert_eq!(simulation.resolution().particle_count, 100);
    while simulation.time() < 0.3 {
        run_steps(&mut simulation, 25);
    }
    let health = survey(&mut simulation);
    // Three layers of 32; four particles are less than a layer.
    assert_eq!((health.present, health.not_finite, health.outside), (96, 0, 0));
    simulation.reset().unwrap();
    assert_eq!(survey(&mut simulation).present, 0);
}

/// All scenes of the program.
#[test]
fn every_scene_runs_without_loss_or_escape() {
    for name in Scene::names() {
        let scene = Scene::load(name).unwrap();
        for solver in Solver::fluids() {
            let mut settings = Settings { size: Size::Count(700), ..settings(1.0) };
            settings.edits.solver = Some(solver);
            let mut simulation = match Simulation::new(&gpu(), &scene, &settings) {
                Ok(simulation) => simulation,
                // Solvers with long steps refuse light cloth, and the message names a remedy.
                Err(refusal)
                    if solver != Solver::named("wcsph").unwrap() && scene.solids.kinds().any(|info| info.is_thin) =>
                {
                    assert!(refusal.to_string().contains("or another solver"), "{name}: {refusal}");
                    continue;
                }
                Err(error) => panic!("{name}: {error}"),
            };
            let before = survey(&mut simulation).present;
            run_steps(&mut simulation, 50);
            let health = survey(&mut simulation);
            let resolution = *simulation.resolution();
            println!(
                "{name} {}: {} and {}: {health:?}",
                solver.name(),
                resolution.particle_count,
                resolution.boundary_count
            );
            assert_eq!((health.not_finite, health.outside), (0, 0), "{name} {}", solver.name());
            // Particles appear and disappear only where there are emitters and drains.
            let pours = !scene.emitters.is_empty();
            assert_eq!(health.present > before, pours, "{name}: {before}, then {}", health.present);
            let (fluid, _) = particles(&simulation);
            assert_eq!(fluid.len(), resolution.particle_count as usize);
        }
    }
}

/// The model of the fountain: its profile, as radius and height in m from the axis and back to it, turned around the
/// axis.
fn fountain() -> String {
    use std::fmt::Write as _;
    const SIDES: u32 = 32;
    const PROFILE: [[f32; 2]; 22] = [
        // The basin on the ground.
        [2.4, 0.0],
        [2.4, 0.5],
        [2.45, 0.6],
        [2.15, 0.6],
        [2.1, 0.2],
        [0.6, 0.2],
        [0.4, 0.35],
        // The lower bowl.
        [0.35, 0.95],
        [1.15, 1.1],
        [1.35, 1.3],
        [1.35, 1.45],
        [1.1, 1.45],
        [0.95, 1.28],
        [0.4, 1.2],
        [0.25, 1.3],
        // The upper bowl.
        [0.22, 1.85],
        [0.6, 1.95],
        [0.75, 2.1],
        [0.75, 2.22],
        [0.55, 2.22],
        [0.45, 2.12],
        [0.2, 2.1],
    ];
    let mut text = String::from(
        "# A stepped fountain, meters, y up: a profile turned around the axis (tests/boundaries.rs makes it).\n",
    );
    text += "v 0 0 0\nv 0 2.1 0\n";
    for [radius, height] in PROFILE {
        for side in 0..SIDES {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(side) / f64::from(SIDES)).sin_cos();
            let (x, z) = (f64::from(radius) * cos, f64::from(radius) * sin);
            writeln!(text, "v {x:.4} {height} {z:.4}").unwrap();
        }
    }
    let corner = |ring: u32, side: u32| 3 + ring * SIDES + side % SIDES;
    let last = PROFILE.len() as u32 - 1;
    for side in 0..SIDES {
        writeln!(text, "f 1 {} {}", corner(0, side), corner(0, side + 1)).unwrap();
        for ring in 0..last {
            let (a, b) = (corner(ring, side), corner(ring, side + 1));
            let (c, d) = (corner(ring + 1, side), corner(ring + 1, side + 1));
            writeln!(text, "f {a} {c} {d} {b}").unwrap();
        }
        writeln!(text, "f 2 {} {}", corner(last, side + 1), corner(last, side)).unwrap();
    }
    text
}

#[test]
fn the_model_of_the_fountain_matches_its_profile() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/models/stepped_fountain.obj");
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stepped_fountain.obj");
    std::fs::write(&made, fountain()).unwrap();
    let shipped = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(shipped == fountain(), "{} differs from the profile: copy {} there", path.display(), made.display());
}

#[test]
fn a_mesh_beside_a_scene_file_is_found_and_a_bad_one_named() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scene_with_mesh");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("mine.obj"), fountain()).unwrap();
    std::fs::write(folder.join("open.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let load = |boundary: &str| {
        let text = "(title: \"\", description: \"\", low: (-3.0, 0.0, -3.0), high: (3.0, 3.0, 3.0),
            blocks: [(low: (-3.0, 2.5, -3.0), high: (3.0, 3.0, 3.0))], gravity: (0.0, -9.81, 0.0),
            boundaries: [BOUNDARY],
            material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.5, radius_ratio: 2.2),
            camera: (eye: (1.0, 1.0, 1.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0))";
        let file = folder.join("mine.ron");
        std::fs::write(&file, text.replace("BOUNDARY", boundary)).unwrap();
        Scene::load(file.to_str().unwrap())
    };
    let scene =
        load("Mesh(file: \"mine.obj\", translate: (0.0, 0.1, 0.0), rotate: (0.0, 30.0, 0.0), scale: 0.5)").unwrap();
    let surface = scene.solids.of::<Boundary>()[0].surface();
    let (low, high) = surface.bounds();
    assert!(
        (low.y - 0.1).abs() < 1e-6 && (high.y - 1.21).abs() < 1e-5 && (high.x - 1.225).abs() < 0.01,
        "{low} {high}"
    );
    assert_eq!(
        load("Mesh(file: \"stepped_fountain.obj\")").unwrap().solids.of::<Boundary>().len(),
        1,
        "the program's own"
    );
    for (boundary, expected) in [
        ("Mesh(file: \"open.obj\")", "open.obj is not closed: 3 edges"),
        ("Mesh(file: \"lost.obj\")", "lost.obj"),
        ("Mesh(file: \"mine.obj\", scale: 0.0)", "boundaries[0].scale"),
        ("Sphere(center: (0.0, 0.0, 0.0), radius: -1.0)", "boundaries[0].radius"),
        ("Box(low: (0.0, 0.0, 0.0), high: (1.0, 0.0, 1.0))", "boundaries[0].high"),
        ("Cone(radius: 1.0)", "Cone"),
    ] {
        let sentence = load(boundary).expect_err(expected).to_string();
        assert!(sentence.contains(expected) && sentence.contains("mine.ron"), "{sentence}");
    }
}

/// A closed ring around the z axis of this inner and outer radius, m, as an OBJ file.
fn ring(inner: f32, outer: f32) -> String {
    use std::fmt::Write as _;
    const SIDES: u32 = 180;
    let mut text = String::new();
    for side in 0..SIDES {
        let (sine, cosine) = (std::f32::consts::TAU * side as f32 / SIDES as f32).sin_cos();
        for (radius, z) in [(inner, -1.0), (inner, 1.0), (outer, -1.0), (outer, 1.0)] {
            writeln!(text, "v {} {} {z}", radius * cosine, radius * sine).unwrap();
        }
    }
    for side in 0..SIDES {
        let corner = |number: u32, next: u32| 4 * ((side + next) % SIDES) + number + 1;
        for [a, b] in [[1, 0], [3, 1], [2, 3], [0, 2]] {
            let [a, b, c, d] = [corner(a, 0), corner(b, 0), corner(b, 1), corner(a, 1)];
            writeln!(text, "f {a} {b} {c} {d}").unwrap();
        }
    }
    text
}

/// Water that fills a round tank with slip, turns as a whole and has no artificial viscosity. `folder` is that of its
/// files.
fn round_tank(folder: &str, solver: &str) -> Simulation {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("ring.obj"), ring(0.5, 0.62)).unwrap();
    let text = "(title: \"\", description: \"\", low: (-0.7, -0.7, -0.05), high: (0.7, 0.7, 0.05), dimensions: 2,
        blocks: [(low: (-0.5, -0.5, -0.05), high: (0.5, 0.5, 0.05), shape: Ball,
            fields: [Rotation(center: (0.0, 0.0, 0.0), rate: (0.0, 0.0, 2.0))])],
        gravity: (0.0, 0.0, 0.0), boundaries: [Mesh(file: \"ring.obj\")],
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.0, kinematic_viscosity: 0.0001,
            radius_ratio: 2.6))";
    let file = folder.join("round_tank.ron");
    std::fs::write(&file, text).unwrap();
    let mut scene = Scene::load(file.to_str().unwrap()).unwrap();
    let (solver, setting) = solver.split_once(' ').unwrap_or((solver, ""));
    scene.solver = Solver::named(solver).unwrap();
    if !setting.is_empty() {
        scene.solver_settings.parse(setting).unwrap();
    }
    Simulation::new(&gpu(), &scene, &Settings { size: Size::Count(1_200), ..settings(0.02) }).unwrap()
}

/// Only the roughness of a wall of particles brakes the water. Where those lay unevenly along the curve, a fifth of the
/// motion was lost in a second.
#[test]
fn water_keeps_turning_in_a_round_tank_with_slip() {
    for solver in ["dfsph", "pbf", "wcsph wcsph.accurate=1"] {
        let mut simulation = round_tank("turning", solver);
        let rate = |simulation: &Simulation| {
            let (water, _) = particles(simulation);
            let turning: f32 = water.iter().map(|one| one.position.cross(one.velocity).z).sum();
            turning / water.iter().map(|one| one.position.length_squared()).sum::<f32>()
        };
        let before = rate(&simulation);
        assert!((before - 2.0).abs() < 1e-3, "{before} 1/s");
        while simulation.time() < 1.0 {
            run_steps(&mut simulation, 20);
        }
        // 0.91, 0.90 and 0.96 (llvmpipe, 2026-11-27).
        let kept = rate(&simulation) / before;
        assert!((0.86..1.001).contains(&kept), "{solver}: {kept} of the rotation is left");
    }
}

/// The forces of solids are the derivative of an energy: without viscosity, the motion never gains any. With mirrored
/// pressures it had 2.5 times the energy after half a second.
#[test]
fn solids_give_no_energy_to_water_that_nothing_damps() {
    let mut simulation = round_tank("undamped", "wcsph");
    let energy = |simulation: &Simulation| {
        let (water, _) = particles(simulation);
        water.iter().map(|one| one.velocity.length_squared()).sum::<f32>()
    };
    let before = energy(&simulation);
    while simulation.time() < 0.6 {
        run_steps(&mut simulation, 50);
        // At most 0.99 after the first tenth of a second (llvmpipe, 2026-11-27).
        let kept = energy(&simulation) / before;
        assert!((0.8..1.02).contains(&kept), "{kept} of the energy at {} s", simulation.time());
    }
}

#[test]
fn water_thrown_at_a_thin_plate_does_not_pass() {
    for solver in Solver::fluids() {
        let plate = Boundary::Box { low: Vec3::new(0.6, 0.0, 0.0), high: Vec3::new(0.62, 1.0, 1.0) };
        let mut scene = tank(solver, (Vec3::ZERO, Vec3::new(0.55, 0.6, 1.0)), vec![plate]);
        scene.blocks[0].velocity = Vec3::new(2.0, 0.0, 0.0);
        scene.solver_settings.parse("pbf.substeps=4").unwrap();
        let mut simulation = Simulation::new(&gpu(), &scene, &settings(0.07)).unwrap();
        let mut highest = 0.0_f32;
        while simulation.time() < 0.6 {
            run_steps(&mut simulation, 25);
            highest = particles(&simulation).0.iter().map(|particle| particle.position.y).fold(highest, f32::max);
        }
        let (fluid, _) = particles(&simulation);
        let passed = fluid.iter().filter(|particle| particle.position.x > 0.61).count();
        println!("{}: {passed} of {} passed, the highest is at {highest} m", solver.name(), fluid.len());
        // The plate is thinner than a spacing, so a single layer of particles holds the water. Three corrections leave
        // some density error and may squeeze a particle in between.
        let most = if solver == Solver::named("wcsph").unwrap() { 0 } else { fluid.len() / 200 };
        assert!(passed <= most, "{}: {passed}", solver.name());
        assert!(highest > 0.65, "{}: the water was not thrown up", solver.name());
    }
}
