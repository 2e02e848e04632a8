"""Gradients of pardiff on a GPU beside those of PyTorch and JAX on the same one.

    python benches/peers/on_gpu.py OURS.json [--peers jax,torch,torch.compile] [--suite PROGRAM] [--seconds 200] [--patience 40]
                                   [--rounds 10]

`PROGRAM` is the suite, if it was built before. `OURS.json` is what `cargo bench -p pardiff-cuda-tests --bench gpu -- --json OURS.json` writes. Every tool is a child process that gets
the same numbers from the suite, with everything in the memory of the device; compared are minima, by the clock of the device for
PyTorch, and until the result is there for JAX, which has none. Gradients must agree with pardiff's on the CPU. A tool that is not
here, and a workload for which the time is up, is left out with a word. The last thing it prints is the table.
"""
import argparse
import json
import pathlib
import time

import numpy as np

from children import Absent, Ours, Peer, build_suite

HERE = pathlib.Path(__file__).resolve().parent


class OnGpu(Peer):
    """JAX or PyTorch on the GPU."""

    def __init__(self, kind, options):
        super().__init__(kind, "gpu", options, False)


def difference(ours, theirs):
    scale = max(np.abs(ours).max(initial=0.0), 1e-300)
    return float(np.abs(ours - theirs).max(initial=0.0) / scale) if ours.shape == theirs.shape else np.inf


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ours")
    parser.add_argument("--peers", default="torch,jax,torch.compile")
    parser.add_argument("--suite")
    parser.add_argument("--seconds", type=float, default=200.0)
    parser.add_argument("--patience", type=float, default=40.0)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    lines = json.loads(pathlib.Path(options.ours).read_text())
    suite = Ours(options.suite or build_suite(HERE.parent.parent), 1, keep=False)
    peers, notes = {}, []
    for kind in options.peers.split(","):
        try:
            peers[kind] = OnGpu(kind, options)
        except Absent as why:
            notes.append(f"{kind}: {why}")
    found = {}
    # a tool at a time through all workloads, the most important first: what is left when the time is up is left out
    for kind, peer in peers.items():
        for line in lines:
            name, case = line["workload"], line["case"]
            if time.monotonic() > end:
                notes.append(f"{kind}: no time was left for {name} and those behind it")
                break
            try:
                message = suite.load(name, case)
                expected = suite.gradient()[1]
                peer.load(name, case, message)
                error = difference(expected, peer.gradient()[1])
                if not error < 1e-6:
                    raise Absent(f"another gradient, by {error:.0e}")
                found[kind, name] = min(peer.time(options.rounds)) * 1e-6
            except Absent as why:
                notes.append(f"{kind}: {name}: {why}")
    kinds = list(peers)
    print("\n".join(["", *notes, ""]))
    print("| gradient | pardiff, ms | " + " | ".join(f"{peers[kind].version}, {kind}" for kind in kinds) + " | times the best |")
    print("| --- |" + " ---: |" * (len(kinds) + 2))
    for line in lines:
        times = [found.get((kind, line["workload"])) for kind in kinds]
        best = min((t for t in times if t), default=None)
        shown = " | ".join("—" if t is None else f"{t:.3f}" for t in times)
        ratio = "—" if best is None else f"{best / line['ms']:.1f}"
        print(f"| {line['workload']} {line['case']} | {line['ms']:.3f} | {shown} | {ratio} |")


if __name__ == "__main__":
    main()
