//! Values of scene files that may be left out.

use serde::{Deserialize, Deserializer};

/// A value that may be left out, written without `Some`.
pub(in crate::fluid) fn some<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
