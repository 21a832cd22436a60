//! Writes single pictures.

use bevy::prelude::*;
use bevy_panorbit_camera::PanOrbitCamera;

use super::{Film, FilmContent, free_name};
use crate::app::capture::{Photographer, PictureTaken};
use crate::app::{Controls, WaterReport, pictures};

/// Writes the pictures that were requested since the last frame.
pub(super) fn take_pictures(
    mut film: ResMut<Film>,
    mut photographer: Photographer,
    controls: Res<Controls>,
    window: Single<Entity, With<PanOrbitCamera>>,
) {
    if film.shots == controls.film.shots {
        return;
    }
    let of_water = film.drawing_camera();
    if controls.film.content() == FilmContent::Water && of_water.is_none() {
        return;
    }
    film.shots = controls.film.shots;
    photographer.take(of_water.unwrap_or(*window), |taken: On<PictureTaken>, report: Res<WaterReport>| {
        let saved = free_name(".png").and_then(|file| pictures::save(&taken.image, &file).map(|()| file));
        let mut report = report.lock();
        match saved {
            Ok(file) => report.announce(format!("A picture was written to {}.", file.display())),
            Err(reason) => report.failure = Some(format!("the picture could not be written: {reason}")),
        }
    });
}
