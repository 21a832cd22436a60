//! What naga reads from a composed shader: bindings, storage buffers, workgroup sizes and struct layouts.

use naga::proc::Layouter;

use super::element::ElementLayout;
use super::plain_name::plain_name;

/// The kind of a binding, as naga reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// `var<uniform>`.
    Uniform,
    /// `var<storage, read>`.
    StorageRead,
    /// `var<storage, read_write>`.
    StorageReadWrite,
    /// A sampled, filterable 2D texture.
    Texture,
    /// A 2D texture of unsigned integers.
    IntegerTexture,
    /// A cube of textures that can be filtered.
    CubeTexture,
    /// A 2D texture of unsigned integers with several samples a pixel.
    MultisampledIntegerTexture,
    /// A 2D texture of depths.
    DepthTexture,
    /// Layers of 2D textures of depths.
    LayeredDepthTexture,
    /// A 2D texture of depths with several samples a pixel.
    MultisampledDepthTexture,
    /// A filtering sampler.
    Sampler,
    /// A sampler that compares depths.
    ComparisonSampler,
}

/// One binding of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The WGSL variable's name, without the suffix that the composer adds.
    pub name: String,
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub number: u32,
    /// The kind of resource.
    pub kind: BindingKind,
    /// Least size of the buffer in bytes: a fixed size, or one element of a run-time sized array.
    pub least_bytes: u64,
}

/// How an entry point accesses a storage buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// It only reads the buffer.
    Read,
    /// It only writes the buffer.
    Write,
    /// It reads and writes the buffer, as every atomic operation does.
    ReadWrite,
}

impl Access {
    /// The access that naga found; querying only the length of a buffer counts as reading it.
    fn of(usage: naga::valid::GlobalUse) -> Self {
        let reads = usage.contains(naga::valid::GlobalUse::READ);
        match (reads, usage.intersects(naga::valid::GlobalUse::WRITE | naga::valid::GlobalUse::ATOMIC)) {
            (_, false) => Self::Read,
            (false, true) => Self::Write,
            (true, true) => Self::ReadWrite,
        }
    }

    /// Whether the buffer is read.
    pub fn reads(self) -> bool {
        self != Self::Write
    }

    /// Whether the buffer is written.
    pub fn writes(self) -> bool {
        self != Self::Read
    }

    /// The union of both accesses.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if self == other { self } else { Self::ReadWrite }
    }
}

/// A storage buffer as an entry point uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageUse {
    /// The WGSL variable's name, without the suffix that the composer adds.
    pub name: String,
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub number: u32,
    /// How the entry point and the functions that it calls access it.
    pub access: Access,
    /// The type of its elements.
    pub layout: ElementLayout,
}

/// What an entry point needs: its bindings, in order of group and number, its workgroup size and memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The bindings that the entry point accesses, and no others.
    pub bindings: Vec<Binding>,
    /// The storage buffers among them, in the same order.
    pub storage: Vec<StorageUse>,
    /// Invocations of a workgroup in x, y and z; `[0, 0, 0]` for vertex and fragment shaders.
    pub workgroup_size: [u32; 3],
    /// Bytes of workgroup memory that the entry point takes.
    pub workgroup_bytes: u32,
}

/// Reads an entry point's interface from a composed module; `None` when it has no such entry point.
pub fn interface_of(module: &naga::Module, info: &naga::valid::ModuleInfo, entry_point: &str) -> Option<Interface> {
    let index = module.entry_points.iter().position(|entry| entry.name == entry_point)?;
    let entry_info = info.get_entry_point(index);
    let mut layouter = Layouter::default();
    layouter.update(module.to_ctx()).ok()?;
    let mut bindings: Vec<Binding> = module
        .global_variables
        .iter()
        .filter(|(handle, _)| !entry_info[*handle].is_empty())
        .filter_map(|(_, variable)| {
            let resource = variable.binding?;
            let kind = match variable.space {
                naga::AddressSpace::Uniform => BindingKind::Uniform,
                naga::AddressSpace::Storage { access } if access.contains(naga::StorageAccess::STORE) => {
                    BindingKind::StorageReadWrite
                }
                naga::AddressSpace::Storage { .. } => BindingKind::StorageRead,
                _ => match module.types[variable.ty].inner {
                    naga::TypeInner::Sampler { comparison: true } => BindingKind::ComparisonSampler,
                    naga::TypeInner::Sampler { comparison: false } => BindingKind::Sampler,
                    naga::TypeInner::Image { dim: naga::ImageDimension::Cube, .. } => BindingKind::CubeTexture,
                    naga::TypeInner::Image { class: naga::ImageClass::Depth { multi: true }, .. } => {
                        BindingKind::MultisampledDepthTexture
                    }
                    naga::TypeInner::Image {
                        class: naga::ImageClass::Depth { multi: false }, arrayed: true, ..
                    } => BindingKind::LayeredDepthTexture,
                    naga::TypeInner::Image { class: naga::ImageClass::Depth { .. }, .. } => BindingKind::DepthTexture,
                    naga::TypeInner::Image {
                        class: naga::ImageClass::Sampled { kind: naga::ScalarKind::Uint, multi },
                        ..
                    } => {
                        if multi {
                            BindingKind::MultisampledIntegerTexture
                        } else {
                            BindingKind::IntegerTexture
                        }
                    }
                    _ => BindingKind::Texture,
                },
            };
            Some(Binding {
                name: plain_name(variable.name.as_deref()?).to_owned(),
                group: resource.group,
                number: resource.binding,
                kind,
                least_bytes: least_bytes(module, &layouter, variable.ty),
            })
        })
        .collect();
    bindings.sort_by_key(|binding| (binding.group, binding.number));
    let used = || module.global_variables.iter().filter(|(handle, _)| !entry_info[*handle].is_empty());
    let mut storage: Vec<StorageUse> = used()
        .filter(|(_, variable)| matches!(variable.space, naga::AddressSpace::Storage { .. }))
        .filter_map(|(handle, variable)| {
            let resource = variable.binding?;
            Some(StorageUse {
                name: plain_name(variable.name.as_deref()?).to_owned(),
                group: resource.group,
                number: resource.binding,
                access: Access::of(entry_info[handle]),
                layout: ElementLayout::of(module, &layouter, variable.ty),
            })
        })
        .collect();
    storage.sort_by_key(|usage| (usage.group, usage.number));
    let in_workgroup = used().filter(|(_, variable)| variable.space == naga::AddressSpace::WorkGroup);
    Some(Interface {
        bindings,
        storage,
        workgroup_size: module.entry_points[index].workgroup_size,
        workgroup_bytes: in_workgroup.map(|(_, variable)| layouter[variable.ty].size).sum(),
    })
}

fn least_bytes(module: &naga::Module, layouter: &Layouter, ty: naga::Handle<naga::Type>) -> u64 {
    match &module.types[ty].inner {
        naga::TypeInner::Array { size: naga::ArraySize::Dynamic, stride, .. } => u64::from(*stride),
        naga::TypeInner::Image { .. } | naga::TypeInner::Sampler { .. } => 0,
        _ => u64::from(layouter[ty].size),
    }
}

/// A struct's memory layout, as naga reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructLayout {
    /// The struct's name, without the suffix that the composer adds.
    pub name: String,
    /// Each member's name and byte offset, in order.
    pub fields: Vec<(String, u32)>,
    /// Size of the struct in bytes.
    pub bytes: u32,
}

/// Every struct of a composed module.
pub fn struct_layouts(module: &naga::Module) -> Vec<StructLayout> {
    module
        .types
        .iter()
        .filter_map(|(_, ty)| match (&ty.name, &ty.inner) {
            (Some(name), naga::TypeInner::Struct { members, span }) => Some(StructLayout {
                name: plain_name(name).to_owned(),
                fields: members.iter().map(|member| (member.name.clone().unwrap_or_default(), member.offset)).collect(),
                bytes: *span,
            }),
            _ => None,
        })
        .collect()
}
