"""A dragged shape snaps to the edges and centres of others, which guides show."""

from hand import handle, lead, let_go, moved, near


def guides(person):
    person.painted()
    return {each["axis"]: each for each in person.run("app.overlay.guides")}


def test_edges_and_centres_meet_those_of_others_and_the_space_between_is_told(room):
    """Moved, resized or drawn. Hidden shapes don't count. Control snaps to the dots."""
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
    let_go(ann)
    assert guides(ann) == {}
    # When a corner is pulled, only the pulled edges snap.
    corner = handle(ann, "scale")
    lead(ann, moved(corner, 0, 0), moved(corner, 41, -17))
    bob.wait_for_shape(loose, "shape.width === 141 && shape.height === 120")
    ann.press("Control+z")
    # While a shape is drawn, the corner at the pointer snaps.
    ann.press("Escape", "r")
    ann.drag((100, 420), (303, 560), hold=True)
    assert guides(ann)["x"]["at"] == 300
    let_go(ann)
    drawn, = [shape for shape in room.wait_for_shapes(4) if shape["position"] == [100, 420]]
    assert near(drawn["size"], [200, 140])
    # With Control, shapes snap only to the dots of the canvas, whatever else is near.
    ann.drag((120, 440), (124, 442), hold=True, modifiers=["Control"])
    assert guides(ann) == {}
    ann.give_up()
    assert room.shape(still)["position"] == [300, 200]


def test_gaps_in_a_row_or_a_column_become_equal(room):
    """In the middle between two, and behind two with the gap that they have. Both gaps are shown."""
    room.add(position=[100, 200], size=[100, 100])
    room.add(position=[250, 210], size=[100, 100])
    room.add(position=[900, 190], size=[100, 100])
    loose = room.add(position=[500, 600], size=[80, 60])
    ann, bob = room.join("Ann", at=(0, 0)), room.witness()

    def gaps():
        ann.painted()
        return sorted(tuple(each["between"]) for each in ann.run("app.overlay.guides") if each.get("isGap"))

    # The gap between the first two is 50, so the third place begins at 400.
    ann.drag((540, 630), (540 - 103, 302), hold=True)
    bob.wait_for_shape(loose, "shape.x === 400 && shape.y === 272")
    assert gaps() == [(200, 250), (350, 400)]
    picture = ann.picture("#overlay")
    assert picture[255, 205, 3] > 200 and picture[291, 395, 3] > 200
    # The middle between the second and the last: (350 + 900 - 80) / 2.
    ann.page.mouse.move(540 + 81, 302)
    bob.wait_for_shape(loose, "shape.x === 585 && shape.y === 272")
    assert gaps() == [(350, 585), (665, 900)]
    ann.page.mouse.move(540 + 110, 302)
    bob.wait_for_shape(loose, "shape.x === 610 && shape.y === 272")
    assert gaps() == []
    # In the column there is nothing else: only shapes of the same row count.
    ann.page.mouse.move(437, 480)
    bob.wait_for_shape(loose, "shape.x === 397 && shape.y === 450")
    assert gaps() == []
    let_go(ann)
    # The gap between the last and one below it is 40, so the third place of their column begins at 470.
    room.add(position=[920, 330], size=[100, 100])
    ann.wait_for_shapes(5)
    ann.drag((437, 480), (945, 503), hold=True)
    bob.wait_for_shape(loose, "shape.y === 470")
    assert gaps() == [(290, 330), (430, 470)]
    let_go(ann)
