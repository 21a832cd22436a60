//! Solids in the fluid, and the registry of their kinds: a kind is a folder, a [`SolidInfo`], the type that scenes
//! list, and one line in [`SOLIDS`]; `docs/ADDING_A_SOLID.md` shows an example. The flat walls of the box act without
//! particles (`walls.rs`).

#[cfg(feature = "bodies")]
pub(super) mod bodies;
pub(super) mod cloths;
mod contract;
mod core;
pub(super) mod fixed;
mod friction;
mod obstacle;
mod sampled;
pub(super) mod sampling;
mod saved_arrays;
mod scene_solids;
mod views;
pub(super) mod walls;

use serde::de::MapAccess;

pub use super::step_part::{Shown, StageOfViscosity, StepPart};
pub use contract::{
    Addition, CreateSolids, ReadState, SampleInput, SampleSolids, Sampled, SampledKind, SavedInput, SavedSolids, Solid,
    SolidInfo, SolidInput, Start, StepContext,
};
pub(crate) use core::core_reach;
pub(super) use friction::{Held, held_by_solids};
pub use obstacle::Obstacle;
#[cfg(test)]
pub(super) use sampled::SAMPLINGS;
pub(super) use sampled::SampledSolids;
pub use sampling::{SurfaceSamples, boundary_weights};
pub use saved_arrays::SavedArrays;
pub use scene_solids::{SceneSolid, SceneSolids};
pub use views::{BodyState, Mover, RigidView, SheetView, SolidView};

/// Makes the registry from the types of the scene's solids: the list of kinds, and the function that reads their fields
/// in scene files.
macro_rules! registry {
    ($($(#[$condition:meta])* $solid:ty),+ $(,)?) => {
        /// Every kind of the program, in the order of the particles' original indices and of the passes before the
        /// build; single layers come last in both, regardless of their place here. A new kind must be added at the end,
        /// because saved states depend on the order.
        pub static SOLIDS: &[&SolidInfo] = &[$($(#[$condition])* <$solid as SceneSolid>::KIND),+];

        /// Reads the value of a scene file's field, if it is that of a kind of the registry; returns whether it is.
        pub(super) fn read_field<'de, A: MapAccess<'de>>(
            solids: &mut SceneSolids,
            field: &str,
            fields: &mut A,
        ) -> Result<bool, A::Error> {
            $($(#[$condition])*
            if field == <$solid as SceneSolid>::KIND.field {
                solids.set(fields.next_value::<Vec<$solid>>()?);
                return Ok(true);
            })+
            Ok(false)
        }
    };
}

registry! {
    fixed::Boundary,
    #[cfg(feature = "bodies")]
    bodies::Body,
    cloths::Cloth,
}

/// The fields of scene files that only builds with another cargo feature read, and these features.
pub(super) const LEFT_OUT: &[(&str, &str)] = if cfg!(feature = "bodies") { &[] } else { &[("bodies", "bodies")] };
