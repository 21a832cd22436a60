//! The device, and everything that the layers above record into it.
//!
//! [`Gpu`] is one opened adapter: its limits and features are queried once and kept in [`Capabilities`]. A
//! [`ShaderVariant`] names a shader file and its definitions; [`Gpu::kernel`] composes, validates and compiles it on
//! first use. A [`Pass`] is one labeled dispatch with all of its buffers bound; [`record`] writes a list of passes into
//! an encoder that the caller owns, and a [`PassTimer`] reports what each pass cost, some frames later, without a
//! stall.

mod adapter;
mod buffer;
mod capabilities;
mod compose;
mod context;
mod description;
mod edits;
mod element;
mod error;
mod fault;
#[cfg(test)]
pub(crate) mod imagined;
mod kernel;
mod layout;
mod loop_budget;
mod pair_kernel;
mod pass;
mod pipeline_cache;
mod plain_name;
mod readback;
mod reflection;
mod shader;
mod subgroups;
mod suggest;
#[cfg(feature = "render")]
mod texture_rows;
mod timing;
mod tokens;
mod uniforms_in_storage;
mod validating;
#[cfg(feature = "app")]
mod watch;

pub use adapter::adapter_capabilities;
pub(crate) use buffer::VECTOR_BYTES;
pub use buffer::element_bytes;
pub use capabilities::{AdapterClass, Capabilities};
pub use context::{DeviceOrigin, Gpu};
pub use description::{Declaration, declarations};
pub use edits::{Changed, ShaderEdits, ShaderTexts};
pub use element::{ElementLayout, ElementType, Member, Scalar};
pub use error::GpuError;
pub use fault::ShaderFault;
pub use kernel::{Kernel, RenderShader};
pub use layout::GpuStruct;
#[cfg(test)]
pub(crate) use layout::assert_same_layout;
pub(crate) use layout::{gpu_struct, wgsl_name};
pub use pair_kernel::{PairKernel, PairKernelError};
pub use pass::{BoundBuffer, Dispatch, Pass, PassDescriptor, Phase, record, record_as_one};
pub use readback::{Readback, read_buffer};
pub use reflection::{Access, BindingKind, Interface, StorageUse, StructLayout, interface_of, struct_layouts};
pub use shader::{ShaderLibrary, ShaderVariant};
pub use suggest::nearest_names;
#[cfg(feature = "render")]
pub(crate) use texture_rows::TextureRows;
pub use timing::{PassTime, PassTimer, span_milliseconds};
pub use tokens::{Token, TokenKind, tokens};
#[cfg(feature = "app")]
pub use watch::ShaderWatcher;
