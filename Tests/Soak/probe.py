"""Measures the server's latency all the time: of a ping, and of a write until it is acknowledged and until a second
client has it."""

import asyncio
import json
import os
import tempfile
import time

from client import Client, stamp
from crowd import ROOMS
from server import identifier

PAUSE_SECONDS = 0.5


class Probe:
    """`asked` has an entry for each measurement: its time, and the latency of each answer in milliseconds."""

    WHAT = ("ping", "ack", "seen", "machine")

    def __init__(self, server):
        self.server = server
        self.began = time.monotonic()
        self.asked = []
        self.waiting = {}

    async def ask(self):
        writer, seer = await Client.join(self.server, ROOMS[0], name="Writer"), await Client.join(self.server, ROOMS[0], name="Seer")
        reading = [asyncio.ensure_future(self.read(writer, is_seer=False)), asyncio.ensure_future(self.read(seer, is_seer=True))]
        shape, number = identifier(), 0
        try:
            while True:
                number += 1
                at = stamp(writer.actor)
                machine = await asyncio.to_thread(self.machine)
                ping = await self.time(writer, {"type": "ping"}, "pong")
                operation = {"shape": shape, "at": at, "set": {"kind": "star", "rotation": number % 360}}
                ack, seen = await self.time(writer, {"type": "ops", "id": number, "ops": [operation]}, f"ack {number}", at)
                self.asked.append((time.monotonic() - self.began, *ping, ack, seen, machine))
                await asyncio.sleep(PAUSE_SECONDS)
        finally:
            for task in reading:
                task.cancel()
            await asyncio.gather(writer.close(), seer.close(), return_exceptions=True)

    async def time(self, writer, message, *answers):
        """The time until each of the answers arrives, in milliseconds."""
        self.waiting = {answer: asyncio.get_running_loop().create_future() for answer in answers}
        waiting = list(self.waiting.values())
        began = time.perf_counter()
        await writer.send(message)
        async with asyncio.timeout(30):
            return [(await one - began) * 1_000 for one in waiting]

    async def read(self, client, is_seer):
        async for frame in client.socket:
            now = time.perf_counter()
            message = json.loads(frame)
            kind = message["type"]
            if kind == "pong":
                self.answered("pong", now)
            elif kind == "ack":
                self.answered(f"ack {message['id']}", now)
            elif kind == "ops" and is_seer:
                for operation in message["ops"]:
                    self.answered(operation["at"], now)

    def answered(self, what, now):
        if (future := self.waiting.get(what)) and not future.done():
            future.set_result(now)

    @staticmethod
    def machine():
        """How long the machine itself takes to sync four kilobytes to disk, and to wake a waiting thread."""
        began = time.perf_counter()
        with tempfile.NamedTemporaryFile(prefix="canvas-") as file:
            file.write(bytes(4_096))
            file.flush()
            os.fdatasync(file.fileno())
        return (time.perf_counter() - began) * 1_000
