"""Terminals for the client: tmux, whose screen can be read, and a plain pseudo-terminal, whose bytes can be counted."""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
from waiting import SECONDS, wait_until


def environment(**more):
    """An environment without the caller's own settings, which could change a test's result."""
    # LLVM_PROFILE_FILE is the folder where `make coverage` collects its counts, and MUTANT the bug that `make mutants`
    # has chosen.
    names = ("PATH", "HOME", "LANG", "TMPDIR", "LLVM_PROFILE_FILE", "MUTANT")
    kept = {key: value for key, value in os.environ.items() if key in names}
    return kept | {"LC_ALL": "C.UTF-8", "TZ": "UTC", "USER": "ann"} | more


def mouse(button, column, row, release=False):
    """A mouse event as a terminal reports it. Cells are counted from 1."""
    return f"\x1b[<{button};{column + 1};{row + 1}{'m' if release else 'M'}"


class Tmux:
    """`with Tmux(command, 80, 24) as screen`: runs the command in a tmux terminal of 80 columns and 24 rows."""

    def __init__(self, command, columns=80, rows=24, **variables):
        self.command, self.columns, self.rows = command, columns, rows
        self.variables = {"COLORTERM": "truecolor"} | variables
        self.directory = tempfile.mkdtemp(prefix="tmux-")

    def run(self, *words):
        done = subprocess.run(
            ["tmux", "-u", "-S", f"{self.directory}/socket", "-f", "/dev/null", *map(str, words)],
            capture_output=True,
            env=environment(TERM="xterm-256color"),
            timeout=SECONDS,
        )
        return done.stdout.decode()

    def __enter__(self):
        words = [f"{key}={value}" for key, value in self.variables.items()]
        # When the command has ended, the shell shows its exit code and keeps the screen open.
        script = 'env -u NO_COLOR "$@"; echo "ended with $?"; exec cat'
        self.run(
            "new-session", "-d", "-x", self.columns, "-y", self.rows, "sh", "-c", script, "sh", *words, *self.command
        )
        self.run("set-option", "-g", "window-size", "manual")
        return self

    def __exit__(self, kind, *_):
        if kind:
            print(self.text())
        self.run("kill-server")
        shutil.rmtree(self.directory, ignore_errors=True)

    # What one does returns the screen, so that one can say what it shows then: `screen.keys("r").shows("1 shape")`.

    def keys(self, *names):
        self.run("send-keys", *names)
        return self

    def type(self, text):
        self.run("send-keys", "-l", text)
        return self

    def mouse(self, button, column, row, release=False):
        self.type(mouse(button, column, row, release))

    def drag(self, start, *ways, button=0):
        moves = "".join(mouse(button + 32, *way) for way in ways)
        self.type(mouse(button, *start) + moves + mouse(button, *ways[-1], release=True))

    def click(self, column, row, times=1):
        """Sends all clicks at once, so that they count as a double click even on a busy machine."""
        return self.type((mouse(0, column, row) + mouse(0, column, row, release=True)) * times)

    def resize(self, columns, rows):
        self.run("resize-window", "-x", columns, "-y", rows)
        return self

    def text(self):
        return self.run("capture-pane", "-p", "-N")

    def lines(self):
        return self.text().split("\n")

    def colors(self):
        """The text of the screen with its colour codes."""
        return self.run("capture-pane", "-p", "-e", "-N")

    def flag(self, name):
        return self.run("display-message", "-p", "#{" + name + "}").strip()

    def pid(self):
        """The client's process, which is the shell's only child."""
        shell = self.flag("pane_pid")
        with open(f"/proc/{shell}/task/{shell}/children") as children:
            return int(children.read().split()[0])

    def shows(self, *texts):
        def found():
            shown = self.text()
            return all(text in shown for text in texts)

        wait_until(found, lambda: f"{texts} in\n{self.text()}")

    def lacks(self, text):
        wait_until(lambda: text not in self.text(), lambda: f"no {text!r} in\n{self.text()}")

    def place(self, text):
        """The column and row of a text on the canvas. The side panel of wide terminals is not searched."""
        columns = self.columns - 30 if self.columns >= 96 else self.columns

        def find():
            for row, line in enumerate(self.lines()):
                if text in line[:columns] or row == self.rows - 1 and text in line:
                    return line.index(text), row

        return wait_until(find, lambda: f"{text!r} in\n{self.text()}")


class Terminal:
    """Runs the command in a pseudo-terminal, and records every byte that it writes."""

    END_OF_FRAME = b"\x1b[?2026l"

    def __init__(self, command, columns=80, rows=24, **variables):
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows)
        self.found = termios.tcgetattr(self.slave)
        self.output = b""
        self.process = subprocess.Popen(
            command,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env=environment(TERM="xterm-256color", COLORTERM="truecolor", **variables),
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, text):
        os.write(self.master, text.encode())

    def read(self, seconds):
        """Reads the bytes that arrive within this time. Empty if there are none."""
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return b""
        try:
            piece = os.read(self.master, 65536)
        except OSError:
            return b""
        self.output += piece
        return piece

    def until(self, condition, what):
        """Reads until the output since this call meets the condition, and returns that output."""
        start = len(self.output)
        end = time.monotonic() + SECONDS
        while not condition(self.output[start:]):
            if time.monotonic() > end or self.process.poll() is not None and not self.read(0.2):
                if condition(self.output[start:]):
                    break
                raise AssertionError(f"not in {SECONDS} s: {what}, but {self.output[start:][-600:]!r}")
            self.read(0.05)
        return self.output[start:]

    def frame(self, *texts):
        """Reads until all these texts were written and a frame is complete."""

        def is_whole(output):
            return output.endswith(self.END_OF_FRAME) and all(text.encode() in output for text in texts)

        return self.until(is_whole, f"a frame with {texts}")

    def quiet(self, seconds=0.3):
        """Reads until no byte has arrived for `seconds`."""
        while self.read(seconds):
            pass

    def hang_up(self):
        """Lets the terminal disappear, as when a connection breaks."""
        nothing = os.open("/dev/null", os.O_RDWR)
        os.dup2(nothing, self.master)
        os.close(nothing)

    def is_raw(self):
        return not termios.tcgetattr(self.slave)[3] & termios.ICANON

    def is_restored(self):
        return termios.tcgetattr(self.slave) == self.found

    def has_left(self):
        """Whether the main screen and the cursor are back, and mouse reports and bracketed paste off."""
        rest = self.output
        return all(
            rest.rfind(f"\x1b[?{mode}{off}".encode()) > rest.rfind(f"\x1b[?{mode}{on}".encode())
            for mode, on, off in [
                (1049, "h", "l"), (1003, "h", "l"), (1006, "h", "l"), (2004, "h", "l"), (1004, "h", "l"), (25, "l", "h"),
            ]
        )

    def state(self):
        """The process's state: its letter in /proc."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0]


def signals_that_end():
    return [
        signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS,
        signal.SIGILL, signal.SIGFPE, signal.SIGPIPE,
    ]


def text_of(frame):
    """The text of a frame, without escape sequences."""
    return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", frame).decode(errors="replace")
