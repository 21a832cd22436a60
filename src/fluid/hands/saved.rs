//! What was done to a simulation, in saved states.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::Hands;
use super::sway::StartedSway;
use super::walls::Walls;
use crate::fluid::scene::limits::fault_of_velocity;
use crate::fluid::solids::SavedArrays;
use crate::fluid::{FluidError, Resolution, Scene, Simulation};

/// Name of the array in saved states.
const HANDS: &str = "hands";

/// What was done to a simulation, as saved in states.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::fluid) struct SavedHands {
    gravity: Option<Vec3>,
    now: Option<[Vec3; 2]>,
    #[serde(default)]
    wanted: [f32; 6],
    #[serde(default)]
    velocity: [Vec3; 2],
    sway: Option<StartedSway>,
    /// Number of fluid particles that were added to those of the scene.
    pub(in crate::fluid) poured: u32,
}

impl SavedHands {
    /// Adds it to the arrays of a state, if something was done.
    pub(in crate::fluid) fn save(hands: &Hands, arrays: &mut SavedArrays) {
        if !hands.is_active() && hands.pouring.added == 0 {
            return;
        }
        let saved = Self {
            gravity: hands.gravity,
            now: Some(hands.walls.now),
            wanted: hands.walls.wanted,
            velocity: hands.walls.velocity,
            sway: hands.sway.clone(),
            poured: hands.pouring.added,
        };
        // Numbers and options can always be written.
        arrays.add(HANDS, ron::to_string(&saved).unwrap_or_default().into_bytes());
    }

    /// Reads it from the arrays of a state; nothing was done where it is missing.
    ///
    /// # Errors
    /// When it cannot be read, or says what cannot be done to the scene at this resolution.
    pub(in crate::fluid) fn read(
        arrays: &SavedArrays,
        scene: &Scene,
        resolution: &Resolution,
    ) -> Result<Self, FluidError> {
        let Some(bytes) = arrays.get(HANDS) else { return Ok(Self::default()) };
        let saved: Self = ron::de::from_bytes(bytes).map_err(|_| FluidError::IncompleteState(HANDS))?;
        let wrong = |wanted| FluidError::StateContent { what: "gravity and the walls", wanted };
        let velocities = saved.velocity.iter().chain(&saved.gravity);
        if velocities.into_iter().any(|vector| !vector.is_finite() || fault_of_velocity(*vector).is_some()) {
            return Err(wrong("finite"));
        }
        let walls = saved.walls(scene);
        if !walls.are_possible(resolution.support_radius) {
            return Err(wrong("where walls can be"));
        }
        if let Some(started) = &saved.sway {
            started.check(scene, &walls, resolution.support_radius)?;
        }
        Ok(saved)
    }

    /// The walls of the box.
    fn walls(&self, scene: &Scene) -> Walls {
        let mut walls = Walls::of(scene);
        walls.now = self.now.unwrap_or(walls.now);
        walls.wanted = self.wanted;
        walls.velocity = self.velocity;
        walls
    }
}

impl Simulation {
    /// Restores gravity, walls and their motion from a state. The water that was poured is there already.
    pub(in crate::fluid) fn restore_hands(&mut self, saved: SavedHands) {
        self.hands.walls = saved.walls(&self.loaded);
        self.hands.gravity = saved.gravity;
        self.hands.sway = saved.sway;
        // Nobody holds the spout that the state was saved with.
        if let Some(flow) = &self.flow {
            flow.stop_spout(&self.gpu);
        }
        self.adopt_hands();
    }
}
