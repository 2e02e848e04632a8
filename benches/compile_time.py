#!/usr/bin/env python3
"""What users pay at compile time: each workload in a crate of its own, in release and in debug.

    benches/compile_time.py                        # all workloads, rewrites the table of docs/compile-time.md
    benches/compile_time.py gmm ba                 # some of them, printed alone
    benches/compile_time.py --functions gmm        # also where the LLVM lines come from, by function
    benches/compile_time.py --file big.rs          # a file that is no workload
    benches/compile_time.py --modes                # what each mode adds to the gradient, rewrites its table

Dependencies are built before. Times are user seconds of the processor, the least of `--repeat` runs, so that other
processes disturb them little. `rustc` holds the expansion of the attribute; `expansion` is that alone, by the
compiler as Cargo builds it for a user: not optimised. Lines are those of `-Zunpretty=expanded` and of LLVM's
assembly before its passes; source lines are those with code.
"""
import argparse
import collections
import math
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "compile-time.md"
BEGIN, END = "<!-- compile-time: begin -->", "<!-- compile-time: end -->"
# what asks for each mode; `batch` alone is that of the gradient
MODES = {"jvp": "forward", "hvp": "hvp", "vjp_batch": "batch(8)", "split": "split", "check": "check"}
MODES_BEGIN, MODES_END = "<!-- modes: begin -->", "<!-- modes: end -->"
COLUMNS = ["workload", "source lines", "expanded lines", "a source line", "LLVM lines", "expansion, ms",
           "rustc release, s", "rustc debug, s", "code, KiB"]


def run(command, folder, **environment):
    """Runs a command and gives what it wrote and the user seconds that it took, its children's among them."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, command))}\n{done.stderr}")
    return done, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def packages(folder, root, files):
    """One workspace with a crate for each file, so that the dependencies are built once."""
    members = [*files, "expansion"]
    write(folder / "Cargo.toml", f"[workspace]\nresolver = \"3\"\nmembers = {members}\n".replace("'", '"'))
    shutil.copy(root / "Cargo.lock", folder / "Cargo.lock")
    head = '[package]\nname = "{}"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\n'
    for name, path in files.items():
        write(folder / name / "Cargo.toml", head.format(name) + f'pardiff = {{ path = "{root}" }}\n')
        write(folder / name / "src/lib.rs", path if isinstance(path, str) else path.read_text())
    compiler = f'pardiff-compiler = {{ path = "{root}/pardiff-compiler" }}\nproc-macro2 = "1"\n'
    write(folder / "expansion/Cargo.toml", head.format("expansion") + compiler)
    write(folder / "expansion/src/main.rs", (ROOT / "benches/benches/suite/expansion/main.rs").read_text())


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def rustc(folder, target, name, profile):
    """The command by which Cargo compiles the crate `name`, and its environment."""
    touched = folder / name / "src/lib.rs"
    touched.touch()
    command = ["cargo", "build", "-v", "--target-dir", target, "-p", name]
    done, _ = run(command + (["--release"] if profile == "release" else []), folder, CARGO_INCREMENTAL="0")
    line = next(line for line in done.stderr.splitlines() if "Running" in line and f"--crate-name {name} " in line)
    words = shlex.split(line[line.index("`") + 1:line.rindex("`")])
    first = next(at for at, word in enumerate(words) if not re.fullmatch(r"\w+=.*", word, re.S))
    return words[first:], dict(word.split("=", 1) for word in words[:first])


def without_output(command):
    """The command without the options that say what it writes, and where."""
    kept, skip = [], False
    for word in command:
        if skip:
            skip = False
        elif word in ("--out-dir",):
            skip = True
        elif not word.startswith(("--emit", "--error-format", "--json")):
            kept.append(word)
    return kept


def functions(assembly):
    """LLVM lines of each function, copies of a generic one together."""
    lines, copies, name = collections.Counter(), collections.Counter(), None
    for line in assembly.splitlines():
        if line.startswith("; ") and not line.startswith("; Function Attrs") and name is None:
            shown = line[2:]
        elif line.startswith("define "):
            name = re.sub(r"::h[0-9a-f]{16}$", "", shown)
            copies[name] += 1
        elif line == "}":
            name = None
        if name:
            lines[name] += 1
    return lines, copies


def code_bytes(path):
    """Bytes of the executable sections of a library."""
    listed = subprocess.run(["size", "-A", path], capture_output=True, text=True).stdout
    return sum(int(line.split()[1]) for line in listed.splitlines() if line.startswith(".text"))


def measure(name, path, folder, target, options):
    found = {"workload": name}
    text = path.read_text()
    found["source lines"] = sum(bool(re.match(r"\s*[^\s/]|\s*/[^/]", line)) for line in text.splitlines())
    for profile in ("release", "debug"):
        command, environment = rustc(folder, target, name, profile)
        times = [run(command, folder, **environment)[1] for _ in range(options.repeat)]
        found[f"rustc {profile}, s"] = min(times)
        if profile == "debug":
            continue
        bare = without_output(command)
        output = folder / f"{name}.ll"
        flags = ["--emit=llvm-ir", "-Ccodegen-units=1", "-Cno-prepopulate-passes", "-o", output]
        run(bare + flags, folder, **environment)
        lines, copies = functions(output.read_text())
        found["LLVM lines"] = sum(lines.values())
        found["functions"] = [(count, copies[function], function) for function, count in lines.most_common(options.top)]
        expanded, _ = run(bare + ["-Zunpretty=expanded"], folder, RUSTC_BOOTSTRAP="1", **environment)
        (folder / f"{name}.expanded.rs").write_text(expanded.stdout)
        found["expanded lines"] = expanded.stdout.count("\n")
        out_dir = pathlib.Path(command[command.index("--out-dir") + 1])
        extra = next(word for word in command if word.startswith("extra-filename=")).split("=", 1)[1]
        found["code, KiB"] = code_bytes(out_dir / f"lib{name}{extra}.rlib") / 1024
    expansion, _ = run([target / "debug/expansion", folder / name / "src/lib.rs"], folder)
    found["expansion, ms"] = float(expansion.stdout.split()[0])
    found["a source line"] = found["expanded lines"] / found["source lines"]
    return found


def with_option(text, option):
    """A workload with one more option where it asks for a gradient: a module's attribute stays as it is."""
    if "#[differentiate(wrt(" in text:
        return text.replace("#[differentiate(wrt(", f"#[differentiate({option}, wrt(")
    return text.replace("#[differentiate]", f"#[differentiate({option})]")


def added(chosen, folder, root, target, options):
    """What each mode adds to rustc in release and to the expansion, as parts of what the gradient alone takes."""
    texts = {name: path.read_text() for name, path in chosen.items()}
    sources = {name: {"gradient": text} | {mode: with_option(text, it) for mode, it in MODES.items()}
               for name, text in texts.items()}
    packages(folder, root, {f"{name}_{mode}": text for name, of in sources.items() for mode, text in of.items()})
    run(["cargo", "build", "-p", "expansion", "--target-dir", target], folder)
    rows = []
    for name, of in sources.items():
        seconds, milliseconds = {}, {}
        for mode in of:
            crate = f"{name}_{mode}"
            command, environment = rustc(folder, target, crate, "release")
            seconds[mode] = min(run(command, folder, **environment)[1] for _ in range(options.repeat))
            expansion = [target / "debug/expansion", folder / crate / "src/lib.rs"]
            milliseconds[mode] = min(float(run(expansion, folder)[0].stdout.split()[0]) for _ in range(options.repeat))
        own = seconds["gradient"], milliseconds["gradient"]
        rows.append((name, [(seconds[mode] / own[0] - 1, milliseconds[mode] / own[1] - 1) for mode in MODES]))
        print(shown(*rows[-1]), flush=True)
    means = [tuple(sum(parts) / len(rows) for parts in zip(*of)) for of in zip(*(parts for _, parts in rows))]
    lines = [["workload", *MODES], ["---"] * (1 + len(MODES))]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n".join(
        shown(*it) for it in [*rows, ("mean", means)]) + "\n"


def shown(name, parts):
    return "| " + " | ".join([name, *(f"{rustc:.2f}, {expansion:.2f}" for rustc, expansion in parts)]) + " |"


def rewrite(begin, end, text):
    before, rest = TABLE.read_text().split(begin)
    TABLE.write_text(f"{before}{begin}\n\n{machine()}\n\n{text}\n{end}{rest.split(end)[1]}")


def row(found):
    digits = {"a source line": 1, "expansion, ms": 0, "rustc release, s": 2, "rustc debug, s": 2, "code, KiB": 0}
    cells = ((column, found[column]) for column in COLUMNS)
    return [cell if isinstance(cell, str) else f"{cell:.{digits.get(column, 0)}f}" for column, cell in cells]


def table(rows):
    means = {column: math.exp(sum(math.log(found[column]) for found in rows) / len(rows)) for column in COLUMNS[1:]}
    lines = [COLUMNS, ["---"] * len(COLUMNS), *map(row, rows), row({"workload": "geometric mean", **means})]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def machine():
    with open("/proc/cpuinfo") as file:
        name = next((line.split(": ")[1].strip() for line in file if line.startswith("model name")), "unknown")
    return f"{name}; {subprocess.run(['rustc', '--version'], capture_output=True, text=True).stdout.strip()}."


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("workloads", nargs="*")
    parser.add_argument("--file", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--modes", action="store_true", help="measure what each mode adds")
    parser.add_argument("--functions", action="store_true", help="print where the LLVM lines come from")
    parser.add_argument("--top", type=int, default=25, help="how many functions that prints")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the checkout of pardiff that is measured")
    options = parser.parse_args()
    # debug builds are those of users, who have debug information
    os.environ.pop("CARGO_PROFILE_DEV_DEBUG", None)
    root = options.root.resolve()
    folder, target = root / "target/compile-time", root / "target/compile-time-build"
    every = {path.stem: path for path in sorted((ROOT / "workloads").glob("*.rs")) if path.stem != "lib"}
    chosen = {name: every[name] for name in options.workloads} or ({} if options.file else every)
    chosen |= {path.stem: path.resolve() for path in options.file}
    if options.modes:
        text = added(chosen, folder, root, target, options)
        return rewrite(MODES_BEGIN, MODES_END, text) if chosen == every else None
    packages(folder, root, chosen)
    run(["cargo", "build", "-p", "expansion", "--target-dir", target], folder)
    rows = []
    for name, path in chosen.items():
        rows.append(measure(name, path, folder, target, options))
        print(" ".join(f"{column} {cell}," for column, cell in zip(COLUMNS, row(rows[-1]))).rstrip(","), flush=True)
        for count, copies, function in rows[-1]["functions"] if options.functions else []:
            print(f"    {count:7} {copies:4} {function}")
    if chosen == every:
        rewrite(BEGIN, END, table(rows))


main()
