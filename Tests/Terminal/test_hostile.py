"""Drawings that try to make clients unusable. The cost of such a drawing is counted in the bytes that are written for
it."""

import json
import struct
import subprocess

import hostile
import pytest
from rooms import joins
from terminal import run
from terminals import Tmux
from waiting import SECONDS


def layout(count):
    return json.dumps({"squares": [{"x": 0, "y": 0, "colour": "#FF0000", "size": 100}] * count})


async def export(server, room, *shapes):
    await run(server, "import", room, "-", input=json.dumps({"shapes": list(shapes)}))
    return (await run(server, "show", room, "--svg")).out


def ink(points, width, side):
    path = [[0 if place % 2 else 65535, place * 60, 100 + place % 2] for place in range(points)]
    return {"kind": "ink", "size": [side, side], "strokeWidth": width, "dash": "dotted", "path": path}


async def test_dots_that_nobody_can_tell_apart_are_a_solid_line(shared):
    """The number of dots in a picture is limited. An ordinary dashed line is drawn as usual."""
    assert "stroke-dasharray" not in await export(shared, "fine-dots", ink(1024, 0.375, 1_000_000))
    assert 'stroke-dasharray="12 8"' in await export(
        shared, "plain-dots", {"kind": "rectangle", "size": [300, 200], "strokeWidth": 4, "dash": "dashed"}
    )
    # Each piece of a stroke is 1,000 units long and has 250 dots. A path contains half of the pieces of its stroke.
    many = await export(shared, "many-dots", *[ink(100, 2, 1000)] * 3)
    assert 0 < many.count("stroke-dasharray") <= 50_000 // (50 * 250)


async def test_of_shapes_heaped_on_each_other_nobody_tells_pairs(shared):
    """R9: 300 shapes make 44,850 pairs, each an area of an SVG. Those of 20 are sent."""
    await run(shared, "import", "heap", "-", input=layout(300))
    assert "<polygon" not in (await run(shared, "show", "heap", "--svg")).out
    await run(shared, "import", "few", "-", input=layout(20))
    assert (await run(shared, "show", "few", "--svg")).out.count("<polygon") == 190


@pytest.mark.parametrize("kind", hostile.kinds())
def test_a_hostile_drawing_is_shown_and_left(server, client, kind, tmp_path):
    """The live canvas shows the drawing and obeys `q`, and the drawing can be exported as a picture."""
    room, document = f"hostile-{kind}", hostile.drawing(kind, shapes=600 if kind == "heap" else 40)

    def ask(*words, **options):
        address = ["--server", f"ws://127.0.0.1:{server.port}"]
        subprocess.run([client, *words, *address], check=True, capture_output=True, timeout=SECONDS, **options)

    ask("import", room, "-", input=document.encode())
    for name in ("picture.svg", "picture.png"):
        ask("export", room, str(tmp_path / name))
    # A common area has at most a few hundred corners, and all of them together have at most 500,000.
    assert 0 < (tmp_path / "picture.svg").stat().st_size <= 20_000_000 + 6 * len(document)
    header = (tmp_path / "picture.png").read_bytes()[:24]
    width, height = struct.unpack(">II", header[16:])
    assert 0 < width * height <= (1_000_000 if kind == "heap" else 9_000_000), "each pixel is painted for each shape of a heap"
    with Tmux(joins(client, server, room)) as screen:
        screen.shows("Saved", "? keys")
        screen.keys("=", "=", "-", "q").shows("ended with 0")
