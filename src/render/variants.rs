//! The shaders of the renderer in every variant that it compiles.

use super::DrawStyle;
use super::clear_pipelines::ClearPipelines;
use super::color_field_shader::CompiledFields;
use super::foam::{foam_over_variant, foam_variant};
use super::left_out::{LeftOut, Shading};
use super::mesh_light::mesh_light_variant;
use super::overlay::OverlayKind;
use super::picker::pick_variant;
use super::picture_behind::picture_variant;
use super::pipelines::{
    BACKGROUND, CELL_FACES, FLOOR, MARK_CELLS, Spheres, Water, cell_edges_variant, relief_variant, spheres_variant,
    veil_variant, water_variant,
};
use super::role_partition::partition_variant;
use super::selection::SELECT;
use super::solid_pipelines::SolidPipelines;
use super::splats::SplatPipelines;
use crate::gpu::ShaderVariant;

/// Every shader of the renderer in every variant that it is compiled in, for the tests.
pub fn shader_variants() -> Vec<ShaderVariant> {
    let plain = [
        "render/light_map.wgsl",
        "render/thickness.wgsl",
        "render/relief_down.wgsl",
        "render/relief_normal.wgsl",
        "render/box_edges.wgsl",
        CELL_FACES,
        MARK_CELLS,
        SELECT,
    ];
    let mut variants: Vec<ShaderVariant> = plain.into_iter().map(ShaderVariant::new).collect();
    variants.extend([cell_edges_variant(), partition_variant(), foam_over_variant()]);
    variants.extend(SplatPipelines::variants());
    variants.extend(OverlayKind::ALL.map(OverlayKind::variant));
    for multisampled in [false, true] {
        variants.extend([
            relief_variant(multisampled),
            pick_variant(multisampled),
            picture_variant(multisampled),
            mesh_light_variant(multisampled),
        ]);
        let spheres = [Spheres::Plain, Spheres::Marked, Spheres::Faded];
        variants.extend(spheres.map(|draws| spheres_variant(multisampled, draws)));
    }
    let fields = CompiledFields::listed();
    for left_out in LeftOut::all() {
        variants.extend(lit_variants(&Shading { fields: fields.clone(), left_out }));
    }
    variants.sort();
    variants.dedup();
    variants
}

/// The shaders that compute light, which are compiled without what a picture does not contain.
fn lit_variants(shading: &Shading) -> Vec<ShaderVariant> {
    let left_out = shading.left_out;
    let mut variants = [FLOOR, BACKGROUND].map(|file| left_out.define(ShaderVariant::new(file))).to_vec();
    variants.extend(SolidPipelines::variants(left_out));
    variants.extend(ClearPipelines::variants(left_out));
    for multisampled in [false, true] {
        variants.extend([foam_variant(multisampled, left_out), veil_variant(multisampled, shading)]);
        let styles = [DrawStyle::Beads, DrawStyle::Smooth].map(Water::Plain).into_iter();
        variants.extend(styles.chain([Water::Marked]).map(|water| water_variant(water, multisampled, shading)));
    }
    variants
}
