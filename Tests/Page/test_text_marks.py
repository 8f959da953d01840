"""Marks in texts (S18): bold words, lists and addresses, as they are painted, written and opened."""


from test_search import find


def painted_with_marks(person):
    person.wait("app.marking.marks !== null", "the part that reads marks")
    person.painted()


def writes(room):
    """Ann opens the text of a shape. Returns her, the shape, and the field."""
    square = room.add(position=[300, 200], size=[200, 150], fill="#FFFFFF")
    ann = room.join("Ann", at=(0, 0))
    ann.click(400, 275, times=2)
    field = ann.page.locator(".writing-field")
    field.wait_for()
    ann.wait("app.writing.hasMarkKeys", "the keys for marks")
    return ann, square, field


def ink(person, x, y, width, height):
    """How much of a part of the picture is dark."""
    part = person.picture()[y : y + height, x : x + width, :3].astype(float)
    return (255 - part).sum() / 765


def test_bold_words_are_painted_bold_without_their_asterisks(room):
    """Asterisks without a partner are painted, and a text without marks has the same pixels as before marks are read."""
    values = {"kind": "text", "size": [200, 40], "fill": "#000000", "textAlign": "left"}
    room.add(position=[100, 100], text="Milk", **values)
    room.add(position=[100, 150], text="2 * 3 and - 4", **values)
    ann = room.join("Ann", at=(0, 0))
    before = ann.painted_picture()
    bold = room.add(position=[100, 200], text="**Milk**", **values)
    room.add(position=[100, 250], text="**Milk", **values)
    ann.wait_for_shapes(4)
    painted_with_marks(ann)
    assert (ann.picture()[90:195] == before[90:195]).all(), "texts without marks are painted as before"
    plain, thick, starred = (ink(ann, 100, y, 200, 40) for y in (100, 200, 250))
    assert 1.1 * plain < thick < 2 * plain and starred > plain
    assert room.shape(bold)["text"] == "**Milk**"
    room.agree()


def test_an_item_has_a_bullet_and_breaks_below_its_words(room):
    """A list is as wide as its widest line, also where the text is centred, and its lines begin below each other. Shapes are
    called and found by their texts without marks."""
    values = {"size": [200, 120], "fill": "#FFFFFF", "textPlace": "top"}
    room.add(position=[100, 100], text="- one two three four five", **values)
    room.add(position=[400, 100], text="- one\n- one and two", **values)
    ann = room.join("Ann", at=(0, 0), panel="layers")
    painted_with_marks(ann)
    first, second = ann.run(
        "app.session.drawingOrder().map((id) => app.scene.drawn(id).lines.lines.map(({ words, indent, list }) => [words, indent, list.width]))")
    assert [words for words, _, _ in first][0].startswith("• one") and not first[1][0].startswith("•")
    assert first[0][1] == 0 < first[1][1] and [words for words, _, _ in second] == ["• one", "• one and two"]
    assert second[0][2] == second[1][2]
    picture = ann.picture()

    def left(x, y):
        """Where the dark pixels of a line begin."""
        return x + int((picture[y : y + 25, x : x + 180, :3].max(axis=2) < 128).any(axis=0).argmax())

    assert left(410, 108) == left(410, 133), "the bullets are below each other"
    assert left(110, 133) - left(110, 108) >= 8, "the second line is indented"
    room.agree()
    room.add(position=[100, 400], text="- **Buy** milk")
    find(ann, "buy m", "1 of 1")
    ann.press("Escape")
    ann.page.locator(".layer", has_text="• Buy milk").wait_for()


def test_ctrl_b_writes_and_removes_the_asterisks(room):
    """The caret stays in the word that becomes bold, and the field can undo it. Enter goes on with a list. What all of it
    makes of a text: Tests/gestures/looks.test.mjs."""
    ann, square, field = writes(room)
    for typed, keys, text in [
        ("Buy milk", ["Control+b"], "Buy **milk**"), ("y", [], "Buy **milky**"), ("", ["Control+a", "Control+b"], "**Buy milky**"),
        ("", ["Control+z"], "Buy **milky**"),
    ]:
        ann.type(typed, *keys)
        assert field.input_value() == text
    ann.press("Control+End")
    ann.page.keyboard.insert_text("\n- one \n")
    ann.type("- three", "Enter")
    assert field.input_value() == "Buy **milky**\n- one \n- three\n- "
    ann.press("Escape")
    ann.wait_for_shape(square, "shape.text.startsWith('Buy **milky**')")
    painted_with_marks(ann)
    room.agree()


def test_an_address_opens_by_ctrl_and_click_and_by_a_button(room):
    """A plain click selects the shape. A viewer can open addresses too. The new tab can't reach the page."""
    address = room.server.url("/missing?of=this")
    text = room.add(position=[100, 100], size=[500, 40], kind="text", fill="#000000", textAlign="left", text=f"see {address}.")
    ann = room.join("Ann", at=(0, 0))
    painted_with_marks(ann)
    run = ann.run("app.scene.drawn(app.session.drawingOrder()[0]).lines.lines[0].runs.find(({ isLink }) => isLink)")
    assert run["words"] == address
    x, y = 108 + 20 * (run["x"] + run["width"] / 2), 120
    ann.click(x, y)
    assert ann.selected() == [text]

    def opened(person, act):
        with person.context.expect_page() as page:
            act()
        page.value.wait_for_load_state()
        assert page.value.url == address and page.value.evaluate("[opener, document.referrer]") == [None, ""]
        page.value.close()

    for act in (ann.page.get_by_role("button", name="Open link").click, lambda: ann.press("Alt+l"),
                lambda: ann.click(x, y, modifiers=["Control"])):
        opened(ann, act)
    assert ann.selected() == [text]
    eve = room.join("Eve", query="?view", at=(0, 0))
    painted_with_marks(eve)
    opened(eve, lambda: eve.click(x, y, modifiers=["Control"]))

    # Of several addresses, a dialog lists all. A line that is broken within an address opens the whole of it.
    room.write((text, {"text": f"{address} {address}-of-another-kind", "size": [300, 300], "textPlace": "top"}))
    ann.wait_for_shape(text, "shape.width === 300")
    ann.painted()
    y = 108 + 25 * (ann.run("app.scene.drawn(app.session.drawingOrder()[0]).lines.lines.length") - 0.5)
    address, x = f"{address}-of-another-kind", 112
    opened(ann, lambda: ann.click(x, y, modifiers=["Control"]))
    ann.press("Alt+l")
    opened(ann, lambda: ann.page.get_by_role("dialog").get_by_role("link").last.click())
    room.agree()
