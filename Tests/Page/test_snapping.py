"""A dragged shape snaps to the edges and centres of others, which guides show."""

from hand import handle, lead, moved, near, rest


def guides(person):
    person.painted()
    return {each["axis"]: each for each in person.run("app.overlay.guides")}


def test_edges_and_centres_meet_those_of_others_and_the_space_between_is_told(room):
    """A shape snaps while it is moved, resized or drawn. Hidden shapes are ignored. With Control, shapes snap to the
    dots of the canvas."""
    still = room.add(position=[300, 200], size=[120, 100])
    loose = room.add(position=[620, 420], size=[100, 140])
    room.add(position=[607, 600], size=[100, 40], visible=False)
    ann, bob = room.join("Ann", at=(0, 0)), room.witness()
    # The left edge comes within five pixels of the other shape's left edge, so it snaps to it. The top edge is near no
    # other edge.
    ann.drag((660, 480), (345, 440), hold=True)
    bob.wait_for_shape(loose, "shape.x === 300 && shape.y === 380")
    found = guides(ann)
    assert set(found) == {"x"}
    assert found["x"]["at"] == 300 and found["x"]["between"] == [300, 380] and (found["x"]["from"], found["x"]["to"]) == (200, 520)
    assert ann.run("app.handles.all().length") == 0, "no handle is in the way meanwhile"
    picture = ann.picture("#overlay")
    assert picture[330, 300, 3] > 200 and picture[340, 295, 3] > 200, "a line, and the number on it"
    # Moves the shape until its centre is aligned with another shape's, and then until nothing is aligned any more.
    ann.page.mouse.move(354, 443)
    bob.wait_for_shape(loose, "shape.x === 310 && shape.y === 383")
    ann.page.mouse.move(480, 282)
    bob.wait_for_shape(loose, "shape.x === 440 && shape.y === 222")
    assert guides(ann) == {}
    ann.page.mouse.move(480, 242)
    bob.wait_for_shape(loose, "shape.x === 440 && shape.y === 180")
    assert guides(ann)["y"]["at"] == 250, "the centre lies on the other's"
    rest(ann)
    ann.page.mouse.up()
    assert guides(ann) == {}
    # When a corner is pulled, only the pulled edges snap.
    corner = handle(ann, "scale")
    lead(ann, moved(corner, 0, 0), moved(corner, 41, -17))
    bob.wait_for_shape(loose, "shape.width === 141 && shape.height === 120")
    ann.press("Control+z")
    # While a shape is drawn, the corner at the pointer snaps.
    ann.press("Escape")
    ann.press("r")
    ann.drag((100, 420), (303, 560), hold=True)
    assert guides(ann)["x"]["at"] == 300
    rest(ann)
    ann.page.mouse.up()
    drawn, = [shape for shape in room.wait_for_shapes(4) if shape["position"] == [100, 420]]
    assert near(drawn["size"], [200, 140])
    # With Control, shapes snap only to the dots of the canvas, whatever else is near.
    ann.drag((120, 440), (124, 442), hold=True, modifiers=["Control"])
    assert guides(ann) == {}
    ann.press("Escape")
    ann.page.mouse.up()
    assert room.shape(still)["position"] == [300, 200]
    room.agree()
