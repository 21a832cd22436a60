//! Lessons: steps that set the program up, say what to look at, and check what the reader did or answered.
//!
//! A lesson is a folder of `assets/lessons`, or any folder that the user names: `lesson.ron` says what each step sets
//! up and checks, and one Markdown file per language holds the texts (`docs/ADDING_A_LESSON.md`). Setups are lines of
//! the script language. Checks are conditions on the quantities of [`QUANTITIES`], read from the running program.

mod answering;
mod command;
mod condition;
mod expression;
mod interpolation;
mod kept;
mod lesson;
mod list_ui;
mod markdown;
mod panel;
mod playing;
mod printed;
mod quantities;
mod reading;
mod records;
mod sections;
mod state;
mod step_ui;
mod symbol;
#[cfg(test)]
mod tests;
mod walking;
mod windowless;

pub(super) use command::{COMMANDS, LessonCommand};
pub use condition::Condition;
pub use expression::Expression;
pub use lesson::{Choice, FIRST_LANGUAGE, Lesson, LessonError, LessonStep, LessonText, Number, OptionText, StepText};
pub(super) use panel::{Room, lessons_button, lessons_ui};
pub(super) use playing::obey;
pub use printed::{LessonPrint, PrintedPicture};
pub use quantities::{QUANTITIES, Quantity, QuantityKind, Value, quantities_page};
pub use records::StepRecord;
pub use state::{LessonControls, LessonProgress, RunningLesson, Verdict};
pub use walking::update_lessons;
