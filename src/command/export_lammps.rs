//! `nearwater export-lammps`: writes a scene for LAMMPS.

use std::process::ExitCode;
use std::time::Instant;

use nearwater::format::count;
use nearwater::lammps::export;

use super::CommandError;
use super::arguments::{Common, ExportLammpsArguments, scene_named};
use super::progress::progress_bar;

/// Writes data file and input script, and prints what they contain and how to run them.
pub fn run(common: &Common, arguments: &ExportLammpsArguments) -> Result<ExitCode, CommandError> {
    let scene = scene_named(&arguments.scene)?;
    let settings = common.settings_for_lammps(&scene)?;
    let started = Instant::now();
    let progress = progress_bar(0, "particle {human_pos}/{human_len}, {eta} left");
    let exported = export(&scene, &settings, &arguments.folder, &mut |done, total| {
        progress.set_length(total);
        progress.set_position(done);
    });
    progress.finish_and_clear();
    let exported = exported?;
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
