"""Text in shapes: written in place, kept, shown to others, and not lost where two people write at once."""

FIELD = ".writing-field"


def write(person, words, done="Escape"):
    person.page.wait_for_selector(FIELD, state="visible")
    person.page.keyboard.type(words)
    if done:
        person.page.keyboard.press(done)
        person.page.wait_for_selector(FIELD, state="hidden")


def text_of(room, shape):
    return room.shape(shape).get("text", "")


def test_a_double_click_writes_in_a_shape_and_escape_keeps_it(room):
    """Others see it, one undo takes it back, and the letters are painted."""
    square = room.add(position=[300, 200], size=[200, 150], fill="#FFFFFF")
    ann, bob = room.join("Ann"), room.join("Bob")
    for person in (ann, bob):
        person.look_at(0, 0)
        person.wait_for_shape(square)
    ann.painted()
    before = bob.picture()
    ann.click(400, 275, times=2)
    write(ann, "Buy milk")
    bob.wait_for_shape(square, "shape.text === 'Buy milk'")
    assert text_of(room, square) == "Buy milk" and room.shape(square)["fill"] == "#FFFFFF"
    bob.painted()
    assert (bob.picture() != before).any()
    ann.page.keyboard.press("Control+z")
    bob.wait_for_shape(square, "shape.text === ''")
    bob.painted()
    assert (bob.picture() == before).all()
    room.agree()


def written_in(room):
    """A person who has selected a shape with text."""
    square = room.add(position=[300, 200], size=[200, 150], text="one")
    ann = room.join("Ann")
    ann.look_at(0, 0)
    ann.wait_for_shape(square)
    ann.select(square)
    return ann, square


def test_enter_writes_in_the_selected_shape(room):
    """What is written already is taken up. Enter is a line break there, and Control and Enter the end."""
    ann, square = written_in(room)
    ann.page.keyboard.press("Enter")
    write(ann, "two", done=None)
    ann.page.keyboard.press("Enter")
    ann.page.keyboard.type("three")
    ann.page.keyboard.press("Control+Enter")
    ann.wait_for_shape(square, "shape.text === 'two\\nthree'")
    room.agree()


def test_who_just_types_with_one_shape_selected_writes_in_it(room):
    """Letters that are shortcuts too. These have their meaning where nothing is selected, or several shapes are."""
    ann, square = written_in(room)
    ann.page.keyboard.type("Most of this")
    write(ann, " or that")
    ann.wait_for_shape(square, "shape.text === 'oneMost of this or that'")
    ann.select(square)
    ann.page.keyboard.type("reduces")
    write(ann, "")
    ann.wait_for_shape(square, "shape.text === 'oneMost of this or thatreduces'")
    ann.page.keyboard.press("Escape")
    ann.page.keyboard.press("o")
    ann.drag((500, 400), (600, 500))
    oval = next(shape for shape in room.wait_for_shapes(2) if shape["kind"] == "ellipse")
    ann.page.keyboard.press("Control+a")
    ann.page.keyboard.press("c")
    ann.wait_for_shape(oval["id"], f"shape.fill !== '{oval['fill']}'")
    ann.select(oval["id"])
    ann.page.keyboard.press("Control+Shift+l")
    ann.wait_for_shape(oval["id"], "shape.locked")
    ann.page.keyboard.press("r")
    ann.wait("app.tool === 'rectangle'")
    room.agree()


def test_the_note_tool_makes_a_slip_to_write_on_and_the_text_tool_a_text(room):
    """Each with one click. A click elsewhere keeps what was written; a text in which nothing is written goes again."""
    ann, bob = room.join("Ann"), room.witness()
    ann.look_at(0, 0)
    ann.page.keyboard.press("n")
    ann.click(500, 300)
    write(ann, "Milk", done=None)
    ann.page.mouse.click(900, 600)
    ann.page.wait_for_selector(FIELD, state="hidden")
    bob.wait_for_shapes(1)
    (note,) = room.agree()
    assert note["kind"] == "rectangle" and note["text"] == "Milk" and note["fill"] == "#FFE27A"
    ann.page.keyboard.press("Escape")
    ann.page.keyboard.press("t")
    ann.click(800, 300)
    write(ann, "A longer line of words")
    bob.wait_for_shapes(2)
    text = next(shape for shape in room.agree() if shape["kind"] == "text")
    assert text["text"] == "A longer line of words" and text["size"][0] > 100 and text["textAlign"] == "left"
    ann.page.keyboard.press("Escape")
    ann.page.keyboard.press("t")
    ann.click(800, 500)
    write(ann, "")
    ann.wait_for_shapes(2)
    assert len(room.agree()) == 2


def test_what_is_pasted_is_plain_and_not_too_long(room):
    square = room.add(position=[300, 200], size=[200, 150])
    ann = room.join("Ann")
    ann.look_at(0, 0)
    ann.wait_for_shape(square)
    ann.select(square)
    ann.page.keyboard.press("Enter")
    ann.page.wait_for_selector(FIELD, state="visible")
    ann.page.keyboard.insert_text("a\tb\u0007 שלום 👩‍👩‍👧")
    ann.page.keyboard.press("Escape")
    ann.wait_for_shape(square, "shape.text === 'a    b שלום 👩‍👩‍👧'")
    ann.page.keyboard.press("Enter")
    ann.page.wait_for_selector(FIELD, state="visible")
    ann.page.keyboard.insert_text("é" * 3000)
    ann.page.keyboard.press("Escape")
    ann.wait_for_shape(square, "shape.text.length > 2000")
    shape = next(shape for shape in room.agree() if shape["id"] == square)
    assert shape["text"] == "é" * 2048
    assert shape["size"][1] > 150, "the box has grown with it"


def test_who_loses_in_a_text_is_told_and_takes_it_back_with_one_click(room):
    """The later writer's text stands."""
    square = room.add(position=[300, 200], size=[200, 150], name="Sun")
    ann, bob = room.join("Ann"), room.join("Bob")
    for person in (ann, bob):
        person.look_at(0, 0)
        person.wait_for_shape(square)
    for person in (ann, bob):
        person.select(square)
        person.page.keyboard.press("Enter")
        person.page.wait_for_selector(FIELD, state="visible")
        person.page.keyboard.type(f"by {person.name}")
    ann.page.keyboard.press("Escape")
    bob.wait_for_shape(square, "shape.text === 'by Ann'")
    bob.page.wait_for_selector(".writing-hint:has-text('Ann changed this text meanwhile')")
    bob.page.keyboard.press("Escape")
    ann.wait_for_shape(square, "shape.text === 'by Bob'")
    notice = ann.page.locator(".notice", has_text="Bob wrote over your text in Sun: “by Ann”")
    notice.get_by_role("button", name="Put mine back").click()
    bob.wait_for_shape(square, "shape.text === 'by Ann'")
    # Bob has lost his in turn, and is told so.
    bob.page.wait_for_selector(".notice:has-text('Ann wrote over your text')")
    room.agree()


def test_a_text_that_was_written_without_a_network_and_lost_is_told_too(room):
    square = room.add(position=[300, 200], size=[200, 150], name="Sun")
    ann, bob = room.join("Ann"), room.join("Bob")
    for person in (ann, bob):
        person.look_at(0, 0)
        person.wait_for_shape(square)
    ann.page.context.set_offline(True)
    ann.select(square)
    ann.page.keyboard.press("Enter")
    write(ann, "early")
    bob.select(square)
    bob.page.keyboard.press("Enter")
    write(bob, "late")
    ann.page.context.set_offline(False)
    ann.wait_for_shape(square, "shape.text === 'late'")
    ann.page.locator(".notice", has_text="wrote over your text in Sun: “early”").get_by_role("button", name="Put mine back").click()
    bob.wait_for_shape(square, "shape.text === 'early'")
    room.agree()
    ann.forgive("ERR_INTERNET_DISCONNECTED", "WebSocket")


def test_nothing_is_lost_with_a_shape_that_goes_while_somebody_writes_in_it(room):
    square = room.add(position=[300, 200], size=[200, 150])
    ann, bob = room.join("Ann"), room.join("Bob")
    for person in (ann, bob):
        person.look_at(0, 0)
        person.wait_for_shape(square)
    ann.select(square)
    ann.page.keyboard.press("Enter")
    write(ann, "precious", done=None)
    bob.select(square)
    bob.page.keyboard.press("Delete")
    ann.page.wait_for_selector(FIELD, state="hidden")
    ann.page.locator(".notice", has_text="Bob deleted the shape").get_by_role("button", name="Keep the text").click()
    bob.wait_for_shapes(1)
    (text,) = room.agree()
    assert text["kind"] == "text" and text["text"] == "precious"


def test_the_inspector_sets_size_and_place(room):
    square = room.add(position=[300, 200], size=[200, 150], text="Hi")
    ann = room.join("Ann")
    ann.look_at(0, 0)
    ann.wait_for_shape(square)
    ann.select(square)
    ann.page.get_by_role("button", name="Panel").click() if ann.page.locator(".panel").is_hidden() else None
    ann.page.get_by_role("tab", name="Inspector").click()
    group = ann.page.get_by_role("group", name="Text")
    group.get_by_label("Align").select_option("right")
    group.get_by_label("Place").select_option("bottom")
    ann.wait_for_shape(square, "shape.textAlign === 'right' && shape.textPlace === 'bottom'")
    room.agree()


def test_a_copy_has_the_text_and_a_drawing_without_texts_says_nothing_of_them(room):
    square = room.add(position=[300, 200], size=[200, 150], text="Hi\nyou")
    plain = room.add(position=[900, 200], size=[100, 100])
    ann = room.join("Ann")
    ann.look_at(0, 0)
    ann.wait_for_shapes(2)
    ann.select(square, plain)
    ann.page.keyboard.press("Control+d")
    ann.wait_for_shapes(4)
    shapes = room.agree()
    assert sorted(shape.get("text", "") for shape in shapes) == ["", "", "Hi\nyou", "Hi\nyou"]
    assert sum("text" in shape for shape in shapes) == 2
