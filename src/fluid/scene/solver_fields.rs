//! Solvers and groups of settings in scene files and saved states: a solver is a bare name, as in `solver: Pbf`, and
//! the settings of each solver form a group beside the fields of the struct, as in `pbf: (substeps: 4)`, and so do
//! those of foam. The valid names come from the registry of solvers and from the list of groups.

use std::fmt;
use std::sync::LazyLock;

use serde::de::{self, DeserializeSeed, EnumAccess, MapAccess, VariantAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::extra_fields::{ExtraFields, Name};
use crate::fluid::material::Material;
use crate::fluid::setting_groups::{SettingGroup, groups};
use crate::fluid::solvers::{SOLVERS, Solver, SolverSetting, SolverSettings};

/// The valid names in `solver: NAME`.
static SCENE_NAMES: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| SOLVERS.iter().map(|info| info.scene_name).collect());

/// The names of the fields in each group.
static GROUP_FIELDS: LazyLock<Vec<Vec<&'static str>>> =
    LazyLock::new(|| groups().map(|group| group.settings.iter().map(|setting| setting.name).collect()).collect());

/// The names of all groups.
pub(super) fn group_names() -> impl Iterator<Item = &'static str> {
    groups().map(|group| group.name)
}

impl<'de> Deserialize<'de> for Solver {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Named;
        impl<'de> Visitor<'de> for Named {
            type Value = Solver;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a solver's name")
            }

            fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Solver, A::Error> {
                let (name, variant) = access.variant_seed(Name)?;
                variant.unit_variant()?;
                let found = Solver::all().find(|solver| solver.scene_name == name);
                found.ok_or_else(|| de::Error::unknown_variant(&name, &SCENE_NAMES))
            }
        }
        deserializer.deserialize_enum("Solver", &SCENE_NAMES, Named)
    }
}

impl Serialize for Solver {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let place = SOLVERS.iter().position(|info| info.name == self.name).unwrap_or(SOLVERS.len());
        serializer.serialize_unit_variant("Solver", place as u32, self.scene_name)
    }
}

/// The groups that were read.
#[derive(Default)]
pub(super) struct Groups {
    /// The settings of the groups.
    pub settings: SolverSettings,
    /// Whether a group is written as `Some(...)`, or `None` where it is absent.
    pub optional: bool,
    /// Names of the groups that were read so far.
    read: Vec<&'static str>,
}

impl Groups {
    /// Groups that are written as `Some(...)`, or `None`.
    pub(super) fn optional() -> Self {
        Self { optional: true, ..Self::default() }
    }
}

impl ExtraFields for Groups {
    fn read<'de, A: MapAccess<'de>>(&mut self, name: &str, fields: &mut A) -> Result<bool, A::Error> {
        let Some((info, names)) = groups().zip(&*GROUP_FIELDS).find(|(info, _)| info.name == name) else {
            return Ok(false);
        };
        if self.read.contains(&info.name) {
            return Err(de::Error::duplicate_field(info.name));
        }
        self.read.push(info.name);
        let group = Group { info, fields: names, settings: &mut self.settings };
        if self.optional {
            fields.next_value_seed(OptionalGroup(group))?;
        } else {
            fields.next_value_seed(group)?;
        }
        Ok(true)
    }
}

/// A group, as in `(substeps: 4)`.
struct Group<'a> {
    info: SettingGroup,
    fields: &'static [&'static str],
    settings: &'a mut SolverSettings,
}

impl<'de> DeserializeSeed<'de> for Group<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_struct(self.info.scene_name, self.fields, self)
    }
}

impl<'de> Visitor<'de> for Group<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the settings of {}", self.info.title)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let mut read: Vec<&str> = Vec::new();
        while let Some(name) = fields.next_key_seed(Name)? {
            let setting = self.info.settings.iter().find(|setting| setting.name == name);
            let setting: &SolverSetting = setting.ok_or_else(|| de::Error::unknown_field(&name, self.fields))?;
            if read.contains(&setting.name) {
                return Err(de::Error::duplicate_field(setting.name));
            }
            read.push(setting.name);
            let value = if setting.whole { fields.next_value::<u32>()? as f32 } else { fields.next_value()? };
            self.settings.set(setting, value);
        }
        Ok(())
    }
}

/// As [`Group`], but written as `Some(...)` or `None`.
struct OptionalGroup<'a>(Group<'a>);

impl<'de> DeserializeSeed<'de> for OptionalGroup<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for OptionalGroup<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(formatter)
    }

    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.0.deserialize(deserializer)
    }
}

/// Writes edits in the form that [`Groups`] reads.
pub(super) fn write_with_groups<S: Serializer>(
    serializer: S,
    settings: &SolverSettings,
    solver: Option<Solver>,
    material: Option<&Material>,
) -> Result<S::Ok, S::Error> {
    let chosen = || groups().map(|info| ChosenGroup { info, settings }).filter(|group| group.chosen().count() > 0);
    let mut fields = serializer.serialize_struct("SceneEdits", 2 + chosen().count())?;
    fields.serialize_field("solver", &solver)?;
    fields.serialize_field("material", &material)?;
    for group in chosen() {
        fields.serialize_field(group.info.name, &Some(&group))?;
    }
    fields.end()
}

/// The settings of a group that were chosen.
struct ChosenGroup<'a> {
    info: SettingGroup,
    settings: &'a SolverSettings,
}

impl ChosenGroup<'_> {
    fn chosen(&self) -> impl Iterator<Item = (&'static SolverSetting, f32)> {
        self.info.settings.iter().filter_map(|setting| Some((*setting, self.settings.chosen(setting)?)))
    }
}

impl Serialize for ChosenGroup<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct(self.info.scene_name, self.chosen().count())?;
        for (setting, value) in self.chosen() {
            if setting.whole {
                fields.serialize_field(setting.name, &(value as u32))?;
            } else {
                fields.serialize_field(setting.name, &value)?;
            }
        }
        fields.end()
    }
}
