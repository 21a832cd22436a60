//! Bar chart of a race: one row per search, with its name, its value, and the ratio of that value to the best one.

use bevy_egui::egui::{self, Align2, Color32, FontId, Rect, Sense, Ui};
use std::fmt::Write as _;

use crate::app::format;
use crate::app::theme::{ACCENT, QUIET, TEXT, WARNING, phase_color};
use crate::gpu::Phase;
use crate::laboratory::{RaceColumn, RaceFigures, RaceRow, RaceTable};
use crate::search::verify::SearchConfiguration;

const HEIGHT: f32 = 19.0;

/// The title of a search, followed by those of its settings that differ from their defaults.
pub(super) fn configuration_title(configuration: &SearchConfiguration) -> String {
    let mut title = configuration.search.title.to_owned();
    for option in configuration.search.all_options() {
        let value = configuration.options.value(option);
        if !option.is_default(value) {
            _ = write!(title, ", {} {}", option.title.to_lowercase(), option.label(value));
        }
    }
    title
}

/// A value of a column as text, with the unit of that column.
pub(super) fn written(column: RaceColumn, value: f64) -> String {
    if column == RaceColumn::Bytes { format::bytes(value as u64) } else { format::number(value) }
}

/// Draws one bar per row of a race, the smallest value first; bar lengths are relative to the largest value shown.
pub(super) fn race_bars(ui: &mut Ui, table: &RaceTable, column: RaceColumn) {
    let value = |row: &RaceRow| row.figures().and_then(|figures| figures.value(column, table.particle_count));
    let mut rows: Vec<&RaceRow> = table.rows.iter().collect();
    rows.sort_by(|a, b| value(a).unwrap_or(f64::INFINITY).total_cmp(&value(b).unwrap_or(f64::INFINITY)));
    let most = rows.iter().filter_map(|row| value(row)).fold(0.0, f64::max);
    let winner = table.winner().map(|row| &row.configuration);
    for row in rows {
        bar(ui, table, (row, column, most), winner == Some(&row.configuration));
    }
}

fn bar(ui: &mut Ui, table: &RaceTable, (row, column, most): (&RaceRow, RaceColumn, f64), wins: bool) {
    let width = ui.available_width();
    let (rect, response) = ui.allocate_exact_size(egui::vec2(width, HEIGHT), Sense::hover());
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let name_width = (0.42 * width).min(170.0);
    let color = if wins { ACCENT } else { TEXT };
    let font = FontId::proportional(12.5);
    let name = configuration_title(&row.configuration);
    let name_rect = Rect::from_min_max(rect.min, egui::pos2(rect.left() + name_width - 6.0, rect.bottom()));
    painter.with_clip_rect(name_rect.intersect(ui.clip_rect())).text(
        rect.left_center(),
        Align2::LEFT_CENTER,
        &name,
        font.clone(),
        color,
    );
    let room =
        Rect::from_min_max(egui::pos2(rect.left() + name_width, rect.top() + 2.0), rect.max - egui::vec2(0.0, 2.0));
    let Some((figures, value)) =
        row.figures().and_then(|figures| Some((figures, figures.value(column, table.particle_count)?)))
    else {
        let words =
            if row.remark().is_empty() { "not measured".to_owned() } else { format!("refused: {}", row.remark()) };
        painter.text(room.left_center(), Align2::LEFT_CENTER, &words, FontId::proportional(11.5), WARNING);
        response.on_hover_text(words);
        return;
    };
    // The last 104 points at the right are reserved for the number.
    let scale = if most > 0.0 { (room.width() - 104.0).max(10.0) / most as f32 } else { 0.0 };
    let mut left = room.left();
    for (part, color) in parts(figures, column, value) {
        let end = left + part as f32 * scale;
        painter.rect_filled(Rect::from_x_y_ranges(left..=end, room.y_range()), 1, color);
        left = end;
    }
    let ratio = table.ratio(row, column).map(|ratio| format!("  {ratio:.2}x")).unwrap_or_default();
    let mut words = format!("{}{ratio}", written(column, value));
    if wins {
        words += "  1st";
    }
    if !row.remark().is_empty() {
        words += "  WRONG";
    }
    painter.text(egui::pos2(left + 5.0, room.center().y), Align2::LEFT_CENTER, words, font, color);
    response.on_hover_ui(|ui| hover(ui, &name, figures, table, row));
}

/// Lengths and colors of the parts of a bar: one part per phase for the total, a single part for every other column.
fn parts(figures: &RaceFigures, column: RaceColumn, value: f64) -> Vec<(f64, Color32)> {
    match column {
        RaceColumn::Total => {
            let build = figures.search.build.median;
            let physics = figures.physics.map_or(0.0, |physics| physics.median);
            let search = (value - build - physics).max(0.0);
            vec![
                (build, phase_color(Phase::Build)),
                (search, phase_color(Phase::Search)),
                (physics, phase_color(Phase::Physics)),
            ]
        }
        RaceColumn::Build => vec![(value, phase_color(Phase::Build))],
        RaceColumn::Search => vec![(value, phase_color(Phase::Search))],
        RaceColumn::Physics => vec![(value, phase_color(Phase::Physics))],
        _ => vec![(value, QUIET)],
    }
}

fn hover(ui: &mut Ui, name: &str, figures: &RaceFigures, table: &RaceTable, row: &RaceRow) {
    ui.strong(name);
    for column in table.columns() {
        if let Some(value) = figures.value(column, table.particle_count) {
            let ratio =
                table.ratio(row, column).map(|ratio| format!(", {ratio:.2} times the best")).unwrap_or_default();
            ui.label(format!("{}: {}{ratio}", column.label(), written(column, value)));
        }
    }
    if !row.remark().is_empty() {
        ui.colored_label(WARNING, row.remark());
    }
}
