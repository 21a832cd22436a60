//! Solids in scene files: the solids of each kind form a list beside the scene's own fields, as in `bodies: [...]`. The
//! valid names come from the registry of kinds.

use serde::de::{Error, MapAccess};

use super::extra_fields::ExtraFields;
use crate::fluid::solids::{SOLIDS, SceneSolids, read_field};

/// The names of the lists of all kinds.
pub(super) fn list_names() -> impl Iterator<Item = &'static str> {
    SOLIDS.iter().map(|info| info.field)
}

/// The solids that were read.
#[derive(Default)]
pub(super) struct SolidFields {
    /// The solids of all kinds.
    pub solids: SceneSolids,
    /// Names of the lists that were read so far.
    read: Vec<&'static str>,
}

impl ExtraFields for SolidFields {
    fn read<'de, A: MapAccess<'de>>(&mut self, name: &str, fields: &mut A) -> Result<bool, A::Error> {
        let Some(field) = list_names().find(|field| *field == name) else { return Ok(false) };
        if self.read.contains(&field) {
            return Err(A::Error::duplicate_field(field));
        }
        self.read.push(field);
        read_field(&mut self.solids, field, fields)
    }
}
