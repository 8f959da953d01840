"""Gestures beyond a plain drag: pausing before release, and multiple taps."""

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


def near(actual, expected, within=0.6):
    """Whether numbers or lists of numbers are equal up to `within`."""
    if isinstance(actual, (list, tuple)):
        return len(actual) == len(expected) and all(near(a, b, within) for a, b in zip(actual, expected))
    return abs(actual - expected) <= within
