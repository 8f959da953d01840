"""Drawing, moving and resizing rectangles by hand, and clearing the canvas by shaking."""

from hand import lead, lead_at_once, lead_finger, let_go, near, tap
from waiting import wait_until


def both(room, phone=False, page=False):
    """Ann's page, and a client that receives what she does. With `page` that client is a page too."""
    return room.join("Ann", phone=phone, at=(0, 0)), room.join("Bob") if page else room.witness()


def test_one_finger_draws_on_nothing(room):
    """A finger draws a rectangle, whose corner is where the finger touched. It is no smaller than 100 by 100."""
    phone, bob = both(room, phone=True)
    lead_finger(phone, (60, 200), (260, 420))
    bob.wait_for_shapes(1)
    phone.run("app.selection.clear(); return null")
    lead_finger(phone, (60, 500), (90, 540))
    large, small = room.wait_for_shapes(2)
    assert near(large["position"], [60, 200]) and near(large["size"], [200, 220])
    assert near(small["position"], [60, 500]) and small["size"] == [100, 100]


def test_what_is_drawn_is_seen_by_others_while_it_grows(room):
    """The other person sees the shape before it is released. It is one undo step, however many steps the drag had."""
    ann, bob = both(room, page=True)
    ann.drag((200, 200), (420, 330), hold=True)
    bob.wait_for_shapes(1)
    (shape,) = room.wait_for(lambda shapes: shapes and shapes[0]["size"] == [220, 130])
    ann.page.mouse.move(500, 400)
    bob.wait_for_shape(shape["id"], "shape.width === 300 && shape.height === 200")
    ann.page.mouse.up()
    ann.press("Control+z")
    bob.wait_for_shapes(0)
    assert not ann.run("app.session.canUndo")
    ann.press("Control+Shift+Z")
    bob.wait_for_shape(shape["id"], "shape.width === 300 && shape.height === 200")


def test_what_is_drawn_is_drawn_on_the_canvas_and_never_smaller_than_20_by_20(room):
    """A shape's place, its size and the minimum size are in canvas units, even in a panned and zoomed view. A shape
    that is too small is enlarged away from where the drag started."""
    ann, _ = both(room)
    for count, left, top, scale in [(3, 0, 0, 1), (6, 5000, -500, 0.5)]:
        ann.look_at(left, top, scale)

        def place(x, y):
            return left + x / scale, top + y / scale

        for start, end in [((300, 300), (500, 440)), ((700, 300), (707, 315)), ((700, 600), (693, 570))]:
            lead(ann, start, end)
        large, small, back = room.wait_for_shapes(count)[-3:]
        assert near(large["position"], place(300, 300)) and near(large["size"], [200 / scale, 140 / scale])
        assert near(small["position"], place(700, 300)) and near(small["size"], [20, max(20, 15 / scale)])
        x, y = place(700, 600)
        assert near(back["position"], [x - 20, y - 30 / scale]) and near(back["size"], [20, 30 / scale])


def test_with_a_tool_in_hand_a_shape_is_drawn_over_another_one(room):
    """By mouse and by finger. A selected shape, or one that is held first, is moved instead."""
    below = room.add(position=[200, 200], size=[150, 120])
    ann, bob = room.join("Ann", at=(0, 0), clock=True), room.witness()
    ann.wait_for_shape(below)
    ann.press("r")
    ann.page.mouse.move(250, 250)
    ann.wait("document.getElementById('stage').style.cursor === 'crosshair'")
    ann.stop_clock()
    lead_at_once(ann, (230, 230), (320, 300))
    bob.wait_for_shapes(2)
    _, drawn = room.agree()
    assert (drawn["position"], drawn["size"]) == ([230, 230], [90, 70]) and room.shape(below)["position"] == [200, 200]
    ann.press("Escape", "r")
    tap(ann, 210, 210)
    lead_at_once(ann, (210, 210), (210, 410))
    bob.wait_for_shape(below, "shape.x === 200 && shape.y === 400")
    phone = room.join("Cem", phone=True, at=(0, 0), stopped=True)
    phone.take("ellipse")
    lead_at_once(phone, (210, 410), (330, 540))
    assert [shape["kind"] for shape in room.wait_for_shapes(3)] == ["rectangle", "rectangle", "ellipse"]


def test_each_drawing_tool_draws_its_kind_and_shift_draws_it_even(room):
    """The tools are chosen by key. Escape deselects first, because keys would type into the shape."""
    ann, bob = both(room)
    kinds = {"r": "rectangle", "u": "roundedRectangle", "o": "ellipse", "p": "polygon", "s": "star"}
    for at, key in enumerate(kinds):
        ann.press("Escape")
        ann.press(key)
        lead(ann, (100 + 170 * at, 150), (210 + 170 * at, 290), modifiers=["Shift"] if at == 4 else [])
    bob.wait_for_shapes(5)
    shapes = room.agree()
    assert [shape["kind"] for shape in shapes] == list(kinds.values())
    assert shapes[0]["size"] == [110, 140] and shapes[4]["size"] == [140, 140]


def test_a_shake_clears_everything_and_can_be_undone(room):
    """The page asks, because Eve is there. Carrying the phone does nothing, more shaking doesn't ask again."""
    for at in range(3):
        room.add(position=[20 + 100 * at, 200], size=[80, 80])
    phone, bob = both(room, phone=True)
    room.guest("Eve")
    phone.wait_for_shapes(3)
    phone.wait("app.presence.people().length === 1")
    swing = """(strength) => { for (let turn = 0; turn < 6; turn++) dispatchEvent(new DeviceMotionEvent('devicemotion', {
      acceleration: { x: turn % 2 ? strength : -strength, y: 2, z: 1 }, interval: 16 })) }"""
    phone.page.evaluate(swing, 6)
    phone.painted()
    assert phone.run("app.session.shapeCount") == 3
    agree = phone.page.get_by_role("dialog", name="Clear everything?").get_by_role("button", name="Clear everything")
    # The first measurement has let the page load what recognises shaking.
    wait_until(lambda: phone.page.evaluate(swing, 22) or agree.count(), "the page asks")
    phone.run("app.shaking.tell('shaken', null); return null")
    phone.painted()
    agree.click()
    bob.wait_for_shapes(0)
    assert phone.page.get_by_role("dialog").count() == 0
    phone.run("app.edit((session) => session.undo()); return null")
    bob.wait_for_shapes(3)


def test_a_key_clears_everything_where_nothing_can_be_shaken(room):
    """Five shapes go without a question if nobody else is there. One undo brings all back."""
    for at in range(5):
        room.add(position=[20 + 160 * at, 200], fill="#123456")
    ann, bob = both(room)
    ann.press("Shift+Delete")
    bob.wait_for_shapes(0)
    ann.press("Control+z")
    bob.wait_for_shapes(5)
    assert [shape["fill"] for shape in room.agree()] == ["#123456"] * 5
    room.guest("Eve")
    ann.wait("app.presence.people().map(({ name }) => name).join() === 'Eve'")
    ann.choose("Clear everything")
    asked = ann.page.get_by_role("dialog", name="Clear everything?")
    assert "Eve is here too" in asked.inner_text()
    asked.get_by_role("button", name="Clear everything").click()
    bob.wait_for_shapes(0)


def test_who_is_asked_hears_of_all_the_others(room):
    """In a crowd only some people are listed by name, but all are counted."""
    room.add(position=[100, 200])
    ann = room.join("Ann")
    for named, crowd, words in [
        (["Bob", "Eve"], 0, "Bob and Eve are here too"), (["Bob", "Eve", "Zoe"], 1_100, "Bob and 1,098 others are here too"),
        (["Bob"], 3, "Bob and 1 other are here too"), ([], 800, "799 others are here too"),
    ]:
        peers = [{"actor": 5000 + at, "name": name, "color": "#15803D", "state": {}} for at, name in enumerate(named)]
        ann.run("app.perform([{ type: 'peers', peers: value.peers }, { type: 'crowd', people: value.crowd }]); return null",
                {"peers": peers, "crowd": crowd})
        ann.press("Shift+b")
        asked = ann.page.get_by_role("dialog")
        assert words in asked.inner_text()
        ann.press("Escape")
        ann.wait_for_no_dialog()


def test_what_is_given_up_leaves_what_can_be_done_again_as_it_was(room):
    """Escape cancels a drawing, a line, an erasure and a move, and redo works as before."""
    ann = room.join("Ann", at=(0, 0))
    ann.press("v")
    square = ann.run("return app.editing.edit((session) => session.add({ position: [600, 200], size: [100, 100] })).shape.toString(36)")
    assert square
    ann.take("pen")
    ann.drag((200, 200), (300, 300))
    ann.take("select")
    ann.drag((650, 250), (750, 350), hold=True)
    let_go(ann)
    ann.press("Control+z")
    ann.wait("app.live.canRedo")
    before = ann.shapes()
    for tool, start, end in (
        ("ellipse", (200, 400), (320, 520)), ("arrow", (200, 600), (400, 650)), ("eraser", (180, 250), (320, 250)),
        ("select", (650, 250), (800, 300)),
    ):
        ann.take(tool)
        ann.drag(start, end, hold=True)
        assert ann.shapes() != before, tool
        ann.press("Escape")
        # Moving the mouse further after Escape does nothing.
        ann.page.mouse.move(600, 650)
        ann.page.mouse.up()
        assert ann.shapes() == before, tool
        assert ann.run("app.live.canRedo"), tool
    ann.press("Control+Shift+z")
    assert {shape["x"] for shape in ann.shapes().values() if shape["kind"] == "rectangle"} == {700}
