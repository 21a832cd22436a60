//! Cloths: meshes of mass points and springs, with or without fluid.
//!
//! A cloth is a grid of particles with springs to the next ones along its threads (*stretch*), along the diagonals
//! (*shear*) and to the second next along the threads (*bend*), each with a damper. To the fluid its particles are
//! boundary particles with Akinci's volumes, and the forces between both are opposite to the last bit
//! (`sampling/mod.rs`). They take part in the search like all particles, which also finds their contacts.
//!
//! After the fluid's step there are
//! 1. *cloth contacts*, a pair kernel: particles of cloths keep a distance of one thickness from each other, except
//!    those that springs connect, and of one spacing from the particles of solids. A contact is a spring and a damper
//!    that never pull, with Coulomb friction;
//! 2. *cloth*, as many substeps as the springs' highest frequency requires, from one pair of buffers into another:
//!    springs, contacts, the forces of the fluid, gravity, and walls;
//! 3. *hand out cloth*, which writes the particles back to their places in the sorted order.
//!
//! The springs need no lists: the particles that springs connect follow from their places in the grid, and the
//! buffers are in the order of the grid, one row after the other. Cloths are drawn from the same buffer.
//!
//! Pressure alone would let fluid through a single layer where it is stretched. The contact that all solids have with
//! fluid (`fluid/contact.rs`) does not.
//!
//! All forces between cloth, fluid and solids are opposite to the last bit; a substep sums them up in a different
//! order for each particle, so momentum is conserved up to rounding. Angular momentum is not, since friction at a
//! contact acts at a distance from the line between the particles.
//!
//! Memory per particle of a cloth: that of a boundary particle, and 104 bytes. Limitations: cloths lighter than the
//! fluid that they carry, which need shorter steps or are refused, depending on the solver; stiff cloths of many
//! particles, in which strain propagates by one particle per substep, so that they sag; and contacts that move
//! farther than a spacing in a step.
//!
//! Sources: X. Provot, Deformation constraints in a mass-spring model to describe rigid cloth behavior, Graphics
//! Interface 1995; S. Bayraktar, U. Güdükbay and B. Özgüç, GPU-based neighbor-search algorithm for particle
//! simulations, JGT 14 (2009), Figure 8.

mod cloth;
mod device;
mod error;
mod kind;
mod sheet;

pub use cloth::{Cloth, Pin};
