"""The live canvas over a line that dies."""

import time

import pytest

import thin_line
from rooms import holds
from server import Server
from terminals import Tmux


class NearServer(Server):
    """The server at the near end of a line, asked from there."""

    def __init__(self, line):
        self.line = line

    def url(self, path):
        return f"http://{self.line.address}:8080{path}"

    def _http(self, *request):
        with self.line.inside(self.line.near):
            return super()._http(*request)


def test_a_dead_line_is_noticed_and_resumed(client):
    """Packets vanish and nobody is told. The status says so within 5 s, and what is drawn meanwhile arrives once the line is back."""
    obstacle = thin_line.obstacle()
    if obstacle:
        pytest.skip(f"no line can be made here: {obstacle}")
    with thin_line.Line() as line, line.serve():
        server = NearServer(line)
        join = [client, "join", "dead", "--server", f"ws://{line.address}:8080", "--name", "Ann"]
        with Tmux(["ip", "netns", "exec", line.far, *join]) as screen:
            screen.shows("An empty sheet")
            screen.keys("r")
            holds(server, "dead", lambda drawn: len(drawn) == 1)
            screen.shows("Saved", "1 shape")
            line.lose(100)
            died = time.monotonic()
            screen.shows("Reconnecting")
            # It asks after 2 s and waits 2.5 s. The rest is for a busy machine.
            assert time.monotonic() - died < 8
            screen.keys("e")
            screen.shows("your 1 change is kept")
            line.lose(0)
            mended = time.monotonic()
            screen.shows("Saved", "2 shapes")
            assert time.monotonic() - mended < 8, "the system's own pauses are longer"
            assert {shape["kind"] for shape in holds(server, "dead", lambda drawn: len(drawn) == 2)} == {"rectangle", "ellipse"}
