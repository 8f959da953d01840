#!/usr/bin/env python3
"""Compares several nodes over PostgreSQL with one over SQLite, and prints Markdown. To be run with
scripts/with-postgres:

    STANDBYS=2 scripts/with-postgres .venv/bin/python Benchmarks/nodes.py [--quick] [--server FILE]

PostgreSQL has two standbys on the same machine, and each commit waits for one of them. PostgreSQL and the nodes share
the machine's cores, so PostgreSQL's processor time is printed too. Without PostgreSQL, nothing is measured.
"""

import argparse
import asyncio
import hashlib
import importlib.util
import itertools
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "EndToEnd"))

import database  # noqa: E402
import postgres  # noqa: E402
import server as programs  # noqa: E402
from client import Client  # noqa: E402
from load import percentile  # noqa: E402
from server import Server, identifier  # noqa: E402
from test_nodes import Balancer  # noqa: E402

# Imported by path, because a module of the tests has the same name.
spec = importlib.util.spec_from_file_location("bench", HERE / "server.py")
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)


def postgres_seconds():
    """The processor time of this benchmark's PostgreSQL servers so far, without processes that have ended."""
    total = 0
    folder = Path(database.ask("SHOW data_directory")[0]).parent
    for file in folder.glob("data*/postmaster.pid"):
        parent = file.read_text(encoding="ascii").split()[0]
        children = subprocess.run(["pgrep", "--parent", parent], capture_output=True, text=True, check=False).stdout.split()
        for pid in [parent, *children]:
            try:
                total += int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0])
            except FileNotFoundError:
                continue
    return total / 1e9


async def quiet(writing, reading, seconds):
    """Measures one writer at one node and one reader at another: how long the writer waits for its answer, and how
    long the operation takes to reach the reader."""
    writer, reader = await Client.join(writing, "quiet"), await Client.join(reading, "quiet")
    shape, acks, seen, sent = identifier(), [], [], {}

    async def read():
        while True:
            message = await reader.receive()
            for operation in message.get("ops", []) if message["type"] == "ops" else []:
                position = operation["set"].get("position")
                if position and (begun := sent.get(position[0])):
                    seen.append((time.monotonic() - begun) * 1e3)

    reading_on = asyncio.create_task(read())
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        number += 1
        sent[number] = begun = time.monotonic()
        await writer.write({"shape": shape, "set": {"kind": "rectangle", "position": [number, 0]}}, id=number)
        acks.append((time.monotonic() - begun) * 1e3)
        await asyncio.sleep(0.05)
    await asyncio.sleep(1)
    reading_on.cancel()
    assert len(seen) == number, f"{number} written, {len(seen)} seen"
    return acks, seen


async def killed(first, second, people=30):
    """Kills the node to which all clients are connected, and measures how long it takes until all are up to date at
    the other node."""
    clients = [await Client.join(first, "killed") for _ in range(people)]
    for client in clients[:5]:
        for _ in range(20):
            await client.write({"shape": identifier(), "set": {"kind": "rectangle"}}, id=identifier())
    first.kill()
    begun = time.monotonic()

    async def back(client):
        again = await Client.join(second, "killed", since=client.cursor, actor=client.actor, key=client.welcome["key"])
        assert again.actor == client.actor
        return time.monotonic() - begun

    return max(await asyncio.gather(*(back(client) for client in clients)))


def store_rooms(load, place, count):
    """Stores some empty rooms with the names that canvas-load uses."""
    with load.serve(place):
        # Starting the server is enough, because that makes the database's tables.
        pass
    database.ask(
        "INSERT INTO canvas.rooms(name, epoch, last, trimmed, operations, created, changed) "
        f"SELECT 'load-' || number, 1, 0, 0, 0, 0, 0 FROM generate_series(0, {count - 1}) AS number", place,
    )
    database.ask("ANALYZE canvas.rooms", place)


def connections(server):
    with urllib.request.urlopen(server.url("/metrics"), timeout=10) as answer:
        (line,) = [line for line in answer.read().decode().splitlines() if line.startswith("canvas_connections ")]
    return int(float(line.split()[1]))


def killed_behind_nginx(load, people=30):
    """Measures a failover behind nginx, with the configuration from deploy/ and our own clients. The node to which
    all of them are connected is killed.
    - Returns: the clients' measurements. At the end, each client compares its digest with the server's."""
    with ExitStack() as stack:
        place = stack.enter_context(database.database())
        servers = [stack.enter_context(Server("--max-connections-per-address", 1_000, data=place)) for _ in range(3)]
        balancer = stack.enter_context(Balancer(servers))
        # Half of the people are in one large room. All others are in smaller rooms.
        running = load.start("return", balancer, clients=people // 2, writers=1)
        while max(counts := [connections(server) for server in servers]) < people:
            time.sleep(0.1)
        time.sleep(2)
        servers[counts.index(people)].kill()
        return load.finish("killed behind nginx", running)


class Share:
    """Limits a process and its children to a share of a core, by a cgroup of version 1 or 2: `with Share(0.15) as
    share: share.hold(pid)`"""

    TIMES = 50_000
    made = itertools.count()

    def __init__(self, cores):
        quota = str(int(self.TIMES * cores))
        name = f"canvas-{os.getpid()}-{next(self.made)}"
        if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
            self.folder, self.settings = f"/sys/fs/cgroup/{name}", {"cpu.max": f"{quota} {self.TIMES}"}
        else:
            self.folder, self.settings = f"/sys/fs/cgroup/cpu/{name}", {"cpu.cfs_period_us": str(self.TIMES), "cpu.cfs_quota_us": quota}

    def __enter__(self):
        os.mkdir(self.folder)
        for name, value in self.settings.items():
            Path(self.folder, name).write_text(value, encoding="ascii")
        return self

    def hold(self, pid):
        Path(self.folder, "cgroup.procs").write_text(str(pid), encoding="ascii")

    def __exit__(self, *_):
        for _ in range(100):
            try:
                return os.rmdir(self.folder)
            except OSError:
                time.sleep(0.05)
        raise OSError(f"{self.folder} is still in use")


@contextmanager
def held_database(share):
    """Runs a PostgreSQL server without standbys, limited to a share of a core. Yields the URL of its database."""
    with postgres.Cluster() as cluster, Share(share) as group:
        for pid in cluster.processes(0):
            group.hold(pid)
        yield f"{cluster.address}/postgres"
        # The database is stopped first, because a cgroup can be removed only when it has no processes.
        cluster.stop(0)


def place_of(room, databases):
    """Assigns a room to a database by rendezvous hashing. When a database is added, a room stays where it is or moves
    to the new one."""
    return max(databases, key=lambda name: hashlib.sha256(f"{name} {room}".encode()).digest())


def over_databases(load, count, seconds, share=0.06):
    """Measures a hundred rooms over several databases, each limited to a share of a core. There are always two nodes,
    and with two databases each node has its own.
    - Returns: how many operations per second they store in total."""
    with ExitStack() as stack:
        places = [stack.enter_context(held_database(share)) for _ in range(count)]
        names = [f"database{number}" for number in range(count)]
        rooms = [place_of(f"room-{number}", names) for number in range(100)]
        servers = [stack.enter_context(load.serve(places[number % count])) for number in range(2)]
        shares = [rooms.count(names[number]) if count == 2 else 50 for number in range(2)]
        running = [
            load.start("traffic", server, room=f"at-{number}", rooms=many, clients=many, writers=many, flood=True, batch=16, window=2, seconds=seconds)
            for number, (server, many) in enumerate(zip(servers, shares))
        ]
        return sum(load.finish("databases", one)["operationsPerSecond"] for one in running)


def crowded(load, count, seconds, share=0.15):
    """Measures 120 rooms with 20 readers each, on several nodes that are each limited to a share of a core. The
    writers send their next operation when the last one is answered.
    - Returns: how many deliveries per second the nodes make in total."""
    with ExitStack() as stack:
        place = stack.enter_context(database.database())
        # The cgroups are entered first, so that the servers end before the cgroups are removed. A cgroup can be removed
        # only when its server has ended.
        groups = [stack.enter_context(Share(share)) for _ in range(count)]
        servers = [stack.enter_context(load.serve(place)) for _ in range(count)]
        for group, server in zip(groups, servers):
            group.hold(server.process.pid)
        rooms = 120 // count
        flags = {"rooms": rooms, "clients": 20 * rooms, "writers": rooms, "flood": True, "batch": 4, "window": 1, "seconds": seconds}
        running = [load.start("traffic", server, room=f"at-{number}", **flags) for number, server in enumerate(servers)]
        return sum(load.finish("held", one)["deliveriesPerSecond"] for one in running)


def measure_quiet(load, options, runs, row):
    acks, seen, plain = [], [], []
    for _ in range(runs):
        with database.nodes(2) as (first, second):
            ack, sight = asyncio.run(quiet(first, second, options.seconds))
        with Server() as alone:
            beside, _ = asyncio.run(quiet(alone, alone, options.seconds))
        acks.append((percentile(ack, 0.5), percentile(ack, 0.99)))
        seen.append(percentile(sight, 0.99))
        plain.append((percentile(beside, 0.5), percentile(beside, 0.99)))

    def middle(pairs):
        return f"p50 {statistics.median(one for one, _ in pairs):.1f} ms, p99 {statistics.median(two for _, two in pairs):.1f}"

    row("one writer, quiet room: ack", "p50 < 4 ms, p99 < 15", middle(acks), middle(plain))
    row("seen by a reader at another node", "p99 < 30 ms", f"p99 {statistics.median(seen):.1f} ms", "–")


def traffic(load, options, place, **flags):
    """- Returns: the measurements, and PostgreSQL's processor time meanwhile."""
    with load.serve(place) as server:
        before = postgres_seconds()
        result = load.run("traffic", "traffic", server, seconds=options.seconds, **flags)
        return result, postgres_seconds() - before


def measure_durable(load, options, runs, row):
    many = {"rooms": 100, "clients": 100, "writers": 100, "flood": True, "batch": 16, "window": 2}
    with database.database() as place:
        ours, spent = traffic(load, options, place, **many)
    beside, _ = traffic(load, options, None, **many)

    def durable(result):
        return f"{result['operationsPerSecond']:,.0f}/s, ack p50 {result['ackP50Milliseconds']:.1f} ms, p99 {result['ackP99Milliseconds']:.1f}"

    row(
        "operations made durable by one node, 100 rooms, 16 operations a message", "≥ 100,000/s",
        f"{durable(ours)}; PostgreSQL {spent / options.seconds * 100:.0f} % of a core", durable(beside),
    )


def measure_room(load, options, runs, row):
    with database.database() as place:
        ours, spent = traffic(load, options, place)
    beside, _ = traffic(load, options, None)
    ratio = ours["cpuMicrosecondsPerDelivery"] / beside["cpuMicrosecondsPerDelivery"]
    row(
        "1 room, 50 clients, 10 writers × 100 operations/s: the node’s CPU a delivery", "≤ 1.3× SQLite",
        f"{bench.cost(ours)}, {ratio:.2f}×, {bench.late(ours)}; PostgreSQL {spent / options.seconds * 100:.0f} % of a core",
        f"{bench.cost(beside)}, {bench.late(beside)}",
    )


def measure_rooms(load, options, runs, row):
    count = 500 if options.quick else 2_000
    flags = {"clients": count, "rooms": count, "waves": 0, "seconds": options.seconds}
    with database.database() as place:
        store_rooms(load, place, count)
        with load.serve(place) as server:
            running = load.start("idle", server, **flags)
            load.await_connections(server, count)
            # The load generator also waits two seconds before it measures.
            time.sleep(2)
            before = postgres_seconds()
            time.sleep(options.seconds)
            spent = postgres_seconds() - before
            ours = load.finish("rooms", running)
    with load.serve() as server:
        beside = load.run("rooms", "idle", server, **flags)
    row(
        f"{count:,} rooms open at one node, one quiet connection in each: CPU", "–",
        f"{bench.percent(ours['cpuShareIdle'])}, PostgreSQL {bench.percent(spent / options.seconds)} of a core",
        bench.percent(beside["cpuShareIdle"]),
    )


def measure_list(load, options, runs, row):
    count = 100_000
    with database.database() as place:
        store_rooms(load, place, count)
        with load.serve(place) as server:
            begun = time.monotonic()
            with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/v1/rooms", timeout=60) as answer:
                size = len(answer.read())
            seconds = time.monotonic() - begun
    row(f"the list of {count:,} rooms, over HTTP", "–", f"{seconds:.2f} s, {size / 1e6:.1f} MB", "–")


def measure_crowds(load, options, runs, row):
    try:
        one, three = (crowded(load, count, options.seconds) for count in (1, 3))
    except OSError as error:
        return print(f"(nodes can't be held to a share of a core here: {error})")
    row(
        "120 rooms × 20 readers, each node held to 15 % of a core: 1 node, 3 nodes", "≥ 2.4×",
        f"{one:,.0f} and {three:,.0f} deliveries/s: {three / one:.2f}×", "–",
    )


def measure_databases(load, options, runs, row):
    try:
        one, two = (statistics.median(over_databases(load, count, options.seconds) for _ in range(min(runs, 3))) for count in (1, 2))
    except OSError as error:
        return print(f"(databases can't be held to a share of a core here: {error})")
    row(
        "100 rooms, two nodes, each database held to 6 % of a core: 1 database, 2 databases", "≥ 1.6×",
        f"{one:,.0f} and {two:,.0f} durable operations/s: {two / one:.2f}×", "–",
    )


def measure_killed(load, options, runs, row):
    with database.nodes(2) as (first, second):
        row("a node killed: 30 connections at another, as fast as they can", "2 s", f"{asyncio.run(killed(first, second)):.2f} s", "–")
    met = killed_behind_nginx(load)
    row(
        "a node killed behind nginx: its 30 clients of ours back and caught up", "2 s",
        f"{met['backSeconds']:.2f} s (median {met['backP50Milliseconds'] / 1e3:.2f}), {met['triesEach']:.1f} tries each; all agree", "–",
    )


ROWS = {
    "quiet": measure_quiet, "durable": measure_durable, "room": measure_room, "rooms": measure_rooms, "list": measure_list,
    "crowds": measure_crowds, "databases": measure_databases, "killed": measure_killed,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", help="some of " + ",".join(ROWS))
    parser.add_argument("--server", default=str(HERE.parent / ".build" / "test" / "release" / "SyncServer"))
    options = parser.parse_args()
    if not database.SERVER:
        return print("(several nodes are not measured: PostgreSQL isn't installed, or this was not run by scripts/with-postgres)")
    programs.BINARY = options.server
    options.seconds, options.raw = 3 if options.quick else 8, None
    wanted = options.only.split(",") if options.only else list(ROWS)
    load = bench.Bench(options)
    runs = 1 if options.quick else 5
    print("| figure | wanted | PostgreSQL | SQLite |\n| --- | --- | --- | --- |", flush=True)

    def row(figure, wanted, ours, beside):
        print(f"| {figure} | {wanted} | {ours} | {beside} |", flush=True)

    try:
        for name, measure in ROWS.items():
            if name in wanted:
                measure(load, options, runs, row)
    finally:
        load.close()


if __name__ == "__main__":
    main()
