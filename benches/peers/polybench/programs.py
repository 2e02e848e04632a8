"""The kernels of PolyBench in JAX: each a function of its sizes that returns the shapes of the parameters and the loss of these.

They are written over whole arrays from what the kernels compute, with loops (`scan`) where one step needs the last one.
"""
import jax
import jax.numpy as jnp
from jax import lax

ALPHA, BETA = 1.5, 1.2
KERNELS = {}


def kernel(name):
    def add(make):
        KERNELS[name] = make
        return make

    return add


def loss(*arrays):
    return sum(0.5 * (x * x).sum() for x in arrays)


def repeat(step, state, count):
    """`step` applied `count` times."""
    return lax.scan(lambda state, _: (step(state), None), state, None, length=count)[0]


@kernel("correlation")
def correlation(m, n):
    def f(data):
        centred = data - data.mean(0)
        deviation = jnp.sqrt((centred * centred).mean(0))
        scaled = centred / (jnp.sqrt(float(n)) * jnp.where(deviation <= 0.1, 1.0, deviation))
        c = scaled.T @ scaled
        return loss(jnp.where(jnp.eye(m, dtype=bool), 1.0, c))

    return [(n, m)], f


@kernel("covariance")
def covariance(m, n):
    def f(data):
        centred = data - data.mean(0)
        return loss(centred.T @ centred / (n - 1.0))

    return [(n, m)], f


@kernel("2mm")
def two_mm(ni, nj, nk, nl):
    return [(ni, nk), (nk, nj), (nj, nl), (ni, nl)], lambda a, b, c, d: loss(ALPHA * (a @ b) @ c + BETA * d)


@kernel("3mm")
def three_mm(ni, nj, nk, nl, nm):
    return [(ni, nk), (nk, nj), (nj, nm), (nm, nl)], lambda a, b, c, d: loss((a @ b) @ (c @ d))


@kernel("atax")
def atax(m, n):
    return [(m, n), (n,)], lambda a, x: loss(a.T @ (a @ x))


@kernel("bicg")
def bicg(m, n):
    return [(n, m), (n,), (m,)], lambda a, r, p: loss(a.T @ r, a @ p)


@kernel("doitgen")
def doitgen(nq, nr, np):
    return [(nr * nq, np), (np, np)], lambda a, c: loss(a @ c)


@kernel("mvt")
def mvt(n):
    shapes = [(n, n), (n,), (n,), (n,), (n,)]
    return shapes, lambda a, x1, x2, y1, y2: loss(x1 + a @ y1, x2 + a.T @ y2)


@kernel("gemm")
def gemm(ni, nj, nk):
    return [(ni, nk), (nk, nj), (ni, nj)], lambda a, b, c: loss(ALPHA * a @ b + BETA * c)


@kernel("gemver")
def gemver(n):
    def f(a, u1, v1, u2, v2, y, z):
        a = a + jnp.outer(u1, v1) + jnp.outer(u2, v2)
        return loss(ALPHA * a @ (BETA * a.T @ y + z))

    return [(n, n)] + [(n,)] * 6, f


@kernel("gesummv")
def gesummv(n):
    return [(n, n), (n, n), (n,)], lambda a, b, x: loss(ALPHA * a @ x + BETA * b @ x)


@kernel("symm")
def symm(m, n):
    def f(a, b, c):
        return loss(ALPHA * (jnp.tril(a) + jnp.tril(a, -1).T) @ b + BETA * c)

    return [(m, m), (m, n), (m, n)], f


@kernel("syr2k")
def syr2k(m, n):
    def f(a, b, c):
        lower = jnp.tri(n, dtype=bool)
        return loss(jnp.where(lower, ALPHA * (a @ b.T + b @ a.T) + BETA * c, c))

    return [(n, m), (n, m), (n, n)], f


@kernel("syrk")
def syrk(m, n):
    return [(n, m), (n, n)], lambda a, c: loss(jnp.where(jnp.tri(n, dtype=bool), ALPHA * a @ a.T + BETA * c, c))


@kernel("trmm")
def trmm(m, n):
    return [(m, m), (m, n)], lambda a, b: loss(ALPHA * (jnp.tril(a, -1).T @ b + b))


@kernel("cholesky")
def cholesky(n):
    def f(a):
        return loss(jnp.linalg.cholesky(jnp.tril(a) + jnp.tril(a, -1).T, symmetrize_input=False))

    return [(n, n)], f


@kernel("durbin")
def durbin(n):
    def f(r):
        at = jnp.arange(n)

        def step(state, k):
            y, alpha, beta = state
            beta = beta * (1.0 - alpha * alpha)
            # entry i of what was turned round is entry k - i - 1
            turned = jnp.where(at < k, jnp.roll(y[::-1], k), 0.0)
            alpha = -(r[k] + (r * turned).sum()) / beta
            y = jnp.where(at < k, y + alpha * turned, y)
            return (y.at[k].set(alpha), alpha, beta), None

        start = (jnp.zeros(n).at[0].set(-r[0]), -r[0], jnp.ones(()))
        return loss(lax.scan(step, start, jnp.arange(1, n))[0][0])

    return [(n,)], f


@kernel("gramschmidt")
def gramschmidt(m, n):
    def f(a):
        after = jnp.arange(n)

        def step(a, k):
            column = a[:, k]
            norm = jnp.sqrt((column * column).sum())
            q = column / norm
            row = jnp.where(after > k, q @ a, 0.0)
            return a - jnp.outer(q, row), (q, row.at[k].set(norm))

        q, r = lax.scan(step, a, jnp.arange(n))[1]
        weight = (1.0 + jnp.arange(n))[:, None] / (1.0 + jnp.arange(m))
        return loss(r) + (weight * q).sum()

    return [(m, n)], f


def triangles(a):
    """Both triangles without pivots in one matrix."""
    n = len(a)
    at = jnp.arange(n)

    def step(a, k):
        factor = jnp.where(at > k, a[:, k] / a[k, k], 0.0)
        a = a - jnp.outer(factor, jnp.where(at > k, a[k], 0.0))
        return a.at[:, k].set(jnp.where(at > k, factor, a[:, k])), None

    return lax.scan(step, a, jnp.arange(n))[0]


@kernel("lu")
def lu(n):
    return [(n, n)], lambda a: loss(triangles(a))


@kernel("ludcmp")
def ludcmp(n):
    return [(n, n), (n,)], lambda a, b: loss(jnp.linalg.solve(a, b))


@kernel("trisolv")
def trisolv(n):
    return [(n, n), (n,)], lambda l, b: loss(jax.scipy.linalg.solve_triangular(jnp.tril(l), b, lower=True))


@kernel("deriche")
def deriche(w, h):
    def f(picture, alpha):
        (alpha,) = alpha
        decay = jnp.exp(-alpha)
        k = (1.0 - decay) ** 2 / (1.0 + 2.0 * alpha * decay - jnp.exp(2.0 * alpha))
        now, last = k, k * decay * (alpha - 1.0)
        next, second = k * decay * (alpha + 1.0), -k * jnp.exp(-2.0 * alpha)
        b1, b2 = 2.0**-alpha, -jnp.exp(-2.0 * alpha)

        def smooth(x):
            """Along the first axis."""
            zero = jnp.zeros_like(x[:1])
            driven = now * x + last * jnp.concatenate([zero, x[:-1]])
            back = next * jnp.concatenate([x[1:], zero]) + second * jnp.concatenate([x[2:], zero, zero])

            def step(state, x):
                y = x + b1 * state[0] + b2 * state[1]
                return (y, state[0]), y

            start = (zero[0], zero[0])
            return lax.scan(step, start, driven)[1] + lax.scan(step, start, back, reverse=True)[1]

        return loss(smooth(smooth(picture.T).T))

    return [(w, h), (1,)], f


@kernel("floyd-warshall")
def floyd_warshall(n):
    def f(path):
        def step(path, k):
            through = path[:, k, None] + path[k]
            return jnp.where(through < path, through, path), None

        return loss(lax.scan(step, path, jnp.arange(n))[0])

    return [(n, n)], f


@kernel("nussinov")
def nussinov(n):
    def f(start, bond):
        at = jnp.arange(n)
        bases = (at + 1) % 4

        def step(score, length):
            """All parts that are `length` longer than one base; the first of equal candidates is the best."""
            i, j = at, jnp.minimum(at + length, n - 1)
            below = jnp.minimum(i + 1, n - 1)
            inner = score[below, j - 1] + jnp.where(length > 1, bond[bases[i], bases[j]], 0.0)
            k = i[:, None] + jnp.arange(n)
            inside = (k > i[:, None]) & (k < j[:, None])
            k = jnp.minimum(k, n - 1)
            cuts = score[i[:, None], k] + score[jnp.minimum(k + 1, n - 1), j[:, None]]
            few = jnp.stack([score[i, j], score[i, j - 1], score[below, j], inner], 1)
            candidates = jnp.concatenate([few, jnp.where(inside, cuts, -jnp.inf)], 1)
            best = jnp.take_along_axis(candidates, lax.stop_gradient(candidates).argmax(1)[:, None], 1)[:, 0]
            return score.at[i, jnp.where(i + length < n, j, n)].set(best, mode="drop"), None

        score = lax.scan(step, start, jnp.arange(1, n))[0]
        return loss(jnp.triu(score))

    return [(n, n), (4, 4)], f


@kernel("adi")
def adi(steps, n):
    rate = n * n / steps
    a, b, d, e = -rate, 1.0 + 2.0 * rate, -0.5 * rate, 1.0 + rate

    def solve(off, diagonal, right):
        """Tridiagonal systems along the first axis, whose solutions are 1 at both ends."""

        def forward(state, right):
            p, q = state
            pivot = off * p + diagonal
            state = (-off / pivot * jnp.ones_like(q), (right - off * q) / pivot)
            return state, state

        ones = jnp.ones_like(right[0])
        p, q = lax.scan(forward, (0.0 * ones, ones), right)[1]

        def backward(x, pq):
            x = pq[0] * x + pq[1]
            return x, x

        return lax.scan(backward, ones, (p, q), reverse=True)[1]

    def f(u):
        def step(u):
            # v's first row and column are rows of the grid of u, turned
            right = -d * u[1:-1, :-2] + (1.0 + 2.0 * d) * u[1:-1, 1:-1] - d * u[1:-1, 2:]
            v = jnp.ones((n, n - 2)).at[1:-1].set(solve(a, b, right))
            v = jnp.zeros((n, n)).at[:, 1:-1].set(v)
            right = -a * v[:-2, 1:-1] + (1.0 + 2.0 * a) * v[1:-1, 1:-1] - a * v[2:, 1:-1]
            inner = solve(d, e, right.T).T
            return u.at[1:-1, 1:-1].set(inner).at[1:-1, 0].set(1.0).at[1:-1, -1].set(1.0)

        return loss(repeat(step, u, steps))

    return [(n, n)], f


@kernel("fdtd-2d")
def fdtd_2d(steps, nx, ny):
    def f(ex, ey, hz, source):
        def step(state, s):
            ex, ey, hz = state
            ey = ey.at[1:].add(-0.5 * (hz[1:] - hz[:-1])).at[0].set(s)
            ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
            change = ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
            return (ex, ey, hz.at[:-1, :-1].add(-0.7 * change)), None

        return loss(*lax.scan(step, (ex, ey, hz), source)[0])

    return [(nx, ny)] * 3 + [(steps,)], f


@kernel("heat-3d")
def heat_3d(steps, n):
    inner = (slice(1, -1),) * 3

    def mean(x):
        c = x[inner]
        total = c
        for axis in range(3):
            after, before = list(inner), list(inner)
            after[axis], before[axis] = slice(2, None), slice(None, -2)
            total = total + 0.125 * (x[tuple(after)] - 2.0 * c + x[tuple(before)])
        return total

    def f(a, b):
        def step(state):
            a, b = state
            b = b.at[inner].set(mean(a))
            return a.at[inner].set(mean(b)), b

        return loss(repeat(step, (a, b), steps)[0])

    return [(n * n, n)] * 2, lambda a, b: f(a.reshape(n, n, n), b.reshape(n, n, n))


@kernel("jacobi-1d")
def jacobi_1d(steps, n):
    def f(a, b):
        mean = lambda x: 0.33333 * (x[:-2] + x[1:-1] + x[2:])

        def step(state):
            a, b = state
            b = b.at[1:-1].set(mean(a))
            return a.at[1:-1].set(mean(b)), b

        return loss(repeat(step, (a, b), steps)[0])

    return [(n,)] * 2, f


@kernel("jacobi-2d")
def jacobi_2d(steps, n):
    def f(a, b):
        def mean(x):
            return 0.2 * (x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1] + x[:-2, 1:-1])

        def step(state):
            a, b = state
            b = b.at[1:-1, 1:-1].set(mean(a))
            return a.at[1:-1, 1:-1].set(mean(b)), b

        return loss(repeat(step, (a, b), steps)[0])

    return [(n, n)] * 2, f


@kernel("seidel-2d")
def seidel_2d(steps, n):
    def f(a):
        def row(above, rows):
            here, below = rows
            three = lambda x: x[:-2] + x[1:-1] + x[2:]
            known = (three(above) + here[1:-1] + here[2:] + three(below)) / 9.0
            # x[j] = x[j - 1] / 9 + known[j], the first of which is at the edge
            known = known.at[0].add(here[0] / 9.0)
            after = lambda x, y: (x[0] * y[0], y[0] * x[1] + y[1])
            inner = lax.associative_scan(after, (jnp.full(n - 2, 1.0 / 9.0), known))[1]
            here = here.at[1:-1].set(inner)
            return here, here

        def step(a):
            return a.at[1:-1].set(lax.scan(row, a[0], (a[1:-1], a[2:]))[1])

        return loss(repeat(step, a, steps))

    return [(n, n)], f
