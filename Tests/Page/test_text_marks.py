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
