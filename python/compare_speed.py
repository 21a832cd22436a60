"""Times nearwater.neighbors beside scipy.spatial.cKDTree, for the table in docs/PYTHON.md.

    python python/compare_speed.py [COUNT ...]

Uniform random points in a cube with 30 neighbors each on average. Every time is that of a whole call from NumPy arrays to
NumPy arrays, median of several calls; the first calls, which compile shaders, are reported apart.
"""

import os
import platform
import statistics
import sys
import time

import numpy as np
import scipy
from scipy.spatial import cKDTree

import nearwater

NEIGHBORS = 30
SEARCHES = ["claws", "clipped_rows", "hoetzlein"]


def seconds(call, repeats):
    """Median duration of a call, s."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def directed_pairs(points, radius):
    """Number of neighbors that the tree finds, each direction counted."""
    return 2 * len(cKDTree(points).query_pairs(radius, output_type="ndarray"))


def main():
    counts = [int(text) for text in sys.argv[1:]] or [10_000, 100_000]
    print(f"{nearwater.adapters()[0].name}; {os.cpu_count()} logical processors; Python {platform.python_version()}, "
          f"NumPy {np.__version__}, SciPy {scipy.__version__}")
    print("| points | neighbors | " + " | ".join(SEARCHES) + " | `query_pairs` | `query_ball_point`, all processors |")
    print("|" + "---|" * (4 + len(SEARCHES)))
    for count in counts:
        points = np.random.default_rng(count).random((count, 3)).astype(np.float32)
        radius = float((NEIGHBORS / (count * 4.0 / 3.0 * np.pi)) ** (1.0 / 3.0))
        repeats = 7 if count <= 200_000 else 5
        first, ours = [], []
        for search in SEARCHES:
            def call(search=search):
                return nearwater.neighbors(points, radius, search=search)

            first.append(seconds(call, 1))
            ours.append(seconds(call, repeats))
        found = len(nearwater.neighbors(points, radius)[1])
        expected = directed_pairs(points, radius)
        assert abs(found - expected) <= 1e-5 * expected + 2, f"{found} neighbors, and the tree finds {expected}"
        pairs = seconds(lambda: directed_pairs(points, radius), 3)
        lists = seconds(lambda: cKDTree(points).query_ball_point(points, radius, workers=-1), 1)
        cells = [f"{1e3 * value:.1f}" for value in [*ours, pairs, lists]]
        print(f"| {count:,} | {found:,} | " + " | ".join(cells) + " |")
        print("first calls: " + ", ".join(f"{name} {value:.2f} s" for name, value in zip(SEARCHES, first)), file=sys.stderr)


if __name__ == "__main__":
    main()
