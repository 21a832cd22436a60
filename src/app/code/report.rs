//! The driver's report on edited shaders: what is in use, what is wrong, and the times of the original.

use std::sync::Arc;

use crate::app::Timings;
use crate::gpu::{Pass, Phase, ShaderFault, ShaderLibrary, ShaderTexts};

/// Where the code of a pass is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassCode {
    /// Label of the pass.
    pub label: &'static str,
    /// The part of the frame that it belongs to.
    pub phase: Phase,
    /// The file with its entry point, as a path below `shaders/`.
    pub file: &'static str,
    /// The entry point.
    pub entry_point: &'static str,
    /// The file of the pair kernel, if the pass is a traversal.
    pub pair_file: Option<&'static str>,
    /// All files that it is composed of, its own last.
    pub files: Vec<String>,
}

impl PassCode {
    pub(super) fn of(pass: &Pass) -> Self {
        Self {
            label: pass.label,
            phase: pass.phase,
            file: pass.shader().file,
            entry_point: pass.entry_point(),
            pair_file: pass.shader().pair.map(|pair| pair.file),
            files: pass.files().to_vec(),
        }
    }
}

/// What the driver reports on edited shaders.
#[derive(Clone, Debug, Default)]
pub struct CodeReport {
    /// The library that shaders are compiled from.
    pub library: ShaderLibrary,
    /// The last revision of the controls that was tried.
    pub tried: Option<u64>,
    /// The edited texts that are in use.
    pub in_use: ShaderTexts,
    /// Errors of the last texts that were tried; the texts before them stay in use.
    pub faults: Arc<Vec<ShaderFault>>,
    /// Errors of the texts that are being typed and are not applied yet.
    pub draft_faults: Arc<Vec<ShaderFault>>,
    /// The number of changes of the typed texts to which these errors belong.
    pub drafts_checked: u64,
    /// Why edits were taken out of use, or could not be used although they compile.
    pub refusal: Option<String>,
    /// Whether all shaders run with checks because of edits.
    pub is_guarded: bool,
    /// Whether particles that an edited shader has moved keep the checks on after all edits were reverted.
    pub has_written: bool,
    /// The passes of a time step.
    pub passes: Arc<Vec<PassCode>>,
    /// Times of the original shaders with the same checks; `None` if they were not measured with the present settings.
    pub original: Option<Arc<Timings>>,
    /// Number of steps for which the original shaders still run to be measured; 0 if they do not.
    pub measuring: u32,
}
