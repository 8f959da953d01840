"""What operators do from a terminal: list the people in a room, remove a person, lock the room, take back edits. Also
tokens from a file."""

import asyncio
import contextlib
import ctypes.util
import json
import socket
import time

import pytest

from client import Client
from server import Server, identifier, tool
from terminal import run, start
from test_signed_tokens import Keys
from test_tokens import replace
from waiting import SECONDS, eventually

ANN, KEEPER = "ann-4f1b9c0d2e8a7f63", "keeper-2e8a7f634f1b9c0d"


async def test_peers_are_listed_and_removed_and_rooms_locked():
    """H14, H15: In words and as JSON. Without an operator's token the message says so."""
    with Server.asking(f"{ANN} editor *  # Ann's laptop\n{KEEPER} operator *\n") as server:
        async def operate(*words, code=0, token=KEEPER):
            return await run(server, *words, "--token", token, code=code)

        await operate("add", "demo", "name=Sun", token=ANN)
        ann = await Client.join(server, "demo", name="Ann", options={"additional_headers": {"Authorization": f"Bearer {ANN}"}})
        told = (await operate("peers", "demo")).out
        assert all(word in told for word in [ann.actor, "Ann's laptop", "editor", "127.0.0.1", "demo: 1 person"]), told
        (line,) = (await operate("peers", "demo", "--json")).out.splitlines()
        assert json.loads(line) | {"color": ""} == {
            "actor": ann.actor, "name": "Ann", "color": "", "role": "editor", "token": "Ann's laptop", "address": "127.0.0.1"}
        assert "was removed from demo" in (await operate("remove", "demo", ann.actor)).out
        assert await ann.closed() == 4403
        assert "not in the room" in (await operate("remove", "demo", ann.actor, code=1)).err
        assert "an actor is given as" in (await operate("remove", "demo", "Ann", code=64)).err
        assert "demo is locked" in (await operate("lock", "demo")).out
        assert "the room is locked" in (await operate("peers", "demo")).out
        await operate("add", "demo", "name=Moon", token=ANN, code=1)
        await operate("add", "demo", "name=Moon")
        assert "demo is unlocked" in (await operate("unlock", "demo")).out
        await operate("add", "demo", "name=Star", token=ANN)
        refusals, headers = 'canvas_refusals_total{code="http_403"}', {"Authorization": f"Bearer {KEEPER}"}
        before = (await server.metrics(headers)).get(refusals, 0)
        assert (await operate("rooms", "--over", "1ms", token=ANN)).out
        assert (await server.metrics(headers))[refusals] == before + 1, "the metrics are asked for once"
        refused = await operate("lock", "demo", token=ANN, code=2)
        assert "this needs an operator's token" in refused.err and "doesn't give access" not in refused.err, refused
        assert "asks for no tokens" not in (await operate("lock", "demo")).err
        assert "nobody has written to this room" in (await operate("lock", "dmeo", code=1)).err


async def test_what_somebody_wrote_is_taken_back_and_deletions_are_forgotten():
    """H16, H17: The results are printed in words. Invalid arguments are refused."""
    with Server() as server:
        await run(server, "add", "demo", "name=Sun")
        locked = await run(server, "lock", "demo")
        assert "demo is locked" in locked.out and "asks for no tokens, so everyone may still write" in locked.err, locked
        eve = await Client.join(server, "demo")
        await eve.write(*({"shape": identifier(), "set": {"kind": "star"}} for _ in range(3)))
        assert f"3 shapes are as without {eve.actor} in demo" in (await run(server, "takeback", "demo", eve.actor)).out
        bob = await Client.join(server, "demo")
        await bob.write({"shape": identifier(), "set": {"kind": "star"}})
        assert f"1 shape is as without {bob.actor} in demo" in (await run(server, "takeback", "demo", bob.actor)).out
        assert "Sun" in (await run(server, "show", "demo")).out
        assert len(await server.shapes("demo")) == 1
        assert "has written nothing here" in (await run(server, "takeback", "demo", identifier(), code=1)).err
        assert "an actor is given as" in (await run(server, "takeback", "demo", "Eve", code=64)).err
        assert (await server.get("/v1/rooms/demo/erasures")).json["erasures"] == 4
        assert "demo has forgotten what was deleted" in (await run(server, "forget", "demo")).out
        assert (await server.get("/v1/rooms/demo/erasures")).json["erasures"] == 0


async def test_what_operators_have_done_is_told_to_programs():
    with Server() as server:
        eve = await Client.join(server, "demo")
        shape = identifier()
        await eve.write({"shape": shape, "set": {"kind": "star"}})
        for words, told in [
            (["lock", "demo"], {"locked": True}),
            (["unlock", "demo"], {"locked": False}),
            (["remove", "demo", eve.actor], {"removed": eve.actor}),
            (["takeback", "demo", eve.actor], {"takenBack": eve.actor, "shapes": [shape]}),
            (["forget", "demo"], {"forgotten": True}),
        ]:
            assert (await run(server, *words, "--json")).object == {"room": "demo"} | told, words


ORDERS = [["lock"], ["unlock"], ["remove", "k3j-9x2-m1p"], ["takeback", "k3j-9x2-m1p"], ["forget"]]


@contextlib.asynccontextmanager
async def answering(answer):
    """A server that sends these bytes after each request, and closes the connection. Yields its address."""
    async def send(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(send, "127.0.0.1", 0) as listening:
        yield f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}"


async def test_the_answer_of_another_program_is_no_success():
    """A network's page to log in answers every request with 200."""
    async with answering(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nLog in") as there:
        for name, *rest in [*ORDERS, ["peers"]]:
            done = await run(None, name, "demo", *rest, "--server", there, code=1)
            assert "the answer is malformed" in done.err and done.out == "", (name, done)


async def test_a_request_without_an_answer_may_have_been_carried_out():
    """The server ends between the request and its answer. What only reads could not connect."""
    async with answering(b"") as there:
        for name, *rest in ORDERS:
            done = await run(None, name, "demo", *rest, "--json", "--server", there, code=1)
            error = json.loads(done.err)["error"]
            assert error["code"] == "not_answered" and "may have been done" in error["message"], (name, done)
        assert "may have been done" not in (await run(None, "peers", "demo", "--server", there, code=2)).err


@pytest.mark.skipif(not (ctypes.util.find_library("jwt") and tool("openssl")), reason="libjwt0 or openssl is not here")
async def test_a_token_from_a_file_is_read_again_before_it_ends(tmp_path):
    """C11: A watcher and a bot stay connected after their first token has ended, because the file contains another one
    by then. Before that it contains one that the server doesn't take."""
    keys = Keys(str(tmp_path))
    path = tmp_path / "token"
    path.write_text("")
    with Server("--jwt-keys", keys.folder, "--jwt-leeway", "0") as server:
        words = ("--token-file", str(path))
        assert "can't be read, or has no token" in (await run(server, "watch", "demo", *words, code=64)).err
        end = int(time.time()) + 15
        path.write_text(keys.token(exp=end) + "\n")
        watching = asyncio.create_task(run(server, "watch", "demo", *words, "--for", "17s"))
        drawing = asyncio.create_task(run(server, "bot", "demo", *words, "--for", "17s"))
        await eventually(lambda: server.log, "both are in", holds=lambda log: sum(line["message"] == "joined" for line in log) == 2)
        # The client can read the file at any time, so the file is replaced in one step. Operators' programs have to do
        # the same.
        replace(str(path), "half-a-token")
        await eventually(
            lambda: server.log, "it is refused to both",
            holds=lambda log: sum(line.get("code") == "token_refused" for line in log) == 2)
        replace(str(path), keys.token(name="Later"))
        watched, drawn = await asyncio.gather(watching, drawing)
        assert "token" not in watched.err + drawn.err, watched.err + drawn.err
        assert time.time() > end + 1


@pytest.mark.skipif(not (ctypes.util.find_library("jwt") and tool("openssl")), reason="libjwt0 or openssl is not here")
async def test_a_token_for_another_role_is_used_once_the_first_has_ended(tmp_path):
    """C11: A watcher's file has a viewer's token, which can't replace an editor's. Then it connects with that."""
    keys = Keys(str(tmp_path))
    path = tmp_path / "token"
    end = int(time.time()) + 8
    path.write_text(keys.token(exp=end))
    with Server("--jwt-keys", keys.folder, "--jwt-leeway", "0") as server:
        watching = asyncio.create_task(run(server, "watch", "demo", "--token-file", str(path), "--for", "14s"))
        await server.logged("joined")
        replace(str(path), keys.token(role="viewer"))
        await server.logged(code="token_refused")
        await eventually(lambda: server.log, "it is back", holds=lambda log: sum(line["message"] == "joined" for line in log) == 2)
        assert time.time() >= end
        assert "token" not in (await watching).err


async def test_a_token_that_is_for_another_room_does_not_end_what_the_one_before_it_allows(tmp_path):
    """C11: A watcher's file gets a token for another room. When the watcher has to connect again, it uses the token that
    it had."""
    path = tmp_path / "token"
    path.write_text("ann-1234567890ab")
    with Server.asking("ann-1234567890ab editor demo\nbob-1234567890ab editor other\n") as server:
        async with await start(server, "watch", "demo", "--token-file", str(path)) as watch:
            await server.logged("joined")
            # A client that has not got the drawing yet would end when it can't connect again.
            await watch.line()
            replace(str(path), "bob-1234567890ab")
            server.kill()
            server.start()
            await server.logged(code="forbidden")
            server.kill()
            # A connection that breaks before the server has answered says nothing of the token.
            with socket.socket() as listener:
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                listener.bind(("127.0.0.1", server.port))
                listener.listen()
                listener.settimeout(SECONDS)
                (await asyncio.to_thread(listener.accept))[0].close()
            server.start()
            await server.logged("joined")
            assert watch.process.returncode is None


@pytest.mark.skipif(not (ctypes.util.find_library("jwt") and tool("openssl")), reason="libjwt0 or openssl is not here")
async def test_an_error_after_which_the_connection_went_on_is_no_reason_for_a_later_loss(tmp_path):
    """R11: A watcher hears that its token ends soon, and that another is refused. Later the server is killed."""
    keys = Keys(str(tmp_path))
    path = tmp_path / "token"
    path.write_text(keys.token(exp=int(time.time()) + 55))
    with Server("--jwt-keys", keys.folder, "--jwt-leeway", "0") as server:
        watching = asyncio.create_task(run(server, "watch", "demo", "--token-file", str(path), "--for", "8s"))
        await server.logged("joined")
        replace(str(path), "half-a-token")
        await server.logged(code="token_refused")
        server.kill()
        watched = await watching
        assert "offline" in watched.out and "token" not in watched.out + watched.err, watched
