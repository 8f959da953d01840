"""Handles, selections and shortcuts, and gestures that change only the view."""

from hand import handle, lead, let_go, moved, near
from person import number


def both(room, count, page=False, **options):
    """Ann's page with shapes in a row, and a client, or a `page`, that receives what she does."""
    shapes = [room.add(position=[200 + 200 * at, 200 + 50 * at], size=[100, 100]) for at in range(count)]
    return room.join("Ann", at=(0, 0), **options), room.join("Bob") if page else room.witness(), shapes


# Handles


def test_handles_move_turn_and_scale_and_stay_at_the_turned_shape(room):
    """The handle below the shape moves it, the one above rotates it, and those at sides and corners scale it."""
    ann, bob, (shape,) = both(room, 1)
    ann.select(shape)
    below = handle(ann, "move")
    assert near(below, [250, 326])
    lead(ann, below, moved(below, 150, 80))
    bob.wait_for_shape(shape, "shape.x === 350 && shape.y === 280")
    assert near(handle(ann, "move"), [400, 406])

    above = handle(ann, "rotate")
    assert near(above[0], 400) and above[1] < 280
    reach = 330 - above[1]
    lead(ann, above, (400 + reach, 330))
    bob.wait_for_shape(shape, "Math.abs(shape.rotation - 90) < 0.1 && Math.abs(shape.x - 350) < 0.1")
    assert near(handle(ann, "rotate"), [400 + reach, 330], within=1)

    # After the rotation, the lower right handle is at the lower left. The handle follows the mouse there.
    corner = handle(ann, "scale")
    assert near(corner, [350, 380], within=1)
    lead(ann, corner, moved(corner, -60, 40))
    bob.wait_for_shape(shape, "Math.abs(shape.width - 140) < 1 && Math.abs(shape.height - 160) < 1")
    assert near(handle(ann, "scale"), [290, 420], within=1)
    # After the rotation, the shape's left side is at the top. A drag of that side leaves the bottom where it is.
    lead(ann, handle(ann, "scale", (-1, 0)), moved(handle(ann, "scale", (-1, 0)), 30, -50))
    bob.wait_for_shape(shape, "Math.abs(shape.width - 190) < 1 && Math.abs(shape.height - 160) < 1")
    assert near(handle(ann, "scale"), [290, 420], within=1)
    room.agree()
    for _ in range(4):
        ann.press("Control+z")
    bob.wait_for_shape(shape, "shape.x === 200 && shape.rotation === 0 && shape.width === 100")


def test_shift_constrains_moves_turns_and_scales(room):
    """Moves keep to one axis, turns to steps of fifteen degrees, and scaling to the aspect ratio."""
    ann, bob, (shape,) = both(room, 1)
    lead(ann, (220, 220), (320, 250), modifiers=["Shift"])
    bob.wait_for_shape(shape, "shape.x === 300 && shape.y === 200")
    above = handle(ann, "rotate")
    lead(ann, above, moved(above, 60, 12), modifiers=["Shift"])
    assert ann.wait_for_shape(shape, "shape.rotation !== 0")["rotation"] % 15 == 0
    ann.press("Control+z")
    corner = handle(ann, "scale")
    lead(ann, corner, moved(corner, 100, 10), modifiers=["Shift"])
    bob.wait_for_shape(shape, "shape.width === 200 && shape.height === 200")
    ann.press("Control+z")
    bob.wait_for_shape(shape, "shape.width === 100")
    # With Control, shapes snap to the dots of the canvas, which are 24 units apart.
    lead(ann, (320, 220), (350, 260), modifiers=["Control"])
    bob.wait_for_shape(shape, "shape.x === 336 && shape.y === 240")


def test_many_are_moved_turned_and_scaled_by_their_common_handles(room):
    """Shapes are rotated around their common centre. Each change is one undo step."""
    ann, bob, (first, second) = both(room, 2)
    ann.press("Control+a")
    assert sorted(ann.selected()) == sorted([first, second])
    # The box around both shapes starts at (200, 200) and is 300 by 150.
    assert near(handle(ann, "move"), [350, 376])
    above = handle(ann, "rotate")
    lead(ann, above, (350 + 200, 275))
    bob.wait_for_shape(second, "Math.abs(shape.rotation - 90) < 0.1")
    turned = {shape["id"]: shape for shape in room.agree()}
    assert near(turned[first]["position"], [325, 125], within=1) and near(turned[second]["position"], [275, 325], within=1)
    ann.press("Control+z")
    bob.wait_for_shape(second, "shape.rotation === 0 && shape.x === 400")
    corner = handle(ann, "scale")
    assert near(corner, [500, 350])
    lead(ann, corner, moved(corner, 300, 0))
    bob.wait_for_shape(second, "Math.abs(shape.width - 200) < 0.1 && Math.abs(shape.x - 600) < 0.1")
    ann.press("Control+z")
    bob.wait_for_shape(second, "shape.width === 100")
    lead(ann, handle(ann, "move"), moved(handle(ann, "move"), 100, 25))
    bob.wait_for_shape(first, "shape.x === 300 && shape.y === 225")
    bob.wait_for_shape(second, "shape.x === 500 && shape.y === 275")
    # Pulling the left side scales all shapes horizontally. The left edge of their common box is at 300. The right edge,
    # at 600, stays.
    lead(ann, handle(ann, "scale", (-1, 0)), moved(handle(ann, "scale", (-1, 0)), -150, 40))
    bob.wait_for_shape(first, "shape.x === 150 && shape.width === 150 && shape.height === 100")
    bob.wait_for_shape(second, "shape.x === 450 && shape.width === 150 && shape.y === 275")
    # Pulling a corner scales evenly, and the opposite corner stays. If one of the shapes is rotated, the common box has
    # no handles at its sides.
    lead(ann, handle(ann, "scale", (-1, -1)), moved(handle(ann, "scale", (-1, -1)), -450, 0))
    bob.wait_for_shape(second, "Math.abs(shape.width - 300) < 0.1 && Math.abs(shape.x - 300) < 0.1 && Math.abs(shape.y - 175) < 0.1")
    room.write((second, {"rotation": 20}))
    ann.wait_for_shape(second, "shape.rotation === 20")
    ann.painted()
    sides = ann.run("app.handles.all().filter(({ kind }) => kind === 'scale').map(({ across, down }) => across * down)")
    assert len(sides) == 4 and 0 not in sides


# Selecting


def test_a_marquee_and_shift_select(room):
    """The Select tool draws a marquee. Others see which shapes are selected."""
    ann, bob, (first, second, third) = both(room, 3, page=True)
    ann.press("v")
    ann.drag((520, 360), (150, 150), hold=True)
    assert sorted(ann.selected()) == sorted([first, second])
    ann.page.mouse.up()
    bob.wait(f"app.presence.people()[0].selection.length === 2", "Bob sees what Ann selected")
    with ann.holding("Shift"):
        ann.click(*ann.middle(third))
        ann.click(*ann.middle(first))
    assert sorted(ann.selected()) == sorted([second, third])
    ann.drag((150, 150), (260, 260), modifiers=["Shift"])
    assert len(ann.selected()) == 3
    ann.click(700, 620)
    assert ann.selected() == []
    assert ann.run("app.session.shapeCount") == 3


def test_a_drag_in_a_gap_of_the_selection_moves_it(room):
    """With a mouse. With Shift it draws a marquee, and so it does while fewer than two shapes are selected."""
    ann, bob, shapes = both(room, 3)
    first, second, third = shapes
    ann.press("v")
    ann.select(first, second)
    ann.page.mouse.move(350, 275)
    ann.wait("document.getElementById('stage').style.cursor === 'move'")
    lead(ann, (350, 275), (300, 425))
    bob.wait_for_shape(first, "shape.x === 150 && shape.y === 350")
    bob.wait_for_shape(second, "shape.x === 350 && shape.y === 400")
    assert sorted(ann.selected()) == sorted([first, second])
    ann.press("Control+z")
    bob.wait_for_shape(second, "shape.x === 400 && shape.y === 250")

    lead(ann, (350, 275), (720, 420), modifiers=["Shift"])
    assert sorted(ann.selected()) == sorted(shapes)
    ann.click(350, 275)
    assert ann.selected() == []
    lead(ann, (350, 240), (520, 360))
    assert ann.selected() == [second]
    lead(ann, (350, 240), (720, 420))
    assert sorted(ann.selected()) == sorted([second, third])
    assert [ann.shape(shape)["x"] for shape in shapes] == [200, 400, 600]
    assert [shape["position"] for shape in room.agree()] == [[200, 200], [400, 250], [600, 300]]


# Keys


def test_arrow_keys_move_by_one_and_by_ten_and_are_one_step(room):
    """Quick presses in a row are one undo step. Held keys repeat."""
    ann, bob, shapes = both(room, 2, clock=True)
    ann.select(*shapes)
    ann.stop_clock()
    for _ in range(2):
        ann.page.keyboard.down("ArrowRight")
        ann.pass_time(100)
    ann.page.keyboard.up("ArrowRight")
    for key in ["Shift+ArrowDown", "ArrowUp"]:
        ann.press(key)
        ann.pass_time(100)
    bob.wait_for_shape(shapes[0], "shape.x === 202 && shape.y === 209")
    bob.wait_for_shape(shapes[1], "shape.x === 402 && shape.y === 259")
    ann.pass_time(1000)
    ann.press("Shift+ArrowLeft")
    ann.pass_time(1000)
    bob.wait_for_shape(shapes[0], "shape.x === 192")
    with ann.holding("Control"):
        for place in ("shape.x === 202 && shape.y === 209", "shape.x === 200 && shape.y === 200"):
            ann.page.keyboard.down("z")
            ann.pass_time(100)
            bob.wait_for_shape(shapes[0], place)
        ann.page.keyboard.up("z")


def test_delete_duplicate_and_another_colour_by_keys(room):
    """Each key acts on all selected shapes in one undo step."""
    ann, bob, shapes = both(room, 2)
    ann.press("Control+a", "Control+d")
    bob.wait_for_shapes(4)
    copies = ann.selected()
    assert set(copies).isdisjoint(shapes)
    assert sorted(tuple(shape["position"]) for shape in room.agree() if shape["id"] in copies) == [(220, 220), (420, 270)]
    ann.press("c")
    bob.wait_for_shape(copies[0], "shape.fill !== '#C0C0C0'")
    ann.press("Delete")
    bob.wait_for_shapes(2)
    for count in (4, 4, 2):
        ann.press("Control+z")
        bob.wait_for_shapes(count)
    assert sorted(shape["id"] for shape in room.agree()) == sorted(shapes)


def test_the_drawing_order_is_changed_by_keys(room):
    """By one step, and to both ends. With one shape selected the keys need Control, since plain keys type."""
    ann, bob, shapes = both(room, 3, page=True)
    order = lambda: [shape["id"] for shape in room.shapes()]
    start = order()
    ann.select(start[0])
    ann.press("Control+]")
    room.wait_for(lambda _: order() == [start[1], start[0], start[2]])
    ann.press("Control+Shift+]")
    room.wait_for(lambda _: order() == [start[1], start[2], start[0]])
    ann.press("Control+[")
    room.wait_for(lambda _: order() == [start[1], start[0], start[2]])
    ann.press("Control+Shift+[")
    room.wait_for(lambda _: order() == start)
    ann.select(start[0], start[1])
    ann.press("Shift+]")
    room.wait_for(lambda _: order() == [start[2], start[0], start[1]])
    ann.press("Shift+[")
    room.wait_for(lambda _: order() == start)
    bob.wait(f"app.session.drawingOrder()[0] === {number(start[0])}", "Bob has it in this order too")


def test_keys_typed_into_a_field_do_nothing_to_the_drawing(room):
    """In a name, letters don't choose tools, and Delete removes letters only."""
    ann, _, (shape,) = both(room, 1)
    ann.select(shape)
    ann.page.evaluate("""() => {
      const field = document.createElement('input')
      field.id = 'typed'
      document.body.append(field)
      field.focus()
    }""")
    tool = ann.run("app.tool")
    for key in ["v", "o", "b", "Delete", "Backspace", "ArrowLeft", "Control+a", "Control+d", "Shift+Delete", " "]:
        ann.press(key)
    assert ann.run("app.tool") == tool and ann.run("app.session.shapeCount") == 1
    assert ann.shape(shape)["x"] == 200


# The view


def test_wheels_keys_middle_button_and_space_move_the_paper(room):
    """The view moves, and the shapes keep their places on the canvas."""
    ann, bob, (shape,) = both(room, 1, page=True)
    view = lambda: ann.run("({ x: app.view.x, y: app.view.y, scale: app.view.scale })")
    ann.page.mouse.move(600, 500)
    ann.page.mouse.wheel(40, 100)
    ann.wait("app.view.x === 40 && app.view.y === 100", "the wheel pans")
    with ann.holding("Control"):
        ann.page.mouse.wheel(0, -60)
    ann.wait("app.view.scale > 1.2", "the wheel zooms")
    zoomed = view()
    assert near(zoomed["x"] + 600 / zoomed["scale"], 640) and near(zoomed["y"] + 500 / zoomed["scale"], 600)
    ann.look_at(0, 0)
    ann.press("+")
    step = view()["scale"]
    assert step > 1
    for key, scale in (("+", step ** 3), ("-", step)):
        # A held key repeats.
        for _ in range(2):
            ann.page.keyboard.down(key)
        ann.page.keyboard.up(key)
        assert near(view()["scale"], scale, 1e-6)
    ann.look_at(0, 0)
    ann.page.mouse.move(250, 250)
    ann.mouse_down(button="middle")
    ann.page.mouse.move(300, 330, steps=4)
    ann.page.mouse.up(button="middle")
    assert near([view()["x"], view()["y"]], [-50, -80])
    # The button that was pressed last doesn't get the key.
    ann.page.locator("[data-tool=rectangle]:visible").first.click()
    ann.drag((320, 340), (420, 300), modifiers=[" "])
    assert near([view()["x"], view()["y"]], [-150, -40])
    bob.wait("Math.abs(app.presence.people()[0].view.x + 150) < 1", "Bob knows what Ann sees")
    room.agree()
    assert ann.shape(shape)["x"] == 200 and not ann.run("app.session.canUndo")


def test_two_fingers_on_the_paper_pan_and_zoom(room):
    """With any tool. With Select, one finger pans too. No shape is drawn, and the browser doesn't zoom."""
    shape = room.add(position=[1000, 1000])
    phone = room.join("Eve", phone=True, stopped=True, at=(0, 0))
    phone.touch.pinch((200, 400), 50, 100, steps=20)
    phone.wait("app.view.scale > 1.7", "it zooms")
    assert phone.run("app.session.shapeCount") == 1
    assert phone.page.evaluate("visualViewport.scale") == 1
    phone.look_at(0, 0)
    phone.touch.start((150, 400))
    phone.touch.start((150, 400), (250, 400))
    for step in range(1, 11):
        phone.touch.move((150 + 10 * step, 400 + 5 * step), (250 + 10 * step, 400 + 5 * step))
    phone.touch.end()
    phone.wait("app.view.x < -85 && app.view.y < -40", "it pans")
    assert near(phone.run("app.view.scale"), 1, 1e-6), "fingers that keep their distance don't zoom"
    phone.look_at(0, 0)
    phone.take("select")
    phone.touch.drag((200, 400), (100, 300))
    phone.wait("app.view.x > 80 && app.view.y > 80", "one finger pans")
    phone.look_at(0, 0)
    phone.take("hand")
    phone.touch.pinch((200, 400), 50, 100, steps=20)
    phone.wait("app.view.scale > 1.7", "it zooms with the tool that moves the paper, too")
    room.agree()
    assert phone.run("app.session.shapeCount") == 1


def test_others_see_the_cursor(room):
    """Others see where the pointer is on the canvas, and when it has left the canvas."""
    ann, bob, _ = both(room, 1, page=True)
    ann.look_at(1000, 1000, scale=0.5)
    ann.page.mouse.move(300, 400)
    bob.wait("app.presence.people()[0].cursor?.x === 1600 && app.presence.people()[0].cursor?.y === 1800", "Ann's cursor")
    ann.page.mouse.move(640, 760)
    bob.wait("app.presence.people()[0].cursor === null", "Ann's cursor has left the paper")
    phone = room.join("Eve", phone=True)
    phone.take("rectangle")
    eve = "app.presence.people().find((person) => person.name === 'Eve')?.cursor"
    phone.look_at(0, 0)
    phone.touch.drag((100, 600), (200, 650), hold=True)
    bob.wait(f"{eve}?.x === 200 && {eve}?.y === 650", "where Eve's finger is")
    phone.touch.end()
    bob.wait(f"{eve} === null", "the finger is gone")


def test_what_someone_else_deletes_slips_out_of_the_hand(room):
    """Nothing is written to the deleted shape, and the other shapes still follow the drag."""
    ann, bob, (first, second) = both(room, 2, page=True)
    ann.select(first, second)
    ann.drag((250, 230), (300, 260), hold=True)
    bob.wait_for_shape(first, "shape.x === 250")
    bob.delete(first)
    ann.wait_for_shapes(1)
    # One write might still arrive after the deletion, because it was already in transit. Later there must be no further
    # write.
    crossed = ann.run("app.session.written(value, 'position')", number(first))
    ann.page.mouse.move(400, 330, steps=4)
    let_go(ann)
    bob.wait_for_shape(second, "shape.x === 550 && shape.y === 350")
    (left,) = room.agree()
    assert left["id"] == second
    assert ann.run("app.session.written(value, 'position')", number(first)) == crossed, "nothing was written to what is gone"


def test_alt_leads_copies_away_and_enter_adds_what_cannot_be_drawn(room):
    """The copies and their move are one undo step. Escape removes the copies."""
    ann, bob, (shape,) = both(room, 1, page=True)
    lead(ann, (220, 220), (420, 320), modifiers=["Alt"])
    bob.wait_for_shapes(2)
    (copy,) = ann.selected()
    bob.wait_for_shape(copy, "shape.x === 400 && shape.y === 300")
    bob.wait_for_shape(shape, "shape.x === 200 && shape.y === 200")
    ann.press("Control+z")
    bob.wait_for_shapes(1)
    with ann.holding("Alt"):
        ann.drag((220, 220), (420, 320), hold=True)
        bob.wait_for_shapes(2)
        ann.press("Escape")
    ann.page.mouse.up()
    bob.wait_for_shapes(1)
    ann.press("Escape", "o", "Enter", "Enter")
    bob.wait_for_shapes(3)
    added = [held for held in room.agree() if held["id"] != shape]
    assert all(held["kind"] == "ellipse" and held["size"] == [150, 120] for held in added)
    assert bob.run("app.session.overlapPairs().length") == 0


def test_the_paper_goes_on_after_a_finger_has_pushed_it(room):
    """The canvas glides on until it is pressed again. With reduced motion it stops at once."""
    for still in (False, True):
        phone = room.join("Eve", phone=True, stopped=True, still=still, at=(0, 0))
        phone.take("select")
        phone.touch.start((40, 600))
        for step in range(1, 8):
            phone.pass_time(16)
            phone.touch.move((40, 600 - 20 * step))
        phone.pass_time(8)
        phone.touch.end()
        at_once = phone.run("app.view.y")
        assert near(at_once, 130), at_once
        phone.pass_time(200)
        later = phone.run("app.view.y")
        assert (later == at_once) if still else (later > at_once + 50)
        phone.touch.start((40, 400))
        phone.pass_time(500)
        phone.touch.end()
        assert phone.run("app.view.y") == later


def test_a_finger_that_is_held_on_the_paper_first_selects_by_a_box(room):
    """With the Select tool, a finger pans the canvas if it moves at once. If it is held first, it draws a marquee."""
    shapes = [room.add(position=[60 + 120 * at, 300], size=[100, 100]) for at in (0, 1)]
    phone = room.join("Eve", phone=True, stopped=True, at=(0, 0))
    phone.take("select")
    phone.touch.start((40, 260))
    phone.pass_time(450)
    phone.touch.move((140, 420))
    assert phone.selected() == shapes[:1]
    phone.touch.move((340, 420))
    phone.touch.end()
    phone.pass_time(100)
    assert sorted(phone.selected()) == sorted(shapes)
    assert phone.run("app.view.x") == 0 and not phone.run("app.session.canUndo")
