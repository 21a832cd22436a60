//! The declaration of a shader of the fluid: its file, and the definitions it is composed with besides those that
//! scene and search add. The program's passes are made from these declarations, and tests validate every possible
//! variant.

use crate::gpu::PairKernel;

/// The kinds of particles besides the fluid's, and of readings, that shaders are compiled for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Surroundings {
    /// Whether there are particles of solids or parked particles (`BOUNDARY`).
    pub boundary: bool,
    /// Whether probes read forces on the walls of the box (`LOADS`), which the shaders that act for walls store then.
    pub wall_loads: bool,
}

impl Surroundings {
    /// Every possible combination.
    pub const ALL: [Self; 4] = [
        Self { boundary: false, wall_loads: false },
        Self { boundary: true, wall_loads: false },
        Self { boundary: false, wall_loads: true },
        Self { boundary: true, wall_loads: true },
    ];
}

/// A shader of the fluid with its own definitions: either a pair kernel, which is combined with a search's traversal,
/// or a shader with one invocation per particle.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FluidShader {
    pub(super) kind: ShaderKind,
    flags: Vec<&'static str>,
    /// Whether it changes velocities for the walls of the box, and stores that for probes (`loads.wgsl`).
    loads_walls: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum ShaderKind {
    Pair(PairKernel),
    Single { file: &'static str, entry_point: &'static str },
}

impl FluidShader {
    /// A pair kernel. `vanishes_at_radius`: whether a pair at the radius or beyond contributes exactly nothing.
    pub const fn pair(file: &'static str, vanishes_at_radius: bool) -> Self {
        Self {
            kind: ShaderKind::Pair(PairKernel::new(file, vanishes_at_radius)),
            flags: Vec::new(),
            loads_walls: false,
        }
    }

    /// A pair kernel that evaluates images behind walls (`images.wgsl`), for which the particles near walls are
    /// special.
    pub const fn pair_with_images(file: &'static str, vanishes_at_radius: bool) -> Self {
        let kernel = PairKernel { divides: true, ..PairKernel::new(file, vanishes_at_radius) };
        Self { kind: ShaderKind::Pair(kernel), flags: Vec::new(), loads_walls: false }
    }

    /// A shader with one invocation per particle.
    pub const fn single(file: &'static str, entry_point: &'static str) -> Self {
        Self { kind: ShaderKind::Single { file, entry_point }, flags: Vec::new(), loads_walls: false }
    }

    /// The same shader, which changes velocities for the walls of the box and stores that where `LOADS` is defined.
    #[must_use]
    pub const fn loading_walls(mut self) -> Self {
        self.loads_walls = true;
        self
    }

    /// The same shader with more definitions.
    #[must_use]
    pub fn with(mut self, flags: &[&'static str]) -> Self {
        self.flags.extend(flags);
        self
    }

    /// The same shader with one more definition, if `condition` holds.
    #[must_use]
    pub fn with_if(self, condition: bool, flag: &'static str) -> Self {
        if condition { self.with(&[flag]) } else { self }
    }

    /// The pair kernel, if it is one.
    pub fn pair_kernel(&self) -> Option<PairKernel> {
        match self.kind {
            ShaderKind::Pair(kernel) => Some(kernel),
            ShaderKind::Single { .. } => None,
        }
    }

    /// The entry point; `None` for a pair kernel, whose entry points belong to the traversal.
    pub fn entry_point(&self) -> Option<&'static str> {
        match self.kind {
            ShaderKind::Pair(_) => None,
            ShaderKind::Single { entry_point, .. } => Some(entry_point),
        }
    }

    /// Its file below `shaders/`.
    pub fn file(&self) -> &'static str {
        match self.kind {
            ShaderKind::Pair(kernel) => kernel.file,
            ShaderKind::Single { file, .. } => file,
        }
    }

    /// The surroundings without those that the shader does not depend on.
    pub(super) fn relevant(&self, surroundings: Surroundings) -> Surroundings {
        Surroundings { wall_loads: surroundings.wall_loads && self.loads_walls, ..surroundings }
    }

    /// The definitions in these surroundings; for a pair kernel, that of the smoothing kernel is added elsewhere.
    pub fn definitions(&self, surroundings: Surroundings) -> Vec<&'static str> {
        let boundary = surroundings.boundary && !self.flags.contains(&"BOUNDARY");
        let loads = self.relevant(surroundings).wall_loads;
        let more = [boundary.then_some("BOUNDARY"), loads.then_some("LOADS")];
        self.flags.iter().copied().chain(more.into_iter().flatten()).collect()
    }
}
