#!/usr/bin/env python3
"""Puts the same load on this server and on pycrdt-websocket, one after the other. Prints what a delivery costs each
of them, as Markdown.

    .venv/bin/python Benchmarks/rooms.py PATH_OF_SYNCSERVER [--quick] [--readers 100] [--writers 5] [--rate 20] [--seconds 8]

A delivery is one move that one reader has received. The run fails unless all readers receive all moves. The same code
reads from both servers and only separates frames, except that one reader computes the age of each move. Processor
time is the server's.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time

import websockets
from pycrdt import Doc, Map, create_sync_message, create_update_message, handle_sync_message

from bots import drain
# Importing `server` also adds Tests/EndToEnd to the import path.
from server import Process, free_port
from load import percentile, processor_seconds
from raw import UPGRADE, frame, request

HERE = os.path.dirname(os.path.abspath(__file__))
PROPERTIES = {
    "kind": "rectangle", "size": [120, 80], "rotation": 0.0, "fill": "#3F7FD9", "stroke": "#000000", "strokeWidth": 2.0, "alpha": 10.0,
}


def now():
    """The time in milliseconds, as a number that both servers accept as a coordinate."""
    return round(time.monotonic() * 1000 % 1e6, 3)


def shape(number):
    return f"wri-ter-{number:03d}"


class Frames(asyncio.Protocol):
    """A reader. It sends its first messages, and then passes each received message to `take`."""

    def __init__(self, path, greeting, take):
        self.path, self.greeting, self.take = path, greeting, take
        self.buffer, self.message = bytearray(), b""
        self.open = False

    def connection_made(self, transport):
        self.transport = transport
        transport.write(request(self.path, *UPGRADE))

    def send(self, kind, payload):
        self.transport.write(frame(kind, payload))

    def data_received(self, data):
        buffer = self.buffer
        buffer += data
        if not self.open:
            end = buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            if not buffer.startswith(b"HTTP/1.1 101"):
                raise RuntimeError(bytes(buffer[:end]).decode())
            del buffer[: end + 4]
            self.open = True
            self.send(*self.greeting)
        at = 0
        while len(buffer) - at >= 2:
            length, head = buffer[at + 1], 2
            if length == 126:
                length, head = int.from_bytes(buffer[at + 2 : at + 4], "big"), 4
            elif length == 127:
                length, head = int.from_bytes(buffer[at + 2 : at + 10], "big"), 10
            if len(buffer) - at < head + length:
                break
            payload = bytes(buffer[at + head : at + head + length])
            first, at = buffer[at], at + head + length
            if first & 15 == 9:
                self.send(10, payload)
                continue
            self.message += payload
            if first & 0x80:
                whole, self.message = self.message, b""
                self.take(whole)
        del buffer[:at]


class CanvasSync:
    """Our server with JSON messages and default flags, on a disk or in memory."""

    path = "/v1/rooms/bench/sync"

    def __init__(self, name, server, data):
        self.name, self.server, self.data = name, server, data

    def command(self, port, scratch):
        where = self.data or tempfile.mkdtemp(dir=scratch)
        return [self.server, "--port", str(port), "--data", where, "--log-level", "error"]

    def greeting(self):
        return 1, json.dumps({"type": "hello"}).encode()

    def joined(self, message):
        return message.startswith(b'{"type":"welcome"')

    def moves(self, message):
        return message.count(b'"position"') if message.startswith(b'{"type":"ops"') else 0

    def ages(self):
        def read(message):
            if self.moves(message):
                for operation in json.loads(message)["ops"]:
                    yield operation["set"]["position"][0]
        return read

    async def writer(self, socket, number):
        await socket.send(json.dumps({"type": "hello"}))

        async def write(values):
            await socket.send(json.dumps({"type": "ops", "ops": [{"shape": shape(number), "set": values}]}))

        return write


class Pycrdt:
    """pycrdt-websocket. The document is a map of maps, and each move is one update, as from a Yjs client."""

    path = "/bench"
    name = "pycrdt-websocket, in memory"

    def command(self, port, scratch):
        return [sys.executable, os.path.join(HERE, "peers", "yroom.py"), str(port)]

    def greeting(self):
        return 2, create_sync_message(Doc())

    def joined(self, message):
        return message[:2] == b"\0\1"

    def moves(self, message):
        return 1 if message[:2] == b"\0\2" else 0

    def ages(self):
        document = Doc()
        shapes = document.get("shapes", type=Map)
        moved = []
        # `watching` keeps the observer's handle, because the observer ends when its handle is freed.
        watching = shapes, shapes.observe_deep(lambda events: moved.extend(
            event.keys["position"]["newValue"][0] for event in events if "position" in event.keys))

        def read(message):
            assert watching
            if message[0] == 0 and message[1] != 0:
                moved.clear()
                handle_sync_message(message[1:], document)
                if message[1] == 2:
                    yield from moved

        return read

    async def writer(self, socket, number):
        document = Doc()
        shapes = document.get("shapes", type=Map)
        made = []
        document.observe(lambda event: made.append(event.update))
        await socket.send(create_sync_message(document))

        async def write(values):
            made.clear()
            if "kind" in values:
                shapes[shape(number)] = Map(values)
            else:
                shapes[shape(number)]["position"] = values["position"]
            await socket.send(create_update_message(made.pop()))

        return write


async def eventually(done, otherwise):
    """Waits while there is progress. Fails after half a minute without any."""
    deadline, words = time.monotonic() + 30, otherwise()
    while not done():
        if otherwise() != words:
            deadline, words = time.monotonic() + 30, otherwise()
        if time.monotonic() > deadline:
            raise RuntimeError(words)
        await asyncio.sleep(0.02)


async def measured(peer, options, process):
    loop = asyncio.get_running_loop()
    counts = [0] * options.readers
    joined = set()
    ages = []
    read = peer.ages()

    def take(index):
        def count(message):
            counts[index] += peer.moves(message)
            if peer.joined(message):
                joined.add(index)
            if index == 0:
                ages.extend(now() - each for each in read(message))
        return count

    url = f"ws://127.0.0.1:{process.port}{peer.path}"
    sockets = [await websockets.connect(url, compression=None) for _ in range(options.writers)]
    drains = [asyncio.create_task(drain(socket)) for socket in sockets]
    readers = [
        (await loop.create_connection(lambda i=i: Frames(peer.path, peer.greeting(), take(i)), "127.0.0.1", process.port))[1]
        for i in range(options.readers)
    ]
    # Waits until all readers have joined. A late reader would get the first positions as part of its state, where they
    # aren't counted.
    await eventually(lambda: len(joined) == options.readers, lambda: f"{peer.name}: {len(joined)} readers have joined")
    writers = [await peer.writer(socket, number) for number, socket in enumerate(sockets)]
    for write in writers:
        await write({**PROPERTIES, "position": [now(), 0.0]})

    async def arrived(moves):
        await eventually(lambda: min(counts) >= moves, lambda: f"{peer.name}: a reader has {min(counts)} of {moves} moves")

    await arrived(options.writers)
    ages.clear()
    before, began = processor_seconds(process.process.pid), loop.time()
    steps = options.rate * options.seconds

    async def moving(write, number):
        for step in range(steps):
            due = began + (step + number / options.writers) / options.rate
            await asyncio.sleep(max(0, due - loop.time()))
            await write({"position": [now(), float(step)]})

    await asyncio.gather(*(moving(write, number) for number, write in enumerate(writers)))
    await arrived(options.writers * (steps + 1))
    cost = processor_seconds(process.process.pid) - before
    for draining in drains:
        draining.cancel()
    for reader in readers:
        reader.transport.close()
    for socket in sockets:
        socket.transport.abort()
    return {
        "cpu": cost * 1e6 / (options.readers * options.writers * steps),
        "core": cost / (loop.time() - began),
        "p50": percentile(ages, 0.5),
        "p99": percentile(ages, 0.99),
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("server")
    arguments.add_argument("--quick", action="store_true")
    arguments.add_argument("--readers", type=int, default=100)
    arguments.add_argument("--writers", type=int, default=5)
    arguments.add_argument("--rate", type=int, default=20)
    arguments.add_argument("--seconds", type=int)
    options = arguments.parse_args()
    options.seconds = options.seconds or (4 if options.quick else 8)
    peers = [
        CanvasSync("CanvasSync, durable", options.server, None),
        CanvasSync("CanvasSync, in memory", options.server, "memory"),
        Pycrdt(),
    ]
    results = {peer.name: [] for peer in peers}
    with tempfile.TemporaryDirectory(prefix="canvas-bench-") as scratch:
        for _ in range(1 if options.quick else 3):
            for peer in peers:
                port = free_port()
                with Process(peer.command(port, scratch), port) as process:
                    process.await_port()
                    results[peer.name].append(asyncio.run(measured(peer, options, process)))
    print(f"{options.readers} readers, {options.writers} writers × {options.rate} moves a second, one room\n")
    print("| server | CPU a delivery, µs | of a core | age of a move, ms: p50 | p99 |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, runs in results.items():
        middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        print(f"| {name} | {middle['cpu']:.1f} | {100 * middle['core']:.0f} % | {middle['p50']:.1f} | {middle['p99']:.1f} |")


if __name__ == "__main__":
    main()
