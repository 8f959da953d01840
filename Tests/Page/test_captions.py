"""Captions: the text of a line or an arrow, in a gap in its middle (S16)."""

import numpy

from hand import WHOLE, lead, near
from modules import module
from person import number
from pixels import rgb
from test_writing import FIELD, write

STROKE = "#E03131"


def bent(room, **values):
    """A line from (200, 200) to the right and down to (600, 400). It is halfway along at (500, 200)."""
    return room.add(**{
        "kind": "line", "position": [200, 200], "size": [400, 200], "path": [[0, 0], [WHOLE, 0], [WHOLE, WHOLE]],
        "stroke": STROKE, "strokeWidth": 4, **values})


def has_ink(person, left, top, right, bottom):
    """Whether anything is painted in the line's colour within this part of the window."""
    part = person.painted_picture()[top:bottom, left:right, :3].astype(int)
    return bool((abs(part - numpy.array(rgb(STROKE))).max(axis=2) < 60).any())


def field_middle(person):
    box = person.page.locator(FIELD).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def gap(person, line):
    """The box that the line leaves free for its caption, in CSS pixels of the window."""
    box = person.run(f"return {module('canvas/captions.ts')}.captionBox(app.scene.drawn(value))", number(line))
    return [round(value) for value in (box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"])]


def is_captioned(person, line, x, y):
    """Whether there are letters around this point and the line is not drawn at the edges of its gap."""
    person.painted()
    left, top, right, bottom = gap(person, line)
    assert abs((left + right) / 2 - x) < 2 and abs((top + bottom) / 2 - y) < 2, (left, top, right, bottom)
    strips = [(left + 1, right - left - 2, top + 1, 2), (left + 1, right - left - 2, bottom - 3, 2),
              (left + 1, 2, top + 1, bottom - top - 2), (right - 3, 2, top + 1, bottom - top - 2)]
    return has_ink(person, left + 4, top + 4, right - 4, bottom - 4) and not any(
        has_ink(person, across, down, across + width, down + height) for across, width, down, height in strips)


def test_a_double_click_or_a_key_on_an_arrow_writes_in_its_middle(room):
    """It is one step to undo, names the layer, is in the SVG, and goes with the line and takes it. On a line without a
    caption, letters are keys. With one, they continue it."""
    line = bent(room)
    ann = room.join("Ann", at=(0, 0), panel="layers")
    assert has_ink(ann, 495, 198, 505, 202)
    ann.click(300, 200, times=2)
    ann.page.wait_for_selector(FIELD, state="visible")
    assert near(field_middle(ann), (500, 200), 1.5)
    write(ann, "Wow!")
    ann.wait_for_shape(line, "shape.text === 'Wow!'")
    assert room.shape(line)["size"] == [400, 200], "a caption is no part of the line's box"
    assert is_captioned(ann, line, 500, 200) and has_ink(ann, 300, 198, 400, 202)
    ann.page.locator(".layer", has_text="Wow!").wait_for()
    ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ann.press("Escape")
    ann.page.mouse.click(505, 190, button="right")
    ann.page.get_by_role("menuitem", name="Copy as SVG", exact=True).click()
    ann.notice("Copied as SVG").wait_for()
    assert "Wow!</tspan>" in ann.page.evaluate("navigator.clipboard.readText()")

    # The press is on the caption, beside the line itself.
    ann.press("Escape")
    lead(ann, (505, 190), (505, 290))
    ann.wait_for_shape(line, "shape.y === 300")
    assert is_captioned(ann, line, 500, 300)
    ann.press("Control+z")
    ann.wait_for_shape(line, "shape.y === 200")
    ann.press("Control+z")
    ann.wait_for_shape(line, "shape.text === ''")
    assert has_ink(ann, 495, 198, 505, 202)

    ann.press("r")
    assert ann.run("app.tool") == "rectangle"
    ann.press("v", "Enter")
    write(ann, "Yes")
    ann.wait_for_shape(line, "shape.text === 'Yes'")
    ann.press("Escape")
    ann.select(line)
    ann.type(", we do", "Escape")
    ann.wait_for_shape(line, "shape.text === 'Yes, we do'")
    ann.page.get_by_role("button", name="Write in it").click()
    ann.page.wait_for_selector(FIELD, state="visible")
    ann.press("Control+a", "Delete", "Control+Enter")
    ann.wait_for_shape(line, "shape.text === ''")
    room.wait_until_sent()
    assert [shape["id"] for shape in room.shapes()] == [line], "a line stays when its caption goes"
