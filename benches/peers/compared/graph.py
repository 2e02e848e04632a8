"""Rows behind an index: sparse products, attention over neighbours, bands, meshes, pairs of atoms, cameras and points."""
import numpy as np

from . import program, rows


@program
def spmv(c):
    (n,), (start, column) = c.sizes, c.indices

    def f(t, values, x, column, row):
        y = t.segment_sum(values * x[column], row, n)
        return 0.5 * (y * y).sum()

    return [(len(column),), (n,)], [column, rows(start)], f, False


@program
def row_softmax(c):
    (n,) = c.sizes
    start, column = (index[::2] for index in c.indices)

    def f(t, values, x, payoff, column, row):
        score = values * x[column]
        weight = t.exp(score - t.stop(t.segment_max(t.stop(score), row, n))[row])
        total = t.segment_sum(weight, row, n)
        expected = t.segment_sum(weight * payoff, row, n)
        # empty rows count nothing
        return (expected / t.where(total > 0, total, total + 1.0)).sum()

    return [(len(column),), (n,)], [c.floats[0], column, rows(start)], f, False


@program
def csr_regression(c):
    (start, column), (value, label) = c.indices, c.floats
    n = len(label)
    features = len(c.parameters) - 1

    def f(t, weight, bias, value, label, column, row):
        margin = label * (t.segment_sum(value * weight[column], row, n) + bias)
        loss = t.maximum(-margin, 0.0 * margin) + t.log1p(t.exp(-t.abs(margin)))
        return loss.sum() / n + 0.5 * 0.01 * (weight * weight).sum()

    return [(features,), (1,)], [value, label, column, rows(start)], f, False


@program
def gat(c):
    (nodes,), (start, neighbour) = c.sizes, c.indices
    features = 32

    def f(t, x, w, a1, a2, d_y, neighbour, row):
        z = x @ w
        e = (z @ a1)[neighbour] + (z @ a2)[row]
        e = t.where(e >= 0, e, 0.1 * e)
        weight = t.exp(e - t.stop(t.segment_max(t.stop(e), row, nodes))[row])
        share = weight / t.segment_sum(weight, row, nodes)[row]
        y = t.segment_sum(z[neighbour] * share[:, None], row, nodes)
        return (y * d_y).sum()

    shapes = [(nodes, features), (features, features), (features,), (features,)]
    return shapes, [c.floats[0].reshape(nodes, features), neighbour, rows(start)], f, False


@program
def attn(c):
    heads, n, d = c.sizes
    width, dilation, dilated = 32, 4, min(2, heads)

    def band(m):
        """Which of the keys of its block, the one before and the one behind a query may see."""
        blocks = -(-m // width)
        query = np.arange(blocks * width).reshape(blocks, width, 1)
        key = (np.arange(blocks)[:, None, None] - 1) * width + np.arange(3 * width)
        return (abs(query - key) <= width) & (key >= 0) & (key < m)

    def attend(t, q, k, v, dilation, seen):
        h = q.shape[0]
        m = n // dilation
        blocks = -(-m // width)
        behind = blocks * width - m

        def apart(x):
            # every dilation-th position is a sequence of its own
            return t.transpose(x.reshape(h, m, dilation, d), (0, 2, 1, 3)).reshape(h * dilation, m, d)

        def near(x):
            x = t.pad(apart(x), ((0, 0), (width, width + behind), (0, 0))).reshape(h * dilation, blocks + 2, width, d)
            return t.concatenate([x[:, :-2], x[:, 1:-1], x[:, 2:]], 2)

        q = t.pad(apart(q), ((0, 0), (0, behind), (0, 0))).reshape(h * dilation, blocks, width, d)
        score = t.einsum("hbqd,hbkd->hbqk", q, near(k)) / d**0.5
        share = t.softmax(t.where(seen, score, score * 0.0 - 1e30), -1)
        y = t.einsum("hbqk,hbkd->hbqd", share, near(v)).reshape(h * dilation, blocks * width, d)[:, :m]
        return t.transpose(y.reshape(h, dilation, m, d), (0, 2, 1, 3)).reshape(h, n, d)

    def f(t, q, k, v, d_y, seen, seen_dilated):
        few = attend(t, q[:dilated], k[:dilated], v[:dilated], dilation, seen_dilated)
        all = attend(t, q[dilated:], k[dilated:], v[dilated:], 1, seen)
        return (t.concatenate([few, all], 0) * d_y).sum()

    assert n % dilation == 0
    constants = [c.floats[0].reshape(heads, n, d), band(n), band(n // dilation)]
    return [(heads, n, d)] * 3, constants, f, False


def reprojection(t, camera, point, weight, feature):
    """Two errors of each observation, scaled by its weight, and how far the weight is from one."""
    r0, r1, r2, c0, c1, c2, focal, u0, v0, k1, k2 = camera.T
    x, y, z = point.T
    x, y, z = x - c0, y - c1, z - c2
    angle = t.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
    sin, cos = t.sin(angle), t.cos(angle)
    a, b, c = r0 / angle, r1 / angle, r2 / angle
    along = (a * x + b * y + c * z) * (1.0 - cos)
    rx = x * cos + (b * z - c * y) * sin + a * along
    ry = y * cos + (c * x - a * z) * sin + b * along
    rz = z * cos + (a * y - b * x) * sin + c * along
    u, v = rx / rz, ry / rz
    square = u * u + v * v
    scale = focal * (1.0 + k1 * square + k2 * square * square)
    e0 = weight * (u * scale + u0 - feature.T[0])
    e1 = weight * (v * scale + v0 - feature.T[1])
    return e0, e1, 1.0 - weight * weight


@program
def ba(c):
    cameras, points, seen = c.sizes

    def f(t, camera, point, weight, feature, camera_of, point_of):
        e0, e1, e2 = reprojection(t, camera[camera_of], point[point_of], weight, feature)
        return 0.5 * ((e0 * e0).sum() + (e1 * e1).sum() + (e2 * e2).sum())

    constants = [c.floats[0].reshape(seen, 2), *c.indices]
    return [(cameras, 11), (points, 3), (seen,)], constants, f, False


@program
def lennard_jones(c):
    start, neighbour = c.indices
    atoms, cutoff = len(start) - 1, 2.5
    shift = 4.0 * (cutoff**-12 - cutoff**-6)

    def f(t, position, row, neighbour):
        d = position[row] - position[neighbour]
        square = (d * d).sum(1)
        s6 = 1.0 / (square * square * square)
        return t.where(square < cutoff * cutoff, 4.0 * (s6 * s6 - s6) - shift, 0.0 * square).sum()

    return [(atoms, 3)], [rows(start), neighbour], f, False


@program
def mesh_convolution(c):
    inputs, outputs = c.sizes
    (adjacent,), (d_y,) = c.indices, c.floats
    faces = len(adjacent) // 3

    def f(t, x, weight, adjacent, d_y):
        near = x[adjacent]
        first, second, third = near[:, 0], near[:, 1], near[:, 2]
        # of a tie the derivative is 0: x times its sign
        size = lambda e: e * t.stop(t.sign(e))
        between = size(second - first) + size(third - second) + size(first - third)
        from_own = size(first - x) + size(second - x) + size(third - x)
        y = x @ weight[0] + (first + second + third) @ weight[1] + between @ weight[2] + from_own @ weight[3]
        return (y * d_y).sum()

    constants = [adjacent.reshape(faces, 3), d_y.reshape(faces, outputs)]
    return [(faces, inputs), (4, inputs, outputs)], constants, f, False
