"""The map of the whole drawing, which the menu switches on."""

import numpy
import pytest

from pixels import rgb

MAP = "canvas.minimap"


def turn_on(person):
    person.choose("Minimap", role="menuitemcheckbox")
    person.page.locator(MAP).wait_for()


def spots(person, color):
    """Where the map has this colour: the middle of it, in CSS pixels of the window, and how many pixels that are."""
    person.painted()
    picture = person.picture(MAP)[:, :, :3].astype(int)
    rows, columns = numpy.nonzero(numpy.abs(picture - rgb(color)).max(axis=2) < 6)
    if len(rows) == 0:
        return None
    box = person.page.locator(MAP).bounding_box()
    # The border of the map is one pixel.
    ratio = person.run("app.view.ratio")
    return box["x"] + 1 + columns.mean() / ratio, box["y"] + 1 + rows.mean() / ratio, len(rows)


@pytest.mark.parametrize("phone", [False, True])
def test_the_map_shows_all_and_leads_there(room, phone):
    """What others draw is on it. A press and a drag lead there. The browser remembers the switch."""
    room.add(position=[0, 200], size=[400, 300], fill="#3366CC")
    far = room.add(position=[6000, 3000], size=[600, 600], fill="#2E8558")
    ann = room.join("Ann", at=(0, 0), phone=phone)
    assert ann.page.locator(MAP).count() == 0
    turn_on(ann)
    x, y, size = spots(ann, "#2E8558")
    assert size > 4 and spots(ann, "#3366CC")
    if phone:
        ann.touch.tap(x, y)
    else:
        ann.click(x, y)
    ann.wait("Math.abs(app.view.x + app.view.width / 2 / app.view.scale - 6300) < 150", "the view goes there")
    assert ann.run("Math.abs(app.view.y + app.view.height / 2 / app.view.scale - 3300) < 150")
    room.add(position=[-9000, -4000], size=[900, 900], fill="#D63D33")
    ann.wait_for_shapes(3)
    x, y, _ = spots(ann, "#D63D33")
    if not phone:
        ann.drag((x + 30, y + 10), (x, y))
        # The map shows the view too, so its scale changes while the view moves beyond the drawing, and not within it.
        ann.wait("Math.abs(app.view.x + app.view.width / 2 / app.view.scale + 8550) < 400", "the view follows the drag")
    ann.learns(far, deleted=True)
    assert spots(ann, "#2E8558") is None
    ann.page.reload()
    ann.page.locator(MAP).wait_for()
    ann.wait_for_shapes(2)
    turned_off = ann.page.get_by_role("menuitemcheckbox", name="Minimap")
    ann.page.get_by_role("button", name="Menu", exact=True).click()
    assert turned_off.get_attribute("aria-checked") == "true"
    turned_off.click()
    ann.page.locator(MAP).wait_for(state="hidden")
    assert room.shapes()[0]["position"] == [0, 200]


def test_a_page_with_a_map_rests_and_hidden_shapes_take_no_place(room):
    """Nothing is drawn while nothing changes. Only a ping's answer may ask for a frame."""
    room.add(position=[0, 200], size=[400, 300], fill="#3366CC")
    room.add(position=[500_000, 0], size=[100, 100], visible=False)
    room.add(kind="text", position=[0, 100], size=[200, 40], text="Hi")
    ann = room.join("Ann", at=(0, 0))
    turn_on(ann)
    ann.painted()
    asked = ann.page.evaluate("""async () => {
        const ask = window.requestAnimationFrame.bind(window)
        let asked = 0
        window.requestAnimationFrame = (frame) => { asked++; return ask(frame) }
        for (let frame = 0; frame < 90; frame++) await new Promise(ask)
        return asked
    }""")
    assert asked < 20, asked
    assert spots(ann, "#3366CC")[2] > 100, "hidden shapes take no place"
    accent = ann.page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--me')")
    picture = ann.picture(MAP).astype(int)
    framed = (numpy.abs(picture[:, :, :3] - rgb(accent)).max(axis=2) < 6) & (picture[:, :, 3] > 200)
    assert framed.sum() > 100, "the frame around the view is not as faint as the texts"
