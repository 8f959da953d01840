"""Text in shapes: written in place, stored, shown to others, and not lost if two people write at once."""

from boards import FIRST_NOTE, NOTE

FIELD = ".writing-field"


def write(person, words, done="Escape"):
    person.page.wait_for_selector(FIELD, state="visible")
    person.type(words)
    if done:
        person.press(done)
        person.page.wait_for_selector(FIELD, state="hidden")


def edit(person, shape, key="F2"):
    """Selects a shape, and opens its text by a key."""
    person.select(shape)
    person.press(key)
    person.page.wait_for_selector(FIELD, state="visible")


def anew(person, shape):
    """Opens a shape's text, and replaces all of it."""
    edit(person, shape, "Enter")
    person.press("Control+a")


def text_of(room, shape):
    return room.shape(shape).get("text", "")


def test_a_double_click_writes_in_a_shape_and_escape_keeps_it(room):
    """One undo removes it, and its letters are painted. The field stays while one looks elsewhere."""
    square = room.add(position=[300, 200], size=[200, 150], fill="#FFFFFF")
    ann = room.join("Ann", at=(0, 0))
    before = ann.painted_picture()
    ann.click(400, 275, times=2)
    write(ann, "Buy ", done=None)
    # Another window gets the focus, and gives it back.
    ann.run("document.hasFocus = () => false; document.activeElement.dispatchEvent(new Event('blur'));"
            "delete document.hasFocus; return null")
    write(ann, "milk")
    ann.wait_for_shape(square, "shape.text === 'Buy milk'")
    assert text_of(room, square) == "Buy milk" and room.shape(square)["fill"] == "#FFFFFF"
    assert (ann.painted_picture() != before).any()
    ann.click(400, 275, times=2)
    assert (ann.painted_picture() == before).all(), "the field alone has the letters"
    ann.press("Escape", "Control+z")
    ann.wait_for_shape(square, "shape.text === ''")
    assert (ann.painted_picture() == before).all()


def written_in(room):
    """Joins a person, who has selected a shape with text."""
    square = room.add(position=[300, 200], size=[200, 150], text="one")
    ann = room.join("Ann", at=(0, 0))
    ann.select(square)
    return ann, square


def test_who_just_types_with_a_written_shape_selected_goes_on_with_its_text(room):
    """Also by letters that are shortcuts. Without a text, or with several shapes selected, they are shortcuts."""
    ann, square = written_in(room)
    for words in ("Most of this", "reduces", "1 kg", "[0] + {2} = -3?"):
        ann.press("Escape")
        ann.select(square)
        before = ann.shape(square)["text"]
        ann.type(words)
        write(ann, "")
        ann.wait_for_shape(square, f"shape.text === '{before}{words}'")
    assert ann.run("[app.view.scale, app.tool]") == [1, "select"]
    ann.press("Alt++")
    assert ann.run("app.view.scale") == 1.25
    ann.press("Escape", "-")
    assert ann.run("app.view.scale") == 1
    ann.press("o")
    ann.drag((500, 400), (600, 500))
    oval = next(shape for shape in room.wait_for_shapes(2) if shape["kind"] == "ellipse")
    # The new shape is selected and has no text, so a letter is a tool's key, and F2 writes. The drawing tool stays chosen.
    for key, tool in (("a", "arrow"), ("v", "select"), ("o", "ellipse")):
        ann.press(key)
        ann.wait(f"app.tool === '{tool}'")
    ann.press("F2")
    write(ann, "hello")
    ann.wait_for_shape(oval["id"], "shape.text === 'hello'")
    assert ann.run("app.tool") == "ellipse"
    ann.press("Control+a", "c")
    ann.wait_for_shape(oval["id"], f"shape.fill !== '{oval['fill']}'")
    ann.select(oval["id"])
    ann.press("Control+Shift+l")
    ann.wait_for_shape(oval["id"], "shape.locked")
    # Waits until the page shows the lock. Before that, the page would still type into the shape.
    ann.painted()
    ann.press("r")
    ann.wait("app.tool === 'rectangle'")
    # A note that is left empty still takes what is typed.
    ann.press("n")
    ann.click(400, 600)
    write(ann, "")
    ann.press("Escape")
    ann.click(400, 600)
    ann.type("hero")
    write(ann, "")
    room.wait_for(lambda shapes: "hero" in [shape.get("text") for shape in shapes])


def test_after_the_key_that_ends_a_text_letters_choose_tools_and_change_nothing(room):
    """So one note follows another by N and a click, or by N and Enter, and no letter gets into the last one."""
    ann = room.join("Ann", at=(0, 0))
    for count, words in enumerate(("Milk", "Call Bob", "Questions")):
        ann.press("n")
        ann.page.mouse.click(200 + 300 * count, 250)
        ann.page.keyboard.type(words)
        ann.page.keyboard.press("Escape")
    ann.page.keyboard.type("n")
    ann.page.keyboard.press("Enter")
    ann.page.keyboard.type("By keys")
    ann.page.keyboard.press("Escape")
    notes = room.wait_for(lambda shapes: [shape.get("text") for shape in shapes] == ["Milk", "Call Bob", "Questions", "By keys"])
    # Some of these letters change a selected shape, add a square, or remove all shapes.
    ann.page.keyboard.type("Be quick, [see] {this}")
    ann.painted()
    assert room.agree() == notes and ann.run("app.tool") == "star"
    # A press on the note, and the note can be written in again.
    ann.press("v")
    ann.click(*ann.middle(notes[0]["id"]))
    ann.type(", bread")
    write(ann, "", done="Control+Enter")
    ann.wait_for_shape(notes[0]["id"], "shape.text === 'Milk, bread'")
    notes = room.agree()
    ann.page.keyboard.type("Be quick")
    ann.painted()
    assert room.agree() == notes, "after the other key that ends a text, too"


def test_the_tools_that_write_also_write_on_a_shape(room):
    """A tap on a board makes a note or a text there. With the tool for texts, a tap on what is written goes on with it."""
    board = room.add(position=[100, 100], size=[900, 500], fill="#EEEEEE")
    ann = room.join("Ann", at=(0, 0))
    ann.wait_for_shapes(1)
    for tool, x, words in (("n", 300, "Call Bob"), ("t", 700, "quick"), ("t", 300, ", too")):
        ann.press(tool)
        ann.page.mouse.click(x, 300)
        ann.page.keyboard.type(words)
        ann.page.mouse.click(1100, 650)
    shapes = room.wait_for(lambda shapes: [shape.get("text") for shape in shapes] == [None, "Call Bob, too", "quick"])
    assert [(shape["id"] == board, shape["kind"]) for shape in shapes] == [(True, "rectangle"), (False, "rectangle"), (False, "text")]
    ann.press("n")
    with ann.holding("Shift"):
        ann.page.mouse.click(700, 500)
    assert ann.selected() == [board]


def test_a_press_elsewhere_soon_after_a_double_click_leaves_the_text(room):
    """A third click at the same place selects the text. Elsewhere, or once something was typed, it doesn't: what is
    typed next would replace the text. Nor does the next one elsewhere, if the browser takes the third away."""
    squares = [room.add(position=[x, y], size=[150, 100], text="…") for y in (200, 400) for x in (100, 500)]
    ann = room.join("Ann", at=(0, 0), clock=True)
    ann.wait_for_shapes(4)
    ann.press("v")
    ann.stop_clock()
    for at, words in ((0, "Show error"), (2, "")):
        ann.page.mouse.dblclick(*ann.middle(squares[at]))
        ann.page.wait_for_selector(FIELD, state="visible")
        ann.page.keyboard.type(words)
        ann.page.mouse.dblclick(*ann.middle(squares[at + 1]))
        ann.page.keyboard.type("Send code")
        ann.press("Escape")
        ann.pass_time(1000)
        if words:
            room.wait_for(lambda _: "Send code" in text_of(room, squares[at + 1]))
        assert words in text_of(room, squares[at]) and "Send code" not in text_of(room, squares[at]), words
    ann.press("Escape")
    x, y = ann.middle(squares[0])
    ann.page.mouse.dblclick(x, y)
    ann.page.wait_for_selector(FIELD, state="visible")
    chosen = ann.page.query_selector(FIELD).evaluate("""(field, [clientX, clientY]) => {
      const press = (type, target) => target.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX, clientY }))
      const chosen = () => field.selectionEnd - field.selectionStart
      field.parentElement.classList.add('is-fresh')
      press('pointerdown', field)
      press('pointercancel', field)
      press('pointerup', document.body)
      const other = chosen()
      press('pointerdown', field)
      press('pointerup', field)
      return [other, chosen() > 0]
    }""", [x, y])
    assert chosen == [0, True]


def test_the_space_bar_moves_the_paper_and_never_writes(room):
    """With a shape selected, while the key repeats, and if it is released after a text was opened."""
    ann, square = written_in(room)
    ann.page.keyboard.down(" ")
    ann.page.keyboard.down(" ")
    ann.drag((700, 500), (740, 530))
    assert ann.run("[app.view.x, app.view.y]") == [-40, -30]
    assert ann.page.locator(FIELD).count() == 0
    ann.press("x")
    ann.page.wait_for_selector(FIELD, state="visible")
    ann.page.keyboard.up(" ")
    write(ann, "")
    ann.wait_for_shape(square, "shape.text === 'onex'")
    ann.drag((900, 600), (950, 600))
    assert ann.run("app.view.x") == -40, "the space bar isn't held any more"


def test_keys_keep_their_meaning_on_a_selected_shape_unless_they_type(room):
    """They delete, copy and move, though the hidden field for typing has the focus."""
    ann, square = written_in(room)
    page = ann.page
    page.keyboard.press("ArrowRight")
    ann.wait_for_shape(square, "shape.x === 301")
    page.keyboard.press("Control+Backspace")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Control+d")
    ann.wait_for_shapes(2)
    page.keyboard.press("Delete")
    ann.wait_for_shapes(1)
    page.keyboard.press("Control+z")
    ann.wait_for_shapes(2)
    page.keyboard.press("Control+z")
    ann.wait_for_shapes(1)
    ann.select(square)
    page.keyboard.press("ContextMenu")
    page.get_by_role("menuitem", name="Duplicate").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.bars') !== null"), "after the list of shapes come the bars"
    assert page.locator(FIELD).count() == 0 and ann.shape(square)["text"] == "one"
    ann.click(400, 275)
    page.keyboard.type("!")
    write(ann, "")
    ann.wait_for_shape(square, "shape.text === 'one!'")
    # Enter opens the field with the shape's text, and is a line break there. Control and Enter end editing.
    ann.press("Enter")
    write(ann, " and two", done=None)
    ann.press("Enter")
    page.keyboard.type("three")
    ann.press("Control+Enter")
    ann.wait_for_shape(square, "shape.text === 'one! and two\\nthree'")


def test_input_methods_begin_a_text_too(room):
    """What is composed is shown at once, and left alone until it is complete. Dead keys and emoji work too."""
    ann, square = written_in(room)
    method = ann.context.new_cdp_session(ann.page)

    def compose(words):
        method.send("Input.imeSetComposition", {"text": words, "selectionStart": len(words), "selectionEnd": len(words)})

    for key in ("Process", "Dead"):
        method.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", "key": key, "code": "KeyH", "windowsVirtualKeyCode": 229})
    assert ann.run("app.tool") == "select", "what an input method takes is no key of a tool"
    for words in ("k", "か", "かn", "かん"):
        compose(words)
        ann.page.wait_for_selector(FIELD, state="visible")
        assert ann.page.input_value(FIELD) == f"one{words}"
    method.send("Input.insertText", {"text": "漢"})
    # A character that is not allowed in a text stays in the field until the input method has finished composing.
    compose("字\t")
    assert ann.page.input_value(FIELD) == "one漢字\t"
    method.send("Input.insertText", {"text": "字\t"})
    assert ann.page.input_value(FIELD) == "one漢字    "
    # Safari tells only by its number that a key is the input method's.
    ann.page.eval_on_selector(FIELD, "(field) => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', keyCode: 229 }))")
    write(ann, "")
    ann.wait_for_shape(square, "shape.text === 'one漢字    '")
    ann.press("Escape")
    ann.select(square)
    method.send("Input.insertText", {"text": "👩‍👩‍👧"})
    write(ann, "")
    ann.wait_for_shape(square, "shape.text === 'one漢字    👩‍👩‍👧'")


def test_the_note_tool_makes_a_slip_to_write_on_and_the_text_tool_a_text_also_in_hebrew(room):
    """One click makes a note or a text. A click elsewhere saves it, and a text that stays empty is removed, but not with
    what somebody else wrote there. From right to left, a new text extends to the left."""
    ann, bob = room.join("Ann", at=(0, 0)), room.witness()
    ann.press("n")
    ann.click(500, 300)
    write(ann, "Milk", done=None)
    ann.page.mouse.click(900, 600)
    ann.page.wait_for_selector(FIELD, state="hidden")
    bob.wait_for_shapes(1)
    (note,) = room.agree()
    assert note["kind"] == "rectangle" and note["text"] == "Milk" and note["fill"] == FIRST_NOTE
    ann.press("Escape", "t")
    ann.click(800, 300)
    write(ann, "A longer line of words")
    bob.wait_for_shapes(2)
    text = next(shape for shape in room.agree() if shape["kind"] == "text")
    assert text["text"] == "A longer line of words" and text["size"][0] > 100 and text["textAlign"] == "left"
    ann.press("Escape", "t")
    ann.click(800, 500)
    write(ann, "")
    ann.wait_for_shapes(2)
    assert len(room.agree()) == 2
    ann.press("Escape", "t")
    ann.click(800, 500)
    ann.page.wait_for_selector(FIELD, state="visible")
    empty = room.wait_for_shapes(3)[-1]["id"]
    ann.learns(empty, text="precious")
    ann.press("Escape")
    ann.page.wait_for_selector(FIELD, state="hidden")
    assert room.agree()[-1]["text"] == "precious"
    ann.press("Escape", "t")
    ann.click(600, 100)
    ann.page.keyboard.insert_text("שלום עולם")
    box = ann.page.locator(FIELD).bounding_box()
    assert box["x"] < 560 and 590 < box["x"] + box["width"] < 610
    write(ann, "")
    text = room.wait_for_shapes(4)[-1]
    assert text["textAlign"] == "right" and text["position"][0] < 560
    assert abs(text["position"][0] + text["size"][0] - 608) < 1


def test_a_note_makes_its_text_smaller_before_it_grows(room):
    """A shorter text is larger again, and undo brings both back."""
    note = room.add(position=[300, 200], size=[200, 200], fill=NOTE)
    ann = room.join("Ann", at=(0, 0))
    sizes = []
    edit(ann, note)
    for words in ("word " * 30, "word " * 40, "word " * 100):
        ann.press("Control+a")
        ann.page.keyboard.insert_text(words)
        sizes.append(ann.page.locator(FIELD).evaluate("(field) => getComputedStyle(field).fontSize"))
    assert sizes == ["16.562px", "13.715px", "12.4806px"]
    ann.press("Escape")
    shape = room.wait_for(lambda shapes: shapes[0].get("textSize") == 12.4806)[0]
    assert shape["size"][0] == 200 and shape["size"][1] > 200, "so long a text doesn't fit"
    anew(ann, note)
    write(ann, "short")
    room.wait_for(lambda shapes: shapes[0].get("textSize") == 20)
    ann.press("Control+z")
    room.wait_for(lambda shapes: shapes[0].get("textSize") == 12.4806)
    # The next note begins with letters of the usual size.
    edit(ann, note)
    ann.press("Tab")
    write(ann, "next")
    assert room.wait_for_shapes(2)[-1].get("textSize", 20) == 20


def test_tab_goes_on_in_the_next_note(room):
    """It has the same size and look, at the first free place to the right, and is one step to undo."""
    board = room.add(position=[0, 100], size=[2000, 400], fill="#EEEEEE", z="A")
    first = room.add(position=[100, 200], size=[160, 120], fill="#CFE0F7", stroke="#27476E", strokeWidth=3, textSize=28, z="B")
    room.add(position=[290, 250], size=[50, 50], z="C")
    ann = room.join("Ann", at=(0, 0))
    edit(ann, first)
    for words, key in (("one", "Tab"), ("two", "Tab"), ("three", "Shift+Tab")):
        write(ann, words, done=None)
        ann.press(key)
    ann.page.wait_for_selector(FIELD, state="hidden")
    shapes = room.wait_for(lambda shapes: len(shapes) == 5 and shapes[-1].get("text") == "three")
    one, two, three = (next(shape for shape in shapes if shape.get("text") == text) for text in ("one", "two", "three"))
    # The place beside the first note is taken.
    assert [note["position"] for note in (two, three)] == [[460, 200], [640, 200]]
    same = ("kind", "size", "fill", "stroke", "strokeWidth", "textSize")
    assert all(note[name] == one[name] for note in (two, three) for name in same)
    edit(ann, three["id"])
    for _ in range(3):
        ann.page.wait_for_selector(FIELD, state="visible")
        ann.press("Tab")
    ann.type("last")
    ann.painted()
    field = ann.page.locator(FIELD).bounding_box()
    assert 0 <= field["x"] and field["x"] + field["width"] <= 1280, field
    ann.press("Escape")
    room.wait_for(lambda shapes: shapes[-1].get("text") == "last" and shapes[-1]["position"] == [1180, 200])
    ann.press("Control+z")
    shapes = room.wait_for_shapes(7)
    assert not any(shape.get("text") == "last" for shape in shapes)
    edit(ann, three["id"])
    # A held key repeats.
    for _ in range(3):
        ann.page.keyboard.down("Tab")
    ann.page.keyboard.up("Tab")
    ann.type("held", "Escape")
    shapes = room.wait_for(lambda shapes: any(shape.get("text") == "held" for shape in shapes))
    assert len(shapes) == 8
    assert board in [shape["id"] for shape in room.agree()]


def test_what_is_pasted_is_plain_and_not_too_long(room):
    square = room.add(position=[300, 200], size=[200, 150])
    ann = room.join("Ann", at=(0, 0))
    edit(ann, square, "Enter")
    ann.page.keyboard.insert_text("a\tb\u0007 שלום 👩‍👩‍👧")
    ann.press("Escape")
    ann.wait_for_shape(square, "shape.text === 'a    b שלום 👩‍👩‍👧'")
    anew(ann, square)
    ann.page.keyboard.insert_text("é" * 3000)
    ann.press("Escape")
    ann.wait_for_shape(square, "shape.text.length > 2000")
    shape = next(shape for shape in room.agree() if shape["id"] == square)
    assert shape["text"] == "é" * 2048
    assert shape["size"][1] > 150, "the box has grown with it"
    # A copy from a page or a word processor has HTML and plain text. The plain text is used.
    ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ann.page.evaluate("""() => navigator.clipboard.write([new ClipboardItem({
      'text/html': new Blob(['<h1>Milk <b>and</b></h1><img src="/icon.svg"><p>honey'], { type: 'text/html' }),
      'text/plain': new Blob(['Milk and\\nhoney'], { type: 'text/plain' }) })])""")
    anew(ann, square)
    ann.press("Control+v")
    write(ann, "")
    ann.wait_for_shape(square, "shape.text === 'Milk and\\nhoney'")
    # The browser can undo a paste of which not all is kept.
    for copied, pasted in (("a\tb\vc", "a    b\nc"), ("é" * 3000, "é" * 2048)):
        ann.page.evaluate("(text) => navigator.clipboard.writeText(text)", copied)
        anew(ann, square)
        ann.press("Control+v")
        assert ann.page.input_value(FIELD) == pasted
        ann.press("Control+z")
        assert ann.page.input_value(FIELD) == "Milk and\nhoney"
        ann.press("Escape")


def test_who_loses_in_a_text_is_told_and_takes_it_back_with_one_click(room):
    """The text of the person who wrote later wins. The lost one is shown whole, however long it is, and stays there when
    another is lost."""
    ann, bob, square = two_at(room)
    texts = {ann: "by Ann, " + "Milk and honey, " * 30 + "and the end of it", bob: "by Bob"}
    for person in (ann, bob):
        edit(person, square)
        person.page.keyboard.insert_text(texts[person])
    ann.press("Escape")
    bob.wait_for_shape(square, "shape.text.startsWith('by Ann')")
    bob.page.wait_for_selector(".writing-hint:has-text('Ann changed this text meanwhile')")
    bob.press("Escape")
    ann.wait_for_shape(square, "shape.text === 'by Bob'")
    notice = ann.notice("Bob wrote over your text in Sun: “by Ann, ")
    words = notice.locator(".notice-words")
    assert texts[ann] in words.text_content()
    words.evaluate("(element) => { element.scrollTop = element.scrollHeight }")
    # The end of the text is visible: it is scrolled to the bottom.
    assert words.evaluate("(element) => Math.abs(element.scrollHeight - element.scrollTop - element.clientHeight) <= 1 && element.clientHeight > 60")
    rewrite(ann, square, "more")
    bob.wait_for_shape(square, "shape.text === 'more'")
    rewrite(bob, square, "again by Bob")
    ann.notice("Bob wrote over your text in Sun: “more”").wait_for()
    notice.get_by_role("button", name="Put mine back").click()
    bob.wait_for_shape(square, "shape.text.startsWith('by Ann')")
    # Now Bob's text is replaced, and he is told so.
    notice = bob.notice("Ann wrote over your text in Sun: “again by Bob”")
    notice.wait_for()
    # If the shape is gone by now, the text comes back without it.
    bob.learns(square, deleted=True)
    notice.get_by_role("button", name="Put mine back").click()
    room.wait_for(lambda shapes: [shape["text"] for shape in shapes] == ["again by Bob"])


def test_what_is_typed_into_a_full_text_is_refused_and_not_its_end(room):
    """So is what Ctrl+B would write. Each refusal is told. Of what is pasted, as much stays as there is space for."""
    square = room.add(position=[300, 200], size=[200, 150], text="x" * 4080 + " and the end")
    ann = room.join("Ann", at=(0, 0))
    edit(ann, square)
    notice = ann.notice("A shape takes no more text than this")
    ann.wait("app.writing.hasMarkKeys")
    for keys in (["Control+Home", "1", "2", "3", "4", "5", "6"], ["7"], ["Control+a", "Control+b"]):
        ann.press(*keys)
        notice.wait_for()
        notice.evaluate("(notice) => notice.remove()")
    assert ann.page.input_value(FIELD) == "1234" + "x" * 4080 + " and the end"
    ann.press("Control+Home", *["Delete"] * 4)
    ann.page.keyboard.insert_text("pasted")
    assert ann.page.input_value(FIELD) == "past" + "x" * 4080 + " and the end"
    ann.press("Escape")
    room.wait_for(lambda shapes: shapes[0]["text"] == "past" + "x" * 4080 + " and the end")


def two_at(room, **values):
    """A room with two people and a shape named Sun."""
    square = room.add(position=[300, 200], size=[200, 150], name="Sun", **values)
    return room.join("Ann", at=(0, 0)), room.join("Bob", at=(0, 0)), square


def rewrite(person, shape, words, done="Escape"):
    anew(person, shape)
    write(person, words, done)


def is_told(person, words):
    person.notice(words).get_by_role("button", name="Put mine back").wait_for()


def test_who_was_away_or_elsewhere_is_told_what_was_lost_meanwhile(room):
    """Once the page is online; while it is hidden, at once, because it may not come back. Who is writing sees that the text
    has changed."""
    ann, bob, square = two_at(room)
    moon = room.add(position=[700, 200], size=[200, 150])
    bob.wait_for_shape(moon)
    for shape in (square, moon):
        rewrite(bob, shape, "by Bob")
        ann.wait_for_shape(shape, "shape.text === 'by Bob'")
    bob.disconnect()
    for shape in (square, moon):
        rewrite(ann, shape, "by Ann")
    room.wait_for(lambda _: text_of(room, moon) == "by Ann")
    rewrite(bob, moon, "more", done=None)
    bob.run("app.start(); return null")
    bob.wait_for_shape(square, "shape.text === 'by Ann'")
    is_told(bob, "Ann wrote over your text in Sun: “by Bob”")
    is_told(bob, "Ann wrote over your text in “by Ann”: “by Bob”")
    bob.page.wait_for_selector(".writing-hint:has-text('changed this text meanwhile')")
    bob.press("Escape")
    room.agree()

    rewrite(bob, square, "hidden")
    ann.wait_for_shape(square, "shape.text === 'hidden'")
    bob.hide()
    rewrite(ann, square, "by Ann")
    bob.wait("app.live.shapes().some(({ text }) => text === 'by Ann')", "Bob's page has it")
    is_told(bob, "Ann wrote over your text in Sun: “hidden”")


def test_nothing_is_lost_with_a_shape_that_goes_while_somebody_writes_in_it(room):
    """The field stays, so that no letter is a tool's key. What is written becomes a text where the shape would not hide
    it, and stays the shape's if that comes back first."""
    ann, bob, square = two_at(room)
    taken = room.add(position=[510, 210], size=[100, 100])
    ann.wait_for_shape(taken)
    hint = ann.page.locator(".writing-hint", has_text="Bob deleted this. What you write becomes a new text")

    def write_in_a_deleted(words, rest):
        edit(ann, square, "F2")
        ann.type(words)
        bob.wait_for_shape(square)
        bob.delete(square)
        hint.wait_for()
        ann.type(rest)
        assert ann.run("[app.tool, app.session.shapeCount]") == ["select", 1]

    write_in_a_deleted("precious", " question, black dots")
    ann.press("Escape")
    (kept,) = (shape for shape in room.wait_for_shapes(2) if shape["id"] != taken)
    assert (kept["kind"], kept["text"]) == ("text", "precious question, black dots")
    assert ann.selected() == [kept["id"]]
    bob.press("Control+z")
    ann.wait_for_shape(square)
    assert kept["position"] == [740, 200], "beside both shapes"
    ann.learns(kept["id"], deleted=True)

    write_in_a_deleted("mine", " and")
    bob.press("Control+z")
    hint.wait_for(state="hidden")
    write(ann, " more")
    ann.wait_for_shape(square, "shape.text === 'mine and more'")
    # What was there before is not kept.
    write_in_a_deleted("", "")
    write(ann, "")
    assert [shape["id"] for shape in room.agree()] == [taken]


def test_a_text_for_which_a_shape_has_no_space_is_given_back(room):
    """It would grow over the edge of the canvas."""
    square = room.add(position=[-10_000_000, 0], size=[50, 100], rotation=90)
    ann = room.join("Ann")
    edit(ann, square)
    write(ann, "word " * 50)
    notice = ann.notice("This text can’t be kept. What you wrote isn’t in the drawing: “word word")
    notice.get_by_role("button", name="Copy").wait_for()
    assert text_of(room, square) == ""


def test_what_is_written_stays_above_the_keyboard_of_a_phone(room):
    """The view moves up while the person writes, further with each line, and returns afterwards."""
    note = room.add(position=[60, 620], size=[200, 120], text="Milk")
    ann = room.join("Ann", phone=True, at=(0, 0))
    ann.select(note)
    ann.page.get_by_role("button", name="Write in it").click()
    ann.page.wait_for_selector(FIELD, state="visible")
    assert ann.run("app.view.y") == 0

    def keyboard(height):
        ann.run("Object.defineProperty(visualViewport, 'height', { get: () => innerHeight - value, configurable: true });"
                "visualViewport.dispatchEvent(new Event('resize')); return null", height)

    def bottom():
        box = ann.page.locator(FIELD).bounding_box()
        return box["y"] + box["height"]

    keyboard(336)
    seen = 844 - 336
    assert seen - 20 < bottom() < seen
    ann.press("End")
    for word in ("honey", "bread", "and", "butter"):
        ann.press("Enter")
        ann.type(word)
    assert seen - 20 < bottom() < seen
    keyboard(0)
    assert ann.run("app.view.y") == 0, "the keyboard is put away"
    keyboard(336)
    assert ann.run("app.view.y") > 100
    x, y = 330, 120
    ann.touch.start((x, y))
    ann.page.wait_for_selector(FIELD, state="hidden")
    assert ann.run("app.view.y") > 100, "nothing moves under the finger"
    ann.touch.end()
    ann.wait("app.view.y === 0", "the paper is back")
    ann.wait_for_shape(note, "shape.text === 'Milk\\nhoney\\nbread\\nand\\nbutter'")


def test_a_text_is_one_step_from_adding_until_it_is_kept(room):
    """Undo removes its shape too. One that stays empty leaves nothing, and no step to undo or redo."""
    ann = room.join("Ann", at=(0, 0))
    square = "app.edit((session) => session.addSquare({ x: 900, y: 600, width: 200, height: 150 })); return null"
    ann.run(square)
    ann.press("Escape")
    for tool, shape in (("t", "text"), ("n", "rectangle")):
        ann.press(tool)
        ann.page.mouse.click(300, 300)
        ann.type("Hello", "Escape")
        ann.wait("app.live.shapes().some(({ text }) => text === 'Hello')", "the text")
        ann.press("Control+z")
        ann.wait_for_shapes(1)
    ann.press("t")
    ann.page.mouse.click(300, 300)
    ann.press("Escape")
    ann.wait_for_shapes(1)
    assert ann.run("app.live.canRedo")
    ann.press("t")
    ann.drag((300, 300), (500, 400))
    ann.press("Escape")
    ann.wait_for_shapes(1)
    ann.press("Control+Shift+z")
    ann.wait("app.live.shapes().some(({ text }) => text === 'Hello')", "the note that can be done again")
    ann.press("Control+z", "Control+z")
    ann.wait_for_shapes(0)


def test_a_text_that_met_a_deletion_is_given_back(room):
    """One writes and the other deletes, while one of them is away: neither can know of the other."""
    ann, bob, square = two_at(room)
    moon = room.add(position=[700, 200], size=[200, 150])
    ann.wait_for_shape(moon)
    bob.wait_for_shape(moon)
    bob.go_offline()
    edit(bob, square, "Enter")
    write(bob, "from afar")
    bob.delete(moon)
    ann.delete(square)
    edit(ann, moon, "Enter")
    write(ann, "later")
    bob.come_online()
    for person, other, words in [(ann, "Bob", "later"), (bob, "Ann", "from afar")]:
        notice = person.notice(f"{other} deleted the shape in which you had written: “{words}”")
        notice.get_by_role("button", name="Keep the text").click()
        notice.wait_for(state="hidden")
    room.wait_for_shapes(2)
    assert sorted((shape["kind"], shape["text"]) for shape in room.agree()) == [("text", "from afar"), ("text", "later")]
