//! Runs one time step pass by pass, and reports after each pass what it was and what it read and wrote, as windows of
//! the actual buffers before and after the pass. The last pass finishes the step, with the same result as
//! [`Simulation::record_step`]. A step can also be abandoned, which restores the state from before the step.

use std::collections::VecDeque;
use std::ops::Range;

use super::LaboratoryError;
use super::memory::{Counts, MemoryEntry, MemoryMap, Space, UsedBuffer};
use super::strips::{MOST_ELEMENTS, PendingStrip, Strip, StripRequest};
use crate::explanation::PassSource;
use crate::fluid::Simulation;
use crate::gpu::{Access, Gpu, Pass, Phase, record};

/// Largest number of changed elements that are listed; further ones are only counted.
const MOST_LISTED: usize = 1 << 16;

/// The center of the windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    /// Index of the selected particle in the sorted order.
    pub place: u64,
    /// Its index in the order before the search's build.
    pub original: u64,
    /// Linear index of the selected cell.
    pub cell: u64,
    /// Number of elements of a window; 0 for [`Focus::USUAL_ELEMENTS`].
    pub elements: u64,
}

impl Focus {
    /// Default number of elements of a window.
    pub const USUAL_ELEMENTS: u64 = 2_048;

    /// The window of a buffer.
    pub fn request(&self, entry: &MemoryEntry) -> StripRequest {
        let center = match entry.space {
            Space::Particles => self.place,
            Space::OriginalParticles => self.original,
            Space::Cells => self.cell,
            Space::Blocks => 2 * self.cell,
            Space::Entries | Space::Other => 0,
        };
        let count = if self.elements == 0 { Self::USUAL_ELEMENTS } else { self.elements };
        StripRequest::around(entry, center, count)
    }
}

/// The elements that a pass has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// The elements that were compared: all elements of a buffer with at most [`MOST_ELEMENTS`] elements, and those in
    /// the window of a longer buffer.
    pub compared: Range<u64>,
    /// How many of them differ.
    pub count: u64,
    /// Those that differ, in order; at most the first 65,536.
    pub elements: Vec<u64>,
}

/// What a pass did to one buffer.
#[derive(Clone, Debug)]
pub struct BufferReport {
    /// Whether the pass reads or writes the buffer.
    pub access: Access,
    /// Names of the buffer in the shader of the pass, which can differ from the entry's name.
    pub names: Vec<String>,
    /// The window before the pass; `None` if the pass only reads the buffer.
    pub before: Option<Strip>,
    /// The window after the pass.
    pub after: Strip,
    /// The changed elements; `None` if the pass only reads the buffer.
    pub changes: Option<Changes>,
}

impl BufferReport {
    /// Whether an element of the window has changed.
    pub fn is_changed(&self, element: u64) -> bool {
        let before = self.before.as_ref().and_then(|before| before.element(element));
        before.is_some() && before != self.after.element(element)
    }
}

/// Describes one pass and its effects.
#[derive(Clone, Debug)]
pub struct PassReport {
    /// Number of the pass in its step, from 1.
    pub number: usize,
    /// Number of passes of the step.
    pub pass_count: usize,
    /// Label of the pass.
    pub label: &'static str,
    /// Which part of the frame it belongs to.
    pub phase: Phase,
    /// The shader file, as a path below `shaders/`.
    pub file: &'static str,
    /// The file of the pair kernel, if the pass is a traversal.
    pub pair_file: Option<&'static str>,
    /// The entry point's name.
    pub entry_point: &'static str,
    /// Workgroups along x and y.
    pub workgroups: [u32; 2],
    /// Invocations of a workgroup along x, y and z.
    pub workgroup_size: [u32; 3],
    /// Bytes of workgroup memory that each workgroup allocates.
    pub workgroup_bytes: u32,
    /// The storage buffers that it uses.
    pub buffers: Vec<BufferReport>,
}

impl PassReport {
    /// The code that the pass ran.
    pub fn source(&self) -> PassSource {
        PassSource { file: self.file, entry_point: self.entry_point, pair_file: self.pair_file }
    }

    /// The particles whose data the pass has changed, buffer by buffer, each with the meaning of its indices:
    /// [`Space::Particles`] or [`Space::OriginalParticles`].
    pub fn touched_particles(&self) -> impl Iterator<Item = (Space, &Changes)> {
        let of_particles = |space| matches!(space, Space::Particles | Space::OriginalParticles);
        let spaces = self.buffers.iter().map(|buffer| (buffer.after.entry.space, buffer.changes.as_ref()));
        spaces.filter(move |(space, _)| of_particles(*space)).filter_map(|(space, changes)| Some((space, changes?)))
    }
}

/// The windows of a buffer before and after a pass, while they are being read back.
struct PendingBuffer {
    access: Access,
    names: Vec<String>,
    window: Range<u64>,
    before: Option<PendingStrip>,
    after: PendingStrip,
}

impl PendingBuffer {
    fn has_arrived(&mut self) -> bool {
        self.before.as_mut().is_none_or(PendingStrip::has_arrived) && self.after.has_arrived()
    }

    fn into_report(self) -> BufferReport {
        let after = self.after.into_strip();
        let before = self.before.map(PendingStrip::into_strip);
        let changes = before.as_ref().map(|before| {
            let compared = after.window.clone();
            let differs = |element: &u64| before.element(*element) != after.element(*element);
            let count = compared.clone().filter(differs).count() as u64;
            let elements = compared.clone().filter(differs).take(MOST_LISTED).collect();
            Changes { compared, count, elements }
        });
        BufferReport {
            access: self.access,
            names: self.names,
            before: before.map(|before| before.cut(&self.window)),
            after: after.cut(&self.window),
            changes,
        }
    }
}

/// A buffer that a step writes, with a copy from before the step.
struct KeptBuffer {
    buffer: wgpu::Buffer,
    copy: wgpu::Buffer,
}

/// A time step that runs pass by pass.
pub struct Stepper {
    passes: Vec<Pass>,
    map: MemoryMap,
    done: usize,
    kept: Vec<KeptBuffer>,
    build_number: u64,
    step_count: u64,
    reports: VecDeque<(PassReport, Vec<PendingBuffer>)>,
}

impl Stepper {
    /// Starts a time step: describes its memory, and copies every buffer that the step writes. Nothing else may step or
    /// change the simulation before the step is complete or abandoned.
    ///
    /// # Errors
    /// When a shader file is missing, or the copies do not fit the device.
    pub fn new(gpu: &Gpu, simulation: &Simulation) -> Result<Self, LaboratoryError> {
        let passes: Vec<Pass> = simulation.passes().cloned().collect();
        let counts = Counts {
            particles: simulation.particles().count,
            cells: simulation.search_cells().map(|cells| cells.counts.element_product()),
        };
        let map = MemoryMap::new(gpu, &passes, counts)?;
        let mut kept: Vec<KeptBuffer> = Vec::new();
        for bound in passes.iter().flat_map(Pass::bindings).filter(|bound| bound.access.writes()) {
            if kept.iter().all(|kept| kept.buffer != bound.buffer) {
                let copy = gpu.storage::<u32>("copy from before a step", bound.buffer.size() / 4)?;
                kept.push(KeptBuffer { buffer: bound.buffer.clone(), copy });
            }
        }
        gpu.submit(|encoder| {
            for KeptBuffer { buffer, copy } in &kept {
                encoder.copy_buffer_to_buffer(buffer, 0, copy, 0, buffer.size());
            }
        });
        Ok(Self {
            passes,
            map,
            done: 0,
            kept,
            build_number: simulation.build_number(),
            step_count: simulation.step_count(),
            reports: VecDeque::new(),
        })
    }

    /// The buffers of the step.
    pub fn memory(&self) -> &MemoryMap {
        &self.map
    }

    /// The passes of the step, in order.
    pub fn passes(&self) -> &[Pass] {
        &self.passes
    }

    /// How many of them have run.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Whether all passes have run, so that the simulation has advanced by a time step.
    pub fn is_complete(&self) -> bool {
        self.done == self.passes.len()
    }

    /// Runs the next pass in its own submission, and reads windows of its buffers before and after it. After the last
    /// pass the simulation's step is finished. [`Stepper::take`] returns the report.
    ///
    /// # Errors
    /// When all passes have run, the simulation is not the one that the step was started with or has advanced since, or
    /// a buffer cannot be read; in these cases nothing has run.
    pub fn forward(&mut self, gpu: &Gpu, simulation: &mut Simulation, focus: &Focus) -> Result<(), LaboratoryError> {
        let Some(pass) = self.passes.get(self.done) else {
            return Err(LaboratoryError::StepIsComplete(self.passes.len()));
        };
        self.check_fits(simulation)?;
        let used = self.map.used_by(pass);
        let windows: Vec<StripRequest> = used.iter().map(|used| focus.request(&used.entry)).collect();
        // Small buffers are read completely for the comparison.
        let reads: Vec<StripRequest> = used.iter().zip(&windows).map(|(used, window)| compared(used, window)).collect();
        for request in &reads {
            request.words()?;
        }
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut before = Vec::new();
        for (used, read) in used.iter().zip(&reads) {
            let strip = used.access.writes().then(|| PendingStrip::record(gpu, &mut encoder, read.clone()));
            before.push(strip.transpose()?);
        }
        record([pass], &mut encoder, None);
        let mut pending = Vec::new();
        for (((used, window), read), before) in used.into_iter().zip(windows).zip(reads).zip(before) {
            let after = PendingStrip::record(gpu, &mut encoder, read)?;
            let UsedBuffer { access, names, .. } = used;
            pending.push(PendingBuffer { access, names, window: window.window, before, after });
        }
        let report = PassReport {
            number: self.done + 1,
            pass_count: self.passes.len(),
            label: pass.label,
            phase: pass.phase,
            file: pass.shader().file,
            pair_file: pass.shader().pair.map(|pair| pair.file),
            entry_point: pass.entry_point(),
            workgroups: pass.workgroups(),
            workgroup_size: pass.workgroup_size(),
            workgroup_bytes: pass.workgroup_bytes(),
            buffers: Vec::new(),
        };
        self.done += 1;
        if self.is_complete() {
            simulation.finish_step(&mut encoder);
        }
        gpu.queue.submit([encoder.finish()]);
        self.reports.push_back((report, pending));
        Ok(())
    }

    /// The report of the oldest pass that has not been reported yet, once its windows have arrived; `None` before.
    /// Never waits.
    pub fn take(&mut self, gpu: &Gpu) -> Option<PassReport> {
        // The error is ignored: a lost device is reported through its callback, and nothing arrives.
        gpu.poll();
        let (_, pending) = self.reports.front_mut()?;
        if !pending.iter_mut().all(PendingBuffer::has_arrived) {
            return None;
        }
        let (mut report, pending) = self.reports.pop_front()?;
        report.buffers = pending.into_iter().map(PendingBuffer::into_report).collect();
        Some(report)
    }

    /// Restores the state from before the step. Does nothing if the step is complete.
    ///
    /// # Errors
    /// When the simulation is not the one that the step was started with, or has advanced since.
    pub fn abandon(self, gpu: &Gpu, simulation: &Simulation) -> Result<(), LaboratoryError> {
        if self.is_complete() {
            return Ok(());
        }
        self.check_fits(simulation)?;
        gpu.submit(|encoder| {
            for KeptBuffer { buffer, copy } in &self.kept {
                encoder.copy_buffer_to_buffer(copy, 0, buffer, 0, buffer.size());
            }
        });
        Ok(())
    }

    /// Fails if the step was not started with this simulation, or if the simulation has advanced since.
    fn check_fits(&self, simulation: &Simulation) -> Result<(), LaboratoryError> {
        let same_passes = simulation.passes().zip(&self.passes).all(|(now, begun)| now.is_copy_of(begun));
        let fits = simulation.build_number() == self.build_number && simulation.step_count() == self.step_count;
        if fits && same_passes { Ok(()) } else { Err(LaboratoryError::SimulationChanged) }
    }
}

/// The part of a buffer that is read to find its changes: all of it if it is small and written, otherwise its window.
fn compared(used: &UsedBuffer, window: &StripRequest) -> StripRequest {
    let entry = &used.entry;
    if used.access.writes() && entry.length <= MOST_ELEMENTS {
        StripRequest { entry: entry.clone(), window: 0..entry.length }
    } else {
        window.clone()
    }
}
