"""Bad network connections: a TCP proxy for each client that delays, slows down, stalls, cuts and refuses
connections. It never changes a byte."""

import asyncio
import os
import socket
import struct

# The faults that a connection can have, and their relative frequencies.
FATES = {"well": 20, "delayed": 20, "thin": 12, "cut": 20, "cut in the greeting": 10, "stalled": 10, "half-open": 8, "refused": 8}
FAULTS = [fate for fate in FATES if fate != "well"]

# A connection gets another fault after a random time between these limits, in seconds.
CHANGES = (2, 8)


class Weather:
    """The proxies of all clients. While `is_bad`, each connection has a random fault, which changes."""

    def __init__(self, counts):
        self.counts = counts
        self.is_bad = False
        self.lines = []

    def clear(self):
        """Ends all network faults, so that everything delayed arrives. Connections that have lost bytes are cut."""
        self.is_bad = False
        for line in self.lines:
            line.resume_listening()
            for connection in list(line.connections):
                connection.clear()

    def cut_all(self):
        for line in self.lines:
            for connection in list(line.connections):
                connection.cut()

    async def close(self):
        self.is_bad = False
        tasks = [connection.task for line in self.lines for connection in line.connections]
        for line in self.lines:
            line.listener.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Line:
    """The proxy of one client. Nobody can take its port while it refuses, since its address is its own."""

    def __init__(self, weather, server, random):
        self.weather, self.server, self.random = weather, server, random
        self.connections = set()
        number = len(weather.lines) + 1
        self.address = f"127.{1 + os.getpid() % 250}.{os.getpid() // 250 % 250}.{number}"
        self.port = 0
        weather.lines.append(self)

    async def open(self):
        self.listener = await asyncio.start_server(self.accept, self.address, self.port, limit=4096)
        self.port = self.listener.sockets[0].getsockname()[1]
        return self

    @property
    def base(self):
        return f"ws://{self.address}:{self.port}"

    def url(self, room):
        return f"{self.base}/v1/rooms/{room}/sync"

    def accept(self, reader, writer):
        connection = Connection(self, reader, writer)
        self.connections.add(connection)
        connection.task = asyncio.ensure_future(self.carry(connection))

    async def carry(self, connection):
        try:
            await connection.carry()
        finally:
            self.connections.discard(connection)
            connection.cut()

    def refuse(self):
        """Stops listening for a while, so that connection attempts fail as without a server."""
        self.listener.close()
        asyncio.get_running_loop().call_later(self.random.uniform(0.3, 2), self.resume_listening)
        for connection in list(self.connections):
            connection.cut()

    def resume_listening(self):
        if not self.listener.is_serving():
            asyncio.ensure_future(self.open())


class Connection:
    """One connection through a proxy, with a task for each direction and the current fault."""

    def __init__(self, line, reader, writer):
        self.line, self.random, self.counts = line, line.random, line.weather.counts
        self.client = (reader, writer)
        self.server = None
        self.is_greeted = False
        self.is_cut = False
        self.flows = asyncio.Event()
        self.calm()

    def calm(self):
        self.delay, self.bytes_per_second, self.dead = 0, None, None
        self.left = {"up": None, "down": None}
        self.flows.set()

    def clear(self):
        if self.dead:
            self.cut()
        self.calm()

    async def carry(self):
        try:
            self.server = await asyncio.open_connection("127.0.0.1", self.line.server.port, limit=4096)
        except OSError:
            return
        changing = asyncio.ensure_future(self.change())
        try:
            await asyncio.gather(
                self.pump("up", self.client[0], self.server[1]), self.pump("down", self.server[0], self.client[1])
            )
        except OSError:
            pass
        finally:
            changing.cancel()

    async def change(self):
        while True:
            if self.line.weather.is_bad and not self.dead:
                self.draw()
            await asyncio.sleep(self.random.uniform(*CHANGES))

    def draw(self):
        random = self.random
        self.calm()
        (fate,) = random.choices(list(FATES), FATES.values())
        direction = random.choice(("up", "down"))
        if fate == "delayed":
            self.delay = random.uniform(0.02, 0.4)
        elif fate == "thin":
            self.bytes_per_second = random.choice((600, 2_000, 8_000))
        elif fate == "cut":
            self.left[direction] = int(10 ** random.uniform(1, 4))
        elif fate == "cut in the greeting" and not self.is_greeted:
            self.left[direction] = random.randrange(0, 120)
        elif fate == "stalled":
            self.flows.clear()
            asyncio.get_running_loop().call_later(random.uniform(0.5, 5), self.flows.set)
        elif fate == "half-open":
            self.dead = direction
        elif fate == "refused":
            self.line.refuse()

    async def pump(self, direction, source, sink):
        while data := await source.read(2048):
            if not self.flows.is_set():
                self.counts["stalled"] += 1
                await self.flows.wait()
            if self.dead == direction:
                self.counts["half-open"] += 1
                await asyncio.sleep(0)
                continue
            if self.delay:
                self.counts["delayed"] += 1
                await asyncio.sleep(self.delay)
            left = self.left[direction]
            if left is not None and left <= len(data):
                sink.write(data[:left])
                self.counts["cut" if self.is_greeted else "cut in the greeting"] += 1
                self.cut()
                return
            if left is not None:
                self.left[direction] = left - len(data)
            while self.bytes_per_second and data:
                self.counts["thin"] += 1
                sink.write(data[:256])
                await sink.drain()
                await asyncio.sleep(len(data[:256]) / self.bytes_per_second)
                data = data[256:]
            sink.write(data)
            await sink.drain()
            # The first bytes from the server are its answer to the upgrade. Once they arrive, the connection counts as
            # open.
            self.is_greeted = self.is_greeted or direction == "down"
        if self.dead != direction:
            sink.write_eof()

    def cut(self):
        """Ends both directions, by a reset or by a normal close, chosen at random."""
        if self.is_cut:
            return
        self.is_cut = True
        self.flows.set()
        for _, writer in filter(None, (self.client, self.server)):
            if not writer.transport.is_closing() and self.random.random() < 0.5:
                linger = struct.pack("ii", 1, 0)
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            writer.transport.abort()
