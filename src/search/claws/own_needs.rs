//! What CLAWS needs of a device.

use super::variants::sizes;
use crate::gpu::{AdapterClass, Capabilities};
use crate::search::local_grid::MOST_BYTES;
use crate::search::{Met, Need, needs};

/// The counters of the coarse cells, two for each.
pub(super) static COUNTERS: Need = Need {
    what: "workgroup memory, for counters of coarse cells",
    of: |device| {
        let most = Capabilities {
            limits: wgpu::Limits { max_compute_workgroup_storage_size: MOST_BYTES, ..device.limits.clone() },
            ..device.clone()
        };
        needs::coarse_counters(device, sizes(device).counter_capacity / 2, sizes(&most).counter_capacity / 2)
    },
};

/// The chunks of particles.
pub(super) static CHUNKS: Need = Need {
    what: "workgroup memory, for chunks of a coarse cell",
    of: |device| needs::chunks(device, sizes(device).chunk_capacity),
};

/// The subgroups that are distributed over the rows around a cell.
pub(super) static SHARED_OUT: Need = Need {
    what: "subgroups, for the schedule",
    of: |device| {
        let sizes = sizes(device);
        match device.subgroup_sizes {
            None => Met::worked_around(format!(
                "Without subgroup operations each of the {} invocations of a workgroup acts as a subgroup.",
                sizes.workgroup_size
            )),
            Some(_) if device.class == AdapterClass::Software => Met::worked_around(
                "A software adapter runs the subgroups of a workgroup one after the other, so that they do not share a \
                 queue dynamically.",
            ),
            Some((smallest, _)) => Met::fully(format!(
                "The rows around a coarse cell are distributed over up to {} subgroups.",
                sizes.workgroup_size / smallest
            )),
        }
    },
};
