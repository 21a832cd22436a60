//! Compiles the shaders of the other searches, of the next scene and of the other solvers in the background, so that
//! switching to them does not stop a frame, and keeps what was compiled for the next start.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use bevy::prelude::*;

use crate::app::kept_pipelines::keep_pipelines;
use crate::app::plugin::SharedGpu;
use crate::app::{Controls, WaterReport};
use crate::fluid::{Scene, SceneEdits, Settings, Simulation, Size, Solver};
use crate::gpu::{AdapterClass, Gpu};
use crate::laboratory::BadgeKeeper;
use crate::search::{SEARCHES, SearchInfo};

/// Most particles of the simulations that are made only to compile their shaders. Some shaders depend on the number of
/// cells, so it is that of the running simulation where memory allows.
const MOST: u32 = 1_048_576;

/// The thread that compiles, and what it has been asked for.
#[derive(Resource)]
pub(super) struct Background {
    thread: Option<JoinHandle<()>>,
    /// Tells the thread to stop after the search that it is at.
    stop: Arc<AtomicBool>,
    /// What ran when shaders were compiled last.
    compiled: Option<(String, Solver, &'static str)>,
    /// Where compiled shaders are kept; `None` keeps them nowhere.
    pipelines: Option<PathBuf>,
}

impl Background {
    pub(super) fn keeping(pipelines: Option<PathBuf>) -> Self {
        Self { thread: None, stop: Arc::default(), compiled: None, pipelines }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing to say here.
            drop(thread.join());
        }
    }
}

/// Starts to compile shaders when another scene, solver or search runs; those that are compiled already cost little.
/// Software adapters are left alone, because the compiler would take the processor from the simulation.
pub(super) fn compile_ahead(
    mut background: ResMut<Background>,
    controls: Res<Controls>,
    report: Res<WaterReport>,
    gpu: Res<SharedGpu>,
) {
    let is_busy = background.thread.as_ref().is_some_and(|thread| !thread.is_finished());
    let Some(gpu) = gpu.0.as_ref().filter(|gpu| gpu.capabilities.class != AdapterClass::Software) else { return };
    let (applied, has_steps, particles) = {
        let report = report.lock();
        let particles = report.running.as_ref().map_or(0, |running| running.resolution.particle_count);
        (report.applied, report.step_count > 0, particles)
    };
    // The running search comes first: nothing competes with it until it has made a step.
    if is_busy || !has_steps || applied != controls.revision || controls.code.is_editing {
        return;
    }
    let solver = controls.settings.edits.applied_to(&controls.scene).solver;
    let wanted = (controls.scene.name.clone(), solver, controls.settings.search.name);
    if background.compiled.as_ref() == Some(&wanted) {
        return;
    }
    background.compiled = Some(wanted);
    let job = Compilation {
        gpu: Arc::clone(gpu),
        scene: Arc::clone(&controls.scene),
        next_scene: controls.scene_after().to_owned(),
        settings: Settings { size: Size::Count(particles.min(MOST)), ..controls.settings.clone() },
        solver,
        stop: Arc::clone(&background.stop),
    };
    let file = background.pipelines.clone();
    let work = move || {
        job.run();
        if let Some(Err(sentence)) = file.map(|file| keep_pipelines(&job.gpu, &file)) {
            // They are compiled again next time, so this is not worth a message in the window.
            warn!("{sentence}");
        }
    };
    background.thread = std::thread::Builder::new().name("shaders ahead".into()).spawn(work).ok();
}

struct Compilation {
    gpu: Arc<Gpu>,
    scene: Arc<Scene>,
    /// Name of the scene that the key for the next scene opens.
    next_scene: String,
    settings: Settings,
    solver: Solver,
    stop: Arc<AtomicBool>,
}

impl Compilation {
    fn run(&self) {
        let next = Scene::load(&self.next_scene).ok().map(Arc::new);
        let of_next = next.iter().map(|scene| {
            let edits = SceneEdits::default();
            (Arc::clone(scene), Settings { edits, ..self.settings.clone() })
        });
        let of_searches = self.searches().map(|search| Settings { search, ..self.settings.clone() });
        let solvers = Solver::fluids().filter(|solver| *solver != self.solver);
        let of_solvers = solvers.map(|solver| {
            let mut settings = self.settings.clone();
            settings.edits.solver = Some(solver);
            settings
        });
        let here = |settings| (Arc::clone(&self.scene), settings);
        // Searches share a simulation of the scene, and so do solvers, since to sample its solids takes long.
        let mut simulation_here: Option<Simulation> = None;
        for (scene, settings) in of_searches.map(here).chain(of_next).chain(of_solvers.map(here)) {
            if self.stop.load(Ordering::Relaxed) || self.gpu.lost().is_some() {
                return;
            }
            let is_here = Arc::ptr_eq(&scene, &self.scene);
            let made = match simulation_here.take().filter(|_| is_here) {
                Some(mut simulation) => simulation.change(&settings).map(|()| simulation),
                None => Simulation::new(&self.gpu, &scene, &settings),
            };
            // A search that refuses the scene is refused again, with its reason, when the user selects it.
            if let Ok(mut simulation) = made {
                // The badge, which is on by default here, has shaders of its own for each search.
                drop(simulation.make_smoothed_positions());
                BadgeKeeper::default().follow(&self.gpu, &simulation, Some(true));
                simulation_here = Some(simulation).filter(|_| is_here);
            }
        }
    }

    /// The other searches, those first that the keys for the next and the previous search reach first.
    fn searches(&self) -> impl Iterator<Item = &'static SearchInfo> {
        let count = SEARCHES.len();
        let running = SEARCHES.iter().position(|search| *search == self.settings.search).unwrap_or_default();
        let mut others: Vec<usize> = (1..count).collect();
        others.sort_by_key(|&ahead| ahead.min(count - ahead));
        others.into_iter().map(move |ahead| SEARCHES[(running + ahead) % count])
    }
}
