/// A Rust struct that a shader reads under the same name. Implemented by `gpu_struct!`
/// alone, so that a test can hold every field's offset against what naga reads in the WGSL.
pub trait GpuStruct: bytemuck::Pod {
    /// The struct's name, the same in WGSL.
    const NAME: &'static str;
    /// Each field's name and byte offset, in order.
    const FIELDS: &'static [(&'static str, usize)];
}

/// Declares a `#[repr(C)]` struct shared with WGSL, its [`GpuStruct`] implementation included.
macro_rules! gpu_struct {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
        pub struct $name { $($(#[$field_meta])* pub $field: $type,)* }

        impl $crate::gpu::GpuStruct for $name {
            const NAME: &'static str = stringify!($name);
            const FIELDS: &'static [(&'static str, usize)] =
                &[$((stringify!($field), std::mem::offset_of!($name, $field)),)*];
        }
    };
}
pub(crate) use gpu_struct;

/// Asserts that a composed shader lays out `T` as Rust does: the same fields at the same offsets, the same size.
#[cfg(test)]
pub(crate) fn assert_same_layout<T: GpuStruct>(module: &naga::Module) {
    let layouts = super::struct_layouts(module);
    let layout = layouts.iter().find(|layout| layout.name == T::NAME);
    let layout = layout.unwrap_or_else(|| panic!("no struct {} in the shader", T::NAME));
    let fields: Vec<_> = T::FIELDS.iter().map(|&(name, offset)| (name.to_owned(), offset as u32)).collect();
    assert_eq!((&layout.fields, layout.bytes as usize), (&fields, size_of::<T>()), "{}", T::NAME);
}
