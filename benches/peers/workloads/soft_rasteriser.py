"""A soft silhouette of triangles against a picture; gradient by the vertices."""
import jax.numpy as jnp
import numpy as np
from lcg import Lcg

CASES = ["11x7"]


def load(size, faces, sharpness=0.01):
    vertices = Lcg(29).floats((faces + 2, 2), -0.8, 0.8)
    corners = np.arange(faces)[:, None] + np.arange(3)
    at = (2 * np.arange(size) + 1) / size - 1
    pixels = np.stack(np.meshgrid(at, at), -1).reshape(-1, 1, 1, 2)
    target = ((pixels[:, 0, 0] ** 2).sum(-1) < 0.25).astype(float)

    def loss(vertices):
        a = vertices[corners]
        edge = jnp.roll(a, -1, 1) - a
        q = pixels - a
        t = jnp.clip((q * edge).sum(-1) / (edge**2).sum(-1), 0.0, 1.0)
        square = ((q - t[..., None] * edge) ** 2).sum(-1).min(-1)
        left = (edge[..., 0] * q[..., 1] - edge[..., 1] * q[..., 0] > 0).sum(-1)
        d = jnp.where((left == 0) | (left == 3), square, -square)
        covered = 1 / (1 + jnp.exp(-d / sharpness))
        return 0.5 * ((1 - jnp.prod(1 - covered, 1) - target) ** 2).sum()

    return [vertices], loss
