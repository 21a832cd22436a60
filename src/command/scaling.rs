//! `nearwater bench --scaling`: sweeps the number of particles or the support radius.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use nearwater::bench::{InputOrder, SCENARIOS, Scenario};
use nearwater::files::check_writable;
use nearwater::format;
use nearwater::gpu::{AdapterClass, Gpu};
use nearwater::laboratory::{LaboratoryError, ScalingInput, ScalingLab, Swept};
use nearwater::search::verify::SearchConfiguration;

use super::CommandError;
use super::arguments::BenchArguments;
use super::progress::progress_bar;
use super::table::Table;

/// Number of values in a sweep.
const POINTS: usize = 9;
/// Values whose predicted time of one build and one traversal is longer than this are not measured.
const LONGEST: Duration = Duration::from_millis(500);

/// Sweeps the number of particles or the radius, and reports where one search overtakes another.
pub fn run(
    gpu: &Arc<Gpu>,
    arguments: &BenchArguments,
    (swept, runs): (Swept, u32),
    configurations: Vec<SearchConfiguration>,
) -> Result<ExitCode, CommandError> {
    arguments.png.as_deref().map(check_writable).transpose()?;
    let software = gpu.capabilities.class == AdapterClass::Software;
    // The number density and radius of the first scenario, with fewer particles on a software adapter.
    let (_, full) = SCENARIOS[0];
    let base = if software {
        let share = 4_096.0 / full.particle_count as f32;
        Scenario { particle_count: 4_096, box_edge: full.box_edge * share.cbrt(), ..full }
    } else {
        full
    };
    let (from, to) = match (swept, software) {
        (Swept::Particles, true) => (256.0, 8_192.0),
        (Swept::Particles, false) => (1_024.0, 4_194_304.0),
        (Swept::Radius, _) => (0.5 * f64::from(base.radius), 4.0 * f64::from(base.radius)),
    };
    let order = InputOrder::Random;
    let input = ScalingInput { swept, from, to, points: POINTS, base, order, configurations, runs, longest: LONGEST };
    let mut lab = ScalingLab::new(gpu, input)?;
    let bar = progress_bar(0, "{msg}");
    bar.set_message("timing the searches");
    loop {
        let progress = lab.advance(gpu)?;
        bar.set_length(progress.total);
        bar.set_position(progress.done);
        if progress.is_done() {
            break;
        }
        gpu.wait().map_err(LaboratoryError::from)?;
    }
    bar.finish_and_clear();
    let scaling = lab.table();
    let records = scaling.records();
    let columns: Vec<&str> = records[0].iter().map(String::as_str).collect();
    let mut table = Table::new(&columns, arguments.csv.as_deref())?;
    records.iter().skip(1).for_each(|record| table.add(record));
    table.finish()?;
    outln!("\n{} Timed runs of each value: {}.", scaling.sentence(), format::count(runs.into()));
    if let Some(file) = &arguments.png {
        scaling.write_png(file)?;
    }
    Ok(ExitCode::SUCCESS)
}
