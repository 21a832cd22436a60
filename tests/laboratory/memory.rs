//! Tests of what the laboratory reads from memory: blocks, strips and reports of single passes must agree with the
//! buffers on the device.

use std::path::Path;

use crate::common;
use crate::shader_folder::{gpu_with_shaders, write_shaders};
use crate::tank;
use glam::Vec3;
use nearwater::fluid::{Scene, SceneEdits, Settings, Simulation, Size, SmoothingKernel, Solver};
use nearwater::gpu::{
    Access, Dispatch, ElementType, Gpu, Pass, PassDescriptor, Phase, ShaderVariant, read_buffer, record,
};
use nearwater::laboratory::{
    BlockReader, Counts, Focus, Format, LaboratoryError, MOST_CELLS_READ, MemoryMap, PassReport, Space, Stepper,
    StripReader, StripRequest,
};
use nearwater::search::fixtures::{Fixture, FixtureSize, fixtures};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{Block, BlockClass, BlockTable, Blocks, SEARCHES, SearchOptions, Specimen, search_named};

const SEED: u64 = 20_261_122;

/// Writes the cell of each particle and whether it is a border particle, with the functions that the searches use.
const WRITE_CELLS: &str = "
#import nearwater::grid
#import nearwater::grid::Grid
@group(0) @binding(0) var<uniform> cell_grid: Grid;
@group(0) @binding(1) var<storage, read> sorted_positions: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> written: array<vec2<u32>>;
@compute @workgroup_size(64)
fn write_cells(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&written) {
        let position = sorted_positions[id.x].xyz;
        let cell = grid::cell_index(cell_grid, grid::cell_coord(cell_grid, position));
        written[id.x] = vec2<u32>(cell, u32(grid::is_border(cell_grid, position)));
    }
}
";

/// Opens a device whose shaders include the one above.
fn gpu_with_cell_writer(folder: &Path) -> std::sync::Arc<Gpu> {
    write_shaders(folder);
    std::fs::write(folder.join("write_cells.wgsl"), WRITE_CELLS).expect("a temporary folder");
    gpu_with_shaders(folder)
}

fn positions_of(gpu: &Gpu, fixture: &Fixture) -> wgpu::Buffer {
    let padded: Vec<[f32; 4]> = fixture.positions.iter().map(|position| position.extend(0.0).to_array()).collect();
    gpu.storage_with("positions", &padded).expect("the buffer fits")
}

/// A search over a fixture whose build has run once.
fn built(gpu: &Gpu, configuration: &SearchConfiguration, fixture: &Fixture) -> Specimen {
    let positions = positions_of(gpu, fixture);
    let count = fixture.positions.len() as u32;
    let specimen = Specimen::new(gpu, configuration, (&positions, count), fixture.domain).expect("a small input");
    gpu.submit(|encoder| record(&specimen.build, encoder, None));
    specimen
}

fn blocks_now(gpu: &Gpu, blocks: &Blocks, cells: std::ops::Range<u32>) -> Vec<Block> {
    let mut reader = None;
    gpu.submit(|encoder| {
        reader = Some(BlockReader::ask(gpu, encoder, blocks, cells.clone()).expect("the cells exist"));
    });
    gpu.wait().expect("the device answers");
    reader.expect("the read-back was recorded").take(gpu).expect("the blocks have arrived")
}

#[test]
fn blocks_cover_the_sorted_order_and_contain_the_particles_of_their_cell_and_class() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let gpu = gpu_with_cell_writer(folder.path());
    let fixtures = fixtures(FixtureSize::Small, SEED).expect("fixtures have valid boxes");
    let names = ["uniform 4097", "clustered", "on faces and corners of coarse cells", "some very far outside the box"];
    let (mut with_blocks, mut classes_seen) = (0, [0; 2]);
    for name in names {
        let fixture = fixtures.iter().find(|fixture| fixture.name == name).expect("a fixture with that name");
        for configuration in SearchConfiguration::all() {
            let specimen = built(&gpu, &configuration, fixture);
            let Some(blocks) = specimen.search.blocks() else {
                assert_eq!(configuration.search.name, "brute_force", "{configuration} has no blocks");
                continue;
            };
            if blocks.cell_count() > MOST_CELLS_READ {
                continue;
            }
            with_blocks += 1;
            let cells = specimen.search.cells().expect("a search with blocks has cells");
            let uniform = gpu.uniform("cells", &cells.grid());
            let count = specimen.particle_count as usize;
            // Not `Gpu::storage`, which rounds up the size, since the shader reads the number of particles from it.
            let written = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("written"),
                size: 8 * count as u64,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            let bound = [
                ("cell_grid", &uniform),
                ("sorted_positions", specimen.search.sorted_positions()),
                ("written", &written),
            ];
            let shader = ShaderVariant::new("write_cells.wgsl");
            let dispatch = Dispatch::Invocations(count as u64);
            let pass = Pass::new(
                &gpu,
                PassDescriptor {
                    phase: Phase::Physics,
                    label: "write cells",
                    shader: &shader,
                    entry_point: "write_cells",
                    buffers: &bound,
                    dispatch,
                },
            );
            let pass = pass.expect("the shader compiles");
            gpu.submit(|encoder| record([&pass], encoder, None));
            let written: Vec<[u32; 2]> = read_buffer(&gpu, &written, count).expect("the device answers");

            let all = blocks_now(&gpu, &blocks, 0..blocks.cell_count());
            let mut place = 0;
            for block in &all {
                assert_eq!(
                    block.start, place,
                    "{configuration} on {name}: {block:?} does not follow the block before it"
                );
                assert_eq!(block.class.is_some(), cells.border.is_some(), "{configuration}");
                for particle in block.start..block.end {
                    let [cell, is_border] = written[particle as usize];
                    assert_eq!(cell, block.cell, "{configuration} on {name}: particle {particle} in {block:?}");
                    if let Some(class) = block.class {
                        let expected = if is_border == 1 { BlockClass::Border } else { BlockClass::Inner };
                        assert_eq!(class, expected, "{configuration} on {name}: particle {particle} in {block:?}");
                        classes_seen[is_border as usize] += 1;
                    }
                }
                place = block.end;
            }
            assert_eq!(place as usize, count, "{configuration} on {name}: the blocks do not cover all particles");
            // Reading a single cell, including the last one, gives the same blocks.
            for cell in [0, blocks.cell_count() / 2, blocks.cell_count() - 1] {
                let of_cell: Vec<Block> = all.iter().copied().filter(|block| block.cell == cell).collect();
                assert_eq!(
                    blocks_now(&gpu, &blocks, cell..cell + 1),
                    of_cell,
                    "{configuration} on {name}: cell {cell}"
                );
            }
        }
    }
    assert!(with_blocks > 40, "only {with_blocks} builds were checked");
    assert!(classes_seen.iter().all(|&seen| seen > 1_000), "{classes_seen:?} inner and border particles");
}

#[test]
fn cells_that_do_not_exist_are_refused_with_a_message() {
    let gpu = common::gpu();
    let fixtures = fixtures(FixtureSize::Small, SEED).expect("fixtures have valid boxes");
    let fixture = fixtures.iter().find(|fixture| fixture.name == "uniform 1025").expect("a fixture with that name");
    let search = search_named("green").expect("a registered search");
    let specimen = built(&gpu, &SearchConfiguration { search, options: SearchOptions::default() }, fixture);
    let blocks = specimen.search.blocks().expect("Green has cells");
    let count = blocks.cell_count();
    gpu.submit(|encoder| {
        for cells in [count..count + 1, 3..3] {
            let refused = BlockReader::ask(&gpu, encoder, &blocks, cells).err().expect("the cells do not exist");
            assert!(refused.to_string().contains(&format!("the search has {count} cells")), "{refused}");
        }
    });
}

#[test]
fn every_buffer_of_every_build_pass_is_described_with_its_length() {
    let gpu = common::gpu();
    let fixtures = fixtures(FixtureSize::Small, SEED).expect("fixtures have valid boxes");
    let fixture = fixtures.iter().find(|fixture| fixture.name == "uniform 4097").expect("a fixture with that name");
    for configuration in SearchConfiguration::all() {
        let specimen = built(&gpu, &configuration, fixture);
        for pass in &specimen.build {
            let declared = gpu.shaders().declarations(pass.shader()).expect("the files exist");
            assert!(!pass.bindings().is_empty(), "{configuration}: {} binds nothing", pass.label);
            assert!(
                pass.bindings().iter().any(|bound| bound.access.writes()),
                "{configuration}: {} writes nothing",
                pass.label
            );
            for bound in pass.bindings() {
                let found = declared.iter().find(|found| found.name == bound.name && found.place == bound.place);
                let found = found.unwrap_or_else(|| panic!("{configuration}: {} is declared nowhere", bound.name));
                assert!(found.length.is_some() && !found.description.is_empty(), "{configuration}: {found:?}");
            }
        }
        let counts = Counts {
            particles: specimen.particle_count,
            cells: specimen.search.cells().map(|cells| cells.counts.element_product()),
        };
        let map = MemoryMap::new(&gpu, &specimen.build, counts).expect("the files exist");
        let sorted = map.of(specimen.search.sorted_positions()).expect("the build writes it");
        assert_eq!((sorted.space, sorted.length), (Space::Particles, 4_097), "{configuration}: {sorted:?}");
        assert_eq!(sorted.format, Format::VectorAndIndex, "{configuration}");
        let input = map.named("positions").expect("the build reads it");
        assert_eq!((input.space, input.length), (Space::OriginalParticles, 4_097), "{configuration}");
        if let Some(blocks) = specimen.search.blocks() {
            let table = map.of(&blocks.buffer).expect("the build writes it");
            // Rows with more words than cells are no array of cells.
            let has_rows = matches!(blocks.table, BlockTable::StartsOfRows);
            assert!(has_rows || matches!(table.space, Space::Cells | Space::Blocks), "{configuration}: {table:?}");
            let of_cell = table.length * table.words_per_element() / counts.cells.map_or(1, u64::from);
            assert!((1..=4).contains(&of_cell), "{configuration}: {} elements in {table:?}", table.length);
        }
    }
}

#[test]
fn a_pass_reports_the_names_types_and_accesses_of_its_buffers() {
    let gpu = common::gpu();
    let fixtures = fixtures(FixtureSize::Small, SEED).expect("fixtures have valid boxes");
    let fixture = fixtures.iter().find(|fixture| fixture.name == "uniform 1025").expect("a fixture with that name");
    let search = search_named("hoetzlein").expect("a registered search");
    let specimen = built(&gpu, &SearchConfiguration { search, options: SearchOptions::default() }, fixture);
    let described = |label: &str| {
        let pass = specimen.build.iter().find(|pass| pass.label == label).expect("the build has it");
        let describe = |bound: &nearwater::gpu::BoundBuffer| {
            (bound.name.clone(), bound.access, bound.layout.element.wgsl(), bound.layout.stride)
        };
        (pass.bindings().iter().map(describe).collect::<Vec<_>>(), pass.entry_point(), pass.shader().file)
    };
    let bound = |name: &str, access, element: &str, stride| (name.to_owned(), access, element.to_owned(), stride);
    assert_eq!(
        described("clear cells"),
        (vec![bound("cell_counters", Access::Write, "atomic<u32>", 4)], "clear_cells", "search/hoetzlein.wgsl")
    );
    assert_eq!(
        described("scatter").0,
        [
            bound("positions", Access::Read, "vec4<f32>", 16),
            bound("cell_start", Access::Read, "u32", 4),
            bound("cell_and_place", Access::Read, "vec2<u32>", 8),
            bound("sorted_positions", Access::Write, "vec4<f32>", 16),
        ]
    );
    assert_eq!(described("count particles").0[1].1, Access::ReadWrite, "an atomic addition reads and writes");
    let fenns = SearchConfiguration {
        search: search_named("fenns").expect("a registered search"),
        options: SearchOptions::default(),
    };
    let fenns = built(&gpu, &fenns, fixture);
    let memory =
        |label: &str| fenns.build.iter().find(|pass| pass.label == label).expect("the build has it").workgroup_bytes();
    // One counter per coarse cell: 8,000, or as many as fit.
    let limit = gpu.capabilities.limits.max_compute_workgroup_storage_size;
    assert_eq!(memory("count particles"), 4 * (limit / 4).min(8_000));
    assert_eq!(memory("clear coarse cells"), 0);
}

#[test]
fn strips_contain_the_words_of_the_buffers_and_link_sorted_places_with_the_input() {
    let gpu = common::gpu();
    let fixtures = fixtures(FixtureSize::Small, SEED).expect("fixtures have valid boxes");
    let fixture = fixtures.iter().find(|fixture| fixture.name == "uniform 4097").expect("a fixture with that name");
    for &search in SEARCHES {
        let specimen = built(&gpu, &SearchConfiguration { search, options: SearchOptions::default() }, fixture);
        let counts = Counts {
            particles: specimen.particle_count,
            cells: specimen.search.cells().map(|cells| cells.counts.element_product()),
        };
        let map = MemoryMap::new(&gpu, &specimen.build, counts).expect("the files exist");
        let middle = |entry: &nearwater::laboratory::MemoryEntry| entry.length / 2;
        let requests: Vec<StripRequest> =
            map.entries().iter().map(|entry| StripRequest::around(entry, middle(entry), 501)).collect();
        let mut reader = StripReader::default();
        gpu.submit(|encoder| reader.ask(&gpu, encoder, &requests).expect("valid windows"));
        gpu.wait().expect("the device answers");
        let strips = reader.take(&gpu).expect("the strips have arrived");
        assert_eq!(strips.len(), map.entries().len());
        for strip in &strips {
            let words = strip.entry.words_per_element() as usize;
            let (start, end) = (strip.window.start as usize, strip.window.end as usize);
            assert!(strip.window.contains(&(strip.entry.length / 2)) && end - start <= 501);
            let whole: Vec<u32> = read_buffer(&gpu, &strip.entry.buffer, end * words).expect("the device answers");
            assert_eq!(strip.words, whole[start * words..], "{}: {}", search.name, strip.entry.name);
            assert!(strip.text(strip.window.start).is_some() && strip.text(strip.window.end).is_none());
        }
        let sorted = strips.iter().find_map(nearwater::laboratory::Strip::links).expect("sorted positions are linked");
        let positions: Vec<[f32; 4]> =
            read_buffer(&gpu, specimen.search.sorted_positions(), 4_097).expect("the device answers");
        assert_eq!(sorted.len(), 501);
        for link in sorted {
            let place = positions[link.place as usize];
            assert_eq!(Vec3::from_slice(&place[..3]), fixture.positions[link.original as usize], "{}", search.name);
        }
        let entry = &map.entries()[0];
        let past = StripRequest { entry: entry.clone(), window: entry.length - 1..entry.length + 1 };
        gpu.submit(|encoder| {
            let refused = reader.ask(&gpu, encoder, &[past]).expect_err("past the end");
            assert!(matches!(refused, LaboratoryError::Window { .. }) && refused.to_string().contains(&entry.name));
        });
    }
}

/// Settings for 700 particles and a search with its default options.
fn settings(search: &str) -> Settings {
    Settings {
        search: search_named(search).expect("a registered search"),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Count(700),
        seed: 3,
        edits: SceneEdits::default(),
    }
}

/// A column of water that collapses.
fn dam_break(solver: Solver) -> Scene {
    tank::water_tank(solver, (Vec3::ZERO, Vec3::new(0.4, 0.6, 0.4)))
}

type State = (Vec<[f32; 4]>, Vec<[f32; 4]>, Vec<[f32; 2]>);

/// Positions, velocities and densities by original index.
fn state(gpu: &Gpu, simulation: &Simulation) -> State {
    let particles = simulation.particles();
    let count = particles.count as usize;
    let positions: Vec<[f32; 4]> = read_buffer(gpu, particles.positions, count).expect("the device answers");
    let velocities: Vec<[f32; 4]> = read_buffer(gpu, particles.velocities, count).expect("the device answers");
    let densities: Vec<[f32; 2]> = read_buffer(gpu, particles.densities, count).expect("the device answers");
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&place| velocities[place][3].to_bits());
    let sorted = |values: &[[f32; 4]]| order.iter().map(|&place| values[place]).collect();
    (sorted(&positions), sorted(&velocities), order.iter().map(|&place| densities[place]).collect())
}

/// Bit patterns, since the fourth component of a velocity contains an index.
fn bits<const N: usize>(values: &[[f32; N]]) -> Vec<[u32; N]> {
    values.iter().map(|value| value.map(f32::to_bits)).collect()
}

fn assert_same(gpu: &Gpu, name: &str, (left, right): (&Simulation, &Simulation), exact: bool) {
    let (a, b) = (state(gpu, left), state(gpu, right));
    assert_eq!((left.time().to_bits(), left.step_count()), (right.time().to_bits(), right.step_count()), "{name}");
    if exact {
        assert_eq!(bits(&a.0), bits(&b.0), "{name}: positions");
        assert_eq!(bits(&a.1), bits(&b.1), "{name}: velocities");
        assert_eq!(bits(&a.2), bits(&b.2), "{name}: densities");
        return;
    }
    for (particle, (a, b)) in a.0.iter().zip(&b.0).enumerate() {
        let apart = Vec3::from_slice(&a[..3]).distance(Vec3::from_slice(&b[..3]));
        assert!(apart < 1e-5, "{name}: particle {particle} at {a:?} and {b:?}");
    }
}

fn report_now(gpu: &Gpu, stepper: &mut Stepper) -> PassReport {
    gpu.wait().expect("the device answers");
    stepper.take(gpu).expect("the report has arrived")
}

/// Runs a step pass by pass, and compares each report with the buffers.
fn step_through(gpu: &Gpu, simulation: &mut Simulation) -> Vec<PassReport> {
    let name = simulation.settings().search.name;
    let mut stepper = Stepper::new(gpu, simulation).expect("the copies fit");
    let focus = Focus { place: 300, original: 100, cell: 20, elements: 200 };
    let labels: Vec<&str> = stepper.passes().iter().map(|pass| pass.label).collect();
    let mut reports = Vec::new();
    while !stepper.is_complete() {
        stepper.forward(gpu, simulation, &focus).expect("a pass is left");
        let report = report_now(gpu, &mut stepper);
        assert_eq!((report.number, report.label), (reports.len() + 1, labels[reports.len()]), "{name}");
        assert!(report.buffers.iter().any(|buffer| buffer.access.writes()), "{name}: {} writes nothing", report.label);
        assert!(report.workgroups.iter().all(|&count| count > 0) && report.workgroup_size[0] > 0);
        for buffer in &report.buffers {
            let entry = &buffer.after.entry;
            let words = entry.words_per_element() as usize;
            let (start, end) = (buffer.after.window.start as usize * words, buffer.after.window.end as usize * words);
            let now: Vec<u32> = read_buffer(gpu, &entry.buffer, end).expect("the device answers");
            // After the last pass, the simulation has also written the next poses of the bodies.
            if buffer.access.writes() || !stepper.is_complete() {
                assert_eq!(buffer.after.words, now[start..], "{name}, {}: {}", report.label, entry.name);
            }
            assert_eq!(buffer.before.is_some(), buffer.access.writes(), "{name}, {}", report.label);
            let Some(changes) = &buffer.changes else { continue };
            assert_eq!(changes.compared, 0..entry.length, "{name}: small buffers are compared completely");
            for element in buffer.after.window.clone() {
                assert_eq!(buffer.is_changed(element), changes.elements.contains(&element), "{name}, {}", report.label);
            }
        }
        reports.push(report);
    }
    let past = stepper.forward(gpu, simulation, &focus).expect_err("all passes have run");
    assert!(matches!(past, LaboratoryError::StepIsComplete(count) if count == labels.len()));
    reports
}

#[test]
fn stepping_pass_by_pass_gives_the_same_result_as_a_complete_step_in_every_search() {
    // With a search that gathers, the last pass moves only the particles near walls.
    const FEWEST: u64 = 100;
    let gpu = common::gpu();
    let scene = dam_break(Solver::named("wcsph").unwrap());
    for info in SEARCHES {
        let settings = settings(info.name);
        let mut whole = Simulation::new(&gpu, &scene, &settings).expect("the scene fits");
        let mut stepped = Simulation::new(&gpu, &scene, &settings).expect("the scene fits");
        gpu.submit(|encoder| (0..2).for_each(|_| whole.record_step(encoder, None)));
        gpu.submit(|encoder| stepped.record_step(encoder, None));
        let reports = step_through(&gpu, &mut stepped);
        let exact = whole.continuation() == nearwater::fluid::Continuation::Exact;
        assert_eq!(exact, ["brute_force", "green", "bayraktar", "morillo"].contains(&info.name), "{}", info.name);
        assert_same(&gpu, info.name, (&stepped, &whole), exact);
        let of_last = &reports.last().expect("a step has passes").buffers;
        let moved = of_last
            .iter()
            .find(|buffer| buffer.names.contains(&"positions".to_owned()))
            .expect("the last pass writes the positions");
        assert!(
            moved.changes.as_ref().is_some_and(|changes| changes.count > FEWEST),
            "{}: only {:?} particles moved",
            info.name,
            moved.changes.as_ref().map(|changes| changes.count)
        );
        assert_eq!(moved.after.entry.space, Space::Particles, "{}: the last pass writes in sorted order", info.name);
        let touched = |report: &PassReport, space| {
            report.touched_particles().filter(|(of, _)| *of == space).map(|(_, changes)| changes.count).max()
        };
        assert!(touched(reports.last().expect("a step has passes"), Space::Particles) > Some(FEWEST), "{}", info.name);
        assert_eq!(
            touched(reports.last().expect("a step has passes"), Space::OriginalParticles),
            None,
            "{}",
            info.name
        );

        // The report of an exclusive scan contains the numbers before it and their sums after it.
        let scans = reports.iter().filter(|report| ["scan", "scan blocks"].contains(&report.label));
        let mut scan_count = 0;
        for scan in scans {
            let values = scan.buffers.iter().find(|buffer| buffer.names.contains(&"values".to_owned())).expect("bound");
            let (before, after) =
                (&values.before.as_ref().expect("the scan writes the values").words, &values.after.words);
            for place in 0..before.len() - 2 {
                assert_eq!(
                    after[place + 1] - after[place],
                    before[place],
                    "{}: {}",
                    info.name,
                    values.after.entry.name
                );
            }
            assert!(before.iter().any(|&number| number > 0), "{}: nothing was scanned", info.name);
            assert_ne!(values.after.entry.name, "values", "the search has a specific name for the values");
            scan_count += 1;
        }
        let expects_scan = ["hoetzlein", "bayraktar", "claws"].contains(&info.name);
        assert_eq!(scan_count > 0, expects_scan, "{}", info.name);
    }
}

#[test]
fn stepping_finishes_the_step_of_other_solvers_and_of_bodies() {
    let gpu = common::gpu();
    let floating = Scene::load("buoyancy").expect("an embedded scene");
    for (name, scene) in [("PBF", dam_break(Solver::named("pbf").unwrap())), ("bodies", floating)] {
        let settings = settings("green");
        let mut whole = Simulation::new(&gpu, &scene, &settings).expect("the scene fits");
        let mut stepped = Simulation::new(&gpu, &scene, &settings).expect("the scene fits");
        gpu.submit(|encoder| (0..3).for_each(|_| whole.record_step(encoder, None)));
        gpu.submit(|encoder| stepped.record_step(encoder, None));
        for _ in 0..2 {
            step_through(&gpu, &mut stepped);
        }
        assert_same(&gpu, name, (&stepped, &whole), true);
        let poses = |simulation: &Simulation| simulation.bodies().map(|body| body.state).collect::<Vec<_>>();
        assert_eq!(format!("{:?}", poses(&stepped)), format!("{:?}", poses(&whole)), "{name}");
    }
}

#[test]
fn an_abandoned_step_restores_the_state_and_a_changed_simulation_is_refused() {
    let gpu = common::gpu();
    for (solver, search) in [(Solver::named("wcsph").unwrap(), "green"), (Solver::named("pbf").unwrap(), "morillo")] {
        let scene = dam_break(solver);
        let settings = settings(search);
        let mut whole = Simulation::new(&gpu, &scene, &settings).expect("the scene fits");
        let mut stepped = Simulation::new(&gpu, &scene, &settings).expect("the scene fits");
        gpu.submit(|encoder| whole.record_step(encoder, None));
        gpu.submit(|encoder| stepped.record_step(encoder, None));
        let mut stepper = Stepper::new(&gpu, &stepped).expect("the copies fit");
        // All passes except the last, so that with PBF positions and velocities are inconsistent.
        for _ in 1..stepper.passes().len() {
            stepper.forward(&gpu, &mut stepped, &Focus::default()).expect("a pass is left");
        }
        assert_eq!(report_now(&gpu, &mut stepper).number, 1, "reports arrive in the order of the passes");
        let incomplete = state(&gpu, &stepped);
        stepper.abandon(&gpu, &stepped).expect("the simulation was not changed");
        assert_ne!(bits(&incomplete.2), bits(&state(&gpu, &stepped).2), "the passes changed nothing");
        assert_same(&gpu, search, (&stepped, &whole), true);
        gpu.submit(|encoder| whole.record_step(encoder, None));
        step_through(&gpu, &mut stepped);
        assert_same(&gpu, search, (&stepped, &whole), true);

        let mut stepper = Stepper::new(&gpu, &stepped).expect("the copies fit");
        stepper.forward(&gpu, &mut stepped, &Focus::default()).expect("a pass is left");
        gpu.submit(|encoder| stepped.record_step(encoder, None));
        let refused =
            stepper.forward(&gpu, &mut stepped, &Focus::default()).expect_err("the simulation was stepped meanwhile");
        assert!(matches!(refused, LaboratoryError::SimulationChanged), "{refused}");
        assert!(stepper.abandon(&gpu, &stepped).is_err(), "abandoning would restore an older state");
    }
}

#[test]
fn members_of_structs_are_named() {
    let gpu = common::gpu();
    let scene = Scene::load("bayraktar_fountain").expect("an embedded scene");
    let simulation = Simulation::new(&gpu, &scene, &settings("green")).expect("the scene fits");
    let stepper = Stepper::new(&gpu, &simulation).expect("the copies fit");
    let emitters = stepper.memory().named("emitters").expect("the fountain has emitters");
    let ElementType::Struct { members, .. } = &emitters.layout.element else {
        panic!("{:?} is not a struct", emitters.layout)
    };
    let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    assert!(names.contains(&"speed") && names.contains(&"place_count"), "{names:?}");
}
