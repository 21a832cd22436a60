//! Shader files, and the definitions that they are composed with.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use include_dir::{Dir, include_dir};

use super::compose::Sources;
use super::{GpuError, PairKernel, ShaderEdits, ShaderTexts};

/// The folders below `shaders/` that this build contains, by their names: a library of searches has no shaders of
/// fluids and pictures.
static FOLDERS: &[(&str, Dir<'_>)] = &[
    ("common", include_dir!("$CARGO_MANIFEST_DIR/shaders/common")),
    #[cfg(feature = "fluid")]
    ("fluid", include_dir!("$CARGO_MANIFEST_DIR/shaders/fluid")),
    ("gpu", include_dir!("$CARGO_MANIFEST_DIR/shaders/gpu")),
    #[cfg(feature = "laboratory")]
    ("laboratory", include_dir!("$CARGO_MANIFEST_DIR/shaders/laboratory")),
    ("neighbors", include_dir!("$CARGO_MANIFEST_DIR/shaders/neighbors")),
    ("primitives", include_dir!("$CARGO_MANIFEST_DIR/shaders/primitives")),
    #[cfg(feature = "render")]
    ("render", include_dir!("$CARGO_MANIFEST_DIR/shaders/render")),
    ("search", include_dir!("$CARGO_MANIFEST_DIR/shaders/search")),
];

/// The text of every embedded `.wgsl` file, by its path below `shaders/`.
pub(super) fn embedded() -> &'static BTreeMap<String, &'static str> {
    fn collect(name: &str, dir: &'static Dir<'static>, into: &mut BTreeMap<String, &'static str>) {
        for file in dir.files().filter(|file| file.path().extension().is_some_and(|ending| ending == "wgsl")) {
            if let (Some(path), Some(text)) = (file.path().to_str(), file.contents_utf8()) {
                into.insert(format!("{name}/{path}"), text);
            }
        }
        dir.dirs().for_each(|dir| collect(name, dir, into));
    }
    static FILES: OnceLock<BTreeMap<String, &'static str>> = OnceLock::new();
    FILES.get_or_init(|| {
        let mut files = BTreeMap::new();
        for (name, dir) in FOLDERS {
            collect(name, dir, &mut files);
        }
        files
    })
}

/// One shader file with the definitions that it is composed with; the key under which a pipeline is cached.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShaderVariant {
    /// Path below `shaders/`, for example `search/green.wgsl`.
    pub file: &'static str,
    /// The pair kernel that the file imports as `nearwater::pair`, if it does.
    pub pair: Option<PairKernel>,
    /// Flags for `#ifdef` (value `None`) and numbers for `#{NAME}`.
    pub definitions: BTreeMap<&'static str, Option<u32>>,
    /// Modules that the program writes instead of reading them from a file: their texts, by the names that messages
    /// give them. Each has a line `#define_import_path`.
    pub generated: BTreeMap<&'static str, Arc<str>>,
}

impl ShaderVariant {
    /// The file with no definitions.
    pub fn new(file: &'static str) -> Self {
        Self { file, pair: None, definitions: BTreeMap::new(), generated: BTreeMap::new() }
    }

    /// Combines the file with a pair kernel.
    #[must_use]
    pub fn with_pair(mut self, pair: PairKernel) -> Self {
        self.pair = Some(pair);
        self
    }

    /// Defines `name` for `#ifdef`.
    #[must_use]
    pub fn with_flag(mut self, name: &'static str) -> Self {
        self.definitions.insert(name, None);
        self
    }

    /// Defines `name` for `#ifdef` when `condition` holds.
    #[must_use]
    pub fn with_flag_if(self, condition: bool, name: &'static str) -> Self {
        if condition { self.with_flag(name) } else { self }
    }

    /// Defines the number `name` for `#{name}`.
    #[must_use]
    pub fn with_number(mut self, name: &'static str, value: u32) -> Self {
        self.definitions.insert(name, Some(value));
        self
    }

    /// Adds a module that the program writes; `text` has a line `#define_import_path`, under which the file imports it.
    #[must_use]
    pub fn with_generated(mut self, name: &'static str, text: impl Into<Arc<str>>) -> Self {
        self.generated.insert(name, text.into());
        self
    }
}

/// Where shader text comes from: the binary itself, or a folder whose files are being edited; and texts that replace
/// some of them while the program runs. Copies share these texts.
///
/// ```
/// use nearwater::gpu::{ShaderLibrary, ShaderVariant};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let library = ShaderLibrary::embedded();
/// assert!(ShaderLibrary::files().contains(&"primitives/exclusive_scan.wgsl"));
/// // A module of naga's with all imports, and the text that it was made of.
/// let (module, _) = library.compose(&ShaderVariant::new("render/clear_water.wgsl"))?;
/// assert!(module.entry_points.iter().any(|entry| entry.name == "fragment"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct ShaderLibrary {
    folder: Option<PathBuf>,
    checked: bool,
    edits: ShaderEdits,
}

impl ShaderLibrary {
    /// The shaders embedded in the binary.
    pub fn embedded() -> Self {
        Self::default()
    }

    /// Shaders read from `folder` at every compilation (`--shaders DIR`).
    ///
    /// # Errors
    /// When `folder` is not a folder or contains no shaders.
    pub fn from_folder(folder: PathBuf) -> Result<Self, GpuError> {
        if folder.join("common").is_dir() {
            Ok(Self { folder: Some(folder), checked: true, edits: ShaderEdits::default() })
        } else {
            Err(GpuError::NoShaders(folder.display().to_string()))
        }
    }

    /// The same library with wgpu's bounds and loop checks kept in every shader, as the tests use it.
    #[must_use]
    pub fn checked(mut self) -> Self {
        self.checked = true;
        self
    }

    /// The same library without these checks, for timing shaders that are being changed. A faulty shader can then read
    /// and write memory outside its buffers.
    #[must_use]
    pub fn unchecked(mut self) -> Self {
        self.checked = false;
        self
    }

    /// The same files, of which `texts` replaces some, without the edits of this library: to find out whether they
    /// compile before they are used.
    #[must_use]
    pub fn with_texts(&self, texts: ShaderTexts) -> Self {
        Self { edits: ShaderEdits::of(texts), ..self.clone() }
    }

    /// The texts that replace files while the program runs.
    pub fn edits(&self) -> &ShaderEdits {
        &self.edits
    }

    /// The folder that shaders are read from, if any.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Every `.wgsl` file's path below `shaders/`, sorted.
    pub fn files() -> Vec<&'static str> {
        embedded().keys().map(String::as_str).collect()
    }

    /// The text of one file, without edits.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn original(&self, file: &str) -> Result<String, GpuError> {
        self.unedited(file).map(Cow::into_owned)
    }

    /// The same without a copy of an embedded text.
    pub(super) fn unedited(&self, file: &str) -> Result<Cow<'static, str>, GpuError> {
        let missing = |place: String| GpuError::MissingShader { file: file.to_owned(), place };
        if let Some(folder) = &self.folder {
            let text = std::fs::read_to_string(folder.join(file));
            return text.map(Cow::Owned).map_err(|_| missing(folder.display().to_string()));
        }
        let text = embedded().get(file).map(|text| Cow::Borrowed(*text));
        text.ok_or_else(|| missing("the program".to_owned()))
    }

    /// The text of one file as it is compiled.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn source(&self, file: &str) -> Result<String, GpuError> {
        self.sources().source(file).map(Cow::into_owned)
    }

    /// Composes a variant and validates the result.
    ///
    /// # Errors
    /// When a file is missing or the composed shader is not valid; the message names the file and the line.
    pub fn compose(&self, variant: &ShaderVariant) -> Result<(naga::Module, naga::valid::ModuleInfo), GpuError> {
        self.sources().compose(variant).map(|composed| (composed.module, composed.info))
    }

    /// The files that a variant is composed of, each after those that it imports, so that its own file comes last.
    ///
    /// # Errors
    /// When one is missing.
    pub fn files_of(&self, variant: &ShaderVariant) -> Result<Vec<&'static str>, GpuError> {
        self.sources().files_of(variant)
    }

    /// The texts of this moment.
    pub(super) fn sources(&self) -> Sources<'_> {
        Sources::new(self, self.edits.state(), self.checked)
    }
}
