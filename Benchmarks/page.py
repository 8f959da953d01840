#!/usr/bin/env python3
"""Measures the page in Debian's Chromium, and prints the tables of docs/PERFORMANCE.md.

    .venv/bin/python Benchmarks/page.py [PATH_OF_SYNCSERVER [FIGURES]]

FIGURES are one or several of `first`, `frames` and `lines`. The default is all. The output also shows how busy the
machine was; publish that with the figures.
"""

import json
import math
import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from statistics import mean, median

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT / "Tests" / "Page"), str(ROOT / "Tests" / "EndToEnd")]

from websockets.sync.client import connect  # noqa: E402

import bots  # noqa: E402
import server as servers  # noqa: E402
from load import percentile  # noqa: E402
from world import World  # noqa: E402

# Records when the whole room has been painted, in milliseconds since the navigation.
WATCH = """
  globalThis.firstSeen = null
  globalThis.allSeen = null
  requestAnimationFrame(function look() {
    const app = globalThis.canvasApp
    const count = app?.session.shapeCount ?? 0
    if (count > 0) firstSeen ??= performance.now()
    if (app?.painter && count === SHAPES && app.painter.isDone) allSeen = performance.now()
    else requestAnimationFrame(look)
  })
"""

# Measures how long frames take, and the page's own work in each frame: painting, applying changes, and handling pointer
# events.
FRAMES = """
  return new Promise((done) => {
    const frames = [], paints = []
    const { painter, overlay, session } = app
    const timed = (object, name) => {
      const own = object[name].bind(object)
      object[name] = (...values) => {
        const start = performance.now()
        try { return own(...values) } finally { work += performance.now() - start }
      }
    }
    let work = 0
    globalThis.timeHand = (act) => {
      const start = performance.now()
      act()
      work += performance.now() - start
    }
    timed(painter, 'paint')
    timed(overlay, 'paint')
    timed(app.scene, 'apply')
    timed(session, 'changes')
    timed(session, 'received')
    let last = null
    const end = performance.now() + value
    requestAnimationFrame(function frame(now) {
      if (last !== null) {
        frames.push(now - last)
        paints.push(work)
      }
      last = now
      work = 0
      if (performance.now() < end) requestAnimationFrame(frame)
      else done({ frames, paints })
    })
  })
"""


def fill(room, count):
    """Fills a room with shapes that have about eight properties each and overlap a few others."""
    chance = random.Random(5)
    across = count**0.5 * 110
    shapes = [(servers.identifier(), bots.shape(chance, across)[1]) for _ in range(count)]
    for first in range(0, count, 1000):
        room.write(*shapes[first : first + 1000])


def cpu(world):
    """The processor time of the browser's processes in milliseconds. Unlike durations, it is meaningful on a busy
    machine."""
    session = world.browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return 1000 * sum(process["cpuTime"] for process in processes)


def first_drawing(world, count, runs=5):
    room = world.room(name=f"first-{count}")
    fill(room, count)
    first, all_of_it, used = [], [], []
    for _ in range(runs):
        before = cpu(world)
        person = room.join(before=lambda page: page.add_init_script(WATCH.replace("SHAPES", str(count))), ready=False)
        person.wait("allSeen !== null", seconds=60)
        used.append(cpu(world) - before)
        first.append(person.run("firstSeen"))
        all_of_it.append(person.run("allSeen"))
        person.leave()
    print(f"| first shapes of a room of {count:,}, ms after the address was asked for | {median(first):.0f} |")
    print(f"| all of them, ms | {median(all_of_it):.0f} |")
    print(f"| CPU that the browser used until then, all its processes, ms | {median(used):.0f} |", flush=True)
    return room


def memory(world, room):
    person = room.join()
    person.run("app.view.fit(app.session.bounds()); return null")
    person.painted()
    client = person.context.new_cdp_session(person.page)
    client.send("HeapProfiler.collectGarbage")
    heap = client.send("Runtime.getHeapUsage")["usedSize"]
    wasm = person.run("app.core.memoryBytes")
    print(f"| memory with 10,000 shapes: JavaScript's heap, core.wasm's, MB | {heap / 1e6:.1f}, {wasm / 1e6:.1f} |", flush=True)
    person.leave()


def frames(world, shapes=1000, count=20, steps=10, seconds=10):
    room = world.room(name="busy")
    address = room.server.socket(room.name)
    process = subprocess.Popen(
        [sys.executable, HERE / "bots.py", address, str(count), str(shapes), str(steps)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        person = room.join()
        person.wait_for_shapes(shapes)
        person.run("app.view.fit(app.session.bounds()); return null")
        person.run(FRAMES, 2000)
        before = cpu(world)
        measured = person.run(FRAMES, seconds * 1000)
        used = cpu(world) - before
        scale = person.run("app.view.scale")
        times, work = measured["frames"], measured["paints"]
        smooth = sum(time < 20 for time in times) / len(times)
        print(f"| {count} bots move {shapes:,} shapes {steps} times a second each, all in view (scale {scale:.2f}): frames a second | {1000 / mean(times):.0f} |")
        print(f"| a frame, ms: median, 95 of 100, longest | {median(times):.1f}, {percentile(times, 0.95):.1f}, {max(times):.1f} |")
        print(f"| frames that kept up with the screen | {smooth:.0%} |")
        print(f"| CPU a frame, all of the browser's processes, ms | {used / len(times):.1f} |")
        print(f"| the page's own work in a frame, ms: median, 95 of 100 | {median(work):.1f}, {percentile(work, 0.95):.1f} |", flush=True)
        person.leave()
    finally:
        process.kill()
        process.wait()


def crowd(world, count, spread, size):
    """Makes a room with many shapes of the same size in one area, and a person who joins it with the select tool."""
    room = world.room(name=f"crowd-{count}")
    room.write(*((f"00a-000-{at:03d}", {
        "kind": ("ellipse", "star", "rectangle")[at % 3], "size": [size, size],
        "position": [200 + at * 7919 % 1000 / 1000 * spread, 120 + at * 104729 % 1000 / 1000 * spread]}) for at in range(count)))
    person = room.join(before=lambda page: page.add_init_script("if (location.host) localStorage.setItem('canvas.panel', '')"))
    person.wait_for_shapes(count)
    person.look_at(0, 0)
    person.run("app.setTool('select'); return null")
    person.painted()
    return room, person


def told(world, person, what, seconds=6):
    before = cpu(world)
    measured = person.run(FRAMES, seconds * 1000)
    used = cpu(world) - before
    times, work = measured["frames"], measured["paints"]
    print(f"| {what}: a frame, ms: median, 95 of 100 | {median(times):.1f}, {percentile(times, 0.95):.1f} |")
    print(f"| the page's own work in it: median, 95 of 100, longest | {median(work):.1f}, {percentile(work, 0.95):.1f}, {max(work):.1f} |")
    print(f"| CPU of all the browser's processes in it | {used / len(times):.1f} |", flush=True)


# Simulates a hand that moves in each frame. If `value.what` is `pan`, it turns the wheel. If it is `drag`, it moves the
# mouse with the button held down.
HAND = """const stage = document.getElementById('stage')
  let step = 0
  const go = {
    pan: () => stage.dispatchEvent(new WheelEvent('wheel', { deltaX: 9 * Math.sin(step / 15), deltaY: 7 * Math.cos(step / 11),
      clientX: value.x, clientY: value.y, bubbles: true, cancelable: true })),
    drag: () => stage.dispatchEvent(new PointerEvent('pointermove', { pointerId: 1, pointerType: 'mouse', isPrimary: true, button: -1, buttons: 1,
      clientX: value.x + 80 * Math.sin(step / 15), clientY: value.y + 60 * Math.cos(step / 11) - 60, bubbles: true })),
  }[value.what]
  const move = () => {
    step += 1
    if (globalThis.timeHand) globalThis.timeHand(go)
    else go()
    globalThis.hand = requestAnimationFrame(move)
  }
  move()
  return null
"""


def panned_and_dragged(world, what, shapes):
    """Measures panning with all shapes in view, and then dragging one of them."""
    room = world.room(name=what.replace(" ", "-").replace(",", ""))
    for first in range(0, len(shapes), 200):
        room.write(*shapes[first : first + 200])
    person = room.join()
    person.wait_for_shapes(len(shapes))
    person.run("app.view.fit(app.session.bounds()); app.setTool('select'); return null")
    person.painted()
    # A shape that isn't under the page's panels, and can be grabbed anywhere in its box.
    x, y = 500, 400
    at = person.run("app.view.toCanvas(value)", {"x": x, "y": y})
    held, values = min(((shape, values) for shape, values in shapes if values["kind"] != "ink"),
                       key=lambda shape: math.dist(shape[1]["position"], (at["x"], at["y"])))
    x, y = person.middle(held)
    person.run(HAND, {"what": "pan", "x": x, "y": y})
    told(world, person, f"{what}: panning")
    person.run("cancelAnimationFrame(globalThis.hand); app.view.fit(app.session.bounds()); return null")
    person.painted()
    person.page.mouse.move(x, y)
    person.page.mouse.down()
    person.run(HAND, {"what": "drag", "x": x, "y": y})
    told(world, person, f"{what}: one is dragged")
    assert person.shape(held)["x"] != values["position"][0], "it wasn't dragged"
    person.leave()


def squares(count):
    return [(f"0sq-000-{at:03x}", {"kind": "rectangle", "fill": "#FFE27A", "position": [at % 50 * 60, at // 50 * 60], "size": [40, 40]})
            for at in range(count)]


def strokes_and_texts(count):
    """Makes as many strokes as texts: strokes of 100 points, and texts of two lines."""
    loop = [[round(32767 + 30000 * math.sin(at / 5) * (at / 100)), round(32767 + 30000 * math.cos(at / 7)), 60 + at // 10 * 10] for at in range(100)]
    shapes = []
    for at in range(count):
        x, y = at % 40 * 160, at // 40 * 140
        shapes.append((f"0in-000-{at:03x}", {
            "kind": "ink", "position": [x, y], "size": [70, 70], "stroke": "#2F6FED", "strokeWidth": 4, "path": loop}))
        shapes.append((f"0tx-000-{at:03x}", {
            "kind": "text", "position": [x, y + 70], "size": [150, 66], "text": "Buy milk\nand honey", "fill": "#767676"}))
    return shapes


# Simulates a pen that sends 120 events per second. Each event is timed from its arrival to the end of the frame that
# paints it. First, `value.before` points are drawn without being timed.
PEN = """const stage = document.getElementById('stage')
  const point = (at) => ({
    pointerId: 7, pointerType: 'pen', isPrimary: true, bubbles: true, button: -1, buttons: 1, pressure: 0.5 + 0.3 * Math.sin(at / 40),
    clientX: 500 + 300 * Math.cos(at / 31) * Math.sin(at / 997), clientY: 400 + 250 * Math.sin(at / 23),
  })
  const move = (at) => stage.dispatchEvent(new PointerEvent('pointermove', point(at)))
  stage.dispatchEvent(new PointerEvent('pointerdown', { ...point(0), button: 0 }))
  let at = 0
  while (at < value.before) move(++at)
  const paint = app.overlay.paint.bind(app.overlay)
  const times = []
  let waiting = []
  app.overlay.paint = (now) => {
    paint(now)
    const end = performance.now()
    times.push(...waiting.map((start) => end - start))
    waiting = []
  }
  return new Promise((done) => {
    const begun = performance.now()
    const timer = setInterval(() => {
      const due = value.before + (performance.now() - begun) * 0.12
      while (at < due) {
        waiting.push(performance.now())
        move(++at)
      }
      if (performance.now() - begun < value.milliseconds) return
      clearInterval(timer)
      stage.dispatchEvent(new PointerEvent('pointerup', { ...point(at), button: 0, buttons: 0 }))
      done(times)
    }, 4)
  })
"""


def own_ink(world):
    room = world.room(name="own-ink")
    person = room.join()
    person.run("app.setTool('pen'); return null")
    for minutes, what in [(0, "at once"), (2, "after two minutes without lifting the pen")]:
        times = person.run(PEN, {"before": minutes * 60 * 120, "milliseconds": 6000})
        print(f"| one's own ink, 120 events a second, {what}: from the event to the end of the frame that paints it, ms: median, 95 of 100, longest "
              f"| {median(times):.1f}, {percentile(times, 0.95):.1f}, {max(times):.1f} |", flush=True)
    person.leave()


def swarm(world, count=250):
    """Measures the page while a program moves all shapes twenty times a second."""
    room, person = crowd(world, count, 260, 110)
    stopped = threading.Event()
    mover = threading.Thread(target=move_all, args=(room, stopped))
    mover.start()
    pairs = person.run("app.session.overlapPairs().length")
    told(world, person, f"{count} shapes with {pairs:,} overlaps are moved by somebody, all in view")
    person.run("document.querySelector('[aria-label=\"Layers, inspector, overlaps\"]').click(); return null")
    person.page.click("#tab-overlaps")
    told(world, person, "the same with the list of overlaps open")
    stopped.set()
    mover.join()
    person.leave()


def move_all(room, stopped):
    places = [(shape["id"], shape["position"]) for shape in room.shapes()]
    with connect(room.server.socket(room.name), subprotocols=["canvas.v1.json"], max_size=None) as socket:
        socket.send(json.dumps({"type": "hello", "name": "Swarm"}))
        threading.Thread(target=lambda: [None for _ in socket], daemon=True).start()
        step = 0
        while not stopped.wait(0.05):
            step += 1
            socket.send(json.dumps({"type": "ops", "id": step, "ops": [
                {"shape": shape, "set": {"position": [x + 15 * math.sin(at + step / 4), y + 15 * math.cos(3 * at + step / 5)]}}
                for at, (shape, (x, y)) in enumerate(places)]}))


def dragged(world, count=500):
    """Measures dragging while all shapes are selected."""
    room, person = crowd(world, count, 700, 60)
    person.page.keyboard.press("Control+a")
    x, y = person.middle("00a-000-000")
    person.page.mouse.move(x, y)
    person.page.mouse.down()
    person.run(HAND, {"what": "drag", "x": x, "y": y})
    told(world, person, f"{count} of {count} selected shapes are dragged")
    person.leave()


def main():
    servers.BINARY = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".build" / "release" / "SyncServer")
    wanted = sys.argv[2:] or ["first", "frames", "lines"]
    print(f"{os.cpu_count()} processors; work that waited for one in the last minute, on average: {os.getloadavg()[0]:.1f}")
    with World(panel="layers") as world:
        print("| figure | measured |\n| --- | ---: |")
        if "first" in wanted:
            memory(world, first_drawing(world, 10_000))
        if "frames" in wanted:
            frames(world)
        if "lines" in wanted:
            panned_and_dragged(world, "2,000 squares", squares(2000))
            panned_and_dragged(world, "1,000 strokes of ink and 1,000 texts", strokes_and_texts(1000))
            swarm(world)
            dragged(world)
            own_ink(world)
    print(f"work that waited: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
