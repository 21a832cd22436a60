//! Opens files that are dropped onto the window.

use bevy::prelude::*;
use bevy::window::FileDragAndDrop;

use super::Controls;

/// Opens scenes and saved states that are dropped onto the window.
pub(super) fn open_dropped(mut drops: MessageReader<FileDragAndDrop>, mut controls: ResMut<Controls>) {
    for drop in drops.read() {
        if let FileDragAndDrop::DroppedFile { path_buf, .. } = drop {
            controls.open_file(path_buf);
        }
    }
}
