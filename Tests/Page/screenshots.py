"""Takes screenshots of the page: `screenshots.py PATH_OF_SYNCSERVER FOLDER [NAME…]`. See `make screenshots`. With
`--every` in place of names, it takes all states in all sizes and themes.

This script draws what the rooms contain. The people are real browsers, and no picture is edited.
"""

import os
import sys
import time
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "EndToEnd"))

import server  # noqa: E402
from boards import BOARD, FORMS, SMALL_BOARD, YELLOW, draw  # noqa: E402
from every import take_every  # noqa: E402
from person import number  # noqa: E402
from test_history import look_back, open_history  # noqa: E402
from world import World  # noqa: E402

# The pictures that the documents show. All others are for inspection only.
SHOWN = ["board", "overlap", "history", "phone"]
# Device pixels per CSS pixel. With this ratio, a picture is exactly as wide as a README shows it.
RATIO = 1.15


def settled(person):
    person.page.evaluate("document.fonts.ready.then(() => null)")
    person.painted()


class Pictures:
    def __init__(self, world, folder):
        self.world, self.folder = world, folder

    def save(self, person, name):
        settled(person)
        path = self.folder / f"{name}.png"
        person.page.screenshot(path=path, animations="disabled", caret="hide")
        print(f"{path}: {path.stat().st_size // 1000} KB", flush=True)

    def company(self, room, ann, shapes, bobs, eves):
        """Adds two people to the room: Bob has selected a shape, and Eve has lifted one."""
        bob, eve = room.join("Bob"), room.join("Eve")
        for person in room.people:
            person.wait_for_shapes(len(shapes))
        for person, (name, x, y) in ((bob, bobs), (eve, eves)):
            person.run("app.setTool('select'); app.presence.setCursor(value); return null", {"x": x, "y": y})
            if person is bob:
                bob.run("app.selection.set([value]); return null", number(shapes[name]))
            else:
                eve.run("app.presence.setLifted([value]); return null", number(shapes[name]))
        ann.wait("app.presence.people().filter(({ cursor }) => cursor).length === 2")
        ann.wait("app.presence.people().some(({ lifted }) => lifted.length)")

    def choose(self, ann, shape):
        ann.run("app.setTool('select'); app.selection.set([value]); return null", number(shape))

    def empty(self):
        ann = self.world.room(name="sketches").join("Ann", ratio=RATIO)
        ann.page.locator(".middle[data-kind=empty]").wait_for()
        self.save(ann, "empty")

    def board(self, name="board", **options):
        """Texts, notes, arrows and ink, with other people in the room."""
        room = self.world.room(name="garden")
        ann = room.join("Ann", ratio=RATIO, **options)
        shapes = draw(ann, BOARD)
        self.company(room, ann, shapes, ("Beds", 236, 500), ("Fence", 580, 470))
        ann.look_at(60, -30, 0.85)
        self.choose(ann, shapes["Harvest"])
        self.save(ann, name)

    def dark(self):
        self.board("dark", theme="dark")

    def forms(self, name="forms", **options):
        """All kinds of shapes that have an area."""
        room = self.world.room(name="forms")
        ann = room.join("Ann", ratio=RATIO, **options)
        shapes = draw(ann, FORMS)
        self.company(room, ann, shapes, ("Tile", 716, 250), ("Kite", 412, 420))
        ann.look_at(30, -30, 1)
        self.choose(ann, shapes["Card"])
        self.save(ann, name)

    def overlap(self, name="overlap", **options):
        room = self.world.room(name="eclipse")
        ann, bob = room.join("Ann", ratio=RATIO, **options), room.join("Bob")
        shapes = draw(ann, [
            ("Sun", "ellipse", (380, 170), (260, 260), {"fill": YELLOW}),
            ("Moon", "ellipse", (760, 210), (190, 190), {"fill": "#B9C3D9"}),
            ("Comet", "star", (330, 360), (210, 200), {"fill": "#F3E3C3", "points": 7, "innerRatio": 0.5, "rotation": 12}),
        ])
        bob.wait_for_shapes(3)
        ann.look_at(0, 0, 1)
        bob.run("app.edit((session) => session.place([{ id: value, x: 560, y: 210 }])); return null", number(shapes["Moon"]))
        ann.wait("app.session.overlapPairs().length === 2")
        ann.page.get_by_role("tab", name="Overlaps").click()
        ann.run("app.setTool('select'); return null")
        self.save(ann, name)

    def phone(self, name="phone", **options):
        room = self.world.room(name="garden")
        eve = room.join("Eve", **{"phone": True, "ratio": 1.5, **options})
        shapes = draw(eve, SMALL_BOARD)
        room.join("Bob")
        eve.wait("app.presence.people().length === 1")
        eve.look_at(0, 0, 1)
        self.choose(eve, shapes["Seeds"])
        self.save(eve, name)

    def phone_dark(self):
        self.phone("phone_dark", theme="dark")

    def narrow(self):
        """The narrowest phone that the page has to fit."""
        self.phone("narrow", size=(320, 568))

    def landscape(self, name="landscape", **options):
        """A phone in landscape, with a notice about another person's last step."""
        room = self.world.room(name="garden")
        eve = room.join("Eve", phone=True, size=(844, 390), ratio=1.5, **options)
        shapes = draw(eve, BOARD)
        room.join("Bob")
        eve.look_at(20, 160, 0.8)
        self.choose(eve, shapes["Water"])
        eve.run("app.say('Bob removed 4 shapes.', { action: { words: 'Bring back', run() {} } }); return null")
        self.save(eve, name)

    def landscape_panel(self):
        room = self.world.room(name="garden")
        eve = room.join("Eve", phone=True, size=(844, 390), ratio=1.5)
        shapes = draw(eve, BOARD)
        eve.look_at(20, 160, 0.8)
        self.choose(eve, shapes["Water"])
        eve.page.tap("button[aria-label='Layers, inspector, overlaps']")
        eve.page.tap("#tab-inspector")
        eve.page.get_by_label("Fill", exact=True).wait_for()
        self.save(eve, "landscape_panel")

    def inspector(self, name="inspector", **options):
        """The inspector. It begins with the colours, and shows the ends of a line."""
        ann = self.world.room(name="garden").join("Ann", ratio=RATIO, **options)
        shapes = draw(ann, BOARD)
        ann.look_at(40, 0, 1)
        self.choose(ann, shapes["Four"])
        ann.page.click("#tab-inspector")
        ann.page.get_by_label("Ends", exact=True).wait_for()
        self.save(ann, name)

    def inspector_dark(self):
        self.inspector("inspector_dark", theme="dark")

    def question(self):
        """The question before the canvas is cleared, which appears because others are in the room."""
        room = self.world.room(name="garden")
        ann = room.join("Ann", ratio=RATIO)
        draw(ann, BOARD)
        room.guest("Bob")
        room.guest("Eve")
        ann.wait("app.presence.people().length === 2")
        ann.press("Shift+Delete")
        ann.page.get_by_role("dialog").wait_for()
        self.save(ann, "question")

    def history(self, name="history", **options):
        """The history after three people drew one after another and Bob removed a shape."""
        room = self.world.room(name="garden")
        ann, bob, eve = room.join("Ann", ratio=RATIO, **options), room.join("Bob"), room.join("Eve")
        for at, form in enumerate(BOARD[:9]):
            draw_one((ann, bob, eve)[at % 3], form)
        fence = next(shape["id"] for shape in room.wait_for_shapes(9) if shape["name"] == "Fence")
        bob.wait_for_shapes(9)
        bob.run("app.edit((session) => session.delete([value])); return null", number(fence))
        room.wait_for_shapes(8)
        then = time.time() * 1000
        eve.wait_for_shapes(8)
        draw_one(eve, BOARD[-1])
        ann.wait_for_shapes(9)
        ann.look_at(60, -30, 0.85)
        open_history(ann)
        look_back(ann, then)
        ann.page.locator(".history output", has_text="Bob removed Fence").wait_for()
        self.save(ann, name)

    def history_dark(self):
        self.history("history_dark", theme="dark")


def draw_one(person, form):
    """Lets a person draw a shape, a moment after the previous one."""
    count = len(person.room.shapes())
    name, kind, position, size, values = form
    person.wait_for_shapes(count)
    person.run("app.edit((session) => session.add(value)); return null",
               {"kind": kind, "name": name, "position": list(position), "size": list(size), **values})
    person.room.wait_for_shapes(count + 1)
    time.sleep(0.05)


def main():
    server.BINARY = os.path.abspath(sys.argv[1])
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    if "--every" in sys.argv:
        return take_every(folder)
    for name in sys.argv[3:] or SHOWN:
        # Each picture has its own server, so that its room can have the name in the picture.
        with World(panel="layers") as world:
            getattr(Pictures(world, folder), name)()
            for room in world.rooms:
                for person in room.people:
                    person.leave()


main()
