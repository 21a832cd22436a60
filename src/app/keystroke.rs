//! Translates the names of keys in scripts into the key codes and logical keys that a keyboard reports.

use bevy::input::keyboard::{Key, KeyCode};

/// Keys with names, their physical key codes and their logical keys.
const NAMED: [(&str, KeyCode, Key); 21] = [
    ("space", KeyCode::Space, Key::Space),
    ("escape", KeyCode::Escape, Key::Escape),
    ("tab", KeyCode::Tab, Key::Tab),
    ("enter", KeyCode::Enter, Key::Enter),
    ("backspace", KeyCode::Backspace, Key::Backspace),
    ("delete", KeyCode::Delete, Key::Delete),
    ("up", KeyCode::ArrowUp, Key::ArrowUp),
    ("down", KeyCode::ArrowDown, Key::ArrowDown),
    ("left", KeyCode::ArrowLeft, Key::ArrowLeft),
    ("right", KeyCode::ArrowRight, Key::ArrowRight),
    ("home", KeyCode::Home, Key::Home),
    ("end", KeyCode::End, Key::End),
    ("page-up", KeyCode::PageUp, Key::PageUp),
    ("page-down", KeyCode::PageDown, Key::PageDown),
    ("insert", KeyCode::Insert, Key::Insert),
    ("f1", KeyCode::F1, Key::F1),
    ("f3", KeyCode::F3, Key::F3),
    ("f8", KeyCode::F8, Key::F8),
    ("f9", KeyCode::F9, Key::F9),
    ("f11", KeyCode::F11, Key::F11),
    ("f12", KeyCode::F12, Key::F12),
];

/// Modifier keys.
const MODIFIERS: [(&str, KeyCode, Key); 3] = [
    ("shift", KeyCode::ShiftLeft, Key::Shift),
    ("ctrl", KeyCode::ControlLeft, Key::Control),
    ("alt", KeyCode::AltLeft, Key::Alt),
];

const LETTERS: [KeyCode; 26] = [
    KeyCode::KeyA,
    KeyCode::KeyB,
    KeyCode::KeyC,
    KeyCode::KeyD,
    KeyCode::KeyE,
    KeyCode::KeyF,
    KeyCode::KeyG,
    KeyCode::KeyH,
    KeyCode::KeyI,
    KeyCode::KeyJ,
    KeyCode::KeyK,
    KeyCode::KeyL,
    KeyCode::KeyM,
    KeyCode::KeyN,
    KeyCode::KeyO,
    KeyCode::KeyP,
    KeyCode::KeyQ,
    KeyCode::KeyR,
    KeyCode::KeyS,
    KeyCode::KeyT,
    KeyCode::KeyU,
    KeyCode::KeyV,
    KeyCode::KeyW,
    KeyCode::KeyX,
    KeyCode::KeyY,
    KeyCode::KeyZ,
];

const DIGITS: [KeyCode; 10] = [
    KeyCode::Digit0,
    KeyCode::Digit1,
    KeyCode::Digit2,
    KeyCode::Digit3,
    KeyCode::Digit4,
    KeyCode::Digit5,
    KeyCode::Digit6,
    KeyCode::Digit7,
    KeyCode::Digit8,
    KeyCode::Digit9,
];

/// Key codes of characters that are neither letters nor digits, on a US keyboard.
const SIGNS: [(char, KeyCode); 14] = [
    ('#', KeyCode::Digit3),
    ('.', KeyCode::Period),
    (',', KeyCode::Comma),
    ('[', KeyCode::BracketLeft),
    (']', KeyCode::BracketRight),
    ('-', KeyCode::Minus),
    ('=', KeyCode::Equal),
    ('+', KeyCode::Equal),
    ('/', KeyCode::Slash),
    ('?', KeyCode::Slash),
    (';', KeyCode::Semicolon),
    ('\'', KeyCode::Quote),
    ('\\', KeyCode::Backslash),
    ('`', KeyCode::Backquote),
];

/// A key and its modifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Keystroke {
    /// Modifiers, which are pressed before the key and released after it.
    pub(super) held: Vec<(KeyCode, Key)>,
    /// The key itself.
    pub(super) key: (KeyCode, Key),
}

impl Keystroke {
    /// Parses the name of a key: a character or one of [`NAMED`], optionally after `shift+`, `ctrl+` or `alt+`.
    pub(super) fn named(name: &str) -> Result<Self, String> {
        // The list of keys has one name for this combination.
        let mut rest = if name == "backtab" { "shift+tab".to_owned() } else { name.to_lowercase() };
        let mut held = Vec::new();
        while let Some((modifier, after)) =
            rest.split_once('+').filter(|(before, after)| !before.is_empty() && !after.is_empty())
        {
            let known = MODIFIERS.iter().find(|(known, ..)| *known == modifier);
            let Some((_, code, key)) = known else {
                return Err(format!("\"{modifier}\" is not a modifier; use shift, ctrl or alt"));
            };
            held.push((*code, key.clone()));
            rest = after.to_owned();
        }
        let shifted = held.iter().any(|(code, _)| *code == KeyCode::ShiftLeft);
        let named = NAMED.iter().find(|(known, ..)| *known == rest).map(|(_, code, key)| (*code, key.clone()));
        let key = named.or_else(|| of_only_character(&rest, shifted)).ok_or_else(|| {
            let names: Vec<_> = NAMED.iter().map(|(name, ..)| *name).collect();
            format!("there is no key \"{name}\"; a key is one character or {}", names.join(", "))
        })?;
        Ok(Self { held, key })
    }

    /// The keystroke that types a character.
    pub(super) fn typing(character: char) -> Self {
        if character == ' ' {
            return Self { held: Vec::new(), key: (KeyCode::Space, Key::Space) };
        }
        let (code, _) = of_character(character, false).unwrap_or((KeyCode::Unidentified(UNKNOWN_PLACE), Key::Space));
        Self { held: Vec::new(), key: (code, Key::Character(character.to_string().into())) }
    }
}

const UNKNOWN_PLACE: bevy::input::keyboard::NativeKeyCode = bevy::input::keyboard::NativeKeyCode::Unidentified;

fn of_only_character(text: &str, shifted: bool) -> Option<(KeyCode, Key)> {
    let mut characters = text.chars();
    let character = characters.next()?;
    if characters.next().is_some() { None } else { of_character(character, shifted) }
}

fn of_character(character: char, shifted: bool) -> Option<(KeyCode, Key)> {
    let lower = character.to_ascii_lowercase();
    let code = match lower {
        'a'..='z' => LETTERS[lower as usize - 'a' as usize],
        '0'..='9' => DIGITS[lower as usize - '0' as usize],
        _ => SIGNS.iter().find(|(sign, _)| *sign == lower)?.1,
    };
    let typed = if shifted { character.to_ascii_uppercase() } else { character };
    Some((code, Key::Character(typed.to_string().into())))
}

#[cfg(test)]
mod tests {
    use super::super::KEYS;
    use super::*;

    #[test]
    fn every_key_of_the_app_can_be_named() {
        for binding in KEYS {
            assert!(Keystroke::named(binding.key).is_ok(), "{}", binding.key);
        }
        let stroke = Keystroke::named("shift+x").expect("a letter with shift");
        assert_eq!(stroke.key, (KeyCode::KeyX, Key::Character("X".into())));
        assert_eq!(stroke.held, [(KeyCode::ShiftLeft, Key::Shift)]);
        assert!(Keystroke::named("hyper+x").is_err() && Keystroke::named("xy").is_err());
        assert_eq!(Keystroke::named("+").expect("a sign").key.0, KeyCode::Equal);
    }
}
