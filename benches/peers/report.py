"""The table and the plot of a comparison."""
import pathlib
import statistics

NAMES = {"torch": "PyTorch", "torch.compile": "compile", "jax": "JAX", "plugin": "LLVM plugin", "plugin.by_hand": "its use by hand"}
COLOURS = {"torch": "#ff7f0e", "torch.compile": "#d62728", "jax": "#1f77b4", "plugin": "#9467bd", "plugin.by_hand": "#8c564b"}
FAULTS = ["crash", "wrong"]
BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"


def machine():
    with open("/proc/cpuinfo") as file:
        return next((line.split(": ")[1].strip() for line in file if line.startswith("model name")), "unknown")


def significant(x):
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}" if x >= 1 else f"{x:.3f}"


def cell(row, kind):
    """Milliseconds, or what went wrong."""
    time, why = row["times"].get(kind), row["absent"].get(kind, "")
    return significant(time["min_ms"]) if time else next((fault for fault in FAULTS if why.startswith(fault)), "-")


def speed_up(row, kind):
    """How many times longer a tool takes than pardiff."""
    times = row["times"]
    return times[kind]["min_ms"] / times["pardiff"]["min_ms"] if kind in times else None


def best(row):
    """The fastest of the others."""
    others = [kind for kind in NAMES if kind in row["times"]]
    return min(others, key=lambda kind: row["times"][kind]["min_ms"], default=None)


def mean(values):
    values = [value for value in values if value is not None]
    return statistics.geometric_mean(values) if values else None


def kinds(found):
    return [kind for kind in NAMES if any(kind in row["times"] for row in found["rows"])]


def table(found):
    others = kinds(found)
    versions = ", ".join(sorted(set(found["versions"].values())))
    text = f"{found['machine']}; {versions}. Milliseconds of value and gradient in double precision, minima.\n"
    for threads in sorted({row["threads"] for row in found["rows"]}):
        rows = [row for row in found["rows"] if row["threads"] == threads]
        head = ["workload, case", "primal", "pardiff", *(NAMES[kind] for kind in others), "best other / pardiff", "error"]
        text += f"\n**{threads} thread{'s' if threads > 1 else ''}**\n\n| {' | '.join(head)} |\n|{' --- |' * len(head)}\n"
        for row in rows:
            cells = [cell(row, kind) for kind in ("primal", "pardiff", *others)]
            winner = best(row)
            ratio = speed_up(row, winner) if winner else None
            # where another tool wins
            cells.append("-" if ratio is None else f"**{ratio:.2f}**" if ratio < 1 else significant(ratio))
            cells.append(f"{max(row['errors'].values()):.0e}" if row["errors"] else "-")
            text += f"| {row['workload']} {row['case']} | {' | '.join(cells)} |\n"
        means = []
        for kind in others:
            value = mean(speed_up(row, kind) for row in rows)
            if value:
                means.append(f"{NAMES[kind]} {significant(value)}")
        of_torch = mean(
            min((s for s in (speed_up(row, "torch"), speed_up(row, "torch.compile")) if s), default=None) for row in rows
        )
        if of_torch:
            means.append(f"the better of PyTorch's two {significant(of_torch)}")
        if means:
            text += f"\nGeometric means of time over pardiff's: {', '.join(means)}.\n"
        gradient = mean(row["times"]["pardiff"]["min_ms"] / row["times"]["primal"]["min_ms"] for row in rows)
        text += f"Gradient over primal as written, geometric mean: {gradient:.2f}.\n"
        lost = [row for row in rows if best(row) and speed_up(row, best(row)) < 1]
        if lost:
            names = ", ".join(f"{row['workload']} {row['case']} ({NAMES[best(row)]})" for row in lost)
            text += f"Another tool is faster at: {names}.\n"
        absent = sorted({f"{NAMES[kind]} at {row['workload']} ({why})" for row in rows for kind, why in row["absent"].items()})
        if absent:
            text += f"Left out: {'; '.join(absent)}.\n"
    return text


def plot(found, path):
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    # the same file from the same numbers
    matplotlib.rcParams.update({"svg.hashsalt": "pardiff", "svg.fonttype": "none", "font.size": 9})
    others = kinds(found)
    threads = max(row["threads"] for row in found["rows"])
    rows = [row for row in found["rows"] if row["threads"] == threads]
    curves = sorted({curve["workload"] for curve in found["curves"]})
    columns = max(len(curves), 1)
    figure = pyplot.figure(figsize=(11, 4.6 + (5.2 if curves else 0)), layout="constrained")
    grid = figure.add_gridspec(3 if curves else 1, columns, height_ratios=[1.6, 1, 1] if curves else None)

    bars = figure.add_subplot(grid[0, :])
    width = 0.8 / max(len(others), 1)
    labels = [f"{row['workload']}\n{row['case']}" for row in rows] + ["geometric\nmean"]
    for number, kind in enumerate(others):
        heights = [speed_up(row, kind) for row in rows]
        heights.append(mean(heights))
        places = [k + (number - (len(others) - 1) / 2) * width for k, height in enumerate(heights) if height]
        bars.bar(places, [h - 1 for h in heights if h], width, bottom=1, color=COLOURS[kind], label=NAMES[kind])
    bars.axhline(1, color="black", linewidth=1)
    bars.set_yscale("log")
    bars.set_xticks(range(len(labels)), labels, rotation=60, ha="right", rotation_mode="anchor", fontsize=7)
    bars.set_ylabel("time / pardiff's time")
    bars.set_title(f"value and gradient, {threads} thread{'s' if threads > 1 else ''}")
    bars.legend(ncols=len(others) or 1, frameon=False)
    bars.margins(x=0.01)

    for column, name in enumerate(curves):
        chosen = [curve for curve in found["curves"] if curve["workload"] == name]
        time, memory = figure.add_subplot(grid[1, column]), figure.add_subplot(grid[2, column])
        for kind, colour in [("pardiff", "black"), *((kind, COLOURS[kind]) for kind in others)]:
            label = NAMES.get(kind, kind)
            points = [(c["size"], c["times"][kind]["min_ms"]) for c in chosen if kind in c["times"]]
            time.plot(*zip(*points) if points else ([], []), "o-", color=colour, markersize=3, label=label)
            points = [(c["size"], c["memory"][kind] / 1e6) for c in chosen if c["memory"].get(kind, 0) > 1e4]
            memory.plot(*zip(*points) if points else ([], []), "o-", color=colour, markersize=3)
        for axes, what in [(time, "milliseconds"), (memory, "megabytes, result included")]:
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_ylabel(what)
        time.set_title(f"{name}: gradient over n, 1 thread")
        memory.set_xlabel("n")
        if column == 0:
            time.legend(frameon=False, fontsize=7)
    figure.savefig(path, metadata={"Date": None})


def write(found, root):
    """The table into `docs/peers.md`, the plot into `docs/peers.svg`."""
    path = pathlib.Path(root) / "docs" / "peers.md"
    before, rest = path.read_text().split(BEGIN)
    _, after = rest.split(END)
    plot(found, pathlib.Path(root) / "docs" / "peers.svg")
    path.write_text(f"{before}{BEGIN}\n\n![Time of other tools over pardiff's](peers.svg)\n\n{table(found)}\n{END}{after}")
