"""How nodes remember and forget deletions together, and how they read a stored room."""

import asyncio

import database
from client import Client, agree, stamp
from database import nodes
from server import Server, identifier
from waiting import eventually

pytestmark = database.needed


async def memory(server, method="GET"):
    answer = await server.http(method, "/v1/rooms/demo/erasures")
    assert answer.status == (204 if method == "DELETE" else 200), answer.body
    return answer.json if method == "GET" else None


async def test_all_nodes_forget_at_the_same_place():
    """H17, W12: One node is asked to forget. Then all nodes refuse operations with an earlier stamp as `too_old`, even
    after a crash."""
    with nodes(2, "--max-erasures", "20") as (first, second):
        ann, ben = await Client.join(first, "demo"), await Client.join(second, "demo")
        kept, gone = identifier(), [identifier() for _ in range(20)]
        await ann.write({"shape": kept, "set": {"kind": "star"}})
        await ann.write(*({"shape": shape, "set": {"deleted": True}} for shape in gone), id=2)
        late = stamp(ben.actor, ahead=-20_000)
        # Until both clients agree, the second node might not have the room yet.
        await agree(ann, ben)
        await eventually(lambda: memory(second), "the other node has heard of all", holds=lambda found: found["erasures"] == 20)
        assert (await ben.write({"shape": identifier(), "set": {"kind": "star"}}, id=3))["code"] == "room_full"
        await memory(second, "DELETE")
        assert (await memory(second))["erasures"] == 0
        await eventually(
            lambda: asyncio.gather(memory(first), memory(second)), "both nodes have forgotten",
            holds=lambda found: found[0] == found[1] and found[0]["erasures"] == 0)
        for client in (ann, ben):
            assert (await client.write({"shape": identifier(), "set": {"kind": "star"}}, id=4))["type"] == "ack"
        assert (await ben.write({"shape": gone[0], "at": late, "set": {"kind": "star"}}, id=5))["code"] == "too_old"
        before = (await memory(first))["forgottenBefore"]
        first.restart()
        again = await Client.join(first, "demo", actor=ann.actor, key=ann.welcome["key"])
        assert (await memory(first))["forgottenBefore"] == before
        late = stamp(again.actor, ahead=-60_000)
        assert (await again.write({"shape": gone[1], "at": late, "set": {"kind": "star"}}, id=6))["code"] == "too_old"
        await agree(again, ben)


async def test_opening_a_room_reads_each_of_its_records_once():
    """Reading records more than once would make a room with a long history open too slowly."""
    records = 20_000
    with database.database() as place:
        with Server(data=place) as first:
            (shape,) = await first.write("demo")
        database.ask(
            "INSERT INTO canvas.records SELECT room, number, milliseconds, number, writer, append, checksum, bytes "
            f"FROM canvas.records, generate_series(2, {records}) AS number", place,
        )
        database.ask(f"UPDATE canvas.rooms SET last = {records}, operations = {records}", place)
        with Server(data=place) as second:
            room = (await second.get("/v1/rooms/demo")).json
            assert [one["id"] for one in room["shapes"]] == [shape]
            second.terminate()

        async def counted():
            """PostgreSQL updates a connection's statistics when the connection ends, which is soon after the server
            ends."""
            (read,) = database.ask("SELECT idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'records'", place)
            return int(read) >= records and int(read)

        # Background verification can read a record a second time.
        assert await eventually(counted, "the records are counted") < 2.1 * records
