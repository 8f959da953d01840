"""A server that doesn't accept an edit: what the user is told, and what becomes of the edit."""

import contextlib
import fcntl
import json
import os
import signal

import pytest

from server import Server
from terminal import between, run, start, without
from waiting import eventually


async def told(client):
    line = (await client.process.stderr.readline()).decode()
    assert "waiting: " in line, line
    return line


@pytest.fixture
def state(tmp_path):
    return str(tmp_path)


async def test_an_edit_that_is_not_stored_says_what_it_waits_for(state):
    """On a full disk it obeys --patience. No later command makes the edit."""
    with Server(file_bytes_max=1 << 40) as server:
        await run(server, "add", "full", "name=Sun", state=state)
        with server.full_disk():
            done = await run(server, "add", "full", "name=Moon", "--patience", "3s", state=state, code=75)
            waiting, gave_up = done.err.splitlines()
            assert "waiting: the server can't store changes now; its disk may be full." in waiting and "Ctrl-C" in waiting
            # If it gives up while a try is on its way, it can't know whether the server has stored the edit.
            assert "gave up after 3 s" in gave_up and "The edit is withdrawn" in gave_up, gave_up
            assert "no later command sends it." in gave_up
            assert done.out == "", "nothing was made"
            done = await run(server, "add", "full", "--patience", "3s", "--json", state=state, code=75)
            report, error = done.object, json.loads(done.err.splitlines()[-1])["error"]
            assert not report["acknowledged"] and report["unanswered"] == 1 and report["events"] == [], report
            may_be_stored = "unless the server has stored it" in error["message"]
            assert error["code"] == ("not_answered" if may_be_stored else "unavailable"), error
            assert "withdrawn" in error["message"], error
        await run(server, "add", "full", "name=Star", "--patience", "60s", state=state)
        assert sorted(await server.named("full")) == ["Star", "Sun"]
        assert "deleted Star" in (await run(server, "undo", "full", state=state)).out
        assert "deleted Sun" in (await run(server, "undo", "full", state=state)).out


async def test_an_edit_is_made_when_the_server_can_store_again(state):
    with Server(file_bytes_max=1 << 40) as server:
        await run(server, "add", "again", "name=Sun", state=state)
        async with await start(server, "add", "again", "name=Moon", state=state) as add:
            with server.full_disk():
                await told(add)
            done = await add.end()
        assert done.code == 0 and "made Moon" in done.out, done
        assert sorted(await server.named("again")) == ["Moon", "Sun"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
async def test_an_interrupted_edit_is_not_made_by_a_later_command(state, number):
    """The user is told, and earlier edits can still be undone, even if the command was killed."""
    with Server(file_bytes_max=1 << 40) as server:
        await run(server, "add", "stopped", "name=Sun", state=state)
        for words in [["add", "stopped", "name=Moon"], ["undo", "stopped"]]:
            with server.full_disk():
                async with await start(server, *words, state=state) as edit:
                    await told(edit)
                    done = await edit.end(number)
            assert done.out == "", done
            if number == signal.SIGINT:
                assert done.code == 130, done
                assert "interrupted. The edit is withdrawn; no later command sends it." in done.err, done
            await server.answers("/readyz")
        await run(server, "add", "stopped", "name=Star", state=state)
        assert sorted(await server.named("stopped")) == ["Star", "Sun"]
        assert "deleted Star" in (await run(server, "undo", "stopped", state=state)).out
        assert "deleted Sun" in (await run(server, "undo", "stopped", state=state)).out
        assert sorted(await server.named("stopped")) == []


async def test_a_command_waits_patiently_for_another(shared, state):
    """The other one is still writing to the room. The user may try again."""
    folder = f"{state}/canvassync/127.0.0.1_{shared.port}/rooms/room.busy"
    os.makedirs(folder)
    with open(f"{folder}/lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = await run(shared, "add", "busy", "--patience", "100ms", "--json", state=state, code=75)
        assert json.loads(done.err)["error"]["code"] == "busy" and done.out == "", done
        async with await start(shared, "add", "busy", "name=Sun", state=state) as add:
            fcntl.flock(lock, fcntl.LOCK_UN)
            assert "made Sun" in (await add.end()).out


async def test_an_edit_without_an_answer_may_have_been_stored(shared, state):
    """The answer is lost. The user is told that the edit may be stored, and undo knows of the edit."""
    await run(shared, "add", "doubt", "name=Sun", "position=0,0", state=state)

    lost = [0x44]
    async with between(shared, "doubt", down=without(lost)) as there:
        words = ["move", "doubt", "Sun", 7, 7, "--server", there, "--patience", "2500ms"]
        done = await run(None, *words, state=state, code=75)
        assert "waiting: the server has not answered" in done.err, done
        assert "withdrawn, unless the server has stored it" in done.err, done
        lost.clear()
        assert "moved Sun to 0, 0" in (await run(None, "undo", "doubt", "--server", there, state=state)).out


async def test_an_edit_that_is_refused_after_a_lost_answer_may_have_been_stored(state):
    """The server stores the edit, and the connection breaks before it has answered. Then its disk is full. The user is
    told that the edit may be stored, and undo knows of it."""
    with Server(file_bytes_max=1 << 40) as server:
        await run(server, "add", "again", "name=Sun", state=state)
        full = contextlib.ExitStack()

        async def lose(message):
            """Drops the first answer, and ends the connection."""
            if message[0] == 0x44 and not lost:
                lost.append(message)
                full.enter_context(server.full_disk())
                raise ConnectionError
            return message

        lost = []
        async with between(server, "again", down=lose) as there:
            with full:
                words = ["add", "again", "name=Moon", "--server", there, "--patience", "5s", "--json"]
                done = await run(None, *words, state=state, code=75)
                error = json.loads(done.err.splitlines()[-1])["error"]
                assert error["code"] == "not_answered", done
                assert "withdrawn, unless the server has stored it" in error["message"], done
            assert sorted(await server.named("again")) == ["Moon", "Sun"]
            assert "deleted Moon" in (await run(None, "undo", "again", "--server", there, state=state)).out


async def test_undo_knows_of_what_a_killed_command_has_done(shared, state):
    """The server stores an edit, an undo and a redo. Each command is killed before it gets the answer."""

    async def place():
        (shape,) = await shared.shapes("killed")
        return shape["position"]

    lost = []
    async with between(shared, "killed", down=without(lost)) as there:
        await run(None, "add", "killed", "name=Sun", "position=0,0", "--server", there, state=state)
        lost.append(0x44)
        for words, end in [(["move", "killed", "Sun", 7, 7], [7, 7]), (["undo", "killed"], [0, 0]), (["redo", "killed"], [7, 7])]:
            async with await start(None, *words, "--server", there, state=state) as edit:
                await eventually(place, f"{words} has reached the server", holds=lambda found: found == end)
                await edit.end(signal.SIGKILL)
        lost.clear()
        assert "moved Sun to 0, 0" in (await run(None, "undo", "killed", "--server", there, state=state)).out
        assert "deleted Sun" in (await run(None, "undo", "killed", "--server", there, state=state)).out


async def test_a_server_that_does_not_answer_is_waited_for(state):
    """The client waits for an answer while it edits. If it can't even connect, it gives up after --patience."""
    with Server() as server:
        await run(server, "add", "silent", "name=Sun", state=state)
        server.freeze()
        async with await start(server, "add", "silent", "name=Moon", state=state) as add:
            assert "no answer. Ctrl-C ends this." in await told(add)
            server.thaw()
            done = await add.end()
        assert done.code == 0 and "made Moon" in done.out, done
        server.freeze()
        done = await run(server, "add", "silent", "--patience", "100ms", "--json", state=state, code=2)
        assert json.loads(done.err)["error"]["code"] == "not_connected", done
        server.thaw()


async def test_a_pipe_says_what_it_waits_for():
    """The pipe says it once, however often the server refuses. Each line is answered in the end."""
    with Server(file_bytes_max=1 << 40) as server:
        await server.write("pipe")
        async with await start(server, "pipe", "pipe") as pipe:
            with server.full_disk():
                await pipe.write({"set": {"kind": "star"}}, {"set": {"kind": "star"}})
                assert "the server can't store changes now" in await told(pipe)
            assert {(await pipe.object())["type"] for _ in range(2)} == {"ack"}
            pipe.process.stdin.close()
            done = await pipe.end()
        assert done.code == 0 and done.err == "", done
