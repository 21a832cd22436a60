//! Manages a time step that runs pass by pass, so that it never overlaps with complete steps of the simulation: an
//! incomplete step is finished before anything else moves the particles, and abandoned before anything replaces them.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Focus, LaboratoryError, Link, PassReport, Stepper, StripReader, StripRequest};
use crate::explanation::PassSource;
use crate::fluid::Simulation;
use crate::gpu::{Gpu, Phase};

/// The requests of a view, as counters that grow with each request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SteppingOrder {
    /// Number of requests to run the next pass.
    pub forward: u32,
    /// Number of requests to finish the step.
    pub finish: u32,
    /// Number of requests to abandon the step.
    pub abandon: u32,
    /// The center of the windows of the next pass.
    pub focus: Focus,
}

/// A pass of the step, before it has run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassName {
    /// Label of the pass.
    pub label: &'static str,
    /// Which part of the frame it belongs to.
    pub phase: Phase,
    /// The code that it runs.
    pub source: PassSource,
}

/// A pass that has run.
#[derive(Clone, Debug)]
pub struct SteppedPass {
    /// The report of the pass.
    pub report: PassReport,
    /// For each of the report's buffers, the label of the next pass of the step that reads it.
    pub next_readers: Vec<Option<&'static str>>,
    /// The index in the drawn order for places of the sorted order, as far as it was read; empty if there is no buffer
    /// of sorted positions.
    pub links: Vec<Link>,
}

/// The state of the step.
#[derive(Clone, Debug, Default)]
pub struct SteppingFindings {
    /// The passes of a step, in order.
    pub passes: Arc<Vec<PassName>>,
    /// The passes of the last step that have run and were read back.
    pub stepped: Vec<Arc<SteppedPass>>,
    /// Number of passes that have run.
    pub done: usize,
    /// Whether a step is incomplete.
    pub is_half_done: bool,
    /// A message about the last step, in a sentence.
    pub told: Option<String>,
}

impl SteppingFindings {
    /// The pass that has run last in an incomplete or just completed step; `None` before the first pass.
    pub fn current(&self) -> Option<&PassName> {
        self.passes.get(self.done.checked_sub(1)?)
    }
}

/// A step that was started, with the links that its reports do not contain.
struct Begun {
    stepper: Stepper,
    reader: StripReader,
    /// Links of the passes whose reports have not arrived, in order.
    links: VecDeque<Option<Vec<Link>>>,
}

/// Owns the step that runs pass by pass.
#[derive(Default)]
pub struct Stepping {
    begun: Option<Begun>,
    order: Option<SteppingOrder>,
    listed_for: Option<u64>,
    findings: SteppingFindings,
}

impl Stepping {
    /// Whether a step is incomplete; the search's tables and the particles are inconsistent then.
    pub fn is_half_done(&self) -> bool {
        self.begun.as_ref().is_some_and(|begun| begun.stepper.done() > 0 && !begun.stepper.is_complete())
    }

    /// Carries out the requests of the view; `None` if the view is not shown, which finishes an incomplete step.
    /// Returns whether the simulation has advanced by a time step.
    ///
    /// The tables and the particles must be consistent, as after the last density computation, in commands that have
    /// been submitted.
    pub fn follow(&mut self, gpu: &Gpu, simulation: &mut Simulation, order: Option<&SteppingOrder>) -> bool {
        let Some(order) = order else {
            let finished =
                self.is_half_done() && self.finish(gpu, simulation, "another view was opened or its own was closed");
            if self.order.is_some() {
                let told = self.findings.told.take().filter(|_| finished);
                *self = Self { findings: SteppingFindings { told, ..SteppingFindings::default() }, ..Self::default() };
            }
            return finished;
        };
        if self.listed_for != Some(simulation.build_number()) {
            let name = |pass: &crate::gpu::Pass| PassName {
                label: pass.label,
                phase: pass.phase,
                source: PassSource::of(pass),
            };
            self.findings.passes = Arc::new(simulation.passes().map(name).collect());
            self.listed_for = Some(simulation.build_number());
            self.forget();
        }
        // The first order only sets the initial values of the counters.
        let last = self.order.replace(*order).unwrap_or(*order);
        let mut finished = false;
        if order.abandon != last.abandon {
            self.abandon(gpu, simulation, "");
        }
        for _ in 0..order.forward.wrapping_sub(last.forward) {
            let outcome = self.forward(gpu, simulation, &order.focus);
            finished |= self.take_outcome(outcome);
        }
        if order.finish != last.finish && self.is_half_done() {
            finished |= self.finish_with(gpu, simulation, &order.focus);
            self.findings.told = Some("The step is finished.".into());
        }
        finished
    }

    fn take_outcome(&mut self, outcome: Result<bool, LaboratoryError>) -> bool {
        outcome.unwrap_or_else(|error| {
            self.begun = None;
            self.findings.told = Some(error.to_string());
            false
        })
    }

    /// Runs the next pass, or the first pass of a new step if no step is incomplete. Returns whether it was the last
    /// one.
    fn forward(&mut self, gpu: &Gpu, simulation: &mut Simulation, focus: &Focus) -> Result<bool, LaboratoryError> {
        if self.begun.as_ref().is_none_or(|begun| begun.stepper.is_complete()) {
            self.forget();
            let stepper = Stepper::new(gpu, simulation)?;
            self.begun = Some(Begun { stepper, reader: StripReader::default(), links: VecDeque::default() });
        }
        let Some(begun) = &mut self.begun else { return Ok(false) };
        begun.stepper.forward(gpu, simulation, focus)?;
        // The sorted positions contain the index that each particle had before the sort.
        let sorted = begun.stepper.memory().named("sorted_positions");
        match sorted.map(|entry| StripRequest::around(entry, focus.place, super::MOST_ELEMENTS)) {
            Some(request) => {
                let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                begun.reader.ask(gpu, &mut encoder, &[request])?;
                gpu.queue.submit([encoder.finish()]);
                begun.links.push_back(None);
            }
            None => begun.links.push_back(Some(Vec::new())),
        }
        self.findings.told = None;
        Ok(begun.stepper.is_complete())
    }

    fn finish_with(&mut self, gpu: &Gpu, simulation: &mut Simulation, focus: &Focus) -> bool {
        let mut finished = false;
        while self.is_half_done() && !finished {
            let outcome = self.forward(gpu, simulation, focus);
            finished = self.take_outcome(outcome);
        }
        finished
    }

    /// Finishes an incomplete step for the reason `why`. Returns whether the simulation has advanced by a time step.
    pub fn finish(&mut self, gpu: &Gpu, simulation: &mut Simulation, why: &str) -> bool {
        let finished = self.finish_with(gpu, simulation, &Focus::default());
        if finished {
            self.findings.told = Some(format!("The incomplete step was finished, because {why}."));
        }
        finished
    }

    /// Restores the state from before an incomplete step, for the reason `why`, which is empty if the user requested
    /// it.
    pub fn abandon(&mut self, gpu: &Gpu, simulation: &Simulation, why: &str) {
        if !self.is_half_done() {
            return;
        }
        let Some(begun) = self.begun.take() else { return };
        let outcome = begun.stepper.abandon(gpu, simulation);
        self.forget();
        self.findings.told = Some(match (outcome, why) {
            (Err(error), _) => error.to_string(),
            (Ok(()), "") => "The step was abandoned, and the state from before it was restored.".into(),
            (Ok(()), why) => format!("The incomplete step was abandoned, because {why}."),
        });
    }

    fn forget(&mut self) {
        self.begun = None;
        (self.findings.stepped, self.findings.done, self.findings.told) = (Vec::new(), 0, None);
    }

    /// Collects the reports that have arrived. Never waits.
    pub fn collect(&mut self, gpu: &Gpu) -> &SteppingFindings {
        if let Some(begun) = &mut self.begun {
            if let Some(strips) = begun.reader.take(gpu) {
                // The latest links are valid for all waiting passes, because only one pass of a step changes the
                // places.
                let links = strips.first().and_then(super::Strip::links).unwrap_or_default();
                begun.links.iter_mut().filter(|waiting| waiting.is_none()).for_each(|waiting| {
                    *waiting = Some(links.clone());
                });
            }
            while begun.links.front().is_some_and(Option::is_some)
                && let Some(report) = begun.stepper.take(gpu)
            {
                let links = begun.links.pop_front().flatten().unwrap_or_default();
                self.findings.stepped.push(Arc::new(stepped(&begun.stepper, report, links)));
            }
            self.findings.done = begun.stepper.done();
        }
        self.findings.is_half_done = self.is_half_done();
        &self.findings
    }
}

fn stepped(stepper: &Stepper, report: PassReport, links: Vec<Link>) -> SteppedPass {
    let later = stepper.passes().get(report.number..).unwrap_or_default();
    let next_reader = |buffer: &wgpu::Buffer| {
        let reads = |pass: &&crate::gpu::Pass| {
            pass.bindings().iter().any(|bound| bound.buffer == *buffer && bound.access.reads())
        };
        later.iter().find(reads).map(|pass| pass.label)
    };
    let next_readers = report.buffers.iter().map(|buffer| next_reader(&buffer.after.entry.buffer)).collect();
    SteppedPass { report, next_readers, links }
}
