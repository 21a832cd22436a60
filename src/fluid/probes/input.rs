//! Input of probes: a frame of particles, the bodies, and properties of the scene.

use glam::{DVec3, Vec3};

use super::{MeasuredSolid, Probe, ProbeArgument, ProbeSurface, X, Z};
use crate::files::Frame;
pub use crate::fluid::solids::walls::WallLoad;
use crate::fluid::solids::walls::WallLoads;
use crate::fluid::{BodyState, Dimensions, Face, SmoothingKernel};

/// The properties of a scene that probes depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeScene {
    /// Two or three.
    pub dimensions: Dimensions,
    /// Lowest corner of the box, m.
    pub low: Vec3,
    /// Highest corner of the box, m.
    pub high: Vec3,
    /// m/s².
    pub gravity: Vec3,
    /// Center of the central gravity, m.
    pub center: Vec3,
    /// Acceleration of the central gravity per distance from its center, 1/s².
    pub central_strength: f32,
    /// Density of the fluid at rest, kg/m³; `None` where the solver is not a fluid solver and particles have no
    /// density.
    pub rest_density: Option<f32>,
    /// Number of bodies.
    pub body_count: usize,
    /// The lists of solids that are not empty, by their names in scene files, and how many solids each has.
    pub solid_counts: Vec<(&'static str, usize)>,
}

/// The fluid and the bodies at one time.
#[derive(Clone)]
pub struct ProbeInput<'a> {
    /// The particles.
    pub frame: &'a Frame,
    /// The bodies, in the scene's order.
    pub bodies: &'a [BodyState],
    /// The solids that probes of the scene name, as far as they are there.
    pub solids: &'a [MeasuredSolid],
    /// The scene, as edited.
    pub scene: ProbeScene,
    /// Spacing of the particles in the initial lattice, m.
    pub spacing: f32,
    /// Support radius of the smoothing kernel, m.
    pub support_radius: f32,
    /// kg; in two dimensions kg/m.
    pub particle_mass: f32,
    /// The kernel that pressures are weighted with.
    pub kernel: SmoothingKernel,
    /// What the walls of the box bore by each particle in the last time step; `None` before the first step, and where
    /// no probe of the scene reads it.
    pub wall_loads: Option<&'a [WallLoad]>,
}

impl ProbeScene {
    /// The projection of a point onto the plane of a scene of two dimensions, half-way through the box along z; in
    /// three dimensions the point itself.
    pub fn projected(&self, point: Vec3) -> Vec3 {
        match self.dimensions {
            Dimensions::Two => point.with_z(0.5 * (self.low.z + self.high.z)),
            Dimensions::Three => point,
        }
    }

    /// Whether a point lies in the box; its z is ignored in two dimensions.
    pub fn contains(&self, point: Vec3) -> bool {
        let within = point.cmpge(self.low) & point.cmple(self.high);
        within.x && within.y && (within.z || self.dimensions == Dimensions::Two)
    }
}

impl ProbeInput<'_> {
    /// Positions of the particles, m.
    pub fn positions(&self) -> impl Iterator<Item = DVec3> {
        self.frame.positions.iter().map(|&position| Vec3::from(position).as_dvec3())
    }

    /// Velocities of the particles, m/s.
    pub fn velocities(&self) -> impl Iterator<Item = DVec3> {
        self.frame.velocities.iter().map(|&velocity| Vec3::from(velocity).as_dvec3())
    }

    /// Force of the fluid on a wall of the box, N (N/m in two dimensions); `None` before the first step.
    pub(super) fn force_on_wall(&self, face: Face) -> Option<DVec3> {
        Some(self.wall_loads()?.force(face))
    }

    /// Moment of that force about a point, N m (N in two dimensions).
    pub(super) fn moment_on_wall(&self, face: Face, about: DVec3) -> Option<DVec3> {
        Some(self.wall_loads()?.moment(face, about))
    }

    fn wall_loads(&self) -> Option<WallLoads<'_>> {
        Some(WallLoads {
            loads: self.wall_loads?,
            low: self.scene.low.as_dvec3(),
            high: self.scene.high.as_dvec3(),
            radius: self.support_radius.into(),
            dimensions: self.scene.dimensions,
        })
    }

    /// The solid that a probe names; `None` where it is not there.
    pub(super) fn solid(&self, surface: &ProbeSurface) -> Option<&MeasuredSolid> {
        self.solids.iter().find(|solid| solid.name == *surface)
    }

    /// Height of the box's floor, m.
    pub fn floor(&self) -> f64 {
        self.scene.low.y.into()
    }

    /// Half the spacing: the distance from a particle's position to the boundary of its volume, m.
    pub fn half_spacing(&self) -> f64 {
        0.5 * f64::from(self.spacing)
    }

    /// The point at height zero on the vertical line of a probe with [`X`] and [`Z`], m.
    pub fn line(&self, probe: &Probe) -> DVec3 {
        self.scene.projected(Vec3::new(probe.number(&X), 0.0, probe.number(&Z))).as_dvec3()
    }

    /// Positions of the particles within a support radius of a vertical line, m.
    pub fn near_line(&self, line: DVec3) -> impl Iterator<Item = DVec3> {
        let radius = f64::from(self.support_radius);
        self.positions().filter(move |&position| (position - line).with_y(0.0).length() <= radius)
    }

    /// Kinetic energy of all particles, J; in two dimensions J/m.
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * f64::from(self.particle_mass) * self.velocities().map(DVec3::length_squared).sum::<f64>()
    }

    /// A vector of the body that an argument of a probe names; `None` where there is no such body.
    pub fn of_body(
        &self,
        (probe, argument): (&Probe, &ProbeArgument),
        vector: impl Fn(&BodyState) -> Vec3,
    ) -> Option<DVec3> {
        self.bodies.get(probe.body(argument)?).map(|state| vector(state).as_dvec3())
    }

    /// The readings of probes, in the order of their columns; `None` where there is nothing to read.
    pub fn readings(&self, probes: &[Probe]) -> Vec<Option<f64>> {
        probes.iter().flat_map(|probe| probe.read(self)).collect()
    }
}
