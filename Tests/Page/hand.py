"""Gestures beyond a plain drag: pausing before release, throwing, and multiple taps. Also records the changes that
other pages receive."""

from person import number

FRAME = 16
# Places within a shape, at which lines are tied to it and paths bend, are told as parts of its sides.
HALF, WHOLE = 32768, 65535


def rest(person):
    """Pauses long enough that a release doesn't throw the shape."""
    person.page.evaluate("new Promise((done) => setTimeout(done, 70))")


def let_go(person):
    """Releases the mouse button, so late that the shape isn't thrown."""
    rest(person)
    person.page.mouse.up()


def lead(person, start, end, steps=4, modifiers=()):
    """Presses the mouse button, moves, pauses, and releases the button."""
    with person.holding(*modifiers):
        person.drag(start, end, steps, hold=True)
        let_go(person)


def lead_finger(person, start, end):
    """Does the same as `lead`, with one finger."""
    person.touch.drag(start, end, hold=True)
    rest(person)
    person.touch.end()


def tap(person, x, y, times=1):
    """Taps or clicks several times quickly. The stopped clock advances meanwhile."""
    for _ in range(times):
        if person.page.evaluate("navigator.maxTouchPoints > 0"):
            person.touch.tap(x, y)
        else:
            person.click(x, y)
        person.pass_time(60)
    # Waits, so that the next tap doesn't become part of a double or triple tap.
    person.pass_time(400)


def throw(person, start, step, steps=8):
    """Releases the shape while it moves by `step` pixels per frame. The stopped clock advances meanwhile."""
    x, y = start
    person.page.mouse.move(x, y)
    person.mouse_down()
    for _ in range(steps):
        x, y = x + step[0], y + step[1]
        person.pass_time(FRAME)
        person.page.mouse.move(x, y)
    person.pass_time(FRAME // 2)
    person.page.mouse.up()
    return x, y


def watch(person):
    """Makes the page record all changes that it receives from now on. `seen` returns them."""
    person.run("""
      window.seen = []
      app.shown.on('changes', (detail) => {
        for (const { id, shape, changed, departure } of detail.shapes) window.seen.push({ id, isThere: shape !== null, changed, departure })
      })
      return null""")


def seen(person, identifier):
    """All changes of a shape that the page has received since `watch`."""
    return person.run("window.seen.filter(({ id }) => id === value)", number(identifier))


def handle(person, kind, side=None):
    """The point of a handle, in CSS pixels of the window: the lower right corner, or (-1, 0) for the left side."""
    person.painted()
    person.wait("(app.selection.size > 0)", "something is selected")
    place = person.run(
        "app.handles.all().find(({ kind, across, down }) => kind === value.kind && (!value.side || `${across},${down}` === `${value.side}`))",
        {"kind": kind, "side": side})
    assert place, f"no handle to {kind} at {side}"
    return place["x"], place["y"]


def hole(person):
    """The centre of the black hole, which deletes shapes that are dropped into it."""
    box = person.page.locator("#hole").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def moved(place, x, y):
    return place[0] + x, place[1] + y


def near(actual, expected, within=0.6):
    """Whether numbers or lists of numbers are equal up to `within`."""
    if isinstance(actual, (list, tuple)):
        return len(actual) == len(expected) and all(near(a, b, within) for a, b in zip(actual, expected))
    return abs(actual - expected) <= within


def hue_saturation_brightness(fill):
    import colorsys

    return colorsys.rgb_to_hsv(*(int(fill[at:at + 2], 16) / 255 for at in (1, 3, 5)))


def is_bright(fill):
    """Whether a colour is at least half saturated and at least 70 % bright, except for rounding."""
    _, saturation, brightness = hue_saturation_brightness(fill)
    return saturation >= 0.49 and brightness >= 0.69
