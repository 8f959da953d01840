"""Programs at the ends of a line: those that write fast, and one that reads and says how old is what it shows.

    line_clients.py write ADDRESS ROOM WRITERS SHAPES RATE SECONDS
    line_clients.py read ADDRESS ROOM json|binary SECONDS

Each writer moves its shapes, and the position that it writes is the time. So a reader needs no answers to know how old
what it has is: both take the time of the same machine's clock. They run as programs of their own because the reader sits
in another network namespace.
"""

import asyncio
import base64
import json
import os
import sys
import time

import websockets

import binary
from server import identifier

# How often the reader looks at what it shows, and how often it writes something itself.
LOOK_SECONDS = 0.01
OWN_SECONDS = 0.25


def clock():
    """Milliseconds, below the bound on positions."""
    return time.monotonic() * 1e3 % 1e7


async def shake_hands(address, room):
    """A WebSocket without a library, for programs that hardly look at what they are sent."""
    host, port = address.rsplit(":", 1)
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 24)
    key = base64.b64encode(os.urandom(16)).decode()
    writer.write(
        f"GET /v1/rooms/{room}/sync HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: canvas.v1.json\r\n\r\n".encode()
    )
    await reader.readuntil(b"\r\n\r\n")
    return reader, writer


def frame(message):
    """A text frame, masked by zeros."""
    payload = json.dumps(message, separators=(",", ":")).encode()
    length = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
    return b"\x81" + length + bytes(4) + payload


async def write(address, room, writers, shapes, rate, seconds):
    async def one(number):
        reader, writer = await shake_hands(address, room)
        writer.write(frame({"type": "hello"}))

        async def drain():
            while await reader.read(1 << 20):
                pass

        draining = asyncio.create_task(drain())
        own = [identifier() for _ in range(shapes // writers)]
        writer.write(frame({"type": "ops", "ops": [{"shape": shape, "set": {"kind": "rectangle"}} for shape in own]}))
        end = time.monotonic() + seconds
        due = time.monotonic() + number / writers / rate
        while due < end:
            await asyncio.sleep(max(0, due - time.monotonic()))
            at = [round(clock(), 1), number]
            writer.write(frame({"type": "ops", "ops": [{"shape": shape, "set": {"position": at}} for shape in own]}))
            due += 1 / rate
        draining.cancel()
        writer.close()

    await asyncio.gather(*(one(number) for number in range(writers)))


class Shown:
    """What a reader shows, and how old it was at each look."""

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
        """Writes now and then, for the answer."""
        shape, number = identifier(), 0
        while True:
            await asyncio.sleep(OWN_SECONDS)
            number += 1
            self.sent[number] = time.monotonic()
            message = {"type": "ops", "id": number, "ops": [{"shape": shape, "set": {"alpha": number % 10 + 1}}]}
            await self.socket.send(binary.encode(message) if self.is_binary else json.dumps(message))


async def read(address, room, encoding, seconds):
    is_binary = encoding == "binary"
    protocol = "canvas.v1.bin" if is_binary else "canvas.v1.json"
    uri = f"ws://{address}/v1/rooms/{room}/sync"
    async with websockets.connect(uri, subprotocols=[protocol], compression=None, max_size=None) as socket:
        shown = Shown(socket, is_binary)
        await socket.send(binary.encode({"type": "hello"}) if is_binary else json.dumps({"type": "hello"}))
        tasks = [asyncio.create_task(shown.receive())]
        await shown.live.wait()
        # The first seconds are those of a line that nobody knows yet.
        await asyncio.sleep(2)
        tasks += [asyncio.create_task(shown.look()), asyncio.create_task(shown.edit())]
        await asyncio.sleep(seconds)
        for task in tasks:
            if task.done():
                task.result()
            task.cancel()
    ages, acks = sorted(shown.ages), sorted(shown.acks)
    # What has not been answered at the end counts too.
    acks = sorted(acks + [time.monotonic() - at for at in shown.sent.values()])

    def share(values, part):
        return values[min(len(values) - 1, int(len(values) * part))]

    print(json.dumps({
        "ageP50": share(ages, 0.5), "ageP99": share(ages, 0.99), "ageMax": ages[-1], "looks": len(ages),
        "ackP50": share(acks, 0.5) * 1e3, "ackP99": share(acks, 0.99) * 1e3, "acks": len(acks),
    }))


def main():
    what, address, room, *rest = sys.argv[1:]
    if what == "write":
        asyncio.run(write(address, room, *map(int, rest)))
    else:
        asyncio.run(read(address, room, rest[0], float(rest[1])))


if __name__ == "__main__":
    main()
