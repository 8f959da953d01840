"""The server's users: our own bots in every room, and visitors that share no code with ours."""

import asyncio
import collections
import contextlib
import json
import random
import time

import websockets

import terminal
from client import Client, stamp
from server import identifier

ROOMS = [f"hour-{number}" for number in range(1, 21)]
BOTS, SHAPES, RATE = 10, 3, 2
VISITORS = 6

# How long a room stays empty. The server closes an empty room after --room-idle-ms, which is shorter, and opens it
# again later.
AWAY_SECONDS = (25, 60)
# With less time left than this, no new round of bots is started, because a round must end before the run does.
ROUND_SECONDS_MIN = 10


class Crowd:
    def __init__(self, server, seconds, seed):
        self.server, self.seconds, self.seed = server, seconds, seed
        self.end = time.monotonic() + seconds
        self.counts = collections.Counter()
        self.complaints = []
        # For each room, the process that runs its bots.
        self.processes = {}

    @property
    def left(self):
        return self.end - time.monotonic()

    async def play(self):
        """Runs the crowd. Returns when the time is over and everybody has left."""
        async with asyncio.TaskGroup() as group:
            for number, room in enumerate(ROOMS):
                group.create_task(self.keep(room, number))
            for number in range(VISITORS):
                group.create_task(Visitor(self, number).come_and_go())

    async def keep(self, room, number):
        """Runs bots in one room, round after round, with pauses."""
        chance = random.Random(f"{self.seed} {room}")
        # The rooms start one after another.
        await asyncio.sleep(number / len(ROOMS) * min(20, self.seconds / 10))
        while self.left > ROUND_SECONDS_MIN:
            seconds = min(self.seconds * chance.uniform(0.06, 0.15), self.left - 2)
            await self.round(room, seconds, chance.randrange(1 << 40))
            if chance.random() < 0.35:
                self.counts["rooms left for a while"] += 1
                await asyncio.sleep(max(0, min(chance.uniform(*AWAY_SECONDS), self.left)))

    async def round(self, room, seconds, seed):
        running = await terminal.start(
            self.server, "bot", room, "--bots", BOTS, "--shapes", SHAPES, "--rate", RATE, "--seed", seed, "--for", f"{seconds:.0f}s",
            "--clean", "--json", "--quiet",
        )
        async with running:
            self.processes[room] = running.process.pid
            out, err = await running.process.communicate()
            del self.processes[room]
        self.counts["rounds of bots"] += 1
        if running.process.returncode != 0:
            return self.complaints.append(f"the bots of {room} ended with {running.process.returncode}: {out[-300:]} {err[-300:]}")
        summary = json.loads(out.splitlines()[-1])
        self.counts["acknowledged to bots"] += summary["acknowledged"]
        self.counts["reconnects of bots"] += summary["reconnects"]

    async def has_left(self):
        """Waits until the server has noticed that everybody has left, and returns its metrics."""
        for _ in range(600):
            figures = await self.server.metrics()
            if figures["canvas_connections"] == 0 and figures["canvas_rooms_open"] == 0:
                break
            await asyncio.sleep(0.1)
        else:
            self.complaints.append("everyone has left, but rooms are still open")
        names = ("canvas_connections", "canvas_rooms_open", "process_open_fds", "process_resident_memory_bytes")
        return {name: figures[name] for name in names}


class Visitor:
    """Joins a room, draws shapes and deletes them again. Often resumes with the cursor of its last visit."""

    def __init__(self, crowd, number):
        self.crowd, self.counts = crowd, crowd.counts
        self.random = random.Random(f"{crowd.seed} visitor {number}")
        self.name = f"Visitor {number + 1}"
        self.room, self.kept = None, None

    async def come_and_go(self):
        while self.crowd.left > 5:
            if self.room is None or self.random.random() < 0.4:
                self.room, self.kept = self.random.choice(ROOMS), None
            await self.visit()
            await asyncio.sleep(max(0, min(self.random.uniform(1, 20), self.crowd.left - 5)))

    async def visit(self):
        client = await self.join()
        self.counts["visits"] += 1
        reading = asyncio.ensure_future(self.read(client))
        try:
            await self.draw(client)
            await client.send({"type": "digest"})
            # Waits a second for messages in transit, including the answer about the digest.
            await asyncio.wait([reading], timeout=1)
        finally:
            if self.random.random() < 0.5:
                await client.close()
            else:
                client.socket.transport.abort()
            # The task that reads must have ended because the connection ended. Any other exception fails the run.
            with contextlib.suppress(websockets.ConnectionClosed):
                await reading
        self.kept = client

    async def join(self):
        kept = self.kept
        if kept is None:
            return await Client.join(self.crowd.server, self.room, name=self.name)
        client = await Client.join(self.crowd.server, self.room, state=False, name=self.name, since=kept.cursor,
                                   actor=kept.actor, key=kept.welcome["key"])
        assert client.actor == kept.actor
        client.registers, client.erased = kept.registers, kept.erased
        first = (await client.state())[0]
        self.counts["loaded anew" if first.get("reset") else "resumed"] += 1
        return client

    async def draw(self, client):
        """Draws shapes for some seconds. Deletes them again, so that a room is no fuller after an hour."""
        shape = identifier()
        await self.put(client, shape, {"kind": "star", "position": [0, 0], "size": [40, 40]})
        for _ in range(self.random.randrange(3, 20)):
            await asyncio.sleep(max(0, min(self.random.uniform(0.2, 2), self.crowd.left - 3)))
            await self.put(client, shape, {"position": [self.random.randrange(1_200), self.random.randrange(800)]})
        await self.put(client, shape, {"deleted": True})

    async def put(self, client, shape, values):
        self.counts["edits of visitors"] += 1
        await client.send({"type": "ops", "id": 1, "ops": [{"shape": shape, "at": stamp(client.actor), "set": values}]})

    async def read(self, client):
        async for frame in client.socket:
            message = client.decode(frame)
            if message["type"] == "ops":
                client.fold(message)
                client.seen.clear()
            elif message["type"] == "reject":
                self.crowd.complaints.append(f"{self.name} was refused in {self.room}: {message}")
            elif message["type"] == "digest" and message["cursor"] == client.cursor:
                self.counts["digests compared"] += 1
                if message["hash"] != client.digest:
                    self.crowd.complaints.append(f"{self.name} in {self.room} has {client.digest}, the server {message['hash']}")
