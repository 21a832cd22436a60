//! Passes: labeled dispatches with bound buffers, and their recording into a command encoder.

use std::sync::Arc;

use super::kernel::Kernel;
use super::{Access, ElementLayout, Gpu, GpuError, PassTimer, ShaderVariant};

/// The part of a frame that a pass belongs to; each has a color in the stacked bar of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Sorting particles and building the search's tables.
    Build,
    /// Traversals, which find the pairs and sum over them.
    Search,
    /// The work of the physics that is done once per particle.
    Physics,
    /// Drawing.
    Drawing,
}

impl Phase {
    /// All phases, in the order of a frame.
    pub const ALL: [Self; 4] = [Self::Build, Self::Search, Self::Physics, Self::Drawing];

    /// The name shown on screen and written in tables.
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
    /// One invocation per item; the shader discards those past the end.
    Invocations(u64),
    /// The given number of workgroups, tiled over x and y where it exceeds the adapter's limit for one dimension.
    Workgroups(u64),
}

/// One labeled dispatch with its kernel and bindings: the description that app, tests and timings share.
#[derive(Clone)]
pub struct Pass {
    /// Name in the overlay and in tables, unique within a step.
    pub label: &'static str,
    /// The part of the frame that it counts towards.
    pub phase: Phase,
    kernel: Arc<Kernel>,
    groups: Vec<(u32, wgpu::BindGroup)>,
    bound: Arc<[BoundBuffer]>,
    workgroups: [u32; 2],
    /// The buffer from which the device reads the number of workgroups, and the byte offset in it; `None` where the
    /// number is always `workgroups`.
    read_from: Option<(wgpu::Buffer, u64)>,
}

/// A storage buffer that a pass binds.
#[derive(Clone, Debug)]
pub struct BoundBuffer {
    /// The WGSL variable's name.
    pub name: String,
    /// `@group` and `@binding` of the variable.
    pub place: [u32; 2],
    /// The buffer.
    pub buffer: wgpu::Buffer,
    /// How the pass accesses it.
    pub access: Access,
    /// The type of its elements in the shader.
    pub layout: ElementLayout,
}

/// The input of [`Pass::new`].
#[derive(Clone, Copy, Debug)]
pub struct PassDescriptor<'a> {
    /// The group of passes in which its time is counted.
    pub phase: Phase,
    /// Its name in the overlay and in tables.
    pub label: &'static str,
    /// Its shader.
    pub shader: &'a ShaderVariant,
    /// The function of the shader that it runs.
    pub entry_point: &'static str,
    /// Its buffers, by the names of the WGSL variables; those that the shader does not use are ignored.
    pub buffers: &'a [(&'a str, &'a wgpu::Buffer)],
    /// How many workgroups or invocations it runs.
    pub dispatch: Dispatch,
}

impl Pass {
    /// Compiles (or finds) the kernel and binds its buffers to it.
    ///
    /// # Errors
    /// When the shader does not compile, a binding has no buffer, or the dispatch is too large for the adapter.
    pub fn new(
        gpu: &Gpu,
        PassDescriptor { phase, label, shader, entry_point, buffers, dispatch }: PassDescriptor<'_>,
    ) -> Result<Self, GpuError> {
        let kernel = gpu.kernel(shader, entry_point)?;
        let groups = kernel.bind(gpu, label, buffers)?;
        let bound = kernel.interface.storage.iter().filter_map(|usage| {
            let (_, buffer) = buffers.iter().find(|(name, _)| *name == usage.name)?;
            Some(BoundBuffer {
                name: usage.name.clone(),
                place: [usage.group, usage.number],
                buffer: (*buffer).clone(),
                access: usage.access,
                layout: usage.layout.clone(),
            })
        });
        let bound = bound.collect();
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
        Ok(Self { label, phase, kernel, groups, bound, workgroups, read_from: None })
    }

    /// The same pass with another label, for a step in which it occurs several times.
    #[must_use]
    pub fn labeled(&self, label: &'static str) -> Self {
        Self { label, ..self.clone() }
    }

    /// The same pass with its number of workgroups read from `arguments` when the device reaches it: three `u32` at
    /// `offset` bytes. They must be either [`Pass::workgroups`] and 1, or zeros, which skip the pass.
    #[must_use]
    pub fn counted_by(mut self, arguments: &wgpu::Buffer, offset: u64) -> Self {
        self.read_from = Some((arguments.clone(), offset));
        self
    }

    /// The storage buffers that the entry point accesses, in order of group and binding. A buffer that is bound under
    /// several names occurs once for each.
    pub fn bindings(&self) -> &[BoundBuffer] {
        &self.bound
    }

    /// The shader file with the definitions that it was composed with.
    pub fn shader(&self) -> &ShaderVariant {
        &self.kernel.variant
    }

    /// Whether it evaluates a pair kernel.
    pub fn has_pair_kernel(&self) -> bool {
        self.kernel.variant.pair.is_some()
    }

    /// The entry point's name.
    pub fn entry_point(&self) -> &'static str {
        self.kernel.entry_point
    }

    /// Invocations of a workgroup in x, y and z.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.kernel.interface.workgroup_size
    }

    /// Workgroups along x and y, unless the device skips the pass ([`Pass::counted_by`]).
    pub fn workgroups(&self) -> [u32; 2] {
        self.workgroups
    }

    /// Bytes of workgroup memory that each workgroup takes.
    pub fn workgroup_bytes(&self) -> u32 {
        self.kernel.interface.workgroup_bytes
    }

    /// The files that its shader was composed of, as paths below `shaders/`, with its own file last.
    pub fn files(&self) -> &[String] {
        &self.kernel.files
    }

    /// Whether its shader was compiled with wgpu's bounds and loop checks.
    pub fn keeps_checks(&self) -> bool {
        self.kernel.keeps_checks
    }

    /// Whether `other` is a copy of this pass: the same kernel over the same buffers, made once.
    pub fn is_copy_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.bound, &other.bound) && Arc::ptr_eq(&self.kernel, &other.kernel)
    }

    fn dispatch(&self, compute: &mut wgpu::ComputePass<'_>) {
        let Some(pipeline) = &self.kernel.pipeline else { return };
        compute.set_pipeline(pipeline);
        for (index, group) in &self.groups {
            compute.set_bind_group(*index, group, &[]);
        }
        match &self.read_from {
            Some((arguments, offset)) => compute.dispatch_workgroups_indirect(arguments, *offset),
            None => compute.dispatch_workgroups(self.workgroups[0], self.workgroups[1], 1),
        }
    }
}

/// Spreads `count` workgroups over two dimensions of at most `limit`; shaders undo it with
/// `nearwater::dispatch::workgroup_index`.
fn tile(count: u64, limit: u64) -> Option<[u32; 2]> {
    if count <= limit {
        return Some([count as u32, 1]);
    }
    let rows = count.div_ceil(limit);
    // Rows of equal length leave few workgroups of the last row idle.
    (rows <= limit).then(|| [count.div_ceil(rows) as u32, rows as u32])
}

/// Records `passes` in order. With a timer, each gets a compute pass of its own, because timestamps are written at the
/// beginning and end of a compute pass; without a timer they share one compute pass.
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

/// Records `passes` as one compute pass, timed as a whole under `label`, so that no gaps between passes are measured.
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
