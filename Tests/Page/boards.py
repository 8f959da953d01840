"""The drawings in the documents' screenshots."""

import math

from person import number
from server import identifier

NAVY, VERMILION, YELLOW, TEAL, SAND, PLUM, BLUE = (
    "#27476E", "#E4572E", "#F2C14E", "#6FB1A0", "#E6CFB0", "#9A4C86", "#3F7FD9",
)

# The fill of notes of people whose colour isn't one of the page's, and the fill of the first person's notes.
NOTE, FIRST_NOTE = "#FFE27A", "#B8D2FF"
# The group of shapes that a test writes as a group.
GROUP = "0gr-oup-000"

# Shapes side by side, of which only two overlap.
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


def wave(x, y, length, height, waves, steps=60):
    """Ink in waves, as if drawn by hand. Returns its box and its path."""
    points = [(at / steps, 0.5 + 0.5 * math.sin(waves * 2 * math.pi * at / steps + 0.4 * math.sin(5 * at / steps))) for at in range(steps + 1)]
    return (x, y), (length, height), [[round(65535 * across), round(65535 * down)] for across, down in points]


def ink(name, way, **values):
    position, size, path = way
    return name, "ink", position, size, {"strokeWidth": 5, "stroke": BLUE, "path": path, **values}


def ring(x, y, width, height, steps=48):
    """Ink around something, as if drawn by hand, a little more than once around."""
    turns = [2 * math.pi * 1.06 * at / steps - 2 for at in range(steps + 1)]
    points = [(0.5 + (0.47 - 0.02 * turn / 7) * math.cos(turn), 0.5 + (0.46 + 0.006 * turn) * math.sin(turn)) for turn in turns]
    return (x, y), (width, height), [[round(65535 * min(1, max(0, each))) for each in point] for point in points]


def note(name, position, text, fill=NOTE, size=(170, 120), **values):
    return name, "rectangle", position, size, {"fill": fill, "text": text, "textSize": 20, **values}


def arrow(name, first, second, **values):
    """An arrow between the centres of two shapes."""
    return name, "line", (0, 0), (10, 10), {
        "from": (first, 32768, 32768), "to": (second, 32768, 32768), "toEnd": "arrow", "stroke": "#6B6A66", "strokeWidth": 3, **values}


# Texts, notes, arrows and ink, as a few people would put them on a board.
BOARD = [
    # The frame is a line, so shapes inside it don't count as overlapping it.
    ("Frame", "line", (392, 196), (520, 330), {
        "path": [[0, 0], [65535, 0], [65535, 65535], [0, 65535], [0, 0]], "stroke": TEAL, "strokeWidth": 2.5, "dash": "dashed"}),
    ("Heading", "text", (96, 84), (420, 64), {"text": "Garden, this spring", "textSize": 40, "textAlign": "left", "fill": VERMILION}),
    ("Hint", "text", (410, 206), (180, 36), {"text": "in May", "textSize": 20, "textAlign": "left", "fill": "#2E8577"}),
    note("Seeds", (104, 220), "Order seeds\nby Friday"),
    note("Beds", (104, 400), "Dig two beds", "#BFE3D8"),
    note("Sow", (436, 262), "Sow beans,\npeas, chard", "#CFE0F7"),
    note("Fence", (436, 414), "Mend fence", "#F3D3E4", (170, 84)),
    ("Water", "ellipse", (712, 290), (168, 168), {"fill": "#3F7FD9", "text": "Water\nevery day", "textSize": 22}),
    ("Harvest", "star", (962, 262), (212, 204), {"fill": YELLOW, "points": 7, "innerRatio": 0.74, "text": "Harvest!", "textSize": 24}),
    arrow("One", "Seeds", "Sow"),
    arrow("Two", "Beds", "Sow", fromEnd="dot"),
    arrow("Three", "Sow", "Water"),
    arrow("Four", "Water", "Harvest", strokeWidth=5, stroke=VERMILION),
    ink("Underline", wave(98, 152, 330, 14, 5), stroke=VERMILION, strokeWidth=4),
    ink("Ring", ring(416, 398, 212, 118)),
    ink("Furrows", wave(112, 560, 420, 46, 7), stroke="#2E8577", strokeWidth=6),
]

# The same elements, arranged for the narrow screen of a phone.
SMALL_BOARD = [
    ("Heading", "text", (28, 96), (330, 52), {"text": "Garden", "textSize": 36, "textAlign": "left", "fill": VERMILION}),
    note("Seeds", (30, 310), "Order seeds\nby Friday", size=(140, 104)),
    note("Sow", (220, 400), "Sow beans", "#CFE0F7", (140, 104)),
    ("Water", "ellipse", (48, 516), (130, 130), {"fill": "#3F7FD9", "text": "Water\nevery day", "textSize": 18}),
    arrow("One", "Seeds", "Sow"),
    arrow("Two", "Sow", "Water"),
    ink("Underline", wave(30, 148, 150, 12, 3), stroke=VERMILION, strokeWidth=4),
    ink("Furrows", wave(206, 570, 150, 40, 3), stroke="#2E8577", strokeWidth=6),
]


def draw(person, forms):
    """Lets a person draw these shapes. Returns their identifiers by name."""
    shapes, before = {}, len(person.room.shapes())
    for name, kind, position, size, values in forms:
        made = identifier()
        shapes[name] = made
        tied = {end: {"shape": number(shapes[values[end][0]]), "x": values[end][1], "y": values[end][2]} for end in ("from", "to") if end in values}
        person.run("app.edit((session) => session.edit([value])); return null", {
            "shape": number(made),
            "set": {"kind": kind, "name": name, "position": list(position), "size": list(size), **values, **tied},
        })
    person.room.wait_for_shapes(before + len(forms))
    return shapes
