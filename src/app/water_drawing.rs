//! Drawing water into the cameras of a Bevy app: among the app's own meshes, or with the surroundings of the desktop
//! app.

use std::sync::Arc;

use bevy::core_pipeline::core_3d::Transparent3d;
use bevy::ecs::entity::EntityHashMap;
use bevy::platform::collections::hash_map::Entry;
use bevy::prelude::*;
use bevy::render::camera::ExtractedCamera;
use bevy::render::render_phase::ViewSortedRenderPhases;
use bevy::render::render_resource::{StoreOp, TextureUsages};
use bevy::render::renderer::{RenderContext, ViewQuery};
use bevy::render::view::{ExtractedView, ViewDepthTexture, ViewTarget};

use super::WaterView;
use super::light_on_water::LightOfApp;
use super::transparent_layer::TransparentLayers;
use super::water::{PlacedWater, PlacedWaters};
use super::waters::{InCamera, SimulatedWater, Waters};
use crate::gpu::{Gpu, GpuError};
use crate::laboratory::PickFound;
use crate::render::{Beside, PictureTarget, Renderer, Surroundings, TargetFormat, View};

/// Depth format of Bevy's 3D cameras.
const DEPTH_FORMAT: wgpu::TextureFormat = bevy::core_pipeline::core_3d::CORE_3D_DEPTH_FORMAT;
/// Greatest relative difference between the scales along two axes that counts as rounding.
const ROUNDING: f32 = 1e-3;

/// For each camera, the target format and the renderers that were made for it, one for each search shown side by side.
pub(super) type Renderers = EntityHashMap<(TargetFormat, Vec<Renderer>)>;

/// Selects cameras that are new or were changed.
type IsChanged = Or<(Changed<Camera3d>, Changed<WaterView>)>;

/// Lets the water read the depths of the cameras that show it among the app's meshes.
pub(super) fn bind_depths(mut cameras: Query<(&mut Camera3d, &WaterView), IsChanged>) {
    for (mut camera, view) in &mut cameras {
        let usages = camera.depth_texture_usages.0 | TextureUsages::TEXTURE_BINDING.bits();
        if !view.brings_tank && camera.depth_texture_usages.0 != usages {
            camera.depth_texture_usages.0 = usages;
        }
    }
}

/// A camera's view of water whose coordinates are those of an entity.
///
/// # Errors
/// A sentence, if the entity is scaled differently along its axes, mirrored, or not finite.
fn view_of_water(whole: &View, transform: &GlobalTransform) -> Result<View, String> {
    let (scale, rotation, translation) = transform.to_scale_rotation_translation();
    let size = scale.x;
    let is_uniform = (scale - size).abs().max_element() <= ROUNDING * size;
    if !(is_uniform && size > 0.0 && transform.to_matrix().is_finite()) {
        return Err(format!(
            "the water is not drawn, because its entity is scaled by {}, {} and {}; give it one positive scale along \
             all axes",
            scale.x, scale.y, scale.z
        ));
    }
    let (_, view_rotation, eye) = whole.world_from_view.to_scale_rotation_translation();
    let back = rotation.inverse();
    // Lengths are those of the water. With a near plane that is scaled as well, depths remain those of the camera.
    let mut clip_from_view = whole.clip_from_view;
    clip_from_view.w_axis.z /= size;
    let world_from_view = Mat4::from_rotation_translation(back * view_rotation, back * (eye - translation) / size);
    Ok(View { world_from_view, clip_from_view, ..*whole })
}

type WaterCamera<'a> = (Entity, &'a WaterView, &'a ExtractedView, &'a ViewTarget, &'a Msaa, &'a ExtractedCamera);

/// Hands the state of every water to its renderers.
pub(super) fn prepare(
    mut waters: ResMut<Waters>,
    placed: Res<PlacedWaters>,
    light: LightOfApp<'_>,
    cameras: Query<WaterCamera<'_>>,
) {
    for water in &placed.0 {
        let Some(simulated) = waters.all().get_mut(&water.entity) else { continue };
        simulated.renderers.retain(|camera, _| cameras.contains(*camera));
        simulated.ready.clear();
        if !water.is_visible {
            continue;
        }
        for camera in &cameras {
            match prepare_camera(simulated, water, &light, camera) {
                Ok(Some(ready)) => simulated.ready.push(ready),
                Ok(None) => {}
                Err(error) => {
                    warn_once!("{error}");
                    water.report.lock().shader_error = Some(error);
                }
            }
        }
    }
}

/// Returns where the water is in the camera's view if it is drawn.
fn prepare_camera(
    simulated: &mut SimulatedWater,
    water: &PlacedWater,
    light: &LightOfApp<'_>,
    (entity, water_view, view, target, msaa, camera): <WaterCamera<'_> as bevy::ecs::query::QueryData>::Item<'_, '_>,
) -> Result<Option<InCamera>, String> {
    let driver = &simulated.driver;
    let format =
        TargetFormat { color: target.main_texture_format(), depth: DEPTH_FORMAT, sample_count: msaa.samples() };
    let whole = View {
        world_from_view: view.world_from_view.to_matrix(),
        clip_from_view: view.clip_from_view,
        size: camera.physical_target_size.unwrap_or(UVec2::ONE),
        seen: water_view.seen.map(|rect| [rect.min, rect.max]),
    };
    let whole = match &camera.viewport {
        Some(part) => whole.within([part.physical_position, part.physical_position + part.physical_size]),
        None => whole,
    };
    let is_tank = water_view.brings_tank && water.is_main;
    let placed = view_of_water(&whole, &water.transform)?;
    let columns = 1 + water.controls.lab.columns();
    let made = renderers_of(&mut simulated.renderers, (entity, format), (driver.gpu(), columns));
    let renderers = made.map_err(|error| error.to_string())?;
    let mut ready = InCamera { camera: entity, distance: 0.0, nearest: 0.0 };
    for (column, renderer) in renderers.iter_mut().enumerate() {
        let Some((mut look, mut drawn)) = driver.picture(&water.controls, column) else { return Ok(None) };
        let middle = water.transform.transform_point(0.5 * (look.box_low + look.box_high));
        if !is_tank {
            let is_linear = !format.color.is_srgb();
            look.surroundings = if is_linear { Surroundings::Light } else { Surroundings::Picture };
            light.put_into((&mut look, &mut drawn), (entity, camera.exposure), (&water.transform, middle));
        }
        ready = in_camera(entity, &whole, &water.transform, [look.box_low, look.box_high]);
        renderer.prepare(&placed.column(column, columns), &look, &drawn).map_err(|error| error.to_string())?;
    }
    Ok(Some(ready))
}

/// Where a water with that box is in the view of a camera.
fn in_camera(camera: Entity, whole: &View, place: &GlobalTransform, [low, high]: [Vec3; 2]) -> InCamera {
    let view_from_water = whole.world_from_view.inverse() * place.to_matrix();
    let corner = |index: usize| Vec3::from_array(std::array::from_fn(|axis| [low, high][index >> axis & 1][axis]));
    let along = (0..8).map(|index| view_from_water.transform_point3(corner(index)).z);
    let distance = view_from_water.transform_point3(0.5 * (low + high)).length();
    InCamera { camera, distance, nearest: along.fold(f32::NEG_INFINITY, f32::max) }
}

/// Returns `count` renderers of a camera, and creates those that do not exist yet for its target format.
fn renderers_of<'a>(
    renderers: &'a mut Renderers,
    (camera, format): (Entity, TargetFormat),
    (gpu, count): (&Arc<Gpu>, usize),
) -> Result<&'a mut Vec<Renderer>, GpuError> {
    let known = match renderers.entry(camera) {
        Entry::Occupied(known) if known.get().0 == format => &mut known.into_mut().1,
        entry => &mut entry.insert((format, Vec::new())).into_mut().1,
    };
    known.truncate(count);
    while known.len() < count {
        known.push(Renderer::new(gpu, format)?);
    }
    Ok(known)
}

type DrawnView = (&'static WaterView, &'static ViewTarget, &'static ViewDepthTexture);

/// Draws the main water with its tank, floor and backdrop into cameras that ask for them, before the app's meshes.
pub(super) fn draw_tank(mut waters: ResMut<Waters>, view: ViewQuery<DrawnView>, mut context: RenderContext) {
    let camera = view.entity();
    let (water_view, target, depth) = view.into_inner();
    if !water_view.brings_tank {
        return;
    }
    let drawn = waters.all().values_mut().find(|water| water.is_main && water.in_camera(camera).is_some());
    let Some(SimulatedWater { driver, renderers, .. }) = drawn else { return };
    let Some((_, renderers)) = renderers.get_mut(&camera) else { return };
    let is_first = !water_view.repeats_another;
    // After its attachments were taken, Bevy regards the target as cleared, and later passes of the app draw over the
    // water.
    let color = target.get_color_attachment();
    let depth = depth.get_attachment(StoreOp::Store);
    for (column, renderer) in renderers.iter().enumerate() {
        let beside = if column == 0 { Beside::Nothing } else { Beside::Others };
        let timer = (column == 0 && is_first).then(|| driver.timer());
        renderer.record(context.command_encoder(), color.view, color.resolve_target, depth.view, timer, beside);
    }
    if let (Some(order), Some(renderer)) = (driver.due_pick().filter(|_| is_first), renderers.first_mut()) {
        // A shader that fails to compile here failed for the picture too, which reports the error.
        if let Ok(Some(found)) = PickFound::record(renderer, context.command_encoder(), order.what) {
            driver.take_pick(order, found);
        }
    }
}

/// What transparent meshes are drawn with.
type Transparent<'w> = (Res<'w, TransparentLayers>, Res<'w, ViewSortedRenderPhases<Transparent3d>>);

/// Draws water among the app's meshes: after the opaque ones, which it refracts and is hidden by, and before the
/// transparent ones, of which it refracts those behind it. Of several waters the farthest is drawn first, so that it is
/// seen through the others.
pub(super) fn draw_among_meshes(
    world: &World,
    waters: Res<Waters>,
    view: ViewQuery<(DrawnView, &'static ExtractedView, &'static ExtractedCamera)>,
    (layers, phases): Transparent<'_>,
    mut context: RenderContext,
) {
    let camera = view.entity();
    let ((water_view, target, depth), view, extracted) = view.into_inner();
    if water_view.brings_tank {
        return;
    }
    let layer = layers.of(camera).zip(phases.get(&view.retained_view_entity));
    let mut waters = waters.lock();
    let mut drawn: Vec<_> = waters.values_mut().filter_map(|water| Some((water.in_camera(camera)?, water))).collect();
    drawn.sort_by(|(one, _), (other, _)| other.distance.total_cmp(&one.distance));
    for (place, SimulatedWater { driver, renderers, .. }) in drawn {
        let Some((_, renderers)) = renderers.get_mut(&camera) else { continue };
        let transparent =
            layer.and_then(|(layer, phase)| layer.record(place, phase, (world, depth, extracted), &mut context));
        let color = target.get_color_attachment();
        let depth = depth.get_attachment(StoreOp::Store);
        let picture =
            PictureTarget { color: color.view, resolve: color.resolve_target, depth: depth.view, transparent };
        for (column, renderer) in renderers.iter().enumerate() {
            let timer = (column == 0 && !water_view.repeats_another).then(|| driver.timer());
            // An edited shader that cannot be bound was reported when the picture was prepared.
            let _ = renderer.record_in(context.command_encoder(), &picture, timer);
        }
    }
}

impl SimulatedWater {
    /// Where it is in the view of a camera, if it is drawn there.
    fn in_camera(&self, camera: Entity) -> Option<InCamera> {
        self.ready.iter().find(|ready| ready.camera == camera).copied()
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::*;

    use super::view_of_water;
    use crate::render::View;

    /// Water that is moved, turned and scaled is seen where Bevy would draw a mesh of the same entity, at the same
    /// depth.
    #[test]
    fn placed_water_is_seen_where_a_mesh_would_be() {
        let camera = Transform::from_xyz(3.0, 2.0, 5.0).looking_at(Vec3::new(0.5, 0.2, -1.0), Vec3::Y);
        let whole = View {
            world_from_view: camera.to_matrix(),
            clip_from_view: Mat4::perspective_infinite_reverse_rh(0.9, 1.5, 0.1),
            size: UVec2::new(300, 200),
            seen: None,
        };
        let place = Transform::from_xyz(-0.4, 0.3, 0.8)
            .with_rotation(Quat::from_euler(EulerRot::YXZ, 0.7, -0.2, 0.1))
            .with_scale(Vec3::splat(2.5));
        let placed = view_of_water(&whole, &GlobalTransform::from(place)).expect("a uniform scale");
        let clip = |view: &View, point: Vec3| view.clip_from_view * view.world_from_view.inverse() * point.extend(1.0);
        for point in [Vec3::ZERO, Vec3::new(0.3, 0.7, -0.2), Vec3::new(-0.5, 0.1, 0.9)] {
            let (wanted, found) = (clip(&whole, place.transform_point(point)), clip(&placed, point));
            let (wanted, found) = (wanted.truncate() / wanted.w, found.truncate() / found.w);
            assert!(wanted.abs_diff_eq(found, 1e-5), "{point}: {found} and not {wanted}");
        }
    }

    #[test]
    fn water_that_is_stretched_is_refused() {
        let whole = View {
            world_from_view: Mat4::IDENTITY,
            clip_from_view: Mat4::perspective_infinite_reverse_rh(0.9, 1.5, 0.1),
            size: UVec2::ONE,
            seen: None,
        };
        for scale in [Vec3::new(1.0, 2.0, 1.0), Vec3::splat(-1.0), Vec3::ZERO, Vec3::splat(f32::NAN)] {
            let place = GlobalTransform::from(Transform::from_scale(scale));
            let refusal = view_of_water(&whole, &place).expect_err("not a positive uniform scale");
            assert!(refusal.contains("one positive scale"), "{refusal}");
        }
    }
}
