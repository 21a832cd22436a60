//! Parts that the tests of every layer share.

mod device;

use std::sync::Arc;

use nearwater::gpu::Gpu;

/// The device of this test, which no other running test uses.
pub fn gpu() -> Arc<Gpu> {
    Arc::clone(device::device())
}
