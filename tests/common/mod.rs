//! What the tests of every layer share.

use std::sync::{Arc, OnceLock};

use nearwater::gpu::{Gpu, ShaderLibrary};

/// One device for a whole test binary, with wgpu's shader checks on. `NEARWATER_ADAPTER` picks another by name.
pub fn gpu() -> Arc<Gpu> {
    static GPU: OnceLock<Arc<Gpu>> = OnceLock::new();
    Arc::clone(GPU.get_or_init(|| {
        let wanted = std::env::var("NEARWATER_ADAPTER").ok();
        Gpu::open(wanted.as_deref(), ShaderLibrary::embedded().checked())
            .expect("the tests need a Vulkan adapter; ./x test installs a software one where apt exists")
    }))
}
