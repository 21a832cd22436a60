//! Smoothed particle hydrodynamics in a box, on whichever neighbor search is chosen, by one of two solvers: weakly
//! compressible SPH, described here, or Position Based Fluids, described in `pbf.rs`. In space, or in a plane: a scene
//! of two dimensions is one layer of particles, with kernels, masses and walls normalised for it and the same passes.
//!
//! One time step of WCSPH is
//! 1. *build* (the search): sorts the positions, so that neighbors lie close in memory;
//! 2. *reorder*: brings the velocities into that order;
//! 3. *density*: a pair kernel; sums up density, takes the walls into account, and stores pressure / density², so that
//!    the force on a pair is made of terms that are the same for both particles;
//! 4. *forces*: a pair kernel; pressure, viscosity and what the material has of surface tension and XSPH, then walls,
//!    gravity and the pointer's push, and the step itself by symplectic Euler.
//!
//! After a step every buffer is in the order of that step's sort. Memory per particle: positions, velocities and
//! sorted velocities 16 bytes each, densities 8, counts of candidates and neighbors 4 each, besides what the search
//! takes.
//!
//! Two viscosities add up: Monaghan's artificial one between particles that approach each other,
//! ν = α h c / (2 (d + 2)), and a real one of the given ν between all. Both act along the line between two particles,
//! which keeps linear and angular momentum.
//!
//! Bad at: pressure, noisy where density is summed up anew each step. The stiff equation of state allows about 1 % of compression and pays for it with small steps; PBF
//! takes larger ones. Sound is hardly damped: a column that is let go rings for seconds. At the usual radius ratio of
//! 2.2 the pressure is 5 % above the weight it bears in a plane and 2 % in space, since so few neighbors are no
//! integral; at 3 it is within 1 %.
//!
//! Sources: J. J. Monaghan, Smoothed particle hydrodynamics, Annual Review of Astronomy and Astrophysics 30 (1992);
//! J. J. Monaghan, Simulating free surface flows with SPH, Journal of Computational Physics 110 (1994); J. J. Monaghan,
//! Smoothed particle hydrodynamics, Reports on Progress in Physics 68 (2005); M. Becker and M. Teschner, Weakly
//! compressible SPH for free surface flows, SCA 2007. The walls of the box are derived in `boundary.rs`, surface
//! tension in `cohesion.rs`, densities that are kept from step to step in `continuity.rs`. Solids in the water are
//! described in `boundaries/mod.rs`, those that move in `bodies/mod.rs`, emitters and drains in `flow.rs`.

mod agreement;
mod bodies;
mod boundaries;
mod boundary;
mod cloths;
mod cohesion;
mod continuity;
mod error;
mod flow;
mod jacobi;
mod lattice;
mod material;
mod observation;
mod parameters;
mod pbf;
mod point_fluid;
mod probe;
mod repulsion;
mod resolution;
mod saved_state;
mod scene;
mod simulation;
mod smoothing_kernel;
mod sph;
mod survey;
#[cfg(test)]
mod tests;
mod time_step;

pub use agreement::{SearchAgreement, agreement_of_searches};
pub use bodies::{Body, BodyShape, BodyState, BodyView, Drag, Motion, Picked};
pub use boundaries::{Boundary, Mesh, MeshError};
pub use cloths::{Cloth, ClothView, Pin};
pub use error::{FluidError, SceneError};
pub use flow::{Drain, Emitter};
pub use material::{Density, Material, Pbf, Repulsion, SceneEdits, Solver};
pub use parameters::Push;
pub use point_fluid::PointFluid;
pub use probe::{Probe, ProbeColumn, Probed};
pub use resolution::Resolution;
pub use saved_state::{Continuation, SavedState};
pub use scene::{Block, CentralGravity, Scene, SceneCamera};
pub use simulation::{ParticleBuffers, Settings, Simulation, Size};
pub use smoothing_kernel::{Dimensions, SmoothingKernel};
pub use survey::Survey;
