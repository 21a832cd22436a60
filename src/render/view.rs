use glam::{Mat4, UVec2, Vec3};

/// Nearest distance drawn by [`View::perspective`], m.
const NEAR: f32 = 0.01;

/// From where and how the picture is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The camera's place and orientation: it looks along its own -z, with y up.
    pub world_from_view: Mat4,
    /// Perspective with reversed depth and infinite reach: depth 1 at the near plane, 0 infinitely far.
    pub clip_from_view: Mat4,
    /// Pixels of the picture.
    pub size: UVec2,
    /// Lowest and highest corner, in pixels from the upper left, of what anybody sees of the picture; the rest stays
    /// black. The whole picture when `None`.
    pub seen: Option<[UVec2; 2]>,
}

impl View {
    /// A view from `eye` towards `target`, with y up. A target straight above or below the eye, or in it, leaves no
    /// direction to call up; another is taken then.
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
}
