#!/usr/bin/env python3
"""Measures a visit to a room of 10,000 shapes over slow lines, which Debian's Chromium emulates.

    .venv/bin/python Benchmarks/visit.py [--runs N] [--web FOLDER] [PATH_OF_SYNCSERVER]

Prints a table of docs/PERFORMANCE.md. In a first visit, the browser has nothing from the server. In a second visit,
it has the page's files in its cache and has stored the drawing.

The page's service worker is off, because the emulation would not slow it down. Times are measured in the page, from
the start of the navigation.
"""

import argparse
import os
import statistics
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "Tests" / "Page"), str(ROOT / "Tests" / "EndToEnd")]

import server as servers  # noqa: E402
from page import WATCH, fill  # noqa: E402
from person import DESK  # noqa: E402
from world import WEB, World  # noqa: E402

SHAPES = 10_000
# The simulated lines: latency in milliseconds, and megabits per second.
LINES = [(150, 1.6), (50, 10), (0, 0)]

PAINTED = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"


class Traffic:
    """The traffic of one page: the number of requests, and the bytes of files and of messages."""

    def __init__(self, page, line):
        latency, megabits = line
        client = page.context.new_cdp_session(page)
        client.send("Network.enable")
        if megabits:
            bytes_a_second = megabits * 1e6 / 8
            client.send("Network.emulateNetworkConditions", {
                "offline": False, "latency": latency, "downloadThroughput": bytes_a_second, "uploadThroughput": bytes_a_second,
            })
        self.files, self.messages, self.sockets = {}, 0, 0
        addresses = {}
        client.on("Network.requestWillBeSent", lambda event: addresses.__setitem__(event["requestId"], event["request"]["url"]))
        client.on("Network.loadingFinished", lambda event: self.finished(addresses.get(event["requestId"]), event["encodedDataLength"]))
        client.on("Network.webSocketCreated", lambda event: self.opened())
        client.on("Network.webSocketFrameReceived", lambda event: self.received(event["response"]))

    def finished(self, address, count):
        if address and count > 0:
            self.files["/" + address.split("/", 3)[3]] = count

    def opened(self):
        self.sockets += 1

    def received(self, frame):
        # The browser reports binary payloads in base64, which is 4/3 as long.
        self.messages += len(frame["payloadData"]) * (3 / 4 if frame["opcode"] == 2 else 1)

    @property
    def requests(self):
        return len(self.files) + self.sockets


def visit(room, line, context):
    """Opens the room and waits until all of it is painted. Returns the times of the first painted shape and of the
    last one, and the traffic."""
    seen = []

    def before(page):
        page.add_init_script(WATCH.replace("SHAPES", str(SHAPES)))
        seen.append(Traffic(page, line))

    person = room.join(before=before, ready=False, context=context)
    person.wait("allSeen !== null", seconds=120)
    painted, first, drawn = person.run(PAINTED), person.run("return firstSeen"), person.run("return allSeen")
    return person, (painted, first, drawn), seen[0]


def measure(world, line, runs):
    times, again, traffic, later = [], [], None, None
    for _ in range(runs):
        with world.start_server() as server:
            room = world.room(server, "visited")
            fill(room, SHAPES)
            context = world.browser.new_context(viewport=DESK, service_workers="block")
            person, seen, traffic = visit(room, line, context)
            times.append(seen)
            person.wait_until_drawing_is_kept(0)
            person.page.close()
            person, seen, later = visit(room, line, context)
            again.append(seen)
            person.page.wait_for_timeout(1000)
            context.close()
    latency, megabits = line
    name = f"{latency} ms, {megabits} Mbit/s" if megabits else "no limit"
    for visit_name, each, its in (("first", times, traffic), ("second", again, later)):
        painted, first, drawn = (statistics.median(values) for values in zip(*each))
        files = sum(its.files.values())
        print(
            f"| {name}, {visit_name} visit | {painted:.0f} | {first:.0f} | {drawn:.0f} | {its.requests} | {files / 1000:.0f} | {its.messages / 1000:.0f} |",
            flush=True,
        )
    return traffic


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server", nargs="?", default=ROOT / ".build" / "release" / "SyncServer")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--web", default=WEB)
    parser.add_argument("--verbose", action="store_true", help="say what each file took")
    options = parser.parse_args()
    servers.BINARY = os.path.abspath(options.server)
    with World(web=options.web, panel="layers") as world:
        print("| line | first paint, ms | first shape, ms | all drawn, ms | requests | files, KB | messages, KB |")
        print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
        for line in LINES:
            traffic = measure(world, line, options.runs)
            if options.verbose:
                for path, count in sorted(traffic.files.items(), key=lambda file: -file[1]):
                    print(f"{count:9,} {path}", flush=True)


if __name__ == "__main__":
    main()
