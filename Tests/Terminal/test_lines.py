"""The live canvas over a network connection that breaks, loses packets, goes silent, or changes its far end's
address."""

import time

import pytest

import thin_line
from rooms import draw, holds
from terminals import Tmux, mouse
from waiting import wait_until


def joined(near, client, room, columns=80):
    """Joins Ann at the far end of the network link."""
    join = [client, "join", room, "--server", near.url(""), "--name", "Ann"]
    return Tmux(["ip", "netns", "exec", near.line.far, *join], columns)


@pytest.fixture(scope="module")
def near():
    obstacle = thin_line.obstacle()
    if obstacle:
        pytest.skip(f"no line can be made here: {obstacle}")
    with thin_line.Line() as line, line.serve() as server:
        yield server


@pytest.fixture
def line(near):
    yield near.line
    near.line.lose(0)


def test_a_drag_outlasts_loss_silence_and_another_address(client, near, line):
    """During the drag, every tenth packet is lost, nothing arrives for 2 s, and the address changes. It stays one drag
    of one shape by one person."""
    draw(near, "dragged", name="Box", position=[0, 0], size=[160, 160])

    def reaches(left):
        holds(near, "dragged", lambda drawn: len(drawn) == 1 and drawn[0]["position"][0] >= left)

    with joined(near, client, "dragged", 120) as screen, near.watcher("dragged") as watcher:
        column, row = screen.place("Box")

        def move(*columns):
            """Moves the mouse to these columns. Each column is 8 units of the canvas."""
            for right in columns:
                screen.type(mouse(32, column + right, row + 1))
                time.sleep(0.03)

        line.lose(10)
        screen.type(mouse(0, column, row + 1))
        move(1, 2, 3, 4)
        reaches(8)
        line.lose(100)
        move(5, 6, 7, 8)
        time.sleep(2)
        line.lose(10)
        move(9, 10)
        # The moves that were made while the connection was silent arrive, and so do the later ones.
        reaches(40)
        address = line.move()
        move(11, 12, 13)
        wait_until(lambda: line.has_connection(address), "that she comes from the other address")
        move(14, 15)
        screen.type(mouse(0, column + 15, row + 1, release=True))
        holds(near, "dragged", lambda drawn: [shape["position"] for shape in drawn] == [[120, 0]])
        screen.shows("Saved", "Watcher")
        assert sum("Ann" in text for text in screen.lines()) == 1, "she sees no ghost of herself"
        assert watcher.saw_one_ann(), (watcher.most, watcher.here)
        # All moves are one undo step.
        screen.keys("u")
        holds(near, "dragged", lambda drawn: [shape["position"] for shape in drawn] == [[0, 0]])
