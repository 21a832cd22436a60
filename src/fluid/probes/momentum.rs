//! Momentum of the fluid and of free bodies.

use glam::DVec3;

use super::check::always_valid;
use super::{ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeUnit};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "Momentum",
    measures: "momentum",
    definition: "Momentum of all particles and free bodies, along x, y and z. Bodies with a prescribed motion are not \
                 included.",
    column: ProbeName::Fixed("momentum"),
    unit: ProbeUnit { in_space: "kg m/s", in_plane: "kg/s" },
    reads_solids: false,
    reads_walls: false,
    arguments: &[],
    check: always_valid,
    reading: ProbeReading::Vector(|_, input| Some(momentum(input))),
};

fn momentum(input: &ProbeInput<'_>) -> DVec3 {
    // The mass of a body with a prescribed motion is infinite.
    let free = input.bodies.iter().filter(|state| state.mass.is_finite());
    let of_bodies: DVec3 = free.map(|state| f64::from(state.mass) * state.velocity.as_dvec3()).sum();
    f64::from(input.particle_mass) * input.velocities().sum::<DVec3>() + of_bodies
}
