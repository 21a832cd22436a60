//! The values of a step as they were in the running program, kept for the printed lesson.

use std::collections::BTreeMap;

use super::expression::{Source, Starts};
use super::interpolation::values_in;
use super::lesson::Choice;
use super::{Expression, Value};
use crate::app::{Controls, Report};

/// The values of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepRecord {
    /// Index of the step.
    pub step: usize,
    /// The written value of each expression in the texts.
    pub values: BTreeMap<String, String>,
    /// The right number, or the name of the right option where it depends on the device.
    pub truth: Option<String>,
}

impl Controls {
    /// The values of the step that is shown; `None` if no lesson is open.
    pub fn record_step(&self, report: &Report) -> Option<StepRecord> {
        let running = self.lessons.running.as_ref()?;
        let text = running.text(self.lessons.language());
        let source = Source { controls: self, report, starts: &running.starts };
        let options = text.options.iter().flat_map(|option| [&option.text, &option.reason]);
        let texts =
            [&text.body, &text.question, &text.hint, &text.answer].into_iter().chain(&text.tasks).chain(options);
        let values = texts.flat_map(|text| values_in(text)).filter_map(|written| {
            let value = Expression::parse(written).ok()?.value(source)?;
            Some((written.to_owned(), value.written()))
        });
        let starts = Starts::new();
        let source = Source { starts: &starts, ..source };
        let step = running.current();
        let live = step.choice.as_ref().and_then(|choice| match choice {
            Choice::Live(expression) => expression.value(source),
            Choice::Options(_) => None,
        });
        let number = step.number.as_ref().and_then(|number| number.of.number(source)).map(Value::Number);
        let truth = number.or(live).map(|value| value.written());
        Some(StepRecord { step: running.step, values: values.collect(), truth })
    }
}
