//! What a user does to the box and the water of a running simulation: other gravity, walls that move, water that is
//! poured, solids that are removed. The push of the pointer is in `push.rs`, and what is done to bodies in their own
//! folder.
//!
//! Gravity and walls are fields of the parameters that every pass reads. While they change, a copy of the parameters is
//! recorded after each step, so that a wall moves a little in every step and not by a large jump in every frame; the
//! motion therefore depends on the simulated time only, and not on the frame rate. The scene's own box remains the box
//! of the search, of the reservoir and of scene checks: walls only move within it.
//!
//! All of this is undone by a reset. A saved state contains it ([`SavedHands`]), under one name among the arrays, and
//! only if something differs from the scene.

mod error;
mod pour;
mod recount;
mod removal;
mod room;
mod saved;
mod sway;
mod walls;

use std::cell::OnceCell;

use glam::Vec3;

pub use error::HandsError;
pub use pour::Spout;
pub use sway::{Sway, TiltSway, WallSway};
pub use walls::Face;

use pour::MOST_PLACES;
use pour::Pouring;
pub(super) use pour::idle_spout;
use room::Room;
pub(super) use saved::SavedHands;
use sway::StartedSway;
use walls::Walls;

use super::expected_motion::largest_push;
use super::model::fluid_parameters;
use super::{FluidError, Scene, Simulation};

/// What was done to a simulation's box and water.
pub(super) struct Hands {
    /// Gravity in place of the scene's, m/s², before it sways; `None` uses the scene's.
    gravity: Option<Vec3>,
    /// The walls of the box.
    pub(super) walls: Walls,
    /// A periodic motion of gravity and of a wall.
    sway: Option<StartedSway>,
    /// Room for water in the scene's box; computed when a wall first moves.
    room: OnceCell<Room>,
    /// Water that is poured.
    pouring: Pouring,
}

impl Hands {
    /// Nothing was done to a scene.
    pub(super) fn none(scene: &Scene) -> Self {
        Self { gravity: None, walls: Walls::of(scene), sway: None, room: OnceCell::new(), pouring: Pouring::default() }
    }

    /// Whether gravity or walls differ from those of the scene, or may.
    fn is_active(&self) -> bool {
        self.gravity.is_some() || self.sway.is_some() || self.walls.differ()
    }

    /// Number of fluid particles that were added to those of the scene.
    pub(super) fn poured_count(&self) -> u32 {
        self.pouring.added
    }
}

impl Simulation {
    /// The gravity of the next step, m/s².
    pub fn gravity(&self) -> Vec3 {
        self.scene.gravity
    }

    /// The gravity that was set in place of the scene's, m/s², before it sways; `None` where the scene's is in force.
    pub fn chosen_gravity(&self) -> Option<Vec3> {
        self.hands.gravity
    }

    /// The gravity of the scene, m/s².
    pub fn gravity_of_scene(&self) -> Vec3 {
        self.loaded.gravity
    }

    /// The strongest gravity that the time step allows, m/s²: at least that of the scene.
    pub fn strongest_gravity(&self) -> f32 {
        let allowed = largest_push(f64::from(self.resolution.time_step), f64::from(self.resolution.support_radius));
        (allowed as f32).max(self.loaded.gravity.length())
    }

    /// Replaces the scene's uniform gravity, m/s², from the next step on; `None` returns to that of the scene. In two
    /// dimensions its component along z is ignored.
    ///
    /// # Errors
    /// When it is not finite, or stronger than [`Simulation::strongest_gravity`].
    pub fn set_gravity(&mut self, gravity: Option<Vec3>) -> Result<(), FluidError> {
        if let Some(wanted) = gravity {
            let (strength, limit) = (wanted.length(), self.strongest_gravity());
            // The margin is for rounding, where the scene's own gravity was only turned.
            if !wanted.is_finite() || strength > 1.001 * limit {
                return Err(HandsError::StrongGravity { strength, limit }.into());
            }
        }
        self.hands.gravity = gravity.map(|wanted| walls::in_space(&self.loaded, wanted));
        self.adopt_hands();
        Ok(())
    }

    /// Moves gravity and a wall periodically, beginning now; `None` ends it, after which the wall returns to its place.
    ///
    /// # Errors
    /// When a number is not finite, a period is not positive, or the wall would leave too thin a box.
    pub fn set_sway(&mut self, sway: Option<Sway>) -> Result<(), FluidError> {
        if let Some(sway) = &sway {
            sway.check(&self.loaded, &self.hands.walls, self.resolution.support_radius)?;
        }
        self.hands.sway = sway.map(|sway| StartedSway { sway, since: self.time });
        self.adopt_hands();
        Ok(())
    }

    /// Whether something moves gravity or a wall periodically.
    pub fn sways(&self) -> bool {
        self.hands.sway.is_some()
    }

    /// The gravity at the current time, m/s².
    fn gravity_now(&self) -> Vec3 {
        let base = self.hands.gravity.unwrap_or(self.loaded.gravity);
        let tilted = self.hands.sway.as_ref().map_or(base, |started| started.tilted(base, self.time));
        if tilted == base { base } else { walls::in_space(&self.loaded, tilted) }
    }

    /// Brings gravity and walls into the scene and the parameters of the next submission.
    pub(super) fn adopt_hands(&mut self) {
        self.scene.gravity = self.gravity_now();
        self.gpu.write_uniform(&self.model.context.parameters, &self.current_parameters());
    }

    /// Moves walls and gravity by one step, after the time was advanced, and records the parameters of the next step.
    pub(super) fn advance_hands(&mut self, encoder: &mut wgpu::CommandEncoder) {
        self.count_poured();
        if !self.hands.is_active() {
            return;
        }
        let gravity = self.gravity_now();
        let has_moved = self.advance_walls();
        if !has_moved && gravity == self.scene.gravity {
            return;
        }
        self.scene.gravity = gravity;
        let parameters = self.current_parameters();
        let staged = self.gpu.staged_uniform("hands", &parameters);
        encoder.copy_buffer_to_buffer(&staged, 0, &self.model.context.parameters, 0, staged.size());
    }

    /// The parameters of the next step.
    pub(super) fn current_parameters(&self) -> super::parameters::FluidParameters {
        let mut parameters = fluid_parameters(&self.scene, self.settings.kernel, &self.resolution);
        let ([low, high], axes) = (self.hands.walls.now(), walls::axes_of(&self.loaded));
        for axis in 0..axes {
            (parameters.box_low[axis], parameters.box_high[axis]) = (low[axis], high[axis]);
        }
        let [low, high] = self.hands.walls.velocity;
        (parameters.velocity_low, parameters.velocity_high) = (low.to_array(), high.to_array());
        parameters
    }
}
