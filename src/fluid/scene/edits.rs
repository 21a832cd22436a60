//! Edits of a scene by the user while it runs.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Scene;
use super::extra_fields::WithFields;
use super::solver_fields::{Groups, write_with_groups};
use crate::fluid::material::Material;
use crate::fluid::solvers::{Solver, SolverSettings};

/// Edits of a scene by the user while it runs. Where a field is `None` or a setting is not chosen, the scene's value
/// is used.
///
/// ```
/// use nearwater::fluid::{Material, Scene, SceneEdits, Solver};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scene = Scene::load("dam_break")?;
/// let thick = Material { kinematic_viscosity: 0.01, ..scene.material.clone() };
/// let edits = SceneEdits { solver: Some(Solver::named("pbf")?), material: Some(thick), ..SceneEdits::default() };
/// let edited = edits.applied_to(&scene);
/// assert_eq!(edited.material.kinematic_viscosity, 0.01);
/// assert_eq!(SceneEdits::default().applied_to(&scene), scene);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(remote = "Self")]
pub struct SceneEdits {
    /// The solver.
    pub solver: Option<Solver>,
    /// The material. Another radius ratio restarts the scene; all other changes apply to the current state.
    pub material: Option<Material>,
    /// The settings of solvers.
    #[serde(skip)]
    pub solver_settings: SolverSettings,
}

impl SceneEdits {
    /// The scene with the edits applied.
    pub fn applied_to(&self, scene: &Scene) -> Scene {
        let mut edited = scene.clone();
        edited.solver = self.solver.unwrap_or(scene.solver);
        edited.material = self.material.clone().unwrap_or_else(|| scene.material.clone());
        edited.solver_settings = scene.solver_settings.edited_by(&self.solver_settings);
        edited
    }
}

impl<'de> Deserialize<'de> for SceneEdits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut groups = Groups::optional();
        let mut edits = Self::deserialize(WithFields { inner: deserializer, extra: &mut groups })?;
        edits.solver_settings = groups.settings;
        Ok(edits)
    }
}

impl Serialize for SceneEdits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write_with_groups(serializer, &self.solver_settings, self.solver, self.material.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::SceneEdits;
    use crate::fluid::{Scene, Solver};

    /// Edits as the program wrote them when each solver had a struct of its own.
    const SAVED: &str = "(solver:Some(Pbf),material:None,pbf:Some((frame:0.02,substeps:3,iterations:2,relaxation:0.05,\
        tensile:0.1,tensile_distance:0.2,tensile_power:4.0,vorticity:0.5)),repulsion:None)";

    #[test]
    fn edits_of_older_states_are_read() {
        let edits: SceneEdits = ron::from_str(SAVED).expect("edits");
        assert_eq!(edits.solver.map(Solver::name), Some("pbf"));
        let text = format!("{:?}", edits.applied_to(&Scene::load("drop").expect("a scene")).solver_settings);
        assert!(text.contains("0.02") && text.contains("3.0") && text.contains("0.5"), "{text}");
    }

    #[test]
    fn edits_are_read_as_they_are_written() {
        let mut edits: SceneEdits = ron::from_str(SAVED).expect("edits");
        for solver in Solver::all() {
            edits.solver = Some(solver);
            for setting in solver.settings {
                edits.solver_settings.set(setting, setting.least);
            }
            let written = ron::to_string(&edits).expect("text");
            assert_eq!(ron::from_str::<SceneEdits>(&written).expect(&written), edits, "{written}");
        }
        assert_eq!(
            ron::from_str::<SceneEdits>(&ron::to_string(&SceneEdits::default()).expect("text")),
            Ok(SceneEdits::default())
        );
    }
}
