"""Groups and locks, in the layers."""

from boards import GROUP
from hand import HALF, WHOLE


def wait_for(room, shape, condition):
    """Waits until the server's shape meets the condition, and returns the shape."""
    def found(shapes):
        return next((each for each in shapes if each["id"] == shape and condition(each)), None)
    return found(room.wait_for(found, shape))


def square(room, x, y, **values):
    return room.add(position=[x, y], size=[120, 100], **values)


def test_a_locked_shape_stays_and_can_be_unlocked(room):
    """A notice, the layers and the menu offer that. What hands and keys do meanwhile is in Tests/gestures."""
    square(room, 200, 200)
    cup = square(room, 230, 220)
    ann = room.join("Ann", at=(0, 0), panel="layers")
    ann.select(cup)
    ann.press("Control+Shift+l")
    wait_for(room, cup, lambda shape: shape.get("locked"))
    ann.press("Delete")
    notice = ann.notice("locked")
    notice.get_by_role("button", name="Unlock").click()
    wait_for(room, cup, lambda shape: not shape["locked"])
    # The menu and the layers lock and unlock too.
    row = ann.page.locator(".layer").first
    row.hover()
    row.get_by_role("button", name="Lock").click()
    wait_for(room, cup, lambda shape: shape["locked"])
    row.get_by_role("button", name="Unlock").wait_for()
    ann.page.mouse.click(*ann.screen(340, 310), button="right")
    ann.page.get_by_role("menuitemcheckbox", name="Lock").click()
    wait_for(room, cup, lambda shape: not shape["locked"])
    ann.press("Escape")
    ann.select(cup)
    ann.press("Delete")
    room.wait_for_shapes(1)


def layer_names(person):
    """The rows of the layers from the topmost one, those within a group with a tab before them."""
    return person.page.evaluate(
        "[...document.querySelectorAll('.layer')].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)"
        ".map((row) => (row.classList.contains('grouped') ? '\\t' : '') + row.querySelector('.layer-name').textContent)")


def test_a_group_has_a_row_of_its_own_and_layers_are_called_by_their_text(room):
    """One row stands for all shapes of a group. Arrows without a name are named after what they connect. What was drawn
    between the shapes of a group isn't listed as its own: several people who draw at once and group what they drew have
    groups that lie through each other."""
    group = GROUP
    valid = room.add(kind="polygon", position=[200, 200], size=[120, 100], text="Valid?")
    board = room.add(position=[200, 500], size=[120, 100], text="Dashboard\nof today", group=group)
    sun = room.add(kind="ellipse", position=[400, 500], size=[100, 100], name="Sun", text="warm", group=group)
    room.add(kind="line", position=[260, 300], size=[1, 200], toEnd="arrow", **{"from": [valid, HALF, WHOLE], "to": [board, HALF, 0]})
    ann = room.join("Ann", panel="layers")
    rows = ann.page.locator(".layer .layer-name")
    ann.wait("document.querySelectorAll('.layer').length === 5")

    found = layer_names(ann)
    assert found[0] == "Arrow Valid? → Dashboard" and found[1].startswith("Group: ") and found[2:] == ["\tSun", "\tDashboard", "Valid?"]
    row = ann.page.get_by_role("row", name="Group: ")
    for chosen in ("Sun", "Group: "):
        rows.get_by_text(chosen).click()
        ann.see()
        assert row.get_attribute("aria-selected") == str(chosen == "Group: ").lower(), "it is selected when all of its shapes are"
    assert set(ann.selected()) == {board, sun}
    # The row stays active when somebody draws, so the next key is still for the group.
    far = room.add(position=[2000, 2000], name="Far")
    ann.wait("document.querySelectorAll('.layer').length === 6")
    for visible in (3, 5):
        ann.press(" ")
        room.wait_for(lambda shapes: sum(shape["visible"] for shape in shapes) == visible)
    room.write((far, {"deleted": True}))
    ann.wait("document.querySelectorAll('.layer').length === 5")
    ann.page.locator(".group-row").get_by_role("button", name="Hide").click()
    room.wait_for(lambda shapes: sorted(shape["visible"] for shape in shapes) == [False, False, True, True])
    ann.page.locator(".group-row").get_by_role("button", name="Show").click()
    # After ungrouping, the group's row is gone.
    ann.page.get_by_title("Ungroup", exact=True).click()
    ann.wait("document.querySelectorAll('.layer').length === 4")
    assert layer_names(ann) == ["Arrow Valid? → Dashboard", "Sun", "Dashboard", "Valid?"]
    room.write((board, {"text": "  "}))
    ann.wait("[...document.querySelectorAll('.layer-name')].some(({ textContent }) => textContent.startsWith('Polygon') || textContent.startsWith('Rectangle'))",
             "a text of spaces is no name")
    room.write(*((shape["id"], {"deleted": True}) for shape in room.shapes()))
    for number, name in enumerate(("Login", "Search", "Export", "Filter", "Password")):
        group = {"Login": "0gr-oup-000", "Password": "0gr-oup-000", "Search": "0gr-oup-001", "Filter": "0gr-oup-001"}.get(name)
        room.add(position=[200 * number, 200], size=[100, 100], name=name, **({"group": group} if group else {}))
    ann.wait_for_shapes(5)
    ann.wait("document.querySelectorAll('.layer').length === 9")
    ann.see()
    login, search = "Group: Login + 1", "Group: Search + 1"
    assert layer_names(ann) == [login, "\tPassword", search, "\tFilter", "Export", search, "\tSearch", login, "\tLogin"]
    ann.page.locator(".group-row").last.click()
    assert len(ann.selected()) == 2
