//! A view of the whole box, for the tests that need one.

use glam::Vec3;
use nearwater::render::View;

use super::drawing::SIZE;

/// A view of the complete box of `drawing::look` from above its front.
pub fn overview() -> View {
    View::perspective(Vec3::new(1.5, 2.5, 8.0), Vec3::new(0.0, 0.3, 3.0), 40.0, SIZE)
}
