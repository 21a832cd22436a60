"""Neighbors are those of scipy.spatial.cKDTree, for every search and every kind of array."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

import nearwater

SEARCHES = [search.name for search in nearwater.searches()]


def rows(found):
    """The set of neighbors of every point."""
    offsets, indices = found
    return [set(indices[begin:end].tolist()) for begin, end in zip(offsets, offsets[1:])]


def check(points, radius, found):
    """Compares with the tree. Pairs whose distance single precision cannot decide may be in either set."""
    offsets, indices = found
    count = len(points)
    assert offsets.dtype == np.int64 and indices.dtype == np.uint32
    assert offsets.shape == (count + 1,) and offsets[0] == 0 and offsets[-1] == len(indices)
    points = np.asarray(points, dtype=np.float64)
    extent = float(np.ptp(points, axis=0).max()) if count else 0.0
    margin = 2.4e-7 * (extent + radius)
    tree = cKDTree(points)
    surely = tree.query_ball_point(points, radius - margin)
    possibly = tree.query_ball_point(points, radius + margin)
    undecided = 0
    for point, listed in enumerate(rows(found)):
        own = indices[offsets[point] : offsets[point + 1]]
        assert len(own) == len(listed) and np.all(np.diff(own.astype(np.int64)) > 0), f"row {point} is not ascending"
        least, most = set(surely[point]) - {point}, set(possibly[point]) - {point}
        assert least <= listed, f"point {point} lacks {least - listed}"
        assert listed <= most, f"point {point} wrongly has {listed - most}"
        undecided += len(most) - len(least)
    # The margin must not be what makes the sets equal.
    assert undecided <= max(2, 0.002 * len(indices)), f"{undecided} of {len(indices)} pairs are undecided"


def clusters(generator):
    """Dense clusters far from each other and from the origin, with lone points between them."""
    centers = generator.random((6, 3)) * 40.0 + 1000.0
    dense = centers[generator.integers(0, 6, 1200)] + generator.normal(0.0, 0.6, (1200, 3))
    return np.concatenate([dense, generator.random((100, 3)) * 40.0 + 1000.0])


CLOUDS = {
    "uniform": lambda generator: (generator.random((1500, 3)), 0.1),
    "clusters": lambda generator: (clusters(generator), 0.5),
    "plane": lambda generator: (generator.random((1500, 2)) * 5.0 - 2.0, 0.15),
    "coincident": lambda generator: (np.repeat(generator.random((40, 3)), 5, axis=0), 0.2),
    "lattice": lambda generator: (np.stack(np.meshgrid(*[np.arange(9.0)] * 3), axis=-1).reshape(-1, 3), 1.05),
    "one": lambda generator: (generator.random((1, 3)), 0.1),
}


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("search", SEARCHES)
def test_every_search_finds_what_the_tree_finds(search, cloud):
    points, radius = CLOUDS[cloud](np.random.default_rng(7))
    check(points, radius, nearwater.neighbors(points, radius, search=search))


@pytest.mark.parametrize("seed", range(5))
def test_random_clouds_of_random_sizes_and_units(seed):
    generator = np.random.default_rng(seed)
    count, unit = int(generator.integers(2, 3000)), 10.0 ** generator.uniform(-40.0, 40.0)
    points = generator.random((count, 3)) * unit
    radius = 0.12 * unit
    check(points / unit, radius / unit, nearwater.neighbors(points, radius))


def test_arrays_of_any_type_and_layout_give_the_same_rows():
    points = np.random.default_rng(3).random((500, 3)).astype(np.float32)
    expected = rows(nearwater.neighbors(points, 0.15))
    wide = np.zeros((1000, 5), np.float32)
    wide[::2, 1:4] = points
    record = np.zeros(500, [("tag", "u1"), ("xyz", "<f4", 3)])
    record["xyz"] = points
    layouts = {
        "double": points.astype(np.float64),
        "Fortran order": np.asfortranarray(points),
        "strided": wide[::2, 1:4],
        "backwards twice": points[::-1][::-1],
        "unaligned": record["xyz"],
        "other byte order": points.astype(">f4"),
        "list": points.tolist(),
    }
    for name, array in layouts.items():
        assert rows(nearwater.neighbors(array, 0.15)) == expected, name
    backwards = rows(nearwater.neighbors(points[::-1], 0.15))
    assert [{499 - other for other in row} for row in backwards[::-1]] == expected
    whole = (points * 100).astype(np.int16)
    assert rows(nearwater.neighbors(whole, 15)) == rows(nearwater.neighbors(whole.astype(float), 15.0))


def test_points_are_not_changed_and_may_be_read_only():
    points = np.random.default_rng(4).random((100, 3))
    before = points.copy()
    points.flags.writeable = False
    nearwater.neighbors(points, 0.3)
    assert np.array_equal(points, before)


def test_no_points_have_no_neighbors():
    for search in SEARCHES:
        offsets, indices = nearwater.neighbors(np.zeros((0, 3)), 0.1, search=search)
        assert offsets.tolist() == [0] and len(indices) == 0


def test_options_reach_the_search():
    points = np.random.default_rng(5).random((500, 3))
    check(points, 0.1, nearwater.neighbors(points, 0.1, search="green", options={"cell-edge": "2r"}))
