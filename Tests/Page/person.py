"""A person at a browser, with a context of their own: what they do, what they see, what their page holds."""

import base64
import contextlib
import json
import os
import uuid
import zlib
from pathlib import Path

import numpy
from playwright.sync_api import Error

from keeping import Keeping
from load import spelled
from touch import Touch
from waiting import SECONDS

DESK = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
FOLDER = os.environ.get("CANVAS_PAGE_COVERAGE")
LATE = os.environ.get("CANVAS_PAGE_LATE")
COLORS = ["#1D4ED8", "#BE185D", "#0F766E", "#6D28D9"]


class Person(Keeping):
    def __init__(self, room, name, context, page):
        self.room, self.name, self.context, self.page = room, name, context, page
        self.forgiven = []
        self.noticed = []
        self.is_gone = False
        self.is_clock_stopped = False

    @classmethod
    def open(
        cls, room, name, phone=False, size=None, ratio=None, theme="light", still=False, clock=False, query="", fragment="",
        panel=None, ready=True, first_view=False, at=None, browser=None, context=None, before=None, forgive=(), stopped=False,
        clipboard=False,
    ):
        """
        `phone`: a small screen with touch. `size`, `ratio`: CSS pixels of the window, device pixels for each.
        `still`: asks for less motion. `clock`: time can be stopped, see `stop_clock`. `stopped`: it stands still once the
        room is there. `query`, `fragment`: of the address. `forgive`: errors that are expected, see `forgive`.
        `clipboard`: the page may read and write the clipboard.
        Waits until the room is there, with all that it holds, unless `ready=False`. `first_view`: sees what a page shows at
        first, and not what is at the canvas's origin. `at`: looks there, see `look_at`. `panel`: has that panel open.
        `context`: another tab of the same browser. `before`: called with the page before it opens the room.
        """
        world, clock = room.world, clock or stopped
        is_shared = room.server is world.server
        device = phone, ratio or (2 if phone else 1)
        owns = context is None
        returns = owns and is_shared and not clock and browser is None
        if returns:
            context = world.take_context(device)
        elif owns:
            context = world.new_context(device, is_shared, browser)
        context.set_default_timeout(SECONDS * 1000)
        if clipboard:
            context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        if size:
            page.set_viewport_size(dict(zip(("width", "height"), size)))
        if theme != "light" or still:
            page.emulate_media(color_scheme=theme, reduced_motion="reduce" if still else "no-preference")
        # Each person has a name, as if they had typed it at an earlier visit.
        identity = {"name": name, "color": COLORS[len(room.people) % len(COLORS)], "isChosen": True, "isColorChosen": True}
        if first_view:
            page.add_init_script("window.isFirstViewWanted = true")
        page.add_init_script(path=Path(__file__).with_name("app.js"))
        if LATE and not clock:
            page.add_init_script(path=Path(__file__).with_name("late.js"))
        key, value = json.dumps("canvas.me"), json.dumps(json.dumps(identity))
        page.add_init_script(f"if (location.host) localStorage.getItem({key}) ?? localStorage.setItem({key}, {value})")
        # A new visitor's panel is closed. The page remembers which one was open at an earlier visit.
        if panel := panel or room.panel:
            page.add_init_script(f"if (location.host) localStorage.getItem('canvas.panel') ?? localStorage.setItem('canvas.panel', '{panel}')")
        person = cls(room, name, context, page)
        person.owns, person.device = owns, device if returns else None
        person.forgive(*forgive)
        page.on("console", lambda message: message.type == "error" and person.noticed.append(told(message)))
        page.on("pageerror", lambda error: person.noticed.append(str(error)))
        page.on("crash", lambda: person.noticed.append("the page crashed"))
        if FOLDER:
            person.count_what_runs()
        if clock:
            page.clock.install()
        if before:
            before(page)
        page.goto(room.server.url(room.path) + query + fragment)
        if ready:
            person.wait("app.session.status().state === 'live' && app.painter.isDone", "the room is there")
            if panel and not phone and not size:
                person.wait("document.querySelector('.panel > section:not([hidden]) > *')", "the panel's code is loaded")
            person.see()
        if at:
            person.look_at(*at)
        if stopped:
            person.stop_clock()
        return person

    def leave(self):
        if not self.is_gone:
            self.is_gone = True
            self.keep_counts()
            if not self.owns:
                self.page.close()
            elif self.device and not any("crashed" in text for text in self.noticed):
                self.room.world.give_back(self.context, self.device)
            else:
                self.context.close()

    def close(self):
        """Closes the tab. Other tabs of the same browser stay."""
        self.page.close()
        self.is_gone = True

    def reload(self):
        self.page.reload()
        self.wait("app.session.status().state === 'live' && app.painter.isDone", "the room is there again")

    # Counting what runs, for `make coverage`

    def count_what_runs(self):
        self.counts = self.context.new_cdp_session(self.page)
        self.counts.send("Profiler.enable")
        self.counts.send("Profiler.startPreciseCoverage", {"detailed": True, "callCount": False})

    def keep_counts(self):
        """Stores the counts in a file, in the form in which node stores its own."""
        if FOLDER and not self.page.is_closed():
            with contextlib.suppress(Error), open(f"{FOLDER}/page-{uuid.uuid4()}.json", "w", encoding="utf-8") as file:
                json.dump({"result": self.counts.send("Profiler.takePreciseCoverage")["result"]}, file)

    # What went wrong

    def forgive(self, *words):
        """Expects errors on the console that contain these words, for example after the server was killed."""
        self.forgiven += words

    @property
    def complaints(self):
        return [f"{self.name}: {text}" for text in self.noticed if not any(words in text for words in self.forgiven)]

    # Reading the page. In all expressions `app` is the object of app.js.

    def run(self, expression, argument=None):
        """The value of an expression, or what a function body returns. In both, `value` is the argument."""
        body = expression if "return " in expression or ";" in expression else f"return ({expression})"
        return self.page.evaluate(f"(value) => {{ const app = window.canvasApp; {body} }}", argument)

    def wait(self, expression, what=None, argument=None, seconds=SECONDS):
        """Waits until an expression is true."""
        test = f"(value) => {{ const app = window.canvasApp; return app && ({expression}) }}"
        # The condition is polled by time instead of by frames, because some tests stop the frames. A look costs a
        # processor most of a millisecond, so there are few.
        try:
            self.page.wait_for_function(test, arg=argument, polling=50, timeout=seconds * 1000)
        except Exception as error:
            raise AssertionError(f"{self.name} waited in vain for {what or expression}; {self.noticed}") from error

    def take(self, tool):
        self.run("app.setTool(value); return null", tool)

    def choose(self, entry, exact=False, role="menuitem"):
        """Opens the page's menu and chooses one of its entries. A switch has the role `menuitemcheckbox`."""
        self.page.get_by_role("button", name="Menu", exact=True).click()
        self.page.get_by_role(role, name=entry, exact=exact).click()

    def export(self, suffix, choose=None, size="2×"):
        """Saves the drawing as a file. Returns the name and the content of the file. `choose`: presses something else
        than the entry of the page's menu. `size`: of a picture, which is asked for."""
        with self.page.expect_download(timeout=2 * SECONDS * 1000) as download:
            choose() if choose else self.choose(f"Export as {suffix}")
            if suffix == "PNG":
                self.page.get_by_role("dialog").get_by_role("button", name=size).click()
                self.wait_for_no_dialog()
        return download.value.suggested_filename, Path(download.value.path()).read_bytes()

    def notice(self, words):
        """The notice that contains these words."""
        return self.page.locator(".notice", has_text=words)

    def draw_squares(self):
        """Draws the three squares that an empty room offers."""
        self.page.get_by_role("button", name="Start with three squares").click()
        self.wait("app.session.unsentCount === 0 && app.session.shapeCount === 3", "three squares are sent")

    def wait_for_no_dialog(self):
        """Waits until no dialog is open. A closed one stays until the page hears of its closing."""
        self.page.locator("dialog").wait_for(state="detached")

    def shapes(self):
        """The page's shapes, by identifier."""
        return {shape["id"]: shape for shape in self.run(
            "return app.session.shapes().map((shape) => ({ ...shape, id: shape.id.toString(36).padStart(9, '0')"
            ".replace(/^(...)(...)(...)$/, '$1-$2-$3') }))")}

    def shape(self, identifier):
        return self.shapes().get(identifier)

    def wait_for_shapes(self, count):
        self.wait(f"app.session.shapeCount === {count}", f"{count} shapes")

    def wait_for_shape(self, identifier, condition="true"):
        """Waits until the shape exists and the condition holds, in which the shape is called `shape`."""
        self.wait(
            f"((shape) => shape !== null && ({condition}))(app.session.shape(value))", f"{identifier} with {condition}",
            number(identifier))
        return self.shape(identifier)

    def learns(self, identifier, **values):
        """Somebody else writes these values of a shape. Waits until the page has them."""
        self.room.write((identifier, values))
        self.wait("((shape, set) => (set.deleted ? !shape : shape && Object.entries(set).every(([name, to]) => `${to}` === `${"
                  "name === 'position' ? [shape.x, shape.y] : name === 'size' ? [shape.width, shape.height] : shape[name]}`)))"
                  "(app.session.shape(value[0]), value[1])", f"{identifier} with {values}", [number(identifier), values])

    def drawn(self, identifier):
        """The shape as it is drawn now, or None."""
        self.see()
        return self.run(
            "const shape = app.scene.drawn(value); if (!shape) return null; const { x, y, width, height, rotation, opacity, "
            "growth } = shape; return { x, y, width, height, rotation, opacity, growth }", number(identifier))

    def selected(self):
        return [spelled(int(identifier)) for identifier in self.run("app.selection.ids()")]

    def select(self, *identifiers):
        self.run("app.selection.set(value)", [number(identifier) for identifier in identifiers])

    def leave_focus(self):
        """Gives the keys to the canvas."""
        self.page.evaluate("document.activeElement.blur()")

    def delete(self, shape):
        """Deletes a shape at once, without a gesture."""
        self.run("app.edit((session) => session.delete([value])); return null", number(shape))

    def disconnect(self):
        """The page loses its connection, and doesn't look for another one."""
        self.run("app.perform(app.live.stop()); return null")

    def go_offline(self):
        """The browser has no network until `come_online`."""
        self.forgive("ERR_INTERNET_DISCONNECTED", "WebSocket")
        self.context.set_offline(True)
        self.wait("app.session.status().state !== 'live'", f"{self.name} is away")

    def come_online(self):
        self.context.set_offline(False)

    def see(self, frames=1):
        """Waits for the next frame: a person acts on what they see, and a frame shows all that the page knew before it.
        With two frames, what the first of them asked for is seen too. While the clock is stopped there are no frames."""
        if not self.is_clock_stopped:
            self.page.evaluate("async (frames) => { while (frames-- > 0) await new Promise(requestAnimationFrame) }", frames)

    def painted(self):
        """Waits until nothing moves and everything is painted."""
        self.see()
        self.wait("!app.scene.moves(performance.now()) && app.painter.isDone", "all is painted")
        self.see(frames=2)

    # Where things are

    def look_at(self, x=0, y=0, scale=1):
        """Sets the canvas point at the top left of the window, and the scale."""
        self.run("const { view } = app; view.fit({ x: 0, y: 0, width: 1, height: 1 }, 0, { nearest: value.scale });"
                 "view.panBy((view.x - value.x) * view.scale, (view.y - value.y) * view.scale); return null",
                 {"x": x, "y": y, "scale": scale})

    def screen(self, x, y):
        """A point of the canvas in CSS pixels of the window."""
        point = self.run("app.view.toScreen(value)", {"x": x, "y": y})
        return point["x"], point["y"]

    def middle(self, identifier):
        """The middle of a shape in CSS pixels of the window."""
        shape = self.shape(identifier)
        return self.screen(shape["x"] + shape["width"] / 2, shape["y"] + shape["height"] / 2)

    # The mouse, in CSS pixels of the window

    def drag(self, start, end, steps=4, hold=False, modifiers=()):
        """Presses, moves in steps, and lets go. With `hold` the button stays down."""
        with self.holding(*modifiers):
            self.page.mouse.move(*start)
            self.mouse_down()
            self.page.mouse.move(*end, steps=steps)
            if not hold:
                self.page.mouse.up()

    def give_up(self):
        """Presses Escape in the middle of a gesture, and lets go."""
        self.press("Escape")
        self.page.mouse.up()

    def mouse_down(self, **options):
        self.see()
        self.page.mouse.down(**options)

    def click(self, x, y, times=1, modifiers=()):
        with self.holding(*modifiers):
            self.see()
            self.page.mouse.click(x, y, click_count=times)

    # Keys

    def press(self, *keys):
        """Presses keys one after another. `Control+z` is two keys together."""
        for key in keys:
            self.see()
            self.page.keyboard.press(key)

    def type(self, words, *keys):
        """Types words, and then presses these keys."""
        self.page.keyboard.type(words)
        self.press(*keys)

    @contextlib.contextmanager
    def holding(self, *keys):
        """Within `with`, these keys are down."""
        for key in keys:
            self.page.keyboard.down(key)
        yield
        for key in keys:
            self.page.keyboard.up(key)

    def fill(self, label, value, exact=True):
        """Fills a field, and confirms it by Enter."""
        field = self.page.get_by_label(label, exact=exact)
        field.fill(value)
        field.press("Enter")

    # Fingers, and other tabs

    @property
    def touch(self):
        """Fingers, for a person on a phone."""
        if not hasattr(self, "_touch"):
            self._touch = Touch(self.context.new_cdp_session(self.page), self.see)
        return self._touch

    def hide(self, is_hidden=True):
        """Goes to another tab, or comes back from it. A browser without windows doesn't say so by itself."""
        self.run("""Object.defineProperty(document, 'hidden', { value, configurable: true })
          Object.defineProperty(document, 'visibilityState', { value: value ? 'hidden' : 'visible', configurable: true })
          document.dispatchEvent(new Event('visibilitychange')); return null""", is_hidden)

    # Time, for a person who joined with `clock=True`

    def stop_clock(self):
        """Stops the page's time: from now on its frames and timers wait for `pass_time`."""
        for ahead in (1, 5, 25):
            try:
                self.page.clock.pause_at(self.page.evaluate("Date.now()") / 1000 + ahead)
                self.is_clock_stopped = True
                return
            except Error as error:
                # The clock has already passed the time at which it should stop, because the machine is busy. So the
                # loop tries again.
                if "past" not in str(error):
                    raise
        raise AssertionError(f"{self.name}'s clock does not stop")

    def pass_time(self, milliseconds):
        self.page.clock.run_for(milliseconds)

    # What is seen

    def painted_picture(self):
        """The pixels of the drawing once nothing moves and everything is painted."""
        self.painted()
        return self.picture()

    def picture(self, canvas="#drawing"):
        """The pixels of one of the stage's canvases: rows, columns, then red, green, blue and alpha."""
        self.see()
        # The pixels are packed, because sending megabytes through the browser's driver takes most of a second.
        width, height, data = self.page.evaluate(
            """async (name) => {
              const canvas = document.querySelector(name)
              const { width, height } = canvas
              const pixels = new Blob([canvas.getContext('2d').getImageData(0, 0, width, height).data])
              const packed = await new Response(pixels.stream().pipeThrough(new CompressionStream('deflate'))).blob()
              return new Promise((done) => {
                const reader = new FileReader()
                reader.onload = () => done([width, height, reader.result.slice(reader.result.indexOf(',') + 1)])
                reader.readAsDataURL(packed)
              })
            }""",
            canvas,
        )
        return numpy.frombuffer(zlib.decompress(base64.b64decode(data)), dtype=numpy.uint8).reshape(height, width, 4)


def told(message):
    """The message with its address, because the message about a failed request has no address."""
    url = message.location.get("url", "")
    return message.text + (f" ({url})" if url else "")


def number(identifier):
    return int(identifier.replace("-", ""), 36)
