"""Dense matrices, grids, mixtures."""
import numpy as np

from . import program


@program
def matvec(c):
    (n,) = c.sizes

    def f(t, a, x):
        y = a @ x
        return 0.5 * (y * y).sum()

    return [(n, n), (n,)], [], f, False


@program
def matvec_tanh(c):
    (n,) = c.sizes

    def f(t, a, x):
        y = t.tanh(a @ x)
        return 0.5 * (y * y).sum()

    return [(n, n), (n,)], [], f, False


@program
def heat2d(c):
    n, steps = c.sizes

    def f(t, u, k):
        # nothing flows where the diffusivity is 0: the boundary keeps its temperature
        k = t.pad(k[1:-1, 1:-1], ((1, 1), (1, 1)))

        def step(uk):
            u, k = uk
            p = t.pad(u, ((1, 1), (1, 1)))
            return u + k * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4.0 * u), k

        u, _ = t.loop(step, (u, k), steps)
        return (u * u).sum()

    return [(n, n), (n, n)], [], f, True


@program
def gmm(c):
    d, k, n = c.sizes
    x, (gamma, m, constant) = c.floats
    # where in a row of factors an entry of the lower triangle is; the upper triangle reads the zero behind the row
    place = np.full((d, d), d * (d + 1) // 2, np.int32)
    column, row = np.triu_indices(d, 1)
    place[row, column] = d + np.arange(len(row))

    def f(t, alphas, means, icf, x, zero, place):
        log_diagonal = icf[:, :d]
        lower = t.concatenate([icf, zero], 1)[:, place]
        log_det = log_diagonal.sum(1)
        diagonal = t.exp(log_diagonal)
        e = x - means[:, None]
        y = e * diagonal[:, None] + t.einsum("kni,kji->knj", e, lower)
        likely = (alphas + log_det)[:, None] - 0.5 * (y * y).sum(-1)
        prior = 0.5 * gamma * gamma * ((diagonal * diagonal).sum() + (icf[:, d:] ** 2).sum()) - m * log_det.sum()
        return constant + t.logsumexp(likely, 0).sum() - n * t.logsumexp(alphas, 0) + prior

    return [(k,), (k, d), (k, d * (d + 1) // 2)], [x.reshape(n, d), np.zeros((k, 1)), place], f, False


@program
def softmax_regression(c):
    x, (label,) = c.floats[0], c.indices
    n = len(label)
    d = len(x) // n
    k = len(c.parameters) // d

    def f(t, w, x, own):
        score = x @ w.T
        return t.logsumexp(score, 1).sum() - score.reshape(-1)[own].sum()

    return [(k, d)], [x.reshape(n, d), np.arange(n) * k + label], f, False


@program
def logistic_regression(c):
    x, y = c.floats
    n = len(y)

    def f(t, w, x, y):
        margin = y * (x @ w)
        loss = t.maximum(-margin, 0.0 * margin) + t.log1p(t.exp(-t.abs(margin)))
        return loss.sum() + 0.5 * PENALTY * (w * w).sum()

    return [(len(x) // n,)], [x.reshape(n, -1), y], f, False


PENALTY = 0.1


@program
def soft_k_means(c):
    (x,) = c.floats
    n, d, k = c.numbers

    def f(t, centres, x):
        square = sum((x[:, j : j + 1] - centres[:, j]) ** 2 for j in range(d))
        return (t.softmax(-1.5 * square, 1) * square).sum()

    return [(k, d)], [x.reshape(n, d)], f, False


@program
def polynomial_features(c):
    x, y = c.floats
    n, d, degree = c.numbers

    def f(t, coefficients, x, y):
        # Horner's scheme, all features at once
        value = coefficients[:, degree] + 0.0 * x
        for power in reversed(range(degree)):
            value = value * x + coefficients[:, power]
        e = value.sum(1) - y
        return 0.5 * (e * e).sum()

    return [(d, degree + 1)], [x.reshape(n, d), y], f, False


@program
def option_book(c):
    strike, maturity, quantity = c.floats

    def normal(t, x):
        u = 1.0 / (1.0 + 0.2316419 * t.abs(x))
        poly = u * (0.319381530 + u * (-0.356563782 + u * (1.781477937 + u * (-1.821255978 + u * 1.330274429))))
        tail = 0.3989422804014327 * t.exp(-0.5 * x * x) * poly
        return t.where(x >= 0.0, 1.0 - tail, tail)

    def f(t, spot, rate, volatility, strike, maturity, quantity):
        width = volatility * t.sqrt(maturity)
        d1 = (t.log(spot / strike) + (rate + 0.5 * volatility * volatility) * maturity) / width
        discounted = strike * t.exp(-rate * maturity)
        return (quantity * (spot * normal(t, d1) - discounted * normal(t, d1 - width))).sum()

    return [(1,), (1,), (len(strike),)], [strike, maturity, quantity], f, False


@program
def batched_solve(c):
    (n,) = c.sizes

    def f(t, a, b, target):
        # elimination without pivots, one system in each entry
        m = [[a[:, i, j] for j in range(3)] for i in range(3)]
        x = [b[:, i] for i in range(3)]
        for k in range(3):
            for i in range(k + 1, 3):
                factor = m[i][k] / m[k][k]
                for j in range(k + 1, 3):
                    m[i][j] = m[i][j] - factor * m[k][j]
                x[i] = x[i] - factor * x[k]
        for i in reversed(range(3)):
            for j in range(i + 1, 3):
                x[i] = x[i] - m[i][j] * x[j]
            x[i] = x[i] / m[i][i]
        e = t.stack(x, 1) - target
        return 0.5 * (e * e).sum()

    return [(n, 3, 3), (n, 3)], [c.floats[0].reshape(n, 3)], f, False
