//! Rigid bodies in two-way interaction with the fluid, and walls with a prescribed motion.
//!
//! A body acts on the fluid like a boundary, through a layer of particles half a spacing inside its surface, which is
//! sampled once in the body's own frame, with Akinci's volumes from its own samples (`sampling/mod.rs`). In each step
//! 1. *move bodies* places the particles according to the body's pose, x + R·local, with its velocity there, v + ω × r,
//!    before the search sorts them;
//! 2. the solver handles them like boundaries, and stores the force of the fluid on each in `reactions`;
//! 3. *gather loads*, with one workgroup per body, sums these forces up to a force and a torque about the center of
//!    mass, always in the same order;
//! 4. the loads are read back, rapier takes a step of the same length with these loads, gravity, and contacts among
//!    bodies, with the tank and with the boundaries, and the new poses are written for the next step.
//!
//! The forces between fluid and boundary particles are opposite to the last bit, so a body gains the momentum that
//! the fluid loses, up to rounding of the sums. With WCSPH both bodies and fluid take a symplectic Euler step with
//! the forces at its start. Solvers that predict compute the impulse on a body from where and
//! how fast it will be at the end of the step; its particles have the velocity that is expected there, from the
//! accelerations of the steps before (`outlook.rs`).
//!
//! Where viscosity has several stages in a step, bodies move in them: after each stage, a pass sums up its forces,
//! another changes the velocity of the body's particles, and the next stage meets that (*stage of bodies*, *velocities
//! of bodies*). A body whose velocity stayed until the end of the step would be unstable: in one step viscosity brings
//! as much water to its velocity as reaches about √(ν Δt) from it, and where that is heavier than the body, the force
//! of a step throws the body back by more than it had. The forces of all stages reach the body in the load of the step,
//! as those of a single stage do, so momentum is as exact as there.
//!
//! Solvers that iterate pressures meet bodies that move by them: after each iteration, *pressures on bodies* sums up
//! the forces so far and computes the velocity that they lead to at the end of the step, and another pass gives the
//! body's particles that velocity, or moves them to where it leads. Otherwise a body that is lighter than the water
//! that moves with it (its added mass) would be thrown back by more than it had in each step. All corrections around a
//! body add up in its motion, so each of them is made smaller by what the body gives way, its mobility: the rest
//! density over the mass per area of its surface. With it no number of particles around a body makes the iterations
//! unstable (C. Gissler et al., Interlinked SPH pressure solvers for strong fluid-rigid coupling, ACM Transactions on
//! Graphics 38, 2019, solve for both in turns). The load of the step is that of the last pressures.
//!
//! Particles outside of the box meet no water. Bodies that move freely stay inside; of bodies with a prescribed motion
//! that leads out of it, and of those that the program moves, *move bodies* parks such particles beside the box
//! (`flow.rs`), because at the wall they would lie at the same places and be neighbors of each other.
//!
//! Because of the read-back every step is a submission of its own that the CPU waits for: about 0.3 ms on an H200 (a
//! step of 58,610 particles took 0.55 ms, its passes 0.18 ms), which is still noticeable with 100,000 particles.
//! Scenes without bodies have no such cost. Memory per sample: that of a boundary particle, and 20 bytes, and a
//! cell or two of the search where it may be parked; per body 400 bytes.
//!
//! Limitations: bodies that weigh less than a particle of the water, which sound shakes with WCSPH, and those that are
//! lighter than air, which all solvers throw about; bodies thinner than two spacings; and gaps between bodies narrower
//! than that, which fluid cannot enter.
//!
//! Sources: N. Akinci, M. Ihmsen, G. Akinci, B. Solenthaler and M. Teschner, Versatile rigid-fluid coupling for
//! incompressible SPH, ACM Transactions on Graphics 31 (2012); rapier (Dimforge) for rigid bodies and contacts.

mod addition;
mod body;
mod coupling;
mod device;
mod error;
mod hands;
mod kind;
mod outlook;
mod samples;
mod saved;
mod shape;
mod view;
mod world;

pub use body::{Body, Motion};
pub use coupling::{Drag, Picked};
pub use shape::BodyShape;
pub use view::{BodyView, Impulse};
