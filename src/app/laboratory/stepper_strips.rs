//! Draws the buffers of a pass as strips: the actual values before and after the pass, aligned element by element.

use bevy_egui::egui::{self, Align2, Color32, FontId, Rect, RichText, Sense, Stroke, Ui};

use crate::app::format;
use crate::app::theme::{ACCENT, QUIET, TEXT, WARNING};
use crate::gpu::{Access, ElementType};
use crate::laboratory::{BufferReport, Space, Strip};

/// Height of a row of numbers.
const ROW: f32 = 19.0;
/// Width of the column with the titles of the rows.
const GUTTER: f32 = 46.0;
/// Smallest and largest width of an element.
const ELEMENT: std::ops::RangeInclusive<f32> = 34.0..=250.0;
/// Number of elements whose texts determine the width of an element.
const MEASURED: u64 = 24;
const GROUND: Color32 = Color32::from_rgb(30, 35, 42);
const CHANGED: Color32 = Color32::from_rgb(74, 52, 20);
/// Background of the selected element.
const SELECTED: Color32 = Color32::from_rgb(24, 62, 74);

/// How a strip is laid out, and what is highlighted in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StripStyle<'a> {
    /// Element in the middle.
    pub(super) center: u64,
    /// Element of the selected particle or cell.
    pub(super) selected: Option<u64>,
    /// Element that corresponds to the hovered element of another strip.
    pub(super) hovered: Option<u64>,
    /// Label of the next pass of the step that reads the buffer.
    pub(super) next_reader: Option<&'a str>,
}

/// What the user did with a strip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct StripResponse {
    /// Element under the pointer.
    pub(super) hovered: Option<u64>,
    /// Whether it was clicked.
    pub(super) clicked: bool,
    /// Number of elements that the strip was dragged to the left.
    pub(super) dragged: f32,
    /// An element that the strip should move to.
    pub(super) wanted: Option<u64>,
}

/// The meaning of an element's index.
fn element_word(space: Space) -> &'static str {
    match space {
        Space::Particles => "sorted place",
        Space::OriginalParticles => "place before sorting",
        Space::Cells => "cell",
        Space::Blocks => "block",
        Space::Entries => "entry",
        Space::Other => "element",
    }
}

/// The kind of a buffer's elements.
fn type_word(element: &ElementType) -> &'static str {
    match element {
        ElementType::Scalar(_) => "numbers",
        ElementType::Atomic(_) => "atomic numbers",
        ElementType::Vector(..) => "vectors",
        ElementType::Struct { .. } => "records",
        ElementType::Other => "words",
    }
}

/// Shows the name of the buffer, its access by the pass, the comment in the shader, and the values.
pub(super) fn strip_ui(ui: &mut Ui, buffer: &BufferReport, style: &StripStyle<'_>) -> StripResponse {
    let mut outcome = StripResponse::default();
    head(ui, buffer, style, &mut outcome);
    let width = element_width(ui, buffer, style.center);
    let room = (ui.available_width() - GUTTER - 8.0).max(width);
    let visible = ((room / width) as u64).max(1);
    let window = &buffer.after.window;
    let first = style
        .center
        .saturating_sub(visible / 2)
        .clamp(window.start, window.end.saturating_sub(visible).max(window.start));
    let elements = first..(first + visible).min(window.end);
    let rows = 1 + u32::from(buffer.before.is_some());
    let size = egui::vec2(ui.available_width() - 4.0, 14.0 + ROW * rows as f32 + 4.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    if !ui.is_rect_visible(rect) {
        return outcome;
    }
    outcome.dragged = -response.drag_delta().x / width;
    let pointed = response.hover_pos().filter(|at| at.x > rect.left() + GUTTER);
    let pointed = pointed.map(|at| elements.start + ((at.x - rect.left() - GUTTER) / width) as u64);
    outcome.hovered = pointed.filter(|element| elements.contains(element));
    outcome.clicked = response.clicked() && outcome.hovered.is_some();
    let row_top = |row: u32| rect.top() + 14.0 + ROW * row as f32;
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let row_word = |row: u32, word: &str| {
        let at = egui::pos2(rect.left() + GUTTER - 6.0, row_top(row) + 0.5 * ROW);
        painter.text(at, Align2::RIGHT_CENTER, word, FontId::proportional(11.5), QUIET);
    };
    if buffer.before.is_some() {
        row_word(0, "before");
        row_word(1, "after");
    } else {
        row_word(0, "reads");
    }
    for (column, element) in elements.clone().enumerate() {
        let left = rect.left() + GUTTER + width * column as f32;
        let is_pointed = style.hovered == Some(element) || outcome.hovered == Some(element);
        let index_color = if style.selected == Some(element) || is_pointed { ACCENT } else { QUIET };
        let at = egui::pos2(left + 0.5 * width, rect.top() + 7.0);
        painter.text(at, Align2::CENTER_CENTER, element.to_string(), FontId::proportional(10.5), index_color);
        let is_changed = buffer.is_changed(element);
        let draw = |row: u32, strip: &Strip, is_changed: bool| {
            let cell = Rect::from_min_size(egui::pos2(left, row_top(row)), egui::vec2(width, ROW)).shrink(1.0);
            let selected = style.selected == Some(element);
            let fill = if is_changed {
                CHANGED
            } else if selected {
                SELECTED
            } else {
                GROUND
            };
            painter.rect_filled(cell, 2, fill);
            let text = strip.text(element).unwrap_or_else(|| "-".into());
            let color = if is_changed { WARNING } else { TEXT };
            let painter = painter.with_clip_rect(cell.intersect(painter.clip_rect()));
            painter.text(cell.center(), Align2::CENTER_CENTER, text, FontId::monospace(11.5), color);
            if is_changed {
                // The underline and the dot show the change independently of color.
                painter.hline(cell.x_range().shrink(3.0), cell.bottom() - 2.0, Stroke::new(1.5, WARNING));
                painter.circle_filled(cell.right_top() + egui::vec2(-4.0, 4.0), 2.0, WARNING);
            }
            if is_pointed || selected {
                painter.rect_stroke(cell, 2, Stroke::new(1.2, ACCENT), egui::StrokeKind::Inside);
            }
        };
        if let Some(before) = &buffer.before {
            draw(0, before, false);
            draw(1, &buffer.after, is_changed);
        } else {
            draw(0, &buffer.after, false);
        }
    }
    if let Some(element) = outcome.hovered {
        response.on_hover_text_at_pointer(element_words(buffer, element));
    }
    outcome
}

fn head(ui: &mut Ui, buffer: &BufferReport, style: &StripStyle<'_>, outcome: &mut StripResponse) {
    let entry = &buffer.after.entry;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        ui.label(RichText::new(entry.title()).strong().color(TEXT));
        let does = match buffer.access {
            Access::Read => "read",
            Access::Write => "written",
            Access::ReadWrite => "read and written",
        };
        ui.label(RichText::new(does).color(if buffer.access.writes() { WARNING } else { QUIET }));
        let length = match &entry.length_phrase {
            Some(phrase) => format!("{} {}: {phrase}", format::count(entry.length), type_word(&entry.layout.element)),
            None => format!("{} {}", format::count(entry.length), type_word(&entry.layout.element)),
        };
        ui.label(RichText::new(length).small().color(QUIET));
        let others: Vec<&str> = buffer.names.iter().map(String::as_str).filter(|name| *name != entry.name).collect();
        if !others.is_empty() {
            ui.label(RichText::new(format!("called {} in this shader", others.join(", "))).small().color(QUIET));
        }
        if let Some(changes) = &buffer.changes {
            let all = changes.compared.end - changes.compared.start;
            let of = if all < entry.length { format!(" of the {} around", format::count(all)) } else { String::new() };
            let text = format!("{}{of} changed", format::count(changes.count));
            ui.label(RichText::new(text).small().color(WARNING));
            let window = &buffer.after.window;
            if let Some(first) = changes.elements.iter().find(|element| window.contains(element))
                && ui.small_button("first").on_hover_text("moves to the first element that changed").clicked()
            {
                outcome.wanted = Some(*first);
            }
            let next = match style.next_reader {
                Some(pass) => format!("read next by: {pass}"),
                None => "not read again in this step".to_owned(),
            };
            ui.label(RichText::new(next).color(ACCENT));
        }
    });
    let description = entry.description.trim();
    if !description.is_empty() {
        ui.add(egui::Label::new(RichText::new(description).small().color(QUIET)).wrap());
    }
}

/// Width of an element, from the longest text around the middle, the same for the rows before and after.
fn element_width(ui: &Ui, buffer: &BufferReport, center: u64) -> f32 {
    let window = &buffer.after.window;
    let first = center.saturating_sub(MEASURED / 2).clamp(window.start, window.end.saturating_sub(1).max(window.start));
    let elements = first..(first + MEASURED).min(window.end);
    let strips = [Some(&buffer.after), buffer.before.as_ref()];
    let longest = strips
        .into_iter()
        .flatten()
        .flat_map(|strip| elements.clone().filter_map(|element| strip.text(element)))
        .map(|text| text.chars().count())
        .max()
        .unwrap_or(1);
    let character = ui.ctx().fonts_mut(|fonts| fonts.glyph_width(&FontId::monospace(11.5), '0'));
    (character * longest as f32 + 12.0).clamp(*ELEMENT.start(), *ELEMENT.end())
}

fn element_words(buffer: &BufferReport, element: u64) -> String {
    let after = buffer.after.text(element).unwrap_or_default();
    let what = element_word(buffer.after.entry.space);
    match buffer.before.as_ref().and_then(|before| before.text(element)) {
        Some(before) if buffer.is_changed(element) => format!("{what} {element}: changed from {before} to {after}"),
        Some(_) => format!("{what} {element}: {after}, unchanged"),
        None => format!("{what} {element}: {after}"),
    }
}
