"""However the client ends, it restores the terminal. Faults while it runs lose nothing."""

import os
import signal
import sys
import termios

import pytest
from rooms import change, draw, holds, joins, shapes
from server import Server
from terminals import Terminal, Tmux, signals_that_end
from waiting import SECONDS, wait_until


def begun(server, client, room, columns=80, rows=24):
    terminal = Terminal(joins(client, server, room), columns, rows)
    terminal.frame("Saved")
    assert terminal.is_raw()
    return terminal


def has_ended(terminal):
    """Waits until the client has ended, and checks that it has left the terminal as it found it. Returns its exit code."""
    code = terminal.process.wait(timeout=SECONDS)
    terminal.quiet()
    assert terminal.is_restored() and terminal.has_left(), terminal.output[-300:]
    return code


def test_every_end_restores_the_terminal(server, client):
    """The client leaves by q, and by Control-C. It is sent signals that ask it to end, and fatal ones."""
    for key in ("q", "\x03"):
        with begun(server, client, "leaving") as terminal:
            terminal.send(key)
            assert has_ended(terminal) == 0, key
    for number in signals_that_end():
        with begun(server, client, "signals") as terminal:
            os.kill(terminal.process.pid, number)
            assert has_ended(terminal) in (0, -number, 128 + number), number


def test_a_terminal_whose_file_is_somebody_else_s_is_used(server, client):
    """After `su` the terminal is still the process's own, but its file can't be opened."""
    begin = "fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.fchmod(0, 0); os.execvp(sys.argv[1], sys.argv[1:])"
    # The superuser could open it all the same.
    powerless = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    words = [sys.executable, "-c", f"import fcntl, os, sys, termios; {begin}", *powerless, *joins(client, server, "su")]
    with Terminal(words) as terminal:
        terminal.frame("Saved")
        terminal.send("q")
        assert terminal.process.wait(timeout=SECONDS) == 0


def test_a_terminal_that_goes_ends_it(server, client):
    """The terminal disappears, as when its window is closed or its connection breaks."""
    with Tmux(joins(client, server, "gone")) as screen:
        screen.shows("Saved")
        pid = screen.pid()
        screen.run("kill-session")
        wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "it ends")


def test_a_terminal_that_goes_before_all_is_saved_is_no_success(server, client):
    """The client ignores the signal that the terminal is gone, as under nohup. The server takes nothing any more."""
    with Server() as own:
        draw(own, "unsaved", name="List")
        ignoring = ["bash", "-c", 'trap "" HUP; exec "$@"', "bash", *joins(client, own, "unsaved")]
        with Terminal(ignoring, 80, 24) as terminal:
            terminal.frame("Saved")
            own.kill()
            terminal.send("r")
            terminal.send("q")
            terminal.frame("1 change is not saved")
            terminal.hang_up()
            assert terminal.process.wait(timeout=SECONDS) == 1


@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGTERM, "hang up"])
@pytest.mark.parametrize("key, property", [("i", "text"), ("\r", "name")])
def test_what_is_being_typed_is_written_at_the_end(server, client, how, key, property):
    room = f"typed-{property}-{how}".replace(" ", "")
    draw(server, room, name="List")
    ignoring = ["bash", "-c", 'trap "" HUP; exec "$@"', "bash"] if how == "hang up" else []
    with Terminal(ignoring + joins(client, server, room), 80, 24) as terminal:
        terminal.frame("List", "Saved")
        terminal.send("\t" + key + "\x15Buy milk")
        terminal.frame("Buy milk")
        if how == "hang up":
            terminal.hang_up()
            assert terminal.process.wait(timeout=SECONDS) == 0
        else:
            os.kill(terminal.process.pid, how)
            assert has_ended(terminal) == 128 + how
    holds(server, room, lambda drawn: drawn[0].get(property) == "Buy milk")


def test_a_terminal_that_goes_lets_changes_be_saved(client):
    """The signal for that comes twice, from the shell and from the system. The server takes one edit a second."""
    with Server("--max-ops-per-second", 1) as own, begun(own, client, "hung") as terminal:
        terminal.send("rrr")
        terminal.frame(" changes")
        os.kill(terminal.process.pid, signal.SIGHUP)
        terminal.until(lambda output: b"\x1b[?1049l" in output, "it has left the screen")
        os.kill(terminal.process.pid, signal.SIGHUP)
        assert has_ended(terminal) == 128 + signal.SIGHUP
        assert len(shapes(own, "hung")) == 3


def test_a_signal_before_all_is_saved_is_told(client):
    with Server() as own, begun(own, client, "untold") as terminal:
        own.kill()
        terminal.send("r")
        terminal.frame("Reconnecting")
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert has_ended(terminal) == 128 + signal.SIGTERM
        assert b"1 change could not be saved" in terminal.output


def test_a_typed_text_that_is_not_answered_is_said_whole(client):
    """The server stands still while a signal ends the terminal."""
    with Server() as own:
        draw(own, "frozen", name="List")
        with begun(own, client, "frozen") as terminal:
            terminal.send("\ti\x15Buy milk")
            terminal.frame("Buy milk")
            os.kill(own.process.pid, signal.SIGSTOP)
            try:
                os.kill(terminal.process.pid, signal.SIGTERM)
                assert has_ended(terminal) == 128 + signal.SIGTERM
            finally:
                os.kill(own.process.pid, signal.SIGCONT)
            assert b"1 change could not be saved" in terminal.output
            assert b"this could not be written: Buy milk" in terminal.output


def test_a_new_token_is_used_at_the_next_key(client, tmp_path):
    """C11: the token is revoked before its file has another one. What is drawn meanwhile isn't lost."""
    ann, bob = "ann-1234567890ab", "bob-1234567890ab"
    tokens, own = tmp_path / "tokens", tmp_path / "token"
    tokens.write_text(f"{ann} editor *\n")
    own.write_text(ann)
    with Server("--tokens", str(tokens)) as server:
        with Tmux(joins(client, server, "renewed", "--token-file", str(own)), columns=160) as screen:
            screen.shows("Saved")
            tokens.write_text(f"{bob} editor *\n")
            server.process.send_signal(signal.SIGHUP)
            screen.shows("Not connected: the token is no longer valid")
            screen.keys("r").lacks("An empty sheet")
            own.write_text(bob)
            screen.keys("Escape").shows("Saved")
            screen.lacks("An empty sheet")


def test_stopping_and_going_on(server, client):
    """Control-Z gives the terminal back. After fg the current room is shown in the current size. Control-L shows it again
    where another program has written over it."""
    shape = draw(server, "stopping", name="Before")
    with Tmux(["bash", "--norc", "-i"]) as screen:
        screen.type("PS1='$ '; stty -a | sort | md5sum | cut -c1-9\n")
        settings = wait_until(
            lambda: [line for line in screen.lines() if len(line.strip()) == 9 and line.strip().isalnum()],
            screen.text,
        )[0].strip()
        screen.type(" ".join(joins(client, server, "stopping")) + "\n").shows("Saved", "Before")
        screen.keys("C-z").shows("Stopped")
        assert screen.flag("alternate_on") == "0" and screen.flag("mouse_any_flag") == "0"
        screen.type("clear; stty -a | sort | md5sum | cut -c1-9\n").shows(settings)
        change(server, "stopping", shape, name="Behind")
        screen.resize(100, 30)
        screen.type("fg\n").shows("Behind", "Layers")
        assert screen.flag("alternate_on") == "1"
        wait_until(lambda: screen.lines()[29].startswith(" stopping"), screen.text)

        def spoil():
            # The screen may be drawn once more for its new size.
            with open(screen.flag("pane_tty"), "wb") as other:
                other.write(b"\x1b[2J\x1b[Hnews for all")
            return "news for all" in screen.text()

        wait_until(spoil, "another program writes over it")
        screen.keys("C-l").shows("Behind", "Layers")
        screen.lacks("news for all")
        screen.keys("n")
        holds(server, "stopping", lambda drawn: len(drawn) == 2)
        screen.keys("q")
        wait_until(lambda: screen.flag("alternate_on") == "0", "it has left")


def test_a_stopped_client_can_be_ended(server, client):
    """After Control-Z, `bg` doesn't give it the terminal, and `kill %1` ends it. The terminal stays with the shell."""
    with Tmux(["bash", "--norc", "-i"]) as screen:
        screen.type("PS1='$ '; " + " ".join(joins(client, server, "stopped")) + "\n")
        screen.shows("Saved")
        screen.keys("C-z")
        screen.shows("Stopped")
        screen.type("clear; bg; until jobs | grep -q Stopped; do sleep 0.1; done; echo back $((6 * 7))\n")
        screen.shows("back 42")
        screen.type("p=$(jobs -p); clear; kill %1; while [ -d /proc/$p ]; do sleep 0.1; done; echo gone $((6 * 7))\n")
        screen.shows("gone 42")
        assert screen.flag("alternate_on") == "0"
        assert "An empty sheet" not in screen.text()


def test_a_client_that_was_started_in_the_background(server, client):
    """It waits for the terminal. `kill %1` ends it, and `fg` shows the room."""
    starts = " ".join(joins(client, server, "behind")) + " &"
    waits = "until jobs | grep -q Stopped; do sleep 0.1; done; echo waits $((6 * 7))"
    with Tmux(["bash", "--norc", "-i"]) as screen:
        screen.type(f"PS1='$ '; {starts}\nclear; {waits}\n")
        screen.shows("waits 42")
        screen.type("p=$(jobs -p); clear; kill %1; while [ -d /proc/$p ]; do sleep 0.1; done; echo gone $((6 * 7))\n")
        screen.shows("gone 42")
        screen.type(f"{starts}\nclear; {waits}; fg\n")
        screen.shows("An empty sheet", "Saved")
        screen.keys("q")
        wait_until(lambda: screen.flag("alternate_on") == "0", "it has left")


def test_a_stop_that_nobody_can_catch(server, client):
    """The shell may change the terminal meanwhile. Going on, the client sets it and draws all again."""
    draw(server, "caught", name="There")
    with begun(server, client, "caught") as terminal:
        os.kill(terminal.process.pid, signal.SIGSTOP)
        wait_until(lambda: terminal.state() == "T", "it is stopped")
        termios.tcsetattr(terminal.slave, termios.TCSANOW, terminal.found)
        os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.frame("There", "Saved")
        assert terminal.is_raw()
        terminal.send("q")
        assert has_ended(terminal) == 0


def test_the_server_goes_in_the_middle_of_a_drag(client):
    """The drag goes on. The client says that changes are kept, and they arrive later."""
    with Server() as server:
        draw(server, "drag", name="Box", position=[0, 0], size=[160, 160])
        with Tmux(joins(client, server, "drag"), 100, 30) as screen:
            column, row = screen.place("Box")
            screen.mouse(0, column, row)
            screen.mouse(32, column + 5, row)
            holds(server, "drag", lambda drawn: drawn[0]["position"] == [40, 0])
            server.kill()
            screen.shows("Reconnecting…")
            screen.mouse(32, column + 10, row + 1)
            screen.shows("Reconnecting… your", "kept while this runs.")
            screen.mouse(32, column + 20, row + 2)
            screen.mouse(0, column + 20, row + 2, release=True)
            screen.keys("e").shows("changes are kept while this runs.")
            screen.keys("q").shows("would be lost", "q again to leave")
            server.start()
            screen.shows("Saved", "2 shapes")
            drawn = holds(server, "drag", lambda drawn: len(drawn) == 2)
            assert drawn[0]["position"] == [160, 32], drawn


@pytest.mark.parametrize("key", ["q", "\x03"])
def test_a_second_press_leaves_though_something_is_not_saved(client, key):
    with Server() as server, begun(server, client, "leaving") as terminal:
        server.kill()
        terminal.frame("Reconnecting")
        terminal.send("e")
        terminal.send(key)
        terminal.frame("again to leave")
        terminal.send(key)
        has_ended(terminal)


def test_overlaps_from_meanwhile_are_told_of_nobody(client):
    """The server was restarted, and somebody drew, while the client was stopped."""
    with Server() as server:
        draw(server, "meanwhile", name="Box", position=[0, 0])
        with Tmux(joins(client, server, "meanwhile"), 100, 30) as screen:
            screen.shows("Saved", "Box")
            os.kill(screen.pid(), signal.SIGSTOP)
            server.kill()
            server.start()
            draw(server, "meanwhile", name="Lid", position=[0, 0])
            os.kill(screen.pid(), signal.SIGCONT)
            screen.shows("overlaps", "While you were away, just now")


def test_a_server_that_stores_nothing_is_said(client):
    """The status line says so while a change is waiting."""
    with Server(file_bytes_max=1 << 40) as server, Tmux(joins(client, server, "unstored"), 120, 30) as screen:
        screen.shows("Saved", "An empty sheet")
        with server.full_disk():
            screen.keys("r").shows("Saving 1 change… the server can't store changes now")
        screen.shows("Saved", "1 shape")


def test_leaving_waits_for_what_is_on_its_way(client):
    """If the server is slow, q leaves once the change is saved, and another key cancels leaving."""
    with Server() as server, Tmux(joins(client, server, "slow")) as screen:
        screen.shows("Saved", "An empty sheet")
        server.freeze()
        screen.keys("r").shows("Saving 1 change")
        screen.keys("q").shows("Leaving as soon as 1 change is saved")
        screen.keys("r").shows("Saving 2 changes")
        server.thaw()
        screen.shows("Saved", "2 shapes")
        server.freeze()
        screen.keys("r").shows("Saving 1 change")
        screen.keys("q").shows("Leaving as soon as 1 change is saved")
        server.thaw()
        screen.shows("ended with 0")
        assert len(shapes(server, "slow")) == 3


def test_a_slow_terminal_gets_the_newest(server, client):
    """Frames that a slow terminal can't take are dropped and not queued. The last frame is right."""
    shape = draw(server, "slow", name="Box", kind="star", position=[0, 0], size=[600, 400], points=40)
    with begun(server, client, "slow", 200, 60) as terminal:
        terminal.quiet()
        start = len(terminal.output)
        # Nobody reads the pseudo-terminal, so a few frames fill its buffer.
        for step in range(150):
            change(server, "slow", shape, rotation=step * 3, fill=f"#{step:02X}8040")
        change(server, "slow", shape, name="Final")
        assert shapes(server, "slow")[0]["name"] == "Final"
        terminal.frame("Final")
        terminal.quiet()
        frames = terminal.output[start:].count(Terminal.END_OF_FRAME)
        assert frames < 75, f"{frames} frames for 151 changes"
        terminal.send("q")
        assert has_ended(terminal) == 0


@pytest.mark.parametrize("how", ["deleted", "locked", "waits for I"])
def test_a_text_that_cannot_be_written_at_the_end_is_told(server, client, how):
    """So that whoever has typed it can write it again."""
    room = f"told-{how}".replace(" ", "")
    shape = draw(server, room, name="List")
    with Terminal(joins(client, server, room), 80, 24) as terminal:
        terminal.frame("List", "Saved")
        terminal.send("\ti\x15Buy milk\\nand bread")
        terminal.frame("and bread")
        if how == "locked":
            change(server, room, shape, locked=True)
            terminal.send("\r")
            terminal.frame("was locked meanwhile")
        else:
            change(server, room, shape, deleted=True)
            terminal.frame("An empty sheet")
        if how == "waits for I":
            terminal.send("\r")
            terminal.frame("Press I")
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert has_ended(terminal) == 128 + signal.SIGTERM
        assert b"this could not be written: Buy milk\\nand bread" in terminal.output


def test_a_new_name_for_a_deleted_shape_is_told(server, client):
    """The field stays open, so that the name can be copied. A signal tells it, too."""
    shape = draw(server, "nameless", name="List")
    with begun(server, client, "nameless") as terminal:
        terminal.send("\t\r\x15Shopping")
        terminal.frame("Shopping")
        change(server, "nameless", shape, deleted=True)
        terminal.frame("An empty sheet")
        terminal.send("\r")
        terminal.frame("The shape was deleted meanwhile")
        os.kill(terminal.process.pid, signal.SIGTERM)
        assert has_ended(terminal) == 128 + signal.SIGTERM
        assert b"this could not be written: Shopping" in terminal.output
