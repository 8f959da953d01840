"""What an attacker can do to a server with sockets. Each attack runs until the time `until`, and then closes its
connections.

Attackers use the addresses from 127.0.1.1 up, so that the server can tell them from the innocent client.
"""

import asyncio
import base64
import contextlib
import json
import random
import time
from functools import partial

import websockets

from raw import connect, frame, request, said, upgrade
from server import identifier

ADDRESSES = [f"127.0.1.{number}" for number in range(1, 6)]
# The errors that an attack may get when the server defends itself.
EXPECTED = (OSError, EOFError, asyncio.IncompleteReadError, asyncio.TimeoutError, websockets.WebSocketException)


def pick():
    return random.choice(ADDRESSES)


async def plain(server, address=None, **options):
    return await asyncio.open_connection("127.0.0.1", server.port, local_addr=(address or pick(), 0), **options)


async def hold(count, begin, server, until):
    """Keeps `count` connections open that begin a request and don't finish it. When one is closed, opens another."""
    held = []
    try:
        while time.monotonic() < until:
            while len(held) < count:
                with contextlib.suppress(*EXPECTED):
                    reader, writer = await plain(server)
                    writer.write(begin())
                    held.append((reader, writer))
                    continue
                break
            await asyncio.sleep(0.2)
            held = [(reader, writer) for reader, writer in held if not reader.at_eof()]
    finally:
        for _, writer in held:
            writer.close()


async def ask(make, patience, pause, server, until):
    """Sends some bytes over one connection after another, and reads what is answered within `patience` seconds."""
    while time.monotonic() < until:
        with contextlib.suppress(*EXPECTED):
            reader, writer = await plain(server)
            with contextlib.closing(writer):
                writer.write(make())
                await asyncio.wait_for(reader.read(10_000), patience)
        await asyncio.sleep(pause)


async def opened(server, room, address=None, **options):
    """Opens a WebSocket for raw bytes, and says hello."""
    reader, writer, _ = await asyncio.wait_for(connect(server.port, room, address=address or pick(), **options), 10)
    writer.write(said(type="hello", overlaps=True))
    return reader, writer


async def flood(count, write, room, server, until, address=None):
    """Sends the bytes that `write` makes over `count` connections as fast as the server reads, and never reads."""

    async def one():
        while time.monotonic() < until:
            writer = None
            with contextlib.suppress(*EXPECTED):
                _, writer = await opened(server, room, address)
                while time.monotonic() < until:
                    writer.write(write())
                    await asyncio.wait_for(writer.drain(), max(0.1, until - time.monotonic()))
                    await asyncio.sleep(0.01)
            if writer:
                writer.transport.abort()
            await asyncio.sleep(0.05)

    await asyncio.gather(*[one() for _ in range(count)])


def operations(*sets):
    return operations_on({identifier(): each for each in sets})


def operations_on(sets):
    return said(type="ops", ops=[{"shape": shape, "set": each} for shape, each in sets.items()])


async def joins_without_reading(server, until):
    while time.monotonic() < until:
        joined = []
        with contextlib.suppress(*EXPECTED):
            for _ in range(20):
                joined.append(await opened(server, random.choice(["pile", "flooded"])))
        await asyncio.sleep(0.3)
        for _, writer in joined:
            writer.transport.abort()


async def again_and_again(count, make, server, until):
    """Repeats the same bytes over each of `count` connections until the server closes it. Reads the responses."""
    piece = make()

    async def one():
        while time.monotonic() < until:
            with contextlib.suppress(*EXPECTED):
                reader, writer = await plain(server)
                with contextlib.closing(writer):
                    while time.monotonic() < until and not reader.at_eof():
                        writer.write(piece)
                        await asyncio.wait_for(writer.drain(), max(0.1, until - time.monotonic()))
                        await asyncio.wait_for(reader.read(1 << 20), 2)
            await asyncio.sleep(0.05)

    await asyncio.gather(*[one() for _ in range(count)])


async def crowds_of_seats(server, until):
    """Many clients read large broadcasts slowly, while others join and leave."""
    seated = []
    with contextlib.suppress(*EXPECTED):
        for _ in range(150):
            seated.append(await opened(server, "crowded"))
    stroke = {"kind": "ink", "path": [[number % 100, number % 70] for number in range(600)]}
    visits = asyncio.create_task(flood(3, lambda: operations(*[stroke] * 20), "crowded", server, until))
    while time.monotonic() < until:
        with contextlib.suppress(*EXPECTED):
            _, writer = await opened(server, "crowded")
            await asyncio.sleep(0.02)
            writer.transport.abort()
        if seated:
            seated.pop()[1].transport.abort()
    visits.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await visits
    for _, writer in seated:
        writer.transport.abort()


async def long_welcomes(server, until):
    """As much presence as is allowed makes welcomes long. Others request long answers and don't read them."""
    state = said(type="presence", state={"x": "x" * 3_900})
    shown = []
    with contextlib.suppress(*EXPECTED):
        for _ in range(60):
            shown.append(await opened(server, "shown"))
            shown[-1][1].write(state)
    shape = identifier()

    def edit():
        return said(type="ops", id="x" * 1_000, ops=[{"shape": shape, "set": {"alpha": 5}}]) * 20

    await flood(10, edit, "shown", server, until)
    for _, writer in shown:
        writer.transport.abort()


async def comings_that_want_overlaps(server, until):
    """Each client asks for the overlaps of many shapes, and leaves before they are computed."""
    with contextlib.suppress(*EXPECTED):
        _, drawing = await opened(server, "wanted")
        for _ in range(10):
            drawing.write(operations(*[{"kind": "star", "position": [random.randrange(9_000), number]} for number in range(1_000)]))
            await drawing.drain()
        while time.monotonic() < until:
            _, writer = await opened(server, "wanted")
            await asyncio.sleep(0.01)
            writer.transport.abort()
        drawing.transport.abort()


# How many broadcast intervals a newcomer may wait for the first part of the state. An interval lasts at least 10 ms.
NEWCOMER_BEATS = 200


async def states_read_slowly(server, until):
    """One address requests many states of a busy room and stops reading. Newcomers must still get theirs."""
    text = "x" * 1_000
    shapes = [identifier() for _ in range(2_000)]

    def edits():
        return operations_on({shape: {"kind": "star", "text": text} for shape in random.sample(shapes, 20)})

    drawing = asyncio.create_task(flood(1, edits, "awaited", server, until, address=ADDRESSES[0]))
    slow, watcher = [], None
    while time.monotonic() < until:
        with contextlib.suppress(*EXPECTED):
            if watcher is None or watcher.reading.done():
                watcher = await Watcher.join(server, "awaited", ADDRESSES[1])
            while len(slow) < 8:
                slow.append(await opened(server, "awaited", ADDRESSES[0], limit=4_096))
                await asyncio.sleep(0.3)
            began = watcher.beats
            newcomer = await Watcher.join(server, "awaited", ADDRESSES[1])
            # The server might also have closed the newcomer's connection, because other attacks use the same address.
            while not newcomer.is_let_in and not newcomer.reading.done() and time.monotonic() < until:
                await asyncio.sleep(0.05)
                waited = watcher.beats - began
                assert newcomer.is_let_in or waited <= NEWCOMER_BEATS, f"a newcomer waited for {waited} beats"
            newcomer.leave()
        await asyncio.sleep(0.05)
    if watcher:
        watcher.leave()
    drawing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await drawing
    for _, writer in slow:
        writer.transport.abort()


class Watcher:
    """A client that reads everything and counts the broadcasts."""

    def __init__(self, socket):
        self.socket, self.beats, self.is_let_in = socket, 0, False
        self.reading = asyncio.create_task(self.read())

    @classmethod
    async def join(cls, server, room, address):
        socket = await websockets.connect(
            server.socket(room), subprotocols=["canvas.v1.json"], max_size=None, compression=None, ping_interval=None,
            local_addr=(address, 0))
        await socket.send('{"type":"hello"}')
        return cls(socket)

    async def read(self):
        with contextlib.suppress(*EXPECTED):
            async for message in self.socket:
                if message.startswith('{"type":"ops"'):
                    self.is_let_in = True
                    self.beats += '"more":true' not in message

    def leave(self):
        self.reading.cancel()
        self.socket.transport.abort()


async def hellos_at_once(server, until):
    while time.monotonic() < until:
        arrived = await asyncio.gather(*[opened(server, f"hello-{number}") for number in range(150)], return_exceptions=True)
        for each in arrived:
            if not isinstance(each, BaseException):
                each[1].transport.abort()
        await asyncio.sleep(0.05)


async def histories_that_nobody_waits_for(server, until):
    while time.monotonic() < until:
        with contextlib.suppress(*EXPECTED):
            for leaf in ("history", "history?steps=1", "picture.svg?at=1"):
                _, writer = await plain(server)
                writer.write(request(f"/v1/rooms/flooded/{leaf}"))
                await writer.drain()
                writer.close()
        await asyncio.sleep(0.002)


async def ink_of_all_widths(server, until):
    def stroke():
        return {"kind": "ink", "path": [[number, number % 7, random.randrange(1, 100)] for number in range(300)]}

    await asyncio.gather(
        flood(2, lambda: operations(*[stroke() for _ in range(10)]), "inked", server, until),
        ask(lambda: request("/v1/rooms/inked/picture.svg") * 2, 1, 0.02, server, until))


def nonsense():
    """Some pieces of requests and of other bytes. In every second piece one byte is replaced."""
    heads = [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"POST /v1/rooms/a/ops HTTP/1.1\r\nHost: localhost\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n5 6\r\nhello\r\n", b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", b"\x16\x03\x01",
        b"GET /%6detrics HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\r\n\r\n", bytes(200),
    ]
    pieces = [bytearray(random.choice(heads)) for _ in range(random.randrange(1, 6))]
    for piece in pieces:
        if random.random() < 0.5:
            piece[random.randrange(len(piece))] = random.randrange(256)
    return b"".join(pieces)


def new_rooms():
    body = json.dumps({"ops": [{"shape": identifier(), "set": {"kind": "star"}}]}).encode()
    return b"".join(request(f"/v1/rooms/new-{random.randrange(10**9)}/ops", method="POST", body=body) for _ in range(20))


def questions():
    paths = ["/v1/rooms/pile/overlaps", "/v1/rooms/pile?at=1", "/v1/rooms/pile/free?size=10,10", "/v1/rooms", "/v1/rooms/pile/picture.svg"]
    return b"".join(request(random.choice(paths)) for _ in range(5))


def one_shape():
    shape = identifier()
    return said(type="ops", ops=[{"shape": shape, "set": {"alpha": number % 10}} for number in range(1_000)])


UPLOAD = b"POST /v1/rooms/a/layout HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n"
FOREIGN = b"DELETE /v1/rooms/innocent HTTP/1.1\r\nHost: %s\r\nOrigin: http://evil.example\r\n\r\n"
SQUARE = {"kind": "rectangle", "position": [0, 0], "size": [100, 100]}
UNSIGNED = base64.urlsafe_b64encode(b'{"alg":"HS256","x5c":[1,"a"]}').rstrip(b"=").decode() + ".e30.c2ln"
# What connections begin and don't finish: how many of them, and the bytes.
HELD = {
    "half_sent_requests": (150, lambda: b"GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\nX: "),
    "silent_connections": (150, lambda: b""),
    "uploads_that_stop": (100, lambda: UPLOAD + b" " * random.randrange(300_000)),
    "answers_that_nobody_takes": (50, lambda: request("/metrics") * 100),
    "sockets_that_are_turned_away": (150, lambda: upgrade("no%20room")),
    "large_answers_held": (80, lambda: request("/v1/rooms/flooded?stamps=1") * 4),
}
# What clients in a room send without reading: how many clients, the bytes, and the room.
FLOODS = {
    "messages_that_never_end": (20, lambda: frame(1, b" " * 100_000, final=False), "flooded"),
    "websocket_pings": (5, lambda: frame(9, b"x" * 100) * 50, "flooded"),
    "long_pings": (5, lambda: frame(1, b'{"type":"ping"' + b" " * 900_000 + b"}"), "flooded"),
    "broken_frames": (5, lambda: bytes(random.randrange(256) for _ in range(50)), "flooded"),
    "deletions_of_nothing": (3, lambda: operations(*[{"deleted": True}] * 200), "flooded"),
    "writes_without_end": (3, lambda: operations(*[{"kind": "star", "name": "x" * 100}] * 100), "flooded"),
    "piles_of_squares": (2, lambda: operations(*[SQUARE] * 20), "pile"),
    "names_that_hide": (2, lambda: operations({"kind": "star", "name": "\u202egnp.exe"}), "flooded"),
    "empty_fragments": (20, lambda: frame(0, b"", final=False) * 2_000, "flooded"),
    "empty_pongs": (20, lambda: frame(10, b"") * 2_000, "flooded"),
    "one_shape_over_and_over": (20, one_shape, "flooded"),
    "edits_of_shapes_that_never_were": (3, lambda: operations(*[{"alpha": 1, "text": "x" * 200}] * 100), "unseen"),
}
# Requests that connections repeat until they are closed: how many connections, and the bytes.
REPEATED = {
    "pipelined_requests": (60, lambda: request("/page.json") * 16),
    "endless_queries": (30, lambda: request("/v1/rooms?" + "=&" * 8_000)),
    "endless_lists": (30, lambda: request("/nothing", "Accept: " + "," * 12_000)),
    "empty_lines": (30, lambda: b"\r\n" * 30_000),
    "paths_that_are_refused": (30, lambda: request("/v1/rooms/a/erasures?" + "x" * 15_000)),
    "headers_that_nobody_signed": (10, lambda: request("/v1/rooms", f"Authorization: Bearer {UNSIGNED}")),
    "bodies_that_mean_nothing": (10, lambda: request("/v1/rooms/a/ops", method="POST", body=b'{"ops":[' + b"[" * 100 + b'"",' * 250_000)),
    "locks_of_nothing": (20, lambda: b"".join(
        request(f"/v1/rooms/none-{random.randrange(10**6)}/lock", "Content-Length: 0", method="PUT") for _ in range(20))),
}
# Requests over one connection after another: the bytes, how long to wait for answers, and how long between two.
ASKED = {
    "bytes_that_mean_nothing": (nonsense, 0.05, 0), "rooms_without_end": (new_rooms, 1, 0.02), "heavy_questions": (questions, 1, 0),
    "pages_of_other_sites": (lambda: FOREIGN % b"evil.example" + FOREIGN % b"localhost", 1, 0.05),
}
ALL = {
    name: partial(function, *values)
    for function, table in ((hold, HELD), (flood, FLOODS), (again_and_again, REPEATED), (ask, ASKED)) for name, values in table.items()
} | {each.__name__: each for each in (
    joins_without_reading, crowds_of_seats, long_welcomes, comings_that_want_overlaps, states_read_slowly, hellos_at_once,
    histories_that_nobody_waits_for, ink_of_all_widths,
)}
