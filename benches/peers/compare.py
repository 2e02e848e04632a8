"""Gradients of pardiff beside those of PyTorch (eager and compile), JAX (jit) and an LLVM plugin, in one interleaved run.

    python -m venv venv && venv/bin/pip install jax torch matplotlib
    venv/bin/python benches/peers/compare.py [--only gmm,ba] [--threads 1,2] [--rounds 9] [--scaling] [--json PATH] [--write]
                                             [--peers jax,torch,torch.compile,plugin,plugin.by_hand]

Every tool is a child process with as many threads, all of which get the same numbers from the suite. In every round each of them
computes value and gradient three times in a row, as a fit would, and then it is the next one's turn; compared are minima over all
calls, so that nobody pays for caches that another tool has filled. All of them run with the same settings of the allocator.
Gradients must agree. A tool that is not here, or that needs longer than `--patience` seconds for a first gradient, is left out with a
word. pardiff is timed by `grad_into`, which overwrites: the others return new arrays.

`--scaling` also follows three workloads over their sizes, in time and in memory; `--write` puts table and plot into `docs/peers.md` and
`docs/peers.svg`. `PARDIFF_DATA` names published data, as for the suite.

The LLVM plugin is one that provides `__enzyme_autodiff`; its kernels are in `c/`, with OpenMP on more than one thread, and it is
two tools: `plugin` differentiates the whole function with its parallel loop, `plugin.by_hand` is what someone writes who knows it well.
There each thread differentiates its own range with adjoints of its own, at once or in chunks whose tape stays in the cache, or one
thread does all of it, whichever is fastest in the case. Where the plugin crashes or its gradient is wrong, the table says so.

`PARDIFF_LLVM_PLUGIN` is the path of the plugin, and `PARDIFF_CLANG` the clang. Of a plugin for clang, it must be the one that the
plugin was built for. Of a pass plugin for `opt`, `PARDIFF_LLVM_BIN` is the folder with the `opt` and the `llc` of its LLVM; clang
may be an older one. One comes with nightly Rust where it has the component `enzyme`:

    rustup toolchain install nightly --component enzyme,llvm-tools
    target=$(dirname $(rustc +nightly --print target-libdir))
    export PARDIFF_LLVM_BIN=$target/bin PARDIFF_LLVM_PLUGIN=$(echo $target/lib/libEnzyme-*.so)
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import numpy as np

import report
from absent import Absent
from children import Ours, Peer, Plugin, build_suite

HERE = pathlib.Path(__file__).resolve().parent
CASES = [
    ("gmm", "1k/gmm_d10_K25"),
    ("gmm", "10k/gmm_d10_K25"),
    ("ba", "ba1"),
    ("minibude", "1024"),
    ("matvec", "2048"),
    ("spmv", "200000"),
    ("matvec_tanh", "2048"),
    ("heat2d", "512x200"),
    ("attn", "8x2048x64"),
    ("gat", "20000"),
    ("lstm", "lstm_l2_c1024"),
    ("softmax_regression", "20000x32x10"),
    ("soft_k_means", "50000x8x16"),
    ("polynomial_features", "100000x8x5"),
    ("option_book", "1000000"),
    ("logistic_regression", "50000x64"),
    ("lennard_jones", "40000"),
    ("batched_solve", "200000"),
    ("row_softmax", "100000"),
    ("csr_regression", "100000x5000"),
    ("mesh_convolution", "20000x16x32"),
    ("cross_section", "20000x60x500"),
    ("multipole", "5000x60x100"),
    ("lattice_boltzmann", "256x128x100"),
    ("acoustic_wave", "256x128x300"),
    ("lennard_jones_dynamics", "4000x20"),
    ("soft_dtw", "64x100x100x2"),
    ("soft_rasteriser", "128x200"),
    ("hand_simple", "3200x544"),
    ("hand_complicated", "3200x544"),
    ("kalman", "1000x50"),
    ("asian_option", "50000x24"),
]
SCALING = {
    "gmm": [("d10_K25_n%d" % n, n) for n in (300, 1000, 3000, 10000, 30000)],
    "heat2d": [("%dx100" % n, n * n) for n in (64, 128, 256, 512)],
    "spmv": [(str(n), n) for n in (3000, 10000, 30000, 100000, 300000)],
}
# in a row, by each tool in each round: the first one finds its threads asleep, and the caches as the tool before has left them
CALLS = 3
# rounding in two programs: the residuals of bundle adjustment cancel
TOLERANCE = 1e-8


def compare(name, case, threads, ours, peers, options):
    """One row of the table."""
    message = ours.load(name, case)
    value, gradient = ours.gradient()
    row = dict(workload=name, case=case, threads=threads, parameters=gradient.size, times={}, errors={}, absent={}, memory={})
    present = {}
    for kind, peer in peers.items():
        try:
            row.setdefault("first", {})[kind] = peer.load(name, case, message)
            other_value, other = peer.gradient()
        except Absent as reason:
            row["absent"][kind] = str(reason)
            print(f"  {kind} is left out: {reason}")
            continue
        error = max(
            float(np.linalg.norm(other - gradient) / np.linalg.norm(gradient)), abs(other_value - value) / abs(value)
        )
        if not error <= TOLERANCE:
            reason = f"wrong: the gradient differs by {error:.1e}"
            # the plugin differentiates code that was not written for it; of the others, the program is wrong
            if not isinstance(peer, Plugin):
                raise SystemExit(f"{name} {case}, {kind}: {reason}")
            row["absent"][kind] = reason
            print(f"  {kind} is left out: {reason}")
            continue
        row["errors"][kind] = error
        present[kind] = peer
    runs = {"primal": lambda: ours.time("primal", CALLS), "pardiff": lambda: ours.time("grad_into", CALLS)}
    runs |= {kind: lambda peer=peer: peer.time(CALLS) for kind, peer in present.items()}
    samples = {kind: [] for kind in runs}
    spent = {kind: 0.0 for kind in runs}
    for round in range(options.rounds + 1):
        for kind, run in list(runs.items()):
            # slow tools have had their turn after a while
            if round > 3 and spent[kind] > options.patience / 4:
                continue
            try:
                calls = run()
            except Absent as reason:
                if kind not in present:
                    raise
                # its process is gone, and with it what it would have said next
                for of in runs, samples, row["errors"]:
                    del of[kind]
                row["absent"][kind] = str(reason)
                print(f"  {kind} is left out: {reason}")
                continue
            spent[kind] += sum(calls) * 1e-9
            if round > 0:
                samples[kind] += [nanoseconds * 1e-6 for nanoseconds in calls]
    row["times"] = {kind: dict(min_ms=min(s), median_ms=float(np.median(s))) for kind, s in samples.items()}
    return row


def memory(name, case, ours, peers, options):
    """Bytes that a gradient takes, in processes without caches of their own."""
    message = ours.load(name, case)
    gradient, primal = ours.memory()
    # the others return new arrays, so the one that pardiff is given counts as well
    parameters = ours.gradient()[1].nbytes
    result = {"pardiff": gradient + parameters, "primal": primal}
    for kind, peer in peers.items():
        try:
            peer.load(name, case, message)
            result[kind] = peer.memory()
        except Absent as reason:
            print(f"  memory of {kind} is left out: {reason}")
    return result


def start(kinds, threads, options, keep):
    """The tools that are here."""
    peers = {}
    for kind in kinds:
        try:
            plugin = kind.startswith("plugin")
            peers[kind] = Plugin(kind, threads, options) if plugin else Peer(kind, threads, options, keep)
        except Absent as reason:
            print(f"{kind} is left out: {reason}")
    return peers


def stop(children):
    for child in children:
        child.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="workloads, separated by commas")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--peers", default="torch,torch.compile,jax,plugin,plugin.by_hand")
    parser.add_argument("--patience", type=float, default=120.0, help="seconds for a first gradient, compilation included")
    parser.add_argument("--scaling", action="store_true")
    parser.add_argument("--json", type=pathlib.Path, default=None)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name]
    unknown = set(only) - {name for name, _ in CASES}
    if unknown:
        raise SystemExit(f"no workload {', '.join(sorted(unknown))}")
    cases = [(name, case) for name, case in CASES if not only or name in only]
    kinds = [kind for kind in options.peers.split(",") if kind]
    program = build_suite(HERE.parent.parent)

    rows, curves, versions = [], [], {}
    for threads in map(int, options.threads.split(",")):
        ours = Ours(program, threads, keep=True)
        peers = start(kinds, threads, options, keep=True)
        versions |= {kind: peer.version for kind, peer in peers.items()}
        for name, case in cases:
            print(f"{name} {case}, {threads} thread(s)", flush=True)
            row = compare(name, case, threads, ours, peers, options)
            print("  " + ", ".join(f"{kind} {time['min_ms']:.3g} ms" for kind, time in row["times"].items()), flush=True)
            rows.append(row)
        if options.scaling and threads == 1:
            for name in [name for name in SCALING if not only or name in only]:
                for case, size in SCALING[name]:
                    print(f"{name} {case}, over sizes", flush=True)
                    curves.append(compare(name, case, threads, ours, peers, options) | dict(size=size))
        stop([ours, *peers.values()])
    if curves:
        ours, peers = Ours(program, 1, keep=False), start(kinds, 1, options, keep=False)
        for curve in curves:
            curve["memory"] = memory(curve["workload"], curve["case"], ours, peers, options)
        stop([ours, *peers.values()])

    found = dict(versions=versions, machine=report.machine(), load=os.getloadavg()[0], rows=rows, curves=curves)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    print("\n" + report.table(found))
    if options.write:
        report.write(found, HERE.parent.parent)


if __name__ == "__main__":
    main()
