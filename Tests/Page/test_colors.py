"""The colours of the next shape and of the selected shapes."""

import re

from pixels import rgb

BLUE, RED, GREEN = "#3273D3", "#D63D33", "#2E8558"
BUTTON = "Style of the next shape"


def test_only_colours_that_have_an_effect_are_offered(room):
    """Texts, lines and ink have a single colour, which can't be None. What has no effect isn't written to them. A shape
    without a fill is seen by its outline alone, and choosing a colour fills it again."""
    text = room.add(kind="text", text="Hello", position=[200, 250], size=[120, 100], fill="#767676")
    line = room.add(kind="line", position=[400, 250], size=[120, 100], stroke="#123456", strokeWidth=4)
    ink = room.add(kind="ink", position=[600, 250], size=[120, 100], stroke="#123456", strokeWidth=4)
    sun = room.add(position=[800, 250], size=[100, 100], fill="#FFFFFF")
    ann = room.join("Ann", at=(0, 0))
    bar = ann.page.locator(".selection-bar")
    ann.select(sun)
    open_colors(ann)
    bar.get_by_role("button", name="Colour the outline").click()
    for shape in (text, line, ink):
        ann.select(shape)
        open_colors(ann)
        bar.get_by_role("button", name="Colour: Red").wait_for()
        assert bar.get_by_role("button", name="None").count() == 0 and bar.get_by_role("button", name=re.compile("outline(?! width)", re.I)).count() == 0
        bar.get_by_role("button", name="Colour: Red").click()
    room.wait_for(lambda shapes: [shape["fill"] for shape in shapes][0] == RED and [shape["stroke"] for shape in shapes][1:3] == [RED, RED])
    before = room.shapes()
    ann.select(text, line, ink, sun)
    open_colors(ann)
    bar.get_by_role("button", name="Outline: Green").click()
    bar.get_by_role("button", name="Colour the fill").click()
    bar.get_by_role("button", name="Fill: None").click()
    shapes = room.wait_for(lambda shapes: shapes[3].get("filled") is False)
    assert shapes[3]["stroke"] == GREEN and shapes[:3] == before[:3]
    picture = ann.painted_picture()
    assert tuple(picture[300, 800, :3]) == rgb(GREEN) and tuple(picture[320, 850, :3]) != rgb("#FFFFFF"), "the paper is seen in it"
    ann.select(sun)
    open_colors(ann)
    bar.get_by_role("button", name="Fill: None").click()
    bar.get_by_role("button", name="Fill: Green").click()
    room.wait_for(lambda shapes: shapes[3].get("filled", True) and shapes[3]["fill"] == GREEN)


def open_colors(person):
    """Opens the colours of the selection, behind the swatch above it."""
    person.painted()
    swatch = person.page.get_by_role("button", name="Colours of the selection")
    if swatch.get_attribute("aria-expanded") != "true":
        swatch.click()


def press(person, group, name):
    person.page.get_by_role("group", name=group).get_by_role("button", name=name, exact=True).click()


def choose(person, *names):
    """Opens the colours of the next shape, presses these buttons, and gives the focus back to the canvas."""
    person.page.get_by_role("button", name=BUTTON).click()
    for name in names:
        press(person, "Colours of the next shape", name)
    person.press("Escape")
    # The focus returns to the button a moment later.
    person.page.get_by_role("button", name=BUTTON, expanded=False).wait_for()
    person.leave_focus()


def test_the_next_shape_gets_the_colours_that_were_chosen(room):
    """What was chosen counts for drawn and added shapes, also after a reload. Unchosen, it is the room's turn."""
    ann = room.join("Ann", at=(0, 0))
    chosen = "Colours of the next shape"
    ann.page.get_by_role("button", name=BUTTON).click()
    for group, name in (
        (chosen, "Fill: Blue"), (chosen, "Colour the outline"), (chosen, "Outline: Red"), ("Outline width", "Outline width: Thick"),
        ("Line", "Line: Dashed"), ("Text size", "Text size: Large"), ("Lines and arrows", "Lines and arrows: Elbow"),
    ):
        press(ann, group, name)
    ann.reload()
    ann.look_at(0, 0)
    swatch = ann.page.get_by_role("button", name=BUTTON).locator(".paint-swatch")
    assert swatch.evaluate("(swatch) => getComputedStyle(swatch).outline") == "rgb(214, 61, 51) dashed 5px"
    ann.press("r")
    ann.drag((300, 300), (450, 420))
    ann.press("l")
    ann.drag((600, 300), (750, 420))
    box, line = room.wait_for_shapes(2)
    assert (box["fill"], box["stroke"], box["strokeWidth"], box["dash"], box["textSize"]) == (BLUE, RED, 8, "dashed", 32)
    assert (line["stroke"], line["strokeWidth"], line["dash"], line["route"]) == (RED, 8, "dashed", "elbow") and "textSize" not in line
    ann.press("Escape", "r")
    ann.page.get_by_role("button", name=BUTTON).click()
    assert ann.page.locator(".popover [aria-pressed=true][aria-label='Fill: Blue']").count() == 1
    ann.press("Escape")
    choose(ann, "The next colour in turn", "Colour the outline", "No outline")
    ann.press("Enter")
    shapes = room.wait_for_shapes(3)
    assert (shapes[2]["fill"], shapes[2]["strokeWidth"]) == (BLUE, 0), "the third shape of a room is blue"


def test_what_is_selected_is_coloured_by_one_press(room):
    """One step for all selected shapes. The bar is hidden during gestures. For viewers: test_viewing.py."""
    sun = room.add(position=[200, 250], size=[120, 100], fill="#FFFFFF")
    moon = room.add(position=[400, 250], size=[120, 100], stroke="#123456", strokeWidth=9)
    ann, bob = room.join("Ann", at=(0, 0)), room.witness()
    bar = ann.page.locator(".selection-bar")
    assert bar.is_hidden()
    ann.select(sun)
    bar.wait_for()
    box = bar.bounding_box()
    assert box["y"] + box["height"] < 250 - 26 and abs(box["x"] + box["width"] / 2 - 260) < 2, box
    open_colors(ann)
    assert bar.get_by_role("button", name="Fill: White").get_attribute("aria-pressed") == "true"
    ann.select(sun, moon)
    open_colors(ann)
    group = "Colours of the selection"
    press(ann, group, "Fill: Green")
    press(ann, group, "Colour the outline")
    press(ann, group, "Outline: Red")
    bob.wait_for_shape(moon, f"shape.fill === '{GREEN}' && shape.stroke === '{RED}' && shape.strokeWidth === 9")
    bob.wait_for_shape(sun, f"shape.fill === '{GREEN}' && shape.stroke === '{RED}' && shape.strokeWidth === 4")
    ann.learns(moon, locked=True)
    press(ann, group, "No outline")
    ann.notice("is locked").wait_for()
    ann.learns(moon, locked=False)
    press(ann, group, "No outline")
    bob.wait_for_shape(sun, "shape.strokeWidth === 0")
    ann.press("Control+z")
    bob.wait_for_shape(moon, f"shape.strokeWidth === 9 && shape.stroke === '{RED}'")
    # Closes the list of colours, because the list covers the shape.
    ann.press("Escape")
    ann.page.get_by_role("button", name=group, expanded=False).wait_for()
    ann.drag((260, 300), (280, 420), hold=True)
    ann.painted()
    assert bar.is_hidden()
    ann.give_up()
    ann.run("app.view.panBy(0, -130); return null")
    ann.painted()
    box = bar.bounding_box()
    assert box["y"] > 220 + 26, "where there is no room above, it stands below"
    ann.run("app.view.panBy(5000, 0); return null")
    ann.painted()
    assert not bar.is_visible()


def test_size_ends_duplicate_and_delete_stand_in_front(room):
    sun = room.add(position=[300, 300], size=[120, 100], text="Sun")
    line = room.add(kind="line", position=[600, 300], size=[120, 100], toEnd="arrow", strokeWidth=4)
    ann, bob = room.join("Ann"), room.witness()
    ann.look_at(0, 0)
    ann.wait_for_shapes(2)
    bar = ann.page.locator(".selection-bar")
    ann.select(sun)
    press(ann, "Text size", "Text size: Large")
    bob.wait_for_shape(sun, "shape.textSize === 32")
    # The panel doesn't lie under the bar.
    ann.look_at(-560, 0)
    ann.painted()
    ann.page.get_by_role("button", name="Layers, inspector, overlaps").click()
    ann.wait("((bar, panel) => bar.right < panel.left)(...['.selection-bar', '.panel'].map((name) => document.querySelector(name).getBoundingClientRect()))")
    ann.look_at(0, 0)
    ann.select(line)
    ann.painted()
    assert bar.get_by_role("group", name="Text size").count() == 0
    bar.get_by_role("button", name="Begins: plain").click()
    bar.get_by_role("button", name="Begins: arrow").wait_for()
    bar.get_by_role("button", name="Ends: arrow").click()
    bar.get_by_role("button", name="Ends: dot").click()
    room.wait_for(lambda shapes: [(shape.get("fromEnd"), shape.get("toEnd")) for shape in shapes if shape["kind"] == "line"] in ([("arrow", None)], [("arrow", "plain")]))
    ann.select(sun)
    bar.get_by_role("button", name="Duplicate").click()
    room.wait_for_shapes(3)
    bar.get_by_role("button", name="Delete").click()
    room.wait_for_shapes(2)


def test_the_colours_leave_the_selection_in_view(room):
    """They open above, below or beside it, wherever it is, so that one sees what a colour does. In the bar of a phone no
    button stands alone where there is space for two rows."""
    shape = room.add(size=[170, 120], text="Sun")
    for phone, places in ((False, [(500, 140), (500, 340), (1050, 560), (20, 620)]), (True, [(110, 200), (20, 330), (200, 480)])):
        ann = room.join("Ann", phone=phone, at=(0, 0))
        for x, y in places:
            ann.learns(shape, position=[x, y])
            ann.select(shape)
            ann.painted()
            button = ann.page.get_by_role("button", name="Colours of the selection")
            button.click()
            box = ann.page.get_by_role("dialog", name="Colours of the selection").bounding_box()
            covered = [_common(box, other) for other in ({"x": x, "y": y, "width": 170, "height": 120}, button.bounding_box())]
            assert covered == [0, 0], (phone, x, y, box)
            assert box["x"] >= 0 and box["y"] >= 0, box
            assert box["x"] + box["width"] <= ann.page.viewport_size["width"] and box["y"] + box["height"] <= ann.page.viewport_size["height"]
            ann.press("Escape")
    ann.look_at(0, 200)
    for width in (390, 360, 320):
        ann.page.set_viewport_size({"width": width, "height": 700})
        ann.select(shape)
        ann.painted()
        places = [button.bounding_box() for button in ann.page.locator(".selection-bar button:visible").all()]
        rows = [place["y"] for place in places]
        assert len(rows) == 9 and all(rows.count(row) > 1 for row in rows) and all(place["width"] >= 44 for place in places), (width, places)


def _common(one, other):
    """The area that two boxes have in common."""
    across, down = (min(one[at] + one[side], other[at] + other[side]) - max(one[at], other[at]) for at, side in (("x", "width"), ("y", "height")))
    return max(0, across) * max(0, down)
