//! The shader module that colors a particle by the field of the picture, written from the entries of the fields: so a
//! field's number and its WGSL stand in no second place.

use std::fmt::Write as _;

use super::color_field::FieldShading;
use super::color_fields::CUSTOM;
use super::{ColorField, ColorFieldInfo};
use crate::gpu::ShaderVariant;

/// What messages of the shader compiler call the module.
const MODULE: &str = "render/color_fields.wgsl (generated)";

const HEAD: &str = "\
// The color that a particle's field gives it.
#define_import_path nearwater::render::color_fields
#import nearwater::render::field::{NO_VALUE, UNKNOWN, candidate_counts, cell_color, custom_color, densities, is_border}
#import nearwater::render::field::{is_solid, neighbor_counts, palette_at, positions, scaled, velocities}
#import nearwater::render::frame::frame

fn field_color(index: u32, position: vec3<f32>) -> vec3<f32> {
    if is_solid(index) {
        return NO_VALUE;
    }
    switch frame.field {
";

/// A field without its buffer is given a number that no case has: it is drawn in a color that no map has.
const TAIL: &str = "        default: { return UNKNOWN; }\n    }\n}\n";

/// The fields that a renderer has compiled. The shaders know a field by its place here.
#[derive(Clone, Debug)]
pub(super) struct CompiledFields(Vec<ColorField>);

impl CompiledFields {
    /// The listed fields and the custom one.
    pub(super) fn listed() -> Self {
        Self(ColorField::all().chain([ColorField::new(&CUSTOM)]).collect())
    }

    /// These and `field`, where it is not among them.
    pub(super) fn with(&self, field: ColorField) -> Option<Self> {
        let is_new = self.number(field).is_none();
        is_new.then(|| Self(self.0.iter().copied().chain([ColorField::new(field.info())]).collect()))
    }

    /// The number by which the shaders know a field; `None` where it is not compiled.
    pub(super) fn number(&self, field: ColorField) -> Option<u32> {
        let place = self.0.iter().position(|compiled| compiled.info().name == field.info().name);
        place.map(|place| place as u32)
    }

    /// Gives a shader the function `field_color` of `nearwater::render::color_fields`.
    pub(super) fn define(&self, variant: ShaderVariant) -> ShaderVariant {
        let mut text = HEAD.to_owned();
        for (number, field) in self.0.iter().enumerate() {
            let ColorFieldInfo { label, shading, .. } = field.info();
            let color = match shading {
                FieldShading::Value(value) => format!("scaled({value})"),
                FieldShading::Color(color) => (*color).to_owned(),
            };
            // Writing into a string cannot fail.
            let _ = writeln!(text, "        // {label}\n        case {number}u: {{ return {color}; }}");
        }
        text.push_str(TAIL);
        variant.with_generated(MODULE, text)
    }
}
