"""Clients that reconnect, come late, or can't keep up."""

import asyncio
import os
import socket
import stat

from client import Client, connect
from server import Server, identifier, run


async def test_a_large_state_comes_in_parts(shared):
    """D1, D3: Each part has at most messageBytes. All but the last have `more`, and only the first has `reset`."""
    await asyncio.gather(*[shared.write("parts", 500, name=f"{number} " + "x" * 100) for number in range(2)])
    client = await Client.join(shared, "parts", state=False)
    state = await client.state()
    assert state[0]["reset"] and all("reset" not in message for message in state[1:])
    assert all(message.get("more") for message in state[:-1])
    assert len(client.live) == 1000


async def test_a_reader_that_stalls_gets_the_newest_and_delays_nobody():
    """D5: Sixteen megabytes unread take constant memory, and in the end it has what all have."""
    with Server("--max-ops-per-second", 1000000) as server:
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        narrow.connect(("127.0.0.1", server.port))
        stalled = await Client.join(server, "stall", options={"sock": narrow, "max_queue": 1})
        ann, bob = await Client.join(server, "stall"), await Client.join(server, "stall")
        shapes, last = [identifier() for _ in range(500)], identifier()

        async def read(client):
            while last not in client.registers:
                await client.receive()

        reading = asyncio.create_task(read(bob))
        before = await server.metric("process_resident_memory_bytes")
        for number in range(64):
            name = f"{number} " + "x" * 110
            answer = await ann.write(
                *[{"shape": shape, "set": {"kind": "rectangle", "name": name, "rotation": number}} for shape in shapes]
            )
            assert answer["type"] == "ack"
        await ann.write({"shape": last, "set": {"kind": "star"}}, id="last")
        await reading
        grown = await server.metric("process_resident_memory_bytes") - before
        await read(stalled)
        assert stalled.live == ann.live == bob.live
        assert len(bob.seen) == 64 * 500 + 1
        assert len(stalled.seen) < len(bob.seen) / 2, "it was sent less than everything"
        assert await server.metric("canvas_fell_off_total") >= 1
        assert await server.metric('canvas_caught_up_total{state="difference"}') >= 1
        assert await server.metric("canvas_stalls_total") >= 1
        assert grown < 64 << 20, grown
        await stalled.agrees()


async def test_as_many_rooms_are_open_as_may_be():
    """An idle one is closed for another, and opens again unchanged. If none is idle, that is an error."""
    with Server("--max-rooms", 3) as server:
        shapes = [(await server.write(f"room{number}"))[0] for number in range(6)]
        assert await server.metric("canvas_rooms_open") <= 3
        for number in range(6):
            (shape,) = await server.shapes(f"room{number}")
            assert shape["id"] == shapes[number]
        rooms = (await server.get("/v1/rooms")).json["rooms"]
        assert [room["shapes"] for room in rooms] == [1] * 6
        clients = [await Client.join(server, f"room{number}") for number in range(3)]
        assert (await server.get("/v1/rooms/room5")).status == 503
        await clients[0].close()
        await server.answers("/v1/rooms/room5")


async def test_no_more_rooms_are_opened_at_once_than_may_be_open():
    """Rooms that are being read from the log count as open."""
    with Server() as server:
        for number in range(12):
            await server.write(f"room{number}")
        server.kill()
        server.flags += ["--max-rooms", "3"]
        server.start()
        clients = [await connect(server, f"room{number}") for number in range(12)]
        await asyncio.gather(*[client.send({"type": "hello"}) for client in clients])
        answers = await asyncio.gather(*[client.receive() for client in clients])
        assert sorted(answer["type"] for answer in answers) == ["error"] * 9 + ["welcome"] * 3, answers
        assert {answer["code"] for answer in answers if answer["type"] == "error"} == {"too_many"}
        assert await server.metric("canvas_rooms_open") == 3


async def test_keys_outlast_restarts():
    """C9: Only the server's user may read the secret. The database has a copy. Another secret makes keys invalid."""
    with Server() as server:
        path = os.path.join(server.data, "canvas.secret")
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        ann = await Client.join(server, "room")
        await ann.write({"shape": identifier(), "set": {"kind": "star"}})
        server.restart()
        back = await Client.join(server, "room", actor=ann.actor, key=ann.welcome["key"])
        assert back.actor == ann.actor and back.welcome["key"] == ann.welcome["key"]
        server.kill()
        os.chmod(path, 0o644)
        server.start()
        assert any(line.get("file") == path and line["level"] == "warning" for line in server.log)
        server.kill()
        os.remove(path)
        server.start()
        assert (await Client.join(server, "room", actor=ann.actor, key=ann.welcome["key"])).actor == ann.actor
        assert (await Client.join(server, "room", actor=ann.actor)).actor != ann.actor, "it was given to somebody"
        server.kill()
        with open(path, "w") as file:
            file.write("ab" * 32)
        server.start()
        assert (await Client.join(server, "room", actor=ann.actor, key=ann.welcome["key"])).actor != ann.actor
        server.kill()
        with open(path, "w") as file:
            file.write("no secret")
        code, _, said = await asyncio.to_thread(run, "--port", 0, "--data", server.data)
        assert code == 1 and said.startswith(f"SyncServer: {path}: ") and said.count("\n") == 1, said
