//! Registers the program's font with the plotting library.

use std::sync::OnceLock;

use plotters::style::{FontStyle, register_font};

/// Name under which the font is registered.
pub(crate) const FONT: &str = "Ubuntu Light";
/// Supersampling factor: pictures with text are drawn this many times larger and then scaled down, which smooths lines
/// and letters.
pub(crate) const OVERSIZE: u32 = 3;

/// Registers the program's font with the plotting library, once.
///
/// # Errors
/// When the plotting library rejects the embedded font.
pub(crate) fn font() -> Result<(), &'static str> {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    let register = || register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT).is_ok();
    if *KNOWN.get_or_init(register) { Ok(()) } else { Err("the program's font is damaged") }
}
