"""ADBench's hand tracking: a posed skin and the points that were measured on it."""
import numpy as np

from . import program

BONES = 22
# wrist, five fingers of four bones, forearm
PARENT = [-1] + [0 if bone % 4 == 1 else bone - 1 for bone in range(1, BONES)]


def skin(t, theta, base, inverse, vertices, weights):
    """Where the corners of the skin are."""
    zero, one = 0.0 * theta[0], 0.0 * theta[0] + 1.0

    def turn(bend, spread):
        sx, cx, sz, cz = t.sin(bend), t.cos(bend), t.sin(spread), t.cos(spread)
        rows = [[cz, -sz * cx, sz * sx, zero], [sz, cz * cx, -cz * sx, zero], [zero, sx, cx, zero], [zero] * 3 + [one]]
        return t.stack([t.stack(row) for row in rows])

    absolute = []
    for bone in range(BONES):
        relative = base[bone]
        finger, joint = divmod(bone - 2, 4)
        if 0 <= finger < 5 and joint < 3:
            # two angles of the first joint, one of each of the others
            first = 6 + 4 * finger + (joint + 1 if joint else 0)
            relative = relative @ turn(theta[first], zero if joint else theta[first + 1])
        absolute.append(relative if PARENT[bone] < 0 else absolute[PARENT[bone]] @ relative)
    moving = t.stack(absolute) @ inverse
    at = t.einsum("vb,bij,vj->vi", weights, moving[:, :3, :3], vertices) + weights @ moving[:, :3, 3]
    angle = t.sqrt((theta[:3] * theta[:3]).sum())
    x, y, z = (theta[k] / angle for k in range(3))
    axis = theta[:3] / angle
    cross = t.stack([t.stack(row) for row in [[zero, -z, y], [z, zero, -x], [-y, x, zero]]])
    along = (1.0 - t.cos(angle)) * (at @ axis)[:, None] * axis
    return at * t.cos(angle) + along + t.sin(angle) * (at @ cross.T) + theta[3:6]


def parts(c):
    base, inverse, vertices, weights, points = c.floats
    rows = lambda x, *shape: x.reshape(-1, *shape)
    return [rows(base, 4, 4), rows(inverse, 4, 4), rows(vertices, 3), rows(weights, BONES), rows(points, 3)]


def simple_errors(t, theta, base, inverse, vertices, weights, points, vertex_of):
    # corners that no point belongs to need not be moved
    return points - skin(t, theta, base, inverse, vertices[vertex_of], weights[vertex_of])


def complicated_errors(t, theta, within, base, inverse, vertices, weights, points, corners):
    at = skin(t, theta, base, inverse, vertices, weights)
    u, v = within[:, :1], within[:, 1:]
    return points - (u * at[corners[:, 0]] + v * at[corners[:, 1]] + (1.0 - u - v) * at[corners[:, 2]])


def half_square(errors):
    def f(t, *arguments):
        e = errors(t, *arguments)
        return 0.5 * (e * e).sum()

    return f


@program
def hand_simple(c):
    return [(26,)], [*parts(c), c.indices[1]], half_square(simple_errors), False


@program
def hand_complicated(c):
    triangles, _, triangle_of = c.indices
    corners = triangles.reshape(-1, 3)[triangle_of]
    return [(26,), (len(corners), 2)], [*parts(c), corners], half_square(complicated_errors), False
