//! The oracle badge in the corner of the scene: a green tick, or the error that was found. A click opens the inspector
//! on the particle with the error.

use bevy_egui::egui::{self, Align2, Color32, Context, Id, Order, Pos2, Rect, RichText, Sense, Stroke, Ui};
use std::fmt::Write as _;

use super::laboratory::{LabSelection, view_named};
use super::panel::{About, Change, Row};
use super::theme::{QUIET, TEXT, floating_frame};
use super::{Controls, Report, format};
use crate::laboratory::BadgeReport;

const RIGHT: Color32 = Color32::from_rgb(72, 200, 130);
const WRONG: Color32 = Color32::from_rgb(240, 80, 80);

/// Distance between the badge, the legend and the edges of the scene, in points.
const MARGIN: f32 = 12.0;

/// Explanation of the badge, shown when the pointer rests on it.
const HOVER: &str = "the oracle badge: compares the neighbors that the running search finds with those of brute force \
                     on the GPU, for a random sample of particles that changes with every check";

/// Draws the badge at the lower right corner of the scene, or above the legend if they do not fit side by side. Draws
/// nothing if the badge is off.
pub fn badge_ui(context: &Context, water: Rect, legend: Option<Rect>, controls: &mut Controls, report: &Report) {
    let badge = &report.badge;
    if !badge.on {
        return;
    }
    let id = Id::new("oracle badge");
    // As wide as it was drawn last: its sentences differ in length.
    let width = egui::AreaState::load(context, id).and_then(|state| state.size).map_or(0.0, |size| size.x);
    let corner = water.right_bottom() - egui::vec2(MARGIN, MARGIN);
    let bottom = match legend.filter(|legend| corner.x - width < legend.right() + MARGIN) {
        Some(legend) => legend.top() - 0.5 * MARGIN,
        None => corner.y,
    };
    let area = egui::Area::new(id)
        .order(Order::Middle)
        .sense(Sense::click())
        .pivot(Align2::RIGHT_BOTTOM)
        .fixed_pos(Pos2::new(corner.x, bottom))
        .show(context, |ui| {
            let frame = floating_frame();
            let frame = if badge.wrong.is_some() { frame.stroke(Stroke::new(2.0, WRONG)) } else { frame };
            frame.show(ui, |ui| {
                ui.set_max_width((0.6 * water.width()).clamp(120.0, 420.0));
                ui.horizontal(|ui| {
                    symbol(ui, badge);
                    ui.vertical(|ui| sentences(ui, badge));
                });
            });
        });
    let hover = hover_text(badge);
    let response = area.response.on_hover_text(hover);
    if response.clicked() && badge.wrong.is_some() {
        controls.show_offender(report);
    }
}

fn sentences(ui: &mut Ui, badge: &BadgeReport) {
    if let Some(error) = &badge.error {
        ui.label(RichText::new(format!("not checked: {error}")).color(TEXT));
    } else if let Some(wrong) = &badge.wrong {
        ui.label(RichText::new("WRONG").strong().color(WRONG));
        ui.label(RichText::new(wrong.sentence()).color(TEXT));
        let [all, some] = [wrong.checked, wrong.wrong].map(|count| format::count(count.into()));
        ui.label(RichText::new(format!("{some} of {all} sampled particles; click to inspect")).small().color(QUIET));
    } else if badge.last.is_some() {
        ui.label(RichText::new(format!("checked: {} particles, all exact", format::count(badge.checked))).color(TEXT));
    } else {
        ui.label(RichText::new("checking ...").color(QUIET));
    }
}

fn hover_text(badge: &BadgeReport) -> String {
    let mut text = HOVER.to_owned();
    if let Some(last) = &badge.last {
        let cost =
            last.milliseconds.map(|time| format!("; a check takes {} ms", format::number(time))).unwrap_or_default();
        let apart = format::number(badge.interval.as_secs_f64());
        _ = write!(text, ". Checks are {apart} s apart, which keeps their cost below 2 % of the time{cost}.");
    }
    text
}

/// Draws a tick, a cross or a ring, so that the state can be told without its color.
fn symbol(ui: &mut Ui, badge: &BadgeReport) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(18.0, 18.0), Sense::hover());
    let at = |x: f32, y: f32| Pos2::new(rect.left() + x * rect.width(), rect.top() + y * rect.height());
    let painter = ui.painter();
    if badge.wrong.is_some() {
        let stroke = Stroke::new(3.0, WRONG);
        painter.line_segment([at(0.15, 0.15), at(0.85, 0.85)], stroke);
        painter.line_segment([at(0.85, 0.15), at(0.15, 0.85)], stroke);
    } else if badge.last.is_some() && badge.error.is_none() {
        let stroke = Stroke::new(3.0, RIGHT);
        painter.line_segment([at(0.12, 0.55), at(0.4, 0.82)], stroke);
        painter.line_segment([at(0.4, 0.82), at(0.9, 0.2)], stroke);
    } else {
        painter.circle_stroke(rect.center(), 6.0, Stroke::new(2.0, QUIET));
    }
}

/// Draws the row that turns the badge on or off.
pub(super) fn badge_row(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let on_by_default = report.badge.why_off.is_none();
    let why = report.badge.why_off.as_deref().unwrap_or("on by default: checks take less than 2 % of the time");
    let hover = format!("{HOVER}\n{why}");
    let about = About { hover: &hover, ..About::default() };
    let default = if on_by_default { "on" } else { "off" }.to_owned();
    let row = Row { title: "Oracle badge", about, default, differs: controls.badge.is_some(), key: None };
    match row.switch(ui, controls.badge.unwrap_or(on_by_default)) {
        Some(Change::To(on)) => controls.badge = Some(on),
        Some(Change::ToDefault) => controls.badge = None,
        None => {}
    }
}

impl Controls {
    /// Opens the inspector on the first particle whose neighbors the badge found wrong, and pauses the simulation.
    pub fn show_offender(&mut self, report: &Report) {
        let offender = report.badge.wrong.as_ref().and_then(|verdict| verdict.offenders.first());
        let Some(offender) = offender else { return };
        self.lab.select(LabSelection::Particle(offender.particle));
        if let Some(place) = view_named("inspector") {
            self.choose_view(place, report);
        }
        self.lab.wants_framing = true;
        if !self.paused {
            self.paused = true;
            self.lab.stopped_water = true;
        }
    }
}
