//! The times that the program brings along: of a graphics card, and of a software adapter.
//!
//! `nearwater pace --all --book FILE` measures them.

use std::sync::OnceLock;

use super::DeviceBook;
use crate::gpu::AdapterClass;

/// The times of the device from which the estimates for other devices of the class start.
pub fn reference_of(class: AdapterClass) -> &'static DeviceBook {
    static CARD: OnceLock<DeviceBook> = OnceLock::new();
    static SOFTWARE: OnceLock<DeviceBook> = OnceLock::new();
    let read = |text: &str| ron::from_str(text).unwrap_or_default();
    match class {
        AdapterClass::Discrete | AdapterClass::Integrated => {
            CARD.get_or_init(|| read(include_str!("../../assets/pace/card.ron")))
        }
        AdapterClass::Software => SOFTWARE.get_or_init(|| read(include_str!("../../assets/pace/software.ron"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fluid::SOLVERS;
    use crate::pace::Motion;
    use crate::render::DrawStyle;
    use crate::search::SEARCHES;

    #[test]
    fn both_references_have_times_of_every_fluid_solver_and_style() {
        for class in [AdapterClass::Discrete, AdapterClass::Software] {
            let book = reference_of(class);
            assert!(book.is_sound() && !book.device.is_empty(), "{class}");
            for solver in SOLVERS.iter().filter(|solver| solver.is_fluid) {
                for search in SEARCHES {
                    for motion in [Motion::Start, Motion::Moving] {
                        let times = book.steps_of(solver.name, search.name);
                        let count = times.iter().filter(|time| time.motion == motion).count();
                        // A software adapter is too slow for some pairs with more particles.
                        let is_slow = search.name == "brute_force" || class == AdapterClass::Software;
                        let wanted = if is_slow { 1 } else { 2 };
                        assert!(count >= wanted, "{class}: {} with {}, {motion:?}", solver.name, search.name);
                    }
                }
            }
            for style in DrawStyle::ALL {
                assert!(book.drawings.iter().filter(|time| time.style == style).count() >= 3, "{class}: {style:?}");
            }
        }
    }
}
