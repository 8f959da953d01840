"""The context menu, and the menus for people without a keyboard."""

from hand import let_go


def test_the_right_button_opens_what_can_be_done_there(room):
    """It selects a shape, and on the canvas nothing. Escape or a click elsewhere closes the menu."""
    back = room.add(name="Back", position=[200, 200], size=[160, 120])
    front = room.add(name="Front", position=[260, 240], size=[160, 120])
    ann, bob = room.join("Ann", at=(0, 0)), room.witness()
    menu = ann.page.get_by_role("menu", name="Actions")
    ann.page.mouse.click(220, 220, button="right")
    menu.wait_for()
    assert ann.selected() == [back]
    menu.get_by_role("menuitem", name="Bring to front").click()
    menu.wait_for(state="detached")
    room.wait_for(lambda shapes: [shape["id"] for shape in shapes] == [front, back])
    ann.page.mouse.click(400, 340, button="right")
    assert ann.selected() == [front]
    ann.press("End", "Enter")
    room.wait_for_shapes(1)
    bob.wait_for_shapes(1)
    ann.page.mouse.click(700, 600, button="right")
    menu.wait_for()
    assert ann.selected() == [] and menu.get_by_role("menuitem", name="Delete").count() == 0
    ann.press("Escape")
    menu.wait_for(state="detached")
    ann.page.mouse.click(700, 600, button="right")
    menu.get_by_role("menuitem", name="Undo").click()
    room.wait_for_shapes(2)
    ann.page.mouse.click(700, 600, button="right")
    menu.wait_for()
    ann.page.mouse.click(900, 200)
    menu.wait_for(state="detached")
    # A press on the canvas deselects the page's text, which would otherwise be copied, and not the shape.
    ann.page.evaluate("getSelection().selectAllChildren(document.querySelector('.panel'))")
    ann.click(220, 220)
    ann.press("Control+c", "Control+v")
    ann.wait_for_shapes(3)
    ann.select(back)
    ann.page.locator(".selection-bar button").first.click()
    ann.wait("document.querySelector('.selection-bar :popover-open')", "the box with colours")
    room.write((back, {"deleted": True}))
    ann.wait("!document.querySelector(':popover-open')", "it closes")


def test_it_goes_by_keyboard_and_over_a_layer_too(room):
    """The menu key opens the menu for the selection. A right click on a layer opens it for the layer's shape."""
    sun = room.add(name="Sun", position=[200, 200], size=[160, 120])
    moon = room.add(name="Moon", position=[500, 200], size=[160, 120])
    ann = room.join("Ann", panel="layers")
    menu = ann.page.get_by_role("menu", name="Actions")
    ann.select(sun)
    ann.press("ContextMenu")
    menu.wait_for()
    assert ann.selected() == [sun]
    ann.press("Escape")
    menu.wait_for(state="detached")
    # It doesn't open while something is dragged, which would end there.
    ann.drag((280, 260), (320, 400), hold=True)
    ann.press("ContextMenu")
    assert menu.count() == 0
    ann.page.mouse.move(320, 600)
    let_go(ann)
    room.wait_for(lambda shapes: shapes[0]["position"][1] > 500)
    ann.page.locator(".layer", has_text="Moon").click(button="right")
    menu.get_by_role("menuitem", name="Duplicate").click()
    room.wait_for_shapes(3)
    assert moon not in ann.selected()


def test_the_button_of_a_menu_closes_it_too_and_a_key_opens_it_again(room):
    """Arrow keys go around among its entries, and letters typed in it are no keys of the page."""
    ann = room.join("Ann")
    button = ann.page.get_by_role("button", name="Menu", exact=True)
    menu = ann.page.locator(".popover:popover-open")
    for _ in range(2):
        button.click()
        menu.wait_for()
        assert button.get_attribute("aria-expanded") == "true"
        button.click()
        menu.wait_for(state="detached")
        ann.wait("document.querySelector('[aria-label=Menu]').ariaExpanded === 'false'")
    button.focus()
    ann.press("Enter")
    menu.wait_for()
    entries = menu.get_by_role("menuitem").or_(menu.get_by_role("menuitemcheckbox")).or_(menu.get_by_role("menuitemradio"))
    shown = [entry for entry in entries.all() if entry.is_visible()]
    ann.press("ArrowUp")
    assert shown[-1].evaluate("(entry) => entry === document.activeElement")
    ann.press("ArrowDown")
    assert shown[0].evaluate("(entry) => entry === document.activeElement")
    ann.press("ArrowDown", "v")
    assert shown[1].evaluate("(entry) => entry === document.activeElement") and ann.run("app.tool") == "rectangle"
    ann.press("Tab")
    menu.wait_for(state="detached")
    ann.see()
    assert not button.evaluate("(button) => button === document.activeElement"), "the focus goes on from the button"
    button.press("Enter")
    menu.wait_for()
    ann.press("Escape")
    assert button.evaluate("(button) => button === document.activeElement")


def test_who_has_lost_sight_of_the_drawing_is_brought_back(room):
    """If there are shapes but none is in view, a button offers to show them. It disappears when it is pressed. Hidden shapes
    don't count."""
    room.add(position=[200, 200], size=[160, 120])
    room.add(position=[-500, 17000], size=[5000, 5000], visible=False)
    ann = room.join("Ann")
    way = ann.page.get_by_role("button", name="Back to the drawing")
    ann.page.mouse.move(500, 500)
    ann.page.mouse.wheel(0, 40)
    ann.wait("app.view.y > 0")
    ann.press("v")
    ann.wait("document.querySelector('.astray')")
    assert not way.is_visible()
    ann.page.mouse.wheel(0, 20000)
    way.click()
    way.wait_for(state="hidden")
    ann.painted()
    box, seen = ann.run("app.session.bounds()"), ann.run("app.view.visibleBox()")
    assert seen["x"] < box["x"] and box["y"] + box["height"] < seen["y"] + seen["height"]


def test_a_menu_that_is_longer_than_the_window_shows_that_it_goes_on(room):
    """A shade is at an edge behind which there is more, and every entry can be scrolled into view."""
    room.add()
    ann = room.join("Ann", still=True, size=(1280, 700))
    ann.select(room.shapes()[0]["id"])
    ann.page.locator(".selection-bar button").first.wait_for()
    ann.page.get_by_role("button", name="Menu", exact=True).click()
    menu = ann.page.locator(".popover:popover-open")
    box = menu.bounding_box()

    def edges():
        ann.see(2)
        return [ann.page.screenshot(clip={"x": box["x"] + 100, "y": y, "width": 20, "height": 4})
                for y in (box["y"] + 2, box["y"] + box["height"] - 6)]
    top, shaded_end = edges()
    menu.evaluate("(menu) => menu.scrollTo(0, menu.scrollHeight)")
    shaded_top, end = edges()
    assert top == end and top != shaded_top and end != shaded_end
    ann.press("Escape")
    ann.page.set_viewport_size({"width": 320, "height": 480})
    ann.page.get_by_role("button", name="Menu", exact=True).click()
    last = ann.page.get_by_role("menuitemradio", name="Dark")
    last.scroll_into_view_if_needed()
    box = last.bounding_box()
    assert box["y"] >= 0 and box["y"] + box["height"] <= 480, box
    last.click()
    assert ann.page.evaluate("document.documentElement.dataset.theme") == "dark"
