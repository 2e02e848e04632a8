"""Lennard-Jones molecular dynamics with velocity Verlet; gradient by positions, velocities, sigma and epsilon."""
import jax.numpy as jnp
import numpy as np
from lcg import Lcg

CASES = ["27x5"]


def load(n, steps, cutoff=2.5, step=0.002):
    side = 1
    while side**3 < n:
        side += 1
    random = Lcg(7007)
    position = np.array(
        [[1.2 * cell + random.float(-0.15, 0.15) for cell in (i % side, i // side % side, i // side // side)] for i in range(n)]
    )
    velocity = Lcg(23).floats((n, 3), -0.5, 0.5)
    # pairs of the list: within the cut-off and a skin
    square = ((position[:, None] - position[None]) ** 2).sum(-1)
    i, j = np.nonzero(np.triu(square < (cutoff + 0.3) ** 2, 1))

    def moved(position, velocity, sigma, epsilon):
        def force(x):
            d = x[i] - x[j]
            square = (d**2).sum(-1)
            s6 = (sigma**2 / square) ** 3
            f = jnp.where(square < cutoff**2, 24 * epsilon * (2 * s6**2 - s6) / square, 0.0)
            f = f[:, None] * d
            return jnp.zeros_like(x).at[i].add(f).at[j].add(-f)

        x, v, f = position, velocity, force(position)
        for _ in range(steps):
            v = v + 0.5 * step * f
            x = x + step * v
            f = force(x)
            v = v + 0.5 * step * f
        return 0.5 * ((x - position) ** 2).sum()

    return [position, velocity, 1.0, 1.0], moved
