//! What attract mode shows, and what it keeps of the user's.

use std::sync::Arc;

use crate::app::Controls;
use crate::app::laboratory::WantedView;
use crate::fluid::{Scene, SceneEdits, Settings, Size, SmoothingKernel};
use crate::render::{ColorField, DrawStyle, SolidStyle};
use crate::search::{SearchInfo, SearchOptions};

/// The scenes that are shown, in their order, by name.
const SCENES: [&str; 8] =
    ["dam_break", "lighthouse", "fountain", "flooded_staircase", "double_dam_break", "drum", "beach", "weightless"];

/// State of attract mode.
#[derive(Clone, Debug)]
pub struct AttractControls {
    /// Whether it starts when there is no input.
    pub enabled: bool,
    /// Whether it is on.
    pub on: bool,
    /// A request of a script or of the command line to start or end it.
    pub(in crate::app) wanted: Option<bool>,
    /// Number of scenes shown since it began.
    pub(super) shown: usize,
    /// What the user had.
    kept: Option<Box<Kept>>,
}

impl Default for AttractControls {
    fn default() -> Self {
        Self { enabled: true, on: false, wanted: None, shown: 0, kept: None }
    }
}

/// What the user had before attract mode.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the panel")]
pub(in crate::app) struct Kept {
    scene: Arc<Scene>,
    settings: Settings,
    pub(in crate::app) style: DrawStyle,
    pub(in crate::app) solids: SolidStyle,
    pub(in crate::app) field: ColorField,
    pub(in crate::app) cell_edges: bool,
    paused: bool,
    slow_motion: bool,
    pub(in crate::app) panel_open: bool,
    help_open: bool,
    view: Option<WantedView>,
}

/// The search that is shown with the scene of this number. FENNS and CLAWS take turns at first, and then all others
/// follow.
fn search_of(number: usize) -> &'static SearchInfo {
    let all = SearchInfo::shown_off();
    all.get(number % all.len().max(1)).copied().unwrap_or(SearchInfo::default_for_scenes())
}

impl Controls {
    /// Whether attract mode may start by itself: nothing is open that somebody reads, and the water moves.
    pub(in crate::app) fn may_attract(&self) -> bool {
        let reads = self.lab.open
            || self.lessons.open
            || self.explain.open
            || self.code.open
            || self.help_open
            || self.presenting;
        let is_busy = self.film.recording || self.paused || self.load_error.is_some();
        self.attract.enabled && !reads && !is_busy
    }

    /// Starts attract mode. `view` is what the camera shows, to which it returns.
    pub(in crate::app) fn start_attract(&mut self, view: Option<WantedView>) {
        if self.attract.on || self.lab.open || self.lessons.is_playing() || self.lessons.running.is_some() {
            return;
        }
        self.attract.kept = Some(Box::new(Kept {
            scene: Arc::clone(&self.scene),
            settings: self.settings.clone(),
            style: self.style,
            solids: self.solids,
            field: self.field,
            cell_edges: self.cell_edges,
            paused: self.paused,
            slow_motion: self.slow_motion,
            panel_open: self.panel_open,
            help_open: self.help_open,
            view,
        }));
        (self.attract.on, self.attract.shown) = (true, 0);
        (self.panel_open, self.help_open, self.paused, self.slow_motion) = (false, false, false, false);
        (self.solids, self.cell_edges) = (SolidStyle::default(), false);
        self.style = DrawStyle::default_for(self.class);
        self.push = None;
        self.show_next();
    }

    /// Shows the next scene with the next search.
    pub(in crate::app) fn show_next(&mut self) {
        let number = self.attract.shown;
        self.attract.shown += 1;
        let known = Scene::names();
        let offered: Vec<_> = SCENES.into_iter().filter(|name| known.contains(name)).collect();
        let Some(scene) = offered.get(number % offered.len().max(1)).and_then(|name| Scene::load(name).ok()) else {
            return;
        };
        let search = search_of(number);
        self.settings.search = search;
        // Both follow from the pace with this search, also if the user has chosen a number.
        let (solver, count) = self.watchable(&scene);
        let edits = SceneEdits { solver: (solver != scene.solver).then_some(solver), ..SceneEdits::default() };
        self.settings = Settings {
            search,
            options: SearchOptions::default(),
            kernel: SmoothingKernel::default(),
            size: Size::Count(count),
            seed: self.settings.seed,
            edits,
        };
        self.scene = Arc::new(scene);
        self.field = ColorField::default();
        self.revision += 1;
    }

    /// Ends attract mode, and restores what the user had.
    pub(in crate::app) fn end_attract(&mut self) {
        if !std::mem::take(&mut self.attract.on) {
            return;
        }
        let Some(kept) = self.attract.kept.take() else { return };
        let Kept {
            scene,
            settings,
            style,
            solids,
            field,
            cell_edges,
            paused,
            slow_motion,
            panel_open,
            help_open,
            view,
        } = *kept;
        (self.scene, self.settings) = (scene, settings);
        (self.style, self.solids, self.field, self.cell_edges) = (style, solids, field, cell_edges);
        (self.paused, self.slow_motion) = (paused, slow_motion);
        (self.panel_open, self.help_open) = (panel_open, help_open);
        self.lab.wanted_view = view;
        self.revision += 1;
    }

    /// What the user had before attract mode, for the settings that are stored.
    pub(in crate::app) fn kept_by_attract(&self) -> Option<&Kept> {
        self.attract.kept.as_deref().filter(|_| self.attract.on)
    }

    /// Whether another scene is shown for a while, so that the user's own simulation is kept beside it.
    pub(in crate::app) fn keeps_own_simulation(&self) -> bool {
        self.attract.on || self.lab.flatland.as_ref().is_some_and(crate::app::Flatland::is_example)
    }
}

#[cfg(test)]
mod tests {
    use super::{SCENES, search_of};
    use crate::app::Controls;
    use crate::fluid::{Scene, Settings};
    use crate::gpu::AdapterClass;
    use crate::search::{SEARCHES, SearchInfo};

    #[test]
    fn all_scenes_of_the_show_exist_and_the_own_searches_lead() {
        for scene in SCENES {
            assert!(Scene::names().contains(&scene), "{scene} is missing");
        }
        assert_eq!(SearchInfo::leading(), [0, 1].map(search_of));
        let mut others: Vec<_> = (0..40).map(|number| search_of(number).name).collect();
        others.sort_unstable();
        others.dedup();
        assert_eq!(others.len(), SEARCHES.len() - 1, "all but brute force: {others:?}");
    }

    #[test]
    fn water_that_would_stand_still_gets_a_faster_solver() {
        let solver_on = |class| {
            let scene = Scene::load("dam_break").expect("a scene of the program");
            let mut controls = Controls::new(scene, Settings::with_particles(4_096), class);
            controls.start_attract(None);
            controls.settings.edits.solver
        };
        assert_eq!(solver_on(AdapterClass::Discrete), None, "a card runs it with the scene's own solver");
        let solver = solver_on(AdapterClass::Software).expect("llvmpipe does not");
        assert_ne!(solver, Scene::load("dam_break").expect("a scene of the program").solver);
    }
}
