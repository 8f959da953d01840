"""Tabs that are one actor, because the token of both names it."""

import ctypes.util
import json
import time
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
        self.context = None

    def open(self, **options):
        tab = self.own.join("Ann", context=self.context, fragment=f"#token={self.token}", forgive=MISSED, **options)
        self.context = tab.context
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
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["shapes"]


@contextmanager
def opened(world, tmp_path):
    keys = Keys(str(tmp_path))
    with world.own_room("--jwt-keys", keys.folder, name="demo") as own:
        yield Tabs(own, keys)


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
        stamps = [shape["stamps"]["kind"] for shape in shapes]
        assert len({int(stamp.split(".")[1]) // SHARE for stamp in stamps}) == 2, stamps
        third.wait(LIVE, "the third tab is in the room")
        assert resting(third).count() == 0
