//! The view "Break it": lessons that change the particles, the box or the settings in a way that a search handles
//! badly, with the numbers before and after side by side.

use bevy_egui::egui::{Button, Checkbox, Color32, Grid, RichText, ScrollArea, Ui};

use super::bars::configuration_title;
use super::measure::job_line;
use super::view::ViewInfo;
use crate::app::theme::{ACCENT, QUIET, TEXT, WARNING, remark, section};
use crate::app::{Controls, Report, format};
use crate::laboratory::{LessonResult, Numbers, PRESETS, Preset, Reveals};

/// Fraction of the window's height that the table of lessons needs.
const DRAWER: f32 = 0.34;
const WRONG: Color32 = Color32::from_rgb(240, 110, 100);

pub(super) static INFO: ViewInfo = ViewInfo {
    name: "break_it",
    title: "Break it",
    sentence: "Each lesson changes the particles, the box or the settings in a way that a search handles badly, and \
               one number shows the effect. The scene shows the changed particles; those with wrong neighbors flash \
               red.",
    legend: &[],
    begin,
    request: ViewInfo::request_nothing,
    overlay: ViewInfo::overlay_nothing,
    controls,
    numbers,
    drawer: Some(drawer),
};

fn begin(controls: &mut Controls, report: &Report) {
    controls.lab.drawer_wanted = Some(DRAWER);
    if report.has_timestamps && report.jobs.lessons.is_empty() && report.jobs.progress.is_none() {
        controls.take_lessons(vec![controls.lab.measure.preset()]);
    }
}

fn controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Lessons", &[]);
    for (place, preset) in PRESETS.iter().enumerate() {
        let selected = controls.lab.measure.lesson == place;
        let text = RichText::new(preset.title).small();
        let text = if preset.is_wrong { text.color(WRONG) } else { text };
        let button = Button::selectable(selected, text).frame_when_inactive(true).wrap();
        if ui.add(button).on_hover_text(preset.sentence).clicked() {
            controls.lab.measure.lesson = place;
        }
        if selected {
            remark(ui, preset.sentence);
        }
    }
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        if ui.button("Measure").on_hover_text("measures the running search before and after the change").clicked() {
            controls.take_lessons(vec![controls.lab.measure.preset()]);
        }
        if ui.button("Measure all").on_hover_text("measures every lesson, one after the other").clicked() {
            controls.take_lessons(PRESETS.iter().collect());
        }
    });
    ui.add(Checkbox::new(&mut controls.lab.measure.show_damaged, "Damaged particles in the scene"))
        .on_hover_text("shows the particles of the lesson that was measured last, instead of your own scene");
    run_wrong_controls(ui, controls);
    job_line(ui, controls, report);
}

/// Runs a deliberately wrong lesson in the simulation itself, so that the oracle badge detects it.
fn run_wrong_controls(ui: &mut Ui, controls: &mut Controls) {
    if controls.lab.measure.before_wrong.is_some() {
        ui.label(RichText::new("The simulation is running with a deliberately wrong search.").color(WRONG));
        if ui.button("Restore the search").on_hover_text("closing the laboratory also restores it").clicked() {
            controls.make_right();
        }
    } else if controls.lab.measure.preset().is_wrong {
        let hover = "gives the running search the settings of the lesson and turns on the oracle badge, which reports \
                     the errors";
        if ui.button("Run the simulation with it").on_hover_text(hover).clicked() {
            controls.run_wrong(controls.lab.measure.preset());
        }
    }
}

fn numbers(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let preset = controls.lab.measure.preset();
        ui.heading(preset.title);
        if preset.is_wrong {
            ui.label(RichText::new("deliberately wrong").strong().color(WRONG));
        }
        let Some(lesson) = report.jobs.lesson(preset) else {
            remark(ui, "Not measured yet: press Measure at the left.");
            return;
        };
        let breakage = &lesson.breakage;
        ui.label(RichText::new(breakage.sentence()).color(TEXT));
        ui.add_space(4.0);
        if let Some(refusal) = &breakage.before.refusal {
            ui.colored_label(WARNING, format!("before: {refusal}"));
        }
        before_and_after(ui, lesson, preset);
        verdict(ui, lesson);
        ui.add_space(6.0);
        remark(
            ui,
            format!(
                "{} on {} particles of your scene.",
                configuration_title(&lesson.configuration),
                format::count(lesson.particle_count.into())
            ),
        );
        if let Some(running) = &report.running
            && running.resolution.particle_count > lesson.particle_count
        {
            remark(ui, "The number is limited because in some lessons all particles are neighbors of each other.");
        }
    });
}

/// A row of the table of a lesson: its title, the kind of lesson that this number reveals, and the function that
/// formats it.
type Row = (&'static str, Option<Reveals>, fn(&Numbers) -> String);

const ROWS: [Row; 8] = [
    ("build and search", Some(Reveals::Time), |numbers| format!("{} ms", format::number(numbers.milliseconds))),
    ("candidates each", Some(Reveals::Candidates), |numbers| format::number(numbers.candidates)),
    ("neighbors each", None, |numbers| format::number(numbers.neighbors)),
    ("per neighbor", Some(Reveals::Overhead), |numbers| numbers.overhead.map_or("-".into(), format::number)),
    ("table bytes", Some(Reveals::Bytes), |numbers| format::bytes(numbers.bytes)),
    ("cells", None, |numbers| format::count(numbers.cell_count)),
    ("fullest cell", Some(Reveals::LargestCell), |numbers| {
        numbers.largest_cell.map_or("-".into(), |most| format::count(most.into()))
    }),
    ("wrong in sample", Some(Reveals::Wrong), |numbers| {
        let written = |wrong: u32, checked: u32| format!("{wrong} of {checked}");
        numbers.verdict.as_ref().map_or("-".into(), |verdict| written(verdict.wrong, verdict.checked))
    }),
];

fn before_and_after(ui: &mut Ui, lesson: &LessonResult, preset: &Preset) {
    Grid::new("before and after").num_columns(3).spacing([10.0, 4.0]).show(ui, |ui| {
        for title in ["", "before", "after"] {
            ui.label(RichText::new(title).color(QUIET));
        }
        ui.end_row();
        for (name, reveals, written) in ROWS {
            let is_revealing = reveals == Some(preset.reveals);
            let style = |text: String| {
                let text = RichText::new(text);
                if is_revealing { text.strong().size(15.0).color(ACCENT) } else { text.color(TEXT) }
            };
            let name = if is_revealing { format!("> {name}") } else { name.to_owned() };
            ui.label(if is_revealing { style(name) } else { RichText::new(name).color(QUIET) });
            for numbers in [&lesson.breakage.before, &lesson.breakage.after] {
                let text = if numbers.refusal.is_some() { "refused".to_owned() } else { written(numbers) };
                ui.label(style(text));
            }
            ui.end_row();
        }
    });
}

/// The verdict of the oracle on the damaged search.
fn verdict(ui: &mut Ui, lesson: &LessonResult) {
    section(ui, "Verdict of the oracle badge", &[]);
    match &lesson.breakage.after.verdict {
        Some(verdict) if verdict.is_right() => {
            ui.label(RichText::new(format!("exact. {}.", verdict.sentence())).color(TEXT));
        }
        Some(verdict) => {
            ui.label(RichText::new("WRONG").strong().color(WRONG));
            ui.label(RichText::new(format!("{}.", verdict.sentence())).color(TEXT));
        }
        None => drop(remark(ui, "No verdict: the search refused the damaged input.")),
    }
}

/// The table of all lessons, each with the number that reveals its effect.
fn drawer(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ScrollArea::both().auto_shrink(false).show(ui, |ui| {
        Grid::new("lessons").num_columns(6).striped(true).spacing([18.0, 4.0]).show(ui, |ui| {
            for title in ["lesson", "the number that reveals it", "before", "after", "ratio", "still exact"] {
                ui.label(RichText::new(title).color(QUIET));
            }
            ui.end_row();
            for (place, preset) in PRESETS.iter().enumerate() {
                let name = RichText::new(preset.title).color(if preset.is_wrong { WRONG } else { TEXT });
                let selected = controls.lab.measure.lesson == place;
                if ui.add(Button::selectable(selected, name)).on_hover_text(preset.sentence).clicked() {
                    controls.lab.measure.lesson = place;
                }
                ui.label(RichText::new(preset.reveals.label()).color(QUIET));
                match report.jobs.lesson(preset) {
                    Some(lesson) => lesson_cells(ui, lesson, preset),
                    None => drop(remark(ui, "not measured")),
                }
                ui.end_row();
            }
        });
    });
}

fn lesson_cells(ui: &mut Ui, lesson: &LessonResult, preset: &Preset) {
    let [before, after] = [&lesson.breakage.before, &lesson.breakage.after];
    let values = [before, after].map(|numbers| numbers.value(preset.reveals));
    for value in values {
        let text = value.map_or_else(|| "-".to_owned(), |value| in_unit(preset.reveals, value));
        ui.label(RichText::new(text).strong().color(ACCENT));
    }
    match values {
        [Some(before), Some(after)] if before > 0.0 => ui.label(format!("{}x", format::number(after / before))),
        _ => ui.label(""),
    };
    match (&after.refusal, &after.verdict) {
        (Some(refusal), _) => ui.label(RichText::new(format!("refused: {refusal}")).color(WARNING)),
        (None, Some(verdict)) if verdict.is_right() => ui.label(format!("yes, for {} particles", verdict.checked)),
        (None, Some(verdict)) => {
            ui.label(RichText::new(format!("NO: {} of {} wrong", verdict.wrong, verdict.checked)).color(WRONG))
        }
        (None, None) => ui.label("-"),
    };
}

fn in_unit(reveals: Reveals, value: f64) -> String {
    match reveals {
        Reveals::Bytes => format::bytes(value as u64),
        Reveals::LargestCell | Reveals::Wrong => format::count(value as u64),
        _ => format::number(value),
    }
}
