//! The solids of a scene: a list for each kind, whose element types only the kinds themselves know.

use std::any::Any;
use std::fmt::{self, Debug};

use super::SOLIDS;
use super::contract::SolidInfo;

/// A solid as a scene lists it. The type belongs to its kind; a type from another crate works in a scene that carries
/// it, but only types of the registry are read from scene files.
pub trait SceneSolid: Any + Clone + Debug + PartialEq + Send + Sync {
    /// The kind that lists solids of this type.
    const KIND: &'static SolidInfo;
}

/// A scene's solids of one kind, which has at least one element except while it is edited.
trait SolidList: Any + Debug + Send + Sync {
    fn kind(&self) -> &'static SolidInfo;
    fn count(&self) -> usize;
    fn copied(&self) -> Box<dyn SolidList>;
    fn equals(&self, other: &dyn SolidList) -> bool;
}

impl<T: SceneSolid> SolidList for Vec<T> {
    fn kind(&self) -> &'static SolidInfo {
        T::KIND
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn copied(&self) -> Box<dyn SolidList> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn SolidList) -> bool {
        (other as &dyn Any).downcast_ref() == Some(self)
    }
}

/// The solids of a scene, of any kinds, from the registry or from another crate.
#[derive(Default)]
pub struct SceneSolids {
    /// In the order of [`place`].
    lists: Vec<Box<dyn SolidList>>,
}

/// The position of a kind among all kinds, which is the order of their particles' original indices and of their passes
/// before the build: the order of the registry, but single layers last, because shaders recognize their particles by
/// the highest original indices. Kinds from other crates follow those of the registry.
fn place(info: &SolidInfo) -> (bool, usize) {
    let place = SOLIDS.iter().position(|other| other.name == info.name);
    (info.is_thin, place.unwrap_or(SOLIDS.len()))
}

impl SceneSolids {
    /// The solids of one type.
    pub fn of<T: SceneSolid>(&self) -> &[T] {
        let found = self.lists.iter().find_map(|list| (list.as_ref() as &dyn Any).downcast_ref::<Vec<T>>());
        found.map_or(&[], Vec::as_slice)
    }

    /// The solids of one type, for changes.
    pub fn of_mut<T: SceneSolid>(&mut self) -> &mut Vec<T> {
        let is_list = |list: &dyn SolidList| (list as &dyn Any).is::<Vec<T>>();
        let at = self.lists.iter().position(|list| is_list(list.as_ref())).unwrap_or_else(|| {
            let at = self.lists.partition_point(|list| place(list.kind()) <= place(T::KIND));
            self.lists.insert(at, Box::new(Vec::<T>::new()));
            at
        });
        let list = (self.lists[at].as_mut() as &mut dyn Any).downcast_mut();
        list.unwrap_or_else(|| unreachable!("the position is that of a list of this type"))
    }

    /// Replaces the solids of one type.
    pub fn set<T: SceneSolid>(&mut self, solids: Vec<T>) {
        *self.of_mut() = solids;
    }

    /// Removes all solids.
    pub fn clear(&mut self) {
        self.lists.clear();
    }

    /// The kinds that have solids here, in the order of their particles.
    pub fn kinds(&self) -> impl Iterator<Item = &'static SolidInfo> + '_ {
        self.filled().map(SolidList::kind)
    }

    /// The fields of scene files in which there are solids, and their numbers of solids.
    pub(in crate::fluid) fn counts(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        self.filled().map(|list| (list.kind().field, list.count()))
    }

    /// The kinds of the registry, and the other kinds that have solids here.
    pub(in crate::fluid) fn every_kind(&self) -> impl Iterator<Item = &'static SolidInfo> + '_ {
        let is_foreign = |info: &&SolidInfo| SOLIDS.iter().all(|other| other.name != info.name);
        SOLIDS.iter().copied().chain(self.kinds().filter(is_foreign))
    }

    /// The kinds that have solids here and whose particles follow those of `info`.
    pub(in crate::fluid) fn kinds_after(&self, info: &SolidInfo) -> impl Iterator<Item = &'static SolidInfo> + '_ {
        let before = (place(info), info.name);
        self.kinds().filter(move |info| place(info) >= before.0 && info.name != before.1)
    }

    /// The lists of `always` and all other lists that are not empty, each as the field of a struct is written for
    /// debugging. The fingerprint of a scene in saved states depends on it.
    pub(in crate::fluid) fn as_fields(&self, always: &[&SolidInfo]) -> String {
        let of = |info: &SolidInfo| self.filled().find(|list| list.kind().name == info.name);
        let fixed = always.iter().map(|info| match of(info) {
            Some(list) => format!("{}: {list:?}", info.field),
            None => format!("{}: []", info.field),
        });
        let others = self.filled().filter(|list| always.iter().all(|info| info.name != list.kind().name));
        let others = others.map(|list| format!("{}: {list:?}", list.kind().field));
        fixed.chain(others).collect::<Vec<_>>().join(", ")
    }

    fn filled(&self) -> impl Iterator<Item = &dyn SolidList> {
        self.lists.iter().map(Box::as_ref).filter(|list| list.count() > 0)
    }
}

impl<T: SceneSolid> From<Vec<T>> for SceneSolids {
    fn from(solids: Vec<T>) -> Self {
        let mut scene = Self::default();
        scene.set(solids);
        scene
    }
}

impl Clone for SceneSolids {
    fn clone(&self) -> Self {
        Self { lists: self.filled().map(SolidList::copied).collect() }
    }
}

impl PartialEq for SceneSolids {
    fn eq(&self, other: &Self) -> bool {
        let same_kinds = self.filled().count() == other.filled().count();
        same_kinds && self.filled().zip(other.filled()).all(|(one, another)| one.equals(another))
    }
}

impl Debug for SceneSolids {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_map().entries(self.filled().map(|list| (list.kind().field, list))).finish()
    }
}
