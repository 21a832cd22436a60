//! The scaling lab: how the times of the searches grow with the number of particles or the radius on this device, and
//! where one search overtakes another.

use std::path::PathBuf;

use bevy_egui::egui::{Button, Color32, DragValue, RichText, ScrollArea, TextEdit, Ui};
use egui_plot::{Corner, GridInput, GridMark, Legend, Line, MarkerShape, Plot, PlotPoints, Points, VLine};

use super::measure::{job_line, save_text, saved};
use crate::app::theme::{QUIET, TEXT, remark, section};
use crate::app::{Controls, Report, format};
use crate::laboratory::{ScalingTable, Swept};
use crate::search::SEARCHES;

/// A color and a marker shape for each search. The colors can be distinguished with all types of color vision (after
/// Okabe and Ito 2008).
const LOOKS: [(Color32, MarkerShape); 8] = [
    (Color32::from_rgb(230, 159, 0), MarkerShape::Circle),
    (Color32::from_rgb(86, 180, 233), MarkerShape::Square),
    (Color32::from_rgb(0, 158, 115), MarkerShape::Diamond),
    (Color32::from_rgb(240, 228, 66), MarkerShape::Up),
    (Color32::from_rgb(204, 121, 167), MarkerShape::Down),
    (Color32::from_rgb(213, 94, 0), MarkerShape::Cross),
    (Color32::from_rgb(222, 228, 235), MarkerShape::Plus),
    (Color32::from_rgb(120, 140, 255), MarkerShape::Asterisk),
];

pub(super) fn scaling_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let class = controls.class;
    let measure = &mut controls.lab.measure;
    section(ui, "Sweep over", &[]);
    ui.horizontal(|ui| {
        for (swept, words, hover) in [
            (
                Swept::Particles,
                "Particles",
                "the box grows with the number of particles, so that every particle keeps its number of neighbors",
            ),
            (Swept::Radius, "Radius", "the same particles in the same box, with a larger support radius"),
        ] {
            let button = Button::selectable(measure.swept == swept, words).frame_when_inactive(true);
            if ui.add(button).on_hover_text(hover).clicked() {
                measure.swept = swept;
            }
        }
    });
    let mut ends = measure.ends(class);
    let before = ends;
    ui.horizontal(|ui| {
        for (end, word) in ends.iter_mut().zip(["from", "to"]) {
            ui.label(word);
            let field = match measure.swept {
                Swept::Particles => DragValue::new(end).range(2.0..=16_777_216.0).max_decimals(0),
                Swept::Radius => DragValue::new(end).range(0.05..=100.0).max_decimals(2).suffix(" m"),
            };
            ui.add(field.speed(0.02 * before[1]));
        }
    });
    if ends.map(f64::to_bits) != before.map(f64::to_bits) {
        match measure.swept {
            Swept::Particles => measure.counts = Some(ends),
            Swept::Radius => measure.radii = Some(ends),
        }
    }
    ui.horizontal(|ui| {
        ui.label("values").on_hover_text("evenly spaced in their logarithms");
        ui.add(DragValue::new(&mut measure.points).range(2..=24));
        ui.label("runs").on_hover_text("timed runs of each search at each value; medians are shown");
        ui.add(DragValue::new(&mut measure.runs).range(1..=101));
    });
    section(ui, "Searches", &[]);
    ui.horizontal_wrapped(|ui| {
        for search in SEARCHES.iter().copied() {
            let place = measure.swept_searches.iter().position(|other| *other == search);
            let button = Button::selectable(place.is_some(), RichText::new(search.title).small());
            if ui.add(button.frame_when_inactive(true)).clicked() {
                match place {
                    Some(place) => drop(measure.swept_searches.remove(place)),
                    None => measure.swept_searches.push(search),
                }
            }
        }
    });
    if ui.button("Sweep").on_hover_text("measures every search at every value; pauses the simulation").clicked() {
        controls.sweep();
    }
    job_line(ui, controls, report);
    if let Some(table) = report.jobs.scaling.clone() {
        keep_controls(ui, controls, &table);
    }
}

fn keep_controls(ui: &mut Ui, controls: &mut Controls, table: &ScalingTable) {
    section(ui, "Save the sweep", &[]);
    let measure = &mut controls.lab.measure;
    ui.add(TextEdit::singleline(&mut measure.scaling_file).desired_width(f32::INFINITY))
        .on_hover_text("the file's path; .csv or .png is appended");
    ui.horizontal(|ui| {
        if ui.button("Save CSV").clicked() {
            let text = table.csv().map_err(|error| error.to_string());
            measure.file_message = Some(save_text(&format!("{}.csv", measure.scaling_file), text));
        }
        if ui
            .button("Save PNG")
            .on_hover_text("plots of total, build and search, with the name of the device")
            .clicked()
        {
            let file = PathBuf::from(format!("{}.png", measure.scaling_file));
            let written = table.write_png(&file).map_err(|error| error.to_string());
            measure.file_message = Some(written.map(|()| saved(&file)));
        }
    });
}

pub(super) fn scaling_numbers(ui: &mut Ui, _: &mut Controls, report: &Report) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.heading("Fastest search by value");
        let Some(table) = report.jobs.scaling.as_deref() else {
            remark(ui, "Nothing has been measured yet: press \"Sweep\" at the left.");
            return;
        };
        ui.label(RichText::new(table.sentence()).color(TEXT));
        section(ui, "Fastest search changes at", &[]);
        let crossovers = table.crossovers();
        if crossovers.is_empty() {
            remark(ui, "none of the measured values");
        }
        for crossover in crossovers {
            let [from, to] = [crossover.from, crossover.to].map(|configuration| table.title(configuration));
            ui.label(format!("{}: from {from} to {to}", value_in_words(table.swept, crossover.value)));
        }
        let mut refusals: Vec<String> = Vec::new();
        for point in &table.points {
            if let Err(reason) = &point.outcome
                && !reason.is_empty()
            {
                refusals.push(format!(
                    "{} at {}: {reason}",
                    table.title(point.configuration),
                    value_in_words(table.swept, point.value)
                ));
            }
        }
        if !refusals.is_empty() {
            section(ui, "Not measured", &[]);
            for words in &refusals {
                remark(ui, words);
            }
        }
        ui.add_space(8.0);
        remark(ui, format!("{}; medians of {} runs.", table.circumstances.line(), table.runs));
    });
}

fn value_in_words(swept: Swept, value: f64) -> String {
    match swept {
        Swept::Particles => format!("{} particles", format::count(value.round() as u64)),
        Swept::Radius => format!("a radius of {} m", format::number(value)),
    }
}

pub(super) fn scaling_drawer(ui: &mut Ui, _: &mut Controls, report: &Report) {
    let Some(table) = report.jobs.scaling.as_deref() else {
        let words = if report.jobs.progress.is_some() {
            "The first value is being measured."
        } else {
            "Nothing has been measured yet: press \"Sweep\" at the left."
        };
        remark(ui, words);
        return;
    };
    let quiet = |text: String| RichText::new(text).small().color(QUIET);
    ui.label(quiet(format!(
        "build and search [ms] over {}, both axes logarithmic; dashed lines mark where the fastest search changes",
        table.swept.label()
    )));
    let power = |mark: GridMark, _: &std::ops::RangeInclusive<f64>| format::number(10.0_f64.powf(mark.value));
    Plot::new("scaling")
        .legend(Legend::default().position(Corner::LeftTop).background_alpha(0.7))
        .x_axis_label(table.swept.label())
        .y_axis_label("ms")
        .x_axis_formatter(power)
        .y_axis_formatter(power)
        .x_grid_spacer(decades)
        .y_grid_spacer(decades)
        .label_formatter(|_| None)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .height(ui.available_height().max(120.0))
        .show(ui, |plot| {
            for (place, configuration) in table.configurations.iter().enumerate() {
                let points: Vec<[f64; 2]> = table
                    .curve(place, |times| times.total)
                    .into_iter()
                    .filter(|(value, time)| *value > 0.0 && *time > 0.0)
                    .map(|(value, time)| [value.log10(), time.log10()])
                    .collect();
                let look = SEARCHES.iter().position(|search| *search == configuration.search).unwrap_or(place);
                let (color, shape) = LOOKS[look % LOOKS.len()];
                let title = table.title(place);
                plot.line(Line::new(title.clone(), PlotPoints::from(points.clone())).color(color).width(1.8));
                plot.points(Points::new(title, PlotPoints::from(points)).color(color).shape(shape).radius(4.5));
            }
            for crossover in table.crossovers() {
                // Unnamed, so that it does not appear in the legend; the numbers at the right list the crossovers.
                let line = VLine::new("", crossover.value.log10()).color(QUIET);
                plot.vline(line.style(egui_plot::LineStyle::dashed_loose()));
            }
        });
}

/// Grid marks at 1, 2 and 5 times each power of ten, for an axis whose coordinate is the decimal logarithm.
fn decades(input: GridInput) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    let mut marks = Vec::new();
    for decade in low.floor() as i32..=high.ceil() as i32 {
        for (part, step_size) in [(1.0_f64, 1.0), (2.0, 0.3), (5.0, 0.3)] {
            let value = f64::from(decade) + part.log10();
            if (low..=high).contains(&value) {
                marks.push(GridMark { value, step_size });
            }
        }
    }
    marks
}
