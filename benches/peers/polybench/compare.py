"""The kernels of PolyBench, their gradients, and the same gradients in JAX, in one interleaved run.

    python -m venv venv && venv/bin/pip install jax
    venv/bin/python benches/peers/polybench/compare.py [--only gemm,lu] [--threads 1,2] [--size medium] [--rounds 5] [--write]
    venv/bin/python benches/peers/polybench/compare.py --references

`--write` puts the table into `docs/polybench.md`, with the reason from `REASONS` where a gradient takes over three primals.
`--references` writes the slopes of the losses along four directions, in JAX, into `workloads/polybench/references.txt`, beside the
values that are there: these are those of PolyBench in C.

A tool is a child process with as many threads. In each round each of them calls its gradient three times in a row, and once where
a call takes long; compared are minima. Gradients must agree.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
sys.path.insert(0, str(HERE.parent))

from absent import Absent  # noqa: E402
from children import KEEP, Ours, Peer  # noqa: E402
from report import machine  # noqa: E402

SIZES = ["test", "small", "medium", "large"]
CALLS = 3
# milliseconds of a call that is long, and of all calls after which a tool has had its turn
LONG, ENOUGH = 300.0, 1500.0
TOLERANCE = 1e-8
PAGE = ROOT / "docs" / "polybench.md"
REFERENCES = ROOT / "workloads" / "polybench" / "references.txt"
BEGIN, END = "<!-- polybench: begin -->", "<!-- polybench: end -->"
# what `PLAN` and a profile of the gradient say
REASONS = {
    "symm": "each row of the loop over `i` zeroes and adds up copies of the whole of `d_a`, of which it changes one row",
    "trmm": "`b[k, j]` is stored at each read (m² n / 2 numbers), not once; copies of the whole of `d_a` for each `i`",
    "durbin": "`y` is stored twice in each step, once for each of the two loops that read it, and the loops are short",
    "heat-3d": "the adjoint of a half step sweeps twice over the grid, for its middle and for its neighbours; the primal once",
    "floyd-warshall": "in place, so in order and without lanes; n³ conditions are stored, and read again one by one",
}
HEAD = [
    "kernel", "sizes", "primal", "gradient, 1 thread", "over the primal", "gradient, 2 threads", "JAX, 1 thread",
    "JAX, 2 threads", "why over 3 primals",
]


def build():
    """The path of the program of `workloads/polybench/serve.rs`."""
    command = ["cargo", "bench", "--bench", "polybench", "-p", "pardiff-polybench", "--no-run", "--message-format=json"]
    output = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    for line in output.splitlines():
        message = json.loads(line)
        if message.get("target", {}).get("name") == "polybench" and message.get("executable"):
            return message["executable"]
    raise SystemExit("cargo built no program")


class Kernels(Ours):
    """The program with our gradients."""

    def list(self):
        """The sizes of each kernel by name."""
        self.send("list")
        return {name: sizes for name, *sizes in (entry.split() for entry in self.line().split(","))}


class Jax(Peer):
    """This file as a child."""

    def __init__(self, threads, patience):
        command = [sys.executable, str(HERE / "child.py"), str(threads)]
        super(Peer, self).__init__(command, KEEP, patience)
        self.version = self.line()


def compare(name, sizes, ours, jax, rounds):
    """Milliseconds of primal, gradient and JAX's gradient, the last of which may be absent."""
    message = ours.load(name, sizes)
    value, gradient = ours.gradient()
    runs = {kind: lambda calls, kind=kind: ours.time(kind, calls) for kind in ("primal", "gradient")}
    if jax:
        try:
            jax.load(name, sizes, message)
            other_value, other = jax.gradient()
            error = np.linalg.norm(other - gradient) / np.linalg.norm(gradient)
            error = max(error, abs(other_value - value) / abs(value))
            if not error <= TOLERANCE:
                raise SystemExit(f"{name}: the gradients differ by {error:.1e}")
            runs["jax"] = jax.time
        except Absent as reason:
            print(f"  JAX is left out: {reason}")
    times = {kind: [] for kind in runs}
    for _ in range(rounds):
        for kind, run in runs.items():
            if sum(times[kind]) < ENOUGH:
                calls = 1 if max(times[kind], default=LONG) >= LONG else CALLS
                times[kind] += [nanoseconds * 1e-6 for nanoseconds in run(calls)]
    return {kind: min(t) for kind, t in times.items()}


def table(found, cases):
    """The table as Markdown."""
    number = lambda x: "–" if x is None else f"{x:.3g}" if x < 1000 else f"{x:.0f}"
    lines = ["| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]
    for name, sizes in cases:
        of = lambda threads, kind: found.get(threads, {}).get(name, {}).get(kind)
        primal, gradient = of(1, "primal"), of(1, "gradient")
        ratio = gradient / primal if primal and gradient else None
        why = REASONS.get(name, "not looked into") if ratio and ratio > 3.0 else ""
        numbers = [primal, gradient, ratio, of(2, "gradient"), of(1, "jax"), of(2, "jax")]
        lines.append("| " + " | ".join([name, sizes, *map(number, numbers), why]) + " |")
    geometric = lambda ratios: float(np.exp(np.mean(np.log(ratios)))) if ratios else float("nan")
    one = found.get(1, {}).values()
    lines += [
        "",
        f"Geometric means: gradient over primal {geometric([t['gradient'] / t['primal'] for t in one]):.2f}, "
        f"JAX over gradient {geometric([t['jax'] / t['gradient'] for t in one if 'jax' in t]):.2f} on one thread.",
    ]
    return "\n".join(lines)


def write_references(ours, jax, cases):
    """The slopes along the directions of the tests, beside the values of C."""
    known = {line.split()[0]: line.split()[1] for line in REFERENCES.read_text().splitlines() if line[0] != "#"}
    comments = [line for line in REFERENCES.read_text().splitlines() if line[0] == "#"]
    lines = []
    for name, sizes in cases:
        message = ours.load(name, sizes)
        jax.load(name, sizes, message)
        value, gradient = jax.gradient()
        if abs(value - float(known[name])) > 1e-10 * abs(value):
            raise SystemExit(f"{name}: {value} in JAX, {known[name]} in C")
        at = np.arange(1, gradient.size + 1)
        slopes = [float(gradient @ np.sin(1 + 0.37 * d + 0.7 * at * (d + 1))) for d in range(4)]
        lines.append(" ".join([name, known[name], *map(repr, slopes)]))
        print(lines[-1])
    REFERENCES.write_text("\n".join([*comments, *lines]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="kernels, separated by commas")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--size", default="medium", choices=SIZES)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--patience", type=float, default=30.0, help="seconds for JAX's first gradient")
    parser.add_argument("--no-jax", action="store_true")
    parser.add_argument("--references", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name]
    program = build()

    found, version = {}, "JAX left out"
    threads = [1] if options.references else [int(number) for number in options.threads.split(",")]
    for count in threads:
        ours = Kernels(program, count, keep=True)
        jax = None if options.no_jax else Jax(count, options.patience)
        size = 0 if options.references else SIZES.index(options.size)
        cases = [(name, sizes[size]) for name, sizes in ours.list().items() if not only or name in only]
        if options.references:
            write_references(ours, jax, cases)
            return
        version = jax.version if jax else version
        found[count] = {}
        for name, sizes in cases:
            times = found[count][name] = compare(name, sizes, ours, jax, options.rounds)
            print(f"{name} {sizes}, {count} thread(s): " + ", ".join(f"{k} {t:.3g} ms" for k, t in times.items()), flush=True)
        for child in filter(None, [ours, jax]):
            child.stop()
    text = table(found, cases)
    print(text)
    if options.write:
        page = PAGE.read_text()
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
        about = f"{machine()}, {load}; {version}. Milliseconds, minima; data set `{options.size.upper()}`."
        PAGE.write_text(f"{before}{BEGIN}\n\n{about}\n\n{text}\n\n{END}{after}")


if __name__ == "__main__":
    main()
