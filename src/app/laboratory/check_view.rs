//! The view "Check mine": compares a neighbor list that another program wrote with a search of this program, and shows
//! the pairs that are missing, extra or listed twice, what they have in common, and each of them in the scene.

use bevy_egui::egui::{self, Button, Color32, ComboBox, Grid, RichText, ScrollArea, TextEdit, TextStyle, Ui};
use glam::{UVec3, Vec3};
use std::fmt::Write as _;

use super::check_controls::{CheckControls, middle, outcome};
use super::view::{Label, Overlay, Stage, ViewInfo};
use crate::app::panel::option_row;
use crate::app::theme::{ACCENT, QUIET, TEXT, WARNING, mark_color, remark, section};
use crate::app::{Controls, Report, format};
use crate::laboratory::check::patterns::percent;
use crate::laboratory::check::{CheckMine, CheckedList, Directions, WrongPair, WrongPairs};
use crate::laboratory::{LabRequest, Target};
use crate::render::{DrawnBox, DrawnSegment, DrawnShell, Mark};
use crate::search::{Cells, Domain, SEARCHES};

/// The largest number of wrong pairs that are drawn at once.
const MOST_LINES: usize = 3_000;
/// The largest number of cells of the search that are drawn as boxes.
const MOST_CELLS: u32 = 512;
/// Color (linear RGB) and opacity of the file's points.
const POINT: [f32; 4] = [0.45, 0.62, 0.75, 0.75];
/// Direction from the shown objects to the camera.
const DIRECTION: Vec3 = Vec3::new(0.35, 0.38, 1.0);

pub(super) static INFO: ViewInfo = ViewInfo {
    name: "check_mine",
    title: "Check mine",
    sentence: "Checks a neighbor list that another program wrote: which pairs are wrong, and what they have in common.",
    legend: &[],
    begin,
    request,
    overlay,
    controls,
    numbers,
    drawer: Some(drawer),
};

/// Checks the prepared example, unless a list was checked before.
fn begin(controls: &mut Controls, _: &Report) {
    if controls.lab.check.order.is_none() {
        controls.lab.check.order_example();
    }
}

fn request(controls: &Controls, _: &Report, request: &mut LabRequest) {
    // The scene shows the file's points instead of the fluid, so no fluid particle is inspected.
    request.target = Target::default();
    request.check.clone_from(&controls.lab.check.order);
}

fn red(opacity: f32) -> [f32; 4] {
    Mark::Wrong.linear_color().unwrap_or(Vec3::X).extend(opacity).to_array()
}

/// The corners of a cell, m.
fn corners(cells: &Cells, cell: UVec3) -> [Vec3; 2] {
    let low = cells.origin + cell.as_vec3() * cells.size;
    [low, low + cells.size]
}

fn class_name(is_border: bool) -> &'static str {
    if is_border { "border" } else { "inner" }
}

fn overlay(controls: &Controls, report: &Report) -> Overlay {
    let check = &controls.lab.check;
    let Some(Ok(list)) = outcome(check, report) else { return Overlay::default() };
    let stage = match check.pair_in(list) {
        None => stage_of_all(&list.mine.domain),
        Some(pair) => Stage {
            target: middle(list, &pair),
            size: 1.9 * list.mine.domain.support_radius.max(pair.distance as f32),
            ..stage_of_all(&list.mine.domain)
        },
    };
    let mut overlay = Overlay { stage: Some(stage), boxes: vec![Vec::new()], ..Overlay::default() };
    let size = if check.drawn.len() > 1_000 { 2.5 } else { 4.0 };
    overlay.segments.extend(check.drawn.iter().map(|point| DrawnSegment::point(*point, POINT, size)));
    match check.pair_in(list) {
        None => show_all(&mut overlay, check, list),
        Some(pair) => show_pair(&mut overlay, list, &pair),
    }
    overlay
}

/// A stage that shows the whole box.
fn stage_of_all(domain: &Domain) -> Stage {
    let size = 0.5 * (domain.high - domain.low).length().max(domain.support_radius);
    Stage { corners: [domain.low, domain.high], target: 0.5 * (domain.low + domain.high), size, direction: DIRECTION }
}

/// Draws all wrong pairs of a kind as red lines, with the cells of the search.
fn show_all(overlay: &mut Overlay, check: &CheckControls, list: &CheckedList) {
    let mine = &list.mine;
    if let Some(cells) = mine.places.as_ref().map(|places| places.cells) {
        let counts = cells.counts;
        if counts.as_u64vec3().element_product() <= u64::from(MOST_CELLS) {
            let cell =
                |index: u32| UVec3::new(index % counts.x, index / counts.x % counts.y, index / (counts.x * counts.y));
            let boxes = (0..counts.element_product()).map(|index| DrawnBox::coarse_cell(corners(&cells, cell(index))));
            overlay.boxes[0].extend(boxes);
        }
    }
    for (kind, wrong) in mine.kinds() {
        if kind == check.kind {
            let every = wrong.pairs.len().div_ceil(MOST_LINES).max(1);
            overlay.segments.extend(wrong.pairs.iter().step_by(every).map(|pair| line(list, pair, 2.2)));
        }
    }
}

fn line(list: &CheckedList, pair: &WrongPair, width: f32) -> DrawnSegment {
    let [from, to] = [pair.first, pair.second].map(|particle| list.points[particle as usize]);
    DrawnSegment { from, to, color: red(0.95), width, hidden: 0.6 }
}

/// Draws one pair: its particles, the support sphere of the first, and the cells of both.
fn show_pair(overlay: &mut Overlay, list: &CheckedList, pair: &WrongPair) {
    let [first, second] = [pair.first, pair.second].map(|particle| list.points[particle as usize]);
    let radius = list.mine.domain.support_radius;
    overlay.shells.push(DrawnShell::support(first, radius));
    overlay.segments.push(line(list, pair, 2.5));
    overlay.segments.push(DrawnSegment::point(second, red(1.0), 13.0));
    overlay.segments.push(DrawnSegment::point(first, [1.0; 4], 13.0));
    let above = Vec3::Y * 0.09 * radius;
    for (place, particle, is_current) in [(first, pair.first, true), (second, pair.second, false)] {
        overlay.labels.push(Label { place: place + above, text: format::count(particle.into()), is_current });
    }
    if let (Some(places), Some(of_pair)) = (&list.mine.places, list.mine.cells_of(pair)) {
        let classes = list.mine.borders_of(pair);
        for (which, cell) in of_pair.into_iter().enumerate() {
            if which == 1 && of_pair[0] == of_pair[1] {
                continue;
            }
            let [low, high] = corners(&places.cells, cell);
            overlay.boxes[0].push(DrawnBox::visited_cell([low, high], which == 0));
            let class = classes.map(|classes| format!(", {}", class_name(classes[which]))).unwrap_or_default();
            let text = format!("cell ({}, {}, {}){class}", cell.x, cell.y, cell.z);
            // At the middle of the upper edge that is closest to the camera.
            let place = Vec3::new(0.5 * (low.x + high.x), high.y, high.z);
            overlay.labels.push(Label { place, text, is_current: which == 0 });
        }
    }
}

fn controls(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let check = &mut controls.lab.check;
    section(ui, "Files of your program", &[]);
    for (name, hint, text, hover) in [
        ("points", "points.csv", &mut check.points, "CSV with columns x, y, z; PLY; or NPY of shape (n, 3)"),
        ("neighbors", "neighbors.csv", &mut check.neighbors, "pairs i,j, or CSR, as text or NPY, counted from 0"),
        ("offsets", "none", &mut check.offsets, "CSR offsets, if they are in a separate file"),
        ("classes", "none", &mut check.classes, "0 for inner and 1 for border, for each particle"),
        ("radius, m", "0.05", &mut check.radius, "largest distance between neighbors"),
        ("box", "of the points", &mut check.bounds, "two corners, which determine where the cells lie: 0,0,0 1,1,1"),
    ] {
        ui.horizontal(|ui| {
            let label = ui
                .add_sized([66.0, 18.0], egui::Label::new(RichText::new(name).color(QUIET)).halign(egui::Align::LEFT));
            let field = TextEdit::singleline(text).hint_text(hint).desired_width(f32::INFINITY);
            ui.add(field).labelled_by(label.id).on_hover_text(hover);
        });
    }
    ui.horizontal(|ui| {
        ui.checkbox(&mut check.one_based, "from 1").on_hover_text("the first particle is number 1 in the list");
        let words = |directions| match directions {
            Directions::Detect => "detect directions",
            Directions::Once => "each pair once",
            Directions::Both => "in both directions",
        };
        let combo = ComboBox::from_id_salt("directions").selected_text(words(check.directions));
        combo.show_ui(ui, |ui| {
            for directions in [Directions::Detect, Directions::Once, Directions::Both] {
                ui.selectable_value(&mut check.directions, directions, words(directions));
            }
        });
    });
    section(ui, "Compare with", &[]);
    let combo = ComboBox::from_id_salt("checked search").selected_text(check.configuration.search.title);
    let combo = combo.width(ui.available_width());
    combo.show_ui(ui, |ui| {
        for search in SEARCHES.iter().copied() {
            if ui.selectable_label(*check.configuration.search == *search, search.title).clicked() {
                check.configuration.search = search;
            }
        }
    });
    for option in check.configuration.search.options.iter().copied() {
        let options = &mut check.configuration.options;
        if let Some(value) = option_row(ui, options, option, None) {
            options.set(option, value);
        }
    }
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let is_idle = report.lab.check.under_way.is_none();
        let go = ui.add_enabled(is_idle, Button::new(RichText::new("Check").strong()));
        let why_not = "a check is in progress: wait for its outcome";
        if go
            .on_hover_text("reads the files and compares the list with the search")
            .on_disabled_hover_text(why_not)
            .clicked()
        {
            check.order_files();
        }
        let example = ui.add_enabled(is_idle, Button::new("Try an example"));
        let hover = "1,000 points, and a list from a search that misses the neighbors in adjacent cells along x";
        if example.on_hover_text(hover).on_disabled_hover_text(why_not).clicked() {
            check.order_example();
        }
    });
    if let Some(mistake) = &check.mistake {
        ui.colored_label(WARNING, mistake);
    }
    remark(ui, "docs/CHECK_YOUR_SEARCH.md describes how to write the files from C++, CUDA and Python.");
}

fn numbers(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let check = &mut controls.lab.check;
    check.refresh(report);
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match outcome(check, report) {
        _ if report.lab.check.under_way.is_some() => {
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label("Reading and comparing ...");
            });
            remark(ui, "The window stays responsive; a list of some hundred million pairs takes minutes.");
        }
        None => {
            remark(ui, "Name the files at the left, or try the example.");
        }
        Some(Err(reason)) => {
            ui.colored_label(WARNING, "The lists could not be compared:");
            ui.label(reason);
        }
        Some(Ok(list)) => {
            verdict(ui, &list.mine);
            patterns(ui, &list.mine);
            pair_numbers(ui, check, list);
            legend(ui, check.pair_in(list).is_some());
            counts(ui, list);
            class_numbers(ui, &list.mine);
        }
    });
}

fn verdict(ui: &mut Ui, mine: &CheckMine) {
    let (text, color) = if mine.agrees() { ("The list is right", ACCENT) } else { ("The list is wrong", WARNING) };
    ui.heading(RichText::new(text).color(color));
}

/// The symbol of an entry in the legend.
#[derive(Clone, Copy)]
enum Sign {
    Point(Color32, f32),
    Line(Color32),
    Cell,
    Shell,
}

impl Sign {
    fn paint(self, painter: &egui::Painter, rect: egui::Rect) {
        let (center, white) = (rect.center(), Color32::from_gray(225));
        match self {
            Self::Point(color, size) => {
                painter.rect_filled(egui::Rect::from_center_size(center, egui::Vec2::splat(size)), 0, color);
            }
            Self::Line(color) => {
                painter.line_segment([rect.left_bottom(), rect.right_top()], egui::Stroke::new(2.0, color));
            }
            Self::Cell => {
                let stroke = egui::Stroke::new(1.2, white);
                painter.rect_stroke(rect.shrink(1.0), 0, stroke, egui::StrokeKind::Inside);
            }
            Self::Shell => {
                painter.circle_stroke(center, 6.0, egui::Stroke::new(1.2, white));
            }
        }
    }
}

/// The legend of the symbols in the scene.
fn legend(ui: &mut Ui, is_pair: bool) {
    section(ui, "In the scene", &[]);
    let (wrong, white) = (mark_color(Mark::Wrong), mark_color(Mark::Picked));
    let points = (Sign::Point(Color32::from_rgb(170, 200, 222), 4.0), "the points of your file");
    let entries: &[(Sign, &str)] = if is_pair {
        &[
            (Sign::Point(white, 9.0), "first particle of the pair"),
            (Sign::Point(wrong, 9.0), "second particle of the pair"),
            (Sign::Shell, "support radius around the first"),
            (Sign::Cell, "the cells of both; the cell of the first is brighter"),
            points,
        ]
    } else {
        &[(Sign::Line(wrong), "a wrong pair of the selected kind"), (Sign::Cell, "the cells of the search"), points]
    };
    for (sign, words) in entries {
        ui.horizontal(|ui| {
            let (rect, _) = ui.allocate_exact_size(egui::Vec2::splat(14.0), egui::Sense::hover());
            sign.paint(ui.painter(), rect);
            ui.label(RichText::new(*words).small().color(TEXT));
        });
    }
}

fn row(ui: &mut Ui, name: &str, value: String, hover: &str) {
    ui.label(RichText::new(name).color(QUIET)).on_hover_text(hover);
    ui.label(RichText::new(value).color(TEXT)).on_hover_text(hover);
    ui.end_row();
}

fn counts(ui: &mut Ui, list: &CheckedList) {
    let mine = &list.mine;
    section(ui, "Pairs", &[]);
    Grid::new("counts of pairs").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
        let direction = if mine.once { "each once" } else { "both directions" };
        row(ui, "listed", format::count(mine.listed), "pairs in your file");
        row(ui, "read as", direction.to_owned(), "whether the list contains each pair once or in both directions");
        row(ui, "expected", format::count(mine.expected), "pairs that the search of this program finds");
        row(ui, "right", format::count(mine.right), "pairs that are in both lists");
        for (kind, wrong) in mine.kinds() {
            row(ui, kind.label(), format::count(wrong.count), "see the list below the scene");
        }
        let undecided = mine.undecided_missing + mine.undecided_extra;
        if undecided > 0 {
            row(
                ui,
                "left out",
                format::count(undecided),
                "pairs whose distance equals the radius within rounding: no error",
            );
        }
        if mine.self_pairs > 0 {
            row(
                ui,
                "with itself",
                format::count(mine.self_pairs),
                "particles listed as their own neighbors: left out, no error",
            );
        }
        row(ui, "particles", format::count(mine.particle_count.into()), "points in your file");
        if mine.outside_box > 0 {
            row(ui, "outside the box", format::count(mine.outside_box.into()), "assigned to the outermost cells");
        }
    });
    let oracle = if mine.against_reference { ", verified against the CPU oracle first" } else { "" };
    remark(ui, format!("The pairs that {} finds are taken as correct{oracle}.", mine.configuration));
}

/// The pattern that the wrong pairs have in common.
fn patterns(ui: &mut Ui, mine: &CheckMine) {
    for (kind, wrong) in mine.kinds() {
        if wrong.count == 0 {
            continue;
        }
        section(ui, &format!("What the {} pairs have in common", kind.label()), &[]);
        match mine.pattern(kind) {
            Some(pattern) => {
                let sentence = pattern.to_string();
                let mut letters = sentence.chars();
                let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
                ui.label(RichText::new(format!("{first}{}.", letters.as_str())).color(TEXT));
                let certainty = percent(pattern.certainty);
                remark(ui, format!("Of all pairs with this property, {certainty} % are {}.", kind.label()));
            }
            None => {
                remark(ui, "No pattern was found that explains these pairs.");
            }
        }
    }
}

/// The numbers of the pair that is shown.
fn pair_numbers(ui: &mut Ui, check: &mut CheckControls, list: &CheckedList) {
    let Some(pair) = check.pair_in(list) else { return };
    section(ui, &format!("A {} pair", check.kind.label()), &[]);
    Grid::new("pair").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
        row(ui, "particles", format!("{} and {}", pair.first, pair.second), "as numbered in your points, from 0");
        row(ui, "distance", format!("{:.7} m", pair.distance), "from the coordinates in your file");
        let of_radius = pair.distance / f64::from(list.mine.domain.support_radius);
        row(
            ui,
            "over the radius",
            format!("{of_radius:.6}"),
            "distance divided by the radius: the particles are neighbors if this is at most 1",
        );
        for (which, name) in ["first", "second"].into_iter().enumerate() {
            if let Some(cells) = list.mine.cells_of(&pair) {
                let class = list.mine.borders_of(&pair).map(|of| class_name(of[which])).unwrap_or_default();
                let cell = cells[which];
                let hover = format!("cell of the {name} particle under {}", list.mine.configuration);
                row(ui, &format!("cell of {name}"), format!("({}, {}, {}) {class}", cell.x, cell.y, cell.z), &hover);
            }
        }
    });
    if ui.button("All pairs").on_hover_text("shows all wrong pairs of this kind again").clicked() {
        check.look_at(check.kind, None);
    }
}

fn class_numbers(ui: &mut Ui, mine: &CheckMine) {
    let Some(classes) = &mine.classes else { return };
    section(ui, "Classes", &[]);
    Grid::new("classes").num_columns(2).spacing([10.0, 3.0]).show(ui, |ui| {
        row(
            ui,
            "border in your file",
            format::count(classes.listed_border),
            "particles classified as border in your file",
        );
        row(ui, "border here", format::count(classes.search_border), "particles that the search classifies as border");
        row(ui, "differ", format::count(classes.count), "particles whose class differs");
    });
    for mismatch in classes.mismatches.iter().take(8) {
        let (theirs, ours) = (class_name(mismatch.listed_as_border), class_name(!mismatch.listed_as_border));
        let distance = format::length(mismatch.face_distance.into());
        remark(
            ui,
            format!("{}: {theirs} in your file, {ours} here, {distance} from the nearest face", mismatch.particle),
        );
    }
}

/// The wrong pairs as a list, below the scene.
fn drawer(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    let check = &mut controls.lab.check;
    check.refresh(report);
    let Some(Ok(list)) = outcome(check, report) else {
        remark(ui, "The wrong pairs will be listed here.");
        return;
    };
    ui.horizontal(|ui| {
        for (kind, wrong) in list.mine.kinds() {
            let text = format!("{} ({})", kind.label(), format::count(wrong.count));
            if ui.add(Button::selectable(check.kind == kind, text).frame_when_inactive(true)).clicked() {
                check.look_at(kind, None);
            }
        }
        remark(ui, "Click a pair to see it in the scene.");
    });
    if let Some((_, wrong)) = list.mine.kinds().into_iter().find(|(kind, _)| *kind == check.kind) {
        pair_list(ui, check, list, wrong);
    }
}

fn pair_list(ui: &mut Ui, check: &mut CheckControls, list: &CheckedList, wrong: &WrongPairs) {
    if wrong.pairs.is_empty() {
        remark(ui, format!("There are no {} pairs.", check.kind.label()));
        return;
    }
    let header = format!("{:>9} {:>9} {:>12} {:>9}   cells and classes", "i", "j", "distance m", "/ radius");
    ui.label(RichText::new(header).monospace().color(QUIET));
    let height = ui.text_style_height(&TextStyle::Monospace) + 6.0;
    let mut chosen = None;
    ScrollArea::vertical().auto_shrink(false).show_rows(ui, height, wrong.pairs.len(), |ui, rows| {
        for place in rows {
            let pair = &wrong.pairs[place];
            let text = RichText::new(pair_line(list, pair)).monospace();
            let width = ui.available_width();
            let button = Button::selectable(check.pair == Some(place), text).min_size(egui::vec2(width, height - 2.0));
            if ui.add(button.wrap_mode(egui::TextWrapMode::Truncate)).clicked() {
                chosen = Some(place);
            }
        }
    });
    if let Some(place) = chosen {
        check.look_at(check.kind, Some(place));
    }
}

/// A pair in one line of the list.
fn pair_line(list: &CheckedList, pair: &WrongPair) -> String {
    let of_radius = pair.distance / f64::from(list.mine.domain.support_radius);
    let mut line = format!("{:>9} {:>9} {:>12.7} {of_radius:>9.5}  ", pair.first, pair.second, pair.distance);
    if let Some(cells) = list.mine.cells_of(pair) {
        let classes = list.mine.borders_of(pair);
        for (which, cell) in cells.into_iter().enumerate() {
            let class = classes.map(|classes| class_name(classes[which])).unwrap_or_default();
            _ = write!(line, " ({}, {}, {}) {class:<6}", cell.x, cell.y, cell.z);
        }
    }
    line
}
