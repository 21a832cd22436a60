//! Names of items in composed shaders.

/// The name as written in WGSL: `naga_oil` appends `X_naga_oil_mod_X...X` to the names of imported items.
pub(super) fn plain_name(name: &str) -> &str {
    name.split("X_naga_oil_mod_X").next().unwrap_or(name)
}
