//! The state of the laboratory's user interface: the selection and the user's choices.

use std::sync::Arc;

use bevy_egui::egui;
use glam::{Mat4, Vec2, Vec3};

use super::{BorderControls, CheckControls, Flatland, LabCut, LabSelection, MeasureControls, Overlay};
use crate::app::Report;
use crate::fluid::Scene;
use crate::laboratory::{CostRequest, LabRequest, MOST_GATHERED, MarkEntry, MemoryOrder, PickOrder, PickWhat, Target};
use crate::render::Mark;
use crate::search::MOST_RECORDED;
use crate::search::verify::SearchConfiguration;

/// What the drawer below the scene shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drawer {
    /// The passes of a time step.
    #[default]
    Time,
    /// Buffers as strips.
    Memory,
    /// The view's own content.
    View,
}

/// Projects points of the scene to the window, for labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projector {
    /// Transform from world to clip space.
    pub clip_from_world: Mat4,
    /// Size of the window, logical pixels.
    pub window: Vec2,
}

impl Projector {
    /// The position of a point of the scene in the window, logical pixels; `None` if the point is behind the camera.
    pub fn place(&self, point: Vec3) -> Option<egui::Pos2> {
        let clip = self.clip_from_world * point.extend(1.0);
        let at = (clip.truncate().truncate() / clip.w * Vec2::new(0.5, -0.5) + 0.5) * self.window;
        (clip.w > 0.0).then(|| egui::pos2(at.x, at.y))
    }
}

/// A view that the camera is moved to once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WantedView {
    /// The point that the camera looks at, m.
    pub target: Vec3,
    /// Position of the camera, m; `None` keeps the direction of the camera.
    pub eye: Option<Vec3>,
    /// Distance of the camera from the target if `eye` is `None`, m.
    pub distance: f32,
}

/// The walk through the visited ranges of a particle, which shows them one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Walk {
    /// Number of ranges that are shown, the last of them as the current one; `None` for all.
    pub shown: Option<usize>,
    /// Whether the walk advances with time.
    pub playing: bool,
    /// Seconds until the next range while it plays.
    pub wait: f32,
}

/// The particles of a selection of several particles, in the forms that requests and markings need: computed once per
/// selection.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Their identities; at most [`MOST_GATHERED`].
    pub identities: Arc<Vec<u32>>,
    /// Their roles in the scene.
    pub entries: Arc<Vec<MarkEntry>>,
}

impl Chosen {
    fn of(particles: &[u32]) -> Self {
        let kept = &particles[..particles.len().min(MOST_GATHERED)];
        let entries = kept.iter().map(|&particle| MarkEntry::new(particle, Mark::Highlighted));
        Self { identities: Arc::new(kept.to_vec()), entries: Arc::new(entries.collect()) }
    }
}

/// What the user has chosen in the laboratory, and the request and overlay that follow from it.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent switch")]
pub struct LabControls {
    /// Whether the laboratory is open.
    pub open: bool,
    /// Index of the view in [`VIEWS`](super::VIEWS).
    pub view: usize,
    /// The selection, which all views share.
    pub selection: LabSelection,
    /// What is under the pointer, shown as if it were selected.
    pub hovered: Option<LabSelection>,
    /// The walk through what was visited for the selected particle.
    pub walk: Walk,
    /// Searches that are compared with the running one.
    pub compared: Vec<SearchConfiguration>,
    /// What the drawer below the scene shows.
    pub drawer: Drawer,
    /// Fraction of the window's height that the drawer takes.
    pub drawer_share: f32,
    /// Whether only the scene, the drawer and one sentence are shown.
    pub presenting: bool,
    /// Whether the laboratory has paused a running simulation, which then resumes when the laboratory is closed.
    pub stopped_water: bool,
    /// The last pick that was requested.
    pub pick: Option<PickOrder>,
    /// Number of the last pick whose particles were selected.
    pub taken_pick: u32,
    /// What the simulation is asked to compute; derived from the other fields every frame.
    pub request: LabRequest,
    /// What is drawn in the scene; derived from the other fields every frame.
    pub overlay: Arc<Overlay>,
    /// Where the camera is to move; taken by the camera.
    pub wanted_view: Option<WantedView>,
    /// The scene and the view of the camera before it moved to a selection; restored when the view is left.
    pub view_before: Option<(Arc<Scene>, WantedView)>,
    /// Whether the camera moves to the selected particle as soon as the particle's position is known.
    pub wants_framing: bool,
    /// Projects the scene to the window; `None` without a camera.
    pub projector: Option<Projector>,
    /// The particle index that the user is typing.
    pub index_draft: String,
    /// The user's choices in the view "Border and inner".
    pub border: BorderControls,
    /// Fraction of the window's height that the drawer takes from the next frame on.
    pub drawer_wanted: Option<f32>,
    /// The user's choices for races, sweeps and lessons.
    pub measure: MeasureControls,
    /// The user's scene from before a view showed its example.
    pub kept_scene: Option<super::KeptScene>,
    /// The user's choices in the view "Subgroup schedule".
    pub schedule: super::ScheduleControls,
    /// The user's choices in the view "Step by step".
    pub stepping: super::SteppingControls,
    /// What the cost map shows.
    pub cost: CostRequest,
    /// How the view "Memory order" changes the order of the particles in memory.
    pub memory: MemoryOrder,
    /// The cutting box, while it is on.
    pub cut: Option<LabCut>,
    /// Flatland, while it is open.
    pub flatland: Option<Flatland>,
    /// The selected particles, if several are selected.
    pub chosen: Chosen,
    /// The rectangle that is being dragged, points of the window.
    pub band: Option<egui::Rect>,
    /// The user's choices in the view "Check mine".
    pub check: CheckControls,
}

impl Default for LabControls {
    fn default() -> Self {
        Self {
            open: false,
            view: 0,
            selection: LabSelection::All,
            hovered: None,
            walk: Walk::default(),
            compared: Vec::new(),
            drawer: Drawer::Time,
            drawer_share: 0.24,
            presenting: false,
            stopped_water: false,
            pick: None,
            taken_pick: 0,
            request: LabRequest::default(),
            overlay: Arc::default(),
            wanted_view: None,
            view_before: None,
            wants_framing: false,
            projector: None,
            index_draft: String::new(),
            border: BorderControls::default(),
            drawer_wanted: None,
            measure: MeasureControls::default(),
            kept_scene: None,
            schedule: super::ScheduleControls::default(),
            stepping: super::SteppingControls::default(),
            cost: CostRequest::default(),
            memory: MemoryOrder::default(),
            cut: None,
            flatland: None,
            chosen: Chosen::default(),
            band: None,
            check: CheckControls::default(),
        }
    }
}

impl LabControls {
    /// The selection that is shown: what is under the pointer, or otherwise what is selected.
    pub fn shown(&self) -> &LabSelection {
        self.hovered.as_ref().unwrap_or(&self.selection)
    }

    /// Changes the selection; the walk starts again.
    pub fn select(&mut self, selection: LabSelection) {
        if self.selection != selection {
            self.walk = Walk::default();
            self.index_draft.clear();
            self.chosen = match &selection {
                LabSelection::Particles(particles) => Chosen::of(particles),
                _ => Chosen::default(),
            };
        }
        self.selection = selection;
    }

    /// Requests the particles at a point or in a rectangle of the image, once.
    pub fn pick(&mut self, what: PickWhat) {
        let number = self.pick.map_or(1, |pick| pick.number + 1);
        self.pick = Some(PickOrder { number, what });
    }

    /// Selects the next or previous particle by original index, wrapping around at the ends.
    pub fn step_particle(&mut self, by: i64, report: &Report) {
        let Some(running) = &report.running else { return };
        let count = i64::from(running.resolution.particle_count.max(1));
        let next = match self.selection {
            LabSelection::Particle(particle) => (i64::from(particle) + by).rem_euclid(count),
            // A particle in the middle of the fluid block, which has neighbors on all sides.
            _ => count / 2,
        };
        self.select(LabSelection::Particle(next as u32));
        self.wants_framing = true;
    }

    /// The request that every view makes, which depends on the selection only.
    pub fn base_request(&self, report: &Report) -> LabRequest {
        let mut request = LabRequest { target: Self::target_of(self.shown(), report), ..LabRequest::default() };
        if let LabSelection::Particles(_) = self.shown() {
            request.gathered = Arc::clone(&self.chosen.identities);
        }
        request
    }

    /// What is inspected for a selection.
    pub fn target_of(selection: &LabSelection, report: &Report) -> Target {
        match selection {
            LabSelection::Particle(particle) => Target { particles: vec![*particle], cell: None },
            LabSelection::Particles(particles) => {
                let recorded = particles.iter().copied().take(MOST_RECORDED).collect();
                Target { particles: recorded, cell: None }
            }
            LabSelection::Cell(cell) | LabSelection::Subgroup { cell, .. } => {
                let counts = report.running.as_ref().and_then(|running| running.cells).map(|cells| cells.counts);
                let index = counts.map(|counts| (cell.z * counts.y + cell.y) * counts.x + cell.x);
                Target { particles: Vec::new(), cell: index }
            }
            LabSelection::All | LabSelection::Memory { .. } | LabSelection::Pass(_) => Target::default(),
        }
    }

    /// Number of searches that are shown beside the running one.
    pub fn columns(&self) -> usize {
        if self.open { self.request.compared.len() } else { 0 }
    }
}
