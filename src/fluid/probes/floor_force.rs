//! Force of the fluid on the box's floor.

use super::check::always_valid;
use super::{ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeUnit};
use crate::fluid::solids::walls::Wall;

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "FloorForce",
    measures: "force of the water on the box's floor",
    definition: "Downward force of the water on the box's floor: the pressure force between the floor and each \
                 particle, as in the solver's model of walls, summed over all particles.",
    column: ProbeName::Fixed("floor_force"),
    unit: ProbeUnit { in_space: "N", in_plane: "N/m" },
    arguments: &[],
    check: always_valid,
    reading: ProbeReading::Scalar(|_, input| Some(force(input))),
};

/// The force of the floor on a particle, per mass, is (p / ρ) times the slope of the floor's ψ; `Wall` describes ψ.
fn force(input: &ProbeInput<'_>) -> f64 {
    let spacing = f64::from(input.spacing);
    let wall = Wall::new(input.kernel, input.scene.dimensions, f64::from(input.support_radius) / spacing);
    let frame = input.frame;
    let pressed = input.positions().zip(frame.pressures.iter().zip(&frame.densities));
    let push = |(position, (&pressure, &density)): (glam::DVec3, (&f32, &f32))| {
        let (_, slope) = wall.at((position.y - input.floor()).max(0.0) / spacing);
        -f64::from(pressure) / f64::from(density) * slope / spacing
    };
    f64::from(input.particle_mass) * pressed.map(push).sum::<f64>()
}
