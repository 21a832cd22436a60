use thiserror::Error;

/// Why a command ended: the sentence printed before exit code 2.
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
    Bench(#[from] nearwater::bench::BenchError),
    #[error(transparent)]
    Validation(#[from] nearwater::validation::ValidationError),
    #[cfg(feature = "app")]
    #[error(transparent)]
    App(#[from] nearwater::app::AppError),
    #[error("--seconds is {0}, and must be a time from 0 up, in seconds of water")]
    Seconds(f64),
    #[error(
        "{option} is {every}, and must be a time in seconds of water, no shorter than a step, which is {step} s here"
    )]
    Interval { option: &'static str, every: f64, step: f64 },
    #[error("--load brings its own search, particles, solver and seed; leave out {0}")]
    BesideState(&'static str),
    #[error("the scene \"{0}\" has no probes for --probes; add a list `probes` to its file, as in dam_break.ron")]
    NoProbes(String),
    #[error(
        "the particles of the scene \"{scene}\" come from a file and are {spacing} m apart; leave out --particles and \
         --radius"
    )]
    SizeOfPoints { scene: String, spacing: f32 },
    #[error("a case has its own size of particles; leave out {0}, and give --resolution where you want another")]
    SizeOfCase(&'static str),
    #[error("--runs is 0, and must be at least 1")]
    Runs,
    #[error("no scenario's name contains \"{wanted}\"; there are: {available}")]
    Scenario { wanted: String, available: String },
    #[error("no fixture's name contains \"{wanted}\"; there are: {available}")]
    Fixture { wanted: String, available: String },
    #[error("the water is no longer finite in {0} particles after {1:.3} s; please report the scene and the count")]
    NotFinite(u32, f64),
}
