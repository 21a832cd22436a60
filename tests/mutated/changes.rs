//! Random changes of text and bytes.

/// Random numbers by xorshift (Marsaglia 2003), the same in every run.
pub struct Random(u64);

impl Random {
    /// The numbers of the change with this number.
    pub fn of_change(number: u64) -> Self {
        let mut random = Self(0x9e37_79b9_7f4a_7c15 ^ (number + 1));
        random.below(1);
        random
    }

    /// A number from 0 to before `end`; 0 where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end.max(1)
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..(start + self.below(24)).min(length)
    }
}

/// Numbers and marks at which parsers stumble.
const TOKENS: [&str; 28] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "1e38",
    "3.4e38",
    "1e39",
    "-1e300",
    "1e-45",
    "nan",
    "inf",
    "\r",
    "\n",
    "\r\n",
    "\u{feff}",
    "(",
    ")",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "\0",
    "é",
];

/// The bytes with one to four changes.
pub fn mutated(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(4) {
        match random.below(6) {
            0 => {
                let place = random.below(bytes.len());
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= 1 << random.below(8);
                }
            }
            1 => drop(bytes.drain(random.range(bytes.len()))),
            2 => {
                let (range, place) = (random.range(bytes.len()), random.below(bytes.len()));
                let copy = bytes[range].to_vec();
                bytes.splice(place..place, copy);
            }
            3 => bytes.truncate(random.below(bytes.len() + 1)),
            4 => {
                let place = random.below(bytes.len() + 1);
                bytes.splice(place..place, TOKENS[random.below(TOKENS.len())].bytes());
            }
            _ => replace_number(&mut bytes, random),
        }
    }
    bytes
}

/// Replaces one of the numbers in a text.
fn replace_number(bytes: &mut Vec<u8>, random: &mut Random) {
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'e');
    let starts: Vec<usize> =
        (0..bytes.len()).filter(|&at| bytes[at].is_ascii_digit() && (at == 0 || !is_part(&bytes[at - 1]))).collect();
    let Some(&start) = starts.get(random.below(starts.len())) else { return };
    let end = start + bytes[start..].iter().take_while(|byte| is_part(byte)).count();
    bytes.splice(start..end, TOKENS[random.below(15)].bytes());
}
