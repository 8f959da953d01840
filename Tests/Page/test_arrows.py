"""Lines and arrows as they are drawn, painted and pressed (S14). What hands do to them is in Tests/gestures."""

import numpy

from hand import HALF, WHOLE
from person import number
from pixels import rgb


def near(point, x, y, by=1.5):
    return abs(point[0] - x) <= by and abs(point[1] - y) <= by


def ends(person, line):
    """Where a line's first and last points are drawn on the canvas after all motion has ended."""
    person.painted()
    return person.run(
        "const { shape, ...box } = app.scene.drawn(value); const { x, y, width, height } = box;"
        "const at = ([across, down]) => [x + across / 65535 * width, y + down / 65535 * height];"
        "return [at(shape.path[0]), at(shape.path.at(-1))]", number(line))


def drawn_line(room, condition=lambda shape: True):
    """Waits until everything is sent and the server has a line that meets the condition. Returns that line."""
    room.wait_until_sent()

    def found(shapes):
        return next((each for each in shapes if each["kind"] == "line" and condition(each)), None)
    return found(room.wait_for(found, "a line"))


def test_an_arrow_is_tied_to_the_shapes_it_is_drawn_between_and_goes_with_them(room):
    """It moves while the shape is still being dragged. Escape moves its end back."""
    sun, moon = room.add(position=[200, 200], size=[120, 100]), room.add(position=[600, 400], size=[120, 100])
    ann = room.join("Ann", at=(0, 0))
    ann.take("arrow")
    # The line ends near the centre of the other shape, so it is tied to the centre.
    ann.drag((260, 250), (665, 445))
    line = drawn_line(room, lambda shape: shape.get("to"))
    assert line["from"] == [sun, HALF, HALF] and line["to"] == [moon, HALF, HALF] and line["toEnd"] == "arrow"
    assert ann.selected() == [line["id"]]
    ann.take("select")
    ann.press("Escape")
    ann.drag((650, 480), (650, 630), hold=True, modifiers=["Shift"])
    ann.wait_for_shape(moon, "shape.y > 540")
    # The line leads from centre to centre, but is drawn only between the two outlines.
    start, end = ends(ann, line["id"])
    assert near(start, 317, 300) and near(end, 603, 550), (start, end)
    ann.give_up()
    ann.wait_for_shape(moon, "shape.y === 400")
    assert near(ends(ann, line["id"])[1], 600, 420)
    # The moved end is only computed for drawing. It isn't written to the line.
    assert room.shape(line["id"])["position"] == line["position"]


def test_an_arrow_is_painted_as_the_contract_says(room):
    """The arrowhead ends at the line's end, and is three times the line's width plus 6 units long and wide."""
    ann = room.join(size=(420, 360))
    room.add(kind="line", position=[50, 100], size=[300, 1], path=[[0, 0], [WHOLE, 0]], strokeWidth=8, stroke="#0000FF", toEnd="arrow", fromEnd="dot")
    ann.look_at(0, 0)
    ann.wait_for_shapes(1)
    ann.press("Escape")
    picture = ann.painted_picture()
    blue = (numpy.abs(picture[:, :, :3].astype(int) - rgb("#0000FF")).max(axis=2) < 60)
    heights = {x: blue[:, x].sum() for x in (51, 200, 318, 322, 335, 345)}
    assert abs(heights[51] - 20) <= 2 and abs(heights[200] - 8) <= 1, heights
    assert heights[318] <= 9 and abs(heights[322] - 28) <= 2 and abs(heights[335] - 15) <= 2 and heights[345] <= 7, heights


def test_an_elbow_line_is_pressed_where_it_leads_with_or_without_ties(room):
    """S17. Where it leads follows its route, its ties and its width, also if nothing else is written."""
    lone = room.add(kind="line", position=[100, 500], size=[200, 150], strokeWidth=4, route="elbow")
    one, other = room.add(position=[200, 200], size=[100, 60]), room.add(position=[600, 240], size=[100, 60])
    tied = room.add(kind="line", position=[0, 0], size=[10, 10], strokeWidth=4)
    ann = room.join("Ann", at=(0, 0))
    ann.press("v")
    ann.click(300, 560)
    assert ann.selected() == [lone], "it turns at the upper right corner"
    room.write((tied, {"from": [one, HALF, HALF]}), (tied, {"to": [other, HALF, HALF]}))
    ann.wait_for_shape(tied, "shape.to")
    ann.painted()
    ann.click(450, 250)
    assert ann.selected() == [tied], "straight from box to box"
    room.write((tied, {"route": "elbow"}))
    ann.wait_for_shape(tied, "shape.route === 'elbow'")
    ann.painted()
    ann.click(380, 230)
    assert ann.selected() == [tied], "level, then down"


def test_a_curved_arrow_is_led_around_the_shapes_that_it_is_tied_to(room):
    """Given its route by the bar, or drawn so: from the far side of a shape it goes around."""
    white = {"size": [150, 120], "fill": "#FFFFFF", "strokeWidth": 0}
    sun, moon = room.add(position=[300, 300], **white), room.add(position=[700, 330], **white)
    tied = {"from": [sun, 0, HALF], "to": [moon, WHOLE, HALF], "strokeWidth": 4, "stroke": "#B42318"}
    arrow = room.add(kind="line", position=[300, 360], size=[550, 30], path=[[0, 0], [WHOLE, WHOLE]], **tied)
    ann = room.join("Ann", at=(0, 0))

    def is_clear(line):
        ann.press("Escape")
        ann.painted()
        picture = ann.picture()
        return all((picture[y + 6:y + 114, x + 6:x + 144, :3] == rgb("#FFFFFF")).all() for x, y in [(300, 300), (700, 330)])

    ann.select(arrow)
    assert not is_clear(arrow), "it crosses both"
    ann.select(arrow)
    ann.page.locator(".selection-bar").get_by_role("button", name="Route: Curved").click()
    line = drawn_line(room, lambda shape: shape.get("route") == "curved")
    assert is_clear(line["id"]) and (line["from"], line["to"]) == (tied["from"], tied["to"])
    ann.press("Control+z")
    drawn_line(room, lambda shape: len(shape["path"]) == 2)
    room.write((arrow, {"deleted": True}))
    ann.wait_for_shapes(2)
    ann.take("arrow")
    ann.run("app.paint.choose({ route: 'curved' }); return null")
    ann.drag((302, 360), (848, 390))
    line = drawn_line(room, lambda shape: shape.get("route") == "curved")
    assert is_clear(line["id"]) and (line["from"], line["to"]) == (tied["from"], tied["to"])
