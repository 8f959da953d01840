"""One browser and one server for all tests; for each test a room and the people in it."""

import http.client
import json
import os
import re
import shutil
import urllib.error
import urllib.request
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright

import server as servers
from peer import Peer
from person import DESK, PHONE, Person
from waiting import SECONDS, wait_until

# For `make coverage`, the page is served as single files, because coverage is reported by file.
WEB = Path(os.environ.get("CANVAS_PAGE") or Path(__file__).resolve().parents[2] / "build" / "page")
# The limits are high, because all people of a test share one address and write faster than people by hand.
GENEROUS = ["--max-connections-per-address", "5000", "--max-ops-per-second", "100000", "--max-messages-per-second", "5000"]

# All pages of a browser context share one process, because starting one costs as much as opening a room.
ONE_PROCESS = ["--renderer-process-limit=1", "--disable-site-isolation-trials"]


class World:
    def __init__(self, headed=False, web=WEB, panel=None):
        """`panel`: the panel that everybody has open."""
        self.headed, self.web, self.panel = headed, web, panel
        self.count = 0
        self.rooms = []
        # Browser contexts that are free, by their device. They are used again, because a used context already has the
        # page's files in its cache, and a process in which they have been compiled.
        self.idle = {}

    def __enter__(self):
        self.server = self.start_server()
        self.playwright = sync_playwright().start()
        self.browser = self.launch(*ONE_PROCESS)
        return self

    def __exit__(self, *_):
        self.browser.close()
        self.playwright.stop()
        self.server.__exit__()

    @property
    def program(self):
        """The browser's program. Without a window it is Chromium's shell, which spends no time on tabs and menus."""
        return "chromium" if self.headed else "chromium-headless-shell"

    def launch(self, *arguments, program=None):
        """Starts a browser process. Tests share one; a test starts its own only when it needs other flags, or another network."""
        chromium = shutil.which(program or self.program)
        assert chromium, f"{self.program} is not installed; scripts/setup test installs what runs without --headed"
        # A long limit, because the first start on a machine reads 250 MB from its disk.
        return self.playwright.chromium.launch(
            executable_path=chromium, headless=not self.headed, args=list(arguments), timeout=180_000)

    def start_server(self, *flags, **options):
        """Starts another server: `with world.start_server("--flag", …) as server`. A test that doesn't use `with` has
        to kill it."""
        return servers.Server("--web", self.web, *GENEROUS, *flags, **options).start()

    @contextmanager
    def own_room(self, *flags, name=None, **options):
        """A room on a server of its own, which is `room.server`."""
        with self.start_server(*flags, **options) as server:
            yield self.room(server, name)

    def new_context(self, device, is_shared=True, browser=None):
        """`device`: whether it is a phone, and the device pixels for each pixel of CSS. `is_shared`: opens rooms of the
        server that tests share."""
        phone, ratio = device
        # If many tests share a server, workers are blocked: each page must come from the server, not from files that an
        # earlier page has stored.
        return (browser or self.browser).new_context(
            viewport=PHONE if phone else DESK, device_scale_factor=ratio, is_mobile=phone, has_touch=phone,
            service_workers="block" if is_shared else "allow")

    def take_context(self, device):
        """A context of this device, free or new. A picture stays open in it, which keeps its process."""
        if idle := self.idle.get(device):
            return idle.pop()
        context = self.new_context(device)
        context.new_page().goto(self.server.url("/icon.svg"))
        return context

    def give_back(self, context, device):
        """Frees a context, after removing everything that the next person must not find in it."""
        picture, *pages = context.pages
        # Pages are closed before their storage is cleared, because a room's page stores its state when it is left.
        for page in pages:
            page.close()
        storage = context.new_cdp_session(picture)
        storage.send("Storage.clearDataForOrigin", {"origin": self.server.url(""), "storageTypes": "all"})
        storage.detach()
        context.clear_permissions()
        context.set_offline(False)
        self.idle.setdefault(device, []).append(context)

    def room(self, server=None, name=None):
        """A new room."""
        self.count += 1
        room = Room(self, server or self.server, name or f"room-{self.count}")
        self.rooms.append(room)
        return room

    @contextmanager
    def test(self, name):
        """Yields a new room. At the end everybody leaves, and no page may have logged an unexpected error."""
        self.rooms = []
        room = self.room(name=f"{re.sub('[^A-Za-z0-9]', '-', name[5:50])}-{self.count}")
        try:
            yield room
            complaints = [words for room in self.rooms for person in room.people for words in person.complaints]
            assert not complaints, "on the console: " + " | ".join(complaints)
        finally:
            for room in self.rooms:
                room.guests.close()
                for person in room.people:
                    person.leave()


class Witness:
    """A client that gets what the server holds. If no second page is needed, it is some seconds quicker than a page."""

    def __init__(self, room):
        self.room = room

    def shape(self, identifier):
        return self.room.shape(identifier)

    def wait_for_shapes(self, count):
        return self.room.wait_for_shapes(count)

    def wait_for_shape(self, identifier, condition="true"):
        """Waits until the shape exists and the condition holds. The condition calls it `shape`, and has the form that a
        page would evaluate."""
        for script, python in (("&&", "and"), ("!==", "!="), ("===", "=="), ("Math.abs", "abs"), ("true", "True")):
            condition = condition.replace(script, python)
        code = compile(condition, "condition", "eval")

        def holds(shapes):
            for shape in shapes:
                if shape["id"] == identifier:
                    (x, y), (width, height) = shape["position"], shape["size"]
                    return eval(code, {"shape": Seen(**shape, x=x, y=y, width=width, height=height)})
            return False

        self.room.wait_for(holds, f"{identifier} with {condition}")


class Seen(SimpleNamespace):
    """A shape as a script sees it: what it hasn't got is nothing, and no error."""
    def __getattr__(self, name):
        return None


class Room:
    """A room: people join it, programs write to it, and the server is asked about it."""

    # How many requests have written to the room so far.
    writers = 0

    def __init__(self, world, server, name):
        self.world, self.server, self.name = world, server, name
        self.panel = world.panel
        self.people = []
        self.guests = ExitStack()

    @property
    def path(self):
        return f"/r/{self.name}"

    def join(self, name="Ann", **options):
        """A person opens the room in a browser context of their own. `Person.open` has the options."""
        person = Person.open(self, name, **options)
        self.people.append(person)
        return person

    def witness(self):
        """A client that gets what everybody is sent, without a browser."""
        return Witness(self)

    def guest(self, name):
        """A person who is in the room and does nothing: a connection without a page."""
        self.guests.enter_context(self.stranger(name))

    def stranger(self, name):
        """Within `with`, somebody is in the room with a client of another making, which may show what no page would."""
        return Peer(self.server, self.name, name, "#0F766E")

    def request(self, method, path, body=None):
        """Sends a request. Each that writes comes from another address of this machine, because a server without tokens
        takes an address for one person."""
        url = self.server.url(f"/v1/rooms/{self.name}{path}")
        if method == "POST" and "//127.0.0.1:" in url:
            Room.writers += 1
            source = f"127.0.{1 + Room.writers // 250 % 250}.{1 + Room.writers % 250}"
            connection = http.client.HTTPConnection("127.0.0.1", urlsplit(url).port, timeout=SECONDS, source_address=(source, 0))
            with closing(connection):
                connection.request(method, urlsplit(url).path, json.dumps(body), {"Content-Type": "application/json"})
                answer = connection.getresponse()
                assert answer.status == 200, answer.read()
                return answer.read()
        request = urllib.request.Request(
            url,
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Content-Type": "application/json"} if body is not None else {},
        )
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:
            return answer.read()

    def write(self, *operations):
        """Writes operations over HTTP. Each is `(shape, {…})`."""
        self.request("POST", "/ops", {"ops": [{"shape": shape, "set": values} for shape, values in operations]})

    def add(self, **values):
        """Makes a shape over HTTP and returns its identifier."""
        shape = servers.identifier()
        self.write((shape, {"kind": "rectangle", **values}))
        return shape

    def shapes(self):
        """The shapes that the server holds, in drawing order."""
        try:
            return json.loads(self.request("GET", ""))["shapes"]
        except urllib.error.HTTPError as error:
            with error:
                assert error.code == 404, error
            return []

    def shape(self, identifier):
        return next((shape for shape in self.shapes() if shape["id"] == identifier), None)

    def wait_for(self, condition, what="the server"):
        """Waits until the condition holds for the server's shapes, and returns them."""
        return wait_until(self.shapes, what, holds=condition)

    def wait_for_shapes(self, count):
        self.wait_until_sent()
        return self.wait_for(lambda shapes: len(shapes) == count, f"{count} shapes")

    def wait_until_sent(self):
        """Waits until the server has all edits of these people. Intermediate states of a drag are stored too, so a
        shape may exist there before its drag has ended."""
        for person in self.people:
            if not person.page.is_closed():
                person.wait("!app.session || app.session.status().state !== 'live' || app.session.unsentCount === 0", "all is sent")

    def digest(self):
        """The server's digest of the room."""
        with Peer(self.server, self.name, "Digest", readonly=True) as peer:
            peer.until(lambda message: message["type"] == "ops" and not message.get("more"))
            peer.send(type="digest")
            return peer.until(lambda message: message["type"] == "digest")["hash"]

    def agree(self, *people):
        """Waits until everybody, or these people, have sent all and have what the server has. Returns the shapes."""
        people = people or self.people

        def digests():
            for person in people:
                person.wait("app.session.unsentCount === 0", "all is sent")
            return {self.digest(), *(person.run("app.session.confirmedDigest") for person in people)}

        wait_until(digests, "one digest, at the server and in all pages", holds=lambda found: len(found) == 1)
        for person in people:
            person.wait("!app.presence.people().some(({ name }) => name === 'Digest')", "they are told that we have left")
        return self.shapes()

