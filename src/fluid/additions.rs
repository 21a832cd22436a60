//! Solids that are added to a running simulation.

use super::flow::Flow;
use super::foam::{Foam, FoamInput};
use super::model::{Model, solid_arrays};
use super::particles::ParticleState;
use super::simulation::parts;
use super::solids::{Addition, Solid, SolidInfo};
use super::step::StepPasses;
use super::{FluidError, Resolution, Scene, Simulation};

/// What is made anew for more particles.
struct Remade {
    state: ParticleState,
    model: Model,
    passes: StepPasses,
    foam: Option<Foam>,
    flow: Option<Flow>,
    /// The solids of the added one's kind in their initial state, or with those that were there before.
    solids: Box<dyn Solid>,
}

impl Simulation {
    /// Adds a solid to the current state after all others, without a check of the place where it begins. The next
    /// [`Simulation::reset`] removes it. Recreates all buffers, which takes about as long as a change of the search. A
    /// body so light that the solver needs shorter steps for it shortens those of the simulation until then.
    ///
    /// # Errors
    /// When the scene has solids whose particles follow those of its kind, there would be too many particles, the steps
    /// are too long for the viscosity beside a body that is so light, or the device has no memory for them. The
    /// simulation is unchanged in that case.
    pub fn add_solid(&mut self, mut addition: Box<dyn Addition>) -> Result<(), FluidError> {
        let info = addition.kind();
        self.check_order(info)?;
        let mut scene = self.scene.clone();
        addition.list(&mut scene);
        let mut resolution = self.resolution;
        let (base, kernel) = (self.settings.edits.applied_to(&self.loaded), self.settings.kernel);
        resolution.shorten_step(&base, &scene, kernel);
        // A light body takes more stages of viscosity than the water alone.
        resolution.check_step(&scene, kernel)?;
        resolution.boundary_count += addition.count() as u32;
        if info.is_thin {
            resolution.cloth_count += addition.count() as u32;
        }
        let first = self.samples.count();
        let place = self.place_of(info);
        let kinds = self.samples.kinds_mut();
        let is_first = place == kinds.len();
        if is_first {
            kinds.push((info, addition.no_particles()));
        }
        let (earlier, own) = kinds.split_at_mut(place);
        let mut made = addition.add_particles(own[0].1.as_mut(), earlier);
        let mut remade = None;
        if made.is_ok() {
            made = self.remake(info, &scene, &resolution).map(|all| remade = Some(all));
            if made.is_err() {
                addition.remove_particles(self.samples.kinds_mut()[place].1.as_mut());
            }
        }
        let (Ok(()), Some(Remade { state, model, passes, foam, flow, solids: all })) = (&made, remade) else {
            if is_first {
                self.samples.kinds_mut().pop();
            }
            return made;
        };

        self.copy_particles(&state, &model, first);
        let before = (!is_first).then(|| self.solids.remove(place));
        self.solids.insert(place, addition.joined(&self.gpu, before, all));
        let interval = self.resort_interval();
        (self.state, self.model, self.passes, self.foam, self.flow) = (state, model, passes, foam, flow);
        // The old one was made for fewer particles.
        self.kept_order = None;
        self.set_resort_interval(interval)?;
        (self.scene, self.resolution) = (scene, resolution);
        self.set_push(self.push);
        self.adopt_hands();
        self.place_solids();
        Ok(())
    }

    /// Refuses an addition to a kind whose particles others follow, since those of an added solid follow all others.
    pub(super) fn check_order(&self, info: &SolidInfo) -> Result<(), FluidError> {
        let after = self.scene.solids.kinds_after(info).next();
        after.map_or(Ok(()), |after| Err(FluidError::AddedBeside { kind: info.field, beside: after.field }))
    }

    /// The place of a kind among those of [`Simulation::solids`]; their number if the scene has no solids of it.
    pub(super) fn place_of(&self, info: &SolidInfo) -> usize {
        let kinds = self.samples.kinds();
        kinds.iter().position(|(other, _)| other.name == info.name).unwrap_or(kinds.len())
    }

    fn remake(&mut self, info: &SolidInfo, scene: &Scene, resolution: &Resolution) -> Result<Remade, FluidError> {
        let state = ParticleState::new(&self.gpu, resolution)?;
        let solid_arrays = solid_arrays(scene, self.settings.kernel, resolution, &self.samples);
        let model = Model::new(&self.gpu, scene, &self.settings, resolution, &state, solid_arrays)?;
        let place = self.place_of(info);
        let (_, input) =
            self.samples.inputs(&self.gpu, scene, resolution).nth(place).ok_or(FluidError::NoSolids(info.field))?;
        let all = (info.create)(&input)?;
        let others = self.solids.iter().enumerate().filter(|(number, _)| *number != place);
        let others = others.map(|(_, solid)| solid.as_ref());
        let flow = self.flow_for(scene, resolution)?;
        let parts = parts(flow.as_ref(), others.chain([all.as_ref()]));
        let passes = StepPasses::new(&self.gpu, &model, (&state, None), &parts, &mut self.surveyor)?;
        let input = FoamInput {
            gpu: &self.gpu,
            scene,
            settings: &self.settings,
            resolution,
            state: &state,
            context: &model.context,
        };
        let foam = Foam::after(self.foam.as_ref(), &input)?;
        Ok(Remade { state, model, passes, foam, flow, solids: all })
    }

    /// Writes the current particles, and those of solids from the number `first` on in their initial state, into new
    /// buffers.
    fn copy_particles(&self, state: &ParticleState, model: &Model, first: usize) {
        let count = u64::from(self.state.count);
        let (positions, velocities): (Vec<_>, Vec<_>) = (self.state.count..)
            .zip(&self.samples.starts()[first..])
            .map(|(original, (place, velocity))| {
                (place.extend(1.0).to_array(), velocity.extend(f32::from_bits(original)).to_array())
            })
            .unzip();
        let end = count * size_of::<[f32; 4]>() as u64;
        self.gpu.queue.write_buffer(&state.positions, end, bytemuck::cast_slice(&positions));
        self.gpu.queue.write_buffer(&state.velocities, end, bytemuck::cast_slice(&velocities));
        self.gpu.submit(|encoder| {
            let copies = [
                (&self.state.positions, &state.positions, size_of::<[f32; 4]>() as u64 * count),
                (&self.state.velocities, &state.velocities, size_of::<[f32; 4]>() as u64 * count),
                (&self.model.context.densities, &model.context.densities, size_of::<[f32; 2]>() as u64 * count),
            ];
            for (from, to, bytes) in copies {
                encoder.copy_buffer_to_buffer(from, 0, to, 0, bytes);
            }
        });
    }
}
