"""Which overlaps are marked: all of a few, of many only those that somebody looks at, and none where they are turned off."""

import numpy

from person import number
from pixels import rgb

PANEL = "localStorage.setItem('canvas.panel', '')"


def swarm(room, count, spread, size):
    """Many shapes of one colour at one place, and a person who sees them."""
    room.write(*((f"00a-000-{at:03d}", {
        "kind": "ellipse", "fill": "#3366CC", "size": [size, size],
        "position": [200 + at * 7919 % 1000 / 1000 * spread, 120 + at * 104729 % 1000 / 1000 * spread]}) for at in range(count)))
    ann = room.join("Ann", before=lambda page: page.add_init_script(f"if (location.host) {PANEL}"), at=(0, 0))
    ann.run("app.setTool('select'); return null")
    return ann


def orange(person):
    """How many pixels of the drawing are more orange than blue."""
    person.painted()
    return person.run("""const { width, height } = document.getElementById('drawing')
      const { data } = document.getElementById('drawing').getContext('2d').getImageData(0, 0, width, height)
      let count = 0
      for (let at = 0; at < data.length; at += 4) if (data[at] > data[at + 2] + 30) count += 1
      return count""")


def test_few_are_all_marked_and_one_switch_turns_them_off(room):
    """By key, in the menu and in the panel. The browser remembers it."""
    ann = swarm(room, 3, 60, 150)
    marked = orange(ann)
    assert marked > 2000
    ann.page.keyboard.press("Shift+O")
    assert orange(ann) == 0
    ann.page.reload()
    ann.wait("app.session.shapeCount === 3")
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


def test_of_many_only_those_that_one_looks_at_are_marked(room):
    """Of a shape under the pointer, and of what is selected; with few left, all again."""
    ann = swarm(room, 60, 250, 120)
    assert ann.run("app.session.overlapPairs().length") > 300
    assert orange(ann) == 0
    ann.page.mouse.move(*ann.middle("00a-000-059"))
    pointed = orange(ann)
    assert pointed > 300
    ann.page.mouse.move(5, 400)
    assert orange(ann) == 0
    ann.select("00a-000-059")
    assert orange(ann) > 300
    ann.page.keyboard.press("Escape")
    assert orange(ann) == 0
    room.write(*((f"00a-000-{at:03d}", {"deleted": True}) for at in range(4, 60)))
    ann.wait_for_shapes(4)
    room.write(("00a-000-000", {"position": [300, 200]}), ("00a-000-001", {"position": [330, 220]}))
    ann.wait("app.session.overlapPairs().length > 0")
    assert orange(ann) > 300


def test_a_mark_is_seen_on_red_and_orange_too(room):
    """Where orange would be lost, the common area has white stripes. On blue it has none, and on the dark theme it is the same."""
    for at, fill in enumerate(["#FF0000", "#FF8C1A", "#3366CC"]):
        for step in range(2):
            room.add(fill=fill, position=[200 + 250 * at + 60 * step, 200 + 60 * step], size=[150, 150])
    for theme in ["light", "dark"]:
        ann = room.join("Ann", theme=theme, ratio=1, at=(0, 0))
        ann.painted()
        picture = ann.picture()[:, :, :3].astype(int)
        for at, (fill, is_striped) in enumerate([("#FF0000", True), ("#FF8C1A", True), ("#3366CC", False)]):
            within = picture[280:330, 280 + 250 * at : 330 + 250 * at]
            alone = numpy.array(rgb(fill))
            differing = numpy.abs(within - alone).max(axis=2) > 60
            light = (within.min(axis=2) > 110).mean()
            assert (0.2 < light < 0.8) == is_striped, (theme, fill, light)
            assert differing.mean() > 0.2, (theme, fill)


COUNT = """const counts = { clip: 0, fill: 0 }
for (const name of Object.keys(counts)) {
  const own = CanvasRenderingContext2D.prototype[name]
  CanvasRenderingContext2D.prototype[name] = function (...values) { counts[name] += 1; return own.apply(this, values) }
}
window.painted = counts
return null"""


def test_a_swarm_is_painted_without_thousands_of_marks(room):
    """While 250 shapes with thousands of overlaps move, and while all of them are dragged, a frame paints little more than the shapes."""
    ann = swarm(room, 250, 400, 160)
    assert ann.run("app.session.overlapPairs().length") > 5000
    ann.run(COUNT)
    move = ("app.edit((session) => session.place(app.session.shapes().map(({ id, x, y }) => ({ id, x: x + value, y })))); return null")

    def frames():
        ann.run("window.painted.clip = window.painted.fill = 0; return null")
        for step in range(6):
            ann.run(move, 3)
            ann.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return ann.run("window.painted")

    ann.run(f"app.selection.set([{number('00a-000-000')}]); app.selection.clear(); return null")
    still = frames()
    assert still["clip"] < 300, still
    ann.page.keyboard.press("Control+a")
    assert len(ann.selected()) == 250
    all_of_them = frames()
    assert all_of_them["clip"] < 300, all_of_them
    assert 250 <= all_of_them["fill"] < 12 * 2 * 400, all_of_them
