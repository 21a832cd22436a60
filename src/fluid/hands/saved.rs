//! What was done to a simulation, in saved states.

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::Hands;
use super::sway::StartedSway;
use crate::fluid::solids::SavedArrays;
use crate::fluid::{FluidError, Simulation};

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
    /// When it cannot be read.
    pub(in crate::fluid) fn read(arrays: &SavedArrays) -> Result<Self, FluidError> {
        let Some(bytes) = arrays.get(HANDS) else { return Ok(Self::default()) };
        ron::de::from_bytes(bytes).map_err(|_| FluidError::IncompleteState(HANDS))
    }
}

impl Simulation {
    /// Restores gravity, walls and their motion from a state. The water that was poured is there already.
    pub(in crate::fluid) fn restore_hands(&mut self, saved: SavedHands) {
        let whole = [self.loaded.low, self.loaded.high];
        self.hands.gravity = saved.gravity;
        self.hands.walls.now = saved.now.unwrap_or(whole);
        self.hands.walls.wanted = saved.wanted;
        self.hands.walls.velocity = saved.velocity;
        self.hands.sway = saved.sway;
        // Nobody holds the spout that the state was saved with.
        if let Some(flow) = &self.flow {
            flow.write_spout(&self.gpu, &[], Vec3::NEG_Y, 0.0);
        }
        self.adopt_hands();
    }
}
