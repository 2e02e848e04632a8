"""The volume term of a discontinuous Galerkin method for gas dynamics; gradient of half its squared norm by state and metric."""
import jax.numpy as jnp
import numpy as np
from lcg import Lcg

CASES = ["11"]


def load(n):
    random = Lcg(61)
    # near a gas at rest, on a mesh near the regular one
    state = random.floats((n, 5, 5, 5, 5), -0.2, 0.2)
    state += np.array([1.0, 0.0, 0.0, 0.0, 2.5])[:, None, None, None]
    metric = random.floats((n, 9, 5, 5, 5), -0.2, 0.2)
    metric[:, ::4] += 1.0
    mass = random.floats((n, 5, 5, 5), 0.5, 1.5)
    x = np.array([-1, -np.sqrt(3 / 7), 0, np.sqrt(3 / 7), 1])
    # of Lagrange's polynomials, by the barycentric weights; each row sums to zero
    away = x[:, None] - x + np.eye(5)
    weight = 1 / away.prod(1)
    derivative = weight / weight[:, None] / away
    np.fill_diagonal(derivative, 0.0)
    np.fill_diagonal(derivative, -derivative.sum(1))

    def squared(state, metric):
        density, momentum, energy = state[:, 0], state[:, 1:4], state[:, 4]
        pressure = 0.4 * (energy - 0.5 * (momentum**2).sum(1) / density)
        rows = metric.reshape(n, 3, 3, 5, 5, 5)
        along = jnp.einsum("edakji,eakji->edkji", rows, momentum)
        velocity = momentum / density[:, None]
        flux = jnp.concatenate(
            [
                along[:, :, None],
                along[:, :, None] * velocity[:, None] + rows * pressure[:, None, None],
                (along * ((energy + pressure) / density)[:, None])[:, :, None],
            ],
            2,
        )
        flux = flux * mass[:, None, None]
        divergence = (
            jnp.einsum("in,efkjn->efkji", derivative, flux[:, 0])
            + jnp.einsum("jn,efkni->efkji", derivative, flux[:, 1])
            + jnp.einsum("kn,efnji->efkji", derivative, flux[:, 2])
        )
        return 0.5 * (divergence**2 / mass[:, None]).sum()

    return [state, metric], squared
