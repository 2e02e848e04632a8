"""Lookups of macroscopic cross sections; gradient by the channels and the densities."""
import jax.numpy as jnp
import numpy as np
from lcg import Lcg

CASES = ["70x6x8"]
WEIGHT = np.array([1.0, 0.5, 0.25, 0.1, 0.05])


def materials(nuclides):
    """Material, nuclide of each member."""
    counts = [nuclides, nuclides // 2, min(nuclides, 3)]
    return np.repeat(np.arange(3), counts), np.concatenate([np.arange(count) for count in counts])


def load(count, nuclides, points):
    of, member = materials(nuclides)
    random = Lcg(31)
    channels = random.floats((nuclides, points, 5), 0, 1)
    density = random.floats(len(member), 0.1, 1)
    grid = np.sort(random.floats((nuclides, points), 0, 1), 1)
    energy = random.floats(count, 0, 1)
    material = random.indices(count, 3)
    # what the unionised grid leads to: its interval begins at the largest energy that is not above, or at its second last
    union = np.sort(grid.ravel())
    low = np.clip(np.searchsorted(union, energy, side="right") - 1, 0, len(union) - 2)
    start = union[low]
    index = np.stack([np.clip(np.searchsorted(g, start, side="right") - 1, 0, points - 2) for g in grid])
    here = np.arange(nuclides)[:, None]
    left, right = grid[here, index], grid[here, index + 1]
    f = (right - energy) / (right - left)
    active = of[:, None] == material

    def total(channels, density):
        micro = channels[here, index + 1] - f[..., None] * (channels[here, index + 1] - channels[here, index])
        weighted = density[:, None, None] * micro[member] * active[..., None]
        return (weighted * WEIGHT).sum()

    return [channels, density], total
