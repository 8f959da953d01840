#!/usr/bin/env python3
"""Measures how old the drawing is that a reader sees over a slow line, and prints a table of docs/PERFORMANCE.md.

    .venv/bin/python Benchmarks/lines.py [--quick] [PATH_OF_SYNCSERVER]

The server and the writers are in one network namespace, and the reader is in another. `tc` limits the rate between
them. Each written position is the time of writing, so the reader can compute the age. This needs root; without it,
the program prints that and ends.
"""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "EndToEnd"))

import server as servers  # noqa: E402
import thin_line  # noqa: E402
from load import built  # noqa: E402

# The goals for the age of the drawing that a reader sees: the median and the 99th percentile in milliseconds. The keys
# are the rate, the encoding and the number of shapes.
WANTED = {
    ("256kbit", "json", 20): (300, 600),
    ("64kbit", "binary", 20): (400, 900),
    ("1mbit", "json", 200): (350, 700),
}
FEW, MANY = {"shapes": 20, "moves": 60}, {"shapes": 200, "moves": 10}
# The rows of the table: the rate of the reader's network connection, the reader's encoding, and the load from other
# writers. The rate `None` means no limit.
ROWS = [(rate, encoding, load) for rate in ("64kbit", "256kbit", "1mbit", None) for encoding in ("json", "binary") for load in (FEW, MANY)]
ROWS += [
    (rate, encoding, FEW | beside)
    for rate, encoding in (("64kbit", "binary"), ("256kbit", "json"))
    for beside in ({"buffer_bytes": 65_536}, {"proxied": True}, {"cursors": 200})
]
QUICK = [row for row in ROWS if (row[0], row[1], row[2]["shapes"]) in WANTED and len(row[2]) == 2]

# The goal for the answer to a reader's own edit, as p99 in milliseconds.
ACK_WANTED = 600
# How many readers share one network connection, and how many kbit/s each reader has: first 64, then 256.
HANGING, SHARES = 200, (64, 256)


def words(rate, encoding, load):
    between = ", behind a router that keeps 64 KB" if "buffer_bytes" in load else ", behind nginx" if "proxied" in load else ""
    beside = f", and {load['cursors']} cursors × 10" if "cursors" in load else ""
    return f"{rate or 'no limit'}, {encoding}{between}: {load['shapes']} shapes × {load['moves']} moves a second{beside}"


def verdict(rate, encoding, load, figures):
    """The goal of a row, and whether it is met."""
    wanted = WANTED.get((rate, encoding, load["shapes"]))
    if wanted is None:
        return "–"
    met = figures["ageP50"] <= wanted[0] and figures["ageP99"] <= wanted[1] and figures["ackP99"] <= ACK_WANTED
    return f"{wanted[0]}, {wanted[1]}: {'met' if met else '**not met**'}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="only the first rows, for a shorter time")
    parser.add_argument("server", nargs="?", help="a server that is built already")
    options = parser.parse_args()
    obstacle = thin_line.obstacle()
    if obstacle:
        print(f"Lines of a certain rate are left out: {obstacle}")
        return
    if options.server is None:
        options.server = built("SyncServer")
    servers.BINARY = os.path.abspath(options.server)
    print("| line, reader, what is moved | wanted age, ms: p50, p99 | age: p50 | p99 | ack of an own write: p50 | p99 "
          "| beside it, without a limit: p50 | p99 | kernel's memory, KB | server's CPU, s |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for rate, encoding, load in QUICK if options.quick else ROWS:
        figures = thin_line.ages(rate, encoding, seconds=6 if options.quick else 10, **load)
        near = figures["near"]
        print(
            f"| {words(rate, encoding, load)} | {verdict(rate, encoding, load, figures)} | {figures['ageP50']:.0f} | {figures['ageP99']:.0f} "
            f"| {figures['ackP50']:.0f} | {figures['ackP99']:.0f} | {near['ageP50']:.0f} | {near['ageP99']:.0f} "
            f"| {figures['memory'] / 1024:.0f} | {figures['cpuSeconds']:.1f} |",
            flush=True,
        )
    print(f"\n| {HANGING} readers, each with its share of a line | the kernel holds for one: at most, KB | in the mean, KB | the server, KB |")
    print("| --- | ---: | ---: | ---: |")
    for share in SHARES[-1:] if options.quick else SHARES:
        held = thin_line.hanging(f"{share * HANGING}kbit", HANGING)
        print(f"| {share} kbit/s | {held['kernel'] / 1024:.0f} | {held['kernelMean'] / 1024:.1f} | {held['process'] / 1024:.1f} |", flush=True)
    print("\n| joining a room of 10,000 shapes over 1.6 Mbit/s | the first of it, s | nine tenths of its area, s | all, s | the line carried, KB |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for encoding, one in thin_line.joining("1600kbit").items():
        assert one["shapes"] == 10_000, one
        print(f"| {encoding} | {one['firstSeconds']:.2f} | {one['mostSeconds']:.2f} | {one['seconds']:.2f} | {one['bytes'] / 1e3:.0f} |", flush=True)


if __name__ == "__main__":
    main()
