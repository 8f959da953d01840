"""The workload of all measurements. It is read from the file that the Swift benchmark writes, or made here.

The file has one JSON object per line. First the base canvas, with one line for each shape and all its properties.
Then the updates, with one property each:

    {"shape":"afy-kw5-t7o","at":"1763650000000.0.k3j-9x2-m1p","set":{"kind":"rectangle","position":[45,44],...}}
    {"shape":"afy-kw5-t7o","at":"1763650000123.0.abc-abc-abc","set":{"position":[50,44]}}

A stamp (`at`) ends with the actor who wrote the line.
"""

import json
import random

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
KINDS = ("rectangle", "roundedRectangle", "ellipse", "polygon", "star")
WRITERS = 10
START_MILLISECONDS = 1_763_650_000_000


class Workload:
    """`base` is a list of (shape, properties). `updates` is a list of (writer number, shape, property, value)."""

    def __init__(self, base, updates, writers):
        self.base = base
        self.updates = updates
        self.writers = writers


def read(path, updates_max):
    """Reads the workload from a file. A shape's first line is its base, and every later line an update."""
    base, updates, seen, numbers = [], [], set(), {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            operation = json.loads(line)
            shape, properties = operation["shape"], operation["set"]
            if shape not in seen:
                if updates:
                    raise SystemExit(f"{path}:{number}: a new shape after the first update")
                seen.add(shape)
                base.append((shape, properties))
                continue
            if len(updates) == updates_max:
                break
            if len(properties) != 1:
                raise SystemExit(f"{path}:{number}: an update sets {len(properties)} properties, not one")
            writer = operation["at"].rsplit(".", 1)[1]
            (name, value), = properties.items()
            updates.append((numbers.setdefault(writer, len(numbers)), shape, name, value))
    return Workload(base, updates, len(numbers))


def write(path, shapes, updates, seed=1):
    """Makes a similar workload, for runs without the Swift benchmark."""
    source = random.Random(seed)

    def identifier():
        text = "".join(source.choice(DIGITS) for _ in range(9))
        return f"{text[:3]}-{text[3:6]}-{text[6:]}"

    def value(name):
        match name:
            case "kind":
                return source.choice(KINDS)
            case "position":
                return [round(source.uniform(0, 20_000), 1), round(source.uniform(0, 20_000), 1)]
            case "size":
                return [source.randint(20, 400), source.randint(20, 400)]
            case "rotation":
                return source.randint(0, 359)
            case "alpha":
                return source.randint(1, 10)
            case "z":
                return "V" + "".join(source.choice("123456789ABCDEFGHIJKLMN") for _ in range(3))
            case _:
                return f"#{source.randrange(1 << 24):06X}"

    names = ("kind", "position", "size", "rotation", "fill", "stroke", "alpha", "z")
    # Six of ten updates move a shape, as most edits on a canvas do.
    updated = ("position",) * 6 + ("size", "rotation", "fill", "alpha")
    writers = [identifier() for _ in range(WRITERS)]
    known = [identifier() for _ in range(shapes)]
    with open(path, "w", encoding="utf-8") as lines:

        def line(shape, milliseconds, writer, properties):
            at = f"{milliseconds}.0.{writer}"
            lines.write(json.dumps({"shape": shape, "at": at, "set": properties}, separators=(",", ":")) + "\n")

        for index, shape in enumerate(known):
            line(shape, START_MILLISECONDS + index, writers[0], {name: value(name) for name in names})
        for index in range(updates):
            name = source.choice(updated)
            line(
                source.choice(known),
                START_MILLISECONDS + shapes + index,
                source.choice(writers),
                {name: value(name)},
            )
