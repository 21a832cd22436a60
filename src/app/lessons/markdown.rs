//! Shows Markdown in egui: paragraphs, bold, italic, code, lists, tables, quotations and code blocks, which is what the
//! texts of lessons use.

use std::iter::Peekable;

use bevy_egui::egui::text::LayoutJob;
use bevy_egui::egui::{self, Color32, FontId, Frame, Grid, Margin, Stroke, TextFormat, Ui};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::app::theme::{ACCENT, QUIET, TEXT};

/// Background of code.
const CODE: Color32 = Color32::from_rgb(14, 17, 21);
/// Color of bold text.
const STRONG: Color32 = Color32::from_rgb(255, 214, 138);
/// Space between two paragraphs, points.
const PARAGRAPH_GAP: f32 = 6.0;
/// Indentation of lists, points.
const INDENT: f32 = 16.0;

/// Size and color of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) size: f32,
    pub(super) color: Color32,
}

/// The look of the explanation of a step.
pub(super) const READING: Look = Look { size: 14.5, color: TEXT };
/// The look of remarks.
pub(super) const REMARK: Look = Look { size: 12.5, color: QUIET };

/// A run of text with one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Span {
    text: String,
    strong: bool,
    italic: bool,
    code: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Block {
    Paragraph(Vec<Span>),
    Heading(Vec<Span>),
    Code(String),
    /// The items, and the number of the first if they are numbered.
    List(Option<u64>, Vec<Vec<Block>>),
    Quote(Vec<Block>),
    /// Rows of cells; the first row is the heading.
    Table(Vec<Vec<Vec<Span>>>),
    Rule,
}

/// Shows a text.
pub(super) fn markdown(ui: &mut Ui, text: &str, look: Look) {
    show_blocks(ui, &parse(text), look);
}

/// A text without its formatting, for labels of buttons.
pub(super) fn plain(text: &str) -> String {
    let mut words = String::new();
    for event in parser(text) {
        match event {
            Event::Text(text) | Event::Code(text) => words.push_str(&text),
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph | TagEnd::Item) => words.push(' '),
            _ => {}
        }
    }
    words.trim().to_owned()
}

/// The text as HTML.
pub(super) fn html(text: &str) -> String {
    let mut page = String::new();
    pulldown_cmark::html::push_html(&mut page, parser(text));
    page
}

fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

fn parse(text: &str) -> Vec<Block> {
    blocks(&mut parser(text).peekable(), None)
}

/// Reads blocks up to the end of the tag that contains them. The text of a tight list's item is not in a paragraph.
fn blocks<'a>(events: &mut Peekable<impl Iterator<Item = Event<'a>>>, end: Option<TagEnd>) -> Vec<Block> {
    let mut blocks = Vec::new();
    while let Some(event) = events.peek() {
        let block = match event {
            Event::End(tag) if Some(*tag) == end => {
                events.next();
                return blocks;
            }
            Event::Start(tag) if is_block(tag) => {
                let Some(Event::Start(tag)) = events.next() else { continue };
                read_block(tag, events)
            }
            Event::Rule => {
                events.next();
                Block::Rule
            }
            Event::End(_) => {
                events.next();
                continue;
            }
            _ => Block::Paragraph(spans(events, None)),
        };
        blocks.push(block);
    }
    blocks
}

fn is_block(tag: &Tag<'_>) -> bool {
    !matches!(
        tag,
        Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Link { .. }
            | Tag::Image { .. }
            | Tag::Superscript
            | Tag::Subscript
    )
}

fn read_block<'a>(tag: Tag<'a>, events: &mut Peekable<impl Iterator<Item = Event<'a>>>) -> Block {
    let end = tag.to_end();
    match tag {
        Tag::Heading { .. } => Block::Heading(spans(events, Some(end))),
        Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
            let words = spans(events, Some(end)).into_iter().map(|span| span.text).collect::<String>();
            Block::Code(words.trim_end().to_owned())
        }
        Tag::List(first) => {
            let mut items = Vec::new();
            while let Some(event) = events.next() {
                match event {
                    Event::Start(Tag::Item) => items.push(blocks(events, Some(TagEnd::Item))),
                    Event::End(tag) if tag == end => break,
                    _ => {}
                }
            }
            Block::List(first, items)
        }
        Tag::BlockQuote(_) => Block::Quote(blocks(events, Some(end))),
        Tag::Table(_) => {
            let mut rows: Vec<Vec<Vec<Span>>> = Vec::new();
            while let Some(event) = events.next() {
                match event {
                    Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
                    Event::Start(Tag::TableCell) => {
                        let cell = spans(events, Some(TagEnd::TableCell));
                        if let Some(row) = rows.last_mut() {
                            row.push(cell);
                        }
                    }
                    Event::End(tag) if tag == end => break,
                    _ => {}
                }
            }
            Block::Table(rows)
        }
        _ => Block::Paragraph(spans(events, Some(end))),
    }
}

/// Reads styled text: up to the end of a tag, which is consumed, or else up to the next block.
fn spans<'a>(events: &mut Peekable<impl Iterator<Item = Event<'a>>>, end: Option<TagEnd>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    let (mut strong, mut italic) = (0_u32, 0_u32);
    while let Some(event) = events.peek() {
        match event {
            Event::End(tag) if Some(*tag) == end => {
                events.next();
                break;
            }
            Event::End(TagEnd::Item | TagEnd::BlockQuote(_)) if end.is_none() => break,
            Event::Start(tag) if end.is_none() && is_block(tag) => break,
            _ => {}
        }
        let Some(event) = events.next() else { break };
        let mut push = |text: &str, code| {
            spans.push(Span { text: text.to_owned(), strong: strong > 0, italic: italic > 0, code });
        };
        match event {
            Event::Text(text) => push(&text, false),
            Event::Code(text) => push(&text, true),
            Event::SoftBreak => push(" ", false),
            Event::HardBreak => push("\n", false),
            Event::Start(Tag::Strong) => strong += 1,
            Event::End(TagEnd::Strong) => strong = strong.saturating_sub(1),
            Event::Start(Tag::Emphasis) => italic += 1,
            Event::End(TagEnd::Emphasis) => italic = italic.saturating_sub(1),
            _ => {}
        }
    }
    spans
}

fn job(spans: &[Span], look: Look) -> LayoutJob {
    let mut job = LayoutJob::default();
    for span in spans {
        let font_id = if span.code { FontId::monospace(look.size - 1.0) } else { FontId::proportional(look.size) };
        // The program's font has no bold face, so a color stands for it.
        let color = if span.strong { STRONG } else { look.color };
        let background = if span.code { CODE } else { Color32::TRANSPARENT };
        let format = TextFormat { font_id, color, background, italics: span.italic, ..TextFormat::default() };
        job.append(&span.text, 0.0, format);
    }
    job
}

fn show_blocks(ui: &mut Ui, blocks: &[Block], look: Look) {
    for (place, block) in blocks.iter().enumerate() {
        if place > 0 {
            ui.add_space(PARAGRAPH_GAP);
        }
        show_block(ui, block, place, look);
    }
}

fn show_block(ui: &mut Ui, block: &Block, place: usize, look: Look) {
    match block {
        Block::Paragraph(spans) => {
            ui.label(job(spans, look));
        }
        Block::Heading(spans) => {
            ui.label(job(spans, Look { size: look.size + 1.5, color: ACCENT }));
        }
        Block::Code(text) => {
            Frame::new().fill(CODE).corner_radius(4).inner_margin(Margin::symmetric(8, 5)).show(ui, |ui| {
                ui.set_width(ui.available_width());
                egui::ScrollArea::horizontal().id_salt(("code", place)).show(ui, |ui| {
                    ui.label(egui::RichText::new(text).monospace().size(look.size - 2.0).color(look.color));
                });
            });
        }
        Block::List(first, items) => {
            for (number, item) in items.iter().enumerate() {
                ui.horizontal_top(|ui| {
                    let marker = first.map_or("•".to_owned(), |first| format!("{}.", first + number as u64));
                    ui.add_sized(
                        [INDENT, look.size],
                        egui::Label::new(egui::RichText::new(marker).size(look.size).color(QUIET)),
                    );
                    ui.vertical(|ui| show_blocks(ui, item, look));
                });
            }
        }
        Block::Quote(inner) => {
            Frame::new().inner_margin(Margin { left: 10, ..Margin::ZERO }).show(ui, |ui| {
                let top = ui.cursor().min;
                show_blocks(ui, inner, look);
                let line = top.x - 7.0;
                ui.painter().vline(line, top.y..=ui.min_rect().bottom(), Stroke::new(2.0, QUIET));
            });
        }
        Block::Table(rows) => {
            egui::ScrollArea::horizontal().id_salt(("table", place)).show(ui, |ui| {
                Grid::new(("table", place)).striped(true).spacing([12.0, 4.0]).show(ui, |ui| {
                    for (number, row) in rows.iter().enumerate() {
                        let look = if number == 0 { Look { color: QUIET, ..look } } else { look };
                        for cell in row {
                            ui.add(egui::Label::new(job(cell, look)).extend());
                        }
                        ui.end_row();
                    }
                });
            });
        }
        Block::Rule => {
            ui.separator();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str) -> Span {
        Span { text: text.into(), ..Span::default() }
    }

    #[test]
    fn blocks_and_styles_are_read() {
        let text = "A **bold** and *it* `c`\nline.\n\n- one\n- two\n  1. three\n\n> quoted\n\n```wgsl\nlet a = 1;\n```\n\n\
                    | a | b |\n|---|---|\n| 1 | 2 |\n";
        let blocks = parse(text);
        let [paragraph, list, quote, code, table] = &blocks[..] else { panic!("{blocks:?}") };
        let bold = Span { strong: true, ..span("bold") };
        let it = Span { italic: true, ..span("it") };
        let c = Span { code: true, ..span("c") };
        let spans = vec![span("A "), bold, span(" and "), it, span(" "), c, span(" "), span("line.")];
        assert_eq!(*paragraph, Block::Paragraph(spans));
        let inner = Block::List(Some(1), vec![vec![Block::Paragraph(vec![span("three")])]]);
        let items = vec![vec![Block::Paragraph(vec![span("one")])], vec![Block::Paragraph(vec![span("two")]), inner]];
        assert_eq!(*list, Block::List(None, items));
        assert_eq!(*quote, Block::Quote(vec![Block::Paragraph(vec![span("quoted")])]));
        assert_eq!(*code, Block::Code("let a = 1;".into()));
        let cells = |one: &str, two: &str| vec![vec![span(one)], vec![span(two)]];
        assert_eq!(*table, Block::Table(vec![cells("a", "b"), cells("1", "2")]));
        assert_eq!(plain("A **bold**\n`x` end."), "A bold x end.");
    }
}
