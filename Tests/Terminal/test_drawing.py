"""Edits by keys and mouse, checked on the server."""

from rooms import draw, holds, joins, shapes
from terminals import Tmux, mouse


def test_adding_by_keys(server, client):
    """Each kind of shape has a key. A new shape is selected. Pasted text has no effect on the canvas."""
    with Tmux(joins(client, server, "adding"), 120, 36) as screen:
        screen.shows("An empty sheet")
        screen.type("\x1b[200~Bqxrrr\x1b[201~")
        kinds = {"r": "rectangle", "o": "roundedRectangle", "e": "ellipse", "p": "polygon", "s": "star", "n": "rectangle"}
        for count, (key, kind) in enumerate(kinds.items(), 1):
            screen.keys(key)
            assert holds(server, "adding", lambda drawn: len(drawn) == count)[-1]["kind"] == kind
        screen.keys("3")
        holds(server, "adding", lambda drawn: len(drawn) == 9)
        screen.shows("Saved", "9 shapes")


def test_a_drag_and_a_double_click_act_on_what_they_began_at(server, client):
    """u during a drag returns the shape, and further moves of the mouse make no undo steps. A double click colours the
    clicked shape even if another one is clicked a moment later."""
    draw(server, "clicked", name="Sun", position=[0, 0], size=[200, 200], fill="#336699")
    draw(server, "clicked", name="Moon", position=[400, 0], size=[200, 200], fill="#993366")
    with Tmux(joins(client, server, "clicked")) as screen:
        screen.shows("2 shapes")
        clicks = [mouse(0, *screen.place(name), release=release) for name in ("Sun", "Sun", "Moon") for release in (False, True)]
        screen.type("".join(clicks))
        drawn = holds(server, "clicked", lambda drawn: {shape["fill"] for shape in drawn} != {"#336699", "#993366"})
        assert [shape["fill"] for shape in drawn if shape["name"] == "Moon"] == ["#993366"]
        column, row = screen.place("Moon")
        moves = [mouse(32, column + step, row) for step in range(1, 6)]
        screen.type(mouse(0, column, row) + "".join(moves[:2]) + "u" + "".join(moves[2:]) + mouse(0, column + 5, row, release=True))
        screen.keys("r")
        drawn = holds(server, "clicked", lambda drawn: len(drawn) == 3)
        assert [shape["position"] for shape in drawn if shape["name"] == "Moon"] == [[400, 0]]


def test_drawing_by_mouse(server, client):
    """A drag draws a rectangle, two clicks make a circle. Three delete, but no text."""
    with Tmux(joins(client, server, "mouse")) as screen:
        screen.shows("An empty sheet")
        screen.drag((30, 4), (35, 6), (50, 10))
        holds(server, "mouse", lambda drawn: len(drawn) == 1)
        screen.click(20, 17, times=2)
        circle = holds(server, "mouse", lambda drawn: len(drawn) == 2)[1]
        assert circle["kind"] == "ellipse" and circle["size"] == [100, 100]
        screen.click(20, 17, times=3)
        holds(server, "mouse", lambda drawn: len(drawn) == 1)
        screen.keys("u")
        again = holds(server, "mouse", lambda drawn: len(drawn) == 2)[1]
        assert again["fill"] == circle["fill"], "three clicks do not act as two"
        screen.click(20, 17, times=2)
        holds(server, "mouse", lambda drawn: len(drawn) == 2 and drawn[1]["fill"] != circle["fill"])
        screen.keys("i")
        screen.type("work")
        screen.keys("Enter")
        holds(server, "mouse", lambda drawn: drawn[1].get("text") == "work")
        screen.click(20, 17, times=3).shows("Text (\\n: next line): work")
        assert len(shapes(server, "mouse")) == 2


def test_three_clicks_delete_a_group(server, client):
    """S13: all of its shapes, and no other. Undo brings them back at once."""
    for x, name in [(0, "Sun"), (400, "Moon")]:
        draw(server, "trio", name=name, position=[x, 0], size=[200, 200], group="afy-kw5-t7o")
    draw(server, "trio", name="Star", position=[800, 0], size=[200, 200])
    with Tmux(joins(client, server, "trio")) as screen:
        screen.shows("3 shapes")
        screen.click(*screen.place("Sun"), times=3)
        holds(server, "trio", lambda drawn: [shape["name"] for shape in drawn] == ["Star"])
        screen.keys("u")
        holds(server, "trio", lambda drawn: len(drawn) == 3)
