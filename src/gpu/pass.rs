use std::sync::Arc;

use super::kernel::Kernel;
use super::{Gpu, GpuError, PassTimer, ShaderVariant};

/// Which part of a frame a pass belongs to: the colours of the stacked bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Sorting particles and building the search's tables.
    Build,
    /// Traversals: finding the pairs and summing over them.
    Search,
    /// What physics does once per particle.
    Physics,
    /// Drawing.
    Drawing,
}

impl Phase {
    /// All phases, in the order of a frame.
    pub const ALL: [Self; 4] = [Self::Build, Self::Search, Self::Physics, Self::Drawing];

    /// The word shown on screen and written in tables.
    pub fn label(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Search => "search",
            Self::Physics => "physics",
            Self::Drawing => "drawing",
        }
    }
}

/// How many workgroups a pass runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dispatch {
    /// One invocation an item; the shader drops those past the end.
    Invocations(u64),
    /// That many workgroups, tiled over x and y past the adapter's limit of one dimension.
    Workgroups(u64),
}

/// One labelled dispatch with its kernel and bindings: the description that app, tests and timings share.
#[derive(Clone)]
pub struct Pass {
    /// Name in the overlay and the tables, unique within a step.
    pub label: &'static str,
    /// Which part of the frame it counts towards.
    pub phase: Phase,
    kernel: Arc<Kernel>,
    groups: Vec<(u32, wgpu::BindGroup)>,
    workgroups: [u32; 2],
}

impl Pass {
    /// Compiles (or finds) the kernel and binds `buffers` to it by the names of the WGSL variables.
    ///
    /// # Errors
    /// When the shader does not compile, a binding has no buffer, or the dispatch is too large for the adapter.
    pub fn new(
        gpu: &Gpu,
        (phase, label): (Phase, &'static str),
        (variant, entry_point): (&ShaderVariant, &'static str),
        buffers: &[(&str, &wgpu::Buffer)],
        dispatch: Dispatch,
    ) -> Result<Self, GpuError> {
        let kernel = gpu.kernel(variant, entry_point)?;
        let groups = kernel.bind(gpu, label, buffers)?;
        let count = match dispatch {
            Dispatch::Invocations(items) => items.div_ceil(u64::from(kernel.interface.workgroup_size[0])),
            Dispatch::Workgroups(workgroups) => workgroups,
        };
        let limit = u64::from(gpu.capabilities.limits.max_compute_workgroups_per_dimension);
        let workgroups = tile(count, limit).ok_or_else(|| GpuError::TooManyWorkgroups {
            pass: label.to_owned(),
            workgroups: count,
            limit: limit * limit,
        })?;
        Ok(Self { label, phase, kernel, groups, workgroups })
    }

    fn dispatch(&self, compute: &mut wgpu::ComputePass<'_>) {
        compute.set_pipeline(&self.kernel.pipeline);
        for (index, group) in &self.groups {
            compute.set_bind_group(*index, group, &[]);
        }
        compute.dispatch_workgroups(self.workgroups[0], self.workgroups[1], 1);
    }
}

/// Spreads `count` workgroups over two dimensions of at most `limit`; shaders undo it with
/// `nearwater::dispatch::workgroup_index`.
fn tile(count: u64, limit: u64) -> Option<[u32; 2]> {
    if count <= limit {
        return Some([count as u32, 1]);
    }
    let rows = count.div_ceil(limit);
    // Even columns keep the idle workgroups of the last row few.
    (rows <= limit).then(|| [count.div_ceil(rows) as u32, rows as u32])
}

/// Records `passes` in order. With a timer each gets a compute pass of its own, since timestamps are written at its
/// borders; without one they share a single compute pass.
pub fn record<'a>(
    passes: impl IntoIterator<Item = &'a Pass>,
    encoder: &mut wgpu::CommandEncoder,
    timer: Option<&mut PassTimer>,
) {
    let Some(timer) = timer else {
        let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        passes.into_iter().for_each(|pass| pass.dispatch(&mut compute));
        return;
    };
    for pass in passes {
        let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(pass.label),
            timestamp_writes: timer.compute_pass(pass.phase, pass.label),
        });
        pass.dispatch(&mut compute);
    }
}

/// Records `passes` as one compute pass, timed as a whole under `label`: what they cost with nothing between them.
pub fn record_as_one<'a>(
    passes: impl IntoIterator<Item = &'a Pass>,
    encoder: &mut wgpu::CommandEncoder,
    timer: &mut PassTimer,
    (phase, label): (Phase, &'static str),
) {
    let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
        label: Some(label),
        timestamp_writes: timer.compute_pass(phase, label),
    });
    passes.into_iter().for_each(|pass| pass.dispatch(&mut compute));
}

#[cfg(test)]
mod tests {
    use super::tile;

    #[test]
    fn dispatches_past_one_dimension_are_tiled_and_refused_past_two() {
        assert_eq!(tile(0, 65_535), Some([0, 1]));
        assert_eq!(tile(65_535, 65_535), Some([65_535, 1]));
        assert_eq!(tile(65_536, 65_535), Some([32_768, 2]));
        assert_eq!(tile(200_000, 65_535), Some([50_000, 4]));
        assert_eq!(tile(5, 2), None);
    }
}
