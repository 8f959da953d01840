"""Where the focus is after something was opened by keyboard and left: at what opened it."""

import re

from listener import Listener

# What a button opens directly.
BOXES = ["Menu", "Copy a link to this room", "Zoom: 100%", "Style of the next shape", "You’re Ann. Change your name and colour"]
# The entries of the menu that open something, and what that is called there.
ENTRIES = [
    ("Shortcuts", "dialog", "Shortcuts"), ("Clear everything", "dialog", "Clear everything?"), ("Find…", "search", "Find in the drawing"),
    ("Read as a list", "region", "The drawing as a list"), ("Export as PNG…", "dialog", None), ("History", "region", "History"),
]


def fill(room):
    return [room.add(kind="star", name=f"Star {at}", position=[200 + at * 200, 200], size=[100, 100]) for at in range(7)]


def focused(person):
    return person.page.evaluate(
        "document.activeElement === document.body ? 'the canvas' : document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText")


def test_boxes_and_what_the_menu_opens_give_the_focus_back_to_their_button(room):
    fill(room)
    ann = room.join("Ann")
    for name in BOXES:
        button = ann.page.get_by_role("button", name=name, exact=True)
        button.focus()
        ann.press("Enter")
        ann.wait("document.querySelector('[popover]:popover-open')?.contains(document.activeElement)", f"the focus in what {name} opens")
        ann.press("Escape")
        assert focused(ann) == name
    ann.page.get_by_role("button", name="Menu", exact=True).focus()
    ann.press("Enter", "Tab")
    ann.see()
    assert not ann.page.locator("[popover]:popover-open").count(), "Tab leaves a menu"

    for entry, role, name in ENTRIES:
        ann.page.get_by_role("button", name="Menu", exact=True).focus()
        ann.press("Enter")
        ann.page.get_by_role("menuitem", name=re.compile(f"^{entry}")).focus()
        ann.press("Enter")
        opened = ann.page.get_by_role(role, name=name, exact=True) if name else ann.page.get_by_role(role)
        opened.wait_for()
        ann.wait("document.activeElement !== document.body && !document.activeElement.matches('[aria-label=Menu]')", f"the focus in {entry}")
        ann.press("Escape")
        opened.wait_for(state="hidden")
        ann.see()
        assert focused(ann) == "Menu", entry


def test_what_a_key_opens_the_panel_and_notices_are_left_by_escape(room):
    """What a key opens on the canvas gives the focus back to the canvas."""
    star, *_ = fill(room)
    ann = room.join("Ann")
    ann.press("v")
    for key, selects in (("?", False), ("Control+f", False), ("Shift+Delete", False), ("ContextMenu", True), ("Alt+k", True)):
        if selects:
            ann.select(star)
            ann.painted()
        ann.press(key)
        ann.wait("document.activeElement !== document.body", f"what {key} opens")
        ann.press("Escape")
        ann.wait("document.activeElement === document.body", f"the canvas after {key}")
        assert selects is False or ann.selected() == [star], "Escape has left what was open, and not more"
        ann.run("app.selection.clear(); return null")
    button = ann.page.get_by_role("button", name="Layers, inspector, overlaps")
    button.focus()
    ann.press("Enter")
    ann.page.locator("#tab-layers").focus()
    ann.press("Escape")
    assert focused(ann) == "the canvas" and ann.page.locator(".panel").is_visible(), "the panel stays, the keys go to the canvas"
    ann.page.get_by_role("button", name="Close the panel").focus()
    ann.press("Enter")
    assert focused(ann) == "Layers, inspector, overlaps" and ann.page.locator(".panel").is_hidden()
    ann.run("app.say('One.'); app.say('Two.'); return null")
    ann.notice("Two.").get_by_role("button", name="Dismiss").focus()
    ann.press("Enter")
    assert ann.notice("One.").locator(":focus").count() == 1, "the focus goes to the notice that is left"
    ann.press("Enter")
    ann.see()
    assert focused(ann) == "the canvas"


def test_the_tab_key_follows_what_is_seen(room):
    """From the top left to the top right, then the panel, then the notices and the tools."""
    fill(room)
    ann = room.join("Ann", panel="layers")
    listener = Listener(ann)
    stops = []
    for _ in range(14):
        ann.page.keyboard.press("Tab")
        stops.append(listener.focus().split(", ", 1)[1].removesuffix(", collapsed"))
    assert stops[:9] == [
        "Read the drawing as a list", "Menu", "You’re Ann. Change your name and colour", "Copy a link to this room", "Zoom: 100%",
        "Layers, inspector, overlaps, expanded", "Black Hole", "Layers", "Close the panel"], stops
    assert "Select" in " ".join(stops), stops
