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


async def hold(server, until, count, begin):
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


async def half_sent_requests(server, until):
    await hold(server, until, 150, lambda: b"GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\nX: ")


async def silent_connections(server, until):
    await hold(server, until, 150, lambda: b"")


async def uploads_that_stop(server, until):
    head = b"POST /v1/rooms/a/layout HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n"
    await hold(server, until, 100, lambda: head + b" " * random.randrange(300_000))


async def answers_that_nobody_takes(server, until):
    await hold(server, until, 50, lambda: b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)


async def bytes_that_mean_nothing(server, until):
    heads = [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"POST /v1/rooms/a/ops HTTP/1.1\r\nHost: localhost\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n5 6\r\nhello\r\n", b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n", b"\x16\x03\x01",
        b"GET /%6detrics HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\r\n\r\n", bytes(200),
    ]
    while time.monotonic() < until:
        with contextlib.suppress(*EXPECTED):
            reader, writer = await plain(server)
            for _ in range(random.randrange(1, 6)):
                piece = bytearray(random.choice(heads))
                if random.random() < 0.5:
                    piece[random.randrange(len(piece))] = random.randrange(256)
                writer.write(bytes(piece))
            await asyncio.wait_for(reader.read(1_000), 0.05)
        with contextlib.suppress(*EXPECTED):
            writer.close()


async def opened(server, room, address=None, **options):
    """Opens a WebSocket for raw bytes, and says hello."""
    reader, writer, _ = await asyncio.wait_for(connect(server.port, room, address=address or pick(), **options), 10)
    writer.write(said(type="hello", overlaps=True))
    return reader, writer


async def flood(server, until, count, write, room="flooded", address=None):
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


async def messages_that_never_end(server, until):
    await flood(server, until, 20, lambda: frame(1, b" " * 100_000, final=False))


async def websocket_pings(server, until):
    await flood(server, until, 5, lambda: frame(9, b"x" * 100) * 50)


async def long_pings(server, until):
    await flood(server, until, 5, lambda: frame(1, b'{"type":"ping"' + b" " * 900_000 + b"}"))


async def broken_frames(server, until):
    await flood(server, until, 5, lambda: bytes(random.randrange(256) for _ in range(50)))


def operations(*sets):
    return operations_on({identifier(): each for each in sets})


def operations_on(sets):
    return said(type="ops", ops=[{"shape": shape, "set": each} for shape, each in sets.items()])


async def deletions_of_nothing(server, until):
    await flood(server, until, 3, lambda: operations(*[{"deleted": True}] * 200))


async def writes_without_end(server, until):
    await flood(server, until, 3, lambda: operations(*[{"kind": "star", "name": "x" * 100}] * 100))


async def piles_of_squares(server, until):
    square = {"kind": "rectangle", "position": [0, 0], "size": [100, 100]}
    await flood(server, until, 2, lambda: operations(*[square] * 20), room="pile")


async def names_that_hide(server, until):
    await flood(server, until, 2, lambda: operations({"kind": "star", "name": "\u202egnp.exe"}))


async def joins_without_reading(server, until):
    while time.monotonic() < until:
        joined = []
        with contextlib.suppress(*EXPECTED):
            for _ in range(20):
                joined.append(await opened(server, random.choice(["pile", "flooded"])))
        await asyncio.sleep(0.3)
        for _, writer in joined:
            writer.transport.abort()


async def rooms_without_end(server, until):
    body = json.dumps({"ops": [{"shape": identifier(), "set": {"kind": "star"}}]}).encode()
    while time.monotonic() < until:
        with contextlib.suppress(*EXPECTED):
            reader, writer = await plain(server)
            for _ in range(20):
                writer.write(request(f"/v1/rooms/new-{random.randrange(10**9)}/ops", method="POST", body=body))
            await asyncio.wait_for(reader.read(4_000), 1)
            writer.close()
        await asyncio.sleep(0.02)


async def heavy_questions(server, until):
    paths = ["/v1/rooms/pile/overlaps", "/v1/rooms/pile?at=1", "/v1/rooms/pile/free?size=10,10", "/v1/rooms", "/v1/rooms/pile/picture.svg"]
    while time.monotonic() < until:
        with contextlib.suppress(*EXPECTED):
            reader, writer = await plain(server)
            writer.write(b"".join(request(random.choice(paths)) for _ in range(5)))
            await asyncio.wait_for(reader.read(10_000), 1)
            writer.close()


async def pages_of_other_sites(server, until):
    while time.monotonic() < until:
        with contextlib.suppress(*EXPECTED):
            reader, writer = await plain(server)
            writer.write(b"DELETE /v1/rooms/innocent HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n\r\n")
            writer.write(b"DELETE /v1/rooms/innocent HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n")
            await asyncio.wait_for(reader.read(4_000), 1)
            writer.close()
        await asyncio.sleep(0.05)


async def again_and_again(server, until, count, piece):
    """Sends `piece` repeatedly over each of `count` connections until the server closes it, and reads the responses."""

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


async def pipelined_requests(server, until):
    await again_and_again(server, until, 60, request("/page.json") * 16)


async def endless_queries(server, until):
    await again_and_again(server, until, 30, request("/v1/rooms?" + "=&" * 8_000))


async def endless_lists(server, until):
    await again_and_again(server, until, 30, request("/nothing", "Accept: " + "," * 12_000))


async def empty_lines(server, until):
    await again_and_again(server, until, 30, b"\r\n" * 30_000)


async def paths_that_are_refused(server, until):
    await again_and_again(server, until, 30, request("/v1/rooms/a/erasures?" + "x" * 15_000))


async def headers_that_nobody_signed(server, until):
    token = base64.urlsafe_b64encode(b'{"alg":"HS256","x5c":[1,"a"]}').rstrip(b"=").decode() + ".e30.c2ln"
    await again_and_again(server, until, 10, request("/v1/rooms", f"Authorization: Bearer {token}"))


async def bodies_that_mean_nothing(server, until):
    body = b'{"ops":[' + b"[" * 100 + b'"",' * 250_000
    await again_and_again(server, until, 10, request("/v1/rooms/a/ops", method="POST", body=body))


async def sockets_that_are_turned_away(server, until):
    await hold(server, until, 150, lambda: upgrade("no%20room"))


async def empty_fragments(server, until):
    await flood(server, until, 20, lambda: frame(0, b"", final=False) * 2_000)


async def empty_pongs(server, until):
    await flood(server, until, 20, lambda: frame(10, b"") * 2_000)


async def crowds_of_seats(server, until):
    """Many clients read large broadcasts slowly, while others join and leave."""
    seated = []
    with contextlib.suppress(*EXPECTED):
        for _ in range(150):
            seated.append(await opened(server, "crowded"))
    stroke = {"kind": "ink", "path": [[number % 100, number % 70] for number in range(600)]}
    visits = asyncio.create_task(flood(server, until, 3, lambda: operations(*[stroke] * 20), room="crowded"))
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
    """Many clients send as much presence as is allowed, so welcomes are long. Others request long answers and don't
    read them."""
    state = said(type="presence", state={"x": "x" * 3_900})
    shown = []
    with contextlib.suppress(*EXPECTED):
        for _ in range(60):
            shown.append(await opened(server, "shown"))
            shown[-1][1].write(state)
    shape = identifier()

    def edit():
        return said(type="ops", id="x" * 1_000, ops=[{"shape": shape, "set": {"alpha": 5}}]) * 20

    await flood(server, until, 10, edit, room="shown")
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
    """One address requests as many states of a busy room as are allowed at once, and stops reading. A newcomer from
    another address must still get its state."""
    text = "x" * 1_000
    shapes = [identifier() for _ in range(2_000)]

    def edits():
        return operations_on({shape: {"kind": "star", "text": text} for shape in random.sample(shapes, 20)})

    drawing = asyncio.create_task(flood(server, until, 1, edits, room="awaited", address=ADDRESSES[0]))
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


async def locks_of_nothing(server, until):
    def lock():
        return request(f"/v1/rooms/none-{random.randrange(10**6)}/lock", "Content-Length: 0", method="PUT")

    await again_and_again(server, until, 20, b"".join(lock() for _ in range(20)))


async def large_answers_held(server, until):
    await hold(server, until, 80, lambda: request("/v1/rooms/flooded?stamps=1") * 4)


async def one_shape_over_and_over(server, until):
    shape = identifier()

    def message():
        return said(type="ops", ops=[{"shape": shape, "set": {"alpha": number % 10}} for number in range(1_000)])

    await flood(server, until, 20, message)


async def edits_of_shapes_that_never_were(server, until):
    await flood(server, until, 3, lambda: operations(*[{"alpha": 1, "text": "x" * 200}] * 100), room="unseen")


async def ink_of_all_widths(server, until):
    def stroke():
        return {"kind": "ink", "path": [[number, number % 7, random.randrange(1, 100)] for number in range(300)]}

    drawing = asyncio.create_task(flood(server, until, 2, lambda: operations(*[stroke() for _ in range(10)]), room="inked"))
    while time.monotonic() < until:
        with contextlib.suppress(*EXPECTED):
            reader, writer = await plain(server)
            writer.write(request("/v1/rooms/inked/picture.svg") * 2)
            await asyncio.wait_for(reader.read(1 << 20), 1)
            writer.close()
        await asyncio.sleep(0.02)
    drawing.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await drawing


ALL = [
    half_sent_requests, silent_connections, uploads_that_stop, answers_that_nobody_takes, bytes_that_mean_nothing,
    messages_that_never_end, websocket_pings, long_pings, broken_frames, deletions_of_nothing, writes_without_end, piles_of_squares,
    names_that_hide, joins_without_reading, rooms_without_end, heavy_questions, pages_of_other_sites,
    pipelined_requests, endless_queries, endless_lists, empty_lines, paths_that_are_refused, headers_that_nobody_signed,
    bodies_that_mean_nothing, sockets_that_are_turned_away, empty_fragments, empty_pongs,
    crowds_of_seats, long_welcomes, comings_that_want_overlaps, states_read_slowly, hellos_at_once, histories_that_nobody_waits_for,
    locks_of_nothing, large_answers_held, one_shape_over_and_over, edits_of_shapes_that_never_were, ink_of_all_widths,
]
