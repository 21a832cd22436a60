//! Cloths: meshes of mass points and springs, in the water or without any.
//!
//! A cloth is a grid of particles with springs to the next ones along its threads (*stretch*), across the squares (*shear*)
//! and to the next but one along the threads (*bend*), each with a damper along it. Its particles are a boundary's to the
//! fluid, so they push it by Akinci's volumes and feel what it does to them to the last bit (`boundaries/mod.rs`); and
//! they take part in the search as all do, which also finds what they touch.
//!
//! After the fluid's step come
//! 1. *cloth contacts*, a pair kernel: particles of cloths keep off each other by a thickness, but for those that springs
//!    join, and off the particles of solids by a spacing: a spring and a damper that never pull, and Coulomb's friction;
//! 2. *cloth*, as many substeps as the springs' fastest swing asks for, from one pair of buffers into another: springs, the
//!    contacts and what the fluid did, gravity, walls;
//! 3. *hand out cloth*, which writes the particles back to where the search put them.
//!
//! The springs need no lists: a particle's partners follow from its place in the grid, and the buffers they are read from
//! are in the order of the grid, row by row. The same buffer is what a cloth is drawn from.
//!
//! Pressure alone would let water through a single layer where it is stretched, so with WCSPH the force between a cloth's
//! particle and the fluid's has a core: what comes nearer than three quarters of a spacing is pushed off hard.
//!
//! All forces between cloth, fluid and solids are opposite to the last bit; a substep adds them up in another order for
//! each particle, so momentum is kept to rounding. Friction at a contact turns, so angular momentum is not.
//!
//! Memory per particle of a cloth: as of a boundary, and 104 bytes. Bad at: cloths lighter than the water they carry, which
//! ask for shorter steps of WCSPH and are refused with the other solvers; stiff cloths of many particles, whose stretching
//! crosses them a particle a substep, so that they sag; and contacts that move farther than a spacing in a step.
//!
//! Sources: X. Provot, Deformation constraints in a mass-spring model to describe rigid cloth behavior, Graphics
//! Interface 1995; S. Bayraktar, U. Güdükbay and B. Özgüç, GPU-based neighbor-search algorithm for particle
//! simulations, JGT 14 (2009), Figure 8.

mod device;

use glam::{UVec2, Vec2, Vec3};
use serde::Deserialize;

pub use device::ClothView;
pub(super) use device::DeviceCloths;
#[cfg(test)]
pub(super) use device::{ClothWords, ClothsWords};

use super::boundaries::boundary_weights;
use super::{FluidError, Resolution, Scene, SmoothingKernel, Solver};

/// Cloths at most.
pub(super) const MOST_CLOTHS: usize = 64;
/// Particles of a cloth along an edge at most: shaders keep a place in the grid in 32 bits.
const MOST_ALONG: u32 = 0xffff;
/// Particles of all cloths at most.
pub(super) const MOST_PARTICLES: u64 = 1 << 24;
/// Substeps of a step at most.
const MOST_SUBSTEPS: u32 = 32;
/// Share of the longest stable substep that is taken.
const SAFETY: f64 = 0.8;
/// A cloth whose counts are left to the resolution has particles that share of a spacing apart: closer than the fluid's,
/// which would leak through otherwise.
const AUTOMATIC: f32 = 0.6;

/// A cloth: a parallelogram at the start.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cloth {
    /// One of its corners, m.
    pub corner: Vec3,
    /// The edge that its rows run along, from the corner, m.
    pub along: Vec3,
    /// The other edge from the corner, m.
    pub across: Vec3,
    /// Particles of a row, and rows. Left out, as many as keep the fluid from leaking through.
    #[serde(default, deserialize_with = "super::scene::some")]
    pub counts: Option<(u32, u32)>,
    /// kg/m².
    pub density: f32,
    /// Of the springs along the threads, N/m: what a metre's width bears over its strain.
    pub stretch: f32,
    /// Of the springs across the squares, N/m.
    pub shear: f32,
    /// Of the springs to the next particle but one, N/m.
    pub bend: f32,
    /// Share of the damping that would keep two particles on a spring from swinging.
    #[serde(default = "usual_damping")]
    pub damping: f32,
    /// Of the air: share of its velocity that it loses a second, 1/s.
    #[serde(default)]
    pub drag: f32,
    /// Coulomb's coefficient against itself, other cloths, solids and walls.
    #[serde(default = "usual_friction")]
    pub friction: f32,
    /// How far it stays off itself, m. Left out, as far as its particles are apart.
    #[serde(default, deserialize_with = "super::scene::some")]
    pub thickness: Option<f32>,
    /// At the start, m/s.
    #[serde(default)]
    pub velocity: Vec3,
    /// Where it is held.
    #[serde(default)]
    pub pinned: Vec<Pin>,
}

/// A part of a cloth that is held where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Pin {
    /// All four corners.
    Corners,
    /// The edge along `along` from the corner.
    Near,
    /// The edge opposite of that.
    Far,
    /// The edge along `across` from the corner.
    Left,
    /// The edge opposite of that.
    Right,
    /// The particle nearest to a point: shares of `along` and `across`, from 0 to 1.
    Point(f32, f32),
}

fn usual_damping() -> f32 {
    0.1
}

fn usual_friction() -> f32 {
    0.3
}

impl Cloth {
    /// What is wrong with its numbers: the field and the reason.
    pub(super) fn fault(&self, scene: &Scene) -> Option<(String, String)> {
        let told = |field: &str, reason: &str| Some((field.to_owned(), reason.to_owned()));
        if !(self.corner.is_finite() && self.along.is_finite() && self.across.is_finite()) {
            return told("corner", "corner and edges must be finite, in m");
        }
        let (u, v) = (self.along.normalize_or_zero(), self.across.normalize_or_zero());
        if u == Vec3::ZERO || v == Vec3::ZERO || u.dot(v).abs() > 0.9 {
            return told("across", "the edges must have a length, in m, and an angle of more than 25 degrees between");
        }
        let ends = [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE].map(|share| self.place(share));
        if ends.iter().any(|end| end.cmplt(scene.low).any() || end.cmpgt(scene.high).any()) {
            return told("corner", "the cloth reaches out of the box; move it inside or enlarge the box");
        }
        if self.counts.is_some_and(|(columns, rows)| columns.min(rows) < 2 || columns.max(rows) > MOST_ALONG) {
            let reason = format!("must be from 2 to {MOST_ALONG} particles along each edge");
            return Some(("counts".into(), reason));
        }
        if !self.velocity.is_finite() {
            return told("velocity", "must be finite, in m/s");
        }
        let thickness = self.thickness.unwrap_or(1.0);
        let ranges = [
            ("density", self.density, 1e-3, 1e6, "kg/m²"),
            ("stretch", self.stretch, 0.0, 1e9, "N/m"),
            ("shear", self.shear, 0.0, 1e9, "N/m"),
            ("bend", self.bend, 0.0, 1e9, "N/m"),
            ("damping", self.damping, 0.0, 1.0, "of the critical damping"),
            ("drag", self.drag, 0.0, 100.0, "1/s"),
            ("friction", self.friction, 0.0, 10.0, "without unit"),
            ("thickness", thickness, 1e-6, 1e3, "m"),
        ];
        for (field, value, least, most, unit) in ranges {
            if !(least..=most).contains(&value) {
                return Some((field.into(), format!("is {value}, and must be from {least} to {most} {unit}")));
            }
        }
        let is_share = |share: &f32| (0.0..=1.0).contains(share);
        let outside = self.pinned.iter().position(|pin| match pin {
            Pin::Point(u, v) => !(is_share(u) && is_share(v)),
            _ => false,
        });
        outside.map(|index| (format!("pinned[{index}]"), "must be a point of shares from 0 to 1".to_owned()))
    }

    /// m; shares of both edges.
    pub(super) fn place(&self, share: Vec2) -> Vec3 {
        self.corner + share.x * self.along + share.y * self.across
    }

    /// m².
    fn area(&self) -> f32 {
        self.along.cross(self.across).length()
    }

    /// Its grid at a resolution of that spacing.
    pub(super) fn sheet(&self, spacing: f32) -> Sheet<'_> {
        let automatic = |edge: Vec3| ((edge.length() / (AUTOMATIC * spacing)).ceil() as u32 + 1).clamp(2, MOST_ALONG);
        let counts = self.counts.unwrap_or_else(|| (automatic(self.along), automatic(self.across)));
        Sheet { cloth: self, counts: counts.into() }
    }
}

/// A cloth cut into particles.
#[derive(Clone, Copy)]
pub(super) struct Sheet<'a> {
    cloth: &'a Cloth,
    /// Particles of a row, and rows.
    pub counts: UVec2,
}

impl Sheet<'_> {
    /// Particles.
    pub(super) fn count(&self) -> u64 {
        u64::from(self.counts.x) * u64::from(self.counts.y)
    }

    /// m, at the start; row by row.
    pub(super) fn points(&self) -> impl Iterator<Item = Vec3> {
        let last = (self.counts - 1).as_vec2();
        self.places().map(move |place| self.cloth.place(place.as_vec2() / last))
    }

    fn places(&self) -> impl Iterator<Item = UVec2> + use<> {
        let counts = self.counts;
        (0..counts.y).flat_map(move |row| (0..counts.x).map(move |column| UVec2::new(column, row)))
    }

    /// Whether each is held, row by row.
    fn pinned(&self) -> impl Iterator<Item = bool> {
        let last = self.counts - 1;
        let held = move |place: UVec2, pin: &Pin| match *pin {
            Pin::Corners => (place.x == 0 || place.x == last.x) && (place.y == 0 || place.y == last.y),
            Pin::Near => place.y == 0,
            Pin::Far => place.y == last.y,
            Pin::Left => place.x == 0,
            Pin::Right => place.x == last.x,
            Pin::Point(u, v) => place == (Vec2::new(u, v) * last.as_vec2()).round().as_uvec2(),
        };
        self.places().map(move |place| self.cloth.pinned.iter().any(|pin| held(place, pin)))
    }

    /// The vectors from a particle to the next in its row, and in the next row, m.
    fn steps(&self) -> [Vec3; 2] {
        let last = (self.counts - 1).as_vec2();
        [self.cloth.along / last.x, self.cloth.across / last.y]
    }

    /// How far its particles are apart, the farther of both ways, m.
    pub(super) fn spacing(&self) -> f32 {
        self.steps().map(Vec3::length).into_iter().fold(0.0, f32::max)
    }

    /// Of a particle, kg.
    pub(super) fn mass(&self) -> f64 {
        f64::from(self.cloth.density) * f64::from(self.cloth.area()) / self.count() as f64
    }

    /// How far it stays off itself, m.
    fn thickness(&self) -> f32 {
        self.cloth.thickness.unwrap_or_else(|| self.spacing())
    }

    /// kg/s of the dampers along springs of that stiffness.
    fn damping(&self, stiffness: f32) -> f64 {
        f64::from(self.cloth.damping) * (2.0 * f64::from(stiffness) * self.mass()).sqrt()
    }

    /// Longest substep that the springs bear, s: dt² ω² + 2 dt γ < 4 for the fastest swing, in which neighbors move against
    /// each other.
    fn longest_substep(&self) -> f64 {
        let [u, v] = self.steps().map(Vec3::as_dvec3);
        let slant = |a: glam::DVec3, b: glam::DVec3| 1.0 + a.normalize().dot(b.normalize()).abs();
        let (threads, squares) = (slant(u, v), slant(u + v, u - v));
        let cloth = self.cloth;
        let fastest = |of: &dyn Fn(f32) -> f64| {
            4.0 * (threads * of(cloth.stretch) + squares * of(cloth.shear) + threads * of(cloth.bend))
        };
        let stiffness = fastest(&|stiffness| f64::from(stiffness));
        let damping = fastest(&|stiffness| self.damping(stiffness)) + f64::from(cloth.drag) * self.mass();
        let mass = self.mass();
        // The smaller root, in the form that bears a stiffness of zero.
        SAFETY * 4.0 * mass / (damping + (damping * damping + 4.0 * stiffness * mass).sqrt()).max(1e-300)
    }
}

/// Spacing of a scene of cloths alone, whose particles come to about `asked`.
pub(super) fn spacing_for(scene: &Scene, asked: u32) -> f32 {
    let area: f32 = scene.cloths.iter().filter(|cloth| cloth.counts.is_none()).map(Cloth::area).sum();
    let counted = scene.cloths.iter().filter(|cloth| cloth.counts.is_some()).map(|cloth| cloth.sheet(1.0));
    if area > 0.0 {
        (area / asked as f32).sqrt() / AUTOMATIC
    } else {
        // As near to each other as the finest, which then stays off solids as far as its particles are apart.
        counted.map(|sheet| sheet.spacing()).fold(f32::INFINITY, f32::min)
    }
}

/// Particles of all cloths.
pub(super) fn count(scene: &Scene, spacing: f32) -> u64 {
    scene.cloths.iter().map(|cloth| cloth.sheet(spacing).count()).sum()
}

/// What each particle of the cloths stands for to the fluid, in their order: as of a boundary's.
pub(super) fn weights(scene: &Scene, kernel: SmoothingKernel, resolution: &Resolution) -> Vec<f32> {
    let of_cloth = |cloth: &Cloth| {
        let points: Vec<_> = cloth.sheet(resolution.spacing).points().collect();
        boundary_weights(&points, kernel, scene.dimensions, resolution)
    };
    scene.cloths.iter().flat_map(of_cloth).collect()
}

/// Share of WCSPH's time step that the cloths bear: the fluid swings a lighter layer faster than its own.
pub(super) fn share_of_step(scene: &Scene, spacing: f32) -> f64 {
    if !scene.has_fluid() {
        return 1.0;
    }
    let layer = f64::from(scene.material.rest_density) * f64::from(spacing);
    let share = |cloth: &Cloth| (f64::from(cloth.density) / (LIGHTEST * layer)).sqrt();
    scene.cloths.iter().map(share).fold(1.0, f64::min)
}

/// Least weight of a cloth that leaves WCSPH its step, in layers of the fluid: pairs swing with half of the frequency that
/// a step bears, and a particle of a cloth stands for about 0.7 of one of the fluid's.
const LIGHTEST: f64 = 0.15;

/// Substeps of a step that the springs of all cloths bear.
fn substeps(scene: &Scene, resolution: &Resolution) -> u32 {
    let step = f64::from(resolution.time_step);
    let of = |cloth: &Cloth| (step / cloth.sheet(resolution.spacing).longest_substep()).ceil();
    scene.cloths.iter().map(of).fold(1.0, f64::max) as u32
}

/// What somebody should know of the cloths, in whole sentences.
pub(super) fn notices(scene: &Scene, resolution: &Resolution) -> Vec<String> {
    let leak = |(number, cloth): (usize, &Cloth)| {
        let (apart, spacing) = (cloth.sheet(resolution.spacing).spacing(), resolution.spacing);
        let sentence = || {
            format!(
                "cloths[{number}] lets water through: its particles are {apart:.4} m apart, and the water's {spacing:.4} m"
            )
        };
        (apart > spacing && scene.has_fluid()).then(sentence)
    };
    scene.cloths.iter().enumerate().filter_map(leak).collect()
}

/// Refuses cloths that the resolution cannot move.
pub(super) fn check(scene: &Scene, resolution: &Resolution) -> Result<(), FluidError> {
    let (radius, spacing) = (resolution.support_radius, resolution.spacing);
    for (number, cloth) in scene.cloths.iter().enumerate() {
        let sheet = cloth.sheet(spacing);
        let refuse =
            |field: &str, reason: String| Err(FluidError::Cloth { cloth: number, field: field.into(), reason });
        if sheet.thickness() > radius {
            return refuse(
                "thickness",
                format!(
                    "is {} m, farther than particles see, {radius} m; give it a smaller one, more particles, or all a \
                     larger radius",
                    sheet.thickness()
                ),
            );
        }
        let whole = f64::from(resolution.time_step);
        let needed = (whole / sheet.longest_substep()).ceil();
        if needed > f64::from(MOST_SUBSTEPS) {
            // A little less, for what is rounded in print.
            let share = 0.99 * (f64::from(MOST_SUBSTEPS) * sheet.longest_substep() / whole).powi(2);
            let most = |stiffness: f32| share * f64::from(stiffness);
            return refuse(
                "stretch",
                format!(
                    "the springs would need {needed} substeps in each of {whole:.2e} s, and {MOST_SUBSTEPS} are made; such \
                     a cloth bears at most {:.3} N/m of stretch, {:.3} of shear and {:.3} of bend, or must be heavier or of \
                     fewer particles",
                    most(cloth.stretch),
                    most(cloth.shear),
                    most(cloth.bend)
                ),
            );
        }
        if !scene.has_fluid() {
            continue;
        }
        let lightest = match scene.solver {
            Solver::Wcsph => 0.0,
            Solver::Pbf => scene.material.rest_density * spacing,
            Solver::Repulsion => resolution.particle_mass / (spacing * spacing),
        };
        if cloth.density < lightest {
            return refuse(
                "density",
                format!(
                    "is {} kg/m², and {} throws about what is lighter than a layer of its particles, {lightest:.3} kg/m²; \
                     make it heavier, use more particles, or WCSPH",
                    cloth.density,
                    scene.solver.label()
                ),
            );
        }
        let near = Vec3::splat(0.5 * spacing);
        let in_block = |point: Vec3| {
            scene
                .blocks
                .iter()
                .position(|block| point.cmpgt(block.low - near).all() && point.cmplt(block.high + near).all())
        };
        if let Some(block) = sheet.points().find_map(in_block) {
            return refuse("corner", format!("it passes through the fluid of blocks[{block}]; move them apart"));
        }
    }
    Ok(())
}
