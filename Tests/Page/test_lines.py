"""Bad connections: packets are lost, connections go silent or break, addresses change, machines sleep. Nothing is lost
or duplicated.

The browser runs in its own network namespace, at the far end of a simulated network link.
"""

import os
import re
import signal
import time
from contextlib import contextmanager

import pytest

import thin_line
from test_offline import MISSED, draw, status
from world import GENEROUS, Room
from waiting import wait_until

FAULTS = (*MISSED, "ERR_ADDRESS_UNREACHABLE", "ERR_NETWORK_CHANGED", "ERR_TIMED_OUT")


class FarRoom(Room):
    """A room whose people are at the far end of the network link. The test's own requests come from the near end."""

    def request(self, *what):
        with self.server.here():
            return super().request(*what)

    def received_bytes(self):
        """How many bytes the server has received from all clients."""
        metrics = self.server._http("GET", "/metrics", None, {}).body.decode()
        return int(re.search(r"^canvas_received_bytes_total (\d+)", metrics, re.MULTILINE)[1])

    def digest(self):
        with self.server.here():
            return super().digest()

    def watcher(self):
        return self.server.watcher(self.name)


class Far:
    """A browser at the far end of a network link."""

    def __init__(self, world, server, browser):
        self.world, self.server, self.line, self.browser = world, server, server.line, browser
        self.count = 0

    def room(self):
        self.count += 1
        room = FarRoom(self.world, self.server, f"far-{self.count}")
        self.world.rooms.append(room)
        return room

    def join(self, room, **options):
        ann = room.join("Ann", browser=self.browser, **options)
        ann.forgive(*FAULTS)
        return ann

    @contextmanager
    def asleep(self):
        """Suspends the browser's processes within `with`, as when a machine sleeps."""
        processes = self.processes()
        assert len(processes) > 2, processes
        for one in processes:
            os.kill(one, signal.SIGSTOP)
        try:
            yield
        finally:
            for one in processes:
                os.kill(one, signal.SIGCONT)

    def processes(self):
        """The processes at the far end, which all belong to the browser."""
        return [int(one) for one in thin_line.run("ip", "netns", "pids", self.line.far).split()]


@pytest.fixture(scope="module")
def far(world, tmp_path_factory):
    obstacle = thin_line.obstacle()
    if obstacle:
        pytest.skip(f"no line can be made here: {obstacle}")
    with thin_line.Line() as line, line.serve("--web", world.web, *GENEROUS) as server:
        program = tmp_path_factory.mktemp("far") / "chromium"
        program.write_text(f'#!/bin/sh\nexec ip netns exec {line.far} {world.program} "$@"\n')
        program.chmod(0o755)
        # The browser treats the page as secure although it comes without TLS.
        browser = world.launch(f"--unsafely-treat-insecure-origin-as-secure={server.url('')}", program=str(program))
        yield Far(world, server, browser)
        browser.close()


@pytest.fixture
def line(far):
    yield far.line
    far.line.lose(0)


def note_states(person):
    """Makes the page record its connection states from now on, each with the time."""
    person.run("window.states = []; app.connection.on('effect', (effect) => { if (effect.type === 'state') "
               "states.push([performance.now(), effect.state]) }); return null")


def states(person):
    return person.page.evaluate("states")


def drawn(far):
    """Joins Ann at the far end of the network link, and lets her draw a shape that is saved."""
    room = far.room()
    ann = far.join(room)
    draw(ann)
    status(ann, "Saved")
    return room, ann


def test_a_drag_outlasts_loss_silence_and_another_address(far, line):
    """During the drag, every tenth packet is lost, nothing arrives for 2 s, and the address changes. It stays one drag
    of one shape."""
    room = far.room()
    sun = room.add(kind="rectangle", position=[200, 200], size=[120, 120])
    ann = far.join(room, at=(0, 0))
    ann.take("select")
    note_states(ann)
    with room.watcher() as watcher:
        line.lose(10)
        ann.drag((260, 260), (360, 300), steps=20, hold=True)
        room.wait_for(lambda shapes: shapes[0]["position"] != [200, 200], "some of the drag")
        line.lose(100)
        ann.page.mouse.move(400, 330, steps=10)
        time.sleep(2)
        line.lose(10)
        ann.page.mouse.move(420, 350, steps=10)
        room.wait_for(lambda shapes: shapes[0]["position"][0] > 301, "what was moved in the silence, or after it")
        line.move()
        ann.page.mouse.move(440, 400, steps=10)
        ann.wait("states.some(([, state]) => state === 'connecting')", "that the old address leads nowhere")
        ann.page.mouse.move(460, 420, steps=10)
        ann.page.evaluate("new Promise((done) => setTimeout(done, 120))")
        ann.page.mouse.up()
        room.wait_for(lambda shapes: shapes[0]["position"] == [400, 360], "where it was let go")
        status(ann, "Saved")
        assert watcher.saw_one_ann(), (watcher.most, watcher.here)
        assert ann.run("app.presence.people().map(({ name }) => name)") == ["Watcher"]
    ann.run("app.editing.undo(); return null")
    room.wait_for(lambda shapes: len(shapes) == 1 and shapes[0]["position"] == [200, 200], "one step to undo")
    room.agree()


def test_a_machine_that_sleeps_and_wakes_is_back_at_once(far, line):
    """While the machine sleeps, the network forgets the connection. A page that didn't notice the sleep would wait
    for a timeout of seconds."""
    room, ann = drawn(far)
    note_states(ann)
    ann.run("window.looks = []; setInterval(() => looks.push(performance.now()), 20); return null")
    with far.asleep():
        line.forget()
        room.add(position=[500, 500])
        time.sleep(3)
    ann.wait_for_shapes(2)
    back = next(at for at, state in states(ann) if state == "live")
    looks = [at for at in ann.page.evaluate("looks") if at < back]
    woke = max(zip(looks, looks[1:]), key=lambda pair: pair[1] - pair[0])[1]
    # On an idle machine, the page is live again 0.6 s after it wakes up.
    assert back - woke < 2000, (woke, states(ann))
    room.agree()


def test_what_others_see_of_a_hand_is_new_on_a_thin_line(far, line):
    """With a hundred dragged shapes each message is long. The page sends only as many messages as the network link
    carries, and the last one arrives."""
    room = far.room()
    ann = far.join(room)
    ann.run("app.group(() => { for (let at = 0; at < 100; at++) app.edit((session) => "
            "session.add({ kind: 'rectangle', position: [at % 10 * 20, Math.floor(at / 10) * 20], size: [15, 15] })) }); return null")
    room.wait_for_shapes(100)
    status(ann, "Saved")
    ann.look_at(-300, -200)
    ann.take("select")
    ann.press("Control+a")
    with room.watcher() as watcher, line.thin_way_back("64kbit"):
        ann.page.mouse.move(307, 207)
        ann.mouse_down()
        for at in range(308, 500):
            ann.page.mouse.move(at, 207)
            ann.page.evaluate("new Promise((done) => setTimeout(done, 16))")
        ann.page.mouse.move(500, 300)
        # The hand pauses before it releases the shape, so that the shape isn't thrown.
        ann.page.evaluate("new Promise((done) => setTimeout(done, 120))")
        ann.page.mouse.up()
        let_go = room.received_bytes()
        cursor = ann.run("const { x, y } = app.view.toCanvas({ x: 500, y: 300 }); return [x, y]")
        first = ann.run("app.session.shapes()[0].x")
        room.wait_for(lambda shapes: shapes[0]["position"][0] == first, "the end of the drag")
        wait_until(lambda: watcher.state.get("cursor"), f"the cursor is at {cursor}", holds=lambda found: found == cursor)
        # After the release, the server receives little. If every position of the drag were sent, it would receive at
        # least 120 KB.
        assert room.received_bytes() - let_go < 40_000
    room.agree()
