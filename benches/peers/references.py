"""Makes the reference values in `workloads/references/`: value and gradient in JAX, in double precision.

    python -m venv venv && venv/bin/pip install jax
    venv/bin/python benches/peers/references.py [NAME...]

Each program in `workloads/` computes one workload from its definition, vectorised, and shares no code with the kernels in Rust;
`CASES` are the small cases that the tests run. A file has the value in its first line, then the gradient, one entry a line, in
the order of the kernel's differentiated arguments.
"""
import importlib
import pathlib
import sys

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parent.parent / "workloads" / "references"


def main(names):
    sys.path.insert(0, str(HERE))
    names = names or sorted(path.stem for path in (HERE / "workloads").glob("*.py"))
    for name in names:
        module = importlib.import_module(f"workloads.{name}")
        for case in module.CASES:
            parameters, function = module.load(*(int(number) for number in case.split("x")))
            arguments = tuple(range(len(parameters)))
            value, gradient = jax.jit(jax.value_and_grad(function, arguments))(*parameters)
            flat = np.concatenate([np.asarray(g, np.float64).ravel() for g in gradient])
            assert np.isfinite(flat).all() and np.isfinite(value), name
            lines = [f"# {name} {case}: value, then gradient; made by benches/peers/references.py with JAX {jax.__version__}"]
            lines += [repr(float(x)) for x in [value, *flat]]
            (FOLDER / f"{name}.{case}.txt").write_text("\n".join(lines) + "\n")
            print(f"{name} {case}: value {float(value)}, {flat.size} parameters, |gradient| {np.linalg.norm(flat)}")


if __name__ == "__main__":
    main(sys.argv[1:])
