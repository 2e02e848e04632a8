#!/usr/bin/env python3
"""Writes special.txt: values of special functions to 20 digits, by mpmath. Operands are 1.25 2^k and a few others."""
from mpmath import besselj, digamma, erf, erfc, gamma, loggamma, mp, mpf, nstr, polygamma, re

mp.dps = 60

SIZES = [1.25 * 2.0**k for k in (-1000, -300, -60, -30, -10, -5, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8)]
SIGNED = SIZES + [-x for x in SIZES]
NEAR = [0.4999, 0.5, 0.75, 0.9999, 1.0, 1.0001, 1.4999, 1.5, 1.9999, 2.0, 2.0001, 2.9, 3.0, 7.3, 9.99, 10.0, 19.9, 20.0, 33.3]
POLES = [-0.001, -0.999, -1.001, -1.5, -2.4, -9.7, -19.99, -20.3, -77.7, -150.5]

ROWS = {
    "erf": (erf, SIGNED + NEAR),
    "erfc": (erfc, SIGNED + NEAR + [26.0]),
    "gamma": (gamma, SIZES + NEAR + POLES + [100.3, 141.7, 170.6, -170.7]),
    "ln_gamma": (lambda x: re(loggamma(x)), SIZES + NEAR + POLES + [1e5, 1e100, 1e300]),
    "digamma": (digamma, SIZES + NEAR + POLES + [1e5, 1e100, 1e300, -1e-9]),
    "trigamma": (lambda x: polygamma(1, x), SIZES + NEAR + POLES + [1e5, 1e100]),
    "tetragamma": (lambda x: polygamma(2, x), SIZES[4:] + NEAR + POLES + [1e5, 1e100]),
    "j0": (lambda x: besselj(0, x), SIGNED + NEAR + [7.99, 8.0, 8.01, 25.3, 1e3, 1e6]),
    "j1": (lambda x: besselj(1, x), SIGNED + NEAR + [7.99, 8.0, 8.01, 25.3, 1e3, 1e6]),
}

with open("special.txt", "w") as out:
    for name, (function, points) in ROWS.items():
        for x in points:
            value = function(mpf(x))
            if abs(value) < mpf("1.7e308") and (value == 0 or abs(value) > mpf("2.3e-308")):
                out.write(f"{name} {x!r} {nstr(value, 20, min_fixed=0, max_fixed=0)}\n")
