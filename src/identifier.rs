//! Reads names that stand without quotation marks in RON, such as those of fields and kinds.

use std::fmt::{Formatter, Result as FormatResult};

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

/// A name as serde reads that of a variant or field, where the names there are stand in a table and not in an enum.
pub struct Identifier(pub String);

impl<'de> Deserialize<'de> for Identifier {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(IdentifierVisitor)
    }
}

struct IdentifierVisitor;

impl Visitor<'_> for IdentifierVisitor {
    type Value = Identifier;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> FormatResult {
        formatter.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Identifier, E> {
        Ok(Identifier(name.to_owned()))
    }
}
