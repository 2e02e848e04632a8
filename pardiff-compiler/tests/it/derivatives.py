#!/usr/bin/env python3
"""Writes derivatives.txt: partial derivatives over the range of each function, by mpmath.

A line is a function, its operands, and its partial derivatives to 17 digits. Operands are exact in their shortest decimal
form; those between the least normal and the largest `f32` are numbers of that type as well.
"""
from itertools import product

from mpmath import (acosh, besselj, cos, cosh, digamma, exp, gamma, inf, ln, mp, mpf, nstr, pi, polygamma, sign, sin,
                    sinh, sqrt, tan)

mp.dps = 400
GREATEST, LEAST = mpf("1.7e308"), mpf("1e-307")

SIZES = [m * 2.0**k for m, k in zip([1.25, 1.0, 1.5, 1.75, 1.125] * 5, (
    -1000, -530, -300, -120, -66, -26, -9, -3, -1, 0, 1, 3, 5, 9, 26, 53, 66, 120, 300, 513, 1000))]
REALS = SIZES + [-x for x in SIZES[::4]] + [0.0]
MODERATE = [x for x in REALS if abs(x) < 2.0**10] + [-100.0, -30.0, 86.0, 700.0]
ANGLES = [x for x in REALS if abs(x) < 2.0**20] + [1.5, 1.5625, 3.125, 22.0, -355.0]
INSIDE = [x for x in REALS if abs(x) < 1] + [s * (1 - 2.0**-k) for s in (1, -1) for k in (2, 12, 24)] + [1 - 2.0**-53]
ABOVE = [x for x in SIZES if x > 1] + [1 + 2.0**-k for k in (4, 14, 23, 52)]
AFTER = [x for x in REALS if x > -1] + [-1 + 2.0**-k for k in (2, 12, 24, 53)]
PAIRS = [x for x in SIZES[1::3] + SIZES[-1:]]
NEAR = [0.25, 0.5, 1.0, 1.0009765625, 1.5, 2.0, 2.25, 3.0, 7.25, 10.0, 19.5, 33.25]
FEW = [-0.5, -2.25, -7.75, -20.5]


def ones(x):
    return [(at,) for at in x]


def of_power(x, y):
    return [y * x**(y - 1), x**y * ln(x)]


ROWS = {
    "exp": (lambda x: [exp(x)], ones(MODERATE)),
    "exp2": (lambda x: [mpf(2)**x * ln(2)], ones(MODERATE)),
    "exp_m1": (lambda x: [exp(x)], ones(MODERATE)),
    "ln": (lambda x: [1 / x], ones(SIZES)),
    "ln_1p": (lambda x: [1 / (1 + x)], ones(AFTER)),
    "log2": (lambda x: [1 / (x * ln(2))], ones(SIZES)),
    "log10": (lambda x: [1 / (x * ln(10))], ones(SIZES)),
    "log": (lambda x, b: [1 / (x * ln(b)), -ln(x) / (b * ln(b)**2)],
            product(PAIRS, [2.0**-300, 0.125, 0.9990234375, 1.0009765625, 2.0, 10.0, 2.0**70])),
    "sqrt": (lambda x: [1 / (2 * sqrt(x))], ones(SIZES)),
    "cbrt": (lambda x: [1 / (3 * abs(x)**(mpf(2) / 3))], ones(x for x in REALS if x)),
    "sin": (lambda x: [cos(x)], ones(ANGLES)),
    "cos": (lambda x: [-sin(x)], ones(ANGLES)),
    "tan": (lambda x: [1 + tan(x)**2], ones(ANGLES)),
    "asin": (lambda x: [1 / sqrt((1 - x) * (1 + x))], ones(INSIDE)),
    "acos": (lambda x: [-1 / sqrt((1 - x) * (1 + x))], ones(INSIDE)),
    "atan": (lambda x: [1 / (1 + x * x)], ones(REALS)),
    "atan2": (lambda y, x: [x / (x * x + y * y), -y / (x * x + y * y)],
              list(product(PAIRS, PAIRS)) + [(-3.0, 2.0), (3.0, -2.0), (0.0, 2.0**100), (2.0**-100, 0.0)]),
    "sinh": (lambda x: [cosh(x)], ones(MODERATE)),
    "cosh": (lambda x: [sinh(x)], ones(MODERATE)),
    "tanh": (lambda x: [1 / cosh(x)**2], ones(MODERATE)),
    "asinh": (lambda x: [1 / sqrt(1 + x * x)], ones(REALS)),
    "acosh": (lambda x: [1 / sqrt(x * x - 1)], ones(ABOVE)),
    "atanh": (lambda x: [1 / ((1 - x) * (1 + x))], ones(INSIDE)),
    "powf": (of_power, product(SIZES[::2], [-3.5, -1.0, -0.5, 2.0**-30, 0.3125, 1.0, 2.0, 2.5, 10.0])),
    "hypot": (lambda x, y: [x / sqrt(x * x + y * y), y / sqrt(x * x + y * y)],
              list(product(PAIRS, PAIRS)) + [(-3.0, 4.0), (0.0, 2.0**100), (2.0**-100, 0.0)]),
    "recip": (lambda x: [-1 / (x * x)], ones(x for x in REALS if x)),
    "rem_euclid": (lambda x, y: [mpf(1), -mp.floor(x / y) if y > 0 else -mp.ceil(x / y)],
                   [(7.25, 2.0), (-1.25, 2.0), (5.5, -2.0), (1e300, 1.5), (2.0**-300, 2.0**-310), (2.0**30, 1.5),
                    (1.0 - 2.0**-53, 1.0 / 3.0), (2.0**24 - 1.0, 2.0**-20)]),
    "rem": (lambda x, y: [mpf(1), -mp.floor(x / y) if x / y > 0 else -mp.ceil(x / y)],
            [(7.25, 2.0), (-1.25, 2.0), (5.5, -2.0), (1e300, 1.5), (2.0**-300, 2.0**-310), (2.0**30, 1.5),
             (1.0 - 2.0**-53, 1.0 / 3.0), (-(1.0 - 2.0**-53), 1.0 / 3.0)]),
    "erf": (lambda x: [2 / sqrt(pi) * exp(-x * x)], ones(REALS + [2.25, -4.5, 9.0, 26.0])),
    "erfc": (lambda x: [-2 / sqrt(pi) * exp(-x * x)], ones(REALS + [2.25, -4.5, 9.0, 26.0])),
    "gamma": (lambda x: [gamma(x) * digamma(x)], ones(SIZES[2:13] + NEAR + FEW + [150.5])),
    "ln_gamma": (lambda x: [digamma(x)], ones(SIZES + NEAR + FEW)),
    "digamma": (lambda x: [polygamma(1, x)], ones(SIZES[1:] + NEAR + FEW)),
    "j0": (lambda x: [-besselj(1, x)], ones([x for x in REALS if abs(x) < 1e9] + NEAR)),
    "j1": (lambda x: [besselj(0, x) - besselj(1, x) / x if x else mpf(1) / 2],
           ones([x for x in REALS if abs(x) < 1e9] + NEAR)),
}

with open("derivatives.txt", "w") as out:
    for name, (rule, points) in ROWS.items():
        for point in points:
            mp.dps = 700 if name in ("ln_1p", "atan", "asinh", "atan2", "hypot") else 120
            slopes = rule(*map(mpf, point))
            if all(abs(slope) < GREATEST and (slope == 0 or abs(slope) > LEAST) for slope in slopes):
                words = [repr(x) for x in point] + [nstr(slope, 17, min_fixed=-4, max_fixed=17) for slope in slopes]
                out.write(" ".join([name, *words]).replace(".0 ", " ") + "\n")
