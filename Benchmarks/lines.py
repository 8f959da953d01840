#!/usr/bin/env python3
"""Measures how old is what a reader at the end of a thin line sees, and prints a table of docs/PERFORMANCE.md.

    .venv/bin/python Benchmarks/lines.py [--quick] [PATH_OF_SYNCSERVER]

Server and writers sit in one network namespace, the reader in another, and `tc` bounds what the cable between them
carries. The position that a writer gives a shape is the time, so the age of what is shown needs no guessing. It needs
root; without it, one line says so.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests" / "EndToEnd"))

import server as servers  # noqa: E402
import thin_line  # noqa: E402

# A line, what its reader speaks, what is written meanwhile, and what is wanted: p50, p99 of the age, in milliseconds.
ROWS = [
    ("256kbit", "json", {"shapes": 20, "moves": 60}, "300, 600"),
    ("64kbit", "binary", {"shapes": 20, "moves": 60}, "400, 900"),
    ("1mbit", "json", {"shapes": 200, "moves": 10}, "350, 700"),
    ("1mbit", "binary", {"shapes": 200, "moves": 10}, "–"),
    ("256kbit", "json", {"shapes": 20, "moves": 60, "buffer_bytes": 65_536}, "300, 600"),
    (None, "json", {"shapes": 20, "moves": 60}, "as before"),
    (None, "binary", {"shapes": 20, "moves": 60}, "as before"),
]

# Readers behind one line, and how many kbit/s of it there are for each.
HANGING, SHARES = 200, (64, 256)


def words(rate, encoding, load):
    router = ", behind a router that keeps 64 KB" if "buffer_bytes" in load else ""
    return f"{rate or 'no limit'}, {encoding}{router}: {load['shapes']} shapes × {load['moves']} moves a second"


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
        command = ["swift", "build", "-c", "release", "--product", "SyncServer"]
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        options.server = ROOT / ".build" / "release" / "SyncServer"
    servers.BINARY = os.path.abspath(options.server)
    print("| line, reader, what is moved | wanted age, ms: p50, p99 | age: p50 | p99 | ack of an own write: p50 | p99 "
          "| kernel's memory, KB | server's CPU, s |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for rate, encoding, load, wanted in ROWS[:3] if options.quick else ROWS:
        figures = thin_line.ages(rate, encoding, seconds=6 if options.quick else 15, **load)
        print(
            f"| {words(rate, encoding, load)} | {wanted} | {figures['ageP50']:.0f} | {figures['ageP99']:.0f} "
            f"| {figures['ackP50']:.0f} | {figures['ackP99']:.0f} | {figures['memory'] / 1024:.0f} "
            f"| {figures['cpuSeconds']:.1f} |",
            flush=True,
        )
    print(f"\n| {HANGING} readers, each with its share of a line | the kernel holds for one: at most, KB | in the mean, KB | the server, KB |")
    print("| --- | ---: | ---: | ---: |")
    for share in SHARES[-1:] if options.quick else SHARES:
        held = thin_line.hanging(f"{share * HANGING}kbit", HANGING)
        print(f"| {share} kbit/s | {held['kernel'] / 1024:.0f} | {held['kernelMean'] / 1024:.1f} | {held['process'] / 1024:.1f} |", flush=True)
    print("\n| joining a room of 10,000 shapes over 1.6 Mbit/s | the first of it, s | nine tenths of its area, s | all, s | the line carried, KB |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for (encoding, packing), one in thin_line.joining("1600kbit").items():
        assert one["shapes"] == 10_000 and (packing == "plain") != bool(one["agreed"]), one
        name = f"{encoding}, permessage-deflate" if packing == "deflate" else encoding
        print(f"| {name} | {one['firstSeconds']:.2f} | {one['mostSeconds']:.2f} | {one['seconds']:.2f} | {one['bytes'] / 1e3:.0f} |", flush=True)


if __name__ == "__main__":
    main()
