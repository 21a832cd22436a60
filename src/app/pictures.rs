//! Takes pictures of the window, or of the image in its place when the app runs off screen.

use std::path::Path;

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use image::codecs::png::{CompressionType, FilterType, PngEncoder};

use super::AppError;
use super::failures::{Failures, Pending};
use super::off_screen::OffScreenImage;
use crate::files::write_whole;

/// Takes a picture of the next frame and writes it to `file`.
pub(super) fn take(world: &mut World, file: &Path) {
    let picture = of_window(world.get_resource::<OffScreenImage>());
    world.resource_mut::<Pending>().0 += 1;
    let file = file.to_owned();
    world.spawn(picture).observe(
        move |captured: On<ScreenshotCaptured>, mut pending: ResMut<Pending>, failures: Res<Failures>| {
            pending.0 -= 1;
            if let Err(reason) = save(&captured.image, &file) {
                failures.note(AppError::Picture { file: file.clone(), reason });
            }
        },
    );
}

/// A picture of the window, or of the image in its place.
pub(super) fn of_window(image: Option<&OffScreenImage>) -> Screenshot {
    match image {
        Some(OffScreenImage(image)) => Screenshot::image(image.clone()),
        None => Screenshot::primary_window(),
    }
}

/// Writes a picture as PNG.
///
/// # Errors
/// One sentence, when the file cannot be written.
pub(super) fn save(image: &Image, file: &Path) -> Result<(), String> {
    let picture = image.clone().try_into_dynamic().map_err(|error| error.to_string())?;
    write_whole(file, |writer| {
        let encoder = PngEncoder::new_with_quality(writer, CompressionType::Best, FilterType::Adaptive);
        picture.to_rgb8().write_with_encoder(encoder)
    })
    .map_err(|error| error.to_string())
}
