//! Deliberately wrong shaders: changes of one token each, listed in `assets/verification`.

use std::fmt;

use serde::Deserialize;

use super::VerificationError;
use crate::files::FileError;

/// A change of one token in one line of a shader file.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// Path below `shaders/`.
    pub file: String,
    /// The line without its indentation.
    pub line: String,
    /// Which of the lines of this text, counted from 1.
    #[serde(default = "first")]
    pub line_number: usize,
    /// The token that is replaced.
    pub from: String,
    /// What replaces it; empty to delete it.
    pub to: String,
    /// Which occurrence of the token in the line, counted from 1.
    #[serde(default = "first")]
    pub occurrence: usize,
    /// Why no result changes, if none does; empty for a mutant that must be revealed.
    #[serde(default)]
    pub equivalent: String,
}

fn first() -> usize {
    1
}

/// Returns the mutants of the searches.
///
/// # Errors
/// When the list is not valid RON, which a test excludes.
pub fn mutants() -> Result<Vec<Mutant>, VerificationError> {
    read("assets/verification/mutants.ron", include_str!("../../assets/verification/mutants.ron"))
}

/// Returns the mutants of the solvers' pair kernels.
///
/// # Errors
/// When the list is not valid RON, which a test excludes.
pub fn kernel_mutants() -> Result<Vec<Mutant>, VerificationError> {
    read("assets/verification/kernel_mutants.ron", include_str!("../../assets/verification/kernel_mutants.ron"))
}

fn read(file: &str, text: &str) -> Result<Vec<Mutant>, VerificationError> {
    let fail = |reason: String| FileError::Read { file: file.to_owned(), reason };
    Ok(ron::from_str(text).map_err(|error| fail(error.to_string()))?)
}

impl Mutant {
    /// Applies the change to the text of its file.
    ///
    /// # Errors
    /// When the text does not have the line or the token.
    pub fn apply(&self, text: &str) -> Result<String, VerificationError> {
        let fail = |reason: &str| VerificationError::Mutant { mutant: self.to_string(), reason: reason.to_owned() };
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let same = lines.iter_mut().filter(|line| line.trim() == self.line);
        let line = same.into_iter().nth(self.line_number - 1).ok_or_else(|| fail("the file has no such line"))?;
        let place = line.match_indices(&self.from).nth(self.occurrence - 1).map(|(place, _)| place);
        let place = place.ok_or_else(|| fail("the line has no such token"))?;
        line.replace_range(place..place + self.from.len(), &self.to);
        Ok(lines.join("\n") + "\n")
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, line_number, from, to, occurrence, .. } = self;
        write!(formatter, "{file}: `{line}`")?;
        if *line_number > 1 {
            write!(formatter, " ({line_number})")?;
        }
        match to.as_str() {
            "" => write!(formatter, " without `{from}`")?,
            to => write!(formatter, " with `{to}` for `{from}`")?,
        }
        if *occurrence > 1 { write!(formatter, " ({occurrence})") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_changes_the_named_occurrence_alone() {
        let text = "fn f() {\n    a < b;\n    if a < b && c < d { }\n    a < b;\n}\n";
        let mutant = |line: &str, line_number, occurrence| Mutant {
            file: "f.wgsl".to_owned(),
            line: line.to_owned(),
            line_number,
            from: "<".to_owned(),
            to: "<=".to_owned(),
            occurrence,
            equivalent: String::new(),
        };
        let changed = mutant("a < b;", 2, 1).apply(text).expect("it fits");
        assert_eq!(changed, "fn f() {\n    a < b;\n    if a < b && c < d { }\n    a <= b;\n}\n");
        let changed = mutant("if a < b && c < d { }", 1, 2).apply(text).expect("it fits");
        assert!(changed.contains("if a < b && c <= d { }"), "{changed}");
        for wrong in [mutant("a < c;", 1, 1), mutant("a < b;", 3, 1), mutant("a < b;", 1, 2)] {
            assert!(wrong.apply(text).expect_err("a refusal").to_string().contains("f.wgsl"));
        }
    }
}
