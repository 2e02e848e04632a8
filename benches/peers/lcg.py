"""The generator of synthetic inputs, the same numbers as `workloads/inputs/random.rs`."""
import numpy as np

MASK = (1 << 64) - 1


class Lcg:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & MASK
        return self.state

    def float(self, low, high):
        return low + (high - low) * ((self.next() >> 11) * 2.0**-53)

    def floats(self, shape, low, high):
        return np.array([self.float(low, high) for _ in range(int(np.prod(shape)))]).reshape(shape)

    def index(self, bound):
        return (self.next() >> 33) % bound

    def indices(self, shape, bound):
        return np.array([self.index(bound) for _ in range(int(np.prod(shape)))]).reshape(shape)

    def row_starts(self, rows):
        starts = [0]
        for _ in range(rows):
            starts.append(starts[-1] + 8 + self.index(17))
        return np.array(starts)
