"""JAX as a child of `compare.py`, with the commands of `../peer.py`."""
import os
import pathlib
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from peer import restrict  # noqa: E402

restrict(int(sys.argv[1]))

import numpy as np  # noqa: E402
from tools import Jax  # noqa: E402


def main(threads):
    # what the tool prints is no answer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    tool = Jax(threads)
    from programs import KERNELS


    def answer(line, array=None):
        answers.write(f"{line}\n".encode())
        if array is not None:
            answers.write(struct.pack("<Q", array.size) + array.tobytes())
        answers.flush()

    answer(tool.version)
    while line := sys.stdin.buffer.readline():
        command, *words = line.decode().split()
        if command == "load":
            name, sizes, size = words
            shapes, function = KERNELS[name](*map(int, sizes.split("x")))
            values = np.frombuffer(sys.stdin.buffer.read(int(size)), np.float64)
            ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
            assert ends[-1] == values.size, name
            parts = np.split(values, ends[:-1])
            parameters = [tool.array(part.reshape(shape)) for part, shape in zip(parts, shapes)]
            begin = time.perf_counter()
            run = tool.gradient(function, True, parameters, [])
            run()
            answer(time.perf_counter() - begin)
        elif command == "time":
            answer(" ".join(str(tool.timed(run)[0]) for _ in range(int(words[0]))))
        elif command == "gradient":
            value, gradient = run()
            answer(repr(float(value)), np.concatenate([np.asarray(g).ravel() for g in gradient]))


if __name__ == "__main__":
    main(int(sys.argv[1]))
