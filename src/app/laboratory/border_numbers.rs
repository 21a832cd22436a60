//! The numbers of the view "Border and inner": the width of the coarse cells, how many particles are border and inner
//! and why, the neighbors of a particle inside and outside of its coarse cell, and what the workgroup of a coarse cell
//! reads and keeps.

use bevy_egui::egui::{Color32, Grid, ProgressBar, RichText, ScrollArea, Ui};
use glam::{UVec3, Vec3};

use super::LabSelection;
use super::inspected::first_particle;
use super::strip_view::{cell_name, chosen_chunk, class_color, linear};
use crate::app::theme::{ACCENT, QUIET, TEXT, remark, section};
use crate::app::{Controls, Report, format};
use crate::laboratory::{MemoryStrip, PickedFields, WorkgroupMemory};
use crate::search::{BlockClass, Cells, ChunkRecord, ParticleRecord};

/// The coarse cells of the running search, if it distinguishes border from inner particles.
pub(super) fn coarse_cells(report: &Report) -> Option<Cells> {
    report.running.as_ref()?.cells.filter(|cells| cells.border.is_some())
}

/// The largest number of blocks that the list shows.
const MOST_BLOCKS: usize = 28;

pub(super) fn numbers(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let Some(running) = &report.running else { return };
        let Some(cells) = coarse_cells(report) else {
            let title = running.settings.search.title;
            ui.label(
                RichText::new(format!(
                    "{title} has a single level of cells and does not distinguish border from inner particles: select \
                     FENNS or CLAWS. The strip below shows its memory."
                ))
                .color(TEXT),
            );
            return;
        };
        match &controls.lab.selection {
            LabSelection::Particle(particle) => particle_numbers(ui, *particle, &cells, report),
            LabSelection::Cell(cell) | LabSelection::Subgroup { cell, .. } => {
                cell_numbers(ui, *cell, controls, report);
            }
            _ => {}
        }
        grid_numbers(ui, &cells, report);
    });
}

fn row(ui: &mut Ui, name: &str, value: impl Into<String>, hover: &str) {
    ui.label(RichText::new(name).color(QUIET)).on_hover_text(hover);
    ui.label(RichText::new(value).color(TEXT)).on_hover_text(hover);
    ui.end_row();
}

fn rows(ui: &mut Ui, name: &str, add: impl FnOnce(&mut Ui)) {
    Grid::new(name).num_columns(2).spacing([10.0, 3.0]).show(ui, add);
}

fn sentence(ui: &mut Ui, text: impl Into<String>) {
    ui.label(RichText::new(text).small().color(TEXT));
}

/// Edge lengths of a coarse cell in support radii.
fn widths(cells: &Cells, radius: f32) -> Vec3 {
    cells.size / radius
}

/// Explains why a coarse cell narrower than two radii has no inner particles, for the first axis where that is the
/// case.
pub(super) fn narrow_sentence(cells: &Cells, radius: f32) -> Option<String> {
    let widths = widths(cells, radius);
    let axis = (0..3).find(|&axis| widths[axis] < 2.0 && cells.counts[axis] > 2)?;
    Some(format!(
        "Along {} a coarse cell is {} radii wide. Every point of a cell narrower than two radii is within one radius \
         of a face, so a cell with neighbors on both sides has no inner particles.",
        ["x", "y", "z"][axis],
        format::number(widths[axis].into()),
    ))
}

/// Volume fraction of a coarse cell with neighbors on all sides that is farther than the radius from every other cell.
fn surrounded_share(cells: &Cells, radius: f32) -> f32 {
    let widths = widths(cells, radius);
    (0..3).map(|axis| (1.0 - 2.0 / widths[axis]).max(0.0)).product()
}

/// Volume fraction of the whole grid that is inner: there is no border at the outer faces of the grid.
fn grid_share(cells: &Cells, radius: f32) -> f32 {
    let widths = widths(cells, radius);
    let along = |axis: usize| {
        let (width, count) = (widths[axis], cells.counts[axis]);
        if count < 2 {
            return 1.0;
        }
        let (between, outer) = ((1.0 - 2.0 / width).max(0.0), (1.0 - 1.0 / width).max(0.0));
        (2.0 * outer + (count - 2) as f32 * between) / count as f32
    };
    (0..3).map(along).product()
}

/// Edge length, in support radii, at which half of a cubic cell with neighbors on all sides is inner.
fn half_inner_width() -> f64 {
    2.0 / (1.0 - 0.5_f64.cbrt())
}

fn percent(share: f64) -> String {
    format!("{} %", format::number(100.0 * share))
}

fn grid_numbers(ui: &mut Ui, cells: &Cells, report: &Report) {
    let Some(running) = &report.running else { return };
    let radius = running.resolution.support_radius;
    section(ui, "All coarse cells", &[]);
    let widths = widths(cells, radius);
    let counts = cells.counts;
    // The strip covers every cell; the survey is used only where the strip has not arrived.
    let strip = report
        .lab
        .strip
        .as_deref()
        .filter(|strip| strip.cell_counts == Some(counts) && strip.cells.len() as u32 == counts.element_product());
    let classes = strip.map(|strip| [BlockClass::Border, BlockClass::Inner].map(|class| strip.count_of(class)));
    rows(ui, "coarse cells", |ui| {
        let all = format::count(counts.element_product().into());
        row(ui, "cells", format!("{} x {} x {} = {all}", counts.x, counts.y, counts.z), "along x, y and z");
        let edges = widths.to_array().map(|width| format::number(width.into())).join(" x ");
        row(ui, "cell edges", format!("{edges} r"), "edges of a coarse cell along x, y and z, in support radii r");
        row(ui, "r, support radius", format::length(radius.into()), "particles closer than this are neighbors");
        if let Some([border, inner]) = classes {
            let all = (border + inner).max(1) as f64;
            let words_of = |of: u64| format!("{} ({})", format::count(of), percent(of as f64 / all));
            let hover = "particles with another coarse cell within the radius, according to the search's own table";
            row(ui, "border", words_of(border), hover);
            row(ui, "inner", words_of(inner), "particles with no other coarse cell within the radius");
        } else if let Some(survey) = &report.survey
            && let Some(border) = survey.border
        {
            let all = f64::from(survey.present.max(1));
            let inner = survey.present.saturating_sub(border);
            row(ui, "border", format!("{} ({})", format::count(border.into()), percent(f64::from(border) / all)), "");
            row(ui, "inner", format!("{} ({})", format::count(inner.into()), percent(f64::from(inner) / all)), "");
        }
        let hover = "fraction of the grid's volume that is farther than r from every other coarse cell: the share of \
                     inner particles that an evenly filled box would have";
        row(ui, "inner by volume", percent(grid_share(cells, radius).into()), hover);
    });
    if let Some(narrow) = narrow_sentence(cells, radius) {
        sentence(ui, narrow);
    }
    section(ui, "Cell width for half inner", &[]);
    let [x, y, z] = widths.to_array().map(|width| format::number(width.into()));
    sentence(
        ui,
        format!(
            "The inner fraction of a cell with neighbors on all sides is (1 - 2/{x}) (1 - 2/{y}) (1 - 2/{z}) = {}.",
            percent(surrounded_share(cells, radius).into())
        ),
    );
    let wide = half_inner_width();
    sentence(
        ui,
        format!(
            "Half of a cubic cell of edge L is inner when (1 - 2r/L)³ = 1/2, so L = 2r / (1 - ³√0.5) = {} r, which is \
             {} here.",
            format::number(wide),
            format::length(wide * f64::from(radius))
        ),
    );
}

/// Distance from a position to the nearest other coarse cell, m; `None` if there is only one cell.
pub(super) fn distance_to_other_cell(cells: &Cells, cell: UVec3, position: Vec3) -> Option<f32> {
    let low = cells.origin + cell.as_vec3() * cells.size;
    let high = low + cells.size;
    let mut least: Option<f32> = None;
    let mut take = |distance: f32| least = Some(least.map_or(distance, |least| least.min(distance)));
    for axis in 0..3 {
        if cell[axis] > 0 {
            take(position[axis] - low[axis]);
        }
        if cell[axis] + 1 < cells.counts[axis] {
            take(high[axis] - position[axis]);
        }
    }
    least.map(|distance| distance.max(0.0))
}

/// Number of neighbors in the particle's own coarse cell, number of neighbors in other cells, and number of those other
/// cells, found from the memory blocks that contain the neighbors.
fn neighbors_by_cell(record: &ParticleRecord, own: u32, strip: &MemoryStrip) -> (usize, usize, usize) {
    let cells = record.tested.iter().filter(|tested| tested.accepted).filter_map(|tested| strip.block_at(tested.place));
    let (mut inside, mut outside, mut others) = (0, 0, Vec::new());
    for block in cells {
        if block.cell == own {
            inside += 1;
        } else {
            outside += 1;
            others.push(block.cell);
        }
    }
    others.sort_unstable();
    others.dedup();
    (inside, outside, others.len())
}

fn particle_numbers(ui: &mut Ui, particle: u32, cells: &Cells, report: &Report) {
    ui.heading(format!("Particle {}", format::count(particle.into())));
    let Some((fields, record)) = report.lab.inspection.as_deref().and_then(first_particle) else {
        remark(ui, "The particle is being recorded.");
        return;
    };
    let Some(running) = &report.running else { return };
    let PickedFields { position, place, cell, is_border, .. } = *fields;
    let (cell, is_border, radius) = (UVec3::from_array(cell), is_border > 0, running.resolution.support_radius);
    let class = if is_border { BlockClass::Border } else { BlockClass::Inner };
    let distance = distance_to_other_cell(cells, cell, Vec3::from_array(position));
    let counted = report.lab.strip.as_deref().map(|strip| neighbors_by_cell(record, linear(cell, cells.counts), strip));
    rows(ui, "particle", |ui| {
        ui.label(RichText::new("class").color(QUIET));
        ui.label(RichText::new(class.label()).strong().color(class_color(class)));
        ui.end_row();
        row(ui, "coarse cell", cell_name(cell), "along x, y and z, counted from 0");
        if let Some(distance) = distance {
            let radii = format::number(f64::from(distance / radius));
            let value = format!("{} = {radii} r", format::length(distance.into()));
            row(ui, "to the nearest cell", value, "distance to the nearest other coarse cell");
        }
        row(ui, "place in memory", format::count(place.into()), "index in the sorted order: see the strip below");
        row(ui, "neighbors", format::count(record.neighbor_count() as u64), "particles within the support radius");
        if let Some((inside, outside, others)) = counted {
            row(ui, "in its own cell", format::count(inside as u64), "neighbors in the same coarse cell");
            let value = match others {
                0 => format::count(outside as u64),
                1 => format!("{} (1 cell)", format::count(outside as u64)),
                _ => format!("{} ({others} cells)", format::count(outside as u64)),
            };
            row(ui, "in other cells", value, "neighbors in other coarse cells");
        }
    });
    sentence(
        ui,
        if is_border {
            "Another coarse cell is closer than the radius and can contain neighbors, so this particle is stored in a \
             border block, which the workgroups of the surrounding cells read."
        } else {
            "No other coarse cell is closer than the radius, so all neighbors are in the particle's own cell: this \
             particle is stored in an inner block, which only the workgroups of its own cell read."
        },
    );
}

fn cell_numbers(ui: &mut Ui, cell: UVec3, controls: &Controls, report: &Report) {
    ui.heading(format!("Coarse cell {}", cell_name(cell)));
    let strip = report.lab.strip.as_deref().filter(|strip| strip.cell_counts.is_some());
    if let Some(strip) = strip {
        rows(ui, "blocks of the cell", |ui| {
            let own = linear(cell, strip.cell_counts.unwrap_or(UVec3::ONE));
            for block in strip.blocks_of(own) {
                let name = block.class.map_or("particles", BlockClass::label);
                let value = format!(
                    "{} at {} to {}",
                    format::count(u64::from(block.end - block.start)),
                    format::count(block.start.into()),
                    format::count(u64::from(block.end) - 1)
                );
                row(
                    ui,
                    name,
                    value,
                    "number of particles of the block, and its first and last index in the sorted order",
                );
            }
        });
    }
    let Some(chunk) = chosen_chunk(controls, report) else {
        remark(ui, "No workgroup serves this cell, because it is empty.");
        return;
    };
    chunk_numbers(ui, chunk, controls, report);
    if let Some(memory) = &report.lab.workgroup {
        gauge(ui, memory, chunk);
    }
    if let Some(strip) = strip {
        read_blocks(ui, cell, strip, chunk);
    }
    let lost = report.lab.inspection.as_deref().map_or(0, |inspection| inspection.recording.lost);
    if lost > 0 {
        remark(ui, format!("{} more events did not fit and are not shown.", format::count(lost.into())));
    }
}

fn chunk_numbers(ui: &mut Ui, chunk: &ChunkRecord, controls: &Controls, report: &Report) {
    let chunks = report.lab.inspection.as_deref().map_or(1, |inspection| inspection.recording.chunks.len());
    let number = controls.lab.border.chunk.min(chunks.saturating_sub(1)) + 1;
    section(ui, &format!("Chunk {number} of {chunks}"), &[]);
    let kept = chunk.visitors.iter().filter(|visitor| visitor.kept).count();
    let checked = chunk.visitors.len();
    rows(ui, "chunk", |ui| {
        let members = format::count(chunk.members.len() as u64);
        row(ui, "particles", members, "particles that the workgroup holds in workgroup memory");
        row(ui, "workgroup", format::count(chunk.workgroup.into()), "index of the workgroup in the dispatch");
        if let Some(grid) = &chunk.grid {
            let counts = grid.counts;
            let radius = report.running.as_ref().map_or(1.0, |running| running.resolution.support_radius);
            let edges = (grid.cell_size / radius).to_array().map(|edge| format::number(edge.into())).join(" x ");
            let value = format!("{} x {} x {}", counts.x, counts.y, counts.z);
            row(ui, "local grid", value, "cells of the grid that the workgroup builds over its chunk");
            row(ui, "local cell edges", format!("{edges} r"), "edges of a local cell in support radii");
        }
        row(
            ui,
            "visitors checked",
            format::count(checked as u64),
            "particles outside the chunk whose distance to the chunk was compared with the support radius",
        );
        row(
            ui,
            "kept",
            format::count(kept as u64),
            "visitors within the support radius, which look for neighbors in the chunk",
        );
        row(ui, "dropped", format::count((checked - kept) as u64), "visitors that are too far from the chunk");
    });
    remark(
        ui,
        "In the scene, the particles of the chunk have white outlines, kept visitors have dark outlines, dropped \
         visitors are hollow rings, and the local grid is drawn as lines.",
    );
}

/// How much of the adapter's workgroup memory the search uses, and how full the chunk is.
fn gauge(ui: &mut Ui, memory: &WorkgroupMemory, chunk: &ChunkRecord) {
    section(ui, "Workgroup memory", &[]);
    let bar = |ui: &mut Ui, used: u32, of: u32, text: String, color: Color32| {
        let share = used as f32 / of.max(1) as f32;
        let text = RichText::new(text).small().color(Color32::WHITE);
        ui.add(ProgressBar::new(share.min(1.0)).text(text).fill(color).desired_height(18.0).corner_radius(3.0))
    };
    let text = format!("{} of {}", format::bytes(memory.bytes.into()), format::bytes(memory.limit.into()));
    bar(ui, memory.bytes, memory.limit, text, ACCENT.gamma_multiply(0.6)).on_hover_text(format!(
        "memory that each workgroup of the pass \"{}\" allocates, of the adapter's limit; {} invocations share it",
        memory.pass, memory.invocations
    ));
    if let Some(capacity) = memory.chunk_capacity {
        let members = chunk.members.len() as u32;
        let text = format!("{members} of {capacity} particles in the chunk");
        bar(ui, members, capacity, text, Color32::from_rgb(70, 92, 112)).on_hover_text(
            "particles of this chunk, of the largest number that a chunk can hold; a cell with more particles has \
             several chunks",
        );
    }
}

/// The blocks of memory that contain the chunk's visitors.
fn read_blocks(ui: &mut Ui, cell: UVec3, strip: &MemoryStrip, chunk: &ChunkRecord) {
    section(ui, "Blocks that the chunk reads", &[]);
    let read = strip.read_by(chunk);
    let own = strip.cell_counts.map(|counts| linear(cell, counts));
    if read.is_empty() {
        remark(ui, "None: no particle outside the chunk had to be checked.");
        return;
    }
    Grid::new("blocks that are read").num_columns(3).spacing([8.0, 2.0]).striped(true).show(ui, |ui| {
        for title in ["block", "checked", "kept"] {
            ui.label(RichText::new(title).small().color(QUIET));
        }
        ui.end_row();
        for of in read.iter().take(MOST_BLOCKS) {
            let class = of.block.class.map_or("", BlockClass::label);
            let color = of.block.class.map_or(TEXT, class_color);
            let name = cell_name(strip.coordinate(of.block.cell));
            let own = if own == Some(of.block.cell) { ", own" } else { "" };
            ui.label(RichText::new(format!("{class} {name}{own}")).small().color(color));
            ui.label(RichText::new(format::count(of.checked.into())).small().color(TEXT));
            ui.label(RichText::new(format::count(of.kept.into())).small().color(TEXT));
            ui.end_row();
        }
    });
    if read.len() > MOST_BLOCKS {
        remark(ui, format!("and {} more", read.len() - MOST_BLOCKS));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(size: f32, counts: u32) -> Cells {
        Cells { origin: Vec3::ZERO, size: Vec3::splat(size), counts: UVec3::splat(counts), border: Some(1.0) }
    }

    #[test]
    fn half_of_a_cell_is_inner_at_the_width_that_the_formula_gives() {
        let share = surrounded_share(&cells(half_inner_width() as f32, 3), 1.0);
        assert!((share - 0.5).abs() < 1e-5, "{share}");
        assert!((half_inner_width() - 9.69).abs() < 0.01);
        assert!(surrounded_share(&cells(1.9, 3), 1.0).abs() < 1e-9);
    }

    #[test]
    fn outer_faces_have_no_border() {
        // Three cells of 4 radii along an axis: 3/4, 2/4 and 3/4 of the cells are inner.
        assert!((grid_share(&cells(4.0, 3), 1.0) - (2.0_f32 / 3.0).powi(3)).abs() < 1e-6);
        assert!((grid_share(&cells(1.0, 1), 1.0) - 1.0).abs() < 1e-9);
        assert_eq!(distance_to_other_cell(&cells(4.0, 1), UVec3::ZERO, Vec3::ONE), None);
        let corner = distance_to_other_cell(&cells(4.0, 3), UVec3::ZERO, Vec3::new(0.1, 3.0, 2.0));
        assert!(corner.is_some_and(|distance| (distance - 1.0).abs() < 1e-6), "{corner:?}");
    }

    #[test]
    fn the_sentence_for_narrow_cells_appears_only_where_it_is_true() {
        assert!(narrow_sentence(&cells(1.9, 3), 1.0).is_some());
        assert!(narrow_sentence(&cells(2.1, 3), 1.0).is_none());
        // With two cells along each axis, every cell has an outer face without a border.
        assert!(narrow_sentence(&cells(1.9, 2), 1.0).is_none());
    }
}
