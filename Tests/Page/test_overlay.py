"""What lies over the drawing: selections, handles, the marquee, others' names."""

import math

import numpy

from person import number
from pixels import rgb


def overlay(person):
    person.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return person.picture("#overlay")


def is_painted(picture, x, y, reach=2):
    return bool(picture[round(y) - reach : round(y) + reach + 1, round(x) - reach : round(x) + reach + 1, 3].any())


def places(person):
    """Where the handles are, by kind."""
    person.painted()
    found = person.run(
        "return app.handles.all()")
    return {kind: (x, y) for kind, x, y in ((each["kind"], each["x"], each["y"]) for each in found)}


def test_handles_stand_on_the_turned_box(room):
    """The middle, above the top edge, the bottom right corner, all turned as the shape is, and painted there."""
    shape = room.add(kind="ellipse", position=[300, 300], size=[200, 100], rotation=30)
    ann = room.join("Ann")
    ann.wait_for_shape(shape)
    ann.select(shape)
    picture = overlay(ann)
    at = places(ann)
    center = ann.screen(400, 350)
    cosine, sine = math.cos(math.radians(30)), math.sin(math.radians(30))
    assert math.dist(at["move"], center) < 0.01
    corner = (center[0] + 100 * cosine - 50 * sine, center[1] + 100 * sine + 50 * cosine)
    assert math.dist(at["scale"], corner) < 0.01
    up = ((at["rotate"][0] - center[0]) * cosine + (at["rotate"][1] - center[1]) * sine,
          -(at["rotate"][0] - center[0]) * sine + (at["rotate"][1] - center[1]) * cosine)
    assert abs(up[0]) < 0.01 and -90 < up[1] < -60, up
    for x, y in at.values():
        assert is_painted(picture, x, y)
    # Each corner of the box, and nothing in the middle of a quarter.
    for across, down in [(-1, -1), (1, -1), (-1, 1), (1, 1)]:
        assert is_painted(picture, center[0] + 100 * across * cosine - 50 * down * sine,
                          center[1] + 100 * across * sine + 50 * down * cosine)
    assert not is_painted(picture, center[0] + 50 * cosine - 25 * sine, center[1] + 50 * sine + 25 * cosine)


def test_handles_of_a_small_shape_stand_apart(room):
    """Even far zoomed out, there is room for a finger between them."""
    shape = room.add(position=[300, 300], size=[20, 20])
    ann = room.join("Ann")
    ann.wait_for_shape(shape)
    ann.run("app.view.zoomAt({ x: 300, y: 300 }, 0.25); return null")
    ann.select(shape)
    at = list(places(ann).values())
    assert min(math.dist(one, other) for place, one in enumerate(at) for other in at[:place]) >= 24, at


def test_who_only_looks_on_has_no_handles(room):
    """A viewer still sees what is selected."""
    shape = room.add(position=[300, 300])
    ann = room.join("Ann", query="?view")
    ann.wait_for_shape(shape)
    ann.select(shape)
    assert places(ann) == {}


def test_others_selections_are_in_their_colours_with_their_names(room):
    """A box and a flag above it. Both go with the selection."""
    shape = room.add(position=[400, 300], size=[200, 100])
    ann, bob = room.join("Ann"), room.join("Bob")
    for person in (ann, bob):
        person.wait_for_shape(shape)
    ann.look_at(0, 0, 1)
    bob.select(shape)
    ann.wait("app.presence.people().some(({ selection }) => selection.length === 1)")
    picture = overlay(ann)
    color = rgb(bob.run("app.me.color"))
    for x, y in [(400, 350), (600, 350), (500, 400)]:
        near = picture[y - 2 : y + 3, x - 2 : x + 3]
        assert (numpy.abs(near[:, :, :3].astype(int) - color).max(axis=2)[near[:, :, 3] > 150] < 40).any(), (x, y)
    flag = picture[280:297, 401:430]
    assert (flag[:, :, 3] > 200).mean() > 0.9, "no flag above the box"
    bob.run("app.selection.clear(); return null")
    ann.wait("app.presence.people().every(({ selection }) => selection.length === 0)")
    assert not overlay(ann)[280:297, 401:430, 3].any()


def test_a_marquee_is_where_it_is_drawn(room):
    """A line around, a wash within."""
    ann = room.join("Ann")
    ann.look_at(0, 0, 1)
    ann.run("app.overlay.setMarquee({ x: 100, y: 120, width: 200, height: 80 }); return null")
    picture = overlay(ann)
    assert picture[120, 200, 3] > 200 and picture[200, 200, 3] > 200 and 5 < picture[160, 200, 3] < 60
    assert picture[110, 200, 3] == 0
    ann.run("app.overlay.setMarquee(null); return null")
    assert not overlay(ann)[100:220, 90:310, 3].any()
