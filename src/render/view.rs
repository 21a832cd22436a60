//! The camera: perspective views, views facing a side of a box, and rays through pixels.

use glam::{Mat4, UVec2, Vec2, Vec3};

/// Nearest distance drawn by [`View::perspective`], m.
const NEAR: f32 = 0.01;
/// Height of the picture of [`View::face_on`] divided by that of its box.
const FACE_MARGIN: f32 = 1.08;
/// Distance of the eye of [`View::face_on`] divided by half of the picture's height.
const FACE_DISTANCE: f32 = 60.0;

/// Position, orientation and projection of the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The camera's position and orientation: it looks along its own -z, with y up.
    pub world_from_view: Mat4,
    /// Perspective with reversed depth and infinite range: depth 1 at the near plane, 0 infinitely far away.
    pub clip_from_view: Mat4,
    /// Size of the picture, pixels.
    pub size: UVec2,
    /// Lowest and highest corner of the visible part of the picture, in pixels from the upper left; the rest remains
    /// black. `None` means the complete picture.
    pub seen: Option<[UVec2; 2]>,
}

impl View {
    /// A view from `eye` towards `target`, with y up. If the target is directly above or below the eye, or at the eye,
    /// y cannot be up; another direction is used in that case.
    pub fn perspective(eye: Vec3, target: Vec3, vertical_fov_degrees: f32, size: UVec2) -> Self {
        let direction = (target - eye).normalize_or(Vec3::NEG_Z);
        let up = if direction.cross(Vec3::Y).length_squared() > 1e-6 { Vec3::Y } else { Vec3::NEG_Z };
        let aspect = size.x.max(1) as f32 / size.y.max(1) as f32;
        Self {
            world_from_view: Mat4::look_to_rh(eye, direction, up).inverse(),
            clip_from_view: Mat4::perspective_infinite_reverse_rh(vertical_fov_degrees.to_radians(), aspect, NEAR),
            size,
            seen: None,
        }
    }

    /// A view facing the box from `low` to `high` along the axis `axis` (0, 1 or 2 for x, y or z), from its upper side;
    /// the box fills the picture except for a margin. With z, x points right and y up; with x, y points up; with y, x
    /// points right and z down.
    ///
    /// The shaders draw perspective with infinite depth, so this is a perspective from so far away that nearer and
    /// farther things in a slab an eighth as thick as wide are drawn at the same size within about 0.2 %.
    pub fn face_on(low: Vec3, high: Vec3, axis: usize, size: UVec2) -> Self {
        let (towards, up) = match axis {
            0 => (Vec3::X, Vec3::Y),
            1 => (Vec3::Y, Vec3::NEG_Z),
            _ => (Vec3::Z, Vec3::Y),
        };
        let right = up.cross(towards);
        let extent = (high - low).max(Vec3::splat(f32::MIN_POSITIVE));
        let aspect = size.x.max(1) as f32 / size.y.max(1) as f32;
        // Half of the picture's height, m, such that both edges of the slab fit.
        let half = 0.5 * FACE_MARGIN * extent.dot(up.abs()).max(extent.dot(right.abs()) / aspect);
        let thickness = extent.dot(towards);
        let distance = FACE_DISTANCE * half.max(thickness);
        let middle = 0.5 * (low + high);
        let eye = middle + distance * towards;
        // The near plane is halfway; a nearer one would only reduce the precision of the rays through pixels.
        let clip_from_view =
            Mat4::perspective_infinite_reverse_rh(2.0 * (half / distance).atan(), aspect, 0.5 * distance);
        Self { world_from_view: Mat4::look_to_rh(eye, -towards, up).inverse(), clip_from_view, size, seen: None }
    }

    /// The same view, drawn smaller into column `column` of `columns` columns of equal width in the visible part of the
    /// picture.
    #[must_use]
    pub fn column(&self, column: usize, columns: usize) -> Self {
        if columns <= 1 {
            return *self;
        }
        let [low, high] = self.seen.unwrap_or([UVec2::ZERO, self.size]);
        let width = (high.x - low.x) / columns as u32;
        let left = low.x + width * column as u32;
        let seen = [UVec2::new(left, low.y), UVec2::new(left + width, high.y)];
        // From pixels to clip coordinates, relative to the centers of the complete picture and of the column.
        let middle = |[low, high]: [UVec2; 2]| 0.5 * (low + high).as_vec2() / self.size.as_vec2().max(Vec2::ONE);
        let clip = |place: Vec2| (place - 0.5) * Vec2::new(2.0, -2.0);
        let (from, to) = (clip(middle([low, high])), clip(middle(seen)));
        let scale = 1.0 / columns as f32;
        // Larger than the width alone would give, because the scene rarely fills the complete width.
        let scale = (1.35 * scale).min(1.0);
        let moved = Mat4::from_translation(to.extend(0.0))
            * Mat4::from_scale(Vec3::new(scale, scale, 1.0))
            * Mat4::from_translation(-from.extend(0.0));
        Self { clip_from_view: moved * self.clip_from_view, seen: Some(seen), ..*self }
    }

    /// The same view drawn into a part of the picture, given by its lowest and highest corner in pixels: what would
    /// fill the picture fills that part, and the rest is not drawn.
    #[must_use]
    pub fn within(&self, part: [UVec2; 2]) -> Self {
        let [low, high] = part.map(|corner| corner.min(self.size));
        let size = self.size.as_vec2().max(Vec2::ONE);
        let middle = (0.5 * (low + high).as_vec2() / size - 0.5) * Vec2::new(2.0, -2.0);
        let scale = high.saturating_sub(low).as_vec2() / size;
        let moved = Mat4::from_translation(middle.extend(0.0)) * Mat4::from_scale(scale.extend(1.0));
        let seen = self.seen.map_or([low, high], |[first, last]| [first.max(low), last.min(high).max(low)]);
        Self { clip_from_view: moved * self.clip_from_view, seen: Some(seen), ..*self }
    }

    /// The ray through a point of the picture, in pixels from its upper left corner; the center of the first pixel is
    /// at (0.5, 0.5).
    pub fn ray(&self, pixel: Vec2) -> Ray {
        let clip = (pixel / self.size.as_vec2().max(Vec2::ONE) - 0.5) * Vec2::new(2.0, -2.0);
        let near = self.clip_from_view.inverse().project_point3(clip.extend(1.0));
        let direction = self.world_from_view.transform_vector3(near).normalize_or(Vec3::NEG_Z);
        Ray { origin: self.world_from_view.w_axis.truncate(), direction }
    }

    /// The position of a point of the scene in the picture, in pixels from its upper left corner; `None` behind the
    /// eye.
    pub fn pixel_of(&self, point: Vec3) -> Option<Vec2> {
        let clip = self.clip_from_view * (self.world_from_view.inverse() * point.extend(1.0));
        (clip.w > 0.0).then(|| (clip.truncate().truncate() / clip.w * Vec2::new(0.5, -0.5) + 0.5) * self.size.as_vec2())
    }
}

/// A ray from the eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// The eye, m.
    pub origin: Vec3,
    /// Unit vector.
    pub direction: Vec3,
}
