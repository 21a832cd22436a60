//! What the menu of scenes shows: title, description and a still of every built-in scene.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use bevy_egui::egui::{ColorImage, Context, Id, TextureHandle, TextureOptions};
use include_dir::{Dir, include_dir};

use crate::fluid::Scene;

/// The stills, which `nearwater thumbnails` draws.
static STILLS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/thumbnails");

/// A built-in scene in the menu.
pub struct SceneEntry {
    /// Its name, by which it is loaded.
    pub name: &'static str,
    /// Name on screen.
    pub title: String,
    /// One sentence.
    pub description: String,
}

impl SceneEntry {
    /// Every built-in scene, in the order of the menu.
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<SceneEntry>> = LazyLock::new(|| {
            let entry = |name| {
                let Scene { title, description, .. } = Scene::load(name).ok()?;
                Some(SceneEntry { name, title, description })
            };
            Scene::names().into_iter().filter_map(entry).collect()
        });
        &ALL
    }

    /// The still as a PNG file; `None` if the scene has none.
    pub fn still(&self) -> Option<&'static [u8]> {
        Some(STILLS.get_file(format!("{}.png", self.name))?.contents())
    }

    /// The still as a texture, which is decoded when it is first drawn.
    pub(super) fn texture(&self, context: &Context) -> Option<TextureHandle> {
        type Textures = Arc<BTreeMap<&'static str, TextureHandle>>;
        let id = Id::new("stills of scenes");
        let known: Textures = context.data_mut(|data| data.get_temp(id)).unwrap_or_default();
        if let Some(texture) = known.get(self.name) {
            return Some(texture.clone());
        }
        let picture = image::load_from_memory(self.still()?).ok()?.to_rgb8();
        let size = [picture.width() as usize, picture.height() as usize];
        let colors = ColorImage::from_rgb(size, picture.as_raw());
        let texture = context.load_texture(self.name, colors, TextureOptions::LINEAR);
        let mut more = (*known).clone();
        more.insert(self.name, texture.clone());
        context.data_mut(|data| data.insert_temp::<Textures>(id, Arc::new(more)));
        Some(texture)
    }
}
