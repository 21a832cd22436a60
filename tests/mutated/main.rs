//! Changes the valid files of `tests/corpus`, saved states, settings, scripts and lessons at random, ten thousand times
//! each, and reads them: no reader may panic, take a second, or reserve far more memory than its input has. The
//! generator is a few lines of `changes.rs` instead of `proptest` or `arbitrary`: these build values of types, and what
//! breaks parsers is text that is almost valid.

mod attack;
mod changes;
#[path = "../common/mod.rs"]
mod common;
mod counting;
#[cfg(feature = "app")]
mod of_the_app;
mod sealed;
mod states;

use std::path::Path;

use nearwater::files::{PairFiles, Recording, read_pairs, read_points};
use nearwater::fluid::{Mesh, Scene};
use nearwater::verification::read_fixture;
use nearwater::video::CameraPath;

use self::attack::{attack, file_of};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

#[test]
fn changed_scenes_are_read_or_refused() {
    attack("tank.ron", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        Scene::parse("tank.ron", &text).map(drop).map_err(|error| error.to_string())
    });
}

#[test]
fn changed_points_are_read_or_refused() {
    for name in ["points.ply", "points.csv", "points.npy"] {
        attack(name, |bytes| {
            read_points(&file_of(&format!("mutated-{name}"), bytes)).map(drop).map_err(|error| error.to_string())
        });
    }
}

#[test]
fn changed_meshes_are_read_or_refused() {
    for name in ["tetrahedron.obj", "tetrahedron.gltf", "tetrahedron.glb"] {
        attack(name, |bytes| Mesh::from_file(name, bytes).map(drop).map_err(|error| error.to_string()));
    }
}

#[test]
fn changed_lists_of_neighbors_are_read_or_refused() {
    attack("pairs.csv", |bytes| {
        let file = file_of("mutated-pairs.csv", bytes);
        let files = PairFiles { neighbors: &file, offsets: None, one_based: false, particle_count: 4 };
        read_pairs(&files).map(drop).map_err(|error| error.to_string())
    });
}

#[test]
fn changed_recordings_are_read_or_refused() {
    attack("frames.dump", |bytes| {
        let recording = Recording::open(&[file_of("mutated-frames.dump", bytes)]).map_err(|error| error.to_string())?;
        (0..recording.len()).try_for_each(|frame| recording.read(frame).map(drop).map_err(|error| error.to_string()))
    });
}

#[test]
fn changed_camera_paths_are_read_or_refused() {
    attack("camera.ron", |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let path = CameraPath::parse("camera.ron", &text).map_err(|error| error.to_string())?;
        let scene = Scene::load("drop").map_err(|error| error.to_string())?;
        let camera = path.at(1.0, &scene.camera);
        assert!(camera.eye.is_finite() && camera.target.is_finite(), "{camera:?}");
        Ok(())
    });
}

#[test]
fn changed_fixtures_are_read_or_refused() {
    attack("fixture.ron", |bytes| {
        let file = file_of("mutated-fixture.ron", bytes);
        read_fixture(Path::new(&file)).map(drop).map_err(|error| error.to_string())
    });
}
