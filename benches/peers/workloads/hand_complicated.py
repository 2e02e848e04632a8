"""ADBench's hand tracking with points in triangles; gradient by the pose and the barycentric coordinates."""
import jax.numpy as jnp
from workloads.hand_simple import CASES, hand, skin


def load(points, vertices):
    h = hand(points, vertices)

    def objective(theta, within):
        corners = skin(theta, h)[h["triangles"][h["triangle_of"]]]
        barycentric = jnp.concatenate([within, 1 - within.sum(1, keepdims=True)], 1)
        return 0.5 * ((h["points"] - jnp.einsum("pk,pka->pa", barycentric, corners)) ** 2).sum()

    return [h["theta"], h["within"]], objective
