"""Lines and ink in the terminal: making them, tying them to shapes, describing and painting them (S14, S15)."""

import xml.etree.ElementTree as ElementTree

import pytest

from rooms import draw, holds, joins
from terminal import run
from terminals import Tmux


async def ends(server, room):
    """Where an exported picture draws the two ends of the room's only line."""
    picture = ElementTree.fromstring((await server.get(f"/v1/rooms/{room}/picture.svg")).body)
    (path,) = picture.iter("{http://www.w3.org/2000/svg}path")
    first, *_, last = [tuple(map(float, point.split(","))) for point in path.get("d").removeprefix("M").split("L")]
    return first, last


def near(x, y):
    """A point with a tolerance of 0.01, because a line's points are stored as fractions of its box."""
    return pytest.approx((x, y), abs=0.01)


async def test_an_arrow_leads_from_shape_to_shape(shared):
    """If a shape is moved, its end of the arrow moves too. If a shape is deleted, the end stays where it was."""
    room = "arrows"
    await run(shared, "add", room, "square", "name=Sun", "position=0,0")
    await run(shared, "add", room, "square", "name=Moon", "position=400,0")
    made = await run(shared, "add", room, "arrow", "name=Way", "from=Sun", "to=moon,0,0.25")
    assert "made Way" in made.out and "a line from Sun to Moon" in made.out, made
    drawn = await shared.named(room)
    way = drawn["Way"]
    assert way["from"] == [drawn["Sun"]["id"], 32768, 32768] and way["to"] == [drawn["Moon"]["id"], 0, 16384]
    assert way["toEnd"] == "arrow" and way["strokeWidth"] == 4 and "fromEnd" not in way
    await run(shared, "set", room, "Way", "toEnd=plain")
    await run(shared, "move", room, "Moon", "400", "75")
    # The line starts on Sun's outline, where the straight line between the centres of Sun and Moon crosses it.
    first, last = await ends(shared, room)
    assert last == (400, 100) and first[0] == 100 and 50 < first[1] < 70
    await run(shared, "delete", room, "Moon")
    assert (await ends(shared, room)) == (first, last)
    await run(shared, "undo", room)
    await run(shared, "move", room, "Moon", "400", "375")
    assert (await ends(shared, room))[1] == (400, 400)


async def test_an_end_is_loosened_and_tied_to_another_shape(shared):
    room = "ends"
    await run(shared, "add", room, "square", "name=Sun", "position=0,0")
    await run(shared, "add", room, "line", "name=Way", "through=300,50 200,300 10,300")
    way = (await shared.named(room))["Way"]
    assert (way["position"], way["size"], len(way["path"])) == ([10, 50], [290, 250], 3)
    done = await run(shared, "set", room, "Way", "from=Sun,1,0.5")
    assert done.out == "tied Way’s beginning to Sun\n", done
    assert (await ends(shared, room))[0] == near(100, 50)
    # The line's other points stay where they are.
    way = (await shared.named(room))["Way"]
    assert (tuple(way["position"]), tuple(way["size"])) == (near(10, 50), near(190, 250)), way
    # So does the first one, for whoever knows of no ties: at the side of Sun, and not in its middle.
    assert way["path"][0] == [pytest.approx(65_535 * 90 / 190, abs=2), 0], way
    await run(shared, "move", room, "Sun", "0", "100")
    done = await run(shared, "set", room, "Way", "from=none")
    assert done.out == "tied Way’s beginning to nothing\n", done
    await run(shared, "move", room, "Sun", "500", "500")
    assert (await ends(shared, room))[0] == near(100, 150)
    done = await run(shared, "set", room, "Way", "path=0,0 1,1")
    assert done.out == "drew Way through 2 points\n", done
    await run(shared, "add", room, "ink", "name=Trace", "through=0,0 10,20 30,5")
    trace = (await shared.named(room))["Trace"]
    assert (trace["position"], trace["size"], len(trace["path"])) == ([0, 0], [30, 20], 3)


async def test_a_turned_line_stays_where_it_is_when_an_end_is_loosened(shared):
    """When the end is untied, the line's points are written again, in a box without rotation."""
    room = "turned"
    await run(shared, "add", room, "line", "name=Way", "through=0,300 200,300 200,400")
    await run(shared, "set", room, "Way", "rotation=90")
    await run(shared, "set", room, "Way", "from=none")
    way = (await shared.named(room))["Way"]
    assert (way["position"], way["size"], way["rotation"]) == ([50, 250], [100, 200], 0)
    # The path leads from the upper right corner down, and then to the left.
    assert way["path"] == [[65535, 0], [65535, 65535], [0, 65535]]


async def test_a_tied_line_that_is_moved_lets_go_of_its_shapes(shared):
    """It goes from where it is drawn. Its own box is from before its shapes were moved."""
    room = "moved-line"
    tie = ["from=Sun,1,0.5", "to=Moon,0,0.5"]
    await run(shared, "add", room, "square", "name=Sun", "position=0,0")
    await run(shared, "add", room, "square", "name=Moon", "position=400,0")
    await run(shared, "add", room, "line", "name=Way", *tie)
    await run(shared, "move", room, "Moon", "400", "300")
    assert await ends(shared, room) == (near(100, 50), near(400, 350))
    await run(shared, "move", room, "Way", "10", "-20", "--by")
    await run(shared, "move", room, "Moon", "400", "0")
    assert await ends(shared, room) == (near(110, 30), near(410, 330))
    await run(shared, "set", room, "Way", *tie)
    await run(shared, "move", room, "Moon", "600", "0")
    await run(shared, "set", room, "Way", "position=0,500")
    assert await ends(shared, room) == (near(0, 500), near(500, 500))
    await run(shared, "set", room, "Way", *tie)
    await run(shared, "move", room, "Moon", "400", "300")
    await run(shared, "set", room, "Way", "rotation=90")
    way = (await shared.named(room))["Way"]
    assert (tuple(way["position"]), tuple(way["size"]), way["rotation"]) == (near(100, 50), near(300, 300), 90)
    assert way["from"] == way["to"] == []


async def test_the_table_shows_what_lines_are_tied_to(shared):
    room = "line-table"
    await run(shared, "add", room, "square", "name=Sun", "position=0,0")
    await run(shared, "add", room, "square", "name=Moon", "position=400,0")
    await run(shared, "add", room, "arrow", "name=Way", "from=Sun", "to=Moon", "stroke=#123456")
    shown = (await run(shared, "show", room)).out
    # The line leads from outline to outline, so the listed ends lie on the outlines.
    assert "Sun → Moon" in shown and "#123456" in shown and "100, 50" in shown, shown


async def test_what_makes_no_line_is_said(shared):
    room = "no-lines"
    await run(shared, "add", room, "square", "name=Sun")
    await run(shared, "add", room, "line", "name=Way")
    for words, complaint in [
        (["add", room, "arrow", "from=Mars"], "has no shape Mars"), (["set", room, "Way", "to=Way"], "can't be tied to a line"),
        (["add", room, "line", "through=5,5"], "through is 2 to 1024 places"), (["set", room, "Way", "path=0,0 2,2"], "each from 0 to 1"),
        (["set", room, "Way", "from=Sun,0.5,7"], "two numbers from 0 to 1"), (["add", room, "arow"], "did you mean arrow"),
        (["set", room, "Sun", "from=Way"], "only a line has ends"), (["add", room, "ink", "to=Sun"], "only a line has ends"),
        (["set", room, "Sun", "through=0,0 9,9"], "only a line or ink"),
    ]:
        done = await run(shared, *words, code=None)
        assert done.code != 0 and complaint.lower() in done.err.lower(), done


def test_a_line_that_is_turned_by_keys_lets_go_of_its_shapes(server, client):
    """The line's ends stay where they were drawn, and rotate with the line."""
    room = "let-go"
    draw(server, room, name="Sun", position=[0, 0], size=[100, 100])
    draw(server, room, name="Moon", position=[500, 0], size=[100, 100])
    with Tmux(joins(client, server, room)) as screen:
        screen.shows("2 shapes")
        screen.keys("C-a", "a")
        holds(server, room, lambda drawn: len(drawn) == 3)
        screen.keys("]")
        turned = holds(server, room, lambda drawn: any(shape["rotation"] == 15 for shape in drawn))
        (line,) = [shape for shape in turned if shape["kind"] == "line"]
        assert line["from"] == line["to"] == []
        assert line["position"] == near(100, 50) and line["size"] == near(400, 1)
