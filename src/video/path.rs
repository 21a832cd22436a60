//! A camera that follows the key frames of a RON file.
//!
//! Between the key frames, eye and target follow cubic Hermite curves whose tangents are Catmull and Rom's (1974),
//! taken over the neighboring key frames' times; at the first and the last key frame the camera is at rest.

use std::path::Path;

use glam::Vec3;
use serde::de::{DeserializeSeed, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::VideoError;
use crate::files::read_text;
use crate::fluid::SceneCamera;

/// Largest size of a file with key frames, bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// Largest coordinate of eye and target, m, and latest time, s. Beyond, and with key frames that follow each other
/// faster than [`LEAST_INTERVAL`], curves between key frames would not be finite in single precision.
const FARTHEST: f32 = 1e9;
const LATEST: f64 = 1e9;

/// Shortest time between key frames, s.
const LEAST_INTERVAL: f64 = 1e-6;

/// Shortest distance between eye and target, m.
const LEAST_DISTANCE: f32 = 1e-3;

/// The camera's path: key frames in the order of their times.
///
/// ```
/// use nearwater::fluid::Scene;
/// use nearwater::video::CameraPath;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = "(keys: [
///     (time: 0.0, eye: (0.0, 2.0, 8.0), target: (0.0, 1.0, 0.0)),
///     (time: 4.0, eye: (8.0, 2.0, 0.0), target: (0.0, 1.0, 0.0)),
/// ])";
/// let path = CameraPath::parse("path.ron", text)?;
/// let camera = Scene::load("dam_break")?.camera;
/// assert_eq!(path.at(0.0, &camera).eye.z, 8.0);
/// assert_eq!(path.at(9.0, &camera).eye.x, 8.0, "after the last key frame the camera rests");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CameraPath {
    #[serde(deserialize_with = "in_order")]
    keys: Vec<KeyFrame>,
    #[serde(default, deserialize_with = "field_of_view")]
    vertical_fov_degrees: Option<f32>,
}

/// Where the camera is at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyFrame {
    /// Seconds of the video.
    pub time: f64,
    /// Position of the camera, m.
    pub eye: Vec3,
    /// Point that the camera looks at, m.
    pub target: Vec3,
}

impl KeyFrame {
    fn check(&self) -> Result<(), String> {
        let Self { time, eye, target } = self;
        if !(time.is_finite() && eye.is_finite() && target.is_finite()) {
            return Err("time, eye and target must be finite numbers".to_owned());
        }
        if *time > LATEST || eye.abs().max(target.abs()).max_element() > FARTHEST {
            return Err(format!("a time is at most {LATEST:e} s, and eye and target are at most {FARTHEST:e} m away"));
        }
        if *time < 0.0 {
            return Err(format!("the time {time} s is before the video; begin at 0"));
        }
        if eye.distance(*target) < LEAST_DISTANCE {
            return Err("eye and target are at the same place; move one of them".to_owned());
        }
        Ok(())
    }
}

impl CameraPath {
    /// Reads a path from a RON file.
    ///
    /// # Errors
    /// When the file cannot be read, is not RON, or a value in it is invalid; with line and column.
    pub fn read(file: &str) -> Result<Self, VideoError> {
        let text = read_text(Path::new(file), LARGEST_FILE)
            .map_err(|reason| VideoError::PathUnreadable { file: file.to_owned(), reason })?;
        Self::parse(file, &text)
    }

    /// Reads a path from RON text; `file` names it in messages.
    ///
    /// # Errors
    /// As [`CameraPath::read`].
    pub fn parse(file: &str, text: &str) -> Result<Self, VideoError> {
        let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        options.from_str(text).map_err(|error| VideoError::Path {
            file: file.to_owned(),
            line: error.span.end.line,
            column: error.span.end.col,
            reason: error.code.to_string(),
        })
    }

    /// The camera at `seconds` of the video. Before the first and after the last key frame it stays there. The field of
    /// view is the scene's unless the file gives one.
    pub fn at(&self, seconds: f64, scene: &SceneCamera) -> SceneCamera {
        let after = self.keys.partition_point(|key| key.time <= seconds);
        let (eye, target) = match (after.checked_sub(1), self.keys.get(after)) {
            (Some(before), Some(_)) => self.between(before, seconds),
            (Some(last), None) => (self.keys[last].eye, self.keys[last].target),
            (None, first) => first.map_or((scene.eye, scene.target), |key| (key.eye, key.target)),
        };
        SceneCamera {
            eye,
            target,
            vertical_fov_degrees: self.vertical_fov_degrees.unwrap_or(scene.vertical_fov_degrees),
        }
    }

    /// Eye and target between key frame `before` and the next one.
    fn between(&self, before: usize, seconds: f64) -> (Vec3, Vec3) {
        let (from, to) = (&self.keys[before], &self.keys[before + 1]);
        let span = (to.time - from.time) as f32;
        let t = ((seconds - from.time) / (to.time - from.time)) as f32;
        let curve = |of: fn(&KeyFrame) -> Vec3| {
            let (t2, t3) = (t * t, t * t * t);
            (2.0 * t3 - 3.0 * t2 + 1.0) * of(from)
                + (t3 - 2.0 * t2 + t) * span * self.tangent(before, of)
                + (3.0 * t2 - 2.0 * t3) * of(to)
                + (t3 - t2) * span * self.tangent(before + 1, of)
        };
        (curve(|key| key.eye), curve(|key| key.target))
    }

    /// Velocity at a key frame, m/s: that between its neighbors, and zero at both ends.
    fn tangent(&self, place: usize, of: fn(&KeyFrame) -> Vec3) -> Vec3 {
        let (before, after) = (place.checked_sub(1).and_then(|at| self.keys.get(at)), self.keys.get(place + 1));
        match (before, after) {
            (Some(before), Some(after)) => (of(after) - of(before)) / (after.time - before.time) as f32,
            _ => Vec3::ZERO,
        }
    }
}

/// A key frame after one at this time. It is checked where it stands, so that an error has its line.
struct After(Option<f64>);

impl<'de> DeserializeSeed<'de> for After {
    type Value = KeyFrame;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<KeyFrame, D::Error> {
        let key = KeyFrame::deserialize(deserializer)?;
        key.check().map_err(D::Error::custom)?;
        match self.0.filter(|last| key.time - *last < LEAST_INTERVAL) {
            Some(last) => Err(D::Error::custom(format!(
                "the time {} s is not after that of the key frame before it, {last} s, by {LEAST_INTERVAL:e} s or more; \
                 put them in order",
                key.time
            ))),
            None => Ok(key),
        }
    }
}

/// Reads key frames in the order of their times.
fn in_order<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<KeyFrame>, D::Error> {
    struct Keys;
    impl<'de> Visitor<'de> for Keys {
        type Value = Vec<KeyFrame>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("a list of key frames (time, eye, target)")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut keys: Vec<KeyFrame> = Vec::new();
            while let Some(key) = list.next_element_seed(After(keys.last().map(|key| key.time)))? {
                keys.push(key);
            }
            if keys.is_empty() {
                return Err(A::Error::custom("there is no key frame; add one"));
            }
            Ok(keys)
        }
    }
    deserializer.deserialize_seq(Keys)
}

fn field_of_view<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f32>, D::Error> {
    let degrees = Option::<f32>::deserialize(deserializer)?;
    match degrees.filter(|degrees| !(1.0..=150.0).contains(degrees)) {
        Some(wrong) => {
            Err(D::Error::custom(format!("the field of view is {wrong} degrees, but must be from 1 to 150")))
        }
        None => Ok(degrees),
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::CameraPath;
    use crate::fluid::SceneCamera;

    const PATH: &str = "(
    keys: [
        (time: 0.0, eye: (0.0, 1.0, 5.0), target: (0.0, 0.0, 0.0)),
        (time: 2.0, eye: (4.0, 2.0, 5.0), target: (0.0, 1.0, 0.0)),
        // A comment, as in scenes.
        (time: 3.0, eye: (4.0, 2.0, 1.0), target: (0.0, 1.0, 0.0)),
    ],
    vertical_fov_degrees: 50.0,
)";

    #[test]
    fn the_camera_passes_the_key_frames_smoothly() {
        let path = CameraPath::parse("path.ron", PATH).expect("a path");
        let scene = SceneCamera::default();
        let eye = |seconds| path.at(seconds, &scene).eye;
        for (seconds, expected) in
            [(0.0, [0.0, 1.0, 5.0]), (2.0, [4.0, 2.0, 5.0]), (3.0, [4.0, 2.0, 1.0]), (9.0, [4.0, 2.0, 1.0])]
        {
            assert!(eye(seconds).distance(Vec3::from(expected)) < 1e-5, "{seconds} s: {}", eye(seconds));
        }
        assert!((path.at(1.0, &scene).vertical_fov_degrees - 50.0).abs() < 1e-6);
        let speed = |seconds: f64| (eye(seconds + 5e-4) - eye(seconds - 5e-4)) / 1e-3;
        // At rest at both ends, and equally fast on both sides of the key frame between them.
        assert!(speed(0.001).length() < 0.02 && speed(2.999).length() < 0.05);
        let difference = speed(2.0 - 1e-3).distance(speed(2.0 + 1e-3));
        assert!(difference < 0.05 && speed(2.0).length() > 1.0, "{difference}, {}", speed(2.0));
    }

    #[test]
    fn an_invalid_file_is_refused_with_its_line() {
        for (from, to, line, part) in [
            ("time: 2.0", "time: 0.0", 4, "not after that of the key frame before it"),
            ("time: 3.0", "tim: 3.0", 6, "tim"),
            ("time: 0.0", "time: -1.0", 3, "begin at 0"),
            ("eye: (4.0, 2.0, 1.0)", "eye: (0.0, 1.0, 0.0)", 6, "same place"),
            ("eye: (4.0, 2.0, 5.0)", "eye: (4.0, 2.0)", 4, ""),
            ("eye: (4.0, 2.0, 5.0)", "eye: (inf, 2.0, 5.0)", 4, "finite"),
            // The curve through such places and times would not be finite.
            ("eye: (4.0, 2.0, 5.0)", "eye: (1e38, 3.4e38, 5.0)", 4, "at most 1e9 m away"),
            ("time: 3.0", "time: 1e300", 6, "at most 1e9 s"),
            ("time: 3.0", "time: 2.0000000001", 6, "not after that of the key frame before it"),
            ("degrees: 50.0", "degrees: 500.0", 8, "from 1 to 150"),
        ] {
            assert!(PATH.contains(from));
            let told = CameraPath::parse("path.ron", &PATH.replace(from, to)).expect_err(to).to_string();
            assert!(told.starts_with(&format!("path.ron, line {line}, ")) && told.contains(part), "{to}: {told}");
        }
        let told = CameraPath::parse("path.ron", "(keys: [])").expect_err("no key frames").to_string();
        assert!(told.contains("no key frame"), "{told}");
    }
}
