//! Brings the shader library in line with the texts that the user wants, and keeps the old pipelines while a text does
//! not compile.
//!
//! What protects the program from an edited shader: all shaders have wgpu's bounds checks, so that none reads or writes
//! memory that does not belong to it; every loop ends (`gpu::loop_budget`); a frame that takes too long with new texts,
//! or a device that is lost before it has finished one, takes them out of use. What does not: a pass cannot be
//! interrupted, so that the window may stand still until it ends.

use std::collections::BTreeSet;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::cost::ENOUGH_FRAMES;
use super::{CodeControls, PassCode};
use crate::app::{Report, format};
use crate::fluid::{FluidError, Simulation};
use crate::gpu::{AdapterClass, Changed, Gpu, GpuError, ShaderFault, ShaderLibrary, ShaderTexts, ShaderVariant};
use crate::laboratory::Stepping;
use crate::search::SearchError;

/// Number of timed steps for which the original shaders run to be measured.
const MEASURED_STEPS: u32 = 40;
/// The longest time that the first frame with new texts may take on an adapter that is not a software one. Display
/// drivers reset the device after 2 s or more.
const LONGEST_FRAME: Duration = Duration::from_secs(2);

/// How long nothing must be typed before a text is checked.
const TYPING_REST: Duration = Duration::from_millis(250);

/// Whether the device has finished work with the texts in use.
#[derive(Default)]
enum Proof {
    #[default]
    NotNeeded,
    /// Nothing was recorded with the texts yet.
    Wanted,
    /// Work was recorded at that time, and is submitted before the next frame.
    Recorded(Instant),
    /// The device stores there when it has finished the work.
    Awaited(Instant, Arc<OnceLock<Instant>>),
}

/// The part of the driver that follows [`CodeControls`].
#[derive(Default)]
pub(in crate::app) struct LiveCode {
    /// Whether the edits that a lost device left behind were taken over.
    has_begun: bool,
    /// The revision of the controls that was tried last.
    tried: Option<u64>,
    comparisons: u32,
    is_editing: bool,
    /// Timed steps with the original shaders that are left.
    measuring: u32,
    /// The texts that were in use before the last change.
    before: ShaderTexts,
    proof: Proof,
    /// What the renderers have not taken over yet.
    undrawn: Changed,
    /// The number of changes of the typed texts that were checked, and the thread that checks the last ones.
    checked: u64,
    checking: Option<(u64, Receiver<Vec<ShaderFault>>)>,
    /// Build number of the simulation and number of the edits for which the passes were listed.
    listed_for: Option<(u64, u64)>,
}

/// What a change of shaders must interrupt: the simulation, and a step that is only half done.
pub struct EditTarget<'a> {
    /// The simulation, if there is one.
    pub simulation: &'a mut Option<Simulation>,
    /// The stepper of the laboratory.
    pub stepping: &'a mut Stepping,
}

impl EditTarget<'_> {
    fn borrow(&mut self) -> EditTarget<'_> {
        EditTarget { simulation: self.simulation, stepping: self.stepping }
    }
}

/// The shaders that are to be used.
struct CodeOrder {
    /// The edited files.
    texts: ShaderTexts,
    /// Whether the shaders run with the checks that edited ones need.
    is_editing: bool,
}

impl LiveCode {
    /// Follows the controls. Returns whether passes were made again; the simulation then has to sort the particles
    /// before anything is drawn or checked.
    pub fn follow(
        &mut self,
        gpu: &Gpu,
        mut running: EditTarget<'_>,
        controls: &CodeControls,
        report: &mut Report,
    ) -> bool {
        let edits = gpu.shaders().edits();
        if !self.has_begun {
            self.has_begun = true;
            self.take_over(gpu, controls, report);
        }
        // Whether a text compiles is known only of the shaders of a simulation, which must not depend on it.
        if running.simulation.is_none() && !controls.wanted.is_empty() {
            return false;
        }
        let mut changed = self.watch(gpu, running.borrow(), controls, report);
        let is_new = self.tried != Some(controls.revision);
        let starts_measuring = self.comparisons != controls.comparisons && !edits.texts().is_empty();
        self.comparisons = controls.comparisons;
        let ends_measuring = report.code.measuring > 0 && self.measuring == 0;
        if is_new || ends_measuring {
            self.tried = Some(controls.revision);
            self.measuring = 0;
            let order = CodeOrder { texts: Arc::clone(&controls.wanted), is_editing: controls.is_editing };
            changed |= self.change_to(gpu, running.borrow(), order, report);
        } else if starts_measuring {
            let order = CodeOrder { texts: ShaderTexts::default(), is_editing: true };
            changed |= self.change_to(gpu, running.borrow(), order, report);
            self.measuring = MEASURED_STEPS;
        }
        self.check_drafts(gpu, running.simulation.as_ref(), controls, report);
        report.code.tried = self.tried;
        report.code.measuring = self.measuring;
        changed
    }

    /// Checks texts that are being typed on another thread, so that errors are underlined before they are applied.
    fn check_drafts(
        &mut self,
        gpu: &Gpu,
        simulation: Option<&Simulation>,
        controls: &CodeControls,
        report: &mut Report,
    ) {
        if let Some((number, faults)) = &self.checking {
            match faults.try_recv() {
                Ok(faults) => {
                    (report.code.draft_faults, report.code.drafts_checked) = (Arc::new(faults), *number);
                }
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {}
            }
            self.checking = None;
        }
        let has_rested = controls.typed.is_some_and(|at| at.elapsed() >= TYPING_REST);
        let Some(simulation) = simulation.filter(|_| has_rested && !controls.drafts.is_empty()) else { return };
        if self.checked == controls.drafted {
            return;
        }
        self.checked = controls.drafted;
        let texts = ShaderTexts::new(controls.edited_texts());
        let variants = concerned(simulation, &gpu.shaders().edits().texts(), &texts);
        let library = gpu.shaders().with_texts(Arc::clone(&texts));
        let (sender, receiver) = mpsc::channel();
        let check = move || {
            // Nobody receives the errors if the device was lost in the meantime.
            let _ = sender.send(faults_of(&library, &variants, &texts));
        };
        if std::thread::Builder::new().name("shader check".to_owned()).spawn(check).is_ok() {
            self.checking = Some((controls.drafted, receiver));
        }
    }

    /// Decides on the edits of a library that a lost device leaves behind.
    fn take_over(&mut self, gpu: &Gpu, controls: &CodeControls, report: &mut Report) {
        let edits = gpu.shaders().edits();
        report.code.library = gpu.shaders().clone();
        report.code.original = None;
        self.is_editing = edits.is_editing();
        if edits.texts().is_empty() {
            // A new device has no buffers that an edited shader has written.
            gpu.forget_what_edits_wrote();
        } else if edits.survive_loss() {
            self.proof = Proof::Wanted;
        } else {
            gpu.edit_shaders(ShaderTexts::default(), controls.is_editing);
            self.is_editing = controls.is_editing;
            gpu.forget_what_edits_wrote();
            self.tried = Some(controls.revision);
            report.code.refusal = Some(
                "The device was lost with the edited shaders, so the original ones are in use again. Your text is kept; \
                 press \"Apply\" to try it once more."
                    .to_owned(),
            );
        }
        tell(gpu, report);
    }

    /// Notices when the device has finished its first work with new texts, and takes them out of use if it took too
    /// long.
    fn watch(&mut self, gpu: &Gpu, running: EditTarget<'_>, controls: &CodeControls, report: &mut Report) -> bool {
        match &self.proof {
            Proof::Recorded(since) => {
                let done = Arc::new(OnceLock::new());
                let finished = Arc::clone(&done);
                gpu.queue.on_submitted_work_done(move || {
                    let _ = finished.set(Instant::now());
                });
                self.proof = Proof::Awaited(*since, done);
                false
            }
            Proof::Awaited(since, done) => {
                let Some(at) = done.get() else { return false };
                let took = at.saturating_duration_since(*since);
                let edits = gpu.shaders().edits();
                edits.prove(edits.number());
                self.proof = Proof::NotNeeded;
                if took <= LONGEST_FRAME || gpu.capabilities.class == AdapterClass::Software {
                    return false;
                }
                let order = CodeOrder { texts: ShaderTexts::default(), is_editing: controls.is_editing };
                let changed = self.change_to(gpu, running, order, report);
                report.code.refusal = Some(format!(
                    "A frame with the edited shaders took {} s, so the original ones are in use again. Your text is \
                     kept; press \"Apply\" to try it once more.",
                    format::number(took.as_secs_f64())
                ));
                changed
            }
            Proof::NotNeeded | Proof::Wanted => false,
        }
    }

    /// Notes that this frame's work was recorded.
    pub fn recorded(&mut self) {
        if matches!(self.proof, Proof::Wanted) {
            self.proof = Proof::Recorded(Instant::now());
        }
    }

    /// Notes that the times of a step have arrived.
    pub fn timed_step(&mut self) {
        self.measuring = self.measuring.saturating_sub(1);
    }

    /// Uses other texts. If they do not compile, the old ones stay in use. Returns whether passes were made again.
    fn change_to(
        &mut self,
        gpu: &Gpu,
        EditTarget { simulation, stepping }: EditTarget<'_>,
        CodeOrder { texts, is_editing }: CodeOrder,
        report: &mut Report,
    ) -> bool {
        let edits = gpu.shaders().edits();
        let before = (edits.texts(), self.is_editing);
        (report.code.faults, report.code.refusal) = (Arc::default(), None);
        if (&texts, is_editing) == (&before.0, before.1) {
            return false;
        }
        let was_guarded = edits.is_guarded();
        if let Some(simulation) = simulation.as_ref().filter(|_| !texts.is_empty()) {
            let library = gpu.shaders().with_texts(Arc::clone(&texts));
            let faults = faults_of(&library, &concerned(simulation, &before.0, &texts), &texts);
            if !faults.is_empty() {
                report.code.faults = Arc::new(faults);
                return false;
            }
        }
        let changed = gpu.edit_shaders(Arc::clone(&texts), is_editing);
        let is_concerned = |simulation: &Simulation| simulation.all_passes().any(|pass| changed.concerns(pass.files()));
        let mut is_remade = false;
        if let Some(simulation) = simulation.as_mut().filter(|simulation| is_concerned(simulation)) {
            stepping.abandon(gpu, simulation, "a shader was edited");
            if let Err(error) = simulation.remake_passes() {
                gpu.edit_shaders(before.0, before.1);
                match fault_of(&error, &texts) {
                    Ok(fault) => report.code.faults = Arc::new(vec![fault]),
                    Err(sentence) => report.code.refusal = Some(sentence),
                }
                return false;
            }
            is_remade = true;
        }
        self.is_editing = is_editing;
        self.undrawn.files.extend(changed.files.iter().cloned());
        self.undrawn.checks |= changed.checks;
        keep_original(&before.0, &texts, was_guarded, report);
        if is_remade {
            report.timings.clear();
        }
        self.proof = if texts.is_empty() { Proof::NotNeeded } else { Proof::Wanted };
        self.before = before.0;
        tell(gpu, report);
        is_remade
    }

    /// Declares that all buffers that edited shaders have written are about to be replaced.
    pub fn forget_what_edits_wrote(&mut self, gpu: &Gpu) {
        self.undrawn.checks |= gpu.forget_what_edits_wrote().checks;
    }

    /// Completes the report, when the simulation follows the controls.
    pub fn describe(&mut self, gpu: &Gpu, simulation: Option<&Simulation>, report: &mut Report) {
        let edits = gpu.shaders().edits();
        let now = simulation.map(|simulation| (simulation.build_number(), edits.number()));
        if self.listed_for == now {
            return;
        }
        self.listed_for = now;
        report.code.passes = Arc::new(simulation.into_iter().flat_map(Simulation::passes).map(PassCode::of).collect());
        tell(gpu, report);
    }

    /// Whether shaders that the renderers use have changed since the last call.
    pub fn take_undrawn(&mut self, gpu: &Gpu) -> bool {
        let changed = std::mem::take(&mut self.undrawn);
        if changed.is_nothing() {
            return false;
        }
        let is_concerned = |variant: &ShaderVariant| {
            let files = gpu.shaders().files_of(variant).unwrap_or_default();
            files.iter().any(|file| changed.files.contains(*file))
        };
        changed.checks || gpu.compiled_drawing().iter().any(is_concerned)
    }

    /// Returns to the texts before the last change, because a renderer could not use the new ones.
    pub fn withdraw(&mut self, gpu: &Gpu, running: EditTarget<'_>, error: &GpuError, report: &mut Report) -> bool {
        let texts = gpu.shaders().edits().texts();
        let order = CodeOrder { texts: std::mem::take(&mut self.before), is_editing: self.is_editing };
        let changed = self.change_to(gpu, running, order, report);
        match fault_of_gpu(error, &texts) {
            Ok(fault) => report.code.faults = Arc::new(vec![fault]),
            Err(sentence) => report.code.refusal = Some(sentence),
        }
        self.undrawn = Changed::default();
        changed
    }
}

/// Keeps the times of the original shaders when they are replaced by edited ones.
fn keep_original(before: &ShaderTexts, texts: &ShaderTexts, was_guarded: bool, report: &mut Report) {
    if texts.is_empty() {
        report.code.original = None;
    } else if before.is_empty() && was_guarded {
        let passes = report.timings.passes();
        let is_enough = passes.iter().any(|pass| pass.milliseconds.len() >= ENOUGH_FRAMES);
        report.code.original = is_enough.then(|| Arc::new(report.timings.clone()));
    }
}

fn tell(gpu: &Gpu, report: &mut Report) {
    let edits = gpu.shaders().edits();
    report.code.in_use = edits.texts();
    report.code.is_guarded = edits.is_guarded();
    report.code.has_written = edits.has_written();
}

/// The shaders of a time step that are composed of a file whose text changes.
fn concerned(simulation: &Simulation, before: &ShaderTexts, texts: &ShaderTexts) -> BTreeSet<ShaderVariant> {
    let is_changed = |file: &String| before.get(file) != texts.get(file);
    let passes = simulation.all_passes().filter(|pass| pass.files().iter().any(is_changed));
    passes.map(|pass| pass.shader().clone()).collect()
}

/// The errors of shaders that are composed with edited texts, each once.
fn faults_of(library: &ShaderLibrary, variants: &BTreeSet<ShaderVariant>, texts: &ShaderTexts) -> Vec<ShaderFault> {
    let mut faults = Vec::new();
    for variant in variants {
        let Err(error) = library.compose(variant) else { continue };
        let fault = fault_of_gpu(&error, texts);
        let fault = fault.unwrap_or_else(|message| ShaderFault::without_place(variant.file, message));
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    faults
}

fn fault_of(error: &FluidError, texts: &ShaderTexts) -> Result<ShaderFault, String> {
    match error {
        FluidError::Gpu(error) | FluidError::Search(SearchError::Gpu(error)) => fault_of_gpu(error, texts),
        other => Err(other.to_string()),
    }
}

/// The place of an error in the edited texts; the sentence of an error that has none.
fn fault_of_gpu(error: &GpuError, texts: &ShaderTexts) -> Result<ShaderFault, String> {
    match error {
        GpuError::Shader { fault: Some(fault), .. } => Ok((**fault).clone()),
        GpuError::Unbound { binding, .. } => {
            let declares = |line: &str| {
                let declared = line.split("var<").nth(1).and_then(|rest| rest.split_once('>'));
                declared.is_some_and(|(_, rest)| rest.split(':').next().is_some_and(|name| name.trim() == binding))
            };
            let place = texts.iter().find_map(|(file, text)| Some((file, text.lines().position(declares)?)));
            let message = format!("the program has no buffer `{binding}` for this pass; a shader cannot add buffers");
            let Some((file, line)) = place else { return Err(message) };
            let width = texts[file].lines().nth(line).map_or(0, |line| line.chars().count());
            Ok(ShaderFault { file: file.clone(), line: line + 1, columns: 0..width, message })
        }
        other => Err(other.to_string()),
    }
}
