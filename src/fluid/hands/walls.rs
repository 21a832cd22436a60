//! Walls of the box that move while the water runs.
//!
//! The walls are planes behind which the fluid continues as its own mirror image (`solids/walls.rs`). A plane that
//! moves brings the images nearer, and they have the velocity of the wall in addition to the mirrored one
//! (`image_velocity`), so that the pressure of the lowest layers rises, and this pressure moves the water: a wall never
//! carries particles along. For that the wall must be slow against sound and against the spacing of the particles, so
//! its speed is limited in both. Near its limit a wall moves as fast as a fifth of the speed that the scene's water is
//! expected to reach.
//!
//! Solids that a wall has passed keep their places and have no effect, which ends and begins gradually
//! (`reorder.wgsl`); bodies are pushed by rapier, and cloths are kept within the walls as the water is. A wall stops
//! before the box has less room than the water takes up (`room.rs`).

use std::fmt;

use glam::Vec3;

use super::HandsError;
use crate::fluid::{Dimensions, FluidError, Scene, Simulation};

/// Largest speed of a wall as a fraction of the speed that the fluid is expected to reach.
const SPEED: f32 = 0.2;
/// Largest motion of a wall in a step, in spacings.
const PER_STEP: f32 = 0.05;
/// Smallest distance between opposite walls, in support radii. A particle has an image behind one of them at most.
const THINNEST: f32 = 3.0;
/// Room for water that the walls must leave, relative to its volume at rest.
const LEAST_ROOM: f64 = 1.04;

/// A face of the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "WrittenFace")]
pub struct Face {
    /// The axis that it is perpendicular to: 0 for x, 1 for y, 2 for z.
    pub axis: usize,
    /// Whether it is the one at the higher end.
    pub is_high: bool,
}

/// A face as it is written, whose axis may be any number.
#[derive(serde::Deserialize)]
#[serde(rename = "Face")]
struct WrittenFace {
    axis: usize,
    is_high: bool,
}

impl TryFrom<WrittenFace> for Face {
    type Error = String;

    fn try_from(WrittenFace { axis, is_high }: WrittenFace) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|face| face.axis == axis && face.is_high == is_high);
        found.ok_or_else(|| format!("the axis of a face is {axis}, and must be 0, 1 or 2"))
    }
}

impl Face {
    /// All faces: left, right, bottom, top, back and front.
    pub const ALL: [Self; 6] = [
        Self::at(0, false),
        Self::at(0, true),
        Self::at(1, false),
        Self::at(1, true),
        Self::at(2, false),
        Self::at(2, true),
    ];

    /// The floor.
    pub const FLOOR: Self = Self::at(1, false);

    const fn at(axis: usize, is_high: bool) -> Self {
        Self { axis, is_high }
    }

    /// The faces of a scene: those along z are missing in two dimensions.
    pub fn of(dimensions: Dimensions) -> impl Iterator<Item = Self> {
        let axes = if dimensions == Dimensions::Two { 2 } else { 3 };
        Self::ALL.into_iter().filter(move |face| face.axis < axes)
    }

    /// Name on screen and in scripts.
    pub fn name(self) -> &'static str {
        ["left", "right", "bottom", "top", "back", "front"][self.index()]
    }

    /// Place in [`Face::ALL`].
    pub fn index(self) -> usize {
        2 * self.axis + usize::from(self.is_high)
    }

    /// The face with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|face| face.name() == name)
    }
}

impl fmt::Display for Face {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Number of axes along which a scene extends.
pub(super) fn axes_of(scene: &Scene) -> usize {
    if scene.dimensions == Dimensions::Two { 2 } else { 3 }
}

/// A vector without the component that a scene of two dimensions does not have.
pub(super) fn in_space(scene: &Scene, vector: Vec3) -> Vec3 {
    if scene.dimensions == Dimensions::Two { vector.with_z(0.0) } else { vector }
}

/// The walls of the box.
#[derive(Clone, Debug)]
pub(in crate::fluid) struct Walls {
    /// Corners of the scene's box, m.
    whole: [Vec3; 2],
    /// Corners of the box now, m.
    pub(super) now: [Vec3; 2],
    /// How far inward the user wants each wall, m, in the order of [`Face::ALL`].
    pub(super) wanted: [f32; 6],
    /// Velocity of the low and the high face of each axis in the last step, m/s, which the images behind them have too.
    pub(super) velocity: [Vec3; 2],
    /// Why a wall does not move on.
    stop: Option<HandsError>,
}

impl Walls {
    pub(super) fn of(scene: &Scene) -> Self {
        let whole = [scene.low, scene.high];
        Self { whole, now: whole, wanted: [0.0; 6], velocity: [Vec3::ZERO; 2], stop: None }
    }

    /// Lowest and highest corner of the box, m.
    pub(in crate::fluid) fn now(&self) -> [Vec3; 2] {
        self.now
    }

    /// Whether they are not all at their places in the scene.
    pub(super) fn differ(&self) -> bool {
        self.now != self.whole || self.velocity != [Vec3::ZERO; 2] || self.wanted.iter().any(|inset| *inset > 0.0)
    }

    /// Whether walls of a state are finite, in the scene's box, and as far apart as walls can come.
    pub(super) fn are_possible(&self, support_radius: f32) -> bool {
        let ([low, high], [now_low, now_high]) = (self.whole, self.now);
        let is_inside = now_low.is_finite() && now_low.cmpge(low).all() && now_high.cmple(high).all();
        // The margin is for rounding.
        let least = (high - low).min(Vec3::splat(THINNEST * support_radius)) * 0.999;
        let most = (high - low).max_element();
        is_inside
            && (now_high - now_low).cmpge(least).all()
            && self.wanted.iter().all(|inset| (0.0..=most).contains(inset))
    }

    /// How far inward a wall is wanted, m.
    pub(super) fn inset(&self, face: Face) -> f32 {
        self.wanted[face.index()]
    }

    /// The farthest that a wall can be wanted inward while the others are where they are wanted, m.
    pub(super) fn most(&self, face: Face, support_radius: f32) -> f32 {
        let across = self.whole[1][face.axis] - self.whole[0][face.axis];
        let other = self.inset(Face { is_high: !face.is_high, ..face });
        (across - other - THINNEST * support_radius).max(0.0)
    }

    /// Place along its axis of a wall that is moved inward by that much, m.
    pub(super) fn place(&self, face: Face, inset: f32) -> f32 {
        if face.is_high { self.whole[1][face.axis] - inset } else { self.whole[0][face.axis] + inset }
    }
}

impl Simulation {
    /// Lowest and highest corner of the box now, m. Walls that were moved inward are within those of the scene.
    pub fn walls(&self) -> [Vec3; 2] {
        self.hands.walls.now
    }

    /// How far inward from its place in the scene a wall is wanted, m.
    pub fn wall_inset(&self, face: Face) -> f32 {
        self.hands.walls.inset(face)
    }

    /// The farthest that a wall can be wanted inward, m, which depends on the opposite wall.
    pub fn most_wall_inset(&self, face: Face) -> f32 {
        self.hands.walls.most(face, self.resolution.support_radius)
    }

    /// Why a wall stands still that should move, in a sentence; `None` if all are free.
    pub fn wall_stop(&self) -> Option<String> {
        self.hands.walls.stop.as_ref().map(ToString::to_string)
    }

    /// Largest speed of a wall, m/s.
    pub fn fastest_wall(&self) -> f32 {
        let Self { resolution, scene, .. } = self;
        let fastest = resolution.sound_speed / scene.material.sound_speed_factor;
        (SPEED * fastest).min(PER_STEP * resolution.spacing / resolution.time_step)
    }

    /// Moves a wall so far inward from its place in the scene, m, over the next steps; 0 returns it. It moves no faster
    /// than [`Simulation::fastest_wall`], and stops where the water has no more room ([`Simulation::wall_stop`]).
    ///
    /// # Errors
    /// When the place is outside the scene's box, too near to the opposite wall or not finite, or the scene does not
    /// extend along the axis.
    pub fn move_wall(&mut self, face: Face, inset: f32) -> Result<(), FluidError> {
        let has_axis = face.axis < axes_of(&self.loaded);
        let most = if has_axis { self.most_wall_inset(face) } else { 0.0 };
        if !(0.0..=most).contains(&inset) {
            return Err(HandsError::WallOutside { face, inset, most }.into());
        }
        let walls = &mut self.hands.walls;
        walls.wanted[face.index()] = inset;
        walls.stop = None;
        Ok(())
    }

    /// Moves the walls by one step, and returns whether one has moved or come to rest.
    pub(super) fn advance_walls(&mut self) -> bool {
        let before = self.hands.walls.now;
        let step = self.fastest_wall() * self.resolution.time_step;
        let mut has_moved = false;
        for face in Face::of(self.loaded.dimensions) {
            let end = usize::from(face.is_high);
            let walls = &self.hands.walls;
            let swaying = self.hands.sway.as_ref().map_or(0.0, |started| started.inset(face, self.time));
            let wanted = walls.place(face, walls.inset(face) + swaying);
            let now = walls.now[end][face.axis];
            if wanted.to_bits() == now.to_bits() {
                continue;
            }
            // Without the test, rounding could leave a wall beside its place for good.
            let next = if (wanted - now).abs() <= step { wanted } else { now + step.copysign(wanted - now) };
            let mut corners = walls.now;
            corners[end][face.axis] = next;
            let is_inward = (next > now) != face.is_high;
            // Both walls of an axis may sway or be wanted inward at once.
            let across = corners[1][face.axis] - corners[0][face.axis];
            if is_inward && across < 0.8 * THINNEST * self.resolution.support_radius {
                continue;
            }
            if let Some(stop) = is_inward.then(|| self.too_little_room(face, corners)).flatten() {
                self.hands.walls.stop = Some(stop);
                continue;
            }
            if !is_inward {
                self.hands.walls.stop = None;
            }
            self.hands.walls.now = corners;
            has_moved = true;
        }
        let walls = &mut self.hands.walls;
        let velocity = [0, 1].map(|end| (walls.now[end] - before[end]) / self.resolution.time_step);
        let was = std::mem::replace(&mut walls.velocity, velocity);
        has_moved || was != velocity
    }

    /// Why a face cannot be where it is in a box with these corners: the water would have too little room.
    fn too_little_room(&self, face: Face, corners: [Vec3; 2]) -> Option<HandsError> {
        let room = self.room().within(corners);
        let water = self.water_volume();
        (room < LEAST_ROOM * water).then(|| HandsError::NoRoom {
            face,
            water,
            room,
            unit: if self.loaded.dimensions == Dimensions::Two { "m²" } else { "m³" },
        })
    }

    /// Volume of the water that is not in the reservoir, at rest, m³ or m².
    pub(super) fn water_volume(&self) -> f64 {
        let each = f64::from(self.resolution.spacing).powf(self.loaded.dimensions.count());
        f64::from(self.resolution.particle_count - self.parked_count()) * each
    }
}
