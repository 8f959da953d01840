"""A monkey test: random actions by real mouse, fingers and keys, and the rules that must hold after each.

A history is a list of actions (deeds) drawn from a seed. No deed depends on earlier ones, so a failing history can be
shortened. `monkey.py --seconds N` tries new seeds until the time is over:

    .venv/bin/python Tests/Page/monkey.py [--seconds N] [--seed N] [--build FOLDER]

monkey_furniture.py has the deeds in menus, dialogs, panels and fields.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path

import numpy

here = Path(__file__).resolve().parent
if __name__ == "__main__":
    sys.path[:0] = [str(here.parent / "EndToEnd"), str(here.parent / "Terminal")]

from monkey_furniture import FURNITURE, AtFurniture  # noqa: E402
from terminal_hand import AtTerminal  # noqa: E402

TOOLS = [
    "select", "rectangle", "roundedRectangle", "ellipse", "polygon", "star", "note", "text", "arrow", "line", "pen", "eraser", "hand", "laser",
]
KEYS = [
    "Delete", "ArrowLeft", "Shift+ArrowUp", "Control+d", "Control+a", "Control+g", "Control+Shift+g", "Control+Shift+l", "Alt+c",
    "Control+]", "Escape", "Tab", "Enter", "F2", "x", "Control+c", "Control+v", "Control+x", "q", "Alt+z", "Alt+0", "1",
]
MODIFIERS = [(), (), (), (), ("Shift",), ("Alt",), ("Control",)]
# Window sizes from the smallest phone to a large screen. The random actions (deeds) give coordinates as fractions of
# the free part of the canvas, so they work at every size.
DESKS = [(1000, 780), (1440, 900), (720, 500), (320, 480)]
PHONES = [(390, 844), (320, 568), (844, 390), (768, 1024)]

FINGERS = ["drag", "drag", "drag", "drag_and_touch", "pinch", "tap", "tap", "double_tap", "taken_away", "many_fingers", "pinch_furniture"]
MOUSE = ["drag", "drag", "drag", "drag_and_escape", "drag_and_leave", "click", "double_click", "menu", "wheel", "key", "key", "key"]
BOTH = ["tool", "tool", "write", "undo", "undo", "redo", "square", "colour", "inspect", "past_while_writing", "play", "offline",
        "online", "reload", "copy_and_paste", "paste_foreign", "resize", *FURNITURE]
# Random actions (deeds) for a person who is alone. They compare the board before and after, or reload the page.
ALONE = ["past_while_writing", "inspect", "pinch_furniture", *FURNITURE]


def deed(chance, name):
    """A random deed: its name, three points and a number."""
    return name, [*([chance.random(), chance.random()] for _ in range(3)), chance.randrange(1 << 16)]


def history(seed, length, phone):
    """The deeds of a seed."""
    chance = random.Random(seed)
    # Most of the random actions are gestures on the drawing.
    return [deed(chance, chance.choice((FINGERS if phone else MOUSE) if chance.random() < 0.6 else BOTH)) for _ in range(length)]


def dealt(seed, phone, count):
    """Splits all deeds of this input device, and each tool's use, into `count` histories, with some drawing."""
    chance = random.Random(seed)
    names = sorted({*(FINGERS if phone else MOUSE), *BOTH} - {"tool", "reload"})
    deeds = [deed(chance, name) for name in names] + [deed(chance, f"tool {name}") for name in TOOLS]
    chance.shuffle(deeds)
    histories = []
    for part in range(count):
        mixed = []
        for each in deeds[part::count]:
            mixed.append(each)
            # A chosen tool has an effect only when it is used, so a drag follows.
            if each[0].startswith("tool"):
                mixed.append(deed(chance, "drag"))
            elif chance.random() < 0.4:
                mixed.append(deed(chance, chance.choice(["drag", "square", "undo", "redo"])))
        # Each history also reloads the page once, which ends the undo history.
        mixed.insert(len(mixed) // 2, deed(chance, "reload"))
        histories.append(mixed)
    return histories


class Broken(AssertionError):
    """A rule of the monkey test is broken."""


class Monkey(AtFurniture):
    """A person, with a model of undo: the drawing before each step, and after each undone step. If `alone`, nobody
    else edits, so undo and redo must restore exactly these drawings."""

    def __init__(self, person, phone, alone):
        self.person, self.page, self.phone, self.alone = person, person.page, phone, alone
        self.done, self.undone = [], []
        self.count = 0
        self.deed = None
        self.happened = set()
        self.tokens = []
        self.person.run("app.exchange()")
        self.board = self.beginning = self.look()

    # The state of the page

    def look(self):
        # The board as it looks. The property `written` is left out, because an undone value can still be marked as
        # written although it equals the default.
        return self.person.run(
            "return JSON.stringify(app.live.shapes().map(({ written, ...shape }) => ({ ...shape, name: app.live.shownName(shape.id) })))")

    def at(self, share):
        """The point at these fractions (`share`) of the canvas that no panel covers, in pixels of the window."""
        width, height = (self.page.viewport_size[side] for side in ("width", "height"))
        above, below = min(150, height // 4), min(204, height * 3 // 10)
        return round(20 + share[0] * (width - 40)), round(above + share[1] * (height - above - below))

    def is_open(self, selector):
        return self.page.locator(selector).count() > 0

    def do(self, deed):
        """Does a deed and checks the result. `happened` collects the names of deeds that had something to act on."""
        name, (*places, chance) = deed
        self.tokens, self.deed = [], deed
        what, _, tool = name.partition(" ")
        values = [*map(self.at, places), TOOLS.index(tool) if tool else chance]
        if getattr(self, what)(*values) is not False:
            self.happened.add(name)
        if self.phone and "tap" in name:
            # Waits so long that a later tap isn't counted as the third of a triple tap.
            self.page.wait_for_timeout(330)
        self.rest()
        if name in ("undo", "redo"):
            return
        self.step()
        for token in self.tokens:
            self.must(token in self.board, f"what was written is gone: {token}")
        status = self.person.run(
            "return { words: document.querySelector('.status-words').textContent, unsent: app.live.unsentCount, busy: app.tools.isBusy }")
        self.must(not (status["words"] == "Saved" and status["unsent"]), f"it says Saved: {status}")
        self.must(not status["busy"], "a gesture goes on with no hand on it")

    def step(self):
        """Records a change of the drawing as a step that can be undone."""
        board = self.look()
        if board != self.board:
            self.done.append(self.board)
            self.undone = []
            self.board = board

    def must(self, holds, words):
        if not holds:
            raise Broken(f"{self.person.name}: {words} (deed {self.deed})")

    def rest(self):
        """Releases everything, closes everything, and waits until nothing moves."""
        for key in ("Shift", "Alt", "Control"):
            self.page.keyboard.up(key)
        # A double click that waits for a third one opens a text, which would take the next press for itself.
        self.person.run("app.tools.endTaps(); return null")
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
            return self.person.touch.drag(start, end)
        return self.hold(MODIFIERS[chance % len(MODIFIERS)], lambda: self.person.drag(start, end))

    def drag_and_touch(self, start, end, other, chance):
        """Drags a shape, or across the canvas if none is seen. Meanwhile a second finger touches or moves."""
        touch = self.person.touch
        middles = self.person.run("return app.live.shapes().filter(({ locked, visible, kind }) => !locked && visible && kind !== 'ink')"
                                  ".map(({ x, y, width, height }) => app.view.toScreen({ x: x + width / 2, y: y + height / 2 }))")
        (left, top), (right, bottom) = self.at((0, 0)), self.at((1, 1))
        seen = [(at["x"], at["y"]) for at in middles if left < at["x"] < right and top < at["y"] < bottom]
        if seen:
            start = seen[chance % len(seen)]
        touch.drag(start, end, hold=True)
        touch.start(end, other)
        if chance % 2:
            touch.move(end, (other[0] + 25, other[1]))
            touch.move(end, (other[0] + 45, other[1] + 10))
        touch.end(end)
        touch.end()
        # Ends the current undo step, so that the shape that is added next becomes its own step.
        self.step()
        self.square()

    def many_fingers(self, start, end, other, chance):
        """Up to four fingers touch one by one, move, and lift one by one. Sometimes the browser cancels all of them."""
        places = [start, end, other, (start[0], other[1])][:2 + chance % 3]
        for count in range(len(places)):
            self.person.touch.start(*places[:count + 1])
        for step in (8, 30):
            self.person.touch.move(*[(x + step * (at - 1), y + step) for at, (x, y) in enumerate(places)])
        if chance % 5 == 0:
            return self.person.touch._send("touchCancel", [])
        for count in range(len(places) - 1, -1, -1):
            self.person.touch.end(*places[:count])

    def drag_and_escape(self, start, end, other, _):
        """Escape during a drag must revert the drag."""
        self.person.drag(start, end, hold=True)
        self.page.keyboard.press("Escape")
        self.page.mouse.move(*other)
        self.page.mouse.up()
        self.unchanged("Escape in the middle of a drag")

    def drag_and_leave(self, start, end, other, _):
        """Another window comes to the front during a drag."""
        self.person.drag(start, end, hold=True)
        self.page.evaluate("dispatchEvent(new Event('blur'))")
        self.page.mouse.move(*other)
        self.page.mouse.up()

    def pinch(self, center, _, __, chance):
        self.person.touch.pinch(center, 40 + chance % 30, 40 + chance % 70, turn=chance % 50, steps=5)

    def tap(self, place, _, __, ___):
        self.person.touch.tap(*place)

    def double_tap(self, place, _, __, ___):
        self.person.touch.tap(*place, times=2)

    def taken_away(self, start, end, _, __):
        self.person.touch.drag(start, end, hold=True)
        self.person.touch._send("touchCancel", [])

    def click(self, place, _, __, chance):
        self.hold(MODIFIERS[chance % len(MODIFIERS)], lambda: self.page.mouse.click(*place))

    def double_click(self, place, _, __, chance):
        self.page.mouse.dblclick(*place)
        self.type(chance)

    def menu(self, place, _, __, chance):
        """Opens the context menu, presses one of its rows, moves down some rows by key, and presses Enter."""
        self.page.mouse.click(*place, button="right")
        if self.is_open(".context"):
            self.unchanged("a menu")
            self.page.locator(".context hr").first.click()
            for _ in range(chance % 6):
                self.page.keyboard.press("ArrowDown")
            words = self.page.evaluate("document.activeElement.textContent")
            if words.startswith(("Undo", "Redo")):
                return self.undo() if words.startswith("Undo") else self.redo()
            # Menu entries that copy or export are not chosen, because the browser might forbid them.
            if "PNG" not in words and "SVG" not in words and "JSON" not in words:
                self.page.keyboard.press("Enter")

    def wheel(self, place, way, _, chance):
        self.page.mouse.move(*place)
        self.hold(("Control",) if chance % 3 == 0 else (), lambda: self.page.mouse.wheel(way[0] - 195, (way[1] - 395) / 2))
        self.person.see()

    def key(self, _, __, ___, chance):
        self.page.keyboard.press(KEYS[chance % len(KEYS)])
        self.person.see()

    # The deeds

    def type(self, chance):
        """Types if a text is being edited. The typed words are looked for later."""
        if not self.person.run("app.writing.isOpen"):
            return
        self.count += 1
        token = f"word{self.count}of{chance}"
        self.page.keyboard.insert_text(token)
        self.tokens.append(token)

    def tool(self, _, __, ___, chance):
        self.person.run("app.setTool(value); return null", TOOLS[chance % len(TOOLS)])

    def write(self, place, _, __, chance):
        """Writes some words or none with the text tool or the note tool."""
        self.person.run("app.setTool(value); return null", ["text", "note"][chance % 2])
        self.person.touch.tap(*place) if self.phone else self.page.mouse.click(*place)
        if chance % 3:
            self.type(chance)

    def square(self, *_):
        self.person.run("app.actions.addSquare.run(); return null")

    def colour(self, *_):
        self.person.run("app.actions.recolor.run(); return null")

    def copy_and_paste(self, _, __, ___, chance):
        """Copies or cuts all shapes and pastes them, by keyboard."""
        if not self.person.run("app.live.shapeCount"):
            return False
        self.page.mouse.move(*self.at((0.5, 0.5)))
        self.person.run("app.setTool('select'); app.actions.selectAll.run(); document.activeElement.blur(); return null")
        if not self.person.run("app.selection.size"):
            return False
        self.page.keyboard.press(["Control+c", "Control+x"][chance % 2])
        self.settled()
        self.step()
        self.page.keyboard.press("Control+v")
        self.settled()

    def paste_foreign(self, _, __, ___, chance):
        """Pastes a drawing from elsewhere, or words, which become a text."""
        token = f"pasted{chance}"
        drawing = {"format": "canvassync", "version": 1, "shapes": [{"kind": "ellipse", "position": [50, 80], "size": [40, 40], "name": token}]}
        self.person.run("app.selection.clear(); document.activeElement.blur(); const data = new DataTransfer(); data.setData('text/plain', value);"
                        "document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); return null",
                        json.dumps(drawing) if chance % 4 else token)
        self.settled()
        self.tokens.append(token)

    def settled(self):
        """Waits for actions that first load a part of the page, or wait for the clipboard."""
        self.page.evaluate("new Promise((done) => setTimeout(done, 60))")

    def resize(self, _, __, ___, chance):
        """Resizes the window, or rotates the phone."""
        width, height = (PHONES if self.phone else DESKS)[chance % 4]
        self.page.set_viewport_size({"width": width, "height": height})
        self.person.see(frames=2)

    def inspect(self, place, _, __, chance):
        """Types a name in the inspector, and then selects another shape without leaving the field."""
        ids = self.person.run("app.live.drawingOrder()")
        if not ids:
            return False
        self.open_panel("inspector")
        self.person.run("app.selection.set([value]); return null", ids[chance % len(ids)])
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

    # The history and the network

    def open_history(self):
        # Sends all offline edits first. Otherwise the room might have no history yet.
        self.online()
        self.person.wait("app.live.unsentCount === 0", "all is sent")
        self.person.run("app.actions.history.run(); return null")
        self.page.wait_for_timeout(50)
        try:
            self.page.locator(".history:not([hidden]), .notice:has-text('no history')").first.wait_for(timeout=10_000)
        except Exception:
            return False
        return self.is_open(".history:not([hidden])")

    def past_while_writing(self, _, __, ___, chance):
        """Requests a past state, which arrives while the person edits a text."""
        ids = self.person.run("app.live.shapes().filter(({ kind, locked }) => kind === 'rectangle' && !locked).map(({ id }) => id)")
        if not ids or not self.open_history():
            return False
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
        """Presses Play, Pause and Play quickly. No past state may be requested twice."""
        if not self.open_history():
            return False
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
        """Reloads the page. The drawing must be the same, but the undo history is gone."""
        self.rest()
        self.page.reload()
        self.person.wait("app.live.status().state === 'live' && app.painter.isDone", "the room is there again")
        self.person.run("app.exchange()")
        if self.alone:
            self.must(self.look() == self.board, f"the drawing is another: {difference(self.board, self.look())}")
        self.done, self.undone, self.beginning = [], [], self.board


def difference(wanted, board):
    """Describes the difference between two boards in a few words."""
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
    """Checks everything that must hold while nobody acts."""
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
        # A new page joins and leaves. Waits until the others have noticed that, and then compares all boards.
        room.agree()


def draws_anew(monkey):
    """Checks that the person can still draw, and that one undo removes only the new shape."""
    before, count = monkey.look(), monkey.person.run("app.live.shapeCount")
    monkey.person.run("app.selection.clear(); app.setTool('pen'); return null")
    hand = (monkey.person.touch if monkey.phone else monkey.person)
    hand.drag(monkey.at((0.3, 0.3)), monkey.at((0.6, 0.5)))
    monkey.must(monkey.person.run("app.live.shapeCount") == count + 1, "nothing new can be drawn")
    monkey.person.run("app.setTool('select'); app.editing.undo(); return null")
    monkey.must(monkey.look() == before, f"one undo takes away more than what was drawn: {difference(before, monkey.look())}")
    monkey.board = before
    monkey.undone = []


def undo_all(monkey):
    """Undoes everything. Someone who is alone must get back to the board at the beginning."""
    for _ in range(len(monkey.done) + 2):
        if not monkey.person.run("app.live.canUndo"):
            break
        monkey.undo(None)
    monkey.must(monkey.look() == monkey.beginning, f"not all can be undone: {difference(monkey.beginning, monkey.look())}")


def undo_own(monkey, room):
    """Undoes all steps of this person. In this person's shapes, no value that somebody else wrote last may change."""
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
    """Checks that the page shows the same pixels as a newly loaded page."""
    monkey.person.run("app.selection.clear(); app.marks.pointAt(null); return null")
    size = monkey.page.viewport_size
    # The view starts at whole pixels, because otherwise the two pages might round differently.
    for person in (monkey.person, fresh := room.join("Zoe", size=(size["width"], size["height"]), phone=monkey.phone)):
        person.look_at(-40, -40, 0.5)
        person.painted()
    one, other = (person.picture().astype(int) for person in (monkey.person, fresh))
    rows, columns = numpy.nonzero(numpy.abs(one - other).max(axis=2) > 40)
    off = len(rows)
    fresh.leave()
    room.people.remove(fresh)
    where = off and (f"from ({columns.min()}, {rows.min()}) to ({columns.max()}, {rows.max()}) of {one.shape[1::-1]}, "
                     f"here darker by {(other - one)[rows, columns, :3].mean():.0f}")
    monkey.must(off < 12, f"{off} pixels are painted otherwise than by a fresh page, {where}: {room.shapes()}")


def live(room, deeds, phone, size=None):
    """Plays a history with one person, and undoes it step by step. Returns the deeds that had something to act on."""
    for at in range(3):
        room.add(kind="rectangle", position=[40 + 120 * at, 220 + 90 * at], size=[110, 100], name=f"First {at}")
    person = room.join("Eve" if phone else "Ann", phone=phone, size=size or (PHONES if phone else DESKS)[0], at=(0, 0), panel="layers")
    person.forgive("WebSocket", "ERR_", "Failed to load resource", "net::")
    monkey = Monkey(person, phone, alone=True)
    for deed in deeds:
        monkey.do(deed)
    check(room, [monkey])
    looks_as_loaded(room, monkey)
    undo_all(monkey)
    complain(room)
    return monkey.happened


def live_together(room, deeds, others, thirds):
    """Plays histories with two pages and a terminal. No edit is lost or undone by others, and all agree."""
    for at in range(3):
        room.add(kind="rectangle", position=[40 + 120 * at, 220 + 90 * at], size=[110, 100], name=f"First {at}")
    monkeys = []
    for name, phone in (("Ann", False), ("Eve", True)):
        person = room.join(name, phone=phone, size=(PHONES if phone else DESKS)[0], at=(0, 0), panel="layers")
        person.forgive("WebSocket", "ERR_", "Failed to load resource", "net::")
        monkeys.append(Monkey(person, phone, alone=False))
    with AtTerminal(room, "Tom") as tom:
        for *both, third in zip(deeds, others, thirds):
            for monkey, deed in zip(monkeys, both):
                if deed[0] not in ALONE:
                    monkey.do(deed)
                    # Forgets the typed texts, because somebody else might delete their shapes.
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
    """The shortest failing history that is found within this number of tries."""
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
    import load
    import server
    from world import World

    options = load.options(parser, {"SyncServer": server})
    deadline = time.monotonic() + options.seconds
    with World() as world:
        def told(deeds, phone):
            """The failure of a history, or None."""
            try:
                with world.test(f"test_monkey_{options.seed}") as room:
                    live(room, deeds, phone, (PHONES if phone else DESKS)[options.seed % 4])
            except Exception as error:
                return f"{type(error).__name__}: {error}"
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
