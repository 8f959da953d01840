"""Playing a room's history, and the operator's table of rooms."""

from rooms import change, draw
from server import Server
from terminals import Tmux
from waiting import moment, wait_until


def test_replaying(server, client):
    """The replay plays, pauses, can be positioned, and ends with the current drawing."""
    shape = draw(server, "replayed", name="Once", position=[0, 0], size=[300, 200])
    for _ in range(20):
        moment()
    change(server, "replayed", shape, name="Now")
    address = ["--server", f"ws://127.0.0.1:{server.port}"]
    with Tmux([client, "replay", "replayed", *address], 100, 30) as screen:
        # The history is shorter than two seconds, so playback soon reaches its end and stops.
        screen.shows("replayed", "●", "×1", "Now")
        screen.shows("❚❚")
        screen.keys("Home").shows("Once")
        # The history is played so slowly that the test can observe the playback.
        screen.keys("<", "<", "<", "Space").shows("▶", "×0.125")
        screen.keys(">", ">", ">").shows("Now", "❚❚", "×1")
        column, row = screen.place("●  ×1")
        screen.click(column - 50, row).shows("Once")
        screen.keys("End").shows("Now")
        screen.keys(">").shows("×2")
        screen.keys("q").shows("ended with 0")


def test_replaying_a_part(server, client):
    """It begins with the first shape, though deleted since, within the given times. An empty room has none."""
    change(server, "part", draw(server, "part", name="Whole"), deleted=True)
    address = ["--server", f"ws://127.0.0.1:{server.port}"]
    with Tmux([client, "replay", "part", *address], 100, 30) as screen:
        screen.shows("❚❚", "Nothing is drawn yet.")
        screen.keys("Home").shows("Whole")
    with Tmux([client, "replay", "part", "--from", "1h", "--to", "30m", "--speed", "600", *address]) as screen:
        screen.shows("×600", "Nothing is drawn yet.")
    with Tmux([client, "replay", "part", "--to", "1h", *address]) as screen:
        screen.shows("there is nothing to replay before --to", "ended with 64")
    with Tmux([client, "replay", "nowhere", *address]) as screen:
        wait_until(lambda: "ended with 1" in screen.text() or "ended with 2" in screen.text(), screen.text)


def test_the_operators_table(client):
    """Rooms with their figures, sorted. One is opened from the table, and leaving it returns there."""
    with Server() as server:
        for name, count in [("top-one", 1), ("top-three", 3), ("top-two", 2)]:
            for _ in range(count):
                draw(server, name, name="S")
        with Tmux([client, "top", "--every", "100ms", "--server", f"ws://127.0.0.1:{server.port}"], 100, 40) as screen:
            screen.shows("Room", "Shapes", "Peers", "Ops/s", "Operations", "top-one", "connection", "MB")
            screen.keys("s").shows("▾ Shapes")

            def order():
                lines = screen.lines()
                return [next(row for row, line in enumerate(lines) if f" {name} " in line) for name in ("top-three", "top-two", "top-one")]

            wait_until(lambda: order() == sorted(order()), screen.text)
            screen.keys("n").shows("Room ▴")
            screen.click(*screen.place("top-two"))
            screen.click(*screen.place("top-two")).shows("Saved", "2 shapes")
            screen.keys("n").shows("3 shapes")
            screen.keys("q").shows("Ops/s", "top-two")
            screen.keys("q").shows("ended with 0")


def test_an_operator_removes_a_person_and_locks_the_room(client):
    with Server() as server:
        address = ["--server", f"ws://127.0.0.1:{server.port}"]
        draw(server, "demo")
        with Tmux([client, "join", "demo", "--name", "Ann", *address]) as ann:
            ann.shows("Saved")
            with Tmux([client, "top", "--every", "100ms", *address], 110, 20) as screen:
                screen.shows("demo")
                screen.keys("w").shows("1 person", "Actor", "Ann", "127.0.0.1", "l locks the room")
                screen.keys("l").shows("1 person · locked", "l unlocks the room")
                screen.keys("l").shows("The room is unlocked.", "l locks the room")
                screen.keys("x").shows("Remove Ann from demo?")
                screen.keys("n").shows("x removes")
                server.kill()
                screen.shows("no server answers there")
                server.start()
                screen.lacks("no server answers there")
                screen.shows("Ann")
                screen.keys("x", "y").shows("was removed")
                screen.keys("Escape").shows("Ops/s")
