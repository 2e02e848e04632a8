"""One tool as a child of `compare.py`: one command at a time from standard input, its answer to standard output.

    peer.py {jax|torch|torch.compile} {THREADS|gpu}

| command | answer |
| --- | --- |
| `load WORKLOAD CASE BYTES`, and that many bytes: the case as the suite gives it | seconds until the first gradient was there |
| `time CALLS` | the nanoseconds of so many gradients in a row |
| `gradient` | value; then the number of entries, and these |
| `memory` | bytes that a gradient takes, its result among them |
"""
import os
import struct
import sys
import time


def restrict(threads):
    """Before a tool is imported: so many threads, on so many processors for those that count these."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(threads)
    if threads < (os.cpu_count() or 1) and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-threads:])


GPU = sys.argv[2:] == ["gpu"]
if __name__ == "__main__" and not GPU:
    restrict(int(sys.argv[2]))

import numpy as np  # noqa: E402
from compared import PROGRAMS, Case  # noqa: E402
from tools import Jax, Torch  # noqa: E402


def prepare(tool, name, case, message):
    """A function without arguments that returns value and gradients."""
    case = Case(case, message)
    shapes, constants, function, loops = PROGRAMS[name](case)
    parameters, offset = [], 0
    for shape in shapes:
        size = int(np.prod(shape))
        parameters.append(tool.array(case.parameters[offset : offset + size].reshape(shape)))
        offset += size
    assert offset == case.parameters.size, (name, shapes)
    constants = [tool.array(c) for c in constants]
    return tool.gradient(lambda *a: function(tool, *a), loops, parameters, constants)


def main(kind, threads):
    # what the tools print is no answer
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    def answer(line, array=None):
        answers.write(f"{line}\n".encode())
        if array is not None:
            answers.write(struct.pack("<Q", array.size) + array.tobytes())
        answers.flush()

    tool = Jax(threads, GPU) if kind == "jax" else Torch(threads, kind == "torch.compile", GPU)
    answer(tool.version)
    run = None
    while line := sys.stdin.buffer.readline():
        command, *words = line.decode().split()
        if command == "load":
            name, case, size = words
            run = None
            begin = time.perf_counter()
            run = prepare(tool, name, case, sys.stdin.buffer.read(int(size)))
            run()
            answer(time.perf_counter() - begin)
        elif command == "time":
            answer(" ".join(str(tool.timed(run)[0]) for _ in range(int(words[0]))))
        elif command == "gradient":
            value, gradient = run()
            flat = np.concatenate([np.asarray(tool.numpy(g), np.float64).ravel() for g in gradient])
            answer(repr(float(value)), flat)
        elif command == "memory":
            answer(tool.memory(run))


if __name__ == "__main__":
    main(sys.argv[1], os.cpu_count() if GPU else int(sys.argv[2]))
