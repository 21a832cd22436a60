//! The inputs of a race: the particles of the running simulation, or prepared inputs on which different searches are
//! fastest.

use glam::Vec3;

use super::LaboratoryError;
use crate::bench::{InputOrder, Scenario};
use crate::gpu::AdapterClass;
use crate::search::Domain;
use crate::search::random::uniform;

/// The input of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Water {
    /// The present particles of the running simulation.
    Running,
    /// A few particles in a box with an edge of one radius: nearly all pairs are neighbors.
    Dense,
    /// Many particles with few neighbors each, distributed over a large box.
    Sparse,
    /// A ball of particles in an otherwise empty box.
    Blob,
}

/// The particles of a prepared input.
#[derive(Clone, Debug)]
pub struct MadeWater {
    /// Positions, m.
    pub positions: Vec<Vec3>,
    /// The box and the support radius.
    pub domain: Domain,
}

impl Water {
    /// The prepared inputs.
    pub const MADE: [Self; 3] = [Self::Dense, Self::Sparse, Self::Blob];

    /// Name on screen.
    pub fn title(self) -> &'static str {
        match self {
            Self::Running => "This scene",
            Self::Dense => "Dense",
            Self::Sparse => "Sparse",
            Self::Blob => "One blob",
        }
    }

    /// Describes it in a sentence.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Running => "The present particles of your scene; the simulation is paused during the race.",
            Self::Dense => {
                "A few particles in a box as wide as the radius: nine of ten pairs are neighbors, and a grid saves no \
                 tests."
            }
            Self::Sparse => "Particles with about four neighbors each, evenly distributed over a large box.",
            Self::Blob => "A dense ball of particles in the corner of an otherwise empty box.",
        }
    }

    /// Generates the particles of a prepared input, in a number that suits an adapter of that class; `None` for the
    /// running simulation.
    ///
    /// # Errors
    /// Only if the constants of the input were invalid.
    pub fn make(self, class: AdapterClass) -> Result<Option<MadeWater>, LaboratoryError> {
        let (few, many) = match class {
            AdapterClass::Discrete => (4_096, 262_144),
            AdapterClass::Integrated => (2_048, 65_536),
            AdapterClass::Software => (256, 8_192),
        };
        let uniform_cube = |particle_count: u32, box_edge: f32, radius: f32| {
            let scenario = Scenario { particle_count, box_edge, radius };
            Ok(Some(MadeWater { positions: scenario.positions(InputOrder::Coherent), domain: scenario.domain()? }))
        };
        match self {
            Self::Running => Ok(None),
            Self::Dense => uniform_cube(few, 1.0, 1.0),
            // The mean number of neighbors is the number density times the volume of the support sphere.
            Self::Sparse => uniform_cube(many, (many as f32).cbrt(), 1.0),
            Self::Blob => Ok(Some(blob(many / 4)?)),
        }
    }
}

/// A ball with some two hundred neighbors per particle, in a box whose edge is at least forty radii.
fn blob(count: u32) -> Result<MadeWater, LaboratoryError> {
    /// Number of particles per unit cube.
    const DENSITY: f32 = 60.0;
    let ball = (count as f32 / DENSITY * 0.75 / std::f32::consts::PI).cbrt();
    let center = Vec3::splat(ball + 1.0);
    let place = |index: u32| {
        let number = |axis: u64| uniform(7, 3 * u64::from(index) + axis);
        let (height, turn) = (2.0 * number(0) - 1.0, std::f32::consts::TAU * number(1));
        let across = (1.0 - height * height).sqrt();
        let direction = Vec3::new(across * turn.cos(), across * turn.sin(), height);
        center + ball * number(2).cbrt() * direction
    };
    let edge = (2.0 * ball + 2.0).max(40.0);
    Ok(MadeWater {
        positions: (0..count).map(place).collect(),
        domain: Domain::new(Vec3::ZERO, Vec3::splat(edge), 1.0)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_particles_of_every_prepared_input_are_inside_its_box() {
        for class in [AdapterClass::Software, AdapterClass::Discrete] {
            for water in Water::MADE {
                let made = water.make(class).expect("valid constants").expect("a prepared input");
                let Domain { low, high, .. } = made.domain;
                assert!(made.positions.len() >= 256, "{water:?}");
                assert!(made.positions.iter().all(|p| p.cmpge(low).all() && p.cmple(high).all()), "{water:?}");
            }
        }
        assert!(Water::Running.make(AdapterClass::Software).expect("no input to generate").is_none());
    }
}
