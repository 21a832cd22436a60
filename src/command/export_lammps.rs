//! `nearwater export-lammps`: writes a scene for LAMMPS.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use nearwater::format::count;
use nearwater::lammps::{ExportProgress, LammpsError, export};

use super::CommandError;
use super::arguments::{Common, ExportLammpsArguments, scene_named};
use super::interrupt::Interrupts;
use super::progress::progress_bar;

/// How often signals are looked for, and the time in the line is shown anew.
const LOOK: Duration = Duration::from_millis(50);

/// What both threads of an export know.
struct Shared {
    progress: ProgressBar,
    /// Whether a signal asks it to end.
    is_called_off: AtomicBool,
    /// Whether it has begun to write.
    is_writing: AtomicBool,
}

impl Shared {
    fn show(&self, stage: ExportProgress) -> ControlFlow<()> {
        if let ExportProgress::Writing { done, total } = stage {
            self.is_writing.store(true, Ordering::SeqCst);
            self.progress.set_length(total);
            self.progress.set_position(done);
        }
        if self.is_called_off.load(Ordering::SeqCst) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Writes data file and input script, and prints what they contain and how to run them.
pub fn run(common: &Common, arguments: &ExportLammpsArguments) -> Result<ExitCode, CommandError> {
    let scene = scene_named(&arguments.scene)?;
    let settings = common.settings_for_lammps(&scene)?;
    let interrupts = Interrupts::watch().map_err(CommandError::Signals)?;
    let started = Instant::now();
    // Without a length the bar is empty, and only the time goes on.
    let shared = Arc::new(Shared {
        progress: progress_bar(0, "particle {human_pos}/{human_len} after {elapsed}"),
        is_called_off: AtomicBool::new(false),
        is_writing: AtomicBool::new(false),
    });
    shared.progress.enable_steady_tick(LOOK);
    let worker = {
        let (shared, folder) = (Arc::clone(&shared), arguments.folder.clone());
        thread::spawn(move || export(&scene, &settings, &folder, &mut |stage| shared.show(stage)))
    };
    while !worker.is_finished() {
        if let Some(signal) = interrupts.signal() {
            shared.is_called_off.store(true, Ordering::SeqCst);
            // What counts particles cannot be ended, and ends with the process.
            if !shared.is_writing.load(Ordering::SeqCst) {
                shared.progress.finish_and_clear();
                return Err(CommandError::ExportInterrupted(signal));
            }
        }
        thread::sleep(LOOK);
    }
    let exported = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    shared.progress.finish_and_clear();
    let exported = match (exported, interrupts.signal()) {
        (Err(LammpsError::Ended), Some(signal)) => return Err(CommandError::ExportInterrupted(signal)),
        (exported, _) => exported?,
    };
    outln!(
        "{} particles of fluid, {} of walls and {} of boundaries, spacing {:.4} m, step {:.4} ms, written in {:.1} s",
        count(exported.fluid),
        count(exported.walls),
        count(exported.boundaries),
        exported.spacing,
        exported.time_step * 1e3,
        started.elapsed().as_secs_f64()
    );
    outln!("run it with: cd {} && mpirun -n 4 lmp -in in.water", arguments.folder.display());
    Ok(ExitCode::SUCCESS)
}
