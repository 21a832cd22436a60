//! Texts that replace files of a shader library while the program runs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Texts of files, by their paths below `shaders/`.
pub type ShaderTexts = Arc<BTreeMap<String, Arc<str>>>;

/// The edits of a shader library. Copies of the library share them, so that they outlive a lost device.
///
/// An edited shader is not trusted, and neither is anything that it has written: another shader would read an index out
/// of it. So as long as a file is edited, and until the buffers that it wrote are gone, *every* shader keeps wgpu's
/// bounds checks, and its loops end (see `loop_budget`).
#[derive(Clone, Debug, Default)]
pub struct ShaderEdits(Arc<Mutex<EditState>>);

/// The state of the edits at one moment.
#[derive(Clone, Debug, Default)]
pub(super) struct EditState {
    pub texts: ShaderTexts,
    is_editing: bool,
    has_written: bool,
    /// Number of changes so far.
    pub number: u64,
    /// Whether the device has finished work with these texts.
    is_proven: bool,
    /// How often the device was lost with these texts.
    losses: u32,
}

impl EditState {
    /// Whether every shader is compiled with checks because of the edits.
    pub fn is_guarded(&self) -> bool {
        self.is_editing || self.has_written || !self.texts.is_empty()
    }
}

impl ShaderEdits {
    /// Edits that nothing else shares.
    pub(super) fn of(texts: ShaderTexts) -> Self {
        let has_written = !texts.is_empty();
        Self(Arc::new(Mutex::new(EditState { texts, has_written, ..EditState::default() })))
    }

    fn lock(&self) -> MutexGuard<'_, EditState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn state(&self) -> EditState {
        self.lock().clone()
    }

    /// The edited files with their texts.
    pub fn texts(&self) -> ShaderTexts {
        Arc::clone(&self.lock().texts)
    }

    /// Number of changes so far. Kernels that were compiled before the last change may be out of date.
    pub fn number(&self) -> u64 {
        self.lock().number
    }

    /// Whether every shader is compiled with wgpu's checks and with loops that end, because a file is edited, is about
    /// to be, or was while the present particles were computed.
    pub fn is_guarded(&self) -> bool {
        self.lock().is_guarded()
    }

    /// Whether the checks were asked for before the first edit.
    pub fn is_editing(&self) -> bool {
        self.lock().is_editing
    }

    /// Replaces all edited texts, and returns the files that changed. `is_editing` asks for the checks before the first
    /// file is edited, so that times before and after an edit can be compared.
    pub(super) fn replace(&self, texts: ShaderTexts, is_editing: bool) -> Changed {
        let mut state = self.lock();
        let was_guarded = state.is_guarded();
        let files = state.texts.keys().chain(texts.keys());
        let files = files.filter(|file| state.texts.get(*file) != texts.get(*file)).cloned().collect();
        state.has_written |= !texts.is_empty();
        (state.texts, state.is_editing) = (texts, is_editing);
        (state.is_proven, state.losses) = (false, 0);
        state.number += 1;
        Changed { files, checks: was_guarded != state.is_guarded() }
    }

    /// Whether an edited shader may have written the device's present buffers.
    pub fn has_written(&self) -> bool {
        self.lock().has_written
    }

    /// Declares that an edited shader has written buffers that are still in use.
    #[cfg(feature = "app")]
    pub(crate) fn mark_written(&self) {
        let mut state = self.lock();
        state.has_written = true;
        state.number += 1;
    }

    /// Notes that the device has finished work with the texts of change `number`.
    #[cfg(feature = "app")]
    pub(crate) fn prove(&self, number: u64) {
        let mut state = self.lock();
        state.is_proven |= state.number == number;
    }

    /// Notes that the device was lost. Returns whether the texts may be used again: they have worked before, and they
    /// were not in use at an earlier loss.
    #[cfg(feature = "app")]
    pub(crate) fn survive_loss(&self) -> bool {
        let mut state = self.lock();
        state.losses += 1;
        state.is_proven && state.losses == 1
    }

    /// What must be said beside numbers that are measured now; `None` if every shader is the program's own and runs
    /// without additional checks.
    pub fn remark(&self) -> Option<String> {
        let state = self.lock();
        let files: Vec<_> = state.texts.keys().map(String::as_str).collect();
        match files.as_slice() {
            [] if state.is_guarded() => Some("measured with the checks of edited shaders".to_owned()),
            [] => None,
            files => Some(format!("measured with edited shaders: {}", files.join(", "))),
        }
    }

    /// Declares that nothing is left of what edited shaders have written. Does nothing while a file is edited.
    #[cfg(any(feature = "app", test))]
    pub(super) fn forget_what_was_written(&self) -> Changed {
        let mut state = self.lock();
        let was_guarded = state.is_guarded();
        state.has_written = !state.texts.is_empty();
        let checks = was_guarded != state.is_guarded();
        state.number += u64::from(checks);
        Changed { files: BTreeSet::new(), checks }
    }
}

/// What a change of the edits makes out of date.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Files whose text changed.
    pub files: BTreeSet<String>,
    /// Whether shaders gain or lose their checks, which concerns all of them.
    pub checks: bool,
}

impl Changed {
    /// Whether a shader that was composed from `files` is out of date.
    pub fn concerns(&self, files: &[String]) -> bool {
        self.checks || files.iter().any(|file| self.files.contains(file))
    }

    /// Whether nothing is out of date.
    pub fn is_nothing(&self) -> bool {
        !self.checks && self.files.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(entries: &[(&str, &str)]) -> ShaderTexts {
        Arc::new(entries.iter().map(|&(file, text)| (file.to_owned(), Arc::from(text))).collect())
    }

    #[test]
    fn checks_stay_on_until_what_an_edited_shader_wrote_is_gone() {
        let edits = ShaderEdits::default();
        assert!(!edits.is_guarded());
        let changed = edits.replace(texts(&[("a.wgsl", "1"), ("b.wgsl", "2")]), false);
        assert!(changed.checks && changed.files.len() == 2 && edits.is_guarded());
        let changed = edits.replace(texts(&[("a.wgsl", "1"), ("b.wgsl", "3")]), false);
        assert_eq!((changed.checks, changed.files.len()), (false, 1), "only b.wgsl changed");
        assert!(edits.forget_what_was_written().is_nothing(), "an edited shader still writes");
        let changed = edits.replace(ShaderTexts::default(), false);
        assert!(!changed.checks && edits.is_guarded(), "the buffers still hold what it wrote");
        assert!(edits.forget_what_was_written().checks && !edits.is_guarded());
        assert!(edits.replace(ShaderTexts::default(), true).checks, "checks are on before the first edit");
        assert!(edits.clone().is_guarded(), "copies share the state");
    }
}
