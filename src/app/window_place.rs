//! Place and size of the window, kept between runs.

use bevy::prelude::*;
use bevy::window::{Monitor, MonitorSelection, PrimaryWindow, WindowMode, WindowPosition};
use serde::{Deserialize, Serialize};

use super::Controls;

/// Smallest and largest width and height that are accepted from the settings, pixels.
const SIZES: [u32; 2] = [200, 16_384];

/// Place and size of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowPlace {
    /// Upper left corner on the desktop, physical pixels; `None` where the window system does not tell, as Wayland.
    #[serde(default)]
    pub position: Option<[i32; 2]>,
    /// Width and height, logical pixels.
    pub size: [u32; 2],
}

impl WindowPlace {
    /// What is wrong with it, if anything.
    pub(super) fn fault(self) -> Option<String> {
        let [width, height] = self.size;
        let [least, most] = SIZES;
        let fits = self.size.iter().all(|size| (least..=most).contains(size));
        (!fits).then(|| {
            format!("the window is {width} x {height} pixels, and must be from {least} to {most} wide and high")
        })
    }

    /// The place of a window; `None` while the window covers the screen or has no size, as when it is minimized.
    fn of(window: &Window) -> Option<Self> {
        let position = match window.position {
            WindowPosition::At(corner) => Some(corner.to_array()),
            _ => None,
        };
        let place = Self { position, size: window.size().as_uvec2().to_array() };
        (window.mode == WindowMode::Windowed && place.fault().is_none()).then_some(place)
    }

    /// Where a window begins that had this place in the last run.
    pub(super) fn position(self) -> WindowPosition {
        self.position.map_or(WindowPosition::Automatic, |corner| WindowPosition::At(IVec2::from_array(corner)))
    }

    /// Whether a window at this place can be seen and moved: part of its upper edge is on one of the monitors, each
    /// given by its upper left corner and its size.
    fn is_visible(self, monitors: &[(IVec2, UVec2)]) -> bool {
        let Some(corner) = self.position.map(IVec2::from_array) else { return true };
        let grip = IRect::from_corners(corner, corner + IVec2::new(self.size[0].cast_signed(), 30));
        monitors.iter().any(|&(low, size)| {
            let seen = IRect::from_corners(low, low + size.as_ivec2()).intersect(grip);
            seen.width() >= 60 && seen.height() >= 10
        })
    }
}

/// Notes where the window is, and centers it if it is on no monitor, as after one was unplugged.
pub(super) fn follow_window(
    mut window: Single<&mut Window, With<PrimaryWindow>>,
    monitors: Query<&Monitor>,
    mut controls: ResMut<Controls>,
    mut checked: Local<bool>,
) {
    let Some(place) = WindowPlace::of(&window) else { return };
    let known: Vec<_> = monitors.iter().map(|monitor| (monitor.physical_position, monitor.physical_size())).collect();
    if !*checked && !known.is_empty() {
        *checked = true;
        if !place.is_visible(&known) {
            window.position = WindowPosition::Centered(MonitorSelection::Primary);
            return;
        }
    }
    // Compared first, because a mutable access marks the controls as changed.
    if controls.window_place != Some(place) {
        controls.window_place = Some(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_visible_if_its_upper_edge_is_on_a_monitor() {
        let monitors = [(IVec2::ZERO, UVec2::new(1920, 1080)), (IVec2::new(-1280, 200), UVec2::new(1280, 1024))];
        let at = |x, y| WindowPlace { position: Some([x, y]), size: [800, 600] }.is_visible(&monitors);
        assert!(at(0, 0) && at(1800, 1000) && at(-1200, 300) && at(-700, 0));
        assert!(!at(1900, 0), "only 20 pixels are on the monitor");
        assert!(!at(0, -300) && !at(3000, 100) && !at(-1200, 100) && !at(0, 1075));
        assert!(WindowPlace { position: None, size: [800, 600] }.is_visible(&monitors));
    }

    #[test]
    fn a_window_that_covers_the_screen_has_no_place_of_its_own() {
        let mut window = Window { position: WindowPosition::At(IVec2::new(7, 9)), ..default() };
        window.resolution.set(640.0, 480.0);
        assert_eq!(WindowPlace::of(&window), Some(WindowPlace { position: Some([7, 9]), size: [640, 480] }));
        window.mode = WindowMode::BorderlessFullscreen(MonitorSelection::Current);
        assert_eq!(WindowPlace::of(&window), None);
    }
}
