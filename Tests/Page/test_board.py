"""Nothing is lost by accident, and people find what they look for in the first minutes."""

from hand import tap
from test_writing import FIELD, text_of, write


# Three clicks

def test_a_third_click_or_tap_selects_what_is_written_and_removes_only_what_has_no_text(room):
    written = room.add(position=[300, 200], size=[200, 150], text="Buy milk")
    bare = room.add(position=[600, 200], size=[200, 150])
    ann = room.join("Ann", at=(0, 0), stopped=True)
    # Triple clicks select all of the text, whether the pointer is on the text or next to it.
    for y in (275, 215):
        for times in (1, 2, 3):
            ann.page.mouse.click(400, y, click_count=times)
            ann.pass_time(60)
        ann.wait(f"document.activeElement.matches('{FIELD}') && getSelection().toString() === 'Buy milk'", "all of it is selected")
        ann.press("Escape")
        ann.page.wait_for_selector(FIELD, state="hidden")
        tap(ann, 1000, 600)
    tap(ann, 700, 275, times=3)
    (left,) = room.wait_for_shapes(1)
    assert left["text"] == "Buy milk"
    phone = room.join("Eve", at=(200, 0), phone=True, stopped=True)
    tap(phone, 200, 310, times=3)
    assert phone.page.evaluate("[document.activeElement.className, getSelection().toString()]") == ["writing-field", "Buy milk"]
    assert text_of(room, written) == "Buy milk"


# Double clicks

def test_what_is_typed_at_once_after_a_double_click_is_all_there(room):
    """No key waits for a possible third click, and existing text is not replaced. In a text the click sets the caret."""
    empty, square = (room.add(position=[300, y], size=[200, 150], text=text) for y, text in ((50, ""), (250, "one ")))
    text = room.add(kind="text", position=[300, 500], size=[400, 41], text="Milk and honey", textAlign="left", textPlace="top", fill="#333333")
    ann = room.join("Ann", at=(0, 0), clock=True)
    for shape, place, typed, whole in (
        (empty, (480, 190), "rest", "rest"), (square, (480, 390), "rest", "one rest"), (text, (309, 520), "Buy ", "Buy Milk and honey"),
    ):
        ann.page.mouse.dblclick(*place)
        ann.type(typed)
        write(ann, "")
        ann.wait_for_shape(shape, f"shape.text === '{whole}'")
        assert ann.run("app.tool") == "select"
        ann.press("Escape")
        # The next two clicks must not count as the third and fourth.
        ann.pass_time(500)


# Which tools fit into the window

TOOLS = ["rectangle", "note", "text", "arrow", "pen", "ellipse", "eraser", "line", "roundedRectangle", "polygon", "star", "laser"]


def widths(person, *widths):
    """Gives the window these widths in turn, and yields each once all is painted."""
    for width in widths:
        person.page.set_viewport_size({"width": width, "height": 800})
        person.wait(f"innerWidth === {width}")
        person.painted()
        yield width


def test_tools_fold_by_the_room_that_is_there_and_the_caret_has_the_others(room):
    ann = room.join("Ann", at=(0, 0))
    assert ann.page.locator(".panel").is_hidden(), "it starts closed"
    ann.take("star")
    least = {1440: 12, 1100: 11, 700: 3, 390: 0, 320: 0}
    for width in widths(ann, *least):
        visible = ann.page.eval_on_selector_all(".shapes [data-tool]:not([hidden])", "all => all.map(({ dataset }) => dataset.tool)")
        assert set(visible) == set(TOOLS[:len(visible)]) and len(visible) >= least[width]
        bar = ann.page.locator(".toolbar").bounding_box()
        assert bar["x"] >= 0 and bar["x"] + bar["width"] <= width
        more = ann.page.get_by_role("button", name="More tools")
        if len(visible) == len(TOOLS):
            assert more.count() == 0
            continue
        assert "chosen" in more.get_attribute("class"), "the chosen tool is behind it now"
        more.click()
        others = ann.page.locator(".shapes-popover [data-tool]:not([hidden])")
        assert others.count() == len(TOOLS) - len(visible)
        ann.page.locator(".shapes-popover [data-tool=star]").click()
        assert ann.run("app.tool") == "star" and "chosen" in more.get_attribute("class")
    # The open panel takes space too, so some tools are hidden.
    for _ in widths(ann, 1100):
        ann.page.get_by_role("button", name="Layers, inspector, overlaps").click()
        ann.wait("document.querySelectorAll('.shapes [data-tool][hidden]').length > 0")
        ann.wait("document.querySelector('.toolbar').getBoundingClientRect().right <= document.querySelector('.panel').getBoundingClientRect().left")


def boxes(person, selector):
    return person.page.eval_on_selector_all(selector, "all => all.filter((each) => each.checkVisibility({ checkVisibilityCSS: true }))"
                                            ".map((each) => each.getBoundingClientRect().toJSON())")


def are_apart(one, other):
    return (one["right"] <= other["left"] or one["left"] >= other["right"] or one["bottom"] <= other["top"]
            or one["top"] >= other["bottom"] or one["width"] == 0)


# The text at the white circle, and notices

# How wide the circle is, and how well its words are seen.
HOLE = """({ width: document.getElementById('hole').getBoundingClientRect().width,
  words: getComputedStyle(document.querySelector('.hole-words')).opacity })"""


def test_neither_what_the_white_circle_is_for_nor_notices_lie_over_anything(room):
    moved, square = (room.add(position=position, size=[100, 100]) for position in ([60, 150], [20, 430]))
    ann = room.join("Ann", at=(0, 0))
    for width in widths(ann, 1440, 1100, 700, 390, 320):
        ann.look_at(0, 0)
        at_rest = ann.run(HOLE)
        assert at_rest["words"] == "0"
        ann.drag((110, 200), (130, 260), hold=True)
        ann.wait(f"{HOLE}.words === '1' && {HOLE}.width > value", "the circle grows, and says what it is for", at_rest["width"])
        (words,) = boxes(ann, ".hole-words")
        assert words["left"] >= 0 and words["right"] <= width
        for box in boxes(ann, ".tools button, .notice"):
            assert are_apart(box, words), (width, box, words)
        ann.give_up()
        ann.select(square)
        for at in range(3):
            ann.run("app.notices.say('A notice that is rather long and takes two lines, ' + value, { action: { words: 'Undo', run() {} } }); return null", at)
        ann.painted()
        notices = boxes(ann, ".notice")
        assert notices
        for box in boxes(ann, ".zoom, .selection-bar, .toolbar, #hole"):
            assert all(are_apart(box, notice) for notice in notices), (width, box, notices)
        ann.run("document.querySelectorAll('.notice [title=Dismiss]').forEach((each) => each.click()); return null")


# The parts of the page that float at the window's edges
FURNITURE = ".bar, .zoom, .toolbar, #hole, .notice, .search, .astray, .follow-pill, .minimap, .history, .panel, .selection-bar"
COVERED = """(selector) => {
  const parts = [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility({ visibilityProperty: true }))
  const box = (part) => part.getBoundingClientRect()
  const areApart = (one, other) => one.right <= other.left || one.left >= other.right || one.bottom <= other.top || one.top >= other.bottom
  const name = ({ id, className }) => id || className
  return parts.flatMap((one, at) => parts.slice(at + 1).filter((other) => !one.contains(other) && !areApart(box(one), box(other)))
    .map((other) => `${name(one)} and ${name(other)}`))
}"""


def test_on_a_phone_nothing_lies_over_the_tools_or_the_zoom(room):
    """Wherever the selected shape is; while something is told; with a banner and the button that stops following too."""
    square = room.add(position=[100, 100], size=[100, 100])
    room.guest("Ben")
    ann = room.join("Ann", at=(0, 0), still=True, phone=True)
    faults = []

    def look(state, size, parts):
        ann.page.set_viewport_size(dict(zip(("width", "height"), size)))
        ann.painted()
        faults.extend(f"{state} at {size}: {each}" for each in ann.page.evaluate(COVERED, parts))

    ann.take("select")
    ann.select(square)
    for size in ((390, 844), (320, 568), (390, 420)):
        for y in range(-500, 101, 100):
            ann.look_at(40, y)
            look(f"a shape {100 - y} below the top", size, ".bar, .zoom, .toolbar, #hole, .selection-bar")
    ann.run("app.selection.clear(); app.say('Ben removed 4 shapes.', { action: { words: 'Bring back', run() {} } }); return null")
    look("a notice", (320, 200), ".toolbar, .notice")
    ann.run("app.actions.minimap.run(); app.actions.guide.run(); return null")
    for part in (".minimap", ".guiding .follow-pill"):
        ann.page.locator(part).wait_for(state="attached")
    ann.run("app.connection.tell('stopped', null); return null")
    for size in ((390, 844), (320, 568), (568, 320), (844, 390), (667, 375)):
        look("a banner and following", size, ".toolbar, .banner, .follow-pill, .minimap")
    assert not faults, "\n".join(faults)


def test_no_part_at_the_edges_lies_over_another(room):
    """In windows of all sizes, however much of it is shown at once."""
    square = room.add(position=[200, 200], size=[100, 100])
    room.guest("Ben")
    ann = room.join("Ann", at=(0, 0), still=True)
    page = ann.page
    faults = []

    def look(state, *sizes):
        for size in sizes or ((1440, 900), (1100, 800), (860, 700), (700, 600), (390, 844), (320, 568), (844, 390)):
            page.set_viewport_size(dict(zip(("width", "height"), size)))
            ann.run("app.say('Ben removed 4 shapes.', { action: { words: 'Bring back', run() {} } }); return null")
            ann.painted()
            faults.extend(f"{state} at {size}: {each}" for each in page.evaluate(COVERED, FURNITURE))

    ann.run("app.actions.minimap.run(); app.actions.guide.run(); return null")
    for part in (".minimap", ".guiding .follow-pill"):
        page.locator(part).wait_for()
    look("the map, and asking others to follow")
    ann.press("Control+f")
    page.get_by_role("search").wait_for()
    ann.run("app.view.panBy(-9000, 0); return null")
    page.locator(".astray").wait_for()
    look("the search, far from the drawing", (1440, 900), (1100, 800), (860, 700), (390, 844), (320, 568))
    ann.press("Escape")
    ann.run("app.actions.history.run(); return null")
    page.get_by_label("Moment").wait_for()
    look("the past", (1440, 900), (1100, 800), (700, 600), (390, 844), (320, 568), (844, 390))
    page.get_by_role("button", name="Back to the present").click()
    ann.run("app.actions.guide.run(); app.actions.minimap.run(); return null")
    page.set_viewport_size({"width": 1440, "height": 900})
    ann.choose("Play", role="menuitemcheckbox")
    look("without the white circle")
    ann.choose("Play", role="menuitemcheckbox")
    page.get_by_role("button", name="Layers, inspector, overlaps").click()
    for size in ((1100, 800), (860, 700), (700, 600)):
        ann.look_at(0, -100)
        ann.select(square)
        look("the panel", size)
    assert not faults, "\n".join(faults)


# A text while it is being written

def test_what_runs_out_of_a_dark_shape_can_be_read_while_it_is_written_and_a_long_line_breaks(room):
    dark = room.add(position=[300, 200], size=[100, 100], fill="#202020")
    ann = room.join("Ann", at=(0, 0))
    ann.page.mouse.dblclick(350, 250)
    ann.page.wait_for_selector(FIELD, state="visible")
    ann.page.keyboard.insert_text("one two three four five six seven eight nine ten eleven")
    color, background = ann.page.eval_on_selector(FIELD, "(field) => [getComputedStyle(field).color, getComputedStyle(field).backgroundColor]")
    assert (color, background) == ("rgb(255, 255, 255)", "rgb(32, 32, 32)")
    ann.press("Escape", "Escape")
    ann.press("t")
    ann.click(200, 300)
    ann.page.wait_for_selector(FIELD, state="visible")
    ann.page.keyboard.insert_text("word " * 200)
    assert ann.page.locator(FIELD).bounding_box()["width"] <= 640
    write(ann, "")
    *_, text = room.wait_for_shapes(2)
    assert text["size"][0] <= 640 and text["size"][1] > 100


def test_a_yes_is_for_what_the_question_said(room):
    """Somebody draws while the page asks whether all shapes may go. So it asks again, about the new one too."""
    for at in range(6):
        room.add(kind="rectangle", position=[at * 60, 200], size=[50, 50])
    ann = room.join("Ann")
    ann.press("Shift+Delete")
    asked = ann.page.get_by_role("dialog", name="Clear everything?")
    asked.get_by_text("All 6 shapes will be gone.").wait_for()
    assert ann.page.evaluate("document.activeElement.textContent") == "Cancel"
    room.add(kind="ellipse", position=[100, 400], size=[50, 50])
    room.guest("Bob")
    ann.wait("app.presence.people().length === 1 && app.session.shapeCount === 7")
    asked.get_by_role("button", name="Clear everything").click()
    asked.get_by_text("Bob is here too. The canvas will be empty for everyone.").wait_for()
    assert len(room.shapes()) == 7
    asked.get_by_role("button", name="Clear everything").click()
    room.wait_for_shapes(0)
