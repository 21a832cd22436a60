//! What Vulkan's validation layer says, which wgpu passes on as log records.

use std::borrow::Cow;
use std::sync::{Mutex, Once, PoisonError};

use log::{Level, LevelFilter, Log, Metadata, Record};
use nearwater::gpu::Gpu;

/// The module of wgpu that passes the layer's messages on, as log records.
const SOURCE: &str = "wgpu_hal::vulkan::instance";
/// naga declares the sample mask as a number where Vulkan wants an array, of which drivers make the same:
/// <https://github.com/gfx-rs/wgpu/issues/7311>. Only multisampled spheres write it.
const KNOWN: &str = "VUID-SampleMask-SampleMask-04359";

/// What the layer has said since the last look: the level and the text.
static MESSAGES: Mutex<Vec<(Level, String)>> = Mutex::new(Vec::new());
struct Collector;

impl Log for Collector {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with(SOURCE)
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let (level, text) = (record.level(), record.args().to_string());
            let mut messages = MESSAGES.lock().unwrap_or_else(PoisonError::into_inner);
            // Records that begin with a tab say more about the message before them.
            match messages.last_mut() {
                Some((of, message)) if *of == level && text.starts_with('\t') => *message += &text,
                _ => messages.push((level, text)),
            }
        }
    }

    fn flush(&self) {}
}

/// Begins to collect the messages of devices that are opened from now on.
pub fn collect() {
    static COLLECTING: Once = Once::new();
    COLLECTING.call_once(|| {
        // wgpu asks the layer for messages of the levels that are logged when an instance is created.
        log::set_logger(&Collector).expect("no other logger");
        log::set_max_level(LevelFilter::Debug);
    });
}

/// Everything that the layer has said since the last look.
pub fn said() -> Vec<(Level, String)> {
    std::mem::take(&mut *MESSAGES.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The layer's errors and warnings since the last call, without the known one.
pub fn new_complaints() -> Vec<String> {
    complaints().into_iter().filter(|message| !message.contains(KNOWN)).collect()
}

/// All of them.
fn complaints() -> Vec<String> {
    said().into_iter().filter(|(level, _)| *level <= Level::Warn).map(|(_, message)| message).collect()
}

/// Whether the layer watches the device: it then complains about the known fault.
pub fn is_active(gpu: &Gpu) -> bool {
    let others = complaints();
    assert!(others.iter().all(|message| message.contains(KNOWN)), "while a device was opened: {others:#?}");
    draw_with_a_sample_mask(gpu);
    let found = complaints();
    let is_active = found.iter().any(|message| message.contains(KNOWN));
    assert!(found.iter().all(|message| message.contains(KNOWN)), "{found:#?}");
    // `./x test` installs the layer wherever there is a package manager that has it.
    let needs_layer =
        gpu.capabilities.backend == wgpu::Backend::Vulkan && std::path::Path::new("/usr/bin/dpkg").exists();
    assert!(
        is_active || !needs_layer,
        "Vulkan's validation layer is silent about a known fault ({KNOWN}). Either the package vulkan-validationlayers \
         is not installed, which ./x test does, or wgpu has fixed https://github.com/gfx-rs/wgpu/issues/7311; then \
         remove the exception from this file and prove in another way that the layer's messages arrive"
    );
    if !is_active {
        eprintln!("this system has no Vulkan validation layer, so that nothing is validated");
    }
    is_active
}

/// Creates the smallest pipeline whose fragment shader writes a sample mask.
fn draw_with_a_sample_mask(gpu: &Gpu) {
    let text = "@vertex fn vertex() -> @builtin(position) vec4<f32> { return vec4<f32>(); }
        @fragment fn fragment() -> @builtin(sample_mask) u32 { return 5u; }";
    // As the program's own shaders; with text as the source, wgpu names a language that older layers do not know.
    let source = wgpu::ShaderSource::Naga(Cow::Owned(naga::front::wgsl::parse_str(text).expect("it is WGSL")));
    let module = &gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
    let depth = wgpu::DepthStencilState {
        format: wgpu::TextureFormat::Depth32Float,
        depth_write_enabled: Some(false),
        depth_compare: Some(wgpu::CompareFunction::Always),
        stencil: wgpu::StencilState::default(),
        bias: wgpu::DepthBiasState::default(),
    };
    let _ = gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("sample mask"),
        layout: None,
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vertex"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(depth),
        multisample: wgpu::MultisampleState { count: 4, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("fragment"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[],
        }),
        multiview_mask: None,
        cache: None,
    });
}
