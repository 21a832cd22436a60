use bevy_egui::egui::{self, Button, ComboBox, DragValue, RichText, ScrollArea, Slider, SliderClamping, TextEdit, Ui};

use super::fluid_panel::fluid_controls;
use super::theme::{self, remark, section};
use super::{Action, Controls, Report, words};
use crate::fluid::{Scene, Size, SmoothingKernel};
use crate::render::{ColorField, DrawStyle, LookCells, SolidStyle};
use crate::search::{OptionKind, SEARCHES, SearchOption, same_value};

/// Counts one click away.
const PRESETS: [u32; 6] = [4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
/// Ends of the count's slider.
const COUNT_RANGE: std::ops::RangeInclusive<f64> = 1_000.0..=8_388_608.0;

/// Every control, top to bottom, each with its key beside it. Changes `controls` only; nothing here knows a device.
pub fn panel_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    // Room at the right for the scroll bar.
    let margin = egui::Margin { right: 10, ..egui::Margin::ZERO };
    ScrollArea::vertical().auto_shrink(false).content_margin(margin).show(ui, |ui| {
        title(ui, controls, report);
        time_controls(ui, controls, report);
        search_controls(ui, controls, report);
        scene_control(ui, controls);
        count_controls(ui, controls, report);
        color_controls(ui, controls);
        fluid_controls(ui, controls);
        radius_control(ui, controls, report);
        kernel_control(ui, controls);
        body_controls(ui, controls, report);
        display_controls(ui, controls, report);
        state_controls(ui, controls, report);
    });
}

fn title(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.horizontal(|ui| {
        ui.heading(RichText::new("Nearwater").strong());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            action_button(ui, controls, report, (Action::ToggleHelp, "Keys"), "every key, and what the mouse does");
        });
    });
}

fn action_button(ui: &mut Ui, controls: &mut Controls, report: &Report, (action, words): (Action, &str), hover: &str) {
    let button = Button::new(words).shortcut_text(RichText::new(action.key_label()).small());
    if ui.add(button).on_hover_text(hover).clicked() {
        controls.act(action, report);
    }
}

fn time_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.add_space(4.0);
    let (paused, slow) = (controls.paused, controls.slow_motion);
    let half = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
    let mut button = |ui: &mut Ui, selected: bool, action: Action, words: &str, hover: &str| {
        let button = Button::selectable(selected, words)
            .frame_when_inactive(true)
            .min_size(egui::vec2(half, 0.0))
            .shortcut_text(RichText::new(action.key_label()).small());
        if ui.add(button).on_hover_text(hover).clicked() {
            controls.act(action, report);
        }
    };
    ui.horizontal(|ui| {
        let words = if paused { "Go on" } else { "Pause" };
        button(ui, paused, Action::TogglePause, words, "stops the water, or lets it go on");
        button(ui, false, Action::StepOnce, "One step", "one time step, then paused");
    });
    ui.horizontal(|ui| {
        button(ui, false, Action::Reset, "Reset", "the scene's first frame, paused, with its densities computed");
        button(ui, slow, Action::ToggleSlowMotion, "Slow motion", "a quarter of the steps, each as long as before");
    });
}

fn search_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Neighbor search", &[Action::PreviousSearch.key_label(), Action::NextSearch.key_label()]);
    // Two columns, so that the other controls stay in sight.
    let half = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
    for row in SEARCHES.chunks(2) {
        ui.horizontal(|ui| {
            for &search in row {
                let selected = *search == *controls.settings.search;
                let button = Button::selectable(selected, search.title)
                    .frame_when_inactive(true)
                    .min_size(egui::vec2(half, 0.0));
                let hover = |ui: &mut Ui| {
                    ui.label(search.idea);
                    remark(ui, search.paper);
                };
                if ui.add(button).on_hover_ui(hover).clicked() {
                    controls.choose_search(search);
                }
            }
        });
    }
    ui.add_space(2.0);
    for (place, option) in controls.settings.search.options.iter().copied().enumerate() {
        ui.horizontal(|ui| {
            option_buttons(ui, controls, option);
            if place == 0 {
                key_at_the_right(ui, Action::NextOption);
            }
        });
    }
    class_counts(ui, report);
}

/// One setting of the running search: a button for each usual value, and a field where it is a number.
fn option_buttons(ui: &mut Ui, controls: &mut Controls, option: &'static SearchOption) {
    ui.spacing_mut().item_spacing.x = 4.0;
    ui.label(option.title).on_hover_text(option.hover);
    let value = controls.settings.options.value(option);
    for (place, usual) in option.usual_values().into_iter().enumerate() {
        let button = Button::selectable(same_value(value, usual), RichText::new(option.label(usual)).small())
            .frame_when_inactive(true)
            .min_size(egui::vec2(26.0, 0.0));
        let hover = match &option.kind {
            OptionKind::Choice(choices) => choices[place].hover,
            OptionKind::Number { .. } => option.hover,
        };
        if ui.add(button).on_hover_text(hover).clicked() {
            controls.choose_option(option, usual);
        }
    }
    if let OptionKind::Number { least, most, whole, suffix, word, .. } = option.kind
        && word.is_none_or(|(at, _)| !same_value(value, at))
    {
        // Narrow, so that the key's cap has room beside it.
        ui.spacing_mut().interact_size.x = 26.0;
        let mut number = value.clamp(least, most);
        let field = DragValue::new(&mut number).range(least..=most).speed(0.01 * (most - least)).suffix(suffix);
        let field = if whole { field.max_decimals(0) } else { field.max_decimals(2) };
        if ui.add(field.update_while_editing(false)).on_hover_text(option.hover).changed() {
            controls.choose_option(option, if whole { number.round() } else { number });
        }
    }
}

/// How many particles the search counts into each class, where it has classes.
fn class_counts(ui: &mut Ui, report: &Report) {
    let (Some(running), Some(border)) = (&report.running, report.survey.and_then(|survey| survey.border)) else {
        return;
    };
    let inner = running.resolution.particle_count.saturating_sub(border);
    let text = format!("{} border, {} inner particles", words::count(border.into()), words::count(inner.into()));
    remark(ui, text);
}

fn scene_control(ui: &mut Ui, controls: &mut Controls) {
    section(ui, "Scene", &[Action::NextScene.key_label()]);
    let title = controls.scene.title.clone();
    let combo = ComboBox::from_id_salt("scene").selected_text(title).width(ui.available_width());
    let mut chosen = None;
    combo.show_ui(ui, |ui| {
        for name in Scene::names() {
            if ui.selectable_label(controls.scene.name == name, name.replace('_', " ")).clicked() {
                chosen = Some(name);
            }
        }
    });
    if let Some(name) = chosen {
        controls.load_scene(name);
    }
}

fn kernel_control(ui: &mut Ui, controls: &mut Controls) {
    section(ui, "Smoothing kernel", &[Action::NextKernel.key_label()]);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for kernel in SmoothingKernel::ALL {
            let label = RichText::new(kernel.label()).small();
            let button = Button::selectable(controls.settings.kernel == kernel, label);
            if ui.add(button.frame_when_inactive(true)).clicked() {
                controls.change(|settings| settings.kernel = kernel);
            }
        }
    });
}

fn count_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if points_have_a_size(ui, controls, "Particles") {
        return;
    }
    section(ui, "Particles", &[Action::HalveCount.key_label(), Action::DoubleCount.key_label()]);
    let running = report.running.as_ref().map(|running| f64::from(running.resolution.particle_count));
    let mut value = controls.count_draft.or(running).unwrap_or(*COUNT_RANGE.start());
    let response = slider(ui, &mut value, COUNT_RANGE, |value| words::count(value as u64), "number of particles");
    controls.count_draft = response.then_some(value);
    if let Slid::Released = response {
        controls.change(|settings| settings.size = Size::Count(value as u32));
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for preset in PRESETS {
            let selected = controls.settings.size == Size::Count(preset);
            let button = Button::selectable(selected, RichText::new(words::short_count(preset.into())).small());
            let hover = format!("{} particles", words::count(preset.into()));
            if ui.add(button.frame_when_inactive(true)).on_hover_text(hover).clicked() {
                controls.change(|settings| settings.size = Size::Count(preset));
            }
        }
    });
}

fn radius_control(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if points_have_a_size(ui, controls, "Support radius") {
        return;
    }
    section(ui, "Support radius", &[Action::SmallerRadius.key_label(), Action::LargerRadius.key_label()]);
    let extent = f64::from((controls.scene.high - controls.scene.low).min_element());
    let running = report.running.as_ref().map(|running| f64::from(running.resolution.support_radius));
    let mut value = controls.radius_draft.or(running).unwrap_or(extent / 10.0);
    let range = extent / 300.0..=extent;
    let response = slider(ui, &mut value, range, words::length, "particles this far apart see each other");
    controls.radius_draft = response.then_some(value);
    if let Slid::Released = response {
        controls.change(|settings| settings.size = Size::Radius(value as f32));
    }
}

/// Whether the scene's particles come from files with a spacing of their own; then says so in place of the control.
fn points_have_a_size(ui: &mut Ui, controls: &Controls, title: &str) -> bool {
    let spacing = controls.scene.points_spacing();
    if let Some(spacing) = spacing {
        section(ui, title, &[]);
        remark(ui, format!("as the scene's files have them, {} apart", words::length(spacing.into())));
    }
    spacing.is_some()
}

/// What a slider's handle did.
#[derive(Clone, Copy, PartialEq)]
enum Slid {
    No,
    Moving,
    Released,
}

impl Slid {
    /// The value while it is not yet applied.
    fn then_some(self, value: f64) -> Option<f64> {
        (self == Self::Moving).then_some(value)
    }
}

/// A logarithmic slider with its value at the right. Both kinds of value restart the scene, so they are applied when
/// the handle is let go, not at every pixel it passes.
fn slider(
    ui: &mut Ui,
    value: &mut f64,
    range: std::ops::RangeInclusive<f64>,
    words: impl Fn(f64) -> String,
    hover: &str,
) -> Slid {
    ui.horizontal(|ui| {
        ui.spacing_mut().slider_width = (ui.available_width() - 76.0).max(60.0);
        let slider =
            Slider::new(&mut *value, range).logarithmic(true).clamping(SliderClamping::Never).show_value(false);
        let response = ui.add(slider).on_hover_text(hover);
        ui.label(words(*value));
        if response.drag_stopped() || (response.changed() && !response.dragged()) {
            Slid::Released
        } else if response.dragged() {
            Slid::Moving
        } else {
            Slid::No
        }
    })
    .inner
}

fn color_controls(ui: &mut Ui, controls: &mut Controls) {
    let keys = format!("1 – {}", ColorField::ALL.len());
    section(ui, "Colour", &[keys]);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for (place, field) in ColorField::ALL.into_iter().enumerate() {
            let button = Button::selectable(controls.field == field, RichText::new(field.label()).small())
                .frame_when_inactive(true)
                .shortcut_text(RichText::new(Action::ColorField(place).key_label()).small());
            if ui.add(button).clicked() {
                controls.field = field;
            }
        }
    });
}

fn display_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Display", &[]);
    ui.horizontal(|ui| {
        for style in DrawStyle::ALL {
            let button = Button::selectable(controls.style == style, style.label()).frame_when_inactive(true);
            if ui.add(button).clicked() {
                controls.style = style;
            }
        }
        key_at_the_right(ui, Action::NextStyle);
    });
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.label("Solids").on_hover_text("boundaries, bodies and cloth");
        for solids in SolidStyle::ALL {
            let hover = match solids {
                SolidStyle::Mesh => "their surfaces",
                SolidStyle::Particles => "the particles by which the water and the search know them",
                SolidStyle::Hidden => "the water alone",
            };
            let button = Button::selectable(controls.solids == solids, RichText::new(solids.label()).small());
            if ui.add(button.frame_when_inactive(true)).on_hover_text(hover).clicked() {
                controls.solids = solids;
            }
        }
        key_at_the_right(ui, Action::NextSolidStyle);
    });
    cell_edges_control(ui, controls, report);
    ui.horizontal(|ui| {
        ui.checkbox(&mut controls.probes_open, "Plots of probes")
            .on_hover_text("what the scene file's probes read off the water: heights, fronts, pressures, energies");
        key_at_the_right(ui, Action::ToggleProbes);
    });
    ui.horizontal(|ui| {
        ui.checkbox(&mut controls.vsync, "Wait for the display (vsync)");
        key_at_the_right(ui, Action::ToggleVsync);
    });
    ui.add_space(4.0);
    if let Some(running) = &report.running {
        let resolution = running.resolution;
        remark(ui, running.scene.description.clone());
        for notice in &running.notices {
            remark(ui, notice.clone());
        }
        remark(
            ui,
            format!(
                "spacing {}, step {} ms, sound {} m/s",
                words::length(resolution.spacing.into()),
                words::number(f64::from(resolution.time_step) * 1e3),
                words::number(resolution.sound_speed.into()),
            ),
        );
    }
}

/// What is dropped and shot into the water.
fn body_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Bodies", &[]);
    if !controls.takes_bodies() {
        remark(ui, "bodies need a scene of three dimensions");
        return;
    }
    ui.horizontal(|ui| {
        let missile = &mut controls.missile;
        for (is_ball, words) in [(false, "Box"), (true, "Ball")] {
            let button = Button::selectable(missile.is_ball == is_ball, words).frame_when_inactive(true);
            if ui.add(button).clicked() {
                missile.is_ball = is_ball;
            }
        }
        let percent = DragValue::new(&mut missile.size).range(0.05..=0.6).speed(0.005);
        let percent = percent.custom_formatter(|size, _| format!("{:.0} %", 100.0 * size));
        ui.add(percent.custom_parser(|text| Some(0.01 * text.trim_end_matches([' ', '%']).parse::<f64>().ok()?)))
            .on_hover_text("edge or diameter, of the tank's shortest edge; drag to change");
        let density = DragValue::new(&mut missile.relative_density).range(0.05..=20.0).speed(0.01);
        ui.add(density.max_decimals(2).suffix(" x water"))
            .on_hover_text("density over the water's: what is below 1 floats; drag to change");
    });
    let count = report.running.as_ref().map_or(0, |running| running.body_count);
    if count > 0 {
        remark(ui, format!("{} in the scene", words::count(count as u64)));
    }
    let drop = (Action::DropBody, "Drop", "lets it fall from the top, over the pointer");
    let shoot = (Action::ShootBody, "Shoot", "shoots it from where you look from at the pointer");
    two_buttons(ui, controls, report, [drop, shoot]);
}

/// The file that the state is saved into and loaded from.
fn state_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "State", &[]);
    let name = TextEdit::singleline(&mut controls.state_file).desired_width(f32::INFINITY);
    ui.add(name).on_hover_text("the file that a state is saved into; a state can also be dropped onto the window");
    let save = (Action::SaveState, "Save", "keeps every particle as it is now, to go on from");
    let load = (Action::LoadState, "Load", "goes on from the saved state, with its scene and settings");
    two_buttons(ui, controls, report, [save, load]);
}

/// Two buttons that share a line.
fn two_buttons(ui: &mut Ui, controls: &mut Controls, report: &Report, buttons: [(Action, &str, &str); 2]) {
    let half = (ui.available_width() - ui.spacing().item_spacing.x) / 2.0;
    ui.horizontal(|ui| {
        for (action, words, hover) in buttons {
            let key = RichText::new(action.key_label()).small();
            let button = Button::new(words).min_size(egui::vec2(half, 0.0)).shortcut_text(key);
            if ui.add(button).on_hover_text(hover).clicked() {
                controls.act(action, report);
            }
        }
    });
}

fn cell_edges_control(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ui.horizontal(|ui| {
        let few = report.running.as_ref().is_none_or(|running| running.has_drawable_cells);
        let hover = "edges of the cells that hold particles; for FENNS and CLAWS also of each cell's inner part";
        let why_not =
            format!("the search has no cells, or more than {}: lines would cover the water", LookCells::EDGES_LIMIT);
        let checkbox = egui::Checkbox::new(&mut controls.cell_edges, "Edges of cells");
        ui.add_enabled(few, checkbox).on_hover_text(hover).on_disabled_hover_text(why_not);
        key_at_the_right(ui, Action::ToggleCellEdges);
    });
}

fn key_at_the_right(ui: &mut Ui, action: Action) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        theme::key_cap(ui, &action.key_label());
    });
}
