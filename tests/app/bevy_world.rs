//! Water in a Bevy app of one's own, off screen: among what the app draws, at the place of its entity, in the app's
//! light, and several in one world. In place of meshes, whose renderer the program does without, the app fills its
//! picture with one color at one distance.

use std::sync::{Arc, Mutex};

use bevy::app::AppExit;
use bevy::camera::{RenderTarget, Viewport};
use bevy::core_pipeline::core_3d::main_opaque_pass_3d;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::core_pipeline::{Core3d, Core3dSystems};
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::{StoreOp, TextureFormat};
use bevy::render::renderer::{RenderContext, ViewQuery};
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::render::view::{ViewDepthTexture, ViewTarget};
use bevy::render::{RenderApp, RenderPlugin};
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use image::imageops::crop_imm;
use image::{Rgba, RgbaImage};
use nearwater::app::{
    Controls, FollowsBody, MainWater, NearwaterPlugin, RunningWater, Water, WaterReport, WaterSystems, WaterView,
};
use nearwater::fluid::{Scene, SceneEdits, Settings, Size, SmoothingKernel};
use nearwater::render::DrawStyle;
use nearwater::search::{SearchInfo, SearchOptions};

/// Size of the pictures. The camera sees about 4 m at the place of the water.
const SIZE: UVec2 = UVec2::new(240, 160);
/// Number of frames after which everything that was changed is shown.
const FRAMES: usize = 6;
/// Largest difference of a channel that the dithering of a picture causes.
const ROUNDING: u8 = 2;
const RED: [u8; 3] = [255, 0, 0];

/// The distance at which the app's own picture lies, m.
#[derive(Resource, Clone, Copy)]
struct Wall {
    distance: f32,
}

/// Fills the picture, as opaque meshes would.
fn draw_wall(wall: Option<Res<Wall>>, view: ViewQuery<(&ViewTarget, &ViewDepthTexture)>, mut context: RenderContext) {
    let Some(wall) = wall else { return };
    let (target, depth) = view.into_inner();
    let color = target.get_color_attachment();
    let depth = depth.get_attachment(StoreOp::Store);
    let near = PerspectiveProjection::default().near;
    let pass = context.command_encoder().begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("wall"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: color.view,
            depth_slice: None,
            resolve_target: color.resolve_target,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::RED), store: StoreOp::Store },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: depth.view,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(near / wall.distance),
                store: StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..default()
    });
    drop(pass);
}

fn scene() -> Scene {
    let mut scene = Scene::load("dam_break").expect("a scene of the program");
    (scene.low, scene.high) = (Vec3::new(-0.5, 0.0, -0.5), Vec3::new(0.5, 1.0, 0.5));
    (scene.blocks[0].low, scene.blocks[0].high) = (scene.low, Vec3::new(0.5, 0.6, 0.5));
    scene.probes.clear();
    scene
}

fn settings() -> Settings {
    Settings {
        search: SearchInfo::default_for_scenes(),
        options: SearchOptions::default(),
        kernel: SmoothingKernel::default(),
        size: Size::Count(1500),
        seed: 1,
        edits: SceneEdits::default(),
    }
}

/// An app of one's own whose camera draws into an image.
pub struct World {
    pub app: App,
    image: Handle<Image>,
}

impl World {
    /// With a wall behind the water. `samples` are those of the camera.
    pub fn new(plugin: NearwaterPlugin, samples: u32) -> Self {
        let mut app = App::new();
        app.add_plugins(
            DefaultPlugins
                .build()
                .disable::<PipelinedRenderingPlugin>()
                .disable::<WinitPlugin>()
                .disable::<LogPlugin>()
                .set(WindowPlugin { primary_window: None, exit_condition: ExitCondition::DontExit, ..default() })
                .set(RenderPlugin { synchronous_pipeline_compilation: true, ..default() }),
        );
        app.add_plugins(plugin);
        let between = draw_wall.in_set(Core3dSystems::MainPass).after(main_opaque_pass_3d).before(WaterSystems::Draw);
        app.sub_app_mut(RenderApp).insert_resource(Wall { distance: 50.0 }).add_systems(Core3d, between);
        app.finish();
        app.cleanup();
        let target = Image::new_target_texture(SIZE.x, SIZE.y, TextureFormat::Rgba8UnormSrgb, None);
        let image = app.world_mut().resource_mut::<Assets<Image>>().add(target);
        app.world_mut().spawn((
            Camera3d::default(),
            (Tonemapping::None, DebandDither::Disabled, Msaa::from_samples(samples)),
            RenderTarget::Image(image.clone().into()),
            WaterView::default(),
            Transform::from_xyz(0.0, 2.0, 6.0).looking_at(Vec3::new(0.0, 0.5, 0.0), Vec3::Y),
        ));
        Self { app, image }
    }

    /// With the paused water of the plugin, drawn as particles.
    pub fn with_water() -> Self {
        Self::with_samples(4)
    }

    /// The same, with that many samples in a pixel.
    pub fn with_samples(samples: u32) -> Self {
        let mut world = Self::new(NearwaterPlugin::with_settings(scene(), &settings()), samples);
        let mut controls = world.app.world_mut().resource_mut::<Controls>();
        controls.paused = true;
        controls.style = DrawStyle::Beads;
        world
    }

    /// Removes the wall, which hides what Bevy draws.
    pub fn remove_wall(&mut self) {
        self.app.sub_app_mut(RenderApp).world_mut().remove_resource::<Wall>();
    }

    /// The pixel in which a point of the world is seen.
    #[cfg(feature = "bevy_pbr")]
    pub fn pixel_of(&mut self, point: Vec3) -> UVec2 {
        let world = self.app.world_mut();
        let (camera, place) = world.query::<(&Camera, &GlobalTransform)>().single(world).expect("one camera");
        camera.world_to_viewport(place, point).expect("it is in the picture").as_uvec2()
    }

    pub fn camera(&mut self) -> Entity {
        let world = self.app.world_mut();
        world.query_filtered::<Entity, With<Camera3d>>().single(world).expect("one camera")
    }

    pub fn main_water(&mut self) -> Entity {
        let world = self.app.world_mut();
        world.query_filtered::<Entity, With<MainWater>>().single(world).expect("the plugin's water")
    }

    /// Spawns paused water, drawn as particles.
    fn spawn(&mut self, place: Transform) -> Entity {
        let water = self.app.world_mut().spawn((Water::with_settings(scene(), settings()), place)).id();
        self.app.update();
        let mut running = self.app.world_mut().get_mut::<RunningWater>(water).expect("the plugin has begun it");
        running.controls.paused = true;
        running.controls.style = DrawStyle::Beads;
        water
    }

    pub fn picture(&mut self) -> RgbaImage {
        for _ in 0..FRAMES {
            self.app.update();
        }
        let taken = Arc::new(Mutex::new(None));
        let place = Arc::clone(&taken);
        self.app.world_mut().spawn(Screenshot::image(self.image.clone())).observe(
            move |captured: On<ScreenshotCaptured>| {
                let picture = captured.image.clone().try_into_dynamic().expect("a picture");
                *place.lock().expect("unpoisoned") = Some(picture.to_rgba8());
            },
        );
        for _ in 0..100 {
            self.app.update();
            assert!(self.app.world().resource::<Messages<AppExit>>().is_empty(), "the app has ended");
            if let Some(picture) = taken.lock().expect("unpoisoned").take() {
                return picture;
            }
        }
        panic!("no picture arrives");
    }
}

pub fn is_red(pixel: Rgba<u8>) -> bool {
    (0..3).all(|channel| pixel[channel].abs_diff(RED[channel]) <= ROUNDING)
}

/// The pixels that do not show the wall: how many, and their mean place.
fn water_in(picture: &RgbaImage) -> (usize, Vec2) {
    let shown = picture.enumerate_pixels().filter(|(.., pixel)| !is_red(**pixel));
    let places: Vec<Vec2> = shown.map(|(x, y, _)| Vec2::new(x as f32, y as f32)).collect();
    (places.len(), places.iter().sum::<Vec2>() / places.len().max(1) as f32)
}

#[test]
fn water_stands_in_the_picture_of_the_app_and_moves_with_its_entity() {
    let mut world = World::with_water();
    let (size, middle) = water_in(&world.picture());
    assert!(size > 200, "only {size} pixels show water");
    assert!(size < (SIZE.x * SIZE.y) as usize / 2, "{size} pixels do not show the wall: a floor, or a backdrop?");

    let entity = world.main_water();
    world.app.world_mut().get_mut::<Transform>(entity).expect("water has a place").translation.x += 1.0;
    let (moved_size, moved) = water_in(&world.picture());
    // At a distance of 6.2 m and with a field of view of 45°, a meter is 31 pixels wide.
    let shift = moved - middle;
    assert!((shift.x - 31.0).abs() < 5.0 && shift.y.abs() < 4.0, "1 m moved the picture by {shift} pixels");
    assert!(moved_size.abs_diff(size) < size / 4, "{moved_size} pixels and not {size}");

    world.app.world_mut().get_mut::<Transform>(entity).expect("water has a place").scale = Vec3::splat(0.5);
    let (small, _) = water_in(&world.picture());
    assert!(small < size / 2, "half as large, the water covers {small} pixels and not {size}");

    world.app.world_mut().get_mut::<Transform>(entity).expect("water has a place").scale = Vec3::new(1.0, 2.0, 1.0);
    assert_eq!(water_in(&world.picture()).0, 0, "stretched water is drawn");
    let report = world.app.world().resource::<WaterReport>().lock().shader_error.clone();
    assert!(report.is_some_and(|error| error.contains("one positive scale")), "the refusal is not reported");

    *world.app.world_mut().get_mut::<Transform>(entity).expect("water has a place") = Transform::IDENTITY;
    *world.app.world_mut().get_mut::<Visibility>(entity).expect("water can be hidden") = Visibility::Hidden;
    assert_eq!(water_in(&world.picture()).0, 0, "hidden water is drawn");
    *world.app.world_mut().get_mut::<Visibility>(entity).expect("water can be hidden") = Visibility::Inherited;
    assert_eq!(water_in(&world.picture()).0, size, "water that was hidden does not return");

    world.app.sub_app_mut(RenderApp).insert_resource(Wall { distance: 2.0 });
    assert_eq!(water_in(&world.picture()).0, 0, "water is seen through a wall before it");
}

/// As Bevy's own meshes are: in the middle of the viewport, as high as in a picture of the same height.
#[test]
fn water_stays_in_the_viewport_of_its_camera() {
    let mut world = World::with_water();
    let (size, middle) = water_in(&world.picture());
    let part = UVec2::new(SIZE.x / 2, SIZE.y);
    let viewport = |left| Some(Viewport { physical_position: UVec2::new(left, 0), physical_size: part, ..default() });
    for left in [0, SIZE.x / 2] {
        let camera = world.camera();
        world.app.world_mut().get_mut::<Camera>(camera).expect("a camera").viewport = viewport(left);
        let picture = world.picture();
        let (found, place) = water_in(&crop_imm(&picture, left, 0, part.x, part.y).to_image());
        let wanted = Vec2::new((SIZE.x / 4) as f32, middle.y);
        assert!((place - wanted).length() < 2.0, "the water is at {place} of the viewport and not at {wanted}");
        assert!(found.abs_diff(size) < size / 10, "it covers {found} pixels, and {size} without a viewport");
        let beside = crop_imm(&picture, SIZE.x / 2 - left, 0, part.x, part.y).to_image();
        let first = *beside.get_pixel(0, 0);
        assert!(beside.pixels().all(|pixel| *pixel == first), "something is drawn beside the viewport");
    }
}

#[test]
fn clear_water_lets_the_picture_of_the_app_through() {
    let mut world = World::with_water();
    world.app.world_mut().resource_mut::<Controls>().style = DrawStyle::Water;
    let picture = world.picture();
    let (_, middle) = water_in(&picture);
    let red = |picture: &RgbaImage| picture.get_pixel(middle.x as u32, middle.y as u32).0[0];
    let before_wall = red(&picture);
    world.remove_wall();
    let alone = red(&world.picture());
    // The water absorbs red first, but not all of the light of the wall.
    assert!(
        before_wall > alone + 3,
        "the middle of the water shows {before_wall} red before a red wall, and {alone} without"
    );
}

#[test]
fn the_apps_own_light_shines_on_the_water() {
    let mut world = World::with_water();
    let mean = |picture: &RgbaImage| {
        let shown: Vec<_> = picture.pixels().filter(|pixel| !is_red(**pixel)).collect();
        let channel = |index: usize| shown.iter().map(|pixel| f32::from(pixel[index])).sum::<f32>();
        Vec3::new(channel(0), channel(1), channel(2)) / shown.len().max(1) as f32
    };
    let usual = mean(&world.picture());
    world.app.insert_resource(GlobalAmbientLight { brightness: 0.0, ..default() });
    let light = DirectionalLight { color: Color::linear_rgb(0.0, 1.0, 0.0), ..default() };
    let place = Transform::from_xyz(0.0, 4.0, 4.0).looking_at(Vec3::ZERO, Vec3::Y);
    let sun = world.app.world_mut().spawn((light, place)).id();
    let green = mean(&world.picture());
    assert!(green.y > 4.0 * green.z, "in green light the water is {green}, in that of the lamp {usual}");
    world.app.world_mut().get_mut::<DirectionalLight>(sun).expect("a light").illuminance *= 0.1;
    let weak = mean(&world.picture());
    assert!(weak.y < 0.6 * green.y, "in a tenth of the light the water is {weak} and not {green}");
    world.app.world_mut().despawn(sun);
    let again = mean(&world.picture());
    assert!((again - usual).length() < 3.0, "without a sun the water is {again} and not {usual}");
}

#[test]
fn lamps_of_the_app_shine_on_the_water() {
    let mut world = World::with_water();
    world.app.insert_resource(GlobalAmbientLight { brightness: 0.0, ..default() });
    let brightest = |picture: &RgbaImage, channel: usize| {
        picture.pixels().filter(|pixel| !is_red(**pixel)).map(|pixel| pixel[channel]).max().expect("water is shown")
    };
    // As bright as Bevy's usual sun at the distance of the water.
    let power = 10_000.0 * 4.0 * std::f32::consts::PI * 16.0;
    let light = PointLight { color: Color::linear_rgb(0.0, 0.0, 1.0), intensity: power, range: 50.0, ..default() };
    let lamp = world.app.world_mut().spawn((light, Transform::from_xyz(0.0, 2.0, 4.0))).id();
    let blue = world.picture();
    assert!(brightest(&blue, 2) > 60, "in the light of a blue lamp the water has {} blue", brightest(&blue, 2));
    assert!(brightest(&blue, 1) < 10, "in the light of a blue lamp the water has {} green", brightest(&blue, 1));
    world.app.world_mut().get_mut::<PointLight>(lamp).expect("a lamp").range = 1.0;
    let dark = world.picture();
    assert!(brightest(&dark, 2) < 10, "beyond the range of the lamp the water has {} blue", brightest(&dark, 2));
    let sun = DirectionalLight { color: Color::linear_rgb(0.0, 1.0, 0.0), ..default() };
    let place = Transform::from_xyz(0.0, 4.0, 4.0).looking_at(Vec3::ZERO, Vec3::Y);
    world.app.world_mut().spawn((sun, place));
    let second = DirectionalLight { color: Color::linear_rgb(0.0, 0.0, 1.0), illuminance: 9_000.0, ..default() };
    let one = world.picture();
    world.app.world_mut().spawn((second, place));
    let both = world.picture();
    assert!(brightest(&both, 2) > 60 && brightest(&one, 2) < 10, "the second directional light does not shine");
}

#[test]
fn several_waters_are_in_one_world() {
    let mut world = World::new(NearwaterPlugin::without_water(), 1);
    assert_eq!(water_in(&world.picture()).0, 0, "there is no water yet");
    world.spawn(Transform::from_xyz(-1.5, 0.0, 0.0));
    let (one, left) = water_in(&world.picture());
    let second = world.spawn(Transform::from_xyz(1.5, 0.0, 0.0));
    let (both, middle) = water_in(&world.picture());
    assert!(one > 100 && both > one + one / 2, "one water covers {one} pixels, two cover {both}");
    assert!(middle.x > left.x + 20.0, "the second is not on the right: {middle} and {left}");

    // Only the second moves on.
    let running = |world: &World, water: Entity| {
        let running = world.app.world().get::<RunningWater>(water).expect("it runs");
        running.report.lock().step_count
    };
    world.app.world_mut().get_mut::<RunningWater>(second).expect("it runs").controls.paused = false;
    let begun = running(&world, second);
    world.picture();
    assert!(running(&world, second) > begun, "the second water does not move");
    world.app.world_mut().despawn(second);
    let (left_over, place) = water_in(&world.picture());
    assert!(left_over == one && place == left, "after the second was removed, {left_over} pixels at {place}");
}

#[test]
fn meshes_of_the_app_follow_floating_bodies() {
    let scene = Scene::load("buoyancy").expect("a scene of the program");
    let settings = Settings { size: Size::Count(2000), ..settings() };
    let mut world = World::new(NearwaterPlugin::with_settings(scene, &settings), 1);
    let (water, place) = (world.main_water(), Vec3::new(2.0, 1.0, 0.0));
    *world.app.world_mut().get_mut::<Transform>(water).expect("water has a place") =
        Transform::from_translation(place).with_scale(Vec3::splat(0.5));
    let mesh = world.app.world_mut().spawn(FollowsBody { water, body: 0 }).id();
    let mut seen = Vec::new();
    for _ in 0..3 {
        world.picture();
        let follower = *world.app.world().get::<Transform>(mesh).expect("a place");
        let state = world.app.world().resource::<WaterReport>().lock().bodies[0];
        let wanted = place + 0.5 * state.position;
        // The last frame has moved the body on.
        assert!(follower.translation.distance(wanted) < 0.1, "{} and not {wanted}", follower.translation);
        assert!((follower.scale - 1.0).length() < 1e-6, "the scale has changed to {}", follower.scale);
        seen.push(follower.translation.y);
    }
    assert!((seen[0] - seen[2]).abs() > 1e-4, "the body does not move: {seen:?}");
}
