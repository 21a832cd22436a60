// What a traversal by local grids does with a visitor: tests it against the chunk in workgroup memory.
#define_import_path nearwater::visit_chunk

#import nearwater::grid
#import nearwater::grid::Grid
#import nearwater::local_grid::{bounded, chunk, local_cell_start}
#import nearwater::pair as pair
#import nearwater::visit::visit
#ifdef COUNT_PAIRS
#import nearwater::counting
#endif

// No slot: the visitor is not of the chunk.
const VISITOR: u32 = 0xffffffffu;

struct Found {
    sum: pair::Sum,
    candidates: u32,
    neighbors: u32,
}

fn nothing_found() -> Found {
    return Found(pair::zero(), 0u, 0u);
}

// Where a visitor stands in the local grid.
struct Stand {
    // From the grid's lowest corner, m.
    position: vec3<f32>,
    // Lowest and highest row in reach.
    low: vec2<u32>,
    high: vec2<u32>,
}

fn stand_of(local_grid: Grid, position: vec3<f32>) -> Stand {
    let center = bounded(position);
    return Stand(
        center - local_grid.origin,
        grid::cell_coord(local_grid, center - local_grid.reach).yz,
        grid::cell_coord(local_grid, center + local_grid.reach).yz,
    );
}

// What the squared reach leaves past the gap between the visitor and the slab of cells with number `cell` along an axis.
fn rest_past_slab(reach_squared: f32, position: f32, cell: u32, size: f32) -> f32 {
    let low = f32(cell) * size;
    let gap = max(max(low - position, position - low - size), 0.0);
    return reach_squared - gap * gap;
}

// The slots of a row of x cells, as far as the sphere around a visitor reaches in it: `chord_squared` from the visitor
// both ways.
fn slots_in_reach(local_grid: Grid, x: f32, row: u32, chord_squared: f32) -> vec2<u32> {
    let chord = sqrt(chord_squared);
    let last = f32(local_grid.cell_counts.x - 1u);
    let first_cell = row + u32(clamp((x - chord) * local_grid.inverse_cell_size.x, 0.0, last));
    let last_cell = row + u32(clamp((x + chord) * local_grid.inverse_cell_size.x, 0.0, last));
    return vec2<u32>(atomicLoad(&local_cell_start[first_cell]), atomicLoad(&local_cell_start[last_cell + 1u]));
}

// What the chunk gives a particle, which itself is in the chunk's `own_slot` or a VISITOR.
fn visit_chunk(local_grid: Grid, position: vec3<f32>, particle: pair::Particle, own_slot: u32) -> Found {
    let stand = stand_of(local_grid, position);
    let reach_squared = local_grid.reach * local_grid.reach;
    var found = nothing_found();
    for (var z = stand.low.y; z <= stand.high.y; z++) {
        let rest = rest_past_slab(reach_squared, stand.position.z, z, local_grid.cell_size.z);
        for (var y = stand.low.x; y <= stand.high.x; y++) {
            let chord_squared = rest_past_slab(rest, stand.position.y, y, local_grid.cell_size.y);
            if chord_squared < 0.0 {
                continue;
            }
            let row = (z * local_grid.cell_counts.y + y) * local_grid.cell_counts.x;
            let slots = slots_in_reach(local_grid, stand.position.x, row, chord_squared);
            for (var slot = slots.x; slot < slots.y; slot++) {
                let candidate = chunk[slot];
                let offset = position - candidate.xyz;
                let other = bitcast<u32>(candidate.w);
                found.sum = visit(found.sum, particle, other, slot != own_slot, offset, local_grid.radius_squared);
#ifdef COUNT_PAIRS
                found.candidates += u32(slot != own_slot);
                found.neighbors += u32(slot != own_slot && dot(offset, offset) <= local_grid.radius_squared);
#endif
            }
        }
    }
    return found;
}

#ifdef DEPOSITS
// As `visit_chunk` for a visitor, and deposits what the visitor gives on the particles of the chunk.
fn visit_chunk_both_ways(local_grid: Grid, position: vec3<f32>, particle: pair::Particle) -> Found {
    let stand = stand_of(local_grid, position);
    let reach_squared = local_grid.reach * local_grid.reach;
    var found = nothing_found();
    for (var z = stand.low.y; z <= stand.high.y; z++) {
        let rest = rest_past_slab(reach_squared, stand.position.z, z, local_grid.cell_size.z);
        for (var y = stand.low.x; y <= stand.high.x; y++) {
            let chord_squared = rest_past_slab(rest, stand.position.y, y, local_grid.cell_size.y);
            if chord_squared < 0.0 {
                continue;
            }
            let row = (z * local_grid.cell_counts.y + y) * local_grid.cell_counts.x;
            let slots = slots_in_reach(local_grid, stand.position.x, row, chord_squared);
            for (var slot = slots.x; slot < slots.y; slot++) {
                let candidate = chunk[slot];
                let offset = position - candidate.xyz;
                let other = bitcast<u32>(candidate.w);
                let distance_squared = dot(offset, offset);
                let is_neighbor = distance_squared <= local_grid.radius_squared;
                if is_neighbor {
                    let given = pair::contribution(particle, pair::load(other), offset, distance_squared);
                    found.sum = pair::add(found.sum, given);
                    pair::deposit(other, pair::mirror(given));
                }
#ifdef COUNT_PAIRS
                found.candidates += 1u;
                found.neighbors += u32(is_neighbor);
                counting::count_particle(other, 1u, u32(is_neighbor));
#endif
            }
        }
    }
    return found;
}
#endif
