"""Jacobians by JAX, as a child of the bench `jacobians`: a command at a time from standard input, its answer to standard output.

    jacobians.py THREADS

| command | answer |
| --- | --- |
| `load WORKLOAD CASE BYTES`, and that many bytes: the case as the suite gives it | `ok` |
| `time` | nanoseconds of one Jacobian |
| `jacobian` | the number of its entries, and these: a row of residuals for each direction |
"""
import os
import sys

from peer import restrict

if __name__ == "__main__":
    restrict(int(sys.argv[1]))

import numpy as np  # noqa: E402
from compared import Case, hands  # noqa: E402
from compared.graph import reprojection  # noqa: E402
from tools import Jax  # noqa: E402


def ba(t, c):
    """Three residuals of each observation by its 15 inputs, by rows or by columns."""
    jax = t.jax
    camera, point = c.parameters[: 11 * c.sizes[0]].reshape(-1, 11), c.parameters[11 * c.sizes[0] :]
    point, weight = point[: 3 * c.sizes[1]].reshape(-1, 3), point[3 * c.sizes[1] :]
    constants = [t.array(x) for x in (camera, point, weight, c.floats[0].reshape(-1, 2), *c.indices)]

    def one(inputs, feature):
        return t.stack(reprojection(t, inputs[:11], inputs[11:14], inputs[14], feature))

    def jacobian(mode):
        def all(camera, point, weight, feature, camera_of, point_of):
            inputs = t.concatenate([camera[camera_of], point[point_of], weight[:, None]], 1)
            return jax.vmap(mode(one))(inputs, feature)

        return jax.jit(all)

    rows, columns = jacobian(jax.jacrev), jacobian(jax.jacfwd)
    return [lambda: rows(*constants), lambda: columns(*constants)], lambda j: j.transpose(2, 0, 1)


def hand_simple(t, c):
    """All residuals by the pose."""
    constants = [t.array(x) for x in (*hands.parts(c), c.indices[1])]
    theta = t.array(c.parameters)
    columns = t.jax.jit(t.jax.jacfwd(lambda theta, *rest: hands.simple_errors(t, theta, *rest)))
    return [lambda: columns(theta, *constants)], lambda j: j.transpose(2, 0, 1)


def hand_complicated(t, c):
    """All residuals by the pose, and those of each point by where it is in its triangle."""
    jax = t.jax
    triangles, _, triangle_of = c.indices
    constants = [t.array(x) for x in (*hands.parts(c), triangles.reshape(-1, 3)[triangle_of])]
    theta, within = t.array(c.parameters[:26]), t.array(c.parameters[26:].reshape(-1, 2))

    def along(theta, within, *rest):
        errors = lambda theta, within: hands.complicated_errors(t, theta, within, *rest)
        product = lambda d: jax.jvp(errors, (theta, within), (d[:26], t.np.broadcast_to(d[26:], within.shape)))[1]
        return jax.vmap(product)(t.np.eye(28))

    columns = jax.jit(along)
    return [lambda: columns(theta, within, *constants)], lambda j: j


def main(threads):
    # what the tools print is no answer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def answer(line, array=b""):
        answers.write(f"{line}\n".encode() + array)
        answers.flush()

    t = Jax(threads)
    ways, arranged = [], None
    while line := sys.stdin.buffer.readline():
        command, *words = line.decode().split()
        if command == "load":
            name, case, size = words
            programs = {"ba": ba, "hand_simple": hand_simple, "hand_complicated": hand_complicated}
            ways, arranged = programs[name](t, Case(case, sys.stdin.buffer.read(int(size))))
            for way in ways:
                t.jax.block_until_ready(way())
            answer("ok")
        elif command == "time":
            answer(min(t.timed(lambda: t.jax.block_until_ready(way()))[0] for way in ways))
        elif command == "jacobian":
            flat = np.ascontiguousarray(arranged(np.asarray(ways[0]())), np.float64).ravel()
            answer(flat.size, flat.tobytes())


if __name__ == "__main__":
    main(int(sys.argv[1]))
