//! Turns key presses into actions.

use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyCode, KeyboardInput};
use bevy::prelude::*;
use bevy_egui::input::EguiWantsInput;
use bevy_egui::{EguiContext, EguiInput, egui};

use super::{Action, Controls, WaterReport};

const DIGITS: [(KeyCode, KeyCode); 10] = [
    (KeyCode::Digit0, KeyCode::Numpad0),
    (KeyCode::Digit1, KeyCode::Numpad1),
    (KeyCode::Digit2, KeyCode::Numpad2),
    (KeyCode::Digit3, KeyCode::Numpad3),
    (KeyCode::Digit4, KeyCode::Numpad4),
    (KeyCode::Digit5, KeyCode::Numpad5),
    (KeyCode::Digit6, KeyCode::Numpad6),
    (KeyCode::Digit7, KeyCode::Numpad7),
    (KeyCode::Digit8, KeyCode::Numpad8),
    (KeyCode::Digit9, KeyCode::Numpad9),
];

/// Turns key presses into actions, unless a text field of the panel has the keyboard focus.
pub(super) fn read_keys(
    mut keys: MessageReader<KeyboardInput>,
    held: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
    report: Res<WaterReport>,
    mut controls: ResMut<Controls>,
) {
    // Combinations with these keys are shortcuts of the desktop.
    let modifiers =
        [KeyCode::ControlLeft, KeyCode::ControlRight, KeyCode::AltLeft, KeyCode::SuperLeft, KeyCode::SuperRight];
    let shift = held.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
    // In attract mode a key only ends it.
    let ignored = egui.wants_keyboard_input() || held.any_pressed(modifiers) || controls.attract.on;
    for key in keys.read().filter(|key| key.state == ButtonState::Pressed && !ignored) {
        if let Some((action, repeats)) = Action::of_key(&name_of(key.key_code, &key.logical_key, shift))
            && (repeats || !key.repeat)
        {
            controls.act(action, &report.lock());
        }
    }
}

/// Keeps the tab key from egui while it selects particles of the laboratory. Otherwise egui would give the keyboard
/// focus to a button of the panel, after which no key would reach the program.
pub(super) fn keep_tab_from_widgets(mut contexts: Query<(&mut EguiContext, &mut EguiInput)>, controls: Res<Controls>) {
    for (mut context, mut input) in &mut contexts {
        if controls.lab.open && !context.get_mut().text_edit_focused() {
            input.events.retain(|event| !matches!(event, egui::Event::Key { key: egui::Key::Tab, .. }));
        }
    }
}

/// The name of a key for [`Action::of_key`]. Letters are identified by the layout, digits by their position, because
/// some layouts type digits only with shift.
pub(super) fn name_of(key_code: KeyCode, logical_key: &Key, shift: bool) -> String {
    let digit = DIGITS.iter().position(|&(row, pad)| key_code == row || key_code == pad);
    match (digit, logical_key) {
        (Some(place), _) => place.to_string(),
        // On keyboards that type the plus sign only with shift, the same key without shift is the equals sign.
        (None, Key::Character(text)) if text == "=" => "+".into(),
        (None, Key::Character(text)) => text.to_lowercase(),
        (None, Key::Space) => "space".into(),
        (None, Key::Escape) => "escape".into(),
        (None, Key::Tab) => if shift { "backtab" } else { "tab" }.into(),
        (None, Key::ArrowLeft) => "left".into(),
        (None, Key::ArrowRight) => "right".into(),
        (None, Key::F3) => "f3".into(),
        (None, Key::ArrowUp) => "up".into(),
        (None, Key::ArrowDown) => "down".into(),
        (None, Key::Home) => "home".into(),
        (None, Key::Delete) => "delete".into(),
        (None, Key::Backspace) => "backspace".into(),
        (None, Key::F8) => "f8".into(),
        (None, Key::F9) => "f9".into(),
        (None, Key::F11) => "f11".into(),
        (None, Key::F12) => "f12".into(),
        _ => String::new(),
    }
}
