//! The desktop app: the Bevy plugin, the window and its panel.
//!
//! Two sides talk through two values. [`Controls`] says what the user wants; panel, keys and pointer write it, and
//! Bevy's extraction copies it into the render world once a frame. [`Report`] says what really runs and how fast; the
//! [`Driver`] in the render world writes it, the panel reads it. The driver owns the simulation, and knows neither
//! Bevy nor a window; the panel is plain egui, and knows no device. A frame is
//!
//! 1. *follow*: the driver makes the simulation what the controls ask for, or tells why not and leaves it;
//! 2. *plan*: the [`Pacer`] decides how many time steps real time asks for and the frame has room for;
//! 3. *simulate*: the steps' passes, in Bevy's `RenderGraph` schedule before the camera driver;
//! 4. *draw*: the picture, in the `Core3d` schedule before Bevy's own opaque pass, which then keeps it;
//! 5. *resolve*: the copy of the frame's timestamps, read some frames later.
//!
//! [`NearwaterPlugin`] alone puts water into any Bevy app; [`run_app`] adds window, panel, camera and keys.

#![expect(clippy::needless_pass_by_value, reason = "Bevy hands systems their parameters by value")]

mod actions;
mod camera;
mod controls;
mod display;
mod driver;
mod dropped;
mod fluid_panel;
mod keyboard;
mod layout;
mod legend;
mod notices;
mod overlay;
mod pacing;
mod panel;
mod pictures;
mod plugin;
mod pointer;
mod probe_plots;
mod probes;
mod recovery;
mod report;
mod states;
mod theme;
mod timings;
mod toss;
mod window;
mod words;

pub use actions::{Action, KEYS, KeyBinding, MOUSE, key_name};
pub use controls::Controls;
pub use driver::{Driver, Plan};
pub use layout::window_ui;
pub use legend::legend_ui;
pub use notices::{help_ui, notices_ui};
pub use overlay::{overlay_height, overlay_ui};
pub use pacing::{Frame, Pacer};
pub use panel::panel_ui;
pub use pictures::Script;
pub use plugin::{FrameBudget, NearwaterPlugin, WaterReport, WaterView};
pub use probe_plots::probe_plots_ui;
pub use probes::ProbeHistory;
pub use report::{Report, Running};
pub use states::GoingOn;
pub use theme::{apply_theme, warm_up_fonts};
pub use timings::{FRAMES, PassHistory, Speed, Speedometer, Timings};
pub use toss::{Aim, Missile, Toss};
pub use window::{AppError, AppOptions, run_app};
