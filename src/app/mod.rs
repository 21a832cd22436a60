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
mod at_random;
mod attract;
mod badge_ui;
mod bevy_device;
mod body_follower;
mod camera;
mod capture;
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
mod kept_pipelines;
mod keyboard;
mod keystroke;
mod labels;
mod laboratory;
mod layout;
mod legend;
mod lessons;
mod light_on_water;
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
mod squeeze;
mod states;
mod step_times;
mod sunlight;
mod synthetic_input;
mod theme;
mod timings;
mod toss;
mod transparent_layer;
mod water;
mod water_drawing;
mod waters;
mod window;
mod window_place;

use crate::format;

pub use body_follower::FollowsBody;
pub use controls::Controls;
pub use plugin::{FrameBudget, NearwaterPlugin, WaterReport, WaterSystems, WaterView};
pub use report::{Report, Running};
pub use sensing::{WaterLevel, WaterLevelChanged, WaterSensor, WaterSplash, WaterSplashes};
pub use solids::{SolidReport, WaterBody, WaterBoundary, WaterLoad, WaterSolidTrouble, Weight};
pub use water::{MainWater, RunningWater, Water};
pub use window::{AppError, AppOptions, run_app};

// The panel, the laboratory and the lessons as their tests and the command line need them: no interface for other
// programs.
#[doc(hidden)]
pub use actions::{Action, KEYS, KeyBinding, MOUSE, key_name};
#[doc(hidden)]
pub use at_random::RandomUse;
#[doc(hidden)]
pub use badge_ui::badge_ui;
#[doc(hidden)]
pub use code::{CodeControls, CodeReport, PassCode, PassCost, cost_sentence, pass_costs, patch, patch_of};
#[doc(hidden)]
pub use command_line::CommandKind;
#[doc(hidden)]
pub use dialogs::DialogWish;
#[doc(hidden)]
pub use driver::{Driver, Plan};
#[doc(hidden)]
pub use explain::{ExplainControls, ExplainTab, ExplainedValues, Slowly, lit_lines, slowness_counters};
#[doc(hidden)]
pub use film::{FilmChoice, FilmContent, FilmControls, FilmFormat};
#[doc(hidden)]
pub use foam_cost::FoamCost;
#[doc(hidden)]
pub use gallery::{GalleryEntry, gallery_page};
#[doc(hidden)]
pub use hands::{BlockDraft, HandsControls, HandsOrder, HandsReport, PRESETS, Preset, Tool, Toward};
#[doc(hidden)]
pub use kept_pipelines::{use_kept_pipelines, user_pipeline_file};
#[doc(hidden)]
pub use laboratory::{
    CheckControls, Chosen, Drawer, Flatland, LabControls, LabCut, LabSelection, Label, MeasureControls, MeasureTab,
    Overlay, OverlayColor, Projector, Stage, VIEWS, ViewInfo, update as update_laboratory, view_named,
};
#[doc(hidden)]
pub use layout::window_ui;
#[doc(hidden)]
pub use legend::legend_ui;
#[doc(hidden)]
pub use lessons::{
    Choice, Condition, Expression, FIRST_LANGUAGE, Lesson, LessonControls, LessonError, LessonPrint, LessonProgress,
    LessonStep, LessonText, Number, OptionText, PrintedPicture, QUANTITIES, Quantity, QuantityKind, RunningLesson,
    StepRecord, StepText, Value, Verdict, quantities_page, update_lessons,
};
#[doc(hidden)]
pub use look_choice::LookChoice;
#[doc(hidden)]
pub use notices::{help_ui, notices_ui};
#[doc(hidden)]
pub use overlay::{overlay_height, overlay_ui};
#[doc(hidden)]
pub use pace::{PaceControls, PaceOptions, TrialFrame, TrialResult, TrialRun, TrialSwitch};
#[doc(hidden)]
pub use pacing::{Advance, Frame, Pacer};
#[doc(hidden)]
pub use panel::{PanelControls, panel_ui};
#[doc(hidden)]
pub use playback::{PlaybackControls, PlaybackReport};
#[doc(hidden)]
pub use probe_plots::probe_plots_ui;
#[doc(hidden)]
pub use probes::ProbeHistory;
#[doc(hidden)]
pub use scene_menu::SceneEntry;
#[doc(hidden)]
pub use script::{Script, ScriptError};
#[doc(hidden)]
pub use settings::{UI_SCALES, UnusableSettings, UserSettings, user_settings_file};
#[doc(hidden)]
pub use states::ResumeRequest;
#[doc(hidden)]
pub use step_times::{OrderEvent, STEPS_KEPT, StepMedians, StepTime, StepTimes};
#[doc(hidden)]
pub use theme::{apply_theme, warm_up_fonts};
#[doc(hidden)]
pub use timings::{FRAMES, PassHistory, Speed, Speedometer, Timings};
#[doc(hidden)]
pub use toss::{Aim, Missile, Toss};
#[doc(hidden)]
pub use window::WINDOW;
#[doc(hidden)]
pub use window_place::WindowPlace;
