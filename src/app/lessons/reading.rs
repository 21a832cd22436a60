//! Finds, reads and checks lessons: embedded ones by name, and any folder by its path.

use std::collections::BTreeMap;
use std::path::Path;

use include_dir::{Dir, include_dir};
use serde::Deserialize;

use super::lesson::{Choice, FIRST_LANGUAGE, Lesson, LessonError, LessonStep, LessonText, Number};
use super::sections::{ReadStep, ReadText, read_text};
use super::symbol::{Symbol, Values};
use super::{Condition, Expression};
use crate::app::script::Line;
use crate::app::script_line::parse_line;
use crate::gpu::nearest_names;

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/lessons");

/// The file of the steps.
const STEPS_FILE: &str = "lesson.ron";
/// Largest size of a file of a lesson, bytes.
const LARGEST_FILE: u64 = 1 << 20;
/// The tolerance of a number unless the step names another.
const USUAL_TOLERANCE: f64 = 0.02;
/// Largest number of minutes that a lesson may name.
const MOST_MINUTES: u32 = 120;

/// `lesson.ron` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenLesson {
    minutes: u32,
    steps: Vec<WrittenStep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenStep {
    id: String,
    #[serde(default)]
    setup: Vec<String>,
    #[serde(default)]
    tasks: Vec<String>,
    #[serde(default)]
    show: Vec<String>,
    #[serde(default)]
    choice: Option<WrittenChoice>,
    #[serde(default)]
    number: Option<WrittenNumber>,
    #[serde(default = "yes")]
    picture: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenChoice {
    #[serde(default)]
    right: Vec<String>,
    #[serde(default)]
    live: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenNumber {
    of: String,
    #[serde(default = "usual_tolerance")]
    tolerance: f64,
}

fn yes() -> bool {
    true
}

fn usual_tolerance() -> f64 {
    USUAL_TOLERANCE
}

/// The files of a lesson.
struct Files {
    name: String,
    /// The folder in messages, ending in a slash.
    place: String,
    /// The folder on disk, beside whose files scenes are looked for; `None` for an embedded lesson.
    folder: Option<std::path::PathBuf>,
    contents: BTreeMap<String, String>,
}

impl Lesson {
    /// The names of the lessons that are embedded in the program, in their order.
    pub fn names() -> Vec<&'static str> {
        let mut names: Vec<_> = EMBEDDED.dirs().filter_map(|folder| folder.path().file_name()?.to_str()).collect();
        names.sort_unstable();
        names
    }

    /// Loads an embedded lesson by its name, with or without the number and the underscore at its beginning, or a
    /// lesson in any folder by the folder's path.
    ///
    /// # Errors
    /// Everything that is wrong with the lesson.
    pub fn load(name_or_folder: &str) -> Result<Self, Vec<LessonError>> {
        let short =
            |name: &str| name.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('_').to_owned();
        let known = Self::names().into_iter().find(|name| *name == name_or_folder || short(name) == name_or_folder);
        match known {
            Some(name) => Self::read(&Files::embedded(name)),
            None => Self::read(&Files::in_folder(name_or_folder)?),
        }
    }

    fn read(files: &Files) -> Result<Self, Vec<LessonError>> {
        let mut reader =
            Reader { files, steps: files.contents.get(STEPS_FILE).map_or("", String::as_str), errors: Vec::new() };
        let lesson = reader.lesson();
        if reader.errors.is_empty()
            && let Some(lesson) = lesson
        {
            return Ok(lesson);
        }
        reader.errors.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
        Err(reader.errors)
    }
}

impl Files {
    fn embedded(name: &str) -> Self {
        let folder = EMBEDDED.dirs().find(|folder| folder.path().file_name().is_some_and(|file| file == name));
        let content = |file: &include_dir::File<'_>| {
            Some((file.path().file_name()?.to_str()?.to_owned(), file.contents_utf8()?.to_owned()))
        };
        let contents = folder.map(|folder| folder.files().filter_map(content).collect()).unwrap_or_default();
        Self { name: name.to_owned(), place: format!("assets/lessons/{name}/"), folder: None, contents }
    }

    fn in_folder(path: &str) -> Result<Self, Vec<LessonError>> {
        let folder = Path::new(path);
        let fail = |file: String, reason: String| vec![LessonError { file, line: 1, reason }];
        if !folder.join(STEPS_FILE).is_file() {
            let names = Lesson::names();
            let nearest = nearest_names(path, names).join(", ");
            let reason = format!(
                "there is no lesson and no folder with a {STEPS_FILE} of this name; the most similar lessons are \
                 {nearest}, and `nearwater lesson` lists all"
            );
            return Err(fail(path.to_owned(), reason));
        }
        let mut contents = BTreeMap::new();
        let entries = std::fs::read_dir(folder).map_err(|error| fail(path.to_owned(), error.to_string()))?;
        for file in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            let is_ours = file.extension().is_some_and(|ending| ending == "md" || ending == "ron");
            let Some(name) = file.file_name().and_then(|name| name.to_str()).filter(|_| is_ours) else { continue };
            let text = crate::files::read_text(&file, LARGEST_FILE)
                .map_err(|reason| fail(file.display().to_string(), format!("the file cannot be read: {reason}")))?;
            contents.insert(name.to_owned(), text);
        }
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let name = absolute.file_name().and_then(|name| name.to_str()).unwrap_or(path);
        let place = format!("{}/", path.trim_end_matches('/'));
        Ok(Self { name: name.to_owned(), place, folder: Some(absolute.clone()), contents })
    }
}

/// Reads one lesson and collects what is wrong with it.
struct Reader<'a> {
    files: &'a Files,
    /// The text of `lesson.ron`.
    steps: &'a str,
    errors: Vec<LessonError>,
}

impl Reader<'_> {
    fn lesson(&mut self) -> Option<Lesson> {
        let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        let written: WrittenLesson = match options.from_str(self.steps) {
            Ok(written) => written,
            Err(error) => {
                self.wrong(error.span.end.line, format!("{}; docs/ADDING_A_LESSON.md lists the fields", error.code));
                return None;
            }
        };
        if !(1..=MOST_MINUTES).contains(&written.minutes) {
            self.wrong_at(0, "minutes", format!("minutes must be from 1 to {MOST_MINUTES}"));
        }
        let mut texts = BTreeMap::new();
        for (file, text) in &self.files.contents {
            let Some(language) = file.strip_suffix(".md") else { continue };
            let mut wrong = Vec::new();
            let read = read_text(text, &mut wrong);
            let place = format!("{}{file}", self.files.place);
            self.errors.extend(wrong.into_iter().map(|(line, reason)| LessonError {
                file: place.clone(),
                line,
                reason,
            }));
            self.compare(&place, &written.steps, &read);
            texts.insert(language.to_owned(), read);
        }
        if !texts.contains_key(FIRST_LANGUAGE) {
            self.wrong(1, format!("the text {FIRST_LANGUAGE}.md is missing beside this file"));
        }
        let mut steps = Vec::new();
        for step in &written.steps {
            if steps.iter().any(|other: &LessonStep| other.id == step.id) {
                self.wrong_at(
                    self.line_of(0, &format!("\"{}\"", step.id)),
                    &step.id,
                    format!("two steps are called \"{}\"", step.id),
                );
            }
            steps.push(self.step(step, texts.get(FIRST_LANGUAGE)));
        }
        match steps.first() {
            None => self.wrong(1, "a lesson needs at least one step".into()),
            Some(first) if !first.setup.iter().any(|line| line.command.opens_scene()) => {
                let line = self.line_of(0, &format!("\"{}\"", first.id));
                self.wrong(line, "the setup of the first step must open a scene, as in \"scene dam_break\"".into());
            }
            Some(_) => {}
        }
        let ordered = |read: ReadText| {
            let text = |step: &WrittenStep| {
                let found = read.steps.iter().find(|text| text.id == step.id);
                found.map(|found| found.text.clone()).unwrap_or_default()
            };
            let steps = written.steps.iter().map(text).collect();
            LessonText { title: read.title, introduction: read.introduction, steps }
        };
        Some(Lesson {
            name: self.files.name.clone(),
            minutes: written.minutes,
            steps,
            texts: texts.into_iter().map(|(language, read)| (language, ordered(read))).collect(),
            file: format!("{}{STEPS_FILE}", self.files.place),
        })
    }

    fn step(&mut self, step: &WrittenStep, text: Option<&ReadText>) -> LessonStep {
        let from = self.line_of(0, &format!("\"{}\"", step.id)).saturating_sub(1);
        let setup = self.lines(from, &step.setup, "setup");
        let show = self.lines(from, &step.show, "show");
        let tasks: Vec<Condition> =
            step.tasks.iter().filter_map(|task| self.parsed(from, task, Condition::parse(task))).collect();
        if !tasks.is_empty() && show.is_empty() {
            let reason = "a step with tasks needs \"show\": the script lines that carry them out".to_owned();
            self.wrong_at(from, "tasks", reason);
        }
        if step.choice.is_some() && step.number.is_some() {
            self.wrong_at(from, "number", "a step asks at most one question: a choice or a number".into());
        }
        let options: Vec<&str> = text
            .and_then(|text| text.steps.iter().find(|found| found.id == step.id))
            .map(|text| text.text.options.iter().map(|option| option.name.as_str()).collect())
            .unwrap_or_default();
        LessonStep {
            id: step.id.clone(),
            setup,
            tasks,
            show,
            choice: step.choice.as_ref().and_then(|choice| self.choice(from, choice, &options)),
            number: step.number.as_ref().and_then(|number| self.number(from, number)),
            picture: step.picture,
        }
    }

    /// Parses script lines.
    fn lines(&mut self, from: usize, written: &[String], field: &str) -> Vec<Line> {
        let mut lines = Vec::new();
        for text in written {
            let number = self.line_of(from, text);
            let moved = self.beside(text);
            match parse_line(moved.as_deref().unwrap_or(text)) {
                Ok(Some(command)) if command.is_for_lessons() => lines.push(Line { number, command }),
                Ok(Some(_)) => self.wrong(number, format!("a {field} of a lesson cannot contain \"{text}\"")),
                Ok(None) => self.wrong(number, format!("an entry of {field} must be a command, not \"{text}\"")),
                Err(reason) => self.wrong(number, reason),
            }
        }
        lines
    }

    /// The line with the path of a scene that lies in the lesson's own folder, if it opens one.
    fn beside(&self, text: &str) -> Option<String> {
        let file = text.trim().strip_prefix("scene ")?.trim();
        let path = self.files.folder.as_ref()?.join(file);
        path.is_file().then(|| format!("scene {}", path.display()))
    }

    fn choice(&mut self, from: usize, choice: &WrittenChoice, options: &[&str]) -> Option<Choice> {
        if let Some(live) = &choice.live {
            let expression = self.parsed(from, live, Expression::parse(live))?;
            let Some(Values::Words(words)) = expression.symbol().map(Symbol::values) else {
                let reason = format!("\"{live}\" is no quantity whose values are words, which \"live\" needs");
                self.wrong_at(from, live, reason);
                return None;
            };
            for option in options.iter().filter(|option| !words.is_empty() && !words.iter().any(|word| word == *option))
            {
                let all = words.join(", ");
                self.wrong_at(
                    from,
                    live,
                    format!("{live} is never \"{option}\", so this option can never be right; it is one of: {all}"),
                );
            }
            return Some(Choice::Live(expression));
        }
        if choice.right.is_empty() {
            self.wrong_at(from, "choice", "the choice has no right answer; name one as in (right: [\"few\"])".into());
        }
        for right in &choice.right {
            if !options.contains(&right.as_str()) {
                let all = options.join(", ");
                self.wrong_at(
                    from,
                    right,
                    format!("the right answer \"{right}\" is none of the options of the text: {all}"),
                );
            }
        }
        if !options.is_empty() && options.iter().all(|option| choice.right.iter().any(|right| right == option)) {
            self.wrong_at(from, "choice", "every option is right; a question needs a wrong one".into());
        }
        Some(Choice::Options(choice.right.clone()))
    }

    fn number(&mut self, from: usize, number: &WrittenNumber) -> Option<Number> {
        let of = self.parsed(from, &number.of, Expression::parse(&number.of))?;
        self.parsed(from, &number.of, of.must_be_a_number())?;
        if of.symbols().is_empty() {
            let reason =
                "a question for a number needs a quantity: its answer is read from the running program".to_owned();
            self.wrong_at(from, &number.of, reason);
        }
        if !(0.0..=1.0).contains(&number.tolerance) {
            self.wrong_at(from, "tolerance", "the tolerance must be a share of the true value from 0 to 1".into());
        }
        Some(Number { of, tolerance: number.tolerance })
    }

    /// Compares the steps with a text.
    fn compare(&mut self, file: &str, steps: &[WrittenStep], read: &ReadText) {
        let mut in_text = |line: usize, reason: String| {
            self.errors.push(LessonError { file: file.to_owned(), line, reason });
        };
        let mut missing = Vec::new();
        for step in steps {
            match read.steps.iter().find(|text| text.id == step.id) {
                Some(text) => compare_step(step, text, &mut in_text),
                None => missing.push(&step.id),
            }
        }
        for (place, text) in read.steps.iter().enumerate() {
            if !steps.iter().any(|step| step.id == text.id) {
                let names = steps.iter().map(|step| step.id.as_str());
                let nearest = nearest_names(&text.id, names).join(", ");
                in_text(
                    text.line,
                    format!("{STEPS_FILE} has no step \"{}\"; its most similar steps are {nearest}", text.id),
                );
            }
            if read.steps[..place].iter().any(|other| other.id == text.id) {
                in_text(text.line, format!("the step \"{}\" has two texts", text.id));
            }
        }
        for id in missing {
            let line = self.line_of(0, &format!("\"{id}\""));
            self.wrong(line, format!("the step \"{id}\" has no text: add \"## {id}: Heading\" to {file}"));
        }
    }

    fn parsed<T>(&mut self, from: usize, text: &str, outcome: Result<T, String>) -> Option<T> {
        outcome.map_err(|reason| self.wrong_at(from, text, reason)).ok()
    }

    fn wrong_at(&mut self, from: usize, text: &str, reason: String) {
        let line = self.line_of(from, text);
        self.wrong(line, reason);
    }

    fn wrong(&mut self, line: usize, reason: String) {
        self.errors.push(LessonError { file: format!("{}{STEPS_FILE}", self.files.place), line, reason });
    }

    /// The number of the line of `lesson.ron` that contains a text, searched from the line with index `from` on; the
    /// line after `from` if none does. In RON a quotation mark in a text may be written with a backslash before it.
    fn line_of(&self, from: usize, text: &str) -> usize {
        let escaped = text.replace('"', "\\\"");
        let lines = self.steps.lines().enumerate().skip(from);
        let found = lines.clone().find(|(_, line)| line.contains(text) || line.contains(&escaped));
        found.map_or(from + 1, |(place, _)| place + 1)
    }
}

/// Compares a step with its text.
fn compare_step(step: &WrittenStep, text: &ReadStep, wrong: &mut impl FnMut(usize, String)) {
    let [tasks, question, hint, answer] = text.parts;
    let (id, line) = (&step.id, text.line);
    let (wanted, written) = (step.tasks.len(), text.text.tasks.len());
    if wanted != written {
        let reason =
            format!("the step \"{id}\" has {wanted} tasks in {STEPS_FILE} and {written} in the list of ### Tasks");
        wrong(tasks.unwrap_or(line), reason);
    }
    let asks = step.choice.is_some() || step.number.is_some();
    match question {
        None if asks => wrong(line, format!("the step \"{id}\" asks a question: add ### Question with its text")),
        Some(at) if !asks => {
            wrong(
                at,
                format!("the step \"{id}\" has neither choice nor number in {STEPS_FILE}, so it asks no question"),
            );
        }
        Some(at) if text.text.question.is_empty() => {
            wrong(at, format!("the question of the step \"{id}\" has no text"));
        }
        Some(at) if step.choice.is_some() && text.text.options.len() < 2 => {
            wrong(at, format!("the choice of the step \"{id}\" needs a list of at least two options"));
        }
        Some(at) if step.number.is_some() && !text.text.options.is_empty() => {
            wrong(at, format!("the step \"{id}\" asks for a number, which has no options"));
        }
        _ => {}
    }
    let names = text.text.options.iter().map(|option| &option.name);
    for (place, name) in names.clone().enumerate().filter(|(_, name)| !name.is_empty()) {
        if names.clone().take(place).any(|other| other == name) {
            wrong(question.unwrap_or(line), format!("two options of the step \"{id}\" are called `{name}`"));
        }
    }
    if step.number.is_some() && hint.is_none() {
        wrong(
            line,
            format!("the step \"{id}\" asks for a number: add ### Hint, which a wrong answer is answered with"),
        );
    }
    if let Some(at) = hint.filter(|_| step.number.is_none()) {
        wrong(at, "only a question for a number has a hint".into());
    }
    if let Some(at) = answer.filter(|_| step.tasks.is_empty() && !asks) {
        wrong(at, format!("the step \"{id}\" checks nothing, so its answer would never be shown"));
    }
}
