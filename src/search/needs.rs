//! What a search requires of a device, how a device meets each requirement, and how many particles it allows.

use super::local_grid::workgroup_bytes;
use crate::format::{bytes, count};
use crate::gpu::Capabilities;
use crate::primitives::radix_digit_bits;

/// Whether a device meets a requirement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Support {
    /// The device meets it.
    #[default]
    Met,
    /// The device does not meet it, and the search uses a slower method.
    WorkedAround,
    /// The device does not meet it, and the search refuses to run.
    Unmet,
}

impl Support {
    /// The word shown in tables.
    pub fn label(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::WorkedAround => "worked around",
            Self::Unmet => "unmet",
        }
    }
}

/// How a device meets a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// Whether the device meets it.
    pub support: Support,
    /// The consequence for this device, in a sentence with its numbers.
    pub words: String,
    /// Largest number of particles that the requirement allows; `None` if it does not depend on their number.
    pub most_particles: Option<u64>,
}

impl Met {
    /// The device meets the requirement.
    pub(super) fn fully(words: impl Into<String>) -> Self {
        Self { support: Support::Met, words: words.into(), most_particles: None }
    }

    /// The device does not meet the requirement, and the search uses another method.
    pub(super) fn worked_around(words: impl Into<String>) -> Self {
        Self { support: Support::WorkedAround, ..Self::fully(words) }
    }

    /// The device does not meet the requirement, and the search refuses to run.
    pub(super) fn unmet(words: impl Into<String>) -> Self {
        Self { support: Support::Unmet, ..Self::fully(words) }
    }

    /// Adds the largest number of particles that the requirement allows.
    pub(super) fn up_to(self, particles: u64) -> Self {
        Self { most_particles: Some(particles), ..self }
    }
}

/// A requirement of a search on the device. A search lists its requirements in its
/// [`SearchInfo`](super::SearchInfo::needs).
#[derive(Debug)]
pub struct Need {
    /// The required capability, in a few words.
    pub what: &'static str,
    /// How a device meets it.
    pub of: fn(&Capabilities) -> Met,
}

/// The largest number of particles whose entries of `entry_bytes` bytes fit one binding. `what` names the entries, in
/// the plural.
pub(super) fn one_binding(capabilities: &Capabilities, entry_bytes: u64, what: &str) -> Met {
    let largest = capabilities.largest_binding_bytes();
    let most = (largest / entry_bytes).min(u32::MAX.into());
    let words = format!(
        "{what} take {entry_bytes} bytes per particle in one binding; the largest binding here has {}, which \
         is enough for {} particles.",
        bytes(largest),
        count(most)
    );
    Met::fully(words).up_to(most)
}

/// The positions, which every search binds.
pub(super) static POSITIONS: Need =
    Need { what: "one binding for positions", of: |device| one_binding(device, 16, "Positions") };

/// Largest number of floats in the sum of any pair kernel. All pair kernels deposit into one buffer, one after the
/// other.
pub const LARGEST_SUM: usize = 12;

/// The deposits of searches in which several workgroups serve one particle.
pub(super) static DEPOSITS: Need = Need {
    what: "one binding for sums",
    of: |device| one_binding(device, LARGEST_SUM as u64 * 4, "The floats of the sums"),
};

/// Atomic addition of floats.
pub(super) static FLOAT_ATOMICS: Need = Need {
    what: "float atomics",
    of: |device| {
        if device.features.contains(wgpu::Features::SHADER_FLOAT32_ATOMIC) {
            Met::fully("Sums are deposited with one atomic addition each.")
        } else {
            Met::worked_around("Without float atomics a sum is deposited by a compare-and-exchange loop.")
        }
    },
};

/// Subgroups for the exclusive scan.
pub(super) static SCAN: Need = Need {
    what: "subgroups, for the exclusive scan",
    of: |device| match device.subgroup_sizes {
        Some(sizes) => Met::fully(format!("{} compute the scan with subgroup operations.", subgroups(sizes))),
        None => Met::worked_around("Without subgroup operations the scan uses workgroup memory."),
    },
};

/// Subgroups and workgroup memory for the radix sort and its bins.
pub(super) static RADIX_SORT: Need = Need {
    what: "subgroups and workgroup memory, for the radix sort",
    of: |device| match (radix_digit_bits(device), device.subgroup_sizes) {
        (Err(_), _) => {
            let memory = device.limits.max_compute_workgroup_storage_size;
            Met::unmet(format!("{} of workgroup memory are too little for the bins of the sort.", bytes(memory.into())))
        }
        (Ok(bits), Some(sizes)) => Met::fully(format!("{} sort digits of {bits} bits.", subgroups(sizes))),
        (Ok(bits), None) => Met::worked_around(format!(
            "Without subgroup operations digits have {bits} bits, and a sort takes twice as many passes."
        )),
    },
};

/// Describes subgroups by their size or their range of sizes.
fn subgroups((smallest, largest): (u32, u32)) -> String {
    if smallest == largest {
        format!("Subgroups of {smallest}")
    } else {
        format!("Subgroups of {smallest} to {largest}")
    }
}

/// How the counters of `cells` coarse cells fit a device's workgroup memory. `wanted` is the number of coarse cells on
/// a device without this limitation.
pub(super) fn coarse_counters(capabilities: &Capabilities, cells: u32, wanted: u32) -> Met {
    let memory = bytes(capabilities.limits.max_compute_workgroup_storage_size.into());
    let cells_in_words = count(cells.into());
    if cells == 0 {
        Met::unmet(format!("{memory} of workgroup memory are too little for the counters."))
    } else if cells < wanted {
        let wanted = count(wanted.into());
        Met::worked_around(format!(
            "{memory} of workgroup memory hold the counters of {cells_in_words} coarse cells instead of \
             {wanted}, so that large boxes have wider cells."
        ))
    } else {
        Met::fully(format!("{memory} of workgroup memory hold the counters of {cells_in_words} coarse cells."))
    }
}

/// How chunks of `particles` particles with their local grid fit a device's workgroup memory.
pub(super) fn chunks(capabilities: &Capabilities, particles: u32) -> Met {
    let memory = bytes(workgroup_bytes(capabilities).into());
    if particles == 0 {
        Met::unmet(format!("{memory} of workgroup memory are too little for a chunk."))
    } else {
        Met::fully(format!(
            "{memory} of workgroup memory hold chunks of up to {} particles with their local grid.",
            count(particles.into())
        ))
    }
}
