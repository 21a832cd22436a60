//! The current state of a simulation's solids, for pictures and probes.

use std::any::Any;

use super::Simulation;
use super::solids::{BodyState, SheetView, Solid, SolidView, StepContext};

impl Simulation {
    /// The solids of one kind on the device; `None` where the scene has none.
    pub fn solid<T: Solid>(&self) -> Option<&T> {
        self.solids.iter().find_map(|solid| (solid.as_ref() as &dyn Any).downcast_ref())
    }

    /// As [`Simulation::solid`], for changes.
    pub fn solid_mut<T: Solid>(&mut self) -> Option<&mut T> {
        self.solids.iter_mut().find_map(|solid| (solid.as_mut() as &mut dyn Any).downcast_mut())
    }

    /// Scene, resolution and time of the next step.
    pub(in crate::fluid) fn step_context(&self) -> StepContext<'_> {
        StepContext { scene: &self.scene, resolution: &self.resolution, time: self.time, walls: self.hands.walls.now() }
    }

    /// The solids in their current state for drawing, in the order of their kinds and of the scene.
    /// [`Simulation::change`] may replace their buffers by others.
    pub fn solid_views(&self) -> impl Iterator<Item = SolidView<'_>> {
        self.solids.iter().flat_map(|solid| solid.views(self.step_context()))
    }

    /// The sheets among [`Simulation::solid_views`].
    pub fn sheets(&self) -> impl Iterator<Item = SheetView<'_>> {
        self.solid_views().filter_map(|view| match view {
            SolidView::Sheet(sheet) => Some(sheet),
            SolidView::Rigid(_) => None,
        })
    }

    /// The lightest solid that the fluid moves and that weighs less than one particle of it: its number and its mass,
    /// kg, in two dimensions kg/m. A single particle may throw such a solid about, and the solid other particles.
    pub fn solid_lighter_than_a_particle(&self) -> Option<(usize, f32)> {
        let masses = self.body_states().into_iter().map(|state| state.mass).enumerate();
        let light = masses.filter(|(_, mass)| *mass < self.resolution.particle_mass);
        light.min_by(|(_, a), (_, b)| a.total_cmp(b))
    }

    /// The states of the solids that probes read by their number.
    pub(in crate::fluid) fn body_states(&self) -> Vec<BodyState> {
        self.solids.iter().flat_map(|solid| solid.body_states(self.step_context())).collect()
    }
}
