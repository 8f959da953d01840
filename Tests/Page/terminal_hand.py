"""A person at a terminal client, together with people at pages."""

import os
import tempfile

import server
from terminals import Tmux

# All keys except those that leave the room, follow a person, or clear the canvas.
KEYS = [
    "n", "n", "r", "o", "s", "a", "d", "Tab", "Tab", "Escape", "C-a", "Left", "S-Up", ">", "<", "]", "{", "c", ",", ".", "w", "v",
    "h", "k", "G", "PgUp", "End", "x", "u", "U", "g", "t", "0", "1", "+", "-", "i", "?",
]


class AtTerminal:
    """`with AtTerminal(room, "Tom") as tom`: does random deeds by keys and mouse, as the monkey does at a page."""

    def __init__(self, room, name):
        client = os.path.join(os.path.dirname(server.BINARY), "sync-client")
        self.room, self.state = room, tempfile.TemporaryDirectory()
        address = f"ws://127.0.0.1:{room.server.port}"
        self.screen = Tmux(
            [client, "join", room.name, "--server", address, "--name", name], 80, 24, XDG_STATE_HOME=self.state.name)

    def __enter__(self):
        self.screen.__enter__()
        self.screen.shows("Saved", "? keys")
        return self

    def __exit__(self, *problem):
        self.screen.__exit__(*problem)
        self.state.cleanup()

    def do(self, deed):
        _, (start, end, _, chance) = deed
        if chance % 4 == 0:
            self.screen.drag((start[0] % 78, start[1] % 20), (end[0] % 78, end[1] % 20))
        else:
            self.screen.keys(KEYS[chance // 4 % len(KEYS)])
            if KEYS[chance // 4 % len(KEYS)] == "i":
                self.screen.type("word ")

    def rest(self):
        """Closes everything that is open."""
        self.screen.keys("Escape")
        self.screen.lacks("ended with")
        self.screen.keys("Escape")

    def agrees(self):
        """Waits until everything is sent, and the terminal shows as many shapes as the server has."""
        self.rest()
        self.screen.shows("Saved")
        count = len(self.room.agree())
        self.screen.shows(f"{count} shape{'' if count == 1 else 's'}" if count else "Saved")

    def leaves(self):
        self.screen.keys("q")
        self.screen.shows("ended with 0")
