//! The type of one element of a storage buffer, as naga reads it in the shader that binds the buffer.

/// The kind of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `u32`.
    Unsigned,
    /// `i32`.
    Signed,
    /// `f32`.
    Float,
}

/// The WGSL type of one element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// One number.
    Scalar(Scalar),
    /// One number that is accessed atomically.
    Atomic(Scalar),
    /// Two, three or four numbers.
    Vector(Scalar, u8),
    /// Named members.
    Struct {
        /// The struct's name, without the suffix that the composer adds.
        name: String,
        /// The members, in order.
        members: Vec<Member>,
    },
    /// Any other type, for example a matrix; it is shown as raw 32-bit words.
    Other,
}

/// One member of a struct.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Where it begins, in bytes from the beginning of the struct.
    pub offset: u32,
    /// Its type.
    pub element: ElementType,
}

/// How a storage binding is laid out: elements of one type, one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ElementLayout {
    /// The type of one element.
    pub element: ElementType,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// How many elements there are, where the shader fixes it; 1 for a binding that is not an array.
    pub fixed_count: Option<u32>,
}

impl Scalar {
    fn of(scalar: naga::Scalar) -> Option<Self> {
        match (scalar.kind, scalar.width) {
            (naga::ScalarKind::Uint, 4) => Some(Self::Unsigned),
            (naga::ScalarKind::Sint, 4) => Some(Self::Signed),
            (naga::ScalarKind::Float, 4) => Some(Self::Float),
            _ => None,
        }
    }

    /// The type's name in WGSL.
    pub fn wgsl(self) -> &'static str {
        match self {
            Self::Unsigned => "u32",
            Self::Signed => "i32",
            Self::Float => "f32",
        }
    }
}

impl ElementType {
    /// The type as it is written in WGSL; a struct by its name.
    pub fn wgsl(&self) -> String {
        match self {
            Self::Scalar(scalar) => scalar.wgsl().to_owned(),
            Self::Atomic(scalar) => format!("atomic<{}>", scalar.wgsl()),
            Self::Vector(scalar, count) => format!("vec{count}<{}>", scalar.wgsl()),
            Self::Struct { name, .. } => name.clone(),
            Self::Other => "words".to_owned(),
        }
    }

    fn of(module: &naga::Module, ty: naga::Handle<naga::Type>) -> Self {
        let ty = &module.types[ty];
        let found = match &ty.inner {
            naga::TypeInner::Scalar(scalar) => Scalar::of(*scalar).map(Self::Scalar),
            naga::TypeInner::Atomic(scalar) => Scalar::of(*scalar).map(Self::Atomic),
            naga::TypeInner::Vector { size, scalar } => {
                Scalar::of(*scalar).map(|scalar| Self::Vector(scalar, *size as u8))
            }
            naga::TypeInner::Struct { members, .. } => Some(Self::Struct {
                name: super::plain_name::plain_name(ty.name.as_deref().unwrap_or_default()).to_owned(),
                members: members
                    .iter()
                    .map(|member| Member {
                        name: member.name.clone().unwrap_or_default(),
                        offset: member.offset,
                        element: Self::of(module, member.ty),
                    })
                    .collect(),
            }),
            _ => None,
        };
        found.unwrap_or(Self::Other)
    }
}

impl ElementLayout {
    /// The layout of a storage variable of that type.
    pub(super) fn of(module: &naga::Module, layouter: &naga::proc::Layouter, ty: naga::Handle<naga::Type>) -> Self {
        match &module.types[ty].inner {
            naga::TypeInner::Array { base, size, stride } => Self {
                element: ElementType::of(module, *base),
                stride: *stride,
                fixed_count: match size {
                    naga::ArraySize::Constant(count) => Some(count.get()),
                    naga::ArraySize::Pending(_) | naga::ArraySize::Dynamic => None,
                },
            },
            _ => Self { element: ElementType::of(module, ty), stride: layouter[ty].to_stride(), fixed_count: Some(1) },
        }
    }
}
