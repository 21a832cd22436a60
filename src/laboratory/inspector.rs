//! The inspector: records what a search does for a few particles and in one coarse cell, by running a recording variant
//! of its own traversal on the tables of the last build.

use super::LaboratoryError;
use crate::gpu::{Dispatch, Gpu, Pass, PassDescriptor, PassTimer, Phase, Readback, ShaderVariant, gpu_struct, record};
use crate::search::{
    Cells, Grid, InspectedSearch, Instrument, MOST_RECORDED, Recorder, Recording, RecordingReadback, count_kernel,
};

gpu_struct! {
    /// The state of a recorded particle, as the shader writes it.
    pub struct PickedFields {
        /// Position, m.
        pub position: [f32; 3],
        /// Index in the sorted order.
        pub place: u32,
        /// Velocity, m/s; zero if the search runs on positions only.
        pub velocity: [f32; 3],
        /// Density, kg/m³; zero if the search runs on positions only.
        pub density: f32,
        /// Cell of the search's grid.
        pub cell: [u32; 3],
        /// Pressure over density squared, m⁵/(kg s²).
        pub pressure_term: f32,
        /// 1 if the search classifies it as a border particle.
        pub is_border: u32,
        /// 1 if the particle was found.
        pub found: u32,
        /// The particle's identity.
        pub identity: u32,
        /// Pads the struct to a multiple of 16 bytes.
        pub padding: u32,
    }
}

/// What is inspected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Identities of particles, at most [`MOST_RECORDED`].
    pub particles: Vec<u32>,
    /// Linear index of a coarse cell.
    pub cell: Option<u32>,
}

impl Target {
    /// Whether there is nothing to inspect.
    pub fn is_empty(&self) -> bool {
        self.particles.is_empty() && self.cell.is_none()
    }
}

/// What an inspection found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inspection {
    /// The target of the inspection.
    pub target: Target,
    /// The state of each particle of the target; `found` is 0 for identities without a particle.
    pub fields: Vec<PickedFields>,
    /// What the traversal did.
    pub recording: Recording,
    /// The search's cells.
    pub cells: Option<Cells>,
}

/// Records a search's traversal for selected particles and reads the result back asynchronously.
pub struct Inspector {
    recorder: Recorder,
    before: Vec<Pass>,
    traversal: Vec<Pass>,
    after: Vec<Pass>,
    fields: wgpu::Buffer,
    cells: Option<Cells>,
    target: Target,
    under_way: Option<(Target, RecordingReadback, Readback<PickedFields>)>,
}

impl Inspector {
    /// Creates an inspector of a search.
    ///
    /// # Errors
    /// When the buffers do not fit the device or a shader does not compile.
    pub fn new(gpu: &Gpu, subject: InspectedSearch<'_>) -> Result<Self, LaboratoryError> {
        let InspectedSearch { search, identities, densities, particle_count } = subject;
        let recorder = Recorder::new(gpu, particle_count)?;
        // A traversal needs a pair kernel; the counting kernel is the cheapest one.
        let counts = gpu.storage::<u32>("recorded counts", particle_count.into())?;
        let deposits = gpu.storage::<u32>("recorded deposits", particle_count.into())?;
        let pair_buffers = [("pair_counts", &counts), ("deposits", &deposits)];
        let traversal =
            search.traversal_passes(gpu, count_kernel(&pair_buffers), Some(Instrument::Record(&recorder)))?;
        let [find, name] = recorder.passes_around(gpu, identities)?;
        let fields = gpu.storage::<PickedFields>("fields of recorded particles", MOST_RECORDED as u64)?;
        let one_cell = Grid { cell_counts: [1; 3], cell_count: 1, ..Grid::default() };
        let grid = gpu.uniform("inspected cells", &search.cells().map_or(one_cell, |cells| cells.grid()));
        let mut buffers = vec![
            ("cell_grid", &grid),
            ("record_slots", recorder.slots()),
            ("sorted_positions", search.sorted_positions()),
            ("identities", identities),
            ("fields", &fields),
        ];
        buffers.extend(densities.map(|densities| ("densities", densities)));
        let shader = ShaderVariant::new("laboratory/gather_picked.wgsl").with_flag_if(densities.is_some(), "MOTION");
        let dispatch = Dispatch::Invocations(particle_count.into());
        let gather = Pass::new(
            gpu,
            PassDescriptor {
                phase: Phase::Search,
                label: "gather picked",
                shader: &shader,
                entry_point: "gather_picked",
                buffers: &buffers,
                dispatch,
            },
        )?;
        Ok(Self {
            recorder,
            before: vec![find],
            traversal,
            after: vec![name, gather],
            fields,
            cells: search.cells(),
            target: Target::default(),
            under_way: None,
        })
    }

    /// Sets what the next recordings inspect.
    pub fn aim(&mut self, gpu: &Gpu, target: &Target) {
        self.recorder.aim(gpu, &target.particles, target.cell);
        self.target = target.clone();
        self.target.particles.truncate(MOST_RECORDED);
    }

    /// Records the recording traversal and its read-back, unless an earlier one is still in progress. Must come after
    /// the search's build, since the traversal reads its tables. Returns whether anything was recorded.
    pub fn record(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder, timer: Option<&mut PassTimer>) -> bool {
        if self.under_way.is_some() || self.target.is_empty() {
            return false;
        }
        self.recorder.clear(encoder);
        encoder.clear_buffer(&self.fields, 0, None);
        record(self.before.iter().chain(&self.traversal).chain(&self.after), encoder, timer);
        let fields = Readback::record(gpu, encoder, &self.fields, MOST_RECORDED);
        self.under_way = Some((self.target.clone(), self.recorder.read(gpu, encoder), fields));
        true
    }

    /// The inspection, once it has arrived. Never waits.
    pub fn take(&mut self) -> Option<Inspection> {
        let (target, recording, fields) = self.under_way.as_ref()?;
        // Both are recorded in one encoder: when the recording, which is mapped last, has arrived, so have the fields.
        let recording = recording.take()?;
        let mut fields = fields.take().unwrap_or_default();
        fields.truncate(target.particles.len());
        let inspection = Inspection { target: target.clone(), fields, recording, cells: self.cells };
        self.under_way = None;
        Some(inspection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ShaderLibrary, assert_same_layout};

    #[test]
    fn the_shader_writes_the_fields_at_the_same_offsets() {
        for motion in [false, true] {
            let variant = ShaderVariant::new("laboratory/gather_picked.wgsl").with_flag_if(motion, "MOTION");
            let (module, _) = ShaderLibrary::embedded().compose(&variant).unwrap_or_else(|error| panic!("{error}"));
            assert_same_layout::<PickedFields>(&module);
        }
    }
}
