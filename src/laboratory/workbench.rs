//! The laboratory's resources beside a running simulation: the inspectors of the running search and of the searches it
//! is compared with, and the roles of the drawn particles. The workbench carries out the request of a view and returns
//! the results.

use std::sync::Arc;

use glam::Vec2;

use super::check::{CheckFindings, CheckOrder};
use super::memory_strip::StripFetcher;
use super::{
    CostMap, CostRequest, CostSummary, Gathered, Gatherer, Inspection, Inspector, LaboratoryError, MarkEntry, Marker,
    MemoryStrip, Naming, ScheduleBench, ScheduleFindings, ScheduleOrder, SteppingFindings, SteppingOrder, StripWanted,
    Target, WorkgroupMemory,
};
use crate::fluid::Simulation;
use crate::gpu::{Gpu, GpuError, Readback, record};
use crate::render::{Mark, PickReadback, Renderer, Selection};
use crate::search::verify::SearchConfiguration;
use crate::search::{InspectedSearch, Specimen};

/// Largest number of searches that are shown side by side, including the running one.
pub const MOST_COLUMNS: usize = 4;

/// Roles of particles that a view requests.
#[derive(Clone, Debug, PartialEq)]
pub struct Marking {
    /// Role of all particles that are not in the list.
    pub others: Mark,
    /// Particles by their identities, and their roles.
    pub entries: Arc<Vec<MarkEntry>>,
}

/// What is picked in the image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PickWhat {
    /// The particle at a pixel of the image.
    At(Vec2),
    /// The particles in a rectangle, given by two opposite corners, pixels.
    Within(Vec2, Vec2),
}

/// A request to pick particles, which is carried out once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickOrder {
    /// Number of the request, so that each request is carried out once.
    pub number: u32,
    /// What is picked.
    pub what: PickWhat,
}

/// What a renderer recorded for a pick.
pub enum PickFound {
    /// The particle at a pixel.
    One(PickReadback),
    /// The particles in a rectangle.
    Many(Selection),
}

impl PickFound {
    /// Records the commands that read the picked particles from the last recorded image; `None` before the first image.
    ///
    /// # Errors
    /// When a shader does not compile, or the device has no memory left.
    pub fn record(
        renderer: &mut Renderer,
        encoder: &mut wgpu::CommandEncoder,
        what: PickWhat,
    ) -> Result<Option<Self>, GpuError> {
        match what {
            PickWhat::At(pixel) => Ok(renderer.record_pick(encoder, pixel.max(Vec2::ZERO).as_uvec2())?.map(Self::One)),
            PickWhat::Within(one, other) => {
                let roles = [Mark::Picked, Mark::Plain];
                Ok(renderer.record_selection(encoder, [one, other], roles)?.map(Self::Many))
            }
        }
    }
}

/// Velocities with the identities of all particles in the drawn order, and their roles if a rectangle was picked.
type PickedIdentities = (Readback<[f32; 4]>, Option<Readback<u32>>);

/// A pick in progress: first the indices in the drawn order are read, then the identities.
struct PickUnderWay {
    order: PickOrder,
    found: PickFound,
    /// The identities of all particles in the drawn order, and their roles if a rectangle was picked.
    identities: Option<PickedIdentities>,
}

/// The result of a pick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picked {
    /// Number of the order.
    pub number: u32,
    /// Identities of the particles; empty if there are none.
    pub particles: Arc<Vec<u32>>,
}

/// What the shown view requests from the simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabRequest {
    /// Particles and the coarse cell to inspect.
    pub target: Target,
    /// Searches to inspect beside the running one, at most three.
    pub compared: Vec<SearchConfiguration>,
    /// Roles to draw, for the running search and for each compared one; empty if the fluid is drawn without roles.
    pub markings: Vec<Marking>,
    /// What is picked in the image.
    pub pick: Option<PickOrder>,
    /// The part of the sorted order that a memory strip shows.
    pub strip: Option<StripWanted>,
    /// Whether the first marking refers to indices in the drawn order instead of identities.
    pub marks_places: bool,
    /// The request of the view "Subgroup schedule".
    pub schedule: Option<ScheduleOrder>,
    /// The request of the view "Step by step".
    pub stepping: Option<SteppingOrder>,
    /// A cost map to be computed and drawn.
    pub cost: Option<CostRequest>,
    /// Whether the cost map is computed only when pairs are counted for another reason, and not drawn.
    pub cost_is_secondary: bool,
    /// Particles whose statistics are computed, by their identities.
    pub gathered: Arc<Vec<u32>>,
    /// Changes of the particles' order in memory.
    pub memory: MemoryOrder,
    /// A neighbor list to be checked.
    pub check: Option<Arc<CheckOrder>>,
}

/// Changes of the order of the particles in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryOrder {
    /// Number of requested shuffles, so that each is carried out once.
    pub shuffles: u32,
    /// The particles are sorted in memory in every step whose number is a multiple of this; 0 and 1 mean every step.
    pub resort_interval: u64,
}

impl LabRequest {
    /// Whether it needs the pair counts of a survey.
    pub fn needs_pair_counts(&self) -> bool {
        (self.cost.is_some() && !self.cost_is_secondary) || !self.gathered.is_empty()
    }
}

/// The result for one of the compared searches.
#[derive(Clone, Debug)]
pub struct Column {
    /// The search and its settings.
    pub configuration: SearchConfiguration,
    /// Its inspection, or why it could not be run.
    pub outcome: Result<Arc<Inspection>, String>,
}

/// The results of the laboratory.
#[derive(Clone, Debug, Default)]
pub struct LabFindings {
    /// The inspection of the running search.
    pub inspection: Option<Arc<Inspection>>,
    /// The inspections of the compared searches, in the order of the request.
    pub columns: Vec<Column>,
    /// The result of the last pick.
    pub picked: Option<Picked>,
    /// The requested memory strip, or the previous one until it has arrived.
    pub strip: Option<Arc<MemoryStrip>>,
    /// Workgroup memory of the traversal, if a memory strip is requested.
    pub workgroup: Option<WorkgroupMemory>,
    /// The results for the view "Subgroup schedule".
    pub schedule: ScheduleFindings,
    /// The results for the view "Step by step".
    pub stepping: SteppingFindings,
    /// The summary of the cost map.
    pub cost: Option<Arc<CostSummary>>,
    /// The statistics of the selected particles.
    pub gathered: Option<Arc<Gathered>>,
    /// The outcome of the check of another program's list.
    pub check: CheckFindings,
    /// Why something could not be computed.
    pub error: Option<String>,
}

/// A search that is compared with the running one, on the frozen positions.
struct ComparedSearch {
    configuration: SearchConfiguration,
    parts: Result<ComparedParts, String>,
    found: Option<Arc<Inspection>>,
}

struct ComparedParts {
    specimen: Specimen,
    inspector: Inspector,
    marker: Marker,
    marking: Option<Marking>,
    built: bool,
}

/// Owns the laboratory's resources on the device, which exist only while they are requested.
#[derive(Default)]
pub struct Workbench {
    /// [`Simulation::build_number`] of the simulation whose buffers everything here refers to.
    made_for: Option<u64>,
    inspector: Option<Inspector>,
    marker: Option<Marker>,
    marking: Option<Marking>,
    compared_searches: Vec<ComparedSearch>,
    cost: Option<CostMap>,
    gatherer: Option<Gatherer>,
    target: Target,
    pick: Option<PickOrder>,
    pick_under_way: Option<PickUnderWay>,
    /// Number of the last pick that was recorded.
    picks: u32,
    /// Whether the request was recorded since the particles moved.
    recorded: bool,
    strip: StripFetcher,
    /// Whether the first marking refers to indices in the drawn order.
    marks_places: bool,
    schedule: ScheduleBench,
    findings: LabFindings,
}

impl Workbench {
    /// Creates what the request needs and drops everything else. `moved` says that the particles were sorted again
    /// since the last call.
    pub fn follow(&mut self, gpu: &Gpu, simulation: &Simulation, request: &LabRequest, moved: bool) {
        if self.made_for != Some(simulation.build_number()) {
            *self = Self { made_for: Some(simulation.build_number()), picks: self.picks, ..Self::default() };
        }
        self.recorded &= !moved;
        self.pick = request.pick;
        if self.target != request.target {
            self.target = request.target.clone();
            self.recorded = false;
        }
        self.schedule.follow(gpu, simulation, request.schedule.as_ref(), moved);
        self.findings.error = self.try_follow(gpu, simulation, request, moved).err().map(|error| error.to_string());
    }

    /// Makes the next call of [`Workbench::follow`] create everything again, for example after shaders were edited.
    pub fn forget(&mut self) {
        self.made_for = None;
    }

    /// The same as [`Workbench::follow`] for results that depend on the pair counts of surveys. `counted` says that the
    /// frame surveys the particles or moves them.
    pub fn follow_counts(&mut self, gpu: &Gpu, simulation: &Simulation, request: &LabRequest, counted: bool) {
        if let Err(error) = self.try_follow_counts(gpu, simulation, request, counted) {
            self.findings.error = Some(error.to_string());
        }
    }

    fn try_follow_counts(
        &mut self,
        gpu: &Gpu,
        simulation: &Simulation,
        request: &LabRequest,
        counted: bool,
    ) -> Result<(), LaboratoryError> {
        if let Some(wanted) = request.cost {
            if self.cost.is_none() {
                self.cost = Some(CostMap::new(gpu, simulation)?);
            }
            if let Some(cost) = &mut self.cost {
                cost.follow(gpu, wanted, counted);
            }
        } else {
            (self.cost, self.findings.cost) = (None, None);
        }
        if request.gathered.is_empty() {
            (self.gatherer, self.findings.gathered) = (None, None);
        } else {
            if self.gatherer.is_none() {
                self.gatherer = Some(Gatherer::new(gpu, simulation)?);
            }
            if let Some(gatherer) = &mut self.gatherer {
                gatherer.follow(gpu, &request.gathered, counted);
            }
        }
        Ok(())
    }

    fn try_follow(
        &mut self,
        gpu: &Gpu,
        simulation: &Simulation,
        request: &LabRequest,
        moved: bool,
    ) -> Result<(), LaboratoryError> {
        if request.target.is_empty() {
            self.inspector = None;
            self.findings.inspection = None;
        } else {
            if self.inspector.is_none() {
                self.inspector = Some(Inspector::new(gpu, simulation.subject())?);
            }
            if let Some(inspector) = self.inspector.as_mut().filter(|_| !self.recorded) {
                inspector.aim(gpu, &request.target);
            }
        }
        let marking = request.markings.first();
        match marking {
            None => self.marker = None,
            Some(marking) => {
                let particles = simulation.particles();
                if self.marker.is_none() {
                    self.marker = Some(Marker::new(gpu, particles.velocities, particles.count)?);
                    self.marking = None;
                }
                let is_new = self.marking.as_ref() != Some(marking) || self.marks_places != request.marks_places;
                if let Some(marker) = self.marker.as_mut().filter(|_| is_new) {
                    let naming = if request.marks_places { Naming::Place } else { Naming::Identity };
                    marker.set(gpu, marking.others, naming, &marking.entries);
                }
            }
        }
        self.marking = marking.cloned();
        self.marks_places = request.marks_places;
        self.follow_compared(gpu, simulation, request, moved);
        self.strip.follow(gpu, simulation, request.strip.as_ref(), moved)?;
        let workgroup = self.findings.workgroup.or_else(|| WorkgroupMemory::of(gpu, simulation));
        self.findings.workgroup = request.strip.as_ref().and(workgroup);
        Ok(())
    }

    fn follow_compared(&mut self, gpu: &Gpu, simulation: &Simulation, request: &LabRequest, moved: bool) {
        let wanted = &request.compared[..request.compared.len().min(MOST_COLUMNS - 1)];
        self.compared_searches.truncate(wanted.len());
        for (place, configuration) in wanted.iter().enumerate() {
            if self.compared_searches.get(place).is_none_or(|compared| compared.configuration != *configuration) {
                let parts = ComparedParts::new(gpu, simulation, configuration).map_err(|error| error.to_string());
                let compared = ComparedSearch { configuration: configuration.clone(), parts, found: None };
                if place < self.compared_searches.len() {
                    self.compared_searches[place] = compared;
                } else {
                    self.compared_searches.push(compared);
                }
            }
            let ComparedSearch { parts: Ok(parts), .. } = &mut self.compared_searches[place] else { continue };
            parts.built &= !moved;
            if let Some(marking) = request.markings.get(place + 1)
                && parts.marking.as_ref() != Some(marking)
            {
                parts.marker.set(gpu, marking.others, Naming::Place, &marking.entries);
                parts.marking = Some(marking.clone());
            }
        }
    }

    /// Records only the roles of particles; used while a step is incomplete and the search's tables are not consistent
    /// with the particles.
    pub fn record_marks(&self, encoder: &mut wgpu::CommandEncoder) {
        if let Some(marker) = &self.marker {
            marker.record(encoder, None);
        }
    }

    /// Records the commands that are due, after the simulation's own passes of the frame.
    pub fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, simulation: &Simulation) {
        self.read_identities(gpu, encoder, simulation);
        if let Err(error) = self.strip.record(gpu, encoder) {
            self.findings.error = Some(error.to_string());
        }
        if let Some(inspector) = self.inspector.as_mut().filter(|_| !self.recorded) {
            self.recorded = inspector.record(gpu, encoder, None);
        }
        self.record_marks(encoder);
        self.schedule.record(gpu, encoder, simulation);
        if let Some(cost) = &mut self.cost {
            cost.record(gpu, encoder);
        }
        if let Some(gatherer) = &mut self.gatherer {
            gatherer.record(gpu, encoder);
        }
        // The compared searches identify particles by their index in the drawn order, which the inspection of the
        // running search contains.
        let places: Option<Vec<u32>> = self.findings.inspection.as_ref().map(|inspection| {
            inspection.fields.iter().filter(|fields| fields.found > 0).map(|fields| fields.place).collect()
        });
        for compared in &mut self.compared_searches {
            let ComparedSearch { parts: Ok(parts), found, .. } = compared else { continue };
            if !parts.built {
                record(&parts.specimen.build, encoder, None);
                parts.built = true;
                *found = None;
            }
            let target = places.clone().map(|particles| Target { particles, cell: None }).unwrap_or_default();
            if found.as_ref().is_none_or(|found| found.target != target) {
                parts.inspector.aim(gpu, &target);
                parts.inspector.record(gpu, encoder, None);
            }
            parts.marker.record(encoder, None);
        }
    }

    /// Collects the results that have arrived. Never waits.
    pub fn collect(&mut self, gpu: &Gpu) -> &LabFindings {
        self.findings.strip = self.strip.take(gpu);
        self.findings.schedule.clone_from(self.schedule.collect(gpu));
        if let Some(found) = self.inspector.as_mut().and_then(Inspector::take) {
            self.findings.inspection = Some(Arc::new(found));
        }
        if let Some(cost) = self.cost.as_mut().and_then(CostMap::take) {
            self.findings.cost = Some(Arc::new(cost));
        }
        if let Some(gathered) = self.gatherer.as_mut().and_then(Gatherer::take) {
            self.findings.gathered = Some(Arc::new(gathered));
        }
        if let Some(picked) = self.picked() {
            self.findings.picked = Some(picked);
            self.pick_under_way = None;
        }
        for compared in &mut self.compared_searches {
            if let ComparedSearch { parts: Ok(parts), found, .. } = compared
                && let Some(inspection) = parts.inspector.take()
            {
                *found = Some(Arc::new(inspection));
            }
        }
        let column = |compared: &ComparedSearch| {
            let outcome = match (&compared.parts, &compared.found) {
                (Err(reason), _) => Err(reason.clone()),
                (Ok(_), found) => Ok(found.clone().unwrap_or_default()),
            };
            Column { configuration: compared.configuration.clone(), outcome }
        };
        self.findings.columns = self.compared_searches.iter().map(column).collect();
        &self.findings
    }

    /// The pick that was requested but has not been carried out yet.
    pub fn due_pick(&self) -> Option<PickOrder> {
        self.pick.filter(|pick| pick.number > self.picks && self.pick_under_way.is_none())
    }

    /// Stores what a renderer recorded for a pick.
    pub fn take_pick(&mut self, order: PickOrder, found: PickFound) {
        self.picks = order.number;
        self.pick_under_way = Some(PickUnderWay { order, found, identities: None });
    }

    /// Records the read-back of the identities of the picked particles, in the present drawn order.
    fn read_identities(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, simulation: &Simulation) {
        let Some(pick) = self.pick_under_way.as_mut().filter(|pick| pick.identities.is_none()) else { return };
        let particles = simulation.particles();
        let count = particles.count as usize;
        let roles = match &pick.found {
            PickFound::One(_) => None,
            PickFound::Many(selection) => Some(Readback::record(gpu, encoder, &selection.roles, count)),
        };
        pick.identities = Some((Readback::record(gpu, encoder, particles.velocities, count), roles));
    }

    /// The picked particles, once all data has arrived.
    fn picked(&self) -> Option<Picked> {
        let PickUnderWay { order, found, identities } = self.pick_under_way.as_ref()?;
        let (identities, roles) = identities.as_ref()?;
        let identities = identities.take()?;
        let identity = |place: usize| identities.get(place).map(|identity| identity[3].to_bits());
        let particles = match (found, roles) {
            (PickFound::One(place), _) => {
                place.take()?.and_then(|place| identity(place as usize)).into_iter().collect()
            }
            (PickFound::Many(_), Some(roles)) => {
                let roles = roles.take()?;
                let inside = roles.iter().enumerate().filter(|(_, role)| **role == Mark::Picked as u32);
                inside.filter_map(|(place, _)| identity(place)).collect()
            }
            (PickFound::Many(_), None) => Vec::new(),
        };
        Some(Picked { number: order.number, particles: Arc::new(particles) })
    }

    /// The values of the cost map, `f32` in the drawn order; `None` if no cost map is requested.
    pub fn cost_values(&self) -> Option<&wgpu::Buffer> {
        self.cost.as_ref().map(CostMap::values)
    }

    /// Roles of the particles for drawing, for the running search (0) and the compared ones; `None` if they are drawn
    /// without roles.
    pub fn marks(&self, column: usize) -> Option<&wgpu::Buffer> {
        if column == 0 {
            return self.marker.as_ref().map(Marker::marks);
        }
        let parts = self.compared_searches.get(column - 1)?.parts.as_ref().ok()?;
        parts.marking.as_ref().map(|_| parts.marker.marks())
    }
}

impl ComparedParts {
    fn new(gpu: &Gpu, simulation: &Simulation, configuration: &SearchConfiguration) -> Result<Self, LaboratoryError> {
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
        let marker = Marker::new(gpu, particles.velocities, particles.count)?;
        Ok(Self { inspector, marker, specimen, marking: None, built: false })
    }
}
