use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use glam::UVec2;
use nearwater::files::FrameFormat;
use nearwater::fluid::{Scene, SceneEdits, Settings, Size, SmoothingKernel, Solver};
use nearwater::gpu::{Gpu, ShaderLibrary};
use nearwater::render::{ColorField, DrawStyle, SolidStyle};
use nearwater::search::{CELL_EDGE, SEARCHES, SearchInfo, SearchOption, SearchOptions, search_named};
use nearwater::validation::CASES;

use super::CommandError;
use super::recorder::{Export, Probing};

/// Interactive GPU fluid simulator in which the neighbor search is the star.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = false, subcommand_precedence_over_arg = true)]
pub struct Arguments {
    #[arg(help = scene_help())]
    pub scene: Option<String>,
    /// Go on from a state that --save or the panel wrote, with its scene, search, particles and solver
    #[arg(long, value_name = "FILE")]
    pub load: Option<PathBuf>,
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// What opens when nobody names a scene.
pub const DEFAULT_SCENE: &str = "dam_break";

/// Options that every verb takes.
#[derive(Args, Debug)]
pub struct Common {
    #[arg(long, global = true, value_name = "NAME", help = search_help())]
    pub search: Option<String>,
    /// Cells of a grid search: `r`, `2r` (edges in support radii) or `fine` (rows of r, cut into r/4)
    #[arg(long, global = true, value_name = "EDGE")]
    pub cell_edge: Option<String>,
    #[arg(long = "option", global = true, value_name = "NAME=VALUE", help = option_help())]
    pub options: Vec<String>,
    /// Particles to fill the scene with; the default depends on scene and adapter
    #[arg(long, global = true, value_name = "N", conflicts_with = "radius")]
    pub particles: Option<u32>,
    /// Support radius in metres, instead of a count
    #[arg(long, global = true, value_name = "R", allow_negative_numbers = true)]
    pub radius: Option<f32>,
    /// Solver instead of the scene's: `wcsph`, `pbf` or `repulsion`
    #[arg(long, global = true, value_name = "NAME", value_parser = parse_solver)]
    pub solver: Option<Solver>,
    /// Use the adapter whose name contains this text; `nearwater adapters` lists them
    #[arg(long, global = true, value_name = "TEXT")]
    pub adapter: Option<String>,
    /// Seed of everything random [default: 20261121]
    #[arg(long, global = true, value_name = "S")]
    pub seed: Option<u64>,
    /// Read the shaders from this folder, and again whenever a file in it changes
    #[arg(long, global = true, value_name = "DIR")]
    pub shaders: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run a scene without a window
    Simulate(SimulateArguments),
    /// Check every search against the CPU oracle
    Verify(VerifyArguments),
    /// Hold the water against experiments and theory
    Validate(ValidateArguments),
    /// Time the primitives, the searches and a step of the simulation
    Bench(BenchArguments),
    /// List every adapter with its limits and what it lacks
    Adapters,
}

#[derive(Args, Debug)]
pub struct SimulateArguments {
    /// Scene: a name or a RON file
    pub scene: String,
    /// Seconds of water to simulate, on from where --load begins
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub seconds: f64,
    /// Draw the last frame into this PNG
    #[arg(long, value_name = "FILE")]
    pub png: Option<PathBuf>,
    /// Width and height of the PNG in pixels
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = parse_size)]
    pub size: UVec2,
    /// How the PNG shows the water: particles or smooth
    #[arg(long, value_name = "STYLE", default_value = "particles", value_parser = parse_style)]
    pub style: DrawStyle,
    /// How the PNG shows solids: mesh, particles or hidden
    #[arg(long, value_name = "STYLE", default_value = "mesh", value_parser = parse_solids)]
    pub solids: SolidStyle,
    /// What the PNG's colours show: speed, density, pressure, neighbor-count, candidate-count, cell, border-or-inner or
    /// place-in-the-buffers
    #[arg(long, value_name = "FIELD", default_value = "speed", value_parser = parse_field)]
    pub field: ColorField,
    /// Draw the edges of the search's cells into the PNG
    #[arg(long)]
    pub cell_edges: bool,
    /// Write a row for every step and a column for every pass, in milliseconds
    #[arg(long, value_name = "FILE")]
    pub timings: Option<PathBuf>,
    /// Write frames of the particles into this folder, which is made where there is none
    #[arg(long, value_name = "DIR", requires = "every")]
    pub export: Option<PathBuf>,
    /// Seconds of water from one exported frame to the next; the first is the start
    #[arg(long, value_name = "S", requires = "export", allow_negative_numbers = true)]
    pub every: Option<f64>,
    /// What frames are written as: vtk (a series that `ParaView` opens), ply or csv [default: vtk]
    #[arg(long, value_name = "FORMAT", requires = "export", value_parser = parse_format)]
    pub format: Option<FrameFormat>,
    /// Write what the scene's probes read into this CSV file
    #[arg(long, value_name = "FILE", requires = "probe_every")]
    pub probes: Option<PathBuf>,
    /// Seconds of water from one reading of the probes to the next; the first is the start
    #[arg(long, value_name = "S", requires = "probes", allow_negative_numbers = true)]
    pub probe_every: Option<f64>,
    /// Go on from a state that --save wrote, with its search, particles and solver
    #[arg(long, value_name = "FILE")]
    pub load: Option<PathBuf>,
    /// Save the state at the end, to go on from
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

impl SimulateArguments {
    /// The frames that are wanted.
    pub fn export(&self) -> Option<Export> {
        let (folder, every) = (self.export.clone()?, self.every?);
        Some(Export { folder, every, format: self.format.unwrap_or(FrameFormat::Vtk) })
    }

    /// The probes' readings that are wanted.
    pub fn probing(&self) -> Option<Probing<'_>> {
        Some(Probing { file: self.probes.as_deref()?, every: self.probe_every? })
    }
}

#[derive(Args, Debug)]
pub struct VerifyArguments {
    /// Fixtures of up to four million particles, for a graphics card
    #[arg(long)]
    pub full: bool,
    /// Only fixtures whose name contains this text
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
}

#[derive(Args, Debug)]
pub struct ValidateArguments {
    #[arg(value_name = "CASE", default_value = "all", help = case_help())]
    pub case: String,
    /// Particles across the fluid, or layers, instead of the case's own; several with commas between them
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub resolution: Vec<u32>,
    /// Seconds of water instead of the case's own; what a shorter run does not reach is a miss
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// Write plots (PNG), tables (CSV, Markdown) and curves (CSV) into this folder, which is made where there is none
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct BenchArguments {
    /// Also write the table into this CSV file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Only scenarios whose name contains this text
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    /// Repeat a table of a paper row by row: claws-1, claws-2, fenns-1, fenns-2, fenns-3, morillo or all
    #[arg(long, value_name = "NAME", conflicts_with = "only")]
    pub table: Option<String>,
    /// With --table, leave out rows of more particles than that
    #[arg(long, value_name = "N", requires = "table")]
    pub largest: Option<u32>,
    /// Timed runs of each case, of which the median counts [default: 31, on software adapters 3]
    #[arg(long, value_name = "N")]
    pub runs: Option<u32>,
}

impl Common {
    /// Opens the adapter that was asked for, or the best.
    pub fn gpu(&self) -> Result<Arc<Gpu>, CommandError> {
        let shaders = match &self.shaders {
            Some(folder) => ShaderLibrary::from_folder(folder.clone())?,
            None => ShaderLibrary::embedded(),
        };
        Ok(Gpu::open(self.adapter.as_deref(), shaders)?)
    }

    /// The search that was asked for, if any.
    pub fn search(&self) -> Result<Option<&'static SearchInfo>, CommandError> {
        Ok(self.search.as_deref().map(search_named).transpose()?)
    }

    /// The searches' settings that were asked for.
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

    /// Seed of everything random.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(20_261_121)
    }

    /// Refuses what a state brings along itself.
    pub fn refuse_settings_beside_a_state(&self) -> Result<(), CommandError> {
        let given = [
            ("--search", self.search.is_some()),
            ("--cell-edge", self.cell_edge.is_some()),
            ("--option", !self.options.is_empty()),
            ("--particles", self.particles.is_some()),
            ("--radius", self.radius.is_some()),
            ("--solver", self.solver.is_some()),
            ("--seed", self.seed.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map_or(Ok(()), |(name, _)| Err(CommandError::BesideState(name)))
    }

    /// What a scene starts with on this adapter.
    pub fn settings_for(&self, scene: &Scene, gpu: &Gpu) -> Result<Settings, CommandError> {
        if let Some(spacing) = scene.points_spacing().filter(|_| self.particles.is_some() || self.radius.is_some()) {
            return Err(CommandError::SizeOfPoints { scene: scene.name.clone(), spacing });
        }
        let mut settings = self.settings(gpu)?;
        if self.particles.is_none() && self.radius.is_none() {
            settings.size = Size::Count(scene.usual_count(gpu.capabilities.class));
        }
        Ok(settings)
    }

    /// What any scene starts with on this adapter.
    pub fn settings(&self, gpu: &Gpu) -> Result<Settings, CommandError> {
        let size = match (self.radius, self.particles) {
            (Some(radius), _) => Size::Radius(radius),
            (None, Some(count)) => Size::Count(count),
            (None, None) => Size::Count(gpu.capabilities.class.default_particle_count()),
        };
        Ok(Settings {
            search: self.search()?.unwrap_or(SearchInfo::default_for_scenes()),
            options: self.search_options()?,
            kernel: SmoothingKernel::default(),
            size,
            seed: self.seed(),
            edits: SceneEdits { solver: self.solver, ..SceneEdits::default() },
        })
    }
}

fn scene_help() -> String {
    format!("Scene to open: a RON file or a name ({}) [default: {DEFAULT_SCENE}]", Scene::names().join(", "))
}

fn search_help() -> String {
    let names: Vec<_> = SEARCHES.iter().map(|search| search.name).collect();
    format!("Neighbor search: {} [default: {}]", names.join(", "), SearchInfo::default_for_scenes().name)
}

fn case_help() -> String {
    format!("What to hold it against: {} or all", CASES.map(|case| case.name).join(", "))
}

fn option_help() -> String {
    let mut options: Vec<&SearchOption> = Vec::new();
    for option in SEARCHES.iter().flat_map(|search| search.options).copied() {
        if !options.iter().any(|known| known.name == option.name) {
            options.push(option);
        }
    }
    let values = |option: &SearchOption| {
        let labels: Vec<_> = option.usual_values().into_iter().map(|value| option.label(value)).collect();
        format!("{}={}", option.name, labels.join("|"))
    };
    let list: Vec<_> = options.into_iter().map(values).collect();
    format!("A setting of a search, as often as there are settings: {}", list.join(", "))
}

/// A scene by name or file.
pub fn scene_named(name: &str) -> Result<Scene, CommandError> {
    Ok(Scene::load(name)?)
}

fn parse_solver(text: &str) -> Result<Solver, String> {
    let names = Solver::ALL.map(Solver::name).join(", ");
    Solver::ALL.into_iter().find(|solver| solver.name() == text).ok_or_else(|| format!("the solver is one of {names}"))
}

fn parse_format(text: &str) -> Result<FrameFormat, String> {
    let named = FrameFormat::ALL.into_iter().find(|format| format.name() == text);
    named.ok_or_else(|| "the format is vtk, ply or csv".to_owned())
}

fn parse_style(text: &str) -> Result<DrawStyle, String> {
    match text {
        "particles" => Ok(DrawStyle::Beads),
        "smooth" => Ok(DrawStyle::Smooth),
        _ => Err("the style is particles or smooth".to_owned()),
    }
}

fn parse_solids(text: &str) -> Result<SolidStyle, String> {
    let named = SolidStyle::ALL.into_iter().find(|solids| solids.label() == text);
    named.ok_or_else(|| "solids are mesh, particles or hidden".to_owned())
}

fn parse_field(text: &str) -> Result<ColorField, String> {
    let name = |field: ColorField| field.label().replace(' ', "-");
    let names = || ColorField::ALL.map(name).join(", ");
    ColorField::ALL
        .into_iter()
        .find(|&field| name(field) == text)
        .ok_or_else(|| format!("the field is one of {}", names()))
}

fn parse_size(text: &str) -> Result<UVec2, String> {
    let pixels = |part: &str| part.parse::<u32>().ok().filter(|&pixels| (16..=16_384).contains(&pixels));
    text.split_once('x')
        .and_then(|(width, height)| Some(UVec2::new(pixels(width)?, pixels(height)?)))
        .ok_or_else(|| "give width and height as in 1280x800, each from 16 to 16384".to_owned())
}
