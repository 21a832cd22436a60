//! Writes single pictures.

use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};

use super::{Film, FilmContent, free_name};
use crate::app::failures::Pending;
use crate::app::off_screen::OffScreenImage;
use crate::app::{Controls, WaterReport, pictures};

/// Writes the pictures that were requested since the last frame.
pub(super) fn take_pictures(
    mut commands: Commands,
    mut film: ResMut<Film>,
    mut pending: ResMut<Pending>,
    controls: Res<Controls>,
    image: Option<Res<OffScreenImage>>,
) {
    if film.shots == controls.film.shots {
        return;
    }
    let of_water = film.drawn_image().cloned();
    if controls.film.content() == FilmContent::Water && of_water.is_none() {
        return;
    }
    film.shots = controls.film.shots;
    pending.0 += 1;
    let picture = of_water.map_or_else(|| pictures::of_window(image.as_deref()), Screenshot::image);
    commands.spawn(picture).observe(
        |captured: On<ScreenshotCaptured>, mut pending: ResMut<Pending>, report: Res<WaterReport>| {
            pending.0 -= 1;
            let saved = free_name(".png").and_then(|file| pictures::save(&captured.image, &file).map(|()| file));
            let mut report = report.lock();
            match saved {
                Ok(file) => report.announce(format!("A picture was written to {}.", file.display())),
                Err(reason) => report.failure = Some(format!("the picture could not be written: {reason}")),
            }
        },
    );
}
