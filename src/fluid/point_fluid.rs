//! Fluid whose particles are read from a file.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec3;
use serde::Deserialize;

use super::points_at_walls::compressed_by_walls;
use super::scene::limits::{LARGEST_SPEED, fault_of_velocity};
use super::{Dimensions, Scene};
use crate::files::{FileError, Fingerprint, Points, read_points};

/// Fluid particles at explicit positions from a PLY or CSV file.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointFluid {
    /// Path relative to the scene's file.
    pub file: String,
    /// Nominal spacing of the particles, m: it determines the mass, and with the radius ratio the support radius. It
    /// must be the same for all files of a scene, and blocks are filled at this spacing as well.
    pub spacing: f32,
    /// The contents of the file.
    #[serde(skip)]
    pub points: Arc<Points>,
}

impl PartialEq for PointFluid {
    fn eq(&self, other: &Self) -> bool {
        let same_points = Arc::ptr_eq(&self.points, &other.points) || self.points == other.points;
        same_points && self.spacing.to_bits() == other.spacing.to_bits() && self.file == other.file
    }
}

/// Writes the contents of the file but not its name, so that scenes with the same fluid have the same fingerprint.
impl fmt::Debug for PointFluid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [&self.points.positions, &self.points.velocities].map(|values| bytemuck::cast_slice(values));
        let content = bytes.into_iter().fold(Fingerprint::EMPTY, Fingerprint::with);
        formatter
            .debug_struct("PointFluid")
            .field("spacing", &self.spacing)
            .field("points", &content)
            .finish_non_exhaustive()
    }
}

/// Largest number of particles in a cube of one spacing: a lattice has 8 there when its layers lie on the cube's
/// faces.
const CROWDED: usize = 8;
/// Number of particles that a message lists before it says "and more".
const NAMED: usize = 5;

impl PointFluid {
    /// Path of the file of a scene in `folder`.
    pub(super) fn path(&self, folder: &Path) -> PathBuf {
        folder.join(&self.file)
    }

    /// Reads the file, whose path is relative to `folder`.
    pub(super) fn read(&mut self, folder: &Path) -> Result<(), FileError> {
        self.points = Arc::new(read_points(&self.path(folder))?);
        Ok(())
    }

    /// Every particle's position, m, and velocity, m/s.
    pub(super) fn particles(&self) -> impl Iterator<Item = (Vec3, Vec3)> {
        self.points.positions.iter().zip(&self.points.velocities).map(|(&at, &velocity)| (at.into(), velocity.into()))
    }

    /// What is wrong with the fluid in its scene, and how to fix it; `None` where it is valid.
    pub(super) fn fault(&self, scene: &Scene) -> Option<String> {
        if !(self.spacing.is_finite() && self.spacing > 0.0) {
            return Some(format!("the spacing is {}, and must be a positive length in m", self.spacing));
        }
        let flat = scene.dimensions == Dimensions::Two;
        let within = |point: Vec3, low: Vec3, high: Vec3| {
            let within = point.cmpge(low) & point.cmple(high);
            within.x && within.y && (within.z || flat)
        };
        let in_block = |point: Vec3| scene.blocks.iter().any(|block| block.contains(point, scene.dimensions));
        let not_finite = self.places(|(at, velocity)| !(at.is_finite() && velocity.is_finite()));
        let outside = || self.places(|(at, _)| !within(at, scene.low, scene.high));
        let leaving = || self.places(|(_, velocity)| flat && velocity.z != 0.0);
        let among_blocks = || self.places(|(at, _)| in_block(at));
        not_finite
            .map(|places| format!("{places} have a position or velocity that is not finite; leave them out"))
            .or_else(|| {
                let (low, high) = (scene.low, scene.high);
                let told = |places| {
                    format!("{places} lie outside the box from {low} to {high}; move them inside or enlarge the box")
                };
                outside().map(told)
            })
            .or_else(|| {
                leaving().map(|places| format!("{places} have a velocity along z, and must have none in 2 dimensions"))
            })
            .or_else(|| {
                among_blocks().map(|places| format!("{places} lie in a block of fluid; move them or the block"))
            })
            .or_else(|| {
                let places = self.places(|(_, velocity)| fault_of_velocity(velocity).is_some())?;
                Some(format!("{places} are faster than {LARGEST_SPEED:e} m/s; slow them down or leave them out"))
            })
            .or_else(|| self.crowding(flat))
            .or_else(|| self.crowding_at_walls(scene))
    }

    /// Describes the particles for which `is_one` holds: how many there are, and the first few indices; `None` if
    /// there are none.
    fn places(&self, is_one: impl Fn((Vec3, Vec3)) -> bool) -> Option<String> {
        let places = self.particles().enumerate().filter(|&(_, particle)| is_one(particle)).map(|(place, _)| place);
        self.in_words(&places.collect::<Vec<_>>())
    }

    fn in_words(&self, places: &[usize]) -> Option<String> {
        if places.is_empty() {
            return None;
        }
        let first: Vec<_> = places.iter().take(NAMED).map(ToString::to_string).collect();
        let more = if places.len() > NAMED { " and more" } else { "" };
        Some(format!(
            "{} of the {} particles of {} (numbers {}{more}, counted from 0)",
            places.len(),
            self.points.positions.len(),
            self.file,
            first.join(", ")
        ))
    }

    /// Reports coincident particles, between which no direction of repulsion is defined, and crowded ones, which
    /// would fly apart explosively.
    fn crowding(&self, flat: bool) -> Option<String> {
        let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
        let place = |index: u32| {
            let place = Vec3::from(self.points.positions[index as usize]);
            if flat { place.with_z(0.0) } else { place }
        };
        let (mut coincident, mut crowded) = (Vec::new(), Vec::new());
        for index in 0..self.points.positions.len() as u32 {
            let at = place(index);
            let cell = (at.as_dvec3() / f64::from(self.spacing)).floor().as_i64vec3().to_array();
            let others = cells.entry(cell).or_default();
            if others.iter().any(|&other| place(other) == at) {
                coincident.push(index as usize);
            }
            others.push(index);
            if others.len() > CROWDED {
                crowded.push(index as usize);
                // Keep the list short, since comparing each particle with thousands of others would take too long.
                others.truncate(CROWDED);
            }
        }
        let coincident = self.in_words(&coincident);
        let coincident = coincident.map(|places| format!("{places} coincide with an earlier particle; leave them out"));
        coincident.or_else(|| {
            let places = self.in_words(&crowded)?;
            let spacing = self.spacing;
            Some(format!(
                "{places} share a cube with an edge of the spacing of {spacing} m with {CROWDED} others; use a smaller \
                 spacing"
            ))
        })
    }
}

impl PointFluid {
    /// Reports particles that the walls of the box would push away explosively.
    fn crowding_at_walls(&self, scene: &Scene) -> Option<String> {
        let found = compressed_by_walls(&self.points.positions, scene, self.spacing)?;
        let (places, half) = (self.in_words(&found.places)?, 0.5 * self.spacing);
        Some(format!(
            "{places} are nearer to the walls of the box than half a spacing and start with {:.1} times the density at \
             rest; enlarge the box by {half} m beyond them, from {} to {}, or move them inside by as much",
            found.density,
            self.reach(f32::min, f32::INFINITY, scene.low, -half),
            self.reach(f32::max, f32::NEG_INFINITY, scene.high, half),
        ))
    }

    /// The corner of a box in which the outermost particles are half a spacing from the walls; along axes where they
    /// already are it is that of the box, `corner`.
    fn reach(&self, outer: fn(f32, f32) -> f32, start: f32, corner: Vec3, half: f32) -> Vec3 {
        let fold = |axis: usize| self.points.positions.iter().map(|at| at[axis]).fold(start, outer);
        let outermost = Vec3::new(fold(0), fold(1), fold(2)) + half;
        Vec3::from_array([0, 1, 2].map(|axis| outer(outermost[axis], corner[axis])))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use glam::Vec3;

    use crate::fluid::{Resolution, Scene, SceneError, SmoothingKernel, lattice};

    /// A scene with a block at its left end and points from a file.
    fn text(points: &str) -> String {
        format!(
            "(title: \"\", description: \"\", low: (0.0, 0.0, 0.0), high: (4.0, 2.0, 1.0),
            blocks: [(low: (0.0, 0.0, 0.0), high: (1.0, 1.0, 1.0))], gravity: (0.0, -10.0, 0.0), points: [{points}],
            material: (rest_density: 1000.0, sound_speed_factor: 10.0, viscosity: 0.1, radius_ratio: 2.0),
            camera: (eye: (1.0, 1.0, 1.0), target: (0.0, 0.0, 0.0), vertical_fov_degrees: 40.0))"
        )
    }

    fn scene(folder: &Path, csv: &str) -> Result<Scene, SceneError> {
        std::fs::write(folder.join("drops.csv"), csv).expect("it can be written");
        let file = folder.join("mine.ron");
        std::fs::write(&file, text("(file: \"drops.csv\", spacing: 0.25)")).expect("it can be written");
        Scene::load(&file.display().to_string())
    }

    #[test]
    fn particles_are_placed_as_in_the_file_and_set_the_spacing() {
        let folder = tempfile::tempdir().expect("a folder");
        let scene = scene(folder.path(), "x,y,z,vx,vy,vz\n2,1,0.5,0,-3,0\n2.5,1.5,0.5,1,0,0\n").expect("a good scene");
        for asked in [10, 100_000] {
            let resolution = Resolution::from_count(&scene, SmoothingKernel::WendlandC2, asked).expect("it fits");
            assert_eq!((resolution.spacing, resolution.support_radius), (0.25, 0.5));
            assert_eq!(resolution.particle_count, 64 + 2, "the block is filled at the same spacing");
        }
        let placed = lattice::fill_alone(&scene, 0.25, 1);
        let last: Vec<_> = placed[64..].iter().map(|placed| (placed.position, placed.velocity)).collect();
        let expected = [
            (Vec3::new(2.0, 1.0, 0.5), Vec3::new(0.0, -3.0, 0.0)),
            (Vec3::new(2.5, 1.5, 0.5), Vec3::new(1.0, 0.0, 0.0)),
        ];
        assert_eq!(last, expected);
    }

    #[test]
    fn the_speed_of_sound_follows_the_height_and_speed_of_points() {
        let folder = tempfile::tempdir().expect("a folder");
        let sound = |csv: &str| {
            let scene = scene(folder.path(), csv).expect("a good scene");
            Resolution::from_count(&scene, SmoothingKernel::WendlandC2, 1).expect("it fits").sound_speed
        };
        // Ten times the speed of a fall from 2 m, without and with an initial speed of 9 m/s.
        let near =
            |found: f32, expected: f32| assert!((found / expected - 1.0).abs() < 1e-5, "{found}, not {expected}");
        near(sound("x,y,z\n2,2,0.5\n"), 10.0 * 40.0_f32.sqrt());
        near(sound("x,y,z,vx,vy,vz\n2,2,0.5,0,0,9\n"), 10.0 * 121.0_f32.sqrt());
    }

    #[test]
    fn invalid_particles_are_refused_with_their_number_and_indices() {
        let folder = tempfile::tempdir().expect("a folder");
        let lines = |lines: &[&str]| format!("x,y,z,vx,vy,vz\n{}\n", lines.join("\n"));
        let outside: Vec<String> = (0..8).map(|row| format!("2,{row},0.5,0,0,0")).collect();
        let outside: Vec<&str> = outside.iter().map(String::as_str).collect();
        let crowd: Vec<String> = (0..9).map(|row| format!("2.{row:02},1.1,0.6,0,0,0")).collect();
        let crowd: Vec<&str> = crowd.iter().map(String::as_str).collect();
        let refused = [
            (
                lines(&["2,1,0.5,0,0,0", "nan,1,0.5,0,0,0"]),
                "1 of the 2 particles of drops.csv (numbers 1, counted from 0)",
            ),
            (lines(&["2,1,0.5,0,inf,0"]), "not finite"),
            (
                lines(&outside),
                "5 of the 8 particles of drops.csv (numbers 3, 4, 5, 6, 7, counted from 0) lie outside the box",
            ),
            (lines(&["0.5,0.5,0.5,0,0,0"]), "lie in a block"),
            (
                lines(&["2,1,0.5,0,0,0", "3,1,0.5,0,0,0", "2,1,0.5,1,0,0"]),
                "(numbers 2, counted from 0) coincide with an earlier",
            ),
            (lines(&crowd), "share a cube with an edge of the spacing of 0.25 m"),
        ];
        for (csv, part) in refused {
            let sentence = scene(folder.path(), &csv).expect_err("it is invalid").to_string();
            assert!(sentence.contains("mine.ron, field points[0]"), "{sentence}");
            assert!(sentence.contains(part), "the message is \"{sentence}\", without \"{part}\"");
        }
        let lost = Scene::parse("mine.ron", &text("(file: \"/nowhere/a.ply\", spacing: 0.25)")).expect_err("no file");
        assert!(lost.to_string().contains("/nowhere/a.ply"), "{lost}");
        let file = folder.path().join("drops.csv").display().to_string();
        let entry = |spacing: f32| format!("(file: \"{file}\", spacing: {spacing:?})");
        std::fs::write(&file, "x,y,z\n2,1,0.5\n").expect("it can be written");
        for spacing in [0.0, -1.0, f32::NAN] {
            let error = Scene::parse("mine.ron", &text(&entry(spacing))).expect_err("no spacing").to_string();
            assert!(error.contains("field points[0]: the spacing is"), "{error}");
        }
        std::fs::write(folder.path().join("more.csv"), "x,y,z\n3,1,0.5\n").expect("it can be written");
        let two = format!("{}, {}", entry(0.25), entry(0.5).replace("drops", "more"));
        let error = Scene::parse("mine.ron", &text(&two)).expect_err("two spacings").to_string();
        assert!(error.contains("field points[1]") && error.contains("0.25"), "{error}");
    }
}
