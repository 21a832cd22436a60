//! Color maps that are monotonic in lightness, so that they can be read with any color vision.

use glam::Vec3;

use super::oklab::{Oklab, linear_from_srgb, srgb_bytes};

/// Number of colors in a shader's palette: enough that adjacent colors differ by about one step of a byte at most.
pub(super) const PALETTE_LENGTH: usize = 256;
/// Hues of the cell colors, 45 degrees apart.
const CELL_HUES: usize = 8;
/// Lightness levels of the cell colors.
const CELL_LEVELS: [f32; 3] = [0.50, 0.68, 0.86];

/// Maps a number between 0 and 1 to a color. The sequential maps are generated in Oklch (Ottosson 2020) with increasing
/// lightness, so that their order survives color blindness and printing in gray.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColorMap {
    /// From deep blue over azure to foam: still water is dark, fast water light.
    Water,
    /// From indigo over magenta and orange to pale yellow.
    Ember,
    /// Once around the hues from dark blue to pale pink, with many distinguishable steps.
    Turn,
    /// 24 separate colors; cells that touch never have the same one.
    Cells,
    /// Two colors: blue for inner particles at 0, orange for border particles at 1.
    Classes,
}

impl ColorMap {
    /// All maps.
    pub const ALL: [Self; 5] = [Self::Water, Self::Ember, Self::Turn, Self::Cells, Self::Classes];
    /// Number of separate colors of [`ColorMap::Cells`].
    pub const CELL_COLORS: usize = CELL_HUES * CELL_LEVELS.len();

    /// The sRGB bytes at `t`: the ends of the map below 0 and above 1, its beginning for NaN.
    pub fn sample(self, t: f32) -> [u8; 3] {
        srgb_bytes(self.linear(t))
    }

    fn linear(self, t: f32) -> Vec3 {
        let t = if t.is_nan() { 0.0 } else { t.clamp(0.0, 1.0) };
        let blend = |from: f32, to: f32| from + (to - from) * t;
        let bump = 4.0 * t * (1.0 - t);
        match self {
            Self::Water => Oklab::from_lch(blend(0.40, 0.975), 0.02 + 0.115 * (1.0 - t * t), blend(254.0, 208.0)),
            Self::Ember => Oklab::from_lch(blend(0.36, 0.94), 0.11 + 0.07 * bump, blend(280.0, 280.0 + 182.0)),
            Self::Turn => Oklab::from_lch(blend(0.35, 0.94), 0.08 + 0.06 * bump, blend(275.0, 275.0 - 300.0)),
            // Inner particles are blue and border particles orange, in every picture of the two classes.
            Self::Classes if t < 0.5 => Oklab::from_lch(0.58, 0.13, 250.0),
            Self::Classes => Oklab::from_lch(0.80, 0.15, 70.0),
            Self::Cells => {
                // 3 and 8 have no common factor, so counting through both at once yields every combination.
                let slot = ((t * Self::CELL_COLORS as f32) as usize).min(Self::CELL_COLORS - 1);
                let hue = 360.0 * (slot % CELL_HUES) as f32 / CELL_HUES as f32;
                Oklab::from_lch(CELL_LEVELS[slot % CELL_LEVELS.len()], 0.13, hue + 20.0)
            }
        }
        .to_linear_in_gamut()
    }

    /// The palette in which a shader interpolates: linear colors, rounded to the bytes of the legend.
    pub(super) fn palette(self) -> Vec<[f32; 4]> {
        let last = match self {
            Self::Cells => Self::CELL_COLORS,
            _ => PALETTE_LENGTH,
        };
        (0..PALETTE_LENGTH)
            .map(|index| {
                let t = match self {
                    Self::Cells => ((index % last) as f32 + 0.5) / last as f32,
                    _ => index as f32 / (last - 1) as f32,
                };
                linear_from_srgb(self.sample(t)).extend(1.0).to_array()
            })
            .collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::oklab::{Oklab, linear_from_srgb};
    use super::ColorMap;
    use glam::{Mat3, Vec3};

    const SEQUENTIAL: [ColorMap; 3] = [ColorMap::Water, ColorMap::Ember, ColorMap::Turn];

    fn steps(map: ColorMap, count: usize) -> Vec<Vec3> {
        (0..=count).map(|step| linear_from_srgb(map.sample(step as f32 / count as f32))).collect()
    }

    /// Linear RGB as seen by a dichromat: Machado, Oliveira and Fernandes, "A physiologically-based model for
    /// simulation of color vision deficiency", 2009, table 1, severity 1.
    pub(in crate::render) fn dichromats() -> [(&'static str, Mat3); 2] {
        let rows = |r: [f32; 3], g: [f32; 3], b: [f32; 3]| Mat3::from_cols_array_2d(&[r, g, b]).transpose();
        [
            (
                "protanopia",
                rows(
                    [0.152_286, 1.052_583, -0.204_868],
                    [0.114_503, 0.786_281, 0.099_216],
                    [-0.003_882, -0.048_116, 1.051_998],
                ),
            ),
            (
                "deuteranopia",
                rows(
                    [0.367_322, 0.860_646, -0.227_968],
                    [0.280_085, 0.672_501, 0.047_413],
                    [-0.011_820, 0.042_940, 0.968_881],
                ),
            ),
        ]
    }

    #[test]
    fn lightness_only_rises_and_in_even_steps() {
        for map in SEQUENTIAL {
            let lightness: Vec<f32> = steps(map, 32).iter().map(|&rgb| Oklab::from_linear(rgb).lightness).collect();
            let mean = (lightness[32] - lightness[0]) / 32.0;
            for pair in lightness.windows(2) {
                // Half a step of tolerance: bytes round by up to 1/255 in sRGB.
                assert!((pair[1] - pair[0] - mean).abs() < 0.5 * mean, "{map:?}: {pair:?}, mean step {mean}");
            }
        }
    }

    #[test]
    fn dichromats_can_distinguish_and_order_the_steps() {
        for (name, matrix) in dichromats() {
            for map in SEQUENTIAL {
                let seen: Vec<Oklab> = steps(map, 8)
                    .iter()
                    .map(|&rgb| Oklab::from_linear((matrix * rgb).clamp(Vec3::ZERO, Vec3::ONE)))
                    .collect();
                for pair in seen.windows(2) {
                    // 0.02 is about one just noticeable difference in Oklab; each of the eight steps is larger than
                    // that.
                    assert!(pair[1].lightness > pair[0].lightness + 0.02, "{map:?}, {name}: {pair:?}");
                }
            }
        }
    }

    #[test]
    fn border_particles_are_orange_and_inner_ones_blue() {
        let [red, _, blue] = ColorMap::Classes.sample(0.0);
        assert!(blue > red + 60, "inner particles must be blue, at the low end");
        let [red, _, blue] = ColorMap::Classes.sample(1.0);
        assert!(red > blue + 60, "border particles must be orange, at the high end");
        let palette = ColorMap::Classes.palette();
        let srgb = |color: &[f32; 4]| super::super::oklab::srgb_bytes(Vec3::from_slice(&color[..3]));
        assert_eq!(srgb(&palette[super::PALETTE_LENGTH - 1]), ColorMap::Classes.sample(1.0));
    }

    #[test]
    fn the_palette_matches_the_legend() {
        for map in ColorMap::ALL {
            let palette = map.palette();
            let first = super::super::oklab::srgb_bytes(Vec3::from_slice(&palette[0][..3]));
            assert_eq!(first, map.sample(0.0));
        }
        let last = ColorMap::Water.palette()[super::PALETTE_LENGTH - 1];
        assert_eq!(super::super::oklab::srgb_bytes(Vec3::from_slice(&last[..3])), ColorMap::Water.sample(1.0));
        assert_eq!(ColorMap::Water.sample(f32::NAN), ColorMap::Water.sample(0.0));
        assert_eq!(ColorMap::Water.sample(7.0), ColorMap::Water.sample(1.0));
    }

    #[test]
    fn cells_have_the_declared_number_of_colors() {
        let mut colors: Vec<_> = ColorMap::Cells.palette()[..ColorMap::CELL_COLORS].to_vec();
        colors.sort_by(|a, b| a.partial_cmp(b).expect("no NaN"));
        colors.dedup();
        assert_eq!(colors.len(), ColorMap::CELL_COLORS);
    }
}
