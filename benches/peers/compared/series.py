"""Steps in time: an LSTM, a fluid, sound, filtered tracks, simulated prices."""
import numpy as np

from . import program


@program
def lstm(c):
    layers, characters, b = c.sizes
    state, sequence = c.floats

    def f(t, main, extra, state, sequence):
        weight = main.reshape(layers, 2, 4, b)

        def step(carry, x):
            hidden, cell = [], []
            weight = carry[0]
            for i in range(layers):
                (forget, ingate, outgate, change), bias = weight[i, 0], weight[i, 1]
                h = carry[1][i]
                kept = carry[2][i] * t.sigmoid(x * forget + bias[0])
                kept = kept + t.sigmoid(h * ingate + bias[1]) * t.tanh(h * change + bias[3])
                x = t.sigmoid(x * outgate + bias[2]) * t.tanh(kept)
                hidden.append(x)
                cell.append(kept)
            return (weight, t.stack(hidden), t.stack(cell)), x

        start = (weight, state[:, 0], state[:, 1])
        y = t.scan(step, start, sequence[:-1] * extra[0], 31) * extra[1] + extra[2]
        seen = sequence[1:]
        normaliser = t.log(2.0 + t.exp(y).sum(1))
        return -((seen * y).sum() - (seen.sum(1) * normaliser).sum()) / (b * (characters - 1))

    constants = [state.reshape(layers, 2, b), sequence.reshape(characters, b)]
    return [(2 * layers, 4 * b), (3, b)], constants, f, True


@program
def acoustic_wave(c):
    nx, ny = c.sizes
    (receivers,), (damping, wavelet, observed) = c.indices, c.floats
    source = ny // 2 * nx + nx // 2
    at_source = np.zeros(nx * ny)
    at_source[source] = 1.0

    def f(t, courant, damping, wavelet, at_source, observed, receivers):
        square = courant * courant
        inside = ((2, 2), (2, 2))

        def step(carry, amplitude):
            before, now, square = carry
            p = now.reshape(ny, nx)
            middle = p[2:-2, 2:-2]
            near = p[2:-2, 1:-3] + p[2:-2, 3:-1] + p[1:-3, 2:-2] + p[3:-1, 2:-2]
            far = p[2:-2, :-4] + p[2:-2, 4:] + p[:-4, 2:-2] + p[4:, 2:-2]
            laplacian = t.pad((16.0 * near - far - 60.0 * middle) / 12.0, inside)
            kept = t.pad(middle * 2.0, inside) - t.pad(((1.0 - damping) * before).reshape(ny, nx)[2:-2, 2:-2], inside)
            after = (kept + (square * laplacian.reshape(-1)).reshape(ny, nx)).reshape(-1) / (1.0 + damping)
            after = after + amplitude * at_source
            return (now, after, square), after[receivers]

        nothing = 0.0 * courant
        heard = t.scan(step, (nothing, nothing, square), wavelet, 20)
        e = heard - observed
        return 0.5 * (e * e).sum()

    constants = [damping, wavelet, at_source, observed.reshape(len(wavelet), -1), receivers]
    return [(nx * ny,)], constants, f, True


@program
def kalman(c):
    (steps,) = c.sizes
    measured = c.floats[0].reshape(-1, steps, 2)
    tracks = len(measured)

    def f(t, transition, process, observation, noise, measured, unit):
        def step(carry, z):
            x, p, transition, process, observation, noise = carry
            x = x @ transition.T
            p = t.einsum("ij,njk,lk->nil", transition, p, transition) + process
            e = z - x @ observation.T
            ph = t.einsum("nik,ak->nia", p, observation)
            s = t.einsum("ai,nib->nab", observation, ph) + noise
            a, b, c, d = s[:, 0, 0], s[:, 0, 1], s[:, 1, 0], s[:, 1, 1]
            determinant = a * d - b * c
            inverse = t.stack([t.stack([d, -b], 1), t.stack([-c, a], 1)], 1) / determinant[:, None, None]
            gain = t.einsum("nib,nba->nia", ph, inverse)
            square = t.einsum("na,nab,nb->n", e, inverse, e)
            x = x + t.einsum("nia,na->ni", gain, e)
            p = p - t.einsum("nia,nja->nij", gain, ph)
            return (x, p, transition, process, observation, noise), 0.5 * (square + t.log(determinant))

        x = 0.0 * measured[0] @ observation
        p = 0.0 * x[:, :, None] + 10.0 * unit
        losses = t.scan(step, (x, p, transition, process, observation, noise), measured, 10)
        return losses.sum() + tracks * steps * float(np.log(2.0 * np.pi))

    constants = [measured.transpose(1, 0, 2), np.eye(4)]
    return [(4, 4), (4, 4), (2, 4), (2, 2)], constants, f, True


def philox(path, step, seed):
    """Philox 4x32-10, two of its four words; in NumPy, as it is no part of what is differentiated."""
    c = [path.astype(np.uint64), np.full_like(path, step, np.uint64), np.zeros_like(path, np.uint64), np.zeros_like(path, np.uint64)]
    k0, k1, mask = seed, 0, np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        high = lambda x: x >> np.uint64(32)
        c = [high(b) ^ c[1] ^ np.uint64(k0), b & mask, high(a) ^ c[3] ^ np.uint64(k1), a & mask]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c[0], c[1]


@program
def asian_option(c):
    """The random numbers are made before: the other tools do not pay for them."""
    (paths,) = c.sizes
    steps = len(c.parameters) - 2
    normal = np.empty((paths, steps))
    for step in range(0, steps, 2):
        u, w = ((word + 0.5) / 2.0**32 for word in philox(np.arange(paths), step, 7))
        radius, angle = np.sqrt(-2.0 * np.log(u)), 2.0 * np.pi * w
        normal[:, step], normal[:, step + 1] = radius * np.cos(angle), radius * np.sin(angle)
    time = 1.0 / steps

    def f(t, spot, rate, volatility, normal):
        moves = (rate - 0.5 * volatility * volatility) * time + volatility * time**0.5 * normal
        mean = t.exp(t.log(spot) + moves.cumsum(1)).mean(1)
        paid = mean - 100.0
        return (t.exp(-rate) * t.maximum(paid, 0.0 * paid).mean()).sum()

    return [(1,), (1,), (steps,)], [normal], f, False


@program
def soft_dtw(c):
    count, n, m, d = c.sizes
    gamma, far = 0.1, 1e10

    def f(t, prototype, series):
        # along diagonals, whose entries depend on the two before: cost[i, j] lies in row i + j
        e = series[:, :, None] - prototype
        cost = (e * e).sum(-1)
        skewed = t.pad(cost, ((0, 0), (0, 0), (0, n))).reshape(count, -1)[:, : n * (m + n - 1)].reshape(count, n, m + n - 1)
        diagonals = t.transpose(skewed, (2, 0, 1))

        def step(carry, cost):
            # entry i of a diagonal is row i of the table; in front of row 0 it is far
            two, one = carry
            before = t.pad(one, ((0, 0), (1, 0)))[:, :-1] + t.pad(0.0 * one[:, :1] + far, ((0, 0), (0, n - 1)))
            ways = -t.stack([two, one, before]) / gamma
            now = cost - gamma * t.logsumexp(ways, 0)
            after = t.pad(one, ((0, 0), (1, 0)))[:, :-1] + t.pad(0.0 * one[:, :1] + far, ((0, 0), (0, n - 1)))
            return (after, now), now[:, -1]

        nothing = 0.0 * series[:, :, 0]
        corner = t.concatenate([nothing[:, :1], nothing[:, 1:] + far], 1)
        last = t.scan(step, (corner, nothing + far), diagonals, 10)
        return last[-1].sum()

    return [(m, d), (count, n, d)], [], f, True
