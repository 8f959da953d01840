"""What others do to shapes in the midst of what somebody does with them, and what else happens meanwhile."""

import pytest

from person import number
from waiting import wait_until

GROUPS = ["00g-000-001", "00g-000-002"]


def test_the_row_of_a_group_is_that_of_no_other_group(room):
    """Somebody puts the topmost shape of the active group into another group. Delete doesn't remove the shapes of that one."""
    one, other = GROUPS
    kept = [room.add(position=[100 * at, 500], size=[50, 50], group=other, name=f"Kept {at}") for at in range(2)]
    low = room.add(position=[400, 200], size=[50, 50], group=one, name="Low")
    top = room.add(position=[200, 200], size=[50, 50], group=one, name="Top")
    ann = room.join("Ann", at=(0, 0), panel="layers")
    ann.painted()
    ann.page.locator(".layer.group-row .layer-cell").first.click()
    ann.see()
    assert sorted(ann.selected()) == sorted([low, top])
    room.write((top, {"group": other}))
    ann.wait_for_shape(top, f"shape.group === {number(other)}")
    ann.see(frames=2)
    ann.press("Delete")
    ann.see()
    # What was selected is deleted, and nothing else.
    assert sorted(ann.shapes()) == sorted(kept)


def test_the_eye_of_a_group_does_what_it_says(room):
    """One of the group's shapes is hidden already."""
    hidden = room.add(position=[400, 200], size=[50, 50], group=GROUPS[0], visible=False)
    top = room.add(position=[200, 200], size=[50, 50], group=GROUPS[0])
    ann = room.join("Ann", at=(0, 0), panel="layers")
    ann.painted()
    row = ann.page.locator(".layer.group-row")
    row.get_by_role("button", name="Hide Group").click()
    ann.wait_for_shape(top, "!shape.visible")
    assert not ann.shape(hidden)["visible"]
    row.get_by_role("button", name="Show Group").click()
    ann.wait_for_shape(hidden, "shape.visible")
    assert ann.shape(top)["visible"]


def test_a_typed_value_is_for_the_shapes_that_are_left(room):
    """Somebody deletes one of two selected shapes while a value for both is being typed."""
    gone, left = (room.add(position=[200 * at, 200], size=[100, 100]) for at in (1, 2))
    ann = room.join("Ann", at=(0, 0), panel="inspector")
    ann.select(gone, left)
    ann.painted()
    ann.page.get_by_label("Name", exact=True).focus()
    ann.type("Kit")
    room.write((gone, {"deleted": True}))
    ann.wait_for_shapes(1)
    ann.see(frames=2)
    ann.type("chen table", "Enter")
    ann.wait("app.session.shownName(value) === 'Kitchen table'", argument=number(left))
    assert ann.run("app.tool") == "select"


def test_what_is_locked_meanwhile_is_not_changed(room):
    """Somebody locks the shape while its name is being typed, in the inspector or in the list of layers."""
    shape = room.add(position=[200, 200], size=[100, 100], name="Table")
    ann = room.join("Ann", at=(0, 0), panel="inspector")
    ann.select(shape)
    ann.painted()

    def lock(is_locked):
        room.write((shape, {"locked": is_locked}))
        ann.wait_for_shape(shape, f"shape.locked === {str(is_locked).lower()}")
        ann.see(frames=2)

    field = ann.page.get_by_label("Name", exact=True)
    field.fill("Kit")
    lock(True)
    ann.type("chen", "Enter")
    ann.notice("Table is locked").wait_for()
    assert field.input_value() == "Kitchen"
    lock(False)
    ann.press("Enter")
    ann.wait("app.session.shownName(value) === 'Kitchen'", argument=number(shape))
    ann.page.get_by_role("tab", name="Layers").click()
    ann.page.locator(".layer-cell").first.dblclick()
    ann.type("Chair")
    lock(True)
    ann.press("Enter")
    ann.notice("Kitchen is locked").wait_for()
    lock(False)
    ann.press("Enter")
    ann.wait("app.session.shownName(value) === 'Chair'", argument=number(shape))


def test_a_new_text_that_somebody_locks_leaves_no_invisible_one(room):
    ann = room.join("Ann", at=(0, 0))
    for words in ("", "Milk"):
        ann.take("text")
        ann.page.mouse.click(400, 300)
        ann.wait("app.writing.isOpen")
        [text] = wait_until(room.shapes, "the new text")
        room.write((text["id"], {"locked": True}))
        ann.page.wait_for_selector(".writing-hint:has-text('This is locked now')")
        ann.type(words)
        ann.press("Escape")
        room.wait_for(lambda shapes: [shape.get("text") for shape in shapes] == [words] * bool(words))
        assert ann.run("return app.session.canUndo") == bool(words)


def test_a_text_that_somebody_locks_while_it_is_drawn_is_not_left_empty(room):
    ann = room.join("Ann", at=(0, 0))
    ann.take("text")
    ann.drag((300, 300), (400, 400), hold=True)
    [text] = wait_until(room.shapes, "the new text")
    room.write((text["id"], {"locked": True}))
    ann.wait_for_shape(text["id"], "shape.locked")
    ann.page.mouse.up()
    room.wait_for(lambda shapes: shapes == [])
    assert not ann.run("return app.session.canUndo")


def test_a_shape_that_is_deleted_while_it_is_renamed_takes_no_other_with_it(room):
    """Two are selected. Whoever is typing the name of one goes on with Backspace."""
    stays, goes = (room.add(position=[200 * at, 200], size=[100, 100]) for at in (1, 2))
    ann = room.join("Ann", at=(0, 0), panel="layers")
    ann.painted()
    ann.page.locator(".layer-cell").nth(1).click()
    ann.page.locator(".layer-cell").nth(0).click(modifiers=["Control"])
    ann.press("F2")
    ann.type("Kit")
    room.write((goes, {"deleted": True}))
    ann.notice("while you renamed it").wait_for()
    ann.press("Backspace")
    ann.see()
    assert list(ann.shapes()) == [stays]


@pytest.mark.parametrize("field", ["Name", "X"])
def test_a_word_whose_field_vanishes_gives_no_orders(room, field):
    """The rest of the word is for nobody. Letters are keys of the page again after a press."""
    shape = room.add(position=[200, 200], size=[100, 100])
    ann = room.join("Ann", at=(0, 0), panel="inspector")
    ann.select(shape)
    ann.page.get_by_label(field, exact=True).focus()
    ann.run("""
      const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
      const untilGone = async () => {
        while (document.activeElement !== document.body) {
          press('1')
          await new Promise(requestAnimationFrame)
        }
        press('r')
        press('Delete')
      }
      app.edit((live) => live.delete([value]))
      return untilGone()""", number(shape))
    assert ann.run("return app.tool") == "select"
    ann.page.mouse.click(500, 500)
    ann.type("r")
    assert ann.run("return app.tool") == "rectangle"


def test_history_that_opens_late_takes_no_focus(room):
    """Its answer comes while somebody writes in a shape. Until then, who presses again asks for nothing more."""
    shape = room.add(position=[200, 200], size=[100, 100])
    ann = room.join("Ann", at=(0, 0))
    ann.select(shape)
    ann.painted()
    waiting = []
    ann.page.route("**/history?steps=1", lambda route: waiting.append(route))
    ann.run("for (let count = 0; count < 2; count += 1) app.actions.history.run(); return null")
    wait_until(lambda: ann.see() or waiting, "history is asked for")
    ann.press("F2")
    ann.type("My plan")
    waiting[0].continue_()
    ann.page.locator(".history").wait_for()
    ann.press("Backspace")
    ann.see()
    assert ann.run("app.session.shapeCount") == len(waiting) == 1


def test_a_file_that_is_read_while_one_writes_is_a_step_of_its_own(room):
    """The note in which somebody writes stays when they undo the import."""
    ann = room.join("Ann", at=(0, 0))
    ann.take("note")
    ann.click(300, 300)
    ann.wait_for_shapes(1)
    (note,) = ann.shapes()
    ann.type("Plan")
    ann.page.evaluate("""() => {
      const { text } = File.prototype
      File.prototype.text = function () { return new Promise((done) => { window.goOn = () => done(text.call(this)) }) }
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([JSON.stringify({ squares: [{ x: 9, y: 9, size: 50, colour: '#FF0000' }] })], 'square.json'))
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    }""")
    ann.type(" A")
    ann.page.wait_for_function("() => window.goOn")
    ann.run("goOn(); return null")
    ann.wait_for_shapes(2)
    ann.press("Escape")
    ann.wait_for_shape(note, "shape.text === 'Plan A'")
    ann.press("Control+z", "Control+z")
    ann.wait_for_shapes(1)
    assert list(ann.shapes()) == [note]


def test_typing_after_a_nudge_is_a_step_of_its_own(room):
    shape = room.add(position=[200, 200], size=[100, 100], text="Plan")
    ann = room.join("Ann", at=(0, 0))
    ann.take("select")
    ann.select(shape)
    ann.press("ArrowRight")
    ann.type("ned", "Escape")
    ann.wait_for_shape(shape, "shape.text === 'Planned'")
    moved = ann.shape(shape)["x"]
    assert moved > 200
    ann.press("Control+z")
    ann.wait_for_shape(shape, "shape.text === 'Plan'")
    assert ann.shape(shape)["x"] == moved


def test_what_was_written_in_a_shape_that_is_locked_meanwhile_becomes_a_new_text(room):
    shape = room.add(position=[200, 200], size=[100, 100])
    ann = room.join("Ann", at=(0, 0))
    ann.select(shape)
    ann.press("F2")
    ann.type("Plan")
    room.write((shape, {"locked": True}))
    ann.page.locator(".writing-hint", has_text="locked now").wait_for()
    ann.type(" A", "Escape")
    ann.wait("app.session.shapes().some(({ kind, text }) => kind === 'text' && text === 'Plan A')")
    assert ann.shape(shape)["text"] == ""


@pytest.mark.parametrize("panel", ["inspector", "layers"])
def test_a_name_that_is_being_typed_is_kept_when_the_tab_closes(room, panel):
    shape = room.add(position=[200, 200], size=[100, 100])
    ann = room.join("Ann", at=(0, 0), panel=panel)
    ann.select(shape)
    ann.painted()
    if panel == "layers":
        ann.page.locator(".layer-cell").first.dblclick()
    else:
        ann.page.get_by_label("Name", exact=True).focus()
    ann.press("Control+a")
    ann.type("Table")
    ann.page.close(run_before_unload=True)
    room.join("Ann", context=ann.context)
    room.wait_for(lambda shapes: any(other.get("name") == "Table" for other in shapes))
