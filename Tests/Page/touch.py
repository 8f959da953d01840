"""Any number of fingers on a screen, sent through the browser's debugging protocol."""

import math


class Touch:
    def __init__(self, session, see):
        """`see` is called before a gesture. It waits until the page shows its current state, as a person would."""
        self.session, self.see = session, see

    def _send(self, kind, points):
        self.session.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y, "id": at} for at, (x, y) in enumerate(points)]},
        )

    def start(self, *points):
        self._send("touchStart", points)

    def move(self, *points):
        self._send("touchMove", points)

    def end(self, *left):
        """Lifts all fingers except those at `left`."""
        self._send("touchEnd", left)

    def tap(self, x, y, times=1):
        self.see()
        for _ in range(times):
            self.start((x, y))
            self.end()

    def drag(self, start, end, steps=4, hold=False):
        """Drags with one finger. With `hold`, the finger stays down."""
        self.see()
        self.start(start)
        for step in range(1, steps + 1):
            self.move(tuple(a + (b - a) * step / steps for a, b in zip(start, end)))
        if not hold:
            self.end()

    def pinch(self, center, start, end, turn=0, steps=10):
        """Pinches with two fingers: their distance from the centre goes from `start` to `end`, and they turn by `turn` degrees."""
        def fingers(part):
            reach = start + (end - start) * part
            angle = math.radians(turn * part)
            x, y = reach * math.cos(angle), reach * math.sin(angle)
            return (center[0] - x, center[1] - y), (center[0] + x, center[1] + y)

        self.see()
        first, second = fingers(0)
        # The fingers touch one after another, because real fingers never touch at exactly the same time.
        self.start(first)
        self.start(first, second)
        for step in range(1, steps + 1):
            self.move(*fingers(step / steps))
        self.end()
