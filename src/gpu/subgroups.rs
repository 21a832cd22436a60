//! What shaders with `SUBGROUPS` rely on, and how that is guaranteed.
//!
//! - *Full subgroups*: `workgroup_scan.wgsl` numbers the invocations of a workgroup as subgroup times subgroup size
//!   plus lane, and its scan takes a subgroup's sum from the last lane; every search, the scan and the radix sort build
//!   on both.
//! - *Lanes that stay together*: behind a branch or a loop that only some lanes took, a subgroup operation sees all of
//!   them. The radix sort ranks keys in turn by it, and CLAWS draws from its queue by it, inside loops.
//!
//! Vulkan gives full subgroups where a workgroup is made of whole ones and the pipeline asks for them, and lanes that
//! come together by extensions; wgpu 29 asks for neither. Drivers do both all the same for workgroups of a multiple of
//! their largest subgroup, which all of ours are. So it is checked, not assumed: when a device is opened, a kernel
//! looks at its subgroups in the smallest and in the largest workgroup that there can be. Where it finds something
//! else, the device counts as one without subgroup operations, and every shader is composed without them: slower, and
//! right.

use super::{Capabilities, Dispatch, Gpu, GpuError, Pass, PassDescriptor, Phase, ShaderVariant, read_buffer, record};

const FILE: &str = "gpu/subgroups.wgsl";
/// Workgroups of each size that are looked at.
const WORKGROUPS: u32 = 4;

/// Smallest and largest subgroup of the device, `None` where shaders are to do without.
pub(super) fn verified_sizes(gpu: &Gpu) -> Option<(u32, u32)> {
    // A driver that refuses the kernel has no use for the others.
    gpu.capabilities.subgroup_sizes.filter(|_| are_as_expected(gpu).unwrap_or(false))
}

fn are_as_expected(gpu: &Gpu) -> Result<bool, GpuError> {
    let findings = gpu.storage_with("subgroup findings", &[0_u32; 2])?;
    let buffers = [("subgroup_findings", &findings)];
    let dispatch = Dispatch::Workgroups(WORKGROUPS.into());
    let sizes = workgroup_sizes(&gpu.capabilities);
    let make = |&size: &u32| {
        Pass::new(
            gpu,
            PassDescriptor {
                phase: Phase::Build,
                label: "check subgroups",
                shader: &variant(&gpu.capabilities, size),
                entry_point: "check_subgroups",
                buffers: &buffers,
                dispatch,
            },
        )
    };
    let passes = sizes.iter().map(make).collect::<Result<Vec<_>, _>>()?;
    gpu.submit(|encoder| record(&passes, encoder, None));
    let found: Vec<u32> = read_buffer(gpu, &findings, 2)?;
    Ok(found == [0, WORKGROUPS * sizes.iter().sum::<u32>()])
}

fn variant(capabilities: &Capabilities, workgroup_size: u32) -> ShaderVariant {
    let (smallest, largest) = capabilities.subgroup_sizes.unwrap_or((1, 1));
    ShaderVariant::new(FILE)
        .with_number("WORKGROUP_SIZE", workgroup_size)
        .with_number("SMALLEST", smallest)
        .with_number("LARGEST", largest)
}

/// Invocations of the smallest workgroup that a shader with subgroups is composed for, and of the largest.
fn workgroup_sizes(capabilities: &Capabilities) -> [u32; 2] {
    let limits = &capabilities.limits;
    let largest = capabilities.subgroup_sizes.map_or(1, |(_, largest)| largest);
    let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
    [largest.max(32), (most / largest * largest).max(largest)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::imagined::{SUBGROUP_SIZES, adapter};
    use crate::gpu::{ShaderLibrary, interface_of};

    #[test]
    fn the_check_composes_for_every_size_of_subgroups() {
        for sizes in SUBGROUP_SIZES.into_iter().flatten() {
            let adapter = adapter(Some(sizes), 16_384);
            for workgroup_size in workgroup_sizes(&adapter) {
                assert_eq!(workgroup_size % sizes.1, 0, "{sizes:?}");
                let variant = variant(&adapter, workgroup_size);
                let (module, info) =
                    ShaderLibrary::embedded().compose(&variant).unwrap_or_else(|error| panic!("{error}"));
                let interface = interface_of(&module, &info, "check_subgroups").expect("the entry point is there");
                assert_eq!(interface.workgroup_size[0], workgroup_size);
                assert!(interface.workgroup_bytes <= 16_384);
            }
        }
    }

    #[test]
    fn subgroups_that_are_not_what_the_driver_promises_count_as_none() {
        let mut gpu = Gpu::open(None, ShaderLibrary::embedded().checked()).expect("an adapter");
        let gpu = std::sync::Arc::get_mut(&mut gpu).expect("nobody else has it yet");
        let Some((smallest, largest)) = gpu.capabilities.subgroup_sizes else { return };
        assert_eq!(verified_sizes(gpu), Some((smallest, largest)));
        // Subgroups of another size than promised, and workgroups that are no whole number of them.
        gpu.capabilities.subgroup_sizes = Some((2 * largest, 2 * largest));
        assert_eq!(verified_sizes(gpu), None);
        gpu.capabilities.subgroup_sizes = Some((smallest, largest));
        gpu.capabilities.limits.max_compute_workgroup_size_x = 0;
        assert_eq!(verified_sizes(gpu), Some((smallest, largest)), "the smallest workgroup there can be");
    }
}
