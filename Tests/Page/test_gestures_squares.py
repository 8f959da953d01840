"""Squares that are thrown, rotated, and dropped into a black hole."""

from hand import FRAME, hole, is_bright, lead_finger, moved, near, seen, tap, throw, watch


def inside(person, shape):
    view = person.run("app.view.visibleBox()")
    x, y, width, height = shape["x"], shape["y"], shape["width"], shape["height"]
    return (x >= view["x"] - 0.02 and y >= view["y"] - 0.02 and x + width <= view["x"] + view["width"] + 0.02
            and y + height <= view["y"] + view["height"] + 0.02)


def test_a_drag_that_ends_over_the_white_circle_is_sucked_in(room):
    """The circle grows, others see where the square goes, and one undo puts it back in its place."""
    square = room.add(position=[500, 200], size=[120, 120])
    other = room.add(position=[700, 200], size=[120, 120])
    ann = room.join("Ann", at=(0, 0))
    bob = room.join("Bob")
    watch(bob)
    mouth = hole(ann)
    ann.drag((560, 260), moved(mouth, 90, -60), hold=True)
    ann.wait("Number(getComputedStyle(document.getElementById('hole')).getPropertyValue('--swell')) > 0.3", "it swells")
    ann.page.mouse.move(*mouth)
    ann.page.mouse.up()
    bob.wait_for_shapes(1)
    (left,) = room.agree()
    assert left["id"] == other
    (last,) = [change for change in seen(bob, square) if not change["isThere"]]
    assert near([last["departure"]["x"] + 0.5, last["departure"]["y"] + 0.5], list(mouth))
    assert last["departure"]["width"] == 1
    ann.wait("Number(getComputedStyle(document.getElementById('hole')).getPropertyValue('--swell')) === 0", "it is calm again")
    ann.press("Control+z")
    bob.wait_for_shape(square, "shape.x === 500 && shape.y === 200 && shape.width === 120")


def test_a_finger_leads_many_into_the_hole(room):
    """All selected squares are deleted with the dragged one. Squares that are released next to the hole stay."""
    squares = [room.add(position=[60 + 130 * at, 200], size=[100, 100]) for at in (0, 1)]
    phone = room.join("Eve", phone=True, at=(0, 0))
    bob = room.witness()
    mouth = hole(phone)
    lead_finger(phone, (100, 240), moved(mouth, 100, -150))
    assert phone.run("app.session.shapeCount") == 2
    phone.select(*squares)
    start = phone.middle(squares[0])
    lead_finger(phone, start, mouth)
    bob.wait_for_shapes(0)


def test_the_black_hole_swallows_everything_and_gives_it_back(room):
    """The page asks, because Bob is there. All is one undo step, and everybody sees it go to one place."""
    squares = [room.add(position=[100 + 150 * at, 100 * at], size=[90, 90]) for at in range(5)]
    ann = room.join("Ann", at=(0, 0))
    bob = room.join("Bob")
    watch(bob)
    ann.page.get_by_role("button", name="Black Hole").click()
    asked = ann.page.get_by_role("dialog", name="Drop everything into the black hole?")
    assert "Bob is here too" in asked.inner_text()
    asked.get_by_role("button", name="Cancel").click()
    ann.wait_for_no_dialog()
    assert ann.run("app.session.shapeCount") == 5
    ann.press("Shift+b")
    asked.get_by_role("button", name="Drop everything").click()
    bob.wait_for_shapes(0)
    room.agree()
    gone = [seen(bob, square)[-1]["departure"] for square in squares]
    assert all(place and place == gone[0] and place["width"] == 1 for place in gone)
    ann.press("Control+z")
    bob.wait_for_shapes(5)
    assert sorted(tuple(shape["position"]) for shape in room.agree()) == [(100 + 150 * at, 100 * at) for at in range(5)]


def test_a_thrown_square_glides_on_slows_down_and_stays_inside_the_view(room):
    """Others see the movement, and not only its end. The drag and the glide are one undo step."""
    square = room.add(position=[100, 300], size=[100, 100])
    ann = room.join("Ann", stopped=True, at=(0, 0))
    bob = room.join("Bob")
    watch(bob)
    throw(ann, (150, 350), (60, 4))
    ways = []
    for _ in range(12):
        before = ann.shape(square)["x"]
        ann.pass_time(10 * FRAME)
        ways.append(ann.shape(square)["x"] - before)
        assert inside(ann, ann.shape(square))
    assert ways[0] > 100, "it goes on"
    assert any(way < 0 for way in ways), "it turns back at the edge"
    free = [abs(way) for way in ways if way < 0][1:]
    assert len(free) > 3 and free == sorted(free, reverse=True), f"it slows down: {ways}"
    ann.pass_time(3000)
    end = ann.shape(square)
    bob.wait_for_shape(square, f"Math.abs(shape.x - {end['x']}) < 0.01")
    assert len(seen(bob, square)) > 3, "the others saw it on its way"
    ann.press("Control+z")
    ann.pass_time(100)
    bob.wait_for_shape(square, "shape.x === 100 && shape.y === 300")
    assert not ann.run("app.session.canUndo")


def test_a_gliding_square_is_caught_by_a_press(room):
    """The square stops where it is, and the next edit is another undo step."""
    square = room.add(position=[100, 300], size=[150, 150])
    ann = room.join("Ann", stopped=True, at=(0, 0))
    bob = room.witness()
    throw(ann, (150, 350), (14, 0))
    ann.pass_time(10 * FRAME)
    there = ann.shape(square)["x"]
    assert there > 225
    ann.click(*ann.middle(square))
    ann.pass_time(1000)
    assert ann.shape(square)["x"] == there
    ann.press("ArrowDown")
    ann.pass_time(1000)
    ann.press("Control+z")
    ann.pass_time(100)
    bob.wait_for_shape(square, f"Math.abs(shape.x - {there}) < 0.01 && shape.y === 300")
    ann.press("Control+z")
    ann.pass_time(100)
    bob.wait_for_shape(square, "shape.x === 100")


def test_a_square_thrown_without_motion_stays_where_it_is_let_go(room):
    """With reduced motion a thrown square must not glide, because the glide would be a jump to its end."""
    square = room.add(position=[100, 300], size=[100, 100])
    ann = room.join("Ann", stopped=True, still=True, at=(0, 0))
    bob = room.witness()
    throw(ann, (150, 350), (15, 0))
    end = ann.shape(square)["x"]
    assert 100 + 7 * 15 < end <= 100 + 9 * 15
    ann.pass_time(3000)
    assert ann.shape(square)["x"] == end
    bob.wait_for_shape(square, f"Math.abs(shape.x - {end}) < 0.01")


def test_two_fingers_turn_and_scale_a_square(room):
    """At once, down to a size of 100. The centre follows the fingers, and each pinch is one undo step."""
    square = room.add(position=[100, 300], size=[160, 160])
    phone = room.join("Eve", phone=True, at=(0, 0))
    bob = room.witness()
    phone.touch.pinch((180, 380), 50, 90, turn=70, steps=24)
    bob.wait_for_shape(square, "shape.rotation > 50")
    (shape,) = room.agree()
    # The fingers turn by 70 degrees. The first few degrees are ignored as accidental, so the square turns by less.
    assert near(shape["rotation"], 62, within=5), shape["rotation"]
    assert near(shape["size"][0], 275, within=25)
    center = [shape["position"][axis] + shape["size"][axis] / 2 for axis in (0, 1)]
    assert near(center, [180, 380], within=3)
    phone.touch.pinch((180, 380), 90, 20)
    room.wait_for(lambda shapes: near(shapes[0]["size"], [100, 100], within=0.05))
    for _ in range(2):
        phone.run("app.edit((session) => session.undo()); return null")
    bob.wait_for_shape(square, "shape.rotation === 0 && shape.width === 160 && shape.x === 100")


def test_a_double_tap_on_a_shape_gives_it_another_bright_colour(room):
    """By finger. With a mouse a double click writes (test_writing.py), and Alt+C colours."""
    square = room.add(position=[100, 200], size=[150, 150], fill="#010203")
    ann = room.join("Ann", stopped=True, at=(0, 0))
    phone = room.join("Eve", phone=True, stopped=True, at=(0, 0))
    ann.select(square)
    ann.press("Alt+c")
    phone.wait_for_shape(square, "shape.fill !== '#010203'")
    first = room.shape(square)["fill"]
    tap(phone, 180, 280, times=2)
    ann.wait_for_shape(square, f"shape.fill !== '{first}'")
    (shape,) = room.agree()
    assert is_bright(first) and is_bright(shape["fill"]) and shape["id"] == square


def test_the_white_circle_grows_and_says_what_it_is_for(room):
    """Both while a shape is dragged, and the words until one has been dropped there."""
    squares = [room.add(position=[300 + 200 * at, 300], size=[100, 100]) for at in range(2)]
    ann = room.join("Ann", at=(0, 0))
    words = "Number(getComputedStyle(document.querySelector('.hole-words')).opacity)"
    width = "document.getElementById('hole').getBoundingClientRect().width"
    at_rest = ann.run(width)
    assert ann.run(words) == 0
    ann.drag((350, 350), (300, 500), hold=True)
    ann.wait(f"{words} === 1 && {width} > {at_rest + 10}")
    mouth = ann.page.locator("#hole").bounding_box()
    ann.page.mouse.move(mouth["x"] + 30, mouth["y"] + 30, steps=6)
    ann.page.mouse.up()
    ann.wait_for_shapes(1)
    ann.wait(f"{words} === 0 && {width} < {at_rest + 1}")
    ann.drag((550, 350), (450, 500), hold=True)
    # The text would appear in the next frame, so the test waits for a frame.
    ann.painted()
    assert ann.run(words) == 0
    ann.page.mouse.up()
    assert [shape["id"] for shape in ann.shapes().values()] == squares[1:]


def test_a_drawing_opens_with_the_tool_that_selects(room):
    """An empty canvas opens with a drawing tool, other canvases with the Select tool. A tool that the person chooses
    before the drawing arrives stays."""
    ann = room.join("Ann")
    assert ann.run("app.tool") == "rectangle"
    room.add(position=[300, 300], size=[100, 100])
    ann.wait_for_shapes(1)
    assert ann.run("app.tool") == "rectangle"
    assert room.join("Bob").run("app.tool") == "select"
