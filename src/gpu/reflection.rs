use naga::proc::Layouter;

/// What a binding is, as naga reads it.
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
    /// A 2D texture of unsigned integers with several samples a pixel.
    MultisampledIntegerTexture,
    /// A 2D texture of depths.
    DepthTexture,
    /// A filtering sampler.
    Sampler,
    /// A sampler that compares depths.
    ComparisonSampler,
}

/// One binding of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The WGSL variable's name, without what the composer adds.
    pub name: String,
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub number: u32,
    /// Uniform or storage.
    pub kind: BindingKind,
    /// Bytes the buffer must hold at least: a fixed size, or one element of a run-time sized array.
    pub least_bytes: u64,
}

/// What an entry point needs: its bindings, in order of group and number, and its workgroup size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// The bindings the entry point reaches, and no others.
    pub bindings: Vec<Binding>,
    /// Invocations of a workgroup in x, y and z; `[0, 0, 0]` for vertex and fragment shaders.
    pub workgroup_size: [u32; 3],
}

/// Reads an entry point's interface out of a composed module; `None` when it has no such entry point.
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
    Some(Interface { bindings, workgroup_size: module.entry_points[index].workgroup_size })
}

/// The name as written in WGSL: `naga_oil` appends `X_naga_oil_mod_X...X` to the names of imported items.
fn plain_name(name: &str) -> &str {
    name.split("X_naga_oil_mod_X").next().unwrap_or(name)
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
    /// The struct's name, without what the composer adds.
    pub name: String,
    /// Each member's name and byte offset, in order.
    pub fields: Vec<(String, u32)>,
    /// Bytes of the whole struct.
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
