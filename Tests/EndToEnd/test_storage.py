"""Stored files that are damaged, locked or replaced."""

import asyncio
import os
import shutil
import tempfile

from client import Client, connect
from raw import request
from server import Server, identifier
from test_log_commands import damage, stored
from test_prices import requests

ROOMS = 400


async def test_a_damaged_row_is_an_error_of_its_room_only():
    """It is refused, logged, listed with its fault (H7), and counted. Others are not affected."""
    async with stored() as server:
        damage(server)
        # Disables background verification, which would find the damage too.
        server.flags = ["--verify-every-ms", "0"]
        server.start()
        assert await server.metric("canvas_log_damaged_rooms") == 0
        answer = await server.get("/v1/rooms/torn")
        assert answer.status == 503 and "damaged" in answer.json["error"]["message"], answer.body
        assert "Retry-After" not in answer.headers, "that doesn’t pass"
        assert await server.metric("canvas_log_damaged_rooms") == 1
        await server.logged(level="error", room="torn")
        assert len(await server.shapes("whole")) == 3
        client = await Client.join(server, "whole")
        assert len(client.live) == 3
        refused = await connect(server, "torn")
        await refused.send({"type": "hello"})
        error = await refused.receive()
        assert error["code"] == "unavailable" and "damaged" in error["message"], error
        assert await refused.closed() == 1001, "final it is not: an operator may mend it"
        assert await server.metric('canvas_refusals_total{code="unavailable"}') == 1
        await server.logged(code="unavailable", address="127.0.0.1")
        posted = await server.http("POST", "/v1/rooms/torn/ops", {"ops": [{"shape": "abc-abc-abc", "set": {"alpha": 1}}]})
        assert posted.status == 503
        for _ in range(2):
            torn, whole = (await server.get("/v1/rooms")).json["rooms"]
            assert (torn["room"], torn["operations"], torn["peers"]) == ("torn", 3, 0)
            assert torn["cursor"] and "damaged at position 2" in torn["fault"], torn
            assert (whole["room"], whole["shapes"], set(whole)) == ("whole", 3, {"room", "shapes", "peers", "cursor", "operations"})
        assert (await server.get("/readyz")).status == 200


async def test_a_copy_of_the_directory_that_is_put_back(shared):
    """D7: Who has seen lost operations gets the whole state. Who has only what the copy has resumes."""
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
                await client.agrees()
            assert (await server.get(f"/v1/rooms/room?at={late.cursor}")).error == "other_cursor"
            then = (await server.get(f"/v1/rooms/room?at={early.cursor}")).json
            assert len(then["shapes"]) == 3 and then["cursor"] == early.cursor
        assert len(whole.live) == 18


async def test_rooms_that_are_closed_cost_nothing():
    """Hundreds of closed rooms use hardly any memory, and all are listed."""
    with Server("--room-idle-ms", 0) as server:
        async def memory_after(rooms):
            body = b'{"ops":[{"shape":"aaa-aaa-aaa","set":{"kind":"star"}}]}'
            await requests(server, [request(f"/v1/rooms/room{number}/ops", method="POST", body=body) for number in rooms], at_once=16)
            await server.has("canvas_rooms_open", 0)
            return await server.metric("process_resident_memory_bytes")

        # The first half of the rooms is not measured. It includes the memory that the process takes only once.
        before = await memory_after(range(ROOMS // 2))
        grown = await memory_after(range(ROOMS // 2, ROOMS)) - before
        assert grown / (ROOMS // 2) < 8_000, grown
        rooms = (await server.get("/v1/rooms")).json["rooms"]
        assert len(rooms) == ROOMS and all(room["shapes"] == 1 for room in rooms)
        assert await server.metric("canvas_rooms_open") == 0, "the list opens none"


async def test_memory_keeps_nothing(shared):
    """`--data memory` works like any other store while the server runs."""
    with Server(data="memory") as server:
        await server.write("room", 2)
        assert len(await server.shapes("room")) == 2
        assert await asyncio.to_thread(server.terminate) == 0
        server.start()
        assert (await server.get("/v1/rooms/room")).status == 404
