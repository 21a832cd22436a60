//! The memory strip below the scene: the sorted order with the blocks of each cell, the original order above it, and
//! lines between both, as in the figures of the papers.

use std::collections::HashSet;

use bevy_egui::egui::{
    self, Align2, Button, Color32, FontId, Pos2, Rect, Response, RichText, Sense, Shape, Stroke, StrokeKind, Ui,
};

use super::LabSelection;
use super::inspected::first_particle;
use crate::app::theme::{ACCENT, QUIET, SURFACE, TEXT, remark};
use crate::app::{Controls, Report, format};
use crate::laboratory::{MOST_STRIP_PLACES, MemoryStrip, StripWanted};
use crate::render::ColorMap;
use crate::search::{Block, BlockClass, BlockTable, ChunkRecord};

/// Name of the sorted order in [`LabSelection::Memory`].
pub(super) const SORTED: &str = "sorted_positions";
/// Name of the original order of the particles in [`LabSelection::Memory`].
pub(super) const ORIGINAL: &str = "original order";

/// Largest number of lines that are drawn between the two orders.
const MOST_LINES: usize = 260;
/// Width from which places are drawn separately, points.
const WIDE_PLACE: f32 = 7.0;
/// Smallest number of places that the window shows.
const FEWEST_PLACES: f64 = 24.0;
/// Number of ranges that the original order is divided into for hovering.
const STRETCHES: f64 = 160.0;
const ROW: f32 = 20.0;
const TICKS: f32 = 9.0;
const CAPTION: f32 = 15.0;
/// Smallest height of the strip: the lines between the two orders need space, points.
const LEAST_HEIGHT: f32 = 96.0;

/// The visible part of memory, in places (indices) of the sorted order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StripWindow {
    /// First place.
    pub start: f64,
    /// Number of places.
    pub length: f64,
}

impl Default for StripWindow {
    /// All places, whatever the number of particles.
    fn default() -> Self {
        Self { start: 0.0, length: f64::INFINITY }
    }
}

impl StripWindow {
    /// The window limited to `count` places.
    fn within(self, count: u32) -> Self {
        let count = f64::from(count.max(1));
        let length = self.length.clamp(FEWEST_PLACES.min(count), count);
        Self { start: self.start.clamp(0.0, count - length), length }
    }

    /// The window zoomed by `factor` about a place that keeps its position on screen.
    fn zoomed(self, factor: f64, about: f64) -> Self {
        Self { start: about - (about - self.start) * factor, length: self.length * factor }
    }

    /// A range of memory with some margin around it.
    fn around(start: u32, end: u32) -> Self {
        let (start, length) = (f64::from(start), f64::from(end.saturating_sub(start)));
        Self { start: start - 0.15 * length, length: 1.3 * length }
    }
}

/// The part of the sorted order that has to be read back for the visible window.
pub(super) fn wanted(controls: &Controls, report: &Report) -> Option<StripWanted> {
    let running = report.running.as_ref()?;
    let count = report.lab.strip.as_ref().map_or(running.resolution.particle_count, |strip| strip.particle_count);
    let window = controls.lab.border.window.within(count);
    let in_sight = window.start as u32..((window.start + window.length).ceil() as u32).min(count);
    let hovered = match controls.lab.shown() {
        LabSelection::Memory { buffer, elements } if buffer == SORTED => {
            Some(elements.start as u32..elements.end as u32)
        }
        _ => None,
    };
    let fits = in_sight.end - in_sight.start <= MOST_STRIP_PLACES;
    let window = if count <= MOST_STRIP_PLACES {
        0..count
    } else if fits {
        in_sight
    } else {
        hovered.unwrap_or(in_sight.start..in_sight.start + MOST_STRIP_PLACES)
    };
    let of_particle = || {
        let (fields, _) = first_particle(report.lab.inspection.as_deref()?)?;
        Some(fields.cell.into())
    };
    let near = controls.lab.selection.cell().or_else(of_particle).zip(running.cells);
    let near_cell = near.map_or(0, |(cell, cells)| linear(cell, cells.counts));
    Some(StripWanted { window, near_cell })
}

/// Linear index of a cell.
pub(super) fn linear(cell: glam::UVec3, counts: glam::UVec3) -> u32 {
    (cell.z * counts.y + cell.y) * counts.x + cell.x
}

/// Color of a class, the same as in the scene.
pub(super) fn class_color(class: BlockClass) -> Color32 {
    let [red, green, blue] = ColorMap::Classes.sample(if class == BlockClass::Border { 1.0 } else { 0.0 });
    Color32::from_rgb(red, green, blue)
}

/// Describes in one or two sentences how the search lays out memory.
pub(super) fn layout_sentence(table: Option<BlockTable>) -> &'static str {
    match table {
        Some(BlockTable::StartsThenInnerStarts | BlockTable::BorderBesideInner) => {
            "For each coarse cell in turn, its border particles are followed by its inner particles: [border | inner]. \
             A workgroup that reads the border blocks of several cells skips the inner blocks between them."
        }
        Some(BlockTable::InnerThenBorder) => {
            "All inner particles, cell by cell, are followed by all border particles, cell by cell. The border blocks \
             of three consecutive cells along x form one range, which a workgroup reads without skipping any inner \
             particles."
        }
        Some(BlockTable::Ranges | BlockTable::Starts | BlockTable::StartsOfRows) => {
            "One block per cell: this search has one level of cells and does not distinguish border from inner \
             particles."
        }
        None => "This search does not sort particles by cell, so memory has no blocks.",
    }
}

/// The coordinates of a cell as text.
pub(super) fn cell_name(cell: glam::UVec3) -> String {
    format!("({}, {}, {})", cell.x, cell.y, cell.z)
}

/// Describes a block.
fn block_words(strip: &MemoryStrip, block: &Block) -> String {
    let class = block.class.map_or(String::new(), |class| format!("{} ", class.label()));
    format!(
        "{class}block of cell {}: places {} to {}, {} particles",
        cell_name(strip.coordinate(block.cell)),
        format::count(block.start.into()),
        format::count(u64::from(block.end) - 1),
        format::count(u64::from(block.end - block.start)),
    )
}

/// Describes the particle at a place of the strip.
fn place_words(strip: &MemoryStrip, place: u32) -> String {
    let particle = strip.at(place).map_or(String::new(), |at| {
        format!(
            ", particle {}, at {} before this sort",
            format::count(at.identity.into()),
            format::count(at.before.into())
        )
    });
    let block = strip.block_at(place).map_or(String::new(), |block| {
        let class = block.class.map_or(String::new(), |class| format!("{} of ", class.label()));
        format!(", {class}cell {}", cell_name(strip.coordinate(block.cell)))
    });
    format!("place {}{particle}{block}", format::count(place.into()))
}

/// Shows the memory strip in the drawer below the scene.
pub(super) fn drawer(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let Some(strip) = report.lab.strip.clone().filter(|strip| !strip.places.is_empty()) else {
        remark(ui, "The memory strip appears as soon as the particles have been sorted.");
        clear_hover(controls);
        return;
    };
    controls.lab.border.window = controls.lab.border.window.within(strip.particle_count);
    header(ui, controls, report, &strip);
    remark(ui, layout_sentence(strip.table));
    let size = egui::vec2(ui.available_width() - 8.0, (ui.available_height() - 4.0).max(LEAST_HEIGHT));
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let rows = Rows::new(rect, controls.lab.border.window, strip.particle_count);
    point(ui, &response, &rows, controls, &strip);
    paint(ui, &rows, controls, report, &strip);
}

fn clear_hover(controls: &mut Controls) {
    if matches!(controls.lab.hovered, Some(LabSelection::Memory { .. })) {
        controls.lab.hovered = None;
    }
}

fn header(ui: &mut Ui, controls: &mut Controls, report: &Report, strip: &MemoryStrip) {
    ui.horizontal_wrapped(|ui| {
        let button = |ui: &mut Ui, words: &str, hover: &str| {
            ui.add(Button::new(RichText::new(words).small())).on_hover_text(hover).clicked()
        };
        if button(ui, "Whole memory", "shows all places") {
            controls.lab.border.window = StripWindow::default();
        }
        if let Some((start, end)) = selected_stretch(controls, report, strip)
            && button(ui, "Selection", "shows the part of memory around the selection")
        {
            controls.lab.border.window = StripWindow::around(start, end);
        }
        let window = controls.lab.border.window;
        let middle = window.start + 0.5 * window.length;
        for (words, hover, factor) in
            [("+", "zooms in, like the mouse wheel", 0.5), ("-", "zooms out, like the mouse wheel", 2.0)]
        {
            if button(ui, words, hover) {
                controls.lab.border.window = window.zoomed(factor, middle);
            }
        }
        let caption = match &controls.lab.hovered {
            Some(LabSelection::Memory { buffer, elements }) if buffer == SORTED => {
                let place = elements.start as u32;
                match strip.block_at(place).filter(|_| elements.end - elements.start > 1) {
                    Some(block) => block_words(strip, block),
                    None => place_words(strip, place),
                }
            }
            Some(LabSelection::Memory { elements, .. }) => format!(
                "particles {} to {} of the original order",
                format::count(elements.start),
                format::count(elements.end.saturating_sub(1))
            ),
            _ => match selected_place(report) {
                Some(place) if controls.lab.selection.particle().is_some() => place_words(strip, place),
                _ => format!(
                    "places {} to {} of {}",
                    format::count(window.start as u64),
                    format::count((window.start + window.length) as u64 - 1),
                    format::count(strip.particle_count.into())
                ),
            },
        };
        ui.label(RichText::new(caption).small().color(TEXT));
        ui.add_space(8.0);
        if strip.blocks.iter().any(|block| block.class.is_some()) {
            key(ui, class_color(BlockClass::Border), 0.6, "border (low)");
            key(ui, class_color(BlockClass::Inner), 1.0, "inner (high)");
        }
        if chosen_chunk(controls, report).is_some() {
            key(ui, ACCENT, 0.35, "chunk in workgroup memory");
            key(ui, TEXT, 0.35, "visitor, kept");
            key(ui, QUIET.gamma_multiply(0.6), 0.2, "visitor, dropped");
        }
    });
}

/// An entry of the strip's own legend.
fn key(ui: &mut Ui, color: Color32, share: f32, words: &str) {
    let (rect, _) = ui.allocate_exact_size(egui::vec2(12.0, 12.0), Sense::hover());
    let bar = Rect::from_min_max(egui::pos2(rect.left(), rect.bottom() - share * rect.height()), rect.max);
    ui.painter().rect_filled(bar, 1, color);
    ui.label(RichText::new(words).small().color(TEXT));
    ui.add_space(4.0);
}

/// The shown chunk of the selected coarse cell.
pub(super) fn chosen_chunk<'a>(controls: &Controls, report: &'a Report) -> Option<&'a ChunkRecord> {
    controls.lab.selection.cell()?;
    let inspection = report.lab.inspection.as_deref().filter(|inspection| inspection.target.cell.is_some())?;
    let chunks = &inspection.recording.chunks;
    chunks.get(controls.lab.border.chunk.min(chunks.len().checked_sub(1)?))
}

/// Place in memory of the selected particle.
fn selected_place(report: &Report) -> Option<u32> {
    first_particle(report.lab.inspection.as_deref()?).map(|(fields, _)| fields.place)
}

/// The first place of the selection in memory, and the place after its last one.
fn selected_stretch(controls: &Controls, report: &Report, strip: &MemoryStrip) -> Option<(u32, u32)> {
    if let Some(cell) = controls.lab.selection.cell() {
        let cell = linear(cell, strip.cell_counts?);
        // The longer of its blocks, because CLAWS stores the two blocks of a cell far apart.
        let block = strip.blocks_of(cell).max_by_key(|block| block.end - block.start)?;
        return Some((block.start, block.end));
    }
    controls.lab.selection.particle()?;
    let place = selected_place(report)?;
    Some((place.saturating_sub(20), place + 21))
}

/// Positions of the parts of the strip on screen.
struct Rows {
    whole: Rect,
    original: Rect,
    sorted: Rect,
    window: StripWindow,
    count: f64,
}

impl Rows {
    fn new(rect: Rect, window: StripWindow, count: u32) -> Self {
        let at =
            |top: f32, height: f32| Rect::from_min_size(egui::pos2(rect.left(), top), egui::vec2(rect.width(), height));
        let height = ROW.min(0.25 * rect.height());
        Self {
            whole: rect,
            original: at(rect.top() + CAPTION, 0.7 * height),
            sorted: at(rect.bottom() - CAPTION - TICKS - height, height),
            window,
            count: f64::from(count.max(1)),
        }
    }

    /// Coordinate of the left edge of a place in the sorted order, points.
    fn x(&self, place: f64) -> f32 {
        self.sorted.left() + (self.sorted.width() as f64 * (place - self.window.start) / self.window.length) as f32
    }

    /// Coordinate of an index in the original order, which is always completely visible, points.
    fn x_original(&self, index: f64) -> f32 {
        self.original.left() + (f64::from(self.original.width()) * index / self.count) as f32
    }

    /// The place at a coordinate on screen, the inverse of [`Rows::x`].
    fn place(&self, x: f32) -> f64 {
        self.window.start + self.window.length * f64::from((x - self.sorted.left()) / self.sorted.width().max(1.0))
    }

    fn place_width(&self) -> f32 {
        self.sorted.width() / self.window.length as f32
    }

    /// The visible places.
    fn in_sight(&self) -> std::ops::Range<u32> {
        self.window.start as u32..(self.window.start + self.window.length).min(self.count).ceil() as u32
    }
}

/// Handles the pointer: the wheel and drags move the window, hovering previews, and a click selects.
fn point(ui: &Ui, response: &Response, rows: &Rows, controls: &mut Controls, strip: &MemoryStrip) {
    let Some(at) = response.hover_pos() else {
        clear_hover(controls);
        return;
    };
    let place = rows.place(at.x);
    let turned = ui.input(|input| input.smooth_scroll_delta.y);
    if turned != 0.0 {
        controls.lab.border.window = rows.window.zoomed((-0.005 * f64::from(turned)).exp(), place);
    }
    if response.dragged() {
        let moved = f64::from(response.drag_delta().x / rows.place_width());
        controls.lab.border.window.start = rows.window.start - moved;
    }
    let index = (place.max(0.0) as u32).min(strip.particle_count.saturating_sub(1));
    let single = u64::from(index)..u64::from(index) + 1;
    let block = strip.block_at(index);
    let is_original = at.y < 0.5 * (rows.original.bottom() + rows.sorted.top());
    controls.lab.hovered = Some(if is_original {
        let stretch = (rows.count / STRETCHES).max(1.0);
        let share = f64::from((at.x - rows.original.left()) / rows.original.width().max(1.0));
        let first = ((share * rows.count / stretch).floor() * stretch).clamp(0.0, rows.count - 1.0);
        let elements = first as u64..((first + stretch).min(rows.count) as u64).max(first as u64 + 1);
        LabSelection::Memory { buffer: ORIGINAL.into(), elements }
    } else {
        let elements = match block.filter(|_| rows.place_width() < WIDE_PLACE) {
            Some(block) => u64::from(block.start)..u64::from(block.end),
            None => single,
        };
        LabSelection::Memory { buffer: SORTED.into(), elements }
    });
    if response.clicked() && !is_original {
        let particle = strip.at(index).filter(|_| rows.place_width() >= WIDE_PLACE);
        let selection = match (particle, block) {
            (Some(particle), _) => Some(LabSelection::Particle(particle.identity)),
            (None, Some(block)) => Some(LabSelection::Cell(strip.coordinate(block.cell))),
            (None, None) => None,
        };
        if let Some(selection) = selection {
            controls.lab.select(selection);
        }
    }
}

fn paint(ui: &Ui, rows: &Rows, controls: &Controls, report: &Report, strip: &MemoryStrip) {
    let painter = ui.painter_at(rows.whole);
    let words = |at: Pos2, anchor, text: &str, color| {
        painter.text(at, anchor, text, FontId::proportional(11.0), color);
    };
    words(rows.whole.left_top(), Align2::LEFT_TOP, "original order: particles by their original index", QUIET);
    painter.rect_filled(rows.original, 2, Color32::from_rgb(30, 35, 42));
    painter.rect_filled(rows.sorted, 2, Color32::from_rgb(30, 35, 42));
    paint_original(&painter, rows, strip);
    paint_lines(&painter, rows, controls, report, strip);
    paint_blocks(&painter, rows, controls, strip);
    paint_chunk(&painter, rows, controls, report);
    if let Some(place) = selected_place(report).filter(|_| controls.lab.selection.particle().is_some()) {
        let (x, width) = (rows.x(f64::from(place)), rows.place_width().max(2.0));
        let mark = Rect::from_min_max(
            egui::pos2(x, rows.sorted.top() - 3.0),
            egui::pos2(x + width, rows.sorted.bottom() + 3.0),
        );
        painter.rect_stroke(mark, 1, Stroke::new(2.0, Color32::WHITE), StrokeKind::Outside);
    }
    let below = rows.whole.left_bottom();
    words(below, Align2::LEFT_BOTTOM, "sorted order: particles as the search stores them in memory", QUIET);
    if strip.table == Some(BlockTable::InnerThenBorder)
        && let Some(first) = strip.blocks.iter().find(|block| block.class == Some(BlockClass::Border))
    {
        let x = rows.x(f64::from(first.start));
        painter.vline(x, rows.sorted.top() - 5.0..=rows.sorted.bottom() + TICKS, Stroke::new(1.5, TEXT));
        let y = rows.whole.bottom();
        words(egui::pos2(x - 6.0, y), Align2::RIGHT_BOTTOM, "all inner", class_color(BlockClass::Inner));
        words(egui::pos2(x + 6.0, y), Align2::LEFT_BOTTOM, "all border", class_color(BlockClass::Border));
    }
}

/// Color of the particle at a place.
fn place_color(strip: &MemoryStrip, place: u32) -> Color32 {
    strip.block_at(place).map_or(QUIET, block_color)
}

fn block_color(block: &Block) -> Color32 {
    match block.class {
        Some(class) => class_color(class),
        None if block.cell.is_multiple_of(2) => Color32::from_rgb(98, 124, 148),
        None => Color32::from_rgb(138, 164, 184),
    }
}

/// Draws the original order; each column has the mean color of the particles in the window that belong there.
fn paint_original(painter: &egui::Painter, rows: &Rows, strip: &MemoryStrip) {
    let columns = (rows.original.width() / 2.0).max(1.0) as usize;
    let mut sums = vec![[0_u32; 4]; columns];
    for (place, at) in strip.window.clone().zip(&strip.places) {
        let column = (f64::from(at.identity) / rows.count * columns as f64) as usize;
        let Some(sum) = sums.get_mut(column) else { continue };
        let color = place_color(strip, place);
        for (sum, part) in sum.iter_mut().zip([color.r(), color.g(), color.b(), 1]) {
            *sum += u32::from(part);
        }
    }
    for (column, [red, green, blue, count]) in sums.into_iter().enumerate().filter(|(_, sum)| sum[3] > 0) {
        let x = rows.original.left() + 2.0 * column as f32;
        let part = |sum: u32| (sum / count) as u8;
        let bar = Rect::from_x_y_ranges(x..=x + 2.0, rows.original.y_range());
        painter.rect_filled(bar, 0, Color32::from_rgb(part(red), part(green), part(blue)));
    }
}

/// Draws lines from the original index of each particle to its place in the sorted order.
fn paint_lines(painter: &egui::Painter, rows: &Rows, controls: &Controls, report: &Report, strip: &MemoryStrip) {
    let line = |place: u32, identity: u32, stroke: Stroke| {
        let from = egui::pos2(rows.x_original(f64::from(identity) + 0.5), rows.original.bottom());
        let to = egui::pos2(rows.x(f64::from(place) + 0.5), rows.sorted.top());
        painter.add(Shape::line_segment([from, to], stroke));
    };
    let lit: HashSet<u32> = match &controls.lab.selection {
        LabSelection::Particle(particle) => HashSet::from([*particle]),
        LabSelection::Particles(particles) => particles.iter().copied().collect(),
        _ => HashSet::new(),
    };
    let in_sight = rows.in_sight();
    let (first, end) = (in_sight.start.max(strip.window.start), in_sight.end.min(strip.window.end));
    let step = ((end.saturating_sub(first)) as usize).div_ceil(MOST_LINES).max(1);
    for place in (first..end).step_by(step) {
        let Some(at) = strip.at(place) else { continue };
        line(place, at.identity, Stroke::new(1.0, place_color(strip, place).gamma_multiply(0.38)));
    }
    let mut bright: Vec<u32> = match &controls.lab.hovered {
        Some(LabSelection::Memory { buffer, elements }) if buffer == SORTED => {
            (elements.start as u32..elements.end as u32).collect()
        }
        Some(LabSelection::Memory { elements, .. }) => {
            let is_in = |&place: &u32| strip.at(place).is_some_and(|at| elements.contains(&u64::from(at.identity)));
            strip.window.clone().filter(is_in).collect()
        }
        _ => match chosen_chunk(controls, report) {
            Some(chunk) => chunk.members.iter().map(|member| member.place).collect(),
            None => Vec::new(),
        },
    };
    if !lit.is_empty() {
        let is_lit = |&place: &u32| strip.at(place).is_some_and(|at| lit.contains(&at.identity));
        bright.extend(strip.window.clone().filter(is_lit));
    }
    let step = bright.len().div_ceil(MOST_LINES).max(1);
    for &place in bright.iter().step_by(step) {
        let Some(at) = strip.at(place) else { continue };
        let is_lit = lit.contains(&at.identity);
        let color = if is_lit { Color32::WHITE } else { place_color(strip, place) };
        line(place, at.identity, Stroke::new(if is_lit { 2.0 } else { 1.2 }, color));
    }
}

/// Draws the visible blocks: border blocks are lower than inner blocks, so that the two differ not only in color.
fn paint_blocks(painter: &egui::Painter, rows: &Rows, controls: &Controls, strip: &MemoryStrip) {
    let in_sight = rows.in_sight();
    let first = strip.blocks.partition_point(|block| block.end <= in_sight.start);
    let selected = controls.lab.selection.cell().zip(strip.cell_counts).map(|(cell, counts)| linear(cell, counts));
    let mut last_right = f32::NEG_INFINITY;
    for block in strip.blocks[first..].iter().take_while(|block| block.start < in_sight.end) {
        let (left, right) = (rows.x(f64::from(block.start)), rows.x(f64::from(block.end)));
        // Skips blocks that end within half a point of the last drawn block.
        if right - last_right < 0.5 {
            continue;
        }
        last_right = right;
        let is_border = block.class == Some(BlockClass::Border);
        let top = rows.sorted.top() + if is_border { 0.35 * rows.sorted.height() } else { 0.0 };
        let gap = if right - left > 4.0 { 1.0 } else { 0.0 };
        let bar = Rect::from_min_max(
            egui::pos2(left.max(rows.sorted.left()), top),
            egui::pos2((right - gap).min(rows.sorted.right()), rows.sorted.bottom()),
        );
        painter.rect_filled(bar, 0, block_color(block));
        if selected == Some(block.cell) {
            let outline = Rect::from_x_y_ranges(bar.x_range(), rows.sorted.y_range());
            painter.rect_stroke(outline, 1, Stroke::new(2.0, Color32::WHITE), StrokeKind::Inside);
        }
        if rows.place_width() < WIDE_PLACE {
            let name = cell_name(strip.coordinate(block.cell));
            let long = block.class.map(|class| format!("{} {name}", class.label()));
            let dark = Color32::from_rgb(12, 16, 20);
            for text in long.into_iter().chain([name]) {
                let galley = painter.layout_no_wrap(text, FontId::proportional(10.5), dark);
                if galley.size().x + 6.0 <= bar.width() {
                    painter.galley(Align2::CENTER_CENTER.anchor_size(bar.center(), galley.size()).min, galley, dark);
                    break;
                }
            }
        }
    }
    if rows.place_width() >= WIDE_PLACE {
        paint_places(painter, rows, strip);
    }
}

/// Draws single places, with the original index of their particle if it fits.
fn paint_places(painter: &egui::Painter, rows: &Rows, strip: &MemoryStrip) {
    for place in rows.in_sight() {
        let x = rows.x(f64::from(place));
        painter.vline(x, rows.sorted.y_range(), Stroke::new(1.0, SURFACE));
        let Some(at) = strip.at(place) else { continue };
        let dark = Color32::from_rgb(12, 16, 20);
        let galley = painter.layout_no_wrap(at.identity.to_string(), FontId::proportional(10.5), dark);
        if galley.size().x + 3.0 <= rows.place_width() {
            let middle = egui::pos2(x + 0.5 * rows.place_width(), rows.sorted.center().y + 2.0);
            painter.galley(Align2::CENTER_CENTER.anchor_size(middle, galley.size()).min, galley, dark);
        }
    }
}

/// Draws ticks below the sorted order: the places of the particles in the shown chunk, and the places of its visitors.
fn paint_chunk(painter: &egui::Painter, rows: &Rows, controls: &Controls, report: &Report) {
    let Some(chunk) = chosen_chunk(controls, report) else { return };
    let top = rows.sorted.bottom() + 1.0;
    let width = rows.place_width().max(1.0);
    let tick = |place: u32, height: f32, color: Color32| {
        let x = rows.x(f64::from(place));
        if x + width >= rows.sorted.left() && x <= rows.sorted.right() {
            painter.rect_filled(Rect::from_min_size(egui::pos2(x, top), egui::vec2(width, height)), 0, color);
        }
    };
    for visitor in chunk.visitors.iter().filter(|visitor| !visitor.kept) {
        tick(visitor.place, 0.4 * TICKS, QUIET.gamma_multiply(0.6));
    }
    for visitor in chunk.visitors.iter().filter(|visitor| visitor.kept) {
        tick(visitor.place, 0.8 * TICKS, TEXT);
    }
    for member in &chunk.members {
        tick(member.place, 0.8 * TICKS, ACCENT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_stays_inside_of_memory_and_zooms_about_a_fixed_place() {
        let whole = StripWindow::default().within(1_000);
        assert_eq!(whole, StripWindow { start: 0.0, length: 1_000.0 });
        let nearer = whole.zoomed(0.5, 800.0).within(1_000);
        assert_eq!(nearer, StripWindow { start: 400.0, length: 500.0 });
        assert_eq!(nearer.zoomed(4.0, 800.0).within(1_000), whole);
        let around = StripWindow::around(990, 1_000).within(1_000);
        assert_eq!(around, StripWindow { length: FEWEST_PLACES, ..around });
        assert_eq!(StripWindow::default().within(10), StripWindow { start: 0.0, length: 10.0 });
    }

    #[test]
    fn coordinates_and_places_are_inverse_to_each_other() {
        let rect = Rect::from_min_size(egui::pos2(10.0, 5.0), egui::vec2(500.0, 120.0));
        let rows = Rows::new(rect, StripWindow { start: 40.0, length: 60.0 }, 1_000);
        for place in [40.0, 57.5, 99.0] {
            assert!((rows.place(rows.x(place)) - place).abs() < 1e-3);
        }
        assert_eq!(rows.in_sight(), 40..100);
        assert!(rows.original.bottom() < rows.sorted.top());
    }
}
