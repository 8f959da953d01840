"""Drawings that try to make a page unusable. The tests count the page's work, because times would depend on the
machine."""

import contextlib
import random

import pytest

import hostile
from modules import module
from person import number

# The limits on the work in one iteration of the page's event loop, and on the work for one picture. A unit of work
# takes about 4 µs (docs/notebook/page.md), so the limits are 80 ms and 1.1 s.
TURN, PICTURE = 20_000, 270_000
# The limit on the work for what is above the drawing, which is painted in each frame in which a cursor moves: 20 ms.
FRAME = 5_000

# Counts the work that a canvas is told to do. `work` is for the current iteration of the event loop, `most` is for the
# iteration with the most work, and `all` is the total. The work depends on each path's length, number of points and
# bounding box. `performance.now` doesn't advance during an iteration, so the page can't stop its work early because
# time has passed.
COUNTING = """
  window.counts = { letters: 0, parts: 0, lines: 0, boxes: 0, made: 0, crossings: 0, work: 0, most: 0, all: 0 }
  const clock = performance.now.bind(performance)
  let now = clock()
  performance.now = () => now
  const { requestAnimationFrame: request, Path2D } = window
  const turn = () => {
    now = clock()
    counts.work = 0
    request(turn)
  }
  request(turn)
  setInterval(() => { now = clock() }, 5)
  const does = (work) => {
    counts.work += work
    counts.all += work
    counts.most = Math.max(counts.most, counts.work)
  }
  const notes = new WeakMap()
  const noted = (path) => notes.get(path) ?? notes.set(path, { length: 0, points: 0, x: 0, y: 0, box: [0, 0, 0, 0] }).get(path)
  const reach = (note, x, y) => {
    const { box } = note
    note.box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)]
  }
  const to = (path, ...points) => {
    const note = noted(path)
    note.points += 1
    counts.made += 1
    for (let at = 0; at < points.length; at += 2) {
      note.length += Math.hypot(points[at] - note.x, points[at + 1] - note.y)
      note.x = points[at]
      note.y = points[at + 1]
      reach(note, note.x, note.y)
    }
  }
  const around = (path, x, y, width, height, length) => {
    const note = noted(path)
    note.length += length
    reach(note, x, y)
    reach(note, x + width, y + height)
  }
  const wrap = (prototype, name, before) => {
    const own = prototype[name]
    prototype[name] = function (...values) { before(this, ...values); return own.apply(this, values) }
  }
  wrap(Path2D.prototype, 'moveTo', (path, x, y) => { Object.assign(noted(path), { x, y }); reach(noted(path), x, y) })
  wrap(Path2D.prototype, 'lineTo', (path, x, y) => to(path, x, y))
  wrap(Path2D.prototype, 'quadraticCurveTo', (path, ...points) => to(path, ...points))
  for (const name of ['rect', 'roundRect']) {
    wrap(Path2D.prototype, name, (path, x, y, width, height) => around(path, x, y, width, height, 2 * (width + height)))
  }
  wrap(Path2D.prototype, 'ellipse', (path, x, y, across, down) =>
    around(path, x - across, y - down, 2 * across, 2 * down, 4 * (across + down)))
  // The box to which painting is limited: the canvas, or the last clip that was a rectangle.
  const clips = new WeakMap()
  const clipOf = (context) => clips.get(context)?.at(-1) ?? [0, 0, context.canvas.width, context.canvas.height]
  const sides = (context) => clipOf(context).reduce((sum, side, at) => sum + (at < 2 ? -side : side), 0)
  // The painted device pixels of a box. A path paints no pixel twice, so they are at most the area of the rotated box.
  const pixels = (context, [left, top, right, bottom], more = 0) => {
    const { a, b, c, d, e, f } = context.getTransform()
    const corners = [[left, top], [right, top], [left, bottom], [right, bottom]].map(([x, y]) => [a * x + c * y + e, b * x + d * y + f])
    const clip = clipOf(context)
    const side = (at) => Math.max(0, Math.min(clip[at + 2], Math.max(...corners.map((corner) => corner[at])) + more)
      - Math.max(clip[at], Math.min(...corners.map((corner) => corner[at])) - more))
    return side(0) * side(1)
  }
  for (const { prototype } of [CanvasRenderingContext2D, OffscreenCanvasRenderingContext2D]) {
    wrap(prototype, 'save', (context) => { clips.set(context, [...clips.get(context) ?? [], clipOf(context)]) })
    wrap(prototype, 'restore', (context) => { clips.get(context)?.pop() })
    wrap(prototype, 'rect', (context, x, y, width, height) => { context.lastRect = [x, y, x + width, y + height] })
    wrap(prototype, 'clip', (context, path) => {
      does(1)
      const { a, e } = context.getTransform()
      if (!path && a === 1 && e === 0) clips.get(context)?.splice(-1, 1, context.lastRect)
    })
    const letters = (context, text) => does(1 + text.length / 8)
    wrap(prototype, 'fillText', letters)
    wrap(prototype, 'measureText', (context, text) => {
      counts.letters += text.length
      letters(context, text)
    })
    wrap(prototype, 'fillRect', (context, x, y, width, height) => does(1 + pixels(context, [x, y, x + width, y + height]) / 20000))
    wrap(prototype, 'fill', (context, path) => {
      if (!(path instanceof Path2D)) return
      const { a, b } = context.getTransform()
      const { length, points, box } = noted(path)
      const under = pixels(context, box)
      if (under > 0) does(1 + Math.min(length * Math.hypot(a, b), (points + 4) * sides(context)) / 200 + under / 20000)
    })
    wrap(prototype, 'strokeRect', () => {
      counts.boxes += 1
      does(1)
    })
    wrap(prototype, 'drawImage', (context, { width, height }) => does(4 + width * height / 1500))
    wrap(prototype, 'stroke', (context, path) => {
      const step = context.getLineDash().slice(0, 2).reduce((sum, part) => sum + part, 0)
      if (!(step > 0)) counts.lines += 1
      if (!path) return
      const { a, b } = context.getTransform()
      const { length, points, box } = noted(path)
      const scale = Math.hypot(a, b)
      const [long, wide] = [Math.min(length * scale, (points + 4) * sides(context)), context.lineWidth * scale]
      const under = Math.min(pixels(context, box, wide), (long + wide) * wide)
      // The browser works on the whole box of a path, even on the part beyond the canvas.
      if (under > 0) does(1 + points / 8 + long / 100 + under / 6000 + (step > 0 ? length / step / 4 : 0))
      if (step > 0) counts.parts += length / step
      counts.crossings = Math.max(counts.crossings, length / (box[2] - box[0] + box[3] - box[1]))
    })
  }
"""


def scribbles(count, **values):
    """Lines that cross themselves a thousand times: what they cover takes the square of their length to find."""
    chance = random.Random(1)
    for _ in range(count):
        path = [[chance.randrange(65536), chance.randrange(65536)] for _ in range(1024)]
        yield {"kind": "line", "position": [0, 0], "size": [790, 590], "path": path, "strokeWidth": 2, **values}


def zigzags(count):
    """Lines of a thousand points each that don't cross themselves."""
    path = [[64 * at, 2000 * (at % 2)] for at in range(1024)]
    for _ in range(count):
        yield {"kind": "line", "position": [0, 0], "size": [600, 400], "path": path, "strokeWidth": 1}


# The number of shapes in a drawing of each kind. They fit into a few hundred kilobytes.
COUNTS = {
    "anything": 40, "brokenInk": 40, "brokenOutlines": 600, "wideInk": 40, "texts": 40, "heap": 1500, "translucent": 500, "tied": 600,
    "cut": 600,
}
OWN = {"scribbles": {}, "brokenScribbles": {"dash": "dotted"}, "pile": {}}


def put(room, kind):
    """Writes a hostile drawing: one for all clients, or one that is slow only for pages."""
    if kind == "pile":
        # The first shape overlaps all others, and the number of overlapping pairs is just below the server's limit.
        room.write(*((f"aaa-aaa-{at:03d}", {"kind": "rectangle", "position": [at % 7, 0], "size": [1580, 1180], "fill": "#112233"})
                     for at in range(200)))
        return
    if kind in OWN:
        room.write(*((f"aaa-aaa-{at:03d}", shape) for at, shape in enumerate(scribbles(8, **OWN[kind]))))
        return
    for batch in hostile.operations(kind, shapes=COUNTS[kind]):
        room.write(*batch)


@pytest.mark.parametrize("kind", [*hostile.kinds(), *OWN])
def test_what_a_hostile_drawing_costs_is_bounded(room, kind):
    """Checks the work per iteration and per picture, and the numbers of dashes, measured letters and overlapping pairs:
    zoomed in, zoomed out, and while everything changes."""
    put(room, kind)
    shapes = room.shapes()
    ann = room.join(size=(1600, 1200) if kind == "pile" else (800, 600), before=lambda page: page.add_init_script(COUNTING))
    letters = sum(len(shape.get("text", "")) for shape in shapes)

    def judge(what):
        # After two frames the painting has begun.
        ann.see(frames=2)
        ann.wait("app.painter.isDone")
        counts = ann.run("counts")
        assert counts["most"] <= TURN, (what, counts)
        assert counts["all"] <= PICTURE, (what, counts)
        return counts

    def begin():
        ann.run("Object.assign(counts, { parts: 0, lines: 0, most: 0, all: 0 }); return null")

    judge("the first picture")
    for left, top, scale in [(0, 0, 1), (-500_000, -500_000, 0.001), (100, 100, 4)]:
        ann.look_at(left, top, scale)
        ann.painted()
        begin()
        ann.run("app.scene.touchAll(); app.invalidate(); return null")
        counts = judge(scale)
        # Dashes slightly outside of the view are counted too, because strokes are wider than their paths.
        assert counts["parts"] <= 60_000, (scale, counts)
        # The stroke needs a thousand lines, because it has a thousand widths. Its covered parts must not be painted.
        assert kind != "wideInk" or counts["lines"] <= 12_000, (scale, counts)
        assert counts["letters"] <= 2 * letters + 10_000, (scale, counts)
    assert kind not in OWN or counts["crossings"] <= 20, counts
    # Measures panning by a few pixels, selecting the shape at the back, and painting everything again.
    ann.look_at(0, 0, 1)
    ann.painted()
    for act in (
        "app.view.panBy(3, 3)", "app.selection.set([app.session.drawingOrder()[0]])", "app.scene.touchAll(); app.invalidate()",
    ):
        begin()
        ann.run(f"{act}; return null")
        judge(act)
    assert ann.run("app.session.overlapPairs().length") <= 20_000
    # The page still reacts to its user.
    ann.run("app.actions.addSquare.run(); return null")
    room.wait_for_shapes(len(shapes) + 1)


# Paints the picture above the drawing, and returns what that took.
OVERLAY = """
  Object.assign(counts, { lines: 0, boxes: 0, made: 0, work: 0 })
  app.overlay.paint(performance.now())
  return counts"""


@pytest.mark.parametrize("make", [scribbles, zigzags])
def test_what_others_have_selected_costs_little_in_each_frame(room, make):
    """Few lines are marked along their paths, and many with boxes. So many shapes that boxes take long too get one box
    for each person. What a frame has made, the next one doesn't make again."""
    lines, squares = ([f"{kind}-aaa-{at:03d}" for at in range(100)] for kind in ("lin", "squ"))
    for start in range(0, 100, 20):
        room.write(*zip(lines[start : start + 20], make(20)))
    room.write(*((name, {"position": [5 * at, 500], "size": [4, 4]}) for at, name in enumerate(squares)))
    few = [f"few-aaa-{at:03d}" for at in range(5)]
    room.write(*((name, {"kind": "line", "position": [0, 40 * at], "size": [700, 30]}) for at, name in enumerate(few)))
    ann = room.join(size=(800, 600), before=lambda page: page.add_init_script(COUNTING))
    ann.painted()

    def costs(people):
        ann.wait("app.presence.people().filter(({ cursor }) => cursor).length === value", argument=people)
        ann.run(OVERLAY)
        return ann.run(OVERLAY)

    with contextlib.ExitStack() as stack:
        first, *others = [stack.enter_context(room.stranger(f"Mallory {at}")) for at in range(3)]
        first.show(selection=few, cursor=[9, 9])
        counts = costs(1)
        assert counts["boxes"] == 0 and counts["lines"] >= 5, counts
        first.show(selection=lines, cursor=[9, 9, 9])
        ann.wait("app.presence.people().some(({ selection, cursor }) => selection.length === 100 && !cursor)")
        counts = costs(0)
        assert 50 < counts["boxes"] <= 100 and counts["made"] < 100 and counts["work"] <= FRAME, counts
        assert make is scribbles or counts["lines"] > 1, counts
        for person in (first, *others):
            person.show(selection=lines, lifted=squares, cursor=[9, 9])
        counts = costs(3)
        assert 200 < counts["boxes"] <= 410 and counts["work"] <= FRAME, counts
        # However much others have selected, one's own selection is marked.
        ann.run("app.selection.set(value); return null", [number(name) for name in few])
        before, counts = counts["lines"], costs(3)
        assert counts["lines"] >= before + 5, counts


# Twenty people draw long strokes, with a width of its own for each point. `look` returns what each frame costs until all is
# painted. Then somebody draws a short stroke. At last one person draws an ordinary long stroke.
UNFINISHED = """
  async () => {
    const { Inks } = MODULE
    const inks = new Inks()
    const context = new OffscreenCanvas(800, 600).getContext('2d')
    const step = ({ at, actor, spread, count = 120, color = '#ff0000' }) => ({ actor, ink: { shape: actor, color, width: 3, at,
      points: Array.from({ length: 2 * count }, (_, place) => spread(at + (place >> 1), place % 2)),
      widths: spread === wild ? Array.from({ length: count }, (_, place) => 1 + (at + place) * 0.01 % 199) : null } })
    let seed = 1
    const wild = (at, down) => (seed = seed * 48271 % 2147483647) % (down ? 600 : 800)
    const calm = (at, down) => (down ? 300 + 250 * Math.sin(at / 50) : 20 + at % 760)
    const paint = (x = 0, scale = 1) => {
      Object.assign(counts, { work: 0, lines: 0 })
      context.clearRect(0, 0, 800, 600)
      inks.paint(context, { pixels: { scale, x, y: 0 } }, false)
      return counts.work
    }
    const look = (x, scale) => {
      const costs = [paint(x, scale)]
      while (inks.isWaiting && costs.length < 1000) costs.push(paint(x, scale))
      return costs
    }
    const crowd = Array.from({ length: 20 }, (_, actor) => actor + 1)
    const grow = []
    for (let at = 0; at < 6000; at += 120) {
      inks.follow(crowd.map((actor) => step({ at, actor, spread: wild })), 0, () => false)
      grow.push(paint())
    }
    const looks = [[0, 1], [40, 1], [40, 4], [0, 0.05]].map((view) => look(...view))
    // Everything is out of view there.
    const away = look(5000, 1)
    inks.follow([...crowd.map((actor) => step({ at: 5880, actor, spread: wild })),
      step({ at: 0, actor: 50, color: '#0000ff', spread: (at, down) => (down ? 3 : 100 + at) })], 0, () => false)
    paint(1, 1)
    const short = context.getImageData(100, 3, 120, 1).data.filter((value, at) => at % 4 === 2 && value > 200).length
    inks.follow([], 5000, () => false)
    for (let at = 0; at < 5000; at += 100) inks.follow([step({ at, actor: 60, spread: calm })], 5000, () => false)
    const one = [look(0, 1), look(7, 1), look(0, 2)]
    return { grow, looks, away, short, one }
  }"""


def test_what_others_draw_costs_little_in_each_frame(room):
    """Unfinished strokes come with presence, so no limit of the room counts them. A short stroke is painted first, and
    an honest one of thousands of points in one frame."""
    ann = room.join(size=(800, 600), before=lambda page: page.add_init_script(COUNTING))
    found = ann.page.evaluate(UNFINISHED.replace("MODULE", module("canvas/inks.ts")))
    costs = found["grow"] + sum(found["looks"], [])
    assert max(costs) <= 2 * FRAME, costs
    assert max(map(sum, found["looks"])) <= 2 * PICTURE, found["looks"]
    assert sum(found["away"]) <= 1_000, "what is out of view costs nothing"
    assert found["short"] > 40, "somebody's short stroke doesn't wait for the others"
    assert [len(each) for each in found["one"]] == [1, 1, 1], found["one"]
