"""Stored files that are damaged, locked or replaced."""

import asyncio
import contextlib
import os
import shutil
import sqlite3
import tempfile

from client import Client, connect, eventually
from server import Server, identifier, run

ROOMS = 1_000
NEEDLE = "a-name-to-be-found"


async def written(server):
    """A server that has stored something and was killed, so that no snapshot stands for its records."""
    server.start()
    await server.write("damaged", name=NEEDLE)
    await server.write("whole", 3)
    server.kill()
    # What is only in the write-ahead log is carried over by the next start.
    server.start()
    server.kill()
    return os.path.join(server.data, "canvas.db")


async def logged(server, **members):
    """Waits until the server has logged a line with these members."""

    async def lines():
        return any(members.items() <= line.items() for line in server.log)

    await eventually(lines, f"a line with {members}")


async def test_a_database_that_is_cut_short_or_no_database_is_named(shared):
    """One line, exit 1, and the file is as it was."""
    server = Server()
    database = await written(server)
    whole = open(database, "rb").read()
    for name, content in [("half", whole[: len(whole) // 2 // 4096 * 4096 - 1000]), ("other", b"hello " * 4000), ("empty", b"")]:
        for rest in ("-wal", "-shm"):
            if os.path.exists(database + rest):
                os.remove(database + rest)
        with open(database, "wb") as file:
            file.write(content)
        code, _, words = await asyncio.to_thread(run, "--port", "0", "--data", server.data)
        assert code == 1 and words.count("\n") == 1 and "canvas.db" in words, (name, code, words)
        assert open(database, "rb").read() == content, name
    shutil.rmtree(server.data)


async def test_a_damaged_row_is_an_error_of_its_room_only(shared):
    """That room is refused with its name in the log; the others go on."""
    server = Server()
    database = await written(server)
    content = open(database, "rb").read()
    place = content.find(NEEDLE.encode())
    assert place > 0 and content.count(NEEDLE.encode()) == 1
    with open(database, "r+b") as file:
        file.seek(place)
        file.write(b"b")
    with server:
        answer = await server.get("/v1/rooms/damaged")
        assert answer.status == 503 and "damaged" in answer.json["error"]["message"], answer.body
        assert "Retry-After" not in answer.headers, "that doesn’t pass"
        await logged(server, level="error", room="damaged")
        assert len((await server.get("/v1/rooms/whole")).json["shapes"]) == 3
        client = await Client.join(server, "whole")
        assert len(client.live) == 3
        refused = await connect(server, "damaged")
        await refused.send({"type": "hello"})
        error = await refused.receive()
        assert error["code"] == "unavailable" and "damaged" in error["message"], error
        assert await refused.closed() == 1001, "final it is not: an operator may mend it"
        assert await server.metric('canvas_refusals_total{code="unavailable"}') == 1
        await logged(server, code="unavailable", address="127.0.0.1")
        posted = await server.http("POST", "/v1/rooms/damaged/ops", {"ops": [{"shape": "abc-abc-abc", "set": {"alpha": 1}}]})
        assert posted.status == 503
        assert (await server.get("/readyz")).status == 200
    shutil.rmtree(server.data, ignore_errors=True)


async def test_a_database_that_another_program_locks_is_waited_for(shared):
    """Writers are refused, readers go on, and once it is let go the server is as before."""
    with Server() as server:
        await server.write("closed", 2)
        server.kill()
        server.start()
        ann = await Client.join(server, "locked")
        before, after = identifier(), identifier()
        await ann.write({"shape": before, "set": {"kind": "star"}})
        other = sqlite3.connect(os.path.join(server.data, "canvas.db"), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        try:
            for number in range(3):
                answer = await ann.write({"shape": identifier(), "set": {"kind": "star"}}, id=number)
                assert answer["type"] == "reject" and answer["code"] == "unavailable", answer
            assert await server.metric('canvas_refusals_total{code="unavailable"}') == 3, "each is counted once"
            await logged(server, code="unavailable", address="127.0.0.1", room="locked", actor=ann.actor)
            posted = await server.http("POST", "/v1/rooms/locked/ops", {"ops": [{"shape": identifier(), "set": {"kind": "star"}}]})
            assert posted.status == 503 and posted.error == "unavailable"
            ready = await server.get("/readyz")
            assert ready.status == 503 and "locked" in ready.body.decode(), ready.body
            assert await server.metric("canvas_ready") == 0
            assert set((await Client.join(server, "locked")).live) == {before}
            assert len((await Client.join(server, "closed")).live) == 2
            assert len((await server.get("/v1/rooms/closed")).json["shapes"]) == 2
        finally:
            other.execute("ROLLBACK")
            other.close()

        async def ready_again():
            return (await server.get("/readyz")).status == 200

        await eventually(ready_again, "it is ready again")
        assert (await ann.write({"shape": after, "set": {"kind": "star"}}, id="after"))["type"] == "ack"
        assert await server.metric("canvas_ready") == 1
        server.kill()
        server.start()
        assert {shape["id"] for shape in (await server.get("/v1/rooms/locked")).json["shapes"]} == {before, after}


async def test_a_snapshot_that_was_not_written_whole_is_passed_over(shared):
    """The room opens from an older one and the log, or from the log alone; where there is neither, it is refused."""
    with Server("--room-idle-ms", 0, "--history-ms", 0) as server:
        shapes = []
        for snapshots in (1, 2):
            shapes += await server.write("torn", 20)

            async def stored():
                return await server.metric("canvas_snapshots_total") == snapshots and await server.metric("canvas_rooms_open") == 0

            await eventually(stored, "a snapshot")
        server.kill()
        server.flags = []
        database = os.path.join(server.data, "canvas.db")

        def change(words):
            with contextlib.closing(sqlite3.connect(database)) as connection, connection:
                assert connection.execute(words).rowcount == 1, words

        newest = "position=(SELECT max(position) FROM snapshots)"
        oldest = "position=(SELECT min(position) FROM snapshots)"
        cut = "UPDATE snapshot_parts SET bytes=substr(bytes, 1, length(bytes) - 100) WHERE "
        for damage, opens in [
            (cut + newest, True),
            # From here on the log alone isn't enough, so the older snapshot must have been used.
            ("UPDATE records SET bytes=zeroblob(10) WHERE position=1", True),
            ("DELETE FROM snapshot_parts WHERE " + oldest, False),
        ]:
            change(damage)
            server.start()
            answer = await server.get("/v1/rooms/torn")
            if opens:
                assert {shape["id"] for shape in answer.json["shapes"]} == set(shapes), damage
                assert set((await Client.join(server, "torn")).live) == set(shapes)
            else:
                assert answer.status == 503 and "damaged" in answer.json["error"]["message"], answer.body
            assert (await server.get("/readyz")).status == 200
            server.kill()


async def test_a_copy_of_the_directory_that_is_put_back(shared):
    """D7: A client that saw lost operations gets the whole state. A client that had only what the copy has resumes."""
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        await server.write("room", 3)
        early = await Client.join(server, "room")
        server.kill()
        shutil.copytree(server.data, copy)
        server.start()
        late = await Client.join(server, "room", since=early.cursor, state=False)
        late.registers = dict(early.registers)
        assert "reset" not in (await late.state())[0]
        for number in range(10):
            await late.write({"shape": identifier(), "set": {"kind": "star"}}, id=number)
        assert len(late.live) == 13
        server.kill()
        shutil.rmtree(server.data)
        shutil.copytree(copy, server.data)

        async def come_back(old):
            client = await Client.join(
                server, "room", state=False, since=old.cursor, actor=old.actor, key=old.welcome["key"]
            )
            assert client.actor == old.actor, "the secret is part of the copy"
            client.registers, client.erased = dict(old.registers), dict(old.erased)
            return client, (await client.state())[0].get("reset", False)

        server.start()
        for written in (0, 5, 10):
            await asyncio.gather(*[server.write("room") for _ in range(written)])
            whole = await Client.join(server, "room")
            for old, reset in ((early, False), (late, True)):
                client, was_reset = await come_back(old)
                assert was_reset is reset, written
                assert client.live == whole.live and client.cursor == whole.cursor
                await client.send({"type": "digest"})
                assert (await client.until("digest"))["hash"] == client.digest
            assert (await server.get(f"/v1/rooms/room?at={late.cursor}")).error == "other_cursor"
            then = (await server.get(f"/v1/rooms/room?at={early.cursor}")).json
            assert len(then["shapes"]) == 3 and then["cursor"] == early.cursor
        assert len(whole.live) == 18


async def test_rooms_that_are_closed_cost_nothing():
    """Thousands of them: no memory to speak of, and all are listed."""
    with Server("--room-idle-ms", 0) as server:
        async def closed():
            return await server.metric("canvas_rooms_open") == 0

        async def memory_after(rooms):
            for start in range(rooms.start, rooms.stop, 50):
                await asyncio.gather(*[server.write(f"room{number}") for number in range(start, start + 50)])
            await eventually(closed, "all are closed")
            return await server.metric("process_resident_memory_bytes")

        # What the first ones take is taken once: the allocator's, the log's and the threads' own.
        before = await memory_after(range(ROOMS // 2))
        grown = await memory_after(range(ROOMS // 2, ROOMS)) - before
        assert grown / (ROOMS // 2) < 8_000, grown
        rooms = (await server.get("/v1/rooms")).json["rooms"]
        assert len(rooms) == ROOMS and all(room["shapes"] == 1 for room in rooms)
        assert await server.metric("canvas_rooms_open") == 0, "the list opens none"


async def test_memory_keeps_nothing(shared):
    """`--data memory`: works like any other store while the server runs."""
    with Server(data="memory") as server:
        await server.write("room", 2)
        assert len((await server.get("/v1/rooms/room")).json["shapes"]) == 2
        assert await asyncio.to_thread(server.terminate) == 0
        server.start()
        assert (await server.get("/v1/rooms/room")).status == 404
