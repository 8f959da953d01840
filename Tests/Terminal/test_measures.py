"""How many bytes are written and how fast, with few shapes and with ten thousand."""

import random
import re
import statistics

from load import processor_seconds
from rooms import draw, joins, post
from server import identifier
from terminals import Terminal, text_of

SHAPES = 10_000


def fill(server, room, count):
    """Adds shapes of all kinds, scattered so that about every tenth overlaps another."""
    chance = random.Random(7)
    kinds = ["rectangle", "roundedRectangle", "ellipse", "polygon", "star"]
    post(server, room, [{"shape": identifier(), "set": {
        "kind": kinds[index % 5],
        "position": [index % 100 * 200 + chance.randrange(90), index // 100 * 160 + chance.randrange(60)],
        "size": [chance.randrange(60, 150), chance.randrange(60, 130)], "rotation": chance.randrange(360),
        "fill": f"#{chance.randrange(1 << 24):06X}", "alpha": chance.randrange(5, 11),
    }} for index in range(count)])


def measure(terminal, keys):
    """Presses keys. Returns the bytes of a frame, and the processor time that it takes in milliseconds."""
    sizes, used = [], processor_seconds(terminal.process.pid)
    for key in keys:
        terminal.quiet(0.12)
        terminal.send(key)
        sizes.append(len(terminal.frame()))
    return statistics.median(sizes), (processor_seconds(terminal.process.pid) - used) * 1000 / len(sizes)


def test_moving_a_shape_costs_little_however_many_shapes_there_are(server, client):
    """A shape is moved among ten thousand visible ones in a large terminal. Only changes cost bytes."""
    from server import Server

    for count, room in [(20, "few-shapes"), (SHAPES, "ten-thousand")]:
        with Server("--max-ops-per-second", "1000000") as own:
            fill(own, room, count)
            with Terminal(joins(client, own, room), 200, 60) as terminal:
                terminal.frame("Saved", "shapes")
                terminal.quiet(0.5)
                terminal.send("\t")
                terminal.quiet(0.5)
                written, milliseconds = measure(terminal, ["\x1b[C", "\x1b[D"] * 8)
                print(f"{count} shapes at 200×60: a move takes {milliseconds:.0f} ms of the processor, {written:.0f} bytes")
                assert written < 8_000, "a move of one shape writes what it touches"
                # Other processes hardly affect processor time. It was about 30 ms when this test was written.
                assert milliseconds < 150


def test_nothing_is_written_while_nothing_happens(server, client):
    """Only the displayed round-trip time may change, which takes a few bytes."""
    draw(server, "still", name="Still")
    with Terminal(joins(client, server, "still"), 120, 36) as terminal:
        terminal.frame("Saved")
        terminal.quiet(0.5)
        start = len(terminal.output)
        terminal.read(2.5)
        assert len(terminal.output) - start < 200, terminal.output[start:]


def test_a_crowded_room_is_not_painted_again_and_again(server, client):
    """A frame computes a few hundred areas. All is painted again when many more are known."""
    places = ([index % 60 * 30, index // 60 * 30] for index in range(1_200))
    post(server, "crowded", [{"shape": identifier(), "set": {"kind": "star", "position": place, "size": [100, 100]}} for place in places])
    with Terminal(joins(client, server, "crowded"), 120, 40) as terminal:
        terminal.frame("Saved", "1200 shapes")
        seen = re.search(r"⚠ (\d+)", text_of(terminal.output))
        pairs = int(seen.group(1))
        # With more than 20,000 pairs, the server would send none (R9).
        assert 5_000 < pairs <= 20_000, pairs
        used = -1
        while used != (used := processor_seconds(terminal.process.pid)):
            terminal.quiet(1.5)
        frames = terminal.output.count(Terminal.END_OF_FRAME)
        print(f"{pairs} overlaps: {frames} frames, {used:.1f} s of the processor")
        assert frames < pairs / 400 / 2, "fewer than there are portions"
