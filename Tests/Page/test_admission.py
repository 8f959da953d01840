"""Admission: tokens and what each allows, and rooms that are full."""

import ctypes.util
import json
import time
import urllib.request
from contextlib import contextmanager

import pytest

from server import Server, tool
from test_offline import MISSED
from test_rooms import menu_of
from test_signed_tokens import Keys
from waiting import wait_until
from world import GENEROUS

needs_jwt = pytest.mark.skipif(not (ctypes.util.find_library("jwt") and tool("openssl")), reason="libjwt0 or openssl is not here")
# An editor's has all that the server allows in tokens. In a link, a `+` may stand for itself, or be written as %2B.
EDITOR, VIEWER, OPERATOR = "+Az09-._~/=" * 2 + "+", "v" * 20, "o" * 20


@contextmanager
def guarded(world):
    """A room on a server that requires tokens."""
    with Server.asking(f"{EDITOR} editor draw*\n{VIEWER} viewer *\n{OPERATOR} operator *\n", "--web", world.web, *GENEROUS) as server:
        yield world.room(server, "draw-here")


def operate(own, method, path, body=None):
    headers = {"Authorization": f"Bearer {OPERATOR}", "Content-Type": "application/json"}
    request = urllib.request.Request(own.server.url(f"/v1/rooms/{own.name}{path}"), body and json.dumps(body).encode(), headers, method=method)
    urllib.request.urlopen(request).close()


def lock(own):
    """From now on only operators may write in this room."""
    operate(own, "PUT", "/lock")


def test_an_editors_token_draws_and_a_viewers_looks_on(world, room):
    """A viewer has no tools. The page learns from the server that the token is read-only, and not from the link."""
    with guarded(world) as own:
        ann = own.join("Ann", fragment=f"#token={EDITOR}")
        eve = own.join("Eve", fragment=f"#token={VIEWER}")
        assert eve.page.inner_text(".status-words") == "View only"
        assert eve.page.locator(".toolbar button:visible").count() == 2, "no button to edit, which the token forbids"
        ann.page.get_by_role("button", name="Copy a link to this room").click()
        assert "Only a viewer’s token keeps them from editing" in ann.page.get_by_role("menuitem", name="Copy view-only link").inner_text()
        ann.press("Escape")
        ann.draw_squares()
        eve.wait_for_shapes(3)
        eve.run("app.edit((session) => session.clear()); return null")
        eve.page.locator(".notice.is-refused").wait_for()
        assert eve.run("app.session.shapeCount") == 3
        ann.page.reload()
        ann.wait("app.session.status().state === 'live' && !app.viewOnly", "the token is remembered")


def test_what_an_editor_left_waits_while_only_a_viewer_is_here(world, room):
    """Both use one browser. The viewer is told, and the server refuses nothing that the editor's next tab has to send."""
    with guarded(world) as own:
        def joined(token, context=None):
            return own.join("Ann", fragment=f"#token={token}", context=context, forgive=MISSED)
        former = joined(EDITOR)
        former.disconnect()
        former.run("app.edit((session) => session.add({ kind: 'star' })); return null")
        former.wait_until_kept(1)
        keeper = former.context.new_page()
        former.close()
        for _ in range(2):
            viewer = joined(VIEWER, keeper.context)
            viewer.notice("This browser keeps your changes until somebody who may edit opens the room here.").wait_for()
            viewer.wait_for_shapes(0)
            viewer.close()
        viewer = joined(VIEWER, keeper.context)
        viewer.wait_for_shapes(0)
        joined(EDITOR.replace("+", "%2B"), keeper.context).wait_for_shapes(1)
        viewer.wait_for_shapes(1)


def test_who_has_no_token_is_asked_for_one(world, room):
    """The page asks for a token, and asks again after a wrong one. With the right token the room opens without a reload,
    which would lose edits that can't be stored. No other room does: the page says so, and stops trying. Then a link with another token, which is pasted into the address of
    the open page, opens that too. The browser doesn't load it anew by itself."""
    with guarded(world) as own:
        ann = own.join("Ann", ready=False, forgive=["401", "WebSocket connection"])
        ann.page.evaluate("window.isSamePage = true")
        for token, works in [("wrong" * 5, False), (EDITOR, True)]:
            ann.page.get_by_role("heading", name="This room needs a token").wait_for()
            ann.wait("document.querySelector('[aria-label=Token]')?.value === ''")
            ann.page.get_by_label("Token").fill(token)
            ann.page.get_by_role("button", name="Enter").click()
            if works:
                ann.wait("app.session.status().state === 'live' && window.isSamePage")
                assert ann.page.evaluate("sessionStorage.token") == EDITOR
        elsewhere = world.room(own.server, "elsewhere")
        bob = elsewhere.join("Bob", fragment=f"#token={EDITOR}", ready=False, forgive=["403", "WebSocket connection"])
        bob.page.get_by_role("heading", name="You can’t enter this room").wait_for()
        assert bob.page.locator(".toolbar").is_hidden()
        bob.page.goto(own.server.url(elsewhere.path) + f"#token={OPERATOR}")
        bob.wait("app.session.status().state === 'live'")
        assert "#" not in bob.page.url, "the token is in the address, and in the browser's history"


def test_a_name_that_is_too_long_for_the_server_can_be_changed(world):
    """The server lets nobody in under it. The card offers another name, which opens the room."""
    with world.own_room("--max-name-bytes", "24") as own:
        ann = own.join("Anna-Katharina von Hohenfels", ready=False)
        ann.page.get_by_role("heading", name="You can’t enter this room").wait_for()
        ann.page.get_by_text("Your name may be too long for this server").wait_for()
        ann.page.get_by_role("button", name="Change name").click()
        ann.page.get_by_label("What should others call you?").fill("Anna-Katharina")
        ann.page.get_by_role("button", name="Save").click()
        ann.wait("app.live.status().state === 'live'", "the room opens")
        ann.page.get_by_role("heading", name="Start drawing").wait_for()


def test_the_list_of_rooms_is_of_those_one_may_see_and_only_operators_delete(world, room):
    """With a token, the list has only the rooms of that token, and an editor hears from the server who may delete.
    Without one the page shows a notice, and rooms can still be opened by name."""
    with guarded(world) as own:
        ann = own.join("Ann", fragment=f"#token={EDITOR}", forgive=["403"])
        ann.draw_squares()
        ann.wait_until_drawing_is_kept(0)
        ann.page.goto(own.server.url("/"))
        menu_of(ann.page, own.name, "Delete…")
        ann.page.get_by_role("button", name="Delete room").click()
        ann.page.get_by_role("status").get_by_text("operator").wait_for()
        assert ann.page.get_by_role("link", name=own.name).count() == 1
        tab = own.join("Ann", context=ann.context, ready=False, forgive=["401", "WebSocket connection"])
        tab.page.goto(own.server.url("/"))
        tab.page.get_by_text("Join yours by its name").wait_for()
        tab.page.get_by_role("link", name=f"{own.name} Last opened").wait_for()


def test_what_one_writes_while_the_room_is_locked_or_deleted_is_given_back(world, room):
    """An editor who becomes a viewer while writing is told so, and gets the text. What was not sent before the lock is
    sent after it."""
    with guarded(world) as own:
        ann = own.join("Ann", fragment=f"#token={EDITOR}", clipboard=True, forgive=MISSED)
        ann.draw_squares()
        ann.disconnect()
        ann.run("app.edit((session) => session.add({ kind: 'star' })); return null")
        ann.wait_until_kept(1)
        lock(own)
        ann.run("app.start(); return null")
        ann.wait("app.viewOnly && app.session.shapeCount === 3", "the star waits")
        operate(own, "DELETE", "/lock")
        ann.wait("!app.viewOnly && app.session.shapeCount === 4 && app.session.unsentCount === 0", "it is sent")
        # A stroke isn't dropped without a word.
        ann.take("pen")
        ann.drag((300, 300), (400, 400), hold=True)
        lock(own)
        ann.notice("You can only look on now").get_by_role("button", name="Dismiss").click()
        ann.page.mouse.up()
        operate(own, "DELETE", "/lock")
        ann.wait("!app.viewOnly", "Ann may draw again")
        write = "const [square] = app.live.shapes(); app.selection.set([square.id]); app.writing.open(square.id); return null"
        ann.run(write)
        ann.page.keyboard.insert_text("precious words")
        lock(own)
        ann.page.locator(".writing-hint", has_text="You can only look on now").wait_for()
        # Until the writer ends it, the field takes what they type.
        ann.type(", and more", "Escape")
        notice = ann.notice("What you wrote isn’t in the drawing")
        notice.wait_for()
        assert "precious words, and more" in notice.inner_text() and not ann.run("app.writing.isOpen")
        notice.get_by_role("button", name="Copy the text").click()
        ann.notice("Copied.").wait_for()
        assert ann.page.evaluate("navigator.clipboard.readText()") == "precious words, and more"
        operate(own, "DELETE", "/lock")
        ann.wait("!app.viewOnly", "Ann may write again")
        ann.run(write)
        ann.type("precious words")
        operate(own, "DELETE", "")
        ann.page.locator(".writing-hint", has_text="This room was deleted. What you write isn’t in the drawing").wait_for()
        ann.press("Escape")
        assert "precious words" in ann.notice("This room was deleted. What you wrote").inner_text()


def test_a_new_text_that_a_lock_interrupts_leaves_no_invisible_one(world, room):
    """What was written is given back. The empty text goes as soon as its maker may write again, and no redo brings it back.
    If an operator has written there by then, it stays, as a step of its own."""
    with guarded(world) as own:
        ann = own.join("Ann", fragment=f"#token={EDITOR}", at=(0, 0))
        for words, theirs in [("", ""), ("precious words", ""), ("", "Tea")]:
            ann.take("text")
            ann.page.mouse.click(400, 300)
            ann.wait("app.writing.isOpen")
            [text] = ann.selected()
            own.wait_until_sent()
            lock(own)
            ann.page.locator(".writing-hint", has_text="You can only look on now").wait_for()
            ann.type(words)
            ann.press("Escape")
            assert ann.run("return app.live.shapeCount") == 1, words
            if theirs:
                operate(own, "POST", "/ops", {"ops": [{"shape": text, "set": {"text": theirs}}]})
                ann.wait_for_shape(text, "shape.text === 'Tea'")
            operate(own, "DELETE", "/lock")
            if not theirs:
                ann.wait_for_shapes(0)
                ann.wait("!app.viewOnly && !app.session.canUndo && !app.session.canRedo", f"no step of “{words}” is left")
        ann.wait("!app.viewOnly")
        ann.run("app.edit((live) => live.add({})); return null")
        ann.press("Control+z")
        ann.wait_for_shapes(1)
        assert ann.run("return app.session.canUndo")


def test_who_finds_no_space_is_told_and_let_in_later(world, room):
    """The page says that the room is full, and keeps trying. When it gets in, it has what others drew before."""
    with world.own_room("--max-connections-per-room", "1") as own:
        ann = own.join("Ann")
        bob = own.join("Bob", ready=False)
        bob.page.get_by_role("heading", name="There’s no space right now").wait_for()
        assert "No space right now" in bob.page.inner_text(".status-words")
        ann.draw_squares()
        ann.leave()
        # Presses "Try now" if the button is still there. Without the button, the page has already joined by itself.
        bob.page.evaluate("[...document.querySelectorAll('button')].find((one) => one.textContent === 'Try now')?.click()")
        bob.wait_for_shapes(3)
        bob.page.get_by_role("heading", name="There’s no space right now").wait_for(state="detached")
        assert bob.page.inner_text(".status-words") == "Saved"


@needs_jwt
def test_a_token_that_ends_is_replaced_without_leaving_the_room(world, tmp_path):
    """The page asks for another token a minute before the old one ends. A wrong one changes nothing, and with a right
    one the room stays open. Without a connection: Tests/network/connection.test.mjs (C11)."""
    keys = Keys(str(tmp_path))
    with world.own_room("--jwt-keys", keys.folder, "--jwt-leeway", "0", name="demo") as own:
        end = time.time() + 15
        first, second = keys.token(exp=int(end)), keys.token()
        ann = own.join("Ann", fragment=f"#token={first}")
        kept = "[app.connection.token, sessionStorage.getItem('token')]"
        sockets = []
        ann.page.on("websocket", lambda socket: sockets.append(socket))
        field = ann.page.get_by_label("New token")
        ann.page.get_by_text("ends within a minute").wait_for()
        ann.page.set_viewport_size({"width": 320, "height": 568})
        words = ann.page.locator(".banner .grow").bounding_box()
        assert words["y"] + words["height"] <= field.bounding_box()["y"], "the field covers the words"
        for token, words in [("nonsense", "ends within a minute"), (second, "doesn’t take this token")]:
            ann.page.get_by_text(words).wait_for()
            assert ann.run(kept) == [first, first], "the page goes on with the token that it has"
            field.fill(token)
            ann.page.get_by_role("button", name="Go on").click()
        field.wait_for(state="detached")
        wait_until(time.time, "the first token has ended", holds=lambda now: now > end + 1.5)
        ann.wait("app.session.status().state === 'live' && !app.viewOnly", "the room is still open")
        assert not sockets, "the page has left the room and come back"
        assert ann.run(kept) == [second, second]
