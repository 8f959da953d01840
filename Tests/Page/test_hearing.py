"""The page for people who don't see the drawing: the list of shapes, and what is read out."""

import re

from hand import HALF
from listener import Listener

YELLOW = "#F5CB45"


def flow(room):
    """A flow chart of two steps and a labelled arrow, a loose line, a shape over another. Returns identifiers."""
    valid = room.add(kind="rectangle", text="Valid?", position=[100, 200], size=[150, 100], fill=YELLOW)
    board = room.add(kind="roundedRectangle", text="Dashboard", position=[400, 210], size=[150, 100], fill="#123456")
    arrow = room.add(kind="line", toEnd="arrow", text="yes", **{"from": [valid, HALF, HALF], "to": [board, HALF, HALF]})
    room.add(kind="line", position=[100, 600], size=[100, 20])
    room.add(kind="ellipse", name="Sun", position=[120, 260], size=[100, 200], locked=True)
    return valid, board, arrow


def items(person):
    return person.page.get_by_role("region", name="The drawing as a list").get_by_role("listitem").all_inner_texts()


def read(person):
    person.press("Alt+r")
    person.page.get_by_role("region", name="The drawing as a list").wait_for()
    person.see()
    return items(person)


def test_the_list_is_walked_by_keys_and_selects(room):
    """One stop of Tab, then arrow keys. A deleted shape passes the focus on, and Escape goes back."""
    flow(room)
    ann = room.join("Ann")
    listener = Listener(ann)
    ann.press("Tab")
    assert listener.focus() == "button, Read the drawing as a list"
    ann.press("Enter")
    ann.wait("document.activeElement.closest('.reading li')")
    assert listener.focus() == "button, Rectangle “Valid?”, yellow, overlaps “Sun”"
    ann.press("ArrowDown", "ArrowDown")
    assert listener.focus() == "button, Rounded rectangle “Dashboard”, right of “Valid?”, pressed"
    assert len(ann.selected()) == 1 and ann.shape(ann.selected()[0])["text"] == "Dashboard"
    ann.run("const [id] = app.session.drawingOrder(); app.edit((session) => session.edit([{ shape: id, set: { text: 'Sound?' } }])); return null")
    ann.page.get_by_role("button", name="Arrow from “Sound?” to “Dashboard”, “yes”").wait_for()
    ann.press("Delete")
    ann.wait("document.activeElement.textContent.startsWith('Ellipse') || document.activeElement.textContent.startsWith('Arrow')")
    ann.press("Home")
    assert listener.focus().startswith("button, Rectangle “Sound?”")
    ann.press("Escape")
    assert listener.focus() == "button, Read the drawing as a list"
    assert ann.page.locator(".reading li").count() == 0, "a closed list costs nothing"


def test_a_list_of_five_thousand_shapes_shows_a_hundred(room):
    """Only one page of the list is in the document."""
    ann = room.join("Ann")
    ann.run("""app.edit((session) => session.edit(Array.from({ length: 5000 }, (_, at) => ({ shape: session.newIdentifier(), set: {
        kind: 'rectangle', position: [at % 100 * 60, Math.floor(at / 100) * 60], size: [50, 50], text: `${at}` } })))); return null""")
    ann.wait_for_shapes(5000)
    listener = Listener(ann)
    shown = read(ann)
    assert len(shown) == 100 and shown[0].startswith("Rectangle “0”") and shown[99].startswith("Rectangle “99”")
    assert ann.page.get_by_text("Shapes 1 to 100 of 5,000").is_visible()
    ann.page.get_by_role("button", name="Next page").press("Enter")
    assert listener.focus().startswith("button, Rectangle “100”, below “0”")
    ann.press("End")
    assert listener.focus().startswith("button, Rectangle “4999”")
    assert len(items(ann)) == 100


def test_what_one_does_by_keys_is_read_out(room):
    """Adding, moving, duplicating, deleting, undoing and redoing: each is one sentence, however many keys it took."""
    shapes = [room.add(kind="star", name=f"Star {at}", position=[200 + at * 200, 200], size=[100, 100]) for at in range(3)]
    ann = room.join("Ann")
    listener = Listener(ann)
    ann.press("Shift")
    ann.wait("document.querySelector('[role=log][aria-label=Changes]')")
    ann.press("v", "Control+a")
    listener.hear("3 shapes selected.")
    for _ in range(3):
        ann.press("Shift+ArrowRight")
    listener.hear("3 shapes moved.")
    ann.press("Control+z")
    listener.hear("Undid: 3 shapes moved.")
    ann.press("Control+Shift+z")
    listener.hear("Redid: 3 shapes moved.")
    ann.press("Control+d")
    listener.hear("3 stars added.")
    ann.press("Delete")
    listener.hear("3 shapes deleted.")
    ann.press("Control+z")
    listener.hear("Undid: 3 stars added.")
    ann.select(shapes[1])
    listener.hear("Star “Star 1” selected.")
    ann.press("ArrowRight", "ArrowUp")
    listener.hear("Star “Star 1” moved, 1 to the right, 1 up.")
    ann.press("Delete")
    listener.hear("Star “Star 1” deleted.")
    ann.press("Escape")
    assert len([words for words in listener.heard() if words == "3 shapes moved."]) == 1
    assert ann.run("document.querySelector('[role=log][aria-label=Changes]').children.length") <= 5, "no more stay in the page"


def test_what_others_do_is_read_out_sparingly_and_can_be_turned_off(room):
    """What somebody does within some seconds is one sentence. A switch in the menu turns that off."""
    ann = room.join("Ann", clock=True)
    ben = room.join("Ben")
    listener = Listener(ann)
    ann.press("Shift")
    ann.wait("document.querySelector('[role=log][aria-label=Changes]')")
    ann.stop_clock()
    first = ben.run("app.edit((session) => session.add({ kind: 'rectangle', fill: '#FFE27A', text: 'One' })).shape")
    ben.run("app.edit((session) => session.add({ kind: 'rectangle', fill: '#FFE27A', text: 'Two' })); return null")
    ben.run("app.edit((session) => session.place([{ id: value, x: 300, y: 40 }])); return null", first)
    ann.wait("app.session.shapeCount === 2 && app.session.shape(value).x === 300", "Ben's notes", first)
    ann.pass_time(1000)
    assert not [words for words in listener.heard() if words.startswith("Ben")]
    ann.pass_time(5000)
    listener.hear("Ben added 2 notes.")
    ben.run("app.edit((session) => session.place([{ id: value, x: 500, y: 40 }])); return null", first)
    ann.wait("app.session.shape(value).x === 500", "Ben's move", first)
    ann.pass_time(6000)
    listener.hear("Ben moved 1 shape.")
    ann.run("app.actions.readOthers.run(); return null")
    ben.run("app.edit((session) => session.delete([value])); return null", first)
    ann.wait_for_shapes(1)
    ann.pass_time(6000)
    assert [words for words in listener.heard() if words.startswith("Ben")] == ["Ben added 2 notes.", "Ben moved 1 shape."]


def test_a_visit_as_a_screen_reader_reads_it(room):
    """Two notes are made, written, connected, and one step is taken back, without a look at the canvas. Below is all
    that is read: ">" is what the focus comes to, "·" what is read out meanwhile."""
    ann = room.join("Ann")
    listener = Listener(ann)
    page = ann.page
    transcript, told = [], 0

    def heard(*expected):
        nonlocal told
        for words in expected:
            listener.hear(words, told)
        now = listener.heard()
        spoken = [words for words in now[told:] if not words.startswith(("Sav", "Start drawing", "Your connection is slow"))]
        told = len(now)
        transcript.extend(f"· {without_tail(words)}" for words in spoken)

    def press(*keys):
        for key in keys:
            ann.press(key)
        ann.see(2)

    def without_tail(words):
        """The words without the letters by which the name of a shape differs from others."""
        return re.sub(r"\b(Rectangle|Line) \w{3}(?= added|$)", r"\1 …", words)

    def focus():
        words = listener.focus() or "the canvas"
        transcript.append("> " + without_tail(words))
        return words

    def write(text):
        press("n", "Enter")
        ann.wait("document.activeElement.matches('.writing-field')")
        name = focus().removeprefix("textbox, Text in ")
        # What one does within a moment is one sentence. So that there are always two, the first is heard out.
        heard(f"{name} added.")
        page.keyboard.type(text)
        press("Escape")
        heard(f"Note “{text}” written.")
        press("Escape")
        heard("Nothing selected.")

    press("Tab")
    ann.wait("document.querySelector('[role=log][aria-label=Changes]')")
    focus()
    page.evaluate("document.activeElement.blur()")
    write("Idea")
    write("Plan")
    press("Alt+r")
    ann.wait("document.activeElement.closest('.reading li')")
    focus()
    press("ArrowDown")
    focus()
    press("Escape")
    press("v", "Alt+k")
    page.get_by_role("option").first.wait_for()
    focus()
    transcript.append("> " + page.locator("[role=option][aria-selected=true]").inner_text())
    press("Enter")
    ann.wait_for_no_dialog()
    heard("Arrow from “Idea” to “Plan” added.")
    press("Control+z")
    heard("Undid: Arrow from “Idea” to “Plan” deleted.")
    page.get_by_role("button", name="Menu", exact=True).focus()
    focus()
    press("Enter")
    page.get_by_role("menuitem", name="All rooms").focus()
    focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="CanvasSync").wait_for()
    transcript.append(f"> {page.title()}")
    assert transcript == [
        "> button, Read the drawing as a list",
        "> textbox, Text in Rectangle …",
        "· Rectangle … added.",
        "· Note “Idea” written.",
        "· Nothing selected.",
        "> textbox, Text in Rectangle …",
        "· Rectangle … added.",
        "· Note “Plan” written.",
        "· Nothing selected.",
        "> button, Note “Plan”",
        "> button, Note “Idea”, below “Plan”, pressed",
        "> combobox, Text or name, expanded",
        "> Note “Plan”, above",
        "· 2 shapes",
        "· Arrow from “Idea” to “Plan” added.",
        "· Undid: Arrow from “Idea” to “Plan” deleted.",
        "> button, Menu, collapsed",
        "> menuitem, All rooms",
        "> CanvasSync",
    ]
