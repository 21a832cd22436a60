//! Writes pictures of the window, or of the image in its place when the app runs off screen.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bevy::ecs::system::SystemState;
use bevy::prelude::*;
use bevy_panorbit_camera::PanOrbitCamera;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};

use super::AppError;
use super::capture::{Photographer, PictureTaken};
use super::failures::Failures;
use crate::files::write_whole;

/// Takes a picture of the next frame and writes it to `file`. The returned flag becomes true when it is written, or
/// cannot be.
///
/// # Errors
/// When the window has no camera.
pub(super) fn take(world: &mut World, file: &Path) -> Result<Arc<AtomicBool>, String> {
    let is_written = Arc::new(AtomicBool::new(false));
    let (written, file) = (Arc::clone(&is_written), file.to_owned());
    let mut state = SystemState::<(Photographer, Single<Entity, With<PanOrbitCamera>>)>::new(world);
    let (mut photographer, camera) = state.get_mut(world).map_err(|error| error.to_string())?;
    photographer.take(*camera, move |taken: On<PictureTaken>, failures: Res<Failures>| {
        if let Err(reason) = save(&taken.image, &file) {
            failures.note(AppError::Picture { file: file.clone(), reason });
        }
        written.store(true, Ordering::Relaxed);
    });
    state.apply(world);
    Ok(is_written)
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
