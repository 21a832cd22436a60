//! The times that were measured on one device.

use serde::{Deserialize, Serialize};

use crate::render::{DrawStyle, Splatting};

/// The state of the water while steps were timed. Solvers that iterate take longer while the water moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Motion {
    /// The first steps of a scene.
    Start,
    /// Water in motion.
    Moving,
}

/// The measured time of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepTime {
    /// Name of the solver.
    pub solver: String,
    /// Name of the search.
    pub search: String,
    /// Number of particles.
    pub particles: u32,
    /// State of the water.
    pub motion: Motion,
    /// Time of a step, ms.
    pub milliseconds: f64,
}

/// The measured time of a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DrawingTime {
    /// How the water was drawn.
    pub style: DrawStyle,
    /// Number of particles.
    pub particles: u32,
    /// Number of pixels.
    pub pixels: u32,
    /// Time of the picture, ms.
    pub milliseconds: f64,
}

/// The times that were measured on one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceBook {
    /// Name of the device with its driver.
    pub device: String,
    /// Times of steps.
    pub steps: Vec<StepTime>,
    /// Times of pictures.
    pub drawings: Vec<DrawingTime>,
    /// The faster way to draw particles, where it was measured. The times of pictures are those of this way.
    pub splatting: Option<Splatting>,
}

/// Two numbers of particles, or of pixels, are regarded as the same below this ratio.
const NEAR: f64 = 1.25;

fn is_near(one: u32, other: u32) -> bool {
    let (one, other) = (f64::from(one.max(1)), f64::from(other.max(1)));
    (one / other).max(other / one) < NEAR
}

impl DeviceBook {
    /// An empty book of a device.
    pub fn new(device: &str) -> Self {
        Self { device: device.into(), ..Self::default() }
    }

    /// Adds the time of a step in place of an older one with about the same number of particles. Times that are not
    /// positive and finite are ignored.
    pub fn add_step(&mut self, time: StepTime) {
        if !(time.milliseconds.is_finite() && time.milliseconds > 0.0) {
            return;
        }
        let is_older = |other: &StepTime| {
            other.solver == time.solver
                && other.search == time.search
                && other.motion == time.motion
                && is_near(other.particles, time.particles)
        };
        self.steps.retain(|other| !is_older(other));
        self.steps.push(time);
    }

    /// Adds the time of a picture in place of an older one with about the same numbers of particles and pixels. Times
    /// that are not positive and finite are ignored.
    pub fn add_drawing(&mut self, time: DrawingTime) {
        if !(time.milliseconds.is_finite() && time.milliseconds > 0.0) {
            return;
        }
        let is_older = |other: &DrawingTime| {
            other.style == time.style && is_near(other.particles, time.particles) && is_near(other.pixels, time.pixels)
        };
        self.drawings.retain(|other| !is_older(other));
        self.drawings.push(time);
    }

    /// Notes the faster way to draw particles. Times of pictures that were drawn the other way are forgotten.
    pub fn set_splatting(&mut self, splatting: Splatting) {
        if self.splatting.is_some_and(|before| before != splatting) {
            self.drawings.clear();
        }
        self.splatting = Some(splatting);
    }

    /// The book as text, one time per line, sorted.
    pub fn to_text(&self) -> String {
        let mut text = format!("(\n    device: {:?},\n    steps: [\n", self.device);
        let mut steps: Vec<_> = self.steps.iter().collect();
        steps.sort_by(|one, other| {
            let key = |time: &StepTime| (time.solver.clone(), time.search.clone(), time.particles, time.motion as u8);
            key(one).cmp(&key(other))
        });
        for StepTime { solver, search, particles, motion, milliseconds } in steps {
            let line = format!(
                "        (solver: {solver:?}, search: {search:?}, particles: {particles}, motion: {motion:?}, \
                 milliseconds: {milliseconds:.4}),\n"
            );
            text.push_str(&line);
        }
        text.push_str("    ],\n    drawings: [\n");
        for DrawingTime { style, particles, pixels, milliseconds } in &self.drawings {
            let line = format!(
                "        (style: {style:?}, particles: {particles}, pixels: {pixels}, milliseconds: {milliseconds:.4}),\n"
            );
            text.push_str(&line);
        }
        text.push_str("    ],\n");
        if let Some(splatting) = self.splatting {
            text.extend([format!("    splatting: Some({splatting:?}),\n")]);
        }
        text.push_str(")\n");
        text
    }

    /// The times of steps with a solver and a search, fewest particles first.
    pub(super) fn steps_of(&self, solver: &str, search: &str) -> Vec<&StepTime> {
        let mut times: Vec<_> =
            self.steps.iter().filter(|time| time.solver == solver && time.search == search).collect();
        times.sort_by_key(|time| time.particles);
        times
    }

    /// Whether nothing is wrong with the numbers of a book that was read from a file.
    pub(super) fn is_sound(&self) -> bool {
        let is_time = |milliseconds: f64| milliseconds.is_finite() && milliseconds > 0.0;
        self.steps.iter().all(|time| time.particles > 0 && is_time(time.milliseconds))
            && self.drawings.iter().all(|time| time.particles > 0 && time.pixels > 0 && is_time(time.milliseconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_time_replaces_an_older_one_of_the_same_thing_only() {
        let time = |particles, milliseconds, motion| StepTime {
            solver: "pbf".into(),
            search: "claws".into(),
            particles,
            motion,
            milliseconds,
        };
        let mut book = DeviceBook::new("a device");
        book.add_step(time(1_000, 1.0, Motion::Moving));
        book.add_step(time(1_100, 2.0, Motion::Moving));
        book.add_step(time(1_100, 3.0, Motion::Start));
        book.add_step(time(2_000, 4.0, Motion::Moving));
        book.add_step(time(2_000, f64::NAN, Motion::Moving));
        let times: Vec<_> = book.steps_of("pbf", "claws").iter().map(|time| time.milliseconds).collect();
        assert_eq!(times, [2.0, 3.0, 4.0]);
        let read: DeviceBook = ron::from_str(&book.to_text()).expect("the text is RON");
        assert_eq!(read.steps.len(), 3);
        assert!(book.steps.iter().all(|time| read.steps.contains(time)), "{read:?}");
    }

    #[test]
    fn times_of_pictures_are_those_of_the_faster_way_to_draw_particles() {
        let drawing = DrawingTime { style: DrawStyle::Water, particles: 1_000, pixels: 1_000, milliseconds: 9.0 };
        let mut book = DeviceBook::new("a device");
        book.set_splatting(Splatting::Triangles);
        book.add_drawing(drawing.clone());
        book.set_splatting(Splatting::Triangles);
        assert_eq!(book.drawings, [drawing]);
        book.set_splatting(Splatting::Compute);
        assert_eq!((book.drawings.len(), book.splatting), (0, Some(Splatting::Compute)));
    }
}
