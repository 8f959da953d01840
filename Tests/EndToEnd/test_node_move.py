"""`SyncServer log move` between directories and databases."""

import asyncio
import subprocess

import database
import server as programs
from client import Client
from database import ask
from server import Server, identifier
from test_log_commands import content, log, log_says
from test_nodes import draw, rectangle
from waiting import eventually

pytestmark = database.needed


async def test_rooms_are_moved_from_a_directory_to_a_database_and_back(tmp_path):
    """Rooms are moved with their history, cursors and keys, so clients go on as if nothing had happened."""
    plain, again = str(tmp_path / "plain"), str(tmp_path / "again")

    async def look(server, names):
        looking = [await Client.join(server, name) for name in names]
        return [client.live for client in looking], looking[0]

    names = ["garden", "pond", "wood"]
    with Server("--room-idle-ms", 100, data=plain) as server:
        for name in names:
            client = await Client.join(server, name)
            for _ in range(30):
                await draw(client, *[rectangle(identifier()) for _ in range(20)])
            await client.close()
        drawn, ann = await look(server, names)
        cursor, actor, key = ann.cursor, ann.actor, ann.welcome["key"]
        await ann.close()
        assert await asyncio.to_thread(server.terminate) == 0

    with database.database() as url:
        await log_says(["3 rooms moved, 0 were there already"], "move", "--from", plain, "--to", url)
        await log_says(["0 rooms moved, 3 were there already"], "move", "--from", plain, "--to", url)
        await log_says(["3 rooms with 90 records, all sound"], "verify", "--data", url)
        with Server(data=url) as server:
            assert (await look(server, names))[0] == drawn
            ann = await Client.join(server, "garden", state=False, since=cursor, actor=actor, key=key)
            assert ann.actor == actor and not any(message.get("reset") for message in await ann.state())
            await draw(ann, rectangle(identifier()))
            drawn, _ = await look(server, names)
            past = await server.get("/v1/rooms/garden?at=" + cursor)
            assert past.status == 200 and len(past.json["shapes"]) == 600
            assert await asyncio.to_thread(server.terminate) == 0
        # The room in the source has newer edits than its copy. So the command considers the copy to be another room,
        # and refuses to replace it.
        await log_says(["another room garden"], "move", "--from", plain, "--to", url, "--room", "garden", code=1)
        await log_says(["3 rooms moved"], "move", "--from", url, "--to", again)
    with Server(data=again) as server:
        assert (await look(server, names))[0] == drawn
        assert (await Client.join(server, "garden", actor=actor, key=key)).actor == actor


async def test_what_a_clock_that_was_ahead_has_stored_is_moved():
    """A database stores no times to come. Such records get its time, and are otherwise unchanged."""
    ahead = "SELECT count(*) || ' of ' || (SELECT count(*) FROM canvas.records) FROM canvas.records " \
        "WHERE milliseconds > extract(epoch FROM clock_timestamp()) * 1000 + 2000"
    with database.database() as one, database.database() as two:
        with Server(data=one) as server:
            ann = await Client.join(server, "garden")
            for _ in range(5):
                await draw(ann, rectangle(identifier()))
            assert await asyncio.to_thread(server.terminate) == 0
        ask("UPDATE canvas.records SET milliseconds = milliseconds + 86400000 WHERE position > 2", one)
        ask("UPDATE canvas.rooms SET changed = changed + 86400000", one)
        assert ask(ahead, one) == ["3 of 5"]
        await log_says(["1 rooms moved"], "move", "--from", one, "--to", two)
        assert ask(ahead, two) == ["0 of 5"]
        await log_says(["1 were there already"], "move", "--from", one, "--to", two)
        with Server(data=two) as server:
            assert (await Client.join(server, "garden")).live == ann.live


async def test_a_room_in_use_goes_to_another_database_as_the_documents_say(tmp_path):
    """Meanwhile it is locked. Afterwards clients go on as the same actors."""
    tokens = tmp_path / "tokens"
    tokens.write_text("ann-aaaaaaaaaaaaaaaa editor *\nkeeper-bbbbbbbbbbbb operator *\n", encoding="utf-8")
    tokens.chmod(0o600)
    bearer = {"additional_headers": {"Authorization": "Bearer ann-aaaaaaaaaaaaaaaa"}}

    async def ask_for(server, method, path):
        answer = await server.http(method, f"/v1/rooms/{path}", headers={"Authorization": "Bearer keeper-bbbbbbbbbbbb"})
        assert answer.status == 204, answer.body

    with database.database() as one, database.database() as two, Server("--tokens", tokens, data=one) as old:
        pond = await Client.join(old, "pond", options=bearer)
        await draw(pond, rectangle(identifier()))
        # A database without a secret takes the secret of the database that the room comes from.
        await log_says([], "move", "--from", one, "--to", two, "--room", "pond")
        with Server("--tokens", tokens, data=two) as new:
            ann = await Client.join(old, "garden", options=bearer)
            await draw(ann, rectangle(identifier()))

            async def back(server, client, role):
                assert await client.closed() == 1001
                key = client.welcome["key"]
                again = await Client.join(
                    server, "garden", state=False, options=bearer, since=client.cursor, actor=client.actor, key=key)
                assert again.actor == client.actor and again.welcome["role"] == role
                assert not any(message.get("reset") for message in await again.state())
                return again

            await ask_for(old, "PUT", "garden/lock")
            ann = await back(old, ann, "viewer")
            await log_says(["1 rooms moved"], "move", "--from", one, "--to", two, "--room", "garden")
            await ask_for(new, "DELETE", "garden/lock")
            await ask_for(old, "DELETE", "garden/lock")
            ann = await back(new, ann, "editor")
            await draw(ann, rectangle(identifier()))
            await ask_for(old, "DELETE", "garden")
            assert len((await Client.join(new, "garden", options=bearer)).live) == 2


async def drawn_in(place):
    """Makes a room with three megabytes of records, which are read in several pages."""
    with Server("--max-ops-per-second", 1_000_000, data=place) as server:
        ann = await Client.join(server, "garden")
        for _ in range(60):
            await draw(ann, *[rectangle(identifier(), name="A name that is long enough " * 4) for _ in range(300)])
        assert await asyncio.to_thread(server.terminate) == 0
        return ann.live


def when_stored(url, condition, deed):
    """Makes the database run a statement before it stores certain records."""
    ask(
        f"CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {deed}; RETURN NEW; END $$;"
        f"CREATE TRIGGER meddle BEFORE INSERT ON canvas.records FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION meddle()", url,
    )


async def test_a_move_that_was_killed_goes_on_where_it_was(tmp_path):
    """The first is killed in the middle of a room. The next goes on after the records that are there."""
    plain = str(tmp_path / "plain")
    drawn = await drawn_in(plain)
    with database.database() as url:
        with Server(data=url):
            pass
        when_stored(url, "NEW.position = 40", "PERFORM pg_sleep(600)")
        moving = subprocess.Popen(
            [programs.BINARY, "log", "move", "--from", plain, "--to", url], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

        async def is_begun():
            return 0 < int(ask("SELECT count(*) FROM canvas.records", url)[0]) and ask(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'", url)

        await eventually(is_begun, "the middle of the room")
        moving.kill()
        moving.communicate()
        ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'", url)
        ask("DROP TRIGGER meddle ON canvas.records", url)
        came = int(ask("SELECT count(*) FROM canvas.records", url)[0])
        assert 0 < came < 40
        await log_says(["1 rooms moved, 0 were there already"], "move", "--from", plain, "--to", url)
        assert ask("SELECT count(*), max(position) FROM canvas.records", url) == ["60|60"]
        await log_says(["0 rooms moved, 1 were there already"], "move", "--from", plain, "--to", url)
        with Server(data=url) as server:
            assert (await Client.join(server, "garden")).live == drawn


async def test_a_move_leaves_a_room_that_somebody_writes_to_meanwhile(tmp_path):
    plain = str(tmp_path / "plain")
    await drawn_in(plain)
    with database.database() as url, Server(data=url) as server:
        # The database waits within the copy until somebody writes. By then the room is there, with what was copied
        # before. A node that waits for a lock looks again and again, so it might not be waiting at the right moment
        # otherwise.
        others = "SELECT FROM pg_stat_activity WHERE datname = current_database()"
        writes = f"{others} AND application_name = 'canvas writer' AND wait_event_type = 'Lock'"
        when_stored(
            url, "NEW.position = 40",
            f"WHILE NOT EXISTS({writes}) LOOP PERFORM pg_sleep(0.005), pg_stat_clear_snapshot(); END LOOP")
        moving = asyncio.create_task(log("move", "--from", plain, "--to", url))

        async def is_waiting():
            return ask(f"SELECT EXISTS({others} AND wait_event = 'PgSleep')", url) == ["t"]

        await eventually(is_waiting, "the middle of the room")
        bob = await Client.join(server, "garden")
        shape = identifier()
        await draw(bob, rectangle(shape))
        code, out, said = await moving
        assert code == 1 and "somebody writes to room garden where it goes" in out, (out, said)
        assert shape in (await Client.join(server, "garden")).live


async def test_a_backup_leaves_a_damaged_room_out_and_has_the_others(tmp_path):
    copy = str(tmp_path / "copy")
    with database.database() as url:
        with Server(data=url) as server:
            for room in "abc":
                await draw(await Client.join(server, room), rectangle(identifier()))
            assert await asyncio.to_thread(server.terminate) == 0
        damaged = "room = (SELECT number FROM canvas.rooms WHERE name = 'b')"
        ask(f"UPDATE canvas.records SET bytes = set_byte(bytes, 5, 99) WHERE {damaged}; DELETE FROM canvas.snapshots", url)
        await log_says(["left out: room b is damaged at position 1", "2 rooms copied"], "backup", "--data", url, "--to", copy, code=1)
    with Server(data=copy) as server:
        assert [len((await Client.join(server, room)).live) for room in "ac"] == [1, 1]


async def test_a_move_that_comes_to_another_room_stops_and_leaves_none(tmp_path):
    plain = str(tmp_path / "plain")
    await drawn_in(plain)
    with database.database() as url:
        with Server(data=url):
            pass
        # In place of the fiftieth record, stores the tenth record again with a correct checksum.
        when_stored(
            url, "NEW.position = 50",
            "SELECT checksum, bytes INTO NEW.checksum, NEW.bytes FROM canvas.records WHERE room = NEW.room AND position = 10")
        await log_says(["room garden is another one where it went"], "move", "--from", plain, "--to", url, code=1)
        assert ask("SELECT name FROM canvas.rooms", url) == []


async def test_locks_go_with_the_rooms_that_are_where_they_went(tmp_path):
    """A room that is left out, or that somebody deletes there at once, keeps no other from being locked."""
    copy = tmp_path / "copy"
    with database.database() as one, database.database() as two:
        with Server(data=one) as server:
            for room in "abcd":
                await server.write(room)
            assert await asyncio.to_thread(server.terminate) == 0
        ask(
            "INSERT INTO canvas.locks SELECT name FROM canvas.rooms; DELETE FROM canvas.snapshots;"
            "UPDATE canvas.records SET checksum = checksum + 1 WHERE room = (SELECT number FROM canvas.rooms WHERE name = 'b')", one)
        await log_says(["left out: room b is damaged", "3 rooms copied"], "backup", "--data", one, "--to", copy, code=1)
        with Server(data=two):
            pass
        # Locking the first room deletes another one.
        ask(
            "CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN DELETE FROM canvas.rooms WHERE name = 'c'; RETURN NEW; END $$;"
            "CREATE TRIGGER meddle BEFORE INSERT ON canvas.locks FOR EACH ROW EXECUTE FUNCTION meddle()", two)
        await log_says(["3 rooms moved, 0 were there already, 1 left out"], "move", "--from", one, "--to", two, code=1)
        assert ask("SELECT room FROM canvas.locks ORDER BY 1", two) == ["a", "d"]
    assert content(copy / "canvas.locks") == b"a\nc\nd\n"
