//! The explanations of searches and solvers agree with the program: formulas give the numbers that are counted and
//! allocated, and pseudocode covers the passes that run.

mod common;

use glam::Vec3;
use nearwater::explanation::{Explanation, Formula, PassSource, PassTag, Values};
use nearwater::fluid::{Scene, Settings, Simulation, Size, SmoothingKernel, Solver};
use nearwater::gpu::{Gpu, Pass, Phase, read_buffer, record};
use nearwater::laboratory::{Focus, Stepper};
use nearwater::search::random::uniform_cube;
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{
    Domain, Instrument, LIST_EXPLANATION, NeighborSearch, PairCounters, PairTotals, SEARCH_FORMULAS, SEARCH_SYMBOLS,
    SEARCHES, SearchInput, SearchOptions, count_kernel, search_values,
};

const COUNT: u32 = 4_096;
/// Small beside the box, because the estimates do not take its faces into account.
const RADIUS: f32 = 0.06;

fn explanation(configuration: &SearchConfiguration) -> &'static Explanation {
    configuration.search.explanation.unwrap_or_else(|| panic!("{} has no explanation", configuration.search.name))
}

/// Evenly distributed particles in a cube of edge 1.
fn positions() -> Vec<Vec3> {
    uniform_cube(7, COUNT, 1.0)
}

/// A search on these particles, with its passes and the values of its symbols.
struct Counted {
    passes: Vec<PassSource>,
    values: Values,
}

fn counted(gpu: &Gpu, configuration: &SearchConfiguration) -> Counted {
    let points = positions();
    let padded: Vec<[f32; 4]> = points.iter().map(|point| point.extend(0.0).to_array()).collect();
    let buffer = gpu.storage_with("positions", &padded).expect("memory");
    let domain = Domain::new(Vec3::ZERO, Vec3::ONE, RADIUS).expect("a good box");
    let input = SearchInput { positions: &buffer, particle_count: COUNT, domain, options: &configuration.options };
    let search = configuration.search.create(gpu, input).unwrap_or_else(|error| panic!("{configuration}: {error}"));
    let build = search.build_passes(gpu).expect("the shaders compile");
    let (traversal, totals) = count_pairs(gpu, search.as_ref(), &build);
    let mut values = search_values(search.as_ref(), Some(totals), Some(build.len()));
    if let Some(share) = border_share(search.as_ref(), &points) {
        values.set("β", share);
    }
    Counted { passes: build.iter().chain(&traversal).map(PassSource::of).collect(), values }
}

/// Runs the build and a counting traversal. Returns the passes of the traversal without counters, and the totals.
fn count_pairs(gpu: &Gpu, search: &dyn NeighborSearch, build: &[Pass]) -> (Vec<Pass>, PairTotals) {
    let counts = gpu.storage::<u32>("neighbor counts", COUNT.into()).expect("memory");
    let deposits = gpu.storage::<u32>("deposits", COUNT.into()).expect("memory");
    let counters = PairCounters::new(gpu, COUNT).expect("memory");
    let buffers = [("pair_counts", &counts), ("deposits", &deposits)];
    let kernel = count_kernel(&buffers);
    let plain = search.traversal_passes(gpu, kernel, None).expect("the shaders compile");
    let counting = search.traversal_passes(gpu, kernel, Some(Instrument::Count(&counters))).expect("they compile");
    gpu.submit(|encoder| {
        counters.clear(encoder);
        record(build.iter().chain(&counting), encoder, None);
    });
    let words: Vec<u32> = read_buffer(gpu, &counters.totals, 4).expect("the device answers");
    (plain, PairTotals::from_words([words[0], words[1], words[2], words[3]]))
}

/// The share of border particles, computed on the CPU as `grid::is_border` does.
fn border_share(search: &dyn NeighborSearch, points: &[Vec3]) -> Option<f64> {
    let cells = search.cells()?;
    let reach = cells.border?;
    let cell =
        |point: Vec3| ((point - cells.origin) / cells.size).floor().clamp(Vec3::ZERO, cells.counts.as_vec3() - 1.0);
    let is_border = |point: &&Vec3| cell(**point - reach) != cell(**point + reach);
    Some(points.iter().filter(is_border).count() as f64 / points.len() as f64)
}

#[test]
fn formulas_give_the_numbers_that_are_counted_and_allocated() {
    let gpu = common::gpu();
    let mut exact = 0;
    for configuration in SearchConfiguration::all() {
        let Counted { values, .. } = counted(&gpu, &configuration);
        for formula in explanation(&configuration).formulas.iter().chain(SEARCH_FORMULAS) {
            let of = format!("{configuration}: {} = {}", formula.title, formula.filled(&values));
            let value = formula.expression.evaluate(&values).unwrap_or_else(|| panic!("{of} has unknown symbols"));
            let Some(measured) = formula.measured else { continue };
            let measured = values.get(measured).unwrap_or_else(|| panic!("{of}: {measured} is not measured"));
            if formula.is_estimate {
                let ratio = if (measured - value).abs() < 1e-12 { 1.0 } else { value / measured };
                // Wide cells reach far beyond the faces of the box, where there are no particles.
                let most = if values.get("e").is_some_and(|edge| edge > 2.5 * f64::from(RADIUS)) { 2.0 } else { 1.5 };
                assert!((0.7..most).contains(&ratio), "{of} = {value}, measured {measured}");
            } else {
                exact += 1;
                assert!((value - measured).abs() <= 1e-9 * measured.abs(), "{of} = {value}, measured {measured}");
            }
        }
    }
    assert!(exact > 100, "only {exact} formulas were compared");
}

#[test]
fn the_formulas_of_the_papers_are_those_of_the_registry() {
    let mut compared = 0;
    for search in SEARCHES {
        let Some(explanation) = search.explanation else { continue };
        let of_paper = |formula: &&Formula| formula.title == "memory in the paper";
        let Some(formula) = explanation.formulas.iter().find(of_paper) else { continue };
        for (particles, cells) in [(1_000, 64), (1 << 20, 18 * 18 * 18)] {
            let values: Values = [("n", particles), ("m³", cells), ("l³", cells)]
                .into_iter()
                .map(|(name, value): (_, u64)| (name, value as f64))
                .collect();
            assert_eq!(
                formula.expression.evaluate(&values),
                Some((search.paper_bytes)(particles, cells) as f64),
                "{}",
                search.name
            );
        }
        compared += 1;
    }
    assert!(compared >= 4, "only {compared} papers give a formula");
}

#[test]
fn pseudocode_covers_every_pass_and_names_no_other() {
    let gpu = common::gpu();
    for &search in SEARCHES {
        let explanation = search.explanation.unwrap_or_else(|| panic!("{} has no explanation", search.name));
        let mut seen: Vec<PassSource> = Vec::new();
        for configuration in SearchConfiguration::all_of(search) {
            for pass in counted(&gpu, &configuration).passes {
                assert!(explanation.covers(&pass), "{configuration}: no line describes {pass:?}");
                seen.push(pass);
            }
        }
        // Passes of long inputs, which these few particles do not need.
        let of_long_inputs = ["reduce", "scan_blocks", "merge"];
        for tag in explanation.lines().flat_map(|line| line.passes) {
            let is_long = matches!(tag, PassTag::EntryPoint(_, entry_point) if of_long_inputs.contains(entry_point));
            assert!(is_long || seen.iter().any(|pass| tag.matches(pass)), "{}: {tag:?} never runs", search.name);
        }
    }
}

#[test]
fn the_explanation_of_the_list_covers_its_passes_and_gives_its_memory() {
    let gpu = common::gpu();
    let mut seen: Vec<PassSource> = Vec::new();
    for &search in SEARCHES {
        let configuration = SearchConfiguration::listed(search);
        let Counted { passes, values } = counted(&gpu, &configuration);
        for pass in passes {
            let is_covered = LIST_EXPLANATION.covers(&pass) || explanation(&configuration).covers(&pass);
            assert!(is_covered, "{configuration}: no line describes {pass:?}");
            seen.push(pass);
        }
        for formula in LIST_EXPLANATION.formulas {
            let value = formula.expression.evaluate(&values).expect("the symbols have values");
            assert_eq!(Some(value), formula.measured.and_then(|name| values.get(name)), "{configuration}");
        }
    }
    for tag in LIST_EXPLANATION.lines().flat_map(|line| line.passes) {
        assert!(seen.iter().any(|pass| tag.matches(pass)), "{tag:?} never runs");
    }
}

#[test]
fn explanations_have_sentences_and_declare_their_symbols() {
    let common = SEARCH_SYMBOLS.iter().map(|symbol| symbol.name);
    let of_list = LIST_EXPLANATION.symbols.iter().map(|symbol| symbol.name);
    for search in SEARCHES {
        let explanation = search.explanation.unwrap_or_else(|| panic!("{} has no explanation", search.name));
        check_texts(search.name, explanation, &common.clone().chain(of_list.clone()).collect::<Vec<_>>());
    }
    check_texts("the list", &LIST_EXPLANATION, &common.collect::<Vec<_>>());
}

fn check_texts(name: &str, explanation: &Explanation, common: &[&str]) {
    for sentence in explanation.sentences {
        assert!(sentence.ends_with('.') && sentence.len() > 40, "{name}: {sentence}");
    }
    let own: Vec<&str> = explanation.symbols.iter().map(|symbol| symbol.name).collect();
    for symbol in &own {
        assert!(!common.contains(symbol), "{name} declares {symbol}, which every one has");
    }
    for formula in explanation.formulas {
        for symbol in formula.expression.symbols().into_iter().chain(formula.measured) {
            assert!(common.contains(&symbol) || own.contains(&symbol), "{name}: {symbol} in {}", formula.title);
        }
    }
    for line in explanation.lines() {
        let width = 2 * usize::from(line.indent) + line.text.chars().count();
        assert!(width <= 66, "{name}: a line of {width} characters does not fit the panel: {}", line.text);
    }
}

/// The dam break with a search and a solver.
fn simulation(gpu: &std::sync::Arc<Gpu>, search: &'static str, solver: Solver) -> Simulation {
    let mut scene = Scene::load("dam_break").expect("an embedded scene");
    scene.solver = solver;
    let settings = Settings {
        search: nearwater::search::search_named(search).expect("a registered search"),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::WendlandC2,
        size: Size::Count(1_000),
        seed: 1,
        edits: nearwater::fluid::SceneEdits::default(),
    };
    Simulation::new(gpu, &scene, &settings).expect("the scene fits")
}

#[test]
fn highlighted_lines_follow_the_passes_that_the_stepper_reports() {
    let gpu = common::gpu();
    for search in SEARCHES {
        let explanation = search.explanation.unwrap_or_else(|| panic!("{} has no explanation", search.name));
        let mut simulation = simulation(&gpu, search.name, Solver::default());
        let mut stepper = Stepper::new(&gpu, &simulation).expect("the copies fit");
        let mut last = None;
        while !stepper.is_complete() {
            stepper.forward(&gpu, &mut simulation, &Focus::default()).expect("a pass is left");
            gpu.wait().expect("the device answers");
            let report = stepper.take(&gpu).expect("the report has arrived");
            let lit: Vec<usize> = explanation
                .lines()
                .chain(LIST_EXPLANATION.lines())
                .enumerate()
                .filter(|(_, line)| line.describes(&report.source()))
                .map(|(place, _)| place)
                .collect();
            match report.phase {
                Phase::Build => {
                    assert!(!lit.is_empty(), "{}: {} is not highlighted", search.name, report.label);
                    assert_ne!(Some(&lit), last.as_ref().filter(|_| !repeats(report.label)), "{}", report.label);
                    last = Some(lit);
                }
                Phase::Search => assert!(!lit.is_empty(), "{}: {} is not highlighted", search.name, report.label),
                Phase::Physics | Phase::Drawing => assert!(lit.is_empty(), "{} is not of a search", report.label),
            }
        }
    }
}

/// Whether a pass is one of several that the same lines describe.
fn repeats(label: &str) -> bool {
    label.starts_with("sort") || label.starts_with("scan")
}

#[test]
fn solvers_explain_every_pass_of_their_own() {
    let gpu = common::gpu();
    for solver in Solver::all() {
        let explained = solver.0.explanation.unwrap_or_else(|| panic!("{} has no explanation", solver.name()));
        let mut simulation = simulation(&gpu, "green", solver);
        let search = simulation.search().info().explanation.expect("it has one");
        for pass in simulation.passes() {
            let source = PassSource::of(pass);
            let is_common = ["reorder", "list near walls"].contains(&pass.label) || pass.phase == Phase::Build;
            // The passes that write the list: they have no pair kernel of the solver.
            let is_listing = LIST_EXPLANATION.covers(&source) && source.entry_point != "traverse"
                || source.pair_file == Some("search/list_columns.wgsl");
            let is_explained = is_listing || explained.explanation.covers(&source);
            assert!(is_common || is_explained, "{}: no line describes {}", solver.name(), pass.label);
            assert!(pass.phase != Phase::Search || search.covers(&source) || LIST_EXPLANATION.covers(&source));
        }
        gpu.submit(|encoder| {
            simulation.record_step(encoder, None);
            simulation.record_survey(encoder);
        });
        gpu.wait().expect("the device answers");
        let survey = simulation.take_survey().expect("it has arrived");
        let values = simulation.solver_values(Some(&survey));
        let common: Vec<&str> = nearwater::fluid::SOLVER_SYMBOLS.iter().map(|symbol| symbol.name).collect();
        check_texts(solver.name(), &explained.explanation, &common);
        for formula in explained.explanation.formulas {
            let value = formula.expression.evaluate(&values);
            let value = value.unwrap_or_else(|| panic!("{}: {}", solver.name(), formula.filled(&values)));
            let Some(measured) = formula.measured.map(|name| values.get(name).expect("it is measured")) else {
                continue;
            };
            let tolerance = if formula.is_estimate { 0.5 } else { 1e-5 };
            assert!(
                (value - measured).abs() <= tolerance * measured.abs(),
                "{}: {} = {} = {value}, measured {measured}",
                solver.name(),
                formula.title,
                formula.filled(&values)
            );
        }
    }
}
