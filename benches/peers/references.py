"""Makes the reference values in `workloads/references/`: value and gradient in JAX, in double precision.

    python -m venv venv && venv/bin/pip install jax
    venv/bin/python benches/peers/references.py [NAME...]

Each program in `workloads/` computes one workload from its definition, vectorised, and shares no code with the kernels in Rust;
`CASES` are the small cases that the tests run. The other workloads are the programs in `compared/`, which get their data from the
suite. A file has the value in its first line, then the gradient, one entry a line, in the order of the kernel's differentiated
arguments.
"""
import importlib
import pathlib
import sys

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "workloads" / "references"
# of the workloads without a program of their own, the small cases of the tests; slashes cannot be in a file's name
COMPARED = {
    "gmm": "d3_K4_n70",
    "ba": "7x50x333",
    "minibude": "64x2x9",
    "matvec": "37",
    "spmv": "300",
    "matvec_tanh": "37",
    "heat2d": "16x5",
    "attn": "3x40x16",
    "gat": "60",
    "lstm": "l2_c20",
    "softmax_regression": "50x6x4",
    "soft_k_means": "50x3x4",
    "lennard_jones": "200",
    "option_book": "77",
    "logistic_regression": "60x5",
    "batched_solve": "41",
    "polynomial_features": "50x3x4",
    "row_softmax": "200",
}


def own(name):
    """The cases of a program in `workloads/`."""
    module = importlib.import_module(f"workloads.{name}")
    for case in module.CASES:
        parameters, function = module.load(*(int(number) for number in case.split("x")))
        arguments = tuple(range(len(parameters)))
        value, gradient = jax.jit(jax.value_and_grad(function, arguments))(*parameters)
        yield case, value, gradient


def compared(name, suite):
    """The case of a program in `compared/`."""
    from peer import prepare
    from tools import Jax

    case = COMPARED[name]
    value, gradient = prepare(Jax(1), name, case, suite.load(name, case))()
    yield case, value, gradient


def main(names):
    sys.path.insert(0, str(HERE))
    programs = sorted(path.stem for path in (HERE / "workloads").glob("*.py"))
    names = names or programs + list(COMPARED)
    suite = None
    if set(names) & set(COMPARED):
        from children import Ours, build_suite

        suite = Ours(build_suite(ROOT), 1, keep=False)
    for name in names:
        for case, value, gradient in own(name) if name in programs else compared(name, suite):
            flat = np.concatenate([np.asarray(g, np.float64).ravel() for g in gradient])
            assert np.isfinite(flat).all() and np.isfinite(value), name
            lines = [f"# {name} {case}: value, then gradient; made by benches/peers/references.py with JAX {jax.__version__}"]
            lines += [repr(float(x)) for x in [value, *flat]]
            (FOLDER / f"{name}.{case}.txt").write_text("\n".join(lines) + "\n")
            print(f"{name} {case}: value {float(value)}, {flat.size} parameters, |gradient| {np.linalg.norm(flat)}")
    if suite:
        suite.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
