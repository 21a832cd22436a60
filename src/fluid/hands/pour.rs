//! Water that is poured where the user points: an emitter that moves.
//!
//! Emitters send particles from the reservoir (`flow.rs`). A scene that has none gets one when water is first poured,
//! and a larger one whenever it is empty: the number of particles grows, all buffers are made anew (`recount.rs`), and
//! the water goes on. The next reset returns to the scene's own number.

use glam::Vec3;

use super::HandsError;
use super::recount::Recount;
use crate::fluid::emitter_layer::Layer;
use crate::fluid::flow::{Emitter, GpuEmitter, Parking, is_free};
use crate::fluid::{FluidError, Simulation};

/// Largest number of places of the disc that the user pours from.
pub(in crate::fluid) const MOST_PLACES: u32 = 16_384;
/// The reservoir grows by at least this fraction of the particles.
const GROWTH: u32 = 8;
/// It grows by at least this many layers of the disc.
const LAYERS: u32 = 24;
/// The number of particles grows to this many times that of the scene at most.
const MOST_GROWTH: u32 = 4;
/// Water may fill this fraction of the room in the box.
const FULLEST: f64 = 0.9;

/// A disc that water is poured from, at right angles to its velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spout {
    /// Center of the disc, m.
    pub center: Vec3,
    /// m.
    pub radius: f32,
    /// m/s; limited to the speed that the scene's fluid is expected to reach.
    pub velocity: Vec3,
}

/// Water that is poured.
#[derive(Default)]
pub(super) struct Pouring {
    /// Number of fluid particles that were added to those of the scene.
    pub(super) added: u32,
    /// Whether the flow has places for a spout.
    has_spout: bool,
    /// The running spout: its speed, m/s, and the number of its places.
    running: Option<(f32, u32)>,
    /// Distance that its last layer has moved, m.
    gone: f32,
    /// Number of particles that have left the reservoir since it was last counted.
    sent: u32,
    /// Number of parked particles when they were last counted; `None` before.
    counted: Option<u32>,
}

impl Simulation {
    /// Whether the flow has places for a spout.
    pub(super) fn has_spout(&self) -> bool {
        self.hands.pouring.has_spout
    }

    /// Approximate number of particles in the reservoir.
    pub(super) fn parked_count(&self) -> u32 {
        let pouring = &self.hands.pouring;
        // Emitters of the scene may have emptied it, which only a survey finds out.
        let is_known = self.step_count == 0 || self.scene.emitters.is_empty();
        let counted = pouring.counted.unwrap_or(if is_known { self.resolution.reservoir_count } else { 0 });
        counted.saturating_sub(pouring.sent)
    }

    /// Takes notice of the number of particles outside the reservoir, from a survey.
    pub(in crate::fluid) fn count_parked(&mut self, present: u32) {
        if self.flow.is_some() {
            let pouring = &mut self.hands.pouring;
            (pouring.counted, pouring.sent) = (Some(self.resolution.particle_count.saturating_sub(present)), 0);
        }
    }

    /// Pours water from a disc from the next step on; `None` ends it. Waits for the device and makes all buffers anew
    /// when the reservoir has to grow.
    ///
    /// # Errors
    /// When the disc has no place in the box or too many, the box is full, or the simulation has grown too much. The
    /// pouring has ended in that case.
    pub fn pour(&mut self, spout: Option<Spout>) -> Result<(), FluidError> {
        let Some(spout) = spout.filter(|spout| spout.velocity.length() > 0.0) else {
            self.stop_pouring();
            return Ok(());
        };
        let started = self.start_pouring(spout);
        if started.is_err() {
            self.stop_pouring();
        }
        started
    }

    fn stop_pouring(&mut self) {
        if self.hands.pouring.running.take().is_some()
            && let Some(flow) = &self.flow
        {
            flow.stop_spout(&self.gpu);
        }
    }

    fn start_pouring(&mut self, spout: Spout) -> Result<(), FluidError> {
        let resolution = &self.resolution;
        let fastest = resolution.sound_speed / self.scene.material.sound_speed_factor;
        let velocity = super::walls::in_space(&self.loaded, spout.velocity).clamp_length_max(fastest);
        let is_finite = spout.center.is_finite() && velocity.is_finite() && spout.radius.is_finite();
        velocity.try_normalize().filter(|_| is_finite).ok_or(HandsError::NoSpout)?;
        let emitter = Emitter { center: spout.center, radius: spout.radius.max(0.0), velocity };
        let across = f64::from(emitter.radius / resolution.spacing);
        if std::f64::consts::PI * across * across > f64::from(MOST_PLACES) {
            return Err(HandsError::WideSpout { count: (3.15 * across * across) as usize, limit: MOST_PLACES }.into());
        }
        let [low, high] = self.walls();
        let is_free = |place: Vec3| {
            super::walls::in_space(&self.loaded, place.clamp(low, high) - place) == Vec3::ZERO
                && is_free(&self.scene, &self.samples, place)
        };
        let layer = Layer::new(&self.scene, &emitter, resolution.spacing, &is_free);
        let count = layer.count();
        if count == 0 {
            return Err(HandsError::NoSpout.into());
        }
        if count > MOST_PLACES {
            return Err(HandsError::WideSpout { count: count as usize, limit: MOST_PLACES }.into());
        }
        if self.water_volume() > FULLEST * self.room().within([low, high]) {
            return Err(HandsError::Full.into());
        }
        if !self.has_spout() || self.parked_count() < 2 * count {
            self.grow_reservoir((LAYERS * count).max(self.resolution.particle_count / GROWTH))?;
        }
        let Some(flow) = &self.flow else { return Err(HandsError::NoSpout.into()) };
        flow.write_spout(&self.gpu, &emitter, &layer);
        self.hands.pouring.running = Some((velocity.length(), count));
        Ok(())
    }

    /// Adds particles to the reservoir, and places for a spout.
    pub(in crate::fluid) fn grow_reservoir(&mut self, count: u32) -> Result<(), FluidError> {
        let before = self.resolution.particle_count;
        let grown = before.saturating_add(count);
        if grown / MOST_GROWTH > before - self.hands.pouring.added {
            return Err(HandsError::Grown(before).into());
        }
        let mut resolution = self.resolution;
        resolution.particle_count = grown;
        resolution.reservoir_count += count;
        let Some(parking) = Parking::new(&self.loaded, &resolution) else { return Err(HandsError::NoSpout.into()) };
        let added = (before..grown).map(|original| (original, parking.place(original), Vec3::ZERO)).collect();
        let moved = |original: u32| Some(if original < before { original } else { original + count });
        self.recount(Recount { resolution, renumbered: &moved, added, has_spout: true })?;
        let pouring = &mut self.hands.pouring;
        pouring.has_spout = true;
        pouring.added += count;
        pouring.counted = pouring.counted.map(|counted| counted + count);
        Ok(())
    }

    /// Counts the particles that the spout sends in the step that has just been recorded.
    pub(super) fn count_poured(&mut self) {
        let pouring = &mut self.hands.pouring;
        let Some((speed, count)) = pouring.running else { return };
        let gone = pouring.gone + self.resolution.time_step * speed;
        let layers = (gone / self.resolution.spacing).floor();
        pouring.gone = gone - layers * self.resolution.spacing;
        pouring.sent += layers as u32 * count;
    }
}

/// An emitter that sends nothing, with room for the places of a spout.
pub(in crate::fluid) fn idle_spout(first_place: u32, spacing: f32) -> GpuEmitter {
    GpuEmitter { direction: Vec3::NEG_Y.to_array(), speed: 0.0, first_place, place_count: 1, gone: spacing, layers: 0 }
}
