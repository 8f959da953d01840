"""What others take away from everybody's canvas, or out of somebody's hand, is said, and can be brought back."""

from person import number


def fill(room):
    """Three shapes with names, in an order of their own. Waits until the room's history has them."""
    import time

    shapes = [room.add(kind="star", name=name, position=[100 + 150 * at, 200], size=[100, 100], rotation=10 * at, fill="#336699")
              for at, name in enumerate(["Sun", "Moon", "Comet"])]
    before = room.shapes()
    # What was written less than two seconds before a removal may come back without its name.
    time.sleep(2.5)
    return shapes, before


def test_who_empties_the_canvas_is_named_and_it_can_be_brought_back(room):
    """
    By the black hole, by clearing, and back as it was: names, order and looks. The other learns of it. It is one step to undo;
    who may not draw learns only who it was.
    """
    _, before = fill(room)
    ann, bob, eve = room.join("Ann"), room.join("Bob"), room.join("Eve", query="?view")
    ann.wait_for_shapes(3)
    bob.wait_for_shapes(3)
    bob.page.keyboard.press("b")
    bob.page.get_by_role("button", name="Drop everything").click()
    notice = ann.page.locator(".notice", has_text="Bob dropped everything into the black hole.")
    notice.get_by_role("button", name="Bring back").click()
    assert room.wait_for_shapes(3) == before
    bob.page.locator(".notice", has_text="Ann brought back 3 shapes.").wait_for()
    notice.wait_for(state="detached")
    bob.page.keyboard.press("Shift+Delete")
    notice = ann.page.locator(".notice", has_text="Bob cleared the canvas.")
    notice.wait_for()
    bob.page.keyboard.press("Control+z")
    ann.page.locator(".notice", has_text="Bob brought back 3 shapes.").wait_for()
    assert notice.count() == 0 and room.wait_for_shapes(3) == before
    room.agree()
    bob.page.keyboard.press("Shift+Delete")
    eve.page.locator(".notice", has_text="Bob cleared the canvas.").wait_for()
    assert eve.page.get_by_role("button", name="Bring back").count() == 0
    ann.page.get_by_role("button", name="Bring back").click()
    ann.wait_for_shapes(3)
    ann.page.locator(".notice", has_text="3 shapes brought back").get_by_role("button", name="Undo").click()
    room.wait_for_shapes(0)


def test_a_shape_that_is_deleted_in_ones_hand_does_not_vanish_without_a_word(room):
    """Its name and who deleted it. Shapes that nobody holds go silently, as they always did."""
    (sun, moon, _), before = fill(room)
    ann, bob = room.join("Ann"), room.join("Bob")
    ann.look_at(0, 0)
    ann.wait_for_shapes(3)
    ann.drag(ann.middle(sun), (400, 500), hold=True)
    bob.wait_for_shape(sun, "shape.y > 250")
    for shape in (moon, sun):
        bob.run("app.edit((session) => session.delete([value])); return null", number(shape))
    notice = ann.page.locator(".notice", has_text="Bob deleted Sun while you held it.")
    notice.wait_for()
    assert ann.page.locator(".notice").count() == 1
    ann.page.mouse.up()
    notice.get_by_role("button", name="Bring back").click()
    (back,) = [shape for shape in room.wait_for(lambda shapes: len(shapes) == 2) if shape["id"] == sun]
    assert back["name"] == "Sun" and back["z"] == before[0]["z"] and back["position"][1] > 250
