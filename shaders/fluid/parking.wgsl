// Places beside the box for particles that take part in nothing (flow.rs), in rows along y and then z.
#define_import_path nearwater::parking

// The parking place of a number, m; `low`, m, is that of number 0, `step`, m, the distance between places, and `rows`
// how many there are along y and z.
fn parking_place(low: vec3<f32>, step: f32, rows: vec2<u32>, number: u32) -> vec3<f32> {
    let rest = number / rows.x;
    return low + step * vec3<f32>(vec3<u32>(rest / rows.y, number % rows.x, rest % rows.y));
}
