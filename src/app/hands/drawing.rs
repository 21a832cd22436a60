//! What is drawn in the scene for the user's tools: a ring where the pointer acts, and the outline of the scene's box
//! where walls were moved.

use std::f32::consts::TAU;

use glam::Vec3;

use super::Tool;
use super::block::DRAFT_COLORS;
use super::tools::reach_in;
use crate::app::Controls;
use crate::fluid::{Dimensions, Simulation};
use crate::render::{Drawn, DrawnBox, DrawnSegment};

/// Number of lines of the ring.
const LINES: u32 = 64;
/// Linear color of the ring of each tool.
const COLORS: [(Tool, Vec3); 4] = [
    (Tool::Push, Vec3::new(0.85, 0.93, 1.0)),
    (Tool::Pull, Vec3::new(1.0, 0.62, 0.18)),
    (Tool::Pour, Vec3::new(0.25, 0.9, 0.75)),
    (Tool::Block, Vec3::new(1.0, 0.8, 0.35)),
];
/// Opacity of the ring while no button is pressed, and while one is.
const OPACITY: [f32; 2] = [0.4, 0.95];
/// The same for parts that particles hide.
const HIDDEN: f32 = 0.55;

/// Adds the ring of the pointer, and the outline of the scene's box behind moved walls.
pub(in crate::app) fn draw(drawn: &mut Drawn<'_>, simulation: &Simulation, controls: &Controls) {
    let (scene, [low, high]) = (simulation.scene(), simulation.walls());
    if low != scene.low || high != scene.high {
        let edge = Vec3::new(0.6, 0.75, 0.9).extend(0.25).to_array();
        drawn.boxes.push(DrawnBox { low: scene.low, high: scene.high, edge, face: [0.0; 4], width: 1.0, hidden: 0.3 });
    }
    let hands = &controls.hands;
    if let Some(draft) = &hands.block {
        let height = 2.0 * reach_in(hands.reach, simulation.resolution(), scene);
        let [low, high] = draft.corners(height, [low, high], simulation.resolution().spacing);
        let [edge, face] = DRAFT_COLORS;
        drawn.boxes.push(DrawnBox { low, high, edge, face, width: 2.0, hidden: HIDDEN });
        return;
    }
    if !hands.is_over_water {
        return;
    }
    let reach = reach_in(hands.reach, simulation.resolution(), scene);
    let aim = &controls.aim;
    let Some(center) = center(controls, scene.dimensions, [low, high]) else { return };
    let normal = if scene.dimensions == Dimensions::Two { Vec3::Z } else { aim.direction };
    let (u, v) = normal.any_orthonormal_pair();
    let color = COLORS.iter().find(|(tool, _)| *tool == hands.used_tool()).map_or(Vec3::ONE, |(_, color)| *color);
    let pressed = usize::from(hands.is_pressed);
    let color = color.extend(OPACITY[pressed]).to_array();
    let at = |number: u32| {
        let angle = TAU * number as f32 / LINES as f32;
        center + reach * (angle.cos() * u + angle.sin() * v)
    };
    let width = [1.6, 2.6][pressed];
    let line = |number| DrawnSegment { from: at(number), to: at(number + 1), color, width, hidden: HIDDEN };
    drawn.segments.extend((0..LINES).map(line));
}

/// The center of the ring: on the pointer's ray, at the depth of the point that the camera orbits, but within the box.
/// `None` where the ray misses the box.
fn center(controls: &Controls, dimensions: Dimensions, [low, high]: [Vec3; 2]) -> Option<Vec3> {
    let (origin, direction) = (controls.aim.origin, controls.aim.direction);
    if dimensions == Dimensions::Two {
        let plane = 0.5 * (low.z + high.z);
        let distance = (plane - origin.z) / direction.z;
        let point = (origin + distance * direction).with_z(plane);
        let is_in_box = point.truncate().cmpge(low.truncate()).all() && point.truncate().cmple(high.truncate()).all();
        return (distance > 0.0 && is_in_box).then_some(point);
    }
    let (to_low, to_high) = ((low - origin) / direction, (high - origin) / direction);
    let enters = to_low.min(to_high).max_element().max(0.0);
    let leaves = to_low.max(to_high).min_element();
    let wanted = (controls.aim.point - origin).dot(direction);
    (enters < leaves).then(|| origin + wanted.clamp(enters, leaves) * direction)
}

impl Controls {
    /// Whether tools act on the water: in the laboratory the left button selects particles instead.
    pub(in crate::app) fn tools_act(&self) -> bool {
        !self.lab.open && !self.attract.on
    }
}
