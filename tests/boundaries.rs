//! Boundaries on the device: what they bear, that nothing gets into them, and that what they take they give.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::gpu;
use glam::{DVec3, Vec3, Vec3Swizzles as _};
use nearwater::fluid::{Boundary, Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver};
use nearwater::gpu::read_buffer;
use nearwater::search::verify::Manner;
use nearwater::search::{SearchOptions, search_named};

/// A tank of 1 by 1 by 1 m, as full of water as `block` says.
fn tank(solver: Solver, block: (Vec3, Vec3), boundaries: Vec<Boundary>) -> Scene {
    let text = "(
        title: \"\", description: \"\", low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0),
        blocks: [(low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0))], gravity: (0.0, -9.81, 0.0),
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.5, radius_ratio: 2.2),
        camera: (eye: (1.0, 1.0, 1.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0),
    )";
    let mut scene = Scene::parse("tank.ron", text).unwrap();
    (scene.blocks[0].low, scene.blocks[0].high) = block;
    scene.boundaries = boundaries;
    scene.solver = solver;
    scene
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

/// The fluid's particles and the boundary's.
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

fn densities_of(simulation: &mut Simulation) {
    gpu().submit(|encoder| simulation.record_densities(encoder, None));
    gpu().wait().unwrap();
}

/// A slab over the whole floor.
fn slab(height: f32) -> Boundary {
    Boundary::Box { low: Vec3::ZERO, high: Vec3::new(1.0, height, 1.0) }
}

#[test]
fn water_on_a_slab_reads_the_rest_density_and_is_cut_around_it() {
    let spacing = 0.1_f32;
    let scene = tank(Solver::Wcsph, (Vec3::ZERO, Vec3::new(1.0, 0.9, 1.0)), vec![slab(0.3)]);
    let mut simulation = Simulation::new(&gpu(), &scene, &settings(spacing)).unwrap();
    let resolution = *simulation.resolution();
    assert_eq!(resolution.particle_count, 600);
    let notices = simulation.notices();
    assert!(notices.len() == 1 && notices[0].starts_with("300 of the 900 particles"), "{notices:?}");
    densities_of(&mut simulation);
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
fn every_search_takes_boundaries_and_moves_the_water_alike() {
    for solver in Solver::ALL {
        let sphere = Boundary::Sphere { center: Vec3::new(0.5, 0.2, 0.5), radius: 0.25 };
        let mut scene = tank(solver, (Vec3::ZERO, Vec3::new(1.0, 0.7, 1.0)), vec![sphere]);
        scene.material.xsph = 0.1;
        scene.material.surface_tension = if solver == Solver::Wcsph { 10.0 } else { 0.0 };
        scene.pbf.vorticity = if solver == Solver::Pbf { 0.1 } else { 0.0 };
        let mut first: Option<(Vec<Particle>, Vec<Particle>, u64)> = None;
        for Manner { search, options } in Manner::all() {
            let settings = Settings { search, options: options.clone(), ..settings(0.1) };
            let mut simulation = Simulation::new(&gpu(), &scene, &settings).unwrap();
            gpu().submit(|encoder| (0..3).for_each(|_| simulation.record_step(encoder, None)));
            gpu().submit(|encoder| {
                simulation.record_densities(encoder, None);
                simulation.record_survey(encoder);
            });
            gpu().wait().unwrap();
            let survey = loop {
                if let Some(survey) = simulation.take_survey() {
                    break survey;
                }
                std::thread::yield_now();
            };
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
                // Sums in another order; pressure amplifies their rounding by some hundred.
                assert!((a.density / b.density - 1.0).abs() < 1e-4, "{name}: {a:?}, not {b:?}");
                assert!((a.velocity - b.velocity).length() < 2e-3, "{name}: {a:?}, not {b:?}");
            }
        }
    }
}

#[test]
fn what_a_boundary_gives_the_water_it_takes() {
    for solver in Solver::ALL {
        let sphere = Boundary::Sphere { center: Vec3::splat(0.5), radius: 0.15 };
        let mut scene = tank(solver, (Vec3::splat(0.2), Vec3::splat(0.8)), vec![sphere]);
        // Far from all walls, and flung against the sphere.
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
        assert!(exchanged > 10.0, "{}: the boundary did nothing", solver.name());
        // Velocities of 1 m/s of 1,700 particles, rounded to 6e-8 twenty times; PBF's are differences of places.
        let bound = if solver == Solver::Wcsph { 1e-5 } else { 1e-4 };
        assert!(kept.length() < bound * exchanged, "{}: {kept} of {exchanged}", solver.name());
    }
}

#[test]
fn water_rests_on_a_slab_as_on_the_floor_and_never_enters() {
    for solver in Solver::ALL {
        let spacing = 0.1_f32;
        let block = (Vec3::new(0.0, 0.3, 0.0), Vec3::new(1.0, 0.8, 1.0));
        let scene = tank(solver, block, vec![slab(0.3)]);
        let mut simulation = Simulation::new(&gpu(), &scene, &settings(spacing)).unwrap();
        assert_eq!((simulation.resolution().particle_count, simulation.notices().len()), (500, 0));
        let steps = (1.5 / simulation.resolution().time_step) as u64;
        run_steps(&mut simulation, steps);
        let (fluid, _) = particles(&simulation);
        let lowest = fluid.iter().map(|particle| particle.position.y).fold(f32::INFINITY, f32::min);
        let middle = fluid.iter().map(|particle| f64::from(particle.position.y)).sum::<f64>() / fluid.len() as f64;
        let kinetic = fluid.iter().map(|particle| f64::from(particle.velocity.length_squared())).sum::<f64>()
            / fluid.len() as f64;
        println!("{}: lowest {lowest}, middle {middle}, {kinetic} m²/s²", solver.name());
        assert!(lowest > 0.31, "{}: a particle sank to {lowest}", solver.name());
        // 0.55 in the lattice; compressed by 0.5 %, and rearranged.
        assert!((0.52..0.565).contains(&middle), "{}: middle at {middle}", solver.name());
        assert!(kinetic < 0.01, "{}: {kinetic}", solver.name());
    }
}
