"""What the live canvas shows, at any size and with any number of colours."""

import re
import subprocess

from peer import Peer
from rooms import draw, joins
from terminals import Tmux
from waiting import wait_until


def sky(server, room):
    sun = draw(server, room, name="Sun", kind="ellipse", position=[0, 0], size=[160, 160], fill="#FFD23F")
    moon = draw(server, room, name="Moon", kind="ellipse", position=[110, 40], size=[120, 120], fill="#B8C4D6")
    return sun, moon


def test_it_shows_the_room_at_80_by_24(server, client):
    """Names, colours, overlaps in orange and the status line are shown. There is no space for the panel."""
    sky(server, "looking")
    with Tmux(joins(client, server, "looking")) as screen:
        screen.shows("looking", "Saved", "only you", "2 shapes", "⚠ 1", "Sun", "Moon", "? keys")
        assert "Layers" not in screen.text()
        assert screen.flag("alternate_on") == "1" and screen.flag("mouse_any_flag") == "1"
        colors = screen.colors()
        assert "48;2;255;210;63" in colors, "the sun's own colour"
        # The overlap has the colours of the sun and the moon, each mixed with 45 % orange.
        mixed = [tuple(map(int, found)) for found in re.findall(r"[34]8;2;(\d+);(\d+);(\d+)", colors)]
        assert any(abs(red - 216) < 6 and abs(green - 171) < 6 and abs(blue - 129) < 6 for red, green, blue in mixed), mixed
        assert any(red > 240 and 130 < green < 165 and blue < 60 for red, green, blue in mixed), "its outline"


def test_one_is_seen_by_others(server, client):
    """Others see where this person points, what they have selected, and their view."""
    sun, _ = sky(server, "seen")
    with Tmux(joins(client, server, "seen"), 120, 36) as screen, Peer(server, "seen") as bob:
        screen.shows("Saved")
        column, row = screen.place("Sun")
        screen.mouse(35, column + 1, row)
        state = bob.sees(lambda state: "cursor" in state)
        assert abs(state["cursor"][0] - 80) < 20 and abs(state["cursor"][1] - 80) < 20, state
        screen.click(column, row)
        bob.sees(lambda state: state.get("selection") == [sun])
        left, top, width, height = bob.sees(lambda state: "view" in state)["view"]
        assert left < 0 and top < 0 and left + width > 230 and top + height > 160


def test_following_someone(server, client):
    """The view follows the other person's view until the user moves it. Until then the user's presence has the other
    person's view, and not the larger one on the screen. So two people can follow each other."""
    sky(server, "follow")
    with Tmux(joins(client, server, "follow")) as screen, Peer(server, "follow") as bob:
        screen.shows("2 people")
        screen.keys("f").shows("Bob hasn’t looked around yet.")
        bob.show(view=[5000, 5000, 400, 300])
        screen.shows("You see what Bob sees.")
        wait_until(lambda: "Sun" not in screen.text(), screen.text)
        told = bob.sees(lambda state: "view" in state and state["view"][0] > 4000)
        assert told["view"] == [5000, 5000, 400, 300]
        screen.keys("0").shows("Sun")
        screen.keys("f").shows("You see what Bob sees.")


def test_any_size(server, client):
    """The status line stays in the last row, the panel appears and disappears, and the drawing stays centred."""
    sky(server, "sizes")
    with Tmux(joins(client, server, "sizes")) as screen:
        screen.shows("Saved")
        for columns, rows in [(200, 60), (40, 10), (96, 12), (12, 3), (300, 20), (80, 24)]:
            screen.resize(columns, rows)

            def fits():
                lines = screen.lines()
                return len(lines) > rows - 1 and lines[rows - 1].startswith(" sizes") and (
                    ("Layers" in screen.text()) == (columns >= 96)
                )

            wait_until(fits, lambda: f"{columns}×{rows}:\n{screen.text()}")
        screen.shows("Sun", "Moon")


def test_without_colour(server, client):
    """Shades replace colours, common areas are hatched, and everything can be read."""
    sky(server, "plain")
    with Tmux(joins(client, server, "plain"), 120, 30, NO_COLOR="1") as screen:
        screen.shows("plain", "Saved", "Sun", "Moon", "╳╳", "▓")
        # `?` shows the keys, and any key hides them again.
        screen.keys("?").shows("Black Hole", "undo, redo")
        screen.keys("?")
        screen.lacks("Black Hole")
        assert not re.search(r"\x1b\[[0-9;]*[34][0-8][;m]", screen.colors()), "no colours"


def test_no_terminal_or_no_server(server, client):
    """Without a terminal, or on a dumb one, the exit code is 64 with a message. Without a server it is 2."""
    address = f"ws://127.0.0.1:{server.port}"
    for words, hint in [(["join", "x"], "watch x"), (["replay", "x"], "show x --at"), (["top"], "rooms")]:
        done = subprocess.run([client, *words, "--server", address], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        assert done.returncode == 64, done
        assert "needs a terminal" in done.stderr and hint in done.stderr and done.stdout == "", done
    nowhere = [client, "join", "x", "--server", "ws://127.0.0.1:1"]
    for command, variables, words in [
        (joins(client, server, "dumb"), {"TERM": "dumb"}, ["watch dumb tells what happens", "ended with 64"]),
        (nowhere, {}, ["no server answers there", "ended with 2"]),
    ]:
        with Tmux(command, **variables) as screen:
            screen.shows(*words)
            assert screen.flag("alternate_on") == "0", "the screen is left as it was"
