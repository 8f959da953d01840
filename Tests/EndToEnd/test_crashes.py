"""`kill -9` in mid-write, again and again."""

import asyncio
import json
import random

import websockets
from client import Client
from server import Server, identifier
from waiting import eventually

CYCLES = 60
WRITERS = 3


class Writer:
    """Writes without waiting for answers; remembers what it sent and what was acknowledged."""

    def __init__(self, client):
        self.client = client
        self.sent, self.acknowledged, self.seen = [], set(), set()
        self.has_ended, self.has_heard = False, asyncio.Event()

    async def write(self):
        try:
            while True:
                shapes = [identifier() for _ in range(random.randint(1, 5))]
                self.sent.append(shapes)
                operations = [{"shape": shape, "set": {"kind": "star", "name": shape}} for shape in shapes]
                await self.client.send({"type": "ops", "id": len(self.sent) - 1, "ops": operations})
                # A real client wouldn't have more messages under way either.
                while len(self.sent) - len(self.acknowledged) > 20 and not self.has_ended:
                    self.has_heard.clear()
                    await self.has_heard.wait()
        except websockets.ConnectionClosed:
            pass

    async def read(self):
        try:
            async for text in self.client.socket:
                self.has_heard.set()
                message = json.loads(text)
                if message["type"] == "ack":
                    self.acknowledged.add(message["id"])
                elif message["type"] == "ops":
                    self.seen |= {operation["shape"] for operation in message["ops"]}
                else:
                    assert message["type"] in ("join", "leave"), message
        except websockets.ConnectionClosed:
            pass
        finally:
            self.has_ended = True
            self.has_heard.set()


async def test_nothing_acknowledged_and_nothing_seen_is_lost():
    """D6, W3: Sixty kills while three write and one watches. Each time all of it is there again, in whole messages."""
    unanswered = 0
    total = 0
    random.seed(7)
    with Server("--max-ops-per-second", 100000) as server:
        for cycle in range(CYCLES):
            room = f"crash{cycle}"
            writers = [Writer(await Client.join(server, room)) for _ in range(WRITERS)]
            watcher = Writer(await Client.join(server, room))
            tasks = [asyncio.create_task(writer.write()) for writer in writers]
            tasks += [asyncio.create_task(reader.read()) for reader in [*writers, watcher]]
            answers = random.randint(15, 60)
            await eventually(lambda: sum(len(writer.acknowledged) for writer in writers) >= answers, f"{answers} answers")
            server.kill()
            await asyncio.gather(*tasks)
            server.start()
            answer = await server.get(f"/v1/rooms/{room}")
            there = {shape["id"] for shape in answer.json["shapes"]} if answer.status == 200 else set()
            for writer in [*writers, watcher]:
                assert writer.seen <= there, f"cycle {cycle}: what was seen is lost"
            for writer in writers:
                for number, shapes in enumerate(writer.sent):
                    stored = there.issuperset(shapes)
                    assert stored or number not in writer.acknowledged, f"cycle {cycle}: what was acknowledged is lost"
                    assert stored or there.isdisjoint(shapes), f"cycle {cycle}: half a message is there"
                unanswered += len(writer.sent) > len(writer.acknowledged)
                total += len(writer.acknowledged)
    assert unanswered > CYCLES, "most kills were in mid-write"
    assert total > CYCLES * WRITERS * 5, "much was written"
