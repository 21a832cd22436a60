//! The panel at the left of the window, with the controls of the simulation and of its picture.

use bevy_egui::egui::{self, Button, ComboBox, DragValue, RichText, ScrollArea, Slider, SliderClamping, TextEdit, Ui};

use super::fluid_panel::fluid_controls;
use super::pace::{faster_search_ui, pace_ui};
use super::theme::{self, remark, section};
use super::{Action, Controls, Report, UI_SCALES, format};
use crate::fluid::probes::PROBES;
use crate::fluid::{Scene, Size, SmoothingKernel};
use crate::laboratory::{MOST_OFFERED, SearchLimits};
use crate::render::color_fields::COLOR_FIELDS;
use crate::render::{ColorField, DrawStyle, LookCells, SolidStyle, Theme};
use crate::search::{OptionKind, SEARCHES, SearchOption, SearchOptions, same_value};

/// Numbers of particles that have buttons.
const PRESETS: [u32; 6] = [4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
/// Lower end of the slider of the number of particles. The upper end depends on the device and the search.
const LEAST_COUNT: f64 = 1_000.0;

/// Draws every control from top to bottom, each with its key. Only `controls` is changed; the panel does not access the
/// device.
pub fn panel_ui(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    // The right margin leaves room for the scroll bar.
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
            action_button(
                ui,
                controls,
                report,
                (Action::ToggleHelp, "Keys"),
                "the list of all keys and of what the mouse does",
            );
            super::lessons::lessons_button(ui, controls, report);
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
        let words = if paused { "Resume" } else { "Pause" };
        button(ui, paused, Action::TogglePause, words, "pauses or resumes the simulation");
        button(ui, false, Action::StepOnce, "One step", "pauses the simulation and makes one time step");
    });
    ui.horizontal(|ui| {
        button(ui, false, Action::Reset, "Reset", "returns to the scene's first frame and pauses");
        button(
            ui,
            slow,
            Action::ToggleSlowMotion,
            "Slow motion",
            "a quarter of the steps per second, of the same length",
        );
    });
}

pub(super) fn search_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Neighbor search", &[Action::PreviousSearch.key_label(), Action::NextSearch.key_label()]);
    // Two columns, so that the other controls stay visible.
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
            if let Some(value) = option_buttons(ui, &controls.settings.options, option) {
                controls.choose_option(option, value);
            }
            if place == 0 {
                key_at_the_right(ui, Action::NextOption);
            }
        });
    }
    class_counts(ui, report);
    faster_search_ui(ui, controls, report);
}

/// Draws one setting of a search: a button for each usual value, and an input field if it is a number. Returns the
/// value that the user selected.
pub(super) fn option_buttons(ui: &mut Ui, options: &SearchOptions, option: &'static SearchOption) -> Option<f32> {
    ui.spacing_mut().item_spacing.x = 4.0;
    ui.label(option.title).on_hover_text(option.hover);
    let value = options.value(option);
    let mut chosen = None;
    for (place, usual) in option.usual_values().into_iter().enumerate() {
        let button = Button::selectable(same_value(value, usual), RichText::new(option.label(usual)).small())
            .frame_when_inactive(true)
            .min_size(egui::vec2(26.0, 0.0));
        let hover = match &option.kind {
            OptionKind::Choice(choices) => choices[place].hover,
            OptionKind::Number { .. } => option.hover,
        };
        if ui.add(button).on_hover_text(hover).clicked() {
            chosen = Some(usual);
        }
    }
    if let OptionKind::Number { least, most, whole, suffix, word, .. } = option.kind
        && word.is_none_or(|(at, _)| !same_value(value, at))
    {
        // A narrow field leaves room for the key beside it.
        ui.spacing_mut().interact_size.x = 26.0;
        let mut number = value.clamp(least, most);
        let field = DragValue::new(&mut number).range(least..=most).speed(0.01 * (most - least)).suffix(suffix);
        let field = if whole { field.max_decimals(0) } else { field.max_decimals(2) };
        if ui.add(field.update_while_editing(false)).on_hover_text(option.hover).changed() {
            chosen = Some(if whole { number.round() } else { number });
        }
    }
    chosen
}

/// Draws the number of particles in each class, if the search has classes.
fn class_counts(ui: &mut Ui, report: &Report) {
    let (Some(running), Some(border)) = (&report.running, report.survey.and_then(|survey| survey.border)) else {
        return;
    };
    let inner = running.resolution.particle_count.saturating_sub(border);
    let text = format!("{} border, {} inner particles", format::count(border.into()), format::count(inner.into()));
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
    let limits = report.limits.of(controls.settings.search);
    let last = limits.map_or(MOST_OFFERED, SearchLimits::last_offered);
    let why = limits.map(SearchLimits::why_it_ends).unwrap_or_default();
    let mut value = controls.count_draft.or(running).unwrap_or(LEAST_COUNT);
    let range = LEAST_COUNT..=(last as f64).max(LEAST_COUNT);
    let hover = format!("number of particles. {why}");
    let response = slider(ui, &mut value, range, |value| format::count(value as u64), &hover);
    controls.count_draft = response.then_some(value);
    if let Slid::Released = response {
        controls.pace.keeps_real_time = false;
        controls.change(|settings| settings.size = Size::Count(value as u32));
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for preset in PRESETS {
            let selected = controls.settings.size == Size::Count(preset);
            let button = Button::selectable(selected, RichText::new(format::short_count(preset.into())).small());
            let hover = format!("{} particles", format::count(preset.into()));
            let button = ui.add_enabled(u64::from(preset) <= last, button.frame_when_inactive(true));
            if button.on_hover_text(hover).on_disabled_hover_text(&why).clicked() {
                controls.pace.keeps_real_time = false;
                controls.change(|settings| settings.size = Size::Count(preset));
            }
        }
    });
    pace_ui(ui, controls, report);
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
    let response = slider(ui, &mut value, range, format::length, "particles closer than this are neighbors");
    controls.radius_draft = response.then_some(value);
    if let Slid::Released = response {
        controls.change(|settings| settings.size = Size::Radius(value as f32));
    }
}

/// Whether the scene's particles come from files that set their spacing. If so, draws a remark in place of the control.
fn points_have_a_size(ui: &mut Ui, controls: &Controls, title: &str) -> bool {
    let spacing = controls.scene.points_spacing();
    if let Some(spacing) = spacing {
        section(ui, title, &[]);
        remark(ui, format!("set by the scene's files: spacing {}", format::length(spacing.into())));
    }
    spacing.is_some()
}

/// The state of a slider's handle in this frame.
#[derive(Clone, Copy, PartialEq)]
enum Slid {
    /// The handle was not touched.
    No,
    /// The handle is being dragged.
    Moving,
    /// The handle was released, or the value was changed by a click.
    Released,
}

impl Slid {
    /// The value, while the handle is dragged and the value is not applied yet.
    fn then_some(self, value: f64) -> Option<f64> {
        (self == Self::Moving).then_some(value)
    }
}

/// Draws a logarithmic slider with its value at the right. The values that it sets restart the scene, so they are
/// applied when the handle is released, not while it is dragged.
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
    let keys = format!("1 – {}", COLOR_FIELDS.len());
    section(ui, "Color", &[keys]);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for (place, field) in ColorField::all().enumerate() {
            let button = Button::selectable(controls.field == field, RichText::new(field.label()).small())
                .frame_when_inactive(true)
                .shortcut_text(RichText::new(Action::ColorField(place).key_label()).small());
            if ui.add(button).clicked() {
                controls.field = field;
            }
        }
    });
}

fn probes_hover() -> String {
    let measured: Vec<_> = PROBES.iter().map(|kind| kind.measures).collect();
    format!("plots what the scene file's probes measure; there are probes for: {}", measured.join("; "))
}

fn display_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Display", &[]);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for style in DrawStyle::ALL {
            let button = Button::selectable(controls.style == style, RichText::new(style.label()).small());
            if ui.add(button.frame_when_inactive(true)).clicked() {
                controls.style = style;
            }
        }
        key_at_the_right(ui, Action::NextStyle);
    });
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.label("Surroundings").on_hover_text("brightness of the room around the water");
        for theme in Theme::ALL {
            let button = Button::selectable(controls.theme == theme, RichText::new(theme.name()).small());
            if ui.add(button.frame_when_inactive(true)).clicked() {
                controls.theme = theme;
            }
        }
    });
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.label("Solids").on_hover_text("boundaries, bodies and cloth");
        for solids in SolidStyle::ALL {
            let hover = match solids {
                SolidStyle::Mesh => "draws the surfaces of solids",
                SolidStyle::Particles => "draws the particles that represent solids in the simulation and the search",
                SolidStyle::Hidden => "draws no solids",
            };
            let button = Button::selectable(controls.solids == solids, RichText::new(solids.label()).small());
            if ui.add(button.frame_when_inactive(true)).on_hover_text(hover).clicked() {
                controls.solids = solids;
            }
        }
        key_at_the_right(ui, Action::NextSolidStyle);
    });
    cell_edges_control(ui, controls, report);
    super::badge_ui::badge_checkbox(ui, controls, report);
    ui.horizontal(|ui| {
        ui.checkbox(&mut controls.probes_open, "Plots of probes").on_hover_text(probes_hover());
        key_at_the_right(ui, Action::ToggleProbes);
    });
    ui.horizontal(|ui| {
        ui.checkbox(&mut controls.vsync, "Wait for the display (vsync)");
        key_at_the_right(ui, Action::ToggleVsync);
    });
    ui_scale_control(ui, controls);
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
                "spacing {}, time step {} ms, speed of sound {} m/s",
                format::length(resolution.spacing.into()),
                format::number(f64::from(resolution.time_step) * 1e3),
                format::number(resolution.sound_speed.into()),
            ),
        );
    }
}

/// Draws the control of the size of texts and buttons.
fn ui_scale_control(ui: &mut Ui, controls: &mut Controls) {
    ui.horizontal(|ui| {
        ui.label("Text size").on_hover_text("the size of texts and buttons in percent; saved for the next start");
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            theme::key_cap(ui, &Action::LargerUi.key_label());
            theme::key_cap(ui, &Action::SmallerUi.key_label());
            let percent = |percent: u16| format!("{percent} %");
            let combo = ComboBox::from_id_salt("ui scale").selected_text(percent(controls.ui_scale)).width(70.0);
            combo.show_ui(ui, |ui| {
                for scale in UI_SCALES {
                    ui.selectable_value(&mut controls.ui_scale, scale, percent(scale));
                }
            });
        });
    });
}

/// Draws the controls of the bodies that are dropped and shot into the water.
fn body_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "Bodies", &[]);
    if !controls.takes_bodies() {
        remark(ui, "bodies require a three-dimensional scene");
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
            .on_hover_text("edge length or diameter in percent of the tank's shortest edge; drag to change");
        let density = DragValue::new(&mut missile.relative_density).range(0.05..=20.0).speed(0.01);
        ui.add(density.max_decimals(2).suffix(" x water"))
            .on_hover_text("density relative to water: bodies below 1 float; drag to change");
    });
    let count = report.running.as_ref().map_or(0, |running| running.body_count);
    if count > 0 {
        remark(ui, format!("{} in the scene", format::count(count as u64)));
    }
    let drop = (Action::DropBody, "Drop", "lets a body fall from the top of the tank, above the pointer");
    let shoot = (Action::ShootBody, "Shoot", "shoots a body from the camera toward the pointer");
    two_buttons(ui, controls, report, [drop, shoot]);
}

/// Draws the controls that save and load the state.
fn state_controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    section(ui, "State", &[]);
    let name = TextEdit::singleline(&mut controls.state_file).desired_width(f32::INFINITY);
    ui.add(name).on_hover_text(
        "the file to which a state is saved and from which it is loaded; a state can also be dropped onto the window",
    );
    let save = (Action::SaveState, "Save", "saves the state of all particles, from which the simulation can resume");
    let load = (Action::LoadState, "Load", "resumes from the saved state, with its scene and settings");
    two_buttons(ui, controls, report, [save, load]);
}

/// Draws two buttons side by side.
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
        let hover = "draws the edges of the cells that contain particles; for FENNS and CLAWS also those of each \
                     cell's inner part";
        let limit = LookCells::EDGES_LIMIT;
        let why_not = format!("the search has no cells, or more than {limit}, whose edges would cover the water");
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
