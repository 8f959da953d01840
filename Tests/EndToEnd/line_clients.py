"""Programs for the two ends of a slow network link: writers that write fast, and a reader that measures how old its
drawing is.

    line_clients.py write ADDRESS ROOM WRITERS SHAPES RATE SECONDS CURSORS
    line_clients.py read ADDRESS ROOM json|binary SECONDS
    line_clients.py hang ADDRESS ROOM COUNT SECONDS
    line_clients.py fill ADDRESS ROOM SHAPES
    line_clients.py join ADDRESS ROOM json|binary

`write`: each writer moves its shapes. The position that it writes is the current time, so a reader on the same machine
can compute the age of what it has. CURSORS more people only move their mouse pointers, ten times a second.
`hang`: COUNT clients only receive. `join`: prints how long it took to receive the whole room.

They are separate programs because the reader runs in another network namespace.
"""

import asyncio
import contextlib
import json
import math
import random
import sys
import time

import websockets

import binary
from load import percentile
from raw import connect, drain, said
from server import identifier

# How often the reader checks its drawing, and how often it writes an operation.
LOOK_SECONDS = 0.01
OWN_SECONDS = 0.25


def clock():
    """The current time in milliseconds, reduced so that it is a valid position."""
    return time.monotonic() * 1e3 % 1e7


async def said_hello(address, room):
    """A WebSocket for raw bytes that has sent `hello`, for programs that hardly read any messages."""
    host, port = address.rsplit(":", 1)
    reader, writer, _ = await connect(int(port), room, "Sec-WebSocket-Protocol: canvas.v1.json", host=host, limit=1 << 24)
    writer.write(said(type="hello"))
    return reader, writer


async def keep_saying(address, room, first, make, rate, part, seconds):
    """Sends `first`, and then what `make` makes, at this rate: for the first time after `part` of a pause."""
    reader, writer = await said_hello(address, room)
    draining = asyncio.create_task(drain(reader))
    writer.write(first)
    end, due = time.monotonic() + seconds, time.monotonic() + part / rate
    while due < end:
        await asyncio.sleep(max(0, due - time.monotonic()))
        writer.write(make())
        due += 1 / rate
    draining.cancel()
    writer.close()


async def write(address, room, writers, shapes, rate, seconds, cursors):
    def moves(number):
        own = [identifier() for _ in range(shapes // writers)]

        def each(**values):
            return said(type="ops", ops=[{"shape": shape, "set": values} for shape in own])

        def move():
            return each(position=[round(clock(), 1), number])
        return keep_saying(address, room, each(kind="rectangle"), move, rate, number / writers, seconds)

    def points(number):
        def point():
            state = {"cursor": [round(clock(), 1), number], "selection": [], "view": [0, 0, 1280, 800]}
            return said(type="presence", state=state)
        return keep_saying(address, room, b"", point, 10, number / cursors, seconds)

    await asyncio.gather(*map(moves, range(writers)), *map(points, range(cursors)))


class Shown:
    """The shapes that a reader has, and the age of each at every check."""

    def __init__(self, socket, is_binary):
        self.socket, self.is_binary = socket, is_binary
        self.positions, self.ages, self.acks, self.sent = {}, [], [], {}
        self.live = asyncio.Event()

    def take(self, content):
        message = binary.decode(content) if self.is_binary else json.loads(content)
        if message["type"] == "ack":
            self.acks.append(time.monotonic() - self.sent.pop(message["id"]))
        if message["type"] != "ops":
            return
        for operation in message["ops"]:
            if "position" in operation["set"]:
                self.positions[operation["shape"]] = operation["set"]["position"][0]
        if not message.get("more"):
            self.live.set()

    async def receive(self):
        async for content in self.socket:
            self.take(content)

    async def look(self):
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            now = clock()
            self.ages += [now - at for at in self.positions.values() if at]

    async def edit(self):
        """Writes an operation from time to time, to measure how long the answer takes."""
        shape, number = identifier(), 0
        while True:
            await asyncio.sleep(OWN_SECONDS)
            number += 1
            self.sent[number] = time.monotonic()
            message = {"type": "ops", "id": number, "ops": [{"shape": shape, "set": {"alpha": number % 10 + 1}}]}
            await self.socket.send(binary.encode(message) if self.is_binary else json.dumps(message))


@contextlib.asynccontextmanager
async def joined(address, room, is_binary):
    """A WebSocket that has sent `hello`."""
    protocol = "canvas.v1.bin" if is_binary else "canvas.v1.json"
    uri = f"ws://{address}/v1/rooms/{room}/sync"
    async with websockets.connect(uri, subprotocols=[protocol], compression=None, max_size=None) as socket:
        await socket.send(binary.encode({"type": "hello"}) if is_binary else json.dumps({"type": "hello"}))
        yield socket


async def read(address, room, encoding, seconds):
    is_binary = encoding == "binary"
    async with joined(address, room, is_binary) as socket:
        shown = Shown(socket, is_binary)
        tasks = [asyncio.create_task(shown.receive())]
        await shown.live.wait()
        # The first two seconds are not measured, because the server needs them to learn how fast the connection is.
        await asyncio.sleep(2)
        tasks += [asyncio.create_task(shown.look()), asyncio.create_task(shown.edit())]
        await asyncio.sleep(seconds)
        for task in tasks:
            if task.done():
                task.result()
            task.cancel()
    # A write without an answer counts as the time that it has waited so far.
    acks = shown.acks + [time.monotonic() - at for at in shown.sent.values()]
    print(json.dumps({
        "ageP50": percentile(shown.ages, 0.5), "ageP99": percentile(shown.ages, 0.99), "ageMax": max(shown.ages), "looks": len(shown.ages),
        "ackP50": percentile(acks, 0.5) * 1e3, "ackP99": percentile(acks, 0.99) * 1e3, "acks": len(acks),
    }))


async def hang(address, room, count, seconds):
    async def one():
        reader, writer = await said_hello(address, room)
        await drain(reader)

    hanging = [asyncio.create_task(one()) for _ in range(count)]
    await asyncio.sleep(seconds)
    assert not any(task.done() for task in hanging), "the server let somebody go"


async def fill(address, room, shapes):
    """Fills a room like a person who draws: makes each shape, then sets place, size and colour."""
    dice = random.Random(10)
    colors = ["#4C9AFF", "#FF7452", "#57D9A3", "#FFC400", "#998DD9", "#79E2F2", "#344563", "#FFFFFF"]

    def drawn(number):
        values = {
            "kind": dice.choice(["rectangle", "ellipse", "star", "polygon"]),
            "position": [round(dice.uniform(0, 20_000), 1), round(dice.uniform(0, 20_000), 1)],
            "size": [dice.randint(20, 400), dice.randint(20, 400)], "rotation": dice.choice([0, dice.randint(1, 359)]),
            "fill": dice.choice(colors), "stroke": dice.choice(colors), "z": f"V{number}V",
        }
        if number % 3 == 0:
            values["name"] = f"Shape number {number}"
        return values

    async with joined(address, room, is_binary=False) as socket:
        # Each message has only 20 operations. So the stamps are spread over time and compress badly, like the stamps of
        # people who draw.
        for first in range(0, shapes, 20):
            ops = [{"shape": identifier(), "set": drawn(number)} for number in range(first, min(first + 20, shapes))]
            await socket.send(json.dumps({"type": "ops", "id": first, "ops": ops}))
            while (message := json.loads(await socket.recv()))["type"] not in ("ack", "reject"):
                pass
            assert message["type"] == "ack", message


async def join(address, room, encoding):
    is_binary, before = encoding == "binary", time.monotonic()
    async with joined(address, room, is_binary) as socket:
        await socket.recv()
        contents, arrived = [], []
        # The messages are decoded later, so that the time for decoding isn't measured as transfer time.
        while not contents or not is_last(contents[-1]):
            contents.append(await socket.recv())
            arrived.append(time.monotonic() - before)
    messages = [(binary.decode(content) if is_binary else json.loads(content)).get("ops", []) for content in contents]
    print(json.dumps({
        "seconds": arrived[-1], "firstSeconds": arrived[0], "mostSeconds": most_is_there(messages, arrived),
        "shapes": len({one["shape"] for operations in messages for one in operations}),
    }))


def most_is_there(messages, arrived):
    """The time after which shapes that cover nine tenths of the drawing's area had arrived."""
    areas = [sum(math.prod(one["set"].get("size", [0, 0])) for one in operations) for operations in messages]
    return next(when for index, when in enumerate(arrived) if sum(areas[:index + 1]) >= 0.9 * sum(areas))


def is_last(content):
    """Whether a message of operations or of a state is the last one, which has no `more`."""
    if isinstance(content, bytes):
        return content[0] in (0x42, 0x43) and content[1] & 1 == 0
    return content.startswith('{"type":"ops"') and '"more":true' not in content[-30:]


def main():
    what, address, room, *rest = sys.argv[1:]
    if what == "read":
        return asyncio.run(read(address, room, rest[0], float(rest[1])))
    if what == "join":
        return asyncio.run(join(address, room, *rest))
    asyncio.run({"write": write, "hang": hang, "fill": fill}[what](address, room, *map(int, rest)))


if __name__ == "__main__":
    main()
