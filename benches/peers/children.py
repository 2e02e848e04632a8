"""The programs that are compared, as child processes that answer one command at a time."""
import json
import os
import pathlib
import select
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

from absent import Absent
from plugin import Compiler

HERE = pathlib.Path(__file__).resolve().parent
# for every tool, pardiff included: it keeps the memory of large arrays instead of asking the system for new pages in every call,
# and these are large ones where the system gives them on request
KEEP = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": str(1 << 33),
    "MALLOC_TOP_PAD_": str(1 << 28),
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
}


def build_suite(root):
    """The path of the suite's program."""
    command = ["cargo", "bench", "--bench", "suite", "--no-run", "--message-format=json"]
    output = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True, text=True).stdout
    for line in output.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message["target"]["name"] == "suite" and message["executable"]:
            return message["executable"]
    raise SystemExit("cargo built no suite")


class Child:
    def __init__(self, command, environment, patience):
        self.patience = patience
        self.errors = tempfile.TemporaryFile()
        self.start = lambda: subprocess.Popen(
            command,
            env=os.environ | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            bufsize=0,
        )
        self.process = self.start()
        self.buffer = b""

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def send(self, line, message=b""):
        try:
            self.process.stdin.write(f"{line}\n".encode())
            view = memoryview(message)
            while view:
                view = view[self.process.stdin.write(view) :]
        except BrokenPipeError:
            raise Absent(self.complaint()) from None

    def more(self, deadline):
        ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            self.stop()
            raise Absent(f"no answer in {self.patience:.0f} s")
        part = self.process.stdout.read(1 << 20)
        if not part:
            raise Absent(self.complaint())
        self.buffer += part

    def line(self):
        deadline = time.monotonic() + self.patience
        while b"\n" not in self.buffer:
            self.more(deadline)
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode()

    def bytes(self, count):
        deadline = time.monotonic() + self.patience
        parts = bytearray(self.buffer)
        while len(parts) < count:
            self.buffer = b""
            self.more(deadline)
            parts += self.buffer
        self.buffer = bytes(parts[count:])
        return bytes(parts[:count])

    def complaint(self):
        self.process.wait()
        self.errors.seek(0)
        lines = self.errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else f"crash: it ended with {self.process.returncode}"

    def gradient(self):
        self.send("gradient")
        value = float(self.line())
        (size,) = struct.unpack("<Q", self.bytes(8))
        return value, np.frombuffer(self.bytes(8 * size), np.float64)


class Ours(Child):
    """The suite."""

    def __init__(self, program, threads, keep):
        command = [program, "--bench", "--serve", "--threads", str(threads)]
        super().__init__(command, KEEP if keep else {}, 600.0)

    def load(self, name, case):
        """The case as bytes, for the others."""
        self.send(f"load {name} {case}")
        return self.bytes(int(self.line()))

    def time(self, variant, calls):
        """Nanoseconds of calls in a row."""
        self.send(f"time {variant} {calls}")
        return [float(time) for time in self.line().split()]

    def memory(self):
        self.send("memory")
        return tuple(int(number) for number in self.line().split())


class Peer(Child):
    """JAX or PyTorch."""

    def __init__(self, kind, threads, options, keep):
        command = [sys.executable, str(HERE / "peer.py"), kind, str(threads)]
        super().__init__(command, KEEP if keep else {}, options.patience)
        self.version = self.line()

    def load(self, name, case, message):
        """Seconds until the first gradient was there."""
        if self.process.poll() is not None:
            self.process, self.buffer = self.start(), b""
            self.line()
        self.send(f"load {name} {case} {len(message)}", message)
        return float(self.line())

    def time(self, calls):
        """Nanoseconds of gradients in a row."""
        self.send(f"time {calls}")
        return [float(time) for time in self.line().split()]

    def memory(self):
        self.send("memory")
        return int(self.line())


class Plugin(Peer):
    """The kernels in `c/`, differentiated by an LLVM plugin; each is a program of its own, with OpenMP on more than one thread."""

    def __init__(self, kind, threads, options):
        self.by_hand, self.threads, self.patience = kind == "plugin.by_hand", threads, options.patience
        self.compiler = Compiler()
        self.version = self.compiler.version
        self.process = None

    def stop(self):
        if self.process:
            super().stop()
            self.process = None

    def load(self, name, case, message):
        self.stop()
        program = self.compiler.build(name, self.by_hand, self.threads)
        Child.__init__(self, [program], KEEP | {"OMP_NUM_THREADS": str(self.threads)}, self.patience)
        self.send(f"load {name} {case} {len(message)}", message)
        return float(self.line())
