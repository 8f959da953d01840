#!/usr/bin/env python3
"""Runs the real server and fifty real clients under faults, and checks from outside that nothing is lost.

    .venv/bin/python Tests/Chaos/run.py [--seconds N] [--seed N] [--build FOLDER] [--faults kill,stop]

Exit code 0: after every round, everything that was acknowledged or seen is there, and all clients agree. The seed
decides which faults happen and how often. Their exact times depend on the machine, so two runs of a seed differ.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import shutil
import signal
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("EndToEnd", "Terminal")]

import disk  # noqa: E402
import faults  # noqa: E402
import lines  # noqa: E402
import load  # noqa: E402
import server as programs  # noqa: E402
import terminal  # noqa: E402
from checks import Checks  # noqa: E402
from world import Violation, World  # noqa: E402

# The time that is reserved at the end of the run, at most, for connections to recover and for the checks.
RESERVE_SECONDS = 20
# A run continues until every kind of fault has happened, but at most this many seconds longer than planned.
WAIT_SECONDS = 600
# How many complaints are printed. The run's folder has all of them.
COMPLAINTS = 5


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=120, help="how long; longer until every kind of trouble has happened (default: 120)")
    parser.add_argument("--seed", type=int, default=None, help="repeat the choices of another run")
    parser.add_argument("--faults", default=",".join(faults.USUAL), help="only these of the server's: %(default)s")
    given = load.options(parser, {"SyncServer": programs, "sync-client": terminal})
    given.faults = given.faults.split(",")
    if unknown := set(given.faults) - set(faults.USUAL):
        parser.error(f"--faults: no fault is called {', '.join(sorted(unknown))}")
    return given


async def play(world, seconds):
    """Runs rounds until the time is over and every kind of fault has happened. Then stops the server."""
    checks = Checks(world)
    troubles = [*world.faults.kinds, *lines.FAULTS, "sent again", "resumed", "lost", "ours lost"]

    def missing():
        return [trouble for trouble in troubles if not world.counts[trouble]]

    end = world.began + seconds
    number, length = 0, 12 if seconds < 300 else 20
    while (missing() and time.monotonic() < end + WAIT_SECONDS) or end - time.monotonic() > length + RESERVE_SECONDS:
        number += 1
        counts = await world.round(number, length)
        shapes = await checks.after_round()
        wrong = sum(counts[fault] for fault in ("cut", "cut in the greeting", "refused"))
        totals = world.ledger.totals
        world.say(
            f"round {number}: {wrong} lines cut or refused, {counts['sent again']} messages sent again; {world.drained:.0f} s later all "
            f"is answered: {totals['acknowledged']} values acknowledged, {totals['seen']} seen; all agree on {shapes} shapes"
        )
    for trouble in missing():
        world.violation(f"in all of this time there was no case of: {trouble}")
    code, out, err = await asyncio.to_thread(programs.run, "log", "verify", "--data", world.disk.data)
    if code != 0:
        world.violation(f"log verify: {out}{err}")
    await world.terminate_server()
    world.keep_log()
    checks.read_log()
    if world.violations:
        raise Violation(world.violations[0])


def table(world):
    totals = world.ledger.totals
    rows = [(kind, world.counts[kind], "times") for kind in world.faults.kinds]
    units = {"delayed": "chunks", "thin": "chunks", "stalled": "chunks", "half-open": "chunks lost"}
    rows += [(fault, world.counts[fault], units.get(fault, "lines")) for fault in lines.FAULTS]
    rows += [(f"values {what}", count, "") for what, count in totals.items()]
    rows += [("acknowledged to bots", world.counts["acknowledged to bots"], ""), ("void by a restored copy", world.ledger.void, "")]
    more = ("lost", "resumed", "loaded anew", "sent again", "refused for now", "ours lost", "ours started again", "events of watch")
    rows += [(name, world.counts[name], "") for name in more]
    used = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = time.monotonic() - world.began
    rows += [("processors busy", f"{used:.0f}", f"of {seconds:.0f} s")]
    print()
    for name, count, unit in rows:
        print(f"{name:24} {count:>8} {unit}")


def keep(world, complaints):
    """Keeps the files that help to find the cause of a complaint."""
    folder = os.path.join(programs.ROOT, "build", "chaos", f"seed-{world.seed}")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with open(os.path.join(folder, "server.log"), "w") as file:
        for life, _ in world.log:
            file.writelines([*life, "\n"])
    with open(os.path.join(folder, "ledger.ndjson"), "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in world.ledger.lines())
    with open(os.path.join(folder, "complaints.txt"), "w") as file:
        file.writelines(words + "\n" for words in complaints)
    for words in complaints[:COMPLAINTS]:
        print(f"\n{words}")
    print(f"\nFAILED: {len(complaints)} complaints; the server's log, the ledger and all complaints are in {folder}")


async def main():
    given = options()
    # The signal cancels the run instead of killing this program, so that the processes it has started are stopped too.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    world = World(seed, given.faults)
    print(f"chaos for {given.seconds} s with seed {seed}; the data is on {world.disk.words}", flush=True)
    complaints = []
    async with world:
        try:
            await play(world, given.seconds)
        except Violation:
            complaints = list(world.violations)
        except Exception:
            complaints = [*world.violations, traceback.format_exc()]
    table(world)
    if complaints:
        keep(world, complaints)
        return 1
    there = world.ledger.totals["acknowledged"]
    print(f"\nnothing is lost: {there} acknowledged values are there, and all clients agree (seed {seed})")
    return 0


if __name__ == "__main__":
    disk.apart()
    try:
        sys.exit(asyncio.run(main()))
    except asyncio.CancelledError:
        sys.exit("ended by SIGTERM")
