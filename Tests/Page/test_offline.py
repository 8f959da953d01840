"""Without a network: edits are counted and kept, and arrive later, and the page still opens."""

import http.server
import itertools
import json
import shutil
import tempfile
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from modules import module
from person import number
from test_rooms import menu_of
from waiting import wait_until


MISSED = ("ERR_CONNECTION_REFUSED", "ERR_INTERNET_DISCONNECTED", "WebSocket connection", "Failed to load resource", "when fetching the script")
SQUARE = "app.edit((session) => session.addSquare({ x: 100, y: 100, width: 600, height: 400 })); return Date.now()"


def draw(person, count=1):
    """Draws this many squares. Returns when the last one was drawn, by the browser's clock."""
    return [person.run(SQUARE) for _ in range(count)][-1]


def status(person, words):
    person.wait("document.querySelector('.status-words').textContent.includes(value)", words, words)


def keep_page(person):
    """Waits until the browser has cached the page's files."""
    person.wait("navigator.serviceWorker.controller", "the worker")
    wait_until(lambda: any(kept_files(person, "/page.json")), "the page is kept")


def test_a_reload_keeps_what_was_not_sent(world, room):
    """Without a server, a reloaded page has the same drawing, edits and actor. The list of rooms opens too, with the
    rooms that this browser has seen. The edits arrive when the server is back."""
    with world.own_room(name="reload") as own:
        ann = own.join("Ann", forgive=MISSED)
        drawn = draw(ann, 2)
        own.wait_for_shapes(2)
        status(ann, "Saved")
        keep_page(ann)
        ann.wait_until_drawing_is_kept(drawn)
        actor = ann.run("app.live.actor")
        own.server.kill()
        draw(ann, 2)
        status(ann, "2 changes are kept")
        ann.page.reload()
        ann.wait("app.session.shapeCount === 4 && app.session.unsentCount === 2", "what was drawn")
        assert ann.run("app.live.actor") == actor
        status(ann, "2 changes are kept")
        ann.painted()
        ann.page.goto(own.server.url("/"))
        ann.page.get_by_role("link", name="reload 2 changes not sent yet").click()
        ann.wait("app.session.shapeCount === 4", "the drawing")
        own.server.start()
        own.wait_for_shapes(4)
        own.agree(ann)


def test_what_is_done_at_the_last_moment_is_kept(room):
    """A page without a connection is closed right after an edit. Opened again, it sends the edit."""
    ann = room.join("Ann")
    for count in range(1, 4):
        ann.run("app.perform(app.live.stop()); " + SQUARE.removesuffix("; return Date.now()") + "; location.reload(); return null")
        room.wait_for_shapes(count)
        ann.wait("app.session.status().state === 'live' && app.session.unsentCount === 0")
    room.agree()
    kept = "return Object.keys(localStorage).filter((name) => name.startsWith('canvas edits '))"
    assert ann.run(kept) == []
    # A text that is being written is stored before the event is over by which the page learns that it is hidden.
    ann.run("app.perform(app.live.stop()); app.writing.open(app.session.shapes()[0].id); return null")
    ann.type("Hello")
    assert len(ann.run("""Object.defineProperty(document, 'hidden', { value: true, configurable: true })
      document.dispatchEvent(new Event('visibilitychange')); """ + kept)) == 1


def test_a_text_that_replaces_an_unsent_one_is_kept_at_the_last_moment_too(room):
    """More is unsent than `farewell.ts` stores when a page closes. The new text replaces an unsent one, so the number of
    unsent edits doesn't change."""
    note = number(room.add(position=[0, 0], size=[300, 200]))
    ann = room.join("Ann")
    ann.disconnect()
    ann.run("""app.edit((session) => session.edit(Array.from({ length: 200 }, (_, at) => ({ shape: session.newIdentifier(), set: {
        kind: 'text', position: [at * 50, 400], size: [40, 40], text: 'x'.repeat(1500) } }))))
      app.edit((session) => session.edit([{ shape: value, set: { text: 'First' } }]))
      return null""", note)
    ann.wait_until_kept(201)
    assert ann.run("app.live.save(false).length") > 256 << 10
    ann.run("app.writing.open(value, { selectsAll: true }); return null", note)
    ann.type("Second")
    ann.page.reload()
    room.wait_for(lambda shapes: "Second" in [shape.get("text") for shape in shapes], "the newer text")


def test_a_second_tab_is_somebody_else_and_brings_in_what_the_first_left(world, room):
    """Offline it shows the first one's drawing, and sends what that left unsent."""
    with world.own_room() as own:
        ann = own.join("Ann", forgive=MISSED)
        drawn = draw(ann)
        own.wait_for_shapes(1)
        keep_page(ann)
        ann.wait_until_drawing_is_kept(drawn)
        tab = own.join("Ann", context=ann.context, forgive=MISSED)
        assert tab.run("app.live.actor") != ann.run("app.live.actor")
        own.server.kill()
        third = own.join("Ann", context=ann.context, ready=False, forgive=MISSED)
        third.wait("app.session.shapeCount === 1", "the drawing")
        draw(third, 2)
        draw(tab, 1)
        third.wait_until_kept(2)
        third.close()
        own.server.start()
        for each in (own, tab, ann):
            each.wait_for_shapes(4)
        own.agree(ann, tab)


class BadGateway(http.server.BaseHTTPRequestHandler):
    """What a proxy answers while the server is gone."""

    def do_GET(self):
        self.send_error(502)

    def log_message(self, *_):
        pass


def test_a_page_that_was_opened_offline_has_its_later_parts_when_the_worker_has_slept(world, room):
    """A browser stops an idle service worker. The next one still knows which set of files the page comes from. Nothing
    answers in the server's place, or a proxy."""
    with world.own_room() as own, ExitStack() as gone:
        ann = own.join("Ann", forgive=MISSED)
        drawn = draw(ann)
        own.wait_for_shapes(1)
        keep_page(ann)
        ann.wait_until_drawing_is_kept(drawn)
        own.server.kill()
        for shapes, proxy in ((1, None), (2, BadGateway)):
            if proxy:
                ann.wait_until_kept(1)
                answering = gone.enter_context(http.server.ThreadingHTTPServer(("127.0.0.1", own.server.port), proxy))
                threading.Thread(target=answering.serve_forever, daemon=True).start()
                gone.callback(answering.shutdown)
            ann.page.reload()
            ann.wait(f"app.session.shapeCount === {shapes}", "the drawing")
            devtools = ann.context.new_cdp_session(ann.page)
            devtools.send("ServiceWorker.enable")
            devtools.send("ServiceWorker.stopAllWorkers")
            assert not ann.run("app.hasExchange"), proxy
            ann.run("app.selection.set(app.session.drawingOrder().slice(0, 1)); return null")
            ann.press("Control+d")
            ann.wait(f"app.session.shapeCount === {shapes + 1}", f"the copy, answered by {proxy}")
            assert len(json.loads(ann.export("JSON")[1])["shapes"]) == shapes + 1
            assert ann.page.evaluate("fetch('/page.json?own').then((answer) => answer.json()).then(({ version }) => version !== undefined)")


def test_what_the_server_refuses_is_shown_and_taken_back(world, room):
    """In a full room a banner says so until there is space again, and the refused shape disappears."""
    with world.own_room("--max-shapes", "2") as own:
        ann = own.join("Ann")
        draw(ann, 3)
        ann.page.locator(".notice.is-refused", has_text="the room is full").wait_for()
        banner = ann.page.locator(".banner", has_text="it holds 2 shapes")
        banner.wait_for()
        ann.wait_for_shapes(2)
        ann.see()
        assert banner.count() == 1
        # What has just been refused, and is not told yet, is told after a reload.
        ann.run("const { setTimeout } = window; window.setTimeout = (run, time) => (time === 300 ? 1 : setTimeout(run, time));"
                "app.edit((session) => session.add({ text: 'last words' })); return null")
        ann.wait("app.session.unsentCount === 0 && app.session.shapeCount === 2", "it is refused")
        assert ann.notice("last words").count() == 0
        ann.reload()
        ann.notice("You wrote: “last words”").get_by_role("button", name="Dismiss").click()
        # The refusal comes while Ann writes in the shape.
        ann.run("const { shape } = app.edit((session) => session.add({ position: [300, 300], size: [200, 100] }));"
                "app.writing.open(shape); document.querySelector('.writing-field').value = 'Seeds'; return null")
        ann.page.locator(".writing-hint", has_text="The server didn’t take this").wait_for()
        # The text that is kept in its place is refused too.
        ann.press("Escape")
        ann.notice("You wrote: “Seeds”").get_by_role("button", name="Copy the text").wait_for()
        ann.wait_for_shapes(2)
        # What was written is given back with the refusal, or on the clipboard, or else in another notice.
        words = "taken back: the room is full. You wrote: “precious”"
        for is_taken, told in ((True, "Copied."), (False, "We can’t copy it, so here it is: “precious”")):
            ann.run("navigator.clipboard.writeText = async (text) => { if (!value) throw new Error('denied'); window.copied = text };"
                    "app.edit((session) => session.add({ text: 'precious' })); return null", is_taken)
            ann.notice(words).get_by_role("button", name="Copy the text").click()
            ann.notice(told).wait_for()
            assert ann.run("window.copied") == "precious"
            ann.wait_for_shapes(2)
        # Its notice made way for none of the others.
        assert ann.notice("You wrote: “Seeds”").is_visible()
        own.write((own.agree()[0]["id"], {"deleted": True}))
        banner.wait_for(state="detached")


def test_a_deleted_room_says_so(room):
    """The last drawing can be exported, and the room can be started again. The browser forgets the drawing."""
    ann = room.join("Ann")
    ann.wait_until_drawing_is_kept(draw(ann))
    room.wait_for_shapes(1)
    room.request("DELETE", "")
    ann.page.get_by_role("heading", name="This room was deleted").wait_for()
    status(ann, "Deleted")
    draw(ann)
    ann.notice("This room was deleted").wait_for()
    assert ann.run("app.session.shapeCount") == 1
    assert ann.export("JSON", ann.page.get_by_role("button", name="Export as JSON").click)[0] == f"{room.name}.json"
    # A page that is hidden stores what isn't stored yet.
    ann.run("window.dispatchEvent(new PageTransitionEvent('pagehide')); return null")
    ann.wait_until_drawing_is_forgotten()
    ann.page.get_by_role("button", name="Start over").click()
    status(ann, "Saved")
    ann.wait_for_shapes(0)
    ann.wait_until_drawing_is_kept(draw(ann))


@pytest.mark.parametrize("is_seen", [False, True])
def test_a_room_that_was_deleted_while_one_was_away_is_forgotten(room, is_seen):
    """The list of rooms forgets it, also if it was still listed at first. It leaves alone a room that is still there, and
    edits that were never sent, unless one says that they may go."""
    gone, lasting, unsent = (room.world.room(name=f"{room.name}-{name}") for name in ("gone", "lasting", "unsent"))
    visitors = []
    for each in (gone, lasting, unsent):
        visitors.append(each.join("Ann", context=visitors[0].context if visitors else None))
        visitors[-1].wait_until_drawing_is_kept(draw(visitors[-1]))
        each.wait_for_shapes(1)
    gone_one, lasting_one, unsent_one = visitors
    for visitor in (gone_one, lasting_one):
        visitor.page.goto(room.server.url("/icon.svg"))
    unsent_one.forgive(*MISSED)
    unsent_one.context.set_offline(True)
    unsent_one.run("app.connection.end(); return null")
    draw(unsent_one)
    unsent_one.wait_until_kept(1)
    unsent_one.page.goto("about:blank")
    unsent_one.context.set_offline(False)
    unsent.request("DELETE", "")
    if is_seen:
        # The list may ask for the room's picture when the room is gone.
        lasting_one.forgive(f"/{gone.name}/picture.svg")
        lasting_one.page.goto(room.server.url("/"))
        lasting_one.page.get_by_role("link", name=gone.name).wait_for()
    gone.request("DELETE", "")
    if not is_seen:
        lasting_one.page.goto(room.server.url("/"))
    lasting_one.wait_for_storage("(await keptRooms()).map(({ room }) => room).sort().join() === value",
                                 f"{lasting.name},{unsent.name}", "only the deleted room is forgotten")
    forget = lasting_one.page.get_by_role("button", name="Forget what was not sent to")
    forget.click()
    lasting_one.page.get_by_role("dialog", name="Forget 1 change?").get_by_role("button", name="Forget", exact=True).click()
    lasting_one.wait_for_storage("(await keptRooms()).map(({ room }) => room).join() === value", lasting.name, "it is forgotten")
    forget.wait_for(state="hidden")


def test_the_list_of_rooms_tells_what_was_never_sent(room):
    """Also of a room that only this browser knows, which the server doesn't list. What is kept of it stays, and arrives
    when the room is opened, or is forgotten."""
    fresh = room.world.room(name=f"{room.name}-fresh")
    room.add(position=[0, 0], size=[100, 100])
    ann = fresh.join("Ann")
    tabs = (ann, fresh, 2), (room.join("Ann", context=ann.context), room, 1)
    for tab, each, count in tabs:
        tab.disconnect()
        draw(tab, count)
        tab.wait_until_kept(count)
    page = ann.page
    page.goto(room.server.url("/"))
    tabs[1][0].page.goto("about:blank")
    lines = (fresh, "2 changes not sent yet"), (room, "1 shape · nobody here · 1 change not sent yet")
    recent = page.locator(".cards").first
    for each, line in lines:
        recent.get_by_role("link", name=f"{each.name} {line}", exact=True).wait_for()
    # When the second answer comes, the list has shown the first one.
    for _ in range(2):
        with page.expect_response("**/v1/rooms"):
            pass
    for each, line in lines:
        assert recent.get_by_role("link", name=f"{each.name} {line}", exact=True).is_visible()
    page.get_by_text(fresh.name, exact=True).click()
    fresh.wait_for_shapes(2)
    ann.wait_for_storage("!(await editsOf(room)).some(({ unsent }) => unsent > 0)", None, "the page knows that all is sent")
    page.goto(room.server.url("/"))
    card = page.locator(".room-card", has=page.get_by_text(fresh.name, exact=True))
    wait_until(card.inner_text, "all is sent", lambda text: text.endswith("2 shapes · nobody here"))
    menu_of(page, room.name, "Forget what was not sent…")
    page.get_by_role("dialog", name="Forget 1 change?").get_by_role("button", name="Forget", exact=True).click()
    card = page.locator(".room-card", has=page.get_by_text(room.name, exact=True))
    wait_until(card.inner_text, "it is forgotten", lambda text: text.endswith("1 shape · nobody here"))


# From now on the page sends no edits.
SILENCED = """const { send } = WebSocket.prototype
  WebSocket.prototype.send = function (bytes) { if (bytes[0] !== 2) send.call(this, bytes) }
  return null"""


@contextmanager
def upgraded(world):
    """A room on a server with its own copy of the page's files, and a function that changes them to a newer version."""
    with tempfile.TemporaryDirectory() as folder:
        web = Path(folder) / "web"
        shutil.copytree(world.web, web)

        def upgrade(gone=None):
            with open(web / "room" / "room.css", "a") as file:
                file.write("/* newer */\n")
            if gone:
                (web / gone).unlink()
                (web / f"{gone}.br").unlink()

        with world.own_room("--web", web) as own:
            yield own, upgrade


def reload_by_banner(person):
    """Presses the banner's button, and waits until the newer page has loaded without a banner."""
    banner = person.page.locator(".banner", has_text="newer version")
    banner.wait_for()
    banner.get_by_role("button", name="Reload").click()
    person.wait("app.session.status().state === 'live'")
    assert person.page.evaluate("async () => (await (await fetch('/room/room.css')).text()).includes('newer')")
    person.page.evaluate("new Promise((done) => setTimeout(done, 300))")
    assert person.page.locator(".banner").count() == 0


def listed_version(person):
    return person.page.evaluate("fetch('/page.json').then((answer) => answer.json()).then(({ version }) => version)")


def test_parts_of_a_newer_page_are_not_taken_into_an_older_one(world, room):
    """A page that stays open during an upgrade says so, and works with the parts that it has."""
    with upgraded(world) as (own, upgrade):
        own.add(position=[200, 200], size=[100, 80])
        ann = own.join("Ann")
        ann.page.wait_for_load_state("networkidle")
        before = listed_version(ann)
        upgrade()
        # Waits, because the server checks its files only once a second.
        wait_until(lambda: listed_version(ann) != before, "the server lists the newer page")
        ann.press("Control+a", "Control+c")
        ann.page.locator(".notice.is-refused", has_text="newer version").wait_for()
        ann.press("?")
        ann.page.evaluate("new Promise((done) => setTimeout(done, 200))")
        assert ann.page.locator("dialog").count() == 0 and not ann.run("app.hasExchange")
        draw(ann)
        own.wait_for_shapes(2)
        reload_by_banner(ann)
        ann.press("Control+a", "Control+d")
        own.wait_for_shapes(4)


@pytest.mark.parametrize("is_gone", [False, True], ids=["changed", "gone"])
def test_a_page_that_is_too_old_for_the_card_of_a_closed_room_offers_a_reload(world, room, is_gone):
    """The server's card is of another version, or has another file. What wasn't sent when the room was deleted is kept."""
    with upgraded(world) as (own, upgrade):
        own.add(position=[200, 200], size=[100, 80])
        ann = own.join("Ann", forgive=(*MISSED, "outside-cards"))
        ann.page.wait_for_load_state("networkidle")
        before = listed_version(ann)
        upgrade("bars/outside-cards.js" if is_gone else None)
        wait_until(lambda: listed_version(ann) != before, "the server lists the newer page")
        ann.run(SILENCED)
        draw(ann)
        ann.wait_until_kept(1)
        own.request("DELETE", "")
        card = ann.page.locator(".middle .card", has_text="newer version")
        card.wait_for()
        assert ann.run("app.live.status().state") == "closed"
        card.get_by_role("button", name="Reload").click()
        own.wait_for_shapes(1)


def test_a_second_tab_shows_what_the_first_has_not_sent_yet(world, room):
    """Without a server too, and after a reload. With the server, it shows what that has."""
    with world.own_room() as own:
        ann = own.join("Ann", forgive=MISSED)
        kept_since = draw(ann)
        status(ann, "Saved")
        keep_page(ann)
        ann.wait_until_drawing_is_kept(kept_since)
        own.server.kill()
        draw(ann, 3)
        ann.wait_until_kept(3)
        again = own.join("Ann", context=ann.context, ready=False, forgive=MISSED)
        again.wait("app.session.shapeCount === 4", "what the first tab has drawn")
        assert again.run("app.live.unsentCount") == 0
        draw(again, 1)
        again.wait_until_kept(1)
        again.page.reload()
        again.wait("app.session.shapeCount === 5 && app.live.unsentCount === 1", "all of it, and one's own")
        # Ann undoes some of her edits while she is offline, before anybody has seen them.
        ann.run("app.editing.undo(); app.editing.undo(); return null")
        own.server.start()
        again.wait_for_shapes(3)
        own.wait_for_shapes(3)
        own.agree()


def test_a_line_that_dies_without_a_word_is_noticed_and_left(world):
    """A suspended server closes nothing. The page notices, keeps edits, and reconnects soon."""
    with world.own_room() as own:
        ann = own.join("Ann", forgive=MISSED)
        draw(ann)
        status(ann, "Saved")
        # The round-trip time is in the tooltip of the status.
        ann.wait("/\\d+ ms to the server and back/.test(document.querySelector('.status').title)", "the round trip")
        # That it is slow is told after some such answers, and once: Tests/network/pulse.test.mjs.
        ann.run("""const { send } = WebSocket.prototype
          WebSocket.prototype.send = function (bytes) { setTimeout(() => this.readyState === 1 && send.call(this, bytes), 1_100) }
          window.hurry = () => { WebSocket.prototype.send = send }
          return null""")
        slow, ways = ann.notice("Your connection is slow. Others see your changes late, and you theirs."), itertools.count(300)
        wait_until(lambda: ann.page.mouse.move(next(ways), 300) or slow.count(), "that it is slow")
        ann.run("hurry(); return null")
        own.server.freeze()
        try:
            ann.wait("app.live.status().state !== 'live'", "that it notices")
            draw(ann, 2)
            status(ann, "2 changes are kept")
        finally:
            own.server.thaw()
        status(ann, "Saved")
        own.agree()
        assert ann.run("app.session.shapeCount") == 3


def test_a_database_that_the_browser_closes_is_opened_again(room):
    """While the browser refuses to store anything, the status says where the changes are."""
    ann = room.join("Ann", before=lambda page: page.add_init_script("""
      const open = IDBFactory.prototype.open
      IDBFactory.prototype.open = function (...values) {
        if (window.refusesStorage) throw new DOMException('no more space', 'UnknownError')
        const request = open.apply(this, values)
        request.addEventListener('success', () => { (window.databases ??= []).push(request.result) })
        return request
      }"""))
    ann.disconnect()
    draw(ann, 2)
    ann.wait_until_kept(2)
    ann.run("window.databases.forEach((each) => each.close()); return null")
    draw(ann, 2)
    ann.wait_until_kept(4)
    status(ann, "Your 4 changes are kept")
    ann.run("window.refusesStorage = true; window.databases.forEach((each) => each.close()); return null")
    draw(ann)
    status(ann, "Your 5 changes are only in this tab")
    ann.notice("can’t keep your changes").wait_for()
    ann.run("window.refusesStorage = false; return null")
    draw(ann)
    status(ann, "Your 6 changes are kept")
    ann.run("app.start(); return null")
    room.wait_for_shapes(6)


def test_a_browser_that_can_keep_nothing_says_so_before_anything_is_lost(world):
    """It says so at the first edit without a connection, and when there is a newer page to reload."""
    with upgraded(world) as (own, upgrade):
        ann = own.join("Ann", forgive=["can’t keep it", "full", *MISSED], before=lambda page: page.add_init_script(
            "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError') }"))
        upgrade()
        ann.run("app.freshness.look(); return null")
        ann.page.locator(".banner", has_text="Don’t reload it until everything is saved").wait_for()
        ann.disconnect()
        draw(ann)
        ann.notice("can’t keep your changes").wait_for()
        status(ann, "Your 1 change is only in this tab")


def kept_files(person, path):
    """The cached copies of a file, one for each cached version of the page."""
    return person.page.evaluate(
        """async (path) => Promise.all((await caches.keys()).filter((name) => name.startsWith('page ')).map(async (name) =>
          (await (await caches.open(name)).match(path))?.text() ?? ''))""", path)


def test_a_page_from_the_server_gets_no_script_of_another_version(world, room):
    """The browser has cached one version, the server has another and fails. They aren't mixed."""
    with upgraded(world) as (own, upgrade):
        ann = own.join("Ann", forgive=[*MISSED, "net::ERR", "Failed to fetch"])
        keep_page(ann)
        upgrade()
        ann.context.route("**/room/room.js", lambda route: route.abort())
        ann.page.goto("about:blank")
        ann.page.goto(own.server.url(own.path))
        ann.page.evaluate("new Promise((done) => setTimeout(done, 500))")
        assert ann.page.evaluate("window.canvasRoom === undefined")
        ann.context.unroute("**/room/room.js")
        ann.reload()


# A browser that has no space any more, in the way that localStorage says: at each write, or only when the transaction ends,
# after each write of it has seemed to succeed.
NO_SPACE = """
  const { put } = IDBObjectStore.prototype
  IDBObjectStore.prototype.put = function (...values) {
    const when = localStorage.getItem('full')
    if (when === 'at once') throw new DOMException('full', 'QuotaExceededError')
    const request = put.apply(this, values)
    if (when) request.addEventListener('success', () => {
      try { this.transaction.abort() } catch { /* It commits by itself. */ }
    })
    return request
  }
  if (localStorage.getItem('full') === 'at the end') IDBTransaction.prototype.commit = () => {}"""


def test_a_browser_without_space_still_reads_what_it_has(room):
    """The next page can't move what the last one put into localStorage, but reads both."""
    ann = room.join("Ann", before=lambda page: page.add_init_script(NO_SPACE), forgive=["can’t keep it", "full"])
    actor = ann.run("app.live.actor")
    for count, when in ((2, "at once"), (4, "at the end")):
        ann.run("app.perform(app.live.stop()); " + SQUARE)
        ann.wait("app.session.unsentCount === 1")
        if when == "at the end":
            ann.run("IDBTransaction.prototype.commit = () => {}; return null")
        ann.run("localStorage.setItem('full', value); " + SQUARE + "; return null", when)
        ann.page.reload()
        room.wait_for_shapes(count)
        ann.wait("app.session.status().state === 'live' && app.session.unsentCount === 0")
        assert ann.run("app.live.actor") == actor, when
        ann.run("localStorage.removeItem('full'); return null")


# Joins a second client as the tab's actor. The server then closes the tab's connection, and the tab gets a new actor.
SAME_ACTOR = """const other = new app.connection.constructor(app.core.restoreReplica(value), { room: app.room, token: null })
  other.start()
  window.others = [other]
  return null"""


def test_a_tab_that_becomes_somebody_else_keeps_its_edits_though_there_is_no_space(room):
    """Edits that are stored under the old actor stay there until they are stored under the new one."""
    ann = room.join("Ann")
    ann.forgive("can’t keep it", "full")
    before = ann.run("return Array.from(app.live.save(false))")
    ann.disconnect()
    draw(ann, 2)
    ann.wait_until_kept(2)
    # From now on the page can neither store anything nor send edits.
    ann.run("""const full = () => { throw new DOMException('full', 'QuotaExceededError') }
      IDBObjectStore.prototype.put = full
      Storage.prototype.setItem = full
      const { send } = WebSocket.prototype
      WebSocket.prototype.send = function (bytes) { if (bytes[0] !== 2) send.call(this, bytes) }
      window.actor = app.live.actor
      app.start()
      return null""")
    ann.wait("app.live.status().state === 'live'")
    ann.run(SAME_ACTOR.replace("(value)", "(new Uint8Array(value))"), before)
    ann.wait("app.live.actor !== window.actor && app.live.status().state === 'live'", "another actor")
    ann.notice("can’t keep your changes").wait_for()
    ann.page.reload()
    room.wait_for_shapes(2)


def test_a_tab_that_becomes_somebody_else_leaves_nothing_behind_nor_does_one_that_takes_in_earlier_edits(room):
    """Once the edits are stored under the new actor, another tab finds nothing left under the old one. What a tab keeps
    in localStorage at its end stays while another one moves earlier edits to the database. Once all are sent, none stay."""
    ann = room.join("Ann")
    draw(ann)
    room.wait_for_shapes(1)
    ann.run(SAME_ACTOR.replace("value", "app.live.save(false)").replace("return null", "window.actor = app.live.actor; return null"))
    ann.wait("app.live.actor !== window.actor && app.live.status().state === 'live'", "another actor")
    look = "async (name) => (await (window.storageModule ??= " + module("storage/database.ts") + ").editsOf(name)).map(({ actor }) => actor)"
    wait_until(lambda: ann.page.evaluate(look, room.name), "only its own edits are kept", [ann.run("app.live.actor")].__eq__)
    assert ann.page.evaluate("""async () => {
      const { editsOf, forgetEdits } = window.storageModule
      const keep = (at) => localStorage.setItem('canvas edits other 1', JSON.stringify({
        key: 'other 1', room: 'other', actor: 1, bytes: btoa('a'), unsent: 1, at }))
      keep(1)
      const reading = editsOf('other')
      keep(2)
      await reading
      const kept = (await editsOf('other')).map(({ at }) => at)
      keep(3)
      await forgetEdits('other 1')
      return [...kept, (await editsOf('other')).length] }""") == [2, 0]


@pytest.mark.parametrize("look", [1, 2], ids=["opening", "courier"])
def test_what_a_closing_tab_keeps_while_another_reads_arrives(room, look):
    """Before the reader gets its answer, the tab whose edits these are keeps more and is closed."""
    ann = room.join("Ann")
    ann.disconnect()
    draw(ann)
    ann.wait_until_kept(1)
    bob = room.join("Bob", context=ann.context, ready=False, before=lambda page: page.add_init_script("""
      // On a busy machine the page must not give up waiting for the answer.
      const { setTimeout } = window
      window.setTimeout = (run, milliseconds) => milliseconds === 5000 ? 0 : setTimeout(run, milliseconds)
      const { getAll } = IDBIndex.prototype
      IDBIndex.prototype.getAll = function (...values) {
        const request = getAll.apply(this, values)
        window.looks = (window.looks ?? 0) + 1
        if (window.looks !== LOOK) return request
        const late = {}
        request.onsuccess = () => {
          late.result = request.result
          window.answer = () => late.onsuccess()
        }
        return late
      }""".replace("LOOK", str(look))))
    bob.page.wait_for_function("() => window.answer", polling=20)
    draw(ann, 2)
    ann.wait_until_kept(3)
    lock = f"canvas {room.name} {ann.run('app.live.actor')}"
    ann.close()
    held = "async () => (await navigator.locks.query()).held.map(({ name }) => name)"
    wait_until(lambda: lock not in bob.page.evaluate(held), "the closed tab has released its key")
    bob.page.evaluate("window.answer()")
    room.wait_for_shapes(3)


def test_a_storage_that_hangs_for_a_while_holds_up_no_courier(room):
    """A closed tab's edit is looked for. The first look gets no answer, and a later one finds and sends the edit."""
    ann = room.join("Ann")
    ann.disconnect()
    draw(ann)
    ann.wait_until_kept(1)
    bob = room.join("Bob", context=ann.context, clock=True, before=lambda page: page.add_init_script("""
      const { getAll } = IDBIndex.prototype
      IDBIndex.prototype.getAll = function (...values) {
        window.looks = (window.looks ?? 0) + 1
        return window.looks === 4 ? {} : getAll.apply(this, values)
      }"""))
    bob.forgive("doesn’t answer")
    bob.wait("app.session.status().state === 'live' && window.looks === 4", "a look that gets no answer")
    ann.close()
    bob.stop_clock()
    # In small steps, because the storage answers in its own time.
    for _ in range(50):
        bob.pass_time(1_000)
    room.wait_for_shapes(1)
