"""The server, its disk, fifty clients with their network connections, and the rounds in which faults happen to them."""

import asyncio
import collections
import contextlib
import random
import time

import server as programs
import terminal
from disk import Disk
from faults import Faults
from foreign import Foreign
from ledger import Ledger
from lines import Line, Weather
from ours import Bots, Pipe, Watch

ROOMS = [f"chaos-{number}" for number in range(1, 5)]
FOREIGN, PIPES, WATCHES = 28, 6, 4

# Limits that are low enough to be reached in a short test: broken connections are noticed within seconds, slow readers
# lag too far behind for the room's buffer of broadcasts, and history is trimmed.
FLAGS = [
    "--idle-ms", 5_000, "--pong-ms", 5_000, "--ring-beats", 64, "--history-ms", 15_000,
    "--max-connections-per-address", 10_000, "--max-http-connections-per-address", 10_000,
    # No disk space is reserved, because the small disk has to become completely full.
    "--storage-reserve-bytes", 0,
]

# How long clients may take to receive everything after all network faults have ended. Our clients may wait fifteen
# seconds between two attempts to connect.
DRAIN_SECONDS = 60


class Violation(Exception):
    """Something has happened that must never happen."""


class World:
    def __init__(self, seed, faults):
        self.seed, self.began = seed, time.monotonic()
        self.counts = collections.Counter()
        self.ledger = Ledger()
        self.violations = []
        self.disk = Disk()
        bound = None if self.disk.is_mounted else 1 << 40
        self.server = programs.Server(*FLAGS, data=self.disk.data, environment=self.disk.environment, file_bytes_max=bound)
        # For each server process that has ended, its log lines, and whether its disk was full.
        self.log = []
        self.is_full = self.was_full = False
        # Whether the server should be running now.
        self.is_up = False
        self.faults = Faults(self, faults)
        self.weather = Weather(self.counts)
        self.editing = asyncio.Event()
        # This event is set whenever the server answers an edit of a foreign client.
        self.answered = asyncio.Event()
        self.shapes = {room: [] for room in ROOMS}
        self.shapes_max = 40
        self.is_restored = False
        self.drained = 0
        self.tasks = []

    def random(self, name):
        return random.Random(f"{self.seed} {name}")

    def say(self, words):
        print(f"{time.monotonic() - self.began:7.1f} s  {words}", flush=True)

    def violation(self, words):
        self.violations.append(words)

    # Beginning and end

    async def __aenter__(self):
        self.state = terminal.own_state()
        self.state.__enter__()
        await self.start_server()
        await self.make_clients()
        return self

    async def __aexit__(self, *_):
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        for process in [*self.pipes, *self.watches, *self.bots]:
            with contextlib.suppress(ProcessLookupError):
                await process.end()
        await self.weather.close()
        self.server.kill()
        self.keep_log()
        self.disk.close()
        self.state.__exit__(None, None, None)

    async def make_clients(self):
        def of(kind, count, *more):
            for number in range(count):
                name = f"{kind.__name__} {number + 1}"
                line = Line(self.weather, self.server, self.random(f"line of {name}"))
                yield kind(self, name, ROOMS[number % len(ROOMS)], line, *(value(number) for value in more))

        self.foreign = list(of(Foreign, FOREIGN, lambda number: number // len(ROOMS) % 2 == 1))
        self.pipes, self.watches, self.bots = list(of(Pipe, PIPES)), list(of(Watch, WATCHES)), list(of(Bots, len(ROOMS)))
        for line in self.weather.lines:
            await line.open()
        writers = [*self.foreign, *self.pipes]
        for one in [*(client.stay() for client in [*writers, *self.watches]), *(client.edit() for client in writers)]:
            self.tasks.append(asyncio.ensure_future(one))

    async def start_server(self):
        self.keep_log()
        await asyncio.to_thread(self.server.start)
        self.is_up = True

    def kill_server(self):
        self.is_up = False
        self.server.kill()

    async def terminate_server(self):
        self.is_up = False
        if (code := await asyncio.to_thread(self.server.terminate)) != 0:
            self.violation(f"the server ended with {code} on SIGTERM")

    def keep_log(self):
        if self.server.process:
            self.log.append((self.server.lines, self.is_full))
            # The next call must not add the same log lines again, so `output` is cleared.
            self.server.output, self.is_full = None, False

    # Waiting.

    async def pause(self, seconds):
        """Waits for this long. Fails as soon as there is a complaint."""
        end = time.monotonic() + seconds
        while True:
            self.must_be_right()
            left = end - time.monotonic()
            if left <= 0:
                return
            await asyncio.sleep(min(left, 0.1))

    async def until(self, condition, what, seconds=DRAIN_SECONDS):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                self.violation(f"waited {seconds} s in vain for {what}")
            await self.pause(0.05)

    def must_be_right(self):
        for task in self.tasks:
            if task.done() and not task.cancelled() and task.exception():
                raise task.exception()
        if self.is_up and not self.server.runs and not self.violations:
            self.violation(f"the server ended with {self.server.process.returncode}: {self.server.lines[-5:]}")
        if self.violations:
            raise Violation(self.violations[0])

    # Rounds.

    async def round(self, number, seconds):
        """Lets faults happen for this many seconds. Then the faults stop, and everything must arrive."""
        self.is_restored = False
        before = self.counts.copy()
        self.weather.is_bad = True
        self.editing.set()
        end = time.monotonic() + seconds
        running = [asyncio.ensure_future(bots.round(seconds)) for bots in self.bots]
        self.tasks += running
        chance = self.random(f"round {number}")
        await self.pause(1)
        while time.monotonic() < end:
            await self.faults.next()
            await self.pause(chance.uniform(0.5, 3))
        self.editing.clear()
        self.weather.clear()
        healed = time.monotonic()
        await self.until(lambda: self.is_drained and all(task.done() for task in running), "every client to be answered")
        self.drained = time.monotonic() - healed
        if not self.is_restored:
            for bots, task in zip(self.bots, running):
                for place in task.result() or []:
                    self.ledger.placed(bots.room, place["shape"], place["position"])
        self.tasks = [task for task in self.tasks if task not in running]
        return self.counts - before

    def restored(self):
        self.is_restored = True
        self.ledger.places.clear()

    @property
    def is_drained(self):
        return all(client.is_joined and client.is_whole and not client.outbox for client in self.foreign) and all(
            client.is_drained for client in self.pipes
        )

    @property
    def is_everyone_offline(self):
        return not any(client.is_joined for client in self.foreign) and all(
            client.is_offline for client in [*self.pipes, *self.watches]
        )
