"""An Asian call by simulation with Philox 4x32-10; gradient by spot, rate and volatilities."""
import jax.numpy as jnp
import numpy as np
from lcg import Lcg

CASES = ["90x6"]
LOW = 0xFFFFFFFF


def philox(path, step, seed):
    c, k = [path, step, 0, 0], [seed, 0]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & LOW, (a >> 32) ^ c[3] ^ k[1], a & LOW]
        k = [(k[0] + 0x9E3779B9) & LOW, (k[1] + 0xBB67AE85) & LOW]
    return c[0], c[1]


def load(paths, steps, strike=100.0, seed=7):
    volatility = Lcg(26).floats(steps, 0.1, 0.4)
    step = 1.0 / steps
    normal = np.empty((paths, steps))
    for path in range(paths):
        for t in range(0, steps, 2):
            u, w = ((x + 0.5) / 2.0**32 for x in philox(path, t, seed))
            radius, angle = np.sqrt(-2 * np.log(u)), 2 * np.pi * w
            normal[path, t : t + 2] = radius * np.cos(angle), radius * np.sin(angle)

    def price(spot, rate, volatility):
        moves = (rate - 0.5 * volatility**2) * step + volatility * np.sqrt(step) * normal
        prices = spot * jnp.exp(jnp.cumsum(moves, 1))
        return jnp.exp(-rate * step * steps) * jnp.maximum(prices.mean(1) - strike, 0.0).mean()

    return [100.0, 0.03, volatility], price
