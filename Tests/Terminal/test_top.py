"""top: what becomes of it when the server or the terminal goes."""

import contextlib
import http.server
import json
import threading

from rooms import draw
from server import Server
from terminals import Terminal, Tmux
from waiting import SECONDS, wait_until


def tops(client, port):
    return [client, "top", "--server", f"ws://127.0.0.1:{port}", "--every", "100ms"]


@contextlib.contextmanager
def listing(permits=None):
    """A server that lists one room, twice, and never says who is in it. Yields its port, what it was asked for, and an
    event that is set once somebody has asked who is there. With permits, each list needs one, and nobody is there."""
    asked, over, lists = threading.Event(), threading.Event(), []

    class Answer(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            if self.path.endswith("/peers"):
                asked.set()
                if not permits:
                    over.wait()
                    return
            lists.append(self.path)
            if permits and self.path == "/v1/rooms":
                permits.acquire(timeout=SECONDS)
            body = json.dumps({"rooms": [{"room": "listed-room"}] * 2, "peers": []}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as answering:
        thread = threading.Thread(target=answering.serve_forever)
        thread.start()
        yield answering.server_port, lists, asked
        over.set()
        answering.shutdown()
        thread.join()


def test_it_can_be_interrupted_while_the_server_does_not_answer(client):
    with listing() as (port, lists, asked), Tmux(tops(client, port)) as screen:
        screen.shows("listed-room", "2 rooms", "Enter opens")
        wait_until(lambda: len(lists) > 6, "several readings")
        screen.keys("w")
        assert asked.wait(SECONDS)
        screen.keys("C-c")
        screen.shows("ended with 130")


def test_it_has_one_question_at_a_time_also_after_a_visit(client):
    """Somebody looks who is in a room, and comes back, while an answer is on its way."""
    permits = threading.Semaphore(1)
    with listing(permits) as (port, asked, _), Tmux(tops(client, port)) as screen:

        def lists():
            return asked.count("/v1/rooms")

        screen.shows("listed-room")
        wait_until(lambda: lists() == 2, "a question that isn't answered")
        screen.keys("w").shows("Nobody is in this room.")
        screen.keys("Escape").shows("Enter opens")
        wait_until(lambda: lists() == 3, "another question")
        permits.release(2)
        wait_until(lambda: lists() > 3, "the next question")
        # Each Escape waits on the client's clock for 40 ms, so that a second next question would come, too.
        for _ in range(5):
            screen.keys("/").shows("Rooms with:")
            screen.keys("Escape").shows("Enter opens")
        assert lists() == 4
        permits.release(9)


def test_it_stays_while_the_server_is_away(client):
    """The server goes while a room is open."""
    with Server() as server:
        draw(server, "stays", name="Box")
        with Tmux(tops(client, server.port)) as screen:
            screen.shows("stays", "Enter opens")
            screen.keys("Enter")
            screen.shows("Saved", "Box")
            server.kill()
            screen.shows("Reconnecting…")
            screen.keys("q")
            screen.shows("stays", "no server answers there")
            screen.keys("Enter")
            screen.shows("stays", "no server answers there")
            server.start()
            # Why the room could not be opened is shown until the next key.
            screen.keys("n")
            screen.lacks("no server answers there")
            screen.keys("Enter")
            screen.shows("Saved", "Box")


def test_it_ends_with_its_terminal(client):
    """A room is open, and the client gets no signal."""
    deaf = ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"]
    with Server() as server:
        draw(server, "left", name="Box")
        with Terminal(deaf + tops(client, server.port)) as terminal:
            terminal.frame("Enter opens", "left")
            terminal.send("\r")
            terminal.frame("Saved")
            terminal.hang_up()
            assert terminal.process.wait(timeout=SECONDS) == 0
