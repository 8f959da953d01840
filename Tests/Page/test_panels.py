"""The panels for layers, inspector and overlaps. Changes made there reach the server and the others."""

import pytest

from person import number
from server import identifier
from waiting import wait_until

SQUARE = {"kind": "rectangle", "size": [100, 100]}


@pytest.fixture
def room(room):
    room.panel = "layers"
    return room


def three(room):
    """Three squares side by side, in drawing order."""
    return [room.add(**SQUARE, position=[100 + 200 * at, 200], name=name) for at, name in enumerate(["Ground", "Moon", "Sun"])]


def row(person, name):
    return person.page.locator(".layer", has_text=name)


def names(person):
    """The names in the visible rows, from the top."""
    return person.page.evaluate(
        "[...document.querySelectorAll('.layer')].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.innerText.trim())")


def open_tab(person, name):
    person.page.click(f"#tab-{name}")


def test_layers_are_selected_hidden_reordered_and_renamed(room):
    """The topmost is first. A click selects one row, with Shift all rows up to there, and with Control one more. The eye
    hides the shape of its row, and the space bar all selected shapes. A row that is dragged below another moves that
    shape behind the other, unless Escape comes first. A double click or F2 edits a name, which Escape keeps."""
    ground, moon, sun = three(room)
    ann = room.join("Ann")
    assert names(ann) == ["Sun", "Moon", "Ground"]
    row(ann, "Moon").click()
    assert ann.selected() == [moon]
    row(ann, "Sun").click(modifiers=["Shift"])
    assert set(ann.selected()) == {moon, sun}
    ann.press("End")
    assert ann.selected() == [ground]
    ann.press("Shift+ArrowUp")
    assert set(ann.selected()) == {ground, moon}

    row(ann, "Moon").hover()
    row(ann, "Moon").get_by_role("button", name="Hide").click()
    room.wait_for(lambda shapes: [shape["visible"] for shape in shapes] == [True, False, True])
    row(ann, "Sun").click()
    row(ann, "Ground").click(modifiers=["Shift"])
    ann.press(" ")
    room.wait_for(lambda shapes: not any(shape["visible"] for shape in shapes))
    ann.press("Control+z")
    room.wait_for(lambda shapes: [shape["visible"] for shape in shapes] == [True, False, True])

    top, bottom = row(ann, "Sun").bounding_box(), row(ann, "Ground").bounding_box()
    ann.drag((bottom["x"] + 60, bottom["y"] + 10), (bottom["x"] + 60, bottom["y"] - 60), hold=True)
    assert ann.page.locator(".layer.dragged").count() == 1
    ann.press("Escape")
    assert ann.page.locator(".layer.dragged, .layers-marker:visible").count() == 0
    ann.page.mouse.up()
    ann.painted()
    assert names(ann) == ["Sun", "Moon", "Ground"]
    ann.select()
    ann.drag((top["x"] + 60, top["y"] + 18), (bottom["x"] + 60, bottom["y"] + 34))
    room.wait_for(lambda shapes: [shape["name"] for shape in shapes] == ["Sun", "Ground", "Moon"])
    row(ann, "Sun").click()
    ann.press("Alt+ArrowUp")
    room.wait_for(lambda shapes: [shape["name"] for shape in shapes] == ["Ground", "Sun", "Moon"])
    row(ann, "Ground").click(modifiers=["Control"])
    for key, order in (("Alt+ArrowUp", ["Moon", "Ground", "Sun"]), ("Alt+ArrowDown", ["Ground", "Sun", "Moon"])):
        ann.press(key)
        room.wait_for(lambda shapes: [shape["name"] for shape in shapes] == order)

    row(ann, "Moon").locator(".layer-name").dblclick()
    ann.type("Pluto", "Enter")
    room.wait_for(lambda shapes: any(shape["name"] == "Pluto" for shape in shapes))
    ann.press("End", "F2")
    ann.type("Nothing", "Escape")
    assert names(ann) == ["Pluto", "Sun", "Ground"]
    ann.press("F2")
    ann.type("Pluto", "Enter")
    ann.page.wait_for_selector(".layer:has-text('Pluto 2')")
    # A name that is too long stays in its field.
    ann.press("F2")
    ann.page.locator(".layer-field").fill("Ж" * 100)
    ann.press("Enter")
    ann.notice("This name can’t be taken: it’s too long").wait_for()
    assert ann.page.locator(".layer-field").input_value() == "Ж" * 100
    ann.press("Escape")
    # The first Enter confirms the suggestion of an input method. The next Enter confirms the name.
    row(ann, "Sun").locator(".layer-name").dblclick()
    enter = "new KeyboardEvent('keydown', { key: 'Enter', keyCode: value, isComposing: value === 229, bubbles: true })"
    for typed, code, fields_left in (("つき", 229, 1), ("月", 13, 0)):
        ann.page.locator(".layer-field").fill(typed)
        ann.run(f"document.activeElement.dispatchEvent({enter}); return null", code)
        assert ann.page.locator(".layer-field").count() == fields_left
    room.wait_for(lambda shapes: any(shape["name"] == "月" for shape in shapes))


def test_layers_are_deleted_by_a_swipe(room):
    """A long one to the left. A short or vertical one does nothing, and neither does a second finger."""
    three(room)
    eve = room.join("Eve", phone=True)
    eve.page.tap("button[aria-label='Layers, inspector, overlaps']")
    # What is dropped on the sheet that lies over the hole stays: the hole takes nothing while it can't be seen.
    eve.page.locator("#hole").wait_for(state="hidden")
    box, other = row(eve, "Moon").bounding_box(), row(eve, "Ground").bounding_box()
    x, y = box["x"] + 200, box["y"] + box["height"] / 2
    eve.touch.drag((x, y), (x - 40, y))
    eve.touch.drag((x, y), (x, y + 30))
    eve.touch.drag((x, y), (x - 60, y), hold=True)
    second = (other["x"] + 100, other["y"] + 20)
    eve.touch.start((x - 60, y), second)
    eve.touch.end(second)
    eve.touch.end()
    eve.painted()
    assert eve.page.locator(".layer.swiped").count() == 0
    assert not eve.page.evaluate("[...document.querySelectorAll('.layer-slide')].some(({ style }) => style.transform)")
    assert eve.run("app.session.shapeCount") == 3
    eve.touch.drag((x + 100, y), (x - 180, y))
    assert [shape["name"] for shape in room.wait_for_shapes(2)] == ["Ground", "Sun"]


def test_layers_of_thousands_make_only_the_rows_in_sight(room):
    """For five thousand shapes, the page makes only a few dozen rows. One key goes to the last shape. Another deletes it, and
    no more while it is held down."""
    ann = room.join("Ann")
    ann.run("app.edit((session) => session.edit(Array.from({ length: 5000 }, (_, at) => ({ shape: 1000 + at, set: "
            "{ kind: 'ellipse', name: `Dot ${at}`, position: [at % 100 * 20, Math.floor(at / 100) * 20], size: [15, 15] } }))));"
            "return null")
    ann.page.wait_for_selector(".layer:has-text('Dot 4999')")
    assert ann.page.locator(".layer").count() < 80
    ann.page.focus(".layers-grid")
    ann.press("End")
    ann.page.wait_for_selector(".layer:has-text('Dot 0')")
    assert ann.page.locator(".layer").count() < 80
    assert ann.page.get_attribute(".layers-grid", "aria-rowcount") == "5000"
    for _ in range(3):
        ann.page.keyboard.down("Delete")
    ann.page.wait_for_selector(".layers-grid[aria-rowcount='4999']")
    ann.painted()
    assert ann.run("app.session.shapeCount") == 4999
    # Of two groups whose shapes alternate, a selection takes each once, and not for each of its thousands of rows.
    ann.run("""app.edit((session) => session.edit(session.drawingOrder().map((shape, at) => ({ shape, set: { group: 7 + at % 2 } }))))
        const { of } = app.groups, counted = new Map()
        window.taken = 0
        app.groups.of = (id) => {
          const { group, ids } = of.call(app.groups, id)
          if (!counted.has(group)) {
            counted.set(group, new Set(ids))
            counted.get(group)[Symbol.iterator] = function* () { for (const id of ids) { window.taken++; yield id } }
          }
          return { group, ids: counted.get(group) }
        }
        return null""")
    ann.page.wait_for_selector(".layers-grid[aria-rowcount='9998']")
    ann.press("Shift+Home")
    assert ann.run("app.selection.ids().length") == 4999
    assert ann.run("window.taken") < 1_000_000


def test_the_inspector_writes_what_one_sees(room):
    """Each field writes its property, and shows the values that others write. The ends of lines are only offered for these,
    and are set for several at once."""
    sun = room.add(kind="star", size=[100, 100], name="Sun", position=[100, 200], text="Hi", filled=False)
    ann = room.join("Ann")
    ann.select(sun)
    open_tab(ann, "inspector")
    page = ann.page
    for label, value in [("Name", "Star of all"), ("X", "150"), ("Y", "-20,5"), ("W", "300"), ("H", "210"), ("Rotation", "30"),
                         ("Fill", "#0a7"), ("Outline", "123456")]:
        ann.fill(label, value, exact=label != "Rotation")
    for label, value in [("Opacity", "4"), ("Outline width", "6.5"), ("Points", "7"), ("Inner radius", "0.3")]:
        page.get_by_label(label).fill(value)
    page.get_by_label("Visible").uncheck()
    (shape,) = room.wait_for(lambda shapes: shapes[0]["visible"] is False)
    room.agree()
    shape = room.shape(sun)
    assert shape["name"] == "Star of all" and shape["size"] == [300, 210] and shape["rotation"] == 30
    assert shape["fill"] == "#00AA77" and shape.get("filled", True) and shape["stroke"] == "#123456" and shape["alpha"] == 4
    assert shape["strokeWidth"] == 6.5 and shape["points"] == 7 and shape["innerRatio"] == 0.3
    assert shape["position"] == [150, -20.5]
    page.get_by_label("Alignment").select_option("right")
    page.get_by_label("Vertical", exact=True).select_option("bottom")
    ann.wait_for_shape(sun, "shape.textAlign === 'right' && shape.textPlace === 'bottom'")
    page.get_by_label("Shape", exact=True).select_option("roundedRectangle")
    page.get_by_label("Corner radius").fill("12")
    room.wait_for(lambda shapes: shapes[0]["kind"] == "roundedRectangle" and shapes[0]["cornerRadius"] == 12)
    room.write((sun, {"fill": "#ABCDEF"}))
    ann.wait("document.querySelector('.inspector-field.color .field').value === '#ABCDEF'")

    ways = [room.add(kind="line", position=[100, 200 + 100 * at], size=[200, 50], strokeWidth=4) for at in range(2)]
    ann.wait_for_shapes(3)
    begins, ends = (page.get_by_label(label, exact=True) for label in ("Begins", "Ends"))
    assert begins.is_hidden() and ends.is_hidden()
    ann.select(*ways)
    begins.wait_for()
    assert page.locator(".inspector-group:visible").evaluate_all(
        "(groups) => groups.every((each) => [...each.children].some((part) => part.tagName !== 'LEGEND' && part.checkVisibility()))"), "no empty group"
    begins.select_option("Dot")
    ends.select_option("Arrow")
    room.wait_for(lambda shapes: [(shape.get("fromEnd"), shape.get("toEnd")) for shape in shapes] == [(None, None)] + [("dot", "arrow")] * 2)
    ann.learns(ways[0], toEnd="plain")
    ann.select(ways[0])
    assert ends.input_value() == "plain" and begins.input_value() == "dot"


def test_the_inspector_is_for_many_at_once(room):
    """Different values are shown as Mixed. A new value is written to all selected shapes as one undo step. They can be
    aligned and distributed. For a single shape these buttons are missing, and its colours come first."""
    one = room.add(**SQUARE, position=[100, 200], fill="#FF0000")
    other = room.add(**SQUARE, position=[400, 260], fill="#00FF00")
    ann = room.join("Ann")
    ann.select(one, other)
    open_tab(ann, "inspector")
    page = ann.page
    assert page.locator(".inspector-heading").inner_text() == "2 shapes"
    assert page.get_by_label("Fill", exact=True).get_attribute("placeholder") == "Mixed"
    assert [page.get_by_label(label, exact=True).input_value() for label in "XW"] == ["100", "400"], "of the box around them"
    room.write((other, {"rotation": 20.126}))
    ann.wait_for_shape(other, "shape.rotation > 20")
    turn = page.get_by_label("Rotation")
    assert turn.input_value() == "" and turn.get_attribute("placeholder") == "Mixed"
    room.write((one, {"rotation": 20.126}))
    ann.wait("document.querySelector(`#${[...document.querySelectorAll('label')].find((each) => each.innerText.startsWith('Rotation')).htmlFor}`).value === '20.13'",
             "a value has two decimals")
    room.write((one, {"rotation": 0}), (other, {"rotation": 0}))
    ann.wait_for_shape(other, "shape.rotation === 0")
    ann.fill("Fill", "#0000FF")
    room.wait_for(lambda shapes: all(shape["fill"] == "#0000FF" for shape in shapes))
    for label, value, places in (("X", "200", [200, 500]), ("W", "800", [200, 800])):
        ann.fill(label, value)
        room.wait_for(lambda shapes: [shape["position"][0] for shape in shapes] == places)
    ann.fill("H", "320")
    room.wait_for(lambda shapes: [(shape["position"][1], shape["size"]) for shape in shapes] == [(200, [200, 200]), (320, [200, 200])])
    page.evaluate("document.activeElement.blur()")
    for places in ([200, 800], [200, 500], [100, 400]):
        page.keyboard.press("Control+z")
        room.wait_for(lambda shapes: [shape["position"][0] for shape in shapes] == places)
    page.keyboard.press("Control+z")
    room.wait_for(lambda shapes: {shape["fill"] for shape in shapes} == {"#FF0000", "#00FF00"})
    ann.select(one)
    page.get_by_label("Bring to front").wait_for()
    assert page.evaluate(
        "[...document.querySelectorAll('.inspector-form :is(input, select, button)')].filter((each) => each.checkVisibility())"
        ".map((each) => each.ariaLabel ?? document.querySelector(`label[for='${each.id}']`)?.innerText)[0]") == "Fill: choose a colour"
    assert page.get_by_label("Align left").is_hidden()
    third = room.add(**SQUARE, position=[170, 700])
    ann.wait_for_shape(third)
    ann.select(one, other, third)
    page.get_by_label("Align left").click()
    room.wait_for(lambda shapes: {shape["position"][0] for shape in shapes} == {100})
    page.get_by_label("Distribute vertically").click()
    room.wait_for(lambda shapes: sorted(shape["position"][1] for shape in shapes) == [200, 450, 700])


def test_a_name_that_others_change_is_shown_and_enter_keeps_it(room):
    sun = room.add(**SQUARE, position=[100, 200], name="Sun")
    ann = room.join("Ann")
    inspect(ann, sun)
    field = ann.page.get_by_label("Name", exact=True)
    field.focus()
    tool = ann.run("app.tool")
    ann.press("v", "o", "b", "Delete", "Backspace", "ArrowLeft", "Control+a", "Control+d", "Shift+Delete", " ")
    assert ann.run("[app.tool, app.session.shapeCount]") == [tool, 1] and ann.shape(sun)["x"] == 100, "keys in a field are for it alone"
    ann.press("Escape")
    field.focus()
    room.write((sun, {"name": "Moon"}))
    wait_until(field.input_value, "the new name", lambda name: name == "Moon")
    ann.press("Enter")
    ann.see(2)
    assert ann.run("return app.session.shownName(value)", number(sun)) == "Moon"
    field.select_text()
    ann.type("Mo")
    room.write((sun, {"name": "Mars"}))
    ann.wait("app.session.shownName(value) === 'Mars'", argument=number(sun))
    ann.see(2)
    ann.type("on", "Enter")
    ann.wait("app.session.shownName(value) === 'Moon'", "what was typed", number(sun))
    field = ann.page.get_by_label("W", exact=True)
    field.select_text()
    ann.learns(sun, size=[300, 200])
    ann.painted()
    ann.type("8")
    assert field.input_value() == "8", "typing replaces a value that was selected"


# Each time that the inspector reads more than a hundred shapes, this is counted, and a tenth of a second passes.
SLOW_READING = """const { live } = app, read = live.shapesOf, now = performance.now.bind(performance)
  let late = 0
  window.looks = 0
  performance.now = () => now() + late
  live.shapesOf = (ids) => {
    const shapes = read.call(live, ids)
    if (shapes.length > 100 && new Error().stack.includes('/inspector.js')) { window.looks += 1; late += 100 }
    return shapes
  }
  return null"""


def test_the_inspector_of_very_many_shapes_takes_a_tenth_of_the_time(room):
    """Others change one of the shapes again and again. A new selection is shown at once."""
    ann = room.join("Ann", panel="inspector", clock=True)
    ann.run("app.edit((session) => session.edit(Array.from({ length: 300 }, (_, at) => ({ shape: 1000 + at, set: { kind: 'ellipse' } }))));"
            "return null")
    ann.wait_for_shapes(300)
    ann.stop_clock()
    ann.run(SLOW_READING)
    ann.run("app.selection.set([...Array(300).keys()].map((at) => 1000 + at)); window.looks = 0; return null")
    for x in range(20):
        ann.run(f"app.edit((session) => session.place([{{ id: 1000, x: {x} }}])); return null")
        ann.pass_time(250)
    looks = ann.run("window.looks")
    assert 2 <= looks <= 6, f"{looks} in 5 seconds"
    ann.run("app.selection.set([...Array(200).keys()].map((at) => 1000 + at)); return null")
    ann.pass_time(250)
    assert ann.page.locator(".inspector-heading").inner_text() == "200 shapes"


def test_a_slider_is_seen_as_it_moves_and_undone_at_once(room):
    """Others see each value, one undo reverts all. One that is pressed only shows what others do."""
    sun = room.add(**SQUARE, position=[100, 200])
    ann, bob = room.join("Ann"), room.witness()
    ann.select(sun)
    open_tab(ann, "inspector")
    ann.page.get_by_label("Outline width").scroll_into_view_if_needed()
    box = ann.page.get_by_label("Outline width").bounding_box()
    y = box["y"] + box["height"] / 2
    ann.drag((box["x"] + 10, y), (box["x"] + 90, y), hold=True)
    bob.wait_for_shape(sun, "shape.strokeWidth > 5")
    middle = room.shape(sun)["strokeWidth"]
    ann.page.mouse.move(box["x"] + 150, y, steps=5)
    ann.page.mouse.up()
    bob.wait_for_shape(sun, f"shape.strokeWidth > {middle}")
    ann.leave_focus()
    ann.press("Control+z")
    bob.wait_for_shape(sun, "shape.strokeWidth === 0")
    assert ann.run("app.session.canUndo") is False
    slider = ann.page.locator(".inspector-form").get_by_label("Opacity")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    # The press doesn't change the value, because the slider's thumb is already at the right end.
    ann.page.mouse.click(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2)
    assert slider.input_value() == slider.get_attribute("max")
    ann.learns(sun, alpha=3)
    ann.page.wait_for_function("(slider) => slider.value !== slider.max", arg=slider.element_handle())


def test_overlaps_are_listed_with_who_and_told_in_words(room):
    """The panel lists both shapes, who made them overlap, and since when. A click selects and shows both. A live region
    says the same. Many overlaps at once become one notice. Older overlaps aren't announced."""
    old = room.add(**SQUARE, name="Old", position=[600, 200])
    room.add(**SQUARE, name="Older", position=[620, 220])
    sun = room.add(**SQUARE, name="Sun", position=[100, 200])
    moon = room.add(**SQUARE, name="Moon", position=[5000, 5000])
    ann, bob = room.join("Ann"), room.join("Bob")
    open_tab(ann, "overlaps")
    rows = ann.page.locator(".overlap-row")
    rows.wait_for()
    ann.look_at(-3000, -3000)
    bob.run("app.edit((session) => session.place([{ id: value, x: 150, y: 230 }])); return null", number(moon))
    notice, entry = ann.page.locator("[role=log] .is-overlap"), rows.filter(has_text="Sun")
    notice.wait_for()
    words = notice.inner_text()
    assert "Sun" in words and "Moon" in words and "Bob, just now" in words and "Old" not in words
    assert "overlaps" in entry.inner_text() and "Bob, just now" in entry.inner_text()
    assert ann.page.inner_text(".tab-count:not([hidden])") == "2"
    for button in (entry, notice.locator("button.link")):
        button.click()
        assert set(ann.selected()) == {sun, moon}
        ann.wait("((seen) => seen.x < 100 && seen.x + seen.width > 250)(app.view.visibleBox())", "the pair is seen")
        ann.press("Escape")
    bob.run("app.edit((session) => session.edit([0, 1, 2, 3].map((at) => ({ shape: 77 + at, set: { kind: 'ellipse', "
            "position: [610 + at * 5, 210] } })))); return null")
    ann.page.locator("[role=log] .is-overlap", has_text="new overlaps").wait_for()
    assert ann.page.locator("[role=log] .notice").count() <= 3
    room.write((moon, {"deleted": True}))
    entry.wait_for(state="detached")
    room.write(*((shape["id"], {"deleted": True}) for shape in room.shapes() if shape["id"] not in (old, sun)))
    ann.page.locator("#panel-overlaps", has_text="No overlaps").wait_for()


def test_many_new_overlaps_are_told_without_reading_each_shape(room):
    """Somebody else lays one large shape over hundreds of others."""
    ids = [identifier() for _ in range(300)]
    room.write(*((each, {"kind": "rectangle", "position": [20 * at, 100], "size": [10, 10]}) for at, each in enumerate(ids)))
    ann = room.join("Ann")
    ann.run("""window.read = 0
      const { shape } = app.session
      app.session.shape = (id) => { window.read += 1; return shape.call(app.session, id) }
      return null""")
    room.add(position=[0, 0], size=[6_000, 300])
    ann.notice("300 new overlaps").wait_for()
    assert ann.run("window.read") < 300


def test_a_refused_name_or_colour_is_said_at_its_field(room):
    """The field is marked, and a message says why. When the field is left, it shows the shape's value again."""
    room.add(**SQUARE, name="Sun", fill="#336699", position=[200, 200])
    ann = room.join("Ann")
    ann.page.click("#tab-inspector")
    ann.press("Control+a")
    hint = ann.page.locator(".field-hint:not([hidden])")
    for label, wrong, real in [("Fill", "reddish", "#336699"), ("Name", "\U0001f31e" * 40, "Sun")]:
        field = ann.page.get_by_label(label, exact=True)
        field.fill(wrong)
        field.dispatch_event("keydown", {"key": "Enter", "isComposing": True})
        assert hint.count() == 0, "an input method's Enter doesn't end the value"
        ann.press("Enter")
        hint.wait_for()
        assert field.get_attribute("aria-invalid") == "true" and field.get_attribute("aria-describedby") == hint.get_attribute("id")
        field.evaluate("(each) => each.blur()")
        assert field.input_value() == real and hint.is_visible()
        field.fill(real)
        hint.wait_for(state="detached")
    assert room.shapes()[0]["name"] == "Sun"
    # The message is in sight, also if the field was the last part that was.
    ann.page.set_viewport_size({"width": 1280, "height": 500})
    field = ann.page.get_by_label("Rotation")
    field.fill("around")
    field.evaluate("(each) => each.scrollIntoView({ block: 'end' })")
    ann.press("Enter")
    hint.wait_for()
    assert hint.evaluate("""(each) => {
      const { left, bottom } = each.getBoundingClientRect()
      return each.contains(document.elementFromPoint(left + 2, bottom - 2))
    }""")


def inspect(person, *shapes):
    open_tab(person, "inspector")
    person.select(*shapes)
    person.page.locator(".inspector-form").wait_for()


def test_a_finger_that_draws_first_saves_what_is_being_typed_and_one_that_holds_a_slider_changes_no_other_shape(room):
    """The press of a finger doesn't move the focus. Both edits are steps of undo of their own."""
    ground, moon, _ = three(room)
    phone = room.join("Eve", phone=True, at=(2000, 2000))
    phone.page.get_by_role("button", name="Layers, inspector, overlaps").tap()
    inspect(phone, ground)
    phone.page.get_by_label("X", exact=True).fill("55")
    phone.take("rectangle")
    phone.touch.drag((60, 120), (220, 260))
    phone.wait_for_shape(ground, "shape.x === 55")
    phone.wait_for_shapes(4)
    phone.run("app.editing.undo(); return null")
    phone.wait_for_shapes(3)
    assert phone.shape(ground)["x"] == 55
    phone.take("select")
    phone.select(ground)
    slider = phone.page.locator(".inspector-form").get_by_label("Opacity")
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    at = lambda part: (box["x"] + box["width"] * part, box["y"] + box["height"] / 2)
    phone.touch.start(at(0.95))
    phone.touch.move(at(0.7))
    before = phone.wait_for_shape(ground, "shape.alpha < 10")["alpha"]
    # The tap of another finger does the same.
    phone.select(moon)
    phone.touch.move(at(0.3))
    phone.touch.end()
    phone.painted()
    assert phone.selected() == [moon]
    assert [phone.shape(shape)["alpha"] for shape in (ground, moon)] == [before, 10]


def test_a_number_that_is_being_typed_stays_while_others_move_the_shape(room):
    """The typed number is written in the end. After Escape, the field shows the shape's current value. What is typed
    when another shape is selected goes to the first one."""
    ground, moon, _ = three(room)
    ann = room.join("Ann")
    inspect(ann, ground)
    ann.page.get_by_label("Name", exact=True).fill("Earth")
    # Selects the other shape before the field gets an event. The tap of a finger does the same.
    ann.select(moon)
    room.wait_for(lambda shapes: [shape["name"] for shape in shapes] == ["Earth", "Moon", "Sun"])
    ann.wait("!document.activeElement.matches('.inspector-form input')", "the field is left")
    assert ann.page.get_by_label("Name", exact=True).input_value() == "Moon"
    ann.select(ground)
    field = ann.page.get_by_label("X", exact=True)
    field.fill("55")
    ann.learns(ground, position=[300, 200])
    ann.see()
    assert field.input_value() == "55"
    ann.press("Enter")
    ann.wait_for_shape(ground, "shape.x === 55")
    field.focus()
    room.write((ground, {"position": [60, 200]}))
    ann.wait("document.activeElement.value === '60'", "a field in which nothing was typed follows")
    field.fill("66")
    ann.learns(ground, position=[400, 200])
    ann.press("Escape")
    assert field.input_value() == "400"
    for typed, x in (("1,000", 1000), ("２５０", 250), ("12,5", 12.5)):
        ann.fill("X", typed)
        ann.wait_for_shape(ground, f"shape.x === {x}")
    ann.fill("X", "0x10")
    ann.page.get_by_text("Type a number like").wait_for()
    assert ann.shape(ground)["x"] == 12.5


def test_undo_and_escape_reach_the_page_from_its_fields(room):
    """Undo and Escape act on the page if the focus is on a slider, a choice or a colour, or on a field in which nothing
    was typed. In a field with typed text, they act on the text."""
    ground, *_ = three(room)
    ann = room.join("Ann")
    inspect(ann, ground)
    for label, key, condition in (
        ("Opacity", "ArrowLeft", "shape.alpha"), ("Shape", "e", "shape.kind"),
    ):
        before = ann.run(f"((shape) => {condition})(app.session.shape({number(ground)}))")
        field = ann.page.get_by_label(label, exact=True)
        field.focus()
        ann.press(key)
        ann.wait_for_shape(ground, f"{condition} !== {before!r}")
        ann.press("Control+z")
        ann.wait_for_shape(ground, f"{condition} === {before!r}")
        ann.press("Escape")
        ann.wait("document.activeElement === document.body || document.activeElement.matches('.waiting-field')", "the field is left")
    # What comes after an undo is one step again.
    field = ann.page.get_by_label("X", exact=True)
    x = ann.shape(ground)["x"]
    for keys, way in ((["ArrowUp"], 1), (["ArrowUp", "ArrowUp", "ArrowUp"], 3), (["Shift+ArrowDown"], -10)):
        for key in keys:
            field.press(key)
        ann.wait_for_shape(ground, f"shape.x === {x + way}")
        ann.press("Control+z")
        ann.wait_for_shape(ground, f"shape.x === {x}")
        ann.painted()
    text = ann.page.get_by_label("Fill", exact=True)
    fill = ann.shape(ground)["fill"]
    ann.fill("Fill", "#123456")
    ann.wait_for_shape(ground, "shape.fill === '#123456'")
    ann.press("Control+z")
    ann.wait_for_shape(ground, f"shape.fill === '{fill}'")
    text.press_sequentially("00")
    ann.press("Control+z")
    assert ann.shape(ground)["fill"] == fill


def test_who_deletes_a_shape_that_is_being_renamed_is_told(room):
    """The field disappears with the shape, and a notice says why. So it is in the inspector too. If it was locked, the
    press on the notice's button leaves the field, which is saved and refused once more. The button works nevertheless."""
    ground, moon, sun = three(room)
    ann, bob = room.join("Ann"), room.join("Bob")
    row(ann, "Ground").locator(".layer-name").dblclick()
    ann.type("Kitchen")
    ann.learns(ground, locked=True)
    ann.press("Enter")
    ann.notice("Ground is locked").get_by_role("button", name="Unlock").click()
    ann.wait_for_shape(ground, "!shape.locked")
    row(ann, "Moon").locator(".layer-name").dblclick()
    ann.type("Plu")
    bob.delete(moon)
    ann.notice("Bob deleted Moon while you renamed it").wait_for()
    assert ann.page.locator(".layer-field").count() == 0
    inspect(ann, sun)
    ann.page.get_by_label("Name", exact=True).fill("Pluto")
    bob.delete(sun)
    ann.notice("It was deleted while you changed it").wait_for()
