//! Where the camera is while a video is recorded.

use std::f32::consts::TAU;
use std::str::FromStr;

use glam::{Vec3, Vec3Swizzles as _};

use super::{CameraPath, VideoError};
use crate::fluid::SceneCamera;

/// The forms of a camera's description.
const FORMS: &str = "use fixed, fixed:turn=30,height=3,distance=8, orbit, orbit:period=20 with the same values, or a RON file of key frames";

/// How the camera moves. Times are seconds of the video, so that a movement is equally fast in slow motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum CameraMove {
    /// It stays where the scene puts it.
    #[default]
    Fixed,
    /// It circles the scene.
    Orbit(Orbit),
    /// It follows key frames.
    Path(CameraPath),
}

/// A circle around the vertical axis through the point that the scene's camera looks at. Unless turned, it begins at
/// the scene's camera.
///
/// ```
/// use nearwater::fluid::Scene;
/// use nearwater::video::{CameraMove, Orbit};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let camera = Scene::load("dam_break")?.camera;
/// let orbit = CameraMove::Orbit(Orbit { period: 10.0, ..Orbit::default() });
/// let (start, half) = (orbit.at(0.0, &camera), orbit.at(5.0, &camera));
/// assert!(start.eye.distance(camera.eye) < 1e-3);
/// assert!((start.eye.x + half.eye.x - 2.0 * camera.target.x).abs() < 1e-3, "on the other side of the target");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// Duration of a circle, s of the video; negative for the other direction, infinite for a camera at rest.
    pub period: f32,
    /// Height of the camera above that point, m; `None` for that of the scene's camera.
    pub height: Option<f32>,
    /// Radius of the circle, m; `None` for the scene's camera's.
    pub distance: Option<f32>,
    /// Angle between the start of the circle and the scene's camera, degrees, against the direction of a clock's hands
    /// as seen from above.
    pub turn: f32,
}

impl Default for Orbit {
    fn default() -> Self {
        Self { period: 20.0, height: None, distance: None, turn: 0.0 }
    }
}

impl CameraMove {
    /// The camera at `seconds` of the video, in a scene whose camera is `scene`.
    pub fn at(&self, seconds: f64, scene: &SceneCamera) -> SceneCamera {
        match self {
            Self::Fixed => scene.clone(),
            Self::Orbit(orbit) => SceneCamera { eye: orbit.eye(seconds, scene), ..scene.clone() },
            Self::Path(path) => path.at(seconds, scene),
        }
    }
}

impl Orbit {
    fn eye(&self, seconds: f64, scene: &SceneCamera) -> Vec3 {
        let arm = scene.eye - scene.target;
        let distance = self.distance.unwrap_or_else(|| arm.xz().length());
        let turn = (seconds / f64::from(self.period)).fract() as f32;
        // From +z towards +x, as seen from above against the direction of a clock's hands.
        let angle = arm.x.atan2(arm.z) + self.turn.to_radians() + TAU * turn;
        let height = self.height.unwrap_or(arm.y);
        scene.target + Vec3::new(distance * angle.sin(), height, distance * angle.cos())
    }
}

/// `fixed` or `orbit`, both also with values separated by commas as in `orbit:period=20,turn=30,height=3,distance=8`
/// (`fixed` without `period`), or the path of a RON file.
impl FromStr for CameraMove {
    type Err = VideoError;

    fn from_str(text: &str) -> Result<Self, VideoError> {
        let (kind, values) = text.split_once(':').unwrap_or((text, ""));
        let refused = |reason| VideoError::Camera { given: text.to_owned(), reason };
        match kind {
            "fixed" if values.is_empty() => Ok(Self::Fixed),
            "fixed" | "orbit" => parse_orbit(kind, values).map(Self::Orbit).map_err(refused),
            _ if text.to_ascii_lowercase().ends_with(".ron") => Ok(Self::Path(CameraPath::read(text)?)),
            _ => Err(VideoError::Camera { given: text.to_owned(), reason: FORMS.to_owned() }),
        }
    }
}

/// The values of an orbit, or of a fixed camera, which is an orbit that takes forever.
fn parse_orbit(kind: &str, values: &str) -> Result<Orbit, String> {
    let mut orbit = Orbit::default();
    if kind == "fixed" {
        orbit.period = f32::INFINITY;
    }
    for part in values.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').ok_or_else(|| format!("\"{part}\" has no value; {FORMS}"))?;
        let number = value.parse::<f32>().ok().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| format!("{name} is \"{value}\", which is not a finite number"))?;
        match name {
            "period" if kind == "fixed" => return Err("a fixed camera has no period; use orbit".to_owned()),
            "period" if number.abs() >= 0.1 => orbit.period = number,
            "period" => return Err(format!("the period is {value} s, but must be at least 0.1 s")),
            "height" => orbit.height = Some(number),
            "distance" if number > 0.0 => orbit.distance = Some(number),
            "distance" => return Err(format!("the distance is {value} m, but must be positive")),
            "turn" => orbit.turn = number,
            _ => return Err(format!("the camera \"{kind}\" has no \"{name}\"; {FORMS}")),
        }
    }
    Ok(orbit)
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::{CameraMove, Orbit};
    use crate::fluid::SceneCamera;

    fn scene() -> SceneCamera {
        SceneCamera { eye: Vec3::new(3.0, 2.0, 4.0), target: Vec3::new(0.0, 1.0, 0.0), vertical_fov_degrees: 40.0 }
    }

    #[test]
    fn an_orbit_begins_at_the_scenes_camera_and_closes() {
        let orbit: CameraMove = "orbit:period=8".parse().expect("an orbit");
        let eye = |seconds| orbit.at(seconds, &scene()).eye;
        assert!(eye(0.0).distance(scene().eye) < 1e-5 && eye(8.0).distance(scene().eye) < 1e-4);
        // A quarter of a circle from +z towards +x: (x, z) becomes (z, -x).
        assert!(eye(2.0).distance(Vec3::new(4.0, 2.0, -3.0)) < 1e-5, "{}", eye(2.0));
        for seconds in [0.7, 3.1, 100.0] {
            let arm = eye(seconds) - scene().target;
            assert!((arm.x.hypot(arm.z) - 5.0).abs() < 1e-4 && (arm.y - 1.0).abs() < 1e-5, "{arm}");
        }
    }

    #[test]
    fn a_fixed_camera_can_be_turned_raised_and_moved_closer() {
        let camera: CameraMove = "fixed:turn=90,height=3,distance=2.5".parse().expect("a camera");
        for seconds in [0.0, 7.3] {
            // The scene's camera is 5 m away at (3, 4) in x and z; a quarter of a circle later at (4, -3).
            let eye = camera.at(seconds, &scene()).eye;
            assert!(eye.distance(Vec3::new(2.0, 4.0, -1.5)) < 1e-5, "{eye}");
        }
    }

    #[test]
    fn a_description_is_read_or_refused_with_the_mend() {
        let orbit = Orbit { period: -5.0, height: Some(2.0), distance: Some(7.5), turn: 90.0 };
        let read = |text: &str| text.parse::<CameraMove>();
        assert_eq!(read("orbit:period=-5,height=2,distance=7.5,turn=90").expect("an orbit"), CameraMove::Orbit(orbit));
        assert_eq!(read("orbit").expect("an orbit"), CameraMove::Orbit(Orbit::default()));
        assert_eq!(read("fixed").expect("a camera"), CameraMove::Fixed);
        for (text, part) in [
            ("orbt", "use fixed, fixed:turn=30"),
            ("orbit:period=0", "at least 0.1 s"),
            ("orbit:distance=-1", "must be positive"),
            ("orbit:height=nan", "not a finite number"),
            ("orbit:radius=1", "no \"radius\""),
            ("fixed:period=5", "a fixed camera has no period"),
            ("orbit:5", "\"5\" has no value"),
            ("no/such/path.ron", "cannot read the camera's path no/such/path.ron"),
        ] {
            let told = read(text).expect_err(text).to_string();
            assert!(told.contains(part), "{text}: {told}");
        }
    }
}
