//! The pipelines that draw solids and cloth into the picture, behind the water and into the map of shadows.

use super::TargetFormat;
use super::left_out::LeftOut;
use super::pipeline::{DrawPipeline, Drawing};
use crate::gpu::{Gpu, GpuError, ShaderVariant};

/// Color of solids where no water is in front of them: not yet tone-mapped, so 16-bit floats.
pub(super) const BEHIND_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// Depth that later passes read.
pub(super) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// The target that solids are drawn into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SolidTarget {
    /// The map of what is in the path of the light.
    Shadow,
    /// The picture that is seen through smooth water.
    Behind,
    /// The picture.
    Picture,
}

impl SolidTarget {
    pub(super) const ALL: [Self; 3] = [Self::Shadow, Self::Behind, Self::Picture];

    fn variant(self, file: &'static str, left_out: LeftOut) -> ShaderVariant {
        let variant = ShaderVariant::new(file)
            .with_flag_if(self == Self::Shadow, "SHADOW")
            .with_flag_if(self == Self::Behind, "BEHIND");
        // Solids throw no light on the map of shadows.
        if self == Self::Shadow { variant } else { left_out.define(variant) }
    }

    fn pipeline(
        self,
        gpu: &Gpu,
        file: &'static str,
        (picture, left_out): (TargetFormat, LeftOut),
    ) -> Result<DrawPipeline, GpuError> {
        let (label, color, depth, samples) = match self {
            Self::Shadow => ("solids' shadow", None, DEPTH_FORMAT, 1),
            Self::Behind => ("solids behind water", Some(BEHIND_FORMAT.into()), DEPTH_FORMAT, 1),
            Self::Picture => {
                // As for everything in the picture, alpha remains one.
                let write_mask = wgpu::ColorWrites::COLOR;
                let color = wgpu::ColorTargetState { format: picture.color, blend: None, write_mask };
                ("solids", Some(color), picture.depth, picture.sample_count)
            }
        };
        let depth = wgpu::DepthStencilState {
            format: depth,
            depth_write_enabled: Some(true),
            // Depth is reversed; in the map of shadows, the higher solid is kept.
            depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        };
        let multisample = wgpu::MultisampleState { count: samples, ..Default::default() };
        let variant = &self.variant(file, left_out);
        let fragment = color.is_some().then_some("fragment");
        DrawPipeline::new(gpu, &Drawing { label, variant, fragment, color, depth: Some(depth), multisample })
    }
}

/// The pipelines of one kind of solid, one for each target.
pub(super) struct SolidPipelines {
    shadow: DrawPipeline,
    behind: DrawPipeline,
    picture: DrawPipeline,
}

impl SolidPipelines {
    /// Rigid solids.
    pub(super) const SOLID: &'static str = "render/solid.wgsl";
    /// Cloth.
    pub(super) const CLOTH: &'static str = "render/cloth.wgsl";

    pub(super) fn new(gpu: &Gpu, file: &'static str, drawn: (TargetFormat, LeftOut)) -> Result<Self, GpuError> {
        let pipeline = |target: SolidTarget| target.pipeline(gpu, file, drawn);
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
    pub(super) fn variants(left_out: LeftOut) -> impl Iterator<Item = ShaderVariant> {
        let files = [Self::SOLID, Self::CLOTH].into_iter();
        files.flat_map(move |file| SolidTarget::ALL.map(|target| target.variant(file, left_out)))
    }
}
