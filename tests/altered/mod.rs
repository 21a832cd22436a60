//! Devices with lower capabilities than those of the test machine.

use std::sync::Arc;

use nearwater::gpu::{Capabilities, Gpu, ShaderLibrary};

use super::common::gpu;

/// A separate device whose reported capabilities are altered.
pub fn altered(alter: fn(&mut Capabilities)) -> Arc<Gpu> {
    let name = gpu().capabilities.name.clone();
    let mut gpu = Gpu::open(Some(&name), ShaderLibrary::embedded().checked()).expect("it was opened before");
    alter(&mut Arc::get_mut(&mut gpu).expect("it has no other owner yet").capabilities);
    gpu
}
