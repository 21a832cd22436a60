use super::TargetFormat;
use super::pipeline::{DrawPipeline, Drawing};
use crate::gpu::{Gpu, GpuError, ShaderVariant};

/// Solids' light where no water is before them: not yet bent below white, so 16-bit floats.
pub(super) const BEHIND_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// Depths that later passes read.
pub(super) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// What solids are drawn into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SolidTarget {
    /// The map of what is in the light's way.
    Shadow,
    /// What is seen through smooth water.
    Behind,
    /// The picture.
    Picture,
}

impl SolidTarget {
    pub(super) const ALL: [Self; 3] = [Self::Shadow, Self::Behind, Self::Picture];

    fn variant(self, file: &'static str) -> ShaderVariant {
        ShaderVariant::new(file)
            .with_flag_if(self == Self::Shadow, "SHADOW")
            .with_flag_if(self == Self::Behind, "BEHIND")
    }

    fn pipeline(self, gpu: &Gpu, file: &'static str, picture: TargetFormat) -> Result<DrawPipeline, GpuError> {
        let (label, color, depth, samples) = match self {
            Self::Shadow => ("solids' shadow", None, DEPTH_FORMAT, 1),
            Self::Behind => ("solids behind water", Some(BEHIND_FORMAT.into()), DEPTH_FORMAT, 1),
            Self::Picture => {
                // As all that is drawn into the picture: alpha stays one.
                let write_mask = wgpu::ColorWrites::COLOR;
                let color = wgpu::ColorTargetState { format: picture.color, blend: None, write_mask };
                ("solids", Some(color), picture.depth, picture.sample_count)
            }
        };
        let depth = wgpu::DepthStencilState {
            format: depth,
            depth_write_enabled: Some(true),
            // Depth is reversed; of the shadow's map the higher solid is kept.
            depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        };
        let multisample = wgpu::MultisampleState { count: samples, ..Default::default() };
        let variant = &self.variant(file);
        DrawPipeline::new(
            gpu,
            &Drawing { label, variant, fragment: "fragment", color, depth: Some(depth), multisample },
        )
    }
}

/// What draws one kind of solid, into each target.
pub(super) struct SolidPipelines {
    shadow: DrawPipeline,
    behind: DrawPipeline,
    picture: DrawPipeline,
}

impl SolidPipelines {
    /// Solids that keep their shape.
    pub(super) const SOLID: &'static str = "render/solid.wgsl";
    /// Cloth.
    pub(super) const CLOTH: &'static str = "render/cloth.wgsl";

    pub(super) fn new(gpu: &Gpu, file: &'static str, picture: TargetFormat) -> Result<Self, GpuError> {
        let pipeline = |target: SolidTarget| target.pipeline(gpu, file, picture);
        let [shadow, behind, picture] = SolidTarget::ALL.map(pipeline);
        Ok(Self { shadow: shadow?, behind: behind?, picture: picture? })
    }

    pub(super) fn of(&self, target: SolidTarget) -> &DrawPipeline {
        match target {
            SolidTarget::Shadow => &self.shadow,
            SolidTarget::Behind => &self.behind,
            SolidTarget::Picture => &self.picture,
        }
    }

    /// The variants of both shaders.
    pub(super) fn variants() -> impl Iterator<Item = ShaderVariant> {
        let files = [Self::SOLID, Self::CLOTH].into_iter();
        files.flat_map(|file| SolidTarget::ALL.map(|target| target.variant(file)))
    }
}
