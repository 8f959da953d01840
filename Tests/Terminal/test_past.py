"""Playing a room's history. What else a replay shows is tested in ServerScreensTests."""

from rooms import change, draw
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
