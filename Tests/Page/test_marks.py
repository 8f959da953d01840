"""How overlaps are marked. Which of them are, if there are many: Tests/gestures/picture.test.mjs."""

import numpy

from boards import NOTE
from pixels import rgb


def orange(person):
    """How many pixels of the drawing are more orange than blue."""
    person.painted()
    return person.run("""const { width, height } = document.getElementById('drawing')
      const { data } = document.getElementById('drawing').getContext('2d').getImageData(0, 0, width, height)
      let count = 0
      for (let at = 0; at < data.length; at += 4) if (data[at] > data[at + 2] + 30) count += 1
      return count""")


def test_few_are_all_marked_and_one_switch_turns_them_off(room):
    """A key, the menu and the panel can switch the marks off. The browser remembers the setting."""
    for x, y in ((200, 120), (255, 163), (250, 147)):
        room.add(kind="ellipse", fill="#3366CC", size=[150, 150], position=[x, y])
    ann = room.join("Ann", at=(0, 0))
    ann.take("select")
    marked = orange(ann)
    assert marked > 2000
    ann.press("Shift+O")
    assert orange(ann) == 0
    ann.reload()
    ann.look_at(0, 0)
    assert orange(ann) == 0
    ann.page.get_by_role("button", name="Menu", exact=True).click()
    entry = ann.page.get_by_role("menuitemcheckbox", name="Mark overlaps")
    assert entry.get_attribute("aria-checked") == "false"
    entry.click()
    assert orange(ann) == marked
    ann.run("document.querySelector('[aria-label=\"Layers, inspector, overlaps\"]').click(); return null")
    ann.page.click("#tab-overlaps")
    ann.page.get_by_role("switch", name="Mark overlaps").uncheck()
    assert orange(ann) == 0
    ann.leave_focus()
    ann.press("Shift+O")
    assert ann.page.get_by_role("switch", name="Mark overlaps").is_checked(), "the switch follows the key"


def pixels(person):
    person.painted()
    return person.picture()[:, :, :3].astype(int)


def test_a_mark_looks_the_same_on_any_fill(room):
    """Orange stripes with white edges, which stand out on orange too, in light and dark mode."""
    fills = ["#FF0000", "#FF8C1A", "#3366CC", "#FFFFFF", "#202020"]
    for at, fill in enumerate(fills):
        for step in range(2):
            room.add(fill=fill, position=[60 + 180 * at + 60 * step, 200 + 60 * step], size=[110, 110])
    ann = room.join("Ann", ratio=1)
    for theme in ["light", "dark"]:
        ann.page.emulate_media(color_scheme=theme)
        ann.wait(f"matchMedia('(prefers-color-scheme: {theme})').matches")
        picture = pixels(ann)
        for at, fill in enumerate(fills):
            within = picture[266:305, 126 + 180 * at : 165 + 180 * at]
            orange = (numpy.abs(within - rgb("#FF8C1A")).max(axis=2) < 4).mean()
            unlike = (numpy.abs(within - rgb(fill)).max(axis=2) > 25).mean()
            assert unlike > 0.25 and (orange > 0.2 if fill == "#FF8C1A" else 0.1 < orange < 0.6), (theme, fill, orange, unlike)


def test_a_text_lies_over_the_mark(room):
    """The letters look as they do without marks, and no stripe touches them. Nor does one lie over a text that is seen
    through the upper shape, which is translucent or a frame without a fill."""
    room.add(fill="#FFFFFF", position=[200, 200], size=[200, 200])
    room.add(fill="#27476E", position=[220, 230], size=[300, 100], text="Pricing page confuses", textSize=24)
    for at, values in enumerate([{"fill": "#3366CC", "alpha": 5}, {"filled": False, "stroke": "#202020", "strokeWidth": 3}]):
        room.add(fill=NOTE, position=[100 + 500 * at, 500], size=[200, 200], text="Ask for the\nprices", textSize=24, rotation=10 * at, z="A")
        room.add(**values, position=[90 + 500 * at, 450], size=[130, 280], z="B")
    ann = room.join("Ann", ratio=1, at=(0, 0))
    ann.wait("app.session.overlapPairs().length === 3")
    marked = pixels(ann)
    ann.press("Shift+O")
    plain = pixels(ann)
    letters = (plain[232:328, 222:398] > 240).all(axis=2)
    assert letters.sum() > 200 and (marked[232:328, 222:398][letters] > 240).all()
    orange = numpy.abs(marked[232:328, 222:398] - rgb("#FF8C1A")).max(axis=2) < 4
    assert orange.mean() > 0.1
    beside = letters.copy()
    for rows, columns in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        beside |= numpy.roll(letters, (rows, columns), (0, 1))
    # `roll` wraps around at the border of the picture, so the border is left out.
    assert not (orange & beside)[2:-2, 2:-2].any()
    changed = numpy.abs(marked - plain).max(axis=2) > 8
    for left in (100, 600):
        # The right side of the upper shape lies at 120.
        text = slice(560, 640), slice(left + 50, left + 115)
        letters = plain[text].max(axis=2) < 130
        assert letters.sum() > 100 and not changed[text][letters].any()
        assert changed[500:700, left : left + 115].mean() > 0.3, "there is a mark"


def test_what_lies_wholly_on_another_shape_is_listed_and_not_painted_over(room):
    """Also in an unfilled frame, and while it is dragged. What sticks out is marked."""
    room.add(fill="#3366CC", position=[200, 150], size=[500, 400], name="Board", z="A")
    note = room.add(kind="ellipse", fill="#FFFFFF", position=[300, 250], size=[120, 120], name="Note", z="B")
    room.add(filled=False, stroke="#000000", strokeWidth=2, position=[180, 130], size=[540, 440], name="Frame", z="C")
    ann = room.join("Ann", panel="overlaps")
    ann.wait("app.session.overlapPairs().length === 3")
    assert orange(ann) == 0
    for name in ("Board", "Note", "Frame"):
        ann.page.locator(".panel").get_by_text(name).first.wait_for()
    ann.drag((360, 310), (500, 330), hold=True)
    assert orange(ann) == 0
    ann.page.mouse.move(690, 310)
    assert orange(ann) > 200
    ann.give_up()
    assert orange(ann) == 0 and ann.shape(note)["x"] == 300
