"""What each kind of input costs the server. The test sends the worst input of each row of the table in
docs/SECURITY.md, and compares the processor time with that of the cheapest request of as many bytes. An input that
costs more has to be charged to its sender before it is processed.

It measures processor time, because that doesn't depend on how busy the machine is.
"""

import asyncio
import contextlib
import json
import os
import re
import signal
import tempfile

from raw import frame, request, said, upgrade
from server import ROOT, Server, identifier
from test_signed_tokens import Keys, pytestmark  # noqa: F401
from test_tokens import KEEPER
from waiting import SECONDS, eventually

# How many bytes of each input are sent. A connection is allowed to send 64 KB in one burst without a complete message,
# and this number is below that limit.
BYTES = 24_000
# The highest allowed cost, relative to the cheapest request of the same length.
RATIO_MAX = 20
STATUS = re.compile(rb"HTTP/1\.1 (\d\d\d) ")
CHEAPEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
# The rate limits are raised, so that they don't slow the measurement down. Other tests check them.
FLAGS = ["--max-messages-per-second", 1_000_000, "--max-ops-per-second", 1_000_000, "--max-bytes-per-second", 1 << 30,
         "--day-rooms-per-address", 1_000_000, "--max-refusals-ignored", 1_000_000, "--proxies", "127.0.0.77"]
SHAPES = 1_000


def processor(server):
    """The server's processor time in nanoseconds, of the event loop's thread and of all threads."""
    loop = whole = 0
    folder = f"/proc/{server.process.pid}/task"
    for thread in os.listdir(folder):
        with contextlib.suppress(OSError), open(f"{folder}/{thread}/schedstat") as file, open(f"{folder}/{thread}/comm") as name:
            used = int(file.read().split()[0])
            whole += used
            loop += used if name.read().strip() == "hub" else 0
    return loop, whole


def repeated(*pieces):
    """Repeats the pieces up to the number of bytes to send."""
    sent = 0
    for number in range(BYTES):
        piece = pieces[number % len(pieces)]
        if sent + len(piece) > BYTES and number >= len(pieces):
            return
        sent += len(piece)
        yield piece


class Exchange:
    """A connection for raw bytes."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    @classmethod
    async def open(cls, server, address="127.0.0.1"):
        return cls(*await asyncio.open_connection("127.0.0.1", server.port, local_addr=(address, 0)))

    async def until(self, mark):
        seen = b""
        while mark not in seen:
            piece = await asyncio.wait_for(self.reader.read(1 << 20), SECONDS)
            assert piece, f"closed before {mark}"
            seen = seen[-len(mark):] + piece

    def drop(self):
        self.writer.transport.abort()


async def requests(server, pieces, address="127.0.0.1", at_once=4):
    """Sends requests over some connections, several in a row on each. Returns the statuses."""
    pieces = list(pieces)
    statuses = []

    async def some(part):
        exchange = await Exchange.open(server, address)
        answered = b""

        async def read():
            nonlocal answered
            while piece := await asyncio.wait_for(exchange.reader.read(1 << 20), SECONDS):
                # A status line can be split between two reads.
                *lines, rest = STATUS.split(answered + piece)
                statuses.extend(int(status) for status in lines[1::2])
                answered = rest[-16:]

        reading = asyncio.create_task(read())
        exchange.writer.write(b"".join(part))
        exchange.writer.write(CHEAPEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        await reading
        exchange.drop()

    await asyncio.gather(*[some(pieces[start::at_once]) for start in range(at_once) if pieces[start::at_once]])
    return statuses


async def upgraded(server, room="priced", token=None):
    exchange = await Exchange.open(server)
    exchange.writer.write(upgrade(room, token=token))
    await exchange.until(b"\r\n\r\n")
    return exchange


async def messages(server, pieces, token=None, room="quiet"):
    """Sends frames over a connection that has said hello, and waits until the server has read them."""
    exchange = await upgraded(server, room, token)
    exchange.writer.write(said(type="hello"))
    exchange.writer.write(b"".join(pieces) + said(type="ping", id=424_242))
    await exchange.until(b"424242")
    exchange.drop()


async def connections(server, piece, room="priced"):
    """Opens many WebSockets, and sends a piece over each."""
    for _ in range(BYTES // len(piece + upgrade(room))):
        exchange = await upgraded(server, room)
        exchange.writer.write(piece)
        with contextlib.suppress(OSError):
            if b"hello" in piece:
                # The digest is answered after the state was sent, so its answer marks the end of the state.
                exchange.writer.write(said(type="digest"))
                await exchange.until(b'"digest"')
            else:
                await asyncio.wait_for(exchange.reader.read(1 << 16), SECONDS)
        exchange.drop()


# Each row of the table has a sender, whose key is the text of the row's first cell. A sender gets the server and the
# tokens, sends `BYTES` bytes, and waits for the answers.

def asking(*pieces, expected=200, address="127.0.0.1"):
    async def send(server, _):
        statuses = set(await requests(server, repeated(*pieces), address))
        assert statuses <= {expected, 200, 429} and expected in statuses, statuses
    send.pieces = pieces
    return send


def room(leaf="", *headers, method="GET", body=b"", expected=200, name="priced"):
    return asking(request(f"/v1/rooms/{name}{leaf}", *headers, method=method, body=body), expected=expected)


def saying(*pieces):
    async def send(server, _):
        await messages(server, repeated(*pieces))
    return send


async def operations(server, _):
    await messages(server, [said(type="ops", ops=[{"shape": identifier(), "set": {"kind": "star"}}]) for _ in range(BYTES // 80)])


async def a_connection(server, _):
    for piece in repeated(CHEAPEST):
        exchange = await Exchange.open(server)
        exchange.writer.write(piece)
        await exchange.until(b"ok\n")
        exchange.drop()


async def rooms_deleted(server, _):
    names = [f"gone-{number}" for number in range(200)]
    body = json.dumps({"ops": [{"shape": identifier(), "set": {"kind": "star"}}]}).encode()
    await requests(server, [request(f"/v1/rooms/{name}/ops", method="POST", body=body) for name in names])
    before = processor(server)
    statuses = await requests(server, [request(f"/v1/rooms/{name}", method="DELETE") for name in names])
    assert set(statuses) == {204, 200}, statuses
    return before, sum(len(request(f"/v1/rooms/{name}", method="DELETE")) for name in names)


def held(tokens, kind):
    return request("/v1/rooms/quiet/history", f"Authorization: Bearer {tokens[kind]}")


def bearing(kind, expected):
    async def send(server, tokens):
        statuses = set(await requests(server, repeated(held(tokens, kind))))
        assert statuses == {expected, 200}, statuses
    return send


async def token_messages(server, tokens):
    await messages(server, repeated(said(type="token", token=tokens["signed"])), token=KEEPER)


PLAIN = {
    "a connection": a_connection,
    "a request's head, with all its headers": asking(request("/healthz", *[f"X-{number}: {'x' * 140}" for number in range(95)])),
    "header `Host`": asking(request("/healthz").replace(b"localhost", b"x" * 200 + b".example")),
    "header `Origin`": room("", "Origin: http://" + "x" * 100 + ".example", expected=403),
    "header `X-Forwarded-For`": asking(request("/healthz", "X-Forwarded-For: " + ",".join(["127.0.0.77"] * 60)), address="127.0.0.77"),
    "header `Accept`": asking(request("/nothing", "Accept: " + "x/y," * 60), expected=404),
    "header `Accept-Encoding`": asking(request("/page.json", "Accept-Encoding: " + "a;q=0.1," * 60)),
    "header `If-None-Match`": asking(request("/page.json", "If-None-Match: " + 'W/"a",' * 60)),
    "header `Content-Type`": room("/ops", "Content-Type: " + "x" * 200, method="POST", expected=415),
    "`GET /`": asking(request("/")),
    "`GET /r/{room}`": asking(request("/r/priced")),
    "`GET /page.json`": asking(request("/page.json")),
    "the page's files": asking(request("/core.wasm", "Accept-Encoding: br"), request("/core.wasm")),
    "`GET /healthz`": asking(CHEAPEST),
    "`GET /readyz`": asking(request("/readyz")),
    "`GET /metrics`": asking(request("/metrics")),
    "`GET /v1/rooms`": asking(request("/v1/rooms")),
    "`GET /v1/rooms/{room}`": room(),
    "`GET /v1/rooms/{room}/picture.svg`": room("/picture.svg"),
    "`GET /v1/rooms/{room}/history`": room("/history?steps=1"),
    "`GET /v1/rooms/{room}/overlaps`": room("/overlaps"),
    "`GET /v1/rooms/{room}/free`": room("/free?size=9,9"),
    "`GET /v1/rooms/{room}/sync`": room("/sync", expected=400),
    "`POST /v1/rooms/{room}/ops`": room("/ops", method="POST", body=b'{"ops":[{"shape":"aaa-aaa-aaa","set":{"kind":"star"}}]}', name="quiet"),
    "`POST /v1/rooms/{room}/layout`": room("/layout", method="POST", body=b'{"squares":[{"x":1,"y":1,"colour":"#123456","size":9}]}', name="laid"),
    "`DELETE /v1/rooms/{room}`": rooms_deleted,
    "`DELETE /v1/rooms/{room}/peers/{actor}`": room("/peers/aaa-aaa-aaa", method="DELETE", expected=404),
    "`DELETE /v1/rooms/{room}/erasures`": room("/erasures", method="DELETE", expected=204),
    "`DELETE /v1/rooms/{room}/writing/{actor}`": room("/writing/aaa-aaa-aaa", method="DELETE", expected=404),
    "`GET /v1/rooms/{room}/peers`": room("/peers"),
    "`GET /v1/rooms/{room}/erasures`": room("/erasures"),
    "`PUT /v1/rooms/{room}/lock`": asking(*[request("/v1/rooms/locked/lock", method=method) for method in ("PUT", "DELETE")], expected=204),
    "`DELETE /v1/rooms/{room}/lock`": asking(request("/v1/rooms/locked/lock", method="DELETE"), expected=204),
    "message `hello`": lambda server, _: connections(server, said(type="hello", name="x")),
    "message `ops`": operations,
    "message `presence`": saying(said(type="presence", state={"a": 1})),
    "message `ping`": saying(said(type="ping")),
    "message `digest`": saying(said(type="digest")),
    "frame text": saying(frame(1, b"{}")),
    "frame binary": lambda server, _: connections(server, frame(2, b"x")),
    "frame continuation": saying(frame(1, b"{", final=False) + frame(0, b" ", final=False) * 100 + frame(0, b"}")),
    "frame ping": saying(frame(9, b"x")),
    "frame pong": saying(frame(10, b"x")),
    "frame close": lambda server, _: connections(server, frame(8, b"\x03\xe8")),
}
GUARDED = {
    "header `Authorization`": bearing("forged", 401),
    "`?token=` with a token of the file": bearing("unknown", 401),
    "`?token=` with a signed token": bearing("signed", 404),
    "message `token`": token_messages,
}


def cells():
    """The inputs that the table lists, by their first cells."""
    with open(os.path.join(ROOT, "docs", "SECURITY.md"), encoding="utf-8") as page:
        part = page.read().split("## What each input may cost")[1].split("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ") and not line.startswith(("| input", "| ---"))]
    return {cell for line in lines for cell in line.split("|")[1].strip().split(" · ")}


@contextlib.contextmanager
def guarded():
    with tempfile.TemporaryDirectory() as folder:
        keys, path = Keys(folder), os.path.join(folder, "tokens")
        with open(path, "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(f"{KEEPER} operator * # keeper\n")
            file.writelines(f"token-number-{number:08} viewer *\n" for number in range(5_000))
        good = keys.token("ES256", "es", rooms="*", role="operator")
        tokens = {"signed": good, "unknown": "x" * 40, "forged": good[:-8] + "AAAAAAAA"}
        with Server(*FLAGS, "--tokens", path, "--jwt-keys", keys.folder) as server:
            yield server, tokens


async def measured(server, tokens, send):
    """The processor time per byte, of the event loop's thread and of all threads."""
    before = processor(server)
    other = await send(server, tokens)
    bytes_sent = BYTES
    if other:
        before, bytes_sent = other
    after = processor(server)
    return tuple((late - early) / bytes_sent for early, late in zip(before, after))


async def draw(server):
    for name, count in [("priced", SHAPES), ("quiet", 1), ("locked", 1), ("laid", 1)]:
        shapes = [{"kind": "ellipse", "position": [number % 50 * 30, number // 50 * 30], "size": [40, 40]} for number in range(count)]
        await eventually(
            lambda: server.http("POST", f"/v1/rooms/{name}/layout", {"shapes": shapes}), f"{name} is drawn",
            holds=lambda answer: answer.status == 200)


async def is_charged(server, piece):
    """Whether the server refuses some of many such requests that come at once, before it has processed all of them."""
    answers = await asyncio.gather(*[requests(server, [piece] * 4, at_once=1) for _ in range(100)])
    statuses = {status for each in answers for status in each}
    return 429 in statuses


async def too_dear(server, tokens, senders, strict):
    """The senders whose input costs too much, with the cost."""
    cheapest = (await measured(server, tokens, asking(CHEAPEST)))[1]
    dear, charged = {}, set()
    for name, send in senders.items():
        loop, whole = (price / cheapest for price in await measured(server, tokens, send))
        if loop > RATIO_MAX:
            dear[name] = f"{loop:.1f} on the loop"
        elif whole > RATIO_MAX:
            charged.add(name)
            if not hasattr(send, "pieces") or not await is_charged(strict, send.pieces[0]):
                dear[name] = f"{whole:.1f}, and it is not charged"
    return dear, charged


async def test_every_input_has_a_price():
    """The table and the senders in this file list the same inputs."""
    assert cells() == set(PLAIN) | set(GUARDED)


async def test_no_input_costs_more_than_twenty_times_the_cheapest():
    """An input that costs more is charged before all of it is processed: its sender has to wait, or is refused
    because of the rate limit. Work on the event loop's thread is always cheap."""
    # The rate limit of the second server is so low that even a slow machine exceeds it.
    with Server(*FLAGS) as server, Server("--max-ops-per-second", 100) as strict:
        await draw(server)
        await draw(strict)
        dear, charged = await too_dear(server, {}, PLAIN, strict)
        assert not dear, dear
        assert "`GET /v1/rooms/{room}`" in charged, "a drawing of a thousand shapes is a lot for fifty bytes"


async def test_no_token_costs_more_than_twenty_times_the_cheapest():
    """Tests tokens that are guessed, forged or repeated."""
    with guarded() as (server, tokens):
        dear, _ = await too_dear(server, tokens, GUARDED, server)
        assert not dear, dear


async def test_sighup_checks_the_tokens_of_all_who_are_here_beside_the_loop():
    """The signatures of all clients are never checked in one iteration of the event loop."""
    count = 200
    with tempfile.TemporaryDirectory() as folder:
        keys = Keys(folder)
        made = await asyncio.gather(*[asyncio.to_thread(keys.token, "ES256", "es", jti=str(number)) for number in range(count)])
        with Server(*FLAGS, "--jwt-keys", keys.folder, "--hello-ms", 60_000) as server:
            before = processor(server)[0]
            await requests(server, [request("/v1/rooms/demo/history", f"Authorization: Bearer {token}") for token in made])
            checking = (processor(server)[0] - before) / 1e9
            held = [await upgraded(server, "demo", token) for token in made]
            server.process.send_signal(signal.SIGHUP)
            (line,) = await server.logged("tokens read")
            assert line["closed"] == 0 and line["keys"] == 3
            token = keys.token("ES256", "es", role="operator", rooms="*")
            answer = await server.get("/metrics", {"Authorization": f"Bearer {token}"})
            (busiest,) = re.findall(r"^canvas_loop_busiest_turn_cpu_seconds (.*)$", answer.body.decode(), re.M)
            assert float(busiest) < checking / 3, (busiest, checking)
            for exchange in held:
                exchange.drop()
