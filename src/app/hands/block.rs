//! The block that the user draws: its base is a rectangle on the floor between the points where the button was pressed
//! and where the pointer is now, and its height is the diameter of the ring.

use glam::Vec3;

use super::HandsOrder;
use crate::app::{Aim, Controls, Report};
use crate::fluid::{Body, BodyShape, Dimensions, Motion};

/// Shortest edge, in particle spacings: a thinner block has too few samples to keep water out.
const SHORTEST: f32 = 4.0;
/// Color of its outline and of its faces while it is drawn: linear, with opacity.
pub(super) const DRAFT_COLORS: [[f32; 4]; 2] = [[1.0, 0.8, 0.35, 0.95], [1.0, 0.8, 0.35, 0.18]];

/// A block that is being drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockDraft {
    /// The point of the floor where the button was pressed, m.
    pub from: Vec3,
    /// The point of the floor at the pointer, m.
    pub to: Vec3,
}

impl BlockDraft {
    /// Lowest and highest corner of the block in the box between the walls, m, for a spacing of particles, m. A block
    /// that would be thinner than the particles require is widened around its middle, and moved inward where it would
    /// cross a wall.
    pub(in crate::app) fn corners(&self, height: f32, [low, high]: [Vec3; 2], spacing: f32) -> [Vec3; 2] {
        let shortest = Vec3::splat(SHORTEST * spacing).min(high - low);
        let (base_low, base_high) = (self.from.min(self.to).with_y(low.y), self.from.max(self.to));
        let wanted_high = base_high.with_y(low.y + height);
        let middle = 0.5 * (base_low + wanted_high);
        let half = (0.5 * (wanted_high - base_low)).max(0.5 * shortest);
        let middle = middle.with_y(low.y + half.y).clamp(low + half.min(0.5 * (high - low)), high - shortest * 0.5);
        [(middle - half).max(low), (middle + half).min(high)]
    }
}

/// The point of the floor at the pointer's ray within the box between the walls, m. A ray that does not meet the floor
/// shows the point below the one that the camera orbits.
fn on_floor(aim: &Aim, [low, high]: [Vec3; 2]) -> Vec3 {
    let distance = (low.y - aim.origin.y) / aim.direction.y;
    let point = if distance.is_finite() && distance > 0.0 { aim.origin + distance * aim.direction } else { aim.point };
    point.clamp(low, high).with_y(low.y)
}

/// A solid block between two corners, m, that stays where it is.
pub(super) fn block_between([low, high]: [Vec3; 2]) -> Body {
    Body {
        shape: BodyShape::Box { size: high - low },
        density: 1000.0,
        position: 0.5 * (low + high),
        rotation: Vec3::ZERO,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        friction: 0.5,
        restitution: 0.2,
        motion: Motion::Held,
    }
}

impl Controls {
    /// Height of a drawn block, m: the diameter of the ring.
    pub(in crate::app) fn block_height(&self, report: &Report) -> f32 {
        2.0 * self.reach(report)
    }

    /// Follows the pointer while a block is drawn, and orders it when the button is released.
    pub(in crate::app) fn draw_block(&mut self, is_pressed: bool, report: &Report) {
        if self.scene.dimensions == Dimensions::Two {
            if is_pressed && self.hands.block.is_none() {
                self.load_error =
                    Some("blocks can be drawn in three-dimensional scenes only; open another scene".into());
            }
            return;
        }
        let walls = report.hands.walls;
        let Some(running) = &report.running else { return };
        match (is_pressed, self.hands.block) {
            (true, before) => {
                let to = on_floor(&self.aim, walls);
                self.hands.block = Some(BlockDraft { from: before.map_or(to, |before| before.from), to });
            }
            (false, Some(draft)) => {
                let corners = draft.corners(self.block_height(report), walls, running.resolution.spacing);
                self.hands.block = None;
                self.hands.order(HandsOrder::Block(corners));
            }
            (false, None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{BlockDraft, on_floor};
    use crate::app::Aim;
    use crate::fluid::Scene;

    #[test]
    fn a_block_stands_on_the_floor_inside_the_box_and_is_never_too_thin() {
        let scene = Scene::load("dam_break").expect("it ships with the program");
        let spacing = 0.1;
        let walls = [scene.low, scene.high];
        for (from, to, height) in [
            (Vec3::new(0.2, 0.0, -0.4), Vec3::new(1.1, 0.0, 0.3), 0.7),
            (scene.low, scene.low, 0.5),
            (scene.high, scene.high, 100.0),
            (Vec3::ZERO, Vec3::ZERO, 0.0),
        ] {
            let [low, high] = BlockDraft { from, to }.corners(height, walls, spacing);
            assert!(low.cmpge(scene.low).all() && high.cmple(scene.high).all(), "{from} {to}: {low} {high}");
            assert!((low.y - scene.low.y).abs() < 1e-6, "it stands on the floor: {low}");
            assert!((high - low).min_element() > 3.9 * spacing, "{from} {to}: {low} {high}");
        }
        let draft = BlockDraft { from: Vec3::new(1.1, 0.0, -0.4), to: Vec3::new(0.2, 0.0, 0.3) };
        let [low, high] = draft.corners(0.7, walls, spacing);
        assert!(low.distance(Vec3::new(0.2, scene.low.y, -0.4)) < 1e-5, "{low}");
        assert!(high.distance(Vec3::new(1.1, scene.low.y + 0.7, 0.3)) < 1e-5, "{high}");
    }

    #[test]
    fn the_pointer_draws_on_the_floor() {
        let walls = [Vec3::new(-2.0, 0.0, -1.0), Vec3::new(2.0, 3.0, 1.0)];
        let aim =
            |direction: Vec3| Aim { origin: Vec3::new(0.0, 4.0, 4.0), direction, point: Vec3::new(1.0, 2.0, 0.5) };
        let down = on_floor(&aim(Vec3::new(0.0, -1.0, -1.0).normalize()), walls);
        assert!(down.distance(Vec3::ZERO) < 1e-5, "{down}");
        assert_eq!(on_floor(&aim(Vec3::Z), walls), Vec3::new(1.0, 0.0, 0.5), "a ray that never meets the floor");
        let beside = on_floor(&aim(Vec3::new(1.0, -0.2, 0.0).normalize()), walls);
        assert!(beside.cmple(walls[1]).all(), "{beside}");
    }
}
