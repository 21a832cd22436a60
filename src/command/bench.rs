//! `nearwater bench`: times the primitives, the searches and the steps of a simulation.

use std::process::ExitCode;
use std::sync::Arc;

use nearwater::bench::{
    BenchError, InputOrder, Rival, SCENARIOS, Scenario, SearchFigures, time_primitives, time_searches, time_steps,
};
use nearwater::fluid::{Simulation, Size};
use nearwater::gpu::{AdapterClass, Gpu};
use nearwater::laboratory::overlay_costs;
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{SEARCHES, SearchInfo, SearchOptions};

use super::CommandError;
use super::arguments::{BenchArguments, Common, DEFAULT_SCENE, scene_named};
use super::same_file::{NamedFile, refuse_same_files};
use super::table::Table;

/// Times the primitives, the searches on the published scenarios, and a step of the dam break.
pub fn run(common: &Common, arguments: &BenchArguments) -> Result<ExitCode, CommandError> {
    if arguments.runs == Some(0) {
        return Err(CommandError::Runs);
    }
    let outputs = NamedFile::given([("--csv", arguments.csv.as_deref()), ("--png", arguments.png.as_deref())]);
    refuse_same_files(&NamedFile::given([("--against", arguments.against.as_deref())]), &outputs)?;
    let mut scenarios = scenarios(arguments.only.as_deref())?;
    let against = arguments.against.as_deref().map(Rival::read).transpose()?;
    let listed = common.listed_searches()?;
    let search = if listed.is_some() { None } else { common.search_or_all()? };
    let gpu = common.gpu_for_timing()?;
    let capabilities = &gpu.capabilities;
    // On a software adapter the full benchmark would take most of a day.
    let software = capabilities.class == AdapterClass::Software;
    let runs = arguments.runs.unwrap_or(if software { 3 } else { 31 });
    let everything = arguments.only.is_none() && !software;
    outln!(
        "nearwater {} on {}, {:?}, driver {}; medians of {} runs ± standard deviation, ms\n",
        env!("CARGO_PKG_VERSION"),
        capabilities.name,
        capabilities.backend,
        capabilities.driver,
        runs
    );
    if let Some(table) = &arguments.table {
        return super::paper_bench::run(&gpu, arguments, (table, runs), search);
    }
    if arguments.steps {
        return steps(common, arguments, &gpu, (listed, runs));
    }
    if arguments.laboratory {
        return overlays(common, arguments, &gpu, runs);
    }
    if let Some(swept) = arguments.scaling {
        let options = common.search_options()?;
        // Each search with one set of options: every combination would give too many curves for one plot.
        let chosen = listed.unwrap_or_else(|| {
            let every = configurations(search, &options).into_iter();
            every.filter(|configuration| configuration.options == options).collect()
        });
        return super::scaling::run(&gpu, arguments, (swept, runs), chosen);
    }
    if software && arguments.only.is_none() {
        scenarios.truncate(1);
        outln!(
            "This is a software adapter, so only {} is timed; select other scenarios with --only.\n",
            scenarios[0].0
        );
    }
    if everything {
        for (name, time) in time_primitives(&gpu, runs).map_err(BenchError::from)? {
            outln!("{name}: {time}");
        }
        for configuration in configurations_of_steps(common, listed.as_deref())? {
            let settings = common.settings_with(&gpu, &configuration)?;
            for count in [262_144, 1_048_576] {
                let figures = time_steps(&gpu, &settings, count, runs)?;
                outln!("dam-break step of {} particles, {configuration}: {}", figures.particle_count, figures.step);
            }
        }
        outln!();
    }
    let options = common.search_options()?;
    let configurations = listed.unwrap_or_else(|| configurations(search, &options));
    let mut fastest = Vec::new();
    let mut table = Table::new(&COLUMNS, arguments.csv.as_deref())?;
    for (name, scenario) in &scenarios {
        for order in InputOrder::ALL {
            for outcome in time_searches(&gpu, scenario, order, &configurations, runs)? {
                match outcome {
                    Ok(figures) => {
                        table.add(&row(name, scenario, order, &figures));
                        fastest.push((*name, *scenario, order, figures));
                    }
                    Err((configuration, refusal)) if order == InputOrder::Random => {
                        outln!("| {name} | {} | | | {configuration} | {refusal} |", scenario.particle_count);
                    }
                    Err(_) => {}
                }
            }
        }
    }
    table.finish()?;
    if let Some(rival) = &against {
        compare(rival, &fastest);
    }
    Ok(ExitCode::SUCCESS)
}

/// One timed configuration on one input.
type Timed = (&'static str, Scenario, InputOrder, SearchFigures);

/// Prints the ratio of the fastest configuration's time to that of the other program, for every input that both timed.
fn compare(rival: &Rival, timed: &[Timed]) {
    outln!(
        "\n| case | input | other program, fastest | ms | here, fastest | ms | here / other |\n|---|---|---|---|---|---|---|"
    );
    let mut done: Vec<(&str, InputOrder)> = Vec::new();
    for (name, scenario, order, _) in timed {
        if done.contains(&(name, *order)) {
            continue;
        }
        done.push((name, *order));
        let Some(other) = rival.best(scenario, *order) else { continue };
        let same = timed.iter().filter(|(case, _, same_order, _)| case == name && same_order == order);
        let best = same.map(|(.., figures)| figures).min_by(|one, two| one.total.median.total_cmp(&two.total.median));
        if let Some(best) = best {
            outln!(
                "| {name} | {} | {} | {:.3} | {} | {:.3} | {:.2} |",
                order.label(),
                other.name,
                other.total,
                best.configuration,
                best.total.median,
                best.total.median / other.total
            );
        }
    }
}

/// The searches whose steps are timed: those of the list, or the one of a scene.
fn configurations_of_steps(
    common: &Common,
    listed: Option<&[SearchConfiguration]>,
) -> Result<Vec<SearchConfiguration>, CommandError> {
    if let Some(listed) = listed {
        return Ok(listed.to_vec());
    }
    let search = common.search()?.unwrap_or(SearchInfo::default_for_scenes());
    Ok(vec![SearchConfiguration { search, options: common.search_options()? }])
}

/// Times whole steps of the dam break with each search, pass by pass.
fn steps(
    common: &Common,
    arguments: &BenchArguments,
    gpu: &Arc<Gpu>,
    (listed, runs): (Option<Vec<SearchConfiguration>>, u32),
) -> Result<ExitCode, CommandError> {
    let mut table = Table::new(&["search", "n", "pass", "ms"], arguments.csv.as_deref())?;
    for configuration in configurations_of_steps(common, listed.as_deref())? {
        let settings = common.settings_with(gpu, &configuration)?;
        let figures = time_steps(gpu, &settings, common.particles.unwrap_or(1 << 20), runs)?;
        let whole = std::iter::once(("whole step", figures.step));
        for (label, time) in whole.chain(figures.passes) {
            let count = figures.particle_count.to_string();
            table.add(&[configuration.to_string(), count, label.to_owned(), time.to_string()]);
        }
        if let Some((time, steps)) = figures.foam {
            let label = format!("foam, every {steps} steps");
            table.add(&[configuration.to_string(), figures.particle_count.to_string(), label, time.to_string()]);
        }
    }
    table.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Times the overlays of the laboratory.
fn overlays(common: &Common, arguments: &BenchArguments, gpu: &Arc<Gpu>, runs: u32) -> Result<ExitCode, CommandError> {
    let mut settings = common.settings(gpu)?;
    if common.particles.is_none() && common.radius.is_none() && gpu.capabilities.class != AdapterClass::Software {
        settings.size = Size::Count(1 << 20);
    }
    let scene = scene_named(DEFAULT_SCENE)?;
    let mut simulation = Simulation::new(gpu, &scene, &settings)?;
    outln!("{} particles, {}\n", simulation.resolution().particle_count, settings.search.title);
    let mut table = Table::new(&["overlay", "paid", "ms"], arguments.csv.as_deref())?;
    for cost in overlay_costs(gpu, &mut simulation, runs)? {
        table.add(&[cost.name.to_owned(), cost.paid.to_owned(), cost.milliseconds.to_string()]);
    }
    table.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The configurations to time: every one of the selected search or of all searches, or, when options are given, each
/// search with these options only.
fn configurations(search: Option<&'static SearchInfo>, options: &SearchOptions) -> Vec<SearchConfiguration> {
    let wanted = |info: &&'static SearchInfo| search.is_none_or(|search| search == *info);
    let searches = SEARCHES.iter().copied().filter(wanted);
    if *options == SearchOptions::default() {
        searches.flat_map(SearchConfiguration::all_of).collect()
    } else {
        searches.map(|search| SearchConfiguration { search, options: options.clone() }).collect()
    }
}

fn scenarios(only: Option<&str>) -> Result<Vec<(&'static str, Scenario)>, CommandError> {
    let wanted = only.unwrap_or_default();
    let found: Vec<_> = SCENARIOS.into_iter().filter(|(name, _)| name.contains(wanted)).collect();
    if found.is_empty() {
        let available = SCENARIOS.map(|(name, _)| name).join(", ");
        return Err(CommandError::Scenario { wanted: wanted.to_owned(), available });
    }
    Ok(found)
}

const COLUMNS: [&str; 12] = [
    "case",
    "n",
    "r [m]",
    "input",
    "search",
    "build",
    "search pass",
    "total",
    "candidates/particle",
    "neighbors/particle",
    "overhead",
    "MB",
];

fn row(name: &str, scenario: &Scenario, order: InputOrder, figures: &SearchFigures) -> [String; COLUMNS.len()] {
    let count = f64::from(scenario.particle_count);
    [
        name.to_owned(),
        scenario.particle_count.to_string(),
        scenario.radius.to_string(),
        order.label().to_owned(),
        figures.configuration.to_string(),
        figures.build.to_string(),
        figures.traversal.to_string(),
        figures.total.to_string(),
        format!("{:.1}", figures.totals.candidates as f64 / count),
        format!("{:.1}", figures.totals.neighbors as f64 / count),
        figures.totals.overhead().map_or_else(|| "-".to_owned(), |overhead| format!("{overhead:.2}")),
        format!("{:.1}", figures.bytes as f64 * 1e-6),
    ]
}
