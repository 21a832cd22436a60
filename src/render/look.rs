//! What is drawn and how: styles, colors, cells, the cut, and the simulation's buffers.

use glam::{UVec3, Vec3};
use serde::{Deserialize, Serialize};

use super::{ColorField, DrawnBox, DrawnCloth, DrawnMarks, DrawnSegment, DrawnShell, DrawnSolid, SceneLight};
use crate::gpu::AdapterClass;

/// How the water is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DrawStyle {
    /// Every particle as a shaded sphere; nothing is hidden or smoothed. The faster of the two styles.
    #[default]
    Beads,
    /// One smooth surface that mirrors the room and lets the floor show through where the water is thin. The field's
    /// colors are averaged over a few particles.
    Smooth,
    /// Clear water: one smooth surface that refracts what is behind it, absorbs light as real water does, mirrors a sky
    /// and throws caustics. It shows no field: with one whose colors are a measurement, and with solids as particles,
    /// the water is drawn as [`DrawStyle::Smooth`].
    Water,
}

impl DrawStyle {
    /// All styles, in the order of the selector.
    pub const ALL: [Self; 3] = [Self::Beads, Self::Smooth, Self::Water];

    /// The style that a device of this class draws by default: clear water wherever a graphics processor draws, and
    /// particles where the CPU does, which would spend most of a frame on the many passes of clear water.
    pub fn default_for(class: AdapterClass) -> Self {
        match class {
            AdapterClass::Discrete | AdapterClass::Integrated => Self::Water,
            AdapterClass::Software => Self::Beads,
        }
    }

    /// A style by its name on the command line and in scripts.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|style| style.name() == name)
    }

    /// Name on the command line and in scripts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Beads => "particles",
            Self::Smooth => "smooth",
            Self::Water => "water",
        }
    }

    /// Name shown on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Beads => "particles",
            Self::Smooth => "smooth water",
            Self::Water => "clear water",
        }
    }
}

/// How particles are drawn: those of clear water in all of its pictures, and those of the other styles in the light
/// map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Splatting {
    /// A triangle for each particle.
    #[default]
    Triangles,
    /// Compute passes with atomic operations, except where particles are seen from so near that they are large. Faster
    /// on devices that set up few triangles per second.
    Compute,
}

impl Splatting {
    /// Both, in the order of the selector.
    pub const ALL: [Self; 2] = [Self::Triangles, Self::Compute];

    /// Name on screen and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Triangles => "triangles",
            Self::Compute => "compute",
        }
    }
}

/// Brightness of the surroundings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Theme {
    /// A dark room with a pool of light.
    #[default]
    Dark,
    /// A bright studio.
    Light,
}

impl Theme {
    /// Both themes, in the order of the selector.
    pub const ALL: [Self; 2] = [Self::Dark, Self::Light];

    /// Name on screen, on the command line and in scripts.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
        }
    }
}

/// What is drawn around the water.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Surroundings {
    /// The tank: the edges of the box, a floor, and a backdrop, which the renderer draws.
    #[default]
    Tank,
    /// A picture that the caller has drawn before, with colors as they are shown. See
    /// [`Renderer::record_in`](super::Renderer::record_in).
    Picture,
    /// The same, with linear light that the caller compresses later (tone mapping).
    Light,
}

/// The light on water and solids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lighting {
    /// Towards the key light. One that is lower than [`Lighting::LOWEST`] shines from that height.
    pub towards: Vec3,
    /// Color and strength of the key light, divided by that of the renderer's own lamp.
    pub key: Vec3,
    /// Color and strength of the light from all sides, divided by that of the renderer's own room.
    pub room: Vec3,
}

impl Lighting {
    /// Smallest sine of the angle between the key light and the horizon: a lower light would stretch the map of what
    /// is in its path over many times the size of the box.
    pub const LOWEST: f32 = 0.2;

    /// The unit vector towards the key light.
    pub(super) fn direction(&self) -> Vec3 {
        let towards = self.towards.normalize_or(Vec3::Y);
        if towards.y >= Self::LOWEST {
            return towards;
        }
        let level = Vec3::new(towards.x, 0.0, towards.z).normalize_or(Vec3::X);
        level * (1.0 - Self::LOWEST * Self::LOWEST).sqrt() + Vec3::Y * Self::LOWEST
    }
}

impl Default for Lighting {
    /// The renderer's own lamp: high, from the left and the front of a camera that looks along -z.
    fn default() -> Self {
        Self { towards: Vec3::new(-0.55, 0.85, 0.06), key: Vec3::ONE, room: Vec3::ONE }
    }
}

/// How solids are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SolidStyle {
    /// As surfaces, including cloth.
    #[default]
    Mesh,
    /// As the particles through which they act on the water, drawn as beads.
    Particles,
    /// Not drawn.
    Hidden,
}

impl SolidStyle {
    /// All styles, in the order of the selector.
    pub const ALL: [Self; 3] = [Self::Mesh, Self::Particles, Self::Hidden];

    /// Name shown on screen.
    pub fn label(self) -> &'static str {
        match self {
            Self::Mesh => "mesh",
            Self::Particles => "particles",
            Self::Hidden => "hidden",
        }
    }
}

/// How the picture is drawn, apart from the simulation's data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// How the water is drawn.
    pub style: DrawStyle,
    /// How particles are drawn.
    pub splatting: Splatting,
    /// How solids are drawn.
    pub solids: SolidStyle,
    /// What is drawn around the water.
    pub surroundings: Surroundings,
    /// The light on water and solids.
    pub lighting: Lighting,
    /// Brightness of the surroundings.
    pub theme: Theme,
    /// The field that the particles' color shows.
    pub field: ColorField,
    /// Value at the lower end of the color map, in the field's unit.
    pub low: f32,
    /// Value at the upper end.
    pub high: f32,
    /// Radius of a drawn particle, m; see [`Look::particle_radius_of`].
    pub particle_radius: f32,
    /// Densities by which clear water distinguishes drops; `None` where the particles have no density.
    pub densities: Option<DensityScale>,
    /// Lowest corner of the box, m; y is up.
    pub box_low: Vec3,
    /// Highest corner of the box, m.
    pub box_high: Vec3,
    /// The cells into which the search sorts the particles.
    pub cells: LookCells,
    /// The cells whose edges are drawn, among those that contain particles.
    pub cell_edges: CellEdges,
    /// Draws only the particles with centers in this box, and the box.
    pub cut: Option<Cut>,
    /// Phase of blinking items, from 0 to 1; they are bright in the first half.
    pub blink: f32,
}

/// The densities that tell a single drop from a body of water, kg/m³.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DensityScale {
    /// Of a particle without neighbors.
    pub alone: f32,
    /// Of a particle inside the water.
    pub inside: f32,
}

/// The search's cells that are drawn, if they contain drawn particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum CellEdges {
    /// None.
    #[default]
    Off,
    /// All of them, or those in the cut.
    All,
    /// Those that intersect this box, m.
    Within {
        /// Lowest corner.
        low: Vec3,
        /// Highest corner.
        high: Vec3,
    },
}

/// A box that cuts the water open: particles with centers inside are drawn completely, others are not drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Lowest corner, m.
    pub low: Vec3,
    /// Highest corner, m.
    pub high: Vec3,
    /// How the box itself is drawn.
    pub outline: CutOutline,
}

/// How a cutting box is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CutOutline {
    /// Not drawn.
    None,
    /// Its edges.
    Edges,
    /// Its edges, and a handle on each face.
    #[default]
    Handles,
    /// Like [`CutOutline::Handles`], with the handle of [`Cut::handles`] of this index highlighted.
    Active(usize),
}

impl Cut {
    /// The center of each face: the lower and the upper one along x, then y, then z, m.
    pub fn handles(&self) -> [Vec3; 6] {
        let middle = 0.5 * (self.low + self.high);
        std::array::from_fn(|face| {
            let mut place = middle;
            place[face / 2] = if face % 2 == 0 { self.low[face / 2] } else { self.high[face / 2] };
            place
        })
    }
}

/// The cells of a search, as drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookCells {
    /// Lowest corner of the first cell, m.
    pub origin: Vec3,
    /// Edges of each cell, m.
    pub size: Vec3,
    /// Number of cells along each axis.
    pub counts: UVec3,
    /// Distance from another cell below which a particle is a border particle, m; 0 where the search does not
    /// distinguish them.
    pub border: f32,
}

impl LookCells {
    /// Largest number of cells that are drawn; with more, the lines would cover the water.
    pub const EDGES_LIMIT: u32 = 16_384;

    /// The number of cells, if all of them can be drawn.
    pub fn drawable_count(&self) -> Option<u32> {
        CellRange { first: UVec3::ZERO, counts: self.counts }.drawable_count()
    }

    /// The cells that intersect a box. As in the searches, everything outside the grid belongs to its outermost cells.
    fn range(&self, low: Vec3, high: Vec3) -> CellRange {
        let last = self.counts.max(UVec3::ONE) - 1;
        // Bounded as floats; the cast turns NaN into zero.
        let cell = |place: Vec3| ((place - self.origin) / self.size).clamp(Vec3::ZERO, last.as_vec3()).as_uvec3();
        let (first, last) = (cell(low), cell(high));
        CellRange { first, counts: (last.max(first) - first) + 1 }
    }
}

/// A box of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellRange {
    pub(super) first: UVec3,
    pub(super) counts: UVec3,
}

impl CellRange {
    /// The number of cells, if they can be drawn.
    pub(super) fn drawable_count(&self) -> Option<u32> {
        let count = self.counts.to_array().map(u64::from).iter().product::<u64>();
        u32::try_from(count).ok().filter(|count| *count <= LookCells::EDGES_LIMIT)
    }
}

impl Look {
    /// Drawn radius divided by particle spacing: spheres that overlap this much leave no gaps between the layers of a
    /// lattice.
    pub const RADIUS_OVER_SPACING: f32 = 0.58;

    /// Half of the longer horizontal edge of the box, m.
    pub(super) fn extent(&self) -> f32 {
        let edges = self.box_high - self.box_low;
        0.5 * edges.x.max(edges.z).max(f32::MIN_POSITIVE)
    }

    /// The style in which the water is drawn, with or without roles. A smooth surface would hide the roles; clear water
    /// has no colors for a measurement, and would draw the particles of solids as water.
    pub(super) fn drawn_style(&self, has_marks: bool) -> DrawStyle {
        match self.style {
            _ if has_marks => DrawStyle::Beads,
            DrawStyle::Water if !self.field.looks_like_water() || self.solids == SolidStyle::Particles => {
                DrawStyle::Smooth
            }
            style => style,
        }
    }

    /// The radius at which particles with this spacing look like a closed body of water.
    pub fn particle_radius_of(spacing: f32) -> f32 {
        Self::RADIUS_OVER_SPACING * spacing
    }

    /// The range of cells to be drawn; `None` if there are none, or more than [`LookCells::EDGES_LIMIT`].
    pub(super) fn drawn_cells(&self) -> Option<CellRange> {
        let (low, high) = match self.cell_edges {
            CellEdges::Off => return None,
            CellEdges::All => (Vec3::MIN, Vec3::MAX),
            CellEdges::Within { low, high } => (low, high),
        };
        let (cut_low, cut_high) = self.cut.map_or((Vec3::MIN, Vec3::MAX), |cut| (cut.low, cut.high));
        let (low, high) = (low.max(cut_low), high.min(cut_high));
        if low.cmpgt(high).any() {
            return None;
        }
        Some(self.cells.range(low, high)).filter(|range| range.drawable_count().is_some())
    }

    /// Whether cells should be drawn but are too many. A smaller cut, or [`CellEdges::Within`] a smaller box, makes
    /// them visible again.
    pub fn has_too_many_cells(&self) -> bool {
        self.cell_edges != CellEdges::Off && self.drawn_cells().is_none()
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
    /// A role for every particle. With roles, the water is drawn as particles, regardless of [`Look::style`].
    pub marks: Option<DrawnMarks<'a>>,
    /// `f32`: the values of [`ColorField::custom`], in the order of the particles and at least as many; NaN for a
    /// particle without a value, which is drawn gray.
    pub custom_field: Option<&'a wgpu::Buffer>,
    /// Boxes in the scene.
    pub boxes: Vec<DrawnBox>,
    /// Lines in the scene.
    pub segments: Vec<DrawnSegment>,
    /// Translucent spheres in the scene.
    pub shells: Vec<DrawnShell>,
    /// Spray, foam and bubbles; not drawn where particles have roles.
    pub foam: Option<DrawnFoam<'a>>,
    /// Lamps and shadows of the scene that it stands in.
    pub scene_light: SceneLight<'a>,
}

/// Diffuse particles, as `fluid::FoamParticles` describes them.
#[derive(Clone, Copy, Debug)]
pub struct DrawnFoam<'a> {
    /// Index of the first in `positions` and `velocities`.
    pub first: u32,
    /// `vec4f`: position, m, and the remaining life, s.
    pub positions: &'a wgpu::Buffer,
    /// `vec4f`: velocity, m/s, and the class: 2 for spray, 3 for foam, 4 for bubbles.
    pub velocities: &'a wgpu::Buffer,
    /// `u32`: the places of those that there are, counted from `first`.
    pub places: &'a wgpu::Buffer,
    /// Arguments of an indirect draw of three vertices for each of them.
    pub arguments: &'a wgpu::Buffer,
}

impl<'a> From<DrawnParticles<'a>> for Drawn<'a> {
    fn from(particles: DrawnParticles<'a>) -> Self {
        Self {
            particles,
            solids: Vec::new(),
            cloths: Vec::new(),
            marks: None,
            custom_field: None,
            boxes: Vec::new(),
            segments: Vec::new(),
            shells: Vec::new(),
            foam: None,
            scene_light: SceneLight::default(),
        }
    }
}

/// The simulation's buffers, all in the same order and with at least `count` elements.
#[derive(Clone, Copy, Debug)]
pub struct DrawnParticles<'a> {
    /// Number of particles.
    pub count: u32,
    /// Number of fluid particles, which have the lowest original indices. The others belong to solids; see
    /// [`Look::solids`].
    pub fluid_count: u32,
    /// Particles with a larger x are not drawn, m; infinity draws all of them.
    pub parked_beyond: f32,
    /// `vec4f`: position, m; w is not read.
    pub positions: &'a wgpu::Buffer,
    /// As `positions`: those at which clear water is drawn, if they are others.
    pub smoothed: Option<&'a wgpu::Buffer>,
    /// `vec4f`: velocity, m/s, and in w the bits of the particle's original index, by which the shadow selects a part
    /// of very many particles.
    pub velocities: &'a wgpu::Buffer,
    /// `vec2f`: density, kg/m³, and pressure over density squared.
    pub densities: &'a wgpu::Buffer,
    /// `u32`: neighbors within the support radius.
    pub neighbor_counts: &'a wgpu::Buffer,
    /// `u32`: number of particles that the search tested for the particle.
    pub candidate_counts: &'a wgpu::Buffer,
}

impl<'a> DrawnParticles<'a> {
    /// The positions at which the particles are drawn in a style.
    pub(super) fn seen_positions(&self, style: DrawStyle) -> &'a wgpu::Buffer {
        self.smoothed.filter(|_| style == DrawStyle::Water).unwrap_or(self.positions)
    }

    pub(super) fn buffers(&self, style: DrawStyle) -> [&'a wgpu::Buffer; 5] {
        [self.seen_positions(style), self.velocities, self.densities, self.neighbor_counts, self.candidate_counts]
    }
}
