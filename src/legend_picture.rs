//! Draws a color legend into an off-screen picture.

use image::imageops::{FilterType, overlay, resize};
use image::{DynamicImage, ImageBuffer, RgbImage, RgbaImage};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::legend::{Legend, LegendWords};
use crate::picture_text::{FONT, OVERSIZE, font};

/// Width and height of the legend in a picture of [`USUAL_HEIGHT`], pixels.
const SIZE: (u32, u32) = (286, 52);
/// Distance between the legend and the picture's edges, and padding inside the legend, pixels.
const MARGIN: u32 = 12;
/// Height of a picture in which the legend is drawn at scale 1, pixels.
const USUAL_HEIGHT: f32 = 800.0;
/// Smallest scale at which the text is legible.
const LEAST_SCALE: f32 = 0.6;

const SURFACE: RGBColor = RGBColor(22, 26, 32);
const LINE: RGBColor = RGBColor(44, 51, 61);
const TEXT: RGBColor = RGBColor(222, 228, 235);
const QUIET: RGBColor = RGBColor(143, 154, 167);

/// Draws a legend into the lower left corner of a picture, scaled with the picture's height.
///
/// # Errors
/// A sentence for the user, when the picture is too small for a legible legend; the picture is then unchanged.
pub fn draw_legend(picture: &mut RgbaImage, legend: &Legend) -> Result<(), String> {
    let (width, height) = picture.dimensions();
    let fits = (width as f32 - 2.0 * MARGIN as f32) / SIZE.0 as f32;
    let scale = (height as f32 / USUAL_HEIGHT).max(1.0).min(fits);
    if scale < LEAST_SCALE || SIZE.1 as f32 * scale + 2.0 * MARGIN as f32 > height as f32 {
        return Err(format!("the picture of {width} x {height} pixels is too small for a legend, so none was drawn"));
    }
    let drawn = draw(legend, scale).map_err(|reason| format!("the legend could not be drawn: {reason}"))?;
    let margin = (MARGIN as f32 * scale.max(1.0)).round() as u32;
    let top = height.saturating_sub(margin + drawn.height());
    overlay(picture, &DynamicImage::from(drawn).to_rgba8(), margin.into(), top.into());
    Ok(())
}

fn draw(legend: &Legend, scale: f32) -> Result<RgbImage, String> {
    font()?;
    let size = [SIZE.0, SIZE.1].map(|pixels| (pixels as f32 * scale).round() as u32);
    let large = size.map(|pixels| pixels * OVERSIZE);
    let pixels = |usual: f32| (usual * scale * OVERSIZE as f32).round() as i32;
    let mut bytes = vec![0; (large[0] * large[1] * 3) as usize];
    {
        let area = BitMapBackend::with_buffer(&mut bytes, (large[0], large[1])).into_drawing_area();
        let failed = |error: &dyn std::fmt::Display| error.to_string();
        area.fill(&SURFACE).map_err(|error| failed(&error))?;
        let [right, bottom] = large.map(|pixels| pixels.cast_signed() - 1);
        let edge = LINE.stroke_width((scale * OVERSIZE as f32).round() as u32);
        area.draw(&Rectangle::new([(0, 0), (right, bottom)], edge)).map_err(|error| failed(&error))?;
        let (left, right) = (pixels(MARGIN as f32), right - pixels(MARGIN as f32));
        let share = |strip: usize| strip as f32 / legend.colors.len() as f32;
        let place = |strip: usize| left + ((right - left) as f32 * share(strip)).round() as i32;
        for (strip, &[red, green, blue]) in legend.colors.iter().enumerate() {
            let corners = [(place(strip), pixels(9.0)), (place(strip + 1), pixels(21.0))];
            let color = RGBColor(red, green, blue).filled();
            area.draw(&Rectangle::new(corners, color)).map_err(|error| failed(&error))?;
        }
        let write = |words: &str, x: i32, anchor: HPos, color: &RGBColor| {
            let style = (FONT, f64::from(pixels(15.0))).into_font().color(color).pos(Pos::new(anchor, VPos::Center));
            area.draw(&Text::new(words, (x, pixels(35.0)), style)).map_err(|error| failed(&error))
        };
        match &legend.words {
            LegendWords::Range(low, high) => {
                write(low, left, HPos::Left, &QUIET)?;
                write(legend.name, i32::midpoint(left, right), HPos::Center, &TEXT)?;
                write(high, right, HPos::Right, &QUIET)?;
            }
            LegendWords::Remark(remark) => {
                write(legend.name, left, HPos::Left, &TEXT)?;
                write(remark, right, HPos::Right, &QUIET)?;
            }
        }
        area.present().map_err(|error| failed(&error))?;
    }
    let large: RgbImage = ImageBuffer::from_raw(large[0], large[1], bytes).ok_or("no picture")?;
    Ok(resize(&large, size[0], size[1], FilterType::Triangle))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legend() -> Legend {
        Legend {
            name: "density",
            colors: vec![[255, 0, 0], [0, 255, 0]],
            words: LegendWords::Range("800".into(), "1,050 kg/m³".into()),
        }
    }

    #[test]
    fn the_legend_is_drawn_in_the_corner_with_its_colors_and_text() {
        let mut picture = RgbaImage::from_pixel(640, 400, image::Rgba([90, 90, 90, 255]));
        draw_legend(&mut picture, &legend()).expect("there is room");
        let count = |is: fn(&[u8; 4]) -> bool| picture.pixels().filter(|pixel| is(&pixel.0)).count();
        assert!(count(|p| *p == [255, 0, 0, 255]) > 500 && count(|p| *p == [0, 255, 0, 255]) > 500);
        let nameless = Legend { name: "", words: LegendWords::Range(String::new(), String::new()), ..legend() };
        let mut wordless = RgbaImage::from_pixel(640, 400, image::Rgba([90, 90, 90, 255]));
        draw_legend(&mut wordless, &nameless).expect("there is room");
        let of_words = picture.pixels().zip(wordless.pixels()).filter(|(a, b)| a[1].abs_diff(b[1]) > 40).count();
        assert!(of_words > 150, "the text covers {of_words} pixels");
        assert!(picture.enumerate_pixels().filter(|(x, y, _)| *x > 320 || *y < 300).all(|(.., pixel)| pixel[0] == 90));
    }

    #[test]
    fn a_picture_too_small_for_a_legend_is_unchanged_and_reported() {
        let mut picture = RgbaImage::from_pixel(100, 60, image::Rgba([90, 90, 90, 255]));
        let before = picture.clone();
        let sentence = draw_legend(&mut picture, &legend()).expect_err("100 pixels are too few for text");
        assert!(sentence.contains("100 x 60"), "{sentence}");
        assert_eq!(picture, before);
    }
}
