"""Makes the reference values in `workloads/references/`: value and gradient in JAX, in double precision.

    python -m venv venv && venv/bin/pip install jax
    venv/bin/python benches/peers/references.py [--modes] [NAME...]

Each program in `workloads/` computes one workload from its definition, vectorised, and shares no code with the kernels in Rust;
`CASES` are the small cases that the tests run. The other workloads are the programs in `compared/`, which get their data from the
suite. A file has the value in its first line, then the gradient, one entry a line, in the order of the kernel's differentiated
arguments.

`--modes` makes those in `workloads/references/modes/` instead, of the same programs: the slope along a direction by forward mode,
then of the Hessian times that direction (forward over reverse mode) its norm, its products with two more directions, and five
entries, equally spaced.
"""
import importlib
import pathlib
import sys

import jax
import numpy as np

from lcg import Lcg

jax.config.update("jax_enable_x64", True)

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "workloads" / "references"
# as in workloads/tests/it/modes.rs
DIRECTION = 71
PROBES = 72, 73
ENTRIES = 5
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


def own(name, differentiate):
    """The cases of a program in `workloads/`."""
    module = importlib.import_module(f"workloads.{name}")
    for case in module.CASES:
        parameters, function = module.load(*(int(number) for number in case.split("x")))
        yield case, *differentiate(function, parameters)


def compared(name, suite, differentiate):
    """The case of a program in `compared/`."""
    from peer import prepare
    from tools import Jax

    class Tool(Jax):
        def gradient(self, f, loops, parameters, constants):
            return lambda: differentiate(lambda *p: f(*p, *constants), parameters)

    case = COMPARED[name]
    yield case, *prepare(Tool(1), name, case, suite.load(name, case))()


def first_order(function, parameters):
    """Value and gradient."""
    arguments = tuple(range(len(parameters)))
    value, gradient = jax.jit(jax.value_and_grad(function, arguments))(*parameters)
    return value, flat(gradient)


def modes(function, parameters):
    """The slope along a direction, and what is kept of the Hessian times it."""
    parameters = [np.asarray(p, np.float64) for p in parameters]
    sizes = [p.size for p in parameters]

    def direction(generator):
        parts = np.split(Lcg(generator).floats(sum(sizes), -1, 1), np.cumsum(sizes)[:-1])
        return tuple(part.reshape(p.shape) for part, p in zip(parts, parameters))

    along = direction(DIRECTION)
    gradient = jax.grad(function, tuple(range(len(parameters))))
    _, slope = jax.jit(lambda *p: jax.jvp(function, p, along))(*parameters)
    product = flat(jax.jit(lambda *p: jax.jvp(gradient, p, along)[1])(*parameters))
    probed = [product @ flat(direction(probe)) for probe in PROBES]
    entries = [product[k * (product.size - 1) // (ENTRIES - 1)] for k in range(ENTRIES)]
    return slope, np.array([np.linalg.norm(product), *probed, *entries])


def flat(parts):
    """All numbers of several arrays."""
    return np.concatenate([np.asarray(part, np.float64).ravel() for part in parts])


def main(names):
    sys.path.insert(0, str(HERE))
    of_modes = "--modes" in names
    names = [name for name in names if name != "--modes"]
    programs = sorted(path.stem for path in (HERE / "workloads").glob("*.py"))
    names = names or programs + list(COMPARED)
    differentiate, folder, what = first_order, FOLDER, "value, then gradient"
    if of_modes:
        differentiate, folder, what = modes, FOLDER / "modes", "slope, then of the product with the Hessian"
        folder.mkdir(exist_ok=True)
    suite = None
    if set(names) & set(COMPARED):
        from children import Ours, build_suite

        suite = Ours(build_suite(ROOT), 1, keep=False)
    for name in names:
        cases = own(name, differentiate) if name in programs else compared(name, suite, differentiate)
        for case, first, rest in cases:
            assert np.isfinite(rest).all() and np.isfinite(first), name
            lines = [f"# {name} {case}: {what}; made by benches/peers/references.py with JAX {jax.__version__}"]
            lines += [repr(float(x)) for x in [first, *rest]]
            (folder / f"{name}.{case}.txt").write_text("\n".join(lines) + "\n")
            print(f"{name} {case}: {float(first)}, {rest.size} numbers, norm {np.linalg.norm(rest)}")
    if suite:
        suite.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
