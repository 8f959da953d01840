"""What others do to shapes in the midst of what somebody does with them, and what else happens meanwhile."""

from person import number
from waiting import wait_until

GROUPS = ["00g-000-001", "00g-000-002"]


def test_a_row_of_the_layers_stands_for_what_it_shows(room):
    """Somebody puts the topmost shape of the active group into another group: Delete doesn't remove the shapes of that
    one. The eye does what it says, also if one of the group's shapes is hidden already. Of two selected shapes one is
    renamed, and deleted meanwhile: who goes on with Backspace deletes no other."""
    one, other = GROUPS
    kept = [room.add(position=[100 * at, 500], size=[50, 50], group=other, name=f"Kept {at}") for at in range(2)]
    low = room.add(position=[400, 200], size=[50, 50], group=one, name="Low")
    top = room.add(position=[200, 200], size=[50, 50], group=one, name="Top")
    ann = room.join("Ann", at=(0, 0), panel="layers")
    ann.painted()
    row = ann.page.locator(".layer.group-row").first
    row.locator(".layer-cell").click()
    ann.see()
    assert sorted(ann.selected()) == sorted([low, top])
    ann.learns(low, visible=False)
    for action, is_visible in (("Hide", "false"), ("Show", "true")):
        row.get_by_role("button", name=f"{action} Group").click()
        for shape in (low, top):
            ann.wait_for_shape(shape, f"shape.visible === {is_visible}")
    row.locator(".layer-cell").click()
    room.write((top, {"group": other}))
    ann.wait_for_shape(top, f"shape.group === {number(other)}")
    ann.see(frames=2)
    ann.press("Delete")
    ann.see()
    # What was selected is deleted, and nothing else.
    assert sorted(ann.shapes()) == sorted(kept)

    room.write(*((shape, {"group": ""}) for shape in kept))
    ann.wait_for_shape(kept[1], "shape.group === null")
    ann.see(frames=2)
    ann.page.locator(".layer-cell").nth(0).click()
    ann.page.locator(".layer-cell").nth(1).click(modifiers=["Control"])
    ann.press("F2")
    ann.type("Kit")
    room.write((kept[0], {"deleted": True}))
    ann.notice("while you renamed it").wait_for()
    ann.press("Backspace")
    ann.see()
    assert list(ann.shapes()) == [kept[1]]
    # One that goes while its row is pressed isn't selected again. By hand: Tests/gestures/hands.test.mjs.
    x, y, width, height = ann.page.locator(".layer-name").bounding_box().values()
    with ann.holding("Control"):
        ann.page.mouse.move(x + width / 2, y + height / 2)
        ann.mouse_down()
        ann.learns(kept[1], deleted=True)
        ann.see()
        ann.page.mouse.up()
    ann.see()
    assert ann.selected() == []


def test_what_is_typed_in_the_panel_is_for_what_is_left_and_not_locked(room):
    """Somebody deletes one of two selected shapes while a name for both is being typed, or locks the shape, in the
    inspector or in the list of layers. If the field vanishes, the rest of the word is for nobody, and gives no orders.
    Letters are keys of the page again after a press."""
    gone, left = (room.add(position=[200 * at, 200], size=[100, 100]) for at in (1, 2))
    ann = room.join("Ann", at=(0, 0), panel="inspector")
    ann.select(gone, left)
    ann.painted()
    field = ann.page.get_by_label("Name", exact=True)
    field.focus()
    ann.type("Kit")
    ann.learns(gone, deleted=True)
    ann.see(frames=2)
    ann.type("chen table", "Enter")
    ann.wait("app.session.shownName(value) === 'Kitchen table'", argument=number(left))
    assert ann.run("app.tool") == "select"

    def lock(is_locked):
        ann.learns(left, locked=is_locked)
        ann.see(frames=2)

    field.fill("Kit")
    lock(True)
    ann.type("chen", "Enter")
    ann.notice("Kitchen table is locked").wait_for()
    assert field.input_value() == "Kitchen"
    lock(False)
    ann.press("Enter")
    ann.wait("app.session.shownName(value) === 'Kitchen'", argument=number(left))
    ann.page.get_by_role("tab", name="Layers").click()
    ann.page.locator(".layer-cell").first.dblclick()
    ann.type("Chair")
    lock(True)
    ann.press("Enter")
    ann.notice("Kitchen is locked").wait_for()
    lock(False)
    ann.press("Enter")
    ann.wait("app.session.shownName(value) === 'Chair'", argument=number(left))

    ann.page.get_by_role("tab", name="Inspector").click()
    for label in ("Name", "X"):
        ann.take("select")
        shape = next(iter(ann.shapes()))
        ann.select(shape)
        ann.page.get_by_label(label, exact=True).focus()
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
        assert ann.run("return app.tool") == "select", label
        ann.page.mouse.click(500, 500)
        ann.type("r")
        assert ann.run("return app.tool") == "rectangle", label
        room.add(position=[200, 200], size=[100, 100])
        ann.wait_for_shapes(1)


def test_what_is_written_where_somebody_locks_is_not_lost_or_left_empty(room):
    """A new text, one that is being drawn, and a shape. What was written in the shape becomes a text of its own."""
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
    ann.press("Control+z")
    room.wait_for_shapes(0)
    ann.take("text")
    ann.drag((300, 300), (400, 400), hold=True)
    [text] = wait_until(room.shapes, "the new text")
    ann.learns(text["id"], locked=True)
    ann.page.mouse.up()
    room.wait_for(lambda shapes: shapes == [])
    assert not ann.run("return app.session.canUndo")

    shape = room.add(position=[200, 200], size=[100, 100], text="Plan")
    ann.wait_for_shape(shape)
    ann.take("select")
    ann.select(shape)
    # Typing after a nudge is a step of its own.
    ann.press("ArrowRight")
    ann.type("ned", "Escape")
    ann.wait_for_shape(shape, "shape.text === 'Planned'")
    moved = ann.shape(shape)["x"]
    assert moved > 200
    ann.press("Control+z")
    ann.wait_for_shape(shape, "shape.text === 'Plan'")
    assert ann.shape(shape)["x"] == moved
    ann.select(shape)
    ann.press("F2")
    ann.type("ned")
    room.write((shape, {"locked": True}))
    ann.page.locator(".writing-hint", has_text="locked now").wait_for()
    ann.type(" A", "Escape")
    ann.wait("app.session.shapes().some(({ kind, text }) => kind === 'text' && text === 'Planned A')")
    assert ann.shape(shape)["text"] == "Plan"


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


def test_a_name_that_is_being_typed_is_kept_when_the_tab_closes(room):
    shape = room.add(position=[200, 200], size=[100, 100])
    context = None
    for panel in ("inspector", "layers"):
        ann = room.join("Ann", at=(0, 0), panel="inspector", context=context)
        if context:
            room.wait_for(lambda shapes: shapes[0].get("name") == "By inspector")
        context = context or ann.context
        ann.select(shape)
        ann.page.click(f"#tab-{panel}")
        ann.painted()
        if panel == "layers":
            ann.page.locator(".layer-cell").first.dblclick()
        else:
            ann.page.get_by_label("Name", exact=True).focus()
        ann.press("Control+a")
        ann.type(f"By {panel}")
        ann.page.close(run_before_unload=True)
    room.join("Ann", context=context)
    room.wait_for(lambda shapes: shapes[0].get("name") == "By layers")
