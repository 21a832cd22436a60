//! Everything besides fluids that compiles shaders: primitives, neighbor lists, the kernel sum of the benchmarks, and
//! the laboratory.

use std::sync::Arc;

use glam::{UVec3, Vec3};
use nearwater::bench::{SearchTrial, TrialInput};
use nearwater::fluid::{EventRequest, EventWatch, SceneEdits, Settings, Simulation, Size, SmoothingKernel};
use nearwater::gpu::{Gpu, Phase};
use nearwater::laboratory::{
    Badge, BadgeInput, BreakIt, CostMap, Gatherer, Inspector, Marker, PRESETS, Places, Undamaged,
};
use nearwater::neighbors::Neighbors;
use nearwater::primitives::{BitonicSort, ExclusiveScan, RadixSort};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{
    Domain, InspectedSearch, NeighborList, SearchInfo, SearchInput, SearchOptions, schedule_of_cell, search_named,
};

use crate::every_search::{EVERY_SEARCH, over_particles};
use crate::fluids::{rehearse as rehearse_fluid, scenes, without_list};

/// Number of particles.
const COUNT: u32 = 300;

/// Creates each of them once.
pub fn rehearse(gpu: &Arc<Gpu>) {
    primitives(gpu);
    searches(gpu);
    laboratory(gpu);
    gathering(gpu);
    lessons(gpu);
}

fn primitives(gpu: &Arc<Gpu>) {
    // One tile, several tiles, and so many that a scan needs another level.
    for count in [1, 5_001, 3_000_001] {
        let [keys, values] = ["keys", "values"].map(|label| gpu.storage::<u32>(label, count.into()).expect("memory"));
        // The size is not a multiple of 16 bytes.
        let odd = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("odd"),
            size: 4 * u64::from(count),
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        ExclusiveScan::new(gpu, &odd, count).expect("memory").passes(gpu, Phase::Build).expect("it is valid");
        ExclusiveScan::new(gpu, &values, count).expect("memory").passes(gpu, Phase::Build).expect("it is valid");
        RadixSort::new(gpu, &keys, &values, count, 30).expect("memory").passes(gpu, Phase::Build).expect("it is valid");
        BitonicSort::new(gpu, &keys, &values, count).expect("memory").passes(gpu, Phase::Build).expect("it is valid");
    }
}

fn searches(gpu: &Arc<Gpu>) {
    let search = over_particles(gpu, COUNT);
    search.build_passes(gpu).expect("they are valid");
    NeighborList::new(gpu, &*search).expect("they are valid");
    Neighbors::rehearse(gpu, &EVERY_SEARCH, COUNT, domain()).expect("they are valid");
    schedules(gpu);
    let positions = gpu.storage::<[f32; 4]>("positions", COUNT.into()).expect("memory");
    let configuration = SearchConfiguration { search: &EVERY_SEARCH, options: SearchOptions::default() };
    let input = TrialInput { positions, particle_count: COUNT, domain: domain() };
    let mut trial = SearchTrial::new(gpu, input, vec![configuration], 1).expect("the adapter has timestamps");
    while !trial.progress().is_done() {
        trial.advance(gpu).expect("they are valid");
    }
}

/// Reads the schedules of the searches that have one.
fn schedules(gpu: &Arc<Gpu>) {
    let positions = gpu.storage::<[f32; 4]>("positions", COUNT.into()).expect("memory");
    let domain = domain();
    for configuration in SearchConfiguration::all() {
        let input =
            SearchInput { positions: &positions, particle_count: COUNT, domain, options: &configuration.options };
        let search = configuration.search.create(gpu, input).expect("it takes the particles");
        schedule_of_cell(gpu, &*search, UVec3::ZERO).expect("it is valid");
    }
}

/// Creates a fluid with a search that gathers, for which the fluid lists the particles near walls.
fn gathering(gpu: &Arc<Gpu>) {
    let search = search_named("hoetzlein").expect("a search");
    rehearse_fluid(gpu, &scenes()[0], search, SmoothingKernel::default()).expect("they are valid");
}

/// Runs a lesson that makes a search fail.
fn lessons(gpu: &Arc<Gpu>) {
    let positions: Vec<Vec3> = (0..COUNT).map(|index| Vec3::splat(4.0 * index as f32 / COUNT as f32)).collect();
    let configuration =
        SearchConfiguration { search: SearchInfo::default_for_scenes(), options: SearchOptions::default() };
    let undamaged = Undamaged { positions: &positions, domain: domain(), configuration: &configuration, seed: 7 };
    let mut lesson = BreakIt::new(gpu, &PRESETS[0], undamaged).expect("the adapter has timestamps");
    while !lesson.advance(gpu).expect("they are valid").is_done() {}
}

fn domain() -> Domain {
    Domain::new(Vec3::ZERO, Vec3::splat(4.0), 1.0).expect("a box")
}

fn laboratory(gpu: &Arc<Gpu>) {
    let settings = Settings {
        search: &EVERY_SEARCH,
        options: without_list(),
        kernel: SmoothingKernel::default(),
        size: Size::Count(COUNT),
        seed: 7,
        edits: SceneEdits::default(),
    };
    let simulation = Simulation::new(gpu, &scenes()[0], &settings).expect("they are valid");
    let subject = simulation.subject();
    Inspector::new(gpu, subject).expect("they are valid");
    Inspector::new(gpu, InspectedSearch { densities: None, ..subject }).expect("they are valid");
    CostMap::new(gpu, &simulation).expect("they are valid");
    Gatherer::new(gpu, &simulation).expect("they are valid");
    let particles = simulation.particles();
    Marker::new(gpu, particles.velocities, particles.count).expect("they are valid");
    let cells = simulation.search_cells().expect("it has cells");
    Places::find(gpu, particles.positions, particles.count, cells).expect("they are valid");
    let input = BadgeInput {
        search: simulation.search(),
        domain: simulation.search_domain(),
        identities: None,
        particle_count: particles.count,
    };
    Badge::new(gpu, input, 7).expect("they are valid");
    events(gpu, &simulation);
}

/// Measures sensors and splashes.
fn events(gpu: &Gpu, simulation: &Simulation) {
    let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let request = EventRequest { splashes: true, ..EventRequest::default() };
    EventWatch::default().record(gpu, &mut encoder, simulation, &request).expect("they are valid");
}
