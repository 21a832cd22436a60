//! The values of the symbols of explanations in a running simulation.

use super::problem::problem;
use super::{Simulation, Survey};
use crate::explanation::Values;
use crate::gpu::{Pass, Phase};
use crate::search::{ADDED_LABELS, LISTING_LABELS, search_values};

impl Simulation {
    /// The values of the running search's symbols, with the counters of a survey if one is given.
    pub fn search_values(&self, survey: Option<&Survey>) -> Values {
        let build = self.passes().filter(|pass| pass.phase == Phase::Build).count();
        let mut values = search_values(self.search(), survey.map(|survey| survey.pairs), Some(build));
        if let Some((border, survey)) = survey.and_then(|survey| Some((survey.border?, survey))) {
            values.set("β", f64::from(border) / f64::from(survey.present.max(1)));
        }
        values
    }

    /// The values of the running solver's symbols, with the counters of a survey if one is given.
    pub fn solver_values(&self, survey: Option<&Survey>) -> Values {
        let resolution = self.resolution();
        let (spacing, radius) = (resolution.spacing, resolution.support_radius);
        let count = self.particles().count;
        let is_added = |label: &str| ADDED_LABELS.iter().chain(&LISTING_LABELS).any(|added| *added == label);
        let is_traversal = |pass: &&Pass| pass.phase == Phase::Search && !is_added(pass.label);
        let traversals = self.passes().filter(is_traversal).count();
        let mut values: Values = [
            ("n", f64::from(count)),
            ("R", f64::from(radius)),
            ("h", 0.5 * f64::from(radius)),
            ("Δx", f64::from(spacing)),
            ("m", f64::from(resolution.particle_mass)),
            ("ρ₀", f64::from(self.scene().material.rest_density)),
            ("Δt", f64::from(resolution.time_step)),
            ("A", traversals as f64),
        ]
        .into_iter()
        .collect();
        if let Some(survey) = survey {
            values.set("k", survey.pairs.neighbors as f64 / f64::from(count.max(1)));
        }
        if let Some(explained) = self.scene().solver.0.explanation {
            let problem = problem(self.scene(), self.settings().kernel, spacing, radius);
            values.extend((explained.values)(&problem, resolution));
        }
        values
    }
}
