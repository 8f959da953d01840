"""Lines and arrows as they are painted (S14). What hands do to them is in Tests/gestures."""

import numpy

from hand import HALF, WHOLE
from pixels import rgb


def test_an_arrow_is_painted_as_the_contract_says_and_a_curved_one_around_what_it_is_tied_to(room):
    """The arrowhead ends at the line's end, and is three times the line's width plus 6 units long and wide. A curved
    route is given by the bar."""
    white = {"size": [150, 120], "fill": "#FFFFFF", "strokeWidth": 0}
    sun, moon = room.add(position=[300, 300], **white), room.add(position=[700, 330], **white)
    room.add(kind="line", position=[50, 100], size=[300, 1], path=[[0, 0], [WHOLE, 0]], strokeWidth=8, stroke="#0000FF", toEnd="arrow", fromEnd="dot")
    tied = {"from": [sun, 0, HALF], "to": [moon, WHOLE, HALF], "strokeWidth": 4, "stroke": "#B42318"}
    arrow = room.add(kind="line", position=[300, 360], size=[550, 30], path=[[0, 0], [WHOLE, WHOLE]], **tied)
    ann = room.join("Ann", at=(0, 0))

    def picture():
        ann.press("Escape")
        return ann.painted_picture()[:, :, :3]

    def is_clear():
        seen = picture()
        return all((seen[y + 6:y + 114, x + 6:x + 144] == rgb("#FFFFFF")).all() for x, y in [(300, 300), (700, 330)])

    blue = (numpy.abs(picture().astype(int) - rgb("#0000FF")).max(axis=2) < 60)[80:120]
    heights = {x: blue[:, x].sum() for x in (51, 200, 318, 322, 335, 345)}
    assert abs(heights[51] - 20) <= 2 and abs(heights[200] - 8) <= 1, heights
    assert heights[318] <= 9 and abs(heights[322] - 28) <= 2 and abs(heights[335] - 15) <= 2 and heights[345] <= 7, heights
    assert not is_clear(), "it crosses both"
    ann.select(arrow)
    ann.page.locator(".selection-bar").get_by_role("button", name="Route: Curved").click()
    ann.wait_for_shape(arrow, "shape.route === 'curved' && shape.path.length > 3")
    room.wait_until_sent()
    line = room.shape(arrow)
    assert is_clear() and (line["from"], line["to"]) == (tied["from"], tied["to"])
    ann.press("Control+z")
    ann.wait_for_shape(arrow, "shape.path.length === 2")
