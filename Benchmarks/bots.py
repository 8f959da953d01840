"""Moves shapes as if people dragged them: `bots.py URL BOTS SHAPES STEPS_A_SECOND`.

Makes all shapes, and prints a line. Then it moves each of them in a circle until it is stopped.
"""

import asyncio
import json
import math
import random
import sys
import time
from pathlib import Path

import websockets

sys.path.append(str(Path(__file__).resolve().parent.parent / "Tests" / "EndToEnd"))

from load import spelled  # noqa: E402

KINDS = ["rectangle", "roundedRectangle", "ellipse", "polygon", "star"]


def shape(chance, across):
    """The centre of the shape's circle, and the shape's properties. Each shape overlaps about two others."""
    center = (chance.uniform(0, across * 1.25), chance.uniform(0, across * 0.8))
    return center, {
        "kind": chance.choice(KINDS),
        "position": list(center),
        "size": [round(chance.uniform(40, 160)), round(chance.uniform(40, 160))],
        "rotation": chance.choice([0, round(chance.uniform(0, 360))]),
        "fill": f"#{chance.randrange(1 << 24):06X}",
        "alpha": chance.randrange(4, 11),
    }


async def drain(socket):
    async for _ in socket:
        pass


async def bot(url, number, count, across, steps, ready):
    chance = random.Random(number)
    async with websockets.connect(url, subprotocols=["canvas.v1.json"], max_size=None, compression=None) as socket:
        await socket.send(json.dumps({"type": "hello", "name": f"Bot {number}"}))
        drained = asyncio.create_task(drain(socket))
        shapes = [(spelled(36**8 + number * 10_000 + at), *shape(chance, across)) for at in range(count)]
        await socket.send(
            json.dumps({"type": "ops", "ops": [{"shape": name, "set": values} for name, _, values in shapes]})
        )
        await ready.wait()
        began = time.monotonic()
        step = 0
        while not drained.done():
            step += 1
            await asyncio.sleep(max(0, began + (step + number / 20) / steps - time.monotonic()))
            turn = step / steps * 1.5
            ops = [
                {"shape": name, "set": {"position": [x + 60 * math.cos(turn + at), y + 60 * math.sin(turn + at)]}}
                for at, (name, (x, y), _) in enumerate(shapes)
            ]
            await socket.send(json.dumps({"type": "ops", "ops": ops}))


async def main(url, bots, shapes, steps):
    ready = asyncio.Event()
    across = math.sqrt(shapes) * 110
    tasks = [asyncio.create_task(bot(url, number, shapes // bots, across, steps, ready)) for number in range(bots)]
    await asyncio.sleep(1)
    print("ready", flush=True)
    ready.set()
    await asyncio.gather(*tasks)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])))
