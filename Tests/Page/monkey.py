"""Somebody who does whatever comes to mind, by real mouse, fingers and keys; and what must hold whenever they rest.

A history is a list of deeds, drawn from a seed. No deed depends on what came before it, so that a history that fails can be cut
down to the deeds that it takes. `monkey.py --seconds N` goes on to new seeds until the time is over:

    .venv/bin/python Tests/Page/monkey.py [--seconds N] [--seed N] [--build FOLDER]
"""

import argparse
import json
import os
import random
import sys
import time
from pathlib import Path

import numpy

here = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path[:0] = [str(here.parent / "EndToEnd"), str(here.parent / "Terminal")]

from person import number  # noqa: E402
from terminal_hand import AtTerminal  # noqa: E402

# What the page shows in the middle, away from its furniture. Both a desk's window and a phone's have these places.
ACROSS, DOWN = (20, 370), (150, 640)
TOOLS = ["select", "rectangle", "ellipse", "star", "note", "text", "arrow", "line", "pen", "eraser", "hand"]
KEYS = [
    "Delete", "ArrowLeft", "Shift+ArrowUp", "Control+d", "Control+a", "Control+g", "Control+Shift+g", "Control+Shift+l", "Alt+c",
    "Control+]", "Escape", "Tab", "Enter", "F2", "x", "Control+c", "Control+v", "Control+x", "q", "Alt+z", "Alt+0", "1",
]
MODIFIERS = [(), (), (), (), ("Shift",), ("Alt",), ("Control",)]
FINGERS = ["drag", "drag", "drag", "drag_and_touch", "pinch", "tap", "tap", "double_tap", "taken_away", "pinch_furniture"]
MOUSE = ["drag", "drag", "drag", "drag_and_escape", "drag_and_leave", "click", "double_click", "menu", "wheel", "key", "key", "key"]
BOTH = ["tool", "tool", "write", "undo", "undo", "redo", "square", "colour", "inspect", "past_while_writing", "play", "offline",
        "online", "reload"]


def history(seed, length, phone):
    """The deeds of a seed, each a name and its values."""
    chance = random.Random(seed)

    def place():
        return [chance.randint(*ACROSS), chance.randint(*DOWN)]

    deeds = []
    for _ in range(length):
        # Hands are at the drawing most of the time.
        name = chance.choice((FINGERS if phone else MOUSE) if chance.random() < 0.6 else BOTH)
        values = [place(), place(), place(), chance.randrange(1 << 16)]
        deeds.append((name, values))
    return deeds


class Broken(AssertionError):
    """Something that must hold doesn't."""


class Monkey:
    """
    A person with a model of undo: what the drawing was before each step, and after each that was undone. `alone`: nobody else
    writes, so undo and redo must bring back exactly these.
    """

    def __init__(self, person, phone, alone):
        self.person, self.page, self.phone, self.alone = person, person.page, phone, alone
        self.done, self.undone = [], []
        self.count = 0
        self.deed = None
        self.tokens = []
        self.person.run("app.exchange()")
        self.board = self.beginning = self.look()

    # What is there

    def look(self):
        # As it is seen: undone, a lock is open and a text empty; never written, there is none.
        return self.person.run(
            "return JSON.stringify(app.live.shapes().map(({ written, ...shape }) => ({ ...shape, name: app.live.shownName(shape.id) })))")

    def is_open(self, selector):
        return self.page.locator(selector).count() > 0

    def do(self, deed):
        name, values = deed
        self.tokens, self.deed = [], deed
        getattr(self, name)(*values)
        if self.phone and "tap" in name:
            # A third tap could follow.
            self.page.wait_for_timeout(330)
        self.rest()
        if name in ("undo", "redo"):
            return
        board = self.look()
        for token in self.tokens:
            self.must(token in board, f"what was written is gone: {token}")
        if board != self.board:
            self.done.append(self.board)
            self.undone = []
            self.board = board
        status = self.person.run(
            "return { words: document.querySelector('.status-words').textContent, unsent: app.live.unsentCount, busy: app.tools.isBusy }")
        self.must(not (status["words"] == "Saved" and status["unsent"]), f"it says Saved: {status}")
        self.must(not status["busy"], "a gesture goes on with no hand on it")

    def must(self, holds, words):
        if not holds:
            raise Broken(f"{self.person.name}: {words} (deed {self.deed})")

    def rest(self):
        """Lets go of everything, closes what is open, and waits until nothing glides."""
        for key in ("Shift", "Alt", "Control"):
            self.page.keyboard.up(key)
        for _ in range(4):
            state = self.person.run(
                "return { open: document.querySelector('dialog[open], :popover-open') !== null, writes: app.writing.isOpen }")
            if not state["open"] and not state["writes"]:
                break
            self.page.keyboard.press("Escape")
        else:
            raise Broken(f"{self.person.name}: Escape closes nothing: {state}")
        self.person.run("app.momentum.settle(); return null")

    # Hands

    def hold(self, keys, act):
        for key in keys:
            self.page.keyboard.down(key)
        act()
        for key in keys:
            self.page.keyboard.up(key)

    def drag(self, start, end, _, chance):
        if self.phone:
            return self.person.touch.drag(start, end, steps=4)
        return self.hold(MODIFIERS[chance % len(MODIFIERS)], lambda: self.person.drag(start, end, steps=4))

    def drag_and_touch(self, start, end, other, chance):
        """A second finger touches and lifts, or begins to move, in the middle of a drag, of a shape where one is in sight."""
        touch = self.person.touch
        middles = self.person.run("return app.live.shapes().filter(({ locked, visible, kind }) => !locked && visible && kind !== 'ink')"
                                  ".map(({ x, y, width, height }) => app.view.toScreen({ x: x + width / 2, y: y + height / 2 }))")
        seen = [(at["x"], at["y"]) for at in middles if ACROSS[0] < at["x"] < ACROSS[1] and DOWN[0] < at["y"] < DOWN[1]]
        if seen:
            start = seen[chance % len(seen)]
        touch.drag(start, end, steps=4, hold=True)
        touch.start(end, other)
        if chance % 2:
            touch.move(end, (other[0] + 25, other[1]))
            touch.move(end, (other[0] + 45, other[1] + 10))
        touch.end(end)
        touch.end()

    def drag_and_escape(self, start, end, other, _):
        self.person.drag(start, end, steps=4, hold=True)
        self.page.keyboard.press("Escape")
        self.page.mouse.move(*other)
        self.page.mouse.up()

    def drag_and_leave(self, start, end, other, _):
        """Another window comes to the front in the middle of a drag."""
        self.person.drag(start, end, steps=4, hold=True)
        self.page.evaluate("dispatchEvent(new Event('blur'))")
        self.page.mouse.move(*other)
        self.page.mouse.up()

    def pinch(self, center, _, __, chance):
        self.person.touch.pinch(center, 40 + chance % 30, 40 + chance % 70, turn=chance % 50, steps=5)

    def pinch_furniture(self, _, __, ___, chance):
        self.person.touch.pinch([(195, 30), (195, 820)][chance % 2], 15, 80, steps=4)
        self.must(self.page.evaluate("visualViewport.scale") == 1, "the page is zoomed")

    def tap(self, place, _, __, ___):
        self.person.touch.tap(*place)

    def double_tap(self, place, _, __, ___):
        self.person.touch.tap(*place, times=2)

    def taken_away(self, start, end, _, __):
        self.person.touch.drag(start, end, steps=4, hold=True)
        self.person.touch._send("touchCancel", [])

    def click(self, place, _, __, chance):
        self.hold(MODIFIERS[chance % len(MODIFIERS)], lambda: self.page.mouse.click(*place))

    def double_click(self, place, _, __, chance):
        self.page.mouse.dblclick(*place)
        self.type(chance)

    def menu(self, place, _, __, chance):
        """The right button's menu, a press on one of its lines, some way down, and Enter."""
        self.page.mouse.click(*place, button="right")
        if self.is_open(".context"):
            self.page.locator(".context hr").first.click()
            for _ in range(chance % 6):
                self.page.keyboard.press("ArrowDown")
            # What copies and exports asks the browser for things that it may not give.
            words = self.page.evaluate("document.activeElement.textContent")
            if "PNG" not in words and "SVG" not in words and "JSON" not in words:
                self.page.keyboard.press("Enter")

    def wheel(self, place, way, _, chance):
        self.page.mouse.move(*place)
        self.hold(("Control",) if chance % 3 == 0 else (), lambda: self.page.mouse.wheel(way[0] - 195, (way[1] - 395) / 2))
        self.page.evaluate("new Promise(requestAnimationFrame)")

    def key(self, _, __, ___, chance):
        self.page.keyboard.press(KEYS[chance % len(KEYS)])
        self.page.evaluate("new Promise(requestAnimationFrame)")

    # Things to be done

    def type(self, chance):
        """Types, if somebody writes: what is typed is looked for afterwards."""
        if not self.person.run("app.writing.isOpen"):
            return
        self.count += 1
        token = f"word{self.count}of{chance}"
        self.page.keyboard.insert_text(token)
        self.tokens.append(token)

    def tool(self, _, __, ___, chance):
        self.person.run("app.setTool(value); return null", TOOLS[chance % len(TOOLS)])

    def write(self, place, _, __, chance):
        """With the tool for texts or for notes: something, or nothing."""
        self.person.run("app.setTool(value); return null", ["text", "note"][chance % 2])
        self.person.touch.tap(*place) if self.phone else self.page.mouse.click(*place)
        if chance % 3:
            self.type(chance)

    def square(self, *_):
        self.person.run("app.actions.addSquare.run(); return null")

    def colour(self, *_):
        self.person.run("app.actions.recolor.run(); return null")

    def inspect(self, place, _, __, chance):
        """Types a name in the inspector, and selects something else in the middle of it."""
        ids = self.person.run("app.live.drawingOrder()")
        if not ids:
            return
        self.person.run("app.selection.set([value]); document.querySelector('.panel').hidden && document.querySelector('.panel-button').click();"
                        "document.querySelector('#tab-inspector').click(); return null", ids[chance % len(ids)])
        field = self.page.locator(".inspector-form").get_by_label("Name", exact=True)
        field.wait_for()
        if field.is_enabled():
            field.fill(f"Name {chance}")
            self.person.run("app.selection.set([value]); return null", ids[(chance + 1) % len(ids)])
            if len(ids) == 1:
                field.press("Enter")
            named = self.person.run("app.live.shownName(value)", ids[chance % len(ids)])
            self.must(named.startswith(f"Name {chance}"), f"the name went elsewhere: {named}")
        self.page.get_by_role("button", name="Close the panel").click()

    def undo(self, *_):
        self.step_back("undo", self.done, self.undone)

    def redo(self, *_):
        self.step_back("redo", self.undone, self.done)

    def step_back(self, what, source, target):
        self.rest()
        self.person.run(f"app.editing.{what}(); return null")
        board = self.look()
        if self.alone:
            wanted = source.pop() if source else self.board
            if wanted is not self.board:
                target.append(self.board)
            self.must(board == wanted, f"{what} doesn't bring back what was there: {difference(wanted, board)}")
        self.board = board

    # The past, and the network

    def open_history(self):
        if self.person.run("app.live.status().state !== 'live'"):
            return False
        self.person.run("app.actions.history.run(); return null")
        self.page.wait_for_timeout(50)
        try:
            self.page.locator(".history:not([hidden]), .notice:has-text('no history')").first.wait_for(timeout=10_000)
        except Exception:
            return False
        return self.is_open(".history:not([hidden])")

    def past_while_writing(self, _, __, ___, chance):
        """A moment of the past is asked for, and comes while one writes in a shape."""
        ids = self.person.run("app.live.shapes().filter(({ kind, locked }) => kind === 'rectangle' && !locked).map(({ id }) => id)")
        if not ids or not self.open_history():
            return
        held = []
        self.page.route("**/v1/rooms/*?at=*", lambda route: held.append(route))
        self.person.run("const slider = document.querySelector('.history .slider'); slider.value = value;"
                        "slider.dispatchEvent(new Event('input')); return null", chance % 1000)
        self.person.run("app.writing.open(value); return null", ids[chance % len(ids)])
        self.type(chance)
        for _ in range(100):
            if held:
                break
            self.page.wait_for_timeout(10)
        for route in held:
            route.continue_()
        self.page.unroute("**/v1/rooms/*?at=*")
        self.person.wait("app.isPast || !document.querySelector('.history:not([hidden])')", "the past")
        self.close_history()

    def play(self, _, __, ___, chance):
        """Play, Pause and Play, quickly: no moment is asked for twice by two that play at once."""
        if not self.open_history():
            return
        asked = []
        self.page.on("request", lambda request: "?at=" in request.url and "stamps" in request.url and asked.append(request.url))
        self.page.evaluate(f"for (let count = 0; count < {1 + chance % 2 * 2}; count++) document.querySelector('.history-track button').click()")
        self.page.wait_for_timeout(500)
        self.close_history()
        self.must(len(asked) <= len(set(asked)) + 1, f"the past plays twice at once: {asked}")

    def close_history(self):
        self.page.keyboard.press("Escape")
        if self.is_open(".history:not([hidden])"):
            self.page.keyboard.press("Escape")
        self.person.wait("!app.isPast && !document.querySelector('.history:not([hidden])')", "the present")

    def offline(self, *_):
        self.person.run("app.perform(app.live.stop()); return null")

    def online(self, *_):
        self.person.run("app.start(); return null")
        self.person.wait("app.live.status().state === 'live'", "to be back")

    def reload(self, *_):
        """What was drawn is there again. What can be undone ends with the page."""
        self.rest()
        self.page.reload()
        self.person.wait("app.live.status().state === 'live' && app.painter.isDone", "the room is there again")
        self.person.run("app.exchange()")
        if self.alone:
            self.must(self.look() == self.board, f"the drawing is another: {difference(self.board, self.look())}")
        self.done, self.undone, self.beginning = [], [], self.board


def difference(wanted, board):
    """What differs, in few words."""
    was, now = ({shape["id"]: shape for shape in json.loads(text)} for text in (wanted, board))
    words = []
    for identifier in sorted(set(was) | set(now)):
        if was.get(identifier) != now.get(identifier):
            old, new = was.get(identifier), now.get(identifier)
            words.append(f"{identifier} " + (
                "is there" if old is None else "is gone" if new is None
                else ", ".join(f"{key}: {old.get(key)!r} → {new.get(key)!r}" for key in sorted({*old, *new}) if old.get(key) != new.get(key))))
    return "; ".join(words)[:600] or "the order"


def check(room, monkeys):
    """What must hold when everybody rests."""
    for monkey in monkeys:
        monkey.rest()
        monkey.online()
    room.agree()
    stored = json.loads(room.request("GET", "?stamps=1"))["shapes"] if room.shapes() else []
    for monkey in monkeys:
        held = json.loads(monkey.person.run("app.live.exportDrawing(true)"))["shapes"]
        monkey.must(held == stored, "the page holds something else than the server")
        monkey.person.wait("document.querySelector('.status-words').textContent === 'Saved'", "that it says Saved")
    for monkey in monkeys:
        draws_anew(monkey)
    room.agree()


def draws_anew(monkey):
    """One can still draw, and one undo takes just that away."""
    before, count = monkey.look(), monkey.person.run("app.live.shapeCount")
    monkey.person.run("app.selection.clear(); app.setTool('pen'); return null")
    place = (monkey.person.touch if monkey.phone else monkey.person)
    place.drag((150, 200), (260, 260), steps=4)
    monkey.must(monkey.person.run("app.live.shapeCount") == count + 1, "nothing new can be drawn")
    monkey.person.run("app.setTool('select'); app.editing.undo(); return null")
    monkey.must(monkey.look() == before, f"one undo takes away more than what was drawn: {difference(before, monkey.look())}")
    monkey.board = before
    monkey.undone = []


def undo_all(monkey):
    """A lone writer comes back to where the page began."""
    for _ in range(len(monkey.done) + 2):
        if not monkey.person.run("app.live.canUndo"):
            break
        monkey.undo(None)
    monkey.must(monkey.look() == monkey.beginning, f"not all can be undone: {difference(monkey.beginning, monkey.look())}")


def undo_own(monkey, room):
    """Undoing all of one's own touches no value that somebody else has written last, in a shape that is theirs."""
    actor = monkey.person.run("app.live.actor.toString(36).padStart(9, '0').replace(/^(...)(...)(...)$/, '$1-$2-$3')")

    def theirs():
        return {
            (shape["id"], name): (shape.get(name), stamp) for shape in json.loads(room.request("GET", "?stamps=1"))["shapes"]
            for name, stamp in shape["stamps"].items() if not stamp.endswith(actor) and not shape["stamps"]["kind"].endswith(actor)
        } if room.shapes() else {}

    before = theirs()
    for _ in range(300):
        if not monkey.person.run("app.live.canUndo"):
            break
        monkey.person.run("app.editing.undo(); return null")
    room.agree()
    after = theirs()
    for key, value in before.items():
        monkey.must(after.get(key) == value, f"undo touched what is another's: {key} {value} → {after.get(key)}")


def looks_as_loaded(room, monkey):
    """What is painted is what a page paints that has just been opened."""
    monkey.person.run("app.selection.clear(); app.marks.pointAt(null); return null")
    size = monkey.page.viewport_size
    # Whole pixels, so that both have the same corners.
    for person in (monkey.person, fresh := room.join("Zoe", size=(size["width"], size["height"]), phone=monkey.phone)):
        person.look_at(-40, -40, 0.5)
        person.painted()
    one, other = (person.picture().astype(int) for person in (monkey.person, fresh))
    off = (numpy.abs(one - other).max(axis=2) > 40).sum()
    fresh.leave()
    room.people.remove(fresh)
    monkey.must(off < 12, f"{off} pixels are painted otherwise than by a fresh page")


def live(room, deeds, phone):
    """One person alone: all of it can be undone, step by step."""
    for at in range(3):
        room.add(kind="rectangle", position=[40 + 120 * at, 220 + 90 * at], size=[110, 100], name=f"First {at}")
    person = room.join("Eve" if phone else "Ann", phone=phone, size=None if phone else (1000, 780))
    person.forgive("WebSocket", "ERR_", "Failed to load resource", "net::")
    person.wait_for_shapes(3)
    person.look_at(0, 0)
    monkey = Monkey(person, phone, alone=True)
    for deed in deeds:
        monkey.do(deed)
    check(room, [monkey])
    looks_as_loaded(room, monkey)
    undo_all(monkey)
    complain(room)


def live_together(room, deeds, others, thirds):
    """Two people at pages and one at a terminal: nothing is lost or touched, and all agree."""
    for at in range(3):
        room.add(kind="rectangle", position=[40 + 120 * at, 220 + 90 * at], size=[110, 100], name=f"First {at}")
    monkeys = []
    for name, phone in (("Ann", False), ("Eve", True)):
        person = room.join(name, phone=phone, size=None if phone else (1000, 780))
        person.forgive("WebSocket", "ERR_", "Failed to load resource", "net::")
        person.wait_for_shapes(3)
        person.look_at(0, 0)
        monkeys.append(Monkey(person, phone, alone=False))
    with AtTerminal(room, "Tom") as tom:
        for *both, third in zip(deeds, others, thirds):
            for monkey, deed in zip(monkeys, both):
                # What is written may go with a shape that the other one deletes.
                if deed[0] not in ("past_while_writing", "inspect"):
                    monkey.do(deed)
                    monkey.tokens = []
            tom.do(third)
        tom.rest()
        check(room, monkeys)
        tom.agrees()
        undo_own(monkeys[0], room)
        tom.agrees()
        tom.leaves()
    complain(room)


def complain(room):
    complaints = [words for person in room.people for words in person.complaints]
    if complaints:
        raise Broken("on the console: " + " | ".join(complaints))


def shortest(fails, deeds, tries=60):
    """The fewest deeds with which it still fails, as far as so many tries find them."""
    size = max(1, len(deeds) // 2)
    while tries > 0:
        at = 0
        while at < len(deeds) and tries > 0:
            tries -= 1
            fewer = deeds[:at] + deeds[at + size:]
            if fewer and fails(fewer):
                deeds = fewer
            else:
                at += size
        if size == 1:
            break
        size = max(1, size // 2)
    return deeds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--length", type=int, default=40)
    parser.add_argument("--build", default=".build/test/release")
    options = parser.parse_args()
    import server
    from world import World

    server.BINARY = os.path.join(os.path.abspath(options.build), "SyncServer")

    deadline = time.monotonic() + options.seconds
    with World() as world:
        def told(deeds, phone):
            """What is wrong with a history; nothing where all holds."""
            try:
                with world.test(f"test_monkey_{options.seed}") as room:
                    live(room, deeds, phone)
            except AssertionError as error:
                return str(error)
            return None

        while time.monotonic() < deadline:
            for phone in (False, True):
                deeds = history(options.seed, options.length, phone)
                print(f"seed {options.seed}, {'fingers' if phone else 'mouse'}", flush=True)
                words = told(deeds, phone)
                if words:
                    print(words, "\nlooking for the shortest history …", flush=True)
                    deeds = shortest(lambda fewer: told(fewer, phone), deeds)
                    print(told(deeds, phone), *deeds, sep="\n  ")
                    sys.exit(1)
            options.seed += 1


if __name__ == "__main__":
    main()
