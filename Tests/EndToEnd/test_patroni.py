"""Three nodes behind nginx, over three databases that Patroni manages. Each part is taken away once while people draw.

scripts/test runs it in parallel with other tests that mostly wait, because Patroni and etcd work in seconds. It prints
how long each recovery took, for comparison with docs/SCALING.md."""

import asyncio
import json
import os
import signal
import subprocess
import time
import urllib.request
from contextlib import ExitStack, asynccontextmanager

import pytest
import websockets

import patroni_cluster
from client import Client
from patroni_cluster import DATABASES, PatroniCluster
from server import ROOT, Server, identifier
from test_nodes import Balancer, agree, position, rectangle
from waiting import eventually

pytestmark = pytest.mark.skipif(not patroni_cluster.is_here(), reason="PostgreSQL or Patroni isn't here; scripts/setup test fetches both")

# A failover takes 2 to 30 seconds on a quiet machine. A test that waits longer than this has hung.
HANG_SECONDS = 120
ROOMS = [f"room-{number}" for number in range(6)]
SYNC_CLIENT = os.path.join(ROOT, ".build", "test", "release", "sync-client")


class Ledger:
    """Twenty people draw in six rooms with a reader each: what was acknowledged, and what was shown."""

    def __init__(self, cluster, nodes, balancer):
        self.cluster, self.nodes, self.balancer = cluster, nodes, balancer
        self.acknowledged = {}
        self.seen = {}
        self.reads = 0
        self.failed = []
        self.is_over = asyncio.Event()
        self.going = []

    async def begin(self):
        self.going += [asyncio.create_task(self.person(ROOMS[number % len(ROOMS)])) for number in range(20)]
        while len(self.acknowledged) < 20:
            await asyncio.sleep(0.1)
        self.going += [asyncio.create_task(self.reader(room)) for room in ROOMS]

    async def person(self, room):
        """Moves one shape to the right, each time after the answer, and repeats moves without one."""
        client, shape, x = await self.balancer.join(room), identifier(), 0
        while not self.is_over.is_set() or (room, shape) not in self.acknowledged:
            try:
                if (await client.write(rectangle(shape, position=[x, 0]), id=identifier()))["type"] == "ack":
                    self.acknowledged[room, shape] = x
                    x += 1
            except (OSError, websockets.WebSocketException):
                client = await self.balancer.join(room, since=client.cursor, actor=client.actor, key=client.welcome["key"])
            await asyncio.sleep(0.1)

    async def reader(self, room):
        """Reads the room over HTTP. What it was shown must never disappear."""
        url = f"http://127.0.0.1:{self.balancer.port}/v1/rooms/{room}"

        def read():
            # This timeout is longer than the time for which the tests suspend a node.
            with urllib.request.urlopen(url, timeout=15) as answer:
                return json.load(answer)

        while not self.is_over.is_set():
            try:
                for shape in (await asyncio.to_thread(read))["shapes"]:
                    place = room, shape["id"]
                    self.seen[place] = max(self.seen.get(place, 0), shape["position"][0])
                self.reads += 1
            except OSError as error:
                self.failed.append(f"{error!r}")
            await asyncio.sleep(0.2)

    async def all_write_again(self, what, since):
        """Waits until each person has got an acknowledgement for a write made after this call. Prints how long that
        took since `since`. The timeout only ends a hang."""
        before = {place: x + 1 for place, x in self.acknowledged.items()}
        while any(self.acknowledged[place] <= x for place, x in before.items()):
            assert time.monotonic() - since < HANG_SECONDS, f"{what}: not all write\n{self.cluster.words()}"
            await asyncio.sleep(0.05)
        print(f"{what}: all write again after {time.monotonic() - since:.1f} s")

    async def standbys_are_there(self):
        await asyncio.to_thread(self.cluster.await_state, lambda states: states.count("sync_standby") == DATABASES - 1, 60)

    def reading_never_failed(self):
        assert not self.failed and self.reads > 0, f"{len(self.failed)} of {self.reads} reads failed: {self.failed[:5]}"

    async def end(self):
        """Stops everybody, and compares what all nodes have with what was acknowledged and shown."""
        self.is_over.set()
        await asyncio.wait_for(asyncio.gather(*self.going), 60)
        for room in ROOMS:
            looking = [await joined(node, room) for node in self.nodes]
            await agree(*looking)
            for (of, shape), x in self.acknowledged.items():
                if of == room:
                    assert position(looking[0], shape)[0] == x
            for (of, shape), x in self.seen.items():
                if of == room and (of, shape) in self.acknowledged:
                    assert position(looking[0], shape)[0] >= x
                elif of == room:
                    assert shape in looking[0].live, "what was shown is gone"
        assert len(self.acknowledged) == 20 and min(self.acknowledged.values()) > 20, self.acknowledged


async def joined(node, room):
    """Joins a room. The node may notice only by this request that it has lost the old primary. Then the client has to
    try again (W7)."""
    async def look():
        try:
            return await Client.join(node, room)
        except AssertionError as refused:
            if "unavailable" not in str(refused):
                raise
    return await eventually(look, f"the node reads {room}")


@asynccontextmanager
async def people_draw():
    with ExitStack() as stack:
        cluster = stack.enter_context(PatroniCluster())
        # As in deploy/nodes.conf.
        authority = os.path.join(cluster.certificates, "authority.crt")
        url = f"{cluster.address}/postgres?target_session_attrs=read-write&sslmode=verify-full&sslrootcert={authority}"
        nodes = [stack.enter_context(Server(data=url)) for _ in range(3)]
        ledger = Ledger(cluster, nodes, stack.enter_context(Balancer(nodes)))
        await ledger.begin()
        yield ledger


async def test_whatever_goes_people_draw_on_and_nothing_is_lost():
    async with people_draw() as ledger:
        cluster, nodes = ledger.cluster, ledger.nodes
        address = f"ws://127.0.0.1:{ledger.balancer.port}"
        bots = subprocess.Popen(
            [SYNC_CLIENT, "bot", ROOMS[0], "--server", address, "--bots", "10", "--rate", "5", "--shapes", "1",
             "--for", "45s", "--patience", "2m", "--ledger", "--json", "--quiet"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        try:
            begun = time.monotonic()
            nodes[0].kill()
            await ledger.all_write_again("a node killed", begun)
            await asyncio.to_thread(nodes[0].start)

            begun = time.monotonic()
            nodes[1].freeze()
            await asyncio.sleep(4)
            nodes[1].thaw()
            await ledger.all_write_again("a node stopped for 4 s and let go", begun)

            begun, gone = time.monotonic(), cluster.primary
            cluster.all_of(gone, signal.SIGKILL)
            await ledger.all_write_again("the primary’s machine gone", begun)
            cluster.watch(gone)
            await ledger.standbys_are_there()

            begun, stopped = time.monotonic(), cluster.primary
            cluster.all_of(stopped, signal.SIGSTOP)
            await asyncio.sleep(10)
            cluster.all_of(stopped, signal.SIGCONT)
            await ledger.all_write_again("the primary stopped for 10 s and let go", begun)
            await ledger.standbys_are_there()

            ledger.reading_never_failed()

            # Kills all processes at once, as a power cut would.
            begun = time.monotonic()
            for node in nodes:
                node.kill()
            for number in range(DATABASES):
                cluster.all_of(number, signal.SIGKILL)
            for number in range(DATABASES):
                cluster.watch(number)
            await asyncio.to_thread(cluster.await_state, lambda states: "master" in states, 60)
            for node in nodes:
                await asyncio.to_thread(node.start)
            await ledger.all_write_again("everything killed and started", begun)

            told, words = await asyncio.to_thread(bots.communicate, timeout=60)
        finally:
            bots.kill()
        assert bots.returncode == 0, (bots.returncode, words, told)
        *places, summary = [json.loads(line) for line in told.splitlines()]
        assert summary["acknowledged"] == summary["operations"] > 0 and len(places) == 10, summary
        await ledger.end()
        looking = await joined(nodes[0], ROOMS[0])
        for place in places:
            assert position(looking, place["shape"]) == place["position"], place


async def test_a_primary_without_its_standbys_acknowledges_nothing():
    """Even if it is only cut off while the others elect a second one, and nodes reach both."""
    async with people_draw() as ledger:
        cluster, nodes = ledger.cluster, ledger.nodes
        begun, primary = time.monotonic(), cluster.primary
        standbys = [number for number in range(DATABASES) if number != primary]
        for number in standbys:
            cluster.all_of(number, signal.SIGSTOP)
        await asyncio.sleep(6)
        for number in standbys:
            cluster.all_of(number, signal.SIGCONT)
        await ledger.all_write_again("both standbys stopped for 6 s and let go", begun)
        await ledger.standbys_are_there()

        begun, old = time.monotonic(), cluster.primary
        cluster.cut(old)
        # Patroni is suspended, because it would stop PostgreSQL as soon as etcd doesn't answer.
        cluster.signal_watcher(old, signal.SIGSTOP)
        await ledger.all_write_again("the primary cut off while it goes on", begun)
        in_recovery = [cluster.ask(number, "SELECT pg_is_in_recovery()") for number in range(DATABASES)]
        assert in_recovery.count(["f"]) == 2 and in_recovery[old] == ["f"], in_recovery
        # A node can notice the new primary late, but must use it as soon as somebody draws there.
        looking = [await joined(node, ROOMS[0]) for node in nodes]
        shapes = [identifier() for _ in looking]
        for client, shape in zip(looking, shapes):
            while (await client.write(rectangle(shape), id=identifier()))["type"] != "ack":
                await asyncio.sleep(0.1)
        for client in looking:
            await client.sees(*shapes)
        cluster.mend(old)
        cluster.signal_watcher(old, signal.SIGCONT)
        await ledger.standbys_are_there()
        begun = time.monotonic()
        await ledger.all_write_again("the old primary back as a standby", begun)
        ledger.reading_never_failed()
        await ledger.end()
