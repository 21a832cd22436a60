//! Pressures of the samples of solids, for solvers whose pressure follows from the density by an equation of state.
//!
//! A sample stands for a piece of solid that is compressed like the water beside it: its density is the rest density,
//! plus the sum of the kernel over the water around it, minus what that sum is where the water is at rest
//! (`solids/sampling/water_share.rs`). Its pressure follows from its density by the equation of state of the water, and
//! a pair of water and solid has the force of a pair of water, times the weight w of the sample:
//! w (pᵢ/ρᵢ² + pₛ/ρₛ²) ∇W. So all forces of a step are the derivative of one energy, the sum of the compression
//! energies of the water and of the samples, with the densities that are really summed up.
//!
//! Forces by a mirrored pressure, w (pᵢ/ρᵢ² + pᵢ/ρ₀²) ∇W, are not the derivative of any energy: the density of the
//! water contains w W once, and the force has its derivative twice. Such forces drive oscillations of water along
//! curved solids (flutter) unless viscosity damps them. With the first half alone there is an energy, but water is only
//! in equilibrium with it where the first layer has about twice the pressure of the second.
//!
//! Samples of which the sum at rest is not known keep the mirrored pressure: single layers, such as cloth and plates
//! thinner than one and a half spacings, whose sum depends on the sides that are wet.

/// Definition of the shaders of a solver that gives samples of solids a pressure of their own.
pub(in crate::fluid) const SOLID_PRESSURES: &str = "SOLID_PRESSURES";
