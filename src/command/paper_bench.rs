//! `nearwater bench --table`: repeats the tables of the papers and checks their claims.

use std::process::ExitCode;

use nearwater::bench::{
    InputOrder, PaperCase, PaperRun, PaperTable, SearchFigures, SearchRow, Settings, Verdict, paper_tables,
    time_searches,
};
use nearwater::gpu::Gpu;
use nearwater::search::SearchInfo;

use super::CommandError;
use super::arguments::BenchArguments;
use super::table::Table;

const COLUMNS: [&str; 15] = [
    "table",
    "n",
    "box [m]",
    "r [m]",
    "settings",
    "search",
    "paper, total [ms]",
    "build [ms]",
    "search pass [ms]",
    "total [ms]",
    "candidates/particle",
    "neighbors/particle",
    "overhead",
    "bytes beyond the particles",
    "bytes by the paper's formula",
];

/// Repeats the papers' tables row by row, and reports which of their claims hold.
pub fn run(
    gpu: &Gpu,
    arguments: &BenchArguments,
    (wanted, runs): (&str, u32),
    search: Option<&'static SearchInfo>,
) -> Result<ExitCode, CommandError> {
    let tables = paper_tables(wanted)?;
    if let Some(table) = tables.first() {
        outln!("The papers' times were measured on a {}; the input is uniform and unsorted.\n", table.device());
    }
    let mut printed = Table::new(&COLUMNS, arguments.csv.as_deref())?;
    let mut verdicts = Vec::new();
    let limit = arguments.largest.unwrap_or(u32::MAX);
    for table in &tables {
        for case in table.cases.iter().filter(|case| case.scenario.particle_count <= limit) {
            let mut paper_runs = table.runs(case)?;
            paper_runs.retain(|run| search.is_none_or(|search| search == run.configuration.search));
            let configurations: Vec<_> = paper_runs.iter().map(|run| run.configuration.clone()).collect();
            let rows = time_searches(gpu, &case.scenario, InputOrder::Random, &configurations, runs)?;
            let mut totals = Vec::new();
            for (run, row) in paper_runs.into_iter().zip(&rows) {
                printed.add(&cells(table, case, &run, row));
                totals.extend(row.as_ref().ok().map(|figures| (run, figures.total.median)));
            }
            verdicts.extend(table.verdicts(case, &totals).into_iter().map(|verdict| (table, case, verdict)));
        }
    }
    printed.finish()?;
    print_verdicts(&verdicts)?;
    Ok(ExitCode::SUCCESS)
}

fn cells(table: &PaperTable, case: &PaperCase, run: &PaperRun, row: &SearchRow) -> Vec<String> {
    let scenario = &case.scenario;
    // The paper's figure stands beside the run that has the paper's settings.
    let published = case.published_time(run.configuration.search.name).filter(|_| run.settings == Settings::Paper);
    let mut cells = vec![
        table.name.clone(),
        scenario.particle_count.to_string(),
        scenario.box_edge.to_string(),
        scenario.radius.to_string(),
        run.settings.label().to_owned(),
        run.configuration.to_string(),
    ];
    let published =
        published.map_or_else(|| "-".to_owned(), |time| format!("{:.2} ± {:.2}", time.median, time.deviation));
    match row {
        Ok(figures) => {
            cells.push(published);
            cells.extend(figure_cells(figures, f64::from(scenario.particle_count)));
        }
        Err((_, refusal)) => {
            cells.extend([published, refusal.to_string()]);
            cells.resize(COLUMNS.len(), "-".to_owned());
        }
    }
    cells
}

fn figure_cells(figures: &SearchFigures, particle_count: f64) -> [String; 8] {
    [
        figures.build.to_string(),
        figures.traversal.to_string(),
        figures.total.to_string(),
        format!("{:.1}", figures.totals.candidates as f64 / particle_count),
        format!("{:.1}", figures.totals.neighbors as f64 / particle_count),
        figures.totals.overhead().map_or_else(|| "-".to_owned(), |overhead| format!("{overhead:.2}")),
        figures.bytes.to_string(),
        figures.paper_bytes.to_string(),
    ]
}

fn print_verdicts(verdicts: &[(&PaperTable, &PaperCase, Verdict)]) -> Result<(), CommandError> {
    outln!();
    if verdicts.is_empty() {
        return Ok(());
    }
    let columns =
        ["table", "n", "box [m]", "r [m]", "claim", "paper", "as published", "holds", "with our look-ups", "holds"];
    let mut printed = Table::new(&columns, None)?;
    let yes_or_no = |holds| if holds { "yes" } else { "no" }.to_owned();
    for (table, case, verdict) in verdicts {
        let (low, high) = verdict.published;
        let published = if low < high { format!("{} to {}", faster(low), faster(high)) } else { faster(low) };
        printed.add(&[
            table.name.clone(),
            case.scenario.particle_count.to_string(),
            case.scenario.box_edge.to_string(),
            case.scenario.radius.to_string(),
            format!("{} against {}", verdict.subject, verdict.baseline),
            published,
            faster(verdict.here),
            yes_or_no(verdict.holds()),
            verdict.with_our_look_ups.map_or_else(|| "-".to_owned(), faster),
            verdict.holds_with_our_look_ups().map_or_else(|| "-".to_owned(), yes_or_no),
        ]);
    }
    let held = verdicts.iter().filter(|(.., verdict)| verdict.holds()).count();
    let with_ours = verdicts.iter().filter(|(.., verdict)| verdict.holds_with_our_look_ups() == Some(true)).count();
    outln!(
        "\nOf {} claims {held} hold on this device with the searches as published, and {with_ours} with our look-ups.",
        verdicts.len()
    );
    Ok(())
}

fn faster(ratio: f64) -> String {
    if ratio >= 1.0 { format!("{ratio:.2} times faster") } else { format!("{:.2} times slower", ratio.recip()) }
}
