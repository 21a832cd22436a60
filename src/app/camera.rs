//! Systems that place the camera: for a new scene, for the laboratory, and within the part of the window that the
//! panels leave free.

use std::sync::Arc;

use bevy::camera::SubCameraView;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_panorbit_camera::PanOrbitCamera;

use super::laboratory::WantedView;
use super::plugin::SharedGpu;
use super::pointer::WaterRect;
use super::{Controls, Flatland, Stage, WaterView};
use crate::fluid::{Scene, SceneCamera};
use crate::render::usual_samples;

/// Aspect ratio (width / height) for which the cameras of the scenes are placed.
const SCENE_ASPECT: f32 = 1.6;

/// The scene and the view for which the camera was placed.
#[derive(Resource, Default)]
pub(super) struct PlacedFor {
    scene: Option<Arc<Scene>>,
    /// The camera that the laboratory requests in place of the scene's.
    wanted: Option<Arc<SceneCamera>>,
    /// The scene, eye and target of the user's own view, stored while the laboratory's camera is in use.
    kept: Option<(Arc<Scene>, Vec3, Vec3)>,
}

pub(super) fn spawn_camera(mut commands: Commands, gpu: Res<SharedGpu>) {
    let samples = gpu.0.as_ref().map_or(1, |gpu| usual_samples(gpu.capabilities.class));
    commands.spawn((
        water_camera(Msaa::from_samples(samples)),
        WaterView { brings_tank: true, ..default() },
        PanOrbitCamera {
            pitch_lower_limit: Some(-0.2),
            pitch_upper_limit: Some(1.5),
            zoom_sensitivity: 0.6,
            use_real_time: true,
            ..default()
        },
    ));
}

/// What every camera of the app has that shows the water.
pub(super) fn water_camera(samples: Msaa) -> impl Bundle {
    (Camera3d::default(), Tonemapping::None, DebandDither::Disabled, samples)
}

/// Moves the camera to the one of a new scene or of the laboratory, and back to the user's own view.
pub(super) fn place_camera(
    controls: Res<Controls>,
    mut placed: ResMut<PlacedFor>,
    mut camera: Single<(&mut Transform, &mut Projection, &mut PanOrbitCamera), With<WaterView>>,
) {
    let is_same_scene = placed.scene.as_ref().is_some_and(|scene| Arc::ptr_eq(scene, &controls.scene));
    let order = controls.lab.flatland.as_ref().filter(|_| controls.lab.open).map(Flatland::camera);
    if is_same_scene && placed.wanted.as_ref().map(Arc::as_ptr) == order.map(Arc::as_ptr) {
        return;
    }
    let (transform, projection, orbit) = &mut *camera;
    let leaves_own_view = placed.wanted.is_none() && order.is_some();
    if let Some(scene) = placed.scene.take().filter(|_| leaves_own_view) {
        placed.kept = Some((scene, transform.translation, orbit.focus));
    }
    placed.scene = Some(Arc::clone(&controls.scene));
    placed.wanted = order.cloned();
    let mut wanted = order.map_or(&controls.scene.camera, |order| &**order).clone();
    if order.is_none()
        && let Some((_, eye, target)) = placed.kept.take().filter(|(scene, ..)| Arc::ptr_eq(scene, &controls.scene))
    {
        (wanted.eye, wanted.target) = (eye, target);
    }
    transform.translation = wanted.eye;
    **projection = Projection::Perspective(PerspectiveProjection {
        fov: wanted.vertical_fov_degrees.to_radians(),
        near: 0.01,
        ..default()
    });
    orbit.focus = wanted.target;
    orbit.zoom_lower_limit = 0.02 * (wanted.eye - wanted.target).length();
    // The orbiting camera computes these again from the transform.
    (orbit.yaw, orbit.pitch, orbit.radius) = (None, None, None);
    orbit.initialized = false;
}

/// Moves the camera to the view that the laboratory requested once.
pub(super) fn follow_laboratory(
    mut controls: ResMut<Controls>,
    mut camera: Single<(&mut Transform, &mut PanOrbitCamera), With<WaterView>>,
) {
    if controls.lab.wanted_view.is_none() {
        return;
    }
    let Some(wanted) = controls.lab.wanted_view.take() else { return };
    let (transform, orbit) = &mut *camera;
    if let Some(eye) = wanted.eye {
        transform.translation = eye;
        orbit.focus = wanted.target;
        // The orbiting camera computes these again from the transform.
        (orbit.yaw, orbit.pitch, orbit.radius) = (None, None, None);
        orbit.initialized = false;
    } else {
        let before = WantedView { eye: Some(transform.translation), target: orbit.focus, ..wanted };
        if controls.lab.view_before.is_none() {
            controls.lab.view_before = Some((Arc::clone(&controls.scene), before));
        }
        orbit.target_focus = wanted.target;
        orbit.target_radius = wanted.distance;
        orbit.force_update = true;
    }
    orbit.zoom_lower_limit = orbit.zoom_lower_limit.min(0.2 * wanted.distance);
}

/// The stage of the laboratory that the camera shows, and the camera's transform and focus before it did.
#[derive(Default)]
pub(super) struct Led {
    to: Option<Stage>,
    before: Option<(Transform, Vec3)>,
}

/// Moves the camera to the stage of a view of the laboratory, and back when that view is left.
pub(super) fn lead_camera(
    controls: Res<Controls>,
    mut led: Local<Led>,
    mut camera: Single<(&mut Transform, &mut Projection, &mut PanOrbitCamera), With<WaterView>>,
) {
    let wanted = controls.lab.overlay.stage;
    if led.to == wanted {
        return;
    }
    led.to = wanted;
    let (transform, projection, orbit) = &mut *camera;
    let (fov, near) = match &mut **projection {
        Projection::Perspective(perspective) => (perspective.fov, &mut perspective.near),
        _ => return,
    };
    let (eye, target) = if let Some(wanted) = wanted {
        led.before.get_or_insert((**transform, orbit.focus));
        let distance = wanted.size / (0.5 * fov).sin();
        (wanted.target + distance * wanted.direction.normalize_or(Vec3::Z), wanted.target)
    } else {
        let Some((before, focus)) = led.before.take() else { return };
        (before.translation, focus)
    };
    let distance = eye.distance(target);
    // The points of a checked list may have any unit, and so be much closer together than those of a scene.
    *near = 0.01_f32.min(0.01 * distance);
    transform.translation = eye;
    orbit.focus = target;
    orbit.zoom_lower_limit = 0.02 * distance;
    (orbit.yaw, orbit.pitch, orbit.radius) = (None, None, None);
    orbit.initialized = false;
}

/// Centers the picture in the part of the window that the panels leave free, and fits the scene into it.
pub(super) fn fit_camera(
    water: Res<WaterRect>,
    window: Single<&Window, With<PrimaryWindow>>,
    mut camera: Single<(&mut Camera, &mut WaterView), With<PanOrbitCamera>>,
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

/// The sub-view of the whole `window` (size in pixels) for which the part `water` contains a picture of aspect ratio
/// [`SCENE_ASPECT`] completely.
pub(super) fn sub_view(window: UVec2, water: Rect) -> Option<SubCameraView> {
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
    fn the_scene_is_fitted_into_the_free_part_and_centered_there() {
        let view = sub_view(UVec2::new(1280, 800), Rect::new(280.0, 0.0, 1280.0, 640.0)).expect("has room");
        assert_eq!(view.full_size, UVec2::new(1000, 625));
        // The center of the full picture, in window pixels, is that of the free part.
        assert_eq!(view.full_size.as_vec2() / 2.0 - view.offset, Vec2::new(780.0, 320.0));
        let narrow = sub_view(UVec2::new(400, 800), Rect::new(0.0, 0.0, 400.0, 800.0)).expect("has room");
        assert_eq!(narrow.full_size, UVec2::new(400, 250));
        assert!(sub_view(UVec2::new(400, 800), Rect::default()).is_none());
    }
}
