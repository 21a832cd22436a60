// Particles of a coarse cell: two ranges of the sorted order, one of border particles and one of inner particles, which
// a search keeps beside each other or apart. They are numbered from the first border particle to the last inner
// particle.
#define_import_path nearwater::owners

// Words of a chunk in the list that `halo_order` writes and `halo_gather` reads.
const WORDS_OF_CHUNK: u32 = 11u;

// The border particles [border_first, border_end) and the inner particles [inner_first, inner_end).
struct Owners {
    border_first: u32,
    border_end: u32,
    inner_first: u32,
    inner_end: u32,
}

// The particles of one range.
fn in_one_range(first: u32, end: u32) -> Owners {
    return Owners(first, end, end, end);
}

fn border_count(owners: Owners) -> u32 {
    return owners.border_end - owners.border_first;
}

fn inner_count(owners: Owners) -> u32 {
    return owners.inner_end - owners.inner_first;
}

fn number_of(owners: Owners) -> u32 {
    return border_count(owners) + inner_count(owners);
}

// The index in the sorted order of the particle with that number.
fn index_of(owners: Owners, number: u32) -> u32 {
    let borders = border_count(owners);
    return number + select(owners.inner_first - borders, owners.border_first, number < borders);
}

fn is_owner(owners: Owners, index: u32) -> bool {
    return index - owners.border_first < border_count(owners) || index - owners.inner_first < inner_count(owners);
}

// The particles with numbers from `begin` up to but excluding `end`.
fn part_of(owners: Owners, begin: u32, end: u32) -> Owners {
    let borders = border_count(owners);
    return Owners(
        owners.border_first + min(begin, borders),
        owners.border_first + min(end, borders),
        owners.inner_first + max(begin, borders) - borders,
        owners.inner_first + max(end, borders) - borders,
    );
}
