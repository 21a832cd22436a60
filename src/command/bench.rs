use std::process::ExitCode;

use nearwater::bench::{
    BenchError, InputOrder, SCENARIOS, Scenario, SearchFigures, time_primitives, time_searches, time_steps,
};
use nearwater::gpu::AdapterClass;
use nearwater::search::verify::Manner;

use super::CommandError;
use super::arguments::{BenchArguments, Common};

/// Times the primitives, the searches on the rivals' scenarios, and a step of the dam break.
pub fn run(common: &Common, arguments: &BenchArguments) -> Result<ExitCode, CommandError> {
    if arguments.runs == Some(0) {
        return Err(CommandError::Runs);
    }
    let mut scenarios = scenarios(arguments.only.as_deref())?;
    let search = common.search()?;
    let gpu = common.gpu()?;
    let capabilities = &gpu.capabilities;
    // On a program that plays a graphics card everything would take the better part of a day.
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
    if software && arguments.only.is_none() {
        scenarios.truncate(1);
        println!("This is a software adapter: only {} is timed; name others with --only.\n", scenarios[0].name);
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
    let manners: Vec<Manner> =
        Manner::all().into_iter().filter(|manner| search.is_none_or(|search| search == manner.search)).collect();
    let mut table = Table::new(arguments)?;
    println!("{}", Row::HEADER);
    for scenario in &scenarios {
        for order in InputOrder::ALL {
            for row in time_searches(&gpu, scenario, order, &manners, runs)? {
                match row {
                    Ok(figures) => table.add(&Row::new(scenario, order, &figures))?,
                    Err((manner, refusal)) if order == InputOrder::Random => {
                        println!("| {} | {} | | | {manner} | {refusal} |", scenario.name, scenario.particle_count);
                    }
                    Err(_) => {}
                }
            }
        }
    }
    table.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn scenarios(only: Option<&str>) -> Result<Vec<Scenario>, CommandError> {
    let wanted = only.unwrap_or_default();
    let found: Vec<Scenario> = SCENARIOS.into_iter().filter(|scenario| scenario.name.contains(wanted)).collect();
    if found.is_empty() {
        let available = SCENARIOS.map(|scenario| scenario.name).join(", ");
        return Err(CommandError::Scenario { wanted: wanted.to_owned(), available });
    }
    Ok(found)
}

/// One line of the table, printed as Markdown and written as CSV.
struct Row(Vec<String>);

impl Row {
    const COLUMNS: [&'static str; 12] = [
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
    const HEADER: &'static str = "| case | n | r [m] | input | search | build | search pass | total \
        | candidates/particle | neighbors/particle | overhead | MB |\n|---|---|---|---|---|---|---|---|---|---|---|---|";

    fn new(scenario: &Scenario, order: InputOrder, figures: &SearchFigures) -> Self {
        let count = f64::from(scenario.particle_count);
        Self(vec![
            scenario.name.to_owned(),
            scenario.particle_count.to_string(),
            scenario.radius.to_string(),
            order.label().to_owned(),
            figures.manner.to_string(),
            figures.build.to_string(),
            figures.traversal.to_string(),
            figures.total.to_string(),
            format!("{:.1}", figures.totals.candidates as f64 / count),
            format!("{:.1}", figures.totals.neighbors as f64 / count),
            figures.totals.overhead().map_or_else(|| "-".to_owned(), |overhead| format!("{overhead:.2}")),
            format!("{:.1}", figures.bytes as f64 * 1e-6),
        ])
    }
}

struct Table<'a> {
    file: Option<(csv::Writer<std::fs::File>, &'a std::path::Path)>,
}

impl<'a> Table<'a> {
    fn new(arguments: &'a BenchArguments) -> Result<Self, CommandError> {
        let Some(path) = arguments.csv.as_deref() else { return Ok(Self { file: None }) };
        let fail = |error| CommandError::write(path, error);
        let mut writer = csv::Writer::from_path(path).map_err(fail)?;
        writer.write_record(Row::COLUMNS).map_err(fail)?;
        Ok(Self { file: Some((writer, path)) })
    }

    fn add(&mut self, row: &Row) -> Result<(), CommandError> {
        println!("| {} |", row.0.join(" | "));
        match &mut self.file {
            Some((writer, path)) => writer.write_record(&row.0).map_err(|error| CommandError::write(path, error)),
            None => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<(), CommandError> {
        match &mut self.file {
            Some((writer, path)) => writer.flush().map_err(|error| CommandError::write(path, error)),
            None => Ok(()),
        }
    }
}
