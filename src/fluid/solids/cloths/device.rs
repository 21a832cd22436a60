//! The cloths' buffers and passes.

use super::cloth::Cloth;
use super::sheet::{Sheet, substeps};
use crate::fluid::FluidError;
use crate::fluid::passes::PassMaker;
use crate::fluid::shader::FluidShader;
use crate::fluid::solids::{SheetView, Solid, SolidInput, SolidView, StepContext};
use crate::fluid::step_part::StepPart;
use crate::gpu::{Dispatch, Gpu, Pass, gpu_struct};

const CONTACTS: FluidShader = FluidShader::pair("fluid/cloths/contacts.wgsl", false);
const FILE: &str = "fluid/cloths/step.wgsl";

/// Stiffness of a contact divided by mass / step², and its damping divided by mass / step: a particle that touches
/// six others does not oscillate.
const CONTACT_STIFFNESS: f64 = 0.05;
const CONTACT_DAMPING: f64 = 0.2;
/// Flag in a particle's number of its cloth that marks it as fixed; as `PINNED` in cloth.wgsl.
const PINNED: u32 = 1 << 31;

/// A substep of the springs.
fn advance() -> FluidShader {
    FluidShader::single(FILE, "advance").with(&["ADVANCE"])
}

/// Writes the particles back to their places in the sorted order.
fn hand_out() -> FluidShader {
    FluidShader::single(FILE, "hand_out").with(&["HAND_OUT"])
}

/// All shaders that the passes use.
pub(super) fn shaders() -> Vec<FluidShader> {
    vec![CONTACTS, advance(), hand_out()]
}

gpu_struct! {
    /// Parameters of all cloths for the passes.
    pub struct GpuCloths {
        /// Original index of the first particle of the first cloth; the others follow.
        pub first: u32,
        /// Number of particles of all cloths.
        pub count: u32,
        /// Length of a substep, s.
        pub step: f32,
        /// Mass of a fluid particle, kg.
        pub fluid_mass: f32,
        /// Stiffness of a contact divided by the mass, 1/s².
        pub contact_stiffness: f32,
        /// Damping of a contact divided by the mass, 1/s.
        pub contact_damping: f32,
        /// Smallest distance that particles of cloths keep from those of solids, m.
        pub solid_distance: f32,
    }
}

gpu_struct! {
    /// A cloth in the layout of the shaders.
    pub struct GpuCloth {
        /// Index of its first particle among those of all cloths.
        pub first: u32,
        /// Number of particles in a row.
        pub columns: u32,
        /// Number of rows.
        pub rows: u32,
        /// Mass of a particle, kg.
        pub mass: f32,
        /// Rest length of the springs to the next particle in the row, m.
        pub rest_along: f32,
        /// Rest length of the springs to the same column of the next row, m.
        pub rest_across: f32,
        /// Rest length of the springs to the next column of the next row, m.
        pub rest_diagonal: f32,
        /// Rest length of the springs to the previous column of the next row, m.
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
        /// Coefficient of friction; dimensionless.
        pub friction: f32,
        /// 1/s.
        pub drag: f32,
    }
}

impl GpuCloth {
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
pub(super) struct DeviceCloths {
    parameters: wgpu::Buffer,
    /// [`GpuCloth`]; len = cloths.
    words: wgpu::Buffer,
    sheets: Vec<GpuCloth>,
    numbers: wgpu::Buffer,
    /// The state between steps.
    state: Buffers,
    /// Buffers that substeps write alternately.
    turns: [Buffers; 2],
    contacts: wgpu::Buffer,
    places: wgpu::Buffer,
    substeps: u32,
    first_original: u32,
    count: usize,
}

impl DeviceCloths {
    /// The cloths of a scene; their state is written later.
    ///
    /// # Errors
    /// When the device has no memory for them.
    pub(super) fn new(input: &SolidInput<'_>) -> Result<Self, FluidError> {
        let SolidInput { gpu, scene, resolution, .. } = *input;
        let (mut sheets, mut numbers) = (Vec::new(), Vec::new());
        let cloths = scene.solids.of::<Cloth>();
        for (number, cloth) in (0..).zip(cloths) {
            let sheet = cloth.sheet(resolution.spacing);
            sheets.push(GpuCloth::new(&sheet, numbers.len() as u32));
            numbers.extend(sheet.pinned().map(|held| if held { number | PINNED } else { number }));
        }
        let count = numbers.len() as u64;
        let substeps = substeps(cloths, resolution);
        let step = f64::from(resolution.time_step);
        let first_original = resolution.particle_count + input.first as u32;
        let parameters = GpuCloths {
            first: first_original,
            count: count as u32,
            step: (step / f64::from(substeps)) as f32,
            fluid_mass: resolution.particle_mass,
            contact_stiffness: (CONTACT_STIFFNESS / (step * step)) as f32,
            contact_damping: (CONTACT_DAMPING / step) as f32,
            solid_distance: resolution.spacing,
        };
        Ok(Self {
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
            count: count as usize,
        })
    }
}

impl StepPart for DeviceCloths {
    /// *cloth contacts*, substeps of the springs, and *hand out cloth*.
    fn after_step(&self, maker: &PassMaker<'_>) -> Result<Vec<Pass>, FluidError> {
        let shared = [
            ("cloths", &self.parameters),
            ("cloth_words", &self.words),
            ("cloth_numbers", &self.numbers),
            ("contacts", &self.contacts),
            ("places", &self.places),
        ];
        let mut passes = maker.pairs("cloth contacts", &CONTACTS, &shared, None)?;
        let dispatch = Dispatch::Invocations(self.count as u64);
        let pass = |label, shader: FluidShader, from: &Buffers, to: &Buffers| {
            let own = [
                ("from_positions", &from.positions),
                ("from_velocities", &from.velocities),
                ("to_positions", &to.positions),
                ("to_velocities", &to.velocities),
            ];
            maker.dispatched(label, &shader, &[own.as_slice(), &shared].concat(), dispatch)
        };
        let mut from = &self.state;
        for turn in 0..self.substeps as usize {
            let to = &self.turns[turn % 2];
            passes.push(pass("cloth", advance(), from, to)?);
            from = to;
        }
        passes.push(pass("hand out cloth", hand_out(), from, &self.state)?);
        Ok(passes)
    }
}

impl Solid for DeviceCloths {
    /// The number of substeps depends on the time step.
    fn for_another_step(&self, input: &SolidInput<'_>) -> Result<Option<Box<dyn Solid>>, FluidError> {
        let next = Self::new(input)?;
        input.gpu.submit(|encoder| {
            let copies =
                [(&self.state.positions, &next.state.positions), (&self.state.velocities, &next.state.velocities)];
            for (from, to) in copies {
                encoder.copy_buffer_to_buffer(from, 0, to, 0, to.size());
            }
        });
        Ok(Some(Box::new(next)))
    }

    fn depends_on_step(&self) -> bool {
        true
    }

    fn views<'a>(&'a self, _: StepContext<'a>) -> Vec<SolidView<'a>> {
        let view = |words: &GpuCloth| {
            SolidView::Sheet(SheetView {
                columns: words.columns,
                rows: words.rows,
                first: words.first,
                positions: &self.state.positions,
                first_original: self.first_original + words.first,
                thickness: words.thickness,
            })
        };
        self.sheets.iter().map(view).collect()
    }

    fn take_particles(&self, gpu: &Gpu, positions: &[[f32; 4]], velocities: &[[f32; 4]]) {
        let mut own = vec![([0.0; 4], [0.0; 4]); self.count];
        for (&[x, y, z, _], &[u, v, w, word]) in positions.iter().zip(velocities) {
            if let Some(number) = word.to_bits().checked_sub(self.first_original) {
                own[number as usize] = ([x, y, z, 1.0], [u, v, w, 0.0]);
            }
        }
        let (positions, velocities): (Vec<_>, Vec<_>) = own.into_iter().unzip();
        gpu.queue.write_buffer(&self.state.positions, 0, bytemuck::cast_slice(&positions));
        gpu.queue.write_buffer(&self.state.velocities, 0, bytemuck::cast_slice(&velocities));
    }
}

#[cfg(test)]
mod tests {
    use super::{GpuCloth, GpuCloths, advance};
    use crate::fluid::push::PushParameters;
    use crate::gpu::{ShaderLibrary, ShaderVariant, assert_same_layout};

    #[test]
    fn rust_structs_have_the_layout_that_the_shaders_read() {
        let shader = ShaderVariant::new(advance().file()).with_flag("ADVANCE");
        let module = ShaderLibrary::embedded().compose(&shader).expect("the shader composes").0;
        assert_same_layout::<GpuCloths>(&module);
        assert_same_layout::<GpuCloth>(&module);
        assert_same_layout::<PushParameters>(&module);
    }
}
