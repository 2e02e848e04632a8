"""Negative log-likelihood of tracks by the Kalman filter; gradient by the four matrices of the model."""
import jax
import jax.numpy as jnp
import numpy as np
from lcg import Lcg

CASES = ["5x12"]


def load(tracks, steps):
    random = Lcg(25)
    transition = random.floats((4, 4), -0.02, 0.02) + np.eye(4) + 0.1 * np.eye(4, k=2)
    process = random.floats((4, 4), -0.02, 0.02) + 0.1 * np.eye(4)
    observation = random.floats((2, 4), -0.02, 0.02) + np.eye(2, 4)
    noise = random.floats((2, 2), -0.02, 0.02) + 0.2 * np.eye(2)
    measured = random.floats((tracks, steps, 2), -1, 1)

    def total(transition, process, observation, noise):
        def track(measured):
            x, p = jnp.zeros(4), 10.0 * jnp.eye(4)
            loss = 0.0
            for z in measured:
                x, p = transition @ x, transition @ p @ transition.T + process
                e = z - observation @ x
                s = observation @ p @ observation.T + noise
                inverse = jnp.linalg.inv(s)
                gain = p @ observation.T @ inverse
                loss += 0.5 * (e @ inverse @ e + jnp.log(jnp.linalg.det(s))) + np.log(2 * np.pi)
                # the kernel subtracts (P H')' instead of H P: the same for symmetric P
                x, p = x + gain @ e, p - gain @ (p @ observation.T).T
            return loss

        return jax.vmap(track)(measured).sum()

    return [transition, process, observation, noise], total
