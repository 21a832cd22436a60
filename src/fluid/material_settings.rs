//! The numbers of the material by their names: how the command line and the panel read, write and describe them.

use super::{Density, FluidError, Material};
use crate::gpu::nearest_names;
use crate::search::same_value;

/// A number of the material.
#[derive(Debug)]
pub struct MaterialSetting {
    /// Name in scene files and, after `material.`, on the command line.
    pub name: &'static str,
    /// Name on screen.
    pub title: &'static str,
    /// Unit; empty if it has none.
    pub unit: &'static str,
    /// Its effect, for hover texts and the help.
    pub hover: &'static str,
    /// Change of the value per pixel of dragging in the panel; `None` if the panel does not show it.
    pub dial: Option<f64>,
    /// The number in a material.
    pub number: fn(&mut Material) -> &mut f32,
}

/// Name of the way in which densities are computed, which is not a number.
const DENSITY: &str = "density";
/// The valid values of the density, for messages.
const DENSITIES: &str = "summation, or continuity:D with the coefficient D of the diffusion, usually 0.1";

/// Every number of the material, in the order of the panel.
pub static MATERIAL_SETTINGS: [MaterialSetting; 10] = [
    MaterialSetting {
        name: "viscosity",
        title: "Artificial viscosity",
        unit: "",
        hover: "damps particles that approach each other: 0.02 is lively, 0.2 is calm, 1 is like syrup",
        dial: Some(0.002),
        number: |material| &mut material.viscosity,
    },
    MaterialSetting {
        name: "kinematic_viscosity",
        title: "Kinematic viscosity",
        unit: "m²/s",
        hover: "physical viscosity, in addition to the artificial one; water has 1e-6, honey 0.01",
        dial: Some(0.0005),
        number: |material| &mut material.kinematic_viscosity,
    },
    MaterialSetting {
        name: "no_slip",
        title: "No slip",
        unit: "",
        hover: "1: the water sticks to the walls of the box and to solids by its viscosity; 0: it slips along them",
        dial: Some(0.01),
        number: |material| &mut material.no_slip,
    },
    MaterialSetting {
        name: "skin_friction",
        title: "Skin friction of walls",
        unit: "",
        hover: "friction of thin boundary layers at the walls of the box: 0.005 for smooth walls, more for rough ones",
        dial: Some(0.0005),
        number: |material| &mut material.skin_friction,
    },
    MaterialSetting {
        name: "xsph",
        title: "XSPH",
        unit: "",
        hover: "fraction by which the velocity of a particle is moved toward the mean velocity of its neighbors",
        dial: Some(0.002),
        number: |material| &mut material.xsph,
    },
    MaterialSetting {
        name: "surface_tension",
        title: "Surface tension",
        unit: "N/m",
        hover: "water has 0.073, which is visible in drops of a few centimeters",
        dial: Some(0.1),
        number: |material| &mut material.surface_tension,
    },
    MaterialSetting {
        name: "ambient_pressure",
        title: "Ambient pressure",
        unit: "Pa",
        hover: "pressure of the air around the water, 101325 at sea level: within the water, tension may then be as large; 0: \
                none is given, and DFSPH and PBF bear no tension. WCSPH bears tension in its accurate mode only",
        dial: Some(100.0),
        number: |material| &mut material.ambient_pressure,
    },
    MaterialSetting {
        name: "rest_density",
        title: "Rest density",
        unit: "kg/m³",
        hover: "density of the fluid at rest; water has 1000",
        dial: None,
        number: |material| &mut material.rest_density,
    },
    MaterialSetting {
        name: "sound_speed_factor",
        title: "Speed of sound",
        unit: "",
        hover: "speed of sound divided by the largest speed expected; a larger factor compresses less, in shorter steps",
        dial: None,
        number: |material| &mut material.sound_speed_factor,
    },
    MaterialSetting {
        name: "radius_ratio",
        title: "Radius ratio",
        unit: "",
        hover: "support radius divided by the spacing of the particles",
        dial: None,
        number: |material| &mut material.radius_ratio,
    },
];

impl MaterialSetting {
    /// Its field in scene files, as in `material.viscosity`, which is also its name on the command line.
    pub fn path(&self) -> String {
        format!("material.{}", self.name)
    }

    /// Its value in a material.
    pub fn value(&self, material: &Material) -> f32 {
        *(self.number)(&mut material.clone())
    }
}

/// Changes of a material by name, as on the command line. Whether the values are allowed is checked with the scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MaterialEdits {
    numbers: Vec<(&'static str, f32)>,
    density: Option<Density>,
}

impl MaterialEdits {
    /// Whether the text of a setting on the command line names the material, as in `material.viscosity=0.1`.
    pub fn names_material(text: &str) -> bool {
        text.starts_with("material.")
    }

    /// Adds a change from text of the form `material.NAME=VALUE`.
    ///
    /// # Errors
    /// When the material has nothing of that name, or the value is not a number.
    pub fn parse(&mut self, text: &str) -> Result<(), FluidError> {
        let (path, value) = text.split_once('=').ok_or_else(|| FluidError::SettingForm(text.to_owned()))?;
        let name = path.strip_prefix("material.").unwrap_or(path);
        let refuse = |expected: &str| FluidError::SettingValue {
            setting: path.to_owned(),
            value: value.to_owned(),
            expected: expected.to_owned(),
        };
        let number = |text: &str| text.parse::<f32>().ok().filter(|number| number.is_finite());
        if name == DENSITY {
            self.density = Some(match value.split_once(':') {
                None if value == "summation" => Density::Summation,
                Some(("continuity", diffusion)) => {
                    Density::Continuity { diffusion: number(diffusion).ok_or_else(|| refuse(DENSITIES))? }
                }
                _ => return Err(refuse(DENSITIES)),
            });
            return Ok(());
        }
        let setting = MATERIAL_SETTINGS.iter().find(|setting| setting.name == name).ok_or_else(|| {
            let names = MATERIAL_SETTINGS.iter().map(|setting| setting.name).chain([DENSITY]);
            let nearest = nearest_names(name, names).iter().map(|name| format!("material.{name}")).collect::<Vec<_>>();
            FluidError::UnknownSetting { name: path.to_owned(), nearest: nearest.join(", ") }
        })?;
        self.numbers.push((setting.name, number(value).ok_or_else(|| refuse("a number"))?));
        Ok(())
    }

    /// The material of a scene with these changes; `None` if there are none.
    pub fn applied_to(&self, material: &Material) -> Option<Material> {
        if *self == Self::default() {
            return None;
        }
        let mut changed = material.clone();
        for (name, value) in &self.numbers {
            if let Some(setting) = MATERIAL_SETTINGS.iter().find(|setting| setting.name == *name) {
                *(setting.number)(&mut changed) = *value;
            }
        }
        changed.density = self.density.unwrap_or(changed.density);
        Some(changed)
    }

    /// The texts from which [`MaterialEdits::parse`] makes the changes that lead from one material to another.
    pub fn between(from: &Material, to: &Material) -> Vec<String> {
        let numbers = MATERIAL_SETTINGS.iter().filter(|setting| !same_value(setting.value(from), setting.value(to)));
        let mut texts: Vec<_> = numbers.map(|setting| format!("{}={:?}", setting.path(), setting.value(to))).collect();
        if from.density != to.density {
            texts.push(match to.density {
                Density::Summation => "material.density=summation".to_owned(),
                Density::Continuity { diffusion } => format!("material.density=continuity:{diffusion:?}"),
            });
        }
        texts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fluid::Scene;

    #[test]
    fn every_change_of_a_material_is_read_as_it_is_written() {
        let material = Scene::load("dam_break").expect("a scene").material;
        assert_eq!(MaterialEdits::between(&material, &material), Vec::<String>::new());
        let mut other = material.clone();
        for (place, setting) in MATERIAL_SETTINGS.iter().enumerate() {
            *(setting.number)(&mut other) = 0.1 + 1e-7 * place as f32;
        }
        for density in [Density::Continuity { diffusion: 0.123_456_79 }, Density::Summation] {
            other.density = density;
            let mut edits = MaterialEdits::default();
            for text in MaterialEdits::between(&material, &other) {
                assert!(MaterialEdits::names_material(&text));
                edits.parse(&text).expect(&text);
            }
            assert_eq!(edits.applied_to(&material), Some(other.clone()));
        }
    }

    #[test]
    fn what_the_material_does_not_have_is_refused_by_name() {
        for (text, part) in [
            ("material.viscosty=1", "material.viscosity"),
            ("material.xsph=lots", "lots"),
            ("material.xsph", "material.xsph"),
            ("material.density=sum", "summation"),
            ("material.density=continuity:x", "continuity:x"),
        ] {
            let message = MaterialEdits::default().parse(text).expect_err(text).to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
