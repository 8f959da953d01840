#!/usr/bin/env python3
"""Attacks a release build of the server, and prints what an innocent client notices of each attack, as Markdown.

    .venv/bin/python Benchmarks/attacks.py [--quick] [--only ROW,ROW…] [--seconds N] [--server PROGRAM]

Each row of the table has its own server, with default flags. (`large` rows raise the rate limits to fill a room.) The
innocent client is a separate process with its own address and its own small room. It pings a hundred times a second:
for a while without the attack, then during it.

The goals for its pings: a 99th percentile below 25 ms, and a maximum below 100 ms.

The longest turn is the longest iteration of the server's event loop during the attack, as an upper bound from
`canvas_loop_turn_seconds`.
"""

import argparse
import asyncio
import concurrent.futures
import contextlib
import http.client
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
import threading
import time

import websockets
import websockets.sync.client

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# Tests/Attacks/attacks.py has the same name as this file, so it is loaded by its path, under the name `performed`.
sys.path.insert(0, os.path.join(ROOT, "Tests", "EndToEnd"))
specification = importlib.util.spec_from_file_location("performed", os.path.join(ROOT, "Tests", "Attacks", "attacks.py"))
performed = importlib.util.module_from_spec(specification)
specification.loader.exec_module(performed)

import server as programs  # noqa: E402
from load import built, percentile, spelled  # noqa: E402

INNOCENT, ATTACKER = "127.0.0.1", "127.0.0.2"
RATES = ["--max-ops-per-second", "1000000"]


# The innocent client

def innocent(port, seconds):
    """Pings until it is stopped, and prints the round-trip times in milliseconds."""
    times = []
    with websockets.sync.client.connect(
        f"ws://127.0.0.1:{port}/v1/rooms/innocent/sync", source_address=(INNOCENT, 0), compression=None
    ) as own:
        own.send('{"type":"hello"}')
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            began = time.perf_counter()
            own.send('{"type":"ping","id":1}')
            while '"pong"' not in own.recv():
                pass
            times.append((time.perf_counter() - began) * 1e3)
            time.sleep(max(0, 0.01 - (time.perf_counter() - began)))
    print(json.dumps(times))


def watch(port, seconds):
    command = [sys.executable, os.path.abspath(__file__), "--innocent", str(port), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def figures(watcher):
    times = json.loads(watcher.communicate()[0])
    return tuple(percentile(times, part) for part in (0.5, 0.99, 1))


# The server that is attacked, and parts of attacks.

class Server(programs.Server):
    def request(self, method, path, body=None, source=ATTACKER, timeout=300):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout, source_address=(source, 0))
        with contextlib.closing(link):
            data = None if body is None else json.dumps(body)
            link.request(method, path, data, {"Content-Type": "application/json"} if data else {})
            answer = link.getresponse()
            return answer.status, answer.read()

    def draw(self, room, shapes):
        status, body = self.request("POST", f"/v1/rooms/{room}/layout", {"shapes": shapes})
        if status != 200:
            raise RuntimeError(f"{status}: {body[:200]}")
        return json.loads(body)["shapes"]

    def turns(self):
        """How many iterations of the event loop took at most this many milliseconds, from the server's metrics."""
        text = self.request("GET", "/metrics", source=INNOCENT)[1].decode()
        found = re.findall(r'^canvas_loop_turn_seconds_bucket{le="(\S+)"} (\d+)$', text, re.M)
        return {float(bound) * 1e3: int(count) for bound, count in found}

    async def join(self, room, **hello):
        link = await websockets.connect(
            f"ws://127.0.0.1:{self.port}/v1/rooms/{room}/sync", local_addr=(ATTACKER, 0), max_size=None, compression=None
        )
        await link.send(json.dumps({"type": "hello", **hello}))
        return link


def at_once(count, act):
    """Calls a function in several threads, each with its number."""
    with concurrent.futures.ThreadPoolExecutor(count) as threads:
        threads.map(act, range(count))


def repeat(until, count, act):
    """Calls a function again and again in several threads."""
    def run(number):
        while time.monotonic() < until:
            try:
                act(number)
            except OSError:
                time.sleep(0.05)
    at_once(count, run)


def bars(count, degrees=45, length=60_000):
    """Thin bars side by side. All their bounding boxes overlap, but the bars don't."""
    turn = math.radians(degrees)
    shapes = []
    for number in range(count):
        across = 2 * (number - count / 2)
        x, y = -math.sin(turn) * across, math.cos(turn) * across
        shapes.append({
            "kind": "rectangle", "position": [round(x - length / 2, 2), round(y - 0.5, 2)], "size": [length, 1], "rotation": degrees})
    return shapes


def pile(count, size=100):
    return [{"kind": "rectangle", "position": [0, 0], "size": [size, size]} for _ in range(count)]


def scattered(count):
    side = math.sqrt(count) * 110
    kinds = ["rectangle", "roundedRectangle", "ellipse", "polygon", "star"]
    return [
        {"kind": kinds[number % 5], "position": [number * 7919 % int(side), number * 104729 % int(side)],
         "size": [40 + number * 31 % 120, 40 + number * 17 % 120], "rotation": number % 4 * 30, "fill": "#123456", "alpha": 7}
        for number in range(count)
    ]


@contextlib.asynccontextmanager
async def drained(link):
    """Within `async with`, everything that is sent to the link is read. Yields the task that does so."""
    async def drain():
        with contextlib.suppress(websockets.ConnectionClosed):
            async for _ in link:
                pass

    reading = asyncio.create_task(drain())
    try:
        yield reading
    finally:
        reading.cancel()


async def move(link, shapes, until, a_second=500):
    step = 0
    while time.monotonic() < until:
        step += 1
        ops = [
            {"shape": shapes[(step * 10 + at) % len(shapes)], "set": {"position": [(step * 13 + at) % 60, (step * 7) % 60]}}
            for at in range(10)
        ]
        await link.send(json.dumps({"type": "ops", "ops": ops}))
        await asyncio.sleep(10 / a_second)


# The rows of the table. Each `prepare` returns the arguments of its `attack`.

def overlaps_of_bars(count):
    def prepare(server):
        return server.draw("bars", bars(count))

    def attack(server, shapes, until):
        async def join():
            asker = await server.join("bars", overlaps=True)
            async with drained(asker):
                await move(asker, shapes, until)
        side = threading.Thread(target=lambda: asyncio.run(join()), daemon=True)
        side.start()
        repeat(until, 2, lambda _: server.request("GET", "/v1/rooms/bars/overlaps"))
        side.join()
    return prepare, attack, ()


def overlaps_of_a_pile(count):
    def prepare(server):
        return server.draw("pile", pile(count))

    def attack(server, shapes, until):
        async def run():
            links = []
            for _ in range(20):
                link = await server.join("pile", overlaps=True)
                link.transport.pause_reading()
                links.append(link)
            editor = await server.join("pile")
            async with drained(editor):
                await move(editor, shapes, until)
        asyncio.run(run())
    return prepare, attack, ()


def reading(path, clients, shapes=20_000, edits=2_000, flags=()):
    """Clients that repeat an expensive request, and often don't wait for the answer."""
    def prepare(server):
        names = server.draw("heavy", scattered(shapes))
        time.sleep(1)
        for start in range(0, edits, 1_000):
            ops = [{"shape": names[at % len(names)], "set": {"rotation": at % 360}} for at in range(start, start + 1_000)]
            server.request("POST", "/v1/rooms/heavy/ops", {"ops": ops})
            time.sleep(0.6)
        return json.loads(server.request("GET", "/v1/rooms/heavy/history")[1])["to"]

    def attack(server, at, until):
        def act(number):
            timeout = 0.5 if number % 4 == 3 else 60
            with contextlib.suppress(TimeoutError):
                server.request("GET", path.replace("NOW", str(at)), timeout=timeout)
        repeat(until, clients, act)
    return prepare, attack, flags


def joins_with_since(shapes=60_000):
    """Joins seventeen times a second, each time with another cursor, while another client joins over a slow line.
    Prints when that client has the state."""
    arrived = []

    def prepare(server):
        return server.draw("states", scattered(shapes))

    def attack(server, names, until):
        async def slow():
            began = time.monotonic()
            link = await server.join("states")
            received = 0
            while True:
                message = json.loads(await link.recv())
                received += 1
                if message["type"] == "ops" and not message.get("more"):
                    break
                await asyncio.sleep(0.1)
            arrived.append(time.monotonic() - began)

        async def run():
            editor = await server.join("states")
            cursors = []

            async def follow():
                async for message in editor:
                    message = json.loads(message)
                    if message["type"] in ("ops", "ack") and not message.get("more"):
                        cursors.append(message["cursor"])
            followed = asyncio.create_task(follow())
            moved = asyncio.create_task(move(editor, names, until, 300))
            slowly = asyncio.create_task(slow())
            links = []
            while time.monotonic() < until:
                if cursors:
                    link = await server.join("states", since=cursors[-1 - len(links) % min(len(cursors), 40)])
                    link.transport.pause_reading()
                    links.append(link)
                await asyncio.sleep(1 / 17)
            await moved
            followed.cancel()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(slowly, 60)
        asyncio.run(run())
        return f"the slow one arrived after {arrived[0]:.0f} s" if arrived else "the slow one never arrived"
    return prepare, attack, ()


def once(act, shapes=100_000, flags=()):
    """Sends one large input once."""
    def prepare(server):
        names = server.draw("large", scattered(shapes)) if shapes else []
        time.sleep(2)
        return names

    def attack(server, names, until):
        act(server, names)
        time.sleep(max(0, until - time.monotonic()))
    return prepare, attack, (*RATES, *flags)


def get(path):
    return once(lambda server, _: server.request("GET", path))


def joins_at_once(server, _):
    async def one():
        link = await server.join("large", overlaps=True)
        while True:
            message = json.loads(await link.recv())
            if message["type"] == "ops" and not message.get("more"):
                return
    async def run():
        await asyncio.gather(*[one() for _ in range(20)])
    asyncio.run(run())


def many_rooms(server, _, count=100_000):
    def fill(number):
        link = http.client.HTTPConnection("127.0.0.1", server.port, source_address=(ATTACKER, 0))
        body = json.dumps({"ops": [{"shape": "aaa-aaa-aaa", "set": {"kind": "ellipse"}}]})
        for room in range(number, count, 8):
            link.request("POST", f"/v1/rooms/r{room}/ops", body, {"Content-Type": "application/json"})
            link.getresponse().read()
    at_once(8, fill)


def list_of_rooms():
    def prepare(server):
        many_rooms(server, None)

    def attack(server, _, until):
        repeat(until, 4, lambda _: server.request("GET", "/v1/rooms"))
    return prepare, attack, (*RATES, "--room-idle-ms", "1000", "--day-rooms-per-address", "1000000")


def forgotten(count=1_000_000):
    """Deletes shapes that never existed. Then an operator makes the room forget all these deletions at once."""
    def prepare(server):
        async def run():
            link = await server.join("large")
            async with drained(link):
                for start in range(0, count, 1_000):
                    ops = [{"shape": spelled(number), "set": {"deleted": True}} for number in range(start, start + 1_000)]
                    await link.send(json.dumps({"type": "ops", "ops": ops}))
                await link.send('{"type":"ping"}')
                await asyncio.sleep(1)
        asyncio.run(run())

    def attack(server, _, until):
        status, _ = server.request("DELETE", "/v1/rooms/large/erasures")
        if status != 204:
            raise RuntimeError(f"{status} for forgetting")
        time.sleep(max(0, until - time.monotonic()))
    # One client's share of the erasures is limited only once more than half of the maximum is used. `count` stays below
    # half.
    return prepare, attack, (*RATES, "--max-erasures", str(4 * count))


def tested(name, flags=()):
    """Runs an attack from `Tests/Attacks`."""
    def attack(server, _, until):
        asyncio.run(performed.ALL[name](server, until))
    return lambda server: None, attack, flags


def hellos_as_another():
    """Connects again and again as the actor of another connected client."""
    def prepare(server):
        return None

    def attack(server, _, until):
        async def run():
            editor = await server.join("others")
            actor = json.loads(await editor.recv())["actor"]
            async with drained(editor) as reading:
                while time.monotonic() < until:
                    with contextlib.suppress(websockets.ConnectionClosed):
                        intruder = await server.join("others", actor=actor, readonly=True)
                        await intruder.recv()
                        await intruder.close()
                return "the editor was closed" if reading.done() else "the editor stayed"
        return asyncio.run(run())
    return prepare, attack, ()


ROWS = {
    "bars": ("1: overlaps of 10,000 bars at 45°, asked and moved", overlaps_of_bars(10_000)),
    "more-bars": ("1: overlaps of 20,000 bars", overlaps_of_bars(20_000)),
    "slanted-bars": ("1: overlaps of 10,000 bars at 33°", (lambda server: server.draw("bars", bars(10_000, 33)), overlaps_of_bars(1)[1], ())),
    "pile": ("2: 1,000 equal rectangles, 20 who don't read, an editor", overlaps_of_a_pile(1_000)),
    "told-pile": ("2: 200 equal rectangles (19,900 pairs), the same", overlaps_of_a_pile(200)),
    "past-overlaps": ("3: 8 clients ask for `overlaps?at=`", reading("/v1/rooms/heavy/overlaps?at=NOW", 8)),
    "joins": ("4: 17 joins a second from changing places, 60,000 shapes", joins_with_since()),
    "other-sites": ("5: pages of other sites delete the room", tested("pages_of_other_sites")),
    "hellos": ("6: a viewer says hello with an editor's actor", hellos_as_another()),
    "deletions": ("7: deletes of shapes that never were", tested("deletions_of_nothing")),
    "unfinished": ("8: messages that never end", tested("messages_that_never_end")),
    "past": ("10: 8 clients ask for `?at=`", reading("/v1/rooms/heavy?at=NOW", 8)),
    "writes": ("12: writes without end", tested("writes_without_end")),
    "rooms": ("12: new rooms without end", tested("rooms_without_end")),
    "half-sent": ("13: requests half sent", tested("half_sent_requests")),
    "stopped-uploads": ("14: uploads that stop", tested("uploads_that_stop")),
    "pings": ("15–20: pings without end", tested("websocket_pings")),
    "hidden-names": ("15–20: names that hide characters", tested("names_that_hide")),
    "nonsense": ("15–20: heads and chunks that mean nothing", tested("bytes_that_mean_nothing")),
    "frames": ("broken frames", tested("broken_frames")),
    "picture": ("8 clients ask for `picture.svg`", reading("/v1/rooms/heavy/picture.svg", 8)),
    "large-overlaps": ("large: first overlaps of 100,000 shapes", get("/v1/rooms/large/overlaps")),
    "large-box": ("large: `box`", get("/v1/rooms/large/overlaps?box=0,0,100000,100000")),
    "large-free": ("large: `free`", get("/v1/rooms/large/free?size=5000,5000&near=5000,5000")),
    "large-past": ("large: `?at=`", once(lambda server, _: server.request("GET", f"/v1/rooms/large?at={int(time.time() * 1e3)}"))),
    "large-layout": ("large: a layout of 100,000 shapes", once(lambda server, _: server.draw("second", scattered(100_000)), 0)),
    "large-joins": ("large: 20 join at once, with overlaps", once(joins_at_once)),
    "large-deletion": ("large: deletion", once(lambda server, _: server.request("DELETE", "/v1/rooms/large"))),
    "large-closing": ("large: a snapshot, and closing the room", once(lambda server, _: None, flags=["--room-idle-ms", "2500"])),
    "large-list": ("large: 4 clients list 100,000 rooms", list_of_rooms()),
    "large-forgetting": ("large: forgetting 1,000,000 erasures", forgotten()),
}
SLOW = {"large-list", "large-forgetting"}


def measure(name, options):
    words, (prepare, attack, flags) = ROWS[name]
    with Server(*flags) as server:
        without = figures(watch(server.port, options.seconds / 2))
        prepared = prepare(server)
        # Iterations of the event loop during the preparation don't count, so they are subtracted.
        before_turns = server.turns()
        seconds = options.seconds
        watcher = watch(server.port, seconds + 1)
        time.sleep(0.7)
        note = attack(server, prepared, time.monotonic() + seconds - 0.5)
        beside = figures(watcher)
        isMet = beside[1] < 25 and beside[2] < 100
        told = " / ".join(f"{time:.1f}" for time in beside)
        before = " / ".join(f"{time:.1f}" for time in without)
        grown = {bound: count - before_turns.get(bound, 0) for bound, count in server.turns().items()}
        longest = min((bound for bound, count in grown.items() if count == grown[math.inf]), default=math.inf)
        shown = "> 10,000" if longest == math.inf else f"{longest:.0f}"
        print(f"| {words} | {told} | {before} | {shown} | {'met' if isMet else 'not met'}{f'; {note}' if note else ''} |", flush=True)
        return isMet


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--innocent":
        innocent(int(sys.argv[2]), float(sys.argv[3]))
        return
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="leaves out what takes minutes to prepare")
    options.add_argument("--only", default="")
    options.add_argument("--seconds", type=float, default=8)
    options.add_argument("--server")
    options = options.parse_args()
    programs.BINARY = options.server or built("SyncServer")
    names = [name for name in options.only.split(",") if name] or [
        name for name in ROWS if not (options.quick and name in SLOW)]
    print(f"load of the machine: {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors\n")
    print("| attack | beside it: p50 / p99 / worst, ms | without: p50 / p99 / worst, ms | longest turn, ms | p99 < 25, worst < 100 |")
    print("| --- | ---: | ---: | ---: | --- |", flush=True)
    for name in names:
        measure(name, options)


if __name__ == "__main__":
    main()
