"""Ink: drawn freehand, seen by others meanwhile, erased (S15)."""

import json
import math

from websockets.sync.client import connect

from modules import module


def strokes(room, count):
    """Waits until the server has so many strokes of ink, and returns them."""
    def inks(shapes):
        return [each for each in shapes if each["kind"] == "ink"]
    return inks(room.wait_for(lambda shapes: len(inks(shapes)) == count, f"{count} strokes"))


def choose(person, tool):
    person.page.locator(f"[data-tool={tool}]").first.click()


def circle(x, y, radius, steps=40):
    return [(x + radius * math.cos(2 * math.pi * step / steps), y + radius * math.sin(2 * math.pi * step / steps)) for step in range(steps + 1)]


def scribble(person, points, hold=False):
    person.page.mouse.move(*points[0])
    person.page.mouse.down()
    for point in points[1:]:
        person.page.mouse.move(*point)
    if not hold:
        person.page.mouse.up()


def heard(person):
    """How many points of somebody's unfinished stroke this page has heard of."""
    return "app.presence.people().some(({ ink }) => ink && ink.at + ink.points.length / 2 >= value)"


def test_others_see_it_while_it_is_drawn_and_it_is_written_once(room):
    """The drawing gets it at the end, as one step to undo."""
    ann, bob = room.join("Ann"), room.join("Bob")
    for person in (ann, bob):
        person.look_at(0, 0)
    choose(ann, "pen")
    scribble(ann, circle(500, 400, 150), hold=True)
    bob.wait(heard(bob), "the stroke in pieces", argument=20)
    assert room.shapes() == []
    assert seen(bob, 350, 400), "it is painted over the drawing"
    ann.page.mouse.up()
    (stroke,) = strokes(room, 1)
    bob.wait_for_shape(stroke["id"])
    bob.wait("app.presence.people().every(({ ink }) => !ink)", "nothing unfinished is left")
    assert len(stroke["path"]) < 42 and stroke["strokeWidth"] == 4
    assert abs(stroke["position"][0] - 350) < 2 and abs(stroke["size"][0] - 300) < 3
    ann.page.keyboard.press("Control+z")
    strokes(room, 0)
    ann.page.keyboard.press("Control+Shift+z")
    strokes(room, 1)
    room.agree()


def seen(person, x, y):
    """Whether something is painted near a point of the window."""
    for canvas in ("#drawing", "#overlay"):
        picture = person.picture(canvas)[y - 4 : y + 5, x - 4 : x + 5]
        if ((picture[:, :, 3] > 0) & (picture[:, :, :3].max(axis=2) < 250) & (picture[:, :, 2].astype(int) - picture[:, :, 0] > 60)).any():
            return True
    return False


def test_it_is_drawn_over_shapes_and_a_tap_is_a_dot(room):
    square = room.add(position=[300, 300], size=[200, 200], fill="#FFFFFF")
    ann = room.join("Ann")
    ann.look_at(0, 0)
    ann.wait_for_shapes(1)
    choose(ann, "pen")
    scribble(ann, [(320 + 4 * step, 320 + 3 * step) for step in range(30)])
    strokes(room, 1)
    assert room.shape(square)["position"] == [300, 300]
    ann.page.mouse.click(700, 500)
    ann.page.mouse.click(700, 500)
    dots = [each for each in strokes(room, 3) if len(set(map(tuple, each["path"]))) == 1]
    assert len(dots) == 2 and abs(dots[0]["position"][0] - 700) <= 1


def test_the_eraser_takes_whole_strokes_and_nothing_else(room):
    """One way of it is one step to undo."""
    square = room.add(position=[300, 300], size=[200, 200])
    ann = room.join("Ann")
    ann.look_at(0, 0)
    ann.wait_for_shapes(1)
    choose(ann, "pen")
    for x in (320, 400, 480, 700):
        scribble(ann, [(x, 250 + 10 * step) for step in range(30)])
    strokes(room, 4)
    choose(ann, "eraser")
    # Two events only: between them it would slip through.
    ann.page.mouse.move(300, 400)
    ann.page.mouse.down()
    ann.page.mouse.move(600, 400)
    ann.page.mouse.up()
    strokes(room, 1)
    assert room.shape(square)
    ann.page.keyboard.press("Control+z")
    strokes(room, 4)
    # Escape in the middle brings back what has gone.
    ann.page.mouse.move(300, 400)
    ann.page.mouse.down()
    ann.page.mouse.move(420, 400)
    strokes(room, 2)
    ann.page.keyboard.press("Escape")
    ann.page.mouse.up()
    strokes(room, 4)


def test_a_finger_draws_and_two_move_the_paper(room):
    ann = room.join("Ann", phone=True)
    ann.page.get_by_role("button", name="Shapes").click()
    ann.page.locator(".shapes-popover [data-tool=pen]").click()
    touch = ann.touch
    touch.start((100, 300))
    for step in range(1, 20):
        touch.move((100 + 8 * step, 300 + 30 * math.sin(step / 3)))
    touch.end()
    (stroke,) = strokes(room, 1)
    assert len(stroke["path"]) > 4
    scale = ann.run("app.view.scale")
    touch.pinch((200, 450), 60, 140)
    assert ann.run("app.view.scale") > scale
    strokes(room, 1)


def test_a_pen_that_tells_its_pressure_draws_thick_and_thin(room):
    ann = room.join("Ann")
    ann.look_at(0, 0)
    choose(ann, "pen")
    session = ann.context.new_cdp_session(ann.page)

    def send(kind, x, y, force):
        session.send("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": "left", "buttons": 0 if kind == "mouseReleased" else 1, "clickCount": 1, "pointerType": "pen", "force": force})

    send("mousePressed", 200, 300, 0.1)
    for step in range(1, 30):
        send("mouseMoved", 200 + 10 * step, 300 + 20 * math.sin(step / 4), step / 30)
    send("mouseReleased", 490, 300, 0)
    (stroke,) = strokes(room, 1)
    widths = [point[2] if len(point) == 3 else 100 for point in stroke["path"]]
    assert min(widths) < 70 and max(widths) > 130, widths
    assert all(width % 10 == 0 for width in widths)


def test_strokes_that_come_in_pieces_are_put_together(room):
    """A piece that is lost leaves a straight way, and what anybody may send instead of a stroke does no harm."""
    ann = room.join("Ann")
    states = [
        {"shape": "abc-abc-abc", "color": "#FF0000", "width": 4, "at": 0, "points": [0, 0, 10, 0]},
        {"shape": "abc-abc-abc", "color": "#FF0000", "width": 4, "at": 1, "points": [10, 0, 20, 0]},
        {"shape": "abc-abc-abc", "color": "#FF0000", "width": 4, "at": 9, "points": [90, 0]},
    ]
    points = ann.page.evaluate(
        "async (states) => { const { Inks } = " + module("drawing/inks.js") + "; const inks = new Inks(); const all = [];"
        "for (const ink of states) inks.follow([{ actor: 1, ink: { ...ink, shape: 5 } }], 0, () => false);"
        "const context = new OffscreenCanvas(1, 1).getContext('2d'); const stroked = [];"
        "context.stroke = (path) => stroked.push(path); inks.paint(context, { scale: 1, toScreen: (point) => point });"
        "const before = inks.hasAny; inks.follow([], 100, () => false); const patient = inks.hasAny;"
        "inks.follow([], 5000, () => false); return [before, stroked.length, patient, inks.hasAny] }", states)
    assert points == [True, 1, True, False]
    address = room.server.socket(room.name)
    with connect(address, subprotocols=["canvas.v1.json"]) as mallory:
        mallory.send(json.dumps({"type": "hello", "name": "Mallory"}))
        for wrong in [7, None, [], {}, {"shape": "abc-abc-abc"}, states[0] | {"points": ["x", 1]}, states[0] | {"width": 1e9},
                      states[0] | {"color": "red"}, states[0] | {"at": -1}, states[0] | {"points": [1] * 1001}, states[0] | {"at": 1e300}, states[0] | {"at": 20_001}]:
            mallory.send(json.dumps({"type": "presence", "state": {"ink": wrong, "cursor": [5, 5]}}))
        mallory.send(json.dumps({"type": "presence", "state": {"cursor": [6, 6]}}))
        ann.wait("app.presence.people().some(({ cursor }) => cursor?.x === 6)")
        assert ann.run("app.presence.people().every(({ ink }) => ink === null)")
