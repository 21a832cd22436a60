//! Collects and checks the indices and offsets of a neighbor list while its file is read.

use super::{MOST_PAIRS, PairFiles};

/// Converts the indices of a list to zero-based ones as they are read. They are checked at the end, because only all of
/// them together show whether a list counts from 1.
pub(super) struct Indices {
    one_based: bool,
    particle_count: u32,
    /// The unit in which `place` counts, for messages: "line", "row" or "element".
    unit: &'static str,
    /// Place of the next index in the file.
    place: u64,
    smallest: i64,
    largest: i64,
    first_wrong: Option<(u64, i64)>,
}

impl Indices {
    pub(super) fn new(files: &PairFiles<'_>) -> Self {
        Self {
            one_based: files.one_based,
            particle_count: files.particle_count,
            unit: "element",
            place: 0,
            smallest: i64::MAX,
            largest: i64::MIN,
            first_wrong: None,
        }
    }

    /// Sets the place of the next index in the file.
    pub(super) fn set_place(&mut self, unit: &'static str, place: u64) {
        (self.unit, self.place) = (unit, place);
    }

    /// Converts an index of the file into a zero-based one. The result for an invalid index is never used, because
    /// `check` then rejects the list.
    pub(super) fn take(&mut self, written: i64) -> u32 {
        self.smallest = self.smallest.min(written);
        self.largest = self.largest.max(written);
        let index = written - i64::from(self.one_based && written > i64::MIN);
        if !(0..i64::from(self.particle_count)).contains(&index) && self.first_wrong.is_none() {
            self.first_wrong = Some((self.place, written));
        }
        if self.unit == "element" {
            self.place += 1;
        }
        index as u32
    }

    /// Rejects a list with an index that is not that of a particle.
    pub(super) fn check(&self) -> Result<(), String> {
        let Some((place, written)) = self.first_wrong else { return Ok(()) };
        let (unit, count) = (self.unit, self.particle_count);
        if !self.one_based && self.smallest == 1 && self.largest == i64::from(count) {
            return Err(format!(
                "its smallest index is 1 and its largest is {count}, the number of particles, so it appears to be \
                 1-based; add --one-based"
            ));
        }
        let (first, last) = (i64::from(self.one_based), i64::from(count) - i64::from(!self.one_based));
        let advice = if self.one_based && written == 0 {
            "leave out --one-based if the list counts from 0"
        } else if written < 0 {
            "leave out entries that are only padding"
        } else {
            "give the points for which the list was made"
        };
        Err(format!(
            "{unit} {place}: the index {written} is not that of any of the {count} particles, which are numbered from \
             {first} to {last}; {advice}"
        ))
    }
}

/// The two arrays of a CSR list, filled as they are read.
pub(super) struct Rows {
    one_based: bool,
    particle_count: u32,
    offsets: Vec<i64>,
    /// Number of offsets beyond the `particle_count + 1` that are needed.
    surplus: u64,
    indices: Vec<u32>,
    too_many: bool,
}

impl Rows {
    pub(super) fn new(files: &PairFiles<'_>) -> Self {
        Self {
            one_based: files.one_based,
            particle_count: files.particle_count,
            offsets: Vec::new(),
            surplus: 0,
            indices: Vec::new(),
            too_many: false,
        }
    }

    pub(super) fn has_all_offsets(&self) -> bool {
        self.offsets.len() > self.particle_count as usize
    }

    pub(super) fn take_offset(&mut self, offset: i64) {
        if self.has_all_offsets() {
            self.surplus += 1;
        } else {
            self.offsets.push(offset);
        }
    }

    pub(super) fn take_index(&mut self, index: u32) {
        if self.indices.len() as u64 == MOST_PAIRS {
            self.too_many = true;
        } else {
            self.indices.push(index);
        }
    }

    /// Rejects offsets unless there is one more than there are particles, the first is 0 and they ascend.
    pub(super) fn check_offsets(&mut self) -> Result<(), String> {
        let (found, particles) = (self.offsets.len() as u64 + self.surplus, u64::from(self.particle_count));
        if found != particles + 1 {
            return Err(format!(
                "it has {found} offsets, but {} are needed: one for each of the {particles} particles, followed by the \
                 number of neighbors",
                particles + 1
            ));
        }
        if self.one_based && self.offsets[0] == 1 {
            self.offsets.iter_mut().for_each(|offset| *offset = offset.saturating_sub(1));
        }
        if self.offsets[0] != 0 {
            return Err(format!("offset 0 is {}, but must be 0", self.offsets[0]));
        }
        match self.offsets.windows(2).position(|two| two[1] < two[0]) {
            None => Ok(()),
            Some(place) => Err(format!(
                "offset {} is {}, less than the one before it ({}); offsets must ascend",
                place + 1,
                self.offsets[place + 1],
                self.offsets[place]
            )),
        }
    }

    /// The pairs of each particle and each of its neighbors.
    pub(super) fn pairs(&self) -> Result<Vec<[u32; 2]>, String> {
        if self.too_many {
            return Err(too_many());
        }
        let (last, found) = (self.offsets[self.particle_count as usize], self.indices.len());
        if usize::try_from(last) != Ok(found) {
            return Err(format!(
                "the last offset is {last}, but there are {found} neighbors; these numbers must be equal"
            ));
        }
        let mut pairs = Vec::with_capacity(found);
        for (particle, range) in (0..).zip(self.offsets.windows(2)) {
            let neighbors = &self.indices[range[0] as usize..range[1] as usize];
            pairs.extend(neighbors.iter().map(|&neighbor| [particle, neighbor]));
        }
        Ok(pairs)
    }
}

/// The message for a list of more than [`MOST_PAIRS`].
pub(super) fn too_many() -> String {
    format!("it contains more than {MOST_PAIRS} pairs; leave out particles")
}
