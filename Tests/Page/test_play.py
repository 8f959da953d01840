"""Play is a setting, on by default, for features that are only fun. Without it, they can't be reached by hand, key or
menu."""

from hand import FRAME, tap, throw


def turn_play(person):
    person.choose("Play", role="menuitemcheckbox")


def test_without_play_its_buttons_keys_and_gestures_are_gone(room):
    """The setting is on at first. If it is turned off, it stays off for this person after a reload."""
    square = room.add(position=[300, 200], size=[150, 150], fill="#3366CC")
    ann = room.join("Ann", clock=True)
    for name in ("Black Hole", "Add Square"):
        assert ann.page.get_by_role("button", name=name).count() == 1
    turn_play(ann)
    ann.reload()
    ann.look_at(0, 0)
    for name in ("Black Hole", "Add Square"):
        assert ann.page.get_by_role("button", name=name).count() == 0
    assert ann.page.locator("#hole").is_hidden()
    assert ann.page.locator(".toolbar > .line:not([hidden])").count() == 2, "a line between each two parts"
    before = room.shapes()
    ann.select(square)
    ann.press("q", "c", "Alt+c", "Shift+b", "Escape")
    ann.stop_clock()
    ann.press("v")
    tap(ann, 700, 500, times=2)
    tap(ann, 375, 275, times=3)
    ann.press("Escape")
    ann.pass_time(400)
    room.wait_until_sent()
    assert room.shapes() == before
    # Without Play there is no circle: a shape that is dropped where the circle would be stays. A thrown shape stops
    # where it is released.
    throw(ann, (375, 275), (30, 0))
    there = ann.shape(square)["x"]
    ann.pass_time(60 * FRAME)
    assert ann.shape(square)["x"] == there > 500
    ann.drag((there + 75, 275), (52, 748), hold=True)
    ann.pass_time(10 * FRAME)
    ann.page.mouse.up()
    room.wait_until_sent()
    assert len(room.shapes()) == 1


def test_an_empty_room_invites_to_play_only_where_there_is_play(room):
    ann = room.join("Ann")
    invitation = ann.page.locator(".invitation")
    invitation.get_by_role("button", name="Start with three squares").wait_for()
    turn_play(ann)
    invitation.get_by_role("button", name="Start with three squares").wait_for(state="hidden")
    assert "circle" not in invitation.inner_text() and "Drag" in invitation.inner_text()
    # Random colours belong to Play too. Without it, colours are used in a fixed order.
    ann.run("app.paint.choose({ fill: 'any' }); return null")
    ann.page.get_by_role("button", name="Style of the next shape").click()
    ann.page.get_by_role("button", name="The next colour in turn").wait_for()
    assert ann.page.get_by_role("button", name="Any bright colour").count() == 0
    turn_play(ann)
    invitation.get_by_role("button", name="Start with three squares").wait_for()
