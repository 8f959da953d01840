"""A client that shares no code with the server's: both encodings over the websockets library, and its own merge."""

import asyncio
import contextlib
import functools
import json
import time

import websockets

import binary
from server import identifier
from waiting import SECONDS, eventually

# The encoding to ask for instead of JSON.
BINARY = ("canvas.v1.bin",)


class Client:
    """A client in a room, which keeps everything that the server sends."""

    def __init__(self, socket):
        self.socket = socket
        self.welcome = None
        self.cursor = None
        self.registers = {}
        self.erased = {}
        self.seen = []
        self.errors = []

    @classmethod
    async def join(cls, server, room, protocols=("canvas.v1.json",), state=True, options=None, **hello):
        socket = await websockets.connect(
            server.socket(room), subprotocols=protocols, max_size=None, compression=None, **(options or {})
        )
        client = cls(socket)
        await client.send({"type": "hello", **hello})
        client.welcome = await client.receive()
        assert client.welcome["type"] == "welcome", client.welcome
        if state:
            await client.state()
        return client

    @property
    def actor(self):
        return self.welcome["actor"]

    @property
    def is_binary(self):
        return self.socket.subprotocol in BINARY

    def encode(self, message):
        return binary.encode(message) if self.is_binary else json.dumps(message)

    def decode(self, frame):
        return binary.decode(frame) if self.is_binary else json.loads(frame)

    async def send(self, message):
        await self.socket.send(message if isinstance(message, (str, bytes)) else self.encode(message))

    async def greet(self, **hello):
        """Sends `hello`. If the server has already closed the connection, the hello is dropped without an error."""
        with contextlib.suppress(websockets.ConnectionClosed):
            await self.send({"type": "hello", **hello})

    async def receive(self):
        message = self.decode(await asyncio.wait_for(self.socket.recv(), SECONDS))
        if message["type"] == "ops":
            self.fold(message)
        elif message["type"] == "error":
            self.errors.append(message["code"])
        return message

    async def until(self, kind, **members):
        """Returns the next message of this kind with these members. Merges the operations of the messages before it."""
        while True:
            message = await self.receive()
            if message["type"] == kind and all(message.get(key) == value for key, value in members.items()):
                return message

    async def state(self):
        """Waits for the last message of the state. Returns all of its messages."""
        messages = []
        while True:
            message = await self.until("ops")
            messages.append(message)
            if not message.get("more"):
                return messages

    def fold(self, message):
        if message.get("reset"):
            self.registers, self.erased = {}, {}
        self.cursor = message["cursor"]
        for operation in message["ops"]:
            self.seen.append(operation)
            shape, stamp = operation["shape"], order(operation["at"])
            for name, value in operation["set"].items():
                if name == "deleted":
                    self.erased[shape] = max(self.erased.get(shape, stamp), stamp)
                    continue
                old = self.registers.setdefault(shape, {}).get(name)
                if old is None or stamp > order(old[0]):
                    self.registers[shape][name] = (operation["at"], value)

    @property
    def live(self):
        """The registers of live shapes: `{shape: {property: (stamp, value)}}`."""
        live = {}
        for shape, registers in self.registers.items():
            erased = self.erased.get(shape)
            kept = {name: entry for name, entry in registers.items() if erased is None or order(entry[0]) > erased}
            if "kind" in kept:
                live[shape] = kept
        return live

    @property
    def digest(self):
        """The digest, computed as docs/PROTOCOL.md describes it."""
        total = 0
        for shape, registers in self.live.items():
            for name, (stamp, _) in registers.items():
                total = (total + fingerprint(f"{shape} {name} {stamp}")) % 2**64
        return f"{total:016x}"

    async def write(self, *operations, id=1):
        """Writes operations in one message, and returns the answer."""
        await self.send({"type": "ops", "id": id, "ops": list(operations)})
        return await self.answer(id)

    async def answer(self, id=1):
        """Waits for the answer to a message with operations."""
        while True:
            message = await self.receive()
            if message["type"] in ("ack", "reject") and message.get("id") == id:
                return message

    async def accepted(self, *operations, id=1):
        """Writes operations, which the server must accept."""
        answer = await self.write(*operations, id=id)
        assert answer["type"] == "ack", answer
        return answer

    async def refused(self, code, *operations, id=1):
        """Writes operations, which the server must refuse with this code."""
        answer = await self.write(*operations, id=id)
        assert (answer["type"], answer.get("code")) == ("reject", code) and answer["message"], (answer, operations)
        return answer

    async def draw(self, count=1, **values):
        """Makes shapes, which the server must accept. Returns their identifiers."""
        shapes = [identifier() for _ in range(count)]
        await self.accepted(*({"shape": shape, "set": {"kind": "star"} | values} for shape in shapes))
        return shapes

    async def write_in_a_row(self, *operations):
        """Sends each operation in its own message without waiting, and then waits for all answers."""
        for id, operation in enumerate(operations):
            await self.send({"type": "ops", "id": id, "ops": [operation]})
        for id in range(len(operations)):
            while (message := await self.receive())["type"] not in ("ack", "reject"):
                pass
            assert message["type"] == "ack" and message["id"] == id, message

    async def sees(self, *shapes):
        """Waits until the client has these shapes."""
        while not set(shapes) <= set(self.live):
            await self.receive()

    async def agrees(self):
        """Checks that the client has what the server has, by comparing digests."""
        await self.send({"type": "digest"})
        assert (await self.until("digest"))["hash"] == self.digest

    async def closed(self):
        """Waits until the server closes the connection, and returns the close code. Skips the messages before it."""
        try:
            while True:
                await asyncio.wait_for(self.socket.recv(), SECONDS)
        except websockets.ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else 1006

    async def close(self):
        await self.socket.close()


@functools.cache
def fingerprint(text):
    """FNV-1a of 64 bits, mixed (M9)."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor % 2**64
    return value ^ value >> 33


def order(stamp):
    milliseconds, counter, actor = stamp.split(".")
    return int(milliseconds), int(counter), actor


def stamp(actor, ahead=0, counter=0):
    return f"{int(time.time() * 1000) + ahead}.{counter}.{actor}"


async def connect(server, room, **options):
    """Connects without sending `hello`."""
    return Client(await websockets.connect(server.socket(room), max_size=None, compression=None, **options))


async def agree(*clients):
    """Checks that all clients have the same drawing, which must also be the drawing of each client's server."""

    async def look():
        hashes = set()
        for client in clients:
            await client.send({"type": "digest"})
            hashes.add((await client.until("digest"))["hash"])
            hashes.add(client.digest)
        return len(hashes) == 1

    await eventually(look, "agreement")
