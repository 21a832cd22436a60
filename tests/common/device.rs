//! The device of a test. Tests that run at the same time use different devices: a read-back is reported by the thread
//! that polls its device, and on a shared device that thread could belong to another test, which may not have called
//! back yet when this test has finished waiting.

use std::sync::{Arc, Mutex, PoisonError};

use nearwater::gpu::{Gpu, ShaderLibrary};

/// Devices that no test is using. Opening a device and compiling its shaders takes longer than most tests.
static IDLE: Mutex<Vec<&'static Arc<Gpu>>> = Mutex::new(Vec::new());

thread_local! {
    static LENT: Lent = Lent::take();
}

/// A device in use by the tests of one thread, which returns to [`IDLE`] when the thread ends.
struct Lent(&'static Arc<Gpu>);

impl Lent {
    fn take() -> Self {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Self(idle.unwrap_or_else(|| {
            let wanted = std::env::var("NEARWATER_ADAPTER").ok();
            let opened = Gpu::open(wanted.as_deref(), ShaderLibrary::embedded().checked())
                .expect("the tests need a Vulkan adapter; ./x test installs a software one where apt exists");
            Box::leak(Box::new(opened))
        }))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self.0);
    }
}

/// The device of this thread, with wgpu's shader checks on. `NEARWATER_ADAPTER` selects another adapter by name.
pub fn device() -> &'static Arc<Gpu> {
    LENT.with(|lent| lent.0)
}
