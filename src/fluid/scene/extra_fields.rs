//! Structs that are read with more fields than they have in Rust: those that a registry declares, such as the groups of
//! solvers and the lists of solids.

use std::fmt;

use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};

/// Fields that are read in addition to those of a struct.
pub(super) trait ExtraFields {
    /// Reads the value that follows in `fields`, if it is that of one of these fields; returns whether it is.
    fn read<'de, A: MapAccess<'de>>(&mut self, name: &str, fields: &mut A) -> Result<bool, A::Error>;
}

impl<E: ExtraFields, F: ExtraFields> ExtraFields for (E, F) {
    fn read<'de, A: MapAccess<'de>>(&mut self, name: &str, fields: &mut A) -> Result<bool, A::Error> {
        Ok(self.0.read(name, fields)? || self.1.read(name, fields)?)
    }
}

/// A deserializer of a struct, or its visitor: reads the fields of `extra` among the struct's own, and passes the other
/// fields on to `inner`.
pub(super) struct WithFields<'a, T, E> {
    /// The deserializer or visitor of the other fields.
    pub inner: T,
    /// Receives the extra fields.
    pub extra: &'a mut E,
}

impl<'de, D: Deserializer<'de>, E: ExtraFields> Deserializer<'de> for WithFields<'_, D, E> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let Self { inner, extra } = self;
        inner.deserialize_struct(name, fields, WithFields { inner: visitor, extra })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>, E: ExtraFields> Visitor<'de> for WithFields<'_, V, E> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(formatter)
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<V::Value, A::Error> {
        let Self { inner, extra } = self;
        inner.visit_map(WithFields { inner: fields, extra })
    }
}

impl<'de, A: MapAccess<'de>, E: ExtraFields> MapAccess<'de> for WithFields<'_, A, E> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(name) = self.inner.next_key_seed(Name)? {
            if !self.extra.read(&name, &mut self.inner)? {
                return seed.deserialize(name.into_deserializer()).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}

/// The name of a field or of a variant.
pub(super) struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = String;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<String, E> {
        Ok(name.to_owned())
    }
}
