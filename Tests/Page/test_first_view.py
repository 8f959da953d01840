"""What a page shows of its room at first."""

import pytest


@pytest.mark.parametrize("size, phone", [((1280, 800), False), ((390, 844), True)])
def test_the_first_view_of_a_room_shows_all_of_the_drawing_beside_the_furniture(room, size, phone):
    """It enlarges nothing, and follows no edit: the person may have moved it."""
    first = room.add(position=[0, 0], size=[150, 100])
    last = room.add(position=[400, 300], size=[150, 100])
    ann = room.join("Ann", first_view=True, size=size, phone=phone)
    ann.painted()
    assert ann.run("app.view.scale") <= 1
    (left, top), (right, bottom) = ann.screen(0, 0), ann.screen(550, 400)
    bars = ann.page.locator(".bar-left").bounding_box()
    tools = ann.page.locator(".toolbar").bounding_box()
    assert left >= 0 and right <= size[0] and top >= bars["y"] + bars["height"] and bottom <= tools["y"]
    assert abs((left + right) / 2 - size[0] / 2) < 2
    before = ann.run("app.view.visibleBox()")
    ann.learns(last, position=[5000, 5000])
    assert ann.run("app.view.visibleBox()") == before and ann.shape(first)["x"] == 0


def test_an_empty_room_is_seen_at_its_origin_with_a_tool_that_draws(room):
    """Another room opens with the tool that selects. Neither changes when the drawing comes."""
    ann = room.join("Ann", first_view=True)
    assert ann.run("[app.view.x, app.view.y, app.view.scale, app.tool]") == [0, 0, 1, "rectangle"]
    room.add(position=[900, 900], size=[150, 100])
    ann.wait_for_shapes(1)
    ann.painted()
    assert ann.run("[app.view.x, app.view.y, app.view.scale, app.tool]") == [0, 0, 1, "rectangle"]
    assert room.join("Bob").run("app.tool") == "select"
