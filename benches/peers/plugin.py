"""The compiler of the kernels in `c/`, which an LLVM plugin differentiates.

A clang plugin runs within clang. One for `opt` comes with the tools of its LLVM: clang simplifies a kernel, but neither unrolls nor
vectorises it, the plugin differentiates that, and what comes out is optimised as by `-O3` for this machine.
"""
import os
import pathlib
import subprocess
import tempfile

from absent import Absent

HERE = pathlib.Path(__file__).resolve().parent
FAST = ["-march=native", "-ffast-math", "-fno-math-errno"]
# what the plugin's loops become is unrolled and vectorised behind it
SIMPLE = ["-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-S", "-emit-llvm"]

# of the plugin's options, the one that made kernels faster: it simplifies gradients as it makes them
OPTIONS = ["-enzyme-postopt", "-enzyme-post-opt-level=2"]


class Compiler:
    def __init__(self):
        self.plugin = os.environ.get("PARDIFF_LLVM_PLUGIN")
        self.clang = os.environ.get("PARDIFF_CLANG", "clang")
        self.tools = os.environ.get("PARDIFF_LLVM_BIN")
        if not self.plugin:
            raise Absent("PARDIFF_LLVM_PLUGIN names no plugin")
        if not pathlib.Path(self.plugin).exists():
            raise Absent(f"there is no {self.plugin}")
        for tool in ("opt", "llc") if self.tools else ():
            if not (pathlib.Path(self.tools) / tool).exists():
                raise Absent(f"there is no {tool} in {self.tools}")
        self.folder = tempfile.TemporaryDirectory()
        self.version = pathlib.Path(self.plugin).name
        self.vector_library = self._has_vector_library()

    def _has_vector_library(self):
        """Whether the C library has exponentials of vectors, which the loops of other tools use as well."""
        source = pathlib.Path(self.folder.name) / "library.c"
        source.write_text("int main(void) { return 0; }\n")
        command = [self.clang, str(source), "-Wl,--no-as-needed", "-lmvec", "-o", str(source.with_suffix(""))]
        try:
            return subprocess.run(command, capture_output=True).returncode == 0
        except FileNotFoundError:
            raise Absent(f"there is no {self.clang}") from None

    def build(self, kernel, by_hand, threads):
        """The path of the kernel's program."""
        source = HERE / "c" / "kernels" / f"{kernel}.h"
        if not source.exists():
            raise Absent("no kernel in C")
        program = pathlib.Path(self.folder.name) / f"{kernel}{'.by_hand' if by_hand else ''}.{threads}"
        if not program.exists():
            flags = [*FAST, f'-DKERNEL="kernels/{kernel}.h"'] + ["-DBY_HAND"] * by_hand
            openmp = ["-fopenmp"] * (threads > 1)
            libraries = ["-lm"] + ["-lmvec"] * self.vector_library
            compile = self._with_pass if self.tools else self._with_clang
            compile([str(HERE / "c" / "main.c"), *flags, *openmp], [*libraries, *openmp], str(program))
        return str(program)

    def _with_clang(self, source, libraries, program):
        vectors = ["-fveclib=libmvec"] * self.vector_library
        self._run([self.clang, "-O3", f"-fplugin={self.plugin}", *vectors, *source, *libraries, "-o", program])

    def _with_pass(self, source, libraries, program):
        code, gradient, fast, machine = (f"{program}.{end}" for end in ("ll", "gradient.bc", "fast.bc", "o"))
        opt, llc = (str(pathlib.Path(self.tools) / tool) for tool in ("opt", "llc"))
        vectors = ["-vector-library=LIBMVEC"] * self.vector_library
        self._run([self.clang, *SIMPLE, *source, "-o", code])
        # next to the tools, or where Rust has its compiler's
        folder = pathlib.Path(self.tools).resolve()
        libraries_of_tools = {"LD_LIBRARY_PATH": f"{folder / '../lib'}:{folder / '../../..'}"}
        load = [f"-load={self.plugin}", f"-load-pass-plugin={self.plugin}"]
        self._run([opt, *load, *OPTIONS, "-passes=enzyme", code, "-o", gradient], libraries_of_tools)
        self._run([opt, "-mcpu=native", *vectors, "-passes=default<O3>", gradient, "-o", fast], libraries_of_tools)
        self._run([llc, "-O3", "-mcpu=native", "-relocation-model=pic", "-filetype=obj", fast, "-o", machine], libraries_of_tools)
        self._run([self.clang, machine, *libraries, "-o", program])

    def _run(self, command, environment={}):
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)
        except FileNotFoundError:
            raise Absent(f"there is no {command[0]}") from None
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()[-1:]
            what = errors[0].strip()[:120] if done.returncode > 0 and errors else f"signal {-done.returncode}"
            raise Absent(f"crash: {pathlib.Path(command[0]).name}, {what}")
