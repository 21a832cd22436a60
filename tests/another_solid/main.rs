//! Tests the claims of `docs/ADDING_A_SOLID.md`: a kind of solid is a folder of its own and one line in the registry. A
//! toy kind from outside the program runs on every search with every solver and uses everything that the program does
//! with solids, and nothing in the program names one of its own kinds outside of the kind's folder.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

mod naming;
mod posts;
#[path = "../common/shader_folder.rs"]
mod shader_folder;
#[path = "../sources/mod.rs"]
mod sources;

use std::fs;
use std::sync::{Arc, LazyLock};

use glam::{DVec3, Vec3};
use nearwater::fluid::solids::{Mover, SOLIDS, SceneSolid, SolidInfo, SolidView};
use nearwater::fluid::{
    Body, BodyShape, Boundary, Continuation, Motion, SavedState, Scene, SceneEdits, Settings, Simulation, Size,
    SmoothingKernel, Solver,
};
use nearwater::gpu::{Gpu, read_buffer};
use nearwater::search::{SEARCHES, SearchInfo, SearchOptions, search_named};
use posts::{AddedPost, INFO, Post};
use shader_folder::{gpu_with_shaders, write_shaders};

/// A device that reads shaders from a folder with the program's shaders and those of the toy kind.
static GPU: LazyLock<Arc<Gpu>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap().keep();
    write_shaders(&folder);
    fs::create_dir_all(folder.join("fluid/posts")).unwrap();
    fs::write(folder.join("fluid/posts/posts.wgsl"), include_str!("posts.wgsl")).unwrap();
    gpu_with_shaders(&folder)
});

/// Water without gravity, far from all walls; `more` adds fields to the scene.
fn water(solver: Solver, more: &str) -> Scene {
    let text = format!(
        "(
            title: \"\", description: \"\", low: (-1.0, -1.0, -1.0), high: (2.0, 2.0, 2.0),
            blocks: [(low: (0.1, 0.1, 0.1), high: (0.9, 0.9, 0.9), velocity: (1.0, -0.4, 0.2))],
            gravity: (0.0, 0.0, 0.0),
            material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.5, radius_ratio: 2.2),
            camera: (eye: (1.0, 1.0, 1.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0), {more}
        )"
    );
    let mut scene = Scene::parse("water.ron", &text).unwrap();
    scene.solver = solver;
    scene
}

/// Two posts in the water that swing at different rates.
fn two_posts() -> Vec<Post> {
    let post = Post {
        foot: Vec3::new(0.3, 0.2, 0.4),
        radius: 0.12,
        height: 0.5,
        swing: Vec3::new(0.02, 0.0, 0.05),
        period: 0.6,
    };
    vec![post.clone(), Post { foot: Vec3::new(0.7, 0.2, 0.6), period: 0.8, ..post }]
}

fn with_posts(solver: Solver) -> Scene {
    Scene { solids: two_posts().into(), ..water(solver, "") }
}

fn wcsph() -> Solver {
    Solver::named("wcsph").unwrap()
}

fn settings(search: &'static SearchInfo) -> Settings {
    Settings {
        search,
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Count(500),
        seed: 11,
        edits: SceneEdits::default(),
    }
}

fn simulation(scene: &Scene) -> Simulation {
    Simulation::new(&GPU, scene, &settings(search_named("green").unwrap())).unwrap()
}

fn refusal(scene: &Scene) -> String {
    Simulation::new(&GPU, scene, &settings(SEARCHES[0])).err().unwrap().to_string()
}

fn steps(simulation: &mut Simulation, count: u32) {
    GPU.submit(|encoder| (0..count).for_each(|_| simulation.record_step(encoder, None)));
    GPU.wait().unwrap();
}

/// Position and velocity of each particle, in the order of the original indices: first those of the fluid.
fn particles(simulation: &Simulation) -> Vec<(Vec3, Vec3)> {
    let particles = simulation.particles();
    let count = particles.count as usize;
    let positions: Vec<[f32; 4]> = read_buffer(&GPU, particles.positions, count).unwrap();
    let velocities: Vec<[f32; 4]> = read_buffer(&GPU, particles.velocities, count).unwrap();
    let xyz = |[x, y, z, _]: [f32; 4]| Vec3::new(x, y, z);
    let mut found: Vec<_> = positions
        .into_iter()
        .zip(velocities)
        .map(|(position, velocity)| (velocity[3].to_bits(), (xyz(position), xyz(velocity))))
        .collect();
    found.sort_by_key(|(original, _)| *original);
    found.into_iter().map(|(_, particle)| particle).collect()
}

/// Momentum of the fluid divided by a particle's mass, m/s.
fn momentum(simulation: &Simulation) -> DVec3 {
    let count = simulation.particles().fluid_count as usize;
    particles(simulation)[..count].iter().map(|(_, velocity)| velocity.as_dvec3()).sum()
}

/// Positions and velocities as they would be placed for the next step.
fn placed(simulation: &mut Simulation) -> Vec<(Vec3, Vec3)> {
    GPU.submit(|encoder| simulation.record_densities(encoder, None));
    particles(simulation)
}

/// The reactions on the particles of solids in the last step, divided by a fluid particle's mass, m/s².
fn reactions(simulation: &Simulation) -> Vec<DVec3> {
    let count = simulation.resolution().boundary_count as usize;
    let reactions: Vec<[f32; 4]> = read_buffer(&GPU, simulation.boundary_reactions().unwrap(), count).unwrap();
    reactions.into_iter().map(|[x, y, z, _]| Vec3::new(x, y, z).as_dvec3()).collect()
}

#[test]
fn they_run_on_every_search_with_every_solver_and_take_the_momentum_that_the_fluid_loses() {
    for solver in Solver::all() {
        let scene = with_posts(solver);
        let mut first: Option<Vec<_>> = None;
        for search in SEARCHES {
            let name = format!("{} on {}", solver.name(), search.name);
            let mut simulation = Simulation::new(&GPU, &scene, &settings(search)).unwrap();
            assert!(simulation.notices().iter().any(|notice| notice == "2 posts stand in the water"), "{name}");
            let fluid = simulation.particles().fluid_count as usize;
            let start = particles(&simulation);
            let is_in = |post: &Post, place: Vec3| {
                let across = (place - post.foot).with_y(0.0).length();
                across < post.radius && (0.0..post.height).contains(&(place.y - post.foot.y))
            };
            let inside = |(place, _): &&(Vec3, Vec3)| two_posts().iter().any(|post| is_in(post, *place));
            assert!(start[..fluid].iter().all(|particle| !inside(&particle)), "{name}: water in a post");
            assert!(start[fluid..].iter().all(|particle| inside(&particle)), "{name}: posts in the water");
            let time_step = f64::from(simulation.resolution().time_step);
            let before = momentum(&simulation);
            let (mut taken, mut exchanged) = (DVec3::ZERO, 0.0);
            for _ in 0..10 {
                steps(&mut simulation, 1);
                for reaction in reactions(&simulation) {
                    taken += time_step * reaction;
                    exchanged += time_step * reaction.length();
                }
            }
            let lost = momentum(&simulation) + taken - before;
            assert!(exchanged > 0.1, "{name}: the posts exerted no force, {exchanged}");
            // Sums of some thousand velocities, each rounded to 6e-8; those of solvers that predict are differences of
            // positions of about 1 m over a step of some milliseconds.
            let bound = if solver.predicts { 1e-4 } else { 1e-6 };
            assert!(lost.length() < bound * exchanged, "{name}: {lost} m/s of {exchanged} m/s lost");

            // Each post is where its phase puts it, and has the velocity of its motion.
            let end = placed(&mut simulation);
            for post in two_posts() {
                let rate = std::f32::consts::TAU / post.period;
                let phase = rate * simulation.time() as f32;
                let (moved, velocity) = (phase.sin() * post.swing, rate * phase.cos() * post.swing);
                let mut own = 0;
                for ((from, _), (to, speed)) in start.iter().zip(&end).skip(fluid) {
                    if is_in(&post, *from) {
                        own += 1;
                        assert!((*to - *from - moved).length() < 1e-5, "{name}: {from} to {to}, not by {moved}");
                        assert!((*speed - velocity).length() < 1e-4, "{name}: {speed}, not {velocity}");
                    }
                }
                assert!(own > 10, "{name}: a post of {own} particles");
            }
            let first = first.get_or_insert_with(|| end.clone());
            for (a, b) in end.iter().zip(first.iter()) {
                assert!(a.0.distance(b.0) < 1e-4, "{name}: {} and {}", a.0, b.0);
            }
        }
    }
}

/// Positions and velocities to the last bit, in the order of the buffers, without the unused fourth component.
fn bits(simulation: &Simulation) -> Vec<[u32; 7]> {
    let particles = simulation.particles();
    let count = particles.count as usize;
    let positions: Vec<[u32; 4]> = read_buffer(&GPU, particles.positions, count).unwrap();
    let velocities: Vec<[u32; 4]> = read_buffer(&GPU, particles.velocities, count).unwrap();
    positions.iter().zip(velocities).map(|(&[x, y, z, _], [u, v, w, index])| [x, y, z, u, v, w, index]).collect()
}

#[test]
fn their_state_is_saved_and_resumed_bit_for_bit_and_reset() {
    for solver in Solver::all() {
        let scene = with_posts(solver);
        let mut whole = simulation(&scene);
        steps(&mut whole, 12);
        let mut first = simulation(&scene);
        steps(&mut first, 7);
        let file = tempfile::tempdir().unwrap();
        let file = file.path().join("posts.state");
        first.save_state().unwrap().write(&file).unwrap();
        let saved = SavedState::read(&file).unwrap();
        // The state is loaded into a run that is at another time.
        let mut second = simulation(&scene);
        steps(&mut second, 3);
        assert_eq!(second.load_state(&saved).unwrap(), Continuation::Exact);
        assert!(second.save_state().unwrap() == saved, "{}: saving it again differs", solver.name());
        steps(&mut second, 5);
        assert!(bits(&second) == bits(&whole), "{}: the runs differ", solver.name());
        second.reset().unwrap();
        steps(&mut second, 12);
        assert!(bits(&second) == bits(&whole), "{}: the run differs after a reset", solver.name());
        // The scene's solids belong to what the state was saved from.
        let mut other = scene.clone();
        other.solids.of_mut::<Post>()[1].period = 0.9;
        let refusal = saved.check_scene(&other).unwrap_err().to_string();
        assert!(refusal.contains("was edited"), "{refusal}");
        saved.check_scene(&scene.clone()).unwrap();
    }
}

#[test]
fn posts_are_added_while_the_scene_runs_and_saved_with_it() {
    let scene = with_posts(wcsph());
    let third = Post { foot: Vec3::new(1.4, 0.2, 0.5), period: 0.5, ..two_posts().remove(0) };
    let with_third = || {
        let mut simulation = simulation(&scene);
        steps(&mut simulation, 4);
        let before = particles(&simulation);
        let added = AddedPost::new(third.clone(), simulation.resolution().spacing).unwrap();
        simulation.add_solid(Box::new(added)).unwrap();
        let after = particles(&simulation);
        assert!(after.len() > before.len() + 10 && after[..before.len()] == before, "{} particles", after.len());
        simulation
    };
    let mut whole = with_third();
    assert_eq!(whole.scene().solids.of::<Post>().len(), 3);
    // The first post continues from its phase, and the added one begins in the middle of its motion.
    let count = particles(&whole).len();
    let (start, time) = (placed(&mut whole), whole.time() as f32);
    let speeds = [two_posts()[0].clone(), third.clone()].map(|post| {
        let rate = std::f32::consts::TAU / post.period;
        let phase = if post == third { 0.0 } else { rate * time };
        rate * phase.cos() * post.swing
    });
    let fluid = whole.particles().fluid_count as usize;
    assert!((start[fluid].1 - speeds[0]).length() < 1e-4, "{} and not {}", start[fluid].1, speeds[0]);
    assert!((start[count - 1].1 - speeds[1]).length() < 1e-4, "{} and not {}", start[count - 1].1, speeds[1]);
    drop(whole);

    let mut whole = with_third();
    steps(&mut whole, 9);
    let mut first = with_third();
    steps(&mut first, 5);
    let saved = first.save_state().unwrap();
    // Into a simulation that has only the posts of the scene, and into one that already has the third.
    for mut second in [simulation(&scene), first] {
        assert_eq!(second.load_state(&saved).unwrap(), Continuation::Exact);
        assert!(second.save_state().unwrap() == saved, "saving it again differs");
        steps(&mut second, 4);
        assert!(bits(&second) == bits(&whole), "the runs differ");
        second.reset().unwrap();
        assert_eq!(second.scene().solids.of::<Post>().len(), 2, "a reset removes what was added");
    }

    // Single layers must come last.
    let mut beside_cloths = simulation(&everything());
    let added = AddedPost::new(third, beside_cloths.resolution().spacing).unwrap();
    let refusal = beside_cloths.add_solid(Box::new(added)).unwrap_err().to_string();
    assert!(refusal.contains("posts cannot be added to a scene with cloths while it runs"), "{refusal}");
}

/// A scene with every kind of the program besides posts.
fn everything() -> Scene {
    let more = "
        boundaries: [Box(low: (0.1, -0.2, 0.1), high: (0.9, 0.0, 0.9))],
        bodies: [(shape: Sphere(radius: 0.2), position: (1.4, 0.5, 0.5))],
        cloths: [(corner: (0.1, 1.2, 0.1), along: (0.6, 0.0, 0.0), across: (0.0, 0.0, 0.6), density: 200.0,
            stretch: 500.0, shear: 100.0, bend: 1.0)],";
    let mut scene = water(wcsph(), more);
    scene.solids.set(two_posts());
    scene
}

#[test]
fn they_stand_beside_all_kinds_of_the_program() {
    let scene = everything();
    let names: Vec<_> = scene.solids.kinds().map(|info| info.name).collect();
    // Single layers come last.
    assert_eq!(names, ["fixed", "bodies", "posts", "cloths"]);
    let mut simulation = simulation(&scene);
    let resolution = *simulation.resolution();
    let sheet = simulation.sheets().next().unwrap().first_original;
    assert_eq!(sheet, resolution.particle_count + resolution.boundary_count - resolution.cloth_count);
    let start = particles(&simulation);
    let phase = |simulation: &Simulation| std::f32::consts::TAU / 0.6 * simulation.time() as f32;
    steps(&mut simulation, 6);
    let end = placed(&mut simulation);
    let swung =
        |number: usize| (end[number].0 - start[number].0).distance(phase(&simulation).sin() * two_posts()[0].swing);
    let of_first = (0..sheet as usize).rev().find(|&number| swung(number) < 1e-6).unwrap();
    assert!(end[of_first].0.is_finite() && of_first > resolution.particle_count as usize);
    assert!((sheet as usize..start.len()).all(|number| swung(number) > 1e-4), "cloth moved like a post");

    // They are drawn, in the order of their kinds.
    let surfaces: Vec<_> = simulation
        .solid_views()
        .map(|view| match view {
            SolidView::Rigid(rigid) => Some((rigid.mover, rigid.translation)),
            SolidView::Sheet(_) => None,
        })
        .collect();
    assert_eq!(surfaces.len(), 5);
    assert!(surfaces[0] == Some((Mover::Nothing, Vec3::ZERO)) && surfaces[4].is_none());
    let shown = surfaces[2].unwrap();
    let swing = phase(&simulation).sin() * two_posts()[0].swing;
    assert!(shown.0 == Mover::Scene && shown.1.distance(swing) < 1e-6, "{shown:?}");

    // Its particles would have to follow those of bodies, and those of posts do.
    let body = scene.solids.of::<Body>()[0].clone();
    let mut without_cloths = scene;
    without_cloths.solids.set(Vec::<nearwater::fluid::Cloth>::new());
    let mut simulation = self::simulation(&without_cloths);
    let refusal = simulation.add_body(&body).unwrap_err().to_string();
    assert!(refusal.contains("bodies cannot be added to a scene with posts while it runs"), "{refusal}");
}

/// A still post as the support of a falling body, or of none.
fn fallen(post: bool) -> f32 {
    let mut scene = water(wcsph(), "");
    scene.gravity = Vec3::new(0.0, -9.81, 0.0);
    (scene.blocks[0].low, scene.blocks[0].high) = (Vec3::splat(-1.0), Vec3::new(-0.5, -0.5, -0.5));
    scene.blocks[0].velocity = Vec3::ZERO;
    let ball = Body {
        shape: BodyShape::Sphere { radius: 0.2 },
        density: 1000.0,
        position: Vec3::new(1.0, 0.501, 1.0),
        rotation: Vec3::ZERO,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        friction: 0.5,
        restitution: 0.0,
        motion: Motion::Free,
    };
    scene.solids.set(vec![ball]);
    let still = Post { foot: Vec3::new(1.0, 0.0, 1.0), radius: 0.3, height: 0.3, swing: Vec3::ZERO, period: 1.0 };
    scene.solids.set(if post { vec![still] } else { Vec::new() });
    let mut simulation = simulation(&scene);
    while simulation.time() < 0.08 {
        steps(&mut simulation, 1);
    }
    let lowest = simulation.bodies().next().unwrap().state.position.y;
    0.501 - lowest
}

#[test]
fn bodies_knock_against_their_obstacles() {
    let (free, held) = (fallen(false), fallen(true));
    // 9.81 m/s² for 0.08 s are 3.1 cm, and there is 1 mm of air below the ball.
    assert!(free > 0.03, "the ball fell by {free} m");
    assert!((0.0005..0.003).contains(&held), "the ball fell by {held} m onto the post");
}

#[test]
fn what_they_refuse_is_told_with_the_field() {
    let with = |edit: fn(&mut Post)| {
        let mut scene = with_posts(wcsph());
        edit(&mut scene.solids.of_mut::<Post>()[1]);
        refusal(&scene)
    };
    let invalid = with(|post| post.radius = 0.0);
    assert!(invalid.contains("field posts[1]: radius, height and period must be positive"), "{invalid}");
    let fast = with(|post| post.swing.x = 100.0);
    assert!(fast.contains("posts[1].swing: reaches"), "{fast}");
    let mut flat = with_posts(wcsph());
    flat.dimensions = nearwater::fluid::Dimensions::Two;
    flat.blocks[0].velocity.z = 0.0;
    let flat = refusal(&flat);
    assert!(flat.contains("field posts: are only possible in a scene of 3 dimensions"), "{flat}");
}

#[test]
fn the_lists_of_a_scene_are_compared_and_copied() {
    let scene = everything();
    let mut other = scene.clone();
    assert_eq!(scene, other);
    other.solids.of_mut::<Post>()[0].radius += 0.1;
    assert_ne!(scene, other);
    other.solids.set(two_posts());
    // A list that is empty does not count.
    other.solids.of_mut::<Post>();
    assert_eq!(scene, other);
    other.solids.set(Vec::<Boundary>::new());
    assert_ne!(scene, other);
    let empty = water(wcsph(), "boundaries: [], cloths: [],");
    assert_eq!(empty.solids, water(wcsph(), "").solids);
    assert_eq!(empty.solids.kinds().count(), 0);
    assert_eq!((Post::KIND.name, scene.solids.of::<Post>().len()), (INFO.name, 2));
}

/// Every shader that runs must be declared by the kind, since the tests of shaders only cover declared ones.
#[test]
fn passes_only_run_declared_shaders() {
    let simulation = simulation(&everything());
    let kinds: Vec<&SolidInfo> = SOLIDS.iter().copied().chain([&INFO]).collect();
    let mut own = 0;
    for info in kinds {
        let declared: Vec<_> = info.every_shader().map(|(shader, _)| shader.file()).collect();
        for pass in simulation.passes() {
            let file = pass.shader().pair.map_or(pass.shader().file, |pair| pair.file);
            if file.starts_with(&format!("fluid/{}/", info.name)) {
                own += 1;
                assert!(declared.contains(&file), "{info:?} does not declare {file}");
            }
        }
    }
    assert!(own > 6, "{own} passes of solids");
}
