"""Lattice Boltzmann D2Q9 with partial bounce-back; gradient of the drag by the share of solid."""
import jax.numpy as jnp
import numpy as np
from lcg import Lcg

CASES = ["14x9x6"]
C = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
W = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
OPPOSITE = np.array([int(np.flatnonzero((C == -c).all(1))[0]) for c in C])


def equilibrium(density, velocity):
    along = jnp.einsum("qa,ayx->qyx", C, velocity)
    square = (velocity**2).sum(0)
    return W[:, None, None] * density * (1 + 3 * along + 4.5 * along**2 - 1.5 * square)


def load(nx, ny, steps, omega=1.2, inflow=0.1):
    solid = Lcg(21).floats((ny, nx), 0.0, 0.3)
    inside = np.zeros((ny, nx), bool)
    inside[1:-1, 1:-1] = True

    def drag(solid):
        f = equilibrium(jnp.ones((ny, nx)), jnp.stack([jnp.full((ny, nx), inflow), jnp.zeros((ny, nx))]))
        edge = f
        total = 0.0
        for _ in range(steps):
            density = f.sum(0)
            velocity = jnp.einsum("qa,qyx->ayx", C, f) / density
            fluid = f + omega * (equilibrium(density, velocity) - f)
            back = f[OPPOSITE]
            total += jnp.where(inside, jnp.einsum("q,qyx->yx", C[:, 0], solid * (fluid - back)), 0).sum()
            collided = jnp.where(inside, fluid + solid * (back - fluid), edge)
            moved = jnp.stack([jnp.roll(collided[q], (C[q, 1], C[q, 0]), (0, 1)) for q in range(9)])
            f = jnp.where(inside, moved, edge)
        return total

    return [solid], drag
