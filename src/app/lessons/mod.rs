//! Lessons: steps that set the program up, say what to look at, and check what the reader did or answered.
//!
//! A lesson is a folder of `assets/lessons`, or any folder that the user names: `lesson.ron` says what each step sets
//! up and checks, and one Markdown file per language holds the texts (`docs/ADDING_A_LESSON.md`). Setups are lines of
//! the script language. Checks are conditions on the quantities of [`QUANTITIES`], read from the running program.

mod condition;
mod expression;
mod interpolation;
mod lesson;
mod quantities;
mod reading;
mod sections;
mod symbol;
#[cfg(test)]
mod test_source;

pub use condition::Condition;
pub use expression::Expression;
pub use lesson::{FIRST_LANGUAGE, Choice, Lesson, LessonError, LessonStep, LessonText, Number, OptionText, StepText};
pub use quantities::{QUANTITIES, Quantity, QuantityKind, Value, quantities_page};
