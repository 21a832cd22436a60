//! Runs the app without a window system: the same plugins and systems draw into an image.
//!
//! The window exists as an entity with Bevy's `Window` component (size, scale factor, pointer) but without a window of
//! the desktop. Camera, pointer and panel read this component in both cases. This plugin does what the window system
//! would do: it makes every camera of the window draw into an image of the window's size, associates egui's context
//! with the window, and activates the orbiting camera.
//!
//! Each frame advances the time of panel, camera and simulation by a sixtieth of a second, however long it takes. A
//! script therefore shows the same moments on slow and fast devices, and no frame leaves out time steps. Only a trial
//! run follows the clock.

use std::time::Duration;

use bevy::app::ScheduleRunnerPlugin;
use bevy::camera::{CameraUpdateSystems, ImageRenderTarget, RenderTarget};
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;
use bevy::time::TimeUpdateStrategy;
use bevy::window::{PrimaryWindow, WindowRef};
use bevy_egui::input::WindowToEguiContextMap;
use bevy_egui::{EguiContext, EguiGlobalSettings, EguiPreUpdateSet};
use bevy_panorbit_camera::{ActiveCameraData, PanOrbitCamera, PanOrbitCameraSystemSet};

use super::pacing::Advance;
use super::plugin::FrameTime;

/// Time by which a frame advances the app.
const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);
/// Format of the image, which is also the format of Bevy's windows.
const FORMAT: TextureFormat = TextureFormat::Rgba8UnormSrgb;

/// Draws the primary window into an image, and runs frames without pause.
pub(super) struct OffScreenPlugin {
    /// Whether time is that of the clock.
    pub(super) follows_clock: bool,
}

/// The image in place of the window.
#[derive(Resource)]
pub(super) struct OffScreenImage(pub(super) Handle<Image>);

impl Plugin for OffScreenPlugin {
    fn build(&self, app: &mut App) {
        if !self.follows_clock {
            app.insert_resource(TimeUpdateStrategy::ManualDuration(FRAME))
                .insert_resource(FrameTime(Advance::Fixed(FRAME.as_secs_f64())));
        }
        app.add_plugins(ScheduleRunnerPlugin::run_loop(Duration::ZERO))
            .add_systems(PreStartup, make_image)
            .add_systems(PostStartup, redirect.before(CameraUpdateSystems))
            .add_systems(
                PreUpdate,
                connect_panel.after(EguiPreUpdateSet::InitContexts).before(EguiPreUpdateSet::ProcessInput),
            )
            .add_systems(
                PostUpdate,
                ((redirect, fit_image).before(CameraUpdateSystems), steer.before(PanOrbitCameraSystemSet)),
            );
    }
}

fn make_image(
    mut commands: Commands,
    mut images: ResMut<Assets<Image>>,
    mut egui: ResMut<EguiGlobalSettings>,
    window: Single<&Window, With<PrimaryWindow>>,
) {
    // Input methods (IME) need a window system.
    egui.enable_ime = false;
    commands.insert_resource(OffScreenImage(images.add(image_of(window.physical_size()))));
}

/// An image of the format of Bevy's windows into which a camera can draw.
pub(super) fn image_of(size: UVec2) -> Image {
    Image::new_target_texture(size.x, size.y, FORMAT, None)
}

/// Makes every camera of the window draw into the image.
fn redirect(
    image: Res<OffScreenImage>,
    window: Single<&Window, With<PrimaryWindow>>,
    mut targets: Query<&mut RenderTarget, Changed<RenderTarget>>,
) {
    for mut target in &mut targets {
        if matches!(*target, RenderTarget::Window(WindowRef::Primary)) {
            let scale_factor = window.scale_factor();
            *target = RenderTarget::Image(ImageRenderTarget { handle: image.0.clone(), scale_factor });
        }
    }
}

/// Resizes the image to the size of the window.
fn fit_image(
    image: Res<OffScreenImage>,
    window: Single<&Window, With<PrimaryWindow>>,
    mut images: ResMut<Assets<Image>>,
) {
    let wanted = window.physical_size();
    let size = images.get(&image.0).map(Image::size);
    if wanted.min_element() > 0
        && size != Some(wanted)
        && let Err(error) = images.insert(&image.0, image_of(wanted))
    {
        error!("the off-screen image could not be resized to {} x {} pixels: {error}", wanted.x, wanted.y);
    }
}

/// Associates egui's contexts with the window, so that they receive its input. `bevy_egui` does this only for windows
/// of the window system.
fn connect_panel(
    contexts: Query<Entity, Added<EguiContext>>,
    window: Single<Entity, With<PrimaryWindow>>,
    mut map: ResMut<WindowToEguiContextMap>,
) {
    for context in &contexts {
        map.window_to_contexts.entry(*window).or_default().insert(context);
        map.context_to_window.insert(context, *window);
    }
}

/// Activates the orbiting camera. `bevy_panorbit_camera` does this only for windows of the window system.
fn steer(
    camera: Option<Single<(Entity, &Camera), With<PanOrbitCamera>>>,
    window: Single<&Window, With<PrimaryWindow>>,
    mut active: ResMut<ActiveCameraData>,
) {
    let Some(camera) = camera else { return };
    let (entity, camera) = *camera;
    active.set_if_neq(ActiveCameraData {
        entity: Some(entity),
        viewport_size: camera.logical_viewport_size(),
        window_size: Some(window.size()),
        manual: true,
    });
}
