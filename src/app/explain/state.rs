//! The user's choices in the Explain panel, the values that the driver reports to it, and the code that it shows.

use crate::app::code::ShownCode;
use crate::app::{Controls, Report};
use crate::explanation::{Explanation, PassSource, PassTag, Values};
use crate::fluid::Simulation;
use crate::gpu::Gpu;

/// What the panel explains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ExplainTab {
    /// The neighbor search.
    #[default]
    Search,
    /// The solver.
    Solver,
    /// The smoothing kernel.
    Kernel,
}

impl ExplainTab {
    /// All tabs, in the order of the panel.
    pub const ALL: [Self; 3] = [Self::Search, Self::Solver, Self::Kernel];

    /// The label of its button.
    pub fn label(self) -> &'static str {
        match self {
            Self::Search => "Search",
            Self::Solver => "Solver",
            Self::Kernel => "Kernel",
        }
    }

    /// What the button shows.
    pub(super) fn hover(self) -> &'static str {
        match self {
            Self::Search => "the neighbor search: idea, pseudocode, code, cost",
            Self::Solver => "the solver: idea, equations, code, cost",
            Self::Kernel => "the smoothing kernel: formula and plots",
        }
    }
}

/// The playing of the passes of time steps one after another.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slowly {
    /// Seconds until the next pass.
    pub wait: f32,
}

/// The user's choices in the panel.
#[derive(Clone, Debug, Default)]
pub struct ExplainControls {
    /// Whether the panel is open.
    pub open: bool,
    /// What it explains.
    pub tab: ExplainTab,
    /// Whether the panel runs a time step pass by pass.
    pub steps: bool,
    /// The file and the entry point whose code the user has chosen; `None` follows the passes.
    pub chosen_code: Option<(&'static str, Option<&'static str>)>,
    /// The pass that was highlighted last, so that the panel scrolls to a new one once.
    pub(super) seen: Option<PassSource>,
}

impl Controls {
    /// Opens or closes the panel. It takes the place of the pane that shows code alone.
    pub(in crate::app) fn toggle_explain(&mut self) {
        if self.explain.open {
            self.close_explain();
        } else {
            self.explain.open = true;
            self.code.open = false;
        }
    }

    /// Closes the panel, and ends a step that it runs pass by pass.
    pub(in crate::app) fn close_explain(&mut self) {
        if self.explain.open {
            self.stop_slowly();
            self.explain = ExplainControls { tab: self.explain.tab, ..ExplainControls::default() };
        }
    }

    /// The explanation that the open tab shows; `None` for a search or solver without one, and for kernels.
    pub(super) fn shown_explanation(&self) -> Option<&'static Explanation> {
        match self.explain.tab {
            ExplainTab::Search => self.settings.search.explanation,
            ExplainTab::Solver => {
                self.settings.edits.applied_to(&self.scene).solver.0.explanation.map(|explained| &explained.explanation)
            }
            ExplainTab::Kernel => None,
        }
    }
}

/// The pass that has run last while a step runs pass by pass; `None` at full speed.
pub(super) fn current_pass(controls: &Controls, report: &Report) -> Option<PassSource> {
    let stepping = &report.lab.stepping;
    let follows = controls.lab.request.stepping.is_some();
    stepping.current().filter(|_| follows).map(|pass| pass.source)
}

/// The code that the panel shows: what the user has chosen, or the code of the pass that has run last, or that of the
/// longest part of the explanation, which is its last pass with an entry point of its own file.
pub(super) fn shown_code(controls: &Controls, report: &Report) -> Option<ShownCode> {
    let explanation = controls.shown_explanation();
    let current = current_pass(controls, report);
    let described = current.filter(|pass| explanation.is_some_and(|explanation| explanation.covers(pass)));
    let tag_of = |pass: &PassSource| {
        explanation?.lines().flat_map(|line| line.passes).find(|tag| tag.matches(pass)).map(PassTag::code)
    };
    let usual = || {
        let tags = || explanation.into_iter().flat_map(Explanation::lines).flat_map(|line| line.passes);
        let traversal = tags().find(|tag| tag.code().1.is_none_or(|entry_point| entry_point == "traverse"));
        traversal.or_else(|| tags().next()).map(PassTag::code)
    };
    let running = described.as_ref().and_then(tag_of);
    let (file, entry_point) = controls.explain.chosen_code.or(running).or_else(usual)?;
    let is_running = running == Some((file, entry_point));
    Some(ShownCode { file: file.to_owned(), entry_point: entry_point.map(str::to_owned), is_running })
}

/// The values of the symbols in the explanations of the running simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExplainedValues {
    /// The symbols of the search.
    pub search: Values,
    /// The symbols of the solver.
    pub solver: Values,
    /// Workgroup memory that a workgroup of the traversal allocates, and the device's limit for one workgroup, bytes.
    pub workgroup_memory: Option<(u32, u32)>,
}

impl ExplainedValues {
    /// The values of a running simulation, with the counters of the last survey.
    pub(in crate::app) fn of(gpu: &Gpu, simulation: &Simulation, report: &Report) -> Self {
        let survey = report.survey.as_ref();
        let traversals = simulation.passes().filter(|pass| pass.has_pair_kernel());
        let used = traversals.map(crate::gpu::Pass::workgroup_bytes).max();
        let limit = gpu.capabilities.limits.max_compute_workgroup_storage_size;
        Self {
            search: simulation.search_values(survey),
            solver: simulation.solver_values(survey),
            workgroup_memory: used.map(|used| (used, limit)),
        }
    }
}
