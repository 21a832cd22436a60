//! Pair kernels: the WGSL that computes the contribution of a pair of particles, from a file of the program or from a
//! caller's text, which is checked by reflection.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use thiserror::Error;

use super::plain_name::plain_name;
use super::{GpuError, ShaderLibrary, ShaderVariant};

/// The name of a caller's pair kernel in messages of the compiler.
const OWN_FILE: &str = "pair_kernel.wgsl";

/// A pair kernel: the WGSL file that computes the contribution of a pair of particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PairKernel {
    /// Path below `shaders/`, for example `fluid/density.wgsl`; a fixed name for the text of a caller.
    pub file: &'static str,
    /// Whether a pair at or beyond the radius contributes exactly zero; traversals then need no branch.
    pub vanishes_at_radius: bool,
    /// Whether the kernel is a power of 1 − d²/r² and has three more functions, with which a traversal that evaluates
    /// it for every candidate saves an instruction for each pair and need not leave out the particle itself: `scale()
    /// -> f32`, the power of two, 1/m, that makes the support radius less than 1 and at least 1/2;
    /// `scaled_contribution(a, b, scaled_offset) -> Sum`, a contribution in coordinates multiplied by it; and
    /// `without_itself(particle, sum) -> Sum`, the sum in meters, from a sum of such contributions that contains that
    /// of the particle to itself. They are used where the kernel does not divide the particles.
    pub scales: bool,
    /// Whether the kernel divides the particles: its function `is_special` is true for those, usually few, that need
    /// additional work, and a variant with the definition `ONLY_COMMON` lacks this work, as does every function that is
    /// called while `nearwater::division::may_serve_special` is false. Traversals that gather then serve the two
    /// classes separately, because code that most particles skip costs all of them registers and time.
    pub divides: bool,
    /// The text of a caller, and the size of its `Sum`.
    pub(crate) own: Option<OwnText>,
}

/// A checked text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct OwnText {
    text: &'static str,
    sum_words: u32,
}

/// Why a caller's text is not a pair kernel. Each message names what is missing or wrong.
#[non_exhaustive]
#[derive(Debug, Clone, Error)]
pub enum PairKernelError {
    /// The text does not compile.
    #[error(transparent)]
    Invalid(#[from] GpuError),
    /// A struct is missing.
    #[error("the pair kernel has no `struct {name}`; declare it with {content}")]
    MissingStruct {
        /// Its name.
        name: &'static str,
        /// What it contains.
        content: &'static str,
    },
    /// A function is missing.
    #[error("the pair kernel has no function `{name}`; add `{signature}`, which {purpose}")]
    MissingFunction {
        /// Its name.
        name: &'static str,
        /// How it must be declared.
        signature: &'static str,
        /// What it does.
        purpose: &'static str,
    },
    /// A function has other arguments or another result.
    #[error("the pair kernel has `{found}` and must have `{signature}`")]
    WrongSignature {
        /// How it is declared.
        found: String,
        /// How it must be declared.
        signature: &'static str,
    },
    /// A binding is not in the group of pair kernels.
    #[error(
        "the binding `{name}` of the pair kernel is in group {group}; move it to group 1, which belongs to pair kernels"
    )]
    WrongGroup {
        /// The WGSL variable's name.
        name: String,
        /// Its group.
        group: u32,
    },
}

/// A function that every pair kernel has.
struct Required {
    name: &'static str,
    signature: &'static str,
    purpose: &'static str,
    arguments: &'static [&'static str],
    result: Option<&'static str>,
}

const PARTICLE: &str = "Particle";
const SUM: &str = "Sum";

const REQUIRED: [Required; 8] = [
    Required {
        name: "load",
        signature: "fn load(index: u32) -> Particle",
        purpose: "returns the data of the particle at an index of the sorted order",
        arguments: &["u32"],
        result: Some(PARTICLE),
    },
    Required {
        name: "zero",
        signature: "fn zero() -> Sum",
        purpose: "returns the empty sum",
        arguments: &[],
        result: Some(SUM),
    },
    Required {
        name: "contribution",
        signature: "fn contribution(a: Particle, b: Particle, offset: vec3<f32>, distance_squared: f32) -> Sum",
        purpose: "returns what b contributes to a, where offset is the position of a minus that of b",
        arguments: &[PARTICLE, PARTICLE, "vec3<f32>", "f32"],
        result: Some(SUM),
    },
    Required {
        name: "mirror",
        signature: "fn mirror(contribution: Sum) -> Sum",
        purpose: "returns what a contributes to b, from what b contributes to a",
        arguments: &[SUM],
        result: Some(SUM),
    },
    Required {
        name: "add",
        signature: "fn add(a: Sum, b: Sum) -> Sum",
        purpose: "returns the sum of both",
        arguments: &[SUM, SUM],
        result: Some(SUM),
    },
    Required {
        name: "finish",
        signature: "fn finish(index: u32, particle: Particle, sum: Sum)",
        purpose: "receives the complete sum of the particle",
        arguments: &["u32", PARTICLE, SUM],
        result: None,
    },
    Required {
        name: "deposit",
        signature: "fn deposit(index: u32, sum: Sum)",
        purpose: "adds a part of a particle's sum atomically, for searches in which several workgroups serve a particle",
        arguments: &["u32", SUM],
        result: None,
    },
    Required {
        name: "withdraw",
        signature: "fn withdraw(index: u32) -> Sum",
        purpose: "returns the deposited sum of a particle and sets it to zero",
        arguments: &["u32"],
        result: Some(SUM),
    },
];

impl PairKernel {
    /// A kernel of the program that does not divide the particles.
    pub const fn new(file: &'static str, vanishes_at_radius: bool) -> Self {
        Self { file, vanishes_at_radius, scales: false, divides: false, own: None }
    }

    /// A kernel from WGSL text: two structs, `Particle` and `Sum`, and eight functions, which
    /// [`search`](crate::search) lists. Its bindings are in group 1. It may import the modules of the program, such as
    /// `nearwater::deposits`.
    ///
    /// It runs with wgpu's bounds checks, so that an index past the end of a buffer reads or writes nothing outside of
    /// it. The text is kept for the lifetime of the program.
    ///
    /// ```
    /// use nearwater::gpu::PairKernel;
    ///
    /// let error = PairKernel::from_wgsl("struct Particle { x: f32 }\nstruct Sum { x: f32 }").unwrap_err();
    /// assert!(error.to_string().contains("no function `load`"));
    /// ```
    ///
    /// # Errors
    /// When the text does not compile, lacks a struct or a function, declares one with another signature, or has a
    /// binding in another group; the message names it.
    pub fn from_wgsl(text: &str) -> Result<Self, PairKernelError> {
        let mut sum_words = 0;
        // Some searches do not deposit, and are composed without the definition.
        for deposits in [false, true] {
            let variant =
                ShaderVariant::new(OWN_FILE).with_generated(OWN_FILE, text).with_flag_if(deposits, "DEPOSITS");
            let (module, _) = ShaderLibrary::embedded().compose(&variant)?;
            check_structs(&module)?;
            let needed = |required: &&Required| deposits || !matches!(required.name, "deposit" | "withdraw");
            REQUIRED.iter().filter(needed).try_for_each(|required| check_function(&module, required))?;
            check_groups(&module)?;
            sum_words = bytes_of(&module, SUM).div_ceil(4);
        }
        let own = Some(OwnText { text: kept(text), sum_words });
        Ok(Self { own, ..Self::new(OWN_FILE, false) })
    }

    /// The same kernel, declared to contribute exactly zero from the support radius on. Traversals then add its
    /// contributions without a branch, which is faster.
    #[must_use]
    pub fn vanishing_at_radius(self) -> Self {
        Self { vanishes_at_radius: true, ..self }
    }

    /// The text of a caller; `None` for a kernel of the program.
    pub(crate) fn own_text(&self) -> Option<&'static str> {
        self.own.map(|own| own.text)
    }

    /// Number of 32-bit words in the `Sum` of a caller's kernel; 0 for one of the program.
    pub(crate) fn sum_words(&self) -> u32 {
        self.own.map_or(0, |own| own.sum_words)
    }
}

/// Keeps a text for the lifetime of the program, once for each content, because kernels are compared and copied.
fn kept(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text) {
        return known;
    }
    let kept: &'static str = Box::leak(text.into());
    texts.insert(kept);
    kept
}

fn check_structs(module: &naga::Module) -> Result<(), PairKernelError> {
    let contents = [(PARTICLE, "the data of a particle besides its position"), (SUM, "what a particle gathers")];
    for (name, content) in contents {
        let is_it =
            |ty: &naga::Type| matches!(ty.inner, naga::TypeInner::Struct { .. }) && ty.name.as_deref() == Some(name);
        if !module.types.iter().any(|(_, ty)| is_it(ty)) {
            return Err(PairKernelError::MissingStruct { name, content });
        }
    }
    Ok(())
}

fn check_function(module: &naga::Module, required: &Required) -> Result<(), PairKernelError> {
    let &Required { name, signature, purpose, .. } = required;
    // The names of imported functions have a suffix, so that only the text's own are found.
    let is_it = |function: &&naga::Function| function.name.as_deref() == Some(name);
    let function = module.functions.iter().map(|(_, function)| function).find(is_it);
    let function = function.ok_or(PairKernelError::MissingFunction { name, signature, purpose })?;
    let argument_types: Vec<_> =
        function.arguments.iter().map(|argument| type_name(&module.types[argument.ty])).collect();
    let result = function.result.as_ref().map(|result| type_name(&module.types[result.ty]));
    if argument_types == required.arguments && result.as_deref() == required.result {
        return Ok(());
    }
    let names = function.arguments.iter().map(|argument| argument.name.as_deref().unwrap_or("_"));
    let arguments: Vec<_> = names.zip(&argument_types).map(|(name, ty)| format!("{name}: {ty}")).collect();
    let result = result.map(|result| format!(" -> {result}")).unwrap_or_default();
    Err(PairKernelError::WrongSignature { found: format!("fn {name}({}){result}", arguments.join(", ")), signature })
}

fn check_groups(module: &naga::Module) -> Result<(), PairKernelError> {
    for (_, variable) in module.global_variables.iter() {
        if let Some(binding) = variable.binding
            && binding.group != 1
        {
            let name = variable.name.as_deref().map(plain_name).unwrap_or_default().to_owned();
            return Err(PairKernelError::WrongGroup { name, group: binding.group });
        }
    }
    Ok(())
}

fn bytes_of(module: &naga::Module, name: &str) -> u32 {
    let of_type = |ty: &naga::Type| match ty.inner {
        naga::TypeInner::Struct { span, .. } if ty.name.as_deref() == Some(name) => Some(span),
        _ => None,
    };
    module.types.iter().find_map(|(_, ty)| of_type(ty)).unwrap_or_default()
}

/// A type as WGSL writes it, as far as pair kernels need it.
fn type_name(ty: &naga::Type) -> String {
    let scalar = |scalar: naga::Scalar| match scalar.kind {
        naga::ScalarKind::Sint => "i32",
        naga::ScalarKind::Uint => "u32",
        naga::ScalarKind::Float => "f32",
        _ => "bool",
    };
    match (&ty.name, &ty.inner) {
        (Some(name), _) => plain_name(name).to_owned(),
        (None, naga::TypeInner::Scalar(kind)) => scalar(*kind).to_owned(),
        (None, naga::TypeInner::Vector { size, scalar: kind }) => format!("vec{}<{}>", *size as u32, scalar(*kind)),
        (None, _) => "another type".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::PairKernel;

    const COUNT: &str = include_str!("../../shaders/search/count_pairs.wgsl");

    fn refusal(text: &str) -> String {
        PairKernel::from_wgsl(text).expect_err("the text is wrong").to_string()
    }

    #[test]
    fn a_kernel_of_the_program_is_accepted_as_text_and_kept_once() {
        let kernel = PairKernel::from_wgsl(COUNT).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(kernel, PairKernel::from_wgsl(COUNT).expect("the same text"));
        assert_eq!((kernel.own_text(), kernel.sum_words()), (Some(COUNT), 1));
    }

    #[test]
    fn every_missing_function_or_struct_is_named() {
        for required in super::REQUIRED {
            let without = COUNT.replace(&format!("fn {}(", required.name), "fn another(");
            let sentence = refusal(&without);
            assert!(sentence.contains(&format!("no function `{}`", required.name)), "{sentence}");
            assert!(sentence.contains(required.signature), "{sentence}");
        }
        let without = COUNT.replace("struct Particle", "struct Boid").replace("-> Particle", "-> Boid");
        let sentence = refusal(&without.replace(": Particle", ": Boid").replace("Particle(0u)", "Boid(0u)"));
        assert!(sentence.contains("no `struct Particle`"), "{sentence}");
    }

    #[test]
    fn a_wrong_signature_a_foreign_group_and_errors_of_the_compiler_are_told() {
        let sentence = refusal(&COUNT.replace("distance_squared: f32", "distance_squared: u32"));
        assert!(sentence.contains("distance_squared: u32") && sentence.contains("must have"), "{sentence}");
        let sentence =
            refusal(&COUNT.replace("fn mirror(contribution: Sum)", "fn mirror(contribution: Sum, more: f32)"));
        assert!(sentence.contains("more: f32"), "{sentence}");
        let sentence = refusal(&COUNT.replace("@group(1) @binding(0)", "@group(0) @binding(0)"));
        assert!(sentence.contains("`pair_counts`") && sentence.contains("group 0"), "{sentence}");
        let sentence = refusal(&COUNT.replace("return contribution;", "return nothing_of_that_name;"));
        assert!(sentence.contains("pair_kernel.wgsl") && sentence.contains("nothing_of_that_name"), "{sentence}");
    }
}
