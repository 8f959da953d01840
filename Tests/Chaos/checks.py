"""The checks after each round, when everything has arrived."""

import asyncio
import json

import terminal
from client import Client
from world import ROOMS

# How long the last messages may take to reach the other clients. The time starts when every edit has been answered.
ARRIVAL_SECONDS = 15

# The only warning or error that a server may log after its disk was full.
FULL = "the log can't be written; reading still works"

# Metrics that must stay 0.
NEVER = ("canvas_snapshot_digest_mismatches_total", "canvas_log_damaged_rooms")

# How many more descriptors the server may have open than after the first round. A checkpoint or a snapshot in progress
# needs some.
SPARE_DESCRIPTORS = 3


class Checks:
    def __init__(self, world):
        self.world = world
        # How many descriptors other than connections the server had open after the first round.
        self.others = None
        self.log_read = 0

    async def after_round(self):
        shapes = 0
        for room in ROOMS:
            shapes += await self.check(room)
        await self.server()
        self.world.must_be_right()
        return shapes

    async def check(self, room):
        """Checks that all clients have a newcomer's drawing and nothing is missing. Returns the number of shapes."""
        world = self.world
        newcomer = await Client.join(world.server, room)
        try:
            cursor, digest = await self.digest(newcomer)
            if digest != newcomer.digest:
                world.violation(f"{room}: the server's digest is {digest}, a newcomer's {newcomer.digest}")
            for words in [*world.ledger.missing(room, newcomer), *world.ledger.invented(room, newcomer)]:
                world.violation(words)
            await self.http(room, newcomer)
            clients = [client for client in world.foreign if client.room == room]
            await self.agree(clients, newcomer, cursor, digest)
            await self.watched(room, newcomer)
        finally:
            await newcomer.close()
        line = next(client.line for client in world.bots if client.room == room)
        done = await terminal.run(None, "check", room, variables={"CANVAS_SERVER": line.base}, code=None)
        if done.code != 0:
            world.violation(f"sync-client check {room}: {done}")
        return len(newcomer.live)

    async def digest(self, client):
        await client.send({"type": "digest"})
        told = await client.until("digest")
        return told["cursor"], told["hash"]

    async def agree(self, clients, newcomer, cursor, digest):
        """Checks that each client has the newcomer's registers, and that the server has the same digest."""
        live = newcomer.live

        def behind():
            return [client for client in clients if not client.is_joined or not client.is_whole or client.live != live]

        # Checks repeatedly, because a client may still be receiving its last messages.
        for _ in range(ARRIVAL_SECONDS * 5):
            if not behind():
                break
            await asyncio.sleep(0.2)
        for client in behind():
            self.world.violation(f"{client.name} differs from {client.room}: {difference(client, newcomer)}")
        for client in clients:
            client.told = None
            await client.send({"type": "digest"})
        await self.world.until(lambda: all(client.told for client in clients), "digests")
        for client in clients:
            if client.told["hash"] != digest or client.digest != digest:
                told = f"the server told {client.told['hash']} at {client.told['cursor']}, and has {digest} at {cursor}"
                self.world.violation(f"{client.name} in {client.room} has the digest {client.digest}; {told}")

    async def http(self, room, newcomer):
        answer = await self.world.server.get(f"/v1/rooms/{room}?stamps=1")
        drawn = {shape["id"]: shape for shape in answer.json.get("shapes", [])}
        live = newcomer.live
        if answer.status != 200 or drawn.keys() != live.keys():
            self.world.violation(f"{room} over HTTP: {answer.status}, other shapes: {sorted(drawn.keys() ^ live.keys())}")
        for shape in drawn.keys() & live.keys():
            told = {name: (stamp, drawn[shape].get(name)) for name, stamp in drawn[shape]["stamps"].items()}
            if told != live[shape]:
                self.world.violation(f"{room} over HTTP: {shape} is {told}, a newcomer has {live[shape]}")

    async def watched(self, room, newcomer):
        for watch in [watch for watch in self.world.watches if watch.room == room]:
            for _ in range(ARRIVAL_SECONDS * 5):
                if not watch.is_offline and not list(watch.differs(newcomer)):
                    break
                await asyncio.sleep(0.2)
            else:
                self.world.violation("; ".join(list(watch.differs(newcomer))[:3]) or f"{watch.name} is still offline")

    async def server(self):
        """Checks the server's descriptors, metrics and log."""
        world = self.world
        clients = len(world.foreign) + len(world.pipes) + len(world.watches)
        for _ in range(ARRIVAL_SECONDS * 5):
            metrics = await world.server.metrics()
            connections = metrics["canvas_connections"]
            others = metrics["process_open_fds"] - connections - metrics["canvas_http_connections"]
            self.others = others if self.others is None else self.others
            if connections == clients and others <= self.others + SPARE_DESCRIPTORS:
                break
            await asyncio.sleep(0.2)
        else:
            words = f"the server has {connections} connections of {clients} clients"
            world.violation(f"{words}, and {others} other descriptors, where it once had {self.others}")
        for name in NEVER:
            if metrics[name]:
                world.violation(f"{name} is {metrics[name]}")
        self.read_log()

    def read_log(self):
        """The log lines since the last call: of this server, and of all that have ended in between."""
        world = self.world
        for lines, was_full in [*world.log[self.log_read :], (list(world.server.lines), world.is_full)]:
            for line in lines:
                if not line.startswith("{"):
                    world.violation(f"the server wrote {line!r}")
                    continue
                entry = json.loads(line)
                # The log has only the first of several similar messages, and later one line with the count of the
                # others. That line repeats the first message as `like`.
                is_full = was_full and entry.get("like", entry["message"]) == FULL
                if entry["level"] == "error" and not is_full:
                    world.violation(f"the server's log says {line}")
        self.log_read = len(world.log)


def difference(client, newcomer):
    """The first few registers in which two canvases differ."""
    ours, theirs = client.live, newcomer.live
    found = []
    for shape in sorted(ours.keys() | theirs.keys()):
        mine, other = ours.get(shape, {}), theirs.get(shape, {})
        names = [name for name in sorted(mine.keys() | other.keys()) if mine.get(name) != other.get(name)]
        found += [f"{shape} {name}: {mine.get(name)} / {other.get(name)}" for name in names]
    return f"{len(found)} registers, its own / the server's: {found[:3]}; at {client.cursor} / {newcomer.cursor}"
