"""Older and newer servers share rooms during a rolling upgrade."""

import database
from client import Client, agree, connect
from database import ask
from server import Server, identifier, run
from test_nodes import draw, rectangle, taken
from waiting import eventually

pytestmark = database.needed


def checksum(data):
    """FNV-1a of 64 bits as a signed number, because PostgreSQL has no unsigned ones."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value - 2**64 if value >= 2**63 else value


async def test_a_record_of_a_newer_server_closes_the_room_until_the_node_is_upgraded():
    """C13: Skipping it would show a wrong drawing. Other rooms are served."""
    with database.database() as url, Server(data=url) as server:
        ann, ben = await Client.join(server, "garden"), await Client.join(server, "pond")
        await draw(ann, rectangle(identifier()))
        bytes = bytearray.fromhex(ask("SELECT encode(bytes, 'hex') FROM canvas.records", url)[0])
        form, bytes[0] = bytes[0], 99
        ask(
            "INSERT INTO canvas.records SELECT room, 2, milliseconds, 1, 1, 1, "
            f"{checksum(bytes)}, '\\x{bytes.hex()}' FROM canvas.records; UPDATE canvas.rooms SET last = 2", url,
        )
        assert await ann.closed() == 1001
        again = await connect(server, "garden")
        await again.send({"type": "hello"})
        assert (await again.receive())["code"] == "unavailable"
        assert await again.closed() == 1001
        answer = await server.get("/v1/rooms/garden")
        assert answer.status == 503 and "newer server" in answer.json["error"]["message"]
        said = [line for line in server.log if line["level"] in ("warning", "error")]
        assert any("unknown format" in line["message"] and line["room"] == "garden" for line in said), said
        assert any("has to be brought up to date" in line.get("reason", "") for line in said), said
        await draw(ben, rectangle(identifier()))

        # Gives the record a form that the server can read, as if the server had been upgraded.
        bytes[0] = form
        ask(f"UPDATE canvas.records SET bytes = '\\x{bytes.hex()}', checksum = {checksum(bytes)} WHERE position = 2", url)
        ann = await Client.join(server, "garden")
        await draw(ann, rectangle(identifier()))
        assert len(ann.live) == 2


async def test_a_node_goes_on_beside_a_newer_one_that_has_added_to_the_tables():
    """The older node keeps working after reconnects and restarts, and its version of `log verify` and `log backup` can
    read the rooms. It is refused only if the newer server has declared it too old."""
    with database.database() as url, Server(data=url) as older:
        ann = await Client.join(older, "garden")
        await draw(ann, rectangle(identifier()))
        # Changes the tables as a newer server would.
        ask("ALTER TABLE canvas.rooms ADD COLUMN colour text; UPDATE canvas.about SET version = version + 1", url)
        await draw(ann, rectangle(identifier()))
        ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()", url)
        await eventually(lambda: taken(ann), "writing again")
        with Server(data=url) as again:
            ben = await Client.join(again, "garden")
            await draw(ben, rectangle(identifier()))
            await agree(ann, ben)
        assert run("log", "verify", "--data", url)[0] == 0

        ask("UPDATE canvas.about SET readable_from = version", url)
        for command in (["--port", 0], ["log", "verify"]):
            code, _, said = run(*command, "--data", url)
            assert code == 1 and "start a newer server" in said and said.count("\n") == 1, said
