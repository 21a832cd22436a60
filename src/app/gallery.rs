//! The gallery: pictures of the whole window, made by scripts that are embedded in the program, and the page that shows
//! them.
//!
//! A script of `assets/gallery` begins with comments: the first line is the title, and the following lines are the
//! sentence that the page shows below it. Every `shot` in the script becomes a picture of the page. To extend the
//! gallery, it suffices to add a file to that folder.

use std::fmt::Write as _;
use std::path::Path;

use include_dir::{Dir, include_dir};

use super::script::{Script, ScriptError};

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/gallery");

/// Beginning of the page.
const HEAD: &str = "# Gallery\n\nEvery picture shows the whole window of Nearwater. `nearwater gallery DIR` makes all \
                    of them, and this page, without a display:\nthe scripts in `assets/gallery` control the app \
                    ([SCRIPTS.md](SCRIPTS.md) describes the language).\n";

/// An embedded script, with the title and the text of its pictures.
#[derive(Clone, Debug)]
pub struct GalleryEntry {
    /// The script's file name without its ending.
    pub name: String,
    /// The title on the page.
    pub title: String,
    /// The sentence below the title.
    pub sentence: String,
    text: String,
}

impl GalleryEntry {
    /// Every entry, in the order of the scripts' names.
    pub fn all() -> Vec<Self> {
        let entry = |file: &include_dir::File<'_>| {
            let is_script = file.path().extension().is_some_and(|ending| ending == "script");
            let name = file.path().file_stem()?.to_str()?;
            Some(Self::of(name, file.contents_utf8()?)).filter(|_| is_script)
        };
        let mut entries: Vec<_> = EMBEDDED.files().filter_map(entry).collect();
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        entries
    }

    fn of(name: &str, text: &str) -> Self {
        let comments = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim);
        let (title, sentence): (Vec<_>, Vec<_>) = comments.enumerate().partition(|(place, _)| *place == 0);
        let joined = |lines: Vec<(usize, &str)>| lines.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join(" ");
        Self { name: name.to_owned(), title: joined(title), sentence: joined(sentence), text: text.to_owned() }
    }

    /// The parsed script, whose pictures are written to a folder.
    ///
    /// # Errors
    /// When a line of the script is invalid, or a picture could not be written to the folder.
    pub fn script(&self, pictures: &Path) -> Result<Script, ScriptError> {
        Script::parse(&format!("assets/gallery/{}.script", self.name), &self.text, pictures)
    }
}

/// The page that shows the entries, in Markdown. `images` is the prefix of the pictures' file names.
///
/// # Errors
/// When a script is invalid.
pub fn gallery_page(entries: &[GalleryEntry], images: &str) -> Result<String, ScriptError> {
    let mut page = HEAD.to_owned();
    for entry in entries {
        let GalleryEntry { title, sentence, .. } = entry;
        let script = entry.script(&std::env::temp_dir())?;
        // Writing into a string cannot fail.
        let _ = write!(page, "\n## {title}\n{sentence}\n");
        for picture in script.pictures().iter().filter_map(|picture| picture.file_name()) {
            let _ = write!(page, "\n![{title}]({images}{})\n", picture.to_string_lossy());
        }
    }
    Ok(page)
}
