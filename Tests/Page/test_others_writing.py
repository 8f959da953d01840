"""What others see while somebody writes in a shape, before the text is kept."""

from boards import NOTE
from listener import Listener
from person import number
from test_writing import FIELD, edit, text_of, two_at

RECORD = """
    window.painted = { drawing: [], overlay: [] }
    const { fillText } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        (painted[this.canvas.id] ?? []).push(text)
        return fillText.call(this, text, ...place)
    }"""


def record(page):
    """Records the words that the page paints on each canvas."""
    page.add_init_script(RECORD)


def painted(person, canvas, words):
    person.page.wait_for_function("([canvas, words]) => window.painted[canvas].includes(words)", arg=[canvas, words])


def is_typed(person, shape, is_typed):
    person.wait(f"(app.scene.drawn(value)?.isTyped ?? false) === {str(is_typed).lower()}", f"typed: {is_typed}", number(shape))


def test_others_see_a_text_while_it_is_written(room):
    """With its writer's name, in place of the stored text. Nothing is stored before the text is kept."""
    square = room.add(position=[300, 200], size=[200, 150], name="Sun", text="Milk")
    ann, bob = room.join("Ann", at=(0, 0)), room.join("Bob", at=(0, 0), before=record)
    edit(ann, square)
    painted(bob, "overlay", "Ann is writing…")
    is_typed(bob, square, False)
    ann.type(" and eggs")
    painted(bob, "overlay", "Milk and eggs")
    is_typed(bob, square, True)
    bob.painted()
    bob.run("painted.drawing.length = 0; app.scene.touchAll(); app.invalidate(); return null")
    bob.painted()
    assert bob.page.evaluate("painted.drawing.length") == 0, "the drawing paints no text below it"
    assert text_of(room, square) == "Milk"
    ann.press("Escape")
    bob.wait_for_shape(square, "shape.text === 'Milk and eggs'")
    is_typed(bob, square, False)
    bob.painted()
    assert "Milk and eggs" in bob.page.evaluate("painted.drawing")
    bob.wait("app.presence.people()[0].typed === null")


def test_what_others_write_is_seen_as_it_will_be(room):
    """Letters of a long text fit into their note, which doesn't grow for others either. A new text is on one line, though
    its box isn't stored before the text. It goes when it is given up."""
    note = room.add(position=[300, 200], size=[200, 200], fill=NOTE)
    ann, bob = room.join("Ann", at=(0, 0)), room.join("Bob", at=(0, 0), before=record)
    edit(ann, note)
    ann.page.keyboard.insert_text("word " * 30)
    # Letters of the usual size leave space for three words.
    painted(bob, "overlay", "word word word word")
    ann.press("Escape", "Escape", "t")
    ann.click(700, 300)
    ann.page.wait_for_selector(FIELD, state="visible")
    ann.type("Hello, everybody")
    painted(bob, "overlay", "Hello, everybody")
    ann.press("Control+a", "Backspace", "Escape")
    bob.wait_for_shapes(1)


def test_who_writes_in_the_same_shape_sees_that_somebody_else_does(room):
    """The own field shows the own text, and a line below it names the other writer until they stop."""
    ann, bob, square = two_at(room)
    listener = Listener(ann)
    edit(ann, square)
    ann.type("by Ann")
    is_typed(bob, square, True)
    edit(bob, square)
    bob.type("by Bob")
    listener.hear("Bob is writing here too. The text that is kept last replaces the others.")
    bob.page.wait_for_selector(".writing-hint:has-text('Ann is writing here too')")
    assert bob.page.input_value(FIELD) == "by Bob"
    ann.press("Escape")
    bob.page.wait_for_selector(".writing-hint:has-text('Ann changed this text meanwhile')")
    bob.press("Escape")
    ann.notice("Bob wrote over your text in Sun: “by Ann”").wait_for()


def test_a_long_text_is_shown_around_the_caret(room):
    """Presence has a bound, so of a long text only the part is told where the writer is."""
    ann, bob, square = two_at(room, text="é" * 1900)
    edit(ann, square)
    ann.page.keyboard.press("Control+Home")
    ann.type("First: ")
    bob.wait("app.presence.people()[0]?.typed?.startsWith('First: é') && app.presence.people()[0].typed.endsWith('é…')")
    ann.page.keyboard.press("Control+End")
    ann.type(" last")
    bob.wait("app.presence.people()[0].typed.startsWith('…é') && app.presence.people()[0].typed.endsWith('é last')")
    ann.press("Escape")
    bob.wait_for_shape(square, "shape.text.endsWith('é last')")
    assert ann.page.locator(".notice").count() == 0, "the room takes that much presence"


def test_what_a_stranger_writes_is_bounded_and_goes_with_them(room):
    """Odd values are no text: Tests/network/presence.test.mjs. If a writer is gone without keeping the text, the shape's own text comes back. So it is with
    the caption of a curved line that its writer has selected: it is marked along its curve."""
    square = room.add(position=[300, 200], size=[200, 150], text="Milk", z="B")
    curve = room.add(kind="line", route="curved", position=[700, 200], size=[300, 200], path=[[0, 0], [30000, 60000], [65535, 0]], z="A")
    bob = room.join("Bob", at=(0, 0), before=record)
    with room.stranger("Odd") as odd:
        odd.show(writing="zzz-zzz-zzz", typed="nowhere", cursor=[9, 1])
        bob.wait("app.presence.people()[0]?.typed === 'nowhere'")
        bob.painted()
        odd.show(writing=square, typed="Eggs\u0000\u0007")
        painted(bob, "overlay", "Eggs")
        odd.show(selection=[curve], writing=curve, typed="Bread")
        painted(bob, "overlay", "Bread")
        painted(bob, "overlay", "Odd is writing…")
        odd.show(writing=square, typed="Eggs")
        is_typed(bob, square, True)
    is_typed(bob, square, False)
    bob.painted()
    assert bob.page.evaluate("painted.drawing.at(-1)") == "Milk"
