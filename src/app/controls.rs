use std::sync::Arc;

use bevy::prelude::Resource;

use super::states::STATE_FILE;
use super::{Aim, GoingOn, Missile, Report, Toss};
use crate::depiction::Depiction;
use crate::fluid::{Push, Scene, SceneEdits, Settings, Size, SmoothingKernel, Solver};
use crate::gpu::AdapterClass;
use crate::render::{ColorField, DrawStyle, SolidStyle};
use crate::search::{SEARCHES, SearchInfo, SearchOption, same_value};

/// What the user wants: written by the panel, the keys and the pointer, read once a frame by the side that simulates.
#[derive(Resource, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the panel")]
pub struct Controls {
    /// The scene to run.
    pub scene: Arc<Scene>,
    /// Search, cell edge, smoothing kernel and size.
    pub settings: Settings,
    /// The adapter's class, which scenes' usual counts depend on.
    pub class: AdapterClass,
    /// Counts the changes of scene and settings, so that each is tried once.
    pub revision: u64,
    /// Whether time stands still.
    pub paused: bool,
    /// Whether the water runs at a quarter of its pace.
    pub slow_motion: bool,
    /// Counts the single steps asked for.
    pub single_steps: u32,
    /// Counts the returns to the first frame asked for.
    pub resets: u32,
    /// What the particles are coloured by.
    pub field: ColorField,
    /// How the water is drawn.
    pub style: DrawStyle,
    /// How solids are drawn.
    pub solids: SolidStyle,
    /// Whether the edges of the search's cells are drawn.
    pub cell_edges: bool,
    /// Whether drawing waits for the display.
    pub vsync: bool,
    /// The pointer's pull on the water, or on the body that it began on, while it pulls.
    pub push: Option<Push>,
    /// Where the pointer is.
    pub aim: Aim,
    /// What is dropped and shot.
    pub missile: Missile,
    /// The body that was thrown last.
    pub toss: Option<Toss>,
    /// Whether the panel is shown.
    pub panel_open: bool,
    /// Whether the list of keys is shown.
    pub help_open: bool,
    /// Whether the plots of the scene's probes are shown, and the probes read.
    pub probes_open: bool,
    /// The file that states are saved into and loaded from.
    pub state_file: String,
    /// Counts the savings asked for.
    pub saves: u32,
    /// A state to go on from.
    pub going_on: Option<GoingOn>,
    /// Why the last scene or state could not be loaded.
    pub load_error: Option<String>,
    pub(super) count_draft: Option<f64>,
    pub(super) radius_draft: Option<f64>,
    settled: u64,
    dismissed: u64,
    dismissed_failure: Option<String>,
    dismissed_device: Option<String>,
}

impl Controls {
    /// The scene running with those settings on an adapter of that class, nothing else touched.
    pub fn new(scene: Scene, settings: Settings, class: AdapterClass) -> Self {
        Self {
            class,
            scene: Arc::new(scene),
            settings,
            revision: 1,
            paused: false,
            slow_motion: false,
            single_steps: 0,
            resets: 0,
            field: ColorField::ALL[0],
            style: DrawStyle::default(),
            solids: SolidStyle::default(),
            cell_edges: false,
            vsync: true,
            push: None,
            aim: Aim::default(),
            missile: Missile::default(),
            toss: None,
            panel_open: true,
            help_open: false,
            probes_open: false,
            state_file: STATE_FILE.into(),
            saves: 0,
            going_on: None,
            load_error: None,
            count_draft: None,
            radius_draft: None,
            settled: 0,
            dismissed: 0,
            dismissed_failure: None,
            dismissed_device: None,
        }
    }

    /// What of the simulation is shown.
    pub fn depiction(&self) -> Depiction {
        Depiction { style: self.style, solids: self.solids, field: self.field, cell_edges: self.cell_edges }
    }

    /// Tries other settings.
    pub fn change(&mut self, edit: impl FnOnce(&mut Settings)) {
        let before = self.settings.clone();
        edit(&mut self.settings);
        if self.settings != before {
            self.revision += 1;
        }
    }

    /// Tries another scene, by name or path. A count that was the scene's own gives way to the next one's.
    pub fn load_scene(&mut self, name: &str) {
        match Scene::load(name) {
            Ok(scene) => {
                let usual = |scene: &Scene| Size::Count(scene.usual_count(self.class));
                if self.settings.size == usual(&self.scene) {
                    self.settings.size = usual(&scene);
                }
                self.scene = Arc::new(scene);
                // They were made to another scene's numbers.
                self.settings.edits = SceneEdits::default();
                self.load_error = None;
                self.revision += 1;
            }
            Err(error) => self.load_error = Some(error.to_string()),
        }
    }

    /// Whether the last change was tried and its outcome not yet taken in.
    pub(super) fn unsettled(&self, report: &Report) -> bool {
        report.applied == self.revision && self.settled != self.revision
    }

    /// Takes back what the simulation refused, so that every control shows what really runs.
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

    /// The sentences to show: what went wrong and was not dismissed.
    pub fn messages(&self, report: &Report) -> Vec<String> {
        let refusal = report.refusal().filter(|_| self.dismissed < report.applied).map(str::to_owned);
        let device = report.device_error.clone().filter(|error| self.dismissed_device.as_ref() != Some(error));
        let failure = report.failure.clone().filter(|error| self.dismissed_failure.as_ref() != Some(error));
        [device, self.load_error.clone(), failure, refusal].into_iter().flatten().collect()
    }

    /// Puts the messages away.
    pub fn dismiss(&mut self, report: &Report) {
        self.load_error = None;
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

    /// The next usual value of the running search's first option: the cell edge, where it has one.
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
            self.change(|settings| settings.size = Size::Count((count * factor).max(1.0) as u32));
        }
    }

    pub(super) fn scale_radius(&mut self, report: &Report, factor: f32) {
        let radius = match self.settings.size {
            Size::Radius(radius) => Some(radius),
            Size::Count(_) => report.running.as_ref().map(|running| running.resolution.support_radius),
        };
        if let Some(radius) = radius {
            self.change(|settings| settings.size = Size::Radius(radius * factor));
        }
    }

    pub(super) fn next_scene(&mut self) {
        let names = Scene::names();
        let next = neighbor_of(&names, |name| *name == self.scene.name, 1);
        self.load_scene(next);
    }

    pub(super) fn next_solver(&mut self) {
        let running = self.settings.edits.applied_to(&self.scene).solver;
        let next = *neighbor_of(&Solver::ALL, |solver| *solver == running, 1);
        self.change(|settings| settings.edits.solver = Some(next));
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

    pub(super) fn choose_field(&mut self, place: usize) {
        if let Some(field) = ColorField::ALL.get(place) {
            self.field = *field;
        }
    }
}

/// The entry `by` places after the current one, around the end; the first where none is current.
fn neighbor_of<T>(list: &[T], is_current: impl Fn(&T) -> bool, by: isize) -> &T {
    let place = list.iter().position(is_current).map_or(0, |place| place.cast_signed() + by);
    &list[place.rem_euclid(list.len().cast_signed()).cast_unsigned()]
}
