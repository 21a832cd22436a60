//! Divides the particles into those with a role of their own and the faded ones, so that drawing a few particles does
//! not process the vertices of all.

use super::Mark;
use crate::gpu::{Dispatch, Gpu, GpuError, Pass, PassDescriptor, PassTimer, Phase, ShaderVariant, record};
use crate::primitives::ExclusiveScan;

/// Number of u32 in the arguments of an indirect draw.
const ARGUMENTS: u64 = 4;

/// The shader that divides the particles.
pub(super) fn partition_variant() -> ShaderVariant {
    Mark::define(ShaderVariant::new("render/partition_roles.wgsl"))
}

/// The indices of particles by role and the number of either kind, on the device. The drawing order decides which of
/// two particles at the same depth is visible: a scan keeps that order, whereas appending with atomics would change it
/// from picture to picture.
pub(super) struct RolePartition {
    /// `u32`: a [`Mark`] for every particle.
    pub(super) roles: wgpu::Buffer,
    /// `u32`: indices of particles with roles of their own from the front, and of faded ones backwards from the end of
    /// the drawn particles.
    pub(super) by_role: wgpu::Buffer,
    /// Arguments of both draws, in that order.
    pub(super) arguments: wgpu::Buffer,
    passes: Vec<Pass>,
}

impl RolePartition {
    /// Offset in bytes of the arguments that draw particles with roles of their own.
    pub(super) const OWN: u64 = 0;
    /// Offset in bytes of the arguments that draw faded particles.
    pub(super) const FADED: u64 = ARGUMENTS * size_of::<u32>() as u64;

    /// A partition of the number of particles in `frame`, which is at most the number of `roles`.
    ///
    /// # Errors
    /// When the lists do not fit into the device's memory, or the shader does not compile.
    pub(super) fn new(gpu: &Gpu, frame: &wgpu::Buffer, roles: &wgpu::Buffer) -> Result<Self, GpuError> {
        // Sized by the buffer and not by the frame, whose particle count may change while the buffers stay the same.
        let capacity = (roles.size() / size_of::<u32>() as u64) as u32;
        let by_role = gpu.storage::<u32>("particles by role", capacity.into())?;
        // One additional element, which becomes the total.
        let own_before = gpu.storage::<u32>("particles in roles before", u64::from(capacity) + 1)?;
        let arguments = gpu.storage::<u32>("draws by role", 2 * ARGUMENTS)?;
        let buffers = [
            ("frame", frame),
            ("marks", roles),
            ("own_before", &own_before),
            ("by_role", &by_role),
            ("draw_arguments", &arguments),
        ];
        let variant = partition_variant();
        let pass = |label, entry_point| {
            let dispatch = Dispatch::Invocations(u64::from(capacity) + 1);
            Pass::new(
                gpu,
                PassDescriptor {
                    phase: Phase::Drawing,
                    label,
                    shader: &variant,
                    entry_point,
                    buffers: &buffers,
                    dispatch,
                },
            )
        };
        let scan = ExclusiveScan::new(gpu, &own_before, capacity + 1)?.passes(gpu, Phase::Drawing)?;
        let passes = [vec![pass("flag roles", "flag")?], scan, vec![pass("gather roles", "gather")?]].concat();
        Ok(Self { roles: roles.clone(), by_role, arguments, passes })
    }

    /// Records the passes that divide the particles by their roles at the time of execution.
    pub(super) fn record(&self, encoder: &mut wgpu::CommandEncoder, timer: Option<&mut PassTimer>) {
        record(&self.passes, encoder, timer);
    }
}
