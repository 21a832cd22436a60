//! Reads the texts of a lesson: splits a Markdown file at its headings, and the list of a question into its options.
//!
//! `# Title` and an introduction come first, then one `## id: Heading` per step. Inside of a step, `### Tasks`,
//! `### Question`, `### Hint` and `### Answer` begin the parts that belong to its checks.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::interpolation::check_values;
use super::lesson::{OptionText, StepText};

/// The parts of a step.
const PARTS: [&str; 4] = ["Tasks", "Question", "Hint", "Answer"];

/// A text with the lines of its parts, for messages.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadText {
    pub(super) title: String,
    pub(super) introduction: String,
    pub(super) steps: Vec<ReadStep>,
}

/// The texts of a step, with their lines in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadStep {
    pub(super) id: String,
    /// Line of the heading.
    pub(super) line: usize,
    /// Line of the heading of each part that the step has, in the order of [`PARTS`].
    pub(super) parts: [Option<usize>; 4],
    pub(super) text: StepText,
}

/// What is wrong in a text: the line and the reason.
pub(super) type Wrong = (usize, String);

/// A heading and the text below it up to the next heading.
struct Section<'a> {
    level: usize,
    title: &'a str,
    line: usize,
    body: String,
}

/// Reads a text. Everything that is wrong with it is added to `wrong`.
pub(super) fn read_text(text: &str, wrong: &mut Vec<Wrong>) -> ReadText {
    let mut read = ReadText::default();
    let sections = split(text, wrong);
    for section in &sections {
        if let Err(reason) = check_values(&section.body) {
            wrong.push((section.line + reason.0, reason.1));
        }
        match section.level {
            1 if read.title.is_empty() => {
                section.title.clone_into(&mut read.title);
                read.introduction.clone_from(&section.body);
            }
            1 => wrong.push((section.line, "a lesson has a single heading with one #; steps begin with ##".into())),
            2 => read.steps.push(step(section, wrong)),
            _ => match read.steps.last_mut() {
                Some(step) => part(step, section, wrong),
                None => wrong.push((section.line, "a part with ### must follow the heading of a step with ##".into())),
            },
        }
    }
    if read.title.is_empty() {
        wrong.push((1, "the title is missing: the first line must be \"# Title\"".into()));
    }
    read
}

fn step(section: &Section<'_>, wrong: &mut Vec<Wrong>) -> ReadStep {
    let (id, heading) = section.title.split_once(':').map_or(("", ""), |(id, heading)| (id.trim(), heading.trim()));
    if id.is_empty() || heading.is_empty() {
        let title = section.title;
        wrong.push((section.line, format!("the heading \"{title}\" must have the form \"## step_id: Heading\"")));
    }
    let text = StepText { heading: heading.to_owned(), body: section.body.clone(), ..StepText::default() };
    ReadStep { id: id.to_owned(), line: section.line, text, ..ReadStep::default() }
}

fn part(step: &mut ReadStep, section: &Section<'_>, wrong: &mut Vec<Wrong>) {
    let Some(place) = PARTS.iter().position(|part| *part == section.title) else {
        let known = PARTS.join(", ");
        wrong.push((section.line, format!("\"{}\" is no part of a step; the parts are {known}", section.title)));
        return;
    };
    if step.parts[place].replace(section.line).is_some() {
        wrong.push((section.line, format!("the step \"{}\" has two parts {}", step.id, PARTS[place])));
    }
    let body = &section.body;
    match place {
        0 => step.text.tasks = items(body).into_iter().map(|item| joined(&body[item.text])).collect(),
        1 => {
            let options = items(body);
            let end = list_start(body).unwrap_or(body.len());
            body[..end].trim().clone_into(&mut step.text.question);
            step.text.options = options.into_iter().map(|item| option(body, item, section.line, wrong)).collect();
        }
        2 => step.text.hint.clone_from(body),
        _ => step.text.answer.clone_from(body),
    }
}

/// Splits a text at its headings. Lines in code blocks are no headings.
fn split<'a>(text: &'a str, wrong: &mut Vec<Wrong>) -> Vec<Section<'a>> {
    let mut sections: Vec<Section<'a>> = Vec::new();
    let mut in_code = false;
    for (place, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        let level = line.chars().take_while(|character| *character == '#').count();
        let is_heading = !in_code && (1..=3).contains(&level) && line[level..].starts_with(' ');
        if is_heading {
            let title = line[level..].trim();
            sections.push(Section { level, title, line: place + 1, body: String::new() });
        } else if let Some(section) = sections.last_mut() {
            section.body.push_str(line);
            section.body.push('\n');
        } else if !line.trim().is_empty() {
            wrong.push((place + 1, "text before the title; the first line must be \"# Title\"".into()));
        }
    }
    for section in &mut sections {
        section.body.truncate(section.body.trim_end().len());
    }
    sections
}

/// An item of a list, as ranges of the Markdown text.
struct Item {
    /// The name at its beginning, in backticks.
    name: Option<Range<usize>>,
    /// Its text, without the name.
    text: Range<usize>,
    /// The quotation in it.
    quote: Option<Range<usize>>,
}

/// The position of the first list that is not inside of something else.
fn list_start(text: &str) -> Option<usize> {
    events(text).find_map(|(event, range)| matches!(event, Event::Start(Tag::List(_))).then_some(range.start))
}

fn events(text: &str) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
    Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter()
}

/// The items of the first list.
fn items(text: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut depth = 0;
    for (event, range) in events(text) {
        match event {
            Event::Start(Tag::List(_)) => depth += 1,
            Event::End(TagEnd::List(_)) => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            Event::Start(Tag::Item) if depth == 1 => {
                items.push(Item { name: None, text: after_marker(text, range), quote: None });
            }
            Event::Code(_) if depth == 1 => {
                if let Some(item) = items.last_mut().filter(|item| item.quote.is_none() && item.name.is_none())
                    && text[item.text.start..range.start].trim().is_empty()
                {
                    item.name = Some(range.start + 1..range.end - 1);
                    item.text.start = range.end;
                }
            }
            Event::Start(Tag::BlockQuote(_)) if depth == 1 => {
                if let Some(item) = items.last_mut().filter(|item| item.quote.is_none()) {
                    item.text.end = range.start;
                    item.quote = Some(range);
                }
            }
            _ => {}
        }
    }
    items
}

/// The range of an item without its marker: a dash, a star or a number.
fn after_marker(text: &str, range: Range<usize>) -> Range<usize> {
    let marker = text[range.clone()].find(char::is_whitespace).unwrap_or(0);
    range.start + marker..range.end
}

fn option(body: &str, item: Item, heading: usize, wrong: &mut Vec<Wrong>) -> OptionText {
    let line = heading + body[..item.text.start].lines().count();
    let name = item.name.map(|range| body[range].to_owned()).unwrap_or_default();
    let text = joined(&body[item.text]);
    let reason = item.quote.map(|range| unquoted(&body[range])).unwrap_or_default();
    if name.is_empty() {
        wrong.push((line, "an option must begin with its name in backticks: - `name` Text".into()));
    } else if text.is_empty() {
        wrong.push((line, format!("the option `{name}` has no text after its name")));
    } else if reason.is_empty() {
        let form = "> Why it is right or wrong.";
        wrong.push((line, format!("the option `{name}` has no reason; add an indented line \"{form}\" below it")));
    }
    OptionText { name, text, reason }
}

/// The lines of a text without their indentation.
fn joined(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The text of a quotation.
fn unquoted(text: &str) -> String {
    let line = |line: &str| line.trim_start().trim_start_matches('>').trim().to_owned();
    text.lines().map(line).collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Title\n\nWhat it is about.\n\n## first: Look\nBody with `# no heading`.\n\n```\n## neither\n```\n\n\
        ### Tasks\n- Press **G**.\n- Open the\n  inspector.\n\n## second: Ask\n### Question\nWhich one?\n\n\
        - `a` The first\n  line.\n  > No, because\n  > of this.\n- `b` The second.\n  > Yes.\n\n### Hint\nLook again.\n\n\
        ### Answer\nIt is b.\n";

    #[test]
    fn headings_tasks_options_and_reasons_are_read() {
        let mut wrong = Vec::new();
        let read = read_text(TEXT, &mut wrong);
        assert_eq!(wrong, []);
        assert_eq!((read.title.as_str(), read.introduction.trim()), ("Title", "What it is about."));
        let [first, second] = &read.steps[..] else { panic!("{} steps", read.steps.len()) };
        assert_eq!((first.id.as_str(), first.text.heading.as_str(), first.line), ("first", "Look", 5));
        assert!(first.text.body.contains("## neither"), "{}", first.text.body);
        assert_eq!(first.text.tasks, ["Press **G**.", "Open the\ninspector."]);
        assert_eq!(second.text.question, "Which one?");
        let option = |name: &str, text: &str, reason: &str| OptionText {
            name: name.into(),
            text: text.into(),
            reason: reason.into(),
        };
        let options = [option("a", "The first\nline.", "No, because\nof this."), option("b", "The second.", "Yes.")];
        assert_eq!(second.text.options, options);
        assert_eq!((second.text.hint.as_str(), second.text.answer.as_str()), ("Look again.", "It is b."));
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line() {
        for (text, line, part) in [
            ("Text\n# Title", 1, "before the title"),
            ("## a: b", 1, "# Title"),
            ("# T\n## no colon", 2, "## step_id: Heading"),
            ("# T\n### Tasks\n- a", 2, "must follow"),
            ("# T\n## a: b\n### Taks\n- a", 3, "Tasks, Question"),
            ("# T\n## a: b\n### Hint\nx\n### Hint\ny", 5, "two parts"),
            ("# T\n# U", 2, "single heading"),
            ("# T\n## a: b\n### Question\nWhat?\n\n- `x` Text\n- Text\n  > No.", 6, "no reason"),
            ("# T\n## a: b\n### Question\nWhat?\n\n- Text\n  > No.", 6, "in backticks"),
            ("# T\n## a: b\nThere are {candidate}.", 3, "candidates"),
        ] {
            let mut wrong = Vec::new();
            read_text(text, &mut wrong);
            let found = wrong.iter().any(|(at, reason)| *at == line && reason.contains(part));
            assert!(found, "{text:?} is reported as {wrong:?}, not in line {line} with {part:?}");
        }
    }
}
