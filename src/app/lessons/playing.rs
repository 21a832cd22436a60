//! Carries out the script commands that walk lessons.

use super::answering::{is_near, is_right_option, read_number};
use super::command::{AnswerWanted, LessonCommand, StepWanted};
use super::expression::{Source, Starts};
use super::lesson::Number;
use super::{Condition, Value};
use crate::app::setup_command::Outcome;
use crate::app::{Controls, Report};

/// Number of frames for which `expect` waits.
const MOST_FRAMES_TO_EXPECT: u32 = 400;

/// Carries out a command. `frames` is the number of frames for which it has waited.
///
/// # Errors
/// Why that is impossible, or what is not as expected, in a sentence.
pub(in crate::app) fn obey(
    command: &LessonCommand,
    controls: &mut Controls,
    report: &Report,
    frames: u32,
) -> Result<Outcome, String> {
    // Everything except opening and leaving refers to a step that is set up.
    let is_step_command = !matches!(command, LessonCommand::Open(_) | LessonCommand::Leave | LessonCommand::Expect(_));
    if (is_step_command || frames > 0)
        && let Some(error) = controls.lessons.running.as_ref().and_then(|running| running.error.clone())
    {
        return Err(error);
    }
    if is_step_command {
        let running = controls.lessons.running.as_ref().ok_or("no lesson is open; open one with lesson NAME")?;
        if running.is_preparing() {
            return Ok(Outcome::Again);
        }
    }
    match command {
        LessonCommand::Open(name) => {
            let joined =
                |errors: Vec<super::LessonError>| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
            controls.load_lesson(name, report).map_err(joined)?;
            controls.go_to_step(0, report);
        }
        LessonCommand::Leave => controls.leave_lesson(report),
        LessonCommand::Step(wanted) => go(*wanted, controls, report)?,
        LessonCommand::Show => controls.show_me_how(),
        LessonCommand::Answer(wanted) => answer(wanted, controls, report)?,
        LessonCommand::Expect(text) => return expect(text, controls, report, frames),
        LessonCommand::Record(records) => {
            if let Some(record) = controls.record_step(report) {
                records.push(record);
            }
        }
    }
    Ok(Outcome::Done)
}

fn go(wanted: StepWanted, controls: &mut Controls, report: &Report) -> Result<(), String> {
    let Some(running) = &controls.lessons.running else { return Ok(()) };
    let count = running.lesson.steps.len();
    let step = match wanted {
        StepWanted::Number(number) => number - 1,
        StepWanted::Next => running.step + 1,
        StepWanted::Previous => running.step.checked_sub(1).ok_or("the first step has no previous one")?,
    };
    if step >= count {
        return Err(format!("the lesson {} has {count} steps, and no step {}", running.lesson.name, step + 1));
    }
    controls.go_to_step(step, report);
    Ok(())
}

fn expect(text: &str, controls: &Controls, report: &Report, frames: u32) -> Result<Outcome, String> {
    let condition = Condition::parse(text)?;
    let starts = controls.lessons.running.as_ref().map(|running| running.starts.clone()).unwrap_or_default();
    let source = Source { controls, report, starts: &starts };
    if condition.holds(source) {
        return Ok(Outcome::Done);
    }
    if frames < MOST_FRAMES_TO_EXPECT {
        return Ok(Outcome::Again);
    }
    let values = condition.symbols().into_iter().map(|(symbol, _)| {
        let value = symbol.read(controls, report).map_or("unknown".to_owned(), |value| value.written());
        format!("{} is {value}", symbol.name())
    });
    let values: Vec<_> = values.collect();
    let missing = controls.lessons.running.as_ref().map(|running| {
        let language = controls.lessons.language();
        let texts = running.text(language).tasks.iter().zip(&running.ticked);
        let undone: Vec<_> = texts.filter(|(_, ticked)| !**ticked).map(|(text, _)| text.as_str()).collect();
        format!("; in step \"{}\" these tasks are not done: [{}]", running.current().id, undone.join(" / "))
    });
    Err(format!("\"{text}\" is not true after {frames} frames: {}{}", values.join(", "), missing.unwrap_or_default()))
}

fn answer(wanted: &AnswerWanted, controls: &mut Controls, report: &Report) -> Result<(), String> {
    let Some(running) = controls.lessons.running.clone() else { return Ok(()) };
    let (step, id) = (running.current(), &running.current().id);
    if let Some(choice) = &step.choice {
        let names: Vec<String> =
            running.text(controls.lessons.language()).options.iter().map(|option| option.name.clone()).collect();
        let starts = running.starts.clone();
        let is_right = |controls: &Controls, name: &str| {
            is_right_option(choice, name, Source { controls, report, starts: &starts })
        };
        if let AnswerWanted::Text(name) = wanted {
            if !names.contains(name) {
                return Err(format!("the step \"{id}\" has no option \"{name}\"; it has {}", names.join(", ")));
            }
            controls.choose_answer(name, report);
            return Ok(());
        }
        let right = *wanted == AnswerWanted::Right;
        let fitting: Vec<_> = names.iter().filter(|name| is_right(controls, name) == Some(right)).collect();
        if fitting.is_empty() {
            return Err(format!(
                "no option of the step \"{id}\" is known to be {}",
                if right { "right" } else { "wrong" }
            ));
        }
        for name in fitting {
            controls.choose_answer(name, report);
            check_verdict(controls, right, name)?;
            if right {
                break;
            }
        }
        return Ok(());
    }
    let Some(number) = &step.number else { return Err(format!("the step \"{id}\" asks no question")) };
    for text in numbers_to_type(wanted, number, controls, report)? {
        let Some(running) = &mut controls.lessons.running else { return Ok(()) };
        running.draft.clone_from(&text);
        controls.answer_number(report);
        if !matches!(wanted, AnswerWanted::Text(_)) {
            check_verdict(controls, *wanted == AnswerWanted::Right, &text)?;
        }
    }
    Ok(())
}

/// The numbers that a reader types: the value as the window writes it, or values around it that are too far away.
fn numbers_to_type(
    wanted: &AnswerWanted,
    number: &Number,
    controls: &Controls,
    report: &Report,
) -> Result<Vec<String>, String> {
    if let AnswerWanted::Text(text) = wanted {
        return Ok(vec![text.clone()]);
    }
    let truth = number.of.number(Source { controls, report, starts: &Starts::new() });
    let truth = truth.ok_or("the program has no value for the answer of this question")?;
    let written = Value::Number(truth).written();
    if *wanted == AnswerWanted::Right {
        let is_near = read_number(&written).is_some_and(|typed| is_near(typed, truth, number.tolerance));
        if is_near {
            return Ok(vec![written]);
        }
        return Err(format!(
            "the window writes {written} for {truth}, which a tolerance of {} does not accept; increase it",
            number.tolerance
        ));
    }
    let far = (2.0 * number.tolerance * truth.abs()).max(0.01 * truth.abs()).max(1.0);
    Ok(vec![format!("{}", truth + far), format!("{}", truth - far), "a lot".to_owned(), String::new()])
}

/// Checks that the program says of an answer what it must say.
fn check_verdict(controls: &Controls, right: bool, answer: &str) -> Result<(), String> {
    let Some(running) = &controls.lessons.running else { return Ok(()) };
    let id = &running.current().id;
    let Some(verdict) = &running.verdict else { return Err(format!("the answer \"{answer}\" was not judged")) };
    if verdict.is_right != right {
        let said = if verdict.is_right { "accepted" } else { "refused" };
        return Err(format!("the answer \"{answer}\" of the step \"{id}\" was {said}: {}", verdict.sentence));
    }
    if !right && verdict.sentence.trim().is_empty() {
        return Err(format!("the wrong answer \"{answer}\" of the step \"{id}\" was refused without a reason"));
    }
    if !right && running.answered {
        return Err(format!("the wrong answer \"{answer}\" of the step \"{id}\" passed"));
    }
    Ok(())
}
