use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyCode, KeyboardInput};
use bevy::prelude::*;
use bevy_egui::input::EguiWantsInput;

use super::{Action, Controls, WaterReport};

const DIGITS: [(KeyCode, KeyCode); 9] = [
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

/// Turns key presses into actions, unless somebody types into the panel.
pub(super) fn read_keys(
    mut keys: MessageReader<KeyboardInput>,
    held: Res<ButtonInput<KeyCode>>,
    egui: Res<EguiWantsInput>,
    report: Res<WaterReport>,
    mut controls: ResMut<Controls>,
) {
    // Shortcuts of the desktop are not ours.
    let others =
        [KeyCode::ControlLeft, KeyCode::ControlRight, KeyCode::AltLeft, KeyCode::SuperLeft, KeyCode::SuperRight];
    let ignored = egui.wants_keyboard_input() || held.any_pressed(others);
    for key in keys.read().filter(|key| key.state == ButtonState::Pressed && !ignored) {
        if let Some((action, repeats)) = Action::of_key(&name_of(key))
            && (repeats || !key.repeat)
        {
            controls.act(action, &report.lock());
        }
    }
}

/// The name that [`Action::of_key`] knows a key by. Letters follow the layout; digits their place, since some layouts
/// type them with shift only.
fn name_of(key: &KeyboardInput) -> String {
    let digit = DIGITS.iter().position(|&(row, pad)| key.key_code == row || key.key_code == pad);
    match (digit, &key.logical_key) {
        (Some(place), _) => (place + 1).to_string(),
        (None, Key::Character(text)) => text.to_lowercase(),
        (None, Key::Space) => "space".into(),
        (None, Key::Escape) => "escape".into(),
        _ => String::new(),
    }
}
