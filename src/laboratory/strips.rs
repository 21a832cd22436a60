//! Memory strips: windows of buffers that are read back asynchronously.

use std::collections::VecDeque;
use std::ops::Range;

use super::LaboratoryError;
use super::memory::{Format, MemoryEntry};
use crate::gpu::{ElementType, Gpu, Readback, Scalar};

/// Largest number of elements of a strip.
pub const MOST_ELEMENTS: u64 = 1 << 16;
/// Largest number of read-backs in progress; further requests drop the oldest one.
const UNDER_WAY: usize = 8;

/// The window of a buffer that is to be read.
#[derive(Clone, Debug)]
pub struct StripRequest {
    /// The buffer.
    pub entry: MemoryEntry,
    /// Elements `[start, end)`.
    pub window: Range<u64>,
}

impl StripRequest {
    /// The window of at most `count` elements whose middle is as close to `center` as the ends of the buffer allow.
    pub fn around(entry: &MemoryEntry, center: u64, count: u64) -> Self {
        let count = count.clamp(1, MOST_ELEMENTS).min(entry.length.max(1));
        let start = center.saturating_sub(count / 2).min(entry.length.saturating_sub(count));
        Self { entry: entry.clone(), window: start..start + count }
    }

    /// The words of the buffer that the window covers.
    ///
    /// # Errors
    /// When the window is empty, too long or not inside the buffer, or the buffer cannot be copied.
    pub(super) fn words(&self) -> Result<Range<u64>, LaboratoryError> {
        let (entry, window) = (&self.entry, &self.window);
        let is_inside = window.start < window.end && window.end <= entry.length;
        if !is_inside || window.end - window.start > MOST_ELEMENTS {
            return Err(LaboratoryError::Window {
                buffer: entry.name.clone(),
                first: window.start,
                end: window.end,
                length: entry.length,
                limit: MOST_ELEMENTS,
            });
        }
        if !entry.buffer.usage().contains(wgpu::BufferUsages::COPY_SRC) {
            return Err(LaboratoryError::NotReadable(entry.name.clone()));
        }
        let words = entry.words_per_element();
        Ok(window.start * words..window.end * words)
    }
}

/// The content of a window of a buffer.
#[derive(Clone, Debug)]
pub struct Strip {
    /// The buffer and its description.
    pub entry: MemoryEntry,
    /// Elements `[start, end)`.
    pub window: Range<u64>,
    /// The content of the window as 32-bit words, element after element.
    pub words: Vec<u32>,
}

/// A place in the sorted order, and the index of its particle before the sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Place in the sorted order.
    pub place: u64,
    /// Index in the order before the search's build.
    pub original: u32,
}

impl Strip {
    /// The words of an element; `None` outside the window.
    pub fn element(&self, index: u64) -> Option<&[u32]> {
        let words = self.entry.words_per_element() as usize;
        let place = index.checked_sub(self.window.start)? as usize * words;
        self.words.get(place..place + words)
    }

    /// The part of the strip inside `window`, which the strip's own window must contain.
    pub(super) fn cut(mut self, window: &Range<u64>) -> Self {
        let words = self.entry.words_per_element();
        let first = (window.start - self.window.start) * words;
        let end = (window.end - self.window.start) * words;
        self.words = self.words.get(first as usize..end as usize).map(<[u32]>::to_vec).unwrap_or_default();
        self.window = window.clone();
        self
    }

    /// An element as text; `None` outside the window.
    pub fn text(&self, index: u64) -> Option<String> {
        let words = self.element(index)?;
        Some(match self.entry.format {
            Format::VectorAndIndex => {
                let [x, y, z] = [0, 1, 2].map(|axis| float_text(f32::from_bits(words[axis])));
                format!("({x}, {y}, {z}) #{}", words[3])
            }
            Format::FloatBits => float_text(f32::from_bits(words[0])),
            Format::Plain => text(&self.entry.layout.element, words),
        })
    }

    /// For a buffer of sorted positions, the index of each particle of the window before the sort; `None` for other
    /// buffers.
    pub fn links(&self) -> Option<Vec<Link>> {
        let is_sorted = self.entry.space == super::memory::Space::Particles;
        let with_index = self.entry.format == Format::VectorAndIndex && self.entry.name == "sorted_positions";
        let originals = self.words.chunks_exact(4).map(|words| words[3]);
        let link = |(place, original)| Link { place, original };
        (is_sorted && with_index).then(|| (self.window.start..).zip(originals).map(link).collect())
    }
}

/// Formats a number with three significant digits.
fn float_text(value: f32) -> String {
    let size = value.abs();
    if value == 0.0 || !value.is_finite() {
        format!("{value}")
    } else if !(1e-3..1e5).contains(&size) {
        format!("{value:.2e}")
    } else {
        let before_point = size.log10().floor() as i32;
        format!("{value:.*}", (2 - before_point).max(0) as usize)
    }
}

fn scalar_text(scalar: Scalar, word: u32) -> String {
    match scalar {
        Scalar::Unsigned => word.to_string(),
        Scalar::Signed => word.cast_signed().to_string(),
        Scalar::Float => float_text(f32::from_bits(word)),
    }
}

fn text(element: &ElementType, words: &[u32]) -> String {
    let list = |parts: Vec<String>| format!("({})", parts.join(", "));
    match element {
        ElementType::Scalar(scalar) | ElementType::Atomic(scalar) => {
            words.first().map_or_else(String::new, |&word| scalar_text(*scalar, word))
        }
        ElementType::Vector(scalar, count) => {
            list(words.iter().take(usize::from(*count)).map(|&word| scalar_text(*scalar, word)).collect())
        }
        ElementType::Struct { members, .. } => {
            let member_text = |member: &crate::gpu::Member| {
                let words = words.get(member.offset as usize / 4..).unwrap_or_default();
                format!("{} {}", member.name, text(&member.element, words))
            };
            list(members.iter().map(member_text).collect())
        }
        ElementType::Other => list(words.iter().map(u32::to_string).collect()),
    }
}

/// A strip that is being read back.
pub(super) struct PendingStrip {
    request: StripRequest,
    readback: Readback<u32>,
    words: Option<Vec<u32>>,
}

impl PendingStrip {
    /// Records the read-back of the window.
    pub(super) fn record(
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        request: StripRequest,
    ) -> Result<Self, LaboratoryError> {
        let readback = Readback::record_range(gpu, encoder, &request.entry.buffer, request.words()?);
        Ok(Self { request, readback, words: None })
    }

    /// Whether the words have arrived.
    pub(super) fn has_arrived(&mut self) -> bool {
        if self.words.is_none() {
            self.words = self.readback.take();
        }
        self.words.is_some()
    }

    /// The strip, without words if they have not arrived.
    pub(super) fn into_strip(self) -> Strip {
        let StripRequest { entry, window } = self.request;
        Strip { entry, window, words: self.words.unwrap_or_default() }
    }
}

/// Reads windows of buffers; the results arrive some frames later.
#[derive(Default)]
pub struct StripReader {
    under_way: VecDeque<Vec<PendingStrip>>,
}

impl StripReader {
    /// Records the read-back of windows, with the content after the preceding commands in `encoder`.
    ///
    /// # Errors
    /// When a window is not inside its buffer, or a buffer cannot be copied; in that case nothing was recorded.
    pub fn ask(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        requests: &[StripRequest],
    ) -> Result<(), LaboratoryError> {
        for request in requests {
            request.words()?;
        }
        let pending = requests.iter().map(|request| PendingStrip::record(gpu, encoder, request.clone()));
        self.under_way.push_back(pending.collect::<Result<_, _>>()?);
        if self.under_way.len() > UNDER_WAY {
            self.under_way.pop_front();
        }
        Ok(())
    }

    /// The latest result that has arrived since the last call, with its strips in the order of the request. Never
    /// waits.
    pub fn take(&mut self, gpu: &Gpu) -> Option<Vec<Strip>> {
        // The error is ignored: a lost device is reported through its callback, and nothing arrives.
        gpu.poll();
        let mut latest = None;
        while self.under_way.front_mut().is_some_and(|answer| answer.iter_mut().all(PendingStrip::has_arrived)) {
            let answer = self.under_way.pop_front().into_iter().flatten();
            latest = Some(answer.map(PendingStrip::into_strip).collect());
        }
        latest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_significant_digits() {
        for (value, expected) in [
            (0.0, "0"),
            (0.523_44, "0.523"),
            (-12.345, "-12.3"),
            (1000.4, "1000"),
            (0.001_234_5, "0.00123"),
            (1.234e-7, "1.23e-7"),
            (-4.56e8, "-4.56e8"),
            (f32::NAN, "NaN"),
        ] {
            assert_eq!(float_text(value), expected);
        }
    }

    #[test]
    fn structs_are_written_with_the_names_of_their_members() {
        let member = |name: &str, offset, element| crate::gpu::Member { name: name.to_owned(), offset, element };
        let members = vec![
            member("gone", 0, ElementType::Scalar(Scalar::Float)),
            member("due", 4, ElementType::Scalar(Scalar::Signed)),
        ];
        let element = ElementType::Struct { name: "Emitter".to_owned(), members };
        assert_eq!(text(&element, &[0.5_f32.to_bits(), (-3_i32).cast_unsigned()]), "(gone 0.500, due -3)");
        assert_eq!(text(&ElementType::Vector(Scalar::Unsigned, 3), &[1, 2, 3, 99]), "(1, 2, 3)");
    }
}
