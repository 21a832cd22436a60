//! Writes an animated GIF that repeats for ever, for pages that show pictures but no videos.
//!
//! Each picture has a palette of its own and contains only the pixels that changed visibly, within the smallest
//! rectangle around them, so that a still background costs nothing and does not flicker.

use std::collections::HashMap;
use std::fmt::Display;

use color_quant::NeuQuant;
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use image::RgbaImage;

use super::frames::Frames;
use super::{VideoError, VideoSettings};
use crate::files::{WholeWriter, write_whole};

/// Largest difference of a color channel that counts as no change.
const TOLERANCE: u8 = 3;
/// Number of colors in a palette besides the transparent one, which is the last.
const COLORS: usize = 255;
/// Share of pixels that determine a palette, one in this many, where there are at least [`MANY`]; otherwise all do.
const SAMPLING: i32 = 8;
const MANY: usize = 20_000;

/// Encodes the pictures into the file of `settings`.
pub(super) fn write(settings: &VideoSettings, frames: &mut Frames) -> Result<(), VideoError> {
    Ok(write_whole(&settings.file, |writer| encode(settings, frames, writer))?)
}

fn encode(settings: &VideoSettings, frames: &mut Frames, writer: &mut WholeWriter) -> Result<(), String> {
    let (width, height) = (settings.size.x as u16, settings.size.y as u16);
    let mut encoder = Encoder::new(writer, width, height, &[]).map_err(words)?;
    encoder.set_repeat(Repeat::Infinite).map_err(words)?;
    let delay = (100 / settings.rate) as u16;
    let mut shown: Option<RgbaImage> = None;
    while let Some(picture) = frames.next()? {
        let mut frame = match &mut shown {
            None => {
                shown = Some(picture.clone());
                frame((width, height), picture.as_raw())
            }
            Some(shown) => change(shown, picture),
        };
        frame.delay = delay;
        frame.dispose = DisposalMethod::Keep;
        encoder.write_frame(&frame).map_err(words)?;
    }
    Ok(())
}

/// The visible change from what is shown to `picture`, and makes it what is shown. Pixels are compared with their color
/// when they were last written, so that slow changes add up until they are visible.
fn change(shown: &mut RgbaImage, picture: &RgbaImage) -> Frame<'static> {
    let (width, height) = picture.dimensions();
    let (mut low, mut high) = ([width, height], [0, 0]);
    for (x, y, pixel) in picture.enumerate_pixels() {
        if differs(pixel.0, shown.get_pixel(x, y).0) {
            low = [low[0].min(x), low[1].min(y)];
            high = [high[0].max(x), high[1].max(y)];
        }
    }
    // A picture without any change still takes its time, which a single transparent pixel does.
    let (low, high) = if low[0] > high[0] { ([0, 0], [0, 0]) } else { (low, high) };
    let size = [high[0] - low[0] + 1, high[1] - low[1] + 1];
    let mut pixels: Vec<u8> = Vec::with_capacity((size[0] * size[1] * 4) as usize);
    for (y, x) in (low[1]..=high[1]).flat_map(|y| (low[0]..=high[0]).map(move |x| (y, x))) {
        let (new, old) = (picture.get_pixel(x, y).0, shown.get_pixel_mut(x, y));
        if differs(new, old.0) {
            old.0 = new;
            pixels.extend([new[0], new[1], new[2], 255]);
        } else {
            pixels.extend([0; 4]);
        }
    }
    let [width, height] = size.map(|edge| edge as u16);
    Frame { left: low[0] as u16, top: low[1] as u16, ..frame((width, height), &pixels) }
}

/// A frame of RGBA pixels with a palette of its own. The transparent color is kept apart from the others: among them,
/// it would also be the nearest one to dark pixels, which would then keep what was shown before.
fn frame((width, height): (u16, u16), pixels: &[u8]) -> Frame<'static> {
    let opaque: Vec<u8> = pixels.as_chunks::<4>().0.iter().filter(|pixel| pixel[3] > 0).flatten().copied().collect();
    let sampling = if opaque.len() / 4 < MANY { 1 } else { SAMPLING };
    let colors = (!opaque.is_empty()).then(|| NeuQuant::new(sampling, COLORS, &opaque));
    let mut known = HashMap::new();
    let mut index_of = |pixel: &[u8; 4]| {
        let colors = colors.as_ref().filter(|_| pixel[3] > 0);
        colors.map_or(COLORS as u8, |colors| *known.entry(*pixel).or_insert_with(|| colors.index_of(pixel) as u8))
    };
    let indices: Vec<u8> = pixels.as_chunks::<4>().0.iter().map(&mut index_of).collect();
    let mut palette = colors.as_ref().map(NeuQuant::color_map_rgb).unwrap_or_default();
    palette.resize(3 * (COLORS + 1), 0);
    Frame {
        width,
        height,
        buffer: indices.into(),
        palette: Some(palette),
        transparent: Some(COLORS as u8),
        ..Frame::default()
    }
}

fn differs(one: [u8; 4], other: [u8; 4]) -> bool {
    one.iter().zip(other).take(3).any(|(one, other)| one.abs_diff(other) > TOLERANCE)
}

fn words(error: impl Display) -> String {
    error.to_string()
}
