//! Colors, fonts and small widgets that all parts of the user interface share.

use bevy_egui::egui::{
    self, Align2, Color32, CornerRadius, FontFamily, FontId, Frame, Margin, Rect, Response, RichText, Sense, Stroke,
    TextStyle, Ui, Vec2,
};

use crate::gpu::Phase;
use crate::render::Mark;

/// Accent color of headings, selections and active widgets.
pub(super) const ACCENT: Color32 = Color32::from_rgb(76, 194, 214);
/// Background of panels.
pub(super) const SURFACE: Color32 = Color32::from_rgb(22, 26, 32);
/// Background of buttons and slider rails.
pub(super) const RAISED: Color32 = Color32::from_rgb(38, 44, 53);
/// Background of buttons and slider rails under the pointer.
const HOVERED: Color32 = Color32::from_rgb(52, 60, 71);
/// Thin lines between panels.
const LINE: Color32 = Color32::from_rgb(44, 51, 61);
/// Primary text.
pub(super) const TEXT: Color32 = Color32::from_rgb(222, 228, 235);
/// Secondary text.
pub(super) const QUIET: Color32 = Color32::from_rgb(143, 154, 167);
/// Messages.
pub(super) const WARNING: Color32 = Color32::from_rgb(242, 177, 96);

/// Color of a phase in the stacked bar. The hues are distinguishable with any kind of color vision (after Okabe and Ito
/// 2008).
pub(super) fn phase_color(phase: Phase) -> Color32 {
    match phase {
        Phase::Build => Color32::from_rgb(230, 159, 0),
        Phase::Search => Color32::from_rgb(86, 180, 233),
        Phase::Physics => Color32::from_rgb(0, 158, 115),
        Phase::Drawing => Color32::from_rgb(204, 121, 167),
    }
}

/// Color in which the scene draws the particles of a role.
pub(super) fn mark_color(mark: Mark) -> Color32 {
    mark.color().map_or(ACCENT, |[red, green, blue]| Color32::from_rgb(red, green, blue))
}

/// Color of the curve with this index in a plot. The hues are distinguishable as those of the phases are.
pub(super) fn curve_color(place: usize) -> Color32 {
    const COLORS: [Color32; 6] = [
        ACCENT,
        Color32::from_rgb(230, 159, 0),
        Color32::from_rgb(204, 121, 167),
        Color32::from_rgb(120, 200, 130),
        Color32::from_rgb(240, 228, 66),
        Color32::from_rgb(170, 160, 240),
    ];
    COLORS[place % COLORS.len()]
}

/// Applies the program's style to an egui context.
pub fn apply_theme(context: &egui::Context) {
    context.set_theme(egui::Theme::Dark);
    context.all_styles_mut(|style| {
        let size = |size| FontId::new(size, FontFamily::Proportional);
        style.text_styles = [
            (TextStyle::Heading, size(19.0)),
            (TextStyle::Body, size(13.5)),
            (TextStyle::Button, size(13.5)),
            (TextStyle::Small, size(11.5)),
            (TextStyle::Monospace, FontId::new(12.0, FontFamily::Monospace)),
        ]
        .into();
        style.spacing.item_spacing = Vec2::new(6.0, 5.0);
        style.spacing.button_padding = Vec2::new(8.0, 3.5);
        style.spacing.interact_size.y = 22.0;
        style.spacing.slider_rail_height = 4.0;
        style.spacing.tooltip_width = 300.0;
        // The scroll bar stays visible without the pointer over it, to show that there is more content.
        style.spacing.scroll.dormant_handle_opacity = 0.5;
        style.spacing.scroll.dormant_background_opacity = 0.2;
        style.interaction.selectable_labels = false;
        let visuals = &mut style.visuals;
        visuals.panel_fill = SURFACE;
        visuals.window_fill = SURFACE;
        visuals.window_stroke = Stroke::new(1.0, LINE);
        visuals.extreme_bg_color = Color32::from_rgb(14, 17, 21);
        visuals.selection.bg_fill = Color32::from_rgb(24, 78, 92);
        visuals.selection.stroke = Stroke::new(1.0, Color32::from_rgb(205, 244, 250));
        visuals.slider_trailing_fill = true;
        visuals.warn_fg_color = WARNING;
        visuals.weak_text_color = Some(QUIET);
        let widgets = &mut visuals.widgets;
        widgets.noninteractive.fg_stroke = Stroke::new(1.0, TEXT);
        widgets.noninteractive.bg_stroke = Stroke::new(1.0, LINE);
        for (state, fill) in [
            (&mut widgets.inactive, RAISED),
            (&mut widgets.hovered, HOVERED),
            (&mut widgets.active, HOVERED),
            (&mut widgets.open, HOVERED),
        ] {
            state.weak_bg_fill = fill;
            state.bg_fill = fill;
            state.bg_stroke = Stroke::NONE;
            state.fg_stroke = Stroke::new(1.0, TEXT);
            state.corner_radius = CornerRadius::same(4);
            state.expansion = 0.0;
        }
        widgets.active.fg_stroke.color = ACCENT;
    });
}

/// Lays out every character in every size in use without showing it. A new glyph reaches the screen a frame late, which
/// would show as missing digits where frames are slow.
pub fn warm_up_fonts(context: &egui::Context) {
    let characters: String = (' '..='~').chain("–·³²⁴⁷₀₁₂ρβπαγκλνσωΔ∇∑∂√∈∉∧≈≠≤≥⌊⌋⌈⌉×−½…".chars()).collect();
    context.fonts_mut(|fonts| {
        for size in [10.5, 11.5, 12.0, 12.5, 13.0, 13.5, 14.5, 15.0, 19.0] {
            fonts.layout_no_wrap(characters.clone(), FontId::proportional(size), TEXT);
        }
    });
}

/// The frame of a panel at the window's edge.
pub(super) fn panel_frame() -> Frame {
    Frame::new().fill(SURFACE).inner_margin(Margin { left: 12, right: 6, top: 9, bottom: 8 })
}

/// The frame of an area that floats over the scene.
pub(super) fn floating_frame() -> Frame {
    Frame::new()
        .fill(SURFACE.gamma_multiply(0.92))
        .stroke(Stroke::new(1.0, LINE))
        .corner_radius(6)
        .inner_margin(Margin::symmetric(10, 7))
}

/// Draws the heading of a group of controls, with the keys of the group.
pub(super) fn section(ui: &mut Ui, title: &str, keys: &[String]) {
    ui.add_space(5.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new(title).strong().color(ACCENT).size(13.0));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            keys.iter().rev().for_each(|key| key_cap(ui, key));
        });
    });
}

/// Draws the label of a key as a key cap.
pub(super) fn key_cap(ui: &mut Ui, key: &str) {
    if key.is_empty() {
        return;
    }
    let font = FontId::new(10.5, FontFamily::Proportional);
    let galley = ui.painter().layout_no_wrap(key.to_owned(), font, QUIET);
    let size = Vec2::new((galley.size().x + 9.0).max(17.0), 16.0);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    ui.painter().rect(rect, 3, Color32::from_rgb(30, 35, 42), Stroke::new(1.0, LINE), egui::StrokeKind::Inside);
    ui.painter().galley(rect.center() - galley.size() * 0.5, galley, QUIET);
}

/// Draws an arrow that turns back to the left, the symbol of a return to the default.
pub(super) fn back_arrow(painter: &egui::Painter, rect: Rect, color: Color32) {
    let (center, radius) = (rect.center(), 0.27 * rect.height());
    let at = |turn: f32| center + radius * Vec2::angled(turn * std::f32::consts::TAU);
    // Three quarters of a circle, clockwise on the screen from the upper left.
    let (first, last) = (0.62_f32, 1.37_f32);
    let arc = (0..=18).map(|step| at(first + (last - first) * step as f32 / 18.0)).collect();
    painter.add(egui::Shape::line(arc, Stroke::new(1.4, color)));
    let tip = at(first) + radius * Vec2::new(-0.55, 0.55);
    let head = vec![tip, tip + radius * Vec2::new(0.15, -1.15), tip + radius * Vec2::new(1.15, -0.1)];
    painter.add(egui::Shape::convex_polygon(head, color, Stroke::NONE));
}

/// Draws a remark in small secondary text.
pub(super) fn remark(ui: &mut Ui, text: impl Into<String>) -> Response {
    ui.label(RichText::new(text).small().color(QUIET))
}

/// Draws a line through `values`; the bottom of `rect` is 0, and its top is the largest value.
pub(super) fn sparkline(ui: &Ui, rect: Rect, values: impl ExactSizeIterator<Item = f32> + Clone, color: Color32) {
    let largest = values.clone().fold(0.0, f32::max);
    let count = values.len();
    if largest <= 0.0 || count < 2 {
        return;
    }
    let points = values.enumerate().map(|(place, value)| {
        let x = rect.left() + rect.width() * place as f32 / (count - 1) as f32;
        egui::pos2(x, rect.bottom() - rect.height() * value / largest)
    });
    ui.painter().add(egui::Shape::line(points.collect(), Stroke::new(1.0, color)));
}

/// Draws text centered in `rect`, unless the text is wider.
pub(super) fn text_inside(ui: &Ui, rect: Rect, text: &str, color: Color32) {
    let galley = ui.painter().layout_no_wrap(text.to_owned(), FontId::proportional(11.5), color);
    if galley.size().x + 8.0 <= rect.width() {
        let place = Align2::CENTER_CENTER.anchor_size(rect.center(), galley.size());
        ui.painter().galley(place.min, galley, color);
    }
}
