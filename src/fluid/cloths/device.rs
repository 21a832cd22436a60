use glam::Vec3;

use super::{Sheet, substeps};
use crate::fluid::sph::{BoundaryBuffers, ParticleState, Sph};
use crate::fluid::{FluidError, Resolution, Scene};
use crate::gpu::{Dispatch, Gpu, PairKernel, Pass, Phase, ShaderVariant, gpu_struct};
use crate::search::BoundPairKernel;

const CONTACTS: PairKernel = PairKernel { file: "fluid/cloth_contacts.wgsl", vanishes_at_radius: false };
const FILE: &str = "fluid/cloth_step.wgsl";

/// Stiffness of a contact over mass / step², and its damping over mass / step: a particle that touches six others is held
/// without swinging.
const CONTACT_STIFFNESS: f64 = 0.05;
const CONTACT_DAMPING: f64 = 0.2;
/// In a particle's number of its cloth, that it is held; as `PINNED` in cloth.wgsl.
const PINNED: u32 = 1 << 31;

gpu_struct! {
    /// What the passes know of all cloths.
    pub struct ClothsWords {
        /// The original index of the first cloth's first particle; the others follow.
        pub first: u32,
        /// Particles of all cloths.
        pub count: u32,
        /// Of a substep, s.
        pub step: f32,
        /// Of a particle of the fluid, kg.
        pub fluid_mass: f32,
        /// Over the mass, 1/s².
        pub contact_stiffness: f32,
        /// Over the mass, 1/s.
        pub contact_damping: f32,
        /// How far particles of cloths stay off those of solids at least, m.
        pub solid_distance: f32,
    }
}

gpu_struct! {
    /// A cloth as shaders see it.
    pub struct ClothWords {
        /// The first of its particles among those of all cloths.
        pub first: u32,
        /// Particles of a row.
        pub columns: u32,
        /// Rows.
        pub rows: u32,
        /// Of a particle, kg.
        pub mass: f32,
        /// Length of the springs to the next in the row, m.
        pub rest_along: f32,
        /// To the same of the next row, m.
        pub rest_across: f32,
        /// To the next of the next row, m.
        pub rest_diagonal: f32,
        /// To the last of the next row, m.
        pub rest_other_diagonal: f32,
        /// N/m.
        pub stretch: f32,
        /// N/m.
        pub shear: f32,
        /// N/m.
        pub bend: f32,
        /// kg/s.
        pub damping_stretch: f32,
        /// kg/s.
        pub damping_shear: f32,
        /// kg/s.
        pub damping_bend: f32,
        /// m.
        pub thickness: f32,
        /// Without unit.
        pub friction: f32,
        /// 1/s.
        pub drag: f32,
    }
}

impl ClothWords {
    fn new(sheet: &Sheet<'_>, first: u32) -> Self {
        let (cloth, [u, v]) = (sheet.cloth, sheet.steps());
        Self {
            first,
            columns: sheet.counts.x,
            rows: sheet.counts.y,
            mass: sheet.mass() as f32,
            rest_along: u.length(),
            rest_across: v.length(),
            rest_diagonal: (u + v).length(),
            rest_other_diagonal: (u - v).length(),
            stretch: cloth.stretch,
            shear: cloth.shear,
            bend: cloth.bend,
            damping_stretch: sheet.damping(cloth.stretch) as f32,
            damping_shear: sheet.damping(cloth.shear) as f32,
            damping_bend: sheet.damping(cloth.bend) as f32,
            thickness: sheet.thickness(),
            friction: cloth.friction,
            drag: cloth.drag,
        }
    }
}

/// A cloth for drawing: `columns` times `rows` particles from `first` on in `positions`, row by row.
#[derive(Clone, Copy)]
pub struct ClothView<'a> {
    /// Particles of a row.
    pub columns: u32,
    /// Rows.
    pub rows: u32,
    /// The element of `positions` that the first row begins with.
    pub first: u32,
    /// `vec4<f32>`: xyz in m, 1; of all cloths.
    pub positions: &'a wgpu::Buffer,
    /// The original index of its first particle; the others follow in the same order.
    pub first_original: u32,
    /// How thick it is to be drawn, m.
    pub thickness: f32,
}

/// Positions and velocities in the cloths' order.
struct Buffers {
    /// xyz in m, 1.
    positions: wgpu::Buffer,
    /// xyz in m/s.
    velocities: wgpu::Buffer,
}

impl Buffers {
    fn new(gpu: &Gpu, count: u64) -> Result<Self, FluidError> {
        Ok(Self {
            positions: gpu.storage::<[f32; 4]>("cloth positions", count)?,
            velocities: gpu.storage::<[f32; 4]>("cloth velocities", count)?,
        })
    }
}

/// The cloths' buffers.
pub(in crate::fluid) struct DeviceCloths {
    parameters: wgpu::Buffer,
    /// [`ClothWords`]; len = cloths.
    words: wgpu::Buffer,
    sheets: Vec<ClothWords>,
    numbers: wgpu::Buffer,
    /// What is true between steps.
    state: Buffers,
    /// What substeps go through in turns.
    turns: [Buffers; 2],
    contacts: wgpu::Buffer,
    places: wgpu::Buffer,
    substeps: u32,
    first_original: u32,
    at_start: Vec<(Vec3, Vec3)>,
}

impl DeviceCloths {
    /// `None` in a scene without.
    pub(in crate::fluid) fn new(gpu: &Gpu, scene: &Scene, resolution: &Resolution) -> Result<Option<Self>, FluidError> {
        if scene.cloths.is_empty() {
            return Ok(None);
        }
        let (mut sheets, mut numbers, mut at_start) = (Vec::new(), Vec::new(), Vec::new());
        for (number, cloth) in (0..).zip(&scene.cloths) {
            let sheet = cloth.sheet(resolution.spacing);
            sheets.push(ClothWords::new(&sheet, numbers.len() as u32));
            let held: Vec<bool> = sheet.pinned().collect();
            numbers.extend(held.iter().map(|&held| if held { number | PINNED } else { number }));
            let velocity = |held: bool| if held { Vec3::ZERO } else { cloth.velocity };
            at_start.extend(sheet.points().zip(held).map(|(point, held)| (point, velocity(held))));
        }
        let count = numbers.len() as u64;
        let substeps = substeps(scene, resolution);
        let step = f64::from(resolution.time_step);
        let first_original = resolution.particle_count + resolution.boundary_count - count as u32;
        let parameters = ClothsWords {
            first: first_original,
            count: count as u32,
            step: (step / f64::from(substeps)) as f32,
            fluid_mass: resolution.particle_mass,
            contact_stiffness: (CONTACT_STIFFNESS / (step * step)) as f32,
            contact_damping: (CONTACT_DAMPING / step) as f32,
            solid_distance: resolution.spacing,
        };
        Ok(Some(Self {
            parameters: gpu.uniform("all cloths", &parameters),
            words: gpu.storage_with("cloths", &sheets)?,
            sheets,
            numbers: gpu.storage_with("numbers of the cloths", &numbers)?,
            state: Buffers::new(gpu, count)?,
            turns: [Buffers::new(gpu, count)?, Buffers::new(gpu, count)?],
            contacts: gpu.storage::<[f32; 4]>("contacts of cloths", count)?,
            places: gpu.storage::<u32>("places of cloth particles", count)?,
            substeps,
            first_original,
            at_start,
        }))
    }

    /// Positions in m and velocities in m/s at the start, in the order of the original indices.
    pub(in crate::fluid) fn at_start(&self) -> &[(Vec3, Vec3)] {
        &self.at_start
    }

    /// Takes over what the particles' buffers hold: in any order, velocities with the original index.
    pub(in crate::fluid) fn write(&self, gpu: &Gpu, positions: &[[f32; 4]], velocities: &[[f32; 4]]) {
        let mut own = vec![([0.0; 4], [0.0; 4]); self.at_start.len()];
        for (&[x, y, z, _], &[u, v, w, word]) in positions.iter().zip(velocities) {
            if let Some(number) = word.to_bits().checked_sub(self.first_original) {
                own[number as usize] = ([x, y, z, 1.0], [u, v, w, 0.0]);
            }
        }
        let (positions, velocities): (Vec<_>, Vec<_>) = own.into_iter().unzip();
        gpu.queue.write_buffer(&self.state.positions, 0, bytemuck::cast_slice(&positions));
        gpu.queue.write_buffer(&self.state.velocities, 0, bytemuck::cast_slice(&velocities));
    }

    /// Takes over where another's particles are, which are as many.
    pub(in crate::fluid) fn take_over(&self, gpu: &Gpu, before: &Self) {
        gpu.submit(|encoder| {
            let copies =
                [(&before.state.positions, &self.state.positions), (&before.state.velocities, &self.state.velocities)];
            for (from, to) in copies {
                encoder.copy_buffer_to_buffer(from, 0, to, 0, to.size());
            }
        });
    }

    /// For drawing.
    pub(in crate::fluid) fn views(&self) -> impl Iterator<Item = ClothView<'_>> {
        self.sheets.iter().map(|words| ClothView {
            columns: words.columns,
            rows: words.rows,
            first: words.first,
            positions: &self.state.positions,
            first_original: self.first_original + words.first,
            thickness: words.thickness,
        })
    }

    /// The passes at the end of a step.
    pub(in crate::fluid) fn passes(
        &self,
        gpu: &Gpu,
        sph: &Sph,
        state: &ParticleState,
    ) -> Result<Vec<Pass>, FluidError> {
        let mut shared = vec![
            ("fluid", &sph.parameters),
            ("push", &sph.push),
            ("cloths", &self.parameters),
            ("cloth_words", &self.words),
            ("cloth_numbers", &self.numbers),
            ("contacts", &self.contacts),
            ("places", &self.places),
            ("positions", &state.positions),
            ("velocities", &state.velocities),
        ];
        shared.extend(sph.deposits.as_ref().map(|deposits| ("deposits", deposits)));
        shared.extend(sph.boundary.iter().flat_map(BoundaryBuffers::named));
        let contacts = BoundPairKernel {
            label: "cloth contacts",
            kernel: CONTACTS,
            definitions: &[("BOUNDARY", None)],
            buffers: &shared,
        };
        let mut passes = sph.search.traversal_passes(gpu, contacts, None)?;
        let dispatch = Dispatch::Invocations(self.at_start.len() as u64);
        let pass = |label, flag, entry_point, from: &Buffers, to: &Buffers| {
            let own = [
                ("from_positions", &from.positions),
                ("from_velocities", &from.velocities),
                ("to_positions", &to.positions),
                ("to_velocities", &to.velocities),
            ];
            let shader = ShaderVariant::new(FILE).with_flag(flag);
            Pass::new(gpu, (Phase::Physics, label), (&shader, entry_point), &[&own, &*shared].concat(), dispatch)
        };
        let mut from = &self.state;
        for turn in 0..self.substeps as usize {
            let to = &self.turns[turn % 2];
            passes.push(pass("cloth", "ADVANCE", "advance", from, to)?);
            from = to;
        }
        passes.push(pass("hand out cloth", "HAND_OUT", "hand_out", from, &self.state)?);
        Ok(passes)
    }
}
