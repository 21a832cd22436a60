//! What the driver has compiled, kept from one start of the program to the next: some drivers do that themselves, and
//! others compile all shaders again in every start, which takes seconds.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::{AdapterClass, Gpu};

/// Length of the hash in front of the driver's data, bytes.
const HASH: usize = size_of::<u64>();

/// A hash of the driver's data and the version of the program that asked for it: a driver may trust its data blindly,
/// and a file can be damaged.
fn hash_of(data: &[u8]) -> [u8; HASH] {
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), data).hash(&mut hasher);
    hasher.finish().to_le_bytes()
}

/// The driver's data in what [`Gpu::kept_pipelines`] returned; `None` if it is damaged or of another version.
fn driver_data(kept: &[u8]) -> Option<&[u8]> {
    let (hash, data) = kept.split_at_checked(HASH)?;
    (hash == hash_of(data)).then_some(data)
}

impl Gpu {
    /// Whether the device can keep what its driver compiles. Software adapters keep nothing: they compile quickly.
    pub fn keeps_pipelines(&self) -> bool {
        let is_able = self.capabilities.features.contains(wgpu::Features::PIPELINE_CACHE);
        is_able && self.runs && self.capabilities.class != AdapterClass::Software
    }

    /// Compiles pipelines from now on with what [`Gpu::kept_pipelines`] returned in an earlier start, so that they need
    /// not be compiled again, nor those that this start has compiled already. Data that is damaged, or of another
    /// program, device or driver, is ignored. Only the first call has an effect, and none where
    /// [`Gpu::keeps_pipelines`] is false.
    pub fn keep_pipelines(&self, kept: Option<&[u8]>) {
        if self.keeps_pipelines() {
            self.pipelines.get_or_init(|| self.pipeline_cache_of(kept.and_then(driver_data)));
        }
    }

    fn pipeline_cache_of(&self, data: Option<&[u8]>) -> wgpu::PipelineCache {
        let descriptor = wgpu::PipelineCacheDescriptor { label: Some("kept pipelines"), data, fallback: true };
        // SAFETY: the data is what a driver returned, as its hash shows. wgpu and the driver ignore that of another
        // device or driver version.
        #[expect(unsafe_code, reason = "the only way wgpu offers to use what a driver has compiled before")]
        unsafe {
            self.device.create_pipeline_cache(&descriptor)
        }
    }

    /// What the driver has compiled since [`Gpu::keep_pipelines`], with what it was given there, as bytes for a file.
    pub fn kept_pipelines(&self) -> Option<Vec<u8>> {
        let data = self.pipelines.get().filter(|_| self.lost().is_none())?.get_data()?;
        Some([&hash_of(&data), data.as_slice()].concat())
    }

    /// The cache that pipelines are compiled with.
    pub(crate) fn pipeline_cache(&self) -> Option<&wgpu::PipelineCache> {
        self.pipelines.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::{ShaderLibrary, ShaderVariant};

    #[test]
    fn damaged_data_never_reaches_the_driver() {
        let data = b"what a driver returned".to_vec();
        let kept = [&hash_of(&data), data.as_slice()].concat();
        assert_eq!(driver_data(&kept), Some(data.as_slice()));
        for damaged in 0..kept.len() {
            let mut bytes = kept.clone();
            bytes[damaged] ^= 1;
            assert_eq!(driver_data(&bytes), None, "byte {damaged}");
            assert_eq!(driver_data(&kept[..damaged]), None, "the first {damaged} bytes");
        }
    }

    #[test]
    fn a_device_takes_back_what_it_has_compiled_and_ignores_anything_else() {
        let mut kept = None;
        for _ in 0..2 {
            let gpu = Gpu::open(None, ShaderLibrary::embedded()).expect("an adapter");
            if !gpu.capabilities.features.contains(wgpu::Features::PIPELINE_CACHE) {
                assert!(!gpu.keeps_pipelines());
                return;
            }
            gpu.pipelines.get_or_init(|| gpu.pipeline_cache_of(kept.as_deref().and_then(driver_data)));
            let variant = ShaderVariant::new("primitives/bitonic_sort.wgsl")
                .with_number("WORKGROUP_SIZE", 64)
                .with_number("TILE_BITS", 7);
            gpu.kernel(&variant, "merge").expect("it compiles");
            kept = gpu.kept_pipelines();
            assert!(kept.as_deref().and_then(driver_data).is_some());
        }
        for foreign in [&b""[..], b"not of a driver", &[0; 1_000]] {
            let gpu = Gpu::open(None, ShaderLibrary::embedded()).expect("an adapter");
            gpu.pipelines.get_or_init(|| gpu.pipeline_cache_of(Some(foreign)));
            assert!(gpu.kept_pipelines().is_some(), "wgpu starts with nothing instead");
        }
    }
}
