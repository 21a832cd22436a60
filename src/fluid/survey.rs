use std::collections::VecDeque;

use super::FluidError;
use crate::gpu::{Dispatch, Gpu, Pass, Phase, Readback, ShaderVariant, gpu_struct};
use crate::search::{Cells, Grid, PairCounters, PairTotals};

/// Surveys that may be on their way to the CPU at once; a further one displaces the oldest.
const UNDER_WAY: usize = 4;

/// Workgroups that a survey is spread over; also the invocations of each, so that one workgroup sums up the parts.
const PARTS: u64 = 128;

/// How the fluid is: what the overlay shows and the tests assert.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Survey {
    /// Candidates and neighbors of all particles.
    pub pairs: PairTotals,
    /// Particles of the fluid, but those in the reservoir.
    pub present: u32,
    /// Particles with a position, velocity or density that is NaN or infinite. Left out of the numbers below.
    pub not_finite: u32,
    /// Particles outside the box.
    pub outside: u32,
    /// Particles near another coarse cell; `None` where the search tells no classes apart.
    pub border: Option<u32>,
    /// kg/m³.
    pub lowest_density: f32,
    /// kg/m³.
    pub highest_density: f32,
    /// kg/m³.
    pub mean_density: f32,
    /// By how much particles that are denser than at rest are so, %: the mean over those. 0 where there are none.
    /// Particles at the surface read too low a density and are not among them.
    pub mean_compression: f32,
    /// m/s.
    pub highest_speed: f32,
}

gpu_struct! {
    /// What the survey's shader leaves.
    pub struct SurveyWords {
        /// Particles of the fluid that are not parked.
        pub present: u32,
        /// Particles that are not finite.
        pub not_finite: u32,
        /// Particles outside the box.
        pub outside: u32,
        /// Finite particles near another cell.
        pub border: u32,
        /// kg/m³.
        pub lowest_density: f32,
        /// kg/m³.
        pub highest_density: f32,
        /// kg/m³, over all finite particles.
        pub density_sum: f32,
        /// Compression of the particles that are denser than at rest, summed up; without unit.
        pub compression_sum: f32,
        /// How many those are.
        pub denser: u32,
        /// m/s.
        pub highest_speed: f32,
    }
}

/// The survey's buffers, and the surveys on their way to the CPU.
pub(super) struct Surveyor {
    survey: wgpu::Buffer,
    parts: wgpu::Buffer,
    has_classes: bool,
    under_way: VecDeque<(Readback<SurveyWords>, Readback<u32>)>,
}

impl Surveyor {
    /// With no survey under way.
    pub(super) fn new(gpu: &Gpu) -> Result<Self, FluidError> {
        Ok(Self {
            survey: gpu.storage::<SurveyWords>("survey", 1)?,
            parts: gpu.storage::<SurveyWords>("parts of the survey", PARTS)?,
            has_classes: false,
            under_way: VecDeque::new(),
        })
    }

    /// The passes over `positions`, `velocities` and `densities`, and `weights` where there are boundaries, under the parameters `fluid`, with the search's cells.
    pub(super) fn passes(
        &mut self,
        gpu: &Gpu,
        (particles, has_boundary): (&[(&str, &wgpu::Buffer)], bool),
        cells: Option<Cells>,
    ) -> Result<Vec<Pass>, FluidError> {
        let coarse = cells.filter(|cells| cells.border.is_some());
        self.has_classes = coarse.is_some();
        let cell_grid = gpu.uniform("cells", &coarse.map_or_else(Grid::default, |cells| cells.grid()));
        let variant = ShaderVariant::new("fluid/survey.wgsl").with_number("PARTS", PARTS as u32);
        let variant = variant.with_flag_if(has_boundary, "BOUNDARY");
        let mut buffers = vec![("survey", &self.survey), ("parts", &self.parts), ("cell_grid", &cell_grid)];
        buffers.extend_from_slice(particles);
        let pass = |label, entry_point, workgroups| {
            Pass::new(gpu, (Phase::Physics, label), (&variant, entry_point), &buffers, Dispatch::Workgroups(workgroups))
        };
        Ok(vec![pass("survey parts", "survey_parts", PARTS)?, pass("survey whole", "survey_whole", 1)?])
    }

    /// Records the read-back of the survey and of the pair totals.
    pub(super) fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, counters: &PairCounters) {
        let words = Readback::record(gpu, encoder, &self.survey, 1);
        let totals = Readback::record(gpu, encoder, &counters.totals, 4);
        self.under_way.push_back((words, totals));
        if self.under_way.len() > UNDER_WAY {
            self.under_way.pop_front();
        }
    }

    /// The latest survey that has arrived since the last call. Never waits.
    pub(super) fn take(&mut self, gpu: &Gpu) -> Option<Survey> {
        // A lost device reports itself through its callback; nothing arrives then.
        let _ = gpu.device.poll(wgpu::PollType::Poll);
        let mut latest = None;
        while let Some((words, totals)) = self.under_way.front() {
            // Both were recorded in one encoder, so they arrive together, the words first.
            let Some((words, totals)) = totals.take().and_then(|totals| Some((words.take()?, totals))) else { break };
            latest = Some(self.survey(&words, &totals));
            self.under_way.pop_front();
        }
        latest
    }

    fn survey(&self, words: &[SurveyWords], totals: &[u32]) -> Survey {
        let words = words[0];
        let mut totals_of_four = [0; 4];
        totals_of_four.copy_from_slice(&totals[..4]);
        let finite = words.present - words.not_finite;
        Survey {
            pairs: PairTotals::from_words(totals_of_four),
            present: words.present,
            not_finite: words.not_finite,
            outside: words.outside,
            border: self.has_classes.then_some(words.border),
            lowest_density: words.lowest_density,
            highest_density: words.highest_density,
            mean_density: words.density_sum / finite.max(1) as f32,
            mean_compression: 100.0 * words.compression_sum / words.denser.max(1) as f32,
            highest_speed: words.highest_speed,
        }
    }
}
