#!/usr/bin/env python3
"""An hour of ordinary use: two hundred bots in twenty rooms, and visitors who come and go. Nothing may grow.

    .venv/bin/python Tests/Soak/run.py [--seconds N] [--seed N] [--build FOLDER] [--plot FILE]

Samples the server every ten seconds into build/soak/samples.csv. Exit code 0: in the second half of the run, memory,
descriptors and threads did not grow, latency did not rise, and the log's files had reached their full size.
"""

import argparse
import asyncio
import os
import random
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("EndToEnd", "Terminal")]

import load  # noqa: E402
import plot  # noqa: E402
import server as programs  # noqa: E402
import terminal  # noqa: E402
from crowd import BOTS, ROOMS, Crowd  # noqa: E402
from judgement import Judgement  # noqa: E402
from probe import Probe  # noqa: E402
from samples import Samples  # noqa: E402

# The shortest run that is judged. A server takes minutes to reach its full size, which would look like a leak in a
# shorter run.
SECONDS_MIN = 1_200


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=3_600, help="how long (default: 3600)")
    parser.add_argument("--seed", type=int, default=None, help="repeat the choices of another run")
    parser.add_argument("--output", default=os.path.join(programs.ROOT, "build", "soak"), help="a folder for samples (default: build/soak)")
    parser.add_argument("--plot", default=None, help="where to draw the samples (default: soak.svg beside them)")
    given = load.options(parser, {"SyncServer": programs, "sync-client": terminal})
    if given.seconds < SECONDS_MIN:
        parser.error(f"--seconds {given.seconds}: must be at least {SECONDS_MIN}; what grows can't be told sooner")
    return given


def flags(seconds):
    """History and deletions are kept for a twelfth of the run. So by its middle the log's files, and the memory for
    deletions, have reached their full size. Empty rooms close soon, so that rooms are often reopened."""
    kept = seconds * 1_000 // 12
    return ["--history-ms", kept, "--horizon-ms", max(60_000, kept), "--room-idle-ms", 15_000]


async def main():
    given = options()
    # The signal cancels the run instead of killing this program, so that the processes it has started are stopped too.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    os.makedirs(given.output, exist_ok=True)
    print(f"a soak of {given.seconds} s with seed {seed}", flush=True)
    with terminal.own_state(), programs.Server(*flags(given.seconds)) as server:
        crowd, probe = Crowd(server, given.seconds, seed), Probe(server)
        samples = Samples(server, crowd, probe, given.output)
        async with asyncio.TaskGroup() as group:
            watching = [group.create_task(one) for one in (samples.take(), probe.ask())]
            await crowd.play()
            for task in watching:
                task.cancel()
        left = await crowd.has_left()
        code = await asyncio.to_thread(server.terminate)
        verified = programs.run("log", "verify", "--data", server.data)
    samples.write()
    title = f"{given.seconds // 60} minutes: {BOTS * len(ROOMS)} bots in {len(ROOMS)} rooms, and visitors"
    plot.draw(samples.rows, given.plot or os.path.join(given.output, "soak.svg"), title)
    judgement = Judgement(samples.rows, probe.asked, given.seconds)
    judgement.server(code, verified, server.log)
    judgement.crowd(crowd, left)
    judgement.growth()
    print("\n".join(judgement.findings))
    for words in judgement.complaints:
        print(f"FAILED: {words}")
    return 1 if judgement.complaints else 0


if __name__ == "__main__":
    try:
        sys.exit(asyncio.run(main()))
    except asyncio.CancelledError:
        sys.exit("ended by SIGTERM")
