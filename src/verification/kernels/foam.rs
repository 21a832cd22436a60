//! What water makes of foam, and how foam moves with it, computed in double precision: trapped air, crests, kinetic
//! energy, classes, and velocities (Ihmsen et al. 2012, section 3).

use glam::{DVec3, Vec3};

use super::run::{Run, random_velocities, scattered};
use super::visiting::{ONCE, ONCE_IN_WORKGROUPS, TWICE};
use super::water::{Method, SPACING, Tank};
use super::{Measure, Property};
use crate::fluid::{FoamWork, Scene, SmoothingKernel};

const KERNEL: SmoothingKernel = SmoothingKernel::WendlandC2;
/// Kinetic energies, J/kg, sums of approaching speeds, m/s, and curvatures between which potentials grow from 0 to 1,
/// so that most of the water is between them.
const KINETIC: [f64; 2] = [0.02, 0.4];
const TRAPPED: [f64; 2] = [1.0, 9.0];
const CRESTS: [f64; 2] = [0.2, 4.0];
/// Diffuse particles that each potential makes, 1/s.
const RATES: [f64; 2] = [9_000.0, 7_000.0];
/// Shortest and longest life of foam, s.
const LIVES: [f64; 2] = [1.0, 5.0];
/// Number of the diffuse particles that are in the water at the start.
const DIFFUSE: usize = 60;

/// A lump of water with random velocities at the low wall along x, in which there is a ball.
pub(super) const FOAM: Property = Property {
    name: "foam arises from trapped air and crests, and moves with the water",
    is_quick: true,
    scenes: |water| {
        // Foam is the same for every solver.
        if water.method != Method::EquationOfState || !water.sums_densities() {
            return Ok(Vec::new());
        }
        let half = Vec3::splat(4.0 * SPACING);
        let tank = Tank {
            material: "viscosity: 0.1",
            solids: "boundaries: [Sphere(center: (0.1, 0.1, 0.0), radius: 0.16)],",
            ..Tank::still(Vec3::new(-0.46, -1.0, -1.0), Vec3::ONE, [-half, half])
        };
        let mut scene = water.scene(&tank)?;
        for setting in [
            "capacity=400".to_owned(),
            format!("kinetic_least={:?}", KINETIC[0]),
            format!("kinetic_most={:?}", KINETIC[1]),
            format!("trapped_least={:?}", TRAPPED[0]),
            format!("trapped_most={:?}", TRAPPED[1]),
            format!("crest_least={:?}", CRESTS[0]),
            format!("crest_most={:?}", CRESTS[1]),
            format!("trapped_air={:?}", RATES[0]),
            format!("wave_crests={:?}", RATES[1]),
            format!("shortest_life={:?}", LIVES[0]),
            format!("longest_life={:?}", LIVES[1]),
        ] {
            scene.solver_settings.parse(&format!("foam.{setting}"))?;
        }
        Ok(vec![scene])
    },
    measure: |gpu, _, scenes| {
        let scene = &scenes[0];
        let mut measures = Vec::new();
        for way in [TWICE, ONCE, ONCE_IN_WORKGROUPS] {
            let mut run = Run::with(gpu, scene, &way.settings(scene)?)?;
            let places: Vec<Vec3> = scattered(&run.frame()?, 0.5).iter().map(|place| 1.05 * *place).collect();
            let velocities: Vec<Vec3> = random_velocities(places.len()).iter().map(|it| 1.3 * *it).collect();
            run.simulation.set_particles(&places, &velocities)?;
            let diffuse: Vec<(Vec3, Vec3)> = (0..DIFFUSE)
                .map(|number| (places[number * places.len() / DIFFUSE] + 0.03 * Vec3::ONE, Vec3::new(0.1, 0.2, -0.3)))
                .collect();
            run.put_foam(&diffuse);
            let steps = run.simulation.steps_of_foam().unwrap_or(1);
            run.steps(steps)?;
            let time_step = steps as f64 * f64::from(run.simulation.resolution().time_step);
            let work = run.foam_work()?;
            let lump = Lump::new(scene, &run, &work)?;
            measures.extend(lump.compare(&work, &diffuse, time_step).map(|(what, value, most)| {
                Measure::new(format!("{what}, with pairs visited {}", way.words), value, most)
            }));
        }
        Ok(measures)
    },
};

/// A particle of the water after the step.
struct Particle {
    place: DVec3,
    velocity: DVec3,
}

/// The water around which foam arises.
struct Lump {
    water: Vec<Particle>,
    /// Particles of solids with their weights, those of the water being 1.
    solids: Vec<(DVec3, f64)>,
    radius: f64,
    /// Number of neighbors in full water of the paper over that of the scene.
    scale: f64,
    /// Lowest and highest corner of the box, m.
    walls: [DVec3; 2],
}

/// What a particle of the water makes.
struct Source {
    number: f64,
    life: f64,
    neighbors: f64,
}

fn potential(value: f64, [least, most]: [f64; 2]) -> f64 {
    ((value - least) / (most - least)).clamp(0.0, 1.0)
}

/// The classes of diffuse particles as shaders number them.
const SPRAY: u32 = 2;
const FROTH: u32 = 3;
const BUBBLE: u32 = 4;

/// The class of a diffuse particle with this number of neighbors.
fn class(neighbors: f64) -> u32 {
    if neighbors < 6.0 {
        SPRAY
    } else if neighbors > 20.0 {
        BUBBLE
    } else {
        FROTH
    }
}

impl Lump {
    fn new(scene: &Scene, run: &Run<'_>, work: &FoamWork) -> Result<Self, crate::verification::VerificationError> {
        let weights = run.solid_arrays()?.into_iter().map(|[weight, _]| -f64::from(weight));
        let radius = f64::from(run.simulation.resolution().support_radius);
        // The paper's support is of two spacings, 33.5 neighbors.
        let scale = (2.0 / f64::from(scene.radius_ratio())).powi(3);
        let water = work
            .water
            .iter()
            .map(|(place, velocity)| Particle { place: place.as_dvec3(), velocity: velocity.as_dvec3() });
        Ok(Self {
            water: water.collect(),
            solids: run.solid_places()?.into_iter().zip(weights).collect(),
            radius,
            scale,
            walls: [scene.low.as_dvec3(), scene.high.as_dvec3()],
        })
    }

    /// The particles of the water within the radius of a place, m, with the offset from them, m, and q; the particle
    /// of a number is left out.
    fn around(&self, place: DVec3, but: usize) -> impl Iterator<Item = (usize, DVec3, f64)> {
        let offsets = self.water.iter().enumerate().map(move |(number, other)| (number, place - other.place));
        let all = offsets.filter(move |(number, _)| *number != but);
        all.map(|(number, offset)| (number, offset, offset.length() / self.radius)).filter(|(.., q)| *q < 1.0)
    }

    /// A number of neighbors in those of the paper, as if the water continued beyond the walls.
    fn scaled(&self, count: usize, place: DVec3) -> f64 {
        let mut within = 1.0;
        for away in [place - self.walls[0], self.walls[1] - place] {
            for q in (away / self.radius).to_array() {
                let rest = 1.0 - q.clamp(0.0, 1.0);
                within *= 1.0 - rest * rest * (3.0 - rest) / 4.0;
            }
        }
        count as f64 * self.scale / within
    }

    /// The normal of the surface at a particle; zero inside the water.
    fn normal(&self, number: usize) -> DVec3 {
        let place = self.water[number].place;
        let of_water: DVec3 = self.around(place, number).map(|(_, offset, q)| (1.0 - q) / self.radius * offset).sum();
        let of_solids: DVec3 = self
            .solids
            .iter()
            .map(|(other, weight)| (place - *other, weight))
            .filter(|(offset, _)| offset.length() < self.radius)
            .map(|(offset, weight)| weight * (1.0 - offset.length() / self.radius) / self.radius * offset)
            .sum();
        let mut gradient = of_water + of_solids;
        for axis in 0..3 {
            if place[axis] - self.walls[0][axis] < self.radius {
                gradient[axis] = gradient[axis].max(0.0);
            }
            if self.walls[1][axis] - place[axis] < self.radius {
                gradient[axis] = gradient[axis].min(0.0);
            }
        }
        if self.scale * gradient.length() > 0.4 { gradient.normalize() } else { DVec3::ZERO }
    }

    fn sources(&self, time_step: f64) -> Vec<Source> {
        let normals: Vec<DVec3> = (0..self.water.len()).map(|number| self.normal(number)).collect();
        let source = |number: usize| {
            let Particle { place, velocity } = &self.water[number];
            let normal = normals[number];
            let (mut trapped, mut curvature, mut count) = (0.0, 0.0, 0);
            for (other, offset, q) in self.around(*place, number) {
                let difference = *velocity - self.water[other].velocity;
                trapped += (1.0 - q) * (difference.length() - difference.dot(offset) / offset.length()).max(0.0);
                let bent = normals[other] != DVec3::ZERO && offset.dot(normal) > 0.0;
                curvature += if bent { (1.0 - q) * (1.0 - normal.dot(normals[other])) } else { 0.0 };
                count += 1;
            }
            let forward = velocity.dot(normal) >= 0.6 * velocity.length();
            let kinetic = potential(0.5 * velocity.length_squared(), KINETIC);
            let trapped = potential(self.scale * trapped, TRAPPED);
            let crest = if forward { potential(self.scale * curvature, CRESTS) } else { 0.0 };
            Source {
                number: kinetic * (RATES[0] * trapped + RATES[1] * crest) * time_step,
                life: LIVES[0] + (LIVES[1] - LIVES[0]) * kinetic * trapped.max(crest),
                neighbors: self.scaled(count, *place),
            }
        };
        (0..self.water.len()).map(source).collect()
    }

    /// What differs, with its largest allowed value.
    fn compare(
        &self,
        work: &FoamWork,
        diffuse: &[(Vec3, Vec3)],
        time_step: f64,
    ) -> impl Iterator<Item = (&'static str, f64, f64)> + use<> {
        let sources = self.sources(time_step);
        let made = sources.iter().filter(|source| source.number > 1.0).count();
        let share = |wrong: usize, of: usize| wrong as f64 / of as f64;
        let pairs = || sources.iter().zip(&work.sources);
        // Births are rounded to one of both whole numbers around, by chance.
        let wrong_number = pairs().filter(|(source, found)| (source.number - f64::from(found.births)).abs() > 1.01);
        let makes = || pairs().filter(|(source, _)| source.number > 1e-6);
        let wrong_life = makes().filter(|(source, found)| (source.life - f64::from(found.life)).abs() > 1e-3);
        let wrong_class = pairs().filter(|(source, found)| class(source.neighbors) != found.class);
        let count = sources.len();
        let (mut wrong_foam, mut moved_wrong) = (0, 0);
        for ((place, velocity), found) in diffuse.iter().zip(&work.diffuse) {
            let place = place.as_dvec3();
            let neighbors: Vec<_> = self.around(place, usize::MAX).collect();
            let expected = class(self.scaled(neighbors.len(), place));
            wrong_foam += usize::from(expected != found.class);
            if expected == FROTH {
                let weights: f64 = neighbors.iter().map(|(.., q)| KERNEL.shape(*q)).sum();
                let mean =
                    neighbors.iter().map(|(it, _, q)| KERNEL.shape(*q) * self.water[*it].velocity).sum::<DVec3>();
                let error = (found.velocity.as_dvec3() - mean / weights).length();
                moved_wrong += usize::from(error > 1e-3 && self.is_free(place, time_step));
            } else if expected == SPRAY {
                let error = (found.velocity - *velocity).length();
                moved_wrong += usize::from(error > 1e-3 && self.is_free(place, time_step));
            }
        }
        // Single particles are within rounding of the angle at which a surface is convex or moves forward.
        [
            ("the share of wrong numbers of particles made", share(wrong_number.count(), count), 0.01),
            ("the share of wrong lives", share(wrong_life.count(), made), 0.01),
            ("the share of wrong classes of what is made", share(wrong_class.count(), count), 0.0),
            ("the share of wrong classes of foam", share(wrong_foam, diffuse.len()), 0.0),
            ("the share of wrong velocities of foam", share(moved_wrong, diffuse.len()), 0.0),
            ("the share of the water that makes nothing", share(count - made, count), 0.5),
        ]
        .into_iter()
    }

    /// Whether a diffuse particle meets neither solids nor walls in a step.
    fn is_free(&self, place: DVec3, time_step: f64) -> bool {
        let reach = self.radius + 2.0 * time_step;
        let off_walls = (place - self.walls[0]).min(self.walls[1] - place).min_element() > 2.0 * time_step;
        off_walls && self.solids.iter().all(|(other, _)| other.distance(place) > reach)
    }
}
