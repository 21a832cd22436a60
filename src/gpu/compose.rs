//! Composes shader files by `naga_oil`, with the edits of one moment.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use naga_oil::compose::{ComposableModuleDescriptor, Composer, ComposerError, NagaModuleDescriptor, ShaderDefValue};

use super::edits::EditState;
use super::fault::ShaderFault;
use super::loop_budget::{ROUNDS, limit_loops};
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

/// Lends a composer without modules. Composers are kept, because creating one compiles some twenty regular expressions,
/// which takes longer than composing most shaders.
fn with_composer<T>(compose: impl FnOnce(&mut Composer) -> T) -> T {
    static IDLE: Mutex<Vec<Composer>> = Mutex::new(Vec::new());
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    let known = idle().pop();
    let mut composer = known.unwrap_or_default();
    let composed = compose(&mut composer);
    composer.module_sets.clear();
    composer.module_index.clear();
    idle().push(composer);
    composed
}

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
    pub fn source(&self, file: &str) -> Result<String, GpuError> {
        self.edits.texts.get(file).map_or_else(|| self.library.original(file), |text| Ok(text.to_string()))
    }

    /// The text of one file of a variant, or of a module that the program writes for it.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn text_of(&self, variant: &ShaderVariant, file: &str) -> Result<String, GpuError> {
        variant.generated.get(file).map_or_else(|| self.source(file), |text| Ok(text.to_string()))
    }

    /// Composes a variant and validates the result.
    ///
    /// # Errors
    /// When a file is missing or the composed shader is not valid; the message names the file and the line.
    pub fn compose(&self, variant: &ShaderVariant) -> Result<Composed, GpuError> {
        with_composer(|composer| self.compose_by(composer, variant))
    }

    fn compose_by(&self, composer: &mut Composer, variant: &ShaderVariant) -> Result<Composed, GpuError> {
        let capabilities = naga::valid::Capabilities::default()
            | naga::valid::Capabilities::SUBGROUP
            | naga::valid::Capabilities::SHADER_FLOAT32_ATOMIC;
        composer.capabilities = capabilities;
        let definitions = shader_definitions(variant);
        let fail = |composer: &Composer, error: &ComposerError| GpuError::Shader {
            file: variant.file.to_owned(),
            message: error.emit_to_string(composer),
            fault: Some(Box::new(ShaderFault::new(composer, error, |file| self.text_of(variant, file).ok()))),
        };
        let files = self.files_of(variant)?;
        for &file in files.iter().filter(|file| **file != variant.file) {
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
                return Err(fail(composer, &error));
            }
        }
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
        let mut importable = HashMap::new();
        for file in ShaderLibrary::files().into_iter().chain(variant.generated.keys().copied()) {
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

fn shader_definitions(variant: &ShaderVariant) -> HashMap<String, ShaderDefValue> {
    let value = |number: &Option<u32>| number.map_or(ShaderDefValue::Bool(true), ShaderDefValue::UInt);
    variant.definitions.iter().map(|(name, number)| ((*name).to_owned(), value(number))).collect()
}
