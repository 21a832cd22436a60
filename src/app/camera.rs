use std::sync::Arc;

use bevy::camera::SubCameraView;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_panorbit_camera::PanOrbitCamera;

use super::plugin::SharedGpu;
use super::pointer::WaterRect;
use super::{Controls, WaterView};
use crate::fluid::Scene;
use crate::gpu::AdapterClass;

/// Width over height of the picture that a scene's camera is placed for.
const SCENE_ASPECT: f32 = 1.6;

/// The scene that the camera was placed for.
#[derive(Resource, Default)]
pub(super) struct PlacedFor(Option<Arc<Scene>>);

pub(super) fn spawn_camera(mut commands: Commands, gpu: Res<SharedGpu>) {
    let smooth = gpu.0.as_ref().is_some_and(|gpu| gpu.capabilities.class == AdapterClass::Discrete);
    commands.spawn((
        Camera3d::default(),
        WaterView::default(),
        Tonemapping::None,
        DebandDither::Disabled,
        if smooth { Msaa::Sample4 } else { Msaa::Off },
        PanOrbitCamera {
            button_orbit: MouseButton::Right,
            button_pan: MouseButton::Middle,
            pitch_lower_limit: Some(-0.2),
            pitch_upper_limit: Some(1.5),
            zoom_sensitivity: 0.6,
            use_real_time: true,
            ..default()
        },
    ));
}

/// Puts the camera where a new scene wants it.
pub(super) fn place_camera(
    controls: Res<Controls>,
    mut placed: ResMut<PlacedFor>,
    mut camera: Single<(&mut Transform, &mut Projection, &mut PanOrbitCamera), With<WaterView>>,
) {
    if placed.0.as_ref().is_some_and(|scene| Arc::ptr_eq(scene, &controls.scene)) {
        return;
    }
    placed.0 = Some(Arc::clone(&controls.scene));
    let wanted = &controls.scene.camera;
    let (transform, projection, orbit) = &mut *camera;
    transform.translation = wanted.eye;
    **projection = Projection::Perspective(PerspectiveProjection {
        fov: wanted.vertical_fov_degrees.to_radians(),
        near: 0.01,
        ..default()
    });
    orbit.focus = wanted.target;
    orbit.zoom_lower_limit = 0.02 * (wanted.eye - wanted.target).length();
    // The place is worked out anew from the transform.
    (orbit.yaw, orbit.pitch, orbit.radius) = (None, None, None);
    orbit.initialized = false;
}

/// Moves the picture's middle into the part of the window that the panels leave, and fits the scene into it.
pub(super) fn fit_camera(
    water: Res<WaterRect>,
    window: Single<&Window, With<PrimaryWindow>>,
    mut camera: Single<(&mut Camera, &mut WaterView)>,
) {
    let scale = window.scale_factor();
    let rect = Rect::from_corners(water.0.min * scale, water.0.max * scale);
    let view = sub_view(window.physical_size(), rect);
    let (camera, water_view) = &mut *camera;
    if view.is_some() && camera.sub_camera_view != view {
        camera.sub_camera_view = view;
    }
    let seen = view.map(|_| URect::from_corners(rect.min.floor().as_uvec2(), rect.max.ceil().as_uvec2()));
    if water_view.seen != seen {
        water_view.seen = seen;
    }
}

/// The view of the whole `window` (pixels) of which `water` shows a picture of [`SCENE_ASPECT`] in full.
fn sub_view(window: UVec2, water: Rect) -> Option<SubCameraView> {
    if water.is_empty() || window.min_element() == 0 {
        return None;
    }
    let height = water.height().min(water.width() / SCENE_ASPECT);
    let full = Vec2::new(height * SCENE_ASPECT, height).round().max(Vec2::ONE);
    Some(SubCameraView { full_size: full.as_uvec2(), offset: full / 2.0 - water.center(), size: window })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scene_is_fitted_into_the_water_and_centred_there() {
        let view = sub_view(UVec2::new(1280, 800), Rect::new(280.0, 0.0, 1280.0, 640.0)).expect("has room");
        assert_eq!(view.full_size, UVec2::new(1000, 625));
        // The full picture's middle, in window pixels, is the water's.
        assert_eq!(view.full_size.as_vec2() / 2.0 - view.offset, Vec2::new(780.0, 320.0));
        let narrow = sub_view(UVec2::new(400, 800), Rect::new(0.0, 0.0, 400.0, 800.0)).expect("has room");
        assert_eq!(narrow.full_size, UVec2::new(400, 250));
        assert!(sub_view(UVec2::new(400, 800), Rect::default()).is_none());
    }
}
