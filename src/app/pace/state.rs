//! What is known about the pace of the device, and the changes that follow from it.

use std::borrow::Cow;
use std::sync::Arc;

use glam::UVec2;

use crate::app::{Controls, Report};
use crate::fluid::{FluidError, Scene, Size, Solver, SolverSettings};
use crate::gpu::AdapterClass;
use crate::pace::{Choice, DeviceBook, FrameLoad, PaceModel, SceneLoad, Wanted, budget_at, choose, reference_of};
use crate::render::Splatting;
use crate::search::{SEARCHES, SearchInfo};

/// What is known about the pace of the device.
#[derive(Clone, Debug)]
pub struct PaceControls {
    /// The times that were measured on this device.
    pub measured: Arc<DeviceBook>,
    /// Whether the number of particles follows from the pace, so that another scene gets its own.
    pub keeps_real_time: bool,
    /// The display's interval between frames, s.
    pub refresh: f64,
    /// Size of the picture of the water, pixels.
    pub size: UVec2,
}

impl Default for PaceControls {
    fn default() -> Self {
        Self { measured: Arc::default(), keeps_real_time: false, refresh: 1.0 / 60.0, size: UVec2::new(1_280, 800) }
    }
}

/// What an estimate is asked about.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// The solver.
    pub solver: Solver,
    /// The search.
    pub search: &'static SearchInfo,
    /// Number of particles.
    pub particles: u32,
}

/// How much longer than in the measured scene steps and pictures take in the running one.
#[derive(Clone, Copy, Debug)]
struct Heavier {
    step: f64,
    drawing: f64,
}

impl Asked {
    /// What the running settings are in terms of estimates; `None` before anything runs.
    pub(super) fn of_running(report: &Report) -> Option<Self> {
        let running = report.running.as_ref()?;
        let solver = running.settings.edits.solver.unwrap_or(running.scene.solver);
        let particles = running.resolution.particle_count + running.resolution.boundary_count;
        Some(Self { solver, search: running.settings.search, particles })
    }
}

/// The pace, in multiples of real time, below which somebody who watches sees the water stand still.
const LEAST_WATCHABLE: f64 = 0.1;

impl PaceControls {
    /// The estimates for this device.
    pub fn model(&self, class: AdapterClass) -> PaceModel<'_> {
        PaceModel { reference: reference_of(class), measured: &self.measured }
    }
}

impl Controls {
    /// The faster way to draw particles on this device, as far as it is known.
    pub fn faster_splatting(&self) -> Splatting {
        self.pace.model(self.class).splatting()
    }

    /// The solver that runs the scene with the current edits.
    fn running_solver(&self) -> Solver {
        self.settings.edits.solver.unwrap_or(self.scene.solver)
    }

    /// The scene with the edits that the length of steps follows from, without a copy where there are none.
    fn edited_scene(&self) -> Cow<'_, Scene> {
        let edits = &self.settings.edits;
        let is_edited = edits.material.is_some() || edits.solver_settings != SolverSettings::default();
        if is_edited { Cow::Owned(edits.applied_to(&self.scene)) } else { Cow::Borrowed(&*self.scene) }
    }

    fn scene_load<'a>(&self, scene: &'a Scene) -> SceneLoad<'a> {
        SceneLoad {
            scene,
            kernel: self.settings.kernel,
            style: self.style,
            size: self.pace.size,
            budget: budget_at(self.class, self.pace.refresh),
        }
    }

    /// The measured times of the running scene divided by their estimates, which are of a scene without solids; 1 where
    /// nothing was measured yet.
    fn heavier(&self, report: &Report) -> Heavier {
        let none = Heavier { step: 1.0, drawing: 1.0 };
        let Some(asked) = Asked::of_running(report) else { return none };
        let model = self.pace.model(self.class);
        let pixels = self.pace.size.x.saturating_mul(self.pace.size.y);
        let (step, drawing) = report.times_together();
        let ratio = |measured: Option<f64>, estimate: Option<f64>| {
            let ratio = measured.zip(estimate).map(|(measured, estimate)| measured / estimate);
            ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0).unwrap_or(1.0)
        };
        Heavier {
            step: ratio(step, model.step(asked.solver, asked.search, asked.particles)),
            drawing: ratio(Some(drawing), model.drawing(self.style, asked.particles, pixels)),
        }
    }

    /// The estimated work of a frame with other settings, scaled to what was measured in the running scene. `None`
    /// where nothing is known of the pair of solver and search.
    pub fn estimate(&self, report: &Report, asked: Asked) -> Option<FrameLoad> {
        let model = self.pace.model(self.class);
        let scene = self.edited_scene();
        let load = model.load(&self.scene_load(&scene), asked.solver, asked.search, asked.particles).ok()??;
        let heavier = self.heavier(report);
        Some(FrameLoad { step: load.step * heavier.step, drawing: load.drawing * heavier.drawing, ..load })
    }

    /// The estimate with another number of particles.
    pub fn estimate_at(&self, report: &Report, particles: u32) -> Option<FrameLoad> {
        let (solver, search) = (self.running_solver(), self.settings.search);
        self.estimate(report, Asked { solver, search, particles })
    }

    /// The search with the shortest steps here, and how many times as long those of the selected search take; `None`
    /// where the selected one is the fastest within a tenth.
    pub fn faster_search(&self, report: &Report) -> Option<(&'static SearchInfo, f64)> {
        let particles = Asked::of_running(report)?.particles;
        let model = self.pace.model(self.class);
        let step = |search: &SearchInfo| model.step(self.running_solver(), search, particles);
        let selected = step(self.settings.search)?;
        let times = SEARCHES.iter().filter_map(|&search| Some((search, selected / step(search)?)));
        times.max_by(|one, other| one.1.total_cmp(&other.1)).filter(|(_, ratio)| *ratio > 1.1)
    }

    /// The most particles in real time in a scene, with the selected search and one of these solvers.
    ///
    /// # Errors
    /// When no number of particles suits the scene.
    fn most_in_real_time(
        &self,
        report: &Report,
        scene: &Scene,
        solvers: &[Solver],
    ) -> Result<Option<Choice>, FluidError> {
        let limits = |search: &SearchInfo| {
            let offered = report.limits.of(search).map_or(u64::MAX, crate::laboratory::SearchLimits::last_offered);
            let most = u64::from(self.class.most_chosen_count()).min(offered) as u32;
            (self.class.least_chosen_count().min(most), most)
        };
        let wanted = Wanted {
            scene: self.scene_load(scene),
            solvers,
            searches: &[self.settings.search],
            limits: &limits,
            particles: None,
        };
        choose(&self.pace.model(self.class), &wanted)
    }

    /// Selects the number of particles with which the running scene keeps up with real time, with its search and
    /// solver.
    pub fn take_real_time(&mut self, report: &Report) {
        let scene = self.edited_scene().into_owned();
        match self.most_in_real_time(report, &scene, &[self.running_solver()]) {
            Ok(Some(choice)) => {
                self.pace.keeps_real_time = true;
                self.change(|settings| settings.size = Size::Count(choice.particles));
            }
            Ok(None) => {
                self.load_error = Some(format!(
                    "how many particles {} with {} moves in real time is not known here yet; choose a number by hand",
                    self.running_solver().label(),
                    self.settings.search.title
                ));
            }
            Err(error) => self.load_error = Some(error.to_string()),
        }
    }

    /// The number of particles with which a scene opens: its own, or fewer where these would not keep up with real time
    /// and the user has not chosen a number.
    pub(in crate::app) fn opening_count(&self, scene: &Scene) -> u32 {
        let usual = scene.usual_count(self.class);
        if !self.pace.keeps_real_time {
            return usual;
        }
        let choice = self.most_in_real_time(&Report::default(), scene, &[scene.solver]);
        choice.ok().flatten().map_or(usual, |choice| usual.min(choice.particles))
    }

    /// The solver and the number of particles with which a scene is watched: its own solver, unless the water would
    /// hardly move with it and moves faster with another one; the scene's own number where nothing is known of the
    /// selected search.
    pub(in crate::app) fn watchable(&self, scene: &Scene) -> (Solver, u32) {
        let usual = scene.usual_count(self.class);
        let most = |solvers: &[Solver]| self.most_in_real_time(&Report::default(), scene, solvers).ok().flatten();
        let Some(own) = most(&[scene.solver]) else { return (scene.solver, usual) };
        let is_slow = own.load.real_time_factor() < LEAST_WATCHABLE;
        let faster = is_slow.then(|| most(&Solver::fluids().collect::<Vec<_>>())).flatten();
        let shown = faster.unwrap_or(own);
        (shown.solver, shown.particles.min(usual))
    }
}
