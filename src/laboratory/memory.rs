//! The memory of a list of passes: the buffers that they bind, with descriptions and lengths from the comments in the
//! shaders, and the meaning of their elements.
//!
//! The comment above a binding in a shader is part of this interface: `space` and `format` recognize phrases in it.

use std::collections::HashMap;

use super::LaboratoryError;
use crate::gpu::{Access, BoundBuffer, Declaration, ElementLayout, ElementType, Gpu, Pass, Scalar, ShaderVariant};

/// The meaning of an element's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// A particle, by its index in the sorted order.
    Particles,
    /// A particle, by its index in the order before the search's build.
    OriginalParticles,
    /// A cell of the search's grid.
    Cells,
    /// A block of a coarse cell, or a boundary between blocks.
    Blocks,
    /// An entry of a list.
    Entries,
    /// Something else.
    Other,
}

/// How an element is formatted as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// According to its type.
    Plain,
    /// Three floats in parentheses, and the fourth word as an integer, since it holds the bits of an index.
    VectorAndIndex,
    /// Words that contain the bits of floats.
    FloatBits,
}

/// A buffer that passes share, as the laboratory shows it.
#[derive(Clone, Debug)]
pub struct MemoryEntry {
    /// Name of the WGSL variable in the shader that describes the buffer best.
    pub name: String,
    /// The content of the buffer: the comment above that variable.
    pub description: String,
    /// The length in that comment, for example `cell_count + 1`.
    pub length_phrase: Option<String>,
    /// Number of elements that are in use; the buffer itself may be a few words longer.
    pub length: u64,
    /// Layout of an element.
    pub layout: ElementLayout,
    /// The meaning of an element's index.
    pub space: Space,
    /// How elements are formatted.
    pub format: Format,
    /// The buffer.
    pub buffer: wgpu::Buffer,
}

impl MemoryEntry {
    /// The name on screen, for example "sorted positions".
    pub fn title(&self) -> String {
        self.name.replace('_', " ")
    }

    /// Number of 32-bit words of one element.
    pub fn words_per_element(&self) -> u64 {
        u64::from(self.layout.stride / 4).max(1)
    }
}

/// The values of the names that occur in length phrases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of particles, including boundary particles.
    pub particles: u32,
    /// Number of cells of the search's grid; `None` if it has none.
    pub cells: Option<u32>,
}

/// Every storage buffer that a list of passes binds, in the order in which the passes first use them.
#[derive(Clone, Debug, Default)]
pub struct MemoryMap {
    entries: Vec<MemoryEntry>,
    places: HashMap<wgpu::Buffer, usize>,
    declared: HashMap<ShaderVariant, Vec<Declaration>>,
}

/// A buffer as one pass uses it.
#[derive(Clone, Debug)]
pub struct UsedBuffer {
    /// The buffer. Its space is that of this pass: positions are in the order of the search's input during the build,
    /// and in sorted order when the last pass writes the positions of the next step.
    pub entry: MemoryEntry,
    /// What the pass does with it.
    pub access: Access,
    /// Its names in the shader of the pass, which can differ from the entry's name.
    pub names: Vec<String>,
}

impl MemoryMap {
    /// Describes the buffers of `passes`. If several shaders bind one buffer, its name comes from the shader that
    /// describes it best: an exclusive scan calls every array `values`, while the shader of the search has a specific
    /// name.
    ///
    /// # Errors
    /// When a shader file is missing.
    pub fn new<'a>(
        gpu: &Gpu,
        passes: impl IntoIterator<Item = &'a Pass>,
        counts: Counts,
    ) -> Result<Self, LaboratoryError> {
        let mut map = Self::default();
        let mut ranks: Vec<u32> = Vec::new();
        for pass in passes {
            let shader = pass.shader();
            if !map.declared.contains_key(shader) {
                map.declared.insert(shader.clone(), gpu.shaders().declarations(shader)?);
            }
            for bound in pass.bindings() {
                let declaration = declaration(&map.declared, pass, bound);
                let rank = rank(declaration, &bound.layout.element);
                match map.places.get(&bound.buffer) {
                    Some(&place) if ranks[place] >= rank => {}
                    Some(&place) => {
                        map.entries[place] = entry(bound, declaration, counts);
                        ranks[place] = rank;
                    }
                    None => {
                        map.places.insert(bound.buffer.clone(), map.entries.len());
                        map.entries.push(entry(bound, declaration, counts));
                        ranks.push(rank);
                    }
                }
            }
        }
        Ok(map)
    }

    /// The buffers, in the order in which the passes first use them.
    pub fn entries(&self) -> &[MemoryEntry] {
        &self.entries
    }

    /// The entry of a buffer; `None` if no pass binds it.
    pub fn of(&self, buffer: &wgpu::Buffer) -> Option<&MemoryEntry> {
        self.places.get(buffer).map(|&place| &self.entries[place])
    }

    /// The entry of the first buffer of that name; `None` if there is none.
    pub fn named(&self, name: &str) -> Option<&MemoryEntry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The buffers that a pass uses, each once, in the order of its bindings.
    pub fn used_by(&self, pass: &Pass) -> Vec<UsedBuffer> {
        let mut used: Vec<UsedBuffer> = Vec::new();
        for bound in pass.bindings() {
            if let Some(other) = used.iter_mut().find(|other| other.entry.buffer == bound.buffer) {
                other.access = other.access.and(bound.access);
                if !other.names.contains(&bound.name) {
                    other.names.push(bound.name.clone());
                }
            } else if let Some(entry) = self.of(&bound.buffer) {
                let own = declaration(&self.declared, pass, bound);
                let own = own.map(|own| space(&own.description, own.length.as_deref().unwrap_or_default()));
                // The primitives (scan, sort) have no specific description of the values that they process.
                let space = own.filter(|own| *own != Space::Other).unwrap_or(entry.space);
                let entry = MemoryEntry { space, ..entry.clone() };
                used.push(UsedBuffer { entry, access: bound.access, names: vec![bound.name.clone()] });
            }
        }
        used
    }
}

/// The declaration of a buffer in the shader of a pass that binds it.
fn declaration<'a>(
    declared: &'a HashMap<ShaderVariant, Vec<Declaration>>,
    pass: &Pass,
    bound: &BoundBuffer,
) -> Option<&'a Declaration> {
    let of_shader = declared.get(pass.shader())?;
    of_shader.iter().find(|declaration| declaration.name == bound.name && declaration.place == bound.place)
}

/// How well a declaration describes a buffer: declarations in primitives, and bindings that copy vectors as words, rank
/// lower.
fn rank(declaration: Option<&Declaration>, element: &ElementType) -> u32 {
    let Some(declaration) = declaration else { return 0 };
    let is_primitive = declaration.file.starts_with("primitives/");
    let is_copy = matches!(element, ElementType::Vector(Scalar::Unsigned, 4));
    1 + 2 * u32::from(!is_primitive) + u32::from(!is_copy)
}

fn entry(bound: &BoundBuffer, declaration: Option<&Declaration>, counts: Counts) -> MemoryEntry {
    let description = declaration.map(|declaration| declaration.description.clone()).unwrap_or_default();
    let phrase = declaration.and_then(|declaration| declaration.length.clone());
    let stride = u64::from(bound.layout.stride.max(4));
    let capacity = bound.buffer.size() / stride;
    let length = bound.layout.fixed_count.map(u64::from);
    let length = length.or_else(|| phrase.as_deref().and_then(|phrase| evaluate(phrase, counts)));
    MemoryEntry {
        name: bound.name.clone(),
        length: length.unwrap_or(capacity).min(capacity),
        space: space(&description, phrase.as_deref().unwrap_or_default()),
        format: format(&description, &bound.layout.element),
        description,
        length_phrase: phrase,
        layout: bound.layout.clone(),
        buffer: bound.buffer.clone(),
    }
}

/// The value of a phrase such as `2 * cell_count + 2`; `None` if it contains a name that is unknown here.
fn evaluate(phrase: &str, counts: Counts) -> Option<u64> {
    let factor = |word: &str| match word.trim() {
        "particle_count" => Some(u64::from(counts.particles)),
        "cell_count" => counts.cells.map(u64::from),
        number => number.parse().ok(),
    };
    let term = |term: &str| term.split('*').map(factor).product::<Option<u64>>();
    phrase.split('+').map(term).sum()
}

fn space(description: &str, phrase: &str) -> Space {
    let mentions = |word: &str| description.to_lowercase().contains(word);
    if phrase == "particle_count" {
        let is_sorted = mentions("in sorted order") || mentions("by place in the sorted order");
        return if is_sorted { Space::Particles } else { Space::OriginalParticles };
    }
    match phrase {
        phrase if phrase.contains("particle_count") => Space::Entries,
        phrase if phrase.contains("2 * cell_count") => Space::Blocks,
        phrase if phrase.contains("cell_count") => Space::Cells,
        _ => Space::Other,
    }
}

fn format(description: &str, element: &ElementType) -> Format {
    let has_index = description.contains("bits of the index") || description.contains("bits of the original index");
    match element {
        ElementType::Vector(Scalar::Float, 4) if has_index => Format::VectorAndIndex,
        ElementType::Scalar(Scalar::Unsigned) | ElementType::Atomic(Scalar::Unsigned)
            if description.contains("bits of f32") =>
        {
            Format::FloatBits
        }
        _ => Format::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_phrases_with_known_names_are_evaluated() {
        let counts = Counts { particles: 100, cells: Some(7) };
        for (phrase, expected) in [
            ("particle_count", Some(100)),
            ("cell_count + 1", Some(8)),
            ("2 * cell_count + 2", Some(16)),
            ("4", Some(4)),
            ("boundary_count", None),
            ("particle_count times the floats of a sum", None),
        ] {
            assert_eq!(evaluate(phrase, counts), expected, "{phrase}");
        }
        assert_eq!(evaluate("cell_count", Counts { particles: 1, cells: None }), None);
    }
}
