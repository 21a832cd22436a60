//! What the user does with shaders: which file is shown, the texts being typed, and the texts that are to be used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use super::CodeReport;
use crate::gpu::{ShaderFault, ShaderLibrary, ShaderTexts};

/// Default file of the patch.
const PATCH_FILE: &str = "nearwater.patch";

/// The user's choices in the code pane, and the edited texts.
#[derive(Clone, Debug)]
pub struct CodeControls {
    /// Whether the code pane is open.
    pub open: bool,
    /// Whether the text can be edited. All shaders have checks from then on, so that times before and after an edit can
    /// be compared.
    pub is_editing: bool,
    /// Whether the difference from the original is shown in place of the text.
    pub shows_diff: bool,
    /// Number of changes of the texts that are to be used, so that the driver tries each once.
    pub revision: u64,
    /// Number of requests to measure the original shaders.
    pub comparisons: u32,
    /// The texts that are to be used.
    pub(super) wanted: ShaderTexts,
    /// Texts that were typed and not applied yet.
    pub(super) drafts: BTreeMap<String, Arc<str>>,
    /// Number of changes of the typed texts.
    pub(super) drafted: u64,
    /// When a text was typed last.
    pub(super) typed: Option<Instant>,
    /// Label of the pass whose code the pane shows; `None` for the first traversal.
    pub(super) pass: Option<&'static str>,
    /// The file that the pane shows, if it is not that of the pass's entry point.
    pub(super) file: Option<String>,
    /// The file of the patch.
    pub patch_file: String,
    /// The outcome of the last export.
    pub(super) message: Option<Result<String, String>>,
    /// The file and the entry point to which the text was scrolled last.
    pub(super) scrolled_to: Option<(String, Option<String>)>,
    /// A line to which the text is to be scrolled, from 1.
    pub(super) line_wanted: Option<usize>,
}

impl Default for CodeControls {
    fn default() -> Self {
        Self {
            open: false,
            is_editing: false,
            shows_diff: false,
            revision: 0,
            comparisons: 0,
            wanted: ShaderTexts::default(),
            drafts: BTreeMap::new(),
            drafted: 0,
            typed: None,
            pass: None,
            file: None,
            patch_file: PATCH_FILE.to_owned(),
            message: None,
            scrolled_to: None,
            line_wanted: None,
        }
    }
}

impl CodeControls {
    /// Begins or ends editing. Ending keeps all edits.
    pub fn set_editing(&mut self, is_editing: bool) {
        if self.is_editing != is_editing {
            self.is_editing = is_editing;
            self.revision += 1;
        }
    }

    /// The text of a file that the editor shows: as typed, as applied, or the original.
    pub fn text(&self, file: &str, library: &ShaderLibrary) -> Arc<str> {
        let edited = self.drafts.get(file).or_else(|| self.wanted.get(file)).cloned();
        edited.unwrap_or_else(|| library.original(file).unwrap_or_default().into())
    }

    /// Replaces the text of a file in the editor. It is used after [`CodeControls::apply`].
    pub fn write(&mut self, file: &str, text: impl Into<Arc<str>>) {
        self.drafts.insert(file.to_owned(), text.into());
        self.drafted += 1;
        self.typed = Some(Instant::now());
    }

    /// Takes over what was typed. A text that equals the one to be used already, as after undoing, is no draft.
    pub(super) fn type_text(&mut self, file: &str, text: &str, library: &ShaderLibrary) {
        self.write(file, text);
        let is_wanted = match self.wanted.get(file) {
            Some(wanted) => **wanted == *text,
            None => library.original(file).is_ok_and(|original| original == text),
        };
        if is_wanted {
            self.drafts.remove(file);
        }
    }

    /// Requests that all texts be used as they are in the editor.
    pub fn apply(&mut self, library: &ShaderLibrary) {
        let mut wanted = (*self.wanted).clone();
        wanted.append(&mut self.drafts);
        wanted.retain(|file, text| library.original(file).is_ok_and(|original| *original != **text));
        self.wanted = Arc::new(wanted);
        self.revision += 1;
    }

    /// Returns to the original of a file.
    pub fn revert(&mut self, file: &str) {
        self.drafts.remove(file);
        self.drafted += 1;
        if self.wanted.contains_key(file) {
            Arc::make_mut(&mut self.wanted).remove(file);
            self.revision += 1;
        }
    }

    /// Returns to the originals of all files.
    pub fn revert_all(&mut self) {
        self.drafts.clear();
        self.wanted = ShaderTexts::default();
        self.revision += 1;
    }

    /// Requests that the original shaders run for some steps, so that the edited ones can be compared with them.
    pub fn compare(&mut self) {
        self.comparisons += 1;
    }

    /// The files that were edited, whether their edits are in use or not.
    pub fn edited_files(&self) -> BTreeSet<&str> {
        self.drafts.keys().chain(self.wanted.keys()).map(String::as_str).collect()
    }

    /// The errors of the texts as they are in the editor; `None` while they are being checked.
    pub fn faults<'a>(&self, report: &'a CodeReport) -> Option<&'a [ShaderFault]> {
        if self.drafts.is_empty() {
            return Some(&report.faults);
        }
        (report.drafts_checked == self.drafted).then_some(&*report.draft_faults)
    }

    /// Whether a file has text that was typed and not applied yet.
    pub fn has_draft(&self, file: &str) -> bool {
        self.drafts.contains_key(file)
    }

    /// The texts of the edited files as they are in the editor.
    pub fn edited_texts(&self) -> BTreeMap<String, Arc<str>> {
        let mut texts = (*self.wanted).clone();
        texts.extend(self.drafts.iter().map(|(file, text)| (file.clone(), Arc::clone(text))));
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_used_when_it_is_applied_and_an_unchanged_one_is_no_edit() {
        let library = ShaderLibrary::embedded();
        let file = "search/green.wgsl";
        let original = library.original(file).expect("an embedded file");
        let mut code = CodeControls::default();
        code.write(file, format!("{original}// more\n"));
        assert!(code.wanted.is_empty() && code.revision == 0 && code.has_draft(file));
        assert!(code.text(file, &library).ends_with("// more\n"));
        code.apply(&library);
        assert!(code.wanted.contains_key(file) && code.revision == 1 && !code.has_draft(file));
        code.write(file, original.clone());
        code.apply(&library);
        assert!(code.edited_files().is_empty(), "the original is no edit");
        code.write(file, "x");
        code.write("common/grid.wgsl", "y");
        code.apply(&library);
        code.revert(file);
        assert_eq!(code.edited_files().into_iter().collect::<Vec<_>>(), ["common/grid.wgsl"]);
        assert_eq!(*code.text(file, &library), original);
        code.revert_all();
        assert!(code.edited_files().is_empty());
    }
}
