"""Accessibility: by keyboard only, for screen readers, in light and dark mode, on narrow screens, and with reduced
motion."""

from pathlib import Path

import axe_playwright_python

from hand import lead_finger, rest
from states import fill, select, states

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# These states consist of elements that other states have too, so their contrast isn't checked again in dark mode.
LIKE_OTHERS = ["a selection", "a line", "layers", "Copy a link to this room", "Zoom: 100%", "Style of the next shape", "sheet", "Actions",
               "the eraser", "the tool that selects", "shapes", "6 people are here", "The drawing as a list"]
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
    # What has just opened finds its place in the next frame.
    person.see(frames=2)
    if not person.page.evaluate("'axe' in globalThis"):
        person.page.evaluate(f"() => {{ {AXE} }}")
    found = person.page.evaluate(
        "(rules) => axe.run(document, { runOnly: rules, resultTypes: ['violations'], iframes: false, preload: false }).then(({ violations }) => violations.map((each) => "
        "`${each.id}: ${each.nodes.map(({ html, any }) => `${html.slice(0, 90)} ${any[0]?.message ?? ''}`).slice(0, 4).join(' | ')}`))",
        rules)
    assert not found, f"{what}: " + "\n".join(found)


def test_roles_names_and_contrast_in_light_and_dark(room):
    """axe checks every state of the room."""
    fill(room)
    ann = room.join("Ann", still=True)
    for name in ["Bob", "Eve", "Zoe", "Kim", "Lou"]:
        room.guest(name)
    ann.page.get_by_role("button", name="6 people are here").wait_for()
    for state in states(ann, people=6):
        check(ann, state)


def test_the_other_pages_too(room):
    """axe checks an empty room, a deleted one, the list of rooms, and a phone."""
    ann = room.join("Ann", still=True)
    ann.page.get_by_role("heading", name="Start drawing").wait_for()
    check(ann, "empty")
    ann.draw_squares()
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
    """Tools, drawing and names are reached by keys, and the focus is always visible. Keys in the menu: test_menus.py."""
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


def test_the_panel_of_a_phone_is_as_high_as_one_pulls_it(room):
    fill(room)
    ann = room.join("Ann", phone=True, size=(320, 640), at=(0, 0))
    page = ann.page
    page.tap("button[aria-label='Layers, inspector, overlaps']")
    grip = page.get_by_role("button", name="Make the panel larger or smaller")
    grip.press("Enter")
    ann.wait("document.querySelector('.panel').offsetHeight > 560")

    def middle_of_grip():
        box = grip.bounding_box()
        return 160, box["y"] + box["height"] / 2
    across, top = middle_of_grip()
    # In a high window, the sheet is no higher while it is pulled than it stays.
    page.set_viewport_size({"width": 320, "height": 840})
    ann.wait("document.querySelector('.panel').offsetHeight === 756")
    ann.touch.drag(middle_of_grip(), (across, 0), hold=True)
    rest(ann)
    assert page.evaluate("document.querySelector('.panel').offsetHeight") == 756
    ann.touch.end()
    page.set_viewport_size({"width": 320, "height": 640})
    ann.wait("document.querySelector('.panel').offsetHeight === 576")
    ann.touch.drag((across, top), (across, top + 190), hold=True)
    ann.wait("((height) => height > 370 && height < 400)(document.querySelector('.panel').offsetHeight)", "it follows the finger")
    rest(ann)
    ann.touch.move((across, top + 191))
    ann.touch.end()
    ann.wait("document.querySelector('.panel').offsetHeight === 384")
    # The browser can take the finger away from the grip.
    grip.evaluate("(grip) => grip.addEventListener('pointermove', ({ pointerId }) => grip.releasePointerCapture(pointerId), { once: true })")
    across, top = middle_of_grip()
    ann.touch.drag((across, top), (across, top + 40), hold=True)
    ann.wait("!document.querySelector('.panel').classList.contains('held')", "the panel is let go")
    ann.touch.end()
    lead_finger(ann, middle_of_grip(), (across, 630))
    page.locator(".panel").wait_for(state="hidden")
    page.get_by_role("button", name="Zoom: 100%").tap()
    page.get_by_role("menuitem", name="Zoom in").tap()
    page.get_by_role("button", name="Zoom: 125%").wait_for()


def test_a_phone_on_its_side_has_a_panel_as_high_as_the_window(room):
    """Nothing covers the inspector's fields. The inspector is closed until somebody opens it."""
    fill(room)
    eve = room.join("Eve", phone=True, size=(740, 360), at=(0, 100))
    page = eve.page
    assert page.locator(".panel").is_hidden()
    for at in range(3):
        select(eve, at)
        bar, tools = page.locator(".selection-bar").bounding_box(), page.locator(".toolbar").bounding_box()
        assert bar["y"] >= 64 and bar["y"] + bar["height"] <= tools["y"], (bar, tools)
    select(eve, 0)
    page.tap("button[aria-label='Layers, inspector, overlaps']")
    page.tap("#tab-inspector")
    assert page.locator(".panel").bounding_box()["height"] == 360
    eve.fill("Fill", "#00FF00")
    room.wait_for(lambda shapes: shapes[0]["fill"] == "#00FF00")
    page.get_by_label("W", exact=True).scroll_into_view_if_needed()
    box = page.get_by_label("W", exact=True).bounding_box()
    assert box["y"] > 40 and box["y"] + box["height"] <= 360, box
    # The toolbar leaves space for the panel.
    tools = page.locator(".toolbar").bounding_box()
    assert tools["x"] + tools["width"] <= page.locator(".panel").bounding_box()["x"]
