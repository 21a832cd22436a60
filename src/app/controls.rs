//! The state that the user controls: what the panel, the keys and the pointer write and the driver follows.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy::prelude::Resource;

use super::attract::AttractControls;
use super::settings::UI_SCALES;
use super::states::STATE_FILE;
use super::{
    Aim, CodeControls, DialogWish, ExplainControls, FilmControls, HandsControls, LabControls, LessonControls, Missile,
    PaceControls, PanelControls, PlaybackControls, Report, ResumeRequest, Toss, WindowPlace,
};
use crate::depiction::Depiction;
use crate::fluid::{Push, Resolution, SOLVERS, Scene, SceneEdits, Settings, Size, SmoothingKernel, Solver};
use crate::gpu::AdapterClass;
use crate::render::{ColorField, DrawStyle, SolidStyle, Splatting, Theme};
use crate::search::{SEARCHES, SearchInfo, SearchOption, same_value};

/// How long it is shown what was done.
const NOTED: Duration = Duration::from_secs(8);

/// Everything that the user selects. Panel, keys and pointer write it; the [`Driver`](super::Driver) reads it once a
/// frame.
#[derive(Resource, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the panel")]
pub struct Controls {
    /// The scene to run.
    pub scene: Arc<Scene>,
    /// The file of the scene that was opened last; `None` if it is built in.
    pub scene_file: Option<String>,
    /// Search, cell edge, smoothing kernel and size.
    pub settings: Settings,
    /// The adapter's class, on which the default number of particles of a scene depends.
    pub class: AdapterClass,
    /// Number of changes of scene and settings, so that the driver tries each once.
    pub revision: u64,
    /// Whether the simulation is paused.
    pub paused: bool,
    /// Whether the simulation runs at a quarter of real time.
    pub slow_motion: bool,
    /// Number of requested single steps.
    pub single_steps: u32,
    /// Number of requested returns to the first frame.
    pub resets: u32,
    /// The field that the colors of the particles show.
    pub field: ColorField,
    /// How the water is drawn.
    pub style: DrawStyle,
    /// How the particles of clear water are drawn.
    pub splatting: Splatting,
    /// Brightness of the surroundings.
    pub theme: Theme,
    /// How solids are drawn.
    pub solids: SolidStyle,
    /// Whether the edges of the search's cells are drawn.
    pub cell_edges: bool,
    /// Whether the oracle badge is on; `None` decides by the adapter and the cost of a check.
    pub badge: Option<bool>,
    /// Whether drawing is synchronized with the display.
    pub vsync: bool,
    /// The push of the pointer on the water, or on the body at which the drag began; `None` while nothing is dragged.
    pub push: Option<Push>,
    /// The ray through the pointer.
    pub aim: Aim,
    /// Properties of the bodies that are dropped and shot.
    pub missile: Missile,
    /// The body that was dropped or shot last.
    pub toss: Option<Toss>,
    /// Whether only the scene, a caption and the timings are shown. The laboratory has such a mode of its own.
    pub presenting: bool,
    /// A file dialog that is to be opened.
    pub wanted_dialog: Option<DialogWish>,
    /// Whether the panel is shown.
    pub panel_open: bool,
    /// State of the panel itself.
    pub panel: PanelControls,
    /// Whether the list of keys is shown.
    pub help_open: bool,
    /// Whether the scene's probes are read and plotted.
    pub probes_open: bool,
    /// Size of texts and buttons in percent, one of [`UI_SCALES`](super::UI_SCALES).
    pub ui_scale: u16,
    /// The file to which states are saved and from which they are loaded.
    pub state_file: String,
    /// Number of requests to save the state.
    pub saves: u32,
    /// A state from which the simulation resumes.
    pub resume_request: Option<ResumeRequest>,
    /// Why the last scene or state could not be loaded.
    pub load_error: Option<String>,
    /// What the program has done, shown for a while.
    pub(super) note: Option<(String, Instant)>,
    /// Why the user's settings could not be read or written.
    pub settings_error: Option<String>,
    /// Controls of the laboratory.
    pub lab: LabControls,
    /// Controls of the explanations.
    pub explain: ExplainControls,
    /// Edited shaders, and the pane that shows them.
    pub code: CodeControls,
    /// The lessons.
    pub lessons: LessonControls,
    /// Videos and pictures of the window.
    pub film: FilmControls,
    /// Tools, gravity, walls and presets.
    pub hands: HandsControls,
    /// Attract mode.
    pub attract: AttractControls,
    /// What is known about the pace of the device.
    pub pace: PaceControls,
    /// The recording that is played in place of a simulation.
    pub playback: Option<PlaybackControls>,
    /// Whether the window covers the screen.
    pub full_screen: bool,
    /// Place and size of the window when it does not; `None` until it is known.
    pub window_place: Option<WindowPlace>,
    /// Scenes and states that were opened or saved, the latest first.
    pub recent: Vec<String>,
    pub(super) count_draft: Option<f64>,
    pub(super) radius_draft: Option<f64>,
    settled: u64,
    dismissed: u64,
    dismissed_failure: Option<String>,
    dismissed_device: Option<String>,
}

impl Controls {
    /// A scene and its settings on an adapter of a class, with the defaults for everything else.
    pub fn new(scene: Scene, settings: Settings, class: AdapterClass) -> Self {
        Self {
            class,
            scene: Arc::new(scene),
            scene_file: None,
            settings,
            revision: 1,
            paused: false,
            slow_motion: false,
            single_steps: 0,
            resets: 0,
            field: ColorField::default(),
            style: DrawStyle::default_for(class),
            splatting: Splatting::default(),
            theme: Theme::default(),
            solids: SolidStyle::default(),
            cell_edges: false,
            badge: None,
            vsync: true,
            push: None,
            aim: Aim::default(),
            missile: Missile::default(),
            toss: None,
            presenting: false,
            wanted_dialog: None,
            panel_open: true,
            panel: PanelControls::default(),
            help_open: false,
            probes_open: false,
            ui_scale: UI_SCALES[0],
            state_file: STATE_FILE.into(),
            saves: 0,
            resume_request: None,
            load_error: None,
            note: None,
            settings_error: None,
            lab: LabControls::default(),
            explain: ExplainControls::default(),
            code: CodeControls::default(),
            lessons: LessonControls::default(),
            film: FilmControls::default(),
            hands: HandsControls::default(),
            attract: AttractControls::default(),
            pace: PaceControls::default(),
            playback: None,
            full_screen: false,
            window_place: None,
            recent: Vec::new(),
            count_draft: None,
            radius_draft: None,
            settled: 0,
            dismissed: 0,
            dismissed_failure: None,
            dismissed_device: None,
        }
    }

    /// The recording that is shown; an example of the laboratory hides it for as long as it is open.
    pub fn shown_recording(&self) -> Option<&PlaybackControls> {
        self.playback.as_ref().filter(|_| !self.keeps_own_simulation())
    }

    /// How the simulation is drawn.
    pub fn depiction(&self) -> Depiction {
        Depiction {
            style: self.style,
            splatting: self.splatting,
            solids: self.solids,
            field: self.shown_recording().and_then(PlaybackControls::color).unwrap_or(self.field),
            cell_edges: self.cell_edges,
            theme: self.theme,
        }
    }

    /// Changes the settings; the driver tries them in the next frame.
    pub fn change(&mut self, edit: impl FnOnce(&mut Settings)) {
        let before = self.settings.clone();
        edit(&mut self.settings);
        if self.settings != before {
            self.revision += 1;
        }
    }

    /// Opens another scene, by name or path. If the number of particles was the default of the old scene, it becomes
    /// that of the new one. If a support radius was selected, the new scene has about as many particles as the old one:
    /// a radius belongs to the lengths of its scene, and that of a small or a flat one would fill a large one with
    /// millions of particles.
    pub fn load_scene(&mut self, name: &str) {
        match Scene::load(name) {
            Ok(scene) => {
                let usual = Size::Count(self.scene.usual_count(self.class));
                if self.pace.keeps_real_time || self.settings.size == usual {
                    self.settings.size = Size::Count(self.opening_count(&scene));
                } else if matches!(self.settings.size, Size::Radius(_)) {
                    let edited = self.settings.edits.applied_to(&self.scene);
                    let before = Resolution::before_solids(&edited, self.settings.size);
                    let count = before.and_then(|(_, count)| u32::try_from(count).ok()).filter(|count| *count > 0);
                    self.settings.size = Size::Count(count.unwrap_or_else(|| self.opening_count(&scene)));
                }
                self.scene_file = (!Scene::names().contains(&name)).then(|| name.to_owned());
                self.scene = Arc::new(scene);
                // Edits of the solver and the material belong to the old scene.
                self.settings.edits = SceneEdits::default();
                self.load_error = None;
                self.playback = None;
                self.revision += 1;
            }
            Err(error) => self.load_error = Some(error.to_string()),
        }
    }

    /// Whether the driver has tried the last change and [`Controls::settle`] has not processed the outcome yet.
    pub(super) fn unsettled(&self, report: &Report) -> bool {
        report.applied == self.revision && self.settled != self.revision
    }

    /// Reverts a change that the driver refused, so that every control shows the running simulation.
    pub fn settle(&mut self, report: &Report) {
        if !self.unsettled(report) {
            return;
        }
        self.settled = self.revision;
        if let (Some(_), Some(running)) = (report.refusal(), &report.running) {
            self.scene = Arc::clone(&running.scene);
            self.settings = running.settings.clone();
        }
    }

    /// The error messages that were not dismissed.
    pub fn messages(&self, report: &Report) -> Vec<String> {
        let refusal = report.refusal().filter(|_| self.dismissed < report.applied).map(str::to_owned);
        let device = report.device_error.clone().filter(|error| self.dismissed_device.as_ref() != Some(error));
        let failure = report.failure.clone().filter(|error| self.dismissed_failure.as_ref() != Some(error));
        let kept = self.settings_error.clone();
        [device, self.load_error.clone(), kept, failure, refusal].into_iter().flatten().collect()
    }

    /// Says on screen for a while what was done.
    pub fn note(&mut self, sentence: String) {
        self.note = Some((sentence, Instant::now()));
    }

    /// What was done a short while ago.
    pub fn noted(&self) -> Option<&str> {
        let (sentence, when) = self.note.as_ref()?;
        (when.elapsed() < NOTED).then_some(sentence.as_str())
    }

    /// Dismisses the messages.
    pub fn dismiss(&mut self, report: &Report) {
        self.load_error = None;
        self.settings_error = None;
        self.dismissed = report.applied;
        self.dismissed_failure.clone_from(&report.failure);
        self.dismissed_device.clone_from(&report.device_error);
    }

    pub(super) fn step_search(&mut self, by: isize) {
        let next = neighbor_of(SEARCHES, |info| *info == self.settings.search, by);
        self.choose_search(next);
    }

    pub(super) fn choose_search(&mut self, search: &'static SearchInfo) {
        self.change(|settings| settings.search = search);
    }

    pub(super) fn choose_option(&mut self, option: &SearchOption, value: f32) {
        self.change(|settings| settings.options.set(option, value));
    }

    /// Selects the next usual value of the search's first option, which is the cell edge if the search has one.
    pub(super) fn step_first_option(&mut self) {
        if let Some(option) = self.settings.search.options.first().copied() {
            let value = self.settings.options.value(option);
            let next = *neighbor_of(&option.usual_values(), |usual| same_value(*usual, value), 1);
            self.choose_option(option, next);
        }
    }

    pub(super) fn scale_count(&mut self, report: &Report, factor: f64) {
        let count = match self.settings.size {
            Size::Count(count) => Some(f64::from(count)),
            Size::Radius(_) => report.running.as_ref().map(|running| f64::from(running.resolution.particle_count)),
        };
        if let Some(count) = count {
            self.pace.keeps_real_time = false;
            self.change(|settings| settings.size = Size::Count((count * factor).max(1.0) as u32));
        }
    }

    pub(super) fn scale_radius(&mut self, report: &Report, factor: f32) {
        let radius = match self.settings.size {
            Size::Radius(radius) => Some(radius),
            Size::Count(_) => report.running.as_ref().map(|running| running.resolution.support_radius),
        };
        if let Some(radius) = radius {
            self.pace.keeps_real_time = false;
            self.change(|settings| settings.size = Size::Radius(radius * factor));
        }
    }

    pub(super) fn next_scene(&mut self) {
        self.load_scene(self.scene_after());
    }

    /// Name of the built-in scene that follows the open one.
    pub(super) fn scene_after(&self) -> &'static str {
        let &next = neighbor_of(&Scene::names(), |name| *name == self.scene.name, 1);
        next
    }

    pub(super) fn next_solver(&mut self) {
        let running = self.settings.edits.applied_to(&self.scene).solver;
        let next = *neighbor_of(SOLVERS, |info| Solver(info) == running, 1);
        self.change(|settings| settings.edits.solver = Some(Solver(next)));
    }

    pub(super) fn next_kernel(&mut self) {
        let next = *neighbor_of(&SmoothingKernel::ALL, |kernel| *kernel == self.settings.kernel, 1);
        self.change(|settings| settings.kernel = next);
    }

    pub(super) fn next_style(&mut self) {
        self.style = *neighbor_of(&DrawStyle::ALL, |style| *style == self.style, 1);
    }

    pub(super) fn next_solid_style(&mut self) {
        self.solids = *neighbor_of(&SolidStyle::ALL, |solids| *solids == self.solids, 1);
    }

    /// Changes the size of texts and buttons by `by` steps within [`UI_SCALES`].
    pub(super) fn step_ui_scale(&mut self, by: isize) {
        let place = UI_SCALES.iter().position(|&percent| percent == self.ui_scale).unwrap_or_default();
        self.ui_scale = UI_SCALES[place.saturating_add_signed(by).min(UI_SCALES.len() - 1)];
    }

    pub(super) fn choose_field(&mut self, place: usize) {
        if let Some(field) = ColorField::all().nth(place) {
            self.field = field;
        }
    }
}

/// The entry `by` places after the current one, wrapping around at the ends; the first entry if none is current.
fn neighbor_of<T>(list: &[T], is_current: impl Fn(&T) -> bool, by: isize) -> &T {
    let place = list.iter().position(is_current).map_or(0, |place| place.cast_signed() + by);
    &list[place.rem_euclid(list.len().cast_signed()).cast_unsigned()]
}
