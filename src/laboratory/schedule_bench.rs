//! Data of the view "Subgroup schedule" beside the inspection of a coarse cell: the number of particles in each coarse
//! cell, the schedule of CLAWS for the selected cell, and recordings of the same cell with other searches and settings
//! on the frozen positions.

use std::sync::Arc;

use glam::{IVec3, UVec3, Vec3};

use super::{BlockReader, Inspection, Inspector, LaboratoryError, Target};
use crate::fluid::Simulation;
use crate::gpu::{Gpu, record};
use crate::search::verify::SearchConfiguration;
use crate::search::{Block, CellSchedule, Cells, InspectedSearch, Specimen, schedule_of_cell};

/// The request of the view "Subgroup schedule".
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScheduleOrder {
    /// The coarse cell of the running search; `None` if only the particles of all cells are to be counted.
    pub cell: Option<UVec3>,
    /// Searches and settings with which the same cell is recorded.
    pub configurations: Vec<SearchConfiguration>,
}

/// The number of particles in each coarse cell, according to the search's own table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellCounts {
    /// Cells along each axis.
    pub counts: UVec3,
    /// Number of particles in each cell, by its linear index.
    pub particles: Vec<u32>,
}

impl CellCounts {
    /// Computes the numbers from the blocks of all cells.
    pub fn new(counts: UVec3, blocks: &[Block]) -> Self {
        let mut particles = vec![0; counts.element_product() as usize];
        for block in blocks {
            if let Some(sum) = particles.get_mut(block.cell as usize) {
                *sum += block.end - block.start;
            }
        }
        Self { counts, particles }
    }

    /// Number of particles in a cell; 0 outside the grid.
    pub fn of(&self, cell: IVec3) -> u32 {
        if cell.cmplt(IVec3::ZERO).any() || cell.cmpge(self.counts.as_ivec3()).any() {
            return 0;
        }
        let cell = cell.as_uvec3();
        let index = (cell.z * self.counts.y + cell.y) * self.counts.x + cell.x;
        self.particles.get(index as usize).copied().unwrap_or(0)
    }

    /// How many of the 26 cells around a cell contain particles.
    pub fn occupied_around(&self, cell: UVec3) -> u32 {
        let offsets = (0..27).map(|number| IVec3::new(number % 3, number / 3 % 3, number / 9) - 1);
        let around = offsets.filter(|offset| *offset != IVec3::ZERO);
        around.filter(|&offset| self.of(cell.as_ivec3() + offset) > 0).count() as u32
    }

    /// The cell whose number of non-empty neighbor cells is closest to `wanted`; of several such cells, the one with
    /// the most particles. `None` if all cells are empty.
    pub fn cell_with_neighbors(&self, wanted: u32) -> Option<UVec3> {
        let coordinate = |index: u32| {
            UVec3::new(
                index % self.counts.x,
                index / self.counts.x % self.counts.y,
                index / (self.counts.x * self.counts.y),
            )
        };
        let occupied = (0..).zip(&self.particles).filter(|(_, particles)| **particles > 0);
        let cells = occupied.map(|(index, &particles)| (coordinate(index), particles));
        cells
            .min_by_key(|&(cell, particles)| {
                (self.occupied_around(cell).abs_diff(wanted), std::cmp::Reverse(particles))
            })
            .map(|(cell, _)| cell)
    }
}

/// The recording of the coarse cell with another search or other settings.
#[derive(Clone, Debug)]
pub struct ScheduleColumn {
    /// The search and its settings.
    pub configuration: SearchConfiguration,
    /// The cell of that search that contains the center of the selected cell, and its recording; `None` until it has
    /// arrived.
    pub outcome: Result<Option<(UVec3, Arc<Inspection>)>, String>,
}

/// The results for the view "Subgroup schedule".
#[derive(Clone, Debug, Default)]
pub struct ScheduleFindings {
    /// Number of particles in each coarse cell of the running search.
    pub counts: Option<Arc<CellCounts>>,
    /// The schedule of CLAWS for the selected cell.
    pub schedule: Option<Arc<CellSchedule>>,
    /// The recordings with the other searches and settings, in the order of the request.
    pub columns: Vec<ScheduleColumn>,
    /// Why something could not be found.
    pub error: Option<String>,
}

/// A search that is compared with the running one, on the frozen positions.
struct ComparedSearch {
    configuration: SearchConfiguration,
    parts: Result<(Specimen, Inspector), String>,
    built: bool,
    cell: UVec3,
    found: Option<(UVec3, Arc<Inspection>)>,
}

/// Owns the device resources of the view "Subgroup schedule"; it has none while there is no request.
#[derive(Default)]
pub struct ScheduleBench {
    order: Option<ScheduleOrder>,
    reader: Option<BlockReader>,
    cell_counts: UVec3,
    /// Whether the schedule was read since the cell or the particles changed.
    requested: bool,
    /// Whether the tables were built in an earlier frame, whose commands have been submitted.
    steady: bool,
    compared_searches: Vec<ComparedSearch>,
    findings: ScheduleFindings,
}

impl ScheduleBench {
    /// Creates what the order needs. `moved` says that the particles are sorted again in this frame; the results follow
    /// in later frames.
    pub fn follow(&mut self, gpu: &Gpu, simulation: &Simulation, order: Option<&ScheduleOrder>, moved: bool) {
        let Some(order) = order else {
            if self.order.is_some() {
                *self = Self::default();
            }
            return;
        };
        if moved {
            (self.reader, self.requested) = (None, false);
            (self.findings.counts, self.findings.schedule) = (None, None);
            self.compared_searches.iter_mut().for_each(|compared| (compared.built, compared.found) = (false, None));
        }
        if self.order.as_ref().is_none_or(|known| known.cell != order.cell) {
            (self.requested, self.findings.schedule, self.findings.error) = (false, None, None);
            self.compared_searches.iter_mut().for_each(|compared| compared.found = None);
        }
        self.steady = !moved;
        self.order = Some(order.clone());
        if moved {
            return;
        }
        self.follow_compared(gpu, simulation, order);
        if let Some(cell) = order.cell.filter(|_| !self.requested) {
            self.requested = true;
            match schedule_of_cell(gpu, simulation.search(), cell) {
                Ok(schedule) => self.findings.schedule = schedule.map(Arc::new),
                Err(error) => self.findings.error = Some(error.to_string()),
            }
        }
    }

    fn follow_compared(&mut self, gpu: &Gpu, simulation: &Simulation, order: &ScheduleOrder) {
        let (Some(cell), Some(cells)) = (order.cell, simulation.search_cells()) else {
            self.compared_searches.clear();
            return;
        };
        let middle = cells.origin + (cell.as_vec3() + 0.5) * cells.size;
        self.compared_searches.truncate(order.configurations.len());
        for (place, configuration) in order.configurations.iter().enumerate() {
            if self.compared_searches.get(place).is_none_or(|compared| compared.configuration != *configuration) {
                let parts = parts(gpu, simulation, configuration).map_err(|error| error.to_string());
                let compared = ComparedSearch {
                    configuration: configuration.clone(),
                    parts,
                    built: false,
                    cell: UVec3::ZERO,
                    found: None,
                };
                if place < self.compared_searches.len() {
                    self.compared_searches[place] = compared;
                } else {
                    self.compared_searches.push(compared);
                }
            }
            let compared = &mut self.compared_searches[place];
            let Ok((specimen, inspector)) = &mut compared.parts else { continue };
            let Some(own) = specimen.search.cells() else { continue };
            let cell = cell_at(&own, middle);
            if compared.cell != cell || compared.found.is_none() {
                compared.cell = cell;
                let index = (cell.z * own.counts.y + cell.y) * own.counts.x + cell.x;
                inspector.aim(gpu, &Target { particles: Vec::new(), cell: Some(index) });
            }
        }
    }

    /// Records the commands that are due, after the simulation's own passes of the frame.
    pub fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, simulation: &Simulation) {
        if self.order.is_none() || !self.steady {
            return;
        }
        if self.reader.is_none()
            && self.findings.counts.is_none()
            && let Some(blocks) = simulation.search().blocks()
        {
            self.cell_counts = blocks.cell_counts;
            match BlockReader::ask_all(gpu, encoder, &blocks) {
                Ok(reader) => self.reader = Some(reader),
                Err(error) => self.findings.error = Some(error.to_string()),
            }
        }
        for compared in &mut self.compared_searches {
            let Ok((specimen, inspector)) = &mut compared.parts else { continue };
            if !compared.built {
                record(&specimen.build, encoder, None);
                compared.built = true;
            }
            if compared.found.is_none() {
                inspector.record(gpu, encoder, None);
            }
        }
    }

    /// Collects the results that have arrived. Never waits.
    pub fn collect(&mut self, gpu: &Gpu) -> &ScheduleFindings {
        if let Some(blocks) = self.reader.as_mut().and_then(|reader| reader.take(gpu)) {
            self.findings.counts = Some(Arc::new(CellCounts::new(self.cell_counts, &blocks)));
            self.reader = None;
        }
        for compared in &mut self.compared_searches {
            let Ok((specimen, inspector)) = &mut compared.parts else { continue };
            let Some(found) = inspector.take() else { continue };
            let counts = specimen.search.cells().map_or(UVec3::ONE, |cells| cells.counts);
            let index = (compared.cell.z * counts.y + compared.cell.y) * counts.x + compared.cell.x;
            if compared.built && found.target.cell == Some(index) {
                compared.found = Some((compared.cell, Arc::new(found)));
            }
        }
        let column = |compared: &ComparedSearch| ScheduleColumn {
            configuration: compared.configuration.clone(),
            outcome: compared.parts.as_ref().map(|_| compared.found.clone()).map_err(Clone::clone),
        };
        self.findings.columns = self.compared_searches.iter().map(column).collect();
        &self.findings
    }
}

fn parts(
    gpu: &Gpu,
    simulation: &Simulation,
    configuration: &SearchConfiguration,
) -> Result<(Specimen, Inspector), LaboratoryError> {
    let particles = simulation.particles();
    let specimen =
        Specimen::new(gpu, configuration, (particles.positions, particles.count), simulation.search_domain())?;
    let subject = InspectedSearch {
        search: specimen.search.as_ref(),
        identities: specimen.search.sorted_positions(),
        densities: None,
        particle_count: particles.count,
    };
    let inspector = Inspector::new(gpu, subject)?;
    Ok((specimen, inspector))
}

/// The cell that contains a position; for positions outside the grid, the nearest cell.
fn cell_at(cells: &Cells, place: Vec3) -> UVec3 {
    let along = ((place - cells.origin) / cells.size).floor().max(Vec3::ZERO);
    along.as_uvec3().min(cells.counts - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_edges_and_inner_cells_are_found_by_their_number_of_neighbors() {
        // 3 x 3 x 3 of the 5 x 4 x 4 cells contain particles.
        let counts = UVec3::new(5, 4, 4);
        let is_water = |index: u32| index % 5 < 3 && index / 5 % 4 < 3 && index / 20 < 3;
        let block = |cell| Block { cell, class: None, start: 10 * cell, end: 10 * cell + 4 };
        let blocks: Vec<Block> = (0..80).filter(|&index| is_water(index)).map(block).collect();
        let cells = CellCounts::new(counts, &blocks);
        assert_eq!(cells.particles.iter().sum::<u32>(), 27 * 4);
        for (wanted, middle_axes) in [(7, 0), (11, 1), (17, 2), (26, 3)] {
            let cell = cells.cell_with_neighbors(wanted).expect("some cells contain particles");
            assert_eq!(cells.occupied_around(cell), wanted);
            assert_eq!(cell.to_array().into_iter().filter(|&along| along == 1).count(), middle_axes, "{cell}");
        }
        assert_eq!(CellCounts::new(counts, &[]).cell_with_neighbors(7), None);
    }
}
