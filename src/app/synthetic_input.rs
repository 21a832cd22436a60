//! Synthetic input of keyboard and mouse for scripts. It consists of the same Bevy messages that winit writes for real
//! input, so that a script goes through the same code as a user.

use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyCode, KeyboardInput};
use bevy::input::mouse::{MouseButtonInput, MouseMotion, MouseScrollUnit, MouseWheel};
use bevy::input::touch::TouchPhase;
use bevy::prelude::*;
use bevy::window::{CursorMoved, PrimaryWindow, WindowEvent};

use super::keystroke::Keystroke;

/// Presses a key and its modifiers, or releases them.
pub(super) fn key(world: &mut World, stroke: &Keystroke, state: ButtonState) {
    let Some(window) = window(world) else { return };
    let mut keys: Vec<&(KeyCode, Key)> = stroke.held.iter().chain([&stroke.key]).collect();
    if !state.is_pressed() {
        keys.reverse();
    }
    for (key_code, logical_key) in keys {
        let text = match logical_key {
            Key::Character(text) if state.is_pressed() => Some(text.clone()),
            _ => None,
        };
        send(
            world,
            KeyboardInput { key_code: *key_code, logical_key: logical_key.clone(), state, text, repeat: false, window },
        );
    }
}

/// Moves the pointer to a position in logical pixels of the window.
pub(super) fn move_pointer(world: &mut World, position: Vec2) {
    let Some(entity) = window(world) else { return };
    let Some(mut window) = world.get_mut::<Window>(entity) else { return };
    let delta = window.cursor_position().map(|before| position - before);
    window.set_cursor_position(Some(position));
    send(world, CursorMoved { window: entity, position, delta });
    send(world, MouseMotion { delta: delta.unwrap_or_default() });
}

/// Presses or releases a mouse button.
pub(super) fn button(world: &mut World, button: MouseButton, state: ButtonState) {
    let Some(window) = window(world) else { return };
    send(world, MouseButtonInput { button, state, window });
}

/// Turns the mouse wheel by a number of lines.
pub(super) fn wheel(world: &mut World, lines: f32) {
    let Some(window) = window(world) else { return };
    send(world, MouseWheel { unit: MouseScrollUnit::Line, x: 0.0, y: lines, window, phase: TouchPhase::Moved });
}

fn window(world: &mut World) -> Option<Entity> {
    world.query_filtered::<Entity, With<PrimaryWindow>>().single(world).ok()
}

/// Writes a message twice, as `bevy_winit` does: as its own type, and as a `WindowEvent`, which preserves the order of
/// all kinds of input.
fn send<M: Message + Clone + Into<WindowEvent>>(world: &mut World, message: M) {
    world.write_message(message.clone());
    world.write_message::<WindowEvent>(message.into());
}
