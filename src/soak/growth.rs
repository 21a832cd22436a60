//! Memory and handles of this process over time. Both must stop growing once everything was used a few times.

use std::fs;

/// What the process holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Resident memory, bytes.
    pub resident: u64,
    /// Number of open files, sockets and devices.
    pub handles: u64,
}

impl Usage {
    /// What this process holds now; `None` where the system does not tell.
    pub fn now() -> Option<Self> {
        let handles = fs::read_dir("/proc/self/fd").ok()?.count() as u64;
        Some(Self { resident: resident_bytes(std::process::id())?, handles })
    }
}

/// Resident memory of a running process, bytes; `None` once it has ended, or where the system does not tell.
pub fn resident_bytes(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok().map(|kibibytes: u64| 1024 * kibibytes)
}

/// Fewest generations after which growth is judged: with fewer, parts are still used for the first time.
const FEWEST: usize = 9;
/// Memory that may be added between the middle and the last third, beyond a tenth: heaps become fragmented.
const SPARE_BYTES: u64 = 64 << 20;
/// Handles that may be added.
const SPARE_HANDLES: u64 = 8;

/// What the process held after each generation of episodes.
#[derive(Clone, Debug)]
pub struct Growth {
    noted: Vec<Usage>,
    fewest: usize,
}

impl Default for Growth {
    fn default() -> Self {
        Self::judged_after(FEWEST)
    }
}

impl Growth {
    /// Judges growth after so many generations, at least three.
    pub fn judged_after(fewest: usize) -> Self {
        Self { noted: Vec::new(), fewest: fewest.max(3) }
    }

    /// Notes what the process holds, when nothing is in use.
    pub fn note(&mut self, usage: Usage) {
        self.noted.push(usage);
    }

    /// Which of both grows: the least of the last third is well above the least of the third before. `None` where
    /// nothing does, or where there are too few notes to tell.
    pub fn fault(&self) -> Option<String> {
        let count = self.noted.len();
        if count < self.fewest {
            return None;
        }
        let (middle, last) = (&self.noted[count / 3..2 * count / 3], &self.noted[2 * count / 3..]);
        let least = |part: &[Usage], of: fn(&Usage) -> u64| part.iter().map(of).min().unwrap_or_default();
        let of_memory = |part| least(part, |usage| usage.resident);
        let of_handles = |part| least(part, |usage| usage.handles);
        let (before, after) = (of_memory(middle), of_memory(last));
        if after > before + before / 10 + SPARE_BYTES {
            return Some(format!(
                "the memory grows: {} MiB, and later {} MiB, with everything closed",
                before >> 20,
                after >> 20
            ));
        }
        let (before, after) = (of_handles(middle), of_handles(last));
        if after > before + SPARE_HANDLES {
            return Some(format!("open handles grow: {before}, and later {after}, with everything closed"));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Growth, Usage};

    fn fault(usages: impl Iterator<Item = Usage>) -> Option<String> {
        let mut growth = Growth::default();
        usages.for_each(|usage| growth.note(usage));
        growth.fault()
    }

    #[test]
    fn steady_use_passes_and_growth_is_found() {
        let at = |resident: u64, handles: u64| Usage { resident: resident << 20, handles };
        // It rises at first, and then varies.
        let steady = (0..30).map(|n| at(200 + 40 * (n % 5) + 100 * n.min(6), 12 + n % 3));
        assert_eq!(fault(steady), None);
        let leak = fault((0..30).map(|n| at(200 + 40 * (n % 5) + 20 * n, 12))).expect("20 MiB a generation");
        assert!(leak.contains("memory"), "{leak}");
        let handles = fault((0..30).map(|n| at(200, 12 + 2 * n))).expect("two handles a generation");
        assert!(handles.contains("handles"), "{handles}");
        assert_eq!(fault((0..6).map(|n| at(200 + 100 * n, 12))), None, "too few to tell");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_the_process_holds_is_known() {
        let before = Usage::now().expect("Linux tells");
        let files: Vec<_> = (0..20).map(|_| std::fs::File::open("/proc/self/status").expect("it is there")).collect();
        let memory = std::hint::black_box(vec![1_u8; 64 << 20]);
        let during = Usage::now().expect("Linux tells");
        // Other tests of this process open and close files.
        assert!(during.handles + 8 >= before.handles + 20, "{before:?}, {during:?}");
        assert!(during.resident >= before.resident.saturating_sub(8 << 20) + (48 << 20), "{before:?}, {during:?}");
        drop((files, memory));
    }
}
