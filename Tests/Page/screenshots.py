"""Pictures of the page for people: `screenshots.py PATH_OF_SYNCSERVER FOLDER [NAME…]`. See `make screenshots`.

This script draws the rooms, the people are real browsers, and no picture is retouched.
"""

import os
import sys
from pathlib import Path

here = Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "EndToEnd"))

import server  # noqa: E402
from person import number  # noqa: E402
from world import World  # noqa: E402

NAVY, VERMILION, YELLOW, TEAL, SAND, PLUM, BLUE = (
    "#27476E", "#E4572E", "#F2C14E", "#6FB1A0", "#E6CFB0", "#9A4C86", "#3F7FD9",
)

# A sheet of shapes. All but two have space around them.
FORMS = [
    ("Sun", "ellipse", (150, 100), (150, 150), {"fill": YELLOW}),
    ("Moon", "ellipse", (250, 140), (110, 110), {"fill": "#B9C3D9"}),
    ("Gate", "roundedRectangle", (410, 100), (150, 150), {"fill": VERMILION, "cornerRadius": 48}),
    ("Tile", "polygon", (600, 92), (166, 166), {"fill": TEAL, "points": 6, "rotation": 15}),
    ("Spark", "star", (800, 96), (160, 160), {"fill": PLUM, "points": 8, "innerRatio": 0.62}),
    ("Door", "rectangle", (150, 300), (90, 150), {"fill": BLUE}),
    ("Pillar", "roundedRectangle", (262, 300), (38, 150), {"fill": SAND, "cornerRadius": 19}),
    ("Kite", "polygon", (336, 296), (130, 158), {"fill": YELLOW, "points": 4}),
    ("Ring", "ellipse", (506, 310), (130, 130), {"fill": "#FFFFFF", "stroke": NAVY, "strokeWidth": 18}),
    ("Sail", "polygon", (680, 296), (120, 190), {"fill": VERMILION, "points": 3, "alpha": 9}),
    ("Card", "rectangle", (838, 318), (118, 112), {"fill": NAVY, "rotation": -12}),
    ("River", "roundedRectangle", (150, 500), (320, 84), {"fill": TEAL, "cornerRadius": 42}),
    ("Star", "star", (512, 490), (112, 106), {"fill": YELLOW, "points": 5, "innerRatio": 0.45, "stroke": NAVY, "strokeWidth": 4}),
    ("Stone", "ellipse", (664, 510), (150, 74), {"fill": SAND}),
    ("Hill", "polygon", (846, 484), (112, 112), {"fill": PLUM, "points": 5, "alpha": 8}),
]


# The same for the width of a phone.
NARROW = [
    ("Sun", "ellipse", (28, 112), (120, 120), {"fill": YELLOW}),
    ("Moon", "ellipse", (112, 140), (88, 88), {"fill": "#B9C3D9"}),
    ("Gate", "roundedRectangle", (240, 112), (120, 120), {"fill": VERMILION, "cornerRadius": 38}),
    ("Tile", "polygon", (28, 254), (124, 124), {"fill": TEAL, "points": 6, "rotation": 15}),
    ("Kite", "polygon", (170, 252), (76, 128), {"fill": YELLOW, "points": 4}),
    ("Door", "rectangle", (276, 260), (84, 112), {"fill": BLUE}),
    ("Ring", "ellipse", (42, 412), (96, 96), {"fill": "#FFFFFF", "stroke": NAVY, "strokeWidth": 14}),
    ("Spark", "star", (172, 396), (128, 128), {"fill": PLUM, "points": 8, "innerRatio": 0.62}),
    ("Pillar", "roundedRectangle", (330, 400), (30, 120), {"fill": SAND, "cornerRadius": 15}),
    ("River", "roundedRectangle", (130, 556), (230, 64), {"fill": TEAL, "cornerRadius": 32}),
    ("Star", "star", (28, 540), (86, 82), {"fill": YELLOW, "points": 5, "innerRatio": 0.45, "stroke": NAVY, "strokeWidth": 4}),
]


def draw(person, forms):
    """Someone draws all of them. Returns the identifiers by name."""
    shapes = {}
    for name, kind, position, size, values in forms:
        identifier = server.identifier()
        shapes[name] = identifier
        person.run("app.edit((session) => session.edit([value])); return null", {
            "shape": number(identifier),
            "set": {"kind": kind, "name": name, "position": list(position), "size": list(size), **values},
        })
    person.room.wait_for_shapes(len(forms))
    return shapes


def settled(person):
    person.page.evaluate("document.fonts.ready.then(() => null)")
    person.painted()


class Pictures:
    def __init__(self, world, folder):
        self.world, self.folder = world, folder

    def save(self, person, name):
        settled(person)
        path = self.folder / f"{name}.png"
        # Waits until nothing moves, with the pointer where it highlights nothing.
        person.page.screenshot(path=path, animations="disabled", caret="hide")
        print(f"{path}: {path.stat().st_size // 1000} KB", flush=True)

    def company(self, room, ann, shapes):
        """Bob has selected a shape, Eve has lifted one."""
        bob, eve = room.join("Bob"), room.join("Eve")
        for person in room.people:
            person.wait_for_shapes(len(shapes))
        bob.run("app.setTool('select'); app.selection.set([value]); app.presence.setCursor({ x: 716, y: 250 }); return null",
                number(shapes["Tile"]))
        eve.run("app.presence.setLifted([value]); app.presence.setCursor({ x: 412, y: 420 }); return null", number(shapes["Kite"]))
        ann.wait("app.presence.people().filter(({ cursor }) => cursor).length === 2")
        ann.wait("app.presence.people().some(({ lifted }) => lifted.length)")

    def empty(self):
        ann = self.world.room(name="sketches").join("Ann", ratio=1.5)
        ann.page.locator(".middle[data-kind=empty]").wait_for()
        self.save(ann, "empty")

    def busy(self, name="busy", **options):
        room = self.world.room(name="forms")
        ann = room.join("Ann", ratio=1.5, **options)
        shapes = draw(ann, FORMS)
        self.company(room, ann, shapes)
        ann.look_at(30, -30, 1)
        ann.run("app.setTool('select'); app.selection.set([value]); return null", number(shapes["Card"]))
        self.save(ann, name)

    def dark(self):
        self.busy("dark", theme="dark")

    def overlap(self):
        room = self.world.room(name="eclipse")
        ann, bob = room.join("Ann", ratio=1.5), room.join("Bob")
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
        self.save(ann, "overlap")

    def phone(self):
        room = self.world.room(name="forms")
        eve = room.join("Eve", phone=True, ratio=2)
        shapes = draw(eve, NARROW)
        room.join("Bob")
        eve.wait("app.presence.people().length === 1")
        eve.look_at(0, 0, 1)
        eve.run("app.setTool('select'); app.selection.set([value]); return null", number(shapes["Spark"]))
        self.save(eve, "phone")

    def history(self):
        ann = self.world.room(name="forms").join("Ann", ratio=1.5)
        draw(ann, FORMS)
        ann.look_at(30, -30, 1)
        ann.page.get_by_role("button", name="Menu").first.click()
        ann.page.get_by_role("menuitem", name="History").first.click()
        ann.page.get_by_role("slider", name="Moment").wait_for()
        ann.page.get_by_role("slider", name="Moment").fill("750")
        ann.wait("app.isPast")
        self.save(ann, "history")


def main():
    server.BINARY = os.path.abspath(sys.argv[1])
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = sys.argv[3:] or ["empty", "busy", "overlap", "phone", "dark", "history"]
    for name in wanted:
        # A new server for each picture, so that its room can have the name that the picture shows.
        with World() as world:
            getattr(Pictures(world, folder), name)()
            for room in world.rooms:
                for person in room.people:
                    person.leave()


main()
