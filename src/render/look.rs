use glam::{UVec3, Vec3};

use super::{ColorField, DrawnCloth, DrawnSolid};

/// How the water is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DrawStyle {
    /// Every particle as a lit sphere: nothing is hidden or smoothed, and the quicker of the two.
    #[default]
    Beads,
    /// One smooth surface that mirrors the room and lets the floor shine through where the water is thin. The
    /// field's colours are averaged over a few particles.
    Smooth,
}

impl DrawStyle {
    /// Both, in the order of the selector.
    pub const ALL: [Self; 2] = [Self::Beads, Self::Smooth];

    /// As written on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Beads => "particles",
            Self::Smooth => "smooth water",
        }
    }
}

/// How solids are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SolidStyle {
    /// Their surfaces, and cloth.
    #[default]
    Mesh,
    /// The particles by which water feels them, as beads.
    Particles,
    /// Not at all.
    Hidden,
}

impl SolidStyle {
    /// All, in the order of the selector.
    pub const ALL: [Self; 3] = [Self::Mesh, Self::Particles, Self::Hidden];

    /// As written on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Mesh => "mesh",
            Self::Particles => "particles",
            Self::Hidden => "hidden",
        }
    }
}

/// What the picture shows besides the particles themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// How the water is drawn.
    pub style: DrawStyle,
    /// How solids are drawn.
    pub solids: SolidStyle,
    /// What the particles' colour shows.
    pub field: ColorField,
    /// Value at the lower end of the colour map, in the field's unit.
    pub low: f32,
    /// Value at the upper end.
    pub high: f32,
    /// Radius of a drawn particle, m; see [`Look::particle_radius_of`].
    pub particle_radius: f32,
    /// Lowest corner of the box, m; y is up.
    pub box_low: Vec3,
    /// Highest corner of the box, m.
    pub box_high: Vec3,
    /// The cells that the search sorts the particles into.
    pub cells: LookCells,
    /// Whether the edges of the cells that hold particles are drawn.
    pub cell_edges: bool,
}

/// A search's cells, as the picture shows them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookCells {
    /// Lowest corner of the first, m.
    pub origin: Vec3,
    /// Edges of each, m.
    pub size: Vec3,
    /// How many along each axis.
    pub counts: UVec3,
    /// How near to another cell a particle belongs to the border, m; 0 where border and inner are not told apart.
    pub border: f32,
}

impl LookCells {
    /// Most cells whose edges are drawn: with more, lines cover the water.
    pub const EDGES_LIMIT: u32 = 16_384;

    /// How many there are, if their edges can be drawn.
    pub fn drawable_count(&self) -> Option<u32> {
        let count = self.counts.to_array().map(u64::from).iter().product::<u64>();
        u32::try_from(count).ok().filter(|count| *count <= Self::EDGES_LIMIT)
    }
}

impl Look {
    /// Drawn radius over particle spacing: spheres that overlap so far leave no gaps between the layers of a lattice.
    pub const RADIUS_OVER_SPACING: f32 = 0.58;

    /// The radius that makes particles `spacing` apart look like closed water.
    pub fn particle_radius_of(spacing: f32) -> f32 {
        Self::RADIUS_OVER_SPACING * spacing
    }
}

/// What is drawn of a simulation.
#[derive(Clone, Debug)]
pub struct Drawn<'a> {
    /// Its particles.
    pub particles: DrawnParticles<'a>,
    /// Its solids, for [`SolidStyle::Mesh`].
    pub solids: Vec<DrawnSolid>,
    /// Its cloths, for [`SolidStyle::Mesh`].
    pub cloths: Vec<DrawnCloth<'a>>,
}

impl<'a> From<DrawnParticles<'a>> for Drawn<'a> {
    fn from(particles: DrawnParticles<'a>) -> Self {
        Self { particles, solids: Vec::new(), cloths: Vec::new() }
    }
}

/// The simulation's buffers, all in the same order and at least `count` long.
#[derive(Clone, Copy, Debug)]
pub struct DrawnParticles<'a> {
    /// Number of particles.
    pub count: u32,
    /// How many of them are the fluid's: those with the lowest first indices. The others are solids', which [`Look::solids`] is about.
    pub fluid_count: u32,
    /// Particles farther along x are not drawn, m; infinity where all are.
    pub parked_beyond: f32,
    /// `vec4f`: position, m; w is not read.
    pub positions: &'a wgpu::Buffer,
    /// `vec4f`: velocity, m/s, and in w the bits of the particle's first index, by which the shadow picks some of
    /// very many.
    pub velocities: &'a wgpu::Buffer,
    /// `vec2f`: density, kg/m³, and pressure over density squared.
    pub densities: &'a wgpu::Buffer,
    /// `u32`: neighbors within the support radius.
    pub neighbor_counts: &'a wgpu::Buffer,
    /// `u32`: particles that the search tested for it.
    pub candidate_counts: &'a wgpu::Buffer,
}

impl<'a> DrawnParticles<'a> {
    pub(super) fn buffers(&self) -> [&'a wgpu::Buffer; 5] {
        [self.positions, self.velocities, self.densities, self.neighbor_counts, self.candidate_counts]
    }
}
