//! Converts sRGB pictures into the planes that H.264 encodes: luma for each pixel, chroma for each square of four.
//!
//! The matrix is that of ITU-R BT.709-6 (2015), section 3, in the limited range of its section 4, which the encoder
//! states in the stream, so that players show the colors of the picture.

use glam::UVec2;
use image::RgbaImage;

/// Weights of red, green and blue in luma.
const LUMA: [f32; 3] = [0.2126, 0.7152, 0.0722];
/// Spans of luma and chroma in the limited range, as parts of 255.
const LUMA_SPAN: f32 = 219.0 / 255.0;
const CHROMA_SPAN: f32 = 224.0 / 255.0;

/// The three planes of a picture with even edges, rows from the top.
pub(super) struct Planes {
    /// Size of the luma plane, pixels.
    pub(super) size: UVec2,
    pub(super) luma: Vec<u8>,
    pub(super) blue: Vec<u8>,
    pub(super) red: Vec<u8>,
}

/// The size with even edges that holds a picture of `size`.
pub(super) fn even(size: UVec2) -> UVec2 {
    (size + 1) / 2 * 2
}

impl Planes {
    /// Planes for pictures of `size` pixels.
    pub(super) fn new(size: UVec2) -> Self {
        let size = even(size);
        let pixels = (size.x * size.y) as usize;
        Self { size, luma: vec![0; pixels], blue: vec![0; pixels / 4], red: vec![0; pixels / 4] }
    }

    /// Converts a picture. Where it is smaller than the planes, its last row and column are repeated.
    pub(super) fn convert(&mut self, picture: &RgbaImage) {
        let (right, bottom) = (picture.width() - 1, picture.height() - 1);
        let pixel = |x: u32, y: u32| picture.get_pixel(x.min(right), y.min(bottom)).0;
        let half = self.size / 2;
        for (row, column) in (0..half.y).flat_map(|row| (0..half.x).map(move |column| (row, column))) {
            let mut sum = [0.0_f32; 3];
            for (y, x) in [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(y, x)| (2 * row + y, 2 * column + x)) {
                let [red, green, blue, _] = pixel(x, y).map(f32::from);
                let luma = LUMA[0] * red + LUMA[1] * green + LUMA[2] * blue;
                self.luma[(y * self.size.x + x) as usize] = (16.0 + LUMA_SPAN * luma).round() as u8;
                sum = [sum[0] + red, sum[1] + luma, sum[2] + blue];
            }
            let [red, luma, blue] = sum.map(|sum| 0.25 * sum);
            let place = (row * half.x + column) as usize;
            let chroma =
                |color: f32, weight: f32| (128.0 + CHROMA_SPAN * (color - luma) / (2.0 * (1.0 - weight))).round() as u8;
            self.blue[place] = chroma(blue, LUMA[2]);
            self.red[place] = chroma(red, LUMA[0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::UVec2;
    use image::{Rgba, RgbaImage};

    use super::Planes;

    #[test]
    fn the_colors_are_those_of_bt_709() {
        // Luma and chroma of white, black and the primaries, computed by hand from the recommendation.
        for (color, expected) in [
            ([255, 255, 255], [235, 128, 128]),
            ([0, 0, 0], [16, 128, 128]),
            ([255, 0, 0], [63, 102, 240]),
            ([0, 255, 0], [173, 42, 26]),
            ([0, 0, 255], [32, 240, 118]),
        ] {
            let [red, green, blue] = color;
            let mut planes = Planes::new(UVec2::new(3, 5));
            planes.convert(&RgbaImage::from_pixel(3, 5, Rgba([red, green, blue, 255])));
            assert_eq!((planes.size, planes.luma.len(), planes.blue.len()), (UVec2::new(4, 6), 24, 6));
            for (plane, expected) in [&planes.luma, &planes.blue, &planes.red].into_iter().zip(expected) {
                assert!(plane.iter().all(|&value| value == expected), "{color:?}: {plane:?}, not {expected}");
            }
        }
    }

    #[test]
    fn the_last_row_and_column_of_an_odd_picture_are_repeated() {
        let picture = RgbaImage::from_fn(3, 3, |x, y| Rgba([(20 * x + 60 * y) as u8; 4]));
        let mut planes = Planes::new(UVec2::new(3, 3));
        planes.convert(&picture);
        let luma = |x: usize, y: usize| planes.luma[4 * y + x];
        assert_eq!((luma(3, 1), luma(1, 3), luma(3, 3)), (luma(2, 1), luma(1, 2), luma(2, 2)));
        assert!(luma(0, 0) < luma(1, 0) && luma(0, 0) < luma(0, 1));
    }
}
