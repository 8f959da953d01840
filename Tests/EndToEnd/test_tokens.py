"""A server that requires tokens: who gets in, with which rights, and what others learn of the token."""

import asyncio
import contextlib
import os
import signal
import tempfile

import websockets

from client import Client
from server import Server, identifier, run
from raw import Raw
from waiting import SECONDS, eventually

ANN, GUEST, KEEPER = "ann-4f1b9c0d2e8a7f63", "guest-9c0d2e8a7f634f1b", "keeper-2e8a7f634f1b9c0d"
LINES = f"# for the tests\n{ANN} editor demo team-*  # Ann's laptop\n{GUEST} viewer *\n{KEEPER} operator *\n"


@contextlib.contextmanager
def asking(lines=LINES, *flags):
    """Starts a server that requires tokens. Yields it with the path of its file of tokens."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokens")
        replace(path, lines)
        with Server("--tokens", path, "--log-level", "debug", *flags) as server:
            yield server, path
            for line in server.lines:
                for token in (ANN, GUEST, KEEPER, "ann-4f1b"):
                    assert token not in line, line


def replace(path, lines):
    with open(path + ".new", "w", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(lines)
    os.rename(path + ".new", path)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def post(server, room, token, what="ops"):
    body = {"ops": [{"shape": identifier(), "set": {"kind": "star"}}]} if what == "ops" else {"squares": []}
    return server.http("POST", f"/v1/rooms/{room}/{what}", body, bearer(token))


async def knock(server, room, token=None, header=False, hello=None):
    """Opens a WebSocket that the server closes. Returns the close code and the `error` before it."""
    address = server.socket(room) + (f"?token={token}" if token and not header else "")
    options = {"additional_headers": bearer(token)} if header else {}
    client = Client(await websockets.connect(address, compression=None, **options))
    if hello:
        await client.greet(**hello)
    error = await client.receive()
    assert error["type"] == "error" and error["message"], error
    return await client.closed(), error["code"]


async def enter(server, room, token, header=False, **hello):
    """Joins a room. The token is in the header, or in the subprotocols as a browser has to send it."""
    if header:
        return await Client.join(server, room, options={"additional_headers": bearer(token)}, **hello)
    client = Client(await websockets.connect(server.socket(room) + f"?token={token}", compression=None))
    await client.send({"type": "hello", **hello})
    client.welcome = await client.receive()
    assert client.welcome["type"] == "welcome", client.welcome
    await client.state()
    return client


async def test_http_asks_for_a_token():
    """H1, H5: 401 without a known token, 403 if it doesn't allow the request. What isn't secret needs none."""
    with asking() as (server, _):
        assert (await post(server, "demo", ANN)).status == 200
        assert (await post(server, "other", KEEPER)).status == 200
        for path in ["/v1/rooms", "/v1/rooms/demo", "/v1/rooms/no%20room", "/v1/elsewhere", "/metrics", "/v1/rooms/demo/free"]:
            for headers in [{}, bearer(ANN[:-1]), bearer(ANN + "0"), bearer("x"), {"Authorization": f"Basic {ANN}"}]:
                answer = await server.get(path, headers)
                assert answer.status == 401 and answer.error == "no_token", (path, headers)
                assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert (await server.http("POST", "/v1/rooms/demo/ops", {"ops": []})).status == 401
        assert (await server.http("DELETE", "/v1/rooms/demo")).status == 401
        for path in ["/", "/r/demo", "/healthz", "/readyz"]:
            assert (await server.get(path)).status == 200, path
        head = await server.http("HEAD", "/v1/rooms/demo")
        assert head.status == 401 and head.body == b""
        assert (await server.get(f"/v1/rooms/demo?token={ANN}")).status == 200
        assert (await server.get("/v1/rooms/demo", bearer(ANN))).status == 200
        answer = await server.get("/v1/rooms/other", bearer(ANN))
        assert answer.status == 403 and answer.error == "forbidden"
        assert (await post(server, "other", ANN)).status == 403


async def test_http_allows_by_role():
    """H5: A viewer reads, an editor writes, an operator deletes and reads metrics, each in its rooms."""
    with asking() as (server, _):
        for room in ("demo", "team-a", "other"):
            assert (await post(server, room, KEEPER)).status == 200

        async def listed(token):
            return [room["room"] for room in (await server.get("/v1/rooms", bearer(token))).json["rooms"]]

        assert await listed(ANN) == ["demo", "team-a"]
        assert await listed(GUEST) == await listed(KEEPER) == ["demo", "other", "team-a"]
        for path in ["", "/overlaps", "/free?size=1,1", "/picture.svg"]:
            assert (await server.get(f"/v1/rooms/demo{path}", bearer(GUEST))).status == 200, path
        for what in ("ops", "layout"):
            answer = await post(server, "demo", GUEST, what)
            assert answer.status == 403 and answer.error == "read_only"
            assert (await post(server, "demo", ANN, what)).status == 200
        for token in (GUEST, ANN):
            answer = await server.http("DELETE", "/v1/rooms/demo", headers=bearer(token))
            assert answer.status == 403 and answer.error == "forbidden"
            assert (await server.get("/metrics", bearer(token))).status == 403
        assert (await server.get("/metrics", bearer(KEEPER))).status == 200
        assert (await server.http("DELETE", "/v1/rooms/demo", headers=bearer(KEEPER))).status == 204
        assert (await server.get("/v1/rooms/demo", bearer(ANN))).status == 404


async def test_sockets_are_closed_with_4401_and_4403():
    """C3, R11: Also before the hello, whichever way the token comes, and in both encodings."""
    with asking() as (server, _):
        hello = {"name": "Mallory"}
        for early in (None, hello):
            assert await knock(server, "demo", hello=early) == (4401, "no_token")
            assert await knock(server, "demo", "x" * 20, hello=early) == (4401, "no_token")
            assert await knock(server, "demo", "x" * 20, header=True, hello=early) == (4401, "no_token")
            assert await knock(server, "no%20room", hello=early) == (4401, "no_token")
            assert await knock(server, "other", ANN, hello=early) == (4403, "forbidden")
            assert await knock(server, "other", ANN, header=True, hello=early) == (4403, "forbidden")
        assert await knock(server, "no%20room", KEEPER) == (4404, "no_such_room")
        # The client keeps sending after its connection is refused. It must still receive the close code.
        raw = await Raw.open(server, "demo")
        raw.send(1, b'{"type":"hello"}')
        for _ in range(50):
            raw.send(1, b'{"type":"presence","state":{"x":"' + b"y" * 4000 + b'"}}')
        assert await raw.ended() == 4401
        binary = await websockets.connect(server.socket("demo"), subprotocols=["canvas.v1.bin"], compression=None)
        assert await Client(binary).closed() == 4401


async def test_sockets_allow_by_role():
    """C3, C7: `welcome` tells the role. A viewer's writes are refused, whatever its hello says."""
    with asking() as (server, _):
        ann = await enter(server, "demo", ANN, header=True)
        keeper = await enter(server, "demo", KEEPER)
        guest = await enter(server, "demo", GUEST, readonly=False)
        shy = await enter(server, "demo", ANN, readonly=True)
        assert [client.welcome["role"] for client in (ann, keeper, guest, shy)] == ["editor", "editor", "viewer", "viewer"]
        for client in (guest, shy):
            await client.refused("read_only", {"shape": identifier(), "set": {"kind": "star"}})
        for client in (ann, keeper):
            shape = identifier()
            await client.accepted({"shape": shape, "set": {"kind": "star"}})
            await guest.sees(shape)
        await enter(server, "team-red", ANN)


async def test_the_log_tells_whose_refusals_they_are():
    """Room, actor and token's label, for WebSockets and HTTP, before and after the hello."""
    with asking() as (server, _):
        guest = await enter(server, "demo", GUEST)
        await guest.write({"shape": identifier(), "set": {"kind": "star"}}, id=1)
        ann = await enter(server, "team-a", ANN)
        await ann.write({"shape": "no", "set": {"kind": "star"}}, id=2)
        await knock(server, "other", ANN)
        await knock(server, "demo")
        assert (await post(server, "demo", GUEST)).status == 403
        assert (await server.get("/metrics", bearer(ANN))).status == 403
        expected = [
            {"code": "read_only", "room": "demo", "actor": guest.actor, "token": "line 3", "reason": "this connection is read-only"},
            {"code": "bad_shape", "room": "team-a", "actor": ann.actor, "token": "Ann's laptop"},
            {"code": "forbidden", "room": "other", "token": "Ann's laptop"},
            {"code": "no_token", "room": "demo"},
            {"code": "http_403", "room": "demo", "token": "line 3", "request": "POST /v1/rooms/demo/ops", "reason": "this token is read-only"},
            {"code": "http_403", "token": "Ann's laptop", "request": "GET /metrics", "reason": "this needs an operator's token"},
        ]

        async def told():
            lines = [line for line in server.log if line["message"] == "refused"]
            return lines if len(lines) == len(expected) else None

        for line, fields in zip(await eventually(told, "all are in the log"), expected):
            assert all(line["reason"] and line["address"] and line[name] == value for name, value in fields.items()), line
            assert {"room", "actor", "token"} & set(line) == {"room", "actor", "token"} & set(fields), line


async def test_sighup_reads_the_tokens_anew():
    """C3: Who has lost the token is disconnected, and whose role has changed reconnects. Others stay."""
    with asking() as (server, path):
        stays, goes = await enter(server, "demo", KEEPER), await enter(server, "demo", GUEST)
        moves, falls = await enter(server, "team-a", ANN), await enter(server, "demo", ANN)
        elsewhere = await enter(server, "other", GUEST)
        replace(path, f"{KEEPER} operator *\n{ANN} editor demo team-*\n{GUEST} viewer demo\n")
        server.process.send_signal(signal.SIGHUP)
        assert await elsewhere.closed() == 4403
        replace(path, f"{KEEPER} operator *\n{ANN} viewer demo\n")
        server.process.send_signal(signal.SIGHUP)
        assert await asyncio.gather(goes.closed(), moves.closed(), falls.closed()) == [4401, 4403, 1001]
        await stays.draw()
        assert (await enter(server, "demo", ANN)).welcome["role"] == "viewer"
        assert (await server.get("/v1/rooms", bearer(GUEST))).status == 401
        os.chmod(path, 0o644)
        replace(path, "nonsense\n")
        server.process.send_signal(signal.SIGHUP)
        (line,) = await server.logged("the tokens can't be read; the old ones stay valid")
        assert line["level"] == "error" and line["reason"].startswith("line 1: ")
        # An editor may just have emptied the file, to write it anew.
        replace(path, "")
        server.process.send_signal(signal.SIGHUP)
        await server.logged(reason="the file is empty; leave a comment in it to let nobody in")
        # Nobody writes to this pipe. The server goes on, and can still be told to stop.
        os.remove(path)
        os.mkfifo(path)
        server.process.send_signal(signal.SIGHUP)
        await server.logged(reason="nothing comes from this pipe")
        assert sum(line["message"] == "tokens read" for line in server.log) <= 2, "and not when they can't be read"
        assert (await server.get("/v1/rooms", bearer(KEEPER))).status == 200


async def test_a_file_of_tokens_that_cannot_be_used_ends_with_64(tmp_path):
    """The server prints one line without the token. TokensTests has what else a file can't be."""
    path = tmp_path / "tokens"
    path.write_text(f"{ANN} owner *\n")
    code, out, said = await asyncio.to_thread(run, "--port", 0, "--data", "memory", "--tokens", path)
    assert code == 64 and out == "" and said.count("\n") == 1, said
    assert said.startswith(f"SyncServer: --tokens {path}: line 1: ") and ANN not in said, said


async def test_without_tokens_sighup_ends_the_server(shared):
    """A terminal sends SIGHUP when it is closed."""
    with Server() as server:
        server.process.send_signal(signal.SIGHUP)
        assert await asyncio.to_thread(server.process.wait, SECONDS) == -signal.SIGHUP
