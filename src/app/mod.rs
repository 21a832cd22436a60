//! The desktop app: the Bevy plugin, the window and its panel.
//!
//! The user's side and the simulating side communicate through two values. [`Controls`] contains what the user
//! selected; panel, keys and pointer write it, and Bevy's extraction copies it into the render world once a frame.
//! [`Report`] describes the running simulation and its speed; the [`Driver`] in the render world writes it, and the
//! panel reads it. The driver owns the simulation and depends on neither Bevy nor a window. The panel is plain egui and
//! depends on no device. A frame consists of
//!
//! 1. *follow*: the driver brings the simulation in line with the controls, or reports why it keeps the old one;
//! 2. *plan*: the [`Pacer`] decides on the number of time steps from real time and the time available in a frame;
//! 3. *simulate*: the passes of the steps, in Bevy's `RenderGraph` schedule before the camera driver;
//! 4. *draw*: the picture, in the `Core3d` schedule before Bevy's own opaque pass, which draws over it;
//! 5. *resolve*: the copy of the frame's timestamps, which are read some frames later.
//!
//! [`NearwaterPlugin`] alone adds the simulation to any Bevy app; [`run_app`] adds window, panel, camera and keys.

#![expect(clippy::needless_pass_by_value, reason = "Bevy passes the parameters of systems by value")]

mod actions;
mod attract;
mod badge_ui;
mod bevy_device;
mod body_follower;
mod camera;
mod clipboard;
mod code;
mod command_line;
mod controls;
mod dialogs;
mod display;
mod driver;
mod dropped;
mod explain;
mod failures;
mod film;
mod foam_cost;
mod gallery;
mod hands;
mod keyboard;
mod keystroke;
mod labels;
mod laboratory;
mod layout;
mod legend;
mod lessons;
mod look_choice;
mod mesh_shadows;
mod notices;
mod off_screen;
mod overlay;
mod pace;
mod pacing;
mod panel;
mod pictures;
mod playback;
mod player;
mod plugin;
mod pointer;
mod presenter;
mod probe_plots;
mod probes;
mod recent;
mod recovery;
mod report;
mod scene_files;
mod scene_menu;
mod script;
mod script_command;
mod script_line;
mod script_words;
mod sensing;
mod settings;
mod setup_command;
mod solids;
mod states;
mod step_times;
mod sunlight;
mod synthetic_input;
mod theme;
mod timings;
mod toss;
mod water;
mod water_drawing;
mod waters;
mod window;
mod window_place;

use crate::format;

pub use actions::{Action, KEYS, KeyBinding, MOUSE, key_name};
pub use badge_ui::badge_ui;
pub use body_follower::FollowsBody;
pub use code::{CodeControls, CodeReport, PassCode, PassCost, cost_sentence, pass_costs, patch, patch_of};
pub use command_line::CommandKind;
pub use controls::Controls;
pub use dialogs::DialogWish;
pub use driver::{Driver, Plan};
pub use explain::{ExplainControls, ExplainTab, ExplainedValues, Slowly, lit_lines, slowness_counters};
pub use film::{FilmChoice, FilmContent, FilmControls, FilmFormat};
pub use foam_cost::FoamCost;
pub use gallery::{GalleryEntry, gallery_page};
pub use hands::{BlockDraft, HandsControls, HandsOrder, HandsReport, PRESETS, Preset, Tool, Toward};
pub use laboratory::{
    CheckControls, Chosen, Drawer, Flatland, LabControls, LabCut, LabSelection, Label, MeasureControls, MeasureTab,
    Overlay, OverlayColor, Projector, Stage, VIEWS, ViewInfo, update as update_laboratory, view_named,
};
pub use layout::window_ui;
pub use legend::legend_ui;
pub use lessons::{
    Choice, Condition, Expression, FIRST_LANGUAGE, Lesson, LessonControls, LessonError, LessonPrint, LessonProgress,
    LessonStep, LessonText, Number, OptionText, PrintedPicture, QUANTITIES, Quantity, QuantityKind, RunningLesson,
    StepRecord, StepText, Value, Verdict, quantities_page, update_lessons,
};
pub use look_choice::LookChoice;
pub use notices::{help_ui, notices_ui};
pub use overlay::{overlay_height, overlay_ui};
pub use pace::{PaceControls, PaceOptions, TrialFrame, TrialResult, TrialRun, TrialSwitch};
pub use pacing::{Frame, Pacer};
pub use panel::{PanelControls, panel_ui};
pub use playback::{PlaybackControls, PlaybackReport};
pub use plugin::{FrameBudget, NearwaterPlugin, WaterReport, WaterSystems, WaterView};
pub use probe_plots::probe_plots_ui;
pub use probes::ProbeHistory;
pub use report::{Report, Running};
pub use scene_menu::SceneEntry;
pub use script::{Script, ScriptError};
pub use sensing::{WaterLevel, WaterLevelChanged, WaterSensor, WaterSplash, WaterSplashes};
pub use settings::{UI_SCALES, UnusableSettings, UserSettings, user_settings_file};
pub use solids::{SolidReport, WaterBody, WaterBoundary, WaterLoad, WaterSolidTrouble, Weight};
pub use states::ResumeRequest;
pub use step_times::{OrderEvent, STEPS_KEPT, StepMedians, StepTime, StepTimes};
pub use theme::{apply_theme, warm_up_fonts};
pub use timings::{FRAMES, PassHistory, Speed, Speedometer, Timings};
pub use toss::{Aim, Missile, Toss};
pub use water::{MainWater, RunningWater, Water};
pub use window::{AppError, AppOptions, WINDOW, run_app};
pub use window_place::WindowPlace;
