//! Draws with uniform buffers read as storage buffers where the driver would otherwise compile shaders again with every
//! frame.
//!
//! Mesa's software rasterizer lavapipe (seen with 22.3.6) puts the values of a uniform buffer as constants into shaders
//! whose branches or loops depend on uniforms alone. It does so every time such a pipeline is bound with the buffer,
//! compiles the result again even if the values are the same, and keeps every copy until the pipeline is destroyed: in
//! the app some 330 KB a frame for each such pipeline. Storage buffers are exempt. Compute shaders keep their uniform
//! buffers, because reading storage buffers in the loops of pair kernels takes longer; their branches must depend on
//! more than uniforms.

use super::{AdapterClass, Capabilities};

/// Whether shaders for drawing read uniform buffers as storage buffers on this adapter.
pub(super) fn draws_with_uniforms_in_storage(capabilities: &Capabilities) -> bool {
    capabilities.class == AdapterClass::Software && capabilities.backend == wgpu::Backend::Vulkan
}

/// Declares every uniform buffer of a module as a storage buffer that is only read. WGSL's rules for the layout of
/// uniform buffers are the stricter ones, so that the contents stay as they are.
pub(super) fn declare_uniforms_as_storage(module: &mut naga::Module) {
    for (_, variable) in module.global_variables.iter_mut() {
        if variable.space == naga::AddressSpace::Uniform {
            variable.space = naga::AddressSpace::Storage { access: naga::StorageAccess::LOAD };
        }
    }
}

/// Usages of a uniform buffer's contents that hold for both.
pub(super) const UNIFORM_USAGES: wgpu::BufferUsages =
    wgpu::BufferUsages::UNIFORM.union(wgpu::BufferUsages::STORAGE).union(wgpu::BufferUsages::COPY_DST);
