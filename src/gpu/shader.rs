use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};
use naga_oil::compose::{ComposableModuleDescriptor, Composer, ComposerError, NagaModuleDescriptor, ShaderDefValue};

use super::GpuError;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/shaders");

/// Import path under which a traversal finds whichever pair kernel it is joined with.
const PAIR_IMPORT: &str = "nearwater::pair";

/// A pair kernel: the WGSL file that says what a pair of particles is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PairKernel {
    /// Path below `shaders/`, for example `fluid/density.wgsl`.
    pub file: &'static str,
    /// Whether a pair at the radius or beyond contributes exactly nothing: traversals then need not branch.
    pub vanishes_at_radius: bool,
}

/// One shader file with the definitions it is composed with: what a pipeline is cached under.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShaderVariant {
    /// Path below `shaders/`, for example `search/grid_traversal.wgsl`.
    pub file: &'static str,
    /// The pair kernel the file imports as `nearwater::pair`, where it does.
    pub pair: Option<PairKernel>,
    /// Flags for `#ifdef` (value `None`) and numbers for `#{NAME}`.
    pub definitions: BTreeMap<&'static str, Option<u32>>,
}

impl ShaderVariant {
    /// The file with no definitions.
    pub fn new(file: &'static str) -> Self {
        Self { file, pair: None, definitions: BTreeMap::new() }
    }

    /// Joins the file with a pair kernel.
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
}

/// Where shader text comes from: the binary itself, or a folder that somebody is editing.
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
    /// When `folder` is not a folder that holds shaders.
    pub fn from_folder(folder: PathBuf) -> Result<Self, GpuError> {
        if folder.join("common").is_dir() {
            Ok(Self { folder: Some(folder), checked: true })
        } else {
            Err(GpuError::NoShaders(folder.display().to_string()))
        }
    }

    /// The same library with wgpu's bounds and loop checks kept in every shader, as the tests run it.
    #[must_use]
    pub fn checked(mut self) -> Self {
        self.checked = true;
        self
    }

    /// Whether shaders keep wgpu's checks: in tests, and while somebody edits them.
    pub(super) fn keeps_checks(&self) -> bool {
        self.checked
    }

    /// The folder being edited, if any.
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

    /// Composes a variant and validates the result.
    ///
    /// # Errors
    /// When a file is missing, or the composed shader is not valid; the message carries file and line.
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
            let source = self.source(file)?;
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

    /// The files a variant is composed of, each after those it imports: its own file comes last.
    ///
    /// # Errors
    /// When one is missing.
    pub fn files_of(&self, variant: &ShaderVariant) -> Result<Vec<&'static str>, GpuError> {
        let mut importable = HashMap::new();
        for file in Self::files() {
            if let Some(path) = self.source(file)?.lines().find_map(|line| line.strip_prefix("#define_import_path ")) {
                importable.insert(path.trim().to_owned(), file);
            }
        }
        if let Some(pair) = variant.pair {
            importable.insert(PAIR_IMPORT.to_owned(), pair.file);
        }
        let mut ordered = Vec::new();
        self.visit_imports(variant.file, &importable, &mut ordered)?;
        Ok(ordered)
    }

    /// Appends `file` and before it what it imports. A file that imports what nothing defines is passed over: it may
    /// stand in a branch the variant leaves out (the pair kernel in a build pass); if not, the composer says which
    /// import is missing, with its line.
    fn visit_imports(
        &self,
        file: &'static str,
        importable: &HashMap<String, &'static str>,
        ordered: &mut Vec<&'static str>,
    ) -> Result<(), GpuError> {
        if ordered.contains(&file) {
            return Ok(());
        }
        let source = self.source(file)?;
        for import in source.lines().filter_map(|line| line.trim().strip_prefix("#import ")) {
            // The longest module path that starts the import: `a::b::{c, d}`, `a::b as x` and `a::b::c` all name `a::b`.
            let module = importable
                .iter()
                .filter(|(path, _)| import.starts_with(path.as_str()))
                .max_by_key(|(path, _)| path.len());
            match module {
                Some((_, imported)) => self.visit_imports(imported, importable, ordered)?,
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
