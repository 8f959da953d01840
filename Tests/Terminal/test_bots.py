"""bot: no acknowledged edit is lost, whatever happens."""

import asyncio
import os
import re
import signal

from client import Client
from server import Server
from terminal import Done, between, run, silent_server, start
from test_log_commands import damage, stored
from waiting import SECONDS, eventually


async def operations(server, room):
    """How many operations the room has had. 0 if the room doesn't exist."""
    rooms = (await server.get("/v1/rooms")).json["rooms"]
    return next((listed["operations"] for listed in rooms if listed["room"] == room), 0)


async def goes_on(server, room, count):
    """Waits until the room has had this many more operations."""
    before = await operations(server, room)
    await eventually(
        lambda: operations(server, room), f"{count} more operations in {room}", holds=lambda found: found >= before + count)


async def hold(server, room, done, bots, shapes):
    """Checks that all writes are acknowledged, and that each shape is where its last acknowledgement says."""
    *ledger, summary = done.lines
    assert summary["event"] == "summary" and summary["bots"] == bots, summary
    # The number of moves that the bots make in this time depends on the machine, so only a lower bound is checked.
    assert summary["acknowledged"] == summary["operations"] >= bots * shapes, summary
    assert summary["unanswered"] == 0 and summary["refused"] == {} and summary["superseded"] == 0, summary
    wanted = {line["shape"]: line["position"] for line in ledger}
    assert len(wanted) == bots * shapes
    assert await server.positions(room) == wanted
    told = (await run(server, "check", room, "--json", "--within", "60s")).object
    assert told["verdict"] == "agrees" and told["shapes"] == bots * shapes
    return summary


async def test_two_hundred_bots_in_one_process(shared):
    """The bots run for seconds, or for a minute if CANVAS_SOAK is set. No edit is lost, and the digests agree."""
    soak = os.environ.get("CANVAS_SOAK") == "1"
    with Server() as own:
        client = await start(
            own, "bot", "crowd", "--bots", 200, "--rate", 5, "--shapes", 3, "--for", "60s" if soak else "4s",
            "--behaviour", "swarm", "--json", "--ledger", "--quiet",
        )
        async with client:
            out, err = await asyncio.wait_for(client.process.communicate(), 110)
            assert client.process.returncode == 0, err[-2000:]
        summary = await hold(own, "crowd", Done(0, out, err.decode()), 200, 3)
        assert summary["operations"] > 200 * 3, summary
        print(f"200 bots: {summary['acknowledged']} acknowledged in {summary['seconds']} s, {summary['latencyMilliseconds']}")


async def test_the_same_seed_gives_the_same_moves(shared):
    """Also to the bots whose shapes go around."""
    async def places(kind, room):
        watcher, found = await Client.join(shared, room), []
        async with await start(shared, "bot", room, "--behaviour", kind, "--seed", 7, "--rate", 50, "--quiet"):
            while len(found) < 30:
                found += [(each["shape"], each["set"]["position"]) for each in (await watcher.until("ops"))["ops"]]
        await watcher.close()
        return found[:30]

    for kind in ["wander", "orbit", "swarm"]:
        assert await places(kind, f"{kind}-1") == await places(kind, f"{kind}-2"), kind


async def test_the_time_begins_when_all_are_in(shared):
    """The server lets nobody in at first. Bots that come late make their moves all the same."""
    async with between(shared, "late-bots", refused=3) as there:
        done = await run(None, "bot", "late-bots", "--for", "300ms", "--rate", 50, "--quiet", "--json", "--server", there)
    assert done.object["acknowledged"] > 5, done


async def test_an_interrupt_is_the_end_in_order(shared):
    """Pending writes are answered, the summary is printed, the exit code is 0. --clean deletes the shapes."""
    async with await start(shared, "bot", "bot-interrupted", "--json", "--ledger", "--rate", 50) as bot:
        line = await asyncio.wait_for(bot.process.stderr.readline(), SECONDS)
        assert b"acknowledged" in line
        done = await bot.end(signal.SIGINT)
        assert done.code == 0, done
        await hold(shared, "bot-interrupted", done, 1, 5)
    async with await start(shared, "bot", "bot-clean", "--clean", "--quiet") as bot:
        await goes_on(shared, "bot-clean", 5)
        done = await bot.end(signal.SIGTERM)
        assert done.code == 0 and "1 bot for" in done.out, done
    assert await shared.positions("bot-clean") == {}


async def test_an_interrupt_leaves_no_shapes_where_the_server_takes_few_edits():
    """The server takes one edit a second, so its answers to the deletions come late."""
    with Server("--max-ops-per-second", 1) as own:
        words = ["--clean", "--quiet", "--shapes", 2, "--rate", 0.01]
        async with await start(own, "bot", "slow-clean", *words) as bot:
            await goes_on(own, "slow-clean", 1)
            done = await bot.end(signal.SIGTERM)
            assert done.code == 0, done
        assert await own.positions("slow-clean") == {}


async def test_what_the_server_does_not_take_is_said(shared):
    """In a full room the exit code is 1, with the number. If too few bots can join, it is 2."""
    with Server("--max-shapes", 3) as own:
        done = await run(own, "bot", "full", "--shapes", 5, "--for", "500ms", "--json", "--quiet", code=1)
        assert done.object["refused"] == {"room_full": 5} or done.object["refused"]["room_full"] >= 5
    with Server("--max-connections-per-room", 2) as own:
        done = await run(own, "bot", "narrow", "--bots", 3, "--for", "500ms", "--patience", "4s", code=2)
        assert "2 of 3 bots got in" in done.err, done


async def test_bots_of_a_room_that_is_gone_for_good_say_why(shared):
    async with await start(shared, "bot", "deleted-bots", "--quiet") as bots:
        await goes_on(shared, "deleted-bots", 1)
        assert (await shared.http("DELETE", "/v1/rooms/deleted-bots")).status == 204
        done = await bots.end()
    assert done.code == 1 and "there is no such room" in done.err and "acknowledged" in done.out, done


async def test_rooms_tells_an_operator_what_is_going_on(shared):
    """As a table with the busiest room first, or as JSON objects."""
    longest = "b" * 64
    with Server() as own:
        assert (await run(own, "rooms", "--over", "10ms")).out.startswith("0 rooms; 0 connections; ")
        assert (await run(own, "rooms", "--over", "10ms", "--json")).out == ""
        await own.write("aaa", count=2)
        await own.write(longest)
        async with await start(own, "bot", "busy", "--rate", 50, "--bots", 2, "--quiet") as bots:
            await goes_on(own, "busy", 20)
            lines = (await run(own, "rooms")).out.splitlines()
            before = await operations(own, "busy")
            objects = {line["room"]: line for line in (await run(own, "rooms", "--json", "--over", "500ms")).lines}
            came = await operations(own, "busy") - before
            await bots.end(signal.SIGINT)
        assert lines[1].split()[:3] == ["busy", "10", "2"] and lines[2].split() == ["aaa", "2", "0", "2", "–"], lines
        assert lines[3].split()[0] == longest, lines
        assert lines[-1].startswith("3 rooms; 2 connections; ") and "lag" in lines[-1], lines
        assert 0 < objects["busy"]["operationsPerSecond"] * 0.4 <= came and objects["busy"]["peers"] == 2, (came, objects)
        assert objects["aaa"]["shapes"] == 2 and objects["aaa"]["operationsPerSecond"] == 0, objects
        assert objects["aaa"]["cursor"] == (await own.get("/v1/rooms/aaa")).json["cursor"], objects
        own.terminate()
        await run(own, "rooms", code=2)


async def test_bots_are_patient_together(shared):
    """If the server can't store anything, ten bots give up as soon as one would, and an interrupt ends the wait."""
    with Server(file_bytes_max=1 << 40) as own:
        await own.write("before")
        words = ["bot", "patient", "--bots", 10, "--for", "500ms", "--quiet", "--json"]
        with own.full_disk():
            async def refusals():
                return await own.metric('canvas_refusals_total{code="unavailable"}')

            none = await refusals()
            await run(own, "bot", "patient", "--bots", 1, "--for", "500ms", "--quiet", "--json", "--patience", "2s", code=1)
            alone = await refusals() - none
            done = await run(own, *words, "--patience", "2s", code=1)
            assert await refusals() - none - alone < 3 * 10 * alone, "one after another, the last would try for as long as all together"
            assert done.object["unanswered"] == done.object["operations"] > 0, done
            done = await run(own, *words[:-1], "--patience", "1s", code=1)
            assert re.search(r"unanswered +\d+: the server can't store changes now; its disk may be full", done.out), done
            for number in [signal.SIGTERM, signal.SIGINT]:
                async with await start(own, *words, "--patience", "1h") as bots:
                    before = await refusals()
                    await eventually(refusals, "every bot has been refused", holds=lambda now: now >= before + 10)
                    done = await bots.end(number)
                    assert done.code == 1 and done.object["unanswered"] > 0, done


async def test_bots_that_do_not_get_in_end_with_their_figures(shared):
    """The bots print their figures even if they are stopped before the first one has joined."""
    async with silent_server() as (address, connected):
        async with await start(None, "bot", "room", "--server", address, "--bots", 3, "--json") as bots:
            await asyncio.wait_for(connected.wait(), SECONDS)
            done = await bots.end(signal.SIGTERM)
    assert done.code == 143 and done.object["operations"] == 0, done


async def test_bots_go_on_while_one_of_them_is_in_the_room(shared):
    """An operator removes the first bot. The others move on, and the command says at the end that one was removed."""
    async with await start(shared, "bot", "removed-bots", "--bots", 2, "--json") as bots:
        await goes_on(shared, "removed-bots", 20)
        peers = (await shared.get("/v1/rooms/removed-bots/peers")).json["peers"]
        first = next(peer["actor"] for peer in peers if peer["name"] == "Bot 1")
        assert (await shared.http("DELETE", f"/v1/rooms/removed-bots/peers/{first}")).status == 204
        # Each bot makes ten moves a second, and progress is told once a second.
        await goes_on(shared, "removed-bots", 30)
        done = await bots.end(signal.SIGINT)
    assert done.code == 1 and done.object["bots"] == 2, done


async def test_a_room_that_cannot_be_opened_is_listed_with_its_fault():
    """H7: so is one whose shapes are not counted since a crash."""
    async with stored() as server:
        damage(server)
        server.flags = ["--verify-every-ms", "0"]
        server.start()
        lines = (await run(server, "rooms", "--over", "10ms")).out.splitlines()
        torn = next(line for line in lines if line.startswith("torn"))
        assert torn.split()[:4] == ["torn", "?", "0", "3"] and "damaged at position 2" in torn, lines
        assert next(line for line in lines if line.startswith("whole")).split()[:2] == ["whole", "3"], lines
        objects = {line["room"]: line for line in (await run(server, "rooms", "--json", "--over", "10ms")).lines}
        assert "damaged at position 2" in objects["torn"]["fault"] and "fault" not in objects["whole"], objects
