"""Accessibility: by keyboard only, for screen readers, in light and dark mode, on narrow screens, and with reduced
motion."""

from pathlib import Path

import axe_playwright_python

from hand import lead_finger, rest

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# These states consist of elements that other states have too, so their contrast isn't checked again in dark mode.
LIKE_OTHERS = ["layers", "Copy a link to this room", "Zoom: 100%", "Style of the next shape", "sheet", "the menu of the right button",
               "the eraser", "shapes", "6 people are here"]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def check(person, what):
    """Fails if axe reports violations. In dark mode, only contrast is checked."""
    look(person, what, {"type": "tag", "values": RULES})
    if what in LIKE_OTHERS:
        return
    person.page.emulate_media(color_scheme="dark")
    look(person, what + " in the dark", {"type": "rule", "values": ["color-contrast"]})
    person.page.emulate_media(color_scheme="light")


def look(person, what, rules):
    """Runs axe through the browser's developer tools, because the page's security policy forbids foreign scripts."""
    if not person.page.evaluate("'axe' in globalThis"):
        person.page.evaluate(f"() => {{ {AXE} }}")
    found = person.page.evaluate(
        "(rules) => axe.run(document, { runOnly: rules, resultTypes: ['violations'], iframes: false, preload: false }).then(({ violations }) => violations.map((each) => "
        "`${each.id}: ${each.nodes.map(({ html, any }) => `${html.slice(0, 90)} ${any[0]?.message ?? ''}`).slice(0, 4).join(' | ')}`))",
        rules)
    assert not found, f"{what}: " + "\n".join(found)


def fill(room):
    for at in range(4):
        room.add(kind="star", name=f"Star {at}", position=[100 + at * 60, 200], size=[100, 100])


def every_state(person):
    """Opens each panel and dialog in turn, and yields its name."""
    page = person.page
    yield "the room"
    for tab in ["inspector", "overlaps", "layers"]:
        page.click(f"#tab-{tab}")
        person.run("app.selection.set(app.session.drawingOrder().slice(0, 2)); return null")
        person.painted()
        yield tab
    for name in ["Menu", "Copy a link to this room", "Zoom: 100%", "Style of the next shape", "6 people are here"]:
        page.get_by_role("button", name=name, exact=True).click()
        yield name
        page.keyboard.press("Escape")
    page.get_by_role("button", name="6 people are here", expanded=False).wait_for()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ContextMenu")
    page.get_by_role("menu", name="Actions").wait_for()
    yield "the menu of the right button"
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Delete")
    page.get_by_role("dialog", name="Clear everything?").wait_for()
    yield "a question"
    page.keyboard.press("Escape")
    person.wait_for_no_dialog()
    page.evaluate("document.activeElement.blur()")
    person.run("app.selection.set(app.session.drawingOrder().slice(0, 1)); return null")
    page.keyboard.press("F2")
    page.locator(".writing-field").wait_for()
    yield "writing"
    page.keyboard.press("Escape")
    person.run("app.selection.clear(); return null")
    for key, tool in [("d", "the pen"), ("e", "the eraser"), ("v", None)]:
        page.keyboard.press(key)
        if tool:
            yield tool
    page.get_by_role("button", name="You’re").click()
    yield "one's own name"
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    page.get_by_role("heading", name="Shortcuts").wait_for()
    yield "shortcuts"
    page.keyboard.press("Escape")
    person.run("app.say('Something happened.', { action: { words: 'Undo', run() {} } }); app.say('No.', { kind: 'refused' }); return null")
    yield "notices"
    page.get_by_role("button", name="Menu", exact=True).click()
    page.get_by_role("menuitem", name="History").click()
    page.get_by_label("Moment").wait_for()
    yield "history"
    page.get_by_role("button", name="Back to the present").click()


def test_roles_names_and_contrast_in_light_and_dark(room):
    """axe checks every state of the room."""
    fill(room)
    ann = room.join("Ann", still=True, panel="layers")
    for name in ["Bob", "Eve", "Zoe", "Kim", "Lou"]:
        room.guest(name)
    ann.page.get_by_role("button", name="6 people are here").wait_for()
    for state in every_state(ann):
        check(ann, state)


def test_the_other_pages_too(room):
    """axe checks an empty room, a deleted one, the list of rooms, and a phone."""
    ann = room.join("Ann", still=True)
    ann.page.get_by_role("heading", name="Start drawing").wait_for()
    check(ann, "empty")
    ann.page.get_by_role("button", name="Start with three squares").click()
    room.wait_for_shapes(3)
    eve = room.join("Eve", phone=True, still=True)
    check(eve, "phone")
    eve.page.get_by_role("button", name="More tools", exact=True).tap()
    check(eve, "shapes")
    eve.press("Escape")
    eve.page.tap("button[aria-label='Layers, inspector, overlaps']")
    check(eve, "sheet")
    room.request("DELETE", "")
    ann.page.get_by_role("heading", name="This room was deleted").wait_for()
    check(ann, "deleted")
    room.add()
    ann.page.goto(room.server.url("/"))
    ann.page.get_by_role("link", name=room.name).wait_for()
    check(ann, "rooms")


def test_everything_by_keyboard_alone(room):
    """The person chooses a tool, draws, selects, renames, recolours, undoes and saves, all by keys. The focus is always
    visible."""
    ann = room.join("Ann", panel="layers")
    page = ann.page
    page.keyboard.press("q")
    page.keyboard.press("q")
    room.wait_for_shapes(2)
    seen = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "(() => { const each = document.activeElement; if (each === document.body) return null; const style = getComputedStyle(each);"
            "const ring = (parseFloat(style.outlineWidth) > 0 && style.outlineStyle !== 'none') || style.boxShadow !== 'none';"
            "return [each.getAttribute('aria-label') ?? each.innerText ?? each.id, ring || each.matches('.layers-grid'), each.tagName] })()")
        if focused:
            assert focused[1], f"the focus on {focused} is not seen"
            seen.add(focused[0])
    for name in ["Menu", "Copy a link to this room", "Rectangle", "Add Square", "Undo", "Layers, the topmost first"]:
        assert name in seen, f"{name} is not reached by Tab: {seen}"
    page.focus(".layers-grid")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.keyboard.type("By key")
    page.keyboard.press("Enter")
    room.wait_for(lambda shapes: shapes[-1]["name"] == "By key")
    page.get_by_role("button", name="Menu", exact=True).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_it_fits_on_320_pixels(room):
    """Nothing sticks out of the window. The panel is as high as one pulls it. Sizes of buttons: test_sizes.py."""
    fill(room)
    ann = room.join("Ann", phone=True, size=(320, 640))
    page = ann.page

    def fits(what):
        out = page.evaluate(
            "[...document.querySelectorAll('button, input, h1, p')].filter((each) => each.checkVisibility({ visibilityProperty: true })"
            " && !each.closest('.visually-hidden, .layers-grid, [popover]:not(:popover-open)')).map((each) => [each.outerHTML.slice(0, 80),"
            " each.getBoundingClientRect()]).filter(([, box]) => box.width > 0 && (box.left < -1 || box.right > 321)).map(([html]) => html)")
        assert not out, f"{what}: {out}"

    fits("the room")
    page.tap("button[aria-label='Layers, inspector, overlaps']")
    for tab in ["inspector", "overlaps", "layers"]:
        page.tap(f"#tab-{tab}")
        ann.run("app.selection.set(app.session.drawingOrder().slice(0, 2)); return null")
        if tab == "inspector":
            page.get_by_role("group", name="Align").wait_for()
        fits(tab)
    panel = page.locator(".panel")
    grip = page.get_by_role("button", name="Make the panel larger or smaller")
    grip.press("Enter")
    ann.wait("document.querySelector('.panel').offsetHeight > 560")
    box = grip.bounding_box()
    ann.touch.drag((160, box["y"] + 12), (160, box["y"] + 12 + 190), hold=True)
    ann.wait("((height) => height > 370 && height < 400)(document.querySelector('.panel').offsetHeight)", "it follows the finger")
    rest(ann)
    ann.touch.move((160, box["y"] + 12 + 191))
    ann.touch.end()
    ann.wait("document.querySelector('.panel').offsetHeight === 384")
    box = grip.bounding_box()
    lead_finger(ann, (160, box["y"] + 12), (160, 630))
    panel.wait_for(state="hidden")
    ann.look_at(0, 0)
    page.get_by_role("button", name="Zoom: 100%").tap()
    fits("zoom")
    page.get_by_role("menuitem", name="Zoom in").tap()
    ann.wait("app.view.scale === 1.25")
    page.get_by_role("button", name="Zoom: 125%").wait_for()
    page.get_by_role("button", name="More tools").tap()
    fits("shapes")
    page.locator(".shapes-popover").get_by_role("button", name="Star").tap()
    assert ann.run("app.tool") == "star"
    page.goto(room.server.url("/"))
    page.get_by_role("link", name=room.name).wait_for()
    fits("rooms")


def test_a_phone_on_its_side_has_a_panel_as_high_as_the_window(room):
    """Nothing covers the inspector's fields. The inspector is closed until somebody opens it."""
    fill(room)
    eve = room.join("Eve", phone=True, size=(740, 360))
    page = eve.page
    assert page.locator(".panel").is_hidden()
    eve.look_at(0, 100)
    for at in range(4):
        eve.run("app.selection.set([app.session.drawingOrder()[value]]); return null", at)
        eve.painted()
        bar, tools = page.locator(".selection-bar").bounding_box(), page.locator(".toolbar").bounding_box()
        assert bar["y"] >= 64 and bar["y"] + bar["height"] <= tools["y"], (bar, tools)
    eve.run("app.selection.set(app.session.drawingOrder().slice(0, 1)); return null")
    page.tap("button[aria-label='Layers, inspector, overlaps']")
    page.tap("#tab-inspector")
    assert page.locator(".panel").bounding_box()["height"] == 360
    page.get_by_label("Fill", exact=True).fill("#00FF00")
    page.get_by_label("Fill", exact=True).press("Enter")
    room.wait_for(lambda shapes: shapes[0]["fill"] == "#00FF00")
    page.get_by_label("W", exact=True).scroll_into_view_if_needed()
    box = page.get_by_label("W", exact=True).bounding_box()
    assert box["y"] > 40 and box["y"] + box["height"] <= 360, box
    # The toolbar leaves space for the panel.
    tools = page.locator(".toolbar").bounding_box()
    assert tools["x"] + tools["width"] <= page.locator(".panel").bounding_box()["x"]
