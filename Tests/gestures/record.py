"""Records traces in Debian's Chromium: `record.py PATH_OF_SYNCSERVER`, with the Python of the page's tests. It imports a
module of the page, so `CANVAS_PAGE` has to name a folder with single modules, made as in scripts/coverage.

The browser simulates fingers with the timing and unsteadiness of hands. What the page's recogniser received is
written to traces/recorded-*.ndjson. The expected gestures are listed in this file, and not recorded.
"""

import json
import math
import random
import sys
import time
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path[:0] = [str(here.parent / "Page"), str(here.parent / "EndToEnd")]

import server  # noqa: E402
from world import World  # noqa: E402

LISTEN = """async () => {
  const { Recogniser } = await import('/gestures/recogniser.js')
  const handle = Recogniser.prototype.handle
  window.recorded = []
  Recogniser.prototype.handle = function (input) {
    window.recorded.push({ ...input })
    return handle.call(this, input)
  }
}"""

chance = random.Random(5)


class Hand:
    """One or more fingers, which are never quite still."""

    def __init__(self, person):
        self.person = person
        self.touch = person.touch
        self.fingers = []

    def _shaken(self):
        return [(x + chance.uniform(-0.7, 0.7), y + chance.uniform(-0.7, 0.7)) for x, y in self.fingers]

    def down(self, *points):
        for point in points:
            self.fingers.append(point)
            self.touch.start(*self._shaken())
            time.sleep(0.012)

    def still(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.touch.move(*self._shaken())
            time.sleep(0.016)

    def go(self, *targets, seconds=0.3, arc=0):
        starts = list(self.fingers)
        steps = max(1, round(seconds / 0.016))
        for step in range(1, steps + 1):
            part = step / steps
            self.fingers = []
            for (x, y), (to_x, to_y) in zip(starts, targets):
                self.fingers.append((x + (to_x - x) * part, y + (to_y - y) * part + arc * math.sin(math.pi * part)))
            self.touch.move(*self._shaken())
            time.sleep(0.012)

    def up(self, *left):
        self.fingers = list(left)
        self.touch.end(*left)

    def cancel(self):
        self.fingers = []
        self.touch._send("touchCancel", [])

    def tap(self, x, y, times=1):
        for _ in range(times):
            self.down((x + chance.uniform(-4, 4), y + chance.uniform(-4, 4)))
            self.still(0.05)
            self.up()
            time.sleep(0.09)


SHAPE = (150, 350)


def unsteady_tap(hand):
    """a tap of an unsteady finger"""
    hand.tap(*SHAPE)
    return [{"expect": "tap", "on": "shape:a"}]


def double_tap(hand):
    """a double tap on nothing"""
    hand.tap(300, 650, 2)
    return [{"expect": "tap", "on": "empty"}, {"expect": "doubleTap", "on": "empty"}]


def triple_tap(hand):
    """a triple tap on a shape"""
    hand.tap(*SHAPE, 3)
    return [{"expect": "tap"}, {"expect": "tripleTap", "on": "shape:a"}]


def hold_and_drag(hand):
    """a shape is held, lifted and carried along"""
    hand.down(SHAPE)
    hand.still(0.6)
    hand.go((250, 500), arc=20)
    hand.still(0.15)
    hand.up()
    return [{"expect": "drag began", "lifted": True, "dx": 0, "dy": 0}, {"expect": "drag ended", "lifted": True}]


def fling(hand):
    """a shape is thrown"""
    hand.down(SHAPE)
    hand.go((280, 360), seconds=0.12)
    hand.up()
    return [{"expect": "drag began", "lifted": False, "on": "shape:a"}, {"expect": "drag ended", "lifted": False}]


def stroke(hand):
    """a slow stroke on nothing"""
    hand.down((200, 600))
    hand.go((330, 700), seconds=0.5)
    hand.still(0.1)
    hand.up()
    return [{"expect": "drag began", "on": "empty"}, {"expect": "drag ended", "velocity": {"x": 0, "y": 0}}]


def two_finger_pan(hand):
    """two fingers move the paper"""
    hand.down((120, 600), (220, 610))
    hand.go((200, 700), (300, 705))
    hand.up((200, 700))
    hand.up()
    return [{"expect": "pinch began", "on": "empty"}, {"expect": "pinch ended", "rotation": 0}]


def taken_away(hand):
    """the browser takes a finger away in the middle of a drag, and a tap works after it"""
    hand.down(SHAPE)
    hand.go((220, 380))
    hand.cancel()
    time.sleep(0.1)
    hand.tap(300, 650)
    return [{"expect": "drag began"}, {"expect": "drag cancelled", "reason": "interrupted"}, {"expect": "tap", "on": "empty"}]


SCENES = [unsteady_tap, double_tap, triple_tap, hold_and_drag, fling, stroke, two_finger_pan, taken_away]


def line(entry, start):
    phase = entry["phase"]
    out = {"at": round(entry["time"] - start, 1), phase: entry["id"]}
    if entry["type"] != "touch":
        out["type"] = entry["type"]
    out.update(x=round(entry["x"], 2), y=round(entry["y"], 2), buttons=entry["buttons"], primary=entry["primary"])
    out["contact"] = round(entry["contact"], 1)
    target = entry.get("target")
    if target:
        out["on"] = "shape:a" if target["kind"] == "shape" else target["kind"]
    return out


def main():
    server.BINARY = sys.argv[1]
    with World() as world:
        for scene in SCENES:
            room = world.room()
            shape = room.add(position=[80, 280], size=[140, 140])
            phone = room.join("Eve", phone=True)
            phone.look_at(0, 0)
            phone.wait_for_shape(shape)
            phone.page.evaluate(LISTEN)
            expected = scene(Hand(phone))
            time.sleep(0.5)
            recorded = phone.page.evaluate("window.recorded")
            phone.leave()
            start = recorded[0]["time"]
            lines = [{"trace": f"{scene.__doc__} (recorded)"}, *(line(entry, start) for entry in recorded), *expected]
            path = here / "traces" / f"recorded-{scene.__name__.replace('_', '-')}.ndjson"
            path.write_text("".join(json.dumps(one) + "\n" for one in lines))
            print(f"{path.name}: {len(recorded)} events")


main()
