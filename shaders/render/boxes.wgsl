// Boxes in the layout of `render::overlay::BoxRecord`, drawn by `box_lines.wgsl` and `box_faces.wgsl`.
#define_import_path nearwater::render::boxes

// Mirrored by `render::overlay::BoxRecord`.
struct BoxRecord {
    // Corners, m.
    low: vec3<f32>,
    // Width of the edges, pixels.
    width: f32,
    high: vec3<f32>,
    // Opacity where something hides it, relative to the opacity where it is visible, 0 to 1.
    hidden: f32,
    // Linear color and opacity of edges and faces.
    edge: vec4<f32>,
    face: vec4<f32>,
}

// Sorted from the farthest to the nearest.
@group(1) @binding(0) var<storage, read> boxes: array<BoxRecord>;
