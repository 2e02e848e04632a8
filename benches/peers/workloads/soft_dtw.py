"""Soft dynamic time warping of a prototype against series; gradient by both."""
import jax.numpy as jnp
from jax.scipy.special import logsumexp
from lcg import Lcg

CASES = ["3x7x9x2"]


def load(count, n, m, d, gamma=0.1):
    random = Lcg(24)
    prototype = random.floats((m, d), -1, 1)
    series = random.floats((count, n, d), -1, 1)

    def total(prototype, series):
        cost = ((series[:, :, None] - prototype) ** 2).sum(-1)
        # far instead of infinite: nothing of it is left behind the exponential
        far = jnp.full(count, 1e10)
        above = [jnp.zeros(count)] + [far] * m
        for i in range(n):
            row = [far]
            for j in range(m):
                ways = jnp.stack([above[j], above[j + 1], row[j]])
                row.append(cost[:, i, j] - gamma * logsumexp(-ways / gamma, axis=0))
            above = row
        return above[m].sum()

    return [prototype, series], total
