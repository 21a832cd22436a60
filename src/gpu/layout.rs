//! Structs that Rust and WGSL share, with a test that both lay them out alike.

/// A Rust struct that a shader reads under the same name. Only `gpu_struct!` implements it, so that a test can compare
/// every field's offset with the offset that naga reads in the WGSL.
pub trait GpuStruct: bytemuck::Pod {
    /// The struct's name, the same in WGSL.
    const NAME: &'static str;
    /// Each field's name and byte offset, in order.
    const FIELDS: &'static [(&'static str, usize)];
}

/// Declares a `#[repr(C)]` struct shared with WGSL and implements [`GpuStruct`] for it.
macro_rules! gpu_struct {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)* }

        impl $crate::gpu::GpuStruct for $name {
            const NAME: &'static str = $crate::gpu::wgsl_name(stringify!($name));
            const FIELDS: &'static [(&'static str, usize)] =
                &[$((stringify!($field), std::mem::offset_of!($name, $field)),)*];
        }
    };
}
pub(crate) use gpu_struct;

/// The name in WGSL of a struct that has this name in Rust. A Rust struct has the prefix `Gpu` if the library has
/// another type of that name, which WGSL does not need.
pub(crate) const fn wgsl_name(name: &'static str) -> &'static str {
    match name.as_bytes() {
        [b'G', b'p', b'u', ..] => name.split_at(3).1,
        _ => name,
    }
}

/// Asserts that a composed shader lays out `T` as Rust does: the same fields at the same offsets, and the same size.
#[cfg(test)]
pub(crate) fn assert_same_layout<T: GpuStruct>(module: &naga::Module) {
    let layouts = super::struct_layouts(module);
    let layout = layouts.iter().find(|layout| layout.name == T::NAME);
    let layout = layout.unwrap_or_else(|| panic!("no struct {} in the shader", T::NAME));
    let fields: Vec<_> = T::FIELDS.iter().map(|&(name, offset)| (name.to_owned(), offset as u32)).collect();
    assert_eq!((&layout.fields, layout.bytes as usize), (&fields, size_of::<T>()), "{}", T::NAME);
}
