//! `nearwater validate`: compares the simulation with experiments and theory.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use nearwater::files::{check_writable, make_folder, write_table, write_whole};
use nearwater::fluid::{Settings, Solver};
use nearwater::gpu::Gpu;
use nearwater::validation::{Case, Convergence, Outcome, Trial, Verdict, curve_rows, markdown, result_rows};

use super::CommandError;
use super::arguments::{Common, ValidateArguments};
use super::progress::progress_bar;

/// Resolution of the progress bar: the number of parts of a run.
const PARTS: u64 = 1000;

/// Runs cases, and prints measured and reference values. The exit code is 1 when a check misses its reference.
pub fn run(common: &Common, arguments: &ValidateArguments) -> Result<ExitCode, CommandError> {
    common.refuse(
        &["--particles", "--radius"],
        "each case sets its own number of particles, for which there is --resolution",
    )?;
    let cases = Case::named(&arguments.case)?;
    let gpu = common.gpu()?;
    let settings = common.settings(&gpu)?;
    // Files that cannot be written are reported before the simulations run, not after.
    if let Some(folder) = &arguments.out {
        make_folder(folder)?;
        cases.iter().try_for_each(|case| files(folder, case).iter().try_for_each(|file| check_writable(file)))?;
    }
    let runs: Vec<_> = cases.into_iter().map(|case| (case, runs(common, arguments, case, &gpu))).collect();
    for (case, runs) in &runs {
        runs.iter().try_for_each(|run| case.check(run.solver, run.resolution, run.seconds))?;
    }
    outln!("{}; search {}; seed {}", gpu.capabilities.name, settings.search.name, settings.seed);
    let mut worst = Verdict::Reported;
    for (case, runs) in runs {
        outln!("\n{}: {}", case.title, case.source);
        let mut outcomes = Vec::new();
        for run in runs {
            let outcome = run.perform(case, &gpu, &settings)?;
            print(&outcome);
            worst = worst.min(outcome.verdict());
            outcomes.push(outcome);
        }
        print_orders(&outcomes);
        if let Some(folder) = &arguments.out {
            write(folder, case, &outcomes)?;
        }
    }
    Ok(if worst == Verdict::Miss { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

struct Run {
    solver: Solver,
    resolution: u32,
    seconds: f64,
}

/// The runs of a case: the requested solver, or each one that simulates a fluid, at each requested resolution.
fn runs(common: &Common, arguments: &ValidateArguments, case: &Case, gpu: &Gpu) -> Vec<Run> {
    let resolutions = match arguments.resolution.as_slice() {
        [] => case.usual_resolutions(gpu.capabilities.class),
        given => given.to_vec(),
    };
    let solvers = common.solver.map_or_else(|| Solver::fluids().collect(), |solver| vec![solver]);
    let seconds = arguments.seconds.unwrap_or(case.seconds);
    let at = |solver| resolutions.iter().map(move |&resolution| Run { solver, resolution, seconds });
    solvers.into_iter().flat_map(at).collect()
}

impl Run {
    fn perform(&self, case: &'static Case, gpu: &Arc<Gpu>, settings: &Settings) -> Result<Outcome, CommandError> {
        let progress = progress_bar(PARTS, "{msg}, {eta} left");
        progress.set_message(format!("{} {}, {} {}", case.name, self.solver.label(), self.resolution, case.unit));
        let outcome = case.run(Trial {
            gpu,
            settings,
            solver: self.solver,
            resolution: self.resolution,
            seconds: self.seconds,
            progress: &mut |share| progress.set_position((share * PARTS as f64) as u64),
        });
        progress.finish_and_clear();
        Ok(outcome?)
    }
}

fn print(outcome: &Outcome) {
    let resolution = &outcome.resolution;
    outln!(
        "{}, {} {}: {} particles, spacing {:.4} m, step {:.3} ms, {:.2} s simulated in {:.1} s",
        outcome.solver.label(),
        outcome.fineness,
        outcome.case.unit,
        resolution.particle_count,
        resolution.spacing,
        resolution.time_step * 1e3,
        outcome.seconds,
        outcome.wall.as_secs_f64()
    );
    for check in &outcome.checks {
        outln!("  {:<50} {:>22}   {}", check.name(), check.answered().replace('*', ""), check.asked());
    }
}

/// Prints with which power of the resolution the errors decrease, of solvers that ran with three resolutions.
fn print_orders(outcomes: &[Outcome]) {
    for Convergence { solver, orders } in Convergence::of(outcomes) {
        outln!("{}, order of convergence", solver.label());
        for (quantity, order) in orders.into_iter().filter(|(_, order)| order.is_finite()) {
            outln!("  {quantity:<50} {order:>22.1}");
        }
    }
}

/// Paths of a case's plot, results, curves and table.
fn files(folder: &Path, case: &Case) -> [PathBuf; 4] {
    ["png", "csv", "curves.csv", "md"].map(|ending| folder.join(format!("{}.{ending}", case.name)))
}

fn write(folder: &Path, case: &Case, outcomes: &[Outcome]) -> Result<(), CommandError> {
    let Some(table) = markdown(case, outcomes) else { return Ok(()) };
    let [plot, results, curves, text] = files(folder, case);
    case.figure(outcomes)?.write(&plot)?;
    write_table(&results, result_rows(outcomes))?;
    write_table(&curves, curve_rows(outcomes))?;
    write_whole(&text, |writer| std::io::Write::write_all(writer, table.as_bytes()))?;
    outln!("the plot and the tables were written to {}.*", folder.join(case.name).display());
    Ok(())
}
