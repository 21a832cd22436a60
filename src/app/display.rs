use super::AppError;

/// Whether a window could be opened, asked before anything is.
#[cfg(all(unix, not(target_os = "macos")))]
pub(super) fn available() -> Result<(), AppError> {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if set("WAYLAND_DISPLAY") || set("WAYLAND_SOCKET") || set("DISPLAY") {
        return Ok(());
    }
    Err(AppError::NoDisplay("neither DISPLAY nor WAYLAND_DISPLAY is set".into()))
}

/// Other systems always have one.
#[cfg(not(all(unix, not(target_os = "macos"))))]
pub(super) fn available() -> Result<(), AppError> {
    Ok(())
}
