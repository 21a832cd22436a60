//! Checks the answers of the reader against the running program.

use super::Value;
use super::expression::{Source, Starts};
use super::lesson::{Choice, Number};
use super::state::{RunningLesson, Verdict};
use crate::app::{Controls, Report};

/// Two numbers that differ by less than this share are equal even where the tolerance is zero: the reader types a
/// decimal number, and quantities are single precision.
const ROUNDING: f64 = 1e-4;

impl Controls {
    /// Answers the step's question with the option of that name.
    pub fn choose_answer(&mut self, name: &str, report: &Report) {
        let language = self.lessons.language().to_owned();
        let Some(running) = self.running_question() else { return };
        let text = running.text(&language);
        let Some(option) = text.options.iter().find(|option| option.name == name).cloned() else { return };
        let Some(choice) = running.current().choice.clone() else { return };
        let starts = running.starts.clone();
        let is_right = is_right_option(&choice, name, Source { controls: self, report, starts: &starts });
        let verdict = match is_right {
            Some(is_right) => Verdict { is_right, sentence: option.reason },
            None => not_measured(&choice),
        };
        self.take_verdict(verdict, Some(name));
    }

    /// Answers the step's question with the number that the reader typed.
    pub fn answer_number(&mut self, report: &Report) {
        let language = self.lessons.language().to_owned();
        let Some(running) = self.running_question() else { return };
        let (draft, hint) = (running.draft.clone(), running.text(&language).hint.clone());
        let Some(number) = running.current().number.clone() else { return };
        let truth = number.of.number(Source { controls: self, report, starts: &Starts::new() });
        self.take_verdict(judge_number(&draft, &number, truth, &hint), None);
    }

    /// The open lesson, if its step is set up and asks a question.
    fn running_question(&self) -> Option<&RunningLesson> {
        let running = self.lessons.running.as_ref()?;
        (!running.is_preparing() && running.error.is_none() && running.current().has_question()).then_some(running)
    }

    fn take_verdict(&mut self, verdict: Verdict, option: Option<&str>) {
        let Some(running) = &mut self.lessons.running else { return };
        running.answered |= verdict.is_right;
        running.chosen = option.map(str::to_owned);
        if let Some(option) = option
            && !verdict.is_right
            && !running.tried.iter().any(|tried| tried == option)
        {
            running.tried.push(option.to_owned());
        }
        running.verdict = Some(verdict);
    }
}

/// Whether an option is right; `None` if that depends on a value that has not been measured.
pub(super) fn is_right_option(choice: &Choice, name: &str, source: Source<'_>) -> Option<bool> {
    match choice {
        Choice::Options(right) => Some(right.iter().any(|right| right == name)),
        Choice::Live(expression) => expression.value(source).map(|value| value == Value::Word(name.to_owned())),
    }
}

fn not_measured(choice: &Choice) -> Verdict {
    let described = match choice {
        Choice::Live(expression) => expression.symbol().map_or("", |symbol| symbol.describes()),
        Choice::Options(_) => "",
    };
    let sentence = format!("The program does not know this yet, because it has not measured {described}.");
    Verdict { is_right: false, sentence }
}

/// Judges a number that the reader typed.
fn judge_number(draft: &str, number: &Number, truth: Option<f64>, hint: &str) -> Verdict {
    let wrong = |sentence: String| Verdict { is_right: false, sentence };
    let Some(answer) = read_number(draft) else {
        return wrong("Please type a number, such as 12 or 3.5.".to_owned());
    };
    let Some(truth) = truth else {
        let missing: Vec<_> = number.of.symbols().iter().map(|(symbol, _)| symbol.describes()).collect();
        let missing = missing.join(", or ");
        return wrong(format!("The program has no value to compare with, because it does not know {missing} now."));
    };
    if is_near(answer, truth, number.tolerance) {
        return Verdict { is_right: true, sentence: String::new() };
    }
    let side = if answer > truth { "large" } else { "small" };
    wrong(format!("{} is too {side}. {hint}", draft.trim()))
}

/// Whether an answer is as near to the truth as the tolerance demands.
pub(super) fn is_near(answer: f64, truth: f64, tolerance: f64) -> bool {
    (answer - truth).abs() <= (tolerance.max(ROUNDING) * truth.abs()).max(f64::EPSILON)
}

/// Reads a number as people type it: with commas or spaces between thousands, and perhaps a percent sign behind it.
pub(super) fn read_number(text: &str) -> Option<f64> {
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | ' ' | '\u{a0}' | '_')).collect();
    let number: f64 = digits.trim_end_matches('%').parse().ok()?;
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::lessons::Expression;

    #[test]
    fn numbers_are_read_as_people_type_them_and_judged_within_the_tolerance() {
        for (text, number) in [
            ("12", Some(12.0)),
            (" 1,000 ", Some(1000.0)),
            ("2 048", Some(2048.0)),
            ("37.5 %", Some(37.5)),
            ("1e3", Some(1e3)),
        ] {
            assert_eq!(read_number(text), number, "{text}");
        }
        for text in ["", "many", "NaN", "inf", "1.2.3"] {
            assert_eq!(read_number(text), None, "{text}");
        }
        let number = Number { of: Expression::parse("particles").expect("a quantity"), tolerance: 0.05 };
        let judge = |draft: &str, truth| judge_number(draft, &number, truth, "Look there.");
        assert!(judge("104", Some(100.0)).is_right);
        let large = judge("106", Some(100.0));
        assert!(!large.is_right && large.sentence.contains("106 is too large. Look there."), "{large:?}");
        assert!(judge("94", Some(100.0)).sentence.contains("too small"));
        let unknown = judge("100", None);
        assert!(!unknown.is_right && unknown.sentence.contains("number of fluid particles"), "{unknown:?}");
        assert!(judge("what", Some(100.0)).sentence.contains("type a number"));
        let exact = Number { tolerance: 0.0, ..number };
        assert!(judge_number("100", &exact, Some(100.0), "").is_right);
        assert!(!judge_number("101", &exact, Some(100.0), "").is_right);
        assert!(judge_number("0", &exact, Some(0.0), "").is_right);
        assert!(!judge_number("1", &exact, Some(0.0), "").is_right);
    }
}
