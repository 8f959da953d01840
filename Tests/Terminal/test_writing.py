"""Texts on the live canvas: writing a text, and restoring one that somebody has replaced (S9)."""

import asyncio
import json

from peer import Peer
from rooms import draw, holds, joins
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
