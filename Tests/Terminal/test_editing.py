"""Commands that edit. Each is one edit, which is acknowledged before the command returns."""

import asyncio
import json

from client import Client, stamp
from server import Server, identifier
from terminal import between, on_terminal, run, start, without
from waiting import SECONDS


async def test_each_edit_is_there_when_its_command_returns(shared):
    """Shapes are given by name, also in other capitals, and by identifier."""
    words = ["name=Sun", "points=12", "position=5,6", "fill=tomato", "stroke=#0F8", "alpha=70%"]
    added = (await run(shared, "add", "edits", "star", *words, "--json")).object
    assert added["acknowledged"] and added["events"][0]["event"] == "made" and added["superseded"] == []
    sun = (await shared.named("edits"))["Sun"]
    assert sun["id"] == added["events"][0]["shape"] and sun["kind"] == "star" and sun["points"] == 12
    assert (sun["fill"], sun["stroke"], sun["alpha"]) == ("#FF6347", "#00FF88", 7)
    await run(shared, "set", "edits", "sun", "fill=#FF0000", "alpha=0.5", "size=80x60")
    await run(shared, "move", "edits", sun["id"], "-10", "20.5")
    await run(shared, "move", "edits", "Sun", "10", "-.5", "--by")
    await run(shared, "rename", "edits", "Sun", "Sol")
    assert "hid Sol" in (await run(shared, "hide", "edits", "Sol")).out
    sol = (await shared.named("edits"))["Sol"]
    assert (sol["position"], sol["size"], sol["fill"], sol["alpha"], sol["visible"]) == (
        [0, 20], [80, 60], "#FF0000", 5, False,
    )
    await run(shared, "hide", "edits", "Sol", "--show")
    assert (await shared.named("edits"))["Sol"]["visible"]
    assert (await run(shared, "delete", "edits", "Sol")).out == "deleted Sol\n"
    assert await shared.named("edits") == {}


async def test_what_is_not_said_is_made_up_and_overlaps_nothing(shared):
    """By default a shape gets a bright colour, a free place and the top of the order. The kind can be random too. A text
    begins at the top left of its box."""
    for kind in ["rectangle", "circle", "square", "random", "polygon", "roundedRectangle"]:
        await run(shared, "add", "made-up", kind, "rotation=33")
    overlaps = (await shared.get("/v1/rooms/made-up/overlaps")).json["overlaps"]
    assert overlaps == []
    assert len({shape["fill"] for shape in (await shared.named("made-up")).values()}) > 1
    assert list(await shared.named("made-up"))[0].startswith("Rectangle")
    text = (await run(shared, "add", "made-up", "text", "text=Buy milk", "--json")).object["events"][0]["shape"]
    (made,) = [shape for shape in await shared.shapes("made-up") if shape["id"] == text]
    assert (made["textAlign"], made["textPlace"]) == ("left", "top")


async def test_an_edit_tells_what_it_overlaps_now(shared):
    """The command that causes an overlap prints it."""
    await run(shared, "add", "notices", "square", "name=Sun", "position=0,0")
    done = await run(shared, "add", "notices", "square", "name=Moon", "position=50,0")
    assert "⚠ Moon overlaps Sun (50 %)" in done.out or "⚠ Sun overlaps Moon (50 %)" in done.out, done
    assert "no longer overlaps" in (await run(shared, "move", "notices", "Moon", "500", "0")).out


async def test_order_is_what_is_drawn_over_what(shared):
    """Tests front, back, forward, backward, above, below, and positions as `show` counts them."""
    for name in "abcd":
        await run(shared, "add", "order", f"name={name}")
    for words, wanted in [
        (["a", "front"], "bcda"), (["a", "back"], "abcd"), (["a", "forward"], "bacd"), (["d", "backward"], "badc"),
        (["b", "above", "d"], "adbc"), (["b", "below", "a"], "badc"), (["c", "1"], "cbad"), (["c", "3"], "bacd"),
        (["c", "above", "b"], "bcad"), (["d", "99"], "bcad"),
    ]:
        await run(shared, "order", "order", *words)
        assert "".join(await shared.named("order")) == wanted, words


async def test_undo_takes_back_the_last_edit_of_this_terminal_across_commands(shared, tmp_path):
    """Each undo is another process. Redo repeats what was undone, and changes by others stay."""
    await run(shared, "add", "undone", "square", "name=Sun", "position=0,0")
    await run(shared, "move", "undone", "Sun", "10", "0")
    await run(shared, "set", "undone", "Sun", "alpha=5", "rotation=30")
    sun = (await shared.named("undone"))["Sun"]
    await shared.http("POST", "/v1/rooms/undone/ops", {"ops": [{"shape": sun["id"], "set": {"rotation": 77}}]})
    await run(shared, "undo", "undone")
    now = (await shared.named("undone"))["Sun"]
    assert now["alpha"] == 10 and now["rotation"] == 77, "what somebody else changed since stays"
    await run(shared, "undo", "undone")
    assert (await shared.named("undone"))["Sun"]["position"] == [0, 0]
    await run(shared, "redo", "undone", "--steps", 2)
    now = (await shared.named("undone"))["Sun"]
    assert now["position"] == [10, 0] and now["alpha"] == 5 and now["rotation"] == 77
    await run(shared, "clear", "undone")
    assert await shared.named("undone") == {}
    await run(shared, "undo", "undone")
    assert (await shared.named("undone"))["Sun"]["rotation"] == 77
    done = await run(shared, "undo", "undone", state=str(tmp_path), code=1)
    assert "nothing to undo" in done.err, "another account's edits are not one's own"


async def test_a_large_step_is_kept_while_more_is_edited():
    """There may be as many steps as an open client keeps."""
    drawing = json.dumps({"shapes": [{"kind": "star"}] * 10_001})
    with Server("--max-ops-per-second", 1_000_000) as server:
        await run(server, "import", "large", "-", input=drawing)
        await run(server, "clear", "large")
        await run(server, "add", "large", "name=Note")
        await run(server, "undo", "large", "--steps", 2)
        assert len((await server.get("/v1/rooms/large")).json["shapes"]) == 10_001
        done = await run(server, "undo", "large", "--steps", 9)
        assert "there was no more than 1 step to undo" in done.err, done


async def test_undo_tells_what_it_would_take_back(shared):
    """The steps are listed one by one, newest first. Listing changes nothing."""
    await run(shared, "add", "listed", "square", "name=Sun", "position=0,0")
    await run(shared, "move", "listed", "Sun", "10", "0")
    await run(shared, "set", "listed", "Sun", "alpha=5")
    before = await shared.named("listed")
    told = (await run(shared, "undo", "listed", "--list")).out.splitlines()
    assert told == ["1  made Sun 100 % opaque", "2  moved Sun to 0, 0", "3  deleted Sun"], told
    for steps in [1, 2]:
        assert f"1–{steps} of 3" in await on_terminal(shared, "undo", "listed", "--list", "--steps", steps)
    assert "of 3" not in await on_terminal(shared, "undo", "listed", "--list", "--steps", 3)
    assert "of 3" not in (await run(shared, "undo", "listed", "--list", "--steps", 2)).out, "programs read lines of steps"
    steps = (await run(shared, "undo", "listed", "--list", "--steps", 2, "--json")).lines
    assert [step["step"] for step in steps] == [1, 2] and steps[1]["events"][0]["set"] == {"position": [0, 0]}, steps
    assert await shared.named("listed") == before
    await run(shared, "undo", "listed")
    assert (await run(shared, "redo", "listed", "--list")).out == "1  made Sun 50 % opaque\n"
    await run(shared, "redo", "listed")
    assert "nothing to redo" in (await run(shared, "redo", "listed", "--list", code=1)).err


async def test_a_damaged_or_missing_state_costs_the_history_only(shared, tmp_path):
    """Without the state, the edit is made by a new actor."""
    state = str(tmp_path)
    path = tmp_path / f"canvassync/127.0.0.1_{shared.port}/rooms/room.damaged/state"
    await run(shared, "add", "damaged", "name=Sun", state=state)
    kept = path.read_bytes()
    damaged = kept[:20] + b"\xff\xff" + kept[22:]
    path.write_bytes(damaged)
    done = await run(shared, "move", "damaged", "Sun", "1", "1", state=state)
    assert f"it is kept as {path}.damaged, and undo will not know of earlier edits" in done.err, done
    assert path.with_name("state.damaged").read_bytes() == damaged
    assert "damaged" not in (await run(shared, "undo", "damaged", state=state)).err
    assert "nothing to undo" in (await run(shared, "undo", "damaged", state=state, code=1)).err
    # Only the history is damaged here: its checksum is the last of it.
    await run(shared, "redo", "damaged", state=state)
    kept = path.read_bytes()
    path.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    done = await run(shared, "undo", "damaged", state=state, code=1)
    assert f"it is kept as {path}.damaged" in done.err and "nothing to undo" in done.err, done
    # The state folder is a file here, so the state can't be stored.
    (tmp_path / "file").touch()
    done = await run(shared, "move", "damaged", "Sun", "2", "2", state=f"{state}/file")
    assert "undo will not know" in done.err


async def test_commands_at_the_same_time_take_turns(shared):
    """All commands use the same actor. None closes another's connection, no edit is lost, and all can be undone."""
    await asyncio.gather(*(run(shared, "add", "turns", f"name=Shape {number}") for number in range(8)))
    assert len(await shared.named("turns")) == 8
    await run(shared, "undo", "turns", "--steps", 8)
    assert await shared.named("turns") == {}


async def test_what_is_not_there_and_what_may_not_be(shared):
    """The exit code is 1 for a missing shape, a read-only room, and a full room."""
    await run(shared, "add", "wrong", "name=Sun")
    done = await run(shared, "delete", "wrong", "Moon", code=1)
    assert "no shape Moon; it has Sun\n" in done.err
    for number in range(6):
        await run(shared, "add", "wrong", f"name=N{number}")
    done = await run(shared, "delete", "wrong", "Moon", code=1)
    assert "it has N5, N4, N3, N2, N1 and 2 more" in done.err
    with Server("--max-shapes", 1) as small:
        await run(small, "add", "full", "name=Sun")
        done = await run(small, "add", "full", code=1)
        assert "room_full" in done.err and done.out == "", done
        done = await run(small, "add", "full", "--json", code=1)
        report = done.object
        assert json.loads(done.err)["error"]["code"] == "room_full", done
        assert not report["acknowledged"] and report["refused"][0]["code"] == "room_full"
        assert report["events"] == [], "nothing was made"
        # The reader of the report is gone before it comes.
        for _ in range(5):
            async with await start(small, "add", "full", "--json") as add:
                add.process._transport.get_pipe_transport(1).close()
                assert await asyncio.wait_for(add.process.wait(), SECONDS) == 1


async def test_an_undo_that_is_refused_can_be_tried_again(tmp_path):
    """A later command can try the undo again, however often it was refused."""
    bob = str(tmp_path)
    with Server("--max-shapes", 2) as small:
        await run(small, "add", "full", "name=Sun")
        await run(small, "add", "full", "name=Moon")
        await run(small, "clear", "full")
        for name in ["Star", "Comet"]:
            await run(small, "add", "full", f"name={name}", state=bob)
        for _ in range(2):
            done = await run(small, "undo", "full", code=1)
            assert "room_full" in done.err and "you can try it again" in done.err, done
            assert sorted(await small.named("full")) == ["Comet", "Star"]
        await run(small, "clear", "full", state=bob)
        await run(small, "undo", "full")
        assert sorted(await small.named("full")) == ["Moon", "Sun"]


async def test_a_token_that_allows_less_is_named():
    """The token is read-only, or is for other rooms."""
    ann, bob, guest = "ann-4f1b9c0d2e8a7f63", "bob-7f634f1b9c0d2e8a", "guest-9c0d2e8a7f634f1b"
    with Server.asking(f"{ann} editor demo\n{bob} editor other\n{guest} viewer demo\n") as server:
        await run(server, "add", "demo", "name=Sun", "--token", ann)
        done = await run(server, "add", "demo", "--token", guest, code=1)
        assert "refused: this token is read-only, or an operator has locked the room (read_only)" in done.err, done
        for words in [["undo"], ["redo"], ["undo", "--list"]]:
            done = await run(server, *words, "demo", "--token", guest, code=1)
            assert "(read_only)" in done.err, done
        for command in ["show", "add", "watch"]:
            done = await run(server, command, "demo", "--token", bob, code=2)
            assert "this token doesn't give access to room demo" in done.err, done


async def test_a_value_that_had_lost_is_said_with_its_winner(shared):
    """Another client's clock is ahead, and its edit has not reached the writer yet. The message names that client."""
    for room, words in [("lost", []), ("lost-json", ["--json"])]:
        bob = await Client.join(shared, room, name="Bob")
        shape = identifier()
        ahead = stamp(bob.actor, ahead=30_000)
        await bob.write({"shape": shape, "set": {"kind": "star", "name": "Sun"}})

        async def write_before(message):
            # The proxy holds the client's message with operations. Meanwhile Bob makes a newer edit, which the proxy
            # hides from the client.
            if message[0] == 2:
                await bob.write({"shape": shape, "at": ahead, "set": {"position": [7, 7]}}, id=9)

        async with between(shared, room, down=without([0x42]), up=write_before) as there:
            done = await run(None, "move", room, "Sun", "1", "1", *words, "--server", there)
            if words:
                assert done.object["superseded"] == [{"shape": shape, "property": "position", "by": ahead}], done
            else:
                assert "position was replaced by a newer value of Bob" in done.out, done
        assert (await shared.named(room))["Sun"]["position"] == [7, 7]


async def test_texts_are_typed_on_one_line_and_told_in_words(shared):
    """S9: The box of a text fits it. A backslash and n stand for a line break."""
    done = await run(shared, "add", "texts", "note", "name=List", "text=Buy milk,\\nand bread")
    assert "that says “Buy milk, and bread”" in done.out
    done = await run(shared, "add", "texts", "text", "name=Title", "text=A longer title", "textSize=40")
    drawn = await shared.named("texts")
    assert drawn["List"]["kind"] == "rectangle" and drawn["List"]["text"] == "Buy milk,\nand bread"
    title = drawn["Title"]
    assert title["kind"] == "text" and title["textAlign"] == "left" and title["size"][0] > 200 and title["size"][1] == 66
    done = await run(shared, "set", "texts", "List", "text=", "textAlign=right", "textPlace=top")
    assert done.out == "wrote nothing in List, set its text right and set its text at the top\n", done
    assert "A longer title" in (await run(shared, "show", "texts")).out
    done = await run(shared, "set", "texts", "List", "textAlign=wide", code=64)
    assert "textAlign is left, center, right" in done.err


async def test_a_box_fits_the_text_that_is_set(shared):
    """S9: As when the text is there from the beginning, or typed. Whoever gives a size gets that."""
    async def size(name, *words):
        await run(shared, "set", "fitted", name, *words)
        return (await shared.named("fitted"))[name]["size"]

    await run(shared, "add", "fitted", "text", "name=Title", "text=A")
    await run(shared, "add", "fitted", "text", "name=Other", "text=A longer title", "textSize=40")
    other = (await shared.named("fitted"))["Other"]["size"]
    assert await size("Title", "text=A longer title", "textSize=40") == other
    assert await size("Title", "size=300,400") == await size("Title", "text=B") == [300, 400], "this isn't its own size"
    await run(shared, "add", "fitted", "rectangle", "name=List", "size=160,64")
    assert await size("List", "text=Buy milk\\nand bread") == [160, 66]
    assert await size("List", "text=1\\n2\\n3\\n4", "size=160,70") == [160, 70]
    assert await size("List", "textSize=40") == [160, 216], "larger letters need more room"
    await run(shared, "add", "fitted", "rectangle", "name=Bare", "size=160,10")
    assert await size("Bare", "textSize=40") == [160, 10], "no letter needs room"
    await run(shared, "add", "fitted", "line", "name=Way", "through=0,0 100,0")
    assert await size("Way", "text=1\\n2\\n3\\n4") == [100, 1], "a caption is no part of the box"
    await size("List", "rotation=90", "position=5,5", "text=1\\n2\\n3\\n4\\n5\\n6")
    assert (await shared.named("fitted"))["List"]["position"] == [5, 5]


async def test_locks_groups_and_shapes_without_a_fill(shared):
    """Locks, groups and missing fills are set, described in words, and shown."""
    for name in ("Sun", "Moon"):
        await run(shared, "add", "looks", "star", f"name={name}")
    done = await run(shared, "set", "looks", "Sun", "filled=no", "strokeWidth=4", "dash=dotted", "locked=yes", "group=afy-kw5-t7o")
    for words in ("emptied", "stroke dotted", "locked it", "put it into group afy-kw5-t7o"):
        assert words in done.out, done.out
    sun = (await shared.named("looks"))["Sun"]
    assert (sun["filled"], sun["dash"], sun["locked"], sun["group"]) == (False, "dotted", True, "afy-kw5-t7o")
    table = (await run(shared, "show", "looks")).out
    assert "no fill, locked, grouped" in table and table.count("locked") == 1
    assert "into no group" in (await run(shared, "set", "looks", "Sun", "group=none")).out
    assert (await shared.named("looks"))["Sun"]["group"] == ""
    for wrong in ("group=all", "dash=wavy", "locked=perhaps"):
        refused = await run(shared, "set", "looks", "Sun", wrong, code=64)
        assert wrong.split("=")[0] in refused.err, refused


async def test_a_state_that_is_lost_at_the_end_still_has_the_edit(shared, tmp_path):
    """The folder of the state goes once the edit is sent. The state of before has the edit's step already."""
    state, rooms, away = str(tmp_path), tmp_path / "canvassync", tmp_path / "away"
    sent = 0

    async def move_away(message):
        nonlocal sent
        sent += 1
        # The first message is the hello.
        if sent == 2:
            rooms.rename(away)

    async with between(shared, "away", up=move_away) as there:
        done = await run(None, "add", "away", "name=Sun", "--server", there, state=state)
        assert sent >= 2 and done.err == "", done
        away.rename(rooms)
        await run(None, "undo", "away", "--server", there, state=state)
    assert await shared.shapes("away") == []
