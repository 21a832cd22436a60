//! Numbers read off the water while it moves: evaluated on the CPU from an observed frame.

use std::collections::BTreeSet;

use glam::{DVec3, EulerRot, Vec3};
use serde::Deserialize;

use super::boundary::Wall;
use super::{BodyState, Dimensions, Resolution, Scene, SmoothingKernel};
use crate::files::Frame;

/// Something that is read off the water.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Probe {
    /// Height of the water over the box's floor, m: of the highest particle within a support radius of an upright line,
    /// and half a spacing more. Splashes count. 0 where it is dry.
    WaterHeight {
        /// Heads its column.
        name: String,
        /// Where the line stands, m.
        x: f32,
        /// Where the line stands, m; says nothing in two dimensions.
        #[serde(default)]
        z: f32,
    },
    /// How much of an upright line stands in water, m, as a wire gauge reads it: the volume of the particles within a
    /// support radius of the line over the area of that circle, as far as it lies in the box. Splashes count for what
    /// water they hold. Reads too little within a support radius of a solid, which takes up some of the room.
    WettedLength {
        /// Heads its column.
        name: String,
        /// Where the line stands, m.
        x: f32,
        /// Where the line stands, m; says nothing in two dimensions.
        #[serde(default)]
        z: f32,
    },
    /// Pressure at a point, Pa: the mean over the particles within a support radius, weighted by the smoothing kernel
    /// (Shepard 1968). 0 where it is dry.
    Pressure {
        /// Heads its column.
        name: String,
        /// m.
        at: Vec3,
    },
    /// How far the water reaches in a direction, m: where all but half a percent of the particles are behind, and half
    /// a spacing more. Nothing where there are no particles.
    Front {
        /// Heads its column.
        name: String,
        /// Of any length. The front is measured along it from the origin, so (1, 0, 0) gives the front's x.
        direction: Vec3,
        /// Only particles lower than this over the box's floor count, m: without it thrown drops do too.
        #[serde(default = "no_limit")]
        below: f32,
        /// Percent of the particles that are behind the front; 100 takes the foremost.
        #[serde(default = "most")]
        percent: f32,
    },
    /// What the water presses the box's floor down with, N: the walls' share of the particles' pressure, as the solver's
    /// forces have it.
    FloorForce,
    /// Kinetic and potential energy of all particles, J; in two dimensions J a metre. Potential energy is zero at the
    /// box's lowest corner and at the central gravity's point. What compression stores is not in it.
    Energy,
    /// Kinetic energy of all particles, J.
    KineticEnergy,
    /// Momentum of all particles and free bodies, kg m/s, along x, y and z.
    Momentum,
    /// By how much particles that are denser than at rest are so, %: the mean over those.
    DensityError,
    /// Where a body's center of mass is, m, along x, y and z.
    BodyPosition {
        /// Heads its columns.
        name: String,
        /// Which of the scene's bodies, counted from 0.
        body: usize,
    },
    /// How a body is turned from its own frame, degrees around x, then y, then z.
    BodyRotation {
        /// Heads its columns.
        name: String,
        /// Which of the scene's bodies, counted from 0.
        body: usize,
    },
    /// How fast a body's center of mass moves, m/s, along x, y and z.
    BodyVelocity {
        /// Heads its columns.
        name: String,
        /// Which of the scene's bodies, counted from 0.
        body: usize,
    },
    /// What the fluid did to a body in the last step, N, along x, y and z.
    BodyForce {
        /// Heads its columns.
        name: String,
        /// Which of the scene's bodies, counted from 0.
        body: usize,
    },
}

fn no_limit() -> f32 {
    f32::INFINITY
}

/// PHYSICS: fewer would follow single particles ahead of the front.
fn most() -> f32 {
    99.5
}

/// One number of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeColumn {
    /// What it is, or what the scene calls it.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
}

impl ProbeColumn {
    fn new(name: impl Into<String>, unit: &'static str) -> Self {
        Self { name: name.into(), unit }
    }

    /// Name and unit in one word, as the head of a column in a file.
    pub fn head(&self) -> String {
        let unit = self.unit.replace('%', "percent").replace('/', "_per_").replace(' ', "_");
        format!("{}_{unit}", self.name)
    }
}

impl Probe {
    /// Its columns.
    pub fn columns(&self, dimensions: Dimensions) -> Vec<ProbeColumn> {
        // In two dimensions there is a layer one metre thick, of which everything is told per metre.
        let (energy, momentum, force) = match dimensions {
            Dimensions::Three => ("J", "kg m/s", "N"),
            Dimensions::Two => ("J/m", "kg/s", "N/m"),
        };
        match self {
            Self::WaterHeight { name, .. } | Self::WettedLength { name, .. } | Self::Front { name, .. } => {
                vec![ProbeColumn::new(name, "m")]
            }
            Self::Pressure { name, .. } => vec![ProbeColumn::new(name, "Pa")],
            Self::FloorForce => vec![ProbeColumn::new("floor_force", force)],
            Self::Energy => vec![ProbeColumn::new("energy", energy)],
            Self::KineticEnergy => vec![ProbeColumn::new("kinetic_energy", energy)],
            Self::Momentum => {
                ["x", "y", "z"].map(|axis| ProbeColumn::new(format!("momentum_{axis}"), momentum)).to_vec()
            }
            Self::DensityError => vec![ProbeColumn::new("density_error", "%")],
            Self::BodyPosition { name, .. } => along_axes(name, "m"),
            Self::BodyRotation { name, .. } => along_axes(name, "degrees"),
            Self::BodyVelocity { name, .. } => along_axes(name, "m/s"),
            Self::BodyForce { name, .. } => along_axes(name, "N"),
        }
    }

    /// What is wrong with it in a scene, and what would be right.
    fn fault(&self, scene: &Scene) -> Option<&'static str> {
        let flat = scene.dimensions == Dimensions::Two;
        let inside = |point: Vec3| {
            let within = point.cmpge(scene.low) & point.cmple(scene.high);
            within.x && within.y && (within.z || flat)
        };
        match self {
            Self::WaterHeight { name, .. }
            | Self::WettedLength { name, .. }
            | Self::Pressure { name, .. }
            | Self::Front { name, .. }
            | Self::BodyPosition { name, .. }
            | Self::BodyRotation { name, .. }
            | Self::BodyVelocity { name, .. }
            | Self::BodyForce { name, .. }
                if name.trim().is_empty() =>
            {
                Some("must have a name")
            }
            Self::BodyPosition { body, .. }
            | Self::BodyRotation { body, .. }
            | Self::BodyVelocity { body, .. }
            | Self::BodyForce { body, .. }
                if *body >= scene.bodies.len() =>
            {
                Some("must name one of the scene's bodies, counted from 0")
            }
            Self::WaterHeight { x, z, .. } | Self::WettedLength { x, z, .. }
                if !inside(Vec3::new(*x, scene.low.y, *z)) =>
            {
                Some("must stand in the box, x and z in m")
            }
            Self::Pressure { at, .. } if !inside(*at) => Some("must lie in the box, in m"),
            Self::Front { direction, .. } if direction.try_normalize().is_none() => {
                Some("must have a direction that is finite and not zero")
            }
            Self::Front { below, .. } if below.is_nan() || *below <= 0.0 => {
                Some("must be below a height over the floor, in m")
            }
            Self::Front { percent, .. } if !(1.0..=100.0).contains(percent) => Some("must be from 1 to 100 percent"),
            _ => None,
        }
    }
}

/// Columns of a vector.
fn along_axes(name: &str, unit: &'static str) -> Vec<ProbeColumn> {
    ["x", "y", "z"].map(|axis| ProbeColumn::new(format!("{name}_{axis}"), unit)).to_vec()
}

/// The first probe that makes no sense in its scene: its place and what is wrong.
pub(super) fn first_fault(scene: &Scene) -> Option<(usize, &'static str)> {
    let mut heads = BTreeSet::new();
    scene.probes.iter().enumerate().find_map(|(index, probe)| {
        let fault = probe.fault(scene);
        let mut columns = probe.columns(scene.dimensions).into_iter();
        let taken = || columns.any(|column| !heads.insert(column.head())).then_some("has the name of one before it");
        fault.or_else(taken).map(|fault| (index, fault))
    })
}

/// Water as probes see it.
#[derive(Clone, Copy)]
pub struct Probed<'a> {
    /// The particles.
    pub frame: &'a Frame,
    /// The bodies at the same time, in the scene's order.
    pub bodies: &'a [BodyState],
    /// The scene, as edited.
    pub scene: &'a Scene,
    /// Its resolution.
    pub resolution: &'a Resolution,
    /// The kernel that pressures are weighted with.
    pub kernel: SmoothingKernel,
}

impl Probed<'_> {
    /// What the scene's probes read, in the order of their columns; `None` where there is nothing to read.
    pub fn readings(&self) -> Vec<Option<f64>> {
        self.scene.probes.iter().flat_map(|probe| self.reading(probe)).collect()
    }

    fn reading(&self, probe: &Probe) -> Vec<Option<f64>> {
        match probe {
            Probe::WaterHeight { x, z, .. } => vec![Some(self.water_height(*x, *z))],
            Probe::WettedLength { x, z, .. } => vec![Some(self.wetted_length(*x, *z))],
            Probe::Pressure { at, .. } => vec![Some(self.pressure(*at))],
            Probe::FloorForce => vec![Some(self.floor_force())],
            Probe::Front { direction, below, percent, .. } => vec![self.front(*direction, *below, *percent)],
            Probe::Energy => vec![Some(self.kinetic_energy() + self.potential_energy())],
            Probe::KineticEnergy => vec![Some(self.kinetic_energy())],
            Probe::Momentum => self.momentum().to_array().map(Some).to_vec(),
            Probe::DensityError => vec![self.scene.solver.is_fluid().then(|| self.density_error())],
            Probe::BodyPosition { body, .. } => self.of_body(*body, |state| state.position),
            Probe::BodyRotation { body, .. } => self.of_body(*body, |state| {
                let (z, y, x) = state.rotation.to_euler(EulerRot::ZYX);
                Vec3::new(x, y, z) * 180.0 / std::f32::consts::PI
            }),
            Probe::BodyVelocity { body, .. } => self.of_body(*body, |state| state.velocity),
            Probe::BodyForce { body, .. } => self.of_body(*body, |state| state.force),
        }
    }

    fn of_body(&self, body: usize, vector: impl Fn(&BodyState) -> Vec3) -> Vec<Option<f64>> {
        let found = self.bodies.get(body).map(|state| vector(state).as_dvec3());
        (0..3).map(|axis| found.map(|vector| vector[axis])).collect()
    }

    fn positions(&self) -> impl Iterator<Item = DVec3> {
        self.frame.positions.iter().map(|&position| Vec3::from(position).as_dvec3())
    }

    fn velocities(&self) -> impl Iterator<Item = DVec3> {
        self.frame.velocities.iter().map(|&velocity| Vec3::from(velocity).as_dvec3())
    }

    fn mass(&self) -> f64 {
        self.resolution.particle_mass.into()
    }

    fn radius(&self) -> f64 {
        self.resolution.support_radius.into()
    }

    /// What a particle reaches beyond its position, m.
    fn half_spacing(&self) -> f64 {
        0.5 * f64::from(self.resolution.spacing)
    }

    /// z that a probe at `z` stands at: in two dimensions there is one.
    fn depth(&self, z: f32) -> f32 {
        if self.scene.dimensions == Dimensions::Two { self.scene.plane() } else { z }
    }

    fn water_height(&self, x: f32, z: f32) -> f64 {
        let line = DVec3::new(x.into(), 0.0, self.depth(z).into());
        let near = |position: &DVec3| (*position - line).with_y(0.0).length() <= self.radius();
        let floor = f64::from(self.scene.low.y);
        let highest = self.positions().filter(near).map(|position| position.y).reduce(f64::max);
        highest.map_or(0.0, |highest| highest - floor + self.half_spacing())
    }

    fn wetted_length(&self, x: f32, z: f32) -> f64 {
        const SLICES: u32 = 512;
        let is_plane = self.scene.dimensions == Dimensions::Two;
        let line = DVec3::new(x.into(), 0.0, self.depth(z).into());
        let near = |position: &DVec3| (*position - line).with_y(0.0).length() <= self.radius();
        let count = self.positions().filter(near).count() as f64;
        let volume = count * f64::from(self.resolution.spacing).powf(self.scene.dimensions.count());
        let (low, high) = (self.scene.low.as_dvec3(), self.scene.high.as_dvec3());
        let width = 2.0 * self.radius() / f64::from(SLICES);
        // What of the circle lies in the box, slice by slice; in two dimensions a slice counts by its width.
        let slice = |number: u32| {
            let along = width * (f64::from(number) + 0.5) - self.radius();
            let half = (self.radius() * self.radius() - along * along).sqrt();
            let deep = if is_plane { 1.0 } else { (line.z + half).min(high.z) - (line.z - half).max(low.z) };
            if (low.x..=high.x).contains(&(line.x + along)) { width * deep.max(0.0) } else { 0.0 }
        };
        volume / (0..SLICES).map(slice).sum::<f64>()
    }

    /// The push of the floor alone on each particle is (p / ρ) times the slope of its ψ (see `boundary.rs`).
    fn floor_force(&self) -> f64 {
        let spacing = f64::from(self.resolution.spacing);
        let wall = Wall::new(self.kernel, self.scene.dimensions, self.radius() / spacing);
        let floor = f64::from(self.scene.low.y);
        let pressed = self.positions().zip(self.frame.pressures.iter().zip(&self.frame.densities));
        let push = |(position, (&pressure, &density)): (DVec3, (&f32, &f32))| {
            let (_, slope) = wall.at((position.y - floor).max(0.0) / spacing);
            -f64::from(pressure) / f64::from(density) * slope / spacing
        };
        self.mass() * pressed.map(push).sum::<f64>()
    }

    fn pressure(&self, at: Vec3) -> f64 {
        let at = at.with_z(self.depth(at.z)).as_dvec3();
        let (mut sum, mut weights) = (0.0, 0.0);
        for (position, &pressure) in self.positions().zip(&self.frame.pressures) {
            let weight = self.kernel.shape(position.distance(at) / self.radius());
            sum += weight * f64::from(pressure);
            weights += weight;
        }
        if weights > 0.0 { sum / weights } else { 0.0 }
    }

    fn front(&self, direction: Vec3, below: f32, percent: f32) -> Option<f64> {
        let direction = direction.as_dvec3().normalize();
        let ceiling = f64::from(self.scene.low.y) + f64::from(below);
        let low = self.positions().filter(|position| position.y < ceiling);
        let mut places: Vec<f64> = low.map(|position| position.dot(direction)).collect();
        // The smallest place that has that share of all at or behind it.
        let rank = (f64::from(percent) / 100.0 * places.len() as f64).ceil() as usize;
        let rank = rank.clamp(1, places.len().max(1)) - 1;
        if places.is_empty() {
            return None;
        }
        let (_, place, _) = places.select_nth_unstable_by(rank, f64::total_cmp);
        Some(*place + self.half_spacing())
    }

    fn kinetic_energy(&self) -> f64 {
        0.5 * self.mass() * self.velocities().map(DVec3::length_squared).sum::<f64>()
    }

    fn potential_energy(&self) -> f64 {
        let (gravity, low) = (self.scene.gravity.as_dvec3(), self.scene.low.as_dvec3());
        let pull = &self.scene.central_gravity;
        let center = pull.center.with_z(self.depth(pull.center.z)).as_dvec3();
        let of = |position: DVec3| {
            0.5 * f64::from(pull.strength) * position.distance_squared(center) - gravity.dot(position - low)
        };
        self.mass() * self.positions().map(of).sum::<f64>()
    }

    fn momentum(&self) -> DVec3 {
        let free = self.bodies.iter().filter(|state| state.mass.is_finite());
        let of_bodies: DVec3 = free.map(|state| f64::from(state.mass) * state.velocity.as_dvec3()).sum();
        self.mass() * self.velocities().sum::<DVec3>() + of_bodies
    }

    fn density_error(&self) -> f64 {
        let rest = f64::from(self.scene.material.rest_density);
        let compressions = self.frame.densities.iter().map(|&density| f64::from(density) / rest - 1.0);
        let (sum, count) = compressions
            .filter(|&compression| compression > 0.0)
            .fold((0.0, 0_u32), |(sum, count), compression| (sum + compression, count + 1));
        100.0 * sum / f64::from(count.max(1))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{Probe, ProbeColumn, Probed};
    use crate::files::Frame;
    use crate::fluid::{CentralGravity, Dimensions, Resolution, Scene, SmoothingKernel};

    const KERNEL: SmoothingKernel = SmoothingKernel::Poly6;

    fn scene(probes: &str) -> Scene {
        let text = format!(
            "(title: \"\", description: \"\", low: (-1.0, 2.0, -1.0), high: (9.0, 12.0, 1.0),
            blocks: [(low: (-1.0, 2.0, -1.0), high: (9.0, 4.0, 1.0))], gravity: (0.0, -10.0, 0.0), probes: [{probes}],
            material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.1, radius_ratio: 2.0),
            camera: (eye: (1.0, 1.0, 1.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0))"
        );
        Scene::parse("probed.ron", &text).unwrap_or_else(|error| panic!("{error}"))
    }

    const RESOLUTION: Resolution = Resolution {
        particle_count: 4,
        reservoir_count: 0,
        boundary_count: 0,
        cloth_count: 0,
        spacing: 0.5,
        support_radius: 1.0,
        particle_mass: 2.0,
        sound_speed: 100.0,
        time_step: 0.001,
    };

    /// Four particles: two below each other at x = 0, one a little beside them, one far off and high.
    fn frame() -> Frame {
        Frame {
            time: 0.0,
            step: 0,
            indices: vec![0, 1, 2, 3],
            positions: vec![[0.0, 2.25, 0.0], [0.0, 2.75, 0.0], [0.5, 3.25, 0.0], [8.0, 10.0, 0.0]],
            velocities: vec![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [-3.0, 0.0, 4.0]],
            densities: vec![1010.0, 990.0, 1030.0, 500.0],
            pressures: vec![300.0, 100.0, 0.0, 0.0],
        }
    }

    fn readings(scene: &Scene, frame: &Frame) -> Vec<Option<f64>> {
        Probed { frame, bodies: &[], scene, resolution: &RESOLUTION, kernel: KERNEL }.readings()
    }

    fn read(probes: &str) -> Vec<Option<f64>> {
        readings(&scene(probes), &frame())
    }

    #[test]
    fn heights_stand_over_the_floor_and_end_half_a_spacing_above_the_highest() {
        let height = |x: f32, z: f32| read(&format!("WaterHeight(name: \"h\", x: {x:?}, z: {z:?})"));
        assert_eq!(height(0.0, 0.0), [Some(1.5)], "the particle beside the line is within the radius");
        assert_eq!(height(-0.6, 0.0), [Some(1.0)], "and here it is not");
        assert_eq!(height(0.5, 0.9), [Some(1.5)]);
        assert_eq!(height(4.0, 0.0), [Some(0.0)], "a dry place");
    }

    #[test]
    fn wetted_lengths_hold_the_water_that_is_there() {
        // Particles 0.5 m apart fill x = 0 to 8 m and z = -1 to 1 m up to 2 m; a drop flies 5 m over them.
        let mut filled = frame();
        let place = |n: u16| [n % 16, n / 16 % 4, n / 64].map(|n| 0.25 + 0.5 * f32::from(n));
        filled.positions = (0..256).map(place).map(|[x, y, z]| [x, y + 2.0, z - 1.0]).collect();
        filled.positions.push([4.0, 9.0, 0.0]);
        let length = |x: f32, z: f32, dimensions| {
            let mut scene = scene(&format!("WettedLength(name: \"w\", x: {x:?}, z: {z:?})"));
            scene.dimensions = dimensions;
            readings(&scene, &filled)[0].expect("a reading")
        };
        // Twelve columns of four within 1 m, over a circle of 3.14 m² in a box from z = -1 to 1; one drop more.
        let expected = (48.0 + 1.0) * 0.125 / std::f64::consts::PI;
        let found = length(4.0, 0.0, Dimensions::Three);
        assert!((found / expected - 1.0).abs() < 1e-3, "{found}, not {expected}");
        // At the side wall half the circle is in the box.
        let expected = (6.0 * 4.0 + 1.0) * 0.125 / (0.5 * std::f64::consts::PI);
        let found = length(4.0, 1.0, Dimensions::Three);
        assert!((found / expected - 1.0).abs() < 0.2, "{found}, not {expected}");
        assert!(length(8.9, 0.0, Dimensions::Three).abs() < 1e-12, "a dry place");
        let apart = length(0.0, 0.0, Dimensions::Two) - length(0.0, 0.7, Dimensions::Two);
        assert!(apart.abs() < 1e-12, "z says something in a plane");
    }

    #[test]
    fn the_floor_bears_what_a_lattice_under_pressure_presses_it_with() {
        // Layers half a spacing, one and a half ... over the floor, all under the same pressure: p times the area, up
        // to the lattice's own stress (see `a_wall_is_pushed_with_the_stress_of_the_lattice`).
        let mut layers = frame();
        layers.positions = (0..4_u16).map(|layer| [0.0, 2.25 + 0.5 * f32::from(layer), 0.0]).collect();
        layers.pressures = vec![400.0; 4];
        layers.densities = vec![1000.0; 4];
        let mut scene = scene("FloorForce");
        let one = readings(&scene, &layers)[0].expect("a reading");
        // A particle of 2 kg takes the room of 0.002 m³, 0.5 m high.
        let expected = 400.0 * 0.002 / 0.5;
        assert!((0.85..1.2).contains(&(one / expected)), "{one}, not {expected}");
        layers.positions.iter_mut().for_each(|position| position[1] += 3.0);
        assert_eq!(readings(&scene, &layers), [Some(0.0)], "water that does not touch the floor");
        scene.dimensions = Dimensions::Two;
        assert_eq!(scene.probe_columns()[0].head(), "floor_force_N_per_m");
    }

    #[test]
    fn pressures_are_the_mean_weighted_by_the_kernel() {
        let pressure = |x: f32, y: f32| read(&format!("Pressure(name: \"p\", at: ({x:?}, {y:?}, 0.0))"));
        let weight = |distance_squared: f64| (1.0 - distance_squared).powi(3);
        let (own, other, beside) = (weight(0.0), weight(0.25), weight(0.5));
        let [Some(middle)] = pressure(0.0, 2.75)[..] else { panic!("no pressure") };
        let expected = (300.0 * other + 100.0 * own) / (own + other + beside);
        assert!((middle / expected - 1.0).abs() < 1e-12, "{middle}, not {expected}");
        assert_eq!(pressure(4.0, 3.0), [Some(0.0)], "a dry place");
        // A mean of what is the same everywhere is that, near the surface too.
        let mut even = frame();
        even.pressures.fill(70.0);
        let near = scene("Pressure(name: \"p\", at: (-0.7, 2.0, 0.3))");
        assert!((readings(&near, &even)[0].expect("a reading") - 70.0).abs() < 1e-12);
    }

    #[test]
    fn fronts_leave_out_the_foremost_half_percent_and_what_is_high() {
        assert_eq!(read("Front(name: \"f\", direction: (1.0, 0.0, 0.0))"), [Some(8.25)]);
        assert_eq!(read("Front(name: \"f\", direction: (3.0, 0.0, 0.0), below: 1.0)"), [Some(0.25)]);
        assert_eq!(read("Front(name: \"f\", direction: (-1.0, 0.0, 0.0))"), [Some(0.25)]);
        assert_eq!(read("Front(name: \"f\", direction: (1.0, 0.0, 0.0), percent: 75.0)"), [Some(0.75)]);
        assert_eq!(read("Front(name: \"f\", direction: (1.0, 0.0, 0.0), below: 0.1)"), [None]);
        // A thousand particles at 0, 1, 2 ... mm: 99.5 % are at or behind 994 mm, all at 999 mm.
        let mut many = frame();
        many.positions = (0..1000_u16).map(|x| [f32::from(x) / 1024.0, 3.0, 0.0]).collect();
        for (percent, last) in [(99.5, 994.0), (100.0, 999.0), (50.0, 499.0)] {
            let scene = scene(&format!("Front(name: \"f\", direction: (1.0, 0.0, 0.0), percent: {percent:?})"));
            assert_eq!(readings(&scene, &many), [Some(last / 1024.0 + 0.25)], "{percent} %");
        }
    }

    #[test]
    fn energy_momentum_and_density_error_are_sums_over_the_particles() {
        // Masses of 2 kg, g = 10 m/s², heights over the floor 0.25, 0.75, 1.25 and 8 m.
        let (kinetic, potential) = (1.0 + 4.0 + 25.0, 20.0 * (0.25 + 0.75 + 1.25 + 8.0));
        let values = read("Energy, KineticEnergy, Momentum, DensityError");
        let [energy, moving, x, y, z, error] = values[..] else { panic!("{values:?}") };
        assert_eq!([energy, moving], [Some(kinetic + potential), Some(kinetic)]);
        assert_eq!([x, y, z], [Some(-4.0), Some(4.0), Some(8.0)]);
        let error = error.expect("a reading");
        assert!((error - 2.0).abs() < 1e-9, "1 % and 3 %: {error}");
        let mut scene = scene("Energy");
        scene.gravity = Vec3::ZERO;
        scene.central_gravity = CentralGravity { center: Vec3::new(0.0, 2.25, 0.0), strength: 4.0 };
        let spring = 4.0 * (0.0 + 0.25 + 1.25 + (64.0 + 7.75 * 7.75));
        assert_eq!(readings(&scene, &frame()), [Some(kinetic + spring)]);
    }

    #[test]
    fn columns_name_units_and_two_dimensions_count_per_metre() {
        let mut scene = scene(
            "WaterHeight(name: \"H1\", x: 0.0), Pressure(name: \"P1\", at: (0.0, 3.0, 0.0)), Energy, Momentum, \
             DensityError",
        );
        let momentum = ["momentum_x_kg_m_per_s", "momentum_y_kg_m_per_s", "momentum_z_kg_m_per_s"];
        let rest = ["H1_m", "P1_Pa", "energy_J"];
        let expected: Vec<_> = rest.into_iter().chain(momentum).chain(["density_error_percent"]).collect();
        let heads = |scene: &Scene| scene.probe_columns().iter().map(ProbeColumn::head).collect::<Vec<_>>();
        assert_eq!(heads(&scene), expected);
        scene.dimensions = Dimensions::Two;
        assert_eq!(heads(&scene)[2..4], ["energy_J_per_m", "momentum_x_kg_per_s"]);
        // The plane is at z = 0, wherever the probe is said to stand.
        scene.probes = vec![Probe::WaterHeight { name: "H1".into(), x: 0.0, z: 50.0 }];
        assert_eq!(readings(&scene, &frame()), [Some(1.5)]);
    }

    #[test]
    fn probes_that_make_no_sense_are_refused_by_their_place() {
        let refused = [
            ("WaterHeight(name: \"\", x: 0.0)", "probes[0]: must have a name"),
            ("Energy, WaterHeight(name: \"h\", x: 9.5)", "probes[1]: must stand in the box"),
            ("Pressure(name: \"p\", at: (0.0, 1.0, 0.0))", "probes[0]: must lie in the box"),
            ("Pressure(name: \"p\", at: (0.0, NaN, 0.0))", "probes[0]: must lie in the box"),
            ("Front(name: \"f\", direction: (0.0, 0.0, 0.0))", "probes[0]: must have a direction"),
            ("Front(name: \"f\", direction: (1.0, 0.0, 0.0), below: -1.0)", "probes[0]: must be below"),
            ("Front(name: \"f\", direction: (1.0, 0.0, 0.0), percent: 101.0)", "probes[0]: must be from 1 to 100"),
            ("Energy, Energy", "probes[1]: has the name of one before it"),
        ];
        let good = scene("");
        for (probes, sentence) in refused {
            let mut scene = good.clone();
            scene.probes = ron::from_str(&format!("[{probes}]")).expect("RON");
            let error = scene.check("probed.ron").expect_err("it makes no sense").to_string();
            assert!(error.contains(sentence), "{error}");
        }
    }
}
