//! The Oklab color space and the sRGB transfer function.

use glam::Vec3;

/// A color in the Oklab space of Björn Ottosson ("A perceptual color space for image processing", 2020): `lightness`
/// from 0 (black) to 1 (white), `a` from green to red, `b` from blue to yellow. Equal distances are perceived as about
/// equal differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oklab {
    /// Perceived lightness, 0 to 1.
    pub lightness: f32,
    /// Green to red.
    pub a: f32,
    /// Blue to yellow.
    pub b: f32,
}

impl Oklab {
    /// From lightness, chroma and hue in degrees (0 red, 90 yellow, 180 green, 270 blue, roughly).
    pub fn from_lch(lightness: f32, chroma: f32, hue_degrees: f32) -> Self {
        let (sin, cos) = hue_degrees.to_radians().sin_cos();
        Self { lightness, a: chroma * cos, b: chroma * sin }
    }

    /// From linear sRGB, each 0 to 1 (Ottosson 2020, "Converting from linear sRGB to Oklab").
    pub fn from_linear(rgb: Vec3) -> Self {
        let cone = Vec3::new(
            rgb.dot(Vec3::new(0.412_221_46, 0.536_332_55, 0.051_445_995)),
            rgb.dot(Vec3::new(0.211_903_5, 0.680_699_5, 0.107_396_96)),
            rgb.dot(Vec3::new(0.088_302_46, 0.281_718_85, 0.629_978_7)),
        );
        let root = Vec3::new(cone.x.cbrt(), cone.y.cbrt(), cone.z.cbrt());
        Self {
            lightness: root.dot(Vec3::new(0.210_454_26, 0.793_617_8, -0.004_072_047)),
            a: root.dot(Vec3::new(1.977_998_5, -2.428_592_2, 0.450_593_7)),
            b: root.dot(Vec3::new(0.025_904_037, 0.782_771_77, -0.808_675_77)),
        }
    }

    /// To linear sRGB; colors with components outside 0 to 1 cannot be shown on a screen with that gamut.
    pub fn to_linear(self) -> Vec3 {
        let Self { lightness, a, b } = self;
        let root = Vec3::new(
            lightness + 0.396_337_78 * a + 0.215_803_76 * b,
            lightness - 0.105_561_346 * a - 0.063_854_17 * b,
            lightness - 0.089_484_18 * a - 1.291_485_5 * b,
        );
        let cone = root * root * root;
        Vec3::new(
            cone.dot(Vec3::new(4.076_741_7, -3.307_711_6, 0.230_969_94)),
            cone.dot(Vec3::new(-1.268_438, 2.609_757_4, -0.341_319_38)),
            cone.dot(Vec3::new(-0.004_196_086_3, -0.703_418_6, 1.707_614_7)),
        )
    }

    /// The linear sRGB color of this lightness and hue with the largest chroma that is in the gamut and does not exceed
    /// this one's.
    pub fn to_linear_in_gamut(self) -> Vec3 {
        const GAMUT_SLACK: f32 = 1e-4;
        let inside = |rgb: Vec3| rgb.min_element() >= -GAMUT_SLACK && rgb.max_element() <= 1.0 + GAMUT_SLACK;
        let shrunk = |factor: f32| Self { a: self.a * factor, b: self.b * factor, ..self }.to_linear();
        if inside(shrunk(1.0)) {
            return shrunk(1.0).clamp(Vec3::ZERO, Vec3::ONE);
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..16 {
            let middle = 0.5 * (low + high);
            if inside(shrunk(middle)) { low = middle } else { high = middle }
        }
        shrunk(low).clamp(Vec3::ZERO, Vec3::ONE)
    }
}

/// The sRGB transfer function (IEC 61966-2-1): from linear light to the bytes of a picture.
pub fn srgb_bytes(linear: Vec3) -> [u8; 3] {
    linear.to_array().map(|value| {
        let value = value.clamp(0.0, 1.0);
        let encoded = if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (encoded * 255.0).round() as u8
    })
}

/// The inverse of [`srgb_bytes`].
pub fn linear_from_srgb(bytes: [u8; 3]) -> Vec3 {
    Vec3::from_array(bytes.map(|byte| {
        let encoded = f32::from(byte) / 255.0;
        if encoded <= 0.040_45 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
    }))
}

#[cfg(test)]
mod tests {
    use super::{Oklab, linear_from_srgb, srgb_bytes};

    #[test]
    fn known_colors_have_the_lightness_and_axes_that_ottosson_defines() {
        // Tolerance: the published matrices have ten digits, f32 has seven.
        let white = Oklab::from_linear(glam::Vec3::ONE);
        assert!((white.lightness - 1.0).abs() < 1e-5 && white.a.abs() < 1e-4 && white.b.abs() < 1e-4, "{white:?}");
        let red = Oklab::from_linear(glam::Vec3::X);
        assert!((red.lightness - 0.627_955).abs() < 1e-4 && (red.a - 0.224_863).abs() < 1e-4, "{red:?}");
    }

    #[test]
    fn every_byte_survives_the_round_trip() {
        for byte in 0..=255_u8 {
            let color = [byte, 255 - byte, byte / 2];
            assert_eq!(srgb_bytes(linear_from_srgb(color)), color);
            let linear = linear_from_srgb(color);
            assert_eq!(srgb_bytes(Oklab::from_linear(linear).to_linear()), color);
        }
    }

    #[test]
    fn a_color_outside_the_gamut_keeps_its_lightness() {
        let asked = Oklab::from_lch(0.9, 0.3, 265.0);
        let found = Oklab::from_linear(asked.to_linear_in_gamut());
        // Tolerance: bisection in 16 steps, and the slack of 1e-4 in linear light.
        assert!((found.lightness - asked.lightness).abs() < 2e-3, "{found:?}");
    }
}
