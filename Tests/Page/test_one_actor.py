"""Tabs that are one actor, because the token of both names it."""

import ctypes.util
from contextlib import contextmanager

import pytest

from server import tool
from test_offline import MISSED
from test_signed_tokens import Keys

pytestmark = pytest.mark.skipif(not (ctypes.util.find_library("jwt") and tool("openssl")), reason="libjwt0 or openssl is not here")

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
        one = tabs.open()
        two = tabs.open()
        resting(one).wait_for()
        two.wait(LIVE, "the newer tab is in the room")
        assert one.page.inner_text(".status-words") == "Open in another place"
        one.page.get_by_role("button", name="Go on here").click()
        resting(two).wait_for()
        one.wait(LIVE, "the person goes on in the first tab")
        two.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        resting(one).wait_for()
        two.wait(LIVE, "the person has returned to the second tab")
        one.close()
