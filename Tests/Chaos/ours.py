"""Our own clients as processes behind bad network connections: `pipe`, `bot` and `watch --json`."""

import asyncio
import contextlib
import json

import binary
import terminal

LINES_PER_SECOND = 3
# The exit code of a client whose first attempt to connect failed. The test then runs the client again, as a script
# would.
NOT_CONNECTED = 2
PATIENCE = "10m"


class Process:
    """A `sync-client` that is restarted until it gets into the room."""

    def __init__(self, world, name, room, line):
        self.world, self.name, self.room, self.line = world, name, room, line
        self.random = world.random(name)
        self.is_offline = True
        self.remarks = []
        self.client = None

    async def start(self, *words):
        variables = {"CANVAS_SERVER": self.line.base}
        self.client = await terminal.start(None, *words, "--name", self.name, variables=variables)
        self.process = self.client.process

    async def end(self):
        if self.client:
            await self.client.__aexit__()

    async def stay(self):
        """Runs the program until the test ends. The program must not end by itself."""
        while True:
            await self.start(*self.words)
            listening = asyncio.ensure_future(self.listen())
            async for line in self.process.stdout:
                self.take(json.loads(line))
            code = await self.process.wait()
            await listening
            if code != NOT_CONNECTED or self.has_begun:
                return self.world.violation(f"{self.name} ended with {code}: {self.remarks[-3:]}")
            await self.again()

    async def again(self):
        self.world.counts["ours started again"] += 1
        await asyncio.sleep(self.random.uniform(0.2, 1))

    async def listen(self):
        """Reads the messages on standard error."""
        async for line in self.process.stderr:
            self.remarks.append(line.decode().strip())
            if "offline" in self.remarks[-1]:
                self.is_offline = True
                self.world.counts["ours lost"] += 1
            elif "back online" in self.remarks[-1]:
                self.is_offline = False


class Pipe(Process):
    """Rotates three shapes of its own. Each input line writes the next number as the rotation. So the room's values
    show which lines were carried out."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.words = ("pipe", self.room, "--window", 32, "--patience", PATIENCE)
        self.shapes = [binary.identifier(self.random.randrange(36**9)) for _ in range(3)]
        self.written, self.answered = 0, 0

    @property
    def has_begun(self):
        return self.answered > 0

    async def start(self, *words):
        await super().start(*words)
        self.written = 0
        for shape in self.shapes:
            await self.write(shape, {"kind": "star"})

    async def write(self, shape, more=None):
        self.written += 1
        self.world.ledger.counts(self.room, shape, self.written, self.name)
        line = {"id": self.written, "ops": [{"shape": shape, "set": {"rotation": self.written} | (more or {})}]}
        with contextlib.suppress(ConnectionError):
            await self.client.write(line)

    async def edit(self):
        while True:
            await self.world.editing.wait()
            await asyncio.sleep(self.random.expovariate(LINES_PER_SECOND))
            if self.world.editing.is_set() and self.has_begun:
                await self.write(self.shapes[self.written % 3])

    def take(self, answer):
        if not self.has_begun:
            self.is_offline = False
        if answer["type"] != "ack":
            return self.world.violation(f"{self.name} was answered {answer}")
        number = answer["id"]
        self.answered += 1
        # Each of the first three lines makes a shape. The later lines edit these shapes in turn.
        shape = self.shapes[number - 1] if number <= 3 else self.shapes[(number - 1) % 3]
        self.world.ledger.counts_acknowledged(self.room, shape, number)

    @property
    def is_drained(self):
        return self.answered == self.written and self.has_begun


class Watch(Process):
    """An observer, which keeps what it was last told about each shape."""

    has_begun = False

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.words = ("watch", self.room, "--json")
        self.told, self.gone = {}, set()

    def take(self, event):
        self.has_begun = True
        what = event["event"]
        if what in ("here", "back", "offline"):
            self.is_offline = what == "offline"
        self.world.counts["events of watch"] += 1
        if what in ("made", "changed"):
            self.gone.discard(event["shape"])
            before = {} if what == "made" else self.told.get(event["shape"], {})
            self.told[event["shape"]] = before | event["set"]
        elif what == "deleted":
            self.gone.add(event["shape"])
            self.told.pop(event["shape"], None)
        elif what == "offline":
            self.world.counts["ours lost"] += 1

    def differs(self, canvas):
        """Describes where the values that this observer was told last differ from the room."""
        live = canvas.live
        for shape in self.gone & live.keys():
            yield f"{self.name} was told that {shape} is deleted, and it is there"
        for shape, values in self.told.items():
            if shape not in live:
                yield f"{self.name} was never told that {shape} is gone"
                continue
            for name, value in values.items():
                if name in live[shape] and live[shape][name][1] != value:
                    yield f"{self.name} was told that {name} of {shape} is {value}, and the room has {live[shape][name][1]}"


class Bots(Process):
    """Several bots for one round, each with its own shapes. At the end they print where these shapes must be."""

    COUNT = 3

    async def round(self, seconds):
        """Runs one round. Returns when all writes of the bots are answered."""
        seed = self.random.randrange(1 << 40)
        began = asyncio.get_running_loop().time()
        while (left := seconds - (asyncio.get_running_loop().time() - began)) > 2:
            await self.start(
                "bot", self.room, "--bots", self.COUNT, "--shapes", 2, "--rate", 2, "--seed", seed, "--for", f"{left:.0f}s",
                "--ledger", "--json", "--quiet", "--patience", "60s",
            )
            out, err = await self.process.communicate()
            if self.process.returncode == NOT_CONNECTED:
                await self.again()
                continue
            if self.process.returncode != 0:
                return self.world.violation(f"{self.name} ended with {self.process.returncode}: {out[-600:]} {err[-300:]}")
            *places, summary = [json.loads(line) for line in out.splitlines()]
            if summary["unanswered"] or summary["refused"]:
                return self.world.violation(f"{self.name} says {summary}")
            self.world.counts["acknowledged to bots"] += summary["acknowledged"]
            self.world.counts["ours lost"] += summary["reconnects"]
            return places
        return []
