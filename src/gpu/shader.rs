//! Shader files, the definitions that they are composed with, and their composition by `naga_oil`.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use include_dir::{Dir, include_dir};
use naga_oil::compose::{ComposableModuleDescriptor, Composer, ComposerError, NagaModuleDescriptor, ShaderDefValue};

use super::GpuError;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/shaders");

/// Import path under which a traversal finds the pair kernel that it is combined with.
const PAIR_IMPORT: &str = "nearwater::pair";

/// A pair kernel: the WGSL file that computes the contribution of a pair of particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PairKernel {
    /// Path below `shaders/`, for example `fluid/density.wgsl`.
    pub file: &'static str,
    /// Whether a pair at or beyond the radius contributes exactly zero; traversals then need no branch.
    pub vanishes_at_radius: bool,
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
    /// Modules that the program writes instead of reading them from a file: their texts, by the names that messages give
    /// them. Each has a line `#define_import_path`.
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

/// Where shader text comes from: the binary itself, or a folder whose files are being edited.
#[derive(Clone, Debug, Default)]
pub struct ShaderLibrary {
    folder: Option<PathBuf>,
    checked: bool,
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
            Ok(Self { folder: Some(folder), checked: true })
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

    /// Whether shaders keep wgpu's checks: in tests, and when they are read from a folder.
    pub(super) fn keeps_checks(&self) -> bool {
        self.checked
    }

    /// The folder that shaders are read from, if any.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Every `.wgsl` file's path below `shaders/`, sorted.
    pub fn files() -> Vec<&'static str> {
        fn collect(dir: &'static Dir<'static>, into: &mut Vec<&'static str>) {
            into.extend(dir.files().filter_map(|file| file.path().to_str()).filter(|path| is_wgsl(path)));
            dir.dirs().for_each(|dir| collect(dir, into));
        }
        let mut files = Vec::new();
        collect(&EMBEDDED, &mut files);
        files.sort_unstable();
        files
    }

    /// The text of one file.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn source(&self, file: &str) -> Result<String, GpuError> {
        let missing = |place: String| GpuError::MissingShader { file: file.to_owned(), place };
        match &self.folder {
            Some(folder) => {
                std::fs::read_to_string(folder.join(file)).map_err(|_| missing(folder.display().to_string()))
            }
            None => EMBEDDED
                .get_file(file)
                .and_then(|file| file.contents_utf8())
                .map(str::to_owned)
                .ok_or_else(|| missing("the program".to_owned())),
        }
    }

    /// The text of one file of a variant, or of a module that the program writes for it.
    ///
    /// # Errors
    /// When there is no such file.
    pub(super) fn text_of(&self, variant: &ShaderVariant, file: &str) -> Result<String, GpuError> {
        variant.generated.get(file).map_or_else(|| self.source(file), |text| Ok(text.to_string()))
    }

    /// Composes a variant and validates the result.
    ///
    /// # Errors
    /// When a file is missing or the composed shader is not valid; the message names the file and the line.
    pub fn compose(&self, variant: &ShaderVariant) -> Result<(naga::Module, naga::valid::ModuleInfo), GpuError> {
        let capabilities = naga::valid::Capabilities::default()
            | naga::valid::Capabilities::SUBGROUP
            | naga::valid::Capabilities::SHADER_FLOAT32_ATOMIC;
        let mut composer = Composer::default().with_capabilities(capabilities);
        let definitions = shader_definitions(variant);
        let fail = |composer: &Composer, error: &ComposerError| GpuError::Shader {
            file: variant.file.to_owned(),
            message: error.emit_to_string(composer),
        };
        for file in self.files_of(variant)?.into_iter().filter(|file| *file != variant.file) {
            let source = self.text_of(variant, file)?;
            let pair = variant.pair.filter(|pair| pair.file == file);
            let module = ComposableModuleDescriptor {
                source: &source,
                file_path: file,
                as_name: pair.map(|_| PAIR_IMPORT.to_owned()),
                shader_defs: definitions.clone(),
                ..Default::default()
            };
            if let Err(error) = composer.add_composable_module(module) {
                return Err(fail(&composer, &error));
            }
        }
        let source = self.source(variant.file)?;
        let module = composer
            .make_naga_module(NagaModuleDescriptor {
                source: &source,
                file_path: variant.file,
                shader_defs: definitions,
                ..Default::default()
            })
            .map_err(|error| fail(&composer, &error))?;
        let info =
            naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities).validate(&module).map_err(
                |error| GpuError::Shader { file: variant.file.to_owned(), message: error.emit_to_string(&source) },
            )?;
        Ok((module, info))
    }

    /// The files that a variant is composed of, each after those that it imports, so that its own file comes last.
    ///
    /// # Errors
    /// When one is missing.
    pub fn files_of(&self, variant: &ShaderVariant) -> Result<Vec<&'static str>, GpuError> {
        let mut importable = HashMap::new();
        for file in Self::files().into_iter().chain(variant.generated.keys().copied()) {
            if let Some(path) =
                self.text_of(variant, file)?.lines().find_map(|line| line.strip_prefix("#define_import_path "))
            {
                importable.insert(path.trim().to_owned(), file);
            }
        }
        if let Some(pair) = variant.pair {
            importable.insert(PAIR_IMPORT.to_owned(), pair.file);
        }
        let mut ordered = Vec::new();
        self.visit_imports(variant, variant.file, &importable, &mut ordered)?;
        Ok(ordered)
    }

    /// Appends `file`, preceded by the files that it imports. An importable file with an import that nothing defines is
    /// skipped, because the variant may leave that branch out (the pair kernel in a build pass); if it does not, the
    /// composer reports the missing import with its line.
    fn visit_imports(
        &self,
        variant: &ShaderVariant,
        file: &'static str,
        importable: &HashMap<String, &'static str>,
        ordered: &mut Vec<&'static str>,
    ) -> Result<(), GpuError> {
        if ordered.contains(&file) {
            return Ok(());
        }
        let source = self.text_of(variant, file)?;
        for import in source.lines().filter_map(|line| line.trim().strip_prefix("#import ")) {
            // The longest module path that the import begins with: `a::b::{c, d}`, `a::b as x` and `a::b::c` all name
            // `a::b`.
            let module = importable
                .iter()
                .filter(|(path, _)| import.starts_with(path.as_str()))
                .max_by_key(|(path, _)| path.len());
            match module {
                Some((_, imported)) => self.visit_imports(variant, imported, importable, ordered)?,
                None if importable.values().any(|importable| *importable == file) => return Ok(()),
                None => {}
            }
        }
        ordered.push(file);
        Ok(())
    }
}

fn is_wgsl(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "wgsl")
}

fn shader_definitions(variant: &ShaderVariant) -> HashMap<String, ShaderDefValue> {
    let value = |number: &Option<u32>| number.map_or(ShaderDefValue::Bool(true), ShaderDefValue::UInt);
    variant.definitions.iter().map(|(name, number)| ((*name).to_owned(), value(number))).collect()
}
