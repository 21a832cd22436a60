//! A survey: health figures of all particles, reduced on the device and read back without waiting.

use std::collections::VecDeque;

use super::FluidError;
use super::solvers::{FigureValues, MOST_FIGURES};
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, Phase, Readback, ShaderVariant, gpu_struct};
use crate::search::{Cells, Grid, PairCounters, PairTotals};

/// Largest number of surveys whose read-back is pending; a further one replaces the oldest.
const UNDER_WAY: usize = 4;

/// Number of workgroups of a survey, and also of invocations of each, so that one workgroup can sum up the parts.
const PARTS: u64 = 128;

/// Health figures of the fluid, which the overlay shows and the tests check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Survey {
    /// Candidates and neighbors of all particles.
    pub pairs: PairTotals,
    /// Fluid particles that are not in the reservoir.
    pub present: u32,
    /// Particles with a position, velocity or density that is NaN or infinite. Left out of the numbers below.
    pub not_finite: u32,
    /// Particles outside the box.
    pub outside: u32,
    /// Particles near another coarse cell; `None` where the search does not distinguish border particles from inner
    /// ones.
    pub border: Option<u32>,
    /// kg/m³.
    pub lowest_density: f32,
    /// kg/m³.
    pub highest_density: f32,
    /// kg/m³.
    pub mean_density: f32,
    /// Mean excess over the rest density, %, over the particles that are denser than at rest; 0 where there are none.
    /// Particles at the free surface are excluded, since their density is underestimated.
    pub mean_compression: f32,
    /// m/s.
    pub highest_speed: f32,
    /// The values of the solver's figures ([`super::SolverInfo::figures`]) after the last step; zeros before the first
    /// step and past the number of its figures.
    pub figures: FigureValues,
    /// Whether a software adapter has ended loops of the search early, so that particles lack neighbors
    /// ([`crate::gpu::GpuError::LoopsCut`]).
    pub loops_cut: bool,
}

gpu_struct! {
    /// The result of the survey's shader.
    pub struct GpuSurvey {
        /// Fluid particles that are not parked in the reservoir.
        pub present: u32,
        /// Particles with a value that is not finite.
        pub not_finite: u32,
        /// Particles outside the box.
        pub outside: u32,
        /// Finite particles near another coarse cell.
        pub border: u32,
        /// kg/m³.
        pub lowest_density: f32,
        /// kg/m³.
        pub highest_density: f32,
        /// kg/m³, over all finite particles.
        pub density_sum: f32,
        /// Sum of the compressions of the particles that are denser than at rest; dimensionless.
        pub compression_sum: f32,
        /// Number of particles that are denser than at rest.
        pub denser: u32,
        /// m/s.
        pub highest_speed: f32,
    }
}

/// The survey's buffers, and the surveys whose read-back is pending.
pub(super) struct Surveyor {
    survey: wgpu::Buffer,
    parts: wgpu::Buffer,
    has_classes: bool,
    under_way: VecDeque<Pending>,
}

/// The read-backs of a survey, which were recorded in one encoder.
struct Pending {
    words: Readback<GpuSurvey>,
    totals: Readback<u32>,
    /// The solver's figures, where it has some.
    figures: Option<Readback<f32>>,
    /// The flag that loops were cut short; only on adapters that do so.
    loops_cut: Option<Readback<u32>>,
}

impl Pending {
    /// The survey's result, the pair totals, the solver's figures, and whether loops were cut short, once all have
    /// arrived.
    fn take(&mut self) -> Option<Arrived> {
        // They arrive in the order in which they were recorded, so that the others are there if the last one is.
        let mut figures = FigureValues::default();
        if let Some(read) = &self.figures {
            let values = read.take()?;
            let count = values.len().min(MOST_FIGURES);
            figures[..count].copy_from_slice(&values[..count]);
        }
        let loops_cut = match &self.loops_cut {
            Some(flag) => flag.take()?[0] != 0,
            None => false,
        };
        let totals = self.totals.take()?;
        let totals = [totals[0], totals[1], totals[2], totals[3]];
        Some(Arrived { words: self.words.take()?[0], totals, figures, loops_cut })
    }
}

/// What the read-backs of a survey contained.
struct Arrived {
    words: GpuSurvey,
    totals: [u32; 4],
    figures: FigureValues,
    loops_cut: bool,
}

impl Surveyor {
    /// Allocates the buffers; no read-back is pending.
    pub(super) fn new(gpu: &Gpu) -> Result<Self, FluidError> {
        Ok(Self {
            survey: gpu.storage::<GpuSurvey>("survey", 1)?,
            parts: gpu.storage::<GpuSurvey>("parts of the survey", PARTS)?,
            has_classes: false,
            under_way: VecDeque::new(),
        })
    }

    /// The passes of a survey. They bind `positions`, `velocities`, `densities` and `fluid` from `particles`; `cells`
    /// are the search's.
    pub(super) fn passes(
        &mut self,
        gpu: &Gpu,
        particles: &[(&str, &wgpu::Buffer)],
        cells: Option<Cells>,
    ) -> Result<Vec<Pass>, FluidError> {
        // Surveys under way are of other passes, perhaps with another kernel or with another search's classes.
        self.under_way.clear();
        let coarse = cells.filter(|cells| cells.border.is_some());
        self.has_classes = coarse.is_some();
        let cell_grid = gpu.uniform("cells", &coarse.map_or_else(Grid::default, |cells| cells.grid()));
        let variant = ShaderVariant::new("fluid/survey.wgsl").with_number("PARTS", PARTS as u32);
        let mut buffers = vec![("survey", &self.survey), ("parts", &self.parts), ("cell_grid", &cell_grid)];
        buffers.extend_from_slice(particles);
        let pass = |label, entry_point, workgroups| {
            Pass::new(
                gpu,
                PassDescriptor {
                    phase: Phase::Physics,
                    label,
                    shader: &variant,
                    entry_point,
                    buffers: &buffers,
                    dispatch: Dispatch::Workgroups(workgroups),
                },
            )
        };
        Ok(vec![pass("survey parts", "survey_parts", PARTS)?, pass("survey whole", "survey_whole", 1)?])
    }

    /// Records the read-back of the survey, of the pair totals, of the solver's figures if it has some, and of the flag
    /// that loops were cut short.
    pub(super) fn record(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        counters: &PairCounters,
        figures: Option<&wgpu::Buffer>,
    ) {
        let words = Readback::record(gpu, encoder, &self.survey, 1);
        let totals = Readback::record(gpu, encoder, &counters.totals, 4);
        let loops_cut = gpu.loop_limit().map(|flag| Readback::record(gpu, encoder, flag, 1));
        let figures = figures.map(|figures| Readback::record(gpu, encoder, figures, MOST_FIGURES));
        self.under_way.push_back(Pending { words, totals, figures, loops_cut });
        if self.under_way.len() > UNDER_WAY {
            self.under_way.pop_front();
        }
    }

    /// The latest survey that has arrived since the last call. Never waits.
    pub(super) fn take(&mut self, gpu: &Gpu) -> Option<Survey> {
        // A lost device reports itself through its callback; in that case nothing arrives here.
        gpu.poll();
        let mut latest = None;
        while let Some(arrived) = self.under_way.front_mut().and_then(Pending::take) {
            latest = Some(self.survey(&arrived));
            self.under_way.pop_front();
        }
        latest
    }

    fn survey(&self, &Arrived { words, totals, figures, loops_cut }: &Arrived) -> Survey {
        // A device without memory left may deliver words that no pass has written.
        let finite = words.present.saturating_sub(words.not_finite);
        Survey {
            pairs: PairTotals::from_words(totals),
            present: words.present,
            not_finite: words.not_finite,
            outside: words.outside,
            border: self.has_classes.then_some(words.border),
            lowest_density: words.lowest_density,
            highest_density: words.highest_density,
            mean_density: words.density_sum / finite.max(1) as f32,
            mean_compression: 100.0 * words.compression_sum / words.denser.max(1) as f32,
            highest_speed: words.highest_speed,
            figures,
            loops_cut,
        }
    }
}
