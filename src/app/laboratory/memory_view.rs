//! The view "Memory order": particles colored by their index in the buffers, and how the cost of a step changes when
//! the spatial order of the buffers is lost.

use bevy_egui::egui::{Color32, Grid, RichText, ScrollArea, Slider, Ui};
use egui_plot::{Corner, Legend, Line, LineStyle, Plot, PlotPoints, VLine};

use super::inspected::row;
use super::view::{Overlay, OverlayColor, ViewInfo};
use crate::app::step_times::{OrderEvent, StepMedians, StepTime, StepTimes};
use crate::app::theme::{ACCENT, QUIET, TEXT, WARNING, curve_color, phase_color, remark, section};
use crate::app::{Action, Controls, Report, format};
use crate::gpu::Phase;
use crate::laboratory::{LabRequest, MemoryOrder};
use crate::render::color_fields::PLACE_IN_THE_BUFFERS;
use crate::render::{ColorField, Mark};

/// Steps between two sorts when the view opens: enough to see the cost rise and fall.
const OPENING_INTERVAL: u64 = 600;
/// Fraction of the window's height that the plot takes at first.
const DRAWER_SHARE: f32 = 0.36;
/// Largest number of steps between two sorts.
const LONGEST_INTERVAL: u64 = 2_000;
/// Medians of fewer steps than this are not compared.
const LEAST_STEPS: usize = 3;

/// A row of the table: its title, and the function that reads its number.
type Part = (&'static str, fn(&StepMedians) -> f64);
/// A curve of the plot: its title, the function that reads its number, and its color.
type Curve = (&'static str, fn(&StepTime) -> f32, Color32);

pub(super) static INFO: ViewInfo = ViewInfo {
    name: "memory_order",
    title: "Memory order",
    sentence: "Particles colored by their place in memory: colors change smoothly where neighbors in space are \
               neighbors in memory, and are mixed after a shuffle.",
    legend: &[Mark::Highlighted, Mark::Plain],
    begin,
    request,
    overlay,
    controls,
    numbers,
    drawer: Some(drawer),
};

/// Lets the simulation run, since the view measures its cost, and sorts so rarely that the effect of a shuffle is
/// visible.
fn begin(controls: &mut Controls, _: &Report) {
    if controls.lab.memory.resort_interval <= 1 {
        controls.lab.memory.resort_interval = OPENING_INTERVAL;
    }
    controls.lab.drawer_wanted = Some(DRAWER_SHARE);
    if std::mem::take(&mut controls.lab.stopped_water) {
        controls.paused = false;
    }
}

fn request(controls: &Controls, _: &Report, request: &mut LabRequest) {
    request.memory = controls.lab.memory;
}

fn overlay(_: &Controls, _: &Report) -> Overlay {
    Overlay {
        color: Some(OverlayColor { field: ColorField::new(&PLACE_IN_THE_BUFFERS), range: None }),
        ..Overlay::default()
    }
}

fn controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Order in memory", &[]);
    let hover = "moves all data of the particles to a random order; the state of the fluid does not change";
    if ui.button("Shuffle memory").on_hover_text(hover).clicked() {
        controls.lab.memory.shuffles += 1;
    }
    ui.add_space(4.0);
    ui.label("sort only every k-th step");
    let MemoryOrder { resort_interval, .. } = &mut controls.lab.memory;
    ui.spacing_mut().slider_width = (ui.available_width() - 70.0).max(40.0);
    let slider = Slider::new(resort_interval, 1..=LONGEST_INTERVAL).logarithmic(true).prefix("k = ");
    ui.add(slider).on_hover_text(
        "with k = 1 every step leaves the particles sorted in memory; otherwise they keep their order until the number \
         of the step is a multiple of k",
    );
    ui.horizontal(|ui| {
        if ui.button("Sort every step").on_hover_text("k = 1").clicked() {
            controls.lab.memory.resort_interval = 1;
        }
        let key = Action::TogglePause.key_label();
        let pause = if controls.paused { "Resume" } else { "Pause" };
        if ui.button(pause).on_hover_text(format!("key {key}")).clicked() {
            controls.act(Action::TogglePause, report);
        }
    });
    remark(
        ui,
        "The searches sort copies of the particles and find the same pairs in any order. The other views compare \
         searches with a sort in every step; closing this view sorts again.",
    );
}

/// The last event that changed the order, with the step after which it happened.
fn last_mark(times: &StepTimes) -> Option<(u64, OrderEvent)> {
    times.marks().last()
}

/// Medians of the steps before the last event, medians of the steps after it up to the next sort, and the step of that
/// sort.
fn around(times: &StepTimes, (at, event): (u64, OrderEvent), interval: u64) -> (StepMedians, StepMedians, u64) {
    let before = times.marks().map(|(step, _)| step).filter(|step| *step < at).last().map_or(0, |step| step + 1);
    let sorted = match event {
        OrderEvent::Shuffled => (at / interval.max(1) + 1) * interval.max(1),
        OrderEvent::Interval(_) => u64::MAX - 1,
    };
    // The step that sorts still reads the particles in their old order.
    (times.medians(before..=at), times.medians(at + 1..=sorted), sorted)
}

/// Medians of the time of a whole step before and after the last change of the order in memory, ms; `None` before
/// enough steps were timed.
pub(in crate::app) fn step_around_event(controls: &Controls, report: &Report) -> Option<[f64; 2]> {
    let mark = last_mark(&report.step_times)?;
    let (before, after, _) = around(&report.step_times, mark, controls.lab.memory.resort_interval);
    (before.count >= LEAST_STEPS && after.count >= LEAST_STEPS).then(|| [before.whole(), after.whole()])
}

fn numbers(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let times = &*report.step_times;
        ui.heading(RichText::new("Milliseconds per step").color(TEXT));
        if !report.has_timestamps {
            ui.colored_label(WARNING, "This device has no timestamps, so the cost of a step is not measured.");
            return;
        }
        let now = times.times().last().copied();
        Grid::new("memory now").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
            row(ui, "step", format::count(report.step_count), "steps since the first frame of the scene");
            let interval = controls.lab.memory.resort_interval.max(1);
            row(ui, "sorted every", format!("{} steps", format::count(interval)), "k");
            let next = (report.step_count / interval + 1) * interval;
            row(ui, "next sort", format!("step {}", format::count(next)), "the next multiple of k");
            if let Some(now) = now {
                let whole = now.build + now.search + now.physics + now.restore;
                row(ui, "last step", format!("{} ms", format::number(whole.into())), "the last step that was timed");
            }
        });
        let Some(mark) = last_mark(times) else {
            remark(
                ui,
                "Let the simulation run for a moment and press \"Shuffle memory\" to compare the cost before and \
                 after.",
            );
            return;
        };
        comparison(ui, times, mark, controls.lab.memory.resort_interval);
        super::rectangle::rectangle_ui(ui, controls, report);
    });
}

/// Shows the medians of the measured times before and after the last event.
fn comparison(ui: &mut Ui, times: &StepTimes, mark: (u64, OrderEvent), interval: u64) {
    let (at, event) = mark;
    let title = match event {
        OrderEvent::Shuffled => format!("Shuffled after step {}", format::count(at)),
        OrderEvent::Interval(k) => format!("k = {} after step {}", format::count(k), format::count(at)),
    };
    section(ui, &title, &[]);
    let (before, after, sorted) = around(times, mark, interval);
    if before.count < LEAST_STEPS || after.count < LEAST_STEPS {
        let counts = format!("{} timed steps before and {} after", before.count, after.count);
        remark(ui, format!("There are {counts} so far; the comparison needs {LEAST_STEPS} of each."));
        if times.times().last().is_some_and(|time| time.step > sorted) {
            let advice = "before enough steps were timed: set a larger k and shuffle again.";
            remark(ui, format!("The particles were sorted again at step {} {advice}", format::count(sorted)));
        }
        return;
    }
    let again = times.medians(sorted.saturating_add(1)..=u64::MAX);
    let has_again = again.count >= LEAST_STEPS;
    Grid::new("memory medians").num_columns(4).spacing([10.0, 3.0]).show(ui, |ui| {
        let titles = ["median ms", "before", "after", if has_again { "sorted again" } else { "" }];
        for title in titles {
            ui.label(RichText::new(title).small().color(QUIET));
        }
        ui.end_row();
        let parts: [Part; 5] = [
            ("build", |medians| medians.build),
            ("search", |medians| medians.search),
            ("physics", |medians| medians.physics),
            ("keeping the order", |medians| medians.restore),
            ("whole step", StepMedians::whole),
        ];
        for (name, part) in parts {
            ui.label(RichText::new(name).small().color(QUIET));
            for medians in [Some(&before), Some(&after), Some(&again).filter(|_| has_again)].into_iter().flatten() {
                ui.label(format::number(part(medians)));
            }
            ui.end_row();
        }
    });
    let change = 100.0 * (after.whole() - before.whole()) / before.whole().max(f64::MIN_POSITIVE);
    let more = if change < 0.0 { "less" } else { "more" };
    let counts = format!("{} and {} timed steps", before.count, after.count);
    remark(
        ui,
        format!(
            "Measured on this device over {counts}: a step takes {}% {more} time afterwards.",
            format::number(change.abs())
        ),
    );
    remark(
        ui,
        "\"Keeping the order\" is the cost of the experiment itself: passes that move the state back to its older \
         order.",
    );
}

/// Plots the history of the cost, with a line at every event that changed the order.
fn drawer(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let times = &*report.step_times;
    if times.times().len() < 2 {
        let text = if report.has_timestamps {
            "The history of the cost is shown here after the simulation has run for some steps."
        } else {
            "This device has no timestamps, so there is no history of the cost."
        };
        remark(ui, text);
        return;
    }
    let interval = controls.lab.memory.resort_interval.max(1);
    remark(
        ui,
        format!(
            "Milliseconds per step, plotted over the number of the step; sorted every {} steps.",
            format::count(interval)
        ),
    );
    let parts: [Curve; 4] = [
        ("build", |time| time.build, phase_color(Phase::Build)),
        ("search", |time| time.search, phase_color(Phase::Search)),
        ("physics", |time| time.physics, phase_color(Phase::Physics)),
        ("keeping the order", |time| time.restore, curve_color(2)),
    ];
    Plot::new("history of the cost")
        .height((ui.available_height() - 4.0).max(60.0))
        .legend(Legend::default().background_alpha(0.7).position(Corner::LeftTop))
        .include_y(0.0)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show(ui, |plot| {
            for (name, part, color) in parts {
                let points: PlotPoints<'_> =
                    times.times().map(|time| [time.step as f64, f64::from(part(time))]).collect();
                plot.line(Line::new(name, points).color(color).width(1.5));
            }
            for (step, event) in times.marks() {
                let (name, color) = match event {
                    OrderEvent::Shuffled => ("shuffled", ACCENT),
                    OrderEvent::Interval(_) => ("k changed", QUIET),
                };
                let line = VLine::new(name, step as f64 + 0.5).color(color).width(1.5);
                plot.vline(if event == OrderEvent::Shuffled { line } else { line.style(LineStyle::dashed_loose()) });
            }
        });
}
