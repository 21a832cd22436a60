//! Errors of the commands.

use std::path::PathBuf;

use thiserror::Error;

/// Why a command failed: the sentence printed before exit code 2.
#[derive(Debug, Error)]
pub enum CommandError {
    #[error(transparent)]
    Gpu(#[from] nearwater::gpu::GpuError),
    #[error(transparent)]
    Search(#[from] nearwater::search::SearchError),
    #[error(transparent)]
    Scene(#[from] nearwater::fluid::SceneError),
    #[error(transparent)]
    Fluid(#[from] nearwater::fluid::FluidError),
    #[error(transparent)]
    File(#[from] nearwater::files::FileError),
    #[error(transparent)]
    Lammps(#[from] nearwater::lammps::LammpsError),
    #[error(
        "{0} ended the export before it was complete, and no file was written; start it again with fewer particles"
    )]
    ExportInterrupted(&'static str),
    #[error("{reason}; leave out {name}")]
    Unused { name: &'static str, reason: &'static str },
    #[error(transparent)]
    Playback(#[from] nearwater::playback::PlaybackError),
    #[error(transparent)]
    Bench(#[from] nearwater::bench::BenchError),
    #[error(transparent)]
    Laboratory(#[from] nearwater::laboratory::LaboratoryError),
    #[error(transparent)]
    Validation(#[from] nearwater::validation::ValidationError),
    #[error(transparent)]
    Verification(#[from] nearwater::verification::VerificationError),
    #[cfg(feature = "app")]
    #[error(transparent)]
    App(#[from] nearwater::app::AppError),
    #[cfg(feature = "app")]
    #[error("no picture's title or name contains \"{wanted}\"; the pictures are: {available}")]
    Picture { wanted: String, available: String },
    #[cfg(feature = "app")]
    #[error("{0}")]
    Lesson(String),
    #[cfg(feature = "app")]
    #[error("the lesson could not be printed: {0}")]
    Print(String),
    #[cfg(feature = "app")]
    #[error("{0}; add --off-screen to run the script without a display")]
    NoDisplayForScript(nearwater::app::AppError),
    #[cfg(not(feature = "app"))]
    #[error("{0} needs the app, but this program was built without it; build it with the feature \"app\"")]
    NoApp(&'static str),
    #[error(transparent)]
    Check(#[from] nearwater::laboratory::check::CheckError),
    #[error("compare needs --radius: the largest distance between neighbors, in meters, for which the list was made")]
    NoRadius,
    #[error("--seconds is {0}, but must be a finite simulated time of at least 0 s")]
    Seconds(f64),
    #[error(
        "{seconds:e} s would take more than {most} steps of {time_step:.3e} s, the most of a run; use a shorter time"
    )]
    Steps { seconds: f64, time_step: f64, most: f64 },
    #[error("{one} and {other} name the same file {file}, which would be overwritten; name another one")]
    SameFile { one: String, other: String, file: String },
    #[error("signals cannot be watched: {0}")]
    Signals(std::io::Error),
    #[error(
        "the run ended early, at {time:.3} s of {wanted:.3} s, and the files contain what it had reached: {reason}"
    )]
    Early { time: f64, wanted: f64, reason: Box<CommandError> },
    #[error("the run was ended by {signal} at {time:.3} s of {wanted:.3} s; the files contain what it had reached")]
    Interrupted { signal: &'static str, time: f64, wanted: f64 },
    /// The run ended with a panic, which its report has told.
    #[error("a fault of the program, after which {}", match state {
        Some(file) => format!("the last state was saved to {}", file.display()),
        None => "the last state could not be saved".to_owned(),
    })]
    Panicked { state: Option<PathBuf> },
    /// Several things failed; each is a sentence of its own.
    #[error("{} failures, the first of which is: {}", .0.len(), .0[0])]
    Several(Vec<CommandError>),
    #[error(
        "{option} is {every}, but must be a finite simulated time of at least one time step, which is {step} s here"
    )]
    Interval { option: &'static str, every: f64, step: f64 },
    #[error(transparent)]
    Video(#[from] nearwater::video::VideoError),
    #[error(
        "a video of {rate} pictures a second shows one every {interval:.5} s of simulated time, but a time step is \
         {step:.5} s here; choose a lower --fps, a greater --pace or another --solver"
    )]
    Pictures { interval: f64, rate: u32, step: f64 },
    #[error("the scene \"{0}\" has no probes for --probes; add a list `probes` to its file, as in dam_break.ron")]
    NoProbes(String),
    #[error(
        "the particles of the scene \"{scene}\" come from a file and are {spacing} m apart; leave out --particles and \
         --radius"
    )]
    SizeOfPoints { scene: String, spacing: f32 },
    #[error("each case has its own material; leave out --set material...")]
    MaterialOfCase,
    #[error("no setting's name or explanation contains \"{0}\"; `nearwater settings` lists all")]
    NoSetting(String),
    #[error("--runs is 0, but must be at least 1")]
    Runs,
    #[error("no scenario's name contains \"{wanted}\"; the scenarios are: {available}")]
    Scenario { wanted: String, available: String },
    #[error("cannot write {file}: {reason}")]
    Report { file: String, reason: String },
    #[error("no mutant's file or line contains \"{0}\"; the files in assets/verification list all of them")]
    Mutant(String),
    #[error("no fixture's name contains \"{wanted}\"; the fixtures are: {available}")]
    Fixture { wanted: String, available: String },
    #[error(
        "the simulation became unstable: {0} particles are not finite after {1:.3} s, so no state was saved; please \
         report the scene and the number of particles"
    )]
    NotFinite(u32, f64),
}

impl CommandError {
    /// All of `failures` as one error; `Ok` where there are none.
    ///
    /// # Errors
    /// When there is at least one failure.
    pub fn all(mut failures: Vec<Self>) -> Result<(), Self> {
        match failures.len() {
            0 => Ok(()),
            1 => Err(failures.remove(0)),
            _ => Err(Self::Several(failures)),
        }
    }

    /// Calls `tell` with every failure.
    pub fn each(&self, tell: &mut dyn FnMut(&Self)) {
        match self {
            Self::Several(failures) => failures.iter().for_each(|failure| failure.each(tell)),
            one => tell(one),
        }
    }

    /// Everything that is wrong with a lesson.
    #[cfg(feature = "app")]
    pub fn lesson(errors: &[nearwater::app::LessonError]) -> Self {
        Self::Several(errors.iter().map(|error| Self::Lesson(error.to_string())).collect())
    }
}
