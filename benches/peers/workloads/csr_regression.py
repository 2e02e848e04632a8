"""Logistic regression on sparse features; gradient by weights and bias."""
import jax.numpy as jnp
import numpy as np
from lcg import Lcg

CASES = ["60x30"]


def load(n, features, ridge=0.01):
    random = Lcg(27)
    start = random.row_starts(n)
    column = random.indices(start[-1], features)
    value = random.floats(len(column), -1, 1)
    label = np.where(random.indices(n, 2) == 0, -1.0, 1.0)
    weight = random.floats(features, -1, 1)
    dense = np.zeros((n, features))
    np.add.at(dense, (np.repeat(np.arange(n), np.diff(start)), column), value)

    def loss(weight, bias):
        return jnp.logaddexp(0.0, -label * (dense @ weight + bias)).mean() + 0.5 * ridge * (weight**2).sum()

    return [weight, 0.1], loss
