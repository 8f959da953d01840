#!/usr/bin/env python3
"""Measures pycrdt (yrs) and loro on the workload of the Swift benchmark, and prints one JSON object.

    .venv/bin/python Benchmarks/peers/peers.py --workload build/workload.ndjson
    .venv/bin/python Benchmarks/peers/peers.py --shapes 1000 --updates 10000      (makes its own workload)

Both libraries hold a map of shapes, and each shape is a map of its properties. A position or a size is one JSON value
of two numbers, so that an x never gets another write's y. Every writer starts from the same base document, and makes
one binary update of each of its writes. Two histories of the same writes are measured:

- `concurrent`: no writer knows another's updates.
- `sequential`: every writer knows all earlier updates. That favours a library whose merge walks the history.

The updates are applied in order, one by one, with the cheapest call that each library has (see libraries.py). Compare
`applyMicroseconds` with `emptyCallMicroseconds`, the cost of a call from Python that does nothing.

    {"yrs": {...}, "loro": {...}}, each:
      version                        of the package
      shapes, updates, writers       of the workload
      emptyCallMicroseconds          a call into the library that does nothing
      positionUpdateBytes            mean bytes of one position update, on its own
      positionUpdateBytesIn16        the same in frames of 16
      concurrent, sequential         null if skipped (`skipped` then says why), or:
        applyMicroseconds            one binary update into a new receiver; median of the runs
        applySampled                 how many updates were measured; fewer than made if time ran out
        updatesMade                  loro makes none if a write changes nothing
        applyBatchMicroseconds       one update, if all are applied in one call or transaction
        encodeMilliseconds           full state after the updates, encoded for the first time; median
        encodeAgainMilliseconds      the same again: loro has cached the result, yrs only has warm caches
        stateBytes                   its size
        deflatedBytes                its size after zlib at level 6
        shallowBytes                 loro: the state without its history; yrs: null
        shallowEncodeMilliseconds
        decodeMilliseconds           full state into a new document, without reading it; median
        decodeAndReadMilliseconds    the same, and every value read as a Python value; median. yrs is ready to read after
                                     decoding (reading mostly makes Python values), and loro only after reading
        memoryBytesPerShape          resident memory of a document that was decoded and read once (loro keeps encoded
                                     what it needn't decode)
        converged                    the decoded document has the receiver's values
"""

import argparse
import ctypes
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from importlib import metadata

import workload as workloads
from libraries import FRAME, PEERS

STREAM = 1_600
RUNS = 5


def say(text):
    print(text, file=sys.stderr, flush=True)


def milliseconds(work, runs=RUNS):
    """The median duration of several runs. Each run's result is freed outside the timing."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        times.append((time.perf_counter() - start) * 1e3)
        del result
    return round(statistics.median(times), 3)


def concurrent_updates(peer, base, work):
    """The updates in the workload's order. Each writer knows only the base document and its own updates."""
    produced = [None] * len(work.updates)
    for number in range(work.writers):
        _, write = peer.writer(base, number)
        for index, (writer, shape, name, value) in enumerate(work.updates):
            if writer == number:
                produced[index] = write(shape, name, value)
    return [update for update in produced if update is not None]


def sequential_updates(peer, base, work, deadline):
    """The same updates. Each writer knows all earlier updates. None if making them would take too long."""
    writers = [peer.writer(base, number) for number in range(work.writers)]
    seen = [0] * work.writers
    produced = []
    for index, (writer, shape, name, value) in enumerate(work.updates):
        document, write = writers[writer]
        peer.apply(document, produced[seen[writer] :], float("inf"))
        update = write(shape, name, value)
        if update is not None:
            produced.append(update)
        seen[writer] = len(produced)
        if index & 255 == 255 and time.perf_counter() > deadline:
            return None
    return produced


def memory_per_shape(name, state, shapes):
    """Measures memory in a separate process, so that only the document counts."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(state)
        file.flush()
        command = [sys.executable, __file__, "--memory", name, file.name]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return round(int(output) / shapes)


def resident_bytes():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def print_memory(name, path):
    peer = PEERS[name]()
    with open(path, "rb") as file:
        data = file.read()
    # A document is made outside the timing first, so that the library's one-time initialisation isn't measured.
    first = peer.document()
    peer.load(first, peer.base([("aaa-aaa-aaa", {"position": [0, 0]})]))
    peer.read(first)
    before = resident_bytes()
    document = peer.document()
    peer.load(document, data)
    peer.read(document)
    print(resident_bytes() - before)


def measure_history(name, peer, base, updates, cap):
    times, encode_times, sampled = [], [], len(updates)
    began = time.perf_counter()
    for _ in range(RUNS):
        receiver = peer.document()
        peer.load(receiver, base)
        peer.read(receiver)
        start = time.perf_counter()
        sampled = peer.apply(receiver, updates, start + cap)
        times.append((time.perf_counter() - start) / sampled * 1e6)
        if sampled < len(updates):
            say(f"{name}: only {sampled} of {len(updates)} updates within {cap} s; the rest in one batch, not counted")
            peer.apply_batch(receiver, updates[sampled:])
        # Encodes each receiver only once, because loro caches the result.
        start = time.perf_counter()
        state = peer.encode(receiver)
        encode_times.append((time.perf_counter() - start) * 1e3)
        if time.perf_counter() - began > cap:
            break

    batch = peer.document()
    peer.load(batch, base)
    peer.read(batch)
    start = time.perf_counter()
    peer.apply_batch(batch, updates)
    batch_microseconds = (time.perf_counter() - start) / len(updates) * 1e6
    del batch

    def decode():
        document = peer.document()
        peer.load(document, state)
        return document

    def decode_and_read():
        document = decode()
        return document, peer.read(document)

    shallow = peer.encode_shallow and peer.encode_shallow(receiver)
    values = peer.read(receiver)
    return values, {
        "applyMicroseconds": round(statistics.median(times), 3),
        "applySampled": sampled,
        "updatesMade": len(updates),
        "applyBatchMicroseconds": round(batch_microseconds, 3),
        "encodeMilliseconds": round(statistics.median(encode_times), 3),
        "encodeAgainMilliseconds": milliseconds(lambda: peer.encode(receiver)),
        "stateBytes": len(state),
        "deflatedBytes": len(zlib.compress(state, 6)),
        "shallowBytes": shallow and len(shallow),
        "shallowEncodeMilliseconds": shallow and milliseconds(lambda: peer.encode_shallow(receiver)),
        "decodeMilliseconds": milliseconds(decode),
        "decodeAndReadMilliseconds": milliseconds(decode_and_read),
        "memoryBytesPerShape": memory_per_shape(name, state, len(values)),
        "converged": decode_and_read()[1] == values,
    }


def measure(name, work, histories, cap):
    peer = PEERS[name]()
    figures = {
        "version": metadata.version(peer.package),
        "shapes": len(work.base),
        "updates": len(work.updates),
        "writers": work.writers,
    }
    base = peer.base(work.base)

    call = peer.empty_call(peer.document())
    start = time.perf_counter()
    for _ in range(100_000):
        call()
    figures["emptyCallMicroseconds"] = round((time.perf_counter() - start) * 10, 3)

    positions = [update[1:] for update in work.updates if update[2] == "position"][:STREAM]
    positions = positions[: len(positions) // FRAME * FRAME]
    if positions:
        _, write = peer.writer(base, 0)
        alone = sum(len(write(*position) or b"") for position in positions)
        framed = sum(len(frame) for frame in peer.frames(base, positions))
        figures["positionUpdateBytes"] = round(alone / len(positions), 2)
        figures["positionUpdateBytesIn16"] = round(framed / len(positions), 2)

    for history in histories:
        say(f"{name}: {history}, {len(work.base)} shapes, {len(work.updates)} updates")
        start = time.perf_counter()
        if history == "concurrent":
            updates = concurrent_updates(peer, base, work)
        else:
            updates = sequential_updates(peer, base, work, start + cap)
        if updates is None:
            figures[history] = None
            figures["skipped"] = f"{history}: making the updates took more than {cap} s"
            say(f"{name}: {figures['skipped']}")
            continue
        values, figures[history] = measure_history(name, peer, base, updates, cap)
        if history == "sequential":
            check_last_writes(name, work, values)
    return figures


def check_last_writes(name, work, values):
    """Checks that each property has the value that was written last. That must be so if each writer knew all earlier
    updates, or else the measurement is worthless."""
    wanted = {(shape, property): value for _, shape, property, value in work.updates}
    for (shape, property), value in wanted.items():
        if values[shape][property] != value:
            raise SystemExit(f"{name}: {shape} has {property} {values[shape][property]}, not {value}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--workload", help="the file to read; without it one is made")
    parser.add_argument("--shapes", type=int, default=10_000, help="of a made workload")
    parser.add_argument("--updates", type=int, default=100_000, help="of a made workload, and the most read of a file")
    parser.add_argument("--peers", default="yrs,loro")
    parser.add_argument("--histories", default="concurrent,sequential")
    parser.add_argument("--cap", type=float, default=60, help="seconds after which one measurement is cut short")
    parser.add_argument("--memory", nargs=2, metavar=("PEER", "FILE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    gc.disable()
    if options.memory:
        print_memory(*options.memory)
        return
    if options.workload:
        work = workloads.read(options.workload, options.updates)
    else:
        with tempfile.NamedTemporaryFile(suffix=".ndjson") as file:
            workloads.write(file.name, options.shapes, options.updates)
            work = workloads.read(file.name, options.updates)
    result = {name: measure(name, work, options.histories.split(","), options.cap) for name in options.peers.split(",")}
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
