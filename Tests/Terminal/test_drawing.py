"""Edits by keys and mouse, checked on the server."""

import time

from rooms import change, draw, holds, joins, shapes
from terminals import Tmux, mouse
from waiting import wait_until


def one(drawn):
    return len(drawn) == 1


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


def test_locks_groups_and_fills_by_keys(server, client):
    """G groups: a click selects all. k locks: clicks pass through, keys are refused. v removes the fill."""
    draw(server, "together", name="Sun", position=[0, 0], size=[200, 200], fill="#336699")
    draw(server, "together", name="Moon", position=[400, 0], size=[200, 200], fill="#993366")

    def named(drawn, name):
        return next(shape for shape in drawn if shape["name"] == name)

    def becomes(name, property, value):
        return holds(server, "together", lambda drawn: len(drawn) == 2 and named(drawn, name).get(property) == value)

    with Tmux(joins(client, server, "together")) as screen:
        screen.shows("2 shapes")
        screen.keys("C-a", "G")
        holds(server, "together", lambda drawn: len({shape.get("group") for shape in drawn} - {None}) == 1 and all("group" in shape for shape in drawn))
        screen.keys("Escape")
        column, row = screen.place("Sun")
        screen.click(column, row)
        screen.keys("Down")
        becomes("Sun", "position", [0, 10])
        becomes("Moon", "position", [400, 10])
        screen.keys("v")
        becomes("Moon", "filled", False)
        becomes("Sun", "strokeWidth", 4)
        screen.keys("k")
        becomes("Sun", "locked", True)
        screen.keys("x").shows("is locked")
        assert len(shapes(server, "together")) == 2
        screen.keys("Escape")
        # The test waits, because the click would otherwise complete a double click, which draws a circle.
        time.sleep(0.5)
        screen.click(column, row)
        screen.keys("Down", "C-a", "x", "C-a")
        # No shape was selected, so the arrow key has moved only the view.
        assert named(shapes(server, "together"), "Sun")["position"] == [0, 10]
        screen.keys("Tab", "k")
        holds(server, "together", lambda drawn: [shape["locked"] for shape in drawn].count(False) == 1)
        screen.keys("x")
        holds(server, "together", lambda drawn: [shape["locked"] for shape in drawn] == [True])


def test_changing_by_keys(server, client):
    """Tests moving, rotating, scaling, colours, order, hiding, names, deleting, undo and redo."""
    draw(server, "changing", name="Under", position=[0, 0], size=[100, 100], fill="#336699")
    draw(server, "changing", name="Boat", position=[300, 0], size=[100, 100], fill="#993366", z="k")
    with Tmux(joins(client, server, "changing")) as screen:
        screen.shows("2 shapes")
        screen.keys("Tab")

        def under(drawn):
            return next(shape for shape in drawn if shape["name"] in ("Under", "Ünder 太"))

        def becomes(property, value):
            return holds(server, "changing", lambda drawn: len(drawn) == 2 and under(drawn)[property] == value)

        for keys, property, value in [
            (["Right", "Down", "Down"], "position", [10, 20]), (["S-Left"], "position", [9, 20]), (["]", "}"], "rotation", 16),
            ([">"], "size", [110, 110]), ([","], "alpha", 9), (["w"], "strokeWidth", 4),
        ]:
            screen.keys(*keys)
            becomes(property, value)
        screen.keys("c")
        holds(server, "changing", lambda drawn: under(drawn)["fill"] != "#336699")
        for key, place in [("Home", 1), ("End", 0), ("PageUp", 1)]:
            screen.keys(key)
            holds(server, "changing", lambda drawn: drawn[place]["name"] == "Under")
        screen.keys("Enter").shows("Name: Under")
        assert screen.flag("cursor_flag") == "1"
        screen.keys("C-u")
        screen.type("Ünder 太")
        screen.keys("Enter")
        becomes("name", "Ünder 太")
        for key, is_visible in [("h", False), ("u", True), ("U", False)]:
            screen.keys(key)
            becomes("visible", is_visible)
        for keys, count in [(["h", "d"], 3), (["x"], 2), (["u"], 3)]:
            screen.keys(*keys)
            holds(server, "changing", lambda drawn: len(drawn) == count)


def test_the_black_hole(server, client):
    """It deletes all shapes, and undo restores them. So it is with a shape that is dropped on the circle."""
    for index in range(5):
        draw(server, "hole", name=f"S{index}", position=[index * 120, 0], size=[100, 100])
    with Tmux(joins(client, server, "hole")) as screen:
        screen.shows("5 shapes")
        screen.keys("B")
        holds(server, "hole", lambda drawn: drawn == [])
        screen.shows("An empty sheet")
        screen.keys("U").shows("There is nothing to redo.")
        screen.keys("u")
        holds(server, "hole", lambda drawn: len(drawn) == 5)
        screen.shows("S0", "S4")
        screen.keys("u").shows("There is nothing to undo.")
        screen.drag(screen.place("S0"), (30, 18), (6, 20))
        holds(server, "hole", lambda drawn: [shape["name"] for shape in drawn] == ["S1", "S2", "S3", "S4"])


def test_a_drag_ends_also_if_the_release_is_lost(server, client):
    """The mouse then moves without a button, or the terminal loses the focus. What keys do next is not taken back with the
    drag."""
    draw(server, "unreleased", name="Sun", position=[0, 0], size=[200, 200], fill="#336699")
    with Tmux(joins(client, server, "unreleased")) as screen:
        column, row = screen.place("Sun")
        for end in [mouse(35, column, row), "\x1b[O"]:
            screen.type(mouse(0, column, row) + mouse(32, column + 5, row + 2) + end + "c")
            (moved,) = holds(server, "unreleased", lambda drawn: drawn[0]["position"] != [0, 0] and drawn[0]["fill"] != "#336699")
            screen.keys("u")
            holds(server, "unreleased", lambda drawn: drawn[0]["fill"] == "#336699" and drawn[0]["position"] == moved["position"])
            screen.keys("u")
            holds(server, "unreleased", lambda drawn: drawn[0]["position"] == [0, 0])


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
    """A drag draws a rectangle, first yellow, then red. Two clicks make a circle. Three delete, but no text."""
    with Tmux(joins(client, server, "mouse")) as screen:
        screen.shows("An empty sheet")
        screen.drag((30, 4), (35, 6), (50, 10))
        assert holds(server, "mouse", one)[0]["fill"] == "#FFFF00"
        screen.drag((56, 4), (70, 10))
        assert holds(server, "mouse", lambda drawn: len(drawn) == 2)[1]["fill"] == "#FF0000"
        screen.click(20, 17, times=2)
        circle = holds(server, "mouse", lambda drawn: len(drawn) == 3)[2]
        assert circle["kind"] == "ellipse" and circle["size"] == [100, 100]
        screen.click(20, 17, times=3)
        holds(server, "mouse", lambda drawn: len(drawn) == 2)
        screen.keys("u")
        again = holds(server, "mouse", lambda drawn: len(drawn) == 3)[2]
        assert again["fill"] == circle["fill"], "three clicks do not act as two"
        screen.click(20, 17, times=2)
        holds(server, "mouse", lambda drawn: len(drawn) == 3 and drawn[2]["fill"] != circle["fill"])
        screen.keys("i")
        screen.type("work")
        screen.keys("Enter")
        holds(server, "mouse", lambda drawn: drawn[2].get("text") == "work")
        screen.click(20, 17, times=3).shows("Text (\\n: next line): work")
        assert len(shapes(server, "mouse")) == 3


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


def test_moving_by_mouse(server, client):
    """A shape follows without a jump, as one undo step. Its corner scales it, and its arrow turns it."""
    draw(server, "moving", name="Box", position=[0, 0], size=[160, 160])
    with Tmux(joins(client, server, "moving"), 100, 30) as screen:
        column, row = screen.place("Box")
        screen.drag((column - 3, row + 1), (column, row + 1), (column + 7, row + 3))
        # At 100 %, ten columns are 80 units and two rows are 32.
        holds(server, "moving", lambda drawn: drawn[0]["position"] == [80, 32])
        screen.keys("u")
        holds(server, "moving", lambda drawn: drawn[0]["position"] == [0, 0])
        wait_until(lambda: screen.place("Box") == (column, row), "it is seen back where it was")
        screen.shows("■", "↻")
        corners = [(line.index("■"), row) for row, line in enumerate(screen.lines()) if "■" in line[:70]]
        left, top = corners[0]
        bottom = corners[-1][1]
        right = screen.lines()[bottom].rindex("■", 0, 70)
        screen.drag((right, bottom), (right + 5, bottom + 1), (right + 10, bottom + 2))
        drawn = holds(server, "moving", lambda drawn: drawn[0]["size"][0] > 230)
        assert drawn[0]["position"] == [0, 0] and 180 < drawn[0]["size"][1] < 210, drawn
        wait_until(lambda: screen.lines()[bottom + 2][right + 10] == "■", "the handles are where the mouse left them")
        turning = screen.place("↻")
        screen.drag(turning, (turning[0] + 8, turning[1] + 2), (turning[0] + 16, turning[1] + 5))
        holds(server, "moving", lambda drawn: 30 < drawn[0]["rotation"] < 90)


def test_a_shape_that_is_locked_in_the_midst_of_a_drag_stays(server, client):
    shape = draw(server, "grabbed", name="Box", position=[0, 0], size=[160, 160])
    with Tmux(joins(client, server, "grabbed"), 100, 30) as screen:
        column, row = screen.place("Box")
        screen.mouse(0, column, row)
        screen.mouse(32, column + 5, row)
        holds(server, "grabbed", lambda drawn: drawn[0]["position"] == [40, 0])
        change(server, "grabbed", shape, locked=True)
        change(server, "grabbed", shape, name="Kept")
        screen.shows("Kept")
        screen.mouse(32, column + 10, row)
        screen.mouse(0, column + 10, row, release=True)
        # What is written later has arrived, so the drag has arrived too.
        screen.keys("n")
        assert holds(server, "grabbed", lambda drawn: len(drawn) == 2)[0]["position"] == [40, 0]


def test_the_panel_by_mouse(server, client):
    """A click selects or hides a layer, and a click on an overlap shows it."""
    first = draw(server, "panel", name="First", position=[0, 0], size=[200, 200])
    draw(server, "panel", name="Second", position=[100, 100], size=[200, 200])
    with Tmux(joins(client, server, "panel"), 120, 36) as screen:
        screen.shows("Layers", "First × Second")
        row = next(row for row, line in enumerate(screen.lines()) if "■ First" in line[88:])
        screen.click(118, row)
        holds(server, "panel", lambda drawn: [shape["visible"] for shape in drawn if shape["id"] == first] == [False])
        screen.shows("○", "Nothing overlaps.")
        screen.click(118, row).shows("First × Second")
        screen.click(95, row)
        screen.keys("Delete")
        holds(server, "panel", lambda drawn: [shape["name"] for shape in drawn] == ["Second"])
        # A drag has ended with its release, so a click on the panel doesn't end it once more.
        screen.shows("1 shape")
        screen.drag((2, 2), (8, 4), (14, 6))
        holds(server, "panel", lambda drawn: len(drawn) == 2)
        screen.shows("2 shapes")
        row = next(row for row, line in enumerate(screen.lines()) if "■ Second" in line[88:])
        screen.click(95, row)
        screen.keys("Delete")
        holds(server, "panel", lambda drawn: len(drawn) == 1 and drawn[0]["name"] != "Second")


def test_selecting_many(server, client):
    """Many shapes are selected by Ctrl-A, or by a marquee with the right button."""
    for index in range(4):
        draw(server, "many", name=f"S{index}", position=[index * 150, 0], size=[100, 100])
    with Tmux(joins(client, server, "many"), 100, 30) as screen:
        screen.shows("4 shapes")
        first, second = screen.place("S0"), screen.place("S1")
        screen.drag((first[0] - 1, first[1] + 1), (second[0] + 1, second[1] + 2), button=2)
        screen.keys("x")
        holds(server, "many", lambda drawn: [shape["name"] for shape in drawn] == ["S2", "S3"])
        screen.keys("C-a", "Down")
        holds(server, "many", lambda drawn: [shape["position"] for shape in drawn] == [[300, 10], [450, 10]])
