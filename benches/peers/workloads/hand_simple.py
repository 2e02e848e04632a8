"""ADBench's hand tracking with known vertices; gradient by the pose."""
import jax.numpy as jnp
import numpy as np
from lcg import Lcg

CASES = ["20x15"]
PARENT = [-1, 0, 1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 13, 14, 15, 0, 17, 18, 19, 0]


def transformations(random):
    top = random.floats((22, 3, 4), -0.2, 0.2)
    return np.concatenate([top, np.zeros((22, 1, 4))], 1) + np.eye(4)


def hand(points, vertices):
    """The inputs, in the order in which they are drawn."""
    random = Lcg(30)
    return dict(
        base=transformations(random),
        inverse=transformations(random),
        vertices=random.floats((vertices, 3), -1, 1),
        weights=random.floats((vertices, 22), 0, 1 / 11),
        triangles=random.indices((2 * vertices, 3), vertices),
        points=random.floats((points, 3), -1, 1),
        vertex_of=random.indices(points, vertices),
        triangle_of=random.indices(points, 2 * vertices),
        theta=random.floats(26, -1, 1),
        within=random.floats((points, 2), 0, 0.5),
    )


def rotation(axis, angle):
    """About a coordinate axis, as a transformation."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    cos, sin = jnp.cos(angle), jnp.sin(angle)
    return jnp.eye(4).at[i, i].set(cos).at[j, j].set(cos).at[i, j].set(-sin).at[j, i].set(sin)


def skin(theta, h):
    angles = jnp.zeros((22, 3))
    after = 6
    for bone in [4 * finger + 2 + joint for finger in range(5) for joint in range(3)]:
        angles = angles.at[bone, 0].set(theta[after])
        after += 1
        if bone % 4 == 2:
            angles = angles.at[bone, 1].set(theta[after])
            after += 1
    absolute = []
    for bone in range(22):
        x, z, y = angles[bone]
        relative = h["base"][bone] @ rotation(2, z) @ rotation(1, y) @ rotation(0, x)
        absolute.append(relative if PARENT[bone] < 0 else absolute[PARENT[bone]] @ relative)
    moving = jnp.stack(absolute) @ h["inverse"]
    homogeneous = np.concatenate([h["vertices"], np.ones((len(h["vertices"]), 1))], 1)
    skinned = jnp.einsum("vb,bij,vj->vi", h["weights"], moving[:, :3], homogeneous)
    angle = jnp.sqrt((theta[:3] ** 2).sum())
    a = theta[:3] / angle
    cross = jnp.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    turn = jnp.eye(3) * jnp.cos(angle) + jnp.outer(a, a) * (1 - jnp.cos(angle)) + cross * jnp.sin(angle)
    return skinned @ turn.T + theta[3:6]


def load(points, vertices):
    h = hand(points, vertices)
    return [h["theta"]], lambda theta: 0.5 * ((h["points"] - skin(theta, h)[h["vertex_of"]]) ** 2).sum()
