"""Texts and ink on the live canvas: writing a text, restoring one that somebody has replaced, and seeing ink while it
is drawn (S9, S15)."""

import asyncio
import json
import re

from peer import Peer
from rooms import draw, holds, joins, shapes
from server import Server, identifier
from terminal import between
from terminals import Tmux
from waiting import wait_until


ANN, KEEPER = "ann-1234567890ab", "keeper-1234567890"


def write(screen, text):
    screen.keys("i").shows("Text (\\n: next line):")
    screen.keys("C-u")
    screen.type(text)
    screen.keys("Enter")


def test_a_text_is_written_and_its_box_grows_with_it(server, client):
    """Five lines need more space than the box has. When the person writes again, the field has the text."""
    draw(server, "written", name="List", position=[0, 0], size=[160, 64])
    with Tmux(joins(client, server, "written")) as screen:
        screen.shows("List")
        screen.keys("Tab")
        write(screen, "Buy milk\\nand bread")
        screen.shows("Buy milk", "and bread")
        (note,) = holds(server, "written", lambda drawn: drawn[0].get("text") == "Buy milk\nand bread")
        assert note["size"] == [160, 66]
        screen.keys("i").shows("Text (\\n: next line): Buy milk\\nand bread")
        screen.type("\\n1\\n2\\n3")
        screen.keys("Enter")
        (note,) = holds(server, "written", lambda drawn: drawn[0].get("text", "").endswith("3"))
        assert note["size"] == [160, 141] and note["position"] == [0, 0]
        screen.shows("Buy milk", "and bread", "3")
        # The new text and the new size of the box are one undo step.
        screen.keys("u")
        holds(server, "written", lambda drawn: drawn[0].get("text") == "Buy milk\nand bread" and drawn[0]["size"] == [160, 66])
        # Of a pasted text that is too long, nothing is left out without a word.
        screen.keys("i")
        screen.run("set-buffer", "ä" * 3_000)
        screen.run("paste-buffer", "-p")
        screen.keys("Enter").shows("A text has at most 4,096 bytes.")
        screen.run("paste-buffer", "-p")
        screen.shows("There is no room for more: the end was left out.")
        # What is cancelled isn't written, and isn't gone.
        screen.keys("C-u")
        screen.type("typed for minutes")
        screen.keys("Escape").shows("Not written. Press I to keep your text: “typed for minutes”", "and bread")
        screen.keys("I")
        holds(server, "written", lambda drawn: [shape.get("text") for shape in drawn] == ["typed for minutes"])


def test_a_caption_is_written_in_a_line(server, client):
    """S16: The line keeps its box, and is whole again without the text. Nothing is written in ink."""
    draw(server, "captioned", kind="line", position=[0, 0], size=[400, 1], strokeWidth=8, stroke="#FF0000")
    with Tmux(joins(client, server, "captioned")) as screen:
        screen.keys("Tab")
        write(screen, "we agree")
        (line,) = holds(server, "captioned", lambda drawn: drawn[0].get("text") == "we agree")
        assert line["size"] == [400, 1] and line["position"] == [0, 0]
        screen.shows("we agree")
        screen.keys("u")
        screen.lacks("we agree")
    draw(server, "inky", kind="ink", position=[0, 0], size=[400, 1], strokeWidth=8)
    with Tmux(joins(client, server, "inky")) as screen:
        screen.keys("Tab", "i").shows("Nothing is written in ink.")


def test_who_loses_a_text_is_told_and_keeps_it_beside(server, client):
    """Bob replaces the text just after it was written. I puts it into a shape of its own, beside Bob's, which stays."""
    shape = draw(server, "lost", name="List", position=[0, 0], size=[160, 64])
    with Tmux(joins(client, server, "lost")) as screen, Peer(server, "lost") as bob:
        screen.shows("List", "2 people")
        screen.keys("I").shows("No text of yours was lost.")
        screen.keys("Tab")
        write(screen, "Buy milk")
        holds(server, "lost", lambda drawn: drawn[0].get("text") == "Buy milk")
        bob.send(type="ops", ops=[{"shape": shape, "set": {"text": "Sell eggs"}}])
        screen.shows("Bob wrote over your text. Press I to keep it beside: “Buy milk”", "Sell eggs")
        screen.keys("I")
        drawn = holds(server, "lost", lambda drawn: len(drawn) == 2)
        assert [(shape["kind"], shape["text"]) for shape in drawn] == [("rectangle", "Sell eggs"), ("text", "Buy milk")]
        screen.lacks("wrote over")
        screen.lacks("⚠")
        bob.send(type="ops", ops=[{"shape": drawn[1]["id"], "set": {"text": "Sell milk"}}])
        screen.shows("Press I to keep it beside")
        bob.send(type="ops", ops=[{"shape": drawn[1]["id"], "set": {"text": ""}}])
        screen.lacks("Sell milk")
        screen.keys("I")
        holds(server, "lost", lambda drawn: [shape.get("text") for shape in drawn] == ["Sell eggs", "Buy milk"])


def test_several_lost_texts_are_kept_one_after_the_other(server, client):
    """Another person replaces three texts at once. Each press keeps one, and the rest is told."""
    lists = [draw(server, "several", name=f"List {number}", position=[200 * number, 0], size=[160, 64]) for number in range(3)]
    with Tmux(joins(client, server, "several")) as screen, Peer(server, "several") as bob:
        screen.shows("2 people")
        for number in range(3):
            screen.keys("Tab")
            write(screen, f"Ann {number}")
            holds(server, "several", lambda drawn: sum("Ann" in shape.get("text", "") for shape in drawn) == number + 1)
        bob.send(type="ops", ops=[{"shape": shape, "set": {"text": "Bob"}} for shape in lists])
        screen.shows("3 texts can be put back.", "Press I to keep it beside")
        for number in range(3):
            screen.keys("I")
            holds(server, "several", lambda drawn: sum("Ann" in shape.get("text", "") for shape in drawn) == number + 1)
        assert sorted(shape["text"] for shape in shapes(server, "several")) == ["Ann 0", "Ann 1", "Ann 2", "Bob", "Bob", "Bob"]
        screen.lacks("wrote over")


async def test_a_lost_text_is_told_until_it_is_put_back_or_hidden(server, client):
    """Whatever else is told goes after some seconds. The text was on its way when its writer wanted to leave, so they
    stay."""
    goes_on, loop = asyncio.Event(), asyncio.get_running_loop()
    goes_on.set()

    async def hold(message):
        await goes_on.wait()
        return message

    def see(there):
        shape = draw(server, "leaving", name="List", position=[0, 0], size=[160, 64])
        with Tmux(joins(client, server, "leaving", "--server", there)) as screen, Peer(server, "leaving") as bob:
            screen.shows("List", "2 people")
            screen.keys("Tab")
            loop.call_soon_threadsafe(goes_on.clear)
            # Bob's text comes to the server before Ann's, with a later stamp. Ann doesn't hear of it yet.
            later = f"{bob.welcome['time'] + 30_000}.0.{bob.welcome['actor']}"
            bob.send(type="ops", ops=[{"shape": shape, "at": later, "set": {"text": "Sell eggs"}}])
            holds(server, "leaving", lambda drawn: drawn[0].get("text") == "Sell eggs")
            write(screen, "Buy milk")
            screen.keys("q").shows("Leaving as soon as 1 change is saved")
            loop.call_soon_threadsafe(goes_on.set)
            screen.shows("Bob wrote over your text. Press I to keep it beside: “Buy milk”")
            # The first Escape ends the selection. It is read long before what is said of Cat goes.
            screen.keys("Escape")
            with Peer(server, "leaving", name="Cat"):
                screen.shows("Cat is here.")
                screen.shows("wrote over")
            screen.keys("Escape").lacks("wrote over")
            screen.keys("I")
            holds(server, "leaving", lambda drawn: "Buy milk" in [shape.get("text") for shape in drawn])

    async with between(server, "leaving", down=hold) as there:
        await asyncio.to_thread(see, there)


def test_a_text_that_the_server_refuses_is_kept(client):
    """An operator locks the room while somebody types. Once it is open again, the text is put back."""
    with Server.asking(f"{ANN} editor *\n{KEEPER} operator *\n") as server:

        def ask(method, path, body=None):
            headers = {"Authorization": f"Bearer {KEEPER}", "Content-Type": "application/json"}
            answer = server._http(method, f"/v1/rooms/refused{path}", body, headers)
            return answer.body and answer.json

        note = {"kind": "rectangle", "position": [0, 0], "size": [160, 64]}
        ask("POST", "/ops", json.dumps({"ops": [{"shape": identifier(), "set": note}]}).encode())
        with Tmux(joins(client, server, "refused", "--token", ANN), columns=160) as screen:
            screen.shows("Saved")
            screen.keys("Tab", "i").shows("Text (\\n: next line):")
            screen.type("ten minutes of work")
            ask("PUT", "/lock")
            screen.keys("Enter").shows("Your text was refused", "Press I to keep it: “ten minutes of work”")
            ask("DELETE", "/lock")
            screen.shows("Saved")
            screen.keys("I")
            wait_until(lambda: ask("GET", "")["shapes"][0].get("text"), "the text is back", lambda text: text == "ten minutes of work")


async def test_what_somebody_else_has_written_stays_when_a_refused_text_is_put_back(client):
    """Ann's text is on its way while Bob writes in the same shape. Then an operator locks the room."""
    with Server.asking(f"{ANN} editor *\n{KEEPER} operator *\n") as server:
        goes_on, loop = asyncio.Event(), asyncio.get_running_loop()
        goes_on.set()

        async def hold(message):
            await goes_on.wait()

        def ask(method, path, body=None):
            headers = {"Authorization": f"Bearer {KEEPER}", "Content-Type": "application/json"}
            answer = server._http(method, f"/v1/rooms/refused{path}", body, headers)
            return answer.body and answer.json

        def texts():
            return sorted(shape.get("text") for shape in ask("GET", "")["shapes"])

        def write_there(shape, **properties):
            ask("POST", "/ops", json.dumps({"ops": [{"shape": shape, "set": properties}]}).encode())

        def see(there):
            shape = identifier()
            write_there(shape, kind="rectangle", position=[0, 0], size=[160, 64])
            with Tmux(joins(client, server, "refused", "--token", ANN, "--server", there), columns=160) as screen:
                screen.shows("Saved")
                screen.keys("Tab")
                loop.call_soon_threadsafe(goes_on.clear)
                write(screen, "Buy milk")
                screen.shows("Buy milk")
                write_there(shape, text="Sell eggs")
                screen.shows("Sell eggs")
                ask("PUT", "/lock")
                loop.call_soon_threadsafe(goes_on.set)
                screen.shows("Your text was refused")
                screen.lacks("texts can be put back")
                ask("DELETE", "/lock")
                screen.shows("Saved")
                screen.keys("I")
                wait_until(texts, "both texts are there", lambda found: found == ["Buy milk", "Sell eggs"])

        async with between(server, "refused", up=hold) as there:
            await asyncio.to_thread(see, there)


def test_a_text_that_is_back_is_lost_no_more(server, client):
    """Bob writes over Ann's text, and undoes it."""
    shape = draw(server, "back", name="List", position=[0, 0], size=[160, 64])
    with Tmux(joins(client, server, "back")) as screen, Peer(server, "back") as bob:
        screen.shows("List", "2 people")
        screen.keys("Tab")
        write(screen, "Buy milk")
        holds(server, "back", lambda drawn: drawn[0].get("text") == "Buy milk")
        bob.send(type="ops", ops=[{"shape": shape, "set": {"text": "Sell eggs"}}])
        screen.shows("wrote over your text")
        bob.send(type="ops", ops=[{"shape": shape, "set": {"text": "Buy milk"}}])
        screen.lacks("wrote over your text")
        screen.keys("I").shows("No text of yours was lost.")


def test_a_text_is_kept_if_its_shape_is_locked_while_it_is_written(server, client):
    shape = draw(server, "locked", name="List", position=[0, 0], size=[160, 64])
    with Tmux(joins(client, server, "locked")) as screen, Peer(server, "locked") as bob:
        screen.shows("List", "2 people")
        screen.keys("Tab", "i").shows("Text (\\n: next line):")
        screen.type("Buy milk")
        bob.send(type="ops", ops=[{"shape": shape, "set": {"locked": True, "name": "Shut"}}])
        screen.shows("Shut")
        screen.keys("Enter").shows("Shut was locked meanwhile", "Text (\\n: next line): Buy milk")
        bob.send(type="ops", ops=[{"shape": shape, "set": {"locked": False, "name": "Open"}}])
        screen.shows("Open")
        screen.keys("Enter")
        holds(server, "locked", lambda drawn: drawn[0].get("text") == "Buy milk")


def test_who_leaves_is_told_of_a_text_that_can_be_put_back(server, client):
    draw(server, "warned", name="List", position=[0, 0], size=[160, 64])
    with Tmux(joins(client, server, "warned")) as screen:
        screen.shows("List")
        screen.keys("Tab", "i").shows("Text (\\n: next line):")
        screen.type("Buy milk")
        screen.keys("Escape").shows("Not written. Press I to keep your text")
        screen.keys("q").shows("I puts back the text that you have written.")
        screen.keys("I")
        holds(server, "warned", lambda drawn: drawn[0].get("text") == "Buy milk")


async def test_who_begins_to_write_does_not_leave(server, client):
    """Ann leaves as soon as a change is saved. Before it is, she begins to write in another shape, by mouse."""
    goes_on, loop = asyncio.Event(), asyncio.get_running_loop()
    goes_on.set()

    async def hold(message):
        await goes_on.wait()

    def see(there):
        draw(server, "stays", name="List", position=[0, 0], size=[320, 128], fill="#336699", text="Buy milk")
        with Tmux(joins(client, server, "stays", "--server", there)) as screen:
            screen.shows("Saved")
            column, row = screen.place("Buy milk")
            screen.keys("Tab")
            loop.call_soon_threadsafe(goes_on.clear)
            screen.keys("c", "q").shows("Leaving as soon as 1 change is saved")
            screen.click(column, row, 3)
            screen.shows("next line")
            screen.type(" and eggs")
            loop.call_soon_threadsafe(goes_on.set)
            holds(server, "stays", lambda drawn: drawn[0]["fill"] != "#336699")
            screen.keys("Enter")
            holds(server, "stays", lambda drawn: drawn[0].get("text") == "Buy milk and eggs")

    async with between(server, "stays", up=hold) as there:
        await asyncio.to_thread(see, there)


def test_who_types_nothing_writes_nothing(server, client):
    """Another person changes a text whose field is open here. Enter leaves that text unchanged."""
    shape = draw(server, "untouched", name="List", position=[0, 0], size=[160, 64], text="Buy milk")
    with Tmux(joins(client, server, "untouched")) as screen, Peer(server, "untouched") as bob:
        screen.shows("Buy milk", "2 people")
        screen.keys("Tab", "i").shows("Text (\\n: next line): Buy milk")
        bob.send(type="ops", ops=[{"shape": shape, "set": {"text": "Sell eggs"}}])
        screen.shows("Sell eggs")
        screen.keys("Enter", "Right")
        (note,) = holds(server, "untouched", lambda drawn: drawn[0]["position"] == [10, 0])
        assert note["text"] == "Sell eggs"


def test_ink_is_seen_while_it_is_drawn(server, client):
    """Another person's unfinished stroke is visible at once, and stays when it is finished."""
    shape = "afy-kw5-t7o"
    draw(server, "inked", name="Box", position=[0, 0], size=[320, 160], fill="#336699")
    red = re.compile(r"48;2;255;0;0m|38;2;255;0;0m")

    def reds(screen):
        return len(red.findall(screen.colors()))

    with Tmux(joins(client, server, "inked")) as screen, Peer(server, "inked", color="#00AA00") as bob:
        screen.shows("Box", "2 people")
        assert reds(screen) == 0

        def ink(at, *points):
            bob.show(ink={"shape": shape, "color": "#FF0000", "width": 20, "at": at, "points": points})

        ink(0, 20, 40, 60, 40)
        some = wait_until(lambda: reds(screen), "the first piece")
        ink(2, 120, 40, 120, 140)
        wait_until(lambda: reds(screen) > some, "the second piece")
        bob.send(type="ops", ops=[{"shape": shape, "set": {
            "kind": "ink", "position": [20, 40], "size": [100, 100], "strokeWidth": 20, "stroke": "#00FF00",
            "path": [[0, 0], [65535, 0], [65535, 65535]],
        }}])
        wait_until(lambda: reds(screen) == 0, "the stroke itself, in its own colour")
        bob.show()
        assert "0;255;0m" in screen.colors()


def test_a_text_is_kept_if_its_shape_is_deleted_while_it_is_written(server, client):
    """The loss is reported, and I makes a text of it where the shape was. A pasted text keeps its lines."""
    shape = draw(server, "orphan", name="List", position=[40, 0], size=[160, 64])
    with Tmux(joins(client, server, "orphan")) as screen, Peer(server, "orphan") as bob:
        screen.shows("List", "2 people")
        screen.keys("Tab", "i").shows("Text (\\n: next line):")
        screen.run("set-buffer", "Buy milk\nand C:\\new")
        screen.run("paste-buffer", "-p")
        screen.shows("Buy milk\\nand C:\\\\new")
        bob.send(type="ops", ops=[{"shape": shape, "set": {"deleted": True}}])
        screen.lacks("List")
        screen.keys("Enter").shows("The shape was deleted. Press I to keep your text: “Buy milk and C:\\new”")
        screen.keys("I")
        (text,) = holds(server, "orphan", lambda drawn: len(drawn) == 1)
        assert (text["kind"], text["text"], text["position"]) == ("text", "Buy milk\nand C:\\new", [40, 0])
