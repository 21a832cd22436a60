//! Leaving out of the shaders what a picture does not contain, on devices that execute both sides of every branch.

use super::color_field_shader::CompiledFields;
use super::{DrawStyle, Drawn, Look, SolidStyle};
use crate::gpu::{AdapterClass, Gpu, ShaderVariant};

/// What the shaders of a picture are compiled without, because the picture does not contain it.
///
/// Mesa's software rasterizer (seen with llvmpipe 22.3.6) runs the code of a branch also where no pixel takes it, and
/// the body of a loop at least once, with the results masked out: on two cores, the shadows of solids that a scene does
/// not have took half of the time of a picture. Graphics cards skip such code; there nothing is left out, so that no
/// pipeline has to be compiled when a scene gets its first solid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    solids: bool,
    scene_light: bool,
    clear_water: bool,
}

impl LeftOut {
    /// As for the first picture of most scenes: beads in the tank, without solids.
    pub(super) fn at_first(gpu: &Gpu) -> Self {
        let leaves_out = executes_both_sides(gpu);
        Self { solids: leaves_out, scene_light: leaves_out, clear_water: leaves_out }
    }

    /// What this picture can be drawn without.
    pub(super) fn of(gpu: &Gpu, look: &Look, drawn: &Drawn<'_>) -> Self {
        let everything = Self::at_first(gpu);
        let has_solids = look.solids == SolidStyle::Mesh && !(drawn.solids.is_empty() && drawn.cloths.is_empty());
        let light = &drawn.scene_light;
        let has_scene_light = !light.lamps.is_empty() || light.shadows.is_some() || light.environment.is_some();
        Self {
            solids: everything.solids && !has_solids,
            scene_light: everything.scene_light && !has_scene_light,
            clear_water: everything.clear_water && look.style != DrawStyle::Water,
        }
    }

    /// For shaders that only the style `Water` uses.
    pub(super) fn in_clear_water(self) -> Self {
        Self { clear_water: false, ..self }
    }

    /// For shaders that only the other styles use.
    pub(super) fn in_other_styles(self) -> Self {
        Self { clear_water: true, ..self }
    }

    /// Every combination, for the tests.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..8_u8).map(|bits| Self { solids: bits & 1 != 0, scene_light: bits & 2 != 0, clear_water: bits & 4 != 0 })
    }

    /// Defines for `variant` what it is compiled without.
    pub(super) fn define(self, variant: ShaderVariant) -> ShaderVariant {
        variant
            .with_flag_if(self.solids, "WITHOUT_SOLIDS")
            .with_flag_if(self.scene_light, "WITHOUT_SCENE_LIGHT")
            .with_flag_if(self.clear_water, "WITHOUT_CLEAR_WATER")
    }
}

/// What the shaders that color a picture are compiled with.
#[derive(Clone, Debug)]
pub(super) struct Shading {
    /// The color fields that they know.
    pub(super) fields: CompiledFields,
    pub(super) left_out: LeftOut,
}

fn executes_both_sides(gpu: &Gpu) -> bool {
    gpu.capabilities.class == AdapterClass::Software
}

#[cfg(test)]
mod tests {
    use super::{LeftOut, Shading};
    use crate::gpu::ShaderLibrary;
    use crate::render::DrawStyle;
    use crate::render::color_field_shader::CompiledFields;
    use crate::render::pipelines::{Water, water_variant};

    /// Number of expressions of all functions, before the driver removes those that are never evaluated.
    fn size_of(left_out: LeftOut) -> usize {
        let shading = Shading { fields: CompiledFields::listed(), left_out };
        let variant = water_variant(Water::Plain(DrawStyle::Beads), false, &shading);
        let (module, _) = ShaderLibrary::embedded().compose(&variant).expect("it composes");
        module.functions.iter().map(|(_, function)| function.expressions.len()).sum()
    }

    #[test]
    fn shaders_shrink_with_everything_that_is_left_out() {
        let complete = LeftOut::default();
        let solids = LeftOut { solids: true, ..complete };
        let light = LeftOut { scene_light: true, ..solids };
        let [complete, solids, light] = [complete, solids, light].map(size_of);
        assert!(solids < complete && light < solids, "{complete}, {solids} and {light} expressions");
    }
}
