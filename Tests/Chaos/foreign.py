"""Clients written from docs/PROTOCOL.md alone, which share no code with ours. They edit, send again after a loss, and
resume by their cursor."""

import asyncio
import time

import websockets

import binary
from client import Client, order

# The errors with which a connection can break on an unreliable network.
LOSSES = (OSError, TimeoutError, EOFError, websockets.WebSocketException)

# The close codes after which the client reconnects: normal or unexpected end, server going away, heartbeat timeout,
# actor connected elsewhere.
AGAIN = (1000, 1001, 1006, 4408, 4409)

# An offline client keeps editing until this many of its messages are unanswered.
OUTBOX_MAX = 40
EDITS_PER_SECOND = 2


class Foreign(Client):
    """One client. It stamps each operation once, and repeats unanswered operations with the same stamps."""

    def __init__(self, world, name, room, line, is_binary):
        super().__init__(None)
        self.world, self.name, self.room, self.line = world, name, room, line
        self.protocol = "canvas.v1.bin" if is_binary else "canvas.v1.json"
        self.random = world.random(name)
        # The client's actor, and the key to resume it. The client learns both from its first `welcome`.
        self.own, self.key = None, ""
        self.clock = (0, 0)
        self.outbox = {}
        self.sent = set()
        self.numbers = self.names = 0
        self.blocked_until = 0
        self.pending = asyncio.Event()
        self.is_joined = False
        # True if the whole state has arrived, and false if a part of it is still missing. None if no part has arrived
        # yet.
        self.is_whole = None
        self.told = None

    # The connection.

    async def stay(self):
        pause = 0.1
        while True:
            try:
                await self.session()
                pause = 0.1
            except ConnectionRefusedError:
                self.world.counts["refused"] += 1
            except LOSSES:
                pass
            finally:
                self.is_joined = False
            self.world.counts["lost"] += 1
            await asyncio.sleep(self.random.uniform(0, pause))
            pause = min(pause * 2, 2)

    async def session(self):
        socket = await websockets.connect(
            self.line.url(self.room), subprotocols=[self.protocol],
            max_size=None, compression=None, proxy=None, open_timeout=6, ping_interval=3, ping_timeout=4, close_timeout=1,
        )
        self.socket = socket
        sending = None
        try:
            hello = {"type": "hello", "name": self.name, "key": self.key}
            if self.key:
                hello["actor"] = self.own
            await self.send(hello | ({"since": self.cursor} if self.cursor else {}))
            welcome = self.decode(await asyncio.wait_for(socket.recv(), 8))
            if welcome["type"] == "error":
                return self.note_close(await self.closed())
            is_again = not self.key or welcome.get("actor") == self.own
            if welcome["type"] != "welcome" or not is_again or welcome["role"] != "editor":
                self.world.violation(f"{self.name} asked to be {self.own} and was greeted with {welcome}")
            self.own, self.key = welcome["actor"], welcome["key"]
            self.world.ledger.actors.add(self.own)
            self.is_joined, self.is_whole = True, None
            self.world.counts["sent again"] += len(self.sent & self.outbox.keys())
            self.sent.clear()
            self.pending.set()
            sending = asyncio.ensure_future(self.keep_sending())
            async for frame in socket:
                self.take(self.decode(frame))
            self.note_close(socket.close_code)
        except websockets.ConnectionClosed:
            self.note_close(socket.close_code)
            raise
        finally:
            if sending:
                sending.cancel()
            socket.transport.abort()

    def note_close(self, code):
        if code not in AGAIN:
            self.world.violation(f"{self.name} was closed with {code}; errors: {self.errors[-3:]}")

    async def keep_sending(self):
        try:
            while True:
                await self.pending.wait()
                self.pending.clear()
                for number in [number for number in self.outbox if number not in self.sent]:
                    await asyncio.sleep(max(0, self.blocked_until - time.monotonic()))
                    if number in self.outbox:
                        self.sent.add(number)
                        await self.send({"type": "ops", "id": number, "ops": self.outbox[number]})
        except LOSSES:
            pass

    # Messages from the server

    def take(self, message):
        kind = message["type"]
        if kind == "ops":
            if self.is_whole is None and self.cursor:
                self.world.counts["loaded anew" if message.get("reset") else "resumed"] += 1
            self.is_whole = not message.get("more")
            self.fold(message)
            self.seen.clear()
            for operation in message["ops"]:
                self.observe(operation["at"])
                if wrong := self.world.ledger.saw(self.room, operation, self.name):
                    self.world.violation(wrong)
        elif kind == "ack":
            operations = self.outbox.pop(message["id"], None)
            if operations is None:
                return self.world.violation(f"{self.name} got an answer to nothing: {message}")
            self.world.ledger.acknowledged(self.room, operations)
            self.world.answered.set()
        elif kind == "reject":
            self.refused(message)
        elif kind == "digest":
            self.told = message
        elif kind == "error":
            self.errors.append(message["code"])
        elif kind not in ("join", "leave", "presence"):
            self.world.violation(f"{self.name} was sent {message}")

    def refused(self, message):
        """Handles a refusal, which is a violation unless the disk was full."""
        if message["code"] != "unavailable" or not self.world.was_full or message.get("id") not in self.outbox:
            return self.world.violation(f"{self.name} was refused: {message}; sent: {self.outbox.get(message.get('id'))}")
        self.world.counts["refused for now"] += 1
        self.blocked_until = time.monotonic() + self.random.uniform(0.2, 1)
        self.sent.discard(message["id"])
        self.pending.set()

    # Editing.

    async def edit(self):
        while True:
            await self.world.editing.wait()
            await asyncio.sleep(self.random.expovariate(EDITS_PER_SECOND))
            if self.world.editing.is_set() and self.own and len(self.outbox) < OUTBOX_MAX:
                self.write_down(self.invent())

    def write_down(self, edits):
        self.numbers += 1
        operations = [{"shape": shape, "at": self.tick(), "set": values} for shape, values in edits]
        self.outbox[self.numbers] = operations
        self.world.ledger.submitted(self.room, operations, self.name)
        self.pending.set()

    def invent(self):
        """Makes, changes or deletes some shapes."""
        random, shapes = self.random, self.world.shapes[self.room]
        if not shapes or len(shapes) < self.world.shapes_max and random.random() < 0.3:
            shapes.append(binary.identifier(random.randrange(36**9)))
            return [(shapes[-1], self.values(("position", "size", "fill", "name")) | {"kind": random.choice(binary.KINDS)})]
        chosen = random.sample(shapes, min(len(shapes), random.choice((1, 1, 1, 2, 5))))
        fate = random.random()
        if fate < 0.04:
            return [(shape, {"deleted": True}) for shape in chosen]
        if fate < 0.1:
            return [(shape, self.values(("position",)) | {"kind": random.choice(binary.KINDS)}) for shape in chosen]
        names = ("position",) if fate < 0.7 else random.sample(("position", "size", "fill", "name", "alpha"), 2)
        return [(shape, self.values(names)) for shape in chosen]

    def values(self, names):
        random = self.random
        made = {
            "position": lambda: [random.randrange(-4000, 4000) / 4, random.randrange(-4000, 4000)],
            "size": lambda: [random.randrange(1, 300), random.randrange(1, 300)],
            "fill": lambda: f"#{random.randrange(1 << 24):06X}",
            "name": self.new_name,
            "alpha": lambda: random.randrange(1, 11),
        }
        return {name: made[name]() for name in names}

    def new_name(self):
        """A name that no other shape has. The page and the terminal would show a number after equal names."""
        self.names += 1
        return f"{self.name} {self.names}"

    def tick(self):
        now = int(time.time() * 1000)
        milliseconds, counter = self.clock
        self.clock = (now, 0) if now > milliseconds else (milliseconds, counter + 1)
        return f"{self.clock[0]}.{self.clock[1]}.{self.own}"

    def observe(self, stamp):
        self.clock = max(self.clock, order(stamp)[:2])
