"""What the page loads at first and what it loads later: fast enough, or with a message if loading fails."""

import json

from waiting import wait_until

# The limits for a first visit: the bytes of all responses with their headers, and the number of requests.
BYTES_MAX = 281_000
REQUESTS_MAX = 8
# The limit for a later visit, when each response has only headers because the browser has cached the files.
HEADERS_MAX = 5_000
LATER = "exchange.wasm"


class Visit:
    """Counts the network traffic of a page load: the bytes of each file, and the number of WebSockets."""

    def __init__(self, page):
        self.sizes, self.sockets = {}, 0
        paths = {}
        client = page.context.new_cdp_session(page)
        client.send("Network.enable")
        client.on("Network.responseReceived", lambda event: paths.__setitem__(event["requestId"], event["response"]["url"].split("/", 3)[3]))
        client.on("Network.loadingFinished", lambda event: self.count(paths.get(event["requestId"]), event["encodedDataLength"]))
        client.on("Network.webSocketCreated", self.opened)

    def count(self, path, size):
        """A file can be asked for again, to learn that it is still current."""
        self.sizes[path] = self.sizes.get(path, 0) + size

    def opened(self, _):
        self.sockets += 1


class Gate:
    """Holds a file back until the gate is opened."""

    def __init__(self, page, file="exchange.wasm"):
        self.held, self.is_open = [], False
        page.route(f"**/{file}", self.take)

    def take(self, route):
        route.continue_() if self.is_open else self.held.append(route)

    def open(self):
        self.is_open = True
        for route in self.held:
            route.continue_()


def test_a_first_visit_is_light(world):
    """Counts the traffic until the network is idle. Other parts are loaded when somebody does something."""
    # Uses its own server, because the browser's cache must not have the files yet.
    with world.own_room() as own:
        own.add(position=[200, 200], size=[100, 80])
        visits = []
        ann = own.join("Ann", before=lambda page: visits.append(Visit(page)))
        ann.page.wait_for_load_state("networkidle")
        (visit,) = visits
        assert sum(visit.sizes.values()) <= BYTES_MAX, sorted(visit.sizes.items(), key=lambda entry: -entry[1])[:20]
        assert visit.sockets == 1 and len(visit.sizes) + visit.sockets <= REQUESTS_MAX, visit.sizes
        assert visit.sizes.get("core.wasm", 0) > 50_000 and LATER not in visit.sizes
        ann.page.mouse.click(700, 500)
        ann.wait("app.hasExchange")


def test_a_second_visit_fetches_no_file_again(room):
    """The browser has the files already, and only asks whether each is still current."""
    room.add(position=[200, 200], size=[100, 80])
    ann = room.join("Ann")
    ann.page.wait_for_load_state("networkidle")
    visits = []
    again = room.join("Ann", context=ann.context, before=lambda page: visits.append(Visit(page)))
    again.page.wait_for_load_state("networkidle")
    (visit,) = visits
    assert sum(visit.sizes.values()) <= HEADERS_MAX, visit.sizes
    assert visit.sockets == 1 and len(visit.sizes) + visit.sockets <= REQUESTS_MAX, visit.sizes


def test_the_room_and_the_own_version_are_asked_for_while_the_core_is_loading(room):
    """On a thin line that takes long, and the server can have another version by then."""
    made = []
    ann = room.join("Ann", ready=False, before=lambda page: made.extend([Visit(page), Gate(page, "core.wasm")]))
    visit, gate = made
    wait_until(lambda: ann.page.evaluate("true") and visit.sockets == 1 and "page.json?own" in visit.sizes, "both are asked for")
    assert "core.wasm" not in visit.sizes
    gate.open()
    ann.wait("app.session.status().state === 'live'")


def test_who_is_faster_than_the_third_module_gets_what_they_asked_for(room):
    """What was asked for before the module is there happens when it comes: by key, cut and paste. By Alt and a drag:
    Tests/gestures/hands.test.mjs."""
    shape = room.add(position=[200, 200], size=[100, 80])
    gates = []
    bob = room.join("Bob", before=lambda page: gates.append(Gate(page)), at=(0, 0))
    bob.click(*bob.middle(shape))
    bob.press("Control+c", "Control+v")
    bob.painted()
    assert bob.run("app.session.shapeCount") == 1
    gates.pop().open()
    bob.wait_for_shapes(2)
    room.wait_for_shapes(2)
    bob.press("Control+x")
    room.wait_for_shapes(1)

    eve = room.join("Eve", before=lambda page: gates.append(Gate(page)))
    eve.press("Enter")
    eve.painted()
    assert eve.run("app.session.shapeCount") == 1
    gates.pop().open()
    eve.wait_for_shapes(2)
    room.wait_for_shapes(2)


def test_what_cannot_be_fetched_is_said_and_tried_again(room):
    """Everything else works: shapes can be added, and the next attempt to load succeeds."""
    room.add(position=[200, 200], size=[100, 80])
    ann = room.join("Ann", forgive=["Failed to load resource"],
                    before=lambda page: page.route("**/exchange.wasm", lambda route: route.abort()))
    ann.wait_for_shapes(1)
    notice = ann.page.locator(".notice.is-refused", has_text="can’t be loaded right now")

    def dismiss():
        notice.wait_for()
        # The notice soon disappears, so the test dispatches the event directly. A click would take longer.
        notice.get_by_role("button", name="Dismiss").dispatch_event("click")

    ann.press("Enter")
    # `route.abort` runs only during a Playwright call. Waiting for the server makes no such call, so the test first
    # waits for the page.
    ann.wait_for_shapes(2)
    room.wait_for_shapes(2)
    ann.press("Control+a", "Control+c")
    dismiss()
    ann.press("Control+d")
    dismiss()
    ann.choose("Export as JSON")
    dismiss()
    ann.page.unroute("**/exchange.wasm")
    assert len(json.loads(ann.export("JSON")[1])["shapes"]) == 2


def test_a_page_whose_core_does_not_come_says_so_and_can_be_loaded_again(room):
    """The server responds with an error for core.wasm, or with nothing. If nothing comes, the page keeps waiting."""
    room.add()
    ann = room.join("Ann", ready=False, before=lambda page: page.route("**/core.wasm", lambda route: route.fulfill(status=503)))
    ann.forgive("503", "wasm", "WebAssembly", "MIME")
    ann.page.get_by_text("This page can’t be opened right now.").wait_for()
    ann.page.unroute("**/core.wasm")
    ann.page.get_by_role("button", name="Reload").click()
    ann.wait_for_shapes(1)

    held = []
    bob = room.join("Bob", ready=False, clock=True, before=lambda page: page.route("**/core.wasm", lambda route: held.append(route)))
    bob.page.wait_for_function("document.readyState === 'complete'")
    said = bob.page.get_by_text("This page is taking long to open.")
    assert said.count() == 0
    bob.pass_time(20_100)
    said.wait_for()
    for route in held:
        route.continue_()
    bob.wait_for_shapes(1)
    assert said.count() == 0


def test_what_comes_late_opens_by_any_number_of_clicks_and_takes_no_focus_from_a_text(room):
    """People click again if nothing happens. The button of a box says from the beginning what it opens. If a text is
    written by the time it comes, another click opens it."""
    note = room.add(position=[300, 200], size=[200, 150])
    gates = []
    ann = room.join("Ann", at=(0, 0), before=lambda page: gates.extend(Gate(page, part) for part in ("panels/panel.js", "others/own-box.js")))
    button = ann.page.get_by_role("button", name="Layers, inspector, overlaps")
    button.click()
    button.click()
    gates[0].open()
    ann.page.get_by_role("tablist", name="Panel").wait_for()
    ann.painted()
    assert ann.page.get_by_role("tablist", name="Panel").is_visible()
    button.click()
    ann.page.get_by_role("tablist", name="Panel").wait_for(state="hidden")
    button = ann.page.get_by_role("button", name="Change your name and colour", expanded=False)
    assert button.get_attribute("aria-haspopup") == "dialog"
    button.click()
    ann.select(note)
    ann.press("F2")
    ann.type("Milk")
    # The box sets the attribute when it is made.
    button.evaluate("(button) => button.removeAttribute('aria-expanded')")
    gates[1].open()
    button.wait_for()
    ann.see(2)
    ann.type(" and bread", "Escape")
    ann.wait_for_shape(note, "shape.text === 'Milk and bread'")
    button.click()
    ann.page.get_by_role("dialog", name="Your name and colour").wait_for()
