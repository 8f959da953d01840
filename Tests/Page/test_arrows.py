"""Lines and arrows: drawn, tied to shapes, bent, moved, copied (S14)."""

import numpy

from hand import HALF, WHOLE, handle, lead, moved
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
    """Others see the arrow move while the shape is still being dragged. Escape and undo move its end back."""
    sun, moon = room.add(position=[200, 200], size=[120, 100]), room.add(position=[600, 400], size=[120, 100])
    ann, bob = room.join("Ann", at=(0, 0)), room.join("Bob", at=(0, 0))
    ann.take("arrow")
    # The line ends near the centre of the other shape, so it is tied to the centre.
    ann.drag((260, 250), (665, 445))
    line = drawn_line(room, lambda shape: shape.get("to"))
    assert line["from"] == [sun, HALF, HALF] and line["to"] == [moon, HALF, HALF] and line["toEnd"] == "arrow"
    assert ann.selected() == [line["id"]]
    ann.take("select")
    ann.press("Escape")
    ann.drag((650, 480), (650, 630), hold=True, modifiers=["Shift"])
    bob.wait_for_shape(moon, "shape.y > 540")
    bob.wait("!app.scene.moves(0)")
    # The line leads from centre to centre, but is drawn only between the two outlines.
    start, end = ends(bob, line["id"])
    assert near(start, 317, 300) and near(end, 603, 550), (start, end)
    ann.give_up()
    bob.wait_for_shape(moon, "shape.y === 400")
    bob.painted()
    assert near(ends(bob, line["id"])[1], 600, 420)
    # The moved end is only computed for drawing. It isn't written to the line.
    assert room.shape(line["id"])["position"] == line["position"]
    # Ann's page draws the ends at the same points as Bob's page.
    assert ends(ann, line["id"]) == ends(bob, line["id"])
    # An end that is a little beside a shape is tied to it too.
    ann.take("arrow")
    ann.drag((325, 230), (500, 215))
    beside = drawn_line(room, lambda shape: shape["id"] != line["id"])
    assert beside["from"][0] == sun and "to" not in beside


def test_a_shape_that_is_deleted_leaves_the_end_where_it_was(room):
    sun = room.add(position=[200, 200], size=[120, 100])
    ann, bob = room.join("Ann", at=(0, 0)), room.join("Bob", at=(0, 0))
    ann.take("line")
    ann.drag((700, 300), (260, 250))
    line = drawn_line(room, lambda shape: shape.get("to"))
    ann.take("select")
    ann.press("Escape")
    ann.drag((220, 280), (220, 480), modifiers=["Shift"])
    bob.wait_for_shape(sun, "shape.y === 400")
    ann.press("Delete")
    room.wait_for_shapes(1)
    bob.painted()
    # The line leads from (700, 300) to Sun's centre, (260, 450). It is cut at Sun's right side, where x = 320. There it
    # is 20.5 above the centre.
    was = ends(bob, line["id"])[1]
    assert near(was, 320, 429.5), was
    # Undoing the deletion ties the line to the shape again.
    ann.press("Control+z")
    room.wait_for_shapes(2)
    room.write((sun, {"position": [200, 0]}))
    bob.wait_for_shape(sun, "shape.y === 0")
    bob.painted()
    assert near(ends(bob, line["id"])[1], 320, 84.1)


def test_its_points_are_moved_and_bends_are_pulled_out_and_pushed_back(room):
    ann = room.join("Ann", at=(0, 0))
    star = room.add(kind="star", position=[800, 100], size=[120, 120])
    ann.take("line")
    ann.drag((200, 300), (600, 300), modifiers=["Control"])
    line = drawn_line(room)["id"]
    ann.take("select")
    # Drags the handle in the middle of the line, which has no bends.
    ann.drag((400, 300), (400, 500))
    # Intermediate states of the drag are stored too, so this waits for the last one.
    bent = drawn_line(room, lambda shape: len(shape["path"]) == 3 and shape["size"] == [400, 200])
    assert bent["path"] == [[0, 0], [HALF, WHOLE], [WHOLE, 0]]
    # When Ann's page has both shapes, she drags an end of the line onto the star.
    ann.wait_for_shapes(2)
    ann.drag((600, 300), (862, 158))
    tied = drawn_line(room, lambda shape: shape.get("to") == [star, HALF, HALF])
    ann.drag((400, 500), (530, 238))
    straight = drawn_line(room, lambda shape: len(shape["path"]) == 2)
    assert straight["to"] == tied["to"]
    # Drags it away again.
    ann.drag(ends(ann, line)[1], (700, 500), modifiers=["Control"])
    drawn_line(room, lambda shape: shape["to"] == [])
    assert near(ends(ann, line)[1], 700, 500)
    for _ in range(4):
        ann.press("Control+z")
    back = drawn_line(room, lambda shape: shape["size"] == [400, 1])
    assert len(back["path"]) == 2


def test_it_is_taken_where_it_is_drawn_and_not_by_its_box(room):
    line = room.add(kind="line", position=[200, 200], size=[400, 300], strokeWidth=4, stroke="#000000")
    below = room.add(position=[420, 220], size=[150, 60], z="A")
    ann = room.join("Ann", at=(0, 0))
    ann.take("select")
    ann.click(250, 450)
    assert ann.selected() == []
    ann.click(440, 240)
    assert ann.selected() == [below]
    ann.click(303, 274)
    assert ann.selected() == [line]
    # A line that is dragged without its shapes moves as a whole.
    ann.drag((300, 275), (300, 375), modifiers=["Shift"])
    assert drawn_line(room, lambda shape: shape["position"] == [200, 300])


def test_moved_by_itself_it_comes_loose_and_moved_together_it_stays_tied(room):
    sun = room.add(position=[200, 200], size=[120, 100])
    line = room.add(kind="line", position=[0, 0], size=[10, 10], strokeWidth=4, **{
        "from": [sun, WHOLE, HALF], "path": [[0, 0], [WHOLE, WHOLE]], "to": []})
    room.write((line, {"position": [320, 250], "size": [280, 200]}))
    ann = room.join("Ann", at=(0, 0))
    ann.take("select")
    ann.select(sun, line)
    ann.drag((260, 250), (260, 350), modifiers=["Shift"])
    both = drawn_line(room, lambda shape: shape["position"] == [320, 350])
    assert both["from"] == [sun, WHOLE, HALF]
    ann.press("Escape")
    ann.drag((460, 450), (560, 450), modifiers=["Shift"])
    drawn_line(room, lambda shape: shape["from"] == [] and shape["position"] == [420, 350])
    assert room.shape(sun)["position"] == [200, 300]
    # Undo ties the line to the shape again. If both are copied, the copied line is tied to the copied shape.
    ann.press("Control+z")
    drawn_line(room, lambda shape: shape["from"] == [sun, WHOLE, HALF])
    ann.select(sun, line)
    ann.press("Control+d")
    copies = [each for each in room.wait_for_shapes(4) if each["id"] not in (sun, line)]
    square = next(each["id"] for each in copies if each["kind"] == "rectangle")
    assert next(each["from"] for each in copies if each["kind"] == "line") == [square, WHOLE, HALF]


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


def test_enter_adds_one_without_a_mouse_and_swatches_colour_it(room):
    ann = room.join("Ann")
    ann.press("a", "Enter")
    line = drawn_line(room)
    assert line["toEnd"] == "arrow" and line["size"] == [150, 1]
    ann.page.get_by_role("button", name="Colours of the selection").click()
    ann.page.get_by_role("button", name="Colour: Red").click()
    assert drawn_line(room, lambda shape: shape["stroke"] != "#767676")["strokeWidth"] == 4
    assert ann.page.get_by_role("button", name="Write in it").is_visible(), "a line can have a caption"


def test_a_press_on_the_handle_below_adds_a_connected_copy(room):
    """A drag of the handle moves the shape. A press adds a copy at a free place, as one undo step."""
    box = room.add(position=[300, 150], size=[150, 100], text="Valid?", fill="#3273D3")
    ann = room.join("Ann", at=(0, 0))
    ann.select(box)
    ann.click(*handle(ann, "move"))
    shapes = room.wait_for_shapes(3)
    (copy,) = [shape for shape in shapes if shape["kind"] == "rectangle" and shape["id"] != box]
    (line,) = [shape for shape in shapes if shape["kind"] == "line"]
    assert copy["position"] == [300, 330] and copy["size"] == [150, 100] and (copy["text"], copy["fill"]) == ("Valid?", "#3273D3")
    assert line["from"] == [box, HALF, WHOLE] and line["to"] == [copy["id"], HALF, 0] and line["toEnd"] == "arrow"
    assert ann.selected() == [copy["id"]]
    ann.press("Control+z")
    room.wait_for_shapes(1)
    ann.select(box)
    lead(ann, handle(ann, "move"), moved(handle(ann, "move"), 40, 0))
    ann.wait_for_shape(box, "shape.x === 340")
    assert len(room.agree()) == 1


def test_impatient_presses_on_the_handle_below_add_one_copy_of_a_turned_shape_too(room):
    """The copy waits for its code. The arrow is between the nearest sides of the bounding boxes."""
    box = room.add(position=[300, 250], size=[200, 60], rotation=90, text="Valid?", fill="#3273D3")
    held = []
    ann = room.join("Ann", at=(0, 0), before=lambda page: page.route("**/exchange.wasm", lambda route: held.append(route)))
    ann.select(box)
    place = handle(ann, "move")
    for _ in range(3):
        ann.click(*place)
    for route in held:
        route.continue_()
    shapes = room.wait_for_shapes(3)
    (copy,) = [shape for shape in shapes if shape["kind"] == "rectangle" and shape["id"] != box]
    (line,) = [shape for shape in shapes if shape["kind"] == "line"]
    # On the canvas, the rotated shape is 200 high. So the copy is 200 + 80 further down: the height and a gap.
    assert copy["position"] == [300, 250 + 200 + 80] and copy["rotation"] == 90
    assert line["from"][:2] == [box, WHOLE] and line["to"][:2] == [copy["id"], 0]
    assert all(abs(tie[2] - HALF) <= 1 for tie in (line["from"], line["to"])), "the middles of the sides, to a rounded place"
    ann.painted()
    assert len(room.agree()) == 3


def test_an_elbow_arrow_is_drawn_and_finds_its_way_anew_when_a_shape_moves(room):
    """S17. It can be pressed where it leads, and has handles only at its ends."""
    sun, moon = room.add(position=[200, 200], size=[100, 60]), room.add(position=[600, 240], size=[100, 60])
    ann, bob = room.join("Ann", at=(0, 0)), room.join("Bob", at=(0, 0))
    ann.wait_for_shapes(2)
    ann.page.get_by_role("button", name="Style of the next shape").click()
    ann.page.get_by_role("button", name="Lines and arrows: Elbow").click()
    ann.press("Escape")
    ann.take("arrow")
    ann.drag((250, 232), (648, 268))
    line = drawn_line(room, lambda shape: shape.get("to"))
    assert line["route"] == "elbow" and line["from"] == [sun, HALF, HALF] and line["to"] == [moon, HALF, HALF]

    def way(person):
        person.painted()
        return [[round(each) for each in point] for point in person.run(
            "const { shape, x, y, width, height } = app.scene.drawn(value);"
            "return shape.path.map(([across, down]) => [x + across / 65535 * width, y + down / 65535 * height])", number(line["id"]))]
    assert way(bob) == [[300, 230], [450, 230], [450, 270], [600, 270]]
    ann.take("select")
    ann.press("Escape")
    ann.click(450, 250)
    assert ann.selected() == [line["id"]]
    assert [each["kind"] for each in ann.run("app.handles.all()")] == ["point", "point"]
    room.write((moon, {"position": [200, 500]}))
    bob.wait_for_shape(moon, "shape.y === 500")
    assert way(bob) == [[250, 260], [250, 500]]


def test_an_end_that_somebody_else_moves_stays_there_while_one_moves_the_other(room):
    line = room.add(kind="line", position=[200, 200], size=[300, 200], strokeWidth=4)
    ann = room.join("Ann", at=(0, 0))
    ann.press("v")
    ann.select(line)
    ann.drag((200, 200), (220, 240), hold=True)
    room.wait_for(lambda shapes: shapes[0]["position"] == [220, 240])
    room.write((line, {"position": [220, 240], "size": [400, 300]}))
    ann.wait_for_shape(line, "shape.width > 390")
    ann.page.mouse.move(230, 250)
    ann.page.mouse.up()
    ann.see()
    start, end = ends(ann, line)
    assert near(start, 230, 250) and near(end, 620, 540), (start, end)


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


def test_a_curved_arrow_is_bent_by_the_handle_on_the_curve(room):
    """S17. A straight arrow gets a bend when it becomes curved, and loses it when it becomes straight again."""
    arrow = room.add(kind="line", position=[300, 300], size=[200, 1], path=[[0, 0], [WHOLE, 0]], strokeWidth=4, toEnd="arrow")
    ann = room.join("Ann", at=(0, 0))
    ann.select(arrow)
    bar = ann.page.locator(".selection-bar")

    def route(name):
        bar.get_by_role("button", name=f"Route: {name}").click()

    route("Curved")
    line = drawn_line(room, lambda shape: shape.get("route") == "curved")
    assert len(line["path"]) == 3 and line["position"] == [300, 260] and line["size"] == [200, 40]
    ann.painted()
    bends = [each for each in ann.run("app.handles.all()") if each["kind"] == "bend"]
    # A curve of three points is a parabola: a quarter of the way along, it has three quarters of the height.
    assert [(round(each["x"]), round(each["y"])) for each in bends] == [(350, 270), (450, 270)]
    ann.drag((350, 270), (350, 200))
    line = drawn_line(room, lambda shape: len(shape["path"]) == 4)
    assert line["position"] == [300, 200]
    ann.press("Control+z")
    drawn_line(room, lambda shape: len(shape["path"]) == 3)
    route("Straight")
    line = drawn_line(room, lambda shape: shape.get("route") in (None, "straight"))
    assert len(line["path"]) == 2 and line["position"] == [300, 300]


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
