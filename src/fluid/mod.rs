//! Weakly compressible smoothed particle hydrodynamics in a box, on whichever neighbor search is chosen.
//!
//! One time step is
//! 1. *build* (the search): sorts the positions, so that neighbors lie close in memory;
//! 2. *reorder*: brings the velocities into that order;
//! 3. *density*: a pair kernel; sums up density, adds the walls' share, and stores pressure / density², so that the
//!    force on a pair is made of terms that are the same for both particles;
//! 4. *forces*: a pair kernel; pressure and viscosity, then walls, gravity and the pointer's push, and the step itself
//!    by symplectic Euler.
//!
//! After a step every buffer is in the order of that step's sort. Memory per particle: positions, velocities and
//! sorted velocities 16 bytes each, densities 8, counts of candidates and neighbors 4 each, besides what the search
//! takes.
//!
//! Bad at: pressure. The stiff equation of state allows about 1 % of compression and pays for it with small steps; a
//! solver that iterates (PBF, DFSPH) takes larger ones. Narrow tanks: behind a wall the fluid is thought to have the
//! particle's own pressure, so pressure rises too fast with depth along side walls, by a quarter in a column five
//! particles wide. Viscosities below 0.05: noise from impacts is then no longer damped, and walls give it energy.
//!
//! Sources: J. J. Monaghan, Smoothed particle hydrodynamics, Annual Review of Astronomy and Astrophysics 30 (1992);
//! J. J. Monaghan, Simulating free surface flows with SPH, Journal of Computational Physics 110 (1994); M. Becker and
//! M. Teschner, Weakly compressible SPH for free surface flows, SCA 2007. The walls are derived in `boundary.rs`.

mod boundary;
mod error;
mod lattice;
mod parameters;
mod resolution;
mod scene;
mod simulation;
mod smoothing_kernel;
mod sph;
mod survey;
#[cfg(test)]
mod tests;
mod time_step;

pub use boundary::{fraction_behind_wall, planar_integral};
pub use error::{FluidError, SceneError};
pub use parameters::Push;
pub use resolution::Resolution;
pub use scene::{Block, Material, Scene, SceneCamera};
pub use simulation::{ParticleBuffers, Settings, Simulation, Size};
pub use smoothing_kernel::{Dimensions, SmoothingKernel};
pub use survey::Survey;
