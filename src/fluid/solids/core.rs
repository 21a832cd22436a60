//! How near fluid may come to the particles of solids before these repel it (`core.wgsl`).
//!
//! The surface of a solid is a single layer of particles, which the contact at the end of a step lets nothing through
//! (`contact.rs`). But the pressure of the layer alone lets water come too near to it where the kernel is wide, because
//! near the layer its slope is small, and where densities diffuse, because a particle then loses what it gains in
//! density as it comes too near. A block 8 spacings wide that floats at a radius ratio of 3 then has up to 7 % too
//! little lift (docs/VALIDATION.md). At 2.2 none of this happens, and a repulsion would only keep bodies from settling
//! on the floor, since they would rest on the last particles below them.

/// The radius ratio from which kernels are wide.
const WIDE: f64 = 2.4;
/// The reach in spacings with wide kernels. The middle of four particles is 0.71 spacings from each of them. In WCSPH's
/// accurate mode, the barrier there has 0.3 times the energy of the water's depth with a reach of 0.75, and with 0.85
/// it has 3 times that energy.
const WITH_WIDE_KERNELS: f64 = 0.85;

/// The distance in spacings below which a fluid particle and a particle of a solid repel each other, with this ratio of
/// support radius to spacing; `None` where they do not.
pub(crate) fn core_reach(radius_ratio: f64) -> Option<f64> {
    (radius_ratio > WIDE).then_some(WITH_WIDE_KERNELS)
}
