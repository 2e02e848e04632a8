#!/usr/bin/env python3
"""Prints the Chebyshev coefficients of the functions in this folder; needs mpmath.

Each is the projection of the function on the Chebyshev polynomials of an interval, by their discrete orthogonality at 64
nodes in 45 digits, cut where coefficients fall below 1e-17 of the largest value.
"""
from mpmath import besselj, bessely, cos, erf, erfc, exp, gamma, loggamma, mp, mpf, pi, sin, sqrt

mp.dps = 45


def chebyshev(name, f, low, high, nodes=64):
    low, high = mpf(low), mpf(high)
    points = [cos(pi * (k + mpf(1) / 2) / nodes) for k in range(nodes)]
    values = [f((high - low) * t / 2 + (low + high) / 2) for t in points]
    scale = max(abs(value) for value in values)
    found = []
    for j in range(40):
        sums = sum(value * cos(pi * j * (k + mpf(1) / 2) / nodes) for k, value in enumerate(values))
        found.append((2 if j else 1) * sums / nodes)
    while abs(found[-1]) < mpf("1e-17") * scale:
        found.pop()
    print(f"const {name}: [f64; {len(found)}] = [")
    for value in found:
        print(f"    {float(value)!r},")
    print("];")


def scaled_erfc(t):
    x = mpf("3.75") * (1 + t) / (1 - t)
    return (1 + 2 * x) * exp(x * x) * erfc(x)


def hankel(n, part):
    def f(u):
        x = 8 / sqrt(u)
        angle = x - (mpf(n) / 2 + mpf(1) / 4) * pi
        j, y, scale = besselj(n, x), bessely(n, x), sqrt(pi * x / 2)
        p = scale * (j * cos(angle) + y * sin(angle))
        q = scale * (y * cos(angle) - j * sin(angle)) * x / 8
        return p if part == "P" else q

    return f


chebyshev("ERF", lambda u: erf(sqrt(u)) / sqrt(u), 0, 1)
chebyshev("ERFC", scaled_erfc, -1, 1)
chebyshev("GAMMA", gamma, 2, 3)
chebyshev("LN_GAMMA_AT_1", lambda x: loggamma(x) / (x - 1), "0.5", "1.5")
chebyshev("LN_GAMMA_AT_2", lambda x: loggamma(x) / (x - 2), "1.5", 3)
chebyshev("J0", lambda u: besselj(0, 8 * sqrt(u)), 0, 1)
chebyshev("J1", lambda u: besselj(1, 8 * sqrt(u)) / (8 * sqrt(u)), 0, 1)
for n in (0, 1):
    for part in "PQ":
        chebyshev(f"{part}{n}", hankel(n, part), 0, 1)
