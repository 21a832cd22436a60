//! Scenes that together combine every term with every kind of solid, for each solver.

use std::sync::Arc;

use nearwater::fluid::{Density, Probe, Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver};
use nearwater::gpu::Gpu;
use nearwater::search::{SearchInfo, SearchOptions};

/// Optional terms of a scene.
const TERMS: [fn(&mut Scene); 4] = [
    |scene| scene.material.xsph = 0.1,
    |scene| scene.material.surface_tension = 0.07,
    |scene| scene.solver_settings.parse("pbf.vorticity=0.1").expect("it is a setting"),
    |scene| scene.material.viscosity = 0.0,
];
/// The ways to compute densities.
const DENSITIES: [Density; 3] =
    [Density::Summation, Density::Continuity { diffusion: 0.0 }, Density::Continuity { diffusion: 0.1 }];
/// The contents of the tank besides water.
const SOLIDS: [&str; 5] = [
    "",
    "boundaries: [Sphere(center: (0.5, 0.2, 0.5), radius: 0.15)],",
    "bodies: [(shape: Sphere(radius: 0.15), position: (0.5, 0.7, 0.5))],",
    "cloths: [(corner: (0.2, 0.7, 0.2), along: (0.6, 0.0, 0.0), across: (0.0, 0.0, 0.6), counts: (13, 13), density: 200.0,
        stretch: 500.0, shear: 100.0, bend: 1.0, thickness: 0.05)],",
    "emitters: [(center: (0.5, 0.8, 0.5), radius: 0.2, velocity: (0.0, -1.0, 0.0))], reservoir: 0.1,
     drains: [(low: (0.0, 0.0, 0.0), high: (0.2, 0.2, 0.2))],",
];

fn tank(solids: &str) -> Scene {
    let text = format!(
        "(title: \"\", description: \"\", low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0),
        blocks: [(low: (0.0, 0.0, 0.0), high: (1.0, 0.4, 1.0))], gravity: (0.0, -9.81, 0.0), foam: (capacity: 300), {solids}
        material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.5, radius_ratio: 2.2),
        camera: (eye: (1.0, 1.0, 1.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0))"
    );
    Scene::parse("tank.ron", &text).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns every valid combination.
pub fn scenes() -> Vec<Scene> {
    let mut scenes = Vec::new();
    for tank in SOLIDS.map(tank) {
        for (solver, density, terms) in Solver::all().flat_map(|solver| {
            DENSITIES
                .into_iter()
                .flat_map(move |density| (0..1 << TERMS.len()).map(move |terms| (solver, density, terms)))
        }) {
            let mut scene = tank.clone();
            (scene.solver, scene.material.density) = (solver, density);
            for (number, term) in TERMS.iter().enumerate() {
                if terms >> number & 1 == 1 {
                    term(&mut scene);
                }
            }
            // `Scene::check` refuses this combination.
            let is_refused = solver.heeds_density && density != Density::Summation && scene.material.xsph > 0.0;
            if !is_refused {
                scenes.push(scene);
            }
        }
        scenes.extend(accurate(&tank));
        scenes.extend(viscous(&tank));
        scenes.extend(uncorrected(&tank));
        scenes.extend(torn(&tank));
    }
    scenes.extend(loading());
    scenes
}

/// Scenes with and without solids whose probes read forces on the walls of the box, which the passes then store.
fn loading() -> Vec<Scene> {
    let mut scenes = Vec::new();
    for tank in [SOLIDS[0], SOLIDS[1]].map(tank) {
        for solver in Solver::all() {
            for (viscosity, xsph) in [(0.5, 0.0), (0.0, 0.0), (0.0, 0.1), (0.5, 0.1)] {
                let mut scene = tank.clone();
                scene.solver = solver;
                (scene.material.viscosity, scene.material.xsph) = (viscosity, xsph);
                scenes.push(scene);
            }
        }
        scenes.extend(accurate(&tank));
        scenes.extend(viscous(&tank));
        scenes.extend(uncorrected(&tank));
    }
    let probe = Probe::parse("FloorForce").expect("a probe");
    for scene in &mut scenes {
        scene.probes = vec![probe.clone()];
    }
    scenes
}

/// A kinematic viscosity that needs several stages, m²/s.
const THICK: f32 = 10.0;

/// The combinations of a solver's accurate mode, which decides on the density itself and refuses XSPH.
fn accurate(tank: &Scene) -> impl Iterator<Item = Scene> {
    (0..4).map(|terms| {
        let mut scene = tank.clone();
        scene.solver_settings.parse("wcsph.accurate=1").expect("it is a setting");
        scene.solver = Solver::named("wcsph").expect("it is in the registry");
        scene.material.surface_tension = if terms & 1 == 1 { 0.07 } else { 0.0 };
        scene.material.viscosity = if terms & 2 == 2 { 0.0 } else { scene.material.viscosity };
        scene
    })
}

/// The combinations of DFSPH without corrected gradients or with a viscosity that needs several stages.
fn viscous(tank: &Scene) -> impl Iterator<Item = Scene> {
    (0..8).filter(|terms| terms & 3 != 0).map(|terms| {
        let mut scene = tank.clone();
        scene.solver = Solver::named("dfsph").expect("it is in the registry");
        scene.material.kinematic_viscosity = if terms & 1 == 1 { THICK } else { 0.0 };
        if terms & 2 == 2 {
            scene.solver_settings.parse("dfsph.corrected=0").expect("it is a setting");
            scene.material.viscosity = if terms & 1 == 1 { 0.0 } else { scene.material.viscosity };
        }
        // The combinations of these two alone are among those of all solvers.
        scene.material.surface_tension = if terms & 4 == 4 { 0.07 } else { 0.0 };
        scene.material.xsph = if terms & 4 == 4 { 0.1 } else { 0.0 };
        scene
    })
}

/// The combinations of PBF without corrected gradients, and with a viscosity that needs several stages.
fn uncorrected(tank: &Scene) -> impl Iterator<Item = Scene> {
    let thick = [0.0, 0.1].into_iter().map(|xsph| {
        let mut scene = tank.clone();
        scene.solver = Solver::named("pbf").expect("it is in the registry");
        scene.material.kinematic_viscosity = THICK;
        scene.material.xsph = xsph;
        scene
    });
    thick.chain([0.0, 0.5].into_iter().map(|viscosity| {
        let mut scene = tank.clone();
        scene.solver = Solver::named("pbf").expect("it is in the registry");
        scene.solver_settings.parse("pbf.corrected=0").expect("it is a setting");
        scene.material.viscosity = viscosity;
        scene
    }))
}

/// The solvers that bear tension with an ambient pressure, with all other terms and with none.
fn torn(tank: &Scene) -> impl Iterator<Item = Scene> {
    let with = |solver: &'static str, setting: &'static str, terms: u32| {
        let mut scene = tank.clone();
        scene.solver = Solver::named(solver).expect("it is in the registry");
        scene.solver_settings.parse(setting).expect("it is a setting");
        scene.material.ambient_pressure = 101_325.0;
        scene.material.viscosity = if terms & 1 == 1 { 0.0 } else { scene.material.viscosity };
        scene.material.xsph = if terms & 2 == 2 { 0.1 } else { 0.0 };
        scene.material.surface_tension = if terms & 4 == 4 { 0.07 } else { 0.0 };
        scene.material.kinematic_viscosity = if terms & 8 == 8 { 0.1 } else { 0.0 };
        scene
    };
    let solvers = ["dfsph.corrected=1", "dfsph.corrected=0", "pbf.corrected=1", "pbf.corrected=0"];
    solvers.into_iter().flat_map(move |setting| {
        let solver = setting.split('.').next().expect("a group");
        [0, 15].into_iter().map(move |terms| with(solver, setting, terms))
    })
}

/// The settings with which every pair kernel of a step is combined with the search itself.
pub fn without_list() -> SearchOptions {
    let mut options = SearchOptions::default();
    options.parse("neighbor-list=off").expect("it is a setting");
    options
}

/// Creates a simulation of a scene and requests all of its passes.
pub fn rehearse(
    gpu: &Arc<Gpu>,
    scene: &Scene,
    search: &'static SearchInfo,
    kernel: SmoothingKernel,
) -> Result<(), String> {
    let (options, size) = (without_list(), Size::Count(300));
    let settings = Settings { search, options, kernel, size, seed: 7, edits: SceneEdits::default() };
    let fail = |error: nearwater::fluid::FluidError| error.to_string();
    let mut simulation = Simulation::new(gpu, scene, &settings).map_err(fail)?;
    simulation.observe().map_err(fail)?;
    simulation.make_smoothed_positions().map_err(fail)?;
    // Separate passes maintain the order in memory.
    simulation.shuffle_memory(7).map_err(fail)?;
    simulation.set_resort_interval(4).map_err(fail)
}
