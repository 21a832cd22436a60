//! Recorded frames in place of a simulation: the scene that shows them. Its particles stand on a lattice until the
//! frame's positions replace them ([`crate::fluid::Simulation::set_particles`]), since a scene's own particles may not
//! be crowded, and those of a recording are as they are.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use glam::{DVec3, IVec3, Vec3};
use thiserror::Error;

use crate::files::{FileError, Points, RecordedFrame, Recording};
use crate::fluid::{CentralGravity, Dimensions, PointFluid, Scene, SceneError, SceneSolids};

/// Largest number of particles whose nearest neighbors are looked for to find out the spacing.
const SAMPLED: usize = 2_000;
/// Support radius over spacing in the scenes of recordings.
const RADIUS_RATIO: f32 = 2.2;

/// Why a recording cannot be shown.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum PlaybackError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The scene that the recording needs is missing from the program.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The given spacing is not a length.
    #[error("the spacing is {0}, and must be a positive, finite length in meters")]
    Spacing(f32),
    /// The given spacing does not suit the particles.
    #[error("a spacing of {given} m is too large for {count} particles in their box; give at most {most} m")]
    TooLarge {
        /// m.
        given: f32,
        /// Particles of the first frame.
        count: usize,
        /// m.
        most: f32,
    },
}

/// An opened recording and the properties of its scene.
///
/// ```
/// use nearwater::playback::Playback;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("points_0.csv");
/// std::fs::write(&file, "x,y,z\n0.0,0.0,0.0\n0.1,0.0,0.0\n0.0,0.1,0.0\n0.0,0.0,0.1\n")?;
/// let playback = Playback::open(&[file], Some(0.1))?;
/// assert_eq!(playback.recording.len(), 1);
/// assert_eq!(playback.recording.read(0)?.positions.len(), 4);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Playback {
    /// The frames.
    pub recording: Arc<Recording>,
    /// Names of the numbers that the first frame has for every particle besides positions and velocities. They live as
    /// long as the program, like the labels of other color fields.
    pub fields: Vec<&'static str>,
    spacing: f32,
    low: Vec3,
    high: Vec3,
    dimensions: Dimensions,
    rest_density: f32,
    count: usize,
}

impl Playback {
    /// Opens a recording and reads its first, middle and last frame, from which the box follows. Without `spacing`, m,
    /// the spacing follows from the particles' masses and densities, or else from the median distance of nearest
    /// neighbors.
    ///
    /// # Errors
    /// When a file cannot be read, or the spacing does not suit the particles.
    pub fn open(paths: &[PathBuf], spacing: Option<f32>) -> Result<Self, PlaybackError> {
        if let Some(given) = spacing.filter(|spacing| !(spacing.is_finite() && *spacing > 0.0)) {
            return Err(PlaybackError::Spacing(given));
        }
        let recording = Recording::open(paths)?;
        let first = recording.read(0)?;
        let (mut low, mut high) = bounds(&first.positions);
        let flat = low.z >= high.z;
        for frame in [recording.len() / 2, recording.len() - 1] {
            if frame > 0 {
                let (least, most) = bounds(&recording.read(frame)?.positions);
                (low, high) = (low.min(least), high.max(most));
            }
        }
        let dimensions = if flat { Dimensions::Two } else { Dimensions::Three };
        let estimate = || spacing_by_mass(&first, dimensions).unwrap_or_else(|| nearest_distance(&first.positions));
        let wanted = spacing.unwrap_or_else(estimate);
        // The wall is half a spacing beyond the outermost particles, or where the files say it is.
        (low, high) = (low - 0.5 * wanted, high + 0.5 * wanted);
        if let Some([stated_low, stated_high]) = recording.bounds() {
            (low, high) = (low.min(stated_low.into()), high.max(stated_high.into()));
        }
        // A search needs a box of some radii.
        let least = 0.5 * 3.0 * RADIUS_RATIO * wanted;
        let middle = 0.5 * (low + high);
        (low, high) = (low.min(middle - least), high.max(middle + least));
        if flat {
            let plane = first.positions[0][2];
            (low.z, high.z) = (plane - 2.0 * RADIUS_RATIO * wanted, plane + 2.0 * RADIUS_RATIO * wanted);
        }
        let count = first.positions.len();
        let edges = (high - low).as_dvec3();
        let room = if flat { edges.x * edges.y } else { edges.element_product() };
        let most = (room / count as f64).powf(1.0 / dimensions.count()) as f32;
        let spacing = match spacing {
            Some(given) if given > most => return Err(PlaybackError::TooLarge { given, count, most }),
            Some(given) => given,
            None => wanted.min(most),
        };
        let density = column(&first, &["density", "density_kg_per_m3", "rho", "c_density"]).map(median);
        let rest_density = density.filter(|density| *density > 0.0 && density.is_finite()).unwrap_or(1000.0);
        let fields = first.fields.iter().map(|field| &*Box::leak(field.name.clone().into_boxed_str())).collect();
        Ok(Self { recording: Arc::new(recording), fields, spacing, low, high, dimensions, rest_density, count })
    }

    /// The scene that shows the first frame.
    ///
    /// # Errors
    /// When a scene of the program from which it is made is missing.
    pub fn first_scene(&self) -> Result<Scene, PlaybackError> {
        self.scene(self.count)
    }

    /// A scene with a number of particles on a lattice.
    ///
    /// # Errors
    /// When a scene of the program from which it is made is missing.
    pub fn scene(&self, count: usize) -> Result<Scene, PlaybackError> {
        let mut scene = Scene::load("dam_break")?;
        let name = self.recording.file(0).file_name().unwrap_or_default().to_string_lossy().into_owned();
        "Recording".clone_into(&mut scene.title);
        scene.description = format!("Recorded frames, the first of them in {name}.");
        scene.name.clone_from(&name);
        (scene.low, scene.high, scene.dimensions) = (self.low, self.high, self.dimensions);
        scene.blocks.clear();
        scene.probes.clear();
        scene.solids = SceneSolids::default();
        scene.central_gravity = CentralGravity::default();
        scene.material.rest_density = self.rest_density;
        scene.material.radius_ratio = RADIUS_RATIO;
        let positions = self.lattice(count);
        let velocities = vec![[0.0; 3]; positions.len()];
        scene.points =
            vec![PointFluid { file: name, spacing: self.spacing, points: Arc::new(Points { positions, velocities }) }];
        let (middle, extent) = (0.5 * (self.low + self.high), self.high - self.low);
        let away = match self.dimensions {
            Dimensions::Two => Vec3::Z * 1.5 * extent.truncate().max_element(),
            Dimensions::Three => Vec3::new(0.45, 0.35, 1.0).normalize() * 1.3 * extent.length(),
        };
        (scene.camera.target, scene.camera.eye) = (middle, middle + away);
        Ok(scene)
    }

    /// Points that fill the box evenly.
    fn lattice(&self, count: usize) -> Vec<[f32; 3]> {
        let flat = self.dimensions == Dimensions::Two;
        let edges = (self.high - self.low).as_dvec3();
        let room = if flat { edges.x * edges.y } else { edges.element_product() };
        let mut pitch = (room / count.max(1) as f64).powf(1.0 / self.dimensions.count());
        let along = |pitch: f64| {
            let counts = (edges / pitch).floor().max(DVec3::ONE);
            if flat { counts.with_z(1.0) } else { counts }
        };
        while along(pitch).element_product() < count as f64 {
            pitch *= 0.99;
        }
        let counts = along(pitch);
        let [columns, rows] = [counts.x as usize, counts.y as usize];
        let middle = 0.5 * (self.low.z + self.high.z);
        let place = |index: usize| {
            let place = DVec3::new(
                (index % columns) as f64,
                (index / columns % rows) as f64,
                (index / (columns * rows)) as f64,
            );
            let at = (self.low.as_dvec3() + (place + 0.5) * edges / counts).as_vec3();
            if flat { at.with_z(middle) } else { at }.to_array()
        };
        (0..count).map(place).collect()
    }
}

/// Lowest and highest coordinates, m.
fn bounds(positions: &[[f32; 3]]) -> (Vec3, Vec3) {
    let all = || positions.iter().map(|&position| Vec3::from(position));
    (all().fold(Vec3::MAX, Vec3::min), all().fold(Vec3::MIN, Vec3::max))
}

/// The values of a field with one of these names.
fn column<'a>(frame: &'a RecordedFrame, names: &[&str]) -> Option<&'a [f32]> {
    let field = frame.fields.iter().find(|field| names.contains(&field.name.to_lowercase().as_str()))?;
    Some(&field.values)
}

fn median(values: &[f32]) -> f32 {
    let mut sorted: Vec<f32> = values.iter().copied().filter(|value| value.is_finite()).collect();
    if sorted.is_empty() {
        return f32::NAN;
    }
    let middle = sorted.len() / 2;
    *sorted.select_nth_unstable_by(middle, f32::total_cmp).1
}

/// The spacing by mass and density, m.
fn spacing_by_mass(frame: &RecordedFrame, dimensions: Dimensions) -> Option<f32> {
    let mass = f64::from(median(column(frame, &["m", "mass"])?));
    let density = f64::from(median(column(frame, &["rho", "density"])?));
    let spacing = (mass / density).powf(1.0 / dimensions.count()) as f32;
    (spacing.is_finite() && spacing > 0.0).then_some(spacing)
}

/// Median distance of some particles to their nearest neighbor, m; of a single particle 1 m.
fn nearest_distance(positions: &[[f32; 3]]) -> f32 {
    let (low, high) = bounds(positions);
    let longest = (high - low).max_element();
    if longest <= 0.0 {
        return 1.0;
    }
    let edges = (high - low).max(Vec3::splat(1e-3 * longest));
    let cell = (edges.as_dvec3().element_product() / positions.len() as f64).cbrt() as f32;
    let cell = cell.max(longest / 1e6);
    let cell_of = |position: &[f32; 3]| ((Vec3::from(*position) - low) / cell).floor().as_ivec3();
    let mut cells: HashMap<IVec3, Vec<usize>> = HashMap::new();
    for (index, position) in positions.iter().enumerate() {
        cells.entry(cell_of(position)).or_default().push(index);
    }
    let stride = positions.len().div_ceil(SAMPLED);
    let nearest = |index: usize| {
        let (at, center) = (Vec3::from(positions[index]), cell_of(&positions[index]));
        let around = (0..27).map(|number| center + IVec3::new(number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1));
        let others = around.filter_map(|cell| cells.get(&cell)).flatten().filter(|&&other| other != index);
        others.map(|&other| at.distance(positions[other].into())).filter(|distance| *distance > 0.0).reduce(f32::min)
    };
    let distances: Vec<f32> = (0..positions.len()).step_by(stride).filter_map(nearest).collect();
    if distances.is_empty() { cell } else { median(&distances) }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Playback;
    use crate::fluid::{Resolution, SmoothingKernel};

    #[test]
    fn the_scene_of_a_crowded_recording_is_valid_and_has_as_many_particles() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.csv");
        let mut text = "x,y,z,rho\n".to_owned();
        for index in 0..1000 {
            // A lattice of 0.1 m, and a clump of particles in one place.
            let index = if index < 900 { index } else { 900 };
            let (x, y, z) = (index % 10, index / 10 % 10, index / 100);
            let place = [x, y, z].map(|number| (0.1 * f64::from(number)).to_string());
            text += &(place.join(",") + ",1200\n");
        }
        fs::write(&file, text).expect("it can be written");
        let playback = Playback::open(&[file], None).expect("it is a recording");
        assert!((playback.spacing - 0.1).abs() < 1e-3, "{}", playback.spacing);
        assert_eq!(playback.fields, ["rho"]);
        for count in [1, 7, 1000, 1234] {
            let scene = playback.scene(count).expect("the program has scenes");
            assert!((scene.material.rest_density - 1200.0).abs() < 1e-3);
            let resolution = Resolution::from_count(&scene, SmoothingKernel::default(), 5).expect("it is valid");
            assert_eq!(resolution.particle_count as usize, count);
        }
    }
}
