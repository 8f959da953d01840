"""The overlay: selections, handles, the marquee, and names of others."""

import math

import numpy

from person import number
from pixels import rgb


def overlay(person):
    person.see()
    return person.picture("#overlay")


def is_painted(picture, x, y, reach=2):
    return bool(picture[round(y) - reach : round(y) + reach + 1, round(x) - reach : round(x) + reach + 1, 3].any())


def places(person):
    """The points of the handles, by kind and side."""
    person.painted()
    return {(each["kind"], each["across"], each["down"]): (each["x"], each["y"]) for each in person.run("app.handles.all()")}


def test_handles_stand_on_the_turned_box(room):
    """At corners and sides, above and below. Where they are is in Tests/gestures: here they are painted there, and the
    pointer shows the direction in which one can be pulled."""
    shape = room.add(kind="ellipse", position=[300, 300], size=[200, 100], rotation=30)
    ann = room.join("Ann")
    ann.select(shape)
    picture = overlay(ann)
    at = places(ann)
    center = ann.screen(400, 350)
    cosine, sine = math.cos(math.radians(30)), math.sin(math.radians(30))
    assert len(at) == 10
    for side, cursor in (((1, 1), "ns"), ((1, 0), "nwse"), ((0, -1), "nesw"), ((-1, 1), "ew")):
        ann.page.mouse.move(*at["scale", *side])
        ann.wait(f"document.getElementById('stage').style.cursor === '{cursor}-resize'")
    ann.page.mouse.move(*at["move", 0, 1])
    ann.wait("document.getElementById('stage').style.cursor === 'move'")
    for x, y in at.values():
        assert is_painted(picture, x, y)
    # The frame is painted at the corners of the box, and nothing is painted inside.
    for across, down in [(-1, -1), (1, -1), (-1, 1), (1, 1)]:
        assert is_painted(picture, center[0] + 100 * across * cosine - 50 * down * sine,
                          center[1] + 100 * across * sine + 50 * down * cosine)
    assert not is_painted(picture, center[0] + 50 * cosine - 25 * sine, center[1] + 50 * sine + 25 * cosine)


def test_others_selections_are_in_their_colours_with_their_names(room):
    """Another person's selection has a box and a flag. Both disappear with the selection."""
    shape, edge = (room.add(position=[x, 300], size=[200, 100]) for x in (400, 1260))
    ann = room.join("Ann", at=(0, 0, 1))
    with room.stranger("Bob") as bob:
        bob.show(selection=[shape])
        ann.wait("app.presence.people().some(({ selection }) => selection.length === 1)")
        picture = overlay(ann)
        for x, y in [(400, 350), (600, 350), (500, 400)]:
            near = picture[y - 2 : y + 3, x - 2 : x + 3]
            assert (numpy.abs(near[:, :, :3].astype(int) - rgb("#0F766E")).max(axis=2)[near[:, :, 3] > 150] < 40).any(), (x, y)
        flag = picture[280:297, 401:430]
        assert (flag[:, :, 3] > 200).mean() > 0.9, "no flag above the box"
        bob.show(selection=[edge])
        ann.wait("app.presence.people().some(({ selection }) => selection[0] === value)", "Bob's selection", number(edge))
        flag = overlay(ann)[281:295, :, 3]
        assert flag[:, 1255:1275].all() and not flag[:, 1277:].any(), "the flag stays in the window"
        bob.show()
        ann.wait("app.presence.people().every(({ selection }) => selection.length === 0)")
        assert not overlay(ann)[280:297, 401:430, 3].any()
    # A rectangle that selects has an outline and a light fill.
    ann.run("app.overlay.setMarquee({ x: 100, y: 120, width: 200, height: 80 }); return null")
    picture = overlay(ann)
    assert picture[120, 200, 3] > 200 and picture[200, 200, 3] > 200 and 5 < picture[160, 200, 3] < 60
    assert picture[110, 200, 3] == 0
    ann.run("app.overlay.setMarquee(null); return null")
    assert not overlay(ann)[100:220, 90:310, 3].any()
