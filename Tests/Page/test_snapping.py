"""The guides to which a dragged shape snaps, as they are painted. To what shapes snap is in Tests/gestures."""

from hand import let_go


def test_guides_and_equal_gaps_are_painted_with_their_lengths(room):
    """A line through both edges with the space between them, and both gaps of a row. No handle is in the way meanwhile."""
    for place in ([100, 200], [250, 210]):
        room.add(position=place, size=[100, 100])
    loose = room.add(position=[620, 420], size=[80, 60])
    ann, bob = room.join("Ann", at=(0, 0)), room.witness()
    ann.drag((660, 450), (293, 430), hold=True)
    bob.wait_for_shape(loose, "shape.x === 250 && shape.y === 400")
    ann.painted()
    assert ann.run("app.handles.all().length") == 0
    picture = ann.picture("#overlay")
    assert picture[350, 250, 3] > 200 and picture[355, 245, 3] > 200, "a line, and the number on it"
    # The gap between the first two is 50, so the third place begins at 400.
    ann.page.mouse.move(437, 302)
    bob.wait_for_shape(loose, "shape.x === 400 && shape.y === 272")
    ann.painted()
    picture = ann.picture("#overlay")
    assert picture[255, 205, 3] > 200 and picture[291, 395, 3] > 200
    let_go(ann)
    ann.painted()
    assert ann.picture("#overlay")[255, 205, 3] == 0, "the guides are gone"
