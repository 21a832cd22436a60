//! `nearwater pace`: how fast this device runs a scene, and what the app would choose on it.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::UVec2;
use nearwater::bench::{BenchError, median};
use nearwater::depiction::{Depiction, depict, prepare, preparing_passes};
use nearwater::files::{check_writable, write_whole};
use nearwater::fluid::{Scene, Settings, Simulation, Solver};
use nearwater::format;
use nearwater::gpu::{Gpu, PassTimer, record};
use nearwater::pace::{
    Choice, DeviceBook, LaunchMeasurement, PRESETS, PaceModel, PaceSurvey, SceneLoad, Surveyed, Wanted, choose,
    choose_steps, device_key, leading_searches, reference_of, usual_budget,
};
use nearwater::render::{Canvas, DrawStyle, Splatting, View, usual_samples};
use nearwater::search::SEARCHES;

use super::CommandError;
use super::arguments::{Common, DEFAULT_SCENE, PaceArguments, scene_named};
use super::table::Table;

/// Most passes of a picture.
const MOST_DRAWING_PASSES: u32 = 64;
/// Pictures over which the times of drawing passes are medians.
const PICTURES: u32 = 40;
/// Longest time that the measurement at the start of the app may take.
pub const LAUNCH_LIMIT: Duration = Duration::from_millis(500);

/// Measures the device as the app does when it starts, and prints what it chooses and what the presets would cost; with
/// `--all`, times every pair of solver and search.
pub fn run(common: &Common, arguments: &PaceArguments) -> Result<ExitCode, CommandError> {
    arguments.book.as_deref().map(check_writable).transpose()?;
    let scene = scene_named(arguments.scene.as_deref().unwrap_or(DEFAULT_SCENE))?;
    let gpu = common.gpu()?;
    let mut settings = common.settings_for(&scene, &gpu)?;
    let key = device_key(&gpu.capabilities);
    outln!("{key}\n");
    let mut book = DeviceBook::new(&key);
    if arguments.drawing {
        drawing_passes(&gpu, &scene, &settings, arguments.size)?;
    } else if arguments.all {
        survey(&gpu, &scene, &settings, &mut book)?;
    } else {
        let started = Instant::now();
        let choice = launch(&gpu, &scene, &mut settings, arguments.size, &mut book)?;
        outln!("measured in {:.2} s: {}\n", started.elapsed().as_secs_f64(), told(choice.as_ref()));
        presets(&gpu, &settings.edits.applied_to(&scene), &settings, arguments.size, &book)?;
    }
    if let Some(file) = &arguments.book {
        write(&book, file)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures the device for at most [`LAUNCH_LIMIT`], and chooses solver, search and number of particles for the scene;
/// on devices that are far too slow it also changes the solvers' settings.
pub fn launch(
    gpu: &Arc<Gpu>,
    scene: &Scene,
    settings: &mut Settings,
    size: UVec2,
    book: &mut DeviceBook,
) -> Result<Option<Choice>, CommandError> {
    let class = gpu.capabilities.class;
    // The program's first scene is there to show what the device can do. Other scenes are made for their solver and
    // their number of particles, which is at most reduced.
    let is_first = scene.name == DEFAULT_SCENE;
    let solvers: Vec<_> = Solver::fluids().filter(|solver| is_first || *solver == scene.solver).collect();
    let most = if is_first { class.most_chosen_count() } else { scene.usual_count(class) };
    if is_first {
        choose_steps(class, &mut settings.edits.solver_settings);
    }
    let edited = settings.edits.applied_to(scene);
    let style = DrawStyle::default_for(class);
    let measurement = LaunchMeasurement {
        gpu,
        wanted: Wanted {
            scene: load_of(gpu, &edited, settings, style, size),
            solvers: &solvers,
            searches: &leading_searches(class),
            limits: &|_| (class.least_chosen_count().min(most), most),
            particles: None,
        },
        settings,
        depiction: Depiction { style, ..Depiction::default() },
    };
    Ok(measurement.run(book, LAUNCH_LIMIT)?)
}

fn load_of<'a>(gpu: &Gpu, scene: &'a Scene, settings: &Settings, style: DrawStyle, size: UVec2) -> SceneLoad<'a> {
    let budget = usual_budget(gpu.capabilities.class);
    SceneLoad { scene, kernel: settings.kernel, style, size, budget }
}

fn told(choice: Option<&Choice>) -> String {
    choice.map_or_else(|| "no time is known for this scene".into(), ToString::to_string)
}

/// Prints what each preset would cost with the best solver, for the leading searches and for the fastest one.
fn presets(
    gpu: &Arc<Gpu>,
    scene: &Scene,
    settings: &Settings,
    size: UVec2,
    book: &DeviceBook,
) -> Result<(), CommandError> {
    let class = gpu.capabilities.class;
    let solvers: Vec<_> = Solver::fluids().collect();
    let columns = ["preset", "particles", "solver", "search", "step ms", "drawing ms", "times real time"];
    let mut table = Table::new(&columns, None)?;
    let model = PaceModel { reference: reference_of(class), measured: book };
    for preset in PRESETS {
        let mut told = None;
        for searches in [&leading_searches(class)[..], SEARCHES] {
            let wanted = Wanted {
                scene: load_of(gpu, scene, settings, DrawStyle::default_for(class), size),
                solvers: &solvers,
                searches,
                limits: &|_| (1, u32::MAX),
                particles: Some(preset.particles),
            };
            let Some(choice) = choose(&model, &wanted)? else { continue };
            let Choice { solver, search, particles, load } = choice;
            // On a software adapter every search leads.
            if told.replace((solver, search.name)) == Some((solver, search.name)) {
                continue;
            }
            table.add(&[
                preset.name.into(),
                format::count(particles.into()),
                solver.label().into(),
                search.title.into(),
                format::number(load.step),
                format::number(load.drawing),
                format::number(load.capacity()),
            ]);
        }
    }
    table.finish()
}

fn survey(gpu: &Arc<Gpu>, scene: &Scene, settings: &Settings, book: &mut DeviceBook) -> Result<(), BenchError> {
    outln!("| what | particles or pixels | state | ms |\n|---|---|---|---|");
    PaceSurvey { gpu, scene, settings }.run(|found| {
        match &found {
            Surveyed::Step(time) => outln!(
                "| {} with {} | {} | {:?} | {:.4} |",
                time.solver,
                time.search,
                time.particles,
                time.motion,
                time.milliseconds
            ),
            Surveyed::Drawing(time) => outln!(
                "| {:?} | {}, {} | drawing | {:.4} |",
                time.style,
                time.particles,
                time.pixels,
                time.milliseconds
            ),
            Surveyed::Splatting(splatting) => outln!("| splats | | drawing | {} |", splatting.name()),
        }
        book.extend([found]);
    })
}

/// Prints the median time of every pass that draws the scene's first frame, for each style.
fn drawing_passes(gpu: &Arc<Gpu>, scene: &Scene, settings: &Settings, size: UVec2) -> Result<(), CommandError> {
    let mut simulation = Simulation::new(gpu, scene, settings)?;
    gpu.submit(|encoder| simulation.record_densities(encoder, None));
    let camera = &scene.camera;
    let view = View::perspective(camera.eye, camera.target, camera.vertical_fov_degrees, size);
    outln!("{} particles, {} x {} pixels", format::count(simulation.particles().count.into()), size.x, size.y);
    let mut table = Table::new(&["style", "splats", "pass", "ms"], None)?;
    let depictions = DrawStyle::ALL
        .into_iter()
        .flat_map(|style| Splatting::ALL.map(|splatting| Depiction { style, splatting, ..Depiction::default() }));
    for depiction in depictions {
        let mut canvas = Canvas::with_samples(gpu, size, usual_samples(gpu.capabilities.class))?;
        let mut timer = PassTimer::new(gpu, MOST_DRAWING_PASSES);
        let mut times: Vec<(&str, Vec<f64>)> = Vec::new();
        prepare(gpu, &mut simulation, depiction)?;
        for _ in 0..PICTURES {
            gpu.submit(|encoder| record(preparing_passes(&simulation, depiction), encoder, Some(&mut timer)));
            let (look, drawn) = depict(&simulation, depiction);
            canvas.draw(&view, &look, &drawn, Some(&mut timer))?;
            gpu.submit(|encoder| timer.resolve(gpu, encoder));
            gpu.wait()?;
            for passes in timer.collect(gpu) {
                times.resize(passes.len().max(times.len()), ("", Vec::new()));
                for (pass, (label, values)) in passes.iter().zip(&mut times) {
                    *label = pass.label;
                    values.push(pass.milliseconds);
                }
            }
        }
        for (label, values) in times {
            let median = median(values).unwrap_or_default();
            let splats = depiction.splatting.name();
            table.add(&[depiction.style.label().into(), splats.into(), label.into(), format!("{median:.3}")]);
        }
    }
    table.finish()
}

fn write(book: &DeviceBook, file: &Path) -> Result<(), CommandError> {
    Ok(write_whole(file, |writer| std::io::Write::write_all(writer, book.to_text().as_bytes()))?)
}
