//! Shows one shader file in colors, with line numbers, the entry point marked and errors underlined, and edits it.

use std::ops::Range;
use std::sync::Arc;

use bevy_egui::egui::{
    self, Align, Align2, Button, Event, Frame, Galley, Id, Key, Label, Modifiers, Panel, Pos2, Rect, RichText,
    ScrollArea, Shape, TextBuffer, TextEdit, Ui,
};

use super::diff::{patch, patch_of};
use super::highlight::{FAULT, code_font, colored, colored_patch, lines_of_function};
use super::{CodeControls, cost_sentence};
use crate::app::theme::{ACCENT, QUIET, SURFACE, TEXT, WARNING, remark};
use crate::app::{Controls, Report};
use crate::files::write_whole;
use crate::gpu::ShaderFault;

/// Space for line numbers, points.
const GUTTER: f32 = 40.0;
/// What the tab key types.
const TAB: &str = "    ";

/// The code that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::app) struct ShownCode {
    /// The file, as a path below `shaders/`.
    pub file: String,
    /// The function that is marked, and scrolled to when it is first shown.
    pub entry_point: Option<String>,
    /// Whether the marked function runs now.
    pub is_running: bool,
}

/// Shows the code, its edit controls and its errors, in all of the available space.
pub(in crate::app) fn code_ui(ui: &mut Ui, controls: &mut Controls, report: &Report, shown: &ShownCode) {
    let code = &mut controls.code;
    header(ui, code, report, shown);
    Panel::bottom(Id::new(("code messages", ui.id())))
        .resizable(false)
        .frame(Frame::new().inner_margin(egui::Margin { top: 4, ..egui::Margin::ZERO }))
        .show(ui, |ui| messages(ui, code, report, shown));
    if code.shows_diff {
        difference(ui, code, report, shown);
    } else {
        text(ui, code, report, shown);
    }
}

fn header(ui: &mut Ui, code: &mut CodeControls, report: &Report, shown: &ShownCode) {
    let file = shown.file.as_str();
    let library = &report.code.library;
    let is_edited = code.edited_files().contains(file);
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(format!("shaders/{file}")).strong().color(TEXT));
        let state = match (is_edited, code.has_draft(file), report.code.in_use.contains_key(file)) {
            (false, ..) => None,
            (_, true, _) => Some(("edited, not applied yet", WARNING)),
            (_, false, true) if report.code.faults.is_empty() => Some(("edited, in use", ACCENT)),
            _ => Some(("edited, not in use", WARNING)),
        };
        if let Some((words, color)) = state {
            ui.label(RichText::new(words).small().color(color));
        }
    });
    ui.horizontal_wrapped(|ui| {
        let mut is_editing = code.is_editing;
        let edit = ui.add(Button::selectable(is_editing, "Edit").frame_when_inactive(true)).on_hover_text(
            "makes the text editable; all shaders run with checks from then on, so that times before and after an edit \
             can be compared",
        );
        if edit.clicked() {
            is_editing = !is_editing;
            code.set_editing(is_editing);
        }
        let has_drafts = !code.drafts.is_empty();
        let is_refused = report.code.refusal.is_some() && !code.wanted.is_empty();
        let apply = Button::new("Apply").shortcut_text(RichText::new("Ctrl Enter").small());
        let apply = ui.add_enabled(has_drafts || is_refused, apply);
        if apply.on_hover_text("compiles the edited texts, and uses them if they compile").clicked() {
            code.apply(library);
        }
        if ui
            .add_enabled(is_edited, Button::new("Revert"))
            .on_hover_text("returns to the original of this file")
            .clicked()
        {
            code.revert(file);
        }
        let diff = Button::selectable(code.shows_diff, "Difference").frame_when_inactive(true);
        if ui.add(diff).on_hover_text("shows what differs from the original").clicked() {
            code.shows_diff = !code.shows_diff;
        }
    });
    if !code.edited_files().is_empty() {
        export(ui, code, report);
    }
}

fn export(ui: &mut Ui, code: &mut CodeControls, report: &Report) {
    ui.horizontal_wrapped(|ui| {
        if ui
            .button("Export patch")
            .on_hover_text("writes the difference of all edited files; apply it in the repository with git apply FILE")
            .clicked()
        {
            code.export(report);
        }
        ui.add(TextEdit::singleline(&mut code.patch_file).desired_width(150.0)).on_hover_text("the file of the patch");
        let compares = !report.code.in_use.is_empty() && report.code.measuring == 0;
        let compare = ui.add_enabled(compares, Button::new("Measure the original"));
        if compare
            .on_hover_text("runs the original shaders with the same checks for 40 timed steps, and then yours again")
            .clicked()
        {
            code.compare();
        }
    });
}

impl CodeControls {
    /// Writes the patch of all edited files to [`CodeControls::patch_file`].
    pub fn export(&mut self, report: &Report) {
        let text = patch(&report.code.library, &self.edited_texts());
        let file = std::path::Path::new(&self.patch_file);
        self.message = Some(text.and_then(|text| {
            write_whole(file, |writer| std::io::Write::write_all(writer, text.as_bytes()))
                .map_err(|error| error.to_string())?;
            let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
            Ok(format!("the patch was written to {}", whole.display()))
        }));
    }

    /// The outcome of the last export.
    pub fn message(&self) -> Option<&Result<String, String>> {
        self.message.as_ref()
    }
}

/// Errors, the cost, and what protects the program.
fn messages(ui: &mut Ui, code: &mut CodeControls, report: &Report, shown: &ShownCode) {
    let faults = code.faults(&report.code);
    let is_applied = code.drafts.is_empty();
    for fault in faults.unwrap_or_default() {
        let is_here = fault.file == shown.file;
        let place = match (is_here, fault.line) {
            (true, 0) => String::new(),
            (true, line) => format!("line {line}: "),
            (false, 0) => format!("{}: ", fault.file),
            (false, line) => format!("{}, line {line}: ", fault.file),
        };
        let words = RichText::new(format!("{place}{}", fault.message)).color(FAULT);
        let label = ui.add(Label::new(words).sense(egui::Sense::click())).on_hover_text("shows the line");
        if label.clicked() {
            code.file = Some(fault.file.clone());
            code.line_wanted = Some(fault.line);
        }
    }
    match faults {
        Some([]) if !is_applied => drop(remark(ui, "The text compiles; Apply (Ctrl Enter) uses it.")),
        Some([]) => {}
        Some(_) => drop(remark(ui, "The shaders from before this edit stay in use until it compiles.")),
        None => drop(remark(ui, "Checking the text ...")),
    }
    if let Some(refusal) = &report.code.refusal {
        ui.colored_label(WARNING, refusal);
    }
    if let Some(sentence) = cost_sentence(report) {
        ui.label(RichText::new(sentence).color(TEXT)).on_hover_text(
            "The water moves on between the two measurements, and an edit can change its motion. \"Measure the \
             original\" runs the original on the present water.",
        );
    }
    match &code.message {
        Some(Ok(words)) => drop(remark(ui, words)),
        Some(Err(words)) => drop(ui.colored_label(WARNING, words)),
        None => {}
    }
    if code.is_editing && !report.code.passes.iter().any(|pass| pass.files.contains(&shown.file)) {
        remark(ui, "No pass of the running step uses this file, so an edit is compiled when one does.");
    }
    if report.code.is_guarded {
        remark(
            ui,
            "All shaders run with bounds checks, which cost time, and every loop ends after 4,194,304 rounds. A pass \
             that takes seconds still stops the window until it ends.",
        );
    }
}

fn difference(ui: &mut Ui, code: &CodeControls, report: &Report, shown: &ShownCode) {
    let original = report.code.library.original(&shown.file).unwrap_or_default();
    let patch = patch_of(&shown.file, &original, &code.text(&shown.file, &report.code.library));
    if patch.is_empty() {
        remark(ui, "The text equals the original.");
        return;
    }
    ScrollArea::both().id_salt("difference").auto_shrink(false).show(ui, |ui| {
        ui.add(Label::new(colored_patch(&patch)).extend().selectable(true));
    });
}

fn text(ui: &mut Ui, code: &mut CodeControls, report: &Report, shown: &ShownCode) {
    let mut text = code.text(&shown.file, &report.code.library).to_string();
    let faults = code.faults(&report.code).unwrap_or_default();
    let faults: Vec<&ShaderFault> = faults.iter().filter(|fault| fault.file == shown.file).collect();
    let id = Id::new(("code of", &shown.file));
    if code.is_editing && ui.memory(|memory| memory.has_focus(id)) {
        if ui.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Enter)) {
            code.apply(&report.code.library);
        }
        type_spaces(ui);
    }
    let room = ui.available_width();
    let marked = shown.entry_point.as_ref().and_then(|name| lines_of_function(&text, name));
    ScrollArea::both().animated(false).id_salt(&shown.file).auto_shrink(false).show(ui, |ui| {
        let background = ui.painter().add(Shape::Noop);
        let layout = |ui: &Ui, text: &str| {
            let job = colored(text, faults.iter().copied());
            ui.fonts_mut(|fonts| fonts.layout_job(job))
        };
        let galley = layout(ui, &text);
        let width = (galley.size().x + 2.0 * GUTTER).max(room - 2.0 * GUTTER);
        let (galley, origin) = ui
            .horizontal_top(|ui| {
                ui.spacing_mut().item_spacing.x = 0.0;
                ui.add_space(GUTTER);
                if code.is_editing {
                    let mut layouter = |ui: &Ui, buffer: &dyn TextBuffer, _: f32| layout(ui, buffer.as_str());
                    let edit = TextEdit::multiline(&mut text)
                        .id(id)
                        .code_editor()
                        .frame(Frame::NONE)
                        .margin(egui::Margin::ZERO)
                        .desired_width(width)
                        .layouter(&mut layouter);
                    let output = edit.show(ui);
                    if output.response.changed() {
                        code.type_text(&shown.file, &text, &report.code.library);
                    }
                    (output.galley, output.galley_pos)
                } else {
                    let response = ui.add(Label::new(Arc::clone(&galley)).extend().selectable(true));
                    (galley, response.rect.min)
                }
            })
            .inner;
        let rows = Rows { galley: &galley, origin };
        let is_of_error = |line: usize| faults.iter().any(|fault| fault.line == line + 1);
        if let Some(marked) = marked.clone() {
            let rect = rows.rect(ui, marked);
            let strength = if shown.is_running { 0.22 } else { 0.08 };
            ui.painter().set(background, Shape::rect_filled(rect, 0, ACCENT.gamma_multiply(strength)));
        }
        gutter(ui, &rows, marked.as_ref(), is_of_error);
        scroll(ui, code, shown, &rows, marked.as_ref());
    });
}

/// Replaces the tab key by spaces, as the program's shaders are indented.
fn type_spaces(ui: &Ui) {
    ui.input_mut(|input| {
        for event in &mut input.events {
            let is_tab = |event: &Event| {
                matches!(event, Event::Key { key: Key::Tab, pressed: true, modifiers, .. } if modifiers.is_none())
            };
            if is_tab(event) {
                *event = Event::Text(TAB.to_owned());
            }
        }
    });
}

/// The laid out lines; each is one row, since no line is wrapped.
struct Rows<'a> {
    galley: &'a Galley,
    origin: Pos2,
}

impl Rows<'_> {
    /// The rectangle of some lines, as wide as the visible part.
    fn rect(&self, ui: &Ui, lines: Range<usize>) -> Rect {
        let rows = &self.galley.rows;
        let last = rows.len().saturating_sub(1);
        let (first, end) = (lines.start.min(last), lines.end.saturating_sub(1).min(last));
        let top = rows.get(first).map_or(0.0, |row| row.pos.y);
        let bottom = rows.get(end).map_or(0.0, |row| row.pos.y + row.row.size.y);
        Rect::from_x_y_ranges(ui.clip_rect().x_range(), self.origin.y + top..=self.origin.y + bottom)
    }
}

/// Draws the line numbers at the left edge of the visible part, and a bar beside the marked function.
fn gutter(ui: &Ui, rows: &Rows<'_>, marked: Option<&Range<usize>>, is_of_error: impl Fn(usize) -> bool) {
    let visible = ui.clip_rect();
    let strip = Rect::from_min_size(visible.min, egui::vec2(GUTTER - 6.0, visible.height()));
    ui.painter().rect_filled(strip, 0, SURFACE);
    for (line, row) in rows.galley.rows.iter().enumerate() {
        let (top, height) = (rows.origin.y + row.pos.y, row.row.size.y);
        if top + height < visible.top() || top > visible.bottom() {
            continue;
        }
        let color = if is_of_error(line) {
            FAULT
        } else if marked.is_some_and(|marked| marked.contains(&line)) {
            ACCENT
        } else {
            QUIET
        };
        let place = egui::pos2(strip.right() - 6.0, top);
        ui.painter().text(place, Align2::RIGHT_TOP, line + 1, code_font(), color);
    }
    if let Some(marked) = marked {
        let bar = rows.rect(ui, marked.clone());
        let bar = Rect::from_x_y_ranges(strip.right() - 3.0..=strip.right() - 1.0, bar.y_range());
        ui.painter().rect_filled(bar, 0, ACCENT);
    }
}

/// Scrolls to the entry point when another one is shown, and to a line that was asked for.
fn scroll(ui: &Ui, code: &mut CodeControls, shown: &ShownCode, rows: &Rows<'_>, marked: Option<&Range<usize>>) {
    let now = (shown.file.clone(), shown.entry_point.clone());
    if code.scrolled_to.as_ref() != Some(&now) {
        code.scrolled_to = Some(now);
        if let Some(marked) = marked.filter(|_| code.line_wanted.is_none()) {
            ui.scroll_to_rect(rows.rect(ui, marked.start..marked.start + 1), Some(Align::TOP));
        }
    }
    if let Some(line) = code.line_wanted.take().filter(|line| *line > 0) {
        ui.scroll_to_rect(rows.rect(ui, line - 1..line), Some(Align::Center));
    }
}
