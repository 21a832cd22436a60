//! Colors WGSL and the lines of a patch, and underlines errors.

use std::ops::Range;

use bevy_egui::egui::text::{LayoutJob, TextFormat};
use bevy_egui::egui::{Color32, FontId, Stroke};

use crate::app::theme::{ACCENT, QUIET, TEXT};
use crate::gpu::{ShaderFault, TokenKind, tokens};

/// Size of the code's letters, points.
const SIZE: f32 = 12.0;
/// Color of errors.
pub(super) const FAULT: Color32 = Color32::from_rgb(240, 80, 80);
/// Color of added lines.
const ADDED: Color32 = Color32::from_rgb(120, 200, 130);

pub(super) fn code_font() -> FontId {
    FontId::monospace(SIZE)
}

fn color(kind: TokenKind) -> Color32 {
    match kind {
        TokenKind::Comment => Color32::from_rgb(122, 140, 120),
        TokenKind::Directive | TokenKind::Definition => Color32::from_rgb(204, 140, 190),
        TokenKind::Attribute => Color32::from_rgb(190, 170, 120),
        TokenKind::Keyword => Color32::from_rgb(120, 170, 240),
        TokenKind::Type => Color32::from_rgb(100, 200, 190),
        TokenKind::Number => Color32::from_rgb(230, 170, 120),
        TokenKind::Call => Color32::from_rgb(225, 210, 140),
        TokenKind::Name => TEXT,
        TokenKind::Punctuation => Color32::from_rgb(170, 180, 192),
    }
}

/// The text in colors, with its faults underlined.
pub(super) fn colored<'a>(text: &str, faults: impl Iterator<Item = &'a ShaderFault>) -> LayoutJob {
    let mut wrong: Vec<Range<usize>> = faults.filter_map(|fault| bytes_of(text, fault)).collect();
    wrong.sort_by_key(|range| range.start);
    let mut job = LayoutJob::default();
    let mut at = 0;
    for token in tokens(text) {
        append(&mut job, text, at..token.range.start, TEXT, &wrong);
        append(&mut job, text, token.range.clone(), color(token.kind), &wrong);
        at = token.range.end;
    }
    append(&mut job, text, at..text.len(), TEXT, &wrong);
    job
}

/// Appends a range of the text in one color; the parts of it that are wrong are underlined.
fn append(job: &mut LayoutJob, text: &str, range: Range<usize>, color: Color32, wrong: &[Range<usize>]) {
    let mut at = range.start;
    while at < range.end {
        let inside = wrong.iter().find(|wrong| wrong.contains(&at));
        let next = wrong.iter().map(|wrong| wrong.start).find(|start| *start > at).unwrap_or(range.end);
        let end = inside.map_or(next, |inside| inside.end).min(range.end);
        let underline = if inside.is_some() { Stroke::new(1.5, FAULT) } else { Stroke::NONE };
        job.append(&text[at..end], 0.0, TextFormat { font_id: code_font(), color, underline, ..TextFormat::default() });
        at = end;
    }
}

/// The bytes of a fault in the text. The text may have been edited since, so that the place may lie beyond it.
fn bytes_of(text: &str, fault: &ShaderFault) -> Option<Range<usize>> {
    let mut start = 0;
    let line = text.split_inclusive('\n').enumerate().find_map(|(number, line)| {
        let here = start;
        start += line.len();
        (number + 1 == fault.line).then_some((here, line.trim_end_matches(['\n', '\r'])))
    });
    let (start, line) = line?;
    let byte = |column: usize| line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
    let range = start + byte(fault.columns.start)..start + byte(fault.columns.end);
    // A place behind the last character of a line is shown at that character.
    let last = line.char_indices().next_back().map_or(0, |(at, _)| at);
    Some(if range.is_empty() { start + last..start + line.len() } else { range })
}

/// The lines of a patch in colors.
pub(super) fn colored_patch(patch: &str) -> LayoutJob {
    let mut job = LayoutJob::default();
    for line in patch.split_inclusive('\n') {
        let color = match line.as_bytes().first() {
            _ if line.starts_with("---") || line.starts_with("+++") => QUIET,
            Some(b'+') => ADDED,
            Some(b'-') => FAULT,
            Some(b'@') => ACCENT,
            _ => TEXT,
        };
        job.append(line, 0.0, TextFormat { font_id: code_font(), color, ..TextFormat::default() });
    }
    job
}

/// Lines of the function with that name, from its attributes to its closing brace, from 0.
pub(super) fn lines_of_function(text: &str, name: &str) -> Option<Range<usize>> {
    let all = tokens(text);
    let word = |place: usize| all.get(place).map_or("", |token| &text[token.range.clone()]);
    let function = (0..all.len()).find(|&place| word(place) == "fn" && word(place + 1) == name)?;
    let mut depth = 0;
    let mut end = function;
    for place in function..all.len() {
        end = place;
        match word(place) {
            "{" => depth += 1,
            "}" if depth == 1 => break,
            "}" => depth -= 1,
            _ => {}
        }
    }
    // The attributes of a function stand between the end of the previous item and `fn`.
    let is_attribute = |place: &usize| all[*place].kind == TokenKind::Attribute;
    let is_boundary = |place: &usize| matches!(word(*place), "}" | ";") || all[*place].kind == TokenKind::Comment;
    let before = (0..function).rev().take_while(|place| !is_boundary(place));
    let first = before.filter(is_attribute).last().unwrap_or(function);
    let line = |place: usize| text[..all[place].range.start].matches('\n').count();
    Some(line(first)..line(end) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(line: usize, columns: Range<usize>) -> ShaderFault {
        ShaderFault { line, columns, ..ShaderFault::without_place("a.wgsl", String::new()) }
    }

    #[test]
    fn the_wrong_part_is_underlined_and_no_text_is_lost() {
        let text = "let a = 1;\nlet bä = wrong + 2;\n";
        let job = colored(text, [fault(2, 9..14), fault(99, 0..1)].iter());
        assert_eq!(job.text, text);
        let underlined: Vec<_> =
            job.sections.iter().filter(|section| section.format.underline != Stroke::NONE).collect();
        let words: String =
            underlined.iter().map(|section| &text[section.byte_range.start.0..section.byte_range.end.0]).collect();
        assert_eq!(words, "wrong");
        let job = colored(text, [fault(1, 10..11)].iter());
        assert!(
            job.sections.iter().any(|section| section.format.underline != Stroke::NONE),
            "a place at the line's end"
        );
    }

    #[test]
    fn functions_are_found_with_their_attributes() {
        let text =
            "// x\nfn other() {\n}\n\n@compute @workgroup_size(64)\nfn traverse(\n) {\n  if a { b(); }\n}\nfn z() {}\n";
        assert_eq!(lines_of_function(text, "traverse"), Some(4..9));
        assert_eq!(lines_of_function(text, "other"), Some(1..3));
        assert_eq!(lines_of_function(text, "missing"), None);
    }
}
