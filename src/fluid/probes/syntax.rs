//! Reads probes from scene files, written `Kind` or `Kind(name: "...", argument: value)`, in the same way as serde
//! reads the variants of an enum, with the kinds and their arguments taken from the registry.

use std::collections::BTreeMap;
use std::fmt::{Formatter, Result as FormatResult};

use glam::Vec3;
use serde::de::{DeserializeSeed, EnumAccess, Error, MapAccess, VariantAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::argument::ArgumentValue;
use super::{ArgumentKind, PROBES, Probe, ProbeArgument, ProbeKind, ProbeName, ProbeSurface};
use crate::identifier::Identifier;

/// The field that names a probe.
const NAME: &str = "name";

/// Reads a probe of one of these kinds.
pub(super) struct ProbeSyntax<'a> {
    pub(super) kinds: &'a [&'static ProbeKind],
}

impl<'de> Deserialize<'de> for Probe {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ProbeSyntax { kinds: PROBES }.deserialize(deserializer)
    }
}

impl<'de> DeserializeSeed<'de> for ProbeSyntax<'_> {
    type Value = Probe;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Probe, D::Error> {
        deserializer.deserialize_enum("Probe", &[], self)
    }
}

impl<'de> Visitor<'de> for ProbeSyntax<'_> {
    type Value = Probe;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> FormatResult {
        formatter.write_str("a probe")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Probe, A::Error> {
        let (Identifier(name), variant) = data.variant()?;
        let Some(kind) = self.kinds.iter().copied().find(|kind| kind.name == name) else {
            let names = self.kinds.iter().map(|kind| kind.name).collect();
            return Err(Error::unknown_variant(&name, kept(names)));
        };
        if kind.column == ProbeName::Given || !kind.arguments.is_empty() {
            variant.struct_variant(&[], Arguments(kind))
        } else {
            variant.unit_variant()?;
            Ok(Probe { kind, name: String::new(), values: BTreeMap::new() })
        }
    }
}

/// Reads the name and arguments of a probe of that kind.
struct Arguments(&'static ProbeKind);

impl Arguments {
    /// The names of all fields.
    fn fields(&self) -> Vec<&'static str> {
        let name = (self.0.column == ProbeName::Given).then_some(NAME);
        name.into_iter().chain(self.0.arguments.iter().map(|argument| argument.name)).collect()
    }
}

impl<'de> Visitor<'de> for Arguments {
    type Value = Probe;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> FormatResult {
        write!(formatter, "{}({})", self.0.name, self.fields().join(", "))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Probe, A::Error> {
        let kind = self.0;
        let (mut name, mut values) = (None, BTreeMap::new());
        while let Some(Identifier(field)) = map.next_key()? {
            if field == NAME && kind.column == ProbeName::Given {
                if name.replace(map.next_value::<String>()?).is_some() {
                    return Err(Error::duplicate_field(NAME));
                }
                continue;
            }
            let Some(argument) = kind.arguments.iter().find(|argument| argument.name == field) else {
                return Err(Error::unknown_field(&field, kept(self.fields())));
            };
            let value = map.next_value_seed(Argument(argument))?;
            if values.insert(argument.name, value).is_some() {
                return Err(Error::duplicate_field(argument.name));
            }
        }
        for argument in kind.arguments {
            if !values.contains_key(argument.name) {
                let default = argument.kind.default_value();
                values.insert(argument.name, default.ok_or_else(|| Error::missing_field(argument.name))?);
            }
        }
        let name = match kind.column {
            ProbeName::Fixed(_) => String::new(),
            ProbeName::Given => name.ok_or_else(|| Error::missing_field(NAME))?,
        };
        Ok(Probe { kind, name, values })
    }
}

/// Reads the value of an argument.
struct Argument(&'static ProbeArgument);

impl<'de> DeserializeSeed<'de> for Argument {
    type Value = ArgumentValue;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ArgumentValue, D::Error> {
        match self.0.kind {
            ArgumentKind::Number(_) => f32::deserialize(deserializer).map(ArgumentValue::Number),
            ArgumentKind::Vector => Vec3::deserialize(deserializer).map(ArgumentValue::Vector),
            ArgumentKind::Body => usize::deserialize(deserializer).map(ArgumentValue::Body),
            ArgumentKind::Surface | ArgumentKind::OptionalSurface => {
                let text = String::deserialize(deserializer)?;
                ProbeSurface::parse(&text).map(|surface| ArgumentValue::Surface(Some(surface))).map_err(Error::custom)
            }
        }
    }
}

/// The names with the static lifetime that serde's errors require. They are never freed, which leaks a few bytes for
/// each refused text.
fn kept(names: Vec<&'static str>) -> &'static [&'static str] {
    names.leak()
}
