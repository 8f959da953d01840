"""Groups, locks, shapes without a fill, and dashed lines."""

import pytest
from boards import GROUP
from hand import HALF, WHOLE, handle, lead, near
from person import number
from test_history import see_past
from waiting import moment


def wait_for(room, shape, condition):
    """Waits until the server's shape meets the condition, and returns the shape."""
    def found(shapes):
        return next((each for each in shapes if each["id"] == shape and condition(each)), None)
    return found(room.wait_for(found, shape))


def selected(person):
    return set(person.selected())


def square(room, x, y, **values):
    return room.add(position=[x, y], size=[120, 100], **values)


@pytest.mark.parametrize("route", ["straight", "elbow"])
def test_an_arrow_between_shapes_that_are_aligned_follows_them(room, route):
    """It isn't aligned itself, so a second press changes nothing. One that is tied elsewhere is moved, and untied."""
    first, second, third = (room.add(kind="rectangle", position=[x, y], size=[100, 80]) for x, y in ((400, 100), (430, 300), (800, 500)))
    arrow = room.add(kind="line", position=[0, 0], size=[10, 10], route=route, toEnd="arrow", **{"from": [first, 0, HALF], "to": [second, 0, HALF]})
    other = room.add(kind="line", position=[0, 0], size=[10, 10], **{"from": [third, 0, 0]})
    ann = room.join("Ann", at=(0, 0), panel="inspector")
    ann.select(first, second, arrow)
    for _ in range(2):
        ann.page.get_by_label("Align left").click()
        room.wait_for(lambda shapes: [shape["position"][0] for shape in shapes[:2]] == [400, 400])
        ann.see(2)
    assert [ann.shape(each)["x"] for each in (first, second)] == [400, 400]
    ann.select(first, arrow)
    ann.page.get_by_label("Align left").wait_for(state="hidden")
    ann.select(first, other)
    ann.page.get_by_label("Align top").click()
    ann.wait_for_shape(other, "shape.from === null && Math.min(shape.y, shape.y + shape.height) === 10")


def test_a_group_is_aligned_as_one(room):
    """Its shapes keep their places to each other. A group alone has nothing to be aligned with, until it is entered."""
    sun, moon = (square(room, x, 200, group=GROUP) for x in (300, 500))
    star = square(room, 200, 500)
    ann = room.join("Ann", panel="inspector")
    ann.select(sun, moon)
    ann.page.get_by_label("Bring to front").wait_for()
    assert ann.page.get_by_label("Align left").is_hidden()
    ann.select(sun, moon, star)
    ann.page.get_by_label("Align left").click()
    wait_for(room, sun, lambda shape: shape["position"] == [200, 200])
    assert [room.shape(each)["position"] for each in (moon, star)] == [[400, 200], [200, 500]]
    assert ann.page.get_by_label("Distribute vertically").get_attribute("aria-disabled") == "true"
    ann.run("app.groups.enter(value); return null", number(moon))
    ann.select(sun, moon)
    ann.page.get_by_label("Align left").click()
    wait_for(room, moon, lambda shape: shape["position"] == [200, 200])


def test_a_group_is_moved_and_deleted_as_one_and_entered_by_a_double_click(room):
    """Other people have the group too. After ungrouping each shape is separate again, and every step can be undone."""
    sun, moon, star = square(room, 200, 200, fill="#E0483E"), square(room, 400, 200, fill="#3F7FD9"), square(room, 600, 200)
    ann, bob = room.join("Ann", at=(0, 0)), room.join("Bob", at=(0, 0))
    ann.select(sun, moon)
    ann.press("Control+g")
    bob.wait_for_shape(moon, "shape.group !== null")
    bob.press("Escape")
    bob.click(260, 250)
    assert selected(bob) == {sun, moon}
    bob.drag((260, 250), (260, 400), modifiers=["Shift"])
    moved = wait_for(room, moon, lambda shape: shape["position"] == [400, 350])
    assert moved and room.shape(sun)["position"] == [200, 350] and room.shape(star)["position"] == [600, 200]
    # With Shift, a click adds the whole group to the selection, and another click removes it.
    bob.press("Escape")
    bob.click(660, 250)
    with bob.holding("Shift"):
        bob.click(460, 400)
        assert selected(bob) == {sun, moon, star}
        bob.click(460, 400)
    assert selected(bob) == {star}
    # A double click enters the group, so that clicks select its single shapes. Selecting a shape outside of the group
    # leaves it.
    bob.click(460, 400, times=2)
    bob.wait("app.selection.size === 1")
    assert selected(bob) == {moon} and not bob.page.locator(".writing-field").is_visible()
    bob.drag((460, 400), (560, 400), modifiers=["Shift"])
    wait_for(room, moon, lambda shape: shape["position"] == [500, 350])
    assert room.shape(sun)["position"] == [200, 350]
    bob.click(150, 600)
    bob.click(260, 400)
    assert selected(bob) == {sun, moon}
    bob.press("Delete")
    room.wait_for_shapes(1)
    bob.press("Control+z")
    room.wait_for_shapes(3)
    bob.select(sun, moon)
    bob.page.get_by_role("button", name="Ungroup", exact=True).click()
    ann.wait_for_shape(sun, "shape.group === null")
    ann.click(260, 400)
    assert selected(ann) == {sun}


def test_a_group_is_turned_and_scaled_as_one(room):
    """One click selects the group, and the handles around it act on all of it, each in one undo step."""
    sun, moon = square(room, 400, 300, group=GROUP), square(room, 600, 300, group=GROUP)
    ann = room.join("Ann", at=(0, 0))
    ann.press("v")
    ann.click(460, 350)
    assert selected(ann) == {sun, moon}
    above = handle(ann, "rotate")
    # Rotates both shapes by 90 degrees clockwise around their common centre, (560, 350).
    lead(ann, above, (560 + 350 - above[1], 350))
    turned = wait_for(room, moon, lambda shape: shape["rotation"] == 90)
    assert near(turned["position"], [500, 400]) and near(room.shape(sun)["position"], [500, 200]) and room.shape(sun)["rotation"] == 90
    ann.press("Control+z")
    wait_for(room, moon, lambda shape: shape["rotation"] == 0 and shape["position"] == [600, 300])
    corner = handle(ann, "scale")
    lead(ann, corner, (corner[0] + 160, corner[1] + 50))
    scaled = wait_for(room, moon, lambda shape: near(shape["size"], [180, 150]))
    assert near(scaled["position"], [700, 300])
    assert near(room.shape(sun)["size"], [180, 150]) and room.shape(sun)["position"] == [400, 300]
    ann.press("Control+z")
    wait_for(room, moon, lambda shape: shape["size"] == [120, 100])
    assert room.shape(sun)["size"] == [120, 100]


def test_ungrouping_and_locking_are_undone(room):
    """Ungrouping and locking are one undo step each, for all shapes at once."""
    shapes = [square(room, 200 + 200 * at, 200, group=GROUP) for at in range(3)]
    ann, bob = room.join("Ann"), room.witness()
    ann.painted()
    ann.select(*shapes)
    for key, name, before, after in [("Control+Shift+g", "group", GROUP, ""), ("Control+Shift+l", "locked", None, True)]:
        ann.press(key)
        room.wait_for(lambda held: all(shape.get(name) == after for shape in held))
        ann.press("Control+z")
        room.wait_for(lambda held: all((shape.get(name) or None) == before for shape in held))
        ann.press("Control+Shift+z")
        room.wait_for(lambda held: all(shape.get(name) == after for shape in held))
    ann.press("Control+z")
    room.wait_for(lambda held: not any(shape.get("locked") for shape in held))
    # The page refuses to delete the shapes until it has drawn them as unlocked.
    ann.painted()
    ann.press("Delete")
    bob.wait_for_shapes(0)


def test_a_locked_shape_stays_and_can_be_unlocked(room):
    """Clicks pass through a locked shape, the marquee and Select all leave it out, and shortcuts explain why they do
    nothing."""
    table, cup = square(room, 200, 200), square(room, 230, 220, fill="#FFFFFF")
    ann = room.join("Ann", at=(0, 0), panel="layers")
    ann.select(cup)
    ann.press("Control+Shift+l")
    wait_for(room, cup, lambda shape: shape.get("locked"))
    ann.press("Escape")
    ann.click(260, 250)
    assert selected(ann) == {table}, "the shape under the locked one"
    ann.press("Control+a")
    assert selected(ann) == {table}
    ann.press("Escape", "v")
    ann.drag((150, 150), (700, 600))
    assert selected(ann) == {table}
    ann.select(cup)
    for key in ("Delete", "ArrowLeft", "c"):
        ann.press(key)
    notice = ann.notice("locked")
    notice.wait_for()
    assert room.shape(cup)["position"] == [230, 220] and room.shape(cup)["fill"] == "#FFFFFF"
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


def test_a_shape_without_a_fill_is_seen_by_its_outline_and_taken_there(room):
    """Clicks on the empty inside select what is below. Choosing a colour fills the shape again."""
    below, frame = square(room, 250, 230, fill="#3F7FD9"), room.add(position=[200, 200], size=[240, 200], fill="#E0483E")
    ann, bob = room.join("Ann", at=(0, 0)), room.join("Bob", at=(0, 0))
    bob.press("Shift+O")
    ann.select(frame)
    bar = ann.page.locator(".selection-bar")
    bar.get_by_role("button", name="Colours of the selection").click()
    bar.get_by_role("button", name="Fill: None").click()
    emptied = wait_for(room, frame, lambda shape: shape.get("filled") is False)
    assert (emptied["stroke"], emptied["strokeWidth"]) == ("#E0483E", 4), "it can still be seen"
    bob.wait_for_shape(frame, "!shape.filled")
    picture = bob.painted_picture()

    def at(x, y):
        return picture[int(y)][int(x)][:3].tolist()
    assert at(*bob.screen(310, 280)) == [0x3F, 0x7F, 0xD9] and at(*bob.screen(200, 300)) == [0xE0, 0x48, 0x3E]
    for place, taken in (((310, 280), below), ((202, 300), frame), ((400, 380), frame)):
        bob.press("Escape")
        bob.click(*place)
        assert selected(bob) == {taken}, place
    ann.select(frame)
    bar.get_by_role("button", name="Fill: Green").click()
    filled = wait_for(room, frame, lambda shape: shape["filled"])
    assert filled["fill"] == "#2E8558"


def test_strokes_are_dashed_and_dotted(room):
    """The painted stroke has gaps."""
    places = {"solid": 200, "dashed": 400, "dotted": 600}
    for dash, x in places.items():
        room.add(position=[x, 200], size=[140, 140], filled=False, strokeWidth=8, stroke="#000000", dash=dash)
    ann = room.join("Ann", at=(0, 0))
    picture = ann.painted_picture()
    dark = {}
    for dash, x in places.items():
        points = [ann.screen(x + step, 200) for step in range(140)]
        dark[dash] = sum(int(picture[int(y)][int(x)][:3].max()) < 96 for x, y in points) / 140
    assert dark["solid"] > 0.97 and 0.45 < dark["dashed"] < 0.75 and 0.35 < dark["dotted"] < 0.7, dark


def test_of_a_group_that_was_looked_at_in_the_past_only_what_is_left_is_taken(room):
    """One of its two shapes was deleted after the time that one looked at."""
    sun, moon = (room.add(position=[100 + 300 * at, 200], size=[100, 100], group=GROUP) for at in range(2))
    then = moment()
    room.write((moon, {"deleted": True}))
    ann = room.join("Ann")
    see_past(ann, then)
    ann.page.get_by_role("button", name="Back to the present").click()
    ann.wait("!app.isPast && app.session.shapeCount === 1", "the present")
    ann.look_at(0, 0)
    ann.take("select")
    ann.click(*ann.middle(sun))
    assert ann.selected() == [sun]


def layer_names(person):
    """The rows of the layers from the topmost one, those within a group with a tab before them."""
    return person.page.evaluate(
        "[...document.querySelectorAll('.layer')].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)"
        ".map((row) => (row.classList.contains('grouped') ? '\\t' : '') + row.querySelector('.layer-name').textContent)")


def test_shapes_drawn_between_those_of_a_group_are_not_listed_as_its_own(room):
    """Several people who draw at once and group what they drew have groups that lie through each other."""
    for number, name in enumerate(("Login", "Search", "Export", "Filter", "Password")):
        group = {"Login": "0gr-oup-000", "Password": "0gr-oup-000", "Search": "0gr-oup-001", "Filter": "0gr-oup-001"}.get(name)
        room.add(position=[200 * number, 200], size=[100, 100], name=name, **({"group": group} if group else {}))
    ann = room.join("Ann", panel="layers")
    ann.wait_for_shapes(5)
    ann.wait("document.querySelectorAll('.layer').length === 9")
    ann.see()
    login, search = "Group: Login + 1", "Group: Search + 1"
    assert layer_names(ann) == [login, "\tPassword", search, "\tFilter", "Export", search, "\tSearch", login, "\tLogin"]
    ann.page.locator(".group-row").last.click()
    assert len(ann.selected()) == 2


def test_a_group_has_a_row_of_its_own_and_layers_are_called_by_their_text(room):
    """One row stands for all shapes of a group. Arrows without a name are named after what they connect."""
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
    ann.page.locator(".group-row").get_by_role("button", name="Hide").click()
    room.wait_for(lambda shapes: sorted(shape["visible"] for shape in shapes) == [False, False, True, True])
    ann.page.locator(".group-row").get_by_role("button", name="Show").click()
    # After ungrouping, the group's row is gone.
    ann.press("Control+Shift+G")
    ann.wait("document.querySelectorAll('.layer').length === 4")
    assert layer_names(ann) == ["Arrow Valid? → Dashboard", "Sun", "Dashboard", "Valid?"]
    room.write((board, {"text": "  "}))
    ann.wait("[...document.querySelectorAll('.layer-name')].some(({ textContent }) => textContent.startsWith('Polygon') || textContent.startsWith('Rectangle'))",
             "a text of spaces is no name")
