use super::ColorMap;

/// What a particle's colour shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColorField {
    /// Length of the velocity, m/s.
    #[default]
    Speed,
    /// Density, kg/m³.
    Density,
    /// Pressure, Pa.
    Pressure,
    /// Particles within the support radius.
    NeighborCount,
    /// Particles that the search tested for it.
    CandidateCount,
    /// The grid cell the particle is in.
    Cell,
    /// Border or inner, where the search tells them apart.
    Class,
    /// The particle's place in the buffers, which the search's sort decides.
    BufferPosition,
}

/// The numbers that say which values a field usually takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldScale {
    /// Density at rest, kg/m³.
    pub rest_density: f32,
    /// Speed that the fastest water is expected to reach, m/s.
    pub expected_speed: f32,
    /// Neighbors of a particle inside the water.
    pub expected_neighbor_count: f32,
    /// Number of particles.
    pub particle_count: u32,
}

impl ColorField {
    /// All fields, in the order of their keys.
    pub const ALL: [Self; 8] = [
        Self::Speed,
        Self::Density,
        Self::Pressure,
        Self::NeighborCount,
        Self::CandidateCount,
        Self::Cell,
        Self::Class,
        Self::BufferPosition,
    ];

    /// As written on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Speed => "speed",
            Self::Density => "density",
            Self::Pressure => "pressure",
            Self::NeighborCount => "neighbor count",
            Self::CandidateCount => "candidate count",
            Self::Cell => "cell",
            Self::Class => "border or inner",
            Self::BufferPosition => "place in the buffers",
        }
    }

    /// The unit, empty for plain numbers.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Speed => "m/s",
            Self::Density => "kg/m³",
            Self::Pressure => "Pa",
            Self::NeighborCount | Self::CandidateCount | Self::Cell | Self::Class | Self::BufferPosition => "",
        }
    }

    /// The map it is drawn in.
    pub fn color_map(self) -> ColorMap {
        match self {
            Self::Speed => ColorMap::Water,
            Self::Density | Self::Pressure | Self::NeighborCount | Self::CandidateCount => ColorMap::Ember,
            Self::Cell => ColorMap::Cells,
            Self::Class => ColorMap::Classes,
            Self::BufferPosition => ColorMap::Turn,
        }
    }

    /// The lowest and highest value the map spans unless somebody sets others. The colours of cells have no range;
    /// theirs counts the colours.
    pub fn default_range(self, scale: &FieldScale) -> (f32, f32) {
        match self {
            Self::Speed => (0.0, scale.expected_speed),
            // Weakly compressible water stays within a percent inside; at its surface the kernel reaches into the air.
            Self::Density => (0.8 * scale.rest_density, 1.05 * scale.rest_density),
            // The pressure that stops water of the expected speed (Bernoulli): rho v² / 2.
            Self::Pressure => (0.0, 0.5 * scale.rest_density * scale.expected_speed * scale.expected_speed),
            Self::NeighborCount => (0.0, 1.25 * scale.expected_neighbor_count),
            // 27 cells of edge r hold 6.4 times the neighbors (27 over the unit sphere's volume).
            Self::CandidateCount => (0.0, 8.0 * scale.expected_neighbor_count),
            Self::Cell => (0.0, ColorMap::CELL_COLORS as f32),
            Self::Class => (0.0, 1.0),
            Self::BufferPosition => (0.0, scale.particle_count.max(1) as f32),
        }
    }
}
