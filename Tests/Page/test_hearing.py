"""The page for people who don't see the drawing: the list of shapes, and what is read out."""

import re

from hand import HALF
from listener import Listener
from waiting import wait_until

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


def test_a_visit_as_a_screen_reader_reads_it(room):
    """Two notes are made, written, connected, and one step is taken back, without a look at the canvas. Below is all
    that is read: ">" is what the focus comes to, "·" what is read out meanwhile. What others do is read too, until the
    menu turns that off. More is in Tests/gestures/hearing.test.mjs."""
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
    room.add(name="Moon", position=[2000, 2000])
    others = wait_until(lambda: [words for words in listener.heard()[told:] if words.startswith("Someone")], "what others do")
    assert re.fullmatch(r"Someone \(\w+\) added 1 rectangle\.", *others)
    told = len(listener.heard())
    ann.choose("Read out others’ changes", role="menuitemcheckbox")
    assert page.evaluate("localStorage.getItem('canvas.others-read')") == "off"
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
