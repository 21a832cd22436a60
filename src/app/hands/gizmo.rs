//! An arrow in the corner of the scene that shows the direction of gravity while it is not that of the scene.

use std::f32::consts::TAU;

use bevy_egui::egui::{Align2, Context, FontId, Id, LayerId, Order, Pos2, Rect, Stroke, Vec2};
use glam::Vec3;

use crate::app::theme::{ACCENT, QUIET, SURFACE, TEXT};
use crate::app::{Controls, Report, format};

/// Radius of the disc, points.
const RADIUS: f32 = 30.0;
/// Distance of its center from the edges of the scene, points.
const FROM_EDGES: f32 = 48.0;

/// Draws the arrow, if gravity is not that of the scene.
pub(in crate::app) fn gizmo_ui(context: &Context, water: Rect, controls: &Controls, report: &Report) {
    let hands = &report.hands;
    if !hands.is_tilted() || report.running.is_none() {
        return;
    }
    let painter = context.layer_painter(LayerId::new(Order::Middle, Id::new("direction of gravity")));
    let center = water.left_top() + Vec2::splat(FROM_EDGES);
    painter.circle(center, RADIUS, SURFACE.gamma_multiply(0.8), Stroke::new(1.0, QUIET));
    let [right, up, away] = controls.hands.camera;
    let seen = |vector: Vec3| Vec2::new(vector.dot(right), -vector.dot(up));
    let strength = hands.gravity.length();
    let scale = strength / hands.scene_gravity.length().max(strength).max(f32::MIN_POSITIVE);
    // The scene's own direction, as a tick on the rim.
    if let Some(own) = seen(hands.scene_gravity).try_normalize() {
        painter.line_segment([center + 0.82 * RADIUS * own, center + RADIUS * own], Stroke::new(2.0, QUIET));
    }
    match hands.gravity.try_normalize() {
        Some(direction) => {
            let way = 0.78 * RADIUS * scale * seen(direction);
            arrow(&painter, center, way, Stroke::new(2.5, ACCENT));
            // Along the line of sight an arrow has no length; a ring or a dot says which way it points.
            let depth = direction.dot(away) * scale;
            painter.circle_stroke(center, 2.0 + 5.0 * depth.max(0.0), Stroke::new(1.2, ACCENT));
            painter.circle_filled(center, 1.5 + 4.0 * (-depth).max(0.0), ACCENT);
        }
        None => {
            painter.circle_stroke(center, 4.0, Stroke::new(2.0, ACCENT));
        }
    }
    let text = format!("{} m/s²", format::number(f64::from(strength)));
    let below = center + Vec2::new(0.0, RADIUS + 4.0);
    painter.text(below, Align2::CENTER_TOP, text, FontId::proportional(11.0), TEXT);
}

fn arrow(painter: &bevy_egui::egui::Painter, from: Pos2, way: Vec2, stroke: Stroke) {
    painter.line_segment([from, from + way], stroke);
    let Some(direction) = way.try_normalize() else { return };
    for side in [0.42 * TAU, -0.42 * TAU] {
        let barb = bevy_egui::egui::emath::Rot2::from_angle(side) * direction;
        painter.line_segment([from + way, from + way + 8.0 * barb], stroke);
    }
}

/// Normalization that has no result for vectors of length zero.
trait TryNormalize: Sized {
    fn try_normalize(self) -> Option<Self>;
}

impl TryNormalize for Vec2 {
    fn try_normalize(self) -> Option<Self> {
        let length = self.length();
        (length > 1e-6).then(|| self / length)
    }
}
