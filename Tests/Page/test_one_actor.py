"""Tabs that are one actor, because the token of both names it."""

import ctypes.util
import json
import time
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

from server import tool
from test_offline import MISSED, status
from test_signed_tokens import Keys
from waiting import wait_until

pytestmark = pytest.mark.skipif(not (ctypes.util.find_library("jwt") and tool("openssl")), reason="libjwt0 or openssl is not here")

# How many counters of a millisecond a share has.
SHARE = 65_536 // 8
LIVE = "app.live.status().state === 'live'"
ELSEWHERE = "You’re in this room in another place"


class Tabs:
    """A room, and a browser whose tabs all have one token."""

    def __init__(self, own, keys):
        self.own = own
        self.token = keys.token(actor="ann-ann-ann", name="Ann")
        self.unnamed = keys.token(name="Ann")
        self.context = None

    def open(self, token=None, **options):
        tab = self.own.join("Ann", fragment=f"#token={token or self.token}", forgive=MISSED, **{"context": self.context} | options)
        self.context = self.context or tab.context
        return tab

    def open_both(self):
        """Two tabs, of which the newer one is in the room."""
        one, two = self.open(), self.open()
        resting(one).wait_for()
        two.wait(LIVE, "the newer tab is in the room")
        return one, two

    def shapes(self):
        """The shapes that the server has, with their stamps."""
        request = urllib.request.Request(
            self.own.server.url("/v1/rooms/demo?stamps=1"), headers={"Authorization": f"Bearer {self.token}"})
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["shapes"]
        except urllib.error.HTTPError as error:
            with error:
                assert error.code == 404, error
            return []


@contextmanager
def opened(world, tmp_path):
    keys = Keys(str(tmp_path))
    with world.own_room("--jwt-keys", keys.folder, name="demo") as own:
        yield Tabs(own, keys)


def share(shape):
    return int(shape["stamps"]["kind"].split(".")[1]) // SHARE


def draw_and_keep(tab):
    """Leaves the room, and draws something that is stored but not sent."""
    tab.disconnect()
    tab.run("app.edit((session) => session.add({ kind: 'star' })); return null")
    tab.wait_until_kept(1)


# Notes which states the tab has from now on.
FOLLOWED = """window.states = []
  app.connection.on('effect', (effect) => { if (effect.type === 'state') window.states.push(effect.state) })
  return null"""

# Moves unsent edits to the place of an actor that nobody is.
MOVED = """await (async ({ keep, forgetEdits }) => {
  const left = (await editsOf(room)).find(({ unsent }) => unsent > 0)
  if (!left) return false
  await keep('edits', { ...left, key: `${room} 7` })
  await forgetEdits(left.key)
  return true
})(window.storageModule)"""


def resting(tab):
    return tab.page.get_by_role("heading", name=ELSEWHERE)


def test_one_of_two_tabs_is_in_the_room_until_the_person_goes_to_the_other(world, room, tmp_path):
    """The other says so. It comes back when it is pressed there, or when the person returns to it."""
    with opened(world, tmp_path) as tabs:
        one, two = tabs.open_both()
        assert one.page.inner_text(".status-words") == "Open in another place"
        one.page.get_by_role("button", name="Go on here").click()
        resting(two).wait_for()
        one.wait(LIVE, "the person goes on in the first tab")
        two.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        resting(one).wait_for()
        two.wait(LIVE, "the person has returned to the second tab")
        one.close()


def test_what_two_tabs_have_not_sent_arrives_from_both_under_different_stamps(world, room, tmp_path):
    """Without a server, both draw at the same time, and are closed. Each counts in a share of its own."""
    with opened(world, tmp_path) as tabs:
        one, two = tabs.open_both()
        tabs.own.server.kill()
        at = int(time.time() * 1000) + 1_000
        for number, tab in enumerate((one, two)):
            tab.run("const ahead = app.live.serverMilliseconds - Date.now(); Date.now = () => value - ahead; return null", at)
            tab.run("app.edit((session) => session.add({ kind: 'star', position: [value, 0], name: `tab ${value}` })); return null", number)
        status(two, "1 change is kept")
        for tab in (one, two):
            tab.wait("app.session.unsentCount === 1")
        kept = "(await editsOf(room)).filter(({ unsent }) => unsent === 1).length === value"
        two.wait_for_storage(kept, 2, "the edits of both are kept")
        one.close()
        two.close()
        tabs.own.server.start()
        third = tabs.open()
        shapes = wait_until(tabs.shapes, "both edits have arrived", holds=lambda shapes: len(shapes) == 2)
        assert {shape["name"] for shape in shapes} == {"tab 0", "tab 1"}
        assert len({share(shape) for shape in shapes}) == 2, shapes
        third.wait(LIVE, "the third tab is in the room")
        assert resting(third).count() == 0


def test_what_another_actor_left_is_sent_by_the_actor_that_the_token_names(world, room, tmp_path):
    """The tab leaves the room for that, and its line isn't closed by its own courier. The stamps are of another share."""
    with opened(world, tmp_path) as tabs:
        former = tabs.open(tabs.unnamed)
        draw_and_keep(former)
        tab = tabs.open()
        tab.wait(LIVE)
        tab.run(FOLLOWED)
        former.close()
        (shape,) = wait_until(tabs.shapes, "the edit has arrived", holds=len)
        tab.wait(LIVE, "the tab is back")
        assert share(shape) == 1 and "closed" not in tab.run("window.states")


def test_a_tab_that_was_closed_while_it_looked_for_a_place_gets_one(world, room, tmp_path):
    """Its edits lie in the place of its former actor, so their stamps may be those of another tab."""
    with opened(world, tmp_path) as tabs:
        one, two = tabs.open_both()
        draw_and_keep(two)
        two.close()
        one.wait_for_storage(MOVED, None, "the edits are kept in another place")
        three = tabs.open()
        wait_until(tabs.shapes, "the edit has arrived", holds=len)
        own = f"{tabs.own.name} {three.run('app.live.actor')}"
        three.wait_for_storage(
            "(await editsOf(room)).map(({ key }) => key).sort().join('|') === value", f"{own}|{own} 1", "it is in no other place")
