//! Foam in saved states: the diffuse particles that there are, with their places in the arrays, so that a run that
//! resumes from a saved state equals an uninterrupted one.

use super::{CONTROL_WORDS, Foam};
use crate::fluid::FluidError;
use crate::fluid::solids::SavedArrays;
use crate::gpu::{Gpu, read_buffer, record};

const SLOTS: &str = "foam slots";
const POSITIONS: &str = "foam positions";
const VELOCITIES: &str = "foam velocities";
const CONTROL: &str = "foam control";

/// The diffuse particles of a saved state.
pub(in crate::fluid) struct SavedFoam {
    slots: Vec<u32>,
    /// xyz in m, and the remaining life in s.
    positions: Vec<[f32; 4]>,
    /// xyz in m/s, and the class.
    velocities: Vec<[f32; 4]>,
    control: Vec<u32>,
}

impl SavedFoam {
    /// Reads the foam of a saved state that is to be loaded where `capacity` particles fit; `None` where it has none.
    ///
    /// # Errors
    /// When the arrays do not belong together, or more particles were saved than fit.
    pub(in crate::fluid) fn read(arrays: &SavedArrays, capacity: u32) -> Result<Option<Self>, FluidError> {
        let Some(bytes) = arrays.get(SLOTS) else { return Ok(None) };
        let mut slots: Vec<u32> = bytemuck::pod_collect_to_vec(bytes);
        let vectors = |name| {
            let found: Vec<[f32; 4]> = bytemuck::pod_collect_to_vec(arrays.get(name).unwrap_or_default());
            if found.len() == slots.len() { Ok(found) } else { Err(FluidError::IncompleteState(name)) }
        };
        let (positions, velocities) = (vectors(POSITIONS)?, vectors(VELOCITIES)?);
        let control: Vec<u32> = bytemuck::pod_collect_to_vec(arrays.get(CONTROL).unwrap_or_default());
        if control.len() != CONTROL_WORDS {
            return Err(FluidError::IncompleteState(CONTROL));
        }
        if slots.len() > capacity as usize {
            return Err(FluidError::SavedFoam { saved: slots.len(), capacity });
        }
        // With a smaller capacity than before, the particles take the first places.
        if slots.iter().any(|slot| *slot >= capacity) {
            slots = (0..slots.len() as u32).collect();
        }
        Ok(Some(Self { slots, positions, velocities, control }))
    }
}

impl Foam {
    /// Adds the diffuse particles to a saved state. Waits for the device.
    ///
    /// # Errors
    /// When the device is lost.
    pub(in crate::fluid) fn save(&self, gpu: &Gpu, into: &mut SavedArrays) -> Result<(), FluidError> {
        let (first, count) = (self.first() as usize, (self.first() + self.capacity()) as usize);
        let positions: Vec<[f32; 4]> = read_buffer(gpu, &self.buffers.positions, count)?;
        let velocities: Vec<[f32; 4]> = read_buffer(gpu, &self.buffers.velocities, count)?;
        let slots: Vec<u32> = (0..self.capacity()).filter(|&slot| velocities[first + slot as usize][3] > 0.0).collect();
        let chosen = |values: &[[f32; 4]]| -> Vec<[f32; 4]> {
            slots.iter().map(|&slot| values[first + slot as usize]).collect()
        };
        if slots.is_empty() {
            return Ok(());
        }
        let control: Vec<u32> = read_buffer(gpu, &self.buffers.control, CONTROL_WORDS)?;
        into.add(POSITIONS, bytemuck::cast_slice(&chosen(&positions)).to_vec());
        into.add(VELOCITIES, bytemuck::cast_slice(&chosen(&velocities)).to_vec());
        into.add(SLOTS, bytemuck::cast_slice(&slots).to_vec());
        into.add(CONTROL, bytemuck::cast_slice(&control).to_vec());
        Ok(())
    }

    /// Replaces the diffuse particles by those of a saved state; by none where it has none.
    pub(in crate::fluid) fn restore(&self, gpu: &Gpu, saved: Option<&SavedFoam>) {
        self.reset(gpu);
        let Some(saved) = saved else { return };
        let bytes = size_of::<[f32; 4]>() as u64;
        // Neighboring places are written together.
        let mut start = 0;
        while start < saved.slots.len() {
            let follows =
                |number: &usize| saved.slots[*number] as usize == saved.slots[start] as usize + number - start;
            let end = (start..saved.slots.len()).take_while(follows).last().unwrap_or(start) + 1;
            let offset = bytes * u64::from(self.first() + saved.slots[start]);
            for (buffer, values) in
                [(&self.buffers.positions, &saved.positions), (&self.buffers.velocities, &saved.velocities)]
            {
                gpu.queue.write_buffer(buffer, offset, bytemuck::cast_slice(&values[start..end]));
            }
            start = end;
        }
        gpu.queue.write_buffer(&self.buffers.control, 0, bytemuck::cast_slice(&saved.control));
        gpu.submit(|encoder| record(&self.passes.list, encoder, None));
    }
}
