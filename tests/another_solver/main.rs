//! Tests the claims of `docs/ADDING_A_SOLVER.md`: a solver is a folder of its own and one line in the registry. A toy
//! solver from outside the program runs on every search and uses everything that the program does with a solver, and
//! nothing in the program names one of its own solvers outside of the solver's folder.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod crowd;
mod naming;
#[path = "../common/shader_folder.rs"]
mod shader_folder;
#[path = "../sources/mod.rs"]
mod sources;

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use crowd::{INFO, PUSHES, STEP, STRENGTH};
use glam::Vec3;
use nearwater::fluid::{Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver};
use nearwater::gpu::{Gpu, read_buffer};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{SEARCHES, SearchOptions};
use shader_folder::{gpu_with_shaders, write_shaders};

/// A device that reads shaders from a folder with the program's shaders and those of the toy solver.
static GPU: LazyLock<Arc<Gpu>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap().keep();
    write_shaders(&folder);
    write(&folder, "fluid/crowd/crowd.wgsl", include_str!("crowd.wgsl"));
    write(&folder, "fluid/crowd/grow_older.wgsl", include_str!("grow_older.wgsl"));
    gpu_with_shaders(&folder)
});

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A crowd in the middle of a box; `more` adds fields to the scene, such as [`POST`].
fn crowd_scene(more: &str) -> Scene {
    let text = format!(
        "(
            title: \"\", description: \"\", low: (0.0, 0.0, 0.0), high: (2.0, 2.0, 2.0),
            blocks: [(low: (0.5, 0.5, 0.5), high: (1.5, 1.5, 1.5))], gravity: (0.0, 0.0, 0.0),
            material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.1, radius_ratio: 2.2),
            camera: (eye: (1.0, 1.0, 1.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0), {more}
        )"
    );
    let mut scene = Scene::parse("crowd.ron", &text).unwrap();
    scene.solver = Solver(&INFO);
    scene
}

/// A fixed boundary in the middle of the crowd.
const POST: &str = "boundaries: [Cylinder(foot: (1.0, 0.6, 1.0), radius: 0.2, height: 0.8)],";

fn settings(configuration: &SearchConfiguration) -> Settings {
    Settings {
        search: configuration.search,
        options: configuration.options.clone(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Count(500),
        seed: 11,
        edits: SceneEdits::default(),
    }
}

/// Position, velocity, number of neighbors including the member itself, and age of each member, in the order of the
/// original indices.
fn members(simulation: &Simulation) -> Vec<(Vec3, Vec3, f32, u32)> {
    let particles = simulation.particles();
    let count = particles.count as usize;
    let positions: Vec<[f32; 4]> = read_buffer(&GPU, particles.positions, count).unwrap();
    let velocities: Vec<[f32; 4]> = read_buffer(&GPU, particles.velocities, count).unwrap();
    let densities: Vec<[f32; 2]> = read_buffer(&GPU, particles.densities, count).unwrap();
    let xyz = |[x, y, z, _]: [f32; 4]| Vec3::new(x, y, z);
    let mut members: Vec<_> = (0..count)
        .map(|place| {
            let [neighbors, age] = densities[place];
            (velocities[place][3].to_bits(), (xyz(positions[place]), xyz(velocities[place]), neighbors, age as u32))
        })
        .filter(|(original, _)| *original < particles.fluid_count)
        .collect();
    members.sort_by_key(|(original, _)| *original);
    members.into_iter().map(|(_, member)| member).collect()
}

/// Whether each member has the age that so many steps give it.
fn have_aged(members: &[(Vec3, Vec3, f32, u32)], steps: u32) -> bool {
    (0..).zip(members).all(|(original, member)| member.3 == steps * (1 + original % 7))
}

fn steps(simulation: &mut Simulation, count: u32) {
    GPU.submit(|encoder| (0..count).for_each(|_| simulation.record_step(encoder, None)));
    GPU.wait().unwrap();
}

/// For each member, the number of members within the radius, including itself, and the number of members whose
/// distance is so close to the radius that rounding decides.
fn counted(places: &[Vec3], radius: f32) -> Vec<(f32, f32)> {
    let of = |place: &Vec3| {
        let distances = || places.iter().map(|other| other.distance(*place));
        let within = distances().filter(|distance| *distance <= radius).count();
        let doubtful = distances().filter(|distance| (distance / radius - 1.0).abs() < 1e-5).count();
        (within as f32, doubtful as f32)
    };
    places.iter().map(of).collect()
}

#[test]
fn it_runs_on_every_search_and_finds_every_neighbor() {
    let usual =
        || SEARCHES.iter().map(|search| SearchConfiguration { search, options: SearchOptions::default() }).collect();
    for (scene, configurations) in
        [(crowd_scene(""), SearchConfiguration::all_in_steps()), (crowd_scene(POST), usual())]
    {
        let mut first: Option<Vec<_>> = None;
        for configuration in configurations {
            let mut simulation = Simulation::new(&GPU, &scene, &settings(&configuration)).unwrap();
            GPU.submit(|encoder| simulation.record_densities(encoder, None));
            let start: Vec<_> = members(&simulation).iter().map(|member| member.0).collect();
            let radius = simulation.resolution().support_radius;
            for ((_, _, found, _), (within, doubtful)) in members(&simulation).iter().zip(counted(&start, radius)) {
                assert!((found - within).abs() <= doubtful, "{configuration}: {found} neighbors, not {within}");
            }
            assert!(have_aged(&members(&simulation), 0), "{configuration}: aged without a step");
            steps(&mut simulation, 4);
            let end = members(&simulation);
            // As of before the last step.
            assert!(have_aged(&end, 3), "{configuration}: {:?}", end[0]);
            let (mut momentum, mut fastest) = (Vec3::ZERO, 0.0_f32);
            for (_, velocity, ..) in &end {
                (momentum, fastest) = (momentum + *velocity, fastest.max(velocity.length()));
            }
            assert!(fastest > 1e-3, "{configuration}: the crowd does not move");
            // The tolerance allows for rounding in 500 sums of 30 floats each.
            assert!(momentum.length() < 1e-4 * fastest * end.len() as f32, "{configuration}: {momentum} of {fastest}");
            let first = first.get_or_insert_with(|| end.clone());
            for (a, b) in end.iter().zip(first.iter()) {
                assert!(a.0.distance(b.0) < 1e-5, "{configuration}: {} and {}", a.0, b.0);
            }
        }
    }
}

#[test]
fn its_carried_array_is_shuffled_kept_saved_and_reset() {
    let scene = crowd_scene("");
    // The last: the oldest search sorts nothing.
    let configuration =
        SearchConfiguration::all().into_iter().rfind(|configuration| configuration.search.repeatable).unwrap();
    let mut simulation = Simulation::new(&GPU, &scene, &settings(&configuration)).unwrap();
    steps(&mut simulation, 4);
    // From here on steps leave the state in the order that it is shuffled to.
    simulation.set_resort_interval(100).unwrap();
    simulation.shuffle_memory(5).unwrap();
    steps(&mut simulation, 2);
    let saved = simulation.save_state().unwrap();
    let mut other = Simulation::new(&GPU, &scene, &settings(&configuration)).unwrap();
    other.load_state(&saved).unwrap();
    for simulation in [&mut simulation, &mut other] {
        steps(simulation, 1);
        assert!(have_aged(&members(simulation), 6), "{:?}", members(simulation)[0]);
    }
    simulation.reset().unwrap();
    steps(&mut simulation, 1);
    assert!(have_aged(&members(&simulation), 0));
}

#[test]
fn its_settings_are_edited_and_checked_and_determine_its_passes() {
    let scene = crowd_scene("");
    let configuration = &SearchConfiguration::all()[0];
    let mut simulation = Simulation::new(&GPU, &scene, &settings(configuration)).unwrap();
    assert!((f64::from(simulation.resolution().time_step) - STEP).abs() < 1e-9);
    let build = simulation.build_number();
    let mut edited = settings(configuration);
    edited.edits.solver_settings.set(&STRENGTH, 20.0);
    simulation.change(&edited).unwrap();
    assert_eq!(simulation.build_number(), build, "changing a number recreated the buffers");
    steps(&mut simulation, 1);
    let fast = members(&simulation).iter().map(|member| member.1.length()).fold(0.0, f32::max);
    edited.edits.solver_settings.set(&PUSHES, 0.0);
    simulation.change(&edited).unwrap();
    assert_ne!(simulation.build_number(), build, "changing a term kept the old passes");
    simulation.reset().unwrap();
    steps(&mut simulation, 1);
    assert!(fast > 0.0 && members(&simulation).iter().all(|member| member.1 == Vec3::ZERO));
    for (strength, reason) in [(60.0, "take at most 50"), (200.0, "from 0 to 100 m/s²")] {
        edited.edits.solver_settings.set(&STRENGTH, strength);
        let refusal = simulation.change(&edited).expect_err(reason).to_string();
        assert!(refusal.contains("crowd.strength") && refusal.contains(reason), "{refusal}");
    }
}

/// Every shader that runs must be declared by the solver, since the tests of shaders only cover declared ones.
#[test]
fn passes_only_run_declared_shaders() {
    let configuration = &SearchConfiguration::all()[0];
    for solver in Solver::all().chain([Solver(&INFO)]) {
        let declared: Vec<_> = solver.every_shader().iter().map(|(shader, _)| shader.file()).collect();
        for more in ["", POST] {
            let mut scene = crowd_scene(more);
            scene.solver = solver;
            scene.material.xsph = 0.1;
            scene.material.surface_tension = 1.0;
            let simulation = Simulation::new(&GPU, &scene, &settings(configuration)).unwrap();
            let folder = format!("fluid/{}/", solver.name());
            let mut own = 0;
            for pass in simulation.passes() {
                let file = pass.shader().pair.map_or(pass.shader().file, |pair| pair.file);
                if file.starts_with(&folder) {
                    own += 1;
                    assert!(declared.contains(&file), "{solver:?} does not declare {file}");
                }
            }
            assert!(own > 0, "{solver:?} has no shader in {folder}");
        }
    }
}
