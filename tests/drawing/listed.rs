//! Holds the renderer's list of shader variants, which other tests validate, against what pictures compile.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use nearwater::gpu::ShaderVariant;
use nearwater::render::shader_variants;

use crate::drawing::gpu;

/// Fails when a picture of this test binary has compiled a shader of the renderer that is not listed.
pub fn assert_shaders_are_listed() {
    static LISTED: OnceLock<BTreeSet<ShaderVariant>> = OnceLock::new();
    let listed = LISTED.get_or_init(|| shader_variants().into_iter().map(without_modules).collect());
    let kernels = gpu().compiled_kernels().into_iter().map(|(variant, _)| variant);
    let compiled =
        gpu().compiled_drawing().into_iter().chain(kernels.filter(|variant| variant.file.starts_with("render/")));
    let unlisted: Vec<_> = compiled.map(without_modules).filter(|variant| !listed.contains(variant)).collect();
    assert!(unlisted.is_empty(), "render::shader_variants lacks {unlisted:#?}");
}

/// A color field that is in no table changes a module that the program writes, and no variant besides.
fn without_modules(variant: ShaderVariant) -> ShaderVariant {
    ShaderVariant { generated: BTreeMap::new(), ..variant }
}
