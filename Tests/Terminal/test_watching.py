"""watch: prints a line for each event."""

import asyncio
import json
import signal

import pytest

import terminal
from client import Client
from server import Server, identifier
from terminal import start


async def test_a_drag_is_one_line_at_its_end(shared):
    """Forty moves are one event, with the last place and the writer."""
    ann = await Client.join(shared, "drag", name="Ann")
    shape = identifier()
    await ann.write({"shape": shape, "set": {"kind": "ellipse", "name": "Sun"}})
    async with await start(shared, "watch", "drag", "--json") as watch:
        here = await watch.object()
        assert here["event"] == "here" and here["shapes"] == 1 and here["peers"][0]["name"] == "Ann"
        there = (await shared.get("/v1/rooms/drag/peers")).json["peers"]
        assert {peer["name"]: peer["role"] for peer in there} == {"Ann": "editor", "Watcher": "viewer"}, there
        await ann.write_in_a_row(*({"shape": shape, "set": {"position": [step, 0]}} for step in range(40)))
        moved = await watch.object()
        assert moved["event"] == "changed" and moved["set"] == {"position": [39, 0]}, moved
        assert moved["name"] == "Sun" and moved["byName"] == "Ann" and moved["by"] == ann.actor
        # This is how a page drops a shape into the black hole.
        await ann.write({"shape": shape, "set": {"position": [9, 9], "size": [1, 1], "deleted": True}})
        gone = await watch.object()
        assert gone["event"] == "deleted" and gone["blackHole"], gone
        await ann.close()
        assert (await watch.object())["event"] == "went"
        done = await watch.end(signal.SIGINT)
        assert done.code == 0 and done.out == "" and done.err == "", done


@pytest.mark.parametrize("shapes", [1, 0])
async def test_it_comes_back_when_the_server_does(shapes):
    """What happened meanwhile is printed, after a resume or a full reload."""
    with Server() as own:
        if shapes:
            await own.write("known")
        async with await start(own, "watch", "known", "--json") as watch:
            await watch.object()
            own.kill()
            assert (await watch.object())["event"] == "offline"
            own.start()
            await own.write("known", name="Sun")
            told = [await watch.object(), await watch.object()]
            assert sorted(one["event"] for one in told) == ["back", "made"], told


async def test_it_ends_after_its_time_and_tells_what_was_on_its_way(shared):
    """By `--for`, with exit code 0. A drag that still goes on is printed at the end."""
    ann = await Client.join(shared, "timed")
    async with await start(shared, "watch", "timed", "--for", "2s", "--json") as watch:
        await watch.object()
        ending = asyncio.create_task(watch.end())
        shape, x = identifier(), 0
        await ann.write({"shape": shape, "set": {"kind": "star", "name": "Late"}})
        while not ending.done():
            x += 1
            await ann.write({"shape": shape, "set": {"position": [x, 0]}})
        done = await ending
        assert done.code == 0 and done.lines and done.lines[-1]["name"] == "Late", done


async def test_a_deleted_room_ends_it(shared):
    """After close code 4404 the exit code is 1, with a message and the server's name for the error."""
    await shared.write("gone")
    async with await start(shared, "watch", "gone") as watch:
        assert await watch.line() == "gone: 1 shape, no overlaps; nobody else is here"
        async with await start(shared, "watch", "gone", "--json") as program:
            assert (await program.object())["event"] == "here"
            await shared.http("DELETE", "/v1/rooms/gone")
            done = await watch.end()
            assert done.code == 1 and "no such room" in done.err, done
            done = await program.end()
            assert done.code == 1 and json.loads(done.err)["error"]["code"] == "no_such_room", done


async def test_a_signal_that_its_starter_ignores_stays_ignored(shared):
    """Signals are ignored under nohup, or in the background of a script."""
    process = await asyncio.create_subprocess_exec(
        terminal.BINARY, "watch", "ignored", stdout=asyncio.subprocess.PIPE, env=terminal.environment(shared),
        preexec_fn=lambda: [signal.signal(one, signal.SIG_IGN) for one in (signal.SIGHUP, signal.SIGINT)],
    )
    async with terminal.Running(process) as watch:
        await watch.line()
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGINT)
        await shared.write("ignored", name="Later")
        assert "Later" in await watch.line()
        done = await asyncio.wait_for(asyncio.gather(process.wait(), end(process)), terminal.SECONDS)
        assert done[0] == 0


async def end(process):
    process.send_signal(signal.SIGTERM)
