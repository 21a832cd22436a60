use std::process::ExitCode;

use nearwater::bench::{
    InputOrder, PaperCase, PaperTable, SearchFigures, SearchRow, Verdict, paper_tables, time_searches,
};
use nearwater::gpu::Gpu;
use nearwater::search::SearchInfo;

use super::CommandError;
use super::arguments::BenchArguments;
use super::table::Table;

const COLUMNS: [&str; 14] = [
    "table",
    "n",
    "box [m]",
    "r [m]",
    "search",
    "paper, total [ms]",
    "build [ms]",
    "search pass [ms]",
    "total [ms]",
    "candidates/particle",
    "neighbors/particle",
    "overhead",
    "bytes beyond the particles",
    "by the paper's formula",
];

/// Runs the papers' tables again, row by row, and says where their claims hold.
pub fn run(
    gpu: &Gpu,
    arguments: &BenchArguments,
    (wanted, runs): (&str, u32),
    search: Option<&'static SearchInfo>,
) -> Result<ExitCode, CommandError> {
    let tables = paper_tables(wanted)?;
    if let Some(table) = tables.first() {
        println!("Papers' times on a {}; input uniform and unsorted.\n", table.device());
    }
    let mut printed = Table::new(&COLUMNS, arguments.csv.as_deref())?;
    let mut verdicts = Vec::new();
    let limit = arguments.largest.unwrap_or(u32::MAX);
    for table in &tables {
        for case in table.cases.iter().filter(|case| case.scenario.particle_count <= limit) {
            let mut manners = table.manners(case)?;
            manners.retain(|manner| search.is_none_or(|search| search == manner.search));
            let rows = time_searches(gpu, &case.scenario, InputOrder::Random, &manners, runs)?;
            for (place, row) in rows.iter().enumerate() {
                // The paper's figure stands beside the manner that is the paper's: a search's first.
                let first = !rows[..place].iter().any(|earlier| search_of(earlier) == search_of(row));
                printed.add(&cells(table, case, row, first));
            }
            let totals: Vec<_> =
                rows.iter().flatten().map(|figures| (figures.manner.clone(), figures.total.median)).collect();
            verdicts.extend(table.verdicts(case, &totals).into_iter().map(|verdict| (table, case, verdict)));
        }
    }
    printed.finish()?;
    print_verdicts(&verdicts)?;
    Ok(ExitCode::SUCCESS)
}

fn search_of(row: &SearchRow) -> &'static str {
    match row {
        Ok(figures) => figures.manner.search.name,
        Err((manner, _)) => manner.search.name,
    }
}

fn cells(table: &PaperTable, case: &PaperCase, row: &SearchRow, first: bool) -> Vec<String> {
    let scenario = &case.scenario;
    let published = case.published_time(search_of(row)).filter(|_| first);
    let mut cells = vec![
        table.name.clone(),
        scenario.particle_count.to_string(),
        scenario.box_edge.to_string(),
        scenario.radius.to_string(),
    ];
    let published =
        published.map_or_else(|| "-".to_owned(), |time| format!("{:.2} ± {:.2}", time.median, time.deviation));
    match row {
        Ok(figures) => {
            cells.extend([figures.manner.to_string(), published]);
            cells.extend(figure_cells(figures, f64::from(scenario.particle_count)));
        }
        Err((manner, refusal)) => {
            cells.extend([manner.to_string(), published, refusal.to_string()]);
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
    println!();
    let mut printed = Table::new(&["table", "n", "box [m]", "r [m]", "claim", "paper", "here", "holds"], None)?;
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
            if verdict.holds() { "yes" } else { "no" }.to_owned(),
        ]);
    }
    let held = verdicts.iter().filter(|(.., verdict)| verdict.holds()).count();
    println!("\n{held} of {} claims hold on this device.", verdicts.len());
    Ok(())
}

fn faster(ratio: f64) -> String {
    if ratio >= 1.0 { format!("{ratio:.2} times faster") } else { format!("{:.2} times slower", ratio.recip()) }
}
