"""Everything that a person can open in a room, for tests that look at all of it."""


def fill(room):
    for at in range(3):
        room.add(kind="star", name=f"Star {at}", position=[60 + at * 90, 200], size=[80, 80], text="Hi")
    room.add(kind="line", toEnd="arrow", position=[60, 400], size=[80, 80])


def select(person, place):
    """Selects the shape that is at this place in the drawing order."""
    person.run("app.selection.set([app.session.drawingOrder()[value]]); return null", place)
    person.painted()


def states(person, people):
    """Opens one after the other, and yields the name of each. The room is filled, and this many `people` are there."""
    page = person.page
    yield "the room"
    select(person, 0)
    yield "a selection"
    page.locator(".selection-bar button").first.click()
    person.see(2)
    yield "the colours of a selection"
    person.press("Escape")
    select(person, 3)
    yield "a line"
    select(person, 0)
    page.get_by_role("button", name="Layers, inspector, overlaps").click()
    for tab in ["inspector", "overlaps", "layers"]:
        page.click(f"#tab-{tab}")
        if tab == "inspector":
            page.get_by_role("group", name="Arrange").wait_for()
        person.see(2)
        yield tab
    page.get_by_role("button", name="Close the panel").click()
    for name in ["Menu", "Copy a link to this room", "Zoom: 100%", "Style of the next shape", "More tools", f"{people} people are here",
                 "You’re Ann. Change your name and colour"]:
        button = page.get_by_role("button", name=name, exact=True)
        # Which buttons there are depends on the width of the window.
        if button.is_visible():
            button.click()
            person.see(2)
            yield name
            person.press("Escape")
    person.leave_focus()
    for key, role, name in [
        ("Control+f", "search", "Find in the drawing"), ("Alt+r", "region", "The drawing as a list"), ("?", "dialog", "Shortcuts"),
        ("ContextMenu", "menu", "Actions"), ("Shift+Delete", "dialog", "Clear everything?"), ("Alt+k", "dialog", "Connect"),
    ]:
        # A selected shape with text takes the characters that are typed. A line without text doesn't.
        select(person, 3 if key == "?" else 0)
        person.press(key)
        page.get_by_role(role, name=name).wait_for()
        person.see(2)
        yield name
        person.press("Escape")
        person.wait_for_no_dialog()
        person.leave_focus()
    person.press("F2")
    page.locator(".writing-field").wait_for()
    yield "writing"
    person.press("Escape", "Escape")
    for key, tool in [("d", "the pen"), ("e", "the eraser"), ("v", "the tool that selects")]:
        person.press(key)
        yield tool
    person.run("app.say('Something happened.', { action: { words: 'Undo', run() {} } }); app.say('No.', { kind: 'refused' }); return null")
    yield "notices"
    person.run("app.actions.history.run(); return null")
    page.get_by_label("Moment").wait_for()
    yield "history"
    page.get_by_role("button", name="Back to the present").click()
