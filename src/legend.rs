//! Content of the color legend, which the window draws with egui and `nearwater simulate` draws with plotters.

use crate::depiction::{field_range, shown_field};
use crate::fluid::{Resolution, Scene};
use crate::format;
use crate::render::{ColorField, ColorMap};

/// Number of samples of a continuous color map.
const STRIPS: usize = 64;

/// The color legend of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Legend {
    /// The name of the field.
    pub name: &'static str,
    /// Colors of the map from left to right, sRGB bytes.
    pub colors: Vec<[u8; 3]>,
    /// Text below the colors.
    pub words: LegendWords,
}

/// Text below the colors of a legend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LegendWords {
    /// The values at the left and right end, the right one with its unit.
    Range(String, String),
    /// A remark beside the name, for maps whose colors do not encode a range of values.
    Remark(&'static str),
}

impl Legend {
    /// The legend of a field for a scene at a resolution. `has_classes` says whether the search distinguishes border
    /// particles from inner ones.
    pub fn of(field: ColorField, scene: &Scene, resolution: &Resolution, has_classes: bool) -> Self {
        let field = shown_field(field, scene);
        let words = match field.color_map() {
            ColorMap::Cells => LegendWords::Remark("one color per cell"),
            ColorMap::Classes if has_classes => LegendWords::Remark("inner left, border right"),
            ColorMap::Classes => LegendWords::Remark("not used by this search"),
            ColorMap::Water | ColorMap::Ember | ColorMap::Turn => {
                let (low, high) = field_range(field, scene, resolution);
                let high = format!("{} {}", format::number(high.into()), field.unit());
                LegendWords::Range(format::number(low.into()), high.trim_end().to_owned())
            }
        };
        Self { name: field.label(), colors: legend_colors(field.color_map()), words }
    }

    /// The same legend with other values at its ends.
    #[must_use]
    pub fn with_range(self, (low, high): (f32, f32), unit: &str) -> Self {
        let high = format!("{} {unit}", format::number(high.into())).trim_end().to_owned();
        Self { words: LegendWords::Range(format::number(low.into()), high), ..self }
    }
}

/// A map's colors from left to right, sRGB bytes: all colors of a discrete map, evenly spaced samples of a continuous
/// one.
pub fn legend_colors(map: ColorMap) -> Vec<[u8; 3]> {
    let strips = match map {
        ColorMap::Cells => ColorMap::CELL_COLORS,
        ColorMap::Classes => 2,
        ColorMap::Water | ColorMap::Ember | ColorMap::Turn => STRIPS,
    };
    (0..strips).map(|strip| map.sample((strip as f32 + 0.5) / strips as f32)).collect()
}
