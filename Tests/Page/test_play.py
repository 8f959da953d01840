"""Play is a setting, on by default, for features that are only fun. Without it, they can't be reached. What hands and keys
do then is tested in Tests/gestures."""


def turn_play(person):
    person.choose("Play", role="menuitemcheckbox")


def test_without_play_its_buttons_are_gone_and_an_empty_room_doesnt_invite_to_it(room):
    """The setting is on at first. If it is turned off, it stays off for this person after a reload."""
    ann = room.join("Ann")
    for name in ("Black Hole", "Add Square"):
        assert ann.page.get_by_role("button", name=name).count() == 1
    invitation = ann.page.locator(".invitation")
    invitation.get_by_role("button", name="Start with three squares").wait_for()
    turn_play(ann)
    invitation.get_by_role("button", name="Start with three squares").wait_for(state="hidden")
    assert "circle" not in invitation.inner_text() and "Drag" in invitation.inner_text()
    ann.reload()
    for name in ("Black Hole", "Add Square"):
        assert ann.page.get_by_role("button", name=name).count() == 0
    assert ann.page.locator("#hole").is_hidden()
    assert ann.page.locator(".toolbar > .line:not([hidden])").count() == 2, "a line between each two parts"
    # Random colours belong to Play too. Without it, colours are used in a fixed order.
    ann.run("app.paint.choose({ fill: 'any' }); return null")
    ann.page.get_by_role("button", name="Style of the next shape").click()
    ann.page.get_by_role("button", name="The next colour in turn").wait_for()
    assert ann.page.get_by_role("button", name="Any bright colour").count() == 0
    turn_play(ann)
    invitation.get_by_role("button", name="Start with three squares").wait_for()
