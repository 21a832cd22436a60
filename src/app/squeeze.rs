//! Tells the user when a change of the settings has left the water much denser than at rest, before its pressure throws
//! it apart. Another smoothing kernel does so: the particles stay where they are, and those that have gathered in
//! groups under a kernel whose slope vanishes at the center (Poly6) are far too dense for the others.

use crate::fluid::{Scene, Survey};

/// Density relative to that at rest from which on water is squeezed. An impact reaches 1.1. By Tait's equation this one
/// has the energy of c √(2/7 (r⁶/6 + 1/r − 7/6)), with r this ratio and the speed of sound c, which is 1.6 times the
/// fastest speed that the scene would have otherwise, where c is ten times that.
const SQUEEZED: f32 = 1.15;

/// Watches for the first survey after each change of the settings.
#[derive(Debug, Default)]
pub(super) struct SqueezeWatch {
    /// Whether the next survey is the first one of other settings.
    awaits: bool,
    /// Whether the water was as dense already before they were changed.
    was_squeezed: bool,
}

impl SqueezeWatch {
    /// The settings of running water were changed; `before` is the last survey with the old ones, if there was one.
    pub(super) fn settings_changed(&mut self, scene: &Scene, before: Option<&Survey>) {
        let ratio = before.and_then(|survey| squeeze(scene, survey));
        // Several changes may come before the first survey.
        self.was_squeezed = ratio.is_some() || (self.awaits && self.was_squeezed);
        self.awaits = true;
    }

    /// What to tell the user of this survey, if it is the first one after a change and finds squeezed water that was not
    /// squeezed before.
    pub(super) fn tell(&mut self, scene: &Scene, survey: &Survey) -> Option<String> {
        if !std::mem::take(&mut self.awaits) || self.was_squeezed {
            return None;
        }
        squeeze(scene, survey).map(|ratio| {
            format!(
                "With these settings the water is up to {ratio:.2} times as dense as at rest, and its pressure will throw \
                 it apart. Reset (R) begins with particles that are spaced for them."
            )
        })
    }
}

/// The highest density over that at rest, where it is so high that its pressure throws the water apart. Solvers without
/// a fluid have no densities.
fn squeeze(scene: &Scene, survey: &Survey) -> Option<f32> {
    let ratio = survey.highest_density / scene.material.rest_density;
    (scene.solver.is_fluid() && survey.present > 0 && ratio > SQUEEZED).then_some(ratio)
}
