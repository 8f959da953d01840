"""Marks in texts (S18): bold words, lists and addresses, as they are painted, written and opened."""


def painted_with_marks(person):
    person.wait("app.marking.marks !== null", "the part that reads marks")
    person.painted()


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
    ann.painted()
    before = ann.picture()
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
    """A list is as wide as its widest line, also where the text is centred, and its lines begin below each other."""
    values = {"size": [200, 120], "fill": "#FFFFFF", "textPlace": "top"}
    room.add(position=[100, 100], text="- one two three four five", **values)
    room.add(position=[400, 100], text="- one\n- one and two", **values)
    ann = room.join("Ann", at=(0, 0))
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
