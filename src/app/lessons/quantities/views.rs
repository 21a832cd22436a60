//! Quantities of lessons: which view of the laboratory is shown, and what the views measure.

use super::{Quantity, Value, number, switch, word};
use crate::app::laboratory::{schedule_totals, step_around_event};
use crate::app::{Controls, Flatland, MeasureTab, Report, RunningLesson, VIEWS};
use crate::laboratory::{CostField, PRESETS, RaceColumn, RaceTable, Water};
use crate::search::SEARCHES;

/// The word for a closed laboratory.
const NONE: &str = "none";

fn searches() -> Vec<String> {
    SEARCHES.iter().map(|search| search.name.to_owned()).collect()
}

/// The table of the race on an input, once it is finished.
fn race(report: &Report, water: Water) -> Option<&RaceTable> {
    let race = report.jobs.race(water).filter(|_| report.jobs.progress.is_none())?;
    Some(&race.table)
}

fn winner(report: &Report, water: Water) -> Option<Value> {
    race(report, water)?.winner().map(|row| Value::word(row.configuration.search.name))
}

/// A share in percent.
fn percent(share: f64) -> Value {
    Value::Number(100.0 * share)
}

/// The slowest right search's time divided by the fastest's.
fn race_ratio(controls: &Controls, report: &Report) -> Option<Value> {
    let table = race(report, controls.lab.measure.shown)?;
    let right = table.rows.iter().filter(|row| row.figures().is_some_and(|figures| figures.search.is_right()));
    right.filter_map(|row| table.ratio(row, RaceColumn::Total)).max_by(f64::total_cmp).map(Value::Number)
}

/// What the laboratory's lesson on broken input revealed, on the undamaged and on the damaged input.
fn broken(controls: &Controls, report: &Report, damaged: bool) -> Option<Value> {
    let breakage = &report.jobs.lesson(controls.lab.measure.preset())?.breakage;
    let numbers = if damaged { &breakage.after } else { &breakage.before };
    numbers.value(breakage.preset.reveals).map(Value::Number)
}

fn of_lesson<T>(controls: &Controls, value: impl FnOnce(&RunningLesson) -> T) -> Option<T> {
    controls.lessons.running.as_ref().map(value)
}

pub(super) static VIEW_QUANTITIES: &[Quantity] = &[
    word(
        "view",
        "the view of the laboratory; `none` while it is closed",
        || VIEWS.iter().map(|view| view.name).chain([NONE]).map(str::to_owned).collect(),
        |controls, _| Some(Value::word(if controls.lab.open { controls.lab.view().name } else { NONE })),
    ),
    switch("presenting", "whether the laboratory shows only scene, drawer and one sentence", |controls, _| {
        Some(Value::yes(controls.lab.presenting))
    }),
    word(
        "flatland",
        "whether Flatland is open: its `example`, a `slab` of the scene, or `no`",
        || ["example", "slab", "no"].map(str::to_owned).into(),
        |controls, _| {
            let word = |flatland: &Flatland| if flatland.is_example() { "example" } else { "slab" };
            Some(Value::word(controls.lab.flatland.as_ref().map_or("no", word)))
        },
    ),
    switch("cut", "whether the cutting box is on", |controls, _| Some(Value::yes(controls.lab.cut.is_some()))),
    word(
        "badge",
        "what the oracle badge says: `off`, `waiting` for its first check, `right` or `wrong`",
        || ["off", "waiting", "right", "wrong"].map(str::to_owned).into(),
        |_, report| {
            let badge = &report.badge;
            let word = match (badge.on, &badge.wrong, &badge.last) {
                (false, ..) => "off",
                (true, Some(_), _) => "wrong",
                (true, None, None) => "waiting",
                (true, None, Some(_)) => "right",
            };
            Some(Value::word(word))
        },
    ),
    number("badge_checked", "", "the number of particles that the badge has checked", |_, report| {
        Some(Value::Number(report.badge.checked as f64))
    }),
    number("workgroup_bytes", "bytes", "the workgroup memory of the traversal (view border_and_inner)", |_, report| {
        report.lab.workgroup.map(|memory| Value::Number(memory.bytes.into()))
    }),
    number(
        "workgroup_limit",
        "bytes",
        "the largest workgroup memory that the device offers (view border_and_inner)",
        |_, report| report.lab.workgroup.map(|memory| Value::Number(memory.limit.into())),
    ),
    number(
        "chunk",
        "",
        "the number of particles that a chunk in workgroup memory can hold (view border_and_inner)",
        |_, report| Some(Value::Number(report.lab.workgroup?.chunk_capacity?.into())),
    ),
    number("rounds", "", "the rounds of the picked coarse cell with a schedule (view schedule)", |controls, report| {
        schedule_totals(controls, report, 0).map(|totals| Value::Number(totals.rounds.into()))
    }),
    number(
        "rounds_unscheduled",
        "",
        "the rounds of the picked coarse cell without a schedule (view schedule)",
        |controls, report| schedule_totals(controls, report, 1).map(|totals| Value::Number(totals.rounds.into())),
    ),
    number(
        "idle_subgroups",
        "%",
        "the share of the time in which subgroups wait with a schedule (view schedule)",
        |controls, report| schedule_totals(controls, report, 0).map(|totals| percent(totals.idle_subgroups)),
    ),
    number(
        "idle_subgroups_unscheduled",
        "%",
        "the share of the time in which subgroups wait without a schedule (view schedule)",
        |controls, report| schedule_totals(controls, report, 1).map(|totals| percent(totals.idle_subgroups)),
    ),
    number(
        "idle_lanes",
        "%",
        "the share of the time in which lanes wait with a schedule (view schedule)",
        |controls, report| schedule_totals(controls, report, 0).map(|totals| percent(totals.idle_lanes)),
    ),
    number(
        "idle_lanes_unscheduled",
        "%",
        "the share of the time in which lanes wait without a schedule (view schedule)",
        |controls, report| schedule_totals(controls, report, 1).map(|totals| percent(totals.idle_lanes)),
    ),
    word(
        "cost_field",
        "what the cost map shows",
        || CostField::ALL.map(|field| field.label().to_owned()).into(),
        |controls, _| Some(Value::word(controls.lab.cost.field.label())),
    ),
    number("cost_mean", "", "the mean of the cost map over the particles (view cost_maps)", |_, report| {
        report.lab.cost.as_ref().map(|cost| Value::Number(cost.mean))
    }),
    number("cost_most", "", "the highest value of the cost map (view cost_maps)", |_, report| {
        report.lab.cost.as_ref().map(|cost| Value::Number(cost.high.into()))
    }),
    number("fullest_cell", "", "the number of particles in the fullest cell (view cost_maps)", |_, report| {
        report.lab.cost.as_ref().map(|cost| Value::Number(cost.fullest_cell.into()))
    }),
    number("passes", "", "the number of passes of a time step (view step_by_step)", |_, report| {
        Some(report.lab.stepping.passes.len()).filter(|count| *count > 0).map(|count| Value::Number(count as f64))
    }),
    number("passes_done", "", "the number of passes that were run one by one (view step_by_step)", |_, report| {
        Some(Value::Number(report.lab.stepping.done as f64))
    }),
    word("pass", "the pass that was run last (view step_by_step)", Vec::new, |_, report| {
        report.lab.stepping.stepped.last().map(|pass| Value::word(pass.report.label))
    }),
    number("shuffles", "", "how often the memory was shuffled", |controls, _| {
        Some(Value::Number(controls.lab.memory.shuffles.into()))
    }),
    number(
        "sorted_every",
        "",
        "the number of steps from one sort of the memory to the next (view memory_order)",
        |controls, _| Some(Value::Number(controls.lab.memory.resort_interval.max(1) as f64)),
    ),
    number(
        "step_ms_before",
        "ms",
        "the median time of a step before the last change of the order in memory (view memory_order)",
        |controls, report| step_around_event(controls, report).map(|[before, _]| Value::Number(before)),
    ),
    number(
        "step_ms_after",
        "ms",
        "the median time of a step after the last change of the order in memory (view memory_order)",
        |controls, report| step_around_event(controls, report).map(|[_, after]| Value::Number(after)),
    ),
    switch("measuring", "whether a race, a sweep or an example of Break it is running", |_, report| {
        Some(Value::yes(report.jobs.progress.is_some()))
    }),
    word(
        "race_tab",
        "the tab of the view race: `race` or `scaling`",
        || ["race", "scaling"].map(str::to_owned).into(),
        |controls, _| Some(Value::word(if controls.lab.measure.tab == MeasureTab::Race { "race" } else { "scaling" })),
    ),
    word("race_winner", "the winner of the finished race that the view race shows", searches, |controls, report| {
        winner(report, controls.lab.measure.shown)
    }),
    word("race_winner_dense", "the winner of the finished race on the dense input", searches, |_, report| {
        winner(report, Water::Dense)
    }),
    word("race_winner_sparse", "the winner of the finished race on the sparse input", searches, |_, report| {
        winner(report, Water::Sparse)
    }),
    word("race_winner_blob", "the winner of the finished race on the one blob", searches, |_, report| {
        winner(report, Water::Blob)
    }),
    word("race_winner_scene", "the winner of the finished race on the running scene", searches, |_, report| {
        winner(report, Water::Running)
    }),
    number("race_ratio", "", "the time of the slowest search of the shown race divided by the fastest", race_ratio),
    number(
        "scaling_points",
        "",
        "the number of measured points of the finished sweep of the scaling lab",
        |_, report| {
            let table = report.jobs.scaling.as_ref().filter(|_| report.jobs.progress.is_none())?;
            Some(Value::Number(table.points.len() as f64))
        },
    ),
    number("crossovers", "", "how often the fastest search changes in the finished sweep", |_, report| {
        let table = report.jobs.scaling.as_ref().filter(|_| report.jobs.progress.is_none())?;
        Some(Value::Number(table.crossovers().len() as f64))
    }),
    word(
        "broken_example",
        "the selected example of the view break_it",
        || PRESETS.iter().map(|preset| preset.name.to_owned()).collect(),
        |controls, _| Some(Value::word(controls.lab.measure.preset().name)),
    ),
    number(
        "broken_before",
        "",
        "the number that the selected example of break_it reveals, on the undamaged particles",
        |controls, report| broken(controls, report, false),
    ),
    number(
        "broken_after",
        "",
        "the number that the selected example of break_it reveals, on the damaged particles",
        |controls, report| broken(controls, report, true),
    ),
    number("lesson_step", "", "the number of the step of the open lesson, for scripts", |controls, _| {
        of_lesson(controls, |lesson| Value::Number((lesson.step + 1) as f64))
    }),
    switch("step_ready", "whether the step of the open lesson is set up, for scripts", |controls, _| {
        of_lesson(controls, |lesson| Value::yes(!lesson.is_preparing()))
    }),
    switch("step_done", "whether the step of the open lesson is done, for scripts", |controls, _| {
        of_lesson(controls, |lesson| Value::yes(lesson.is_done()))
    }),
    word(
        "last_answer",
        "the last answer in the step of the open lesson, for scripts",
        || ["none", "right", "wrong"].map(str::to_owned).into(),
        |controls, _| {
            let verdict = of_lesson(controls, |lesson| lesson.verdict.as_ref().map(|verdict| verdict.is_right))?;
            Some(Value::word(verdict.map_or("none", |is_right| if is_right { "right" } else { "wrong" })))
        },
    ),
];
