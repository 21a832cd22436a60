//! Where and why a shader does not compile.

use std::error::Error;
use std::ops::Range;

use naga_oil::compose::{Composer, ComposerError, ComposerErrorInner};

use super::tokens::place_in_line;

/// The lowest bits of a place in a composed shader are the offset in its file, the others are the number of the file
/// (`SPAN_SHIFT` of `naga_oil`, which is private).
const OFFSET_BITS: usize = 21;
/// What `naga_oil` puts between the name of an item and that of its module, and after both.
const DECORATION: &str = "X_naga_oil_mod_";
const DECORATION_END: &str = "X";

/// The place and the reason of an error in a shader file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShaderFault {
    /// Path of the file below `shaders/`, which may be one that the compiled shader imports.
    pub file: String,
    /// Line, from 1; 0 if the error has no place.
    pub line: usize,
    /// Columns of the line in characters, from 0.
    pub columns: Range<usize>,
    /// What is wrong, in the compiler's words without its internal numbers.
    pub message: String,
}

impl ShaderFault {
    /// An error in a file that has no place.
    pub fn without_place(file: &str, message: String) -> Self {
        Self { file: file.to_owned(), line: 0, columns: 0..0, message }
    }

    /// The fault of a shader that `naga_oil` could not compose. `text_of` returns the text of a file.
    pub(super) fn new(composer: &Composer, error: &ComposerError, text_of: impl Fn(&str) -> Option<String>) -> Self {
        let file = error.source.path(composer).clone();
        let composed = error.source.source(composer);
        let offset = error.source.offset();
        let in_file = |span: Option<Range<usize>>| {
            let mask = (1 << OFFSET_BITS) - 1;
            span.map(|span| (span.start & mask).saturating_sub(offset)..(span.end & mask).saturating_sub(offset))
        };
        let (place, message) = explain(&error.inner);
        let place = match place {
            Place::Composed(span) => in_file(span),
            Place::File(at) => Some(at..at),
            Place::None => None,
        };
        let message = plain(&undecorated(&message));
        let original = text_of(&file).unwrap_or_default();
        if let ComposerErrorInner::ImportNotFound(module, _) = &error.inner
            && let Some((line, columns)) = import_of(&original, module)
        {
            return Self { file, line, columns, message };
        }
        let Some(place) = place else { return Self::without_place(&file, message) };
        let (line, columns) = locate(&original, &composed, &place);
        Self { file, line, columns, message }
    }

    /// The fault in one line: file, line, column and message.
    pub fn sentence(&self) -> String {
        let Self { file, line, columns, message } = self;
        if *line == 0 {
            format!("{file}: {message}")
        } else {
            format!("{file}:{line}:{}: {message}", columns.start + 1)
        }
    }
}

enum Place {
    /// A span of the composed shader.
    Composed(Option<Range<usize>>),
    /// An offset in the file.
    File(usize),
    None,
}

fn explain(error: &ComposerErrorInner) -> (Place, String) {
    use ComposerErrorInner as E;
    let message = error.to_string();
    match error {
        E::WgslParseError(parse) => {
            let label = parse.labels().next();
            let place = Place::Composed(label.as_ref().and_then(|(span, _)| span.to_range()));
            let words = label.map(|(_, words)| words).unwrap_or_default();
            let what = parse.message();
            let adds = !words.is_empty() && !what.contains(words) && words != "unknown identifier";
            (place, if adds { format!("{what} ({words})") } else { what.to_owned() })
        }
        E::HeaderValidationError(invalid) | E::ShaderValidationError(invalid) => {
            let label = invalid.spans().last();
            let place = Place::Composed(label.and_then(|(span, _)| span.to_range()));
            // The innermost cause says what is wrong; those around it only name the parts of the compiler's own form.
            let mut cause: &dyn Error = invalid.as_inner();
            while let Some(inner) = cause.source() {
                cause = inner;
            }
            (place, cause.to_string())
        }
        E::ImportNotFound(name, at) => (Place::File(*at), format!("no file defines the imported module `{name}`")),
        E::ImportParseError(words, at) => (Place::File(*at), format!("the import is not understood: {words}")),
        E::NotEnoughEndIfs(at) => (Place::File(*at), "an #ifdef has no #endif".to_owned()),
        E::TooManyEndIfs(at) => (Place::File(*at), "this #endif belongs to no #ifdef".to_owned()),
        E::ElseWithoutCondition(at) => (Place::File(*at), "this #else belongs to no #ifdef".to_owned()),
        E::UnknownShaderDef { pos, .. }
        | E::UnknownShaderDefOperator { pos, .. }
        | E::InvalidShaderDefComparisonValue { pos, .. }
        | E::OverrideNotVirtual { pos, .. }
        | E::InvalidShaderDefDefinitionValue { pos, .. } => (Place::File(*pos), message),
        E::GlslInvalidVersion(at) | E::DefineInModule(at) => (Place::File(*at), message),
        E::InvalidIdentifier { original, at } => {
            let message = format!("the name `{original}` cannot be imported by other files; choose another");
            (Place::Composed(at.to_range()), message)
        }
        E::DecorationInSource(range) => (Place::File(range.start), message),
        E::NoModuleName => (Place::None, "a file that others import needs a line #define_import_path".to_owned()),
        _ => (Place::None, message),
    }
}

/// Line, from 1, and columns of the line that imports a module. The composer names the place where something of it is
/// used.
fn import_of(text: &str, module: &str) -> Option<(usize, Range<usize>)> {
    let names = |line: &str| line.trim_start().starts_with("#import ") && line.contains(module);
    let (line, words) = text.lines().enumerate().find(|(_, line)| names(line))?;
    Some((line + 1, 0..words.chars().count()))
}

/// Line, from 1, and columns in characters of a place in a composed text, in the file that it was composed from. The
/// composer keeps the lines of a file but replaces names in them.
fn locate(original: &str, composed: &str, place: &Range<usize>) -> (usize, Range<usize>) {
    let start = floor(composed, place.start);
    let end = floor(composed, place.end).max(start);
    let line = composed[..start].matches('\n').count();
    let begins = composed[..start].rfind('\n').map_or(0, |at| at + 1);
    let ends = composed[begins..].find('\n').map_or(composed.len(), |length| begins + length);
    let theirs = &composed[begins..ends];
    let ours = original.lines().nth(line).unwrap_or_default();
    let inside = place_in_line(ours, theirs, start - begins..end.min(ends) - begins);
    let (from, to) = (floor(ours, inside.start), floor(ours, inside.end));
    let column = ours[..from].chars().count();
    // A place of no width is shown as one character.
    let length = ours[from..to.max(from)].chars().count().max(1);
    (line + 1, column..column + length)
}

/// The last boundary of a character at or before a byte.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

/// Removes what `naga_oil` appends to the names that a file imports, so that `cellX_naga_oil_mod_ABCX` becomes `cell`.
fn undecorated(message: &str) -> String {
    let mut parts = message.split(DECORATION);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(DECORATION_END).map_or(0, |at| at + DECORATION_END.len());
        result.push_str(&part[end..]);
    }
    result
}

/// Removes the compiler's internal numbers, such as `[12]`, and ends the sentence.
fn plain(message: &str) -> String {
    let mut result = String::new();
    let mut rest = message;
    while let Some(open) = rest.find(" [") {
        let (before, after) = rest.split_at(open);
        let digits = after[2..].bytes().take_while(u8::is_ascii_digit).count();
        result.push_str(before);
        if digits > 0 && after[2 + digits..].starts_with(']') {
            rest = &after[3 + digits..];
        } else {
            result.push_str(&after[..2]);
            rest = &after[2..];
        }
    }
    result.push_str(rest);
    result.trim().trim_end_matches('.').to_owned()
}

// Some of the shaders that are composed here belong to the fluid.
#[cfg(all(test, feature = "fluid"))]
mod tests {
    use super::*;
    use crate::gpu::{GpuError, PairKernel, ShaderLibrary, ShaderTexts, ShaderVariant};

    /// The fault of a search whose traversal is composed with one line of a file replaced.
    fn fault(file: &str, (line, replacement): (&str, &str)) -> ShaderFault {
        let library = ShaderLibrary::embedded();
        let text = library.source(file).expect("an embedded file");
        assert_eq!(text.matches(line).count(), 1, "{line} in {file}");
        let edited = text.replace(line, replacement);
        let texts = [(file.to_owned(), edited.into())].into_iter().collect();
        let kernel = PairKernel::new("fluid/density.wgsl", true);
        let variant = ShaderVariant::new("search/green.wgsl").with_pair(kernel).with_flag("WENDLAND_C2");
        let outcome = library.with_texts(ShaderTexts::new(texts)).compose(&variant);
        match outcome {
            Err(GpuError::Shader { fault: Some(fault), .. }) => *fault,
            Err(other) => panic!("an error without a place: {other}"),
            Ok(_) => panic!("it compiles"),
        }
    }

    fn line_of(file: &str, part: &str) -> usize {
        let text = ShaderLibrary::embedded().source(file).expect("an embedded file");
        1 + text.lines().position(|line| line.contains(part)).expect("it is there")
    }

    #[test]
    fn errors_are_found_at_their_line_and_column() {
        let line = "let cells = grid::cells_to_look_up(grid_parameters, position);";
        let found = fault("search/green.wgsl", (line, "let cells = grid::cells_to_look_up(grid_parameter, position);"));
        assert_eq!((found.file.as_str(), found.line), ("search/green.wgsl", line_of("search/green.wgsl", line)));
        assert_eq!(found.columns, 51 - 12..51 - 12 + 14, "{}", found.sentence());
        assert!(found.message.contains("grid_parameter"), "{}", found.message);
        assert!(!found.message.contains("naga_oil_mod"), "{}", found.message);
    }

    #[test]
    fn errors_in_an_imported_file_are_found_in_that_file() {
        let line = "let distance_squared = dot(offset, offset);\n#ifdef COUNT_PAIRS\n    counting::tested(";
        let replacement = "let distance_squared = dot(offset, 1u);\n#ifdef COUNT_PAIRS\n    counting::tested(";
        let found = fault("common/visit.wgsl", (line, replacement));
        let expected = line_of("common/visit.wgsl", "let distance_squared = dot(offset, offset);");
        assert_eq!((found.file.as_str(), found.line), ("common/visit.wgsl", expected), "{}", found.sentence());
    }

    #[test]
    fn a_missing_semicolon_and_an_unknown_import_are_explained() {
        let found = fault("search/green.wgsl", ("let range = cell_ranges[cell];", "let range = cell_ranges[cell]"));
        assert!(found.message.contains("expected") && found.message.contains(';'), "{}", found.sentence());
        let import = "#import nearwater::grid::Grid";
        let found = fault("search/green.wgsl", (import, "#import nearwater::gird::Grid"));
        assert_eq!(found.line, line_of("search/green.wgsl", import), "{}", found.sentence());
        assert!(found.message.contains("nearwater::gird"), "{}", found.message);
    }

    #[test]
    fn internal_numbers_are_removed() {
        assert_eq!(plain("Operation Add can't work with [12] and [3]."), "Operation Add can't work with and");
        assert_eq!(plain("an index [x] stays"), "an index [x] stays");
    }
}
