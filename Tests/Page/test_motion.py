"""Animations between states, with a clock that the test controls."""

import math

from person import number

OWN, OTHERS, DEPARTURE = 120, 200, 350


def watching(room, *shapes, **options):
    """Joins a person whose clock stands still, after these shapes are painted."""
    bob = room.join("Bob", clock=True, **options)
    bob.painted()
    bob.stop_clock()
    # A frame is still requested, so time passes until it is drawn.
    bob.pass_time(50)
    return bob


def told(person, expression, *shapes):
    """Waits until the expression shows that a change has arrived. The change is not drawn yet."""
    person.wait(expression, argument=[number(shape) for shape in shapes])
    # Advances the time to the next frame, in which the motion starts.
    person.pass_time(20)


def close(one, other, tolerance=0.01):
    return math.isclose(one, other, abs_tol=tolerance)


def test_what_others_move_glides_there_what_appears_grows_and_what_is_deleted_fades(room):
    """Halfway through the time it is between both places, slows down, and arrives. So does a colour. A new shape starts
    smaller and lighter, and a deleted one is seen for a moment."""
    shape, other = room.add(position=[100, 100], size=[80, 60]), room.add(position=[600, 100], size=[200, 200], fill="#0000FF")
    bob = watching(room, shape)
    room.write((shape, {"position": [300, 200], "rotation": 90}), (other, {"fill": "#FF0000"}))
    told(bob, "app.session.shape(value[0]).x === 300", shape)
    bob.pass_time(40)
    x, y = map(int, bob.middle(other))
    red, _, blue, _ = bob.picture()[y, x].astype(int)
    assert 30 < red < 250 and 5 < blue < 225 and abs(red + blue - 255) < 6, (red, blue)
    bob.pass_time(OTHERS // 2 - 40)
    halfway = bob.drawn(shape)
    assert 150 < halfway["x"] < 295 and 125 < halfway["y"] < 198 and 20 < halfway["rotation"] < 88, halfway
    # The position, the size and the rotation have covered the same fraction of their ways.
    assert close((halfway["x"] - 100) / 200, (halfway["y"] - 100) / 100) and close((halfway["x"] - 100) / 200, halfway["rotation"] / 90)
    bob.pass_time(OTHERS)
    there = bob.drawn(shape)
    assert (there["x"], there["y"], there["rotation"]) == (300, 200, 90), there
    assert list(bob.picture()[y, x][:3]) == [255, 0, 0]

    new = room.add(position=[100, 100], size=[100, 100], fill="#CC0000")
    told(bob, "app.session.shape(value[0]) !== null", new)
    bob.pass_time(40)
    young = bob.drawn(new)
    assert 0.8 < young["growth"] < 1 and 0.1 < young["opacity"] < 1, young
    bob.pass_time(OTHERS)
    assert bob.drawn(new)["growth"] == 1 and bob.drawn(new)["opacity"] == 1
    room.write((new, {"deleted": True}))
    told(bob, "app.session.shape(value[0]) === null", new)
    bob.pass_time(60)
    x, y = map(int, bob.screen(150, 150))
    red, green, *_ = bob.picture()[y, x].astype(int)
    assert red > green + 20, "it is gone at once"
    assert bob.drawn(new) is None, "it can still be asked for"
    bob.pass_time(OTHERS)
    red, green, *_ = bob.picture()[y, x].astype(int)
    assert abs(red - green) < 4, "it is still there"
    assert len(bob.run("app.scene.order.map(({ id }) => id)")) == 2


def test_steps_that_follow_each_other_become_one_movement(room):
    """Steps of 40 units, 100 ms apart: in between the shape never moves back or stops. Over a slow line, 400 ms apart:
    from the third on, shape and pointer move evenly."""
    quick, shape = room.add(position=[0, 100]), room.add(position=[0, 300])
    bob = watching(room, quick, shape)
    seen = []
    for step in range(1, 6):
        room.write((quick, {"position": [40 * step, 100]}))
        told(bob, f"app.session.shape(value[0]).x === {40 * step}", quick)
        for _ in range(4):
            seen.append(bob.drawn(quick)["x"])
            bob.pass_time(20)
    steps = [after - before for before, after in zip(seen, seen[1:])]
    assert all(step > 0 for step in steps[:-1]), seen
    # After the start, all steps have about the same length.
    assert max(steps[8:18]) < 3 * min(steps[8:18]), steps

    ann = room.join("Ann")
    color = [int(ann.run("app.me.color")[at : at + 2], 16) for at in (1, 3, 5)]

    def cursor():
        """The x-coordinate of the tip of the other person's pointer."""
        left, top = map(int, bob.screen(0, 100))
        columns = (abs(bob.picture("#overlay")[top + 4 : top + 10, :, :3].astype(int) - color).max(axis=2) < 12).any(axis=0).nonzero()[0]
        return int(columns[0]) - left

    seen, pointed = [], []
    for step in range(1, 7):
        room.write((shape, {"position": [40 * step, 300]}))
        ann.run("app.presence.setCursor({ x: 40 * value, y: 100 }); return null", step)
        told(bob, f"app.session.shape(value[0]).x === {40 * step} && app.presence.people()[0]?.cursor?.x === {40 * step}", shape)
        for _ in range(4):
            seen.append(bob.drawn(shape)["x"])
            pointed.append(cursor())
            bob.pass_time(95)
    for places in (seen, pointed):
        steps = [after - before for before, after in zip(places, places[1:])][12:]
        assert min(steps) > 3 and max(steps) < 3 * min(steps), places


def test_what_a_black_hole_takes_is_seen_going_there_by_everyone(room):
    """On the other page it shrinks along a curve that leads to the hole."""
    shape = room.add(position=[500, 100], size=[200, 120], fill="#CC0000")
    bob = watching(room, shape)
    ann = room.join("Ann")
    ann.run("app.edit((session) => session.edit([{ shape: value, set: "
            "{ position: [100, 600], size: [1, 1], deleted: true } }])); return null", number(shape))
    told(bob, "app.session.shape(value[0]) === null", shape)
    places = []
    for _ in range(6):
        places.append(bob.run(
            "const [shape] = app.scene.order; return shape && [shape.x + shape.width / 2, shape.y + shape.height / 2, shape.width]"))
        bob.pass_time(50)
    assert all(places), places
    widths = [width for _, _, width in places]
    assert widths == sorted(widths, reverse=True) and widths[0] > 190 and widths[-1] < 110, widths
    distances = [math.dist((x, y), (100, 600)) for x, y, _ in places]
    assert distances == sorted(distances, reverse=True), distances
    # The path is curved: it leaves the straight line by at least a twentieth of its length.
    length = math.dist((600, 160), (100, 600))
    beside = [abs((x - 600) * (600 - 160) - (y - 160) * (100 - 600)) / length for x, y, _ in places]
    assert max(beside) > length / 20, beside
    bob.pass_time(DEPARTURE)
    assert bob.run("app.scene.order.length") == 0
    room.agree(ann)


def test_undoing_takes_a_moment_and_the_view_glides(room):
    """A person's own undo is animated for 120 ms, so that they see what changed. What one drags follows at once."""
    shape = room.add(position=[200, 200])
    ann = watching(room, shape)
    for step in range(1, 6):
        ann.run("app.edit((session) => session.place([{ id: value[0], x: 100 + value[1], y: 200 }])); return null", [number(shape), 20 * step])
        ann.pass_time(20)
        assert step == 1 or ann.drawn(shape)["x"] == 100 + 20 * step
    ann.run("app.edit((session) => session.place([{ id: value, x: 400, y: 200 }])); return null", number(shape))
    ann.pass_time(1000)
    assert ann.drawn(shape)["x"] == 400
    ann.run("app.edit((session) => session.undo()); return null")
    ann.pass_time(20)
    ann.pass_time(40)
    assert 200 < ann.drawn(shape)["x"] < 400
    ann.pass_time(OWN)
    assert ann.drawn(shape)["x"] == 200
    # So does the view, when it zooms to fit.
    ann.look_at(0, 0)
    ann.run("app.view.fit({ x: 2000, y: 2000, width: 200, height: 200 }, 0, { now: performance.now() }); return null")
    ann.pass_time(100)
    assert 0 < ann.run("app.view.x") < 1460
    ann.pass_time(250)
    assert ann.run("[app.view.x, app.view.y, app.view.scale]") == [2100 - 640, 2100 - 400, 1]


def test_nothing_moves_for_who_asked_for_less_motion(room):
    """Moved, deleted and swallowed shapes are at their end in the next frame."""
    moved, deleted, taken = (room.add(position=[200 * at, 100]) for at in range(3))
    bob = watching(room, moved, deleted, taken, still=True)
    room.write((moved, {"position": [50, 400]}), (deleted, {"deleted": True}),
               (taken, {"position": [0, 700], "size": [1, 1], "deleted": True}))
    told(bob, "app.session.shapeCount === 1", moved)
    bob.pass_time(20)
    assert (bob.drawn(moved)["x"], bob.drawn(moved)["y"]) == (50, 400)
    assert bob.run("app.scene.order.length") == 1 and not bob.run("app.scene.moves()")
