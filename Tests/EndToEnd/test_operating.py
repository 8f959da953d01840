"""What operators use: flags, signals, logs and metrics."""

import asyncio
import contextlib
import fcntl
import itertools
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import time

import pytest

from client import Client
from server import Server, identifier, run
from raw import Raw
from waiting import SECONDS, eventually, wait_until


async def test_flags_that_cannot_be_used_exit_with_64(shared):
    """The server prints one line with the flag and the reason."""
    for arguments, environment, words in [
        (["--prot", "1"], {}, ["--prot", "unknown flag", "Did you mean --port?"]),
        (["--proxies", "localhost"], {}, ["--proxies localhost", "numeric addresses"]),
        ([], {"CANVAS_MAX_SHAPES": "many"}, ["CANVAS_MAX_SHAPES=many", "whole number"]),
    ]:
        code, out, words_said = await asyncio.to_thread(lambda: run(*arguments, environment=environment))
        assert code == 64 and out == "" and words_said.count("\n") == 1, (arguments, code, words_said)
        assert all(word in words_said for word in words), words_said


async def test_settings_that_do_less_than_meant_are_logged(tmp_path):
    """What everybody may read, what has no effect and what is missing is a warning that names the file."""
    tokens, secret, page = tmp_path / "tokens", tmp_path / "canvas.secret", tmp_path / "page"
    tokens.write_text("# nobody yet\n")
    tokens.chmod(0o644)
    secret.write_text("ab" * 32 + "\n")
    secret.chmod(0o640)
    flags = ["--tokens", tokens, "--web", page, "--jwt-audience", "us"]
    warnings = {
        "every user of this machine can read the tokens": {"file": str(tokens)},
        "the file has no tokens, so nobody can connect": {"file": str(tokens)},
        "other users of this machine can read the secret": {"file": str(secret)},
        "the page's files were not found": {"web": str(page)},
        "--jwt-audience has no effect without --jwt-keys": {},
        "the variable CANVAS_MAX_SHAPE means nothing. Did you mean CANVAS_MAX_SHAPES?": {},
    }
    with Server(*flags, data=str(tmp_path), environment={"CANVAS_MAX_SHAPE": "5"}) as server:
        warned = {line["message"]: line for line in server.log if line["level"] == "warning"}
        for message, members in warnings.items():
            assert message in warned and members.items() <= warned[message].items(), (message, server.lines)
    tokens.write_text("ann-ann-ann-ann-1 editor *\n")
    tokens.chmod(0o600)
    secret.chmod(0o600)
    page.mkdir()
    with Server("--tokens", tokens, "--web", page, data=str(tmp_path)) as server:
        assert not warnings.keys() & {line["message"] for line in server.log}, server.lines


async def test_help_and_version(shared):
    """The help and the manual page list all flags in groups, with their defaults."""
    code, out, _ = await asyncio.to_thread(run, "--help")
    assert code == 0
    for flag in ["--host", "--port", "--data", "--web", "--log-level", "--log-format", "--max-message-bytes", "--max-shapes",
                 "--max-ops-per-message", "--max-ops-per-second", "--max-clock-ahead-ms", "--max-presence-bytes", "--beat-ms"]:
        assert len(re.findall(rf"^  {flag} ", out, re.M)) == 1, flag
    assert "(8080)" in out and "(100000)" in out and max(map(len, out.splitlines())) <= 120
    _, page, _ = await asyncio.to_thread(run, "--manual")
    assert ".TP\n\\fB\\-\\-port\\fR \\fINUMBER\\fR\nport to listen on; 0 picks a free one and logs it (8080)\n" in page
    code, out, _ = await asyncio.to_thread(run, "--version")
    assert code == 0 and re.fullmatch(r"SyncServer \d+\.\d+\.\d+( \([0-9a-f]{12}(, changed)?\))?\n", out)


async def test_sigterm_makes_durable_what_is_in_hand(shared):
    """All clients get 1001, the exit code is 0, and every acknowledged edit is there after a restart."""
    with Server() as server:
        writers = [await Client.join(server, f"term{number}") for number in range(3)]
        acknowledged = {client: [] for client in writers}

        async def write(client):
            number = 0
            try:
                while True:
                    shape = identifier()
                    await client.accepted({"shape": shape, "set": {"kind": "star"}}, id=number)
                    acknowledged[client].append(shape)
                    number += 1
            except Exception:
                return client.socket.close_code

        tasks = [asyncio.create_task(write(client)) for client in writers]
        await eventually(lambda: all(len(shapes) > 5 for shapes in acknowledged.values()), "all write")
        assert await asyncio.to_thread(server.terminate) == 0
        assert [await task for task in tasks] == [1001, 1001, 1001]
        assert server.log[-1]["message"] == "stopped"
        server.start()
        for number, client in enumerate(writers):
            shapes = {shape["id"] for shape in await server.shapes(f"term{number}")}
            assert set(acknowledged[client]) <= shapes and {entry["shape"] for entry in client.seen} <= shapes
        assert await asyncio.to_thread(server.terminate) == 0


async def test_sigterm_waits_for_nobody_who_does_not_answer():
    """One client never reads, one hasn't sent its hello, one is in a request. Others get 1001."""
    with Server() as server:
        deaf = await Raw.open(server, "term")
        deaf.send(1, b'{"type":"hello"}')
        silent = await Raw.open(server, "term")
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"POST /v1/rooms/term/ops HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        ann = await Client.join(server, "term")
        assert await asyncio.to_thread(server.terminate) == 0
        assert server.log[-1]["message"] == "stopped"
        assert await ann.closed() == 1001 and await deaf.ended() == 1001 and await silent.ended() == 1001
        writer.close()


async def test_an_answer_that_is_being_sent_is_sent_whole():
    """The server is told to stop while a client reads a large answer slowly."""
    with Server("--max-ops-per-second", "100000") as server:
        for _ in range(8):
            await server.write("large", count=250, kind="text", text="x" * 4_000)

        def read():
            with socket.socket() as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 18)
                connection.connect(("127.0.0.1", server.port))
                connection.sendall(b"GET /v1/rooms/large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                answer = connection.recv(4_096)
                server.process.send_signal(signal.SIGTERM)
                wait_until(lambda: server.log, "it stops", lambda log: any(line["message"] == "stopping" for line in log))
                # The server has nothing else to do now, and the log is closed at once.
                while piece := connection.recv(65_536):
                    answer += piece
                return answer

        head, _, body = (await asyncio.to_thread(read)).partition(b"\r\n\r\n")
        length = int(re.search(rb"content-length: (\d+)", head.lower())[1])
        assert len(body) == length > 8_000_000
        assert await asyncio.to_thread(server.process.wait, SECONDS) == 0
        assert server.log[-1]["message"] == "stopped"


async def test_told_twice_it_stops_at_once():
    """The server waits for a client that doesn't answer the close. A second signal ends it with 1."""
    for first, second in [(signal.SIGINT, signal.SIGTERM), (signal.SIGTERM, signal.SIGINT)]:
        with Server() as server:
            deaf = await Raw.open(server, "term")
            deaf.send(1, b'{"type":"hello"}')
            await deaf.message("ops")
            server.process.send_signal(first)
            assert await deaf.ended() == 1001, "and now its goodbye is waited for"
            server.process.send_signal(second)
            assert await asyncio.to_thread(server.process.wait, SECONDS) == 1
            assert server.log[-1]["message"] == "stopped at the second signal"


@pytest.mark.parametrize("kind", ["pipe", "terminal"])
async def test_a_log_that_nobody_reads_stops_nothing(kind):
    """Nobody reads what the server writes to standard error. Lines are lost, and their number is told later."""
    server = Server()
    reading, writing = os.pipe() if kind == "pipe" else os.openpty()
    if kind == "pipe":
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
    server.process = subprocess.Popen(server.command() + ["--log-level", "debug"], stderr=writing)
    os.close(writing)
    try:
        await eventually(lambda: answers(server.port), "the server listens")
        for number in range(60):
            body = {"ops": [{"shape": identifier(), "set": {"kind": "star"}}]}
            assert (await server.http("POST", f"/v1/rooms/unread-{number}/ops", body)).status == 200
        said = os.read(reading, 4096)
        while b"lines are missing here" not in said:
            assert (await server.http("POST", "/v1/rooms/unread/ops", body)).status == 200
            said += os.read(reading, 4096)
        server.process.terminate()
        assert await asyncio.to_thread(server.process.wait, SECONDS) == 0
    finally:
        server.process.kill()
        os.close(reading)
        shutil.rmtree(server.data, ignore_errors=True)


def answers(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


async def test_a_port_or_a_directory_in_use_or_out_of_reach_is_one_line(shared, tmp_path):
    """The exit code is 1."""
    for flags, said in [
        (["--port", shared.port, "--data", tmp_path], f"SyncServer: port {shared.port} on 127.0.0.1 is in use\n"),
        (["--host", "192.0.2.1", "--open", "--port", 0, "--data", "memory"], "192.0.2.1"),
        (["--port", 0, "--data", shared.data], f"in use by another server, process {shared.process.pid}"),
        (["--port", 0, "--data", "/dev/null/rooms"], "/dev/null/rooms"),
    ]:
        code, _, words = await asyncio.to_thread(run, *flags)
        assert code == 1 and words.count("\n") == 1 and said in words, words


async def test_the_log_tells_who_came_what_was_refused_and_which_shapes_were_made():
    """In JSON, one object per line. Many refusals are a count, at the end at the latest."""
    with Server("--log-level", "debug") as server:
        ann = await Client.join(server, "logged", name="Ann")
        await ann.write({"shape": "afy-kw5-t7o", "set": {
            "kind": "rectangle", "position": [45, 44], "size": [89, 92], "fill": "#EBC641", "alpha": 7}})
        for number in range(300):
            await ann.send({"type": "ops", "id": number, "ops": [{"shape": "no", "set": {"kind": "star"}}]})
        await ann.until("reject", id=299)
        assert await asyncio.to_thread(server.terminate) == 0
        lines = server.log
        assert all({"time", "level", "message"} <= set(line) for line in lines)
        (joined,) = [line for line in lines if line["message"] == "joined"]
        assert joined["room"] == "logged" and joined["actor"] == ann.actor and joined["address"] == "127.0.0.1"
        words = "shape (afy-kw5-t7o), X: 45.0, Y: 44.0, W: 89.0, H: 92.0, R: 235.0, G: 198.0, B: 65.0, Alpha: 0.7"
        assert [line["level"] for line in lines if line["message"] == words] == ["debug"]
        refused = [line for line in lines if line["message"] == "refused"]
        assert len(refused) == 1 and refused[0]["code"] == "bad_shape" and refused[0]["address"] == "127.0.0.1" and refused[0]["reason"]
        assert refused[0]["room"] == "logged" and refused[0]["actor"] == ann.actor and "token" not in refused[0]
        (rest,) = [line for line in lines if line.get("like") == "refused"]
        assert rest["count"] == 299 and rest["message"].startswith("… and 299 more like this in ")
        assert rest["level"] == "info" and rest["code"] == "bad_shape" and rest["room"] == "logged" and rest["last"]
        assert [line["message"] for line in lines][-1] == "stopped"


async def test_refusals_of_different_kinds_are_a_few_a_second_and_then_a_number():
    """The lines and the counts together account for every refusal."""
    with Server() as server:
        paths = [f"/v1/rooms/told-{number}/overlaps?box=1" for number in range(40)]
        assert {(await server.get(path)).status for path in paths} == {404}, "what is not there is nothing refused"
        for number in range(40):
            await server.write(f"told-{number}")
        assert {answer.status for answer in await asyncio.gather(*[server.get(path) for path in paths])} == {400}
        await server.logged("refused more")
        asked = 40

        async def told():
            nonlocal asked
            room = f"told-{asked}"
            asked += 1
            await server.write(room)
            assert (await server.get(f"/v1/rooms/{room}/overlaps?box=1")).status == 400
            return [line for line in server.log if line["message"] == "refused" and line["room"] == room]

        # In a later second, a refusal gets its own log line again. If the first ones came within two seconds, the second
        # of them may have no line left.
        await eventually(told, "a refusal is told, and not only counted")
        assert await asyncio.to_thread(server.terminate) == 0
        refused = [line for line in server.log if line["message"] == "refused"]
        assert all(line["request"] == f"GET /v1/rooms/{line['room']}/overlaps" and line["code"] == "http_400" for line in refused)
        assert all(line["reason"].startswith("box must be ") for line in refused)
        more = sum(line["count"] for line in server.log if line["message"] == "refused more")
        assert more > 0 and len(refused) + more == asked


async def test_the_log_tells_of_connections_and_rooms():
    """At `debug`: connections, and rooms that open and close. At `info`: deleted rooms."""
    with Server("--log-level", "debug", "--room-idle-ms", 0) as server:

        async def told(message):
            return (await server.logged(message, room="told"))[0]

        ann = await Client.join(server, "told")
        assert (await told("connected"))["address"] == "127.0.0.1"
        await ann.write({"shape": identifier(), "set": {"kind": "star"}})
        await ann.close()
        assert (await told("disconnected"))["code"] == 1000
        assert (await told("room closed"))["level"] == "debug"
        await server.get("/v1/rooms/told")
        assert (await told("room opened"))["shapes"] == 1
        await server.http("DELETE", "/v1/rooms/told")
        assert (await told("room deleted"))["level"] == "info"


@contextlib.contextmanager
def held(server):
    """Within `with`, another program holds a lock on the database."""
    with contextlib.closing(sqlite3.connect(os.path.join(server.data, "canvas.db"), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def test_the_log_tells_of_a_disk_that_is_slow_or_fails():
    """Slow commits are logged as warnings. A failing disk is an error, and the end of the failure is logged too."""
    with Server() as server:
        ann = await Client.join(server, "disk")

        def lines(message):
            return [line for line in server.log if line["message"] == message]

        async def slow():
            # The edit is sent while the other program holds the lock, so that its commit has to wait.
            with held(server):
                await ann.send({"type": "ops", "ops": [{"shape": identifier(), "set": {"kind": "star"}}]})
                begun = time.time()
                await eventually(time.time, "a commit that takes as long is a slow one", holds=lambda now: now > begun + 0.4)
            await ann.until("ack")
            return lines("slow commit")

        (commit, *_) = await eventually(slow, "a slow commit")
        assert commit["level"] == "warning" and commit["milliseconds"] >= 250
        assert commit["rooms"] == commit["records"] == 1 and commit["bytes"] > 0
        before = await server.metrics()
        assert before["canvas_ready"] == 1 and before["canvas_log_failed_commits_total"] == 0
        with held(server):
            answer = await ann.write({"shape": identifier(), "set": {"kind": "star"}}, id="refused")
            assert answer["code"] == "unavailable"
            assert await server.metric("canvas_ready") == 0
            (fault,) = lines("the log can't be written; reading still works")
            assert fault["level"] == "error" and "canvas.db" in fault["fault"]
            assert not lines("the log can be written again")
        await eventually(lambda: lines("the log can be written again"), "it can be written again")
        after = await server.metrics()
        assert after["canvas_ready"] == 1 and after["canvas_log_failed_commits_total"] == 1
        assert after['canvas_refusals_total{code="unavailable"}'] == 1
        await ann.accepted({"shape": identifier(), "set": {"kind": "star"}}, id="taken")


async def test_how_long_operations_take_is_measured_while_people_move():
    """Two people move all the time, so there is always presence left to send."""
    with Server("--presence-interval-ms", 100) as server:
        ann, bob = await Client.join(server, "moving"), await Client.join(server, "moving")
        writer = await Client.join(server, "moving")

        async def move(client):
            for number in itertools.count():
                await client.send({"type": "presence", "state": {"number": number}})
                await asyncio.sleep(0.005)

        moving = [asyncio.create_task(move(ann))]
        await bob.until("presence")
        moving.append(asyncio.create_task(move(bob)))
        await ann.until("presence")
        for number in range(20):
            await writer.write({"shape": identifier(), "set": {"kind": "star"}}, id=number)
            assert await server.metric("canvas_delivery_seconds_count") == number + 1
        for task in moving:
            task.cancel()
