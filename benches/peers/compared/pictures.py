"""Soft silhouettes of triangles, in blocks of rows of pixels."""
import numpy as np

from . import program


@program
def soft_rasteriser(c):
    (size,) = c.sizes
    faces, target = c.indices[0].reshape(-1, 3), c.floats[0]
    sharpness = 0.01

    def block(t, pixels, a, b):
        edge = b - a
        q = pixels[:, None, None, :2] - a
        along = (q * edge).sum(-1) / (edge * edge).sum(-1)
        # no derivative beside the ends of an edge
        along = t.where(along < 0.0, 0.0 * along, t.where(along > 1.0, 0.0 * along + 1.0, along))
        apart = q - along[..., None] * edge
        nearest = t.least((apart * apart).sum(-1), -1)
        left = (edge[..., 0] * q[..., 1] - edge[..., 1] * q[..., 0] > 0.0).sum(-1)
        inside = t.where((left == 0) | (left == 3), nearest, -nearest)
        seen = 1.0 - t.product(1.0 - t.sigmoid(inside / sharpness), 1)
        e = seen - pixels[:, 2]
        return 0.5 * (e * e).sum()

    def f(t, vertices, pixels, faces, next):
        return t.blocks(lambda *x: block(t, *x), pixels, vertices[faces], vertices[next])

    at = (2.0 * np.arange(size) + 1.0) / size - 1.0
    x, y = np.meshgrid(at, at)
    pixels = np.stack([x, y, target.reshape(size, size)], -1)
    return [(len(c.parameters) // 2, 2)], [pixels, faces, np.roll(faces, -1, 1)], f, True
