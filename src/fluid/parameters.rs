//! The parameters that every pass of the fluid reads, in the layout of the shaders.

use crate::gpu::gpu_struct;

gpu_struct! {
    /// The parameters that every pass of the fluid reads.
    pub struct FluidParameters {
        /// Lowest corner of the box, m.
        pub box_low: [f32; 3],
        /// 1 / support radius, 1/m.
        pub inverse_radius: f32,
        /// Highest corner of the box, m.
        pub box_high: [f32; 3],
        /// s.
        pub time_step: f32,
        /// m/s².
        pub gravity: [f32; 3],
        /// Number of particles, including those of solids.
        pub particle_count: u32,
        /// Center of the central gravity, m.
        pub center: [f32; 3],
        /// Acceleration of the central gravity per distance from its center, 1/s².
        pub center_strength: f32,
        /// Particle mass · the kernel's normalization in the lattice, kg/m³: multiplied by a sum of shapes it gives a
        /// density.
        pub density_scale: f32,
        /// The same divided by radius², kg/m⁵: multiplied by shape'(q) / q and an offset it gives mass ·
        /// ∇W.
        pub gradient_scale: f32,
        /// kg/m³.
        pub rest_density: f32,
        /// B of Tait's equation, Pa.
        pub stiffness: f32,
        /// 2 α c h of Monaghan's artificial viscosity, m²/s: it acts between particles that approach each other.
        pub approach_viscosity: f32,
        /// 4 (d + 2) ν of the kinematic viscosity, times the mass of a particle and the normalization of its weight
        /// (`viscous_weight.rs`), kg/(m³ s): it acts between all neighbors.
        pub viscosity: f32,
        /// 0.01 h², m²: keeps the artificial viscosity of close pairs finite.
        pub viscosity_floor: f32,
        /// Coefficient of XSPH; dimensionless.
        pub xsph: f32,
        /// The acceleration by the mean curvature of the surface for a share of 1 in it (`surface_tension.rs`),
        /// m³/s².
        pub surface_term: f32,
        /// 1 / spacing, 1/m.
        pub inverse_spacing: f32,
        /// Factor on the forces of pressure: the inverse of the first moment of the kernel's gradients in the lattice,
        /// by which sums over few neighbors are smaller than the integrals that they stand for.
        pub pressure_scale: f32,
        /// Number of fluid particles, which have the lowest original indices.
        pub fluid_count: u32,
        /// Velocity of each low face of the box along its axis, m/s.
        pub velocity_low: [f32; 3],
        /// Share of no slip at the walls of the box and at solids: 0 slippery, 1 no slip.
        pub no_slip: f32,
        /// Velocity of each high face of the box along its axis, m/s.
        pub velocity_high: [f32; 3],
        /// Coefficient of the skin friction at the walls of the box; dimensionless.
        pub skin_friction: f32,
        /// Distance from a wall, in support radii, up to which searches that gather serve a particle in the pass for
        /// particles near walls.
        pub near_walls: f32,
        /// The largest tension that the fluid bears, Pa, where it bears any.
        pub most_tension: f32,
        /// 1 / the distance below which fluid and particles of solids repel each other (`solids/core.rs`), 1/m; larger
        /// than every inverse distance where they do not.
        pub inverse_core: f32,
        /// Factor on the physical viscosity between fluid and the particle of a solid one support radius away
        /// (`solids/friction.rs`); dimensionless. Zero where water slips along solids.
        pub held_far: f32,
        /// By how much that factor is larger at the distance 0; it decreases with the square of what lacks to a support
        /// radius.
        pub held_near: f32,
        /// The smallest sum of shares that a share in the surface is divided by.
        pub least_surface: f32,
        /// The factor of the viscosity of the surface, as `viscosity`.
        pub surface_viscosity: f32,
        /// Original index of the first particle of a cloth; those of cloths have the highest ones.
        pub first_cloth: u32,
        /// How many times heavier than the lightest cloth a layer of fluid is; 0 without cloths.
        pub layers_over_cloth: f32,
        /// The change of the velocity between fluid and a very light solid where they meet, in units of the velocity
        /// with which they approach.
        pub contact_change: f32,
        /// Padding.
        pub padding_x: u32,
        /// Padding.
        pub padding_y: u32,
    }
}
