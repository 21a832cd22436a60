//! Mechanical energy of the fluid.

use glam::DVec3;

use super::check::always_valid;
use super::{ProbeInput, ProbeKind, ProbeName, ProbeReading, ProbeUnit};

pub(super) static KIND: ProbeKind = ProbeKind {
    name: "Energy",
    measures: "kinetic and potential energy",
    definition: "Kinetic and potential energy of all particles. The potential energy is zero at the box's lowest \
                 corner and at the center of a central gravity. The energy stored by compression is not included.",
    column: ProbeName::Fixed("energy"),
    unit: ProbeUnit { in_space: "J", in_plane: "J/m" },
    reads_solids: false,
    reads_walls: false,
    arguments: &[],
    check: always_valid,
    reading: ProbeReading::Scalar(|_, input| Some(input.kinetic_energy() + potential_energy(input))),
};

fn potential_energy(input: &ProbeInput<'_>) -> f64 {
    let scene = &input.scene;
    let (gravity, low) = (scene.gravity.as_dvec3(), scene.low.as_dvec3());
    let center = scene.projected(scene.center).as_dvec3();
    let strength = f64::from(scene.central_strength);
    let of = |position: DVec3| 0.5 * strength * position.distance_squared(center) - gravity.dot(position - low);
    f64::from(input.particle_mass) * input.positions().map(of).sum::<f64>()
}
