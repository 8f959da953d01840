#!/usr/bin/env python3
"""Puts load on a release build of the server, and prints its figures as Markdown.

    python3 Benchmarks/server.py [--quick] [--only ROW,ROW…] [--seconds N] [--raw FILE]

Each row of the table has its own server, with a durable SQLite log in a temporary directory. The flags are the
defaults, except for limits that a load generator at a single address would hit.

The first row is also measured with a relay. It uses the same event loop and batches messages in the same way, but has
no canvas and no log. On a shared machine, the ratio to the relay says more than microseconds.
"""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.append(os.path.join(ROOT, "Tests", "EndToEnd"))

from load import built  # noqa: E402
from ports import free_port  # noqa: E402

LIMITS = [
    "--max-ops-per-second", "1000000", "--max-connections-per-address", "20000",
    "--max-http-connections", "20000", "--max-http-connections-per-address", "20000",
]
# Flags for more clients in a room than the default allows.
CROWDED = ["--max-connections-per-room", "20000"]
# How many generator processes share the clients that reconnect after a restart.
RETURNING = 8


class Process:
    """A server or a relay. It runs while a row needs it."""

    def __init__(self, command, port):
        self.port = port
        self.startedAt = time.monotonic()
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def await_port(self):
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return self
            if time.monotonic() - self.startedAt > 20 or self.process.poll() is not None:
                raise RuntimeError("it does not listen")
            time.sleep(0.005)

    def await_rooms(self):
        """Waits until the server has its rooms. With a database, it listens before it has them."""
        self.await_port()
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=10):
                    return self
            except urllib.error.HTTPError:
                if time.monotonic() - self.startedAt > 20:
                    raise
                time.sleep(0.005)

    def metrics(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as answer:
            return dict(re.findall(r"^(\S+) (\S+)$", answer.read().decode(), re.M))


class Bench:
    def __init__(self, options):
        self.options = options
        self.server = options.server or built("SyncServer")
        self.load = built("canvas-load", "--package-path", HERE)
        self.scratch = tempfile.mkdtemp(prefix="canvas-bench-")
        self.rows = []
        self.raw = []
        self.seconds = options.seconds or (3 if options.quick else 8)

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def directory(self):
        return tempfile.mkdtemp(dir=self.scratch)

    def serve(self, directory=None, flags=(), port=None):
        port = port or free_port()
        command = [self.server, "--port", str(port), "--data", directory or self.directory()]
        return Process([*command, "--log-level", "warning", *LIMITS, *flags], port).await_rooms()

    def relay(self):
        port = free_port()
        return Process([self.load, "relay", "--server", f"ws://127.0.0.1:{port}"], port).await_port()

    def start(self, scenario, server, **flags):
        command = [self.load, scenario, "--server", f"ws://127.0.0.1:{server.port}", "--pid", str(server.process.pid)]
        for name, value in flags.items():
            command.append("--" + name.replace("_", "-"))
            if value is not True:
                command.append(str(value))
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def finish(self, name, running, timeout=180):
        try:
            text = running.communicate(timeout=timeout)[0]
        except subprocess.TimeoutExpired:
            running.kill()
            raise RuntimeError(f"{name} did not end")
        if running.returncode != 0 or not text.strip():
            raise RuntimeError(f"{name} failed")
        result = json.loads(text)
        self.raw.append({"row": name, **result})
        return result

    def run(self, name, scenario, server, **flags):
        return self.finish(name, self.start(scenario, server, **flags))

    def traffic(self, name, relay=False, flags=(), **load):
        load.setdefault("seconds", self.seconds)
        with self.relay() if relay else self.serve(flags=flags) as server:
            if relay:
                load["through_relay"] = True
            return self.run(name, "traffic", server, **load)

    def row(self, figure, wanted, measured):
        self.rows.append((figure, wanted, measured))
        print(f"| {figure} | {wanted} | {measured} |", flush=True)

    # The rows

    def steady(self):
        floor = self.traffic("relay", relay=True)
        ours = self.traffic("binary")
        text = self.traffic("json", encoding="json")
        again = self.traffic("relay again", relay=True)
        least = min(floor["cpuMicrosecondsPerDelivery"], again["cpuMicrosecondsPerDelivery"])
        self.row(
            "1 room, 50 clients, 10 writers × 100 operations/s, binary",
            "≤ 1.2 µs CPU a delivery, p99 < 16.7 ms",
            f"{cost(ours)} ({ours['cpuMicrosecondsPerDelivery'] / least:.2f}× a plain relay's {least:.2f}), {late(ours)}",
        )
        ratio = text["cpuMicrosecondsPerDelivery"] / ours["cpuMicrosecondsPerDelivery"]
        self.row("the same, JSON", "≤ 2× binary", f"{cost(text)}, {ratio:.2f}×, {late(text)}")

    def flood(self):
        most = self.traffic("flood", flood=True, batch=16, window=8)
        self.row(
            "as much as it can, 1 room, 50 clients, 10 writers (16 operations a message)",
            "≥ 3,000,000 deliveries/s, p99 < 50 ms",
            f"{most['deliveriesPerSecond']:,.0f}/s, {late(most)}, {cost(most)}, server {percent(most['cpuShare'])}, "
            f"generator {percent(most['ownCpuShare'])} of a core",
        )

    def wide(self):
        one = self.traffic("50 clients, 1 writer", clients=50, writers=1, rate=100)
        many = self.traffic("2,000 clients", clients=2_000, rooms=100, writers=100, rate=10)
        ratio = many["cpuMicrosecondsPerDelivery"] / one["cpuMicrosecondsPerDelivery"]
        self.row(
            "2,000 clients in 100 rooms, 20,000 deliveries/s",
            "≤ 1.3× the 50-client room at the same gathering",
            f"{cost(many)} to {cost(one)}: {ratio:.2f}×, {late(many)}",
        )

    def crowd(self):
        seconds = 10 if self.options.quick else 60
        held = self.traffic("200 and 200", clients=400, writers=200, rate=20, seconds=seconds)
        memory = held["residentMegabytes"]
        self.row(
            f"200 writers and 200 readers in one room, 20 operations/s each, {seconds} s",
            "p99 < 50 ms, nothing lost, memory flat",
            f"{late(held)}, {held['missing']} missing, {held['skipped']} skipped, digests "
            f"{held['digestsAgreed']}/{held['digestsWanted']}, {memory[0]:.0f} → {memory[-1]:.0f} MB, {cost(held)}",
        )

    def join(self):
        with self.serve() as server:
            joined = self.run("join 10,000", "join", server, shapes=10_000, clients=20)
        self.row(
            "joining a room of 10,000 shapes × 8 properties",
            "< 5 ms at the client, < 1 ms of server CPU from the second on",
            f"{joined['allMilliseconds']:.1f} ms, server {joined['cpuMillisecondsLater']:.2f} ms "
            f"(the first {joined['cpuMillisecondsFirst']:.1f}), {joined['stateBytes'] / 1e3:,.0f} KB",
        )

    def crowded_join(self):
        with self.serve() as server:
            filled = self.run("fill 100,000", "join", server, shapes=100_000, clients=5, room="large")
            beside = self.start("traffic", server, clients=50, writers=10, seconds=4)
            time.sleep(3)
            # By now the server has freed its cached encoding of the room's state. So the time of the first join
            # includes encoding the state again.
            joined = self.run("20 join 100,000", "join", server, clients=20, room="large", together=True, filled=True)
            others = self.finish("traffic beside", beside)
        self.row(
            "joining a room of 100,000 shapes",
            "first byte in 50 ms, all in 1 s",
            f"{filled['firstByteMilliseconds']:.1f} ms, {filled['allMilliseconds']:.0f} ms "
            f"(the first {filled['firstJoinMilliseconds']:.0f}), server {filled['cpuMillisecondsLater']:.1f} ms",
        )
        self.row(
            "20 at once join a room of 100,000 shapes",
            "other rooms' p99 ≤ 50 ms",
            f"{late(others)} elsewhere; first byte {joined['firstByteMaxMilliseconds']:.0f} ms, "
            f"all {joined['allMaxMilliseconds']:.0f} ms at the last of them",
        )

    def idle(self):
        count = 2_000 if self.options.quick else 10_000
        with self.serve() as server:
            # Longer than 20 s, after which each idle client pings the server.
            seconds = 5 if self.options.quick else 25
            rested = self.run("idle", "idle", server, clients=count, rooms=count // 10, waves=10, wave=2_000, seconds=seconds)
        waves = rested["residentAfterWavesMegabytes"]
        self.row(
            f"{count:,} idle connections over {count // 10:,} rooms",
            "< 8 KB each, after ten waves of 2,000 within 1.5×, CPU < 3 % of a core",
            f"{rested['bytesEach'] / 1024:.1f} KB each, {rested['residentBeforeMegabytes']:.0f} MB before, "
            f"{waves[0]:.0f} after they left, {waves[-1]:.0f} after the waves, CPU {percent(rested['cpuShareIdle'])}, "
            f"{rested['cpuMicrosecondsEachJoin']:.0f} µs a join",
        )

    def together(self):
        for count in [500, 1_000] + ([] if self.options.quick else [2_000]):
            with self.serve(flags=CROWDED) as server:
                met = self.run("together", "crowd", server, clients=count, rate=10)
            self.row(
                f"{count:,} clients join one room at once, where somebody writes",
                "2,000: all live in 1.5 s, 200 µs of server CPU each, p99 of the writer's ack < 100 ms",
                f"{met['liveSeconds']:.1f} s, {met['cpuMicrosecondsEach']:,.0f} µs each, ack p99 "
                f"{met['ackP99Milliseconds']:.0f} ms, {met['bytesEach'] / 1e3:.1f} KB in {met['messagesEach']:.0f} messages each",
            )

    def restart(self):
        count = 500 if self.options.quick else 2_000
        directory = self.directory()
        with self.serve(directory, CROWDED) as server:
            # Several generators share the clients. A single one would be slow, because libwebsockets searches a list of
            # all connections that are being opened.
            parts = [
                self.start("return", server, clients=count // RETURNING, rooms=100, writers=1 if part == 0 else 0) for part in range(RETURNING)
            ]
            self.await_connections(server, 2 * count)
            # Waits until each client has the state and knows who else is in the room.
            time.sleep(3)
            server.process.kill()
            server.process.wait()
            with self.serve(directory, CROWDED, server.port):
                met = [self.finish("restart", part) for part in parts]
        most = {key: max(part[key] for part in met) for key in met[0]}
        self.row(
            f"the server is killed and started: {count:,} in one room and {count:,} in 100 others",
            "all live again, all agree, in 4 s",
            f"{most['backP50Milliseconds'] / 1e3:.1f} s (median), {most['backSeconds']:.1f} s (all), {most['triesEach']:.1f} tries each; "
            f"all agree after {most['agreedSeconds']:.1f} s",
        )

    def watchers(self):
        with self.serve(flags=CROWDED) as server:
            # Many clients watch one large room. Its writers begin only after all watchers have joined.
            count = 1_000 if self.options.quick else 5_000
            large = self.start("traffic", server, clients=count, rate=30, seconds=12)
            self.await_connections(server, count)
            time.sleep(2)
            beside = self.run("beside watchers", "traffic", server, room="beside", clients=10, writers=2, rate=30, seconds=6)
            met = self.finish("watchers", large)
        self.row(
            f"{met['clients']:,} watch one room, 10 writers × 30 operations/s, a room of ten beside it",
            "p99 < 150 ms, server < 60 % of a core, beside it p99 < 30 ms",
            f"{late(met)}, {percent(met['cpuShare'])}, {late(beside)} beside it, {met['framesPerSecondEach']:.0f} frames/s each",
        )

    def await_connections(self, server, count):
        while float(server.metrics().get("canvas_connections", 0)) < count:
            time.sleep(0.1)

    def cursors(self):
        for encoding in ["json", "binary"]:
            with self.serve(flags=CROWDED) as server:
                met = self.run("cursors", "cursors", server, clients=200, rate=30, encoding=encoding, seconds=self.seconds)
            self.row(
                f"200 people move cursors 30 times a second in one room, {encoding}",
                "each seen ≥ 5 times a second, < 64 KB/s to a receiver, server < 60 % of a core",
                f"{met['seenPerSecondLeast']:.1f}/s at least, {met['kilobytesPerSecondMost']:.0f} KB/s, "
                f"{percent(met['cpuShare'])}, {met['ageP50Milliseconds']:.0f} ms old, p99 {met['ageP99Milliseconds']:.0f}",
            )

    def durable(self):
        many = self.traffic("durable", rooms=100, clients=100, writers=100, flood=True, batch=16, window=2)
        self.row(
            "operations made durable, 100 rooms at once (16 operations a message)",
            "≥ 50,000/s, p99 of the ack < 50 ms",
            f"{many['operationsPerSecond']:,.0f}/s, ack p50 {many['ackP50Milliseconds']:.1f} ms, p99 "
            f"{many['ackP99Milliseconds']:.1f} ms, {many['cpuMicrosecondsPerOperation']:.1f} µs CPU an operation",
        )

    def cold(self):
        directory = self.directory()
        with self.serve(directory) as server:
            self.run("1,000 rooms", "traffic", server, rooms=1_000, clients=1_000, writers=1_000, rate=1, seconds=2)
        times = []
        for _ in range(5):
            with self.serve(directory) as server:
                url = f"http://127.0.0.1:{server.port}/readyz"
                with urllib.request.urlopen(url, timeout=10) as answer:
                    assert answer.status == 200
                times.append((time.monotonic() - server.startedAt) * 1e3)
        self.row("cold start with 1,000 rooms on disk", "ready in 200 ms", f"{sorted(times)[2]:.0f} ms")

    def growth(self):
        shown = []
        for clients in [10, 50, 200, 1_000]:
            shown.append((f"{clients:,} clients, 10 writers × 100/s", dict(clients=clients)))
        for writers in [1, 10, 50, 200]:
            shown.append((f"200 clients, {writers} writers × 20/s", dict(clients=200, writers=writers, rate=20)))
        print("\n| growth | deliveries/s | CPU a delivery, µs | CPU a frame, µs | in a frame | p50, ms | p99, ms |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for name, load in shown:
            figures = self.traffic(name, **load)
            print(
                f"| {name} | {figures['deliveriesPerSecond']:,.0f} | {figures['cpuMicrosecondsPerDelivery']:.2f} "
                f"| {figures['cpuMicrosecondsPerFrame']:.1f} | {figures['operationsPerFrame']:.1f} "
                f"| {figures['deliveryP50Milliseconds']:.1f} | {figures['deliveryP99Milliseconds']:.1f} |",
                flush=True,
            )
        print("\n| joining a room of | at the client, ms | first byte, ms | server CPU, ms | KB |")
        print("| --- | ---: | ---: | ---: | ---: |")
        for shapes in [1_000, 10_000] + ([] if self.options.quick else [100_000]):
            with self.serve() as server:
                joined = self.run(f"join {shapes}", "join", server, shapes=shapes, clients=10)
            print(
                f"| {shapes:,} shapes | {joined['allMilliseconds']:.1f} | {joined['firstByteMilliseconds']:.1f} "
                f"| {joined['cpuMillisecondsLater']:.2f} | {joined['stateBytes'] / 1e3:,.0f} |",
                flush=True,
            )


def cost(result):
    return f"{result['cpuMicrosecondsPerDelivery']:.3g} µs"


def late(result):
    return f"p99 {result['deliveryP99Milliseconds']:.1f} ms"


def percent(share):
    return f"{share * 100:.1f} %"


ROWS = ["steady", "flood", "wide", "crowd", "join", "crowded_join", "idle", "together", "restart", "watchers", "cursors", "durable", "cold", "growth"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes")
    parser.add_argument("--only", help="some of " + ",".join(ROWS))
    parser.add_argument("--seconds", type=int, help="how long each traffic is measured")
    parser.add_argument("--server", help="a server that is built already")
    parser.add_argument("--raw", help="where to write all that was measured, one JSON object a line")
    options = parser.parse_args()
    wanted = options.only.split(",") if options.only else ROWS
    bench = Bench(options)
    failures = 0
    try:
        print("| figure | wanted | measured |\n| --- | --- | --- |", flush=True)
        for name in ROWS:
            if name not in wanted:
                continue
            try:
                getattr(bench, name)()
            except (RuntimeError, OSError) as problem:
                failures += 1
                bench.row(name, "", f"failed: {problem}")
    finally:
        bench.close()
        if options.raw:
            with open(options.raw, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(line) + "\n" for line in bench.raw)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
