//! Probes: quantities that a scene lists, evaluated on the CPU from an observed frame of particles.
//!
//! A kind of probe is one file of this folder and its entry in [`PROBES`], from which scene files, the CSV columns of
//! `simulate --probes`, the plots, the command line's help and `docs/PROBES.md` are derived; `docs/ADDING_A_PROBE.md`
//! shows how to add one. A probe does not depend on a solver, a scene or a kind of solid: everything that it needs is
//! in its [`ProbeInput`].

mod argument;
mod body_force;
mod body_position;
mod body_rotation;
mod body_velocity;
mod check;
mod column;
mod density_error;
mod energy;
mod floor_force;
mod force;
mod front;
mod input;
mod kind;
mod kinetic_energy;
mod means;
mod measured_solid;
mod moment;
mod momentum;
mod page;
mod pressure;
mod pressure_fit;
mod probe;
mod surface;
mod syntax;
#[cfg(test)]
mod tests;
mod wall_force;
mod water_height;
mod wetted_length;

pub use argument::{ArgumentKind, BODY, MEAN_OVER, ON, ProbeArgument, X, Z};
pub(super) use check::first_fault;
pub use column::{ProbeColumn, ProbeUnit};
pub use input::{ProbeInput, ProbeScene, WallLoad};
pub use kind::{ProbeKind, ProbeName, ProbeReading};
pub use means::ProbeMeans;
pub use measured_solid::{MeasuredSolid, MeasuredSurface};
pub use page::{probe_list, probe_page};
pub use probe::Probe;
pub use surface::ProbeSurface;
pub use wetted_length::circle_in_box;

/// Every kind of probe, in the order in which they are listed.
pub static PROBES: &[&ProbeKind] = &[
    &water_height::KIND,
    &wetted_length::KIND,
    &pressure::KIND,
    &front::KIND,
    &floor_force::KIND,
    &wall_force::KIND,
    &force::KIND,
    &moment::KIND,
    &energy::KIND,
    &kinetic_energy::KIND,
    &momentum::KIND,
    &density_error::KIND,
    &body_position::KIND,
    &body_rotation::KIND,
    &body_velocity::KIND,
    &body_force::KIND,
];
