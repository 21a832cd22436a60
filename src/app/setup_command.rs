//! Script commands that set the program up for lessons and pictures: views, picked particles, the camera, and the
//! settings that have no command of their own. This file parses and carries them out; none of them needs a window.

use glam::{UVec3, Vec3};

use super::hands::HandsCommand;
use super::laboratory::{PickRule, WantedView, pick_by_rule};
use super::script_words::CommandInfo;
use super::{Controls, LabSelection, Report, VIEWS, view_named};
use crate::fluid::{Size, SmoothingKernel, Solver, SolverSettings};
use crate::gpu::nearest_names;
use crate::render::color_fields::COLOR_FIELDS;
use crate::render::{ColorField, ColorFieldInfo, DrawStyle, SolidStyle};
use crate::search::verify::SearchConfiguration;
use crate::search::{SearchInfo, search_named};

/// A command that sets something up.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SetupCommand {
    /// Shows the view with this index, or closes the laboratory.
    View(Option<usize>),
    /// Picks the particle with this original index, or nothing.
    Pick(Option<u32>),
    /// Picks a particle by what the search did for it.
    PickRule(PickRule),
    /// Picks a cell of the running search.
    PickCell(UVec3),
    /// Shows these searches beside the running one.
    Compare(Vec<&'static SearchInfo>),
    /// Moves the camera to a point, looking at another, m; or back to the scene's camera.
    Camera(Option<[Vec3; 2]>),
    /// Selects a solver.
    Solver(Solver),
    /// Selects a smoothing kernel.
    Kernel(SmoothingKernel),
    /// Sets the support radius, m.
    Radius(f32),
    /// Sets a setting of a solver, given as `SOLVER.NAME=VALUE`.
    SolverSetting(String),
    /// Selects the color field.
    Color(ColorField),
    /// Selects how the water is drawn.
    Style(DrawStyle),
    /// Draws the edges of the search's cells, or not.
    CellEdges(bool),
    /// Runs in slow motion, or at full speed.
    Slow(bool),
    /// Shows a frame of the recording, counted from 1.
    Frame(usize),
    /// Returns to the scene's first frame.
    Reset,
    /// Does something to the water, the box or gravity.
    Hands(HandsCommand),
}

/// What became of a command.
pub(super) enum Outcome {
    /// It is carried out.
    Done,
    /// It has to be called again in the next frame.
    Again,
}

/// The commands of this file.
pub(super) const COMMANDS: &[CommandInfo<SetupCommand>] = &[
    CommandInfo::new("view", "view NAME|none", |words| {
        let name = words.word("a view")?;
        if name == "none" {
            return Ok(SetupCommand::View(None));
        }
        let view = view_named(name).ok_or_else(|| {
            let names = || VIEWS.iter().map(|view| view.name);
            let nearest = nearest_names(name, names()).join(", ");
            let all: Vec<_> = names().collect();
            format!("there is no view \"{name}\"; did you mean {nearest}? The views are: {}, and none", all.join(", "))
        })?;
        Ok(SetupCommand::View(Some(view)))
    }),
    CommandInfo::new("pick", "pick INDEX|RULE|none", |words| {
        let word = words.word("an index or a rule")?;
        if word == "none" {
            return Ok(SetupCommand::Pick(None));
        }
        if let Ok(index) = word.parse() {
            return Ok(SetupCommand::Pick(Some(index)));
        }
        let rule = PickRule::ALL.into_iter().find(|rule| rule.name() == word);
        rule.map(SetupCommand::PickRule).ok_or_else(|| {
            let all = PickRule::ALL.map(PickRule::name).join(", ");
            format!("\"{word}\" is neither the index of a particle nor one of the rules {all}, nor none")
        })
    }),
    CommandInfo::new("pick-cell", "pick-cell X Y Z", |words| {
        let mut index = || words.index("a whole number of a cell from 0 on");
        Ok(SetupCommand::PickCell(UVec3::new(index()?, index()?, index()?)))
    }),
    CommandInfo::new("compare", "compare SEARCH ..., or compare none", |words| {
        let names = words.everything("a search, or none")?;
        let names = names.split_whitespace().filter(|name| *name != "none");
        let searches: Result<Vec<_>, _> = names.map(search_named).collect();
        let searches = searches.map_err(|error| error.to_string())?;
        if searches.len() >= crate::laboratory::MOST_COLUMNS {
            return Err(format!("at most {} searches can be compared", crate::laboratory::MOST_COLUMNS - 1));
        }
        Ok(SetupCommand::Compare(searches))
    }),
    CommandInfo::new("camera", "camera EX EY EZ TX TY TZ, or camera scene", |words| {
        if words.rest == "scene" {
            words.word("scene")?;
            return Ok(SetupCommand::Camera(None));
        }
        let mut point = || {
            let mut length = || words.number("a length in meters", f64::MIN).map(|number| number as f32);
            Ok::<_, String>(Vec3::new(length()?, length()?, length()?))
        };
        let [eye, target] = [point()?, point()?];
        if eye.distance(target) < 1e-3 {
            return Err("the camera must be at least a millimeter from the point that it looks at".to_owned());
        }
        Ok(SetupCommand::Camera(Some([eye, target])))
    }),
    CommandInfo::new("solver", "solver NAME", |words| {
        let solver = Solver::named(words.word("a solver")?).map_err(|error| error.to_string())?;
        Ok(SetupCommand::Solver(solver))
    }),
    CommandInfo::new("kernel", "kernel NAME", |words| {
        let word = words.word("a kernel")?;
        let kernel = SmoothingKernel::ALL.into_iter().find(|kernel| kernel.name() == word);
        let all = || SmoothingKernel::ALL.map(SmoothingKernel::name).join(", ");
        let kernel = kernel.ok_or_else(|| format!("there is no kernel \"{word}\"; the kernels are {}", all()))?;
        Ok(SetupCommand::Kernel(kernel))
    }),
    CommandInfo::new("radius", "radius METERS", |words| {
        let radius = words.number("a support radius in meters", f64::from(f32::MIN_POSITIVE))?;
        Ok(SetupCommand::Radius(radius as f32))
    }),
    CommandInfo::new("color", "color FIELD", |words| {
        let field = ColorFieldInfo::by_argument(COLOR_FIELDS, words.word("a color field")?)?;
        Ok(SetupCommand::Color(field))
    }),
    CommandInfo::new("style", "style particles|smooth|water", |words| {
        let word = words.word("a style")?;
        let style = DrawStyle::named(word).map(SetupCommand::Style);
        style.ok_or_else(|| format!("the style must be particles, smooth or water, not \"{word}\""))
    }),
    CommandInfo::new("cell-edges", "cell-edges on|off", |words| {
        words.switch("cell-edges").map(SetupCommand::CellEdges)
    }),
    CommandInfo::new("slow", "slow on|off", |words| words.switch("slow").map(SetupCommand::Slow)),
    CommandInfo::new("frame", "frame NUMBER", |words| {
        words.number("a number of a frame from 1 on", 1.0).map(|number| SetupCommand::Frame(number as usize))
    }),
    CommandInfo::new("reset", "reset", |_| Ok(SetupCommand::Reset)),
];

/// The command that sets a setting of a solver.
///
/// # Errors
/// When there is no such setting, or the value is invalid.
pub(super) fn solver_setting(name: &str, value: &str) -> Result<SetupCommand, String> {
    let setting = format!("{name}={value}");
    SolverSettings::default().parse(&setting).map_err(|error| error.to_string())?;
    Ok(SetupCommand::SolverSetting(setting))
}

/// Whether the simulation runs as the controls say.
pub(super) fn is_settled(controls: &Controls, report: &Report) -> bool {
    report.applied == controls.revision && report.running.is_some() && !controls.unsettled(report)
}

impl SetupCommand {
    /// Whether it refers to the running simulation, so that earlier changes must have been carried out.
    fn needs_simulation(&self) -> bool {
        matches!(
            self,
            Self::View(_)
                | Self::Pick(_)
                | Self::PickRule(_)
                | Self::PickCell(_)
                | Self::Frame(_)
                | Self::Reset
                | Self::Hands(_)
        )
    }

    /// Carries the command out.
    ///
    /// # Errors
    /// Why that is impossible, in a sentence.
    pub(super) fn obey(&self, controls: &mut Controls, report: &Report) -> Result<Outcome, String> {
        if self.needs_simulation() && !is_settled(controls, report) {
            return Ok(Outcome::Again);
        }
        match self {
            Self::View(Some(view)) => controls.choose_view(*view, report),
            Self::View(None) if controls.lab.open => controls.toggle_laboratory(report),
            Self::View(None) => {}
            Self::Pick(None) => controls.lab.select(LabSelection::All),
            Self::Pick(Some(particle)) => {
                let count = report.running.as_ref().map_or(0, |running| running.resolution.particle_count);
                if *particle >= count {
                    return Err(format!("there is no particle {particle}; the scene has {count}, counted from 0"));
                }
                open_laboratory(controls, report);
                controls.lab.select(LabSelection::Particle(*particle));
                controls.lab.wants_framing = controls.lab.frames_picks();
            }
            Self::PickRule(rule) => {
                open_laboratory(controls, report);
                return pick_by_rule(controls, report, *rule);
            }
            Self::PickCell(cell) => {
                let counts = report.running.as_ref().and_then(|running| running.cells).map(|cells| cells.counts);
                let Some(counts) = counts else { return Err("the running search has no cells to pick".to_owned()) };
                if cell.cmpge(counts).any() {
                    return Err(format!("there is no cell {cell}; the search has {counts} cells, counted from 0"));
                }
                open_laboratory(controls, report);
                controls.lab.select(LabSelection::Cell(*cell));
            }
            Self::Compare(searches) => {
                let options = &controls.settings.options;
                let compared = |search: &&'static SearchInfo| SearchConfiguration { search, options: options.clone() };
                controls.lab.compared = searches.iter().map(compared).collect();
            }
            Self::Camera(place) => {
                let camera = &controls.scene.camera;
                let [eye, target] = place.unwrap_or([camera.eye, camera.target]);
                controls.lab.wants_framing = false;
                controls.lab.view_before = None;
                let distance = eye.distance(target);
                controls.lab.wanted_view = Some(WantedView { target, eye: Some(eye), distance });
            }
            Self::Solver(solver) => controls.change(|settings| settings.edits.solver = Some(*solver)),
            Self::Kernel(kernel) => controls.change(|settings| settings.kernel = *kernel),
            Self::Radius(radius) => controls.change(|settings| settings.size = Size::Radius(*radius)),
            Self::SolverSetting(setting) => controls.change(|settings| {
                // The setting is valid, because it was parsed when the script was read.
                let _ = settings.edits.solver_settings.parse(setting);
            }),
            Self::Color(field) => controls.field = *field,
            Self::Style(style) => controls.style = *style,
            Self::CellEdges(on) => controls.cell_edges = *on,
            Self::Slow(on) => controls.slow_motion = *on,
            Self::Frame(number) => {
                let Some(recorded) = &mut controls.playback else {
                    return Err("no recording is open; start the program with `nearwater play`".to_owned());
                };
                let count = recorded.playback.recording.len();
                if *number > count {
                    return Err(format!("there is no frame {number}; the recording has {count}, counted from 1"));
                }
                recorded.go_to(number - 1);
                controls.paused = true;
            }
            Self::Reset => controls.resets += 1,
            Self::Hands(command) => return command.obey(controls, report),
        }
        Ok(Outcome::Done)
    }
}

fn open_laboratory(controls: &mut Controls, report: &Report) {
    if !controls.lab.open {
        controls.choose_view(controls.lab.view, report);
    }
}

impl Controls {
    /// Closes the laboratory and restores the defaults of everything that setups change, except scene, search and size,
    /// which a setup names itself.
    pub(super) fn tidy_up(&mut self, report: &Report) {
        if self.lab.open {
            self.toggle_laboratory(report);
        }
        self.lab.select(LabSelection::All);
        let fresh = super::LabControls::default();
        self.lab.compared.clear();
        (self.lab.cut, self.lab.cost, self.lab.memory.resort_interval) = (None, fresh.cost, 1);
        let (number, orders) = (self.lab.measure.order.take(), self.lab.measure.orders);
        self.lab.measure = super::MeasureControls { order: number, orders, ..fresh.measure };
        self.change(|settings| {
            settings.options = crate::search::SearchOptions::default();
            settings.kernel = SmoothingKernel::default();
            settings.edits = crate::fluid::SceneEdits::default();
        });
        (self.field, self.style, self.solids) = (ColorField::default(), DrawStyle::default(), SolidStyle::default());
        (self.cell_edges, self.badge, self.slow_motion, self.paused) = (false, None, false, false);
        (self.probes_open, self.help_open) = (false, false);
    }
}
