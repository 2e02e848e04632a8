"""The workloads as programs over whole arrays, each written once for all tools.

A program is a function of a `Case` that returns the shapes of its parameters, in the order of the kernel's differentiated
arguments, its constant arrays, a function of a tool, parameters and constants, and whether that has loops over time or blocks.
"""
import importlib
import pkgutil
import re

import numpy as np


class Case:
    """Sizes, index arrays, arrays of floats and parameters, as the suite sends them."""

    def __init__(self, name, message):
        """The case's name, which has the numbers of which it is made, and its bytes."""
        self.numbers = [int(number) for number in re.findall(r"\d+", name)]
        words, at = np.frombuffer(message, np.uint64), 0

        def word():
            nonlocal at
            at += 1
            return int(words[at - 1])

        def array():
            nonlocal at
            size = word()
            at += size
            return words[at - size : at]

        self.sizes = [int(size) for size in array()]
        self.indices = [array().astype(np.int32) for _ in range(word())]
        self.floats = [array().view(np.float64) for _ in range(word())]
        self.parameters = array().view(np.float64)


def rows(start):
    """The row of each entry of a matrix in compressed rows."""
    return np.repeat(np.arange(len(start) - 1, dtype=np.int32), np.diff(start))


PROGRAMS = {}


def program(make):
    PROGRAMS[make.__name__] = make
    return make


for module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{module.name}")
