//! Composes shader files by `naga_oil`, with the edits of one moment.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use naga_oil::compose::{ComposableModuleDescriptor, Composer, ComposerError, NagaModuleDescriptor, ShaderDefValue};

use super::edits::EditState;
use super::fault::ShaderFault;
use super::loop_budget::{ROUNDS, limit_loops};
use super::shader::embedded;
use super::{GpuError, ShaderLibrary, ShaderVariant};

/// Import path under which a traversal finds the pair kernel that it is combined with.
const PAIR_IMPORT: &str = "nearwater::pair";

/// A library's texts at one moment, so that the files of a shader belong together although another thread may change
/// them.
pub(super) struct Sources<'a> {
    library: &'a ShaderLibrary,
    edits: EditState,
    checked: bool,
}

/// A composer with the modules that its last shaders imported.
///
/// Composers are kept, because creating one compiles some twenty regular expressions, which takes longer than composing
/// most shaders. Their modules are kept, because most shaders import the same ones with the same definitions.
#[derive(Default)]
struct Kept {
    composer: Composer,
    /// The file and the text of each module, by its import path.
    modules: HashMap<String, (&'static str, String)>,
    /// Number of shaders that were composed since the modules were last cleared.
    compositions: u32,
}

/// After so many shaders the modules of a composer are cleared, since it keeps each one once for all definitions with
/// which it was imported.
const MOST_COMPOSITIONS: u32 = 200;

impl Kept {
    fn clear(&mut self) {
        self.composer.module_sets.clear();
        self.composer.module_index.clear();
        self.modules.clear();
        self.compositions = 0;
    }

    /// Removes a module and those that import it.
    fn remove(&mut self, path: &str) {
        self.composer.remove_composable_module(path);
        self.modules.remove(path);
    }

    /// Adds the module `path`, unless it is there with this text and with all that it imports. The composer removes what
    /// imported an earlier module of this path.
    fn add(&mut self, path: &str, file: &'static str, text: Cow<'_, str>) -> Result<(), Box<ComposerError>> {
        let is_same = self.modules.get(path).is_some_and(|known| known.0 == file && known.1 == text);
        if is_same && self.composer.contains_module(path) {
            return Ok(());
        }
        self.composer.add_composable_module(ComposableModuleDescriptor {
            source: &text,
            file_path: file,
            as_name: Some(path.to_owned()),
            ..Default::default()
        })?;
        self.modules.insert(path.to_owned(), (file, text.into_owned()));
        Ok(())
    }
}

/// Lends a composer that no other thread uses.
fn with_composer<T>(compose: impl FnOnce(&mut Kept) -> T) -> T {
    static IDLE: Mutex<Vec<Kept>> = Mutex::new(Vec::new());
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let known = idle().pop();
    let mut kept = known.unwrap_or_default();
    let composed = compose(&mut kept);
    idle().push(kept);
    composed
}

/// The import path that a file's text defines, if any.
fn import_path(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("#define_import_path ")).map(str::trim)
}

/// The import paths of the embedded files, by the files' names.
fn embedded_import_paths() -> &'static HashMap<&'static str, &'static str> {
    static PATHS: OnceLock<HashMap<&str, &str>> = OnceLock::new();
    PATHS.get_or_init(|| {
        embedded().iter().filter_map(|(file, text)| Some((file.as_str(), import_path(text)?))).collect()
    })
}

/// Files by their import paths.
type Importable = HashMap<String, &'static str>;

/// A composed and valid shader.
pub(super) struct Composed {
    pub module: naga::Module,
    pub info: naga::valid::ModuleInfo,
    /// The files that it was composed of.
    pub files: Vec<String>,
    /// Whether wgpu's bounds and loop checks must be kept: in tests, for shaders from a folder, with a pair kernel of
    /// the caller, and while shaders are edited.
    pub keeps_checks: bool,
    /// [`ShaderEdits::number`](super::ShaderEdits::number) of its texts.
    pub number: u64,
}

impl<'a> Sources<'a> {
    pub fn new(library: &'a ShaderLibrary, edits: EditState, checked: bool) -> Self {
        Self { library, edits, checked }
    }

    /// The text of one file.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn source(&self, file: &str) -> Result<Cow<'_, str>, GpuError> {
        self.edits.texts.get(file).map_or_else(|| self.library.unedited(file), |text| Ok(Cow::Borrowed(text)))
    }

    /// The text of one file of a variant, or of a module that the program writes for it.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn text_of<'b>(&'b self, variant: &'b ShaderVariant, file: &str) -> Result<Cow<'b, str>, GpuError> {
        variant.generated.get(file).map_or_else(|| self.source(file), |text| Ok(Cow::Borrowed(text)))
    }

    /// Composes a variant and validates the result.
    ///
    /// # Errors
    /// When a file is missing or the composed shader is not valid; the message names the file and the line.
    pub fn compose(&self, variant: &ShaderVariant) -> Result<Composed, GpuError> {
        with_composer(|kept| {
            if kept.compositions >= MOST_COMPOSITIONS {
                kept.clear();
            }
            kept.compositions += 1;
            // The places of faults are those of a composer that has the modules of this shader only.
            self.compose_by(kept, variant).or_else(|_| {
                kept.clear();
                let composed = self.compose_by(kept, variant);
                kept.clear();
                composed
            })
        })
    }

    fn compose_by(&self, kept: &mut Kept, variant: &ShaderVariant) -> Result<Composed, GpuError> {
        let capabilities = naga::valid::Capabilities::default()
            | naga::valid::Capabilities::SUBGROUP
            | naga::valid::Capabilities::SHADER_FLOAT32_ATOMIC;
        kept.composer.capabilities = capabilities;
        let definitions = shader_definitions(variant);
        let fail = |composer: &Composer, error: &ComposerError| GpuError::Shader {
            file: variant.file.to_owned(),
            message: error.emit_to_string(composer),
            fault: Some(Box::new(ShaderFault::new(composer, error, |file| {
                self.text_of(variant, file).ok().map(Cow::into_owned)
            }))),
        };
        let importable = self.importable(variant)?;
        // What another variant was combined with must not be found by this one.
        let others: Vec<_> = kept.modules.keys().filter(|path| !importable.contains_key(*path)).cloned().collect();
        for path in &others {
            kept.remove(path);
        }
        let files = self.files_among(variant, &importable)?;
        let paths: HashMap<_, _> = importable.iter().map(|(path, file)| (*file, path)).collect();
        for &file in files.iter().filter(|file| **file != variant.file) {
            let text = self.text_of(variant, file)?;
            let path = if variant.pair.is_some_and(|pair| pair.file == file) { PAIR_IMPORT } else { paths[file] };
            if let Err(error) = kept.add(path, file, text) {
                return Err(fail(&kept.composer, &error));
            }
        }
        let composer = &mut kept.composer;
        let source = self.text_of(variant, variant.file)?;
        let mut module = composer
            .make_naga_module(NagaModuleDescriptor {
                source: &source,
                file_path: variant.file,
                shader_defs: definitions,
                ..Default::default()
            })
            .map_err(|error| fail(composer, &error))?;
        let is_guarded = self.edits.is_guarded();
        if is_guarded {
            limit_loops(&mut module, ROUNDS);
        }
        let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
        let info = validator.validate(&module).map_err(|error| GpuError::Shader {
            file: variant.file.to_owned(),
            message: error.emit_to_string(&source),
            fault: None,
        })?;
        Ok(Composed {
            module,
            info,
            files: files.into_iter().map(str::to_owned).collect(),
            keeps_checks: self.checked || is_guarded || variant.pair.is_some_and(|pair| pair.own_text().is_some()),
            number: self.edits.number,
        })
    }

    /// The files that a variant is composed of, each after those that it imports, so that its own file comes last.
    ///
    /// # Errors
    /// When one is missing.
    pub fn files_of(&self, variant: &ShaderVariant) -> Result<Vec<&'static str>, GpuError> {
        self.files_among(variant, &self.importable(variant)?)
    }

    fn files_among(&self, variant: &ShaderVariant, importable: &Importable) -> Result<Vec<&'static str>, GpuError> {
        let mut ordered = Vec::new();
        self.visit_imports(variant, variant.file, importable, &mut ordered)?;
        Ok(ordered)
    }

    /// The files that a variant could import.
    fn importable(&self, variant: &ShaderVariant) -> Result<Importable, GpuError> {
        let mut importable = Importable::new();
        for file in ShaderLibrary::files().into_iter().chain(variant.generated.keys().copied()) {
            let is_embedded = self.library.folder().is_none()
                && !self.edits.texts.contains_key(file)
                && !variant.generated.contains_key(file);
            let path = if is_embedded {
                embedded_import_paths().get(file).map(|path| (*path).to_owned())
            } else {
                import_path(&self.text_of(variant, file)?).map(str::to_owned)
            };
            importable.extend(path.map(|path| (path, file)));
        }
        importable.extend(variant.pair.map(|pair| (PAIR_IMPORT.to_owned(), pair.file)));
        Ok(importable)
    }

    /// Appends `file`, preceded by the files that it imports. An importable file with an import that nothing defines is
    /// skipped, because the variant may leave that branch out (the pair kernel in a build pass); if it does not, the
    /// composer reports the missing import with its line.
    fn visit_imports(
        &self,
        variant: &ShaderVariant,
        file: &'static str,
        importable: &Importable,
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

fn shader_definitions(variant: &ShaderVariant) -> HashMap<String, ShaderDefValue> {
    let value = |number: &Option<u32>| number.map_or(ShaderDefValue::Bool(true), ShaderDefValue::UInt);
    variant.definitions.iter().map(|(name, number)| ((*name).to_owned(), value(number))).collect()
}

#[cfg(all(test, feature = "render"))]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use crate::gpu::{ShaderLibrary, ShaderVariant};

    /// The modules of earlier shaders are kept, but not those of other texts.
    #[test]
    fn a_kept_module_is_replaced_when_its_text_changes_and_when_it_changes_back() {
        let library = ShaderLibrary::embedded();
        let variant = ShaderVariant::new("render/clear_water.wgsl");
        let text = library.original("render/names.wgsl").expect("an embedded file");
        let edited = |text: String| {
            library.with_texts(Arc::new(BTreeMap::from([("render/names.wgsl".to_owned(), Arc::from(text))])))
        };
        let broken = edited(format!("{text}\nfn broken() -> u32 {{ return 1.5; }}\n"));
        let longer = edited(format!("{text}\nfn sound() -> u32 {{ return 15u; }}\n"));
        for round in 0..3 {
            assert!(library.compose(&variant).is_ok(), "round {round}");
            assert!(longer.compose(&variant).is_ok(), "round {round}");
            let Err(error) = broken.compose(&variant) else {
                panic!("round {round}: a function returns another type than it declares");
            };
            assert!(error.to_string().contains("render/names.wgsl"), "round {round}: {error}");
        }
    }
}
