//! `nearwater bench`: times the primitives, the searches and the steps of a simulation.

use std::process::ExitCode;
use std::sync::Arc;

use nearwater::bench::{
    BenchError, InputOrder, SCENARIOS, Scenario, SearchFigures, time_primitives, time_searches, time_steps,
};
use nearwater::fluid::{Simulation, Size};
use nearwater::gpu::{AdapterClass, Gpu};
use nearwater::laboratory::overlay_costs;
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{SEARCHES, SearchInfo, SearchOptions};

use super::CommandError;
use super::arguments::{BenchArguments, Common, DEFAULT_SCENE, scene_named};
use super::table::Table;

/// Times the primitives, the searches on the published scenarios, and a step of the dam break.
pub fn run(common: &Common, arguments: &BenchArguments) -> Result<ExitCode, CommandError> {
    if arguments.runs == Some(0) {
        return Err(CommandError::Runs);
    }
    let mut scenarios = scenarios(arguments.only.as_deref())?;
    let search = common.search()?;
    let gpu = common.gpu()?;
    let capabilities = &gpu.capabilities;
    // On a software adapter the full benchmark would take most of a day.
    let software = capabilities.class == AdapterClass::Software;
    let runs = arguments.runs.unwrap_or(if software { 3 } else { 31 });
    let everything = arguments.only.is_none() && !software;
    println!(
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
    if arguments.laboratory {
        return overlays(common, arguments, &gpu, runs);
    }
    if let Some(swept) = arguments.scaling {
        let options = common.search_options()?;
        // Each search with one set of options: every combination would give too many curves for one plot.
        let every = configurations(search, &options);
        let chosen = |configuration: &SearchConfiguration| configuration.options == options;
        return super::scaling::run(&gpu, arguments, (swept, runs), every.into_iter().filter(chosen).collect());
    }
    if software && arguments.only.is_none() {
        scenarios.truncate(1);
        println!(
            "This is a software adapter, so only {} is timed; select other scenarios with --only.\n",
            scenarios[0].0
        );
    }
    if everything {
        for (name, time) in time_primitives(&gpu, runs).map_err(BenchError::from)? {
            println!("{name}: {time}");
        }
        let settings = common.settings(&gpu)?;
        for count in [262_144, 1_048_576] {
            let figures = time_steps(&gpu, &settings, count, runs)?;
            println!(
                "dam-break step of {} particles, {}: {}",
                figures.particle_count, settings.search.title, figures.step
            );
        }
        println!();
    }
    let configurations = configurations(search, &common.search_options()?);
    let mut table = Table::new(&COLUMNS, arguments.csv.as_deref())?;
    for (name, scenario) in &scenarios {
        for order in InputOrder::ALL {
            for outcome in time_searches(&gpu, scenario, order, &configurations, runs)? {
                match outcome {
                    Ok(figures) => table.add(&row(name, scenario, order, &figures)),
                    Err((configuration, refusal)) if order == InputOrder::Random => {
                        println!("| {name} | {} | | | {configuration} | {refusal} |", scenario.particle_count);
                    }
                    Err(_) => {}
                }
            }
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
    println!("{} particles, {}\n", simulation.resolution().particle_count, settings.search.title);
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
