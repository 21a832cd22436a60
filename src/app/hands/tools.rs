//! The tools of the left mouse button, and the rest of what the user controls.

use std::collections::VecDeque;

use glam::Vec3;

use super::{BlockDraft, HandsOrder};
use crate::app::toss::expected_speed;
use crate::app::{Aim, Controls, Report};
use crate::fluid::{Dimensions, Push, Resolution, Scene, Spout};

/// Speed at which a pull draws water near, as a fraction of the expected speed of the scene's water.
const PULL: f32 = 0.8;
/// Speed of poured water as a fraction of the same speed.
const POUR: f32 = 0.25;
/// Distance of a spout from the wall above it, in spacings.
const BELOW_WALL: f32 = 1.5;
/// Radius of a spout as a fraction of the reach.
const SPOUT: f32 = 0.5;
/// Usual reach, as a fraction of the box's shortest edge.
const USUAL_REACH: f32 = 0.12;
/// Number of orders that are kept for the driver.
const KEPT_ORDERS: usize = 64;

/// What the left mouse button does to the water.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Drags the water along with the pointer.
    #[default]
    Push,
    /// Draws the water to the pointer, and along with it.
    Pull,
    /// Pours water above the pointer.
    Pour,
    /// Draws the base of a solid block on the floor.
    Block,
}

impl Tool {
    /// All tools.
    pub const ALL: [Self; 4] = [Self::Push, Self::Pull, Self::Pour, Self::Block];

    /// Name in scripts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Pull => "pull",
            Self::Pour => "pour",
            Self::Block => "block",
        }
    }

    /// Name on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Push => "Push",
            Self::Pull => "Pull",
            Self::Pour => "Pour",
            Self::Block => "Block",
        }
    }

    /// What it does, for the panel.
    pub fn hover(self) -> &'static str {
        match self {
            Self::Push => "the left button drags the water along with the pointer; with Shift it pulls",
            Self::Pull => "the left button draws the water to the pointer",
            Self::Pour => "the left button pours water from above the pointer; the number of particles grows as needed",
            Self::Block => {
                "the left button draws the base of a solid block on the floor, as high as the ring is wide; the block \
                 stays until it is undone, removed or the scene is reset"
            }
        }
    }
}

/// An order with its number, counted from 1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Numbered {
    pub(super) number: u32,
    pub(super) order: HandsOrder,
}

/// What the user controls of the box and the water, beside the push.
#[derive(Clone, Debug)]
pub struct HandsControls {
    /// What the left button does.
    pub tool: Tool,
    /// Radius of push, pull and ring as a fraction of the box's shortest edge.
    pub reach: f32,
    /// Factor on the strength of push and pull.
    pub strength: f32,
    /// Whether the pointer is over the water, where a ring shows the reach.
    pub is_over_water: bool,
    /// Whether the left button is pressed there.
    pub is_pressed: bool,
    /// Whether the button draws water near although the tool is the push, because Shift is held.
    pub is_reversed: bool,
    /// The camera's directions to the right, up and away from the user.
    pub camera: [Vec3; 3],
    /// Water that is being poured.
    pub spout: Option<Spout>,
    /// The block that is being drawn.
    pub block: Option<BlockDraft>,
    /// The latest orders.
    pub(super) orders: VecDeque<Numbered>,
    /// Number of the last order.
    pub(super) issued: u32,
    /// Number of the order that a script waits for.
    pub(super) awaited: Option<u32>,
}

impl Default for HandsControls {
    fn default() -> Self {
        Self {
            tool: Tool::default(),
            reach: USUAL_REACH,
            strength: 1.0,
            is_over_water: false,
            is_pressed: false,
            is_reversed: false,
            camera: [Vec3::X, Vec3::Y, Vec3::NEG_Z],
            spout: None,
            block: None,
            orders: VecDeque::new(),
            issued: 0,
            awaited: None,
        }
    }
}

impl HandsControls {
    /// Gives an order, and returns its number.
    pub fn order(&mut self, order: HandsOrder) -> u32 {
        self.issued += 1;
        self.orders.push_back(Numbered { number: self.issued, order });
        if self.orders.len() > KEPT_ORDERS {
            self.orders.pop_front();
        }
        self.issued
    }

    /// The latest orders, from the first one on.
    pub fn latest(&self) -> impl Iterator<Item = &HandsOrder> {
        self.orders.iter().map(|numbered| &numbered.order)
    }

    /// The tool that is in effect.
    pub fn used_tool(&self) -> Tool {
        if self.is_reversed && self.tool == Tool::Push { Tool::Pull } else { self.tool }
    }

    /// Whether the pointer is over the water, a button pressed there, and the push reversed.
    pub(in crate::app) fn shown(&self) -> [bool; 3] {
        [self.is_over_water, self.is_pressed, self.is_reversed]
    }

    /// Selects the next tool.
    pub(in crate::app) fn next_tool(&mut self) {
        let place = Tool::ALL.iter().position(|tool| *tool == self.tool).unwrap_or_default();
        self.tool = Tool::ALL[(place + 1) % Tool::ALL.len()];
    }
}

/// Radius of push, pull and ring, m, for a reach as a fraction of the box's shortest edge. At low resolution, where the
/// usual reach would be less than three support radii and contain too few particles, it is larger in proportion.
pub(super) fn reach_in(reach: f32, resolution: &Resolution, scene: &Scene) -> f32 {
    let edges = scene.high - scene.low;
    let edges = if scene.dimensions == Dimensions::Two { edges.with_z(edges.x) } else { edges };
    reach / USUAL_REACH * (edges.min_element() * USUAL_REACH).max(3.0 * resolution.support_radius)
}

impl Controls {
    /// Radius of push, pull and ring, m.
    pub(in crate::app) fn reach(&self, report: &Report) -> f32 {
        report.running.as_ref().map_or(0.0, |running| reach_in(self.hands.reach, &running.resolution, &running.scene))
    }

    /// The push of the tool in effect, for the pointer's ray and the velocity of the pointer in the scene, m/s.
    pub(in crate::app) fn push_of_tool(&self, aim: &Aim, velocity: Vec3, report: &Report) -> Push {
        let inward = if self.hands.used_tool() == Tool::Pull { PULL * expected_speed(report) } else { 0.0 };
        Push {
            origin: aim.origin,
            direction: aim.direction,
            velocity,
            radius: self.reach(report),
            inward,
            strength: self.hands.strength,
        }
    }

    /// The spout above the point that the pointer shows: below the wall that water falls from, or at the camera's side
    /// of the box where there is no gravity.
    pub fn spout_over(&self, aim: &Aim, report: &Report) -> Option<Spout> {
        let running = report.running.as_ref()?;
        let [low, high] = report.hands.walls;
        let down = report.hands.gravity.try_normalize().unwrap_or(aim.direction);
        let margin = BELOW_WALL * running.resolution.spacing;
        let point = aim.point.clamp(low, high);
        // Distances against `down` to the planes of the walls; the nearest one is hit first.
        let ends = Vec3::select(down.cmpgt(Vec3::ZERO), point - low, high - point);
        let is_along = down.abs().cmpgt(Vec3::splat(1e-3));
        let way = Vec3::select(is_along, ends / down.abs(), Vec3::INFINITY).min_element();
        let center = point - (way - margin).max(0.0) * down;
        let speed = POUR * expected_speed(report) * self.hands.strength.max(0.2);
        Some(Spout { center, radius: SPOUT * self.reach(report), velocity: speed * down })
    }
}

#[cfg(test)]
mod tests {
    use super::{HandsControls, KEPT_ORDERS, Tool};
    use crate::app::HandsOrder;

    #[test]
    fn orders_are_numbered_and_old_ones_are_forgotten() {
        let mut hands = HandsControls::default();
        for number in 1..=100 {
            assert_eq!(hands.order(HandsOrder::Undo), number);
        }
        assert_eq!(hands.orders.len(), KEPT_ORDERS);
        assert_eq!(hands.orders.back().map(|last| last.number), Some(100));
        for tool in [Tool::Pull, Tool::Pour, Tool::Block, Tool::Push] {
            hands.next_tool();
            assert_eq!(hands.tool, tool);
        }
        hands.is_reversed = true;
        assert_eq!(hands.used_tool(), Tool::Pull);
    }
}
