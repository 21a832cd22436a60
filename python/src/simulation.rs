//! The class `Simulation`: a scene on the GPU, steps of it, and the fields of its particles as arrays.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use nearwater::files::Frame;
use nearwater::fluid::{
    MaterialEdits, Scene, SceneEdits, Settings, Simulation as Water, Size, SmoothingKernel, Solver, SolverSettings,
};
use nearwater::gpu::Gpu;
use nearwater::search::{SearchInfo, SearchOptions, search_named};
use numpy::{IntoPyArray as _, PyArray1, PyArray2, PyArrayMethods as _};
use pyo3::prelude::*;

use crate::arguments::{number, pairs, search_options, whole_number};
use crate::device::{self, Access};
use crate::fault::Fault;

/// Number of steps recorded into one submission, after which Python's signals are handled: few enough that a slow
/// adapter finishes several submissions a second.
const STEPS_A_SUBMISSION: u64 = 8;

/// A simulation of a scene on the GPU.
///
/// Parameters
/// ----------
/// scene : str or os.PathLike
///     Name of a scene of the package, see `scenes()`, or path of a scene file, which ends in ``.ron``.
/// particles : int, optional
///     Approximate number of fluid particles. By default that of the scene, or one that suits the adapter.
/// radius : float, optional
///     Exact support radius in meters, in place of `particles`.
/// search, solver : str, optional
///     Names, see `searches()` and `solvers()`. By default "claws", and the solver of the scene.
/// options : mapping, optional
///     Options of the search, for example ``{"cell-edge": "2r"}``.
/// settings : mapping, optional
///     Settings of solvers and material by their names of the command line's ``--set``, for example
///     ``{"pbf.iterations": 6}``.
/// seed : int, optional
///     Seed of the particles' small random displacements.
/// adapter : str, optional
///     A part of the name of the adapter to use; see `adapters()`. By default the best one.
///
/// Raises
/// ------
/// ValueError, OSError
///     If an argument or the scene is not valid, or the particles do not fit the adapter.
/// GpuError
///     If there is no GPU, or it fails.
#[pyclass(frozen, module = "nearwater")]
pub struct Simulation {
    state: Mutex<State>,
    adapter: String,
}

struct State {
    gpu: Arc<Gpu>,
    water: Water,
    /// The particles at the current time, read back when a field is first asked for.
    frame: Option<Arc<Frame>>,
}

/// The arguments of a new simulation that need a device to be checked.
struct Request {
    scene: Scene,
    size: Option<Size>,
    search: &'static SearchInfo,
    options: SearchOptions,
    seed: u64,
    edits: SceneEdits,
}

impl Request {
    fn start(&self, gpu: &Arc<Gpu>) -> Result<State, Fault> {
        let usual = Size::Count(self.scene.usual_count(gpu.capabilities.class));
        let settings = Settings {
            search: self.search,
            options: self.options.clone(),
            kernel: SmoothingKernel::default(),
            size: self.size.unwrap_or(usual),
            seed: self.seed,
            edits: self.edits.clone(),
        };
        let mut water = Water::new(gpu, &self.scene, &settings)?;
        gpu.submit(|encoder| water.record_densities(encoder, None));
        gpu.wait()?;
        Ok(State { gpu: Arc::clone(gpu), water, frame: None })
    }
}

impl State {
    /// Runs up to a submission of steps, and waits for them.
    fn steps(&mut self, count: u64) -> Result<(), Fault> {
        self.frame = None;
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        (0..count).for_each(|_| self.water.record_step(&mut encoder, None));
        self.gpu.queue.submit([encoder.finish()]);
        self.gpu.wait()?;
        match self.gpu.lost() {
            Some(_) => Err(self.gpu.lost_error("a step did not finish").into()),
            None => Ok(()),
        }
    }

    fn frame(&mut self) -> Result<Arc<Frame>, Fault> {
        let frame = match self.frame.take() {
            Some(frame) => frame,
            None => Arc::new(self.water.observe()?),
        };
        Ok(Arc::clone(self.frame.insert(frame)))
    }
}

/// The settings that mappings and names select in a scene.
fn edits(scene: &Scene, solver: Option<&str>, settings: &[String]) -> Result<SceneEdits, Fault> {
    let solver = solver.map(Solver::named).transpose()?;
    let (of_material, of_solvers): (Vec<_>, Vec<_>) =
        settings.iter().partition(|text| MaterialEdits::names_material(text));
    let mut material = MaterialEdits::default();
    of_material.into_iter().try_for_each(|text| material.parse(text))?;
    let solver_settings = SolverSettings::parsed(&of_solvers)?;
    Ok(SceneEdits { solver, material: material.applied_to(&scene.material), solver_settings })
}

impl Simulation {
    /// Runs `work` on the state while other threads of Python go on.
    fn with<T: Send>(
        &self,
        python: Python<'_>,
        work: impl FnOnce(&mut State) -> Result<T, Fault> + Send,
    ) -> Result<T, Fault> {
        device::work(python, |_: &mut Access| {
            // A panic inside leaves the lock poisoned, and what it left behind is not used again.
            let mut state = self.state.lock().map_err(|_| {
                Fault::Device("this simulation has failed before and cannot go on; make a new one".to_owned())
            })?;
            work(&mut state)
        })
    }

    /// A number that is known without the device.
    fn known<T>(&self, of: impl FnOnce(&Water) -> T) -> T {
        of(&self.state.lock().unwrap_or_else(PoisonError::into_inner).water)
    }

    fn vectors<'py>(
        &self,
        python: Python<'py>,
        of: impl FnOnce(&Frame) -> &[[f32; 3]],
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let frame = self.with(python, State::frame)?;
        let values = of(&frame);
        values.as_flattened().to_vec().into_pyarray(python).reshape([values.len(), 3])
    }

    fn numbers<'py>(
        &self,
        python: Python<'py>,
        of: impl FnOnce(&Frame) -> &[f32],
    ) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let frame = self.with(python, State::frame)?;
        Ok(of(&frame).to_vec().into_pyarray(python))
    }

    fn advance(&self, python: Python<'_>, count: u64) -> PyResult<()> {
        let mut left = count;
        while left > 0 {
            let batch = left.min(STEPS_A_SUBMISSION);
            self.with(python, |state| state.steps(batch))?;
            left -= batch;
            python.check_signals()?;
        }
        Ok(())
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (
        scene, particles=None, *, radius=None, search="claws", solver=None, options=None, settings=None, seed=None,
        adapter=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "Python names them where they are given")]
    fn new(
        python: Python<'_>,
        scene: PathBuf,
        particles: Option<Bound<'_, PyAny>>,
        radius: Option<Bound<'_, PyAny>>,
        search: &str,
        solver: Option<&str>,
        options: Option<BTreeMap<String, Bound<'_, PyAny>>>,
        settings: Option<BTreeMap<String, Bound<'_, PyAny>>>,
        seed: Option<Bound<'_, PyAny>>,
        adapter: Option<&str>,
    ) -> PyResult<Self> {
        let scene = Scene::load(&scene.to_string_lossy()).map_err(Fault::from)?;
        let size = match (particles, radius) {
            (Some(_), Some(_)) => {
                return Err(Fault::Input("particles and radius exclude each other; give one".to_owned()).into());
            }
            (Some(particles), None) => Some(Size::Count(whole_number("particles", &particles, 1)?)),
            (None, Some(radius)) => {
                let is_good = |value: f64| value as f32 > 0.0 && (value as f32).is_finite();
                Some(Size::Radius(number("radius", &radius, is_good, "a positive, finite length in meters")? as f32))
            }
            (None, None) => None,
        };
        if let Some(spacing) = scene.points_spacing().filter(|_| size.is_some()) {
            return Err(Fault::Input(format!(
                "the particles of the scene \"{}\" are read from files and {spacing} m apart; leave particles and \
                 radius out",
                scene.name
            ))
            .into());
        }
        let search = search_named(search).map_err(Fault::from)?;
        let options = search_options(search, &pairs(options)?)?;
        let edits = edits(&scene, solver, &pairs(settings)?)?;
        let seed = seed.map(|seed| whole_number("seed", &seed, 0)).transpose()?;
        let seed = seed.map_or(Settings::DEFAULT_SEED, u64::from);
        let request = Request { scene, size, search, options, seed, edits };
        let state = device::work(python, |devices| request.start(&devices.gpu(adapter)?))?;
        Ok(Self { adapter: state.gpu.capabilities.name.clone(), state: Mutex::new(state) })
    }

    /// Advance by `count` time steps. Ctrl-C ends it between steps.
    #[pyo3(signature = (count=None))]
    fn step(&self, python: Python<'_>, count: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        let count = count.map_or(Ok(1), |count| whole_number("count", &count, 1))?;
        self.advance(python, count.into())
    }

    /// Advance by a simulated time in seconds, rounded up to whole time steps. Ctrl-C ends it between steps.
    fn run(&self, python: Python<'_>, seconds: Bound<'_, PyAny>) -> PyResult<()> {
        let is_good = |value: f64| value.is_finite() && value >= 0.0;
        let seconds = number("seconds", &seconds, is_good, "a finite time of at least 0")?;
        let steps = (seconds / self.time_step()).ceil();
        // A negligible part of a step that rounding has left is not a step.
        let steps = if (steps - 1.0) * self.time_step() > seconds * (1.0 - 1e-9) { steps - 1.0 } else { steps };
        if steps > u64::MAX as f64 {
            return Err(Fault::Input(format!("seconds is {seconds:e}, which is more steps than can be counted")).into());
        }
        self.advance(python, steps as u64)
    }

    /// Simulated time, s.
    #[getter]
    fn time(&self) -> f64 {
        self.known(Water::time)
    }

    /// Duration of a time step, s.
    #[getter]
    fn time_step(&self) -> f64 {
        self.known(|water| f64::from(water.resolution().time_step))
    }

    /// Number of time steps since the start.
    #[getter]
    fn step_count(&self) -> u64 {
        self.known(Water::step_count)
    }

    /// Support radius, m.
    #[getter]
    fn radius(&self) -> f64 {
        self.known(|water| f64::from(water.resolution().support_radius))
    }

    /// Distance between particles at rest, m.
    #[getter]
    fn spacing(&self) -> f64 {
        self.known(|water| f64::from(water.resolution().spacing))
    }

    /// Mass of a particle, kg; in a plane kg/m.
    #[getter]
    fn particle_mass(&self) -> f64 {
        self.known(|water| f64::from(water.resolution().particle_mass))
    }

    /// Name of the adapter that it runs on.
    #[getter]
    fn adapter(&self) -> &str {
        &self.adapter
    }

    /// Name of the scene.
    #[getter]
    fn scene(&self) -> String {
        self.known(|water| water.scene().name.clone())
    }

    /// Name of the search.
    #[getter]
    fn search(&self) -> &'static str {
        self.known(|water| water.settings().search.name)
    }

    /// Name of the solver.
    #[getter]
    fn solver(&self) -> &'static str {
        self.known(|water| water.scene().solver.name())
    }

    /// Positions of the fluid particles, m; a new array of float32, shape (n, 3). All fields have the same order, in
    /// which a particle keeps its place; n changes only where water flows in or out.
    #[getter]
    fn positions<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.vectors(python, |frame| &frame.positions)
    }

    /// Velocities, m/s; a new array of float32, shape (n, 3).
    #[getter]
    fn velocities<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.vectors(python, |frame| &frame.velocities)
    }

    /// Densities, kg/m³; a new array of float32, shape (n,).
    #[getter]
    fn density<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        self.numbers(python, |frame| &frame.densities)
    }

    /// Pressures, Pa; a new array of float32, shape (n,). With solvers whose pressures are those of the last step, they
    /// are zero before the first.
    #[getter]
    fn pressure<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        self.numbers(python, |frame| &frame.pressures)
    }

    /// Numbers by which particles are known over the whole run; a new array of uint32, shape (n,).
    #[getter]
    fn indices<'py>(&self, python: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let frame = self.with(python, State::frame)?;
        Ok(frame.indices.clone().into_pyarray(python))
    }

    fn __repr__(&self) -> String {
        let scene = self.scene();
        format!("<Simulation of {scene:?} with {} at {:.4} s on {}>", self.solver(), self.time(), self.adapter)
    }
}
