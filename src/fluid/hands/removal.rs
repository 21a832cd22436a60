//! Solids that are removed from a running simulation and put back.
//!
//! The particles of a removed solid are taken out of all buffers, which are made anew; its number stays reserved, so
//! that probes and other solids keep their numbers.

use super::HandsError;
use super::recount::Recount;
use crate::fluid::solids::SolidInfo;
use crate::fluid::{FluidError, Simulation};

impl Simulation {
    /// Removes a solid of a kind, or puts it back where it was. Waits for the device and makes all buffers anew.
    ///
    /// # Errors
    /// When there is no such solid, it is removed already or still there, or the device has no memory. The simulation
    /// is unchanged in that case.
    pub(in crate::fluid) fn set_solid_removed(
        &mut self,
        info: &'static SolidInfo,
        number: usize,
        removed: bool,
    ) -> Result<(), FluidError> {
        let refusal = || {
            FluidError::from(if removed { HandsError::NothingToRemove(number) } else { HandsError::NotRemoved(number) })
        };
        let place = self.place_of(info);
        if self.solids.get(place).is_none_or(|solid| solid.is_removable(number) != removed) {
            return Err(refusal());
        }
        let before: usize = self.samples.kinds()[..place].iter().map(|(_, sampled)| sampled.count()).sum();
        let change = |simulation: &mut Self, removed: bool| {
            let sampled = simulation.samples.kinds_mut()[place].1.as_mut();
            if removed { sampled.take_out(number) } else { sampled.put_back(number) }
        };
        let range = change(self, removed).ok_or_else(refusal)?;
        let first = self.resolution.particle_count + (before + range.start) as u32;
        let count = range.len() as u32;
        let mut resolution = self.resolution;
        resolution.boundary_count =
            if removed { resolution.boundary_count - count } else { resolution.boundary_count + count };
        let outcome = if removed {
            let kept = |original: u32| match original {
                original if original < first => Some(original),
                original if original < first + count => None,
                original => Some(original - count),
            };
            self.recount(Recount { resolution, renumbered: &kept, added: Vec::new(), has_spout: self.has_spout() })
        } else {
            let moved = |original: u32| Some(if original < first { original } else { original + count });
            let starts = self.samples.starts();
            let own = starts[before + range.start..before + range.end].iter();
            let added = (first..).zip(own).map(|(original, &(place, velocity))| (original, place, velocity)).collect();
            self.recount(Recount { resolution, renumbered: &moved, added, has_spout: self.has_spout() })
        };
        if outcome.is_err() {
            let _ = change(self, !removed);
            return outcome;
        }
        self.solids[place].set_removed(number, removed);
        self.place_solids();
        Ok(())
    }
}
