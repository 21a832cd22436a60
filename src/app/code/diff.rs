//! The difference of edited shaders from their originals, and the patch that contains it.

use std::collections::BTreeMap;
use std::sync::Arc;

use similar::TextDiff;

use crate::gpu::ShaderLibrary;

/// Number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// The difference of one file in the unified format, with paths as `git apply` and `patch -p1` read them in the
/// program's repository; empty if the texts are equal.
pub fn patch_of(file: &str, original: &str, edited: &str) -> String {
    let difference = TextDiff::from_lines(original, edited);
    let (before, after) = (format!("a/shaders/{file}"), format!("b/shaders/{file}"));
    difference.unified_diff().context_radius(CONTEXT).header(&before, &after).to_string()
}

/// The differences of all edited files.
///
/// # Errors
/// When the original of a file cannot be read, or no text differs from its original; the message says so.
pub fn patch(library: &ShaderLibrary, edited: &BTreeMap<String, Arc<str>>) -> Result<String, String> {
    let mut whole = String::new();
    for (file, text) in edited {
        let original = library.original(file).map_err(|error| error.to_string())?;
        whole.push_str(&patch_of(file, &original, text));
    }
    if whole.is_empty() {
        Err("no shader differs from its original, so there is no patch to export".to_owned())
    } else {
        Ok(whole)
    }
}
