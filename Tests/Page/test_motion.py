"""Animations between states, with a clock that the test controls."""

import math

from person import number

OTHERS = 200


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
