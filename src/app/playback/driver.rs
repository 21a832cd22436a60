//! The driver's side of a recording: reads frames, places their particles, and uploads the numbers that colors show.

use std::sync::Arc;

use glam::Vec3;

use super::{PlaybackControls, PlaybackReport};
use crate::app::Report;
use crate::files::RecordedFrame;
use crate::fluid::Simulation;
use crate::gpu::Gpu;
use crate::playback::Playback;
use crate::render::ColorField;

/// What is shown of a recording.
#[derive(Default)]
pub(in crate::app) struct PlaybackDriver {
    shown: Option<Shown>,
    /// The frame that could not be read, which is not tried again until another one is wanted.
    unreadable: Option<(Arc<Playback>, usize)>,
    colors: Option<Colors>,
}

/// The frame whose particles are in the simulation.
struct Shown {
    recording: Arc<Playback>,
    number: usize,
    frame: RecordedFrame,
}

/// Recorded numbers on the device.
struct Colors {
    recording: Arc<Playback>,
    field: usize,
    /// The frame whose values are in the buffer.
    number: usize,
    /// `f32`, in the order of the particles' numbers.
    values: wgpu::Buffer,
    /// Lowest and highest value of all frames that were shown.
    range: (f32, f32),
}

/// How recorded numbers are drawn.
pub(in crate::app) struct RecordedColors<'a> {
    /// The field.
    pub field: ColorField,
    /// The values at the ends of the color map.
    pub range: (f32, f32),
    /// The values.
    pub values: &'a wgpu::Buffer,
}

impl PlaybackDriver {
    /// Forgets what is shown, because the simulation's particles were replaced.
    pub(in crate::app) fn forget(&mut self) {
        self.shown = None;
    }

    /// Whether the controls want another frame than the one that is shown.
    pub(in crate::app) fn wants_other(&self, controls: Option<&PlaybackControls>) -> bool {
        controls.is_some_and(|controls| !self.shows(controls, controls.frame()))
    }

    fn shows(&self, controls: &PlaybackControls, number: usize) -> bool {
        let is_same = |shown: &Shown| Arc::ptr_eq(&shown.recording, &controls.playback) && shown.number == number;
        self.shown.as_ref().is_some_and(is_same)
    }

    /// Shows the frame of the controls' time, and returns whether the particles were replaced. Where a frame cannot be
    /// read, the one before it stays and the report says why.
    pub(in crate::app) fn follow(
        &mut self,
        gpu: &Gpu,
        simulation: &mut Simulation,
        controls: Option<&PlaybackControls>,
        report: &mut Report,
    ) -> bool {
        let Some(controls) = controls else {
            (self.shown, self.colors) = (None, None);
            report.playback = PlaybackReport::default();
            return false;
        };
        let wanted = controls.frame();
        let is_bad = |(recording, number): &(Arc<Playback>, usize)| {
            Arc::ptr_eq(recording, &controls.playback) && *number == wanted
        };
        let mut is_new = false;
        if !self.shows(controls, wanted) && !self.unreadable.as_ref().is_some_and(is_bad) {
            match controls.playback.recording.read(wanted) {
                Ok(frame) => {
                    let recording = Arc::clone(&controls.playback);
                    self.shown = Some(Shown { recording, number: wanted, frame });
                    self.unreadable = None;
                    is_new = true;
                }
                Err(error) => {
                    report.failure = Some(error.to_string());
                    self.unreadable = Some((Arc::clone(&controls.playback), wanted));
                    return false;
                }
            }
        }
        let Some(shown) = &self.shown else { return false };
        let count = shown.frame.positions.len();
        let fits = simulation.particles().fluid_count as usize == count;
        report.playback.other_count = (!fits).then_some(count);
        if is_new && fits {
            let vectors = |values: &[[f32; 3]]| values.iter().map(|&value| Vec3::from(value)).collect::<Vec<_>>();
            let placed = simulation.set_particles(&vectors(&shown.frame.positions), &vectors(&shown.frame.velocities));
            if let Err(error) = placed {
                report.failure = Some(error.to_string());
            }
        }
        report.playback.frame = shown.number;
        self.upload(gpu, controls, report);
        report.playback.range = self.colors.as_ref().map(|colors| colors.range);
        is_new && fits
    }

    /// Uploads the numbers of the selected field, where they are not on the device yet.
    fn upload(&mut self, gpu: &Gpu, controls: &PlaybackControls, report: &mut Report) {
        let (Some(field), Some(shown)) = (controls.field, &self.shown) else {
            self.colors = None;
            return;
        };
        let before = self
            .colors
            .take()
            .filter(|colors| Arc::ptr_eq(&colors.recording, &shown.recording) && colors.field == field);
        if before.as_ref().is_some_and(|colors| colors.number == shown.number) {
            self.colors = before;
            return;
        }
        let Some(name) = shown.recording.fields.get(field) else { return };
        let recorded = shown.frame.fields.iter().find(|recorded| recorded.name == *name);
        // A frame without the field is drawn without values.
        let missing = || vec![f32::NAN; shown.frame.positions.len()];
        let values = recorded.map_or_else(missing, |recorded| recorded.values.clone());
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let (low, high) = before.map_or((f32::INFINITY, f32::NEG_INFINITY), |colors| colors.range);
        let range = (finite().fold(low, f32::min), finite().fold(high, f32::max));
        match gpu.storage_with("recorded numbers", &values) {
            Ok(values) => {
                let recording = Arc::clone(&shown.recording);
                self.colors = Some(Colors { recording, field, number: shown.number, values, range });
            }
            Err(error) => report.failure = Some(error.to_string()),
        }
    }

    /// The recorded numbers that colors show, if any are selected. `particles` is the number of drawn particles.
    pub(in crate::app) fn colors(
        &self,
        controls: Option<&PlaybackControls>,
        particles: u32,
    ) -> Option<RecordedColors<'_>> {
        let colors = self.colors.as_ref()?;
        let field = controls?.color()?;
        let (low, high) = colors.range;
        let range = if low > high { (0.0, 1.0) } else { (low, if high > low { high } else { low + 1.0 }) };
        let fits = colors.values.size() >= 4 * u64::from(particles);
        fits.then_some(RecordedColors { field, range, values: &colors.values })
    }

    /// Time of the shown frame, s.
    pub(in crate::app) fn time(&self) -> Option<f64> {
        self.shown.as_ref().map(|shown| shown.recording.recording.times()[shown.number])
    }
}
