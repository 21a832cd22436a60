//! The user's choices in the views that measure ("Race" and "Break it"), and how their jobs are ordered.

use std::sync::Arc;
use std::time::Duration;

use bevy_egui::egui::{ProgressBar, Ui};
use glam::Vec3;

use crate::app::theme::{WARNING, remark};
use crate::app::{Controls, Report};
use crate::bench::{InputOrder, Scenario};
use crate::files::write_whole;
use crate::gpu::{AdapterClass, Phase};
use crate::laboratory::{JobOrder, JobWork, PRESETS, Preset, RaceColumn, ScalingInput, Swept, Undamaged, Water};
use crate::search::verify::SearchConfiguration;
use crate::search::{Domain, SEARCHES, SearchInfo, SearchOptions};

/// Which of the two tabs of the race view is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MeasureTab {
    /// All searches on one input.
    #[default]
    Race,
    /// Searches over a range of particle counts or radii.
    Scaling,
}

/// The user's choices in the views that measure.
#[derive(Clone, Debug)]
pub struct MeasureControls {
    /// The last job that was ordered; `None` if it was canceled.
    pub order: Option<Arc<JobOrder>>,
    /// Number of orders so far.
    pub orders: u32,
    /// The tab that is shown: race or scaling lab.
    pub tab: MeasureTab,
    /// Whether each search races with each of its settings in turn.
    pub with_settings: bool,
    /// Timed runs of each search.
    pub runs: u32,
    /// The race whose table is shown in full.
    pub shown: Water,
    /// The quantity that the bars show.
    pub column: RaceColumn,
    /// Path of the CSV file for the table of a race.
    pub race_file: String,
    /// The swept quantity.
    pub swept: Swept,
    /// First and last value of the sweep over particle counts; `None` for the defaults.
    pub counts: Option<[f64; 2]>,
    /// First and last value of the sweep over the radius, m; `None` for the defaults.
    pub radii: Option<[f64; 2]>,
    /// Number of values of the sweep.
    pub points: usize,
    /// Searches that are swept.
    pub swept_searches: Vec<&'static SearchInfo>,
    /// Path of the sweep's files, without the extension.
    pub scaling_file: String,
    /// Index of the selected lesson in [`PRESETS`].
    pub lesson: usize,
    /// Whether the scene shows the damaged particles.
    pub show_damaged: bool,
    /// Outcome of the last file that was saved or text that was copied.
    pub file_message: Option<Result<String, String>>,
    /// Whether the race view has started its example.
    pub raced: bool,
    /// The settings of the searches and of the badge from before a deliberately wrong lesson was run.
    pub before_wrong: Option<(SearchOptions, Option<bool>)>,
}

impl Default for MeasureControls {
    fn default() -> Self {
        Self {
            order: None,
            orders: 0,
            tab: MeasureTab::Race,
            with_settings: false,
            runs: 7,
            shown: Water::Dense,
            column: RaceColumn::Total,
            race_file: "race.csv".to_owned(),
            swept: Swept::Particles,
            counts: None,
            radii: None,
            points: 7,
            swept_searches: SEARCHES.to_vec(),
            scaling_file: "scaling".to_owned(),
            lesson: 0,
            show_damaged: true,
            file_message: None,
            raced: false,
            before_wrong: None,
        }
    }
}

impl MeasureControls {
    /// The selected lesson.
    pub fn preset(&self) -> &'static Preset {
        &PRESETS[self.lesson.min(PRESETS.len() - 1)]
    }

    /// First and last value of the sweep on an adapter of that class.
    pub fn ends(&self, class: AdapterClass) -> [f64; 2] {
        let is_software = class == AdapterClass::Software;
        match self.swept {
            Swept::Particles => self.counts.unwrap_or(if is_software { [250.0, 8_000.0] } else { [1e3, 1_048_576.0] }),
            Swept::Radius => self.radii.unwrap_or(if is_software { [0.6, 4.8] } else { [0.75, 6.0] }),
        }
    }

    fn scaling_input(&self, class: AdapterClass) -> ScalingInput {
        let is_software = class == AdapterClass::Software;
        let particle_count: u32 = if is_software { 4_096 } else { 262_144 };
        let [from, to] = self.ends(class);
        let plain = |search: &&'static SearchInfo| SearchConfiguration { search, options: SearchOptions::default() };
        ScalingInput {
            swept: self.swept,
            from,
            to,
            points: self.points,
            // About twenty neighbors at a radius of 1.5 m, as in the first case of the papers.
            base: Scenario { particle_count, box_edge: 0.885 * (particle_count as f32).cbrt(), radius: 1.5 },
            order: InputOrder::Coherent,
            configurations: self.swept_searches.iter().map(plain).collect(),
            runs: self.runs,
            longest: Duration::from_secs(if is_software { 1 } else { 2 }),
        }
    }
}

impl super::LabControls {
    /// Name of the lesson whose damaged particles the scene shows, if it shows any.
    pub fn damaged_lesson(&self) -> Option<&'static str> {
        let shows = self.open && self.view().name == "break_it" && self.measure.show_damaged;
        shows.then(|| self.measure.preset().name)
    }
}

/// Whether a measurement was requested and is not finished.
pub(in crate::app) fn is_measuring(controls: &Controls, report: &Report) -> bool {
    let order = controls.lab.measure.order.as_ref().map(|order| order.number);
    order.is_some_and(|order| report.jobs.number != order || report.jobs.progress.is_some())
}

impl Controls {
    /// Orders a job and pauses the simulation, so that both do not compete for the device.
    pub fn measure(&mut self, work: JobWork) {
        let measure = &mut self.lab.measure;
        measure.orders += 1;
        measure.order = Some(Arc::new(JobOrder { number: measure.orders, work }));
        measure.file_message = None;
        if !self.paused {
            self.paused = true;
            self.lab.stopped_water = true;
        }
    }

    /// Orders a race on those inputs.
    pub fn race_on(&mut self, waters: Vec<Water>, report: &Report) {
        if let Some(&first) = waters.first() {
            self.lab.measure.shown = first;
        }
        let plain = |&search: &&'static SearchInfo| SearchConfiguration { search, options: SearchOptions::default() };
        let configurations = if self.lab.measure.with_settings {
            SearchConfiguration::all()
        } else {
            SEARCHES.iter().map(plain).collect()
        };
        let physics = f64::from(report.timings.phase_milliseconds(Phase::Physics));
        let physics_milliseconds = Some(physics).filter(|&physics| physics > 0.0);
        self.measure(JobWork::Race { waters, configurations, runs: self.lab.measure.runs, physics_milliseconds });
    }

    /// Orders a sweep with the user's choices.
    pub fn sweep(&mut self) {
        let input = self.lab.measure.scaling_input(self.class);
        self.measure(JobWork::Scale(Box::new(input)));
    }

    /// Orders lessons on the running search.
    pub fn take_lessons(&mut self, presets: Vec<&'static Preset>) {
        let configuration =
            SearchConfiguration { search: self.settings.search, options: self.settings.options.clone() };
        self.measure(JobWork::Break { presets, configuration });
    }

    /// Runs the simulation with the settings of a deliberately wrong lesson, and turns on the badge to report the
    /// errors.
    pub fn run_wrong(&mut self, preset: &'static Preset) {
        let configuration =
            SearchConfiguration { search: self.settings.search, options: self.settings.options.clone() };
        let unit = Domain { low: Vec3::ZERO, high: Vec3::ONE, support_radius: 0.1 };
        match preset.apply(Undamaged { positions: &[], domain: unit, configuration: &configuration, seed: 0 }) {
            Ok(damaged) => {
                let before = (configuration.options, self.badge);
                self.lab.measure.before_wrong.get_or_insert(before);
                self.badge = Some(true);
                self.change(|settings| settings.options = damaged.configuration.options);
                // The scene shows the running simulation instead of the damaged particles.
                self.lab.measure.show_damaged = false;
                self.lab.measure.file_message = None;
            }
            Err(error) => self.lab.measure.file_message = Some(Err(error.to_string())),
        }
    }

    /// Restores the settings from before a deliberately wrong lesson was run.
    pub fn make_right(&mut self) {
        if let Some((options, badge)) = self.lab.measure.before_wrong.take() {
            self.change(|settings| settings.options = options);
            self.badge = badge;
        }
    }

    /// Runs the simulation with that search and its settings.
    pub fn use_configuration(&mut self, configuration: &SearchConfiguration) {
        self.change(|settings| {
            settings.search = configuration.search;
            for option in configuration.search.all_options() {
                settings.options.set(option, configuration.options.value(option));
            }
        });
    }
}

/// Shows the progress of the job with a button to cancel it, the error of the job, and the outcome of saving a file.
pub(super) fn job_line(ui: &mut Ui, controls: &mut Controls, report: &Report) {
    if let (Some(progress), true) = (report.jobs.progress, controls.lab.measure.order.is_some()) {
        let bar = ProgressBar::new(progress.fraction()).desired_height(14.0).show_percentage();
        ui.add(bar).on_hover_text("the window stays responsive: each frame runs a few milliseconds of the job");
        ui.horizontal(|ui| {
            remark(ui, &report.jobs.at);
            if ui.small_button("Cancel").clicked() {
                controls.lab.measure.order = None;
            }
        });
    }
    if let Some(error) = &report.jobs.error {
        ui.colored_label(WARNING, error);
    }
    match &controls.lab.measure.file_message {
        Some(Ok(words)) => drop(remark(ui, words)),
        Some(Err(words)) => drop(ui.colored_label(WARNING, words)),
        None => {}
    }
}

/// Writes a text into a file atomically and returns a message for the user.
pub(super) fn save_text(file: &str, text: Result<String, String>) -> Result<String, String> {
    let path = std::path::Path::new(file);
    let text = text?;
    write_whole(path, |writer| std::io::Write::write_all(writer, text.as_bytes()))
        .map_err(|error| error.to_string())?;
    Ok(saved(path))
}

/// The message that a file was written, with its absolute path.
pub(super) fn saved(file: &std::path::Path) -> String {
    let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    format!("saved in {}", whole.display())
}
