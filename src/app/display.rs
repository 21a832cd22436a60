//! Checks for a display before a window is opened.

use super::AppError;

/// Checks whether the environment names a display on which a window could be opened.
#[cfg(all(unix, not(target_os = "macos")))]
pub(super) fn available() -> Result<(), AppError> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if set("WAYLAND_DISPLAY") || set("WAYLAND_SOCKET") || set("DISPLAY") {
        return Ok(());
    }
    Err(AppError::NoDisplay("neither DISPLAY nor WAYLAND_DISPLAY is set".into()))
}

/// Windows and macOS always have a display.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub(super) fn available() -> Result<(), AppError> {
    Ok(())
}
