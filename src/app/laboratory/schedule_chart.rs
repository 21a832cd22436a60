//! Draws the Gantt chart of a workgroup: one row per subgroup, colored by the range of memory that the subgroup serves.

use bevy_egui::egui::{self, Align2, Color32, FontId, Pos2, Rect, Sense, Stroke, Ui};

use crate::app::theme::{ACCENT, QUIET, TEXT};
use crate::laboratory::{Bar, Gantt, Section, SectionWork, Work};

/// Colors of the ranges of memory, which can be distinguished with all types of color vision (after Okabe and Ito
/// 2008). They repeat from the ninth range on; the bars also carry the number of the range.
const RUN_COLORS: [Color32; 8] = [
    Color32::from_rgb(230, 159, 0),
    Color32::from_rgb(86, 180, 233),
    Color32::from_rgb(0, 158, 115),
    Color32::from_rgb(240, 228, 66),
    Color32::from_rgb(70, 130, 200),
    Color32::from_rgb(213, 94, 0),
    Color32::from_rgb(204, 121, 167),
    Color32::from_rgb(190, 196, 204),
];
/// Color of the chunk's own particles.
pub(super) const OWN_COLOR: Color32 = Color32::from_rgb(118, 132, 150);
/// Background where a subgroup is idle.
const IDLE: Color32 = Color32::from_rgb(12, 14, 18);
const IDLE_LINES: Color32 = Color32::from_rgb(44, 50, 58);
/// Color of the text on bars.
const INK: Color32 = Color32::from_rgb(12, 14, 18);
/// Width of the column with the subgroup numbers, points.
const GUTTER: f32 = 20.0;
const HEAD: f32 = 15.0;
const AXIS: f32 = 16.0;
/// If a lane is lower than this on screen, the lanes of a bar are not drawn separately, points.
const THINNEST_LANE: f32 = 0.7;

/// How a chart is drawn.
pub(super) struct ChartStyle<'a> {
    /// Number of rounds across the width of the chart.
    pub(super) rounds: u32,
    /// Height of the row of a subgroup, points.
    pub(super) lane_height: f32,
    /// Subgroup that is highlighted.
    pub(super) selected: Option<u32>,
    /// Whether pairs of two chunks of the same cell are evaluated once for both particles.
    pub(super) once: bool,
    /// Label of a range of memory.
    pub(super) run_label: &'a dyn Fn(u32) -> String,
}

/// The subgroup under the pointer, and whether it was clicked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pointed {
    pub(super) subgroup: Option<u32>,
    pub(super) clicked: bool,
}

/// Color of a range of memory.
pub(super) fn run_color(run: u32) -> Color32 {
    RUN_COLORS[run as usize % RUN_COLORS.len()]
}

/// Draws the chart over the available width.
pub(super) fn chart_ui(ui: &mut Ui, gantt: &Gantt, style: &ChartStyle<'_>) -> Pointed {
    let height = HEAD + style.lane_height * gantt.subgroups as f32 + AXIS;
    let (rect, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), height), Sense::click());
    let lanes = Rect::from_min_max(
        egui::pos2(rect.left() + GUTTER, rect.top() + HEAD),
        egui::pos2(rect.right() - 4.0, rect.bottom() - AXIS),
    );
    let frame = ChartFrame { lanes, style };
    idle_ground(ui, &frame, gantt);
    for bar in &gantt.bars {
        draw_bar(ui, &frame, gantt, bar);
    }
    gantt.sections.iter().for_each(|section| section_head(ui, &frame, section));
    subgroup_numbers(ui, &frame, gantt);
    axis(ui, &frame);
    let at = response.hover_pos().filter(|at| lanes.y_range().contains(at.y));
    let subgroup = at.map(|at| ((at.y - lanes.top()) / style.lane_height) as u32);
    let subgroup = subgroup.filter(|subgroup| *subgroup < gantt.subgroups);
    let clicked = response.clicked();
    if let (Some(subgroup), Some(at)) = (subgroup, at) {
        response.on_hover_text_at_pointer(words_of(gantt, style, subgroup, frame.round_at(at.x)));
    }
    Pointed { subgroup, clicked }
}

struct ChartFrame<'a> {
    lanes: Rect,
    style: &'a ChartStyle<'a>,
}

impl ChartFrame<'_> {
    fn x(&self, round: u32) -> f32 {
        self.lanes.left() + self.lanes.width() * round as f32 / self.style.rounds.max(1) as f32
    }

    fn round_at(&self, x: f32) -> f32 {
        (x - self.lanes.left()) / self.lanes.width() * self.style.rounds as f32
    }

    fn lane(&self, subgroup: u32) -> Rect {
        let top = self.lanes.top() + self.style.lane_height * subgroup as f32;
        Rect::from_x_y_ranges(self.lanes.x_range(), top..=top + self.style.lane_height)
    }
}

/// Draws the hatched background up to the end of the workgroup; it stays visible where subgroups are idle.
fn idle_ground(ui: &Ui, frame: &ChartFrame<'_>, gantt: &Gantt) {
    let ground = Rect::from_min_max(frame.lanes.min, egui::pos2(frame.x(gantt.rounds), frame.lanes.bottom()));
    let painter = ui.painter().with_clip_rect(ground.intersect(ui.clip_rect()));
    painter.rect_filled(ground, 0, IDLE);
    let mut x = ground.left() - ground.height();
    while x < ground.right() {
        let ends = [Pos2::new(x, ground.bottom()), Pos2::new(x + ground.height(), ground.top())];
        painter.line_segment(ends, Stroke::new(1.0, IDLE_LINES));
        x += 7.0;
    }
}

fn draw_bar(ui: &Ui, frame: &ChartFrame<'_>, gantt: &Gantt, bar: &Bar) {
    let lane = frame.lane(bar.subgroup);
    if !ui.is_rect_visible(lane) || bar.rounds == 0 {
        return;
    }
    let (left, right) = (frame.x(bar.start), frame.x(bar.start + bar.rounds));
    let rect = Rect::from_x_y_ranges(left..=right, lane.top() + 1.0..=lane.bottom() - 0.5);
    let painter = ui.painter();
    let color = bar.source.map_or(OWN_COLOR, run_color);
    let height = rect.height() / gantt.lanes.max(1) as f32;
    if bar.work == Work::Reading {
        painter.rect_filled(rect, 0, color);
    } else if height < THINNEST_LANE {
        // The height shows the average share of the lanes that work during the turn.
        let rounds: u32 = bar.pieces.iter().map(|piece| piece.rounds).sum();
        let share = rounds as f32 / (bar.rounds * gantt.lanes.max(1)) as f32;
        painter.rect_filled(rect.with_max_y(rect.top() + share * rect.height()), 0, color);
    } else {
        for piece in &bar.pieces {
            let top = rect.top() + height * piece.lane as f32;
            let x = left..=frame.x(bar.start + piece.rounds);
            let color = piece.source.map_or(OWN_COLOR, run_color);
            painter.rect_filled(Rect::from_x_y_ranges(x, top..=top + height), 0, color);
        }
    }
    if frame.style.once && bar.work == Work::Serving(1) {
        let mut x = rect.left() + 2.0;
        while x < rect.right() {
            painter.vline(x, rect.y_range(), Stroke::new(1.0, INK));
            x += 4.0;
        }
    }
    painter.vline(right, rect.y_range(), Stroke::new(0.5, IDLE));
    let Some(source) = bar.source else { return };
    let text = (frame.style.run_label)(source);
    let size = (frame.style.lane_height - 2.0).clamp(7.0, 11.0);
    let galley = painter.layout_no_wrap(text, FontId::proportional(size), INK);
    if galley.size().x + 3.0 <= rect.width() {
        let place = egui::pos2(rect.left() + 2.0, rect.center().y - 0.5 * galley.size().y);
        if bar.work != Work::Reading {
            let ground = Rect::from_min_size(place, galley.size()).expand2(egui::vec2(1.5, -1.5));
            painter.rect_filled(ground, 1, color);
        }
        painter.galley(place, galley, INK);
    }
}

fn section_head(ui: &Ui, frame: &ChartFrame<'_>, section: &Section) {
    let (left, right) = (frame.x(section.start), frame.x(section.start + section.rounds));
    let painter = ui.painter();
    let y = frame.lanes.top() - HEAD..=frame.lanes.bottom();
    painter.vline(right, y, Stroke::new(1.0, QUIET));
    for text in section_words(section) {
        let galley = painter.layout_no_wrap(text.into(), FontId::proportional(10.5), TEXT);
        if galley.size().x + 4.0 <= right - left {
            let place = egui::pos2(0.5 * (left + right - galley.size().x), frame.lanes.top() - HEAD);
            painter.galley(place, galley, TEXT);
            return;
        }
    }
}

/// Titles of a section, from the longest to the shortest.
pub(super) fn section_words(section: &Section) -> [&'static str; 3] {
    match (section.work, section.phase) {
        (SectionWork::Reading, 1) => ["read the cell's other particles", "read cell", "R"],
        (SectionWork::Reading, _) => ["read surrounding border particles", "read", "R"],
        (SectionWork::Serving, 0) => ["the chunk itself", "chunk", "C"],
        (SectionWork::Serving, 1) => ["serve the rest of the cell", "serve cell", "S"],
        (SectionWork::Serving, _) => ["serve surrounding border particles", "serve", "S"],
        (SectionWork::ReadingAndServing, 1) => ["read and serve the rest of the cell", "read and serve cell", "S"],
        (SectionWork::ReadingAndServing, _) => ["read and serve surrounding border particles", "read and serve", "S"],
    }
}

fn subgroup_numbers(ui: &Ui, frame: &ChartFrame<'_>, gantt: &Gantt) {
    let painter = ui.painter();
    let size = (frame.style.lane_height - 1.0).clamp(7.0, 11.0);
    for subgroup in 0..gantt.subgroups {
        let lane = frame.lane(subgroup);
        let is_selected = frame.style.selected == Some(subgroup);
        let color = if is_selected { ACCENT } else { QUIET };
        let at = egui::pos2(frame.lanes.left() - 4.0, lane.center().y);
        painter.text(at, Align2::RIGHT_CENTER, subgroup.to_string(), FontId::proportional(size), color);
        if is_selected {
            painter.rect_stroke(lane, 0, Stroke::new(1.5, ACCENT), egui::StrokeKind::Inside);
        }
    }
}

fn axis(ui: &Ui, frame: &ChartFrame<'_>) {
    let painter = ui.painter();
    let step = nice_step(f64::from(frame.style.rounds) * 60.0 / f64::from(frame.lanes.width().max(1.0)));
    let bottom = frame.lanes.bottom();
    for round in (0..=frame.style.rounds).step_by(step as usize) {
        let x = frame.x(round);
        painter.vline(x, bottom..=bottom + 3.0, Stroke::new(1.0, QUIET));
        let word = if round == 0 { "0 rounds".to_owned() } else { round.to_string() };
        let align = if round == 0 { Align2::LEFT_TOP } else { Align2::CENTER_TOP };
        painter.text(egui::pos2(x, bottom + 3.0), align, word, FontId::proportional(10.5), QUIET);
    }
}

/// The smallest of 1, 2, 5, 10, 20 ... that is at least `least`.
fn nice_step(least: f64) -> u32 {
    let mut power = 1;
    loop {
        for factor in [1, 2, 5] {
            if f64::from(factor * power) >= least {
                return factor * power;
            }
        }
        power *= 10;
        if power >= 100_000_000 {
            return power;
        }
    }
}

/// Hover text: what a subgroup does in total and at one round.
fn words_of(gantt: &Gantt, style: &ChartStyle<'_>, subgroup: u32, round: f32) -> String {
    let busy = gantt.busy_rounds(subgroup);
    let idle = 100.0 * (1.0 - f64::from(busy) / f64::from(gantt.rounds.max(1)));
    let mut words = format!("subgroup {subgroup}: busy in {busy} of {} rounds, idle {idle:.0} %", gantt.rounds);
    let is_now =
        |bar: &&Bar| bar.subgroup == subgroup && (bar.start as f32) <= round && round < (bar.start + bar.rounds) as f32;
    let now = match gantt.bars.iter().find(is_now) {
        Some(Bar { work: Work::Reading, source, rounds, .. }) => {
            let run = source.map(|source| (style.run_label)(source)).unwrap_or_default();
            format!("reads {rounds} positions with each lane from row {run}")
        }
        Some(bar) => {
            let lanes = bar.pieces.len();
            let tested: u32 = bar.pieces.iter().map(|piece| piece.rounds).sum();
            let (all, rounds) = (gantt.lanes, bar.rounds);
            format!("serves {lanes} particles with {all} lanes; {tested} candidates tested in {rounds} rounds")
        }
        None if round < gantt.rounds as f32 => "waits for the other subgroups".to_owned(),
        None => return words,
    };
    words.push('\n');
    words.push_str(&now);
    words
}

#[cfg(test)]
mod tests {
    use super::nice_step;

    #[test]
    fn axes_have_round_steps() {
        for (least, expected) in [(0.0, 1), (1.5, 2), (2.1, 5), (7.0, 10), (49.9, 50), (51.0, 100)] {
            assert_eq!(nice_step(least), expected, "{least}");
        }
    }
}
