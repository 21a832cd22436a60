//! The actions of the user, the keys that trigger them, and what each one changes in [`Controls`].

use std::path::PathBuf;

use super::{Controls, HandsOrder, Report, Toward};

/// Something the user can do with one key or one button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Pauses or resumes the simulation.
    TogglePause,
    /// Pauses the simulation and makes one time step.
    StepOnce,
    /// Returns to the scene's first frame, paused, with its densities computed.
    Reset,
    /// Runs at a quarter of real time, by making fewer steps of the same length, or at full speed again.
    ToggleSlowMotion,
    /// Selects the previous search in the list.
    PreviousSearch,
    /// Selects the next search in the list.
    NextSearch,
    /// Selects the next value of the search's first setting.
    NextOption,
    /// Halves the number of particles.
    HalveCount,
    /// Doubles the number of particles.
    DoubleCount,
    /// Decreases the support radius by a tenth.
    SmallerRadius,
    /// Increases the support radius so that decreasing it restores the old value.
    LargerRadius,
    /// Opens the next scene in the list.
    NextScene,
    /// Selects the next solver in the list.
    NextSolver,
    /// Selects the next smoothing kernel in the list.
    NextKernel,
    /// Selects the color field at this index of the list.
    ColorField(usize),
    /// Draws the water in the next style: as particles, with a smooth surface, or as clear water.
    NextStyle,
    /// Draws solids as surfaces, as particles, or not at all.
    NextSolidStyle,
    /// Shows or hides the edges of the search's cells.
    ToggleCellEdges,
    /// Drops a body into the water.
    DropBody,
    /// Shoots a body into the water.
    ShootBody,
    /// Starts or stops reading and plotting the scene's probes.
    ToggleProbes,
    /// Saves the state of the running simulation.
    SaveState,
    /// Resumes from the saved state.
    LoadState,
    /// Synchronizes drawing with the display, or draws as often as possible.
    ToggleVsync,
    /// Enlarges texts and buttons.
    LargerUi,
    /// Shrinks texts and buttons.
    SmallerUi,
    /// Hides or shows the panel.
    TogglePanel,
    /// Gives the keyboard to the field that filters the panel.
    FindControl,
    /// Hides or shows the list of keys.
    ToggleHelp,
    /// Closes the list of keys or a message. In the laboratory it returns to the level above, and finally to the scene.
    Close,
    /// Opens or closes the explanations.
    ToggleExplain,
    /// Shows or hides the lessons.
    ToggleLessons,
    /// Opens or closes the laboratory.
    ToggleLaboratory,
    /// Selects the view of the laboratory at this index of the list.
    ChooseView(usize),
    /// Selects the next particle in the inspector.
    NextParticle,
    /// Selects the previous particle in the inspector.
    PreviousParticle,
    /// Shows one visited range more in the laboratory; otherwise tilts gravity to the right.
    WalkForward,
    /// Shows one visited range less in the laboratory; otherwise tilts gravity to the left.
    WalkBack,
    /// Starts or stops the animation through the visited ranges.
    ToggleWalk,
    /// Shows only the scene, a caption and the timings, or everything again; in the laboratory, only the scene, the
    /// drawer and one sentence.
    TogglePresenting,
    /// Shows a scene of few large cells seen face on, or returns to the user's scene.
    ToggleFlatland,
    /// Opens or closes the code pane.
    ToggleCode,
    /// Starts a video of the window, or ends it and writes the file.
    ToggleRecording,
    /// Writes a picture of the window.
    TakePicture,
    /// Covers the screen with the window, or returns to the window.
    ToggleFullScreen,
    /// Tilts gravity away from the user; upward in two dimensions.
    TiltAway,
    /// Tilts gravity toward the user; downward in two dimensions.
    TiltToUser,
    /// Returns to the scene's gravity.
    SceneGravity,
    /// Removes the body under the pointer.
    RemoveBody,
    /// Undoes the last change of gravity, walls or presets, a thrown or removed body, or a block.
    Undo,
    /// Selects the next tool of the left mouse button.
    NextTool,
    /// Starts attract mode; any input ends it.
    ToggleAttract,
}

/// A key and its action.
#[derive(Clone, Copy, Debug)]
pub struct KeyBinding {
    /// The character that the key types in lower case; "space" and "escape" for those two.
    pub key: &'static str,
    /// The action that the key triggers.
    pub action: Action,
    /// Description of the action, for the list of keys.
    pub words: &'static str,
    /// Whether holding the key down repeats the action.
    pub repeats: bool,
}

const fn once(key: &'static str, action: Action, words: &'static str) -> KeyBinding {
    KeyBinding { key, action, words, repeats: false }
}

/// Every key except the digits, which select a color field or, while the laboratory is open, a view. Panel, help and
/// keyboard input all use this list.
pub const KEYS: &[KeyBinding] = &[
    once("space", Action::TogglePause, "pause or resume"),
    KeyBinding {
        key: ".",
        action: Action::StepOnce,
        words: "one time step; while a step runs pass by pass, one pass",
        repeats: true,
    },
    once("r", Action::Reset, "back to the first frame, paused"),
    once("q", Action::ToggleSlowMotion, "slow motion: a quarter of the steps per second"),
    once("f", Action::PreviousSearch, "previous neighbor search"),
    once("g", Action::NextSearch, "next neighbor search"),
    once("e", Action::NextOption, "next value of the search's first setting"),
    once("m", Action::HalveCount, "half the particles"),
    once("n", Action::DoubleCount, "twice the particles"),
    once("[", Action::SmallerRadius, "support radius a tenth smaller"),
    once("]", Action::LargerRadius, "support radius a tenth larger"),
    once("s", Action::NextScene, "next scene"),
    once("b", Action::NextSolver, "next solver"),
    once("k", Action::NextKernel, "next smoothing kernel"),
    once("w", Action::NextStyle, "water as particles, smooth or clear"),
    once("a", Action::NextSolidStyle, "solids as surfaces, as particles, or hidden"),
    once("c", Action::ToggleCellEdges, "show or hide the edges of the search's cells"),
    once("d", Action::DropBody, "drop a body above the pointer"),
    once("x", Action::ShootBody, "shoot a body at the pointer"),
    once("o", Action::ToggleProbes, "show or hide the plots of the scene's probes"),
    once("z", Action::SaveState, "save the state"),
    once(",", Action::LoadState, "resume from the saved state"),
    once("v", Action::ToggleVsync, "turn synchronization with the display on or off"),
    once("+", Action::LargerUi, "larger texts and buttons"),
    once("-", Action::SmallerUi, "smaller texts and buttons"),
    once("p", Action::TogglePanel, "hide or show the panel"),
    once("f3", Action::FindControl, "find a control of the panel by its words"),
    once("h", Action::ToggleHelp, "hide or show this list"),
    once("l", Action::ToggleExplain, "explain the search, the solver and the kernel, with code and cost"),
    once("t", Action::ToggleLessons, "show or hide the lessons"),
    once("i", Action::ToggleLaboratory, "open or close the laboratory"),
    KeyBinding { key: "tab", action: Action::NextParticle, words: "laboratory: next particle", repeats: true },
    KeyBinding {
        key: "backtab",
        action: Action::PreviousParticle,
        words: "laboratory: previous particle",
        repeats: true,
    },
    KeyBinding {
        key: "right",
        action: Action::WalkForward,
        words: "tilt gravity to the right; laboratory: one visited cell more",
        repeats: true,
    },
    KeyBinding {
        key: "left",
        action: Action::WalkBack,
        words: "tilt gravity to the left; laboratory: one visited cell less",
        repeats: true,
    },
    KeyBinding {
        key: "up",
        action: Action::TiltAway,
        words: "tilt gravity away from you; in two dimensions upward",
        repeats: true,
    },
    KeyBinding {
        key: "down",
        action: Action::TiltToUser,
        words: "tilt gravity toward you; in two dimensions downward",
        repeats: true,
    },
    once("home", Action::SceneGravity, "back to the scene's gravity"),
    once("'", Action::NextTool, "next tool of the left button: push, pull, pour or draw a block"),
    once("delete", Action::RemoveBody, "remove the body under the pointer"),
    once(
        "backspace",
        Action::Undo,
        "undo the last change of gravity, walls or presets, a thrown or removed body, or a block",
    ),
    once("f8", Action::ToggleAttract, "attract mode: the camera drifts, scenes and searches change; any input ends it"),
    once("y", Action::ToggleWalk, "laboratory: start or stop the animation through the visited cells"),
    once("u", Action::TogglePresenting, "present: only the scene, a caption and the timings"),
    once(
        "j",
        Action::ToggleFlatland,
        "laboratory: switch between Flatland, few large cells seen face on, and your scene",
    ),
    once(";", Action::ToggleCode, "show or hide the code of a pass, which can be edited"),
    once("f9", Action::ToggleRecording, "record a video of the window, or end it and write the file"),
    once("f11", Action::ToggleFullScreen, "full screen, or back to the window"),
    once("f12", Action::TakePicture, "write a picture of the window"),
    once("escape", Action::Close, "close this list or a message; laboratory: back to the level above"),
];

/// Mouse input and its effect, for the list of keys.
pub const MOUSE: &[(&str, &str)] = &[
    ("left drag", "push, pull or pour water, as the tool says, or drag a body"),
    ("shift-left drag", "pull the water"),
    ("right drag", "orbit"),
    ("middle or shift-right drag", "pan"),
    ("wheel", "zoom"),
    ("a file dropped here", "opens a scene, or resumes from a saved state"),
];

impl Action {
    /// The action of a key, and whether holding the key repeats it. `key` is a character in lower case, or a name such
    /// as "space" or "escape".
    pub fn of_key(key: &str) -> Option<(Self, bool)> {
        if let Some(digit) = key.parse::<usize>().ok().filter(|digit| *digit <= 9) {
            // On the keyboard 0 follows 9, so it selects the tenth field.
            return Some((Self::ColorField((digit + 9) % 10), false));
        }
        KEYS.iter().find(|binding| binding.key == key).map(|binding| (binding.action, binding.repeats))
    }

    /// The label of the action's key, which is shown beside its control; empty if the action has no key.
    pub fn key_label(self) -> String {
        if let Self::ColorField(place) | Self::ChooseView(place) = self {
            return if place < 10 { ((place + 1) % 10).to_string() } else { String::new() };
        }
        KEYS.iter().find(|binding| binding.action == self).map(|binding| key_name(binding.key)).unwrap_or_default()
    }
}

/// The label of a key on the keyboard.
pub fn key_name(key: &str) -> String {
    match key {
        "space" => "Space".into(),
        "escape" => "Esc".into(),
        "backtab" => "Shift Tab".into(),
        "tab" => "Tab".into(),
        "left" => "Left".into(),
        "right" => "Right".into(),
        "up" => "Up".into(),
        "down" => "Down".into(),
        "home" => "Home".into(),
        "delete" => "Delete".into(),
        "backspace" => "Backspace".into(),
        other => other.to_uppercase(),
    }
}

impl Controls {
    /// Carries out an action; `report` describes the running simulation.
    pub fn act(&mut self, action: Action, report: &Report) {
        match action {
            Action::TogglePause => self.paused = !self.paused,
            Action::StepOnce if self.goes_through_step() => self.next_pass(),
            Action::StepOnce => {
                self.paused = true;
                self.single_steps += 1;
            }
            Action::Reset => {
                self.paused = true;
                self.resets += 1;
            }
            Action::ToggleSlowMotion => self.slow_motion = !self.slow_motion,
            Action::PreviousSearch => self.step_search(-1),
            Action::NextSearch => self.step_search(1),
            Action::ToggleCellEdges => self.cell_edges = !self.cell_edges,
            Action::NextOption => self.step_first_option(),
            Action::HalveCount => self.scale_count(report, 0.5),
            Action::DoubleCount => self.scale_count(report, 2.0),
            Action::SmallerRadius => self.scale_radius(report, 0.9),
            Action::LargerRadius => self.scale_radius(report, 1.0 / 0.9),
            Action::NextScene => self.next_scene(),
            Action::NextSolver => self.next_solver(),
            Action::NextKernel => self.next_kernel(),
            Action::ColorField(place) if self.lab.open => self.choose_view(place, report),
            Action::ColorField(place) => self.choose_field(place),
            Action::NextStyle => self.next_style(),
            Action::DropBody => self.drop_body(report),
            Action::ShootBody => self.shoot_body(report),
            Action::ToggleProbes => self.probes_open = !self.probes_open,
            Action::SaveState => self.save_state(),
            Action::LoadState => self.load_state(&PathBuf::from(&self.state_file)),
            Action::NextSolidStyle => self.next_solid_style(),
            Action::ToggleVsync => self.vsync = !self.vsync,
            Action::LargerUi => self.step_ui_scale(1),
            Action::SmallerUi => self.step_ui_scale(-1),
            Action::TogglePanel => self.panel_open = !self.panel_open,
            Action::FindControl => self.find_control(),
            Action::ToggleHelp => self.help_open = !self.help_open,
            Action::Close => self.close(report),
            Action::ToggleExplain => self.toggle_explain(),
            Action::ToggleLessons => self.lessons.open = !self.lessons.open,
            Action::ToggleLaboratory => self.toggle_laboratory(report),
            Action::ChooseView(place) => self.choose_view(place, report),
            Action::NextParticle => self.lab.step_particle(1, report),
            Action::PreviousParticle => self.lab.step_particle(-1, report),
            Action::WalkForward if self.lab.open => self.walk(1, report),
            Action::WalkForward => self.tilt(Toward::Right, report),
            Action::WalkBack if self.lab.open => self.walk(-1, report),
            Action::WalkBack => self.tilt(Toward::Left, report),
            Action::TiltAway => self.tilt(Toward::Away, report),
            Action::TiltToUser => self.tilt(Toward::User, report),
            Action::SceneGravity => self.level_gravity(),
            Action::RemoveBody => self.order(HandsOrder::RemoveBodyAt(self.aim)),
            Action::Undo => self.order(HandsOrder::Undo),
            Action::NextTool => self.hands.next_tool(),
            Action::ToggleAttract => self.attract.wanted = Some(!self.attract.on),
            Action::ToggleWalk => self.lab.walk.playing = !self.lab.walk.playing,
            Action::TogglePresenting => self.toggle_presenting(),
            Action::ToggleFlatland if self.lab.open => self.toggle_flatland(),
            Action::ToggleFlatland => {}
            Action::ToggleRecording => self.film.toggle(),
            Action::TakePicture => self.film.shots += 1,
            Action::ToggleFullScreen => self.full_screen = !self.full_screen,
            Action::ToggleCode => {
                self.code.open = !self.code.open;
                self.close_explain();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Action, KEYS};

    #[test]
    fn every_key_finds_its_action_and_no_key_is_used_twice() {
        for binding in KEYS {
            assert_eq!(Action::of_key(binding.key), Some((binding.action, binding.repeats)), "{}", binding.key);
        }
        assert_eq!(Action::of_key("1"), Some((Action::ColorField(0), false)));
        assert_eq!(Action::of_key("0"), Some((Action::ColorField(9), false)));
        assert_eq!(Action::of_key("10"), None);
        assert_eq!(Action::ColorField(8).key_label(), "9");
    }
}
