#!/usr/bin/env python3
"""For `make bench`: measures the core and other libraries, and prints the table of docs/PERFORMANCE.md.

    .venv/bin/python Benchmarks/run.py [--quick]

--quick leaves out what takes minutes: the other libraries, and canvases of 100,000 shapes.
"""

import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SHAPES = 10_000


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def lines(*command):
    """The lines that a program prints, parsed as JSON."""
    return [json.loads(line) for line in output(*command).splitlines() if line.strip()]


def build():
    subprocess.run(["swift", "build", "-c", "release", "--package-path", HERE, "-q"], check=True, cwd=ROOT)
    folder = output("swift", "build", "-c", "release", "--package-path", HERE, "--show-bin-path")
    return os.path.join(folder.strip(), "canvas-bench")


def peers(bench):
    """Measures yrs and loro on the same operations as our core."""
    path = os.path.join(ROOT, "build", "workload.ndjson")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        subprocess.run([bench, "workload", str(SHAPES)], check=True, stdout=file)
    return json.loads(output(sys.executable, os.path.join(HERE, "peers", "peers.py"), "--workload", path))


def wasm(bench):
    """Measures a replica in core.wasm, in node, on the same frames as the native one, right after it."""
    subprocess.run([os.path.join(ROOT, "scripts", "wasm")], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    path = os.path.join(ROOT, "build", "updates.frames")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    native = json.loads(output(bench, "frames", str(SHAPES), path))
    return native, json.loads(output("node", os.path.join(HERE, "wasm", "apply.mjs"), path))


def table(title, head, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---" if place == 0 else "---:" for place in range(len(head))) + " |")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def number(value, digits=2):
    if value is None:
        return "–"
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:,.{digits}f}"


CORE = [
    ("apply one update from its own message, µs", "applyMicroseconds", 3),
    ("apply one update, in frames of 16, µs", "applyIn16Microseconds", 3),
    ("encode the full state, ms", "encodeMilliseconds", 2),
    ("decode and rebuild, ready to read, ms", "decodeMilliseconds", 2),
    ("full state, bytes", "stateBytes", 0),
    ("the same deflated, bytes", "deflatedBytes", 0),
    ("a position update alone, bytes", "positionUpdateBytes", 1),
    ("a position update in frames of 16, bytes", "positionUpdateBytesIn16", 1),
    ("memory, bytes a shape", "memoryBytesPerShape", 0),
]


REPLICA = [
    ("receive one update from its own message, µs", "receiveMicroseconds"),
    ("receive one update, in frames of 16, µs", "receiveIn16Microseconds"),
    ("one edit of one's own, shown, undoable and encoded, µs", "editMicroseconds"),
]


def peer_figure(peer, name, history="concurrent"):
    """The figure of another library to compare with ours. For loro it is the time until the document can be read,
    because loro decodes only when reading."""
    of_history = peer.get(history) or peer.get("sequential") or {}
    return {
        "applyMicroseconds": of_history.get("applyMicroseconds"),
        "applyIn16Microseconds": of_history.get("applyBatchMicroseconds"),
        "encodeMilliseconds": of_history.get("encodeMilliseconds"),
        "decodeMilliseconds": of_history.get("decodeMilliseconds")
        if peer["name"] == "yrs"
        else of_history.get("decodeAndReadMilliseconds"),
        "stateBytes": of_history.get("stateBytes"),
        "deflatedBytes": of_history.get("deflatedBytes"),
        "positionUpdateBytes": peer.get("positionUpdateBytes"),
        "positionUpdateBytesIn16": peer.get("positionUpdateBytesIn16"),
        "memoryBytesPerShape": of_history.get("memoryBytesPerShape"),
    }[name]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true")
    quick = options.parse_args().quick
    bench = build()

    sizes = ["1000", "10000"] + ([] if quick else ["100000"])
    core = lines(bench, "core", *sizes)
    head = ["figure"] + [f"{figures['shapes']:,} shapes" for figures in core]
    rows = [[words] + [number(figures[name], digits) for figures in core] for words, name, digits in CORE]
    table("Merging and the wire: a canvas of 8 properties a shape, then 100,000 updates by 10 writers", head, rows)

    replicas = lines(bench, "replica", *sizes)
    head = ["figure"] + [f"{figures['shapes']:,} shapes" for figures in replicas]
    rows = [[words] + [number(figures[name]) for figures in replicas] for words, name in REPLICA]
    table("A whole client", head, rows)

    native, page = wasm(bench)
    times = [figures["receiveMicroseconds"] for figures in (native, page)]
    rows = [["receive one update from its own message, µs", number(times[0]),
             f"{number(times[1])} ({times[1] / times[0]:.1f}×)"]]
    table("core.wasm in node", ["figure, 10,000 shapes", "native", "core.wasm"], rows)

    overlap = lines(bench, "overlap", *sizes, "5000")
    overlap.sort(key=lambda figures: figures["shapes"])
    rows = [
        [
            f"{figures['shapes']:,}",
            number(figures["moveMicroseconds"]),
            number(figures["moveMicroseconds"] / overlap[0]["moveMicroseconds"]),
            number(figures["buildMilliseconds"]),
            number(figures["pairs"], 0),
            number(figures["bruteForceMilliseconds"]),
        ]
        for figures in overlap
    ]
    columns = ["shapes", "one move, µs", "× the first", "all from nothing, ms", "pairs", "brute force, ms"]
    table("Overlaps at constant density", columns, rows)
    if quick:
        return

    rivals = peers(bench)
    ours = next(figures for figures in core if figures["shapes"] == SHAPES)
    rows = []
    for words, name, digits in CORE:
        row = [words, number(ours[name], digits)]
        for peer, history in (("yrs", "concurrent"), ("loro", "concurrent"), ("loro", "sequential")):
            figure = peer_figure(dict(rivals[peer], name=peer), name, history)
            row.append("–" if figure is None else f"{number(figure, digits)} ({figure / ours[name]:.1f}×)")
        rows.append(row)
    versions = {peer: rivals[peer]["version"] for peer in ("yrs", "loro")}
    columns = ["figure, 10,000 shapes", "CanvasCRDT", "yrs", "loro, authors concurrent", "loro, one after another"]
    table(f"Beside the peers (pycrdt {versions['yrs']}, loro {versions['loro']})", columns, rows)


if __name__ == "__main__":
    main()
