"""`SyncServer log backup` and `log verify` of a database."""

import asyncio
import os

import database
from client import Client
from database import ask, nodes
from server import Server, identifier
from test_log_commands import log, log_says
from test_nodes import all_are_answered, draw, rectangle

pytestmark = database.needed


async def test_a_database_in_use_is_copied_into_a_directory_that_a_server_serves(tmp_path):
    """With history, locks and secret. Who has seen more is sent the whole room."""
    copy = str(tmp_path / "copy")
    with nodes(2, "--room-idle-ms", 100) as servers:
        ann, ben = [await Client.join(server, "garden") for server in servers]
        drawn_by, is_over = {}, asyncio.Event()

        async def keep_drawing(client):
            shape, x = identifier(), 0
            while not is_over.is_set():
                await client.accepted({"shape": shape, "set": {"kind": "star", "position": [x, 0]}}, id=x)
                drawn_by[shape] = x
                x += 1

        quiet = await Client.join(servers[0], "pond")
        await quiet.write(*({"shape": identifier(), "set": {"kind": "star"}} for _ in range(50)))
        cursor = quiet.cursor
        assert (await servers[0].http("PUT", "/v1/rooms/pond/lock")).status == 204
        drawing = [asyncio.create_task(keep_drawing(client)) for client in (ann, ben)]
        await all_are_answered(drawn_by, 2)
        code, out, said = await log("backup", "--data", servers[0].data, "--to", copy)
        assert code == 0 and "2 rooms copied" in out and out.count("\n") == 2 and "2 rooms with" in out and "all sound" in out, (out, said)
        # Edits that are acknowledged while the copy is being made are missing from it.
        await all_are_answered(drawn_by, 2)
        is_over.set()
        await asyncio.gather(*drawing)
        for words, reason in [(copy, "File exists"), (str(tmp_path / "no" / "such"), "No such file")]:
            code, out, said = await log("backup", "--data", servers[0].data, "--to", words)
            assert code == 1 and reason in said and said.count("\n") == 1, said
        drawn, seen = quiet.live, ann.cursor
        actor, key = quiet.actor, quiet.welcome["key"]
    assert {"canvas.db", "canvas.locks", "canvas.secret"} <= set(os.listdir(copy))
    with Server(data=copy) as server:
        back = await Client.join(server, "pond", state=False, since=cursor, actor=actor, key=key)
        assert not any(message.get("reset") for message in await back.state()) and back.actor == actor
        assert (await Client.join(server, "pond")).live == drawn
        assert (await server.get("/v1/rooms/pond/peers")).json["locked"] is True
        again = await Client.join(server, "garden", state=False, since=seen)
        assert (await again.state())[0]["reset"] is True and len(again.live) == 2


async def test_a_room_that_comes_back_from_a_backup_misreads_no_cursor(tmp_path):
    """D7: the node runs on, and the room soon has as many new edits as it has lost."""
    copy = str(tmp_path / "copy")
    with nodes(1) as (server,):
        ann = await Client.join(server, "garden")
        kept, lost, new = (identifier() for _ in range(3))
        await draw(ann, rectangle(kept))
        await log_says(["1 rooms copied"], "backup", "--data", server.data, "--to", copy)
        await draw(ann, rectangle(lost))
        cursor = ann.cursor
        assert (await server.http("DELETE", "/v1/rooms/garden")).status == 204
        for moved in (1, 0):
            words = f"{moved} rooms moved, {1 - moved} were there already"
            await log_says([words], "move", "--from", copy, "--to", server.data)
        ben = await Client.join(server, "garden")
        await draw(ben, rectangle(new))
        ann = await Client.join(server, "garden", state=False, since=cursor)
        assert (await ann.state())[0]["reset"] is True and ann.live.keys() == {kept, new}


async def test_damage_in_a_database_is_named_and_counted(tmp_path):
    """Damaged snapshots are named though the rooms can be read without them. The metric counts damaged rooms."""
    with database.database() as url:
        with Server(data=url) as server:
            for room in "ab":
                await server.write(room)
            assert await asyncio.to_thread(server.terminate) == 0
        assert ask("SELECT name, position FROM canvas.rooms JOIN canvas.snapshots ON number = room ORDER BY 1", url) == ["a|1", "b|1"]
        ask("UPDATE canvas.snapshots SET checksum = checksum + 1", url)
        named = [f"the snapshot of room {room} at position 1 is damaged" for room in "ab"]
        said = [words + "; the room can be used without it\n" for words in named]
        await log_says([*said, "2 rooms with 2 records, 2 damaged"], "verify", "--data", url, code=1)
        said = [f"left out: {words}\n" for words in named]
        await log_says([*said, "2 rooms copied", "all sound"], "backup", "--data", url, "--to", tmp_path / "copy")
        ask("UPDATE canvas.records SET checksum = checksum + 1 WHERE room = (SELECT number FROM canvas.rooms WHERE name = 'b')", url)
        with Server(data=url) as server:
            await server.has("canvas_log_damaged_rooms", 1)
            told = await server.logged("a room is damaged; see docs/OPERATING.md, Damaged rooms", rooms="b")
            assert told[0]["level"] == "error"
            assert (await server.get("/v1/rooms/a")).status == 200
            await server.has("canvas_log_damaged_rooms", 2)


async def test_a_database_without_rooms_is_left_as_it_is(tmp_path):
    """The commands that read make no tables there, upgrade none, and store no secret."""
    copy = tmp_path / "copy"
    commands = [("verify", "--data"), ("backup", "--to", copy, "--data"), ("move", "--to", copy, "--from")]

    async def refused(words):
        for command in commands:
            code, out, said = await log(*command, url)
            assert (code, out) == (1, "") and words in said and said.count("\n") == 1, (command, out, said)

    with database.database() as url:
        await refused("there are no rooms of CanvasSync in this database")
        assert ask("SELECT nspname FROM pg_namespace WHERE nspname = 'canvas'", url) == []
        with Server(data=url):
            pass
        ask("UPDATE canvas.about SET version = 0; DELETE FROM canvas.secrets", url)
        await refused("start a server of this version first")
        assert ask("SELECT version, (SELECT count(*) FROM canvas.secrets) FROM canvas.about", url) == ["0|0"]
    assert os.listdir(tmp_path) == []
