//! Marked solids in the simulation of their water: what is added, removed and moved in a frame.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::{EulerRot, Quat, Vec3};

use crate::app::Report;
use crate::fluid::{Body, BodyState, FluidError, Impulse, Mesh, Motion, Scene, Settings, Simulation};
use crate::render::DrawnSolid;

/// Time until a solid that was refused is tried again, which waits for the device. It doubles with every trial.
const FIRST_TRIAL: Duration = Duration::from_millis(500);
/// Longest time between two trials.
const LAST_TRIAL: Duration = Duration::from_secs(16);

/// Distance from its target, in particle spacings, at which a solid has arrived.
const NEARLY_THERE: f32 = 1e-4;
/// Angle to its target, rad, at which a solid has arrived. It is above the rounding of the angle.
const NEARLY_TURNED: f32 = 1e-3;

/// A solid as an app wants it.
#[derive(Clone, Debug)]
pub(in crate::app) struct WantedSolid {
    /// The bits of its entity.
    pub(in crate::app) key: u64,
    /// Shape and weight, at no place; another pointer means another solid.
    pub(in crate::app) body: Arc<Body>,
    /// Position of the center of mass in the coordinates of the water, m, and rotation. For a body that moves freely
    /// it is where it begins.
    pub(in crate::app) place: (Vec3, Quat),
    /// The center of mass in the entity's own coordinates times its scale, m.
    pub(in crate::app) center: Vec3,
}

/// A marked solid in the report of its water.
#[derive(Clone, Debug)]
pub struct SolidReport {
    /// The bits of its entity.
    pub key: u64,
    /// Its number among the bodies of the simulation, and its state; `None` while it is not in the water.
    pub state: Option<(usize, BodyState)>,
    /// What the water has given to it since it came into the water; zero while it is not there.
    pub impulse: Impulse,
    /// Why it is not in the water, or lags behind its entity.
    pub trouble: Option<String>,
    pub(super) center: Vec3,
    pub(super) is_free: bool,
}

/// A solid in the simulation.
#[derive(Clone)]
struct Placed {
    wanted: WantedSolid,
    number: usize,
    /// Where it was last told to go.
    target: Option<(Vec3, Quat)>,
}

/// A solid that could not be added.
struct Refused {
    reason: String,
    next: Instant,
    pause: Duration,
}

/// Keeps the solids of a simulation as an app wants them.
#[derive(Default)]
pub(in crate::app) struct SolidsDriver {
    wanted: Vec<WantedSolid>,
    placed: Vec<Placed>,
    refused: HashMap<u64, Refused>,
    /// Solids that are too fast for the time step, with the sentence about it.
    lagging: HashMap<u64, String>,
}

/// A scene with the solids that begin in it.
pub(in crate::app) struct SceneWithSolids {
    pub(in crate::app) scene: Scene,
    placed: Vec<Placed>,
    refused: Vec<(u64, FluidError)>,
}

/// The body at a place.
fn placed_body(body: &Body, (position, rotation): (Vec3, Quat)) -> Body {
    let (z, y, x) = rotation.to_euler(EulerRot::ZYX);
    let degrees = Vec3::new(x, y, z).map(f32::to_degrees);
    Body { position, rotation: degrees, ..body.clone() }
}

/// Whether a body that is held has no part in a scene's box, so that it need not be in the simulation.
fn is_beside(body: &Body, (position, rotation): (Vec3, Quat), scene: &Scene) -> bool {
    if body.is_free() {
        return false;
    }
    let surface = body.shape.surface();
    let places = surface.vertices.iter().map(|&vertex| position + rotation * vertex);
    let (low, high) = places.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), place| (l.min(place), h.max(place)));
    low.cmpge(scene.high).any() || high.cmple(scene.low).any()
}

impl SolidsDriver {
    /// Sets the solids that the app wants from the next frame on.
    pub(in crate::app) fn want(&mut self, wanted: &[WantedSolid]) {
        self.wanted.clear();
        self.wanted.extend_from_slice(wanted);
    }

    /// Whether the app wants solids.
    pub(in crate::app) fn has_some(&self) -> bool {
        !self.wanted.is_empty()
    }

    /// A scene with the solids that are wanted: held ones where they are now, and free ones where they begin. Solids
    /// that the scene refuses are left out.
    pub(in crate::app) fn scene_with(&self, scene: &Scene, settings: &Settings) -> SceneWithSolids {
        let first = scene.solids.of::<Body>().len();
        let beginning = self.wanted.iter().map(|wanted| WantedSolid { place: self.begin(wanted), ..wanted.clone() });
        let inside = beginning.filter(|wanted| !is_beside(&wanted.body, wanted.place, scene));
        let inside: Vec<_> = inside.map(|wanted| (placed_body(&wanted.body, wanted.place), wanted)).collect();
        let mut with = scene.clone();
        with.solids.of_mut().extend(inside.iter().map(|(body, _)| body.clone()));
        let (mut placed, mut refused) = (Vec::new(), Vec::new());
        let is_possible = settings.check(&with).is_ok();
        if !is_possible {
            with = scene.clone();
        }
        for (body, wanted) in inside {
            if !is_possible {
                // One of them, or the scene itself, is at fault, so they are added one after the other.
                let mut more = with.clone();
                more.solids.of_mut().push(body);
                if let Err(error) = settings.check(&more) {
                    refused.push((wanted.key, error));
                    continue;
                }
                with = more;
            }
            placed.push(Placed { wanted, number: first + placed.len(), target: None });
        }
        SceneWithSolids { scene: with, placed, refused }
    }

    /// Where a solid begins: a held one where it is, and a free one where it was first.
    fn begin(&self, wanted: &WantedSolid) -> (Vec3, Quat) {
        let before = self.placed.iter().find(|placed| placed.wanted.key == wanted.key && wanted.body.is_free());
        before.map_or(wanted.place, |placed| placed.wanted.place)
    }

    /// Adopts the solids of a scene whose simulation now runs.
    pub(in crate::app) fn adopt(&mut self, SceneWithSolids { placed, refused, .. }: SceneWithSolids) {
        self.placed = placed;
        self.refused.clear();
        self.lagging.clear();
        for (key, error) in refused {
            self.refuse(key, &error);
        }
    }

    fn refuse(&mut self, key: u64, error: &FluidError) {
        let pause = self.refused.get(&key).map_or(FIRST_TRIAL, |before| (2 * before.pause).min(LAST_TRIAL));
        self.refused.insert(key, Refused { reason: error.to_string(), next: Instant::now() + pause, pause });
    }

    /// Removes solids that are no longer wanted, and adds those that are new. Returns whether the buffers of the
    /// simulation were made anew.
    pub(in crate::app) fn follow(&mut self, simulation: &mut Simulation) -> bool {
        let build = simulation.build_number();
        // A restart or a loaded state can have removed them.
        self.placed.retain(|placed| has(simulation, placed));
        let is_wanted = |key: u64| self.wanted.iter().any(|wanted| wanted.key == key);
        let gone: Vec<_> = self.placed.extract_if(.., |placed| !is_wanted(placed.wanted.key)).collect();
        self.refused.retain(|&key, _| is_wanted(key));
        self.lagging.retain(|&key, _| is_wanted(key));
        for placed in gone {
            if let Err(error) = simulation.remove_body(placed.number) {
                log::warn!("a solid could not be removed: {error}");
            }
        }
        for wanted in self.wanted.clone() {
            self.bring(simulation, &wanted);
        }
        simulation.build_number() != build
    }

    /// Adds a solid, or replaces it by its present shape.
    fn bring(&mut self, simulation: &mut Simulation, wanted: &WantedSolid) {
        let key = wanted.key;
        let at = self.placed.iter().position(|placed| placed.wanted.key == key);
        if let Some(at) = at
            && Arc::ptr_eq(&self.placed[at].wanted.body, &wanted.body)
        {
            // Those that move freely keep the place where they began.
            if !wanted.body.is_free() {
                self.placed[at].wanted.place = wanted.place;
            }
            return;
        }
        let is_due = self.refused.get(&key).is_none_or(|refused| refused.next <= Instant::now());
        if !is_due || is_beside(&wanted.body, wanted.place, simulation.scene()) {
            return;
        }
        let added = match at {
            Some(at) => replace(simulation, &self.placed[at], wanted),
            None => simulation.add_body(&placed_body(&wanted.body, wanted.place)),
        };
        match added {
            Ok(number) => {
                self.refused.remove(&key);
                let wanted = WantedSolid { place: self.begin(wanted), ..wanted.clone() };
                self.placed.retain(|placed| placed.wanted.key != key);
                self.placed.push(Placed { wanted, number, target: None });
            }
            Err(error) => self.refuse(key, &error),
        }
    }

    /// Tells the solids that are held where to be after the next `seconds` of simulated time.
    pub(in crate::app) fn lead(&mut self, simulation: &mut Simulation, seconds: f64) {
        let fastest = simulation.fastest_motion();
        let near = NEARLY_THERE * simulation.resolution().spacing;
        for placed in self.placed.iter_mut().filter(|placed| !placed.wanted.body.is_free()) {
            let target = placed.wanted.place;
            let Some(before) = simulation.body(placed.number).map(|view| view.state) else { continue };
            let is_near =
                before.position.distance(target.0) <= near && before.rotation.angle_between(target.1) <= NEARLY_TURNED;
            if is_near && placed.target == Some(target) {
                continue;
            }
            if simulation.move_body(placed.number, target, seconds).is_ok() {
                placed.target = Some(target);
            }
            let speed = f64::from(before.position.distance(target.0)) / seconds;
            if speed > fastest {
                self.lagging.entry(placed.wanted.key).or_insert_with(|| {
                    format!(
                        "it moves at {speed:.3} m/s, and walls in this water may reach at most {fastest:.3} m/s at its \
                         time step, so that its solid lags behind; move it more slowly"
                    )
                });
            }
        }
    }

    /// Reports the state of the solids.
    pub(in crate::app) fn report(&self, simulation: &Simulation, report: &mut Report) {
        let of = |wanted: &WantedSolid| {
            let placed = self.placed.iter().find(|placed| placed.wanted.key == wanted.key);
            let view = placed.and_then(|placed| Some((placed.number, simulation.body(placed.number)?)));
            let refusal = self.refused.get(&wanted.key).map(|refused| refused.reason.clone());
            SolidReport {
                key: wanted.key,
                state: view.map(|(number, view)| (number, view.state)),
                impulse: view.map_or(Impulse::default(), |(_, view)| view.impulse),
                trouble: refusal.or_else(|| self.lagging.get(&wanted.key).cloned()),
                center: placed.map_or(wanted.center, |placed| placed.wanted.center),
                is_free: wanted.body.is_free(),
            }
        };
        report.solids = self.wanted.iter().map(of).collect();
    }

    /// Whether the app draws a solid of the simulation itself.
    pub(in crate::app) fn is_drawn_by_app(&self, solid: &DrawnSolid) -> bool {
        let drawn = Arc::as_ptr(&solid.surface).cast::<()>();
        self.placed.iter().any(|placed| std::ptr::eq(Arc::as_ptr(&surface(&placed.wanted.body)).cast::<()>(), drawn))
    }
}

/// The surface of a marked solid, which its body and its simulation share.
fn surface(body: &Body) -> Arc<Mesh> {
    body.shape.surface()
}

/// Whether a solid is in a simulation.
fn has(simulation: &Simulation, placed: &Placed) -> bool {
    simulation.body(placed.number).is_some_and(|view| Arc::ptr_eq(view.surface, &surface(&placed.wanted.body)))
}

/// Replaces a solid by another shape of the same entity, in its present motion; if there is no room for it, the old one
/// stays.
fn replace(simulation: &mut Simulation, placed: &Placed, wanted: &WantedSolid) -> Result<usize, FluidError> {
    let mut place = wanted.place;
    let mut body = Body::clone(&wanted.body);
    if body.motion == Motion::Free
        && let Some(view) = simulation.body(placed.number).filter(|view| view.body.is_free())
    {
        let BodyState { position, rotation, velocity, angular_velocity, .. } = view.state;
        // The center of mass may have moved within the entity.
        place = (position + rotation * (wanted.center - placed.wanted.center), rotation);
        (body.velocity, body.angular_velocity) = (velocity, angular_velocity.map(f32::to_degrees));
    }
    simulation.remove_body(placed.number)?;
    let added = simulation.add_body(&placed_body(&body, place));
    if added.is_err() {
        simulation.return_body(placed.number)?;
    }
    added
}
