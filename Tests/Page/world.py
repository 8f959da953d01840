"""One browser and one server for all tests; a room and its people for each."""

import json
import shutil
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright
from websockets.sync.client import connect

import server as servers
from person import Person

WEB = Path(__file__).resolve().parents[2] / "web"
# After so long something hangs: a machine that is only busy comes to an end before.
SECONDS = 60
# One machine is all people at once, and tests are quicker than hands.
GENEROUS = ["--max-connections-per-address", "5000", "--max-ops-per-second", "100000", "--max-messages-per-second", "5000"]


class World:
    def __init__(self, headed=False, web=WEB):
        self.headed = headed
        self.web = web
        self.count = 0
        self.rooms = []
        # Browsers that nobody sits at now, by what they look like: one that has been used has the page's files already.
        self.idle = {}

    def __enter__(self):
        self.server = self.start_server()
        self.playwright = sync_playwright().start()
        self.browser = self.launch()
        return self

    def __exit__(self, *_):
        self.browser.close()
        self.playwright.stop()
        self.server.__exit__()

    def launch(self, *arguments):
        """A browser process: tests share one, and start their own only where its flags matter."""
        chromium = shutil.which("chromium")
        assert chromium, "no chromium: scripts/setup test installs it"
        # The first start on a machine reads a quarter of a gigabyte from its disk.
        return self.playwright.chromium.launch(
            executable_path=chromium, headless=not self.headed, args=list(arguments), timeout=180_000)

    def start_server(self, *flags, **options):
        """A server of one's own: `with world.start_server("--flag", …) as server`, or kill it oneself."""
        return servers.Server("--web", self.web, *GENEROUS, *flags, **options).start()

    def take_context(self, look):
        """A browser of one's own, perhaps one that somebody has left clean."""
        idle = self.idle.get(look)
        return idle.pop() if idle else self.browser.new_context(**dict(look))

    def give_back(self, context, look):
        """Someone has left, and the next finds nothing of theirs."""
        for page in context.pages[1:]:
            page.close()
        page = context.pages[0] if context.pages else context.new_page()
        # First away from the room, which keeps something when it is left.
        page.goto("about:blank")
        storage = context.new_cdp_session(page)
        storage.send("Storage.clearDataForOrigin", {"origin": self.server.url(""), "storageTypes": "all"})
        page.close()
        context.clear_permissions()
        context.set_offline(False)
        self.idle.setdefault(look, []).append(context)

    def room(self, server=None, name=None):
        """A room that nobody has been in."""
        self.count += 1
        room = Room(self, server or self.server, name or f"room-{self.count}")
        self.rooms.append(room)
        return room

    @contextmanager
    def test(self, name):
        """Everyone leaves at the end, and nobody may have met an error that was not expected."""
        self.rooms = []
        room = self.room(name=f"{name[5:50]}-{self.count}")
        try:
            yield room
            complaints = [words for room in self.rooms for person in room.people for words in person.complaints]
            assert not complaints, "on the console: " + " | ".join(complaints)
        finally:
            for room in self.rooms:
                for person in room.people:
                    person.leave()


class Room:
    """What tests do to a room, and ask the server about it."""

    def __init__(self, world, server, name):
        self.world, self.server, self.name = world, server, name
        self.people = []

    @property
    def path(self):
        return f"/r/{self.name}"

    def join(self, name="Ann", **options):
        """Someone opens the room in a browser of their own; see `Person.open` for the options."""
        person = Person.open(self, name, **options)
        self.people.append(person)
        return person

    def request(self, method, path, body=None):
        request = urllib.request.Request(
            self.server.url(f"/v1/rooms/{self.name}{path}"),
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Content-Type": "application/json"} if body is not None else {},
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return answer.read()

    def write(self, *operations):
        """Operations as a program writes them, `(shape, {…})` each."""
        self.request("POST", "/ops", {"ops": [{"shape": shape, "set": values} for shape, values in operations]})

    def add(self, **values):
        """A shape as a program writes it; its identifier."""
        shape = servers.identifier()
        self.write((shape, {"kind": "rectangle", **values}))
        return shape

    def shapes(self):
        """What the server holds, in drawing order; nothing where nobody has drawn."""
        try:
            return json.loads(self.request("GET", ""))["shapes"]
        except urllib.error.HTTPError as error:
            with error:
                assert error.code == 404, error
            return []

    def shape(self, identifier):
        return next((shape for shape in self.shapes() if shape["id"] == identifier), None)

    def wait_for(self, condition, what="the server"):
        """The shapes that the server holds, once they are as wanted."""
        deadline = time.monotonic() + SECONDS
        while True:
            shapes = self.shapes()
            if condition(shapes):
                return shapes
            assert time.monotonic() < deadline, f"{what}: still {shapes}"
            time.sleep(0.02)

    def wait_for_shapes(self, count):
        return self.wait_for(lambda shapes: len(shapes) == count, f"{count} shapes")

    def digest(self):
        """The server's own, over a connection of its own."""
        with connect(self.server.socket(self.name), subprotocols=["canvas.v1.json"], max_size=None) as socket:
            socket.send(json.dumps({"type": "hello", "readonly": True, "name": "Digest"}))
            while True:
                message = json.loads(socket.recv(timeout=SECONDS))
                if message["type"] == "ops" and not message.get("more"):
                    break
            socket.send(json.dumps({"type": "digest"}))
            while True:
                message = json.loads(socket.recv(timeout=SECONDS))
                if message["type"] == "digest":
                    return message["hash"]

    def agree(self, *people):
        """Everyone, or who is named, has sent all and holds what the server holds. Returns what that is."""
        people = people or self.people
        deadline = time.monotonic() + SECONDS
        while True:
            for person in people:
                person.wait("app.session.unsentCount === 0", "all is sent")
            digest = self.digest()
            held = [person.run("app.session.confirmedDigest") for person in people]
            if all(own == digest for own in held):
                return self.shapes()
            assert time.monotonic() < deadline, f"the server holds {digest}, they hold {held}"
            # What is under way arrives, and makes some frame of a page differ from the one before.
            time.sleep(0.05)

