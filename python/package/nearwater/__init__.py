"""GPU neighbor searches and particle fluids on NumPy arrays.

>>> import numpy as np
>>> import nearwater
>>> points = np.random.default_rng(1).random((1000, 3))
>>> offsets, indices = nearwater.neighbors(points, radius=0.1)
>>> of_first = indices[offsets[0]:offsets[1]]

>>> water = nearwater.Simulation("dam_break", particles=2000)
>>> water.run(0.05)
>>> water.positions.shape[1]
3
"""

from ._nearwater import (
    Adapter,
    GpuError,
    Search,
    Simulation,
    adapters,
    neighbors,
    scenes,
    searches,
    solvers,
)

__all__ = [
    "Adapter",
    "GpuError",
    "Search",
    "Simulation",
    "adapters",
    "neighbors",
    "scenes",
    "searches",
    "solvers",
]
