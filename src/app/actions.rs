use std::path::PathBuf;

use super::{Controls, Report};

/// Something the user can do with one key or one button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Stops the water, or lets it go on.
    TogglePause,
    /// One time step, then paused.
    StepOnce,
    /// The scene's first frame, paused, with its densities computed.
    Reset,
    /// A quarter of the pace: fewer steps, never smaller ones.
    ToggleSlowMotion,
    /// The search before this one in the list.
    PreviousSearch,
    /// The search after this one in the list.
    NextSearch,
    /// The next value of the search's first setting.
    NextOption,
    /// Half the particles.
    HalveCount,
    /// Twice the particles.
    DoubleCount,
    /// A smaller support radius, by a tenth.
    SmallerRadius,
    /// A larger support radius, by a tenth.
    LargerRadius,
    /// The next scene in the list.
    NextScene,
    /// The next solver in the list.
    NextSolver,
    /// The next smoothing kernel in the list.
    NextKernel,
    /// The colour field of that place in the list, counted from 0.
    ColorField(usize),
    /// The water as particles, or with a smooth surface.
    NextStyle,
    /// Solids as surfaces, as particles, or not at all.
    NextSolidStyle,
    /// The edges of the search's cells, or none.
    ToggleCellEdges,
    /// Lets a body fall into the water.
    DropBody,
    /// Shoots a body into the water.
    ShootBody,
    /// Reads and plots the scene's probes, or not.
    ToggleProbes,
    /// Saves the state of what runs.
    SaveState,
    /// Goes on from the saved state.
    LoadState,
    /// Waits for the display, or draws as often as it can.
    ToggleVsync,
    /// Hides or shows the panel.
    TogglePanel,
    /// Hides or shows the list of keys.
    ToggleHelp,
    /// Closes the list of keys, and dismisses a message.
    Close,
}

/// A key and what it does.
#[derive(Clone, Copy, Debug)]
pub struct KeyBinding {
    /// The character that the key types in lower case; "space" and "escape" for those two.
    pub key: &'static str,
    /// What it does.
    pub action: Action,
    /// The same in words, for the list of keys.
    pub words: &'static str,
    /// Whether holding the key down repeats it.
    pub repeats: bool,
}

const fn once(key: &'static str, action: Action, words: &'static str) -> KeyBinding {
    KeyBinding { key, action, words, repeats: false }
}

/// Every key but the digits, which choose the colour field of that place. Panel, help and keyboard all read this list.
pub const KEYS: &[KeyBinding] = &[
    once("space", Action::TogglePause, "pause, go on"),
    KeyBinding { key: ".", action: Action::StepOnce, words: "one time step", repeats: true },
    once("r", Action::Reset, "back to the first frame, paused"),
    once("q", Action::ToggleSlowMotion, "slow motion: a quarter of the steps"),
    once("f", Action::PreviousSearch, "previous neighbor search"),
    once("g", Action::NextSearch, "next neighbor search"),
    once("e", Action::NextOption, "next value of the search's first setting"),
    once("m", Action::HalveCount, "half the particles"),
    once("n", Action::DoubleCount, "twice the particles"),
    once("[", Action::SmallerRadius, "support radius a tenth smaller"),
    once("]", Action::LargerRadius, "support radius a tenth larger"),
    once("s", Action::NextScene, "next scene"),
    once("b", Action::NextSolver, "next solver: WCSPH, PBF, repulsion"),
    once("k", Action::NextKernel, "next smoothing kernel"),
    once("w", Action::NextStyle, "water as particles, or smooth"),
    once("a", Action::NextSolidStyle, "solids as surfaces, as particles, or hidden"),
    once("c", Action::ToggleCellEdges, "edges of the search's cells, or none"),
    once("d", Action::DropBody, "drop a body over the pointer"),
    once("x", Action::ShootBody, "shoot a body at the pointer"),
    once("o", Action::ToggleProbes, "plots of the scene's probes, or none"),
    once("z", Action::SaveState, "save the state"),
    once("l", Action::LoadState, "go on from the saved state"),
    once("v", Action::ToggleVsync, "wait for the display, or not"),
    once("p", Action::TogglePanel, "hide or show the panel"),
    once("h", Action::ToggleHelp, "this list"),
    once("escape", Action::Close, "close this list or a message"),
];

/// What the mouse does, for the list of keys.
pub const MOUSE: &[(&str, &str)] = &[
    ("left drag", "push the water, or draw at a body"),
    ("right drag", "orbit"),
    ("middle or shift-right drag", "pan"),
    ("wheel", "zoom"),
    ("a file dropped here", "opens a scene or goes on from a state"),
];

impl Action {
    /// The action of a key: a character in lower case, "space" or "escape".
    pub fn of_key(key: &str) -> Option<(Self, bool)> {
        if let Some(digit) = key.parse::<usize>().ok().filter(|digit| (1..=9).contains(digit)) {
            return Some((Self::ColorField(digit - 1), false));
        }
        KEYS.iter().find(|binding| binding.key == key).map(|binding| (binding.action, binding.repeats))
    }

    /// The key written beside a control, as it stands on the keyboard; empty where there is none.
    pub fn key_label(self) -> String {
        if let Self::ColorField(place) = self {
            return if place < 9 { (place + 1).to_string() } else { String::new() };
        }
        KEYS.iter().find(|binding| binding.action == self).map(|binding| key_name(binding.key)).unwrap_or_default()
    }
}

/// A key as it stands on the keyboard.
pub fn key_name(key: &str) -> String {
    match key {
        "space" => "Space".into(),
        "escape" => "Esc".into(),
        other => other.to_uppercase(),
    }
}

impl Controls {
    /// Does what a key or button asks for; `report` says what is running now.
    pub fn act(&mut self, action: Action, report: &Report) {
        match action {
            Action::TogglePause => self.paused = !self.paused,
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
            Action::ColorField(place) => self.choose_field(place),
            Action::NextStyle => self.next_style(),
            Action::DropBody => self.drop_body(report),
            Action::ShootBody => self.shoot_body(report),
            Action::ToggleProbes => self.probes_open = !self.probes_open,
            Action::SaveState => self.save_state(),
            Action::LoadState => self.load_state(&PathBuf::from(&self.state_file)),
            Action::NextSolidStyle => self.next_solid_style(),
            Action::ToggleVsync => self.vsync = !self.vsync,
            Action::TogglePanel => self.panel_open = !self.panel_open,
            Action::ToggleHelp => self.help_open = !self.help_open,
            Action::Close => {
                self.help_open = false;
                self.dismiss(report);
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
        assert_eq!(Action::of_key("0"), None);
        assert_eq!(Action::ColorField(8).key_label(), "9");
    }
}
