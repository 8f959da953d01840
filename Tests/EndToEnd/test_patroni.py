"""Three nodes behind nginx over three databases that Patroni watches over: everything that may go is taken away once, while people draw.

It has the machine to itself in `make test` (scripts/test), since Patroni and etcd go by seconds."""

import asyncio
import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import ExitStack

import pytest
import websockets

import patroni_cluster
from client import Client
from patroni_cluster import DATABASES, PatroniCluster
from server import ROOT, Server, identifier
from test_nodes import Balancer, agree, position, rectangle

pytestmark = pytest.mark.skipif(not patroni_cluster.is_here(), reason="PostgreSQL or Patroni isn't here; scripts/setup test fetches both")

ROOMS = [f"room-{number}" for number in range(6)]
SYNC_CLIENT = os.path.join(ROOT, ".build", "test", "release", "sync-client")


class Ledger:
    """What was acknowledged to whom, and what anybody was shown."""

    def __init__(self):
        self.acknowledged = {}
        self.seen = {}
        self.reads = 0
        self.failed = 0
        self.is_over = asyncio.Event()

    async def person(self, balancer, room):
        """Moves one shape to the right, as fast as that is answered. What was not answered is written again."""
        client, shape, x = await balancer.join(room), identifier(), 0
        while not self.is_over.is_set() or (room, shape) not in self.acknowledged:
            try:
                if (await client.write(rectangle(shape, position=[x, 0]), id=identifier()))["type"] == "ack":
                    self.acknowledged[room, shape] = x
                    x += 1
            except (OSError, websockets.WebSocketException):
                client = await balancer.join(room, since=client.cursor, actor=client.actor, key=client.welcome["key"])
            await asyncio.sleep(0.1)

    async def reader(self, balancer, room):
        """Reads the room over HTTP. What it has been shown must be there for ever."""
        url = f"http://127.0.0.1:{balancer.port}/v1/rooms/{room}"

        def read():
            with urllib.request.urlopen(url, timeout=5) as answer:
                return json.load(answer)

        while not self.is_over.is_set():
            try:
                for shape in (await asyncio.to_thread(read))["shapes"]:
                    place = room, shape["id"]
                    self.seen[place] = max(self.seen.get(place, 0), shape["position"][0])
                self.reads += 1
            except (OSError, urllib.error.URLError):
                self.failed += 1
            await asyncio.sleep(0.2)

    async def all_write(self, what, since):
        """Waits until everyone has had something acknowledged that was written after now."""
        before = {place: x + 1 for place, x in self.acknowledged.items()}
        while any(self.acknowledged[place] <= x for place, x in before.items()):
            assert time.monotonic() - since < 60, what
            await asyncio.sleep(0.05)
        print(f"{what}: all write again after {time.monotonic() - since:.1f} s")
        return time.monotonic() - since


async def test_whatever_goes_people_draw_on_and_nothing_is_lost():
    with ExitStack() as stack:
        cluster = stack.enter_context(PatroniCluster())
        # As in deploy/nodes.conf.
        authority = os.path.join(cluster.certificates, "authority.crt")
        url = f"{cluster.address}/postgres?target_session_attrs=read-write&sslmode=verify-full&sslrootcert={authority}"
        nodes = [stack.enter_context(Server(data=url)) for _ in range(3)]
        balancer = stack.enter_context(Balancer(nodes))
        ledger = Ledger()
        going = [asyncio.create_task(ledger.person(balancer, ROOMS[number % 6])) for number in range(20)]
        going += [asyncio.create_task(ledger.reader(balancer, room)) for room in ROOMS]
        address = f"ws://127.0.0.1:{balancer.port}"
        bots = subprocess.Popen(
            [SYNC_CLIENT, "bot", ROOMS[0], "--server", address, "--bots", "10", "--rate", "5", "--shapes", "1",
             "--for", "45s", "--patience", "2m", "--ledger", "--json", "--quiet"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        stack.callback(bots.kill)
        while len(ledger.acknowledged) < 20:
            await asyncio.sleep(0.1)

        async def takes(what, seconds):
            took = await ledger.all_write(what, begun)
            assert took < seconds, f"{what} took {took:.1f} s\n{cluster.words()}"

        begun = time.monotonic()
        nodes[0].kill()
        await takes("a node killed", 15)
        nodes[0].asked = nodes[0].port
        await asyncio.to_thread(nodes[0].start)

        begun = time.monotonic()
        nodes[1].process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(5)
        nodes[1].process.send_signal(signal.SIGCONT)
        await takes("a node stopped for 5 s", 30)

        # From here on every node is there, and reading must never fail.
        await asyncio.sleep(6)
        failed = ledger.failed
        begun, gone = time.monotonic(), cluster.primary
        cluster.all_of(gone, signal.SIGKILL)
        await takes("the primary’s machine gone", 30)
        cluster.watch(gone)
        await asyncio.to_thread(cluster.await_state, lambda states: states.count("sync_standby") == DATABASES - 1, 60)

        begun, stopped = time.monotonic(), cluster.primary
        cluster.all_of(stopped, signal.SIGSTOP)
        await asyncio.sleep(10)
        cluster.all_of(stopped, signal.SIGCONT)
        await takes("the primary stopped for 10 s and let go", 40)
        await asyncio.to_thread(cluster.await_state, lambda states: states.count("sync_standby") == DATABASES - 1, 60)

        begun, primary = time.monotonic(), cluster.primary
        standbys = [number for number in range(DATABASES) if number != primary]
        for number in standbys:
            cluster.all_of(number, signal.SIGSTOP)
        await asyncio.sleep(6)
        for number in standbys:
            cluster.all_of(number, signal.SIGCONT)
        await takes("the primary cut off from its standbys for 6 s", 40)
        await asyncio.to_thread(cluster.await_state, lambda states: states.count("sync_standby") == DATABASES - 1, 60)
        assert ledger.failed == failed, f"{ledger.failed - failed} of {ledger.reads} reads failed while a database was gone"

        # Everything at once, as after a loss of power.
        begun = time.monotonic()
        for node in nodes:
            node.kill()
        for number in range(DATABASES):
            cluster.all_of(number, signal.SIGKILL)
        for number in range(DATABASES):
            cluster.watch(number)
        await asyncio.to_thread(cluster.await_state, lambda states: "master" in states, 60)
        for node in nodes:
            node.asked = node.port
            await asyncio.to_thread(node.start)
        await takes("everything killed and started", 60)

        ledger.is_over.set()
        await asyncio.wait_for(asyncio.gather(*going), 60)
        told, words = await asyncio.to_thread(bots.communicate, timeout=60)
        assert bots.returncode == 0, (bots.returncode, words, told)
        *places, summary = [json.loads(line) for line in told.splitlines()]
        assert summary["acknowledged"] == summary["operations"] > 0 and len(places) == 10, summary
        for room in ROOMS:
            looking = [await Client.join(node, room) for node in nodes]
            await agree(*looking)
            for (of, shape), x in ledger.acknowledged.items():
                if of == room:
                    assert position(looking[0], shape)[0] == x
            for (of, shape), x in ledger.seen.items():
                if of == room and (of, shape) in ledger.acknowledged:
                    assert position(looking[0], shape)[0] >= x
                elif of == room:
                    assert shape in looking[0].live, "what was shown is gone"
            if room == ROOMS[0]:
                for place in places:
                    assert position(looking[0], place["shape"]) == place["position"], place
        assert len(ledger.acknowledged) == 20 and min(ledger.acknowledged.values()) > 50, ledger.acknowledged
