//! The camera that shows the water alone in a size of its own, beside that of the window.

use bevy::camera::{ImageRenderTarget, RenderTarget};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_panorbit_camera::PanOrbitCamera;

use super::recording::give_up;
use super::{Film, FilmContent};
use crate::app::camera::{sub_view, water_camera};
use crate::app::failures::Failures;
use crate::app::off_screen::image_of;
use crate::app::plugin::SharedGpu;
use crate::app::{Controls, WaterReport, WaterView};

/// Marks the camera.
#[derive(Component)]
pub(super) struct FilmCamera;

/// Makes the camera and its image while a video or a picture of the water alone is wanted, and removes them afterwards.
/// A size that the device cannot draw is refused.
pub(super) fn set_up_camera(
    mut commands: Commands,
    mut film: ResMut<Film>,
    mut controls: ResMut<Controls>,
    mut images: ResMut<Assets<Image>>,
    (gpu, report, failures): (Res<SharedGpu>, Res<WaterReport>, Res<Failures>),
    window: Single<&Window, With<PrimaryWindow>>,
    msaa: Single<&Msaa, With<PanOrbitCamera>>,
) {
    film.camera_frames += 1;
    let is_at_work = controls.film.recording || film.recorder.is_some() || film.shots != controls.film.shots;
    let is_wanted = controls.film.content() == FilmContent::Water && is_at_work;
    // While a video is completed, its camera stays.
    if film.camera.is_some() == is_wanted {
        return;
    }
    if let Some((camera, image)) = film.camera.take() {
        commands.entity(camera).despawn();
        images.remove(&image);
        return;
    }
    let size = controls.film.wanted_size().unwrap_or(window.physical_size());
    let limit = gpu.0.as_ref().map_or(u32::MAX, |gpu| gpu.capabilities.limits.max_texture_dimension_2d);
    if size.min_element() == 0 || size.max_element() > limit {
        film.shots = controls.film.shots;
        let reason = format!(
            "a picture of {} x {} pixels cannot be drawn on this device; choose edges from 1 to {limit}",
            size.x, size.y
        );
        give_up(&mut film, &mut controls, (&report, &failures), &reason);
        return;
    }
    let image = images.add(image_of(size));
    let target = RenderTarget::Image(ImageRenderTarget { handle: image.clone(), scale_factor: 1.0 });
    let whole = Rect::from_corners(Vec2::ZERO, size.as_vec2());
    let camera = Camera { sub_camera_view: sub_view(size, whole), ..default() };
    let view = WaterView { repeats_another: true, brings_tank: true, ..default() };
    let camera = commands.spawn((water_camera(**msaa), camera, target, view, FilmCamera)).id();
    film.camera = Some((camera, image));
    film.camera_frames = 0;
}

/// Selects the camera of the window.
type OfWindow = (With<PanOrbitCamera>, Without<FilmCamera>);

/// Moves the camera to that of the window.
pub(super) fn follow_camera(
    window: Single<(&Transform, &Projection), OfWindow>,
    mut film: Query<(&mut Transform, &mut Projection), With<FilmCamera>>,
) {
    let (place, lens) = *window;
    for (mut own_place, mut own_lens) in &mut film {
        *own_place = *place;
        *own_lens = lens.clone();
    }
}

impl Film {
    /// The camera of the water alone, once it draws.
    pub(super) fn drawing_camera(&self) -> Option<Entity> {
        // The first frame makes the image on the device.
        self.camera.as_ref().filter(|_| self.camera_frames > 1).map(|(camera, _)| *camera)
    }
}
