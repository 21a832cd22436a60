//! The section of the panel for the bodies that are dropped and shot into the water.

use bevy_egui::egui::Ui;

use super::buttons::two_buttons;
use super::filter;
use super::row::{About, Change, Choice, Number, Row};
use crate::app::theme::remark;
use crate::app::{Action, Controls, Missile, Report, format};
use crate::search::same_value;

/// Draws the controls of the bodies that are dropped and shot into the water.
pub(super) fn body_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let usual = Missile::default();
    let missile = &mut controls.missile;
    let about = About { hover: "shape of the body", scene_key: "bodies: [(shape: ...)]", ..About::default() };
    let (default, differs) = ("Box".to_owned(), missile.is_ball != usual.is_ball);
    let row = Row { title: "Shape", about, default, differs, key: None };
    let choices = [(false, "Box"), (true, "Ball")].map(|(value, label)| Choice { value, label, hover: "" });
    if let Some(change) = row.choices(ui, missile.is_ball, choices) {
        missile.is_ball = change.or(usual.is_ball);
    }

    let about = About {
        hover: "edge length or diameter of the body as a share of the tank's shortest edge",
        unit: "%",
        ..About::default()
    };
    let (default, differs) = (format!("{:.0} %", 100.0 * usual.size), !same_value(missile.size, usual.size));
    let row = Row { title: "Size", about, default, differs, key: None };
    let number = Number { value: 100.0 * missile.size, speed: 0.5, whole: true, range: Some([5.0, 60.0]) };
    match row.number(ui, number) {
        Some(Change::To(percent)) => missile.size = 0.01 * percent,
        Some(Change::ToDefault) => missile.size = usual.size,
        None => {}
    }

    let about = About {
        hover: "density of the body relative to that of the fluid; bodies below 1 float",
        unit: "x water",
        scene_key: "bodies: [(density: ...)], in kg/m³",
        ..About::default()
    };
    let differs = !same_value(missile.relative_density, usual.relative_density);
    let default = format!("{} x water", usual.relative_density);
    let row = Row { title: "Body density", about, default, differs, key: None };
    let number = Number { value: missile.relative_density, speed: 0.01, whole: false, range: Some([0.05, 20.0]) };
    if let Some(change) = row.number(ui, number) {
        missile.relative_density = change.or(usual.relative_density);
    }
    if filter::is_active(ui) && !filter::shows(ui, &["drop", "shoot"]) {
        return;
    }
    let count = report.running.as_ref().map_or(0, |running| running.body_count);
    if count > 0 {
        remark(ui, format!("{} in the scene", format::count(count as u64)));
    }
    let drop = (Action::DropBody, "Drop", "lets a body fall from the top of the tank, above the pointer");
    let shoot = (Action::ShootBody, "Shoot", "shoots a body from the camera toward the pointer");
    two_buttons(ui, controls, report, [drop, shoot]);
}
