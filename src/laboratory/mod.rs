//! The laboratory: inspects, measures and checks the neighbor searches, using the same passes that the simulation runs.
//!
//! Everything here is plain wgpu and independent of the window. The laboratory reads the buffers of the searches, runs
//! recording and counting variants of the same traversals, and returns plain data.
//!
//! Measurements and checks are jobs: a job is advanced a little in every frame, never waits for the device, is canceled
//! by dropping it, and returns plain data. [`Race`] times the searches on frozen positions, [`ScalingLab`] times them
//! over a range of particle counts or radii, [`Badge`] compares the running search with brute force, and [`BreakIt`]
//! measures the effect of a [`Preset`] on a search.

mod badge;
mod badge_keeper;
mod blocks;
mod break_it;
pub mod check;
mod cost_map;
mod drawn_places;
mod error;
mod gantt;
mod gathered;
mod inspector;
mod jobs;
mod limits;
mod marker;
mod memory;
mod memory_strip;
mod overlay_cost;
mod places;
mod presets;
mod race;
mod scaling;
mod schedule_bench;
mod stepper;
mod stepping;
mod strips;
mod waters;
mod workbench;

pub use crate::bench::Progress;
pub use crate::search::Specimen;
pub use badge::{Badge, BadgeInput, Fault, Offender, Partner, Verdict};
pub use badge_keeper::{BadgeKeeper, BadgeReport};
pub use blocks::{BlockReader, MOST_CELLS_READ};
pub use break_it::{BreakIt, Breakage, Numbers};
pub use cost_map::{COST_BINS, CostField, CostMap, CostParameters, CostRequest, CostSummary, GpuCostSummary};
pub use error::LaboratoryError;
pub use gantt::{Bar, Gantt, Piece, Section, SectionWork, Work};
pub use gathered::{GatherParameters, Gathered, GatheredParticle, Gatherer, MOST_GATHERED, SPREAD_BINS, Spread};
pub use inspector::{Inspection, Inspector, PickedFields, Target};
pub use jobs::{DamagedWater, JobFindings, JobOrder, JobWork, Jobs, LessonResult, MOST_PARTS_A_FRAME, RaceResult};
pub use limits::{LimitsCard, LimitsFact, MOST_OFFERED, SearchLimits};
pub use marker::{MarkEntry, MarkParameters, Marker, Naming};
pub use memory::{Counts, Format, MemoryEntry, MemoryMap, Space, UsedBuffer};
pub use memory_strip::{MOST_STRIP_PLACES, MemoryStrip, ReadBlock, StripPlace, StripWanted, WorkgroupMemory};
pub use overlay_cost::{OverlayCost, overlay_costs};
pub use places::{Place, Places};
pub use presets::{Damaged, PRESETS, Preset, Reveals, Undamaged};
pub use race::{Circumstances, Race, RaceColumn, RaceFigures, RaceInput, RaceOutcome, RaceRow, RaceTable};
pub use scaling::{Crossover, ScalingInput, ScalingLab, ScalingPoint, ScalingTable, ScalingTimes, Swept};
pub use schedule_bench::{CellCounts, ScheduleBench, ScheduleColumn, ScheduleFindings, ScheduleOrder};
pub use stepper::{BufferReport, Changes, Focus, PassReport, Stepper};
pub use stepping::{PassName, SteppedPass, Stepping, SteppingFindings, SteppingOrder};
pub use strips::{Link, MOST_ELEMENTS, Strip, StripReader, StripRequest};
pub use waters::{MadeWater, Water};
pub use workbench::{
    Column, LabFindings, LabRequest, MOST_COLUMNS, Marking, MemoryOrder, PickFound, PickOrder, PickWhat, Picked,
    Workbench,
};

/// Formats records as CSV.
fn csv_text(records: &[Vec<String>]) -> Result<String, LaboratoryError> {
    let mut bytes = Vec::new();
    let mut writer = csv::Writer::from_writer(&mut bytes);
    for record in records {
        writer.write_record(record)?;
    }
    writer.flush().map_err(csv::Error::from)?;
    drop(writer);
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
