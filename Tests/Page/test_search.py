"""The search on the canvas: by texts and by the names in the layers."""

import numpy
import pytest

from boards import GROUP
from person import number
from pixels import rgb
from test_first_visit import Gate
from test_hearing import read
from waiting import wait_until

BAR = "section.search"


def board(room):
    """Three shapes with prices far apart, by text and by name, and others. Returns the three in reading order."""
    room.add(text="Costs", position=[100, 200], size=[150, 120])
    room.add(kind="line", position=[500, 500], size=[100, 100], strokeWidth=2)
    first = room.add(text="Ask for\nthe PRICES", position=[600, 300], size=[160, 120])
    third = room.add(name="Old prices", position=[-4000, 3000], size=[100, 100], kind="ellipse")
    second = room.add(text="prices again", textSize=20, position=[5000, 2000], size=[160, 120])
    room.add(text="Prices, hidden", visible=False, position=[300, 300])
    return first, second, third


def count(person, words):
    person.page.locator(f"{BAR} [role=status]", has_text=words).wait_for()


def find(person, text, words):
    """Opens the search, unless it is open, and searches. `words`: how many are found."""
    person.press("Control+f")
    person.page.get_by_role("searchbox").fill(text)
    count(person, words)


def comes_into_view(person, shape):
    """Waits until the view shows the shape, between the bars and large enough to be read."""
    size = person.page.viewport_size
    person.wait(
        "((shape) => { const { x, y } = app.view.toScreen({ x: shape.x + shape.width / 2, y: shape.y + shape.height / 2 });"
        " return x > 80 && x < value[1] - 80 && y > 120 && y < value[2] - 80 && app.view.scale >= 0.5 })(app.session.shape(value[0]))",
        f"{shape} in view", [number(shape), size["width"], size["height"]])


@pytest.mark.parametrize("phone", [False, True])
def test_it_goes_from_hit_to_hit(room, phone):
    """Enter goes on, Shift+Enter back, around the ends. Each is seen and read. Escape selects the last one."""
    hits = board(room)
    ann = room.join("Ann", at=(-300, -200, 0.3), phone=phone)
    if phone:
        ann.choose("Find…")
    else:
        ann.press("Control+f")
    ann.page.get_by_role("searchbox").wait_for()
    ann.type("prices")
    for hit, key, words in zip((*hits, hits[0], hits[2]), ("Enter", "Enter", "Enter", "Shift+Enter", ""), ("1", "2", "3", "1", "3")):
        count(ann, f"{words} of 3")
        comes_into_view(ann, hit)
        if key:
            ann.press(key)
    ann.press("Escape")
    # At once, so that the page has not painted in between.
    ann.page.keyboard.press("Delete")
    ann.page.locator(BAR).wait_for(state="hidden")
    room.wait_for_shapes(5)
    assert room.shape(hits[2]) is None


def test_hits_are_outlined_while_one_searches(room):
    """What others write meanwhile counts too. Nothing is left of it after closing."""
    first, second, _ = board(room)
    ann = room.join("Ann", at=(0, 0), ratio=1)

    def outlined(shape):
        ann.painted()
        left, top = map(round, ann.screen(*room.shape(shape)["position"]))
        edge = ann.picture("#overlay")[top - 3 : top + 4, left + 20 : left + 100]
        return (edge[:, :, 3] > 50).mean() > 0.5 and (numpy.abs(edge[:, :, :3].astype(int) - rgb("#1D4ED8")).max(axis=2) < 12).any()

    find(ann, "ask FOR", "1 of 1")
    assert outlined(first)
    other = room.add(text="I ask for more", position=[300, 500], size=[160, 120])
    count(ann, "1 of 2")
    assert outlined(first) and outlined(other)
    room.write((first, {"text": "Never mind"}))
    count(ann, "1 of 1")
    assert not outlined(first)
    find(ann, "nowhere", "Not found")
    assert not outlined(other)
    ann.press("Escape")
    assert ann.selected() == []
    find(ann, "ask", "1 of 1")
    assert outlined(other)
    ann.page.get_by_role("button", name="Close").click()
    ann.press("Escape")
    assert not outlined(other)
    assert second in ann.shapes()
    # It opens while one writes, which is kept. A second Ctrl+F keeps the search open.
    ann.select(first)
    ann.press("F2")
    ann.page.wait_for_selector(".writing-field", state="visible")
    ann.type(" now", "Control+f")
    ann.page.get_by_role("searchbox").fill("now")
    count(ann, "1 of 1")
    ann.press("Control+f")
    ann.page.get_by_role("searchbox").wait_for()
    ann.press("Escape")
    ann.page.locator(BAR).wait_for(state="hidden")


def test_what_is_typed_while_the_search_is_loaded_is_looked_for(room):
    """The letters are no shortcuts: two of them would take tools, and one draws a square."""
    first, *_ = board(room)
    gates = []
    ann = room.join("Ann", at=(-3000, 0), before=lambda page: gates.append(Gate(page, "find/search.js")))
    ann.wait_for_shape(first)
    tool, shapes = ann.run("return app.tool.name"), ann.run("app.session.shapeCount")
    ann.press("Control+f")
    ann.type("the pric")
    ann.painted()
    gates.pop().open()
    field = ann.page.get_by_role("searchbox")
    field.wait_for()
    ann.see(2)
    ann.type("es")
    assert field.input_value() == "the prices"
    count(ann, "1 of 1")
    assert (ann.run("return app.tool.name"), ann.run("app.session.shapeCount")) == (tool, shapes)
    ann.press("Escape")
    ann.page.locator(BAR).wait_for(state="hidden")


def test_a_search_that_does_not_come_leaves_the_focus_where_it_was(room):
    """What one writes goes on, if it can't be loaded. Escape gives up a search that is being loaded."""
    note = room.add(text="Milk", position=[300, 200], size=[200, 150])
    asked = []
    ann = room.join("Ann", at=(0, 0), forgive=["Failed to load", "ERR_FAILED"],
                    before=lambda page: page.route("**/find/search.js*", lambda route: asked.append(route)))
    ann.wait_for_shape(note)
    tool = ann.run("return app.tool.name")
    ann.select(note)
    ann.press("F2")
    ann.type(", bread")
    ann.press("Control+f")
    ann.type(" and")
    wait_until(lambda: ann.painted() or asked, "the search is asked for")
    asked.pop().abort()
    ann.page.locator(".notice.is-refused", has_text="can’t be loaded right now").wait_for()
    ann.type(" rice", "Escape")
    ann.wait_for_shape(note, "shape.text === 'Milk, bread and rice'")
    button = ann.page.get_by_role("button", name="Layers, inspector, overlaps")
    button.focus()
    ann.press("Control+f")
    ann.type("so")
    ann.press("Escape")
    assert button.evaluate("(button) => button === document.activeElement")
    wait_until(lambda: ann.painted() or asked, "the search is asked for")
    asked.pop().continue_()
    ann.painted()
    ann.page.wait_for_load_state("networkidle")
    ann.painted()
    assert ann.page.locator(BAR).count() == 0 or ann.page.locator(BAR).is_hidden()
    assert (ann.run("return app.tool.name"), ann.run("app.session.shapeCount")) == (tool, 1)


def test_of_a_group_only_the_hit_is_taken(room):
    """The group is entered, as by a double click, until the selection leaves it."""
    moon, sun = (room.add(name=name, position=[x, 300], size=[100, 100], group=GROUP) for name, x in [("Moon", 300), ("Sun", 500)])
    ann = room.join("Ann", at=(0, 0))
    find(ann, "moon", "1 of 1")
    ann.press("Escape")
    assert ann.selected() == [moon]
    ann.click(550, 350)
    assert ann.selected() == [sun]
    ann.press("Escape")
    ann.click(350, 350)
    assert set(ann.selected()) == {moon, sun}
    # So it is in the list that is read.
    ann.press("Escape")
    assert len(read(ann)) == 2
    for key, shape in (("Home", moon), ("ArrowDown", sun)):
        ann.press(key)
        assert ann.selected() == [shape]
    assert ann.run("app.groups.with(value)", number(moon)) == [number(moon)]
