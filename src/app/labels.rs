//! Finds widgets by their text, in the accessibility tree that egui makes for screen readers.

use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::egui::{self, accesskit};
use bevy_egui::input::EguiInputEvent;
use bevy_egui::{EguiContext, EguiOutput, PrimaryEguiContext};

/// Largest number of labels that an error message lists.
const LISTED: usize = 40;

/// Scrolls the area around a widget until the widget is visible.
pub(super) fn reveal(world: &mut World, label: &str) -> Result<(), String> {
    let (context, widget, _) = find(world, label)?;
    let request = accesskit::ActionRequest {
        action: accesskit::Action::ScrollIntoView,
        target_tree: accesskit::TreeId::ROOT,
        target_node: widget.id,
        data: None,
    };
    world.write_message(EguiInputEvent { context, event: egui::Event::AccessKitActionRequest(request) });
    Ok(())
}

/// The center of a widget, in logical pixels of the window.
pub(super) fn place_of(world: &mut World, label: &str) -> Result<Vec2, String> {
    let (_, widget, pixels_per_point) = find(world, label)?;
    let mut windows = world.query_filtered::<&Window, With<PrimaryWindow>>();
    let scale = windows.single(world).map_or(1.0, Window::scale_factor);
    Ok(widget.middle * pixels_per_point / scale)
}

/// Turns on egui's accessibility tree, and turns off its animations so that pictures show no half-faded widgets.
pub(super) fn prepare_contexts(mut contexts: Query<&mut EguiContext, Added<EguiContext>>) {
    for mut context in &mut contexts {
        let context = context.get_mut();
        context.enable_accesskit();
        context.all_styles_mut(|style| style.animation_time = 0.0);
    }
}

/// Turns on egui's accessibility tree, in which widgets are found from the next frame on.
pub(super) fn list_widgets(world: &mut World) {
    let mut contexts = world.query::<&mut EguiContext>();
    contexts.iter_mut(world).for_each(|mut context| context.get_mut().enable_accesskit());
}

/// A widget with text on it.
#[derive(Clone, Debug)]
struct Widget {
    id: accesskit::NodeId,
    text: String,
    /// Center, in egui points.
    middle: Vec2,
    is_clickable: bool,
}

impl Widget {
    fn of((id, node): &(accesskit::NodeId, accesskit::Node)) -> Option<Self> {
        // Labels and text fields store their text as the node's value.
        let text = node.label().or_else(|| node.value())?.trim();
        let bounds = node.bounds()?;
        let middle = Vec2::new((0.5 * (bounds.x0 + bounds.x1)) as f32, (0.5 * (bounds.y0 + bounds.y1)) as f32);
        let is_clickable = node.supports_action(accesskit::Action::Click);
        (!text.is_empty()).then(|| Self { id: *id, text: text.to_owned(), middle, is_clickable })
    }

    /// How well the widget matches a label; lower is better, and `None` is no match. A button's text may be followed by
    /// its key.
    fn rank(&self, label: &str) -> Option<u8> {
        let (text, label) = (self.text.to_lowercase(), label.trim().to_lowercase());
        let rank = if text == label {
            0
        } else if text.strip_prefix(&label).is_some_and(|rest| rest.starts_with(char::is_whitespace)) {
            2
        } else {
            return None;
        };
        Some(rank + u8::from(!self.is_clickable))
    }
}

/// The best match for a label: widgets that can be clicked are preferred to others, and the topmost to those below.
fn find(world: &mut World, label: &str) -> Result<(Entity, Widget, f32), String> {
    let mut outputs = world.query_filtered::<(Entity, &EguiOutput), With<PrimaryEguiContext>>();
    let (context, output) =
        outputs.single(world).map_err(|_| "the panel is not drawn yet; add \"wait 3\" before this line".to_owned())?;
    let nodes = output.platform_output.accesskit_update.as_ref().map(|update| &update.nodes[..]).unwrap_or_default();
    let mut widgets: Vec<Widget> = nodes.iter().filter_map(Widget::of).collect();
    widgets.sort_by(|a, b| {
        (a.middle.y, a.middle.x).partial_cmp(&(b.middle.y, b.middle.x)).unwrap_or(std::cmp::Ordering::Equal)
    });
    let best = widgets.iter().filter_map(|widget| Some((widget.rank(label)?, widget))).min_by_key(|(rank, _)| *rank);
    if let Some((_, widget)) = best {
        return Ok((context, widget.clone(), output.pixels_per_point));
    }
    let clickable = widgets.iter().filter(|widget| widget.is_clickable);
    let mut texts: Vec<_> = clickable.map(|widget| widget.text.as_str()).collect();
    texts.dedup();
    texts.truncate(LISTED);
    Err(format!("no widget has the label \"{label}\"; the labels that can be clicked are: {}", texts.join(", ")))
}
