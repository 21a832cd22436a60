//! The scenes of cases that are not among the program's own scenes.

use super::ValidationError;
use crate::fluid::Scene;

macro_rules! scene {
    ($name:ident) => {
        pub(super) fn $name() -> Result<Scene, ValidationError> {
            let text = include_str!(concat!("../../assets/validation/scenes/", stringify!($name), ".ron"));
            Ok(Scene::parse(concat!(stringify!($name), ".ron"), text)?)
        }
    };
}

scene!(corners);
scene!(sloshing);
scene!(lobovsky);
scene!(rotating_square);
scene!(drop);
