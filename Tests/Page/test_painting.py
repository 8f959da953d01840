"""Compares painted pixels with the outlines and overlap regions that the core computes."""

import itertools

import numpy

from hand import HALF, WHOLE
from person import number
from pixels import PAPER, centers, differs, distance, inside, mixed, near, rgb

FILL, STROKE = "#2E6FE4", "#1A1A1A"
ORANGE = rgb("#FF8C1A")


def outline(person, identifier):
    """The core's outline of a shape in device pixels."""
    points = person.run("return app.session.outline(value, 0.05)", number(identifier))
    return on_pixels(person, points)


def on_pixels(person, points):
    pixels = person.run("app.view.pixels")
    return [(p["x"] * pixels["scale"] + pixels["x"], p["y"] * pixels["scale"] + pixels["y"]) for p in points]


def alone(person, identifier):
    """Hides the dots of the canvas, so that each pixel belongs to the shape or to the background."""
    person.run("document.documentElement.style.setProperty('--dot', 'rgb(250, 249, 246)'); return null")
    person.wait_for_shape(identifier)
    person.painted()
    return person.picture()


def test_each_kind_is_painted_as_the_core_has_its_outline(room):
    """The shapes are rotated and stretched, at a pixel ratio of two. Only pixels on the edge itself may differ."""
    ann = room.join(ratio=2, size=(420, 360), at=(-10, -10, 1.3))
    for values in [
        {"kind": "rectangle", "rotation": 17},
        {"kind": "roundedRectangle", "cornerRadius": 30, "rotation": -25},
        # The radius is limited to half of the shorter side, so this shape has the largest possible one.
        {"kind": "roundedRectangle", "cornerRadius": 500},
        {"kind": "ellipse", "rotation": 40},
        {"kind": "polygon", "points": 3},
        {"kind": "polygon", "points": 7, "rotation": 200},
        {"kind": "star", "points": 5, "innerRatio": 0.3},
        {"kind": "star", "points": 9, "innerRatio": 0.8, "rotation": 33},
    ]:
        shape = room.add(position=[70, 60], size=[130, 90], fill=FILL, **values)
        picture = alone(ann, shape)
        polygon = outline(ann, shape)
        x, y = centers(picture.shape)
        part = near(polygon, picture.shape)
        beyond = differs(picture, PAPER)
        beyond[part] = False
        assert not beyond.any(), f"{values}: painted far away"
        picture, x, y = picture[part], x[part], y[part]
        within, far = inside(polygon, x, y), distance(polygon, x, y) > 1
        assert within.sum() > 8_000, values
        assert not (differs(picture, rgb(FILL)) & within & far).any(), f"{values}: not filled within"
        assert not (differs(picture, PAPER) & ~within & far).any(), f"{values}: painted beyond its outline"
        room.write((shape, {"deleted": True}))
        ann.wait("app.session.shapeCount === 0")


def test_a_stroke_lies_on_the_outline_and_all_is_as_exact_at_the_edge_of_the_canvas(room):
    """Half inside, half outside. In a translucent shape the fill doesn't show through it. Then shapes and their overlap,
    ten million units from the origin and zoomed in."""
    ann = room.join(size=(420, 360))
    for alpha in (10, 4):
        shape = room.add(kind="ellipse", position=[100, 80], size=[200, 140], rotation=20, fill=FILL, stroke=STROKE,
                         strokeWidth=12, alpha=alpha)
        picture = alone(ann, shape)
        polygon = outline(ann, shape)
        x, y = centers(picture.shape)
        within, away = inside(polygon, x, y), distance(polygon, x, y)
        stroke, fill = (mixed(rgb(color), PAPER, alpha / 10) for color in (STROKE, FILL))
        assert not (differs(picture, stroke) & (away < 5)).any(), alpha
        assert not (differs(picture, fill) & within & (away > 7)).any(), alpha
        assert not (differs(picture, PAPER) & ~within & (away > 7)).any(), alpha
        room.write((shape, {"deleted": True}))
        ann.wait("app.session.shapeCount === 0")
    edge = 9_999_000
    below = room.add(position=[edge, -edge], size=[50, 50], fill="#FFFFFF", z="A")
    room.add(position=[edge + 30.25, -edge + 20.25], size=[50, 50], fill="#FFFFFF", z="B")
    ann.wait_for_shapes(2)
    ann.run("app.view.zoomAt({ x: 0, y: 0 }, 4 / app.view.scale); "
            "app.view.panBy((app.view.x - value[0]) * 4, (app.view.y - value[1]) * 4); return null", [edge - 10, -edge - 10])
    picture = alone(ann, below)
    x, y = centers(picture.shape)
    within = (x > 161) & (x < 240) & (y > 121) & (y < 240)
    assert is_striped(picture, within & (x > 163) & (x < 238) & (y > 123) & (y < 238))
    assert not (~differs(picture, ORANGE) & ~within).any()


def test_ten_levels_of_alpha_mix_with_what_lies_below(room):
    """Each alpha level over the background, and all of them over each other in drawing order."""
    ann = room.join()
    shapes = [room.add(position=[60 * level, 50], size=[40, 40], fill="#FF0000", alpha=level) for level in range(1, 11)]
    ann.wait_for_shapes(10)
    picture = alone(ann, shapes[-1])
    for level in range(1, 11):
        seen = picture[70, 60 * level + 20, :3].astype(int)
        assert numpy.abs(seen - mixed((255, 0, 0), PAPER, level / 10)).max() <= 2, (level, seen)
    ann.learns(shapes[0], visible=False)
    assert not differs(ann.painted_picture()[45:95, 55:105], PAPER).any(), "a hidden shape is seen"


def test_what_two_shapes_have_in_common_is_orange(room):
    """The stripes fill exactly the core's region, with a line around it. They disappear when the shapes are apart. A lifted
    shape is drawn larger, so what it has in common with its neighbour is larger too."""
    ann = room.join(size=(500, 420), still=True)
    below = room.add(kind="star", position=[60, 60], size=[220, 220], fill="#2E6FE4", z="A")
    above = room.add(kind="ellipse", position=[160, 120], size=[200, 120], rotation=30, fill="#FFFFFF", z="B")
    ann.wait_for_shapes(2)
    picture = alone(ann, above)
    polygons = ann.run("app.session.commonRegion(...value)", sorted([number(below), number(above)]))
    assert polygons
    x, y = centers(picture.shape)
    within, away = numpy.zeros(x.shape, bool), numpy.full(x.shape, numpy.inf)
    for polygon in (on_pixels(ann, points) for points in polygons):
        within |= inside(polygon, x, y)
        away = numpy.minimum(away, distance(polygon, x, y))
    assert (within & (away > 2)).sum() > 3000
    assert is_striped(picture, within & (away > 2)), "not orange within"
    line = away < 0.3
    assert (numpy.abs(picture[:, :, :3].astype(int) - 255)[line].sum(axis=1) > 90).mean() > 0.9, "no line around it"
    around = inside(outline(ann, above), x, y) & ~within & (away > 2)
    assert not (differs(picture, (255, 255, 255)) & around & (distance(outline(ann, above), x, y) > 1)).any()
    room.write((above, {"position": [290, 200]}))
    ann.wait("app.session.overlapPairs().length === 0")
    assert differs(ann.painted_picture(), ORANGE).all(), "orange was left behind"
    square = {"kind": "rectangle", "rotation": 0, "size": [100, 100], "fill": "#FFFFFF"}
    room.write((below, {**square, "position": [100, 100]}), (above, {**square, "position": [180, 100]}))
    ann.wait("app.session.overlapPairs().length === 1")
    alone(ann, above)
    assert not orange_at(ann, 178, 150) and orange_at(ann, 190, 150)
    ann.run("app.scene.lift(value); return null", number(above))
    ann.wait("app.scene.drawn(value)?.growth > 1.05", argument=number(above))
    ann.painted()
    # The lifted shape is 6 % larger, which is 3 units on each side.
    assert orange_at(ann, 178.5, 150) and not orange_at(ann, 175, 150)


def is_striped(picture, part):
    """Whether the region has orange stripes everywhere: some pixels of each tile are orange, and others are not."""
    orange = ~differs(picture, ORANGE)
    rows, columns = numpy.nonzero(part)
    corners = {(row // 20, column // 20) for row, column in zip(rows, columns)}
    shares = [orange[cell][part[cell]].mean() for cell in (
        (slice(20 * row, 20 * row + 20), slice(20 * column, 20 * column + 20)) for row, column in corners) if part[cell].sum() > 300]
    return len(shares) > 2 and min(shares) > 0.1 and max(shares) < 0.6


def orange_at(person, x, y):
    """Whether a stripe crosses this pixel's column nearby."""
    red, _, blue = person.picture()[int(y) - 6:int(y) + 7, int(x), :3].astype(int).T
    return ((red > 180) & (red - blue > 80)).any()


# Draws, changes and pans at random from a seed, with a frame after each step. Then repaints everything, and compares
# both pictures. Returns how many pixels away from edges differ, and the mean difference of pixels on edges.
BIT_BY_BIT = """async ({ seed, kinds, turns, hurried }) => {
  const app = window.canvasApp
  const frame = () => new Promise(requestAnimationFrame)
  const canvas = document.querySelector('#drawing')
  let state = seed
  const next = (below) => (state = state * 48271 % 2147483647) % below
  // Each reading of the clock advances it, so that one frame never has enough time for all overlaps.
  const clock = performance.now.bind(performance)
  let ahead = 0
  const settled = async () => {
    do { await frame(); await frame() } while (!app.painter.isDone || app.scene.moves())
    await frame()
    return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
  }
  app.edit((session) => session.clear())
  for (let at = 0; at < 150; at++) {
    const kind = kinds[next(kinds.length)]
    const form = { rectangle: {}, ellipse: {}, roundedRectangle: { cornerRadius: 8 + next(33) } }[kind] ?? { points: 3 + next(6) }
    app.edit((session) => session.add({
      kind, position: [next(1050), next(780)], size: [20 + next(200), 20 + next(150)], alpha: 1 + next(10),
      fill: '#' + (0x1000000 + next(0x1000000)).toString(16).slice(1), rotation: turns ? next(360) : 0, ...form,
    }))
  }
  await settled()
  if (hurried) performance.now = () => clock() + (ahead += 1)
  const ids = app.session.drawingOrder()
  for (let step = 0; step < 40; step++) {
    const id = ids[next(ids.length)]
    if (step % 5 === 0) app.view.panBy(next(41) - 20.5, next(41) - 20)
    if (!app.session.shape(id)) continue
    if (step % 4 === 0) app.edit((session) => session.edit([{ shape: id, set: { alpha: 1 + next(10), name: `Step ${step}` } }]))
    else if (step % 7 === 0) app.edit((session) => session.reorder([id], 'front'))
    else if (step % 11 === 0) app.edit((session) => session.delete([id]))
    else app.edit((session) => session.place([{ id, x: next(900), y: next(600), rotation: turns ? next(360) : 0 }]))
    await frame()
  }
  const bitByBit = await settled()
  performance.now = clock
  app.scene.touchAll()
  app.invalidate()
  const atOnce = await settled()

  const edges = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d')
  const { scale, x, y } = app.view.pixels
  edges.lineWidth = 3
  for (const id of app.session.drawingOrder()) {
    edges.beginPath()
    for (const point of app.session.outline(id, 0.05)) edges.lineTo(point.x * scale + x, point.y * scale + y)
    edges.closePath()
    edges.stroke()
  }
  const isEdge = edges.getImageData(0, 0, canvas.width, canvas.height).data
  const told = { drawn: app.session.shapeCount, beside: 0, on: 0, mean: 0 }
  let length = 0
  for (let at = 0; at < atOnce.length; at += 4) {
    const apart = Math.max(...[0, 1, 2].map((channel) => Math.abs(bitByBit[at + channel] - atOnce[at + channel])))
    const on = isEdge[at + 3] > 0
    if (on) length += 1
    if (apart > 0) told[on ? 'on' : 'beside'] += 1
    if (on) told.mean += apart
  }
  told.mean /= length
  return told
}"""


def test_what_is_painted_bit_by_bit_is_what_is_painted_at_once(room):
    """For upright rectangles, painting changed tiles gives exactly the pixels of a full repaint. On slanted edges, the
    browser computes how much of a pixel is covered only to about an eighth. The result varies where the painted area
    cuts the edge. Only such pixels may differ, and only slightly."""
    ann = room.join(size=(900, 600), still=True)
    kinds = ["rectangle", "roundedRectangle", "ellipse", "polygon", "star"]
    for seed, is_upright, hurried in itertools.product((1, 2), (True, False), (True, False)):
        told = ann.page.evaluate(
            BIT_BY_BIT, {"seed": seed, "kinds": kinds[:1] if is_upright else kinds, "turns": not is_upright, "hurried": hurried})
        most = 0 if is_upright else 0.5
        assert told["drawn"] > 140 and told["beside"] == 0 and told["mean"] <= most, (seed, is_upright, hurried, told)


def test_it_is_crisp_at_every_ratio_and_scale(room):
    """The canvas has as many pixels as the screen. An edge on a pixel border is sharp."""
    ratios = (1, 1.5, 3)
    shape = room.add(position=[20, 20], size=[40, 40], fill="#000000")
    for ratio in ratios:
        ann = room.join(ratio=ratio, size=(400, 300), at=(0, 0, 2))
        picture = alone(ann, shape)
        assert picture.shape[:2] == (300 * ratio, 400 * ratio), picture.shape
        row = picture[int(80 * ratio), :, 0]
        edge = int(40 * ratio)
        assert row[edge - 1] > 240 and row[edge] < 10, (ratio, row[edge - 3 : edge + 3])
        ann.leave()


def test_letters_are_where_they_were_on_another_screen(room):
    """A browser that has painted a text on a coarse screen spaces its letters on a fine one as another browser does."""
    room.add(position=[20, 20], size=[200, 100], fill="#FFFFFF", text="word1of64783", textSize=20)
    ann, bob = room.join(ratio=2, size=(320, 240), at=(0, 0)), room.join("Bob", size=(320, 240), at=(0, 0))
    bob.painted()
    browser = bob.page.context.new_cdp_session(bob.page)
    browser.send("Emulation.setDeviceMetricsOverride", {"width": 320, "height": 240, "deviceScaleFactor": 2, "mobile": True})
    bob.wait("app.view.pixels.scale === 2", "the other screen")
    pictures = [person.painted_picture().astype(int) for person in (ann, bob)]
    assert abs(pictures[0] - pictures[1]).max() <= 1


def test_only_what_is_in_view_and_has_changed_is_painted(room):
    """None of 2,000 shapes outside of the view is painted. Inside it, only shapes near a change are."""
    ann = room.join()
    ann.run("""
      const far = [], near = []
      app.group(() => {
        for (let at = 0; at < 2000; at++) app.edit((session) => session.addRandomShape({ x: 5000, y: 5000, width: 9000, height: 9000 }))
        for (let row = 0; row < 10; row++) for (let column = 0; column < 10; column++) {
          app.edit((session) => session.add({ kind: 'polygon', position: [120 * column, 75 * row], size: [60, 40] }))
        }
      })
      return null""")
    ann.painted()
    ann.run("""
      globalThis.fills = 0
      const own = CanvasRenderingContext2D.prototype.fill
      CanvasRenderingContext2D.prototype.fill = function (...values) {
        if (this.canvas.id === 'drawing' && values[0] instanceof Path2D) fills += 1
        return own.apply(this, values)
      }
      app.scene.touchAll(); app.invalidate(); return null""")
    ann.painted()
    assert ann.run("fills") == 100
    ann.run("fills = 0; const [id] = app.session.shapesAt(30, 20); app.edit((session) => session.edit([{ shape: id, set: { fill: '#112233' } }])); return null")
    ann.painted()
    fills, frames = ann.run("fills"), 12
    assert 0 < fills <= 6 * frames, fills


# How often a canvas method was called for each picture that was painted during `act`.
COUNTED = """
  const counted = async (method, act) => {
    let count = 0
    const prototypes = [CanvasRenderingContext2D.prototype, OffscreenCanvasRenderingContext2D.prototype]
    const owns = prototypes.map((each) => each[method])
    prototypes.forEach((each, at) => { each[method] = function (...values) { count += 1; return owns[at].apply(this, values) } })
    // Each reading of the clock advances it by a millisecond, however fast the machine is.
    const clock = performance.now.bind(performance)
    let ahead = 0
    performance.now = () => clock() + (ahead += 1)
    const counts = []
    const { paint } = app.painter
    app.painter.paint = (now) => { count = 0; paint.call(app.painter, now); counts.push(count) }
    await act()
    performance.now = () => clock() + ahead
    app.painter.paint = paint
    prototypes.forEach((each, at) => { each[method] = owns[at] })
    return counts
  }
"""


def test_a_picture_that_takes_long_is_made_beside_the_one_that_is_seen(room):
    """With 20,000 shapes, each frame of a zoom paints a few hundred of them. In the end everything is sharp."""
    ann = room.join()
    ann.run("return app.exchange()")
    ann.run("""
      const squares = []
      for (let at = 0; at < 20000; at++) squares.push({ x: at % 160 * 50, y: Math.floor(at / 160) * 50, colour: '#3366CC', size: 40 })
      app.edit((session) => session.importDocument(JSON.stringify({ squares })))
      return null""")
    ann.wait_for_shapes(20_000)
    ann.run("app.view.fit(app.session.bounds()); return null")
    ann.wait("app.painter.isDone")
    fills = ann.run(COUNTED + """return counted('fill', async () => {
      for (let step = 0; step < 30; step++) {
        app.view.zoomAt({ x: 600, y: 400 }, step < 15 ? 0.98 : 1.03)
        await new Promise(requestAnimationFrame)
      }
    })""")
    assert len(fills) >= 25 and 0 < max(fills) < 1000, fills
    ann.wait("app.painter.isDone")
    picture = ann.picture()
    assert (numpy.abs(picture[:, :, :3].astype(int) - rgb("#3366CC")).max(axis=2) < 8).mean() > 0.15


def test_much_work_is_painted_over_many_frames_whatever_it_lies_in(room):
    """A few large translucent shapes, or one stroke with a thousand widths, are as much work as many shapes."""
    ann = room.join()
    for shapes in (
        # The shapes are too faint or too thin to hide each other.
        [{"alpha": 1, "strokeWidth": 6, "position": [-100, -100], "size": [3000, 2000]}] * 60,
        [{"kind": "ink", "strokeWidth": 40, "position": [-400, -400], "size": [2000, 1600],
          "path": [[at * 7919 % 65536, at * 104729 % 65536, 100 + at % 2] for at in range(1000)]}],
    ):
        made = [room.add(**values) for values in shapes]
        ann.wait_for_shapes(len(made))
        ann.look_at(0, 0)
        ann.wait("app.painter.isDone")
        counts = ann.run(COUNTED + """return counted('stroke', async () => {
          app.scene.touchAll()
          app.invalidate()
          do await new Promise(requestAnimationFrame)
          while (!app.painter.isDone)
        })""")
        assert sum(counts) >= max(60, len(made)) and max(counts) < 60, counts
        room.write(*((shape, {"deleted": True}) for shape in made))
        ann.wait_for_shapes(0)


def test_long_broken_lines_are_cut_to_what_is_seen_and_common_regions_lie_on_each_other_alike(room):
    """It looks as if the whole line were painted, with its dashes in the same places."""
    ann = room.join(size=(420, 360), still=True, at=(0, 0))
    for values, at in [
        ({"kind": "rectangle", "position": [-200_000, 100], "size": [400_000, 5000]}, 100),
        ({"kind": "line", "position": [-200_000, 80], "size": [400_000, 1], "path": [[0, 0], [WHOLE, 0]]}, 80),
        ({"kind": "ink", "position": [-200_000, 60], "size": [400_000, 1], "path": [[0, 0], [HALF, 0], [WHOLE, 0]]}, 60),
    ]:
        line = room.add(filled=False, dash="dashed", strokeWidth=4, stroke=STROKE, **values)
        row = differs(alone(ann, line), PAPER)[at]
        seen = [x for x in range(20, 400) if row[x]]
        # Counted from the line's start, twelve of every twenty pixels are painted.
        wanted = [x for x in range(20, 400) if x % 20 < 12]
        # The centre of the painted ink can be up to three units away from the centre of its box. So the test tries
        # several shifts of the expected pixels.
        missing = min(len(set(seen) ^ {x + shift for x in wanted}) for shift in range(-20, 20))
        assert missing < 25, (values["kind"], seen)
        ann.learns(line, deleted=True)
    ellipse = room.add(kind="ellipse", filled=False, dash="dotted", strokeWidth=6, stroke=STROKE, position=[-100_000, 100],
                       size=[200_400, 200_000])
    picture = differs(alone(ann, ellipse), PAPER)
    row = picture[100, 100:340]
    assert 15 <= (row[1:] & ~row[:-1]).sum() <= 25 and not picture[110:].any() and not picture[:94].any()
    ann.learns(ellipse, deleted=True)

    # Which common region is on top depends on the drawing order, and not on the order of changes.
    shapes = [room.add(kind="rectangle", size=[120, 120], position=[-500, at * 300], fill=fill)
              for at, fill in enumerate(["#EE5588", "#F5A020", "#666677"])]
    pictures = []
    for order in itertools.permutations(range(3)):
        for at in order:
            ann.learns(shapes[at], position=[100 + 40 * at, 80 + 30 * at])
        ann.painted()
        pictures.append(ann.picture())
        room.write(*((shape, {"position": [-500, at * 300]}) for at, shape in enumerate(shapes)))
        ann.wait_for_shape(shapes[2], "shape.x < 0")
        ann.painted()
    assert all((picture == pictures[0]).all() for picture in pictures)


def test_what_is_common_may_end_while_it_is_painted(room):
    """A picture takes several frames. After the first, a shape that still had regions to paint has none any more."""
    ann = room.join()
    for at in range(8):
        room.add(kind="rectangle", alpha=1, strokeWidth=6, position=[30 * at - 300, 30 * at - 300], size=[3000, 2000])
    ann.wait_for_shapes(8)
    ann.look_at(0, 0)
    ann.painted()
    painted = ann.run("""
      return (async () => {
        // The frame ends after the second region, which is the first of the third shape's two.
        const clock = performance.now.bind(performance)
        let [ahead, regions] = [0, 0]
        performance.now = () => clock() + ahead
        const { prototype } = OffscreenCanvasRenderingContext2D
        const { fill } = prototype
        prototype.fill = function (...values) {
          if (this.fillStyle instanceof CanvasPattern && ++regions === 2) ahead = 1000
          return fill.apply(this, values)
        }
        app.scene.touchAll()
        app.invalidate()
        for (let frame = 0; regions < 2 && frame < 1000; frame++) await new Promise(requestAnimationFrame)
        prototype.fill = fill
        const painted = app.painter.isDone
        app.edit((session) => session.clear())
        return { painted, regions }
      })()""")
    assert painted == {"painted": False, "regions": 2}
    ann.wait("app.painter.isDone")
    room.wait_for_shapes(0)


def test_black_and_grey_are_seen_on_dark_paper(room):
    """Ink, lines, letters and outlines become light, and a fill becomes lighter than the paper. Other colours and what
    is stored stay. What is being drawn and written has the colour that it will have."""
    black = "#2B2A28"
    line = {"kind": "line", "size": [100, 20], "path": [[0, HALF], [WHOLE, HALF]], "strokeWidth": 20}
    room.add(**line, stroke=black, toEnd="arrow", position=[100, 100])
    room.add(**{**line, "kind": "ink"}, stroke="#000000", position=[100, 150])
    room.add(**line, stroke="#27476E", position=[100, 200])
    room.add(size=[100, 100], filled=False, stroke=black, strokeWidth=20, position=[300, 100])
    room.add(size=[100, 100], fill=black, text="\u2588\u2588", textSize=40, position=[500, 100])
    room.add(size=[100, 100], fill="#F5CB45", text="\u2588\u2588", textSize=40, position=[700, 100])
    text = room.add(kind="text", size=[100, 100], fill=black, text="\u2588\u2588", textSize=40, position=[900, 100])
    spots = {"line": (150, 110), "head": (140, 132), "ink": (150, 160), "outline": (350, 100), "letters": (950, 150)}
    ann = room.join(theme="dark", at=(0, 0), ratio=1)

    def colors():
        picture = ann.painted_picture()[:, :, :3].astype(int)
        return {name: tuple(picture[y, x]) for name, (x, y) in spots.items()}, picture

    dark, picture = colors()
    assert picture[5, 5].max() < 40 and all(min(color) > 180 for color in dark.values()), dark
    assert not differs(picture[205:215, 110:190], rgb("#27476E")).any()
    assert 50 < picture[105, 505].max() < 90 and picture[150, 550].min() == 255, "a black box with white letters"
    assert not differs(picture[105:106, 705:706], rgb("#F5CB45")).any() and picture[150, 750].max() == 0
    ann.select(text)
    ann.press("F2")
    ann.see(frames=2)
    letters = ann.page.evaluate("getComputedStyle(document.querySelector('.writing-field')).color")
    assert [int(channel) for channel in letters[4:-1].split(",")] == list(dark["letters"])
    ann.press("Escape", "Escape")
    ann.run("app.paint.choose({ stroke: value }); app.setTool('pen'); return null", "#000000")
    ann.drag((100, 500), (300, 500), hold=True)
    overlay = ann.picture("#overlay")[500, 200]
    ann.page.mouse.up()
    assert overlay[:3].min() > 180 and overlay[3] == 255, overlay
    assert [shape.get("stroke") for shape in room.shapes()][:2] == [black, "#000000"]
    ann.page.emulate_media(color_scheme="light")
    ann.wait("matchMedia('(prefers-color-scheme: light)').matches")
    light, picture = colors()
    assert picture[5, 5].min() > 220 and light == {name: rgb("#000000" if name == "ink" else black) for name in spots}, light
