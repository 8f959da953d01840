"""Ink: drawn freehand, visible to others while it is drawn, and erased (S15)."""

import math

from modules import module


def strokes(room, count):
    """Waits until the server has this many ink strokes, and returns them."""
    def inks(shapes):
        return [each for each in shapes if each["kind"] == "ink"]
    return inks(room.wait_for(lambda shapes: len(inks(shapes)) == count, f"{count} strokes"))


def heard(person):
    """How many points of another person's unfinished stroke this page has received."""
    return "app.presence.people().some(({ ink }) => ink && ink.at + ink.points.length / 2 >= value)"


def test_a_finger_draws_and_two_move_the_paper(room):
    ann = room.join("Ann", phone=True)
    ann.page.get_by_role("button", name="More tools").click()
    ann.page.locator(".shapes-popover [data-tool=pen]").click()
    touch = ann.touch
    touch.start((100, 300))
    for step in range(1, 20):
        touch.move((100 + 8 * step, 300 + 30 * math.sin(step / 3)))
    # A second finger that comes late is ignored.
    touch.start((252, 300), (200, 500))
    touch.move((280, 300), (240, 540))
    touch.end()
    (stroke,) = strokes(room, 1)
    assert len(stroke["path"]) > 4 and stroke["size"][0] > 160
    scale = ann.run("app.view.scale")
    touch.pinch((200, 450), 60, 140)
    assert ann.run("app.view.scale") > scale
    strokes(room, 1)


def pen(person):
    """A pen with pressure. Returns a function that sends an event with a place and a pressure."""
    session = person.context.new_cdp_session(person.page)

    def send(kind, x, y, force):
        session.send("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": "left", "buttons": 0 if kind == "mouseReleased" else 1, "clickCount": 1, "pointerType": "pen", "force": force})

    return send


def widths_of(stroke):
    return [point[2] if len(point) == 3 else 100 for point in stroke["path"]]


def thickness(person, x, top=250, bottom=350):
    """The painted thickness of the line in one column of the window, on both canvases."""
    painted = [(picture[top:bottom, x, 2].astype(int) - picture[top:bottom, x, 0] > 60) & (picture[top:bottom, x, 3] > 127)
               for picture in map(person.picture, ("#drawing", "#overlay"))]
    return int((painted[0] | painted[1]).sum())


# Strokes that come in pieces are put together, and a lost piece is replaced by a straight line. The last one is twice as
# wide. Other JSON in place of a stroke: Tests/network/presence.test.mjs.
PIECES = """
  async () => {
    const { Inks } = MODULE
    const inks = new Inks()
    for (const ink of [{ at: 0, points: [0, 0, 10, 0] }, { at: 1, points: [10, 0, 20, 0] }, { at: 9, points: [90, 0, 100, 0], widths: [200, 200] }]) {
      inks.follow([{ actor: 1, ink: { shape: 5, color: '#FF0000', width: 4, ...ink } }], 0, () => false)
    }
    const context = new OffscreenCanvas(120, 20).getContext('2d')
    inks.paint(context, { pixels: { scale: 1, x: 5, y: 10 } })
    const heights = [5, 15, 50, 98].map((x) => context.getImageData(x + 5, 0, 1, 20).data.filter((value, at) => at % 4 === 3 && value > 127).length)
    const before = inks.hasAny
    inks.follow([], 100, () => false)
    const patient = inks.hasAny
    inks.follow([], 5000, () => false)
    return { heights, has: [before, patient, inks.hasAny] }
  }"""


def test_a_pen_that_tells_its_pressure_draws_thick_and_thin(room):
    """The widths are visible while the stroke is drawn, on all pages, and stay the same when it is finished. The drawing
    gets the stroke only then, put together from pieces. A click of the pen is a dot that is as wide as the pen."""
    ann, bob = room.join("Ann", at=(0, 0)), room.join("Bob", at=(0, 0))
    ann.take("pen")
    send = pen(ann)
    send("mousePressed", 200, 300, 0.1)
    for step in range(1, 60):
        send("mouseMoved", 200 + 10 * step, 300, step / 60)
    bob.wait(heard(bob), "the stroke in pieces", argument=59)
    for person in (ann, bob):
        person.painted()
    meanwhile = [[thickness(person, x) for x in (250, 500, 740)] for person in (ann, bob)]
    assert meanwhile[0] == meanwhile[1] and meanwhile[0][0] <= 3 < meanwhile[0][1] < meanwhile[0][2], meanwhile
    assert room.shapes() == []
    # The pen is released a little further on, without pressure. That must add the last pixels with the pen's last
    # width.
    send("mouseReleased", 800, 300, 0)
    (stroke,) = strokes(room, 1)
    widths = widths_of(stroke)
    assert min(widths) < 70 and max(widths) > 130 and widths[-1] > 130, widths
    assert all(width % 10 == 0 for width in widths)
    assert abs(stroke["position"][0] + stroke["size"][0] - 800) < 1
    ann.wait_for_shape(stroke["id"])
    ann.painted()
    finished = [thickness(ann, x) for x in (250, 500, 740)]
    assert all(abs(one - other) <= 1 for one, other in zip(finished, meanwhile[0])), (finished, meanwhile)
    bob.wait_for_shape(stroke["id"])
    bob.wait("app.presence.people().every(({ ink }) => !ink)", "nothing unfinished is left")
    for _ in range(2):
        ann.page.mouse.click(700, 500)
    dots = [each for each in strokes(room, 3) if len(set(map(tuple, each["path"]))) == 1]
    assert len(dots) == 2 and abs(dots[0]["position"][0] - 700) <= 1
    ann.page.mouse.move(900, 600)
    ann.painted()
    assert thickness(ann, 700, top=450, bottom=550) == dots[0]["strokeWidth"] == 4
    assert ann.page.evaluate(PIECES.replace("MODULE", module("canvas/inks.ts"))) == {"heights": [4, 4, 4, 8], "has": [True, True, False]}
