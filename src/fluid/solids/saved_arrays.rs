//! The arrays of saved states that belong to solvers and to kinds of solids.

/// Named arrays of bytes in a saved state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedArrays {
    arrays: Vec<(String, Vec<u8>)>,
}

impl SavedArrays {
    /// Adds an array. Its name must be that of the kind of solid, or begin with it, so that kinds and solvers do not
    /// use the same names.
    pub fn add(&mut self, name: &str, bytes: Vec<u8>) {
        self.arrays.push((name.to_owned(), bytes));
    }

    /// The array with this name; `None` where it is missing or empty.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        let found = self.arrays.iter().find(|(other, bytes)| other == name && !bytes.is_empty());
        found.map(|(_, bytes)| bytes.as_slice())
    }

    /// All arrays with their names.
    pub(in crate::fluid) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.arrays.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }
}

impl From<Vec<(String, Vec<u8>)>> for SavedArrays {
    fn from(arrays: Vec<(String, Vec<u8>)>) -> Self {
        Self { arrays }
    }
}
