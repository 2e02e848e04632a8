"""A convolution on the faces of a mesh; gradient by features and weights."""
import jax.numpy as jnp
import numpy as np
from lcg import Lcg

CASES = ["50x3x4"]


def load(faces, inputs, outputs):
    random = Lcg(28)
    x = random.floats((faces, inputs), -1, 1)
    weight = random.floats((4, inputs, outputs), -1, 1)
    d_y = random.floats((faces, outputs), -1, 1)
    adjacent = (np.arange(faces)[:, None] + 1 + random.indices((faces, 3), 40)) % faces

    def total(x, weight):
        near = x[adjacent]
        between = jnp.abs(jnp.roll(near, -1, 1) - near).sum(1)
        from_own = jnp.abs(near - x[:, None]).sum(1)
        y = x @ weight[0] + near.sum(1) @ weight[1] + between @ weight[2] + from_own @ weight[3]
        return (y * d_y).sum()

    return [x, weight], total
