//! Compiled shaders: pipelines, and bind groups whose layout is read from the shader, so that none is written by hand.

use std::borrow::Cow;

use super::compose::Composed;
use super::reflection::{Binding, BindingKind, Interface, interface_of};
use super::uniforms_in_storage::{declare_uniforms_as_storage, draws_with_uniforms_in_storage};
use super::validating::check_compute;
use super::{Gpu, GpuError, ShaderFault, ShaderVariant};

/// A compiled compute entry point and the layout that naga reads from it.
pub struct Kernel {
    /// `None` on a device that validates shaders and runs none.
    pub(super) pipeline: Option<wgpu::ComputePipeline>,
    groups: Vec<Option<wgpu::BindGroupLayout>>,
    /// The file and the definitions that it was composed with.
    pub variant: ShaderVariant,
    /// The entry point's name.
    pub entry_point: &'static str,
    /// Bindings, workgroup size and workgroup memory.
    pub interface: Interface,
    /// The files that it was composed of.
    pub(super) files: Vec<String>,
    /// Whether it was compiled with wgpu's bounds and loop checks.
    pub(super) keeps_checks: bool,
    /// [`ShaderEdits::number`](super::ShaderEdits::number) of the texts.
    pub(super) number: u64,
}

impl Kernel {
    pub(super) fn compile(gpu: &Gpu, variant: &ShaderVariant, entry_point: &'static str) -> Result<Self, GpuError> {
        let Composed { module, info, files, keeps_checks, number } = gpu.shaders().sources().compose(variant)?;
        let interface = interface_of(&module, &info, entry_point).ok_or_else(|| {
            let message = format!("it has no entry point `{entry_point}`");
            let fault = Some(Box::new(ShaderFault::without_place(variant.file, message.clone())));
            GpuError::Shader { file: variant.file.to_owned(), message, fault }
        })?;
        if !gpu.runs {
            check_compute(&gpu.capabilities, variant, &module, &interface)?;
        }
        let build = || {
            let groups = bind_group_layouts(&gpu.device, &interface, wgpu::ShaderStages::COMPUTE);
            if !gpu.runs {
                return (None, groups);
            }
            let shader = shader_module(gpu, variant, module, keeps_checks);
            let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(variant.file),
                bind_group_layouts: &groups.iter().map(Option::as_ref).collect::<Vec<_>>(),
                immediate_size: 0,
            });
            let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(variant.file),
                layout: Some(&layout),
                module: &shader,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Kernels write their workgroup memory before they read it.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: gpu.pipeline_cache(),
            });
            (Some(pipeline), groups)
        };
        let (pipeline, groups) = gpu.guarded(build).map_err(|error| GpuError::refused_shader(variant.file, &error))?;
        Ok(Self { pipeline, groups, variant: variant.clone(), entry_point, interface, files, keeps_checks, number })
    }

    /// Binds `buffers`, looked up by the names of the WGSL variables, to the kernel's groups. Names that the kernel
    /// does not use are ignored, so that variants share one list; a name may occur twice with the same buffer.
    pub(super) fn bind(
        &self,
        gpu: &Gpu,
        pass: &str,
        buffers: &[(&str, &wgpu::Buffer)],
    ) -> Result<Vec<(u32, wgpu::BindGroup)>, GpuError> {
        let named = |name: &str| buffers.iter().find(|(bound, _)| *bound == name).map(|(_, buffer)| *buffer);
        let is_other = |(name, buffer): &&(&str, &wgpu::Buffer)| named(name) != Some(*buffer);
        for (name, _) in buffers.iter().filter(is_other) {
            if self.interface.bindings.iter().any(|binding| binding.name == *name) {
                return Err(GpuError::BoundTwice { pass: pass.to_owned(), binding: (*name).to_owned() });
            }
        }
        let resource = |name: &str| named(name).map(wgpu::Buffer::as_entire_binding);
        bind_groups(gpu, pass, (&self.groups, &self.interface.bindings), resource)
    }
}

/// A composed shader module for the renderer.
pub struct RenderShader {
    /// The wgpu module.
    pub module: wgpu::ShaderModule,
    /// Bind group layouts for the bindings of all its entry points, by group number; `None` where a group is unused.
    pub groups: Vec<Option<wgpu::BindGroupLayout>>,
    /// All bindings, by group and number.
    pub bindings: Vec<Binding>,
}

impl RenderShader {
    pub(super) fn compile(gpu: &Gpu, variant: &ShaderVariant) -> Result<Self, GpuError> {
        let Composed { mut module, info, keeps_checks, .. } = gpu.shaders().sources().compose(variant)?;
        if draws_with_uniforms_in_storage(&gpu.capabilities) {
            declare_uniforms_as_storage(&mut module);
        }
        let mut bindings: Vec<Binding> = Vec::new();
        for entry in &module.entry_points {
            for binding in interface_of(&module, &info, &entry.name).into_iter().flat_map(|found| found.bindings) {
                if !bindings.contains(&binding) {
                    bindings.push(binding);
                }
            }
        }
        bindings.sort_by_key(|binding| (binding.group, binding.number));
        let interface =
            Interface { bindings: bindings.clone(), storage: Vec::new(), workgroup_size: [0; 3], workgroup_bytes: 0 };
        let build = || {
            let groups = bind_group_layouts(&gpu.device, &interface, wgpu::ShaderStages::VERTEX_FRAGMENT);
            (shader_module(gpu, variant, module, keeps_checks), groups)
        };
        let (module, groups) = gpu.guarded(build).map_err(|error| GpuError::refused_shader(variant.file, &error))?;
        Ok(Self { module, groups, bindings })
    }

    /// Binds `resources`, looked up by the WGSL variables' names, to the shader's groups.
    ///
    /// # Errors
    /// When one of its bindings has no resource.
    pub fn bind(
        &self,
        gpu: &Gpu,
        pass: &str,
        resources: &[(&str, wgpu::BindingResource<'_>)],
    ) -> Result<Vec<(u32, wgpu::BindGroup)>, GpuError> {
        let resource =
            |name: &str| resources.iter().find(|(bound, _)| *bound == name).map(|(_, resource)| resource.clone());
        bind_groups(gpu, pass, (&self.groups, &self.bindings), resource)
    }
}

fn bind_groups<'a>(
    gpu: &Gpu,
    pass: &str,
    (layouts, bindings): (&[Option<wgpu::BindGroupLayout>], &[Binding]),
    resource: impl Fn(&str) -> Option<wgpu::BindingResource<'a>>,
) -> Result<Vec<(u32, wgpu::BindGroup)>, GpuError> {
    let mut bound = Vec::new();
    for (group, layout) in (0..).zip(layouts) {
        let Some(layout) = layout else { continue };
        let mut entries = Vec::new();
        for binding in bindings.iter().filter(|binding| binding.group == group) {
            let resource = resource(&binding.name)
                .ok_or_else(|| GpuError::Unbound { pass: pass.to_owned(), binding: binding.name.clone() })?;
            entries.push(wgpu::BindGroupEntry { binding: binding.number, resource });
        }
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
        // An edited shader may declare more than the program's buffers hold.
        let made = gpu.guarded(|| gpu.device.create_bind_group(&descriptor));
        let refuse = |error: wgpu::Error| GpuError::EditRefused(format!("in the pass \"{pass}\", {error}"));
        bound.push((group, made.map_err(refuse)?));
    }
    Ok(bound)
}

fn shader_module(gpu: &Gpu, variant: &ShaderVariant, module: naga::Module, keeps_checks: bool) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(variant.file),
        source: wgpu::ShaderSource::Naga(Cow::Owned(module)),
    };
    // On an H200, wgpu's bounds and loop checks cost a search pass 30 to 50 %. They stay on in tests, for shaders read
    // from a folder and while any shader is edited, and are left out only for the embedded files, which the tests run
    // with checks.
    if keeps_checks {
        gpu.device.create_shader_module(descriptor)
    } else {
        // SAFETY: the test suite runs the same sources with every check on, for every size and input of its fixtures;
        // loops terminate because their bounds are particle and cell counts. `search::guards` rejects buffers of
        // callers that are shorter than those counts require.
        #[expect(unsafe_code, reason = "the only way wgpu offers to leave its shader checks out")]
        unsafe {
            gpu.device.create_shader_module_trusted(descriptor, wgpu::ShaderRuntimeChecks::unchecked())
        }
    }
}

fn bind_group_layouts(
    device: &wgpu::Device,
    interface: &Interface,
    visibility: wgpu::ShaderStages,
) -> Vec<Option<wgpu::BindGroupLayout>> {
    let group_count = interface.bindings.last().map_or(0, |binding| binding.group + 1);
    let layout_of = |group: u32| {
        let entries: Vec<_> = interface
            .bindings
            .iter()
            .filter(|binding| binding.group == group)
            .map(|binding| wgpu::BindGroupLayoutEntry {
                binding: binding.number,
                visibility,
                ty: binding_type(binding),
                count: None,
            })
            .collect();
        (!entries.is_empty()).then(|| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries })
        })
    };
    (0..group_count).map(layout_of).collect()
}

fn binding_type(binding: &Binding) -> wgpu::BindingType {
    let buffer = |ty| wgpu::BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: wgpu::BufferSize::new(binding.least_bytes),
    };
    let texture_of = |view_dimension, sample_type, multisampled| wgpu::BindingType::Texture {
        sample_type,
        view_dimension,
        multisampled,
    };
    let texture = |sample_type, multisampled| texture_of(wgpu::TextureViewDimension::D2, sample_type, multisampled);
    let filtered = wgpu::TextureSampleType::Float { filterable: true };
    match binding.kind {
        BindingKind::LayeredDepthTexture => {
            texture_of(wgpu::TextureViewDimension::D2Array, wgpu::TextureSampleType::Depth, false)
        }
        BindingKind::CubeTexture => texture_of(wgpu::TextureViewDimension::Cube, filtered, false),
        BindingKind::Uniform => buffer(wgpu::BufferBindingType::Uniform),
        BindingKind::StorageRead => buffer(wgpu::BufferBindingType::Storage { read_only: true }),
        BindingKind::StorageReadWrite => buffer(wgpu::BufferBindingType::Storage { read_only: false }),
        BindingKind::Texture => texture(filtered, false),
        BindingKind::IntegerTexture => texture(wgpu::TextureSampleType::Uint, false),
        BindingKind::MultisampledIntegerTexture => texture(wgpu::TextureSampleType::Uint, true),
        BindingKind::DepthTexture => texture(wgpu::TextureSampleType::Depth, false),
        BindingKind::MultisampledDepthTexture => texture(wgpu::TextureSampleType::Depth, true),
        BindingKind::ComparisonSampler => wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison),
        BindingKind::Sampler => wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering),
    }
}

#[cfg(test)]
mod tests {
    use crate::gpu::{Dispatch, Gpu, GpuError, Pass, PassDescriptor, Phase, ShaderLibrary, ShaderVariant};

    #[test]
    fn one_name_for_two_buffers_is_refused_where_the_kernel_uses_it() {
        let gpu = Gpu::open(None, ShaderLibrary::embedded().checked()).expect("an adapter");
        let [one, other] = ["one", "other"].map(|label| gpu.storage::<[u32; 64]>(label, 1).expect("memory"));
        let uniform = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 256,
            usage: wgpu::BufferUsages::UNIFORM,
            mapped_at_creation: false,
        });
        let bind = |named: &[(&str, &wgpu::Buffer)]| {
            let mut buffers = vec![("grid_parameters", &uniform), ("positions", &one), ("sorted_positions", &one)];
            buffers.extend_from_slice(named);
            let shader = ShaderVariant::new("search/brute_force.wgsl");
            Pass::new(
                &gpu,
                PassDescriptor {
                    phase: Phase::Build,
                    label: "test",
                    shader: &shader,
                    entry_point: "stamp_indices",
                    buffers: &buffers,
                    dispatch: Dispatch::Workgroups(1),
                },
            )
            .err()
        };
        assert!(!matches!(bind(&[("positions", &one), ("unused", &other)]), Some(GpuError::BoundTwice { .. })));
        assert!(matches!(bind(&[("positions", &other)]), Some(GpuError::BoundTwice { .. })));
    }
}
