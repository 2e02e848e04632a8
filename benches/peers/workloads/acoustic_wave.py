"""Acoustic waves, second order in time and fourth in space; gradient of the misfit by the Courant numbers."""
import jax.numpy as jnp
import numpy as np
from lcg import Lcg

CASES = ["20x16x40"]


def load(nx, ny, steps):
    random = Lcg(22)
    courant = random.floats((ny, nx), 0.3, 0.5)
    y, x = np.mgrid[:ny, :nx]
    edge = np.minimum(np.minimum(x, nx - 1 - x), np.minimum(y, ny - 1 - y))
    damping = 0.01 * np.maximum(5 - edge, 0) ** 2
    a = 0.2 * (np.arange(steps) - 10.0)
    wavelet = (1 - 2 * a**2) * np.exp(-(a**2))
    receivers = np.arange(2, nx - 2, 3)
    observed = random.floats((steps, len(receivers)), -0.1, 0.1)
    inside = np.zeros((ny, nx), bool)
    inside[2:-2, 2:-2] = True

    def misfit(courant):
        shifted = lambda u, k: jnp.roll(u, k, 0) + jnp.roll(u, -k, 0) + jnp.roll(u, k, 1) + jnp.roll(u, -k, 1)
        before = now = jnp.zeros((ny, nx))
        total = 0.0
        for t in range(steps):
            laplacian = (4 / 3) * shifted(now, 1) - shifted(now, 2) / 12 - 5 * now
            after = (2 * now - (1 - damping) * before + courant**2 * laplacian) / (1 + damping)
            after = jnp.where(inside, after, 0.0).at[ny // 2, nx // 2].add(wavelet[t])
            total += 0.5 * ((after[3, receivers] - observed[t]) ** 2).sum()
            before, now = now, after
        return total

    return [courant], misfit
