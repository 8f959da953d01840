"""If others remove something from the canvas or during somebody's drag, the page says so, and offers to restore it."""

import time

from person import number
from test_history import CLOCKS, see_past


def fill(room):
    """Writes three named shapes, and waits until they are in the room's history. Returns the shapes and the drawing."""
    shapes = [room.add(kind="star", name=name, position=[100 + 150 * at, 200], size=[100, 100], rotation=10 * at, fill="#336699")
              for at, name in enumerate(["Sun", "Moon", "Comet"])]
    before = room.shapes()
    time.sleep(CLOCKS)
    return shapes, before


def clear(person):
    person.press("Shift+Delete")
    person.page.get_by_role("button", name="Clear everything").click()


def test_who_empties_the_canvas_is_named_and_it_can_be_brought_back(room):
    """The canvas is emptied by the black hole and by clearing. Restoring brings back names, order and styles, is
    announced to the other person, and is one undo step. A viewer only sees who emptied it."""
    _, before = fill(room)
    ann, bob, eve = room.join("Ann"), room.join("Bob"), room.join("Eve", query="?view")
    bob.page.get_by_role("button", name="Black Hole").click()
    bob.page.get_by_role("button", name="Drop everything").click()
    notice = ann.notice("Bob dropped everything into the black hole.")
    notice.get_by_role("button", name="Bring back").click()
    assert room.wait_for_shapes(3) == before
    bob.notice("Ann brought back 3 shapes.").wait_for()
    notice.wait_for(state="detached")
    clear(bob)
    notice = ann.notice("Bob cleared the canvas.")
    notice.wait_for()
    bob.press("Control+z")
    ann.notice("Bob brought back 3 shapes.").wait_for()
    assert notice.count() == 0 and room.wait_for_shapes(3) == before
    room.agree()
    clear(bob)
    eve.notice("Bob cleared the canvas.").wait_for()
    assert eve.page.get_by_role("button", name="Bring back").count() == 0
    # While Ann looks at the past, nothing can be brought back, so the offer stays.
    ann.run("app.shown.showPast(app.core.createReplica({ readonly: true })); return null")
    ann.page.get_by_role("button", name="Bring back").click()
    ann.notice("You’re looking at the past").wait_for()
    ann.run("app.shown.showPast(null); return null")
    ann.page.get_by_role("button", name="Bring back").click()
    ann.wait_for_shapes(3)
    ann.notice("3 shapes brought back").get_by_role("button", name="Undo").click()
    room.wait_for_shapes(0)


def drawn_and_redrawn(room):
    """Makes a drawing of three shapes that becomes six. Returns the first drawing, its time, and the second drawing."""
    old = [room.add(kind="star", name=name, position=[100 + 150 * at, 200], size=[100, 100]) for at, name in enumerate(["Sun", "Moon", "Comet"])]
    time.sleep(CLOCKS)
    then = time.time() * 1000
    time.sleep(CLOCKS)
    room.write((old[0], {"deleted": True}), (old[1], {"position": [700, 500], "fill": "#00FF00", "dash": "dashed"}))
    for at in range(4):
        room.add(kind="ellipse", name=f"New {at}", position=[100 + 150 * at, 400], size=[100, 100])
    now = room.shapes()
    time.sleep(CLOCKS)
    return old, then, now


def restore(person, then, count=3, ahead=0):
    """Restores an older state. `ahead`: the milliseconds by which the page's estimate of the time is wrong."""
    see_past(person, then, count)
    if ahead:
        person.run("const now = performance.now.bind(performance); performance.now = () => now() + value; return null", ahead)
    person.page.get_by_role("button", name="Restore").click()


def test_who_restores_an_older_state_is_named_and_what_was_there_can_be_brought_back(room):
    """In one undo step, without later edits."""
    old, then, now = drawn_and_redrawn(room)
    ann, bob = room.join("Ann"), room.join("Bob")
    restore(bob, then, ahead=150)
    notice = ann.notice("Bob restored the drawing as of today, ")
    notice.wait_for()
    assert ann.page.locator(".notice").count() == 1
    assert bob.notice("Bob").count() == 0
    restored = room.wait_for_shapes(3)
    assert {shape["name"] for shape in restored} == {"Sun", "Moon", "Comet"}
    since = room.add(name="Since", position=[900, 600])
    room.write((old[2], {"fill": "#123456"}))
    ann.wait_for_shape(since)
    ann.wait_for_shape(old[2], "shape.fill === '#123456'")
    notice.get_by_role("button", name="Bring back").click()
    shapes = room.wait_for_shapes(7)
    assert [shape for shape in shapes if shape["id"] != since and shape["id"] != old[2]] == [shape for shape in now if shape["id"] != old[2]]
    assert room.shape(old[2])["fill"] == "#123456"
    bob.notice("Ann brought back 4 shapes.").wait_for()
    ann.notice("4 shapes brought back, 2 others changed back.").get_by_role("button", name="Undo").click()
    room.wait_for_shapes(4)


def test_the_undo_of_a_notice_undoes_no_older_step(room):
    """If somebody has put back what was removed, nothing is left to undo. Nor of a square that was dragged away and back:
    only if somebody else has locked or moved it since, undo says so."""
    ann = room.join("Ann", at=(0, 0))
    square = room.add(position=[300, 300], size=[120, 120])
    ann.wait_for_shapes(1)
    place = "app.edit((session) => session.place([{ id: value, x: 500, y: 300 }])); "
    ann.run("app.editing.group(() => { " + place + place.replace("500", "300") + " }); return null", number(square))
    ann.press("Control+z")
    left = ann.notice("Nothing left to undo")
    left.wait_for()
    assert "others" not in left.inner_text()
    ann.run(place + "return null", number(square))
    room.wait_for(lambda shapes: shapes[0]["position"] == [500, 300])
    ann.learns(square, locked=True)
    ann.press("Control+z")
    ann.notice("what it would change is locked").wait_for()
    ann.learns(square, locked=False, position=[300, 300])
    ann.press("Control+z")
    ann.notice("others have changed it since").get_by_role("button", name="Dismiss").click()

    own = ann.run("return app.edit((session) => session.add({ position: [600, 500], size: [80, 80] })).shape")
    ann.take("select")
    ann.click(360, 360, times=3)
    notice = ann.notice("removed.")
    notice.hover()
    room.wait_for(lambda shapes: len(shapes) == 1)
    room.write((square, {"kind": "rectangle", "position": [300, 300], "size": [120, 120]}))
    ann.wait_for_shape(square)
    notice.get_by_role("button", name="Undo").click()
    left.wait_for()
    assert ann.run("return app.session.shape(value) !== null", own)
    assert len(room.agree()) == 2
