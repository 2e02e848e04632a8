"""Cross sections from poles with Doppler broadening, one entry for each pole that a particle sees."""
import numpy as np

from . import program, rows

SAMPLES = np.array([2.758402e-01, 2.245740e-01, 1.594149e-01, 9.866577e-02, 5.324414e-02])
SAMPLES = np.append(SAMPLES, [2.505215e-02, 1.027747e-02, 3.676164e-03, 1.146494e-03, 3.117570e-04])
PREFACTOR = 81.24330


def faddeeva(t, x, y, samples, number, sign):
    """The Faddeeva function: asymptotic far out, Abrarov's series near the origin; no branch sees what it cannot do."""
    far = x * x + y * y > 36.0
    fx, fy = t.where(far, x, 0.0 * x + 10.0), t.where(far, y, 0.0 * y)
    sr, si = fx * fx - fy * fy, 2.0 * fx * fy
    p, q = sr - 0.275255128608411, sr - 2.724744871391589
    np_, nq = p * p + si * si, q * q + si * si
    re = 0.512424224754762 * p / np_ + 0.05176536169500287 * q / nq
    im = -(0.512424224754762 * si / np_ + 0.05176536169500287 * si / nq)
    far_re, far_im = -(fx * im + fy * re), fx * re - fy * im

    x, y = t.where(far, 0.0 * x + 1.0, x), t.where(far, 0.0 * y + 1.0, y)
    e = t.exp(-12.0 * y)
    ar, ai = e * t.cos(12.0 * x), e * t.sin(12.0 * x)
    norm = 12.0 * (x * x + y * y)
    re = ((1.0 - ar) * y + ai * x) / norm
    im = ((1.0 - ar) * x - ai * y) / norm
    zr, zi = 144.0 * (x * x - y * y), 288.0 * x * y
    br, bi = sign * ar[:, None] - 1.0, sign * ai[:, None]
    dr, di = number * number * 9.869604401089358 - zr[:, None], -zi[:, None]
    size = dr * dr + di * di
    qr = (samples * (br * dr + bi * di) / size).sum(1)
    qi = (samples * (bi * dr - br * di) / size).sum(1)
    near_re = re - PREFACTOR * (x * qi + y * qr)
    near_im = im + PREFACTOR * (x * qr - y * qi)
    return t.where(far, far_re, near_re), t.where(far, far_im, near_im)


@program
def multipole(c):
    (windows,) = c.sizes
    first, start, members, material = c.indices
    (energy,) = c.floats
    root = np.sqrt(energy)
    count = np.diff(start)[material]
    particle = rows(np.concatenate([[0], np.cumsum(count)]))
    member = start[material][particle] + np.arange(len(particle)) - np.repeat(np.cumsum(count) - count, count)
    window = members[member] * windows + (root * windows).astype(int)[particle]
    poles = np.diff(first)[window]
    pair = rows(np.concatenate([[0], np.cumsum(poles)]))
    pole_of = first[window][pair] + np.arange(len(pair)) - np.repeat(np.cumsum(poles) - poles, poles)
    number = np.arange(1.0, 11.0)

    def f(t, pole, residue, background, density, doppler, root, energy, pole_of, pair, window, member, particle, *series):
        at, strength = pole[pole_of], residue[pole_of]
        re, im = faddeeva(t, (root - at[:, 0]) * doppler, -at[:, 1] * doppler, *series)
        total = (strength[:, 0] * re - strength[:, 1] * im) * doppler / energy
        absorbed = (strength[:, 2] * re - strength[:, 3] * im) * doppler / energy
        micro = background[window] + t.segment_sum(t.stack([total, absorbed], 1), pair, len(window))
        macro = t.segment_sum(density[member][:, None] * micro, particle, len(material))
        return macro[:, 0].sum() + 0.1 * (macro[:, 1] * macro[:, 1]).sum()

    shapes = [(int(first[-1]), 2), (int(first[-1]), 4), (len(first) - 1, 2), (len(members),), (1,)]
    seen = particle[pair]
    constants = [root[seen], energy[seen], pole_of, pair, window, member, particle]
    return shapes, constants + [SAMPLES, number, np.where(number % 2 == 0, 1.0, -1.0)], f, False
