"""Drawings that are made so that a page can't work. What a page does for them is counted, since a clock tells of the machine."""

import pytest

import hostile

# Counts letters that are measured, lines that are painted, and parts of broken ones: each path knows how long it is at most.
COUNTING = """
  window.counts = { letters: 0, parts: 0, lines: 0 }
  const { Path2D } = window
  const reach = new WeakMap()
  const noted = (path) => reach.get(path) ?? reach.set(path, { length: 0, x: 0, y: 0 }).get(path)
  const to = (path, ...points) => {
    const note = noted(path)
    for (let at = 0; at < points.length; at += 2) {
      note.length += Math.hypot(points[at] - note.x, points[at + 1] - note.y)
      note.x = points[at]
      note.y = points[at + 1]
    }
  }
  const wrap = (prototype, name, before) => {
    const own = prototype[name]
    prototype[name] = function (...values) { before(this, ...values); return own.apply(this, values) }
  }
  wrap(Path2D.prototype, 'moveTo', (path, x, y) => Object.assign(noted(path), { x, y }))
  wrap(Path2D.prototype, 'lineTo', (path, x, y) => to(path, x, y))
  wrap(Path2D.prototype, 'quadraticCurveTo', (path, ...points) => to(path, ...points))
  wrap(Path2D.prototype, 'rect', (path, x, y, width, height) => { noted(path).length += 2 * (width + height) })
  wrap(Path2D.prototype, 'roundRect', (path, x, y, width, height) => { noted(path).length += 2 * (width + height) })
  wrap(Path2D.prototype, 'ellipse', (path, x, y, across, down) => { noted(path).length += 4 * (across + down) })
  for (const { prototype } of [CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D]) {
    wrap(prototype, 'measureText', (context, text) => { counts.letters += text.length })
    wrap(prototype, 'stroke', (context, path) => {
      const step = context.getLineDash().slice(0, 2).reduce((sum, part) => sum + part, 0)
      if (!(step > 0)) counts.lines += 1
      if (path && step > 0) counts.parts += noted(path).length / step
    })
  }
"""


@pytest.mark.parametrize("kind", hostile.kinds())
def test_what_a_hostile_drawing_costs_is_bounded(room, kind):
    """Pairs, lines and parts of broken ones in a picture, letters that are measured. Near, far, and while all of it changes."""
    for batch in hostile.operations(kind, shapes=1500 if kind == "heap" else 40):
        room.write(*batch)
    shapes = room.shapes()
    ann = room.join(size=(800, 600), before=lambda page: page.add_init_script(COUNTING))
    letters = sum(len(shape.get("text", "")) for shape in shapes)
    for left, top, scale in [(0, 0, 1), (-500_000, -500_000, 0.001), (100, 100, 4)]:
        ann.look_at(left, top, scale)
        ann.wait("app.painter.isDone")
        ann.run("counts.parts = 0; counts.lines = 0; app.scene.touchAll(); app.invalidate(); return null")
        # Two frames later it has begun.
        ann.page.evaluate("new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")
        ann.wait("app.painter.isDone")
        counts = ann.run("counts")
        # Paths around what is seen reach a little beyond it.
        assert counts["parts"] <= 60_000, (scale, counts)
        # A stroke of a thousand widths would be a thousand lines: what lies under the rest of it, or under others, isn't painted.
        assert kind != "wideInk" or counts["lines"] <= 12_000, (scale, counts)
        assert counts["letters"] <= 2 * letters + 10_000, (scale, counts)
    assert ann.run("app.session.overlapPairs().length") <= 20_000
    # It is still at one's command.
    ann.run("app.actions.addSquare.run(); return null")
    room.wait_for_shapes(len(shapes) + 1)
