"""View-only access: by link, and by a read-only token."""

from playwright.sync_api import expect

from test_offline import draw
from test_search import comes_into_view, find
from waiting import SECONDS, wait_until


def test_a_view_only_link_shows_and_changes_nothing(room):
    """Neither by key nor by hand. The viewer sees what others draw, pans and finds. More is in Tests/gestures/hands.test.mjs."""
    sun = room.add(kind="rectangle", name="Sun", position=[200, 200], size=[100, 100])
    eve = room.join("Eve", query="?view", panel="layers")
    assert eve.page.inner_text(".status-words") == "View only"
    assert [tool.get_attribute("data-tool") for tool in eve.page.locator(".toolbar button:visible").all()] == ["select", "laser", None]
    assert eve.page.locator("#hole").is_hidden()
    eve.page.locator(".layer").wait_for()
    assert eve.page.locator(".layer").get_by_role("button", name="Lock").count() == 0
    eve.look_at(0, 0)
    for x, times in ((250, 2), (250, 3), (700, 2)):
        eve.click(x, 250, times=times)
    for key in ("ArrowLeft", "b", "q", "Shift+Delete", "Control+d", "r"):
        eve.press(key)
    eve.drag((250, 250), (350, 270))
    eve.wait("app.view.x === -100 && app.view.y === -20", "a drag pans")
    eve.page.mouse.wheel(0, 50)
    eve.wait("app.view.y === 30", "the wheel pans")
    # The menus offer only what changes nothing.
    saving = [f"Export selection as {form}" for form in ("PNG…", "SVG", "JSON")]
    for place, offers in (((700, 600), ["Select all", "Zoom to fit", "Actual size"]),
                          ((350, 220), ["Copy", "Zoom to selection", "Copy as PNG", "Copy as SVG", *saving])):
        eve.page.mouse.click(*place, button="right")
        entries = eve.page.locator(".context [role=menuitem]:not([aria-disabled=true])").all_inner_texts()
        assert [entry.split("\n")[0] for entry in entries] == offers
        eve.press("Escape")
    eve.press("Control+a")
    eve.painted()
    assert eve.selected() == [sun] and eve.run("app.handles.all()") == [] and eve.page.locator(".selection-bar").is_hidden()
    eve.press("Delete")
    eve.page.focus(".layers-grid")
    eve.press("Home", "Delete", "F2")
    assert eve.page.locator(".layer-field").count() == 0
    eve.page.click("#tab-inspector")
    for label in ("Name", "Fill"):
        expect(eve.page.get_by_label(label, exact=True)).to_be_disabled(timeout=SECONDS * 1000)
    eve.learns(sun, position=[300, 200])
    shape, = room.agree()
    assert shape["position"] == [300, 200] and shape["name"] == "Sun", shape
    eve.leave_focus()
    eve.look_at(-3000, 0)
    find(eve, "sun", "1 of 1")
    comes_into_view(eve, sun)


def test_links_are_copied_and_a_view_only_one_says_that_it_is_no_lock_and_leads_to_editing(room):
    """The menu says it before one copies. The page that opens has a button for editing, and says that it is empty."""
    ann = room.join("Ann", clipboard=True)
    for entry, link, words in [("Copy link", "", ""), ("Copy view-only link", "?view", "Anyone who removes “?view” from the address can edit.")]:
        ann.page.get_by_role("button", name="Copy a link to this room").click()
        item = ann.page.get_by_role("menuitem", name=entry)
        assert words in item.inner_text()
        item.click()
        ann.notice("copied").wait_for()
        wait_until(lambda: ann.page.evaluate("navigator.clipboard.readText()"), "the link", (room.server.url(room.path) + link).__eq__)
    eve = room.join("Eve", phone=True, query="?view")
    nothing = eve.page.get_by_role("heading", name="Nothing here yet")
    nothing.wait_for()
    ann.page.get_by_role("button", name="Start with three squares").click()
    nothing.wait_for(state="detached")
    eve.wait_for_shapes(3)
    eve.page.get_by_role("button", name="Edit").click()
    eve.wait("!app.viewOnly && app.session.status().state === 'live' && app.session.status().role === 'editor'", "may edit")
    assert eve.page.url == room.server.url(room.path)
    eve.page.get_by_role("button", name="Rectangle").wait_for()
    assert eve.page.get_by_role("button", name="Edit").count() == 0


def test_looking_on_leaves_edits_kept_by_others_alone(room):
    """A view-only page doesn't take over unsent edits that the browser has stored."""
    ann = room.join("Ann")
    draw(ann)
    room.wait_for_shapes(1)
    ann.disconnect()
    draw(ann)
    ann.wait_until_kept(1)
    ann.close()
    eve = room.join("Eve", context=ann.context, query="?view")
    eve.close()
    back = room.join("Ann", context=ann.context)
    room.wait_for_shapes(2)
    back.wait_for_shapes(2)
