//! Lines of pseudocode, and the passes that they describe.

use crate::gpu::Pass;

/// What identifies the code that a pass runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassSource {
    /// The shader file, as a path below `shaders/`.
    pub file: &'static str,
    /// The entry point's name.
    pub entry_point: &'static str,
    /// The file of the pair kernel, if the pass is a traversal.
    pub pair_file: Option<&'static str>,
}

impl PassSource {
    /// The source of a pass.
    pub fn of(pass: &Pass) -> Self {
        let shader = pass.shader();
        Self { file: shader.file, entry_point: pass.entry_point(), pair_file: shader.pair.map(|pair| pair.file) }
    }
}

/// The passes that a line of pseudocode describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassTag {
    /// The passes that run this entry point of this file.
    EntryPoint(&'static str, &'static str),
    /// The passes of a traversal combined with this pair kernel.
    PairKernel(&'static str),
}

impl PassTag {
    /// Whether a pass is one of them.
    pub fn matches(&self, pass: &PassSource) -> bool {
        match self {
            Self::EntryPoint(file, entry_point) => pass.file == *file && pass.entry_point == *entry_point,
            Self::PairKernel(file) => pass.pair_file == Some(*file),
        }
    }

    /// The file in which the described code is, and its entry point; a pair kernel has no entry point of its own.
    pub fn code(&self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::EntryPoint(file, entry_point) => (file, Some(entry_point)),
            Self::PairKernel(file) => (file, None),
        }
    }
}

/// A line of pseudocode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PseudocodeLine {
    /// Depth of indentation, from 0.
    pub indent: u8,
    /// The line in the notation of the paper.
    pub text: &'static str,
    /// The passes that it describes; a heading describes none.
    pub passes: &'static [PassTag],
}

impl PseudocodeLine {
    /// A line that describes passes.
    pub const fn new(indent: u8, text: &'static str, passes: &'static [PassTag]) -> Self {
        Self { indent, text, passes }
    }

    /// A line above a group of lines, which describes no pass itself.
    pub const fn heading(text: &'static str) -> Self {
        Self { indent: 0, text, passes: &[] }
    }

    /// Whether the line describes a pass.
    pub fn describes(&self, pass: &PassSource) -> bool {
        self.passes.iter().any(|tag| tag.matches(pass))
    }
}

#[cfg(test)]
mod tests {
    use super::{PassSource, PassTag, PseudocodeLine};

    #[test]
    fn a_line_describes_the_passes_of_its_tags_and_no_others() {
        let pass = PassSource { file: "a.wgsl", entry_point: "scatter", pair_file: Some("density.wgsl") };
        let line = |tags| PseudocodeLine::new(0, "line", tags);
        assert!(line(&[PassTag::EntryPoint("a.wgsl", "scatter")]).describes(&pass));
        assert!(!line(&[PassTag::EntryPoint("b.wgsl", "scatter")]).describes(&pass));
        assert!(!line(&[PassTag::EntryPoint("a.wgsl", "count")]).describes(&pass));
        assert!(line(&[PassTag::PairKernel("density.wgsl")]).describes(&pass));
        assert!(!line(&[PassTag::PairKernel("forces.wgsl")]).describes(&pass));
        assert!(!PseudocodeLine::heading("heading").describes(&pass));
        assert_eq!(PassTag::PairKernel("density.wgsl").code(), ("density.wgsl", None));
    }
}
