//! The arguments of the command line, with their help texts, and their conversion into settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use glam::{UVec2, Vec3};
use nearwater::bench::rank_searches;
use nearwater::depiction::Depiction;
use nearwater::files::FrameFormat;
use nearwater::fluid::probes::{PROBES, probe_list};
use nearwater::fluid::{MaterialEdits, Scene, SceneEdits, Settings, Size, SmoothingKernel, Solver, SolverSettings};
use nearwater::gpu::{AdapterClass, Gpu, ShaderLibrary};
use nearwater::laboratory::Swept;
use nearwater::panic_report;
use nearwater::render::color_fields::COLOR_FIELDS;
use nearwater::render::{ColorField, ColorFieldInfo, DrawStyle, SolidStyle, Splatting, Theme, parse_size};
use nearwater::search::verify::SearchConfiguration;
use nearwater::search::{CELL_EDGE, SEARCHES, SearchInfo, SearchOptions, search_named};
use nearwater::validation::CASES;
use nearwater::video::{VideoEncoder, VideoSettings};

use super::CommandError;
use super::filming::Filming;
use super::recorder::{Export, Probing};

/// Interactive GPU fluid simulator in which the neighbor search is the star.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = false, subcommand_precedence_over_arg = true)]
pub struct Arguments {
    #[arg(help = scene_help())]
    pub scene: Option<String>,
    /// Resume from a state that --save or the panel wrote, with its scene, search, particles and solver
    #[arg(long, value_name = "FILE")]
    pub load: Option<PathBuf>,
    #[command(flatten)]
    pub playing: Playing,
    #[command(flatten)]
    pub look: Looking,
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// The value of `--search` for the search that is fastest in the scene on this device.
const FASTEST: &str = "fastest";

/// The value of `--search` for all searches.
const ALL: &str = "all";

/// The scene that opens when the command line names none.
pub const DEFAULT_SCENE: &str = "dam_break";

/// Options of the app: scripted input, the window, and the file of user settings.
#[derive(Args, Debug)]
pub struct Playing {
    /// Run a script of keys, clicks, waits and screenshots in the app; docs/SCRIPTS.md describes the language
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// Run the app off screen, without a window or a display, until the script ends
    #[arg(long, requires = "script")]
    pub off_screen: bool,
    /// Run the app off screen against the clock for this many frames, then switch search, size and scene, and print how
    /// evenly frames are shown
    #[arg(long, value_name = "N", conflicts_with_all = ["script", "lesson"], value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub frames: Option<u32>,
    /// With --frames, refreshes of the imitated display per second
    #[arg(long, value_name = "HZ", requires = "frames", default_value_t = 60, value_parser = clap::value_parser!(u32).range(24..=1_000))]
    pub display: u32,
    /// Write the script's pictures to this folder instead of the script's own
    #[arg(long, value_name = "DIR", requires = "script")]
    pub out: Option<PathBuf>,
    /// Open the app with this lesson: a name, or the folder of a lesson of your own
    #[arg(long, value_name = "LESSON")]
    pub lesson: Option<String>,
    /// Start in attract mode: the camera drifts, and scenes and searches change until there is input
    #[arg(long, conflicts_with = "lesson")]
    pub attract: bool,
    /// Width and height of the window in pixels [default: 1280x800]
    #[arg(long = "size", value_name = "WxH", value_parser = parse_size)]
    pub window_size: Option<UVec2>,
    /// Store the user settings of the panel in this file instead of the default one
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
}

/// Options of what pictures show, in the window and without one.
#[derive(Args, Debug)]
pub struct Looking {
    /// How the water is drawn: particles, smooth or water (clear water) [default: particles; in the window as last
    /// time]
    #[arg(long, value_name = "STYLE", value_parser = parse_style)]
    pub style: Option<DrawStyle>,
    /// Surroundings: dark or light [default: dark; in the window as last time]
    #[arg(long, value_name = "THEME", value_parser = parse_theme)]
    pub theme: Option<Theme>,
    /// How solids are drawn: mesh, particles or hidden [default: mesh; in the window as last time]
    #[arg(long, value_name = "STYLE", value_parser = parse_solids)]
    pub solids: Option<SolidStyle>,
    #[arg(long, value_name = "FIELD", help = field_help(), value_parser = parse_field)]
    pub field: Option<ColorField>,
    /// Draw the edges of the search's cells; `--cell-edges=false` hides them
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub cell_edges: Option<bool>,
}

/// Options that every command accepts.
#[derive(Args, Debug)]
pub struct Common {
    #[arg(long, global = true, value_name = "NAME", help = search_help())]
    pub search: Option<String>,
    /// Cells of a grid search: `r`, `2r` (edges in support radii) or `fine` (rows of r, cut into r/4)
    #[arg(long, global = true, value_name = "EDGE")]
    pub cell_edge: Option<String>,
    /// A setting of the search, which can be given several times; `nearwater settings` lists them
    #[arg(long = "option", global = true, value_name = "NAME=VALUE")]
    pub options: Vec<String>,
    /// Number of fluid particles; the default depends on scene and adapter
    #[arg(long, global = true, value_name = "N", conflicts_with = "radius")]
    pub particles: Option<u32>,
    /// Support radius in meters, instead of a number of particles
    #[arg(long, global = true, value_name = "R", allow_negative_numbers = true)]
    pub radius: Option<f32>,
    #[arg(long, global = true, value_name = "NAME", value_parser = parse_solver, help = solver_help())]
    pub solver: Option<Solver>,
    #[arg(long, global = true, value_name = "NAME", value_parser = parse_kernel, help = kernel_help())]
    pub kernel: Option<SmoothingKernel>,
    /// A setting of a solver, of foam or of the material instead of the scene's, which can be given several times;
    /// `nearwater settings` lists them
    #[arg(long = "set", global = true, value_name = "NAME=VALUE")]
    pub solver_settings: Vec<String>,
    /// Use the adapter whose name contains this text, or that has this number; `nearwater adapters` lists them
    #[arg(long, global = true, value_name = "TEXT")]
    pub adapter: Option<String>,
    /// Seed of all random numbers [default: 20261121]
    #[arg(long, global = true, value_name = "S")]
    pub seed: Option<u64>,
    /// Read the shaders from this folder, and reload them whenever a file in it changes
    #[arg(long, global = true, value_name = "DIR")]
    pub shaders: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run a scene without a window
    Simulate(SimulateArguments),
    /// Check every search against the CPU oracle
    Verify(VerifyArguments),
    /// Use the simulation at random, with checks after every action, until stopped
    Soak(SoakArguments),
    /// Compare the simulation with experiments and theory
    Validate(ValidateArguments),
    /// Time the primitives, the searches and a step of the simulation
    Bench(BenchArguments),
    /// Check the neighbor list of another program: missing, extra and double pairs, and what they have in common
    Compare(CompareArguments),
    /// Write a scene as data file and input script for LAMMPS, which runs SPH under MPI on clusters
    ExportLammps(ExportLammpsArguments),
    /// Play recorded frames in the window: dumps of LAMMPS, VTK, PLY or CSV
    Play(PlayArguments),
    /// Measure how fast this device runs a scene, and print what the app chooses on it
    Pace(PaceArguments),
    /// List every adapter with its limits and the features it lacks
    Adapters,
    /// List the settings that --set and --option accept, with their ranges and defaults
    Settings(SettingsArguments),
    /// Draw a picture of the whole window for every view, without a display
    Gallery(GalleryArguments),
    /// Draw the small pictures that the menu of scenes shows, without a display
    Thumbnails(ThumbnailArguments),
    /// List the lessons, or write one as a page with pictures, questions and answers
    Lesson(LessonArguments),
}

#[derive(Args, Debug)]
#[command(group(ArgGroup::new("picture").args(["png", "video"]).multiple(true)))]
pub struct SimulateArguments {
    /// Scene: a name or a RON file [default with --load: the scene of the state]
    #[arg(required_unless_present = "load")]
    pub scene: Option<String>,
    /// Time to simulate, in seconds, counted from the start or from the state that --load reads
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub seconds: f64,
    /// Draw the last frame into this PNG
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Record a video into this file: .mp4 (H.264), .gif, or a folder or pattern such as water_%05d.png for PNGs
    #[arg(long, value_name = "FILE")]
    pub video: Option<PathBuf>,
    /// Pictures per second of the video [default: 60, for a GIF 25]
    #[arg(long, value_name = "N", requires = "video")]
    pub fps: Option<u32>,
    /// Simulated seconds per second of the video: 0.25 is slow motion
    #[arg(long, value_name = "X", requires = "video", default_value_t = 1.0, allow_negative_numbers = true)]
    pub pace: f64,
    /// Camera of PNG and video: fixed, fixed:turn=30,height=3,distance=8 (degrees, m), orbit, orbit:period=20 (s) with
    /// the same values, or a RON file of key frames; the PNG shows what the video would show at its end
    #[arg(long, value_name = "CAMERA", requires = "picture", default_value = "fixed")]
    pub camera: String,
    /// Encoder of MP4 files: builtin, or the program ffmpeg if it is installed
    #[arg(long, value_name = "NAME", requires = "video", default_value = "builtin", value_parser = parse_encoder)]
    pub encoder: VideoEncoder,
    /// Width and height of PNG and video in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = parse_size)]
    pub size: UVec2,
    #[command(flatten)]
    pub look: Looking,
    /// Leave out the legend of the colors; a video in the colors of water has none anyway
    #[arg(long, requires = "picture")]
    pub no_legend: bool,
    /// Write pass times in milliseconds into this CSV file: a row for every step, a column for every pass
    #[arg(long, value_name = "FILE")]
    pub timings: Option<PathBuf>,
    /// Write frames of the particles to this folder, which is created if it does not exist
    #[arg(long, value_name = "DIR", requires = "every")]
    pub export: Option<PathBuf>,
    /// Simulated seconds between exported frames; the first frame is the start
    #[arg(long, value_name = "S", requires = "export", allow_negative_numbers = true)]
    pub every: Option<f64>,
    /// Format of the frames: vtk (a series that `ParaView` opens), ply or csv [default: vtk]
    #[arg(long, value_name = "FORMAT", requires = "export", value_parser = parse_format)]
    pub format: Option<FrameFormat>,
    #[arg(long, value_name = "FILE", requires = "probe_every", help = probes_help())]
    pub probes: Option<PathBuf>,
    /// Simulated seconds between readings of the probes; the first reading is at the start
    #[arg(long, value_name = "S", requires = "probes", allow_negative_numbers = true)]
    pub probe_every: Option<f64>,
    /// Resume from a state that --save wrote, with its search, particles and solver
    #[arg(long, value_name = "FILE")]
    pub load: Option<PathBuf>,
    /// Save the state at the end, from which --load resumes
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

impl SimulateArguments {
    /// The export of frames, if it was requested.
    pub fn export(&self) -> Option<Export> {
        let (folder, every) = (self.export.clone()?, self.every?);
        Some(Export { folder, every, format: self.format.unwrap_or(FrameFormat::Vtk) })
    }

    /// What pictures show.
    pub fn depiction(&self) -> Depiction {
        Depiction {
            style: self.look.style.unwrap_or_default(),
            splatting: Splatting::default(),
            solids: self.look.solids.unwrap_or_default(),
            theme: self.look.theme.unwrap_or_default(),
            field: self.look.field.unwrap_or_default(),
            cell_edges: self.look.cell_edges.unwrap_or_default(),
        }
    }

    /// The video, if it was requested.
    pub fn filming(&self) -> Result<Option<Filming>, CommandError> {
        let Some(file) = self.video.clone() else { return Ok(None) };
        let usual = VideoSettings::new(file, self.size)?;
        let rate = self.fps.unwrap_or(usual.rate);
        Ok(Some(Filming {
            settings: VideoSettings { rate, pace: self.pace, encoder: self.encoder, ..usual },
            seconds: self.seconds,
            legend: !self.no_legend && !self.look.field.unwrap_or_default().looks_like_water(),
        }))
    }

    /// The readings of probes, if they were requested.
    pub fn probing(&self) -> Option<Probing<'_>> {
        Some(Probing { file: self.probes.as_deref()?, every: self.probe_every? })
    }
}

#[derive(Args, Debug)]
#[command(
    after_help = "Exit code: 0 if every search is right, 1 if one is wrong or a mutant survives, 2 if it could not be \
                        run. docs/RELIABILITY.md says what was run on what, and what came out."
)]
pub struct VerifyArguments {
    /// Also use fixtures of up to four million particles, which need a graphics card
    #[arg(long)]
    pub full: bool,
    /// Only fixtures whose name contains this text, or the fixture of a file that --endless wrote; with --mutants only
    /// mutants whose file or line contains it
    #[arg(long, value_name = "TEXT|FILE")]
    pub only: Option<String>,
    /// Write the lines of the report into this file as they are found
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Check this many searches, mutants or random fixtures at the same time, each on a device of its own [default: 1
    /// on a software adapter, half the cores and up to 8 on others]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub jobs: Option<u8>,
    /// Use random fixtures, one after the other, until stopped or until a search is wrong; the failure is then reduced
    /// to the fewest particles and written into a file for --only
    #[arg(long, conflicts_with_all = ["full", "only", "mutants"])]
    pub endless: bool,
    /// With --endless, stop after this many compared pairs, such as 1e10
    #[arg(long, value_name = "N", requires = "endless", value_parser = parse_pairs)]
    pub pairs: Option<u64>,
    /// With --endless, stop after this many seconds
    #[arg(long, value_name = "S", requires = "endless", allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// With --endless, the folder for the fixture of a failure
    #[arg(long, value_name = "DIR", requires = "endless", default_value = ".")]
    pub failures: PathBuf,
    /// Change one token of a shader at a time: of the searches, and check that the fixtures reveal each change, or of
    /// the pair kernels of the solvers, and check that physical properties reveal it [default: searches]
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "searches",
        conflicts_with = "full"
    )]
    pub mutants: Option<MutantsOf>,
}

/// Whose shaders are changed by --mutants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MutantsOf {
    /// Of the neighbor searches
    Searches,
    /// Of the solvers
    Kernels,
}

/// Reads a number of pairs, also in the form 1e10.
fn parse_pairs(text: &str) -> Result<u64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (1.0..=1e18).contains(number));
    number.map(|number| number as u64).ok_or_else(|| "it is not a number from 1 to 1e18".to_owned())
}

#[derive(Args, Debug)]
#[command(
    after_help = "Scenes, searches, solvers, numbers of particles (up to --particles), pushes, walls, saved states and \
                  pictures follow from --seed. With --window so do keys, clicks anywhere, typing, sizes of the window, \
                  views of the laboratory, lessons and videos; on a desktop, its clicks may open dialogs. Exit code: 0 \
                  if nothing is wrong, 1 if something is, and the report then says how to repeat it."
)]
pub struct SoakArguments {
    /// Stop after this many hours, such as 0.5; without any limit, run until stopped
    #[arg(long, value_name = "H", conflicts_with = "seconds", allow_negative_numbers = true)]
    pub hours: Option<f64>,
    /// Stop after this many seconds
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Stop after this many time steps
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Stop after this many episodes, each of which begins with a scene and does up to thirteen things to it
    #[arg(long, value_name = "N")]
    pub episodes: Option<u64>,
    /// Most steps of one action [default: 40 on a software adapter, 1000 on others]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(4..=1_000_000))]
    pub longest: Option<u32>,
    /// Use the app in its window at random, in place of the simulation alone
    #[arg(long, conflicts_with_all = ["steps", "episodes", "longest"])]
    pub window: bool,
    /// Draw the app into an image in place of a window
    #[arg(long, requires = "window")]
    pub off_screen: bool,
    /// Stop after this many lines of the app's script language
    #[arg(long, value_name = "N", requires = "window")]
    pub lines: Option<u64>,
    /// Write the lines of the report into this file as they are found
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Exit code: 0 if both agree, 1 if they differ, 2 if a file could not be read or the search not run. \
                        docs/CHECK_YOUR_SEARCH.md shows how to write the files."
)]
pub struct CompareArguments {
    /// Points: CSV or PLY with x, y and z, or NPY of three or four columns
    pub points: PathBuf,
    /// Neighbor list: pairs (CSV or NPY of two columns), or CSR (offsets, then neighbors; text or NPY)
    pub neighbors: PathBuf,
    /// Offsets of CSR, if they are in a separate file; NEIGHBORS then contains only the neighbors
    #[arg(long, value_name = "FILE")]
    pub offsets: Option<PathBuf>,
    /// Class of each particle, 0 for inner and 1 for border, to compare with those of --search: CSV or NPY
    #[arg(long, value_name = "FILE")]
    pub classes: Option<PathBuf>,
    /// Box that the search's cells fill, as two corners x,y,z in meters [default: the bounding box of the points,
    /// slightly enlarged]
    #[arg(long = "box", value_names = ["LOW", "HIGH"], num_args = 2, allow_hyphen_values = true,
          value_parser = parse_corner)]
    pub bounds: Vec<Vec3>,
    /// The list has each pair once, in either direction [default: detected]
    #[arg(long, conflicts_with = "both")]
    pub once: bool,
    /// The list has each pair in both directions [default: detected]
    #[arg(long)]
    pub both: bool,
    /// The first particle is number 1 in the list
    #[arg(long)]
    pub one_based: bool,
    /// Write the wrong pairs to this CSV file, with distances, cells and classes
    #[arg(long, value_name = "OUT")]
    pub csv: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct ValidateArguments {
    #[arg(value_name = "CASE", default_value = "all", help = case_help())]
    pub case: String,
    /// Number of particles across the fluid, or of layers, instead of the case's own; separate several with commas
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub resolution: Vec<u32>,
    /// Simulated seconds instead of the case's own; checks that a shorter run does not reach are misses
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Write plots (PNG), tables (CSV, Markdown) and curves (CSV) to this folder, which is created if it does not exist
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct BenchArguments {
    /// Also write the table to this CSV file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Only scenarios whose name contains this text
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Repeat a table of a paper row by row: claws-1, claws-2, claws-ideas, fenns-1, fenns-2, fenns-3,
    /// morillo or all
    #[arg(long, value_name = "NAME", conflicts_with = "only")]
    pub table: Option<String>,
    /// With --table, skip rows with more particles than this
    #[arg(long, value_name = "N", requires = "table")]
    pub largest: Option<u32>,
    /// Sweep the number of particles (n) or the support radius (r) instead, and report where one search overtakes
    /// another
    #[arg(long, value_name = "n|r", conflicts_with_all = ["only", "table"], value_parser = parse_swept)]
    pub scaling: Option<Swept>,
    /// With --scaling, draw the curves into this PNG
    #[arg(long, value_name = "FILE", requires = "scaling")]
    pub png: Option<PathBuf>,
    /// Number of timed runs of each case, of which the median is reported [default: 31, on software adapters 3]
    #[arg(long, value_name = "N")]
    pub runs: Option<u32>,
    /// Compare the times with those of another program on the same input: the CSV file that it wrote
    #[arg(long, value_name = "FILE", conflicts_with_all = ["table", "scaling", "laboratory", "steps"])]
    pub against: Option<PathBuf>,
    /// Time whole steps of the dam break instead, pass by pass, at --particles [default: 1048576]
    #[arg(long, conflicts_with_all = ["only", "table", "scaling", "laboratory"])]
    pub steps: bool,
    /// Time the overlays of the laboratory on the dam break instead, at --particles [default: 1048576]
    #[arg(long, conflicts_with_all = ["only", "table", "scaling"])]
    pub laboratory: bool,
}

#[derive(Args, Debug)]
#[command(after_help = "Run it with: mpirun -n 4 lmp -in DIR/in.water -var seconds 2. docs/CLUSTER.md shows how.")]
pub struct ExportLammpsArguments {
    /// Scene: a name or a RON file
    pub scene: String,
    /// Folder for data.water and in.water, which is created if it does not exist
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

#[derive(Args, Debug)]
pub struct PlayArguments {
    /// Folders, lists of frames (.pvd, frames.csv) or files: dumps of LAMMPS (.lammpstrj, .dump), VTK (.vtu, .vtp,
    /// .vtk), PLY or CSV
    #[arg(value_name = "DIR|FILE", required = true)]
    pub paths: Vec<PathBuf>,
    /// Distance between particles, from which radius and size of the drawn particles follow, m [default: from the
    /// particles]
    #[arg(long, value_name = "M", allow_negative_numbers = true)]
    pub spacing: Option<f32>,
    /// Run a script of keys, clicks, waits and screenshots in the app; docs/SCRIPTS.md describes the language
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// Run the app off screen, without a window or a display, until the script ends
    #[arg(long, requires = "script")]
    pub off_screen: bool,
    /// Write the script's pictures to this folder instead of the script's own
    #[arg(long, value_name = "DIR", requires = "script")]
    pub out: Option<PathBuf>,
    /// Width and height of the window in pixels [default: 1280x800]
    #[arg(long = "size", value_name = "WxH", value_parser = parse_size)]
    pub window_size: Option<UVec2>,
    /// Store the user settings of the panel in this file instead of the default one
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    #[command(flatten)]
    pub look: Looking,
}

#[derive(Args, Debug)]
pub struct ThumbnailArguments {
    /// The folder of the pictures, which is created if it does not exist; those of the program are in assets/thumbnails
    pub folder: PathBuf,
    /// Only scenes whose name contains this text
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// The simulated time that the pictures show, s [default: depends on the scene]
    #[arg(long, value_name = "T")]
    pub seconds: Option<f64>,
}

#[derive(Args, Debug)]
pub struct PaceArguments {
    /// Scene: a name or a RON file [default: `dam_break`]
    pub scene: Option<String>,
    /// Time every solver with every search and every style of drawing, which takes minutes
    #[arg(long)]
    pub all: bool,
    /// Time every pass of drawing in each style instead, at --particles
    #[arg(long, conflicts_with_all = ["all", "book"])]
    pub drawing: bool,
    /// Write the measured times into this RON file
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,
    /// Width and height of the picture in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = parse_size)]
    pub size: UVec2,
}

#[derive(Args, Debug)]
pub struct SettingsArguments {
    /// Only settings whose name or explanation contains this text
    #[arg(value_name = "TEXT")]
    pub text: Option<String>,
}

#[derive(Args, Debug)]
pub struct GalleryArguments {
    /// Folder for the pictures and the page that shows them, GALLERY.md; it is created if it does not exist
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Only pictures whose title or file name contains this text
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
}

#[derive(Args, Debug)]
pub struct LessonArguments {
    /// Lesson: a name, or the folder of a lesson of your own; without it, all lessons are listed
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Write the lesson into this HTML file, with its pictures inside
    #[arg(long, value_name = "FILE", requires = "name")]
    pub html: Option<PathBuf>,
    /// Leave out pictures and measured numbers, for machines without a graphics device
    #[arg(long, requires = "html")]
    pub no_pictures: bool,
    /// Print the quantities that lessons can name, as a guide to writing lessons lists them
    #[arg(long, conflicts_with_all = ["name", "html"])]
    pub quantities: bool,
}

impl Common {
    /// Opens the adapter that `--adapter` selects, or the best one.
    pub fn gpu(&self) -> Result<Arc<Gpu>, CommandError> {
        let shaders = match &self.shaders {
            Some(folder) => ShaderLibrary::from_folder(folder.clone())?,
            None => ShaderLibrary::embedded(),
        };
        let gpu = Gpu::open(self.adapter.as_deref(), shaders)?;
        panic_report::note_adapter(&gpu.capabilities);
        Ok(gpu)
    }

    /// The same without checks in the shaders of `--shaders`, for timing them.
    pub fn gpu_for_timing(&self) -> Result<Arc<Gpu>, CommandError> {
        let Some(folder) = &self.shaders else { return self.gpu() };
        outln!(
            "The shaders of {} run without checks of bounds and loops, so that their times count; a fault in them can \
             damage other memory of the device.\n",
            folder.display()
        );
        Ok(Gpu::open(self.adapter.as_deref(), ShaderLibrary::from_folder(folder.clone())?.unchecked())?)
    }

    /// The search that `--search` names, if any.
    pub fn search(&self) -> Result<Option<&'static SearchInfo>, CommandError> {
        Ok(self.search.as_deref().map(search_named).transpose()?)
    }

    /// The search of a command that uses all of them unless `--search` names one; `None` for all.
    pub fn search_or_all(&self) -> Result<Option<&'static SearchInfo>, CommandError> {
        if self.search.as_deref() == Some(ALL) { Ok(None) } else { self.search() }
    }

    /// Refuses options that the search does not have.
    fn refuse_foreign_options(&self, search: &SearchInfo) -> Result<(), CommandError> {
        let names = self.options.iter().map(|option| option.split('=').next().unwrap_or_default());
        // Names that no search has are refused with the nearest ones where they are read.
        self.search_options()?;
        names.chain(self.cell_edge.iter().map(|_| CELL_EDGE.name)).try_for_each(|name| search.check_option(name))?;
        Ok(())
    }

    /// The settings of the searches that `--cell-edge` and `--option` give.
    pub fn search_options(&self) -> Result<SearchOptions, CommandError> {
        let mut options = SearchOptions::default();
        if let Some(edge) = &self.cell_edge {
            options.set(&CELL_EDGE, CELL_EDGE.parse(edge)?);
        }
        for option in &self.options {
            options.parse(option)?;
        }
        Ok(options)
    }

    /// Seed of all random numbers.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(Settings::DEFAULT_SEED)
    }

    /// The names of all these options.
    pub const ALL: [&str; 11] = [
        "--search",
        "--cell-edge",
        "--option",
        "--particles",
        "--radius",
        "--solver",
        "--kernel",
        "--set",
        "--adapter",
        "--seed",
        "--shaders",
    ];

    /// Rejects options whose values a saved state already contains.
    pub fn refuse_settings_beside_a_state(&self) -> Result<(), CommandError> {
        const CONTAINED: [&str; 9] = [
            "--search",
            "--cell-edge",
            "--option",
            "--particles",
            "--radius",
            "--solver",
            "--kernel",
            "--set",
            "--seed",
        ];
        self.refuse(&CONTAINED, "the state of --load contains its own search, particles, solver and seed")
    }

    /// The settings of a scene for another program, without a device.
    pub fn settings_for_lammps(&self, scene: &Scene) -> Result<Settings, CommandError> {
        self.refuse(
            &["--search", "--cell-edge", "--option", "--kernel", "--adapter", "--shaders"],
            "LAMMPS has its own kernel and neighbor lists, and an export needs no device",
        )?;
        self.settings_of(scene, None, AdapterClass::Discrete)
    }

    /// Rejects the first of these options that was given, because the command would not use it, for this reason.
    ///
    /// # Errors
    /// [`CommandError::Unused`].
    pub fn refuse(&self, unused: &[&'static str], reason: &'static str) -> Result<(), CommandError> {
        let Self { search, cell_edge, options, particles, radius, solver, kernel, .. } = self;
        let is_given = |name: &&&str| match **name {
            "--search" => search.is_some(),
            "--cell-edge" => cell_edge.is_some(),
            "--option" => !options.is_empty(),
            "--particles" => particles.is_some(),
            "--radius" => radius.is_some(),
            "--solver" => solver.is_some(),
            "--kernel" => kernel.is_some(),
            "--set" => !self.solver_settings.is_empty(),
            "--seed" => self.seed.is_some(),
            "--adapter" => self.adapter.is_some(),
            "--shaders" => self.shaders.is_some(),
            name => unreachable!("{name} is not one of the common options"),
        };
        unused.iter().find(is_given).map_or(Ok(()), |name| Err(CommandError::Unused { name, reason }))
    }

    /// Whether no argument names a search, a solver or a size, so that the app may choose them.
    #[cfg(feature = "app")]
    pub fn leaves_pace_open(&self) -> bool {
        let is_given = self.search.is_some()
            || self.solver.is_some()
            || self.particles.is_some()
            || self.radius.is_some()
            || self.cell_edge.is_some()
            || !self.options.is_empty()
            || !self.solver_settings.is_empty();
        !is_given
    }

    /// The settings with which a scene starts on this adapter. For `--search fastest`, the searches are timed in the
    /// scene, and the result is printed.
    pub fn settings_for(&self, scene: &Scene, gpu: &Arc<Gpu>) -> Result<Settings, CommandError> {
        let wants_fastest = self.search.as_deref() == Some(FASTEST);
        let search = if wants_fastest { None } else { self.search()? };
        if !wants_fastest {
            self.refuse_foreign_options(search.unwrap_or(SearchInfo::default_for_scenes()))?;
        }
        let mut settings = self.settings_of(scene, search, gpu.capabilities.class)?;
        if wants_fastest {
            let ranking = rank_searches(gpu, scene, &settings)?;
            outln!("{ranking}.");
            settings.search = ranking.fastest().search;
        }
        Ok(settings)
    }

    /// The settings with which a scene starts on an adapter of a class; without a search the default one.
    fn settings_of(
        &self,
        scene: &Scene,
        search: Option<&'static SearchInfo>,
        class: AdapterClass,
    ) -> Result<Settings, CommandError> {
        if let Some(spacing) = scene.points_spacing().filter(|_| self.particles.is_some() || self.radius.is_some()) {
            return Err(CommandError::SizeOfPoints { scene: scene.name.clone(), spacing });
        }
        let usual = scene.usual_count(class);
        let (of_material, of_solvers) = self.material_and_solver_settings()?;
        let material = of_material.applied_to(&scene.material);
        Ok(Settings {
            search: search.unwrap_or(SearchInfo::default_for_scenes()),
            options: self.search_options()?,
            kernel: self.kernel.unwrap_or_default(),
            size: self.size().unwrap_or(Size::Count(usual)),
            seed: self.seed(),
            edits: SceneEdits { solver: self.solver, material, solver_settings: of_solvers },
        })
    }

    /// The changes of the material and the settings of solvers that `--set` gives.
    fn material_and_solver_settings(&self) -> Result<(MaterialEdits, SolverSettings), CommandError> {
        let (material, solver): (Vec<_>, Vec<_>) =
            self.solver_settings.iter().partition(|text| MaterialEdits::names_material(text));
        let mut edits = MaterialEdits::default();
        material.into_iter().try_for_each(|text| edits.parse(text))?;
        Ok((edits, SolverSettings::parsed(&solver)?))
    }

    fn size(&self) -> Option<Size> {
        self.radius.map(Size::Radius).or(self.particles.map(Size::Count))
    }

    /// The deviations from the scene file, for commands whose cases have their own material.
    fn edits(&self) -> Result<SceneEdits, CommandError> {
        let (material, solver_settings) = self.material_and_solver_settings()?;
        if material != MaterialEdits::default() {
            return Err(CommandError::MaterialOfCase);
        }
        Ok(SceneEdits { solver: self.solver, material: None, solver_settings })
    }

    /// The searches that `--search` lists, each with its settings; `None` if it is absent or a single name.
    pub fn listed_searches(&self) -> Result<Option<Vec<SearchConfiguration>>, CommandError> {
        let is_list = |text: &&str| text.contains([',', ':']);
        let list = self.search.as_deref().filter(is_list);
        let Some(list) = list else { return Ok(None) };
        Ok(Some(SearchConfiguration::parse_list(list, &self.search_options()?)?))
    }

    /// The settings with which a scene starts on this adapter, with the adapter's default number of particles.
    pub fn settings(&self, gpu: &Gpu) -> Result<Settings, CommandError> {
        let search = self.search()?.unwrap_or(SearchInfo::default_for_scenes());
        self.refuse_foreign_options(search)?;
        self.settings_with(gpu, &SearchConfiguration { search, options: self.search_options()? })
    }

    /// The same with a given search.
    pub fn settings_with(&self, gpu: &Gpu, search: &SearchConfiguration) -> Result<Settings, CommandError> {
        let usual = Size::Count(gpu.capabilities.class.default_particle_count());
        Ok(Settings {
            search: search.search,
            options: search.options.clone(),
            kernel: self.kernel.unwrap_or_default(),
            size: self.size().unwrap_or(usual),
            seed: self.seed(),
            edits: self.edits()?,
        })
    }
}

fn scene_help() -> String {
    format!("Scene to open: a RON file or a name ({}) [default: {DEFAULT_SCENE}]", Scene::names().join(", "))
}

fn search_help() -> String {
    let names: Vec<_> = SEARCHES.iter().map(|search| search.name).collect();
    format!(
        "Neighbor search: {}; or {FASTEST}, which times them in the scene; bench also takes a list, each with its settings, \
         as in green,hoetzlein:cell-edge=fine [default: {}; for verify and bench {ALL}]",
        names.join(", "),
        SearchInfo::default_for_scenes().name
    )
}

fn kernel_help() -> String {
    let names: Vec<_> = SmoothingKernel::ALL.into_iter().map(SmoothingKernel::name).collect();
    format!("Smoothing kernel: {} [default: {}]", names.join(", "), SmoothingKernel::default().name())
}

fn parse_kernel(text: &str) -> Result<SmoothingKernel, String> {
    let named = SmoothingKernel::ALL.into_iter().find(|kernel| kernel.name() == text);
    let names = || SmoothingKernel::ALL.into_iter().map(SmoothingKernel::name).collect::<Vec<_>>().join(", ");
    named.ok_or_else(|| format!("the kernel is one of {}", names()))
}

fn field_help() -> String {
    format!(
        "Field that the colors show: {} [default: {}; in the window as last time]",
        ColorFieldInfo::arguments(COLOR_FIELDS),
        ColorField::default()
    )
}

fn probes_help() -> String {
    format!("Write the readings of the scene's probes to this CSV file; kinds of probes: {}", probe_list(PROBES))
}

fn solver_help() -> String {
    let of = |solver: Solver| format!("{} ({})", solver.name(), solver.source);
    format!("Solver instead of the scene's: {}", Solver::all().map(of).collect::<Vec<_>>().join(", "))
}

fn case_help() -> String {
    format!("Case to compare with: {} or all", CASES.map(|case| case.name).join(", "))
}

/// The file that a scene's name is the path of, if it is not one of the program's scenes.
pub fn scene_file(name: &str) -> Option<&Path> {
    Some(Path::new(name)).filter(|path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ron")))
}

/// A scene by name or file.
pub fn scene_named(name: &str) -> Result<Scene, CommandError> {
    Ok(Scene::load(name)?)
}

fn parse_solver(text: &str) -> Result<Solver, String> {
    Solver::named(text).map_err(|error| error.to_string())
}

fn parse_format(text: &str) -> Result<FrameFormat, String> {
    let named = FrameFormat::ALL.into_iter().find(|format| format.name() == text);
    named.ok_or_else(|| "the format is vtk, ply or csv".to_owned())
}

fn parse_style(text: &str) -> Result<DrawStyle, String> {
    DrawStyle::named(text).ok_or_else(|| "the style is particles, smooth or water".to_owned())
}

fn parse_theme(text: &str) -> Result<Theme, String> {
    let named = Theme::ALL.into_iter().find(|theme| theme.name() == text);
    named.ok_or_else(|| "the theme is dark or light".to_owned())
}

fn parse_encoder(text: &str) -> Result<VideoEncoder, String> {
    let named = VideoEncoder::ALL.into_iter().find(|encoder| encoder.name() == text);
    named.ok_or_else(|| "the encoder is builtin or ffmpeg".to_owned())
}

fn parse_swept(text: &str) -> Result<Swept, String> {
    match text {
        "n" => Ok(Swept::Particles),
        "r" => Ok(Swept::Radius),
        _ => Err("the swept parameter is n or r".to_owned()),
    }
}

fn parse_solids(text: &str) -> Result<SolidStyle, String> {
    let named = SolidStyle::ALL.into_iter().find(|solids| solids.label() == text);
    named.ok_or_else(|| "solids are mesh, particles or hidden".to_owned())
}

fn parse_field(text: &str) -> Result<ColorField, String> {
    ColorFieldInfo::by_argument(COLOR_FIELDS, text)
}

fn parse_corner(text: &str) -> Result<Vec3, String> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) => Ok(Vec3::new(x, y, z)),
        _ => Err("give a corner of the box as in -1,0,2.5".to_owned()),
    }
}

#[cfg(all(test, feature = "app"))]
#[path = "arguments_tests.rs"]
mod tests;
