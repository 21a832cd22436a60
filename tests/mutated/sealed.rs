//! Saved states taken apart and put together again with a right checksum, so that what is changed in them reaches the
//! readers behind the checksum. The format is described in `src/files/state.rs`.

use nearwater::files::Fingerprint;

use super::changes::{Random, mutated};

/// Bytes of the magic and of the version of the format.
const HEAD: usize = 20;
/// Bytes of the checksum.
const SEAL: usize = 8;

/// The parts of a state.
pub struct Parts {
    head: Vec<u8>,
    program: Vec<u8>,
    pub description: Vec<u8>,
    /// Names and contents.
    pub arrays: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Parts {
    /// Takes a valid state apart.
    pub fn of(bytes: &[u8]) -> Self {
        let (head, mut rest) = bytes[..bytes.len() - SEAL].split_at(HEAD);
        let (program, description) = (block(&mut rest), block(&mut rest));
        let (count, after) = rest.split_at(4);
        rest = after;
        let count = u32::from_le_bytes(count.try_into().expect("four bytes"));
        let arrays = (0..count).map(|_| (block(&mut rest), block(&mut rest))).collect();
        Self { head: head.to_vec(), program, description, arrays }
    }

    /// The state that consists of the parts.
    pub fn joined(&self) -> Vec<u8> {
        let mut bytes = self.head.clone();
        let block = |bytes: &mut Vec<u8>, content: &[u8]| {
            bytes.extend((content.len() as u64).to_le_bytes());
            bytes.extend(content);
        };
        block(&mut bytes, &self.program);
        block(&mut bytes, &self.description);
        bytes.extend((self.arrays.len() as u32).to_le_bytes());
        for (name, content) in &self.arrays {
            block(&mut bytes, name);
            block(&mut bytes, content);
        }
        sealed(bytes)
    }

    /// The content of the array with this name.
    pub fn array(&mut self, name: &str) -> &mut Vec<u8> {
        let found = self.arrays.iter_mut().find(|(other, _)| other == name.as_bytes());
        &mut found.unwrap_or_else(|| panic!("the state has no {name}")).1
    }
}

/// Takes a block, its length and its content, from the beginning of `rest`.
fn block(rest: &mut &[u8]) -> Vec<u8> {
    let (length, after) = rest.split_at(8);
    let length = u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize;
    let (content, after) = after.split_at(length);
    *rest = after;
    content.to_vec()
}

/// The bytes with their checksum after them.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let seal = Fingerprint::EMPTY.with(&bytes).number();
    bytes.extend(seal.to_le_bytes());
    bytes
}

/// Words that arrays may not expect: numbers that are not finite, the largest and smallest, and great counts.
const WORDS: [u32; 12] = [
    0x7fc0_0000, // not a number
    0x7f80_0000, // infinity
    0xff80_0000,
    0x7f7f_ffff, // the largest number
    0xff7f_ffff,
    0x0000_0001,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff,
    0x0001_0000,
    0x3f80_0000, // 1
    0x0000_0000,
];

/// A state with one to four changes and a right checksum.
pub fn changed_and_sealed(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut parts = Parts::of(original);
    match random.below(8) {
        // Anywhere, so that lengths and numbers of arrays are wrong.
        0 => {
            let content = &original[..original.len() - SEAL];
            let begin = HEAD + parts.program.len() + 8;
            // The versions stay, without which nothing is read.
            return sealed([&content[..begin], &mutated(&content[begin..], random)].concat());
        }
        1 => {
            let place = random.below(original.len() - SEAL - HEAD) + HEAD;
            let length: [u64; 4] = [u64::MAX, u64::MAX / 2, 1 << 40, u64::from(u32::MAX)];
            let mut bytes = original[..original.len() - SEAL].to_vec();
            let end = (place + 8).min(bytes.len());
            bytes[place..end].copy_from_slice(&length[random.below(4)].to_le_bytes()[..end - place]);
            return sealed(bytes);
        }
        2 | 3 => parts.description = mutated(&parts.description, random),
        _ => {
            for _ in 0..=random.below(4) {
                change_array(&mut parts.arrays, random);
            }
        }
    }
    parts.joined()
}

fn change_array(arrays: &mut Vec<(Vec<u8>, Vec<u8>)>, random: &mut Random) {
    let number = random.below(arrays.len());
    if arrays.is_empty() {
        return;
    }
    let (name, content) = &mut arrays[number];
    match random.below(16) {
        0 => drop(arrays.remove(number)),
        1 => *name = mutated(name, random),
        2 => content.truncate(random.below(content.len() + 1)),
        3 => content.extend(vec![random.below(256) as u8; random.below(64)]),
        4 => *content = mutated(content, random),
        5 => {
            let copy = arrays[random.below(arrays.len())].1.clone();
            arrays[number].1 = copy;
        }
        // A word takes the place of another, which repeats or exchanges numbers of particles.
        6 | 7 => {
            let (from, to) = (4 * random.below(content.len() / 4), 4 * random.below(content.len() / 4));
            if let Some(word) = content.get(from..from + 4).map(<[u8]>::to_vec) {
                content[to..to + 4].copy_from_slice(&word);
            }
        }
        _ => {
            let (place, word) = (4 * random.below(content.len() / 4), WORDS[random.below(WORDS.len())]);
            if let Some(old) = content.get_mut(place..place + 4) {
                old.copy_from_slice(&word.to_le_bytes());
            }
        }
    }
}
