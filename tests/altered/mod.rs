//! Devices that lack what the test machine's has.

use std::sync::Arc;

use nearwater::gpu::{Capabilities, Gpu, ShaderLibrary};

use super::common::gpu;

/// A device of its own that believes its adapter to be another.
pub fn altered(alter: fn(&mut Capabilities)) -> Arc<Gpu> {
    let name = gpu().capabilities.name.clone();
    let mut gpu = Gpu::open(Some(&name), ShaderLibrary::embedded().checked()).expect("it was opened before");
    alter(&mut Arc::get_mut(&mut gpu).expect("nobody else has it yet").capabilities);
    gpu
}
