//! The laboratory on screen: one selection, seen in space, in memory and in time.
//!
//! [`LabControls`] holds what the user has chosen. A view turns it into a [`LabRequest`](crate::laboratory::LabRequest)
//! for the simulation, and turns the results into an [`Overlay`] of the scene, numbers, and a drawer below the scene.
//! Adding a view takes one file and one line in [`VIEWS`]; the rest of the app reads its controls, numbers, legend and
//! key from there.

mod bars;
mod border_example;
mod border_numbers;
mod border_view;
mod break_view;
mod check_controls;
mod check_view;
mod cost_view;
mod cut_box;
mod example;
mod flatland;
mod histogram;
mod inspected;
mod inspector_view;
mod layout;
mod limits_view;
mod measure;
mod memory_view;
mod navigation;
mod pick_rule;
mod race_view;
mod rectangle;
mod scaling_view;
mod schedule_chart;
mod schedule_view;
mod selection;
mod state;
mod stepper_strips;
mod stepper_view;
mod strip_view;
mod systems;
mod view;
mod views;

pub use border_view::BorderControls;
pub use check_controls::CheckControls;
pub use cut_box::LabCut;
pub use example::KeptScene;
pub use flatland::Flatland;
pub(super) use inspected::{Visits, inspected_particle};
pub use layout::{lab_drawer_ui, lab_left_ui, lab_numbers_ui, lab_over_scene_ui};
pub(super) use measure::is_measuring;
pub use measure::{MeasureControls, MeasureTab};
pub(super) use memory_view::step_around_event;
pub(super) use pick_rule::{PickRule, pick_by_rule};
pub use schedule_view::ScheduleControls;
pub(super) use schedule_view::schedule_totals;
pub use selection::LabSelection;
pub use state::{Chosen, Drawer, LabControls, Projector, WantedView};
pub use stepper_view::SteppingControls;
pub use systems::update;
pub(super) use systems::{LabPress, follow_selection, pick_with_pointer};
pub use view::{Label, Overlay, OverlayColor, Stage, ViewInfo};
pub use views::{VIEWS, view_named};
