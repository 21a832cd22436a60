//! Tests of the lessons: every embedded one is right, broken ones are reported with file, line and remedy, and the
//! panel accepts what is right, refuses what is wrong, and keeps the progress.

use std::path::{Path, PathBuf};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use nearwater::app::{
    Action, FIRST_LANGUAGE, Lesson, LessonError, LessonPrint, LessonStep, RunningLesson, quantities_page,
};

use super::fixture::{RunningApp, click, shows, window};

/// A lesson in which nothing is wrong.
const STEPS: &str = r#"(
    minutes: 5,
    steps: [
        (
            id: "first",
            setup: ["scene dam_break", "particles 1000", "search brute_force", "pause on", "view inspector", "pick 500"],
            tasks: [
                "search = green",
                "cell-edge = 2r",
            ],
            show: ["search green", "set cell-edge 2r"],
        ),
        (
            id: "second",
            choice: (right: ["many"]),
        ),
        (
            id: "third",
            number: (of: "candidates", tolerance: 0.0),
        ),
        (id: "last", setup: ["pause on"]),
    ],
)
"#;
const TEXTS: &str = "# A title\n\nAn introduction.\n\n## first: One\n\nThere are {particles} particles.\n\n### Tasks\n\n\
    - Select Green.\n- Select 2r.\n\n### Answer\n\nYou did it.\n\n## second: Two\n\n### Question\n\nHow many?\n\n\
    - `few` A few.\n  > There are more.\n- `many` Many.\n  > Indeed.\n\n## third: Three\n\n### Question\n\nHow many \
    candidates?\n\n### Hint\n\nLook at the row.\n\n### Answer\n\nIt is {candidates}.\n\n## last: End\n\nTry more.\n";

/// A folder with a lesson, empty at the start of the test.
fn folder(name: &str, steps: &str, texts: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("lessons").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    std::fs::write(folder.join("lesson.ron"), steps).expect("the folder is writable");
    std::fs::write(folder.join("en.md"), texts).expect("the folder is writable");
    folder
}

fn load(folder: &Path) -> Result<Lesson, Vec<LessonError>> {
    Lesson::load(folder.to_str().expect("a path in UTF-8"))
}

#[test]
fn every_embedded_lesson_is_right_and_asks_at_least_three_questions() {
    let names = Lesson::names();
    assert!(!names.is_empty());
    let errors: Vec<String> =
        names.iter().filter_map(|name| Lesson::load(name).err()).flatten().map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    for name in names {
        let lesson = Lesson::load(name).expect("it was loaded");
        let asked = lesson.steps.iter().filter(|step| step.asks()).count();
        assert!(asked >= 3, "{name} checks the reader {asked} times");
        assert!(lesson.steps.iter().any(LessonStep::has_question), "{name} asks no question");
        let last = lesson.steps.last().expect("a lesson has steps");
        assert!(!last.asks(), "{name} does not end with something to try");
    }
}

#[test]
fn the_document_lists_every_quantity() {
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/ADDING_A_LESSON.md");
    let written = std::fs::read_to_string(document).expect("the document is there");
    let (_, tables) = written.split_once("compares them. -->\n").expect("the document has the tables");
    assert_eq!(tables, quantities_page(), "nearwater lesson --quantities prints the tables of the document");
}

#[test]
fn a_lesson_is_read_from_a_folder_with_a_translation() {
    let folder = folder("right", STEPS, TEXTS);
    std::fs::write(folder.join("de.md"), TEXTS.replace("A title", "Ein Titel")).expect("the folder is writable");
    let lesson = load(&folder).unwrap_or_else(|errors| panic!("{errors:#?}"));
    assert_eq!((lesson.name.as_str(), lesson.minutes, lesson.steps.len()), ("right", 5, 4));
    assert_eq!(lesson.text("de").title, "Ein Titel");
    assert_eq!(lesson.text("fr").title, "A title", "a language that is missing is replaced by the first");
    assert_eq!(lesson.text(FIRST_LANGUAGE).steps[1].options[1].reason, "Indeed.");
}

#[test]
fn a_broken_lesson_is_reported_with_file_line_and_remedy() {
    // What is replaced in a right lesson, and the file, line and words of the error that follows.
    let in_steps: &[(&str, &str, &str, usize, &[&str])] = &[
        ("scene dam_break", "scene damn_break", "lesson.ron", 6, &["damn_break", "dam_break"]),
        ("search brute_force", "search brutal_force", "lesson.ron", 6, &["brutal_force", "brute_force"]),
        ("view inspector", "view inspecter", "lesson.ron", 6, &["inspecter", "inspector"]),
        ("pick 500", "pick someone", "lesson.ron", 6, &["someone", "most-neighbors"]),
        ("pick 500", "shot a.png", "lesson.ron", 6, &["cannot contain", "shot a.png"]),
        ("\"scene dam_break\", ", "", "lesson.ron", 5, &["must open a scene"]),
        ("search = green", "serch = green", "lesson.ron", 8, &["serch", "search"]),
        ("search = green", "search = gren", "lesson.ron", 8, &["gren", "green"]),
        ("cell-edge = 2r", "cell-edge = 3r", "lesson.ron", 9, &["3r", "2r"]),
        ("            show: [\"search green\", \"set cell-edge 2r\"],\n", "", "lesson.ron", 7, &["\"show\""]),
        ("set cell-edge 2r", "set cell-edge 3r", "lesson.ron", 11, &["3r"]),
        ("right: [\"many\"]", "right: [\"most\"]", "lesson.ron", 15, &["most", "few, many"]),
        ("right: [\"many\"]", "right: []", "lesson.ron", 15, &["no right answer"]),
        ("right: [\"many\"]", "right: [\"many\", \"few\"]", "lesson.ron", 15, &["every option is right"]),
        ("(right: [\"many\"])", "(live: \"candidates\")", "lesson.ron", 15, &["words"]),
        ("of: \"candidates\"", "of: \"candidate\"", "lesson.ron", 19, &["candidate", "candidates"]),
        ("of: \"candidates\"", "of: \"42\"", "lesson.ron", 19, &["read from the running program"]),
        ("tolerance: 0.0", "tolerance: 5.0", "lesson.ron", 19, &["0 to 1"]),
        ("minutes: 5", "minutes: 0", "lesson.ron", 2, &["minutes"]),
        ("tasks: [", "taks: [", "lesson.ron", 7, &["taks"]),
        ("id: \"last\"", "id: \"third\"", "lesson.ron", 21, &["two steps", "third"]),
        ("id: \"last\"", "id: \"end\"", "lesson.ron", 21, &["no text", "## end: Heading"]),
    ];
    let in_texts: &[(&str, &str, &str, usize, &[&str])] = &[
        ("## last: End", "## lost: End", "en.md", 43, &["lost", "last"]),
        ("# A title", "A title", "en.md", 1, &["# Title"]),
        ("{particles}", "{particle}", "en.md", 7, &["particle", "particles"]),
        ("- Select 2r.\n", "", "en.md", 9, &["2 tasks", "1 in the list"]),
        ("### Question\n\nHow many?", "How many?", "en.md", 18, &["### Question"]),
        ("  > Indeed.\n", "", "en.md", 26, &["`many`", "no reason"]),
        ("### Hint\n\nLook at the row.\n", "", "en.md", 29, &["### Hint"]),
        ("### Hint", "### Tip", "en.md", 35, &["Tip", "Hint"]),
        ("Try more.", "Try more.\n\n### Answer\n\nNever shown.", "en.md", 47, &["checks nothing"]),
    ];
    let cases = in_steps.iter().map(|case| (true, case)).chain(in_texts.iter().map(|case| (false, case)));
    for (number, (is_steps, (from, to, file, line, parts))) in cases.enumerate() {
        let text = if is_steps { STEPS } else { TEXTS };
        assert!(text.contains(from), "case {number}: the lesson does not contain {from:?}");
        let broken = text.replacen(from, to, 1);
        let [steps, texts] = if is_steps { [&broken, TEXTS] } else { [STEPS, &broken] };
        let errors = load(&folder(&format!("broken_{number}"), steps, texts)).err();
        let errors = errors.unwrap_or_else(|| panic!("{to:?} in place of {from:?} is accepted"));
        let found = errors.iter().any(|error| {
            error.file.ends_with(file) && error.line == *line && parts.iter().all(|part| error.reason.contains(part))
        });
        assert!(
            found,
            "{to:?} in place of {from:?} is not reported in {file}, line {line} with {parts:?}, but as {errors:#?}"
        );
    }
    let missing = Lesson::load("neighbours").err().expect("there is no such lesson");
    assert!(missing[0].reason.contains("01_neighbors"), "{missing:?}");
}

/// A window with the lesson that lies in a folder.
fn opened(name: &str) -> Harness<'static, RunningApp> {
    let folder = folder(name, STEPS, TEXTS);
    let mut app = RunningApp::new("claws", 1_000);
    app.frames(3);
    app.controls.load_lesson(folder.to_str().expect("a path in UTF-8"), &app.report).expect("the lesson is right");
    let mut harness = window(app, [1280.0, 800.0]);
    frames(&mut harness, 12);
    harness
}

fn frames(harness: &mut Harness<'static, RunningApp>, count: usize) {
    harness.state_mut().frames(count);
    harness.run();
}

fn is_done(harness: &Harness<'static, RunningApp>) -> bool {
    harness.state().controls.lessons.running.as_ref().is_some_and(RunningLesson::is_done)
}

#[test]
fn the_panel_notices_what_is_done_and_refuses_wrong_answers() {
    let mut harness = opened("panel");
    assert!(
        shows(&harness, "There are 1,0") || shows(&harness, "There are 9"),
        "the number of particles is not put in"
    );
    assert_eq!(harness.state().controls.settings.search.name, "brute_force", "the setup was not carried out");
    assert!(shows(&harness, "Still to do: 2 of 2 tasks"));
    assert!(!is_done(&harness) && !shows(&harness, "You did it."));

    // One task by hand, the other by "Show me how".
    harness.state_mut().act(Action::NextSearch);
    frames(&mut harness, 6);
    assert!(shows(&harness, "Still to do: 1 of 2 tasks"));
    click(&mut harness, "Show me how");
    frames(&mut harness, 6);
    assert!(is_done(&harness) && shows(&harness, "You did it."));

    click(&mut harness, "Next");
    frames(&mut harness, 4);
    assert!(shows(&harness, "Still to do: the question"));
    click(&mut harness, "A few.");
    assert!(shows(&harness, "There are more.") && !is_done(&harness), "a wrong answer passes, or gives no reason");
    click(&mut harness, "Many.");
    assert!(shows(&harness, "Indeed.") && is_done(&harness));

    click(&mut harness, "Next");
    frames(&mut harness, 6);
    let truth = candidates(&harness);
    for (text, part) in
        [((truth + 1).to_string(), "too large"), ((truth - 1).to_string(), "too small"), ("x".into(), "type a number")]
    {
        answer(&mut harness, &text);
        assert!(shows(&harness, part) && !is_done(&harness), "{text} instead of {truth}");
    }
    assert!(!shows(&harness, &format!("It is {truth}.")));
    answer(&mut harness, &truth.to_string());
    assert!(is_done(&harness) && shows(&harness, &format!("It is {truth}.")));
}

/// The number of candidates of the picked particle, from the recording.
fn candidates(harness: &Harness<'static, RunningApp>) -> usize {
    let inspection = harness.state().report.lab.inspection.as_ref().expect("the particle is recorded");
    inspection.recording.particles[0].tested.len()
}

fn answer(harness: &mut Harness<'static, RunningApp>, text: &str) {
    let lesson = harness.state_mut().controls.lessons.running.as_mut().expect("a lesson is open");
    text.clone_into(&mut lesson.draft);
    click(harness, "Check");
}

#[test]
fn the_truth_of_a_number_follows_the_running_program() {
    let mut harness = opened("live");
    harness.state_mut().controls.go_to_step(2, &nearwater::app::Report::default());
    frames(&mut harness, 14);
    let before = candidates(&harness);
    harness.state_mut().act(Action::NextSearch);
    frames(&mut harness, 8);
    let after = candidates(&harness);
    assert!(after < before, "Green tests {after} candidates, brute force {before}");
    answer(&mut harness, &before.to_string());
    assert!(!is_done(&harness), "the number of brute force is accepted while Green runs");
    answer(&mut harness, &after.to_string());
    assert!(is_done(&harness));
}

#[test]
fn a_lesson_can_be_left_and_resumed_and_gives_back_the_scene() {
    let mut harness = opened("resume");
    click(&mut harness, "Show me how");
    frames(&mut harness, 8);
    click(&mut harness, "Next");
    frames(&mut harness, 3);
    click(&mut harness, "Leave");
    frames(&mut harness, 4);
    let controls = &harness.state().controls;
    assert_eq!(controls.settings.search.name, "claws", "the user's own search did not return");
    assert!(!controls.lab.open && !controls.paused);
    assert_eq!(controls.lessons.progress["resume"].done, ["first"]);
    let own = Lesson::names().len() + 1;
    let button = format!("Continue lesson {own}");
    harness.get_by_label(&button).scroll_to_me();
    harness.run();
    click(&mut harness, &button);
    frames(&mut harness, 12);
    let running = harness.state().controls.lessons.running.as_ref().expect("the lesson is open");
    assert_eq!(running.step, 1, "the lesson does not continue at its second step");
    assert_eq!(harness.state().controls.settings.search.name, "brute_force", "the step was not set up");
    click(&mut harness, "Previous");
    frames(&mut harness, 12);
    click(&mut harness, "Set this step up again");
    frames(&mut harness, 12);
    assert!(!is_done(&harness), "a step that is set up again has its tasks open");
    assert!(harness.query_by_label("Next").is_some(), "the step was done before, so the way is open");
}

#[test]
fn a_setup_that_fails_says_so_in_the_panel() {
    let steps = STEPS.replace("pick 500", "pick 5000000");
    let folder = folder("fails", &steps, TEXTS);
    let mut app = RunningApp::new("green", 1_000);
    app.frames(3);
    app.controls.load_lesson(folder.to_str().expect("a path in UTF-8"), &app.report).expect("the lesson is right");
    let mut harness = window(app, [1280.0, 800.0]);
    frames(&mut harness, 12);
    assert!(shows(&harness, "This step could not be set up") && shows(&harness, "lesson.ron, line 6"));
    assert!(!is_done(&harness));
}

#[test]
fn a_lesson_without_a_device_is_printed_with_questions_and_answers() {
    let lesson = load(&folder("print", STEPS, TEXTS)).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let page = LessonPrint::new(lesson, "print").page("").expect("there are no pictures to read");
    for part in
        ["<h1>A title</h1>", "Select Green.", "How many?", "<b>Right.</b> ", "Indeed.", "without a graphics device"]
    {
        assert!(page.contains(part), "{part} is missing in {page}");
    }
    let (questions, answers) = page.split_once("class=\"answers\"").expect("the page has answers");
    assert!(!questions.contains("Indeed.") && answers.contains("Indeed."), "the answer stands beside the question");
}
