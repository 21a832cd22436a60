//! The registry of all views.

use super::view::ViewInfo;
use super::{
    border_view, break_view, check_view, cost_view, inspector_view, limits_view, memory_view, race_view, schedule_view,
    stepper_view,
};

/// All views, in the order of their keys. A new view is one file and one line here.
pub static VIEWS: &[&ViewInfo] = &[
    &inspector_view::INFO,
    &border_view::INFO,
    &schedule_view::INFO,
    &memory_view::INFO,
    &cost_view::INFO,
    &stepper_view::INFO,
    &race_view::INFO,
    &break_view::INFO,
    &check_view::INFO,
    &limits_view::INFO,
];

/// Index in [`VIEWS`] of the view with that name.
pub fn view_named(name: &str) -> Option<usize> {
    VIEWS.iter().position(|view| view.name == name)
}
