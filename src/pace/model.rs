//! Estimates of the times of steps and pictures on a device, from few measurements on it and many on another one.

use glam::{DMat3, DVec3, UVec2};

use super::{DeviceBook, DrawingTime, FrameLoad, Motion, StepTime};
use crate::fluid::{FluidError, Resolution, Scene, SmoothingKernel, Solver};
use crate::render::{DrawStyle, Splatting};
use crate::search::SearchInfo;

/// Estimates for one device.
#[derive(Clone, Copy, Debug)]
pub struct PaceModel<'a> {
    /// The times of another device of the same class.
    pub reference: &'a DeviceBook,
    /// The times that were measured on this device.
    pub measured: &'a DeviceBook,
}

/// What a scene demands of a frame besides the search, the solver and the number of particles.
#[derive(Clone, Copy, Debug)]
pub struct SceneLoad<'a> {
    /// The scene with its edits, apart from another solver.
    pub scene: &'a Scene,
    /// The smoothing kernel.
    pub kernel: SmoothingKernel,
    /// How the water is drawn.
    pub style: DrawStyle,
    /// Size of the picture, pixels.
    pub size: UVec2,
    /// Time that a frame may take, s.
    pub budget: f64,
}

impl PaceModel<'_> {
    /// The time of a step in moving water, ms; `None` where even the reference has no times of the pair.
    pub fn step(&self, solver: Solver, search: &SearchInfo, particles: u32) -> Option<f64> {
        let reference = self.reference_step(Motion::Moving, solver.name(), search.name, particles)?;
        Some(reference * self.scale(solver.name(), search.name, particles))
    }

    /// The faster way to draw particles: on this device where that was measured, else on the reference.
    pub fn splatting(&self) -> Splatting {
        self.measured.splatting.or(self.reference.splatting).unwrap_or_default()
    }

    /// The time of a picture, ms; `None` where even the reference has no times of the style.
    pub fn drawing(&self, style: DrawStyle, particles: u32, pixels: u32) -> Option<f64> {
        let reference = DrawingCost::of(self.reference, style)?.milliseconds(particles, pixels);
        let ratio = |style: Option<DrawStyle>| {
            let times = self.measured.drawings.iter().filter(|time| style.is_none_or(|style| time.style == style));
            let ratios = times.filter_map(|time| {
                let cost = DrawingCost::of(self.reference, time.style)?.milliseconds(time.particles, time.pixels);
                Some((time.milliseconds / cost).ln())
            });
            mean(ratios).map(f64::exp)
        };
        Some(reference * ratio(Some(style)).or_else(|| ratio(None)).unwrap_or(1.0))
    }

    /// The work of a frame of a scene with this solver, search and number of particles; `None` where no time is known.
    ///
    /// # Errors
    /// When the number of particles does not suit the scene.
    pub fn load(
        &self,
        of: &SceneLoad<'_>,
        solver: Solver,
        search: &SearchInfo,
        particles: u32,
    ) -> Result<Option<FrameLoad>, FluidError> {
        let time_step = Resolution::time_step_for(of.scene, solver, of.kernel, particles)?;
        let pixels = of.size.x.saturating_mul(of.size.y);
        let known = self.step(solver, search, particles).zip(self.drawing(of.style, particles, pixels));
        Ok(known.map(|(step, drawing)| FrameLoad { step, time_step, drawing, budget: of.budget }))
    }

    /// How many times as long as on the reference device steps take: from measurements of the same search and solver,
    /// interpolated over the number of particles; without them the mean of the solver's other searches, or of all.
    fn scale(&self, solver: &str, search: &str, particles: u32) -> f64 {
        let ratio = |time: &StepTime| {
            let reference = self.reference_step(time.motion, &time.solver, &time.search, time.particles)?;
            Some((f64::from(time.particles).ln(), (time.milliseconds / reference).ln()))
        };
        let own: Vec<_> = self.measured.steps_of(solver, search).into_iter().filter_map(ratio).collect();
        if let Some(ratio) = interpolated(&own, f64::from(particles.max(1)).ln()) {
            return ratio.exp();
        }
        let of_solver = self.measured.steps.iter().filter(|time| time.solver == solver);
        let of_solver = mean(of_solver.filter_map(|time| Some(ratio(time)?.1)));
        let of_all = || mean(self.measured.steps.iter().filter_map(|time| Some(ratio(time)?.1)));
        of_solver.or_else(of_all).map_or(1.0, f64::exp)
    }

    /// The time of a step on the reference device, ms, interpolated in logarithms of number and time. Beyond the
    /// measured numbers the time grows in proportion to the number of particles, and below them it is constant.
    fn reference_step(&self, motion: Motion, solver: &str, search: &str, particles: u32) -> Option<f64> {
        let times = self.reference.steps_of(solver, search);
        let points: Vec<_> = times
            .into_iter()
            .filter(|time| time.motion == motion)
            .map(|time| (f64::from(time.particles).ln(), time.milliseconds.ln()))
            .collect();
        let wanted = f64::from(particles.max(1)).ln();
        let beyond = points.last().map_or(0.0, |(last, _)| (wanted - last).max(0.0));
        interpolated(&points, wanted).map(|time| (time + beyond).exp())
    }
}

/// The time of a picture as a linear function of the numbers of particles and pixels.
struct DrawingCost {
    constant: f64,
    for_particle: f64,
    for_pixel: f64,
}

impl DrawingCost {
    /// The cost in a style by least squares over the times of the book, without negative parts. `None` where it has
    /// fewer than three, or where these do not tell particles from pixels.
    fn of(book: &DeviceBook, style: DrawStyle) -> Option<Self> {
        let times: Vec<_> = book.drawings.iter().filter(|time| time.style == style).collect();
        // Relative to the largest numbers, so that the equations are well conditioned.
        let largest = |of: fn(&DrawingTime) -> u32| times.iter().map(|time| f64::from(of(time))).fold(1.0, f64::max);
        let (particles, pixels) = (largest(|time| time.particles), largest(|time| time.pixels));
        let (mut matrix, mut right) = (DMat3::ZERO, DVec3::ZERO);
        for time in times {
            let row = DVec3::new(1.0, f64::from(time.particles) / particles, f64::from(time.pixels) / pixels);
            matrix += DMat3::from_cols(row * row.x, row * row.y, row * row.z);
            right += row * time.milliseconds;
        }
        if matrix.determinant().abs() < 1e-6 {
            return None;
        }
        let [constant, of_particles, of_pixels] = (matrix.inverse() * right).max(DVec3::ZERO).to_array();
        Some(Self { constant, for_particle: of_particles / particles, for_pixel: of_pixels / pixels })
    }

    fn milliseconds(&self, particles: u32, pixels: u32) -> f64 {
        self.constant + self.for_particle * f64::from(particles) + self.for_pixel * f64::from(pixels)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

/// Interpolates linearly between points sorted by x, with the first and last value beyond the ends.
fn interpolated(points: &[(f64, f64)], x: f64) -> Option<f64> {
    let after = points.iter().position(|(place, _)| *place >= x);
    match after {
        None => points.last().map(|(_, value)| *value),
        Some(0) => points.first().map(|(_, value)| *value),
        Some(after) => {
            let ((left, low), (right, high)) = (points[after - 1], points[after]);
            let fraction = if right > left { (x - left) / (right - left) } else { 1.0 };
            Some(low + fraction * (high - low))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fluid::SOLVERS;
    use crate::search::search_named;

    fn step(search: &str, particles: u32, milliseconds: f64) -> StepTime {
        StepTime { solver: "pbf".into(), search: search.into(), particles, motion: Motion::Moving, milliseconds }
    }

    fn book(steps: Vec<StepTime>, drawings: Vec<DrawingTime>) -> DeviceBook {
        DeviceBook { device: "a device".into(), steps, drawings, splatting: None }
    }

    #[test]
    fn a_measurement_scales_the_reference_and_its_own_search_exactly() {
        let reference =
            book(vec![step("claws", 1_000, 1.0), step("claws", 100_000, 10.0), step("green", 1_000, 3.0)], Vec::new());
        let measured = book(vec![step("claws", 10_000, 9.487)], Vec::new());
        let pbf = Solver(SOLVERS.iter().find(|info| info.name == "pbf").expect("a solver"));
        let [claws, green] = ["claws", "green"].map(|name| search_named(name).expect("a search"));
        let nothing = DeviceBook::default();
        let before = PaceModel { reference: &reference, measured: &nothing };
        let near = |found: Option<f64>, wanted: f64| {
            let found = found.expect("a time is known");
            assert!((found / wanted - 1.0).abs() < 1e-3, "{found} instead of {wanted}");
        };
        near(before.step(pbf, claws, 10_000), 10.0_f64.sqrt());
        near(before.step(pbf, claws, 1_000_000), 100.0);
        near(before.step(pbf, claws, 10), 1.0);
        let after = PaceModel { reference: &reference, measured: &measured };
        near(after.step(pbf, claws, 10_000), 9.487);
        near(after.step(pbf, claws, 100_000), 30.0);
        near(after.step(pbf, green, 1_000), 9.0);
        assert_eq!(after.step(pbf, search_named("fenns").expect("a search"), 1_000), None);
    }

    #[test]
    fn drawing_grows_with_particles_and_pixels() {
        let drawing =
            |particles, pixels, milliseconds| DrawingTime { style: DrawStyle::Water, particles, pixels, milliseconds };
        let times = vec![drawing(1_000, 1_000, 4.0), drawing(3_000, 1_000, 6.0), drawing(1_000, 5_000, 8.0)];
        let reference = book(Vec::new(), times);
        let nothing = DeviceBook::default();
        let model = PaceModel { reference: &reference, measured: &nothing };
        let found = model.drawing(DrawStyle::Water, 5_000, 9_000).expect("three times are enough");
        assert!((found - (2.0 + 5.0 + 9.0)).abs() < 1e-9, "{found}");
        let measured = book(Vec::new(), vec![drawing(1_000, 1_000, 2.0)]);
        let faster = PaceModel { reference: &reference, measured: &measured };
        let found = faster.drawing(DrawStyle::Water, 5_000, 9_000).expect("three times are enough");
        assert!((found - 8.0).abs() < 1e-9, "{found}");
        assert_eq!(model.drawing(DrawStyle::Smooth, 1, 1), None);
    }
}
