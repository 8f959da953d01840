"""Runs a server as a process on a free port, stops or kills it, and reads its log and metrics."""

import asyncio
import contextlib
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

from load import spelled
from ports import free_port
from waiting import SECONDS, eventually, wait_until

BINARY = ""
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def tool(name):
    """The path of a program that is installed or that scripts/setup has fetched. None if there is none."""
    fetched = os.path.join(ROOT, "build", "tools", name)
    return shutil.which(name) or (fetched if os.access(fetched, os.X_OK) else None)


class Lines:
    """The lines that a process writes to a pipe. A thread reads them, so that the pipe is never full."""

    def __init__(self, pipe):
        self._pipe, self._bytes, self._has_ended = pipe, b"", False
        self._taking = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while not self._has_ended:
            self._is_ready(None)
            self._take()

    def _is_ready(self, milliseconds):
        """Whether the pipe has bytes to read, or ends, within this time."""
        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        return bool(poll.poll(milliseconds))

    def _take(self):
        with self._taking:
            while not self._has_ended and self._is_ready(0):
                part = os.read(self._pipe.fileno(), 65_536)
                self._bytes += part
                self._has_ended = not part

    def so_far(self):
        """Everything that the process has written so far, including lines that the thread has not read yet."""
        self._take()
        whole, _, rest = self._bytes.rpartition(b"\n")
        lines = whole.decode().split("\n") if whole else []
        return lines + [rest.decode()] if rest and self._has_ended else lines


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __repr__(self):
        return f"{self.status} {self.body[:500]!r}"

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]["code"]


class Server:
    """`with Server("--flag", …) as server`. Keeps the lines of the server's JSON log. Removes the data directory at the
    end if it has made it. The port stays the same after a restart."""

    def __init__(self, *flags, data=None, environment=None, file_bytes_max=None, files_max=None):
        self.flags = [str(flag) for flag in flags]
        self.own = data is None
        self.data = data or tempfile.mkdtemp(prefix="canvas-")
        self.port = free_port()
        self.environment = environment or {}
        self.file_bytes_max = file_bytes_max
        self.files_max = files_max
        self.process = None
        self.output = None

    @classmethod
    @contextlib.contextmanager
    def asking(cls, tokens, *flags):
        """`with Server.asking(tokens, "--flag", …) as server`: a server that asks for one of these tokens, one a line."""
        with tempfile.NamedTemporaryFile("w", suffix=".tokens") as file:
            file.write(tokens)
            file.flush()
            with cls("--tokens", file.name, *flags) as server:
                yield server

    def __enter__(self):
        return self if self.runs else self.start()

    def __exit__(self, *_):
        # For scripts/coverage the server has to exit by itself, because a killed process writes no coverage data.
        if self.runs and "LLVM_PROFILE_FILE" in os.environ:
            self.terminate()
        self.kill()
        if self.own:
            shutil.rmtree(self.data, ignore_errors=True)

    def command(self):
        return [BINARY, "--port", str(self.port), "--data", self.data, "--log-format", "json", *self.flags]

    def start(self):
        def prepare():
            # SIGXFSZ would kill the server when a write exceeds the limit. Python ignores this signal, and the server
            # inherits that.
            if self.file_bytes_max is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (self.file_bytes_max, resource.RLIM_INFINITY))
            if self.files_max is not None:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self.files_max, self.files_max))

        self.process = subprocess.Popen(
            self.command(),
            stderr=subprocess.PIPE,
            env=os.environ | self.environment,
            restore_signals=self.file_bytes_max is None,
            preexec_fn=prepare,
        )
        self.output = Lines(self.process.stderr)
        wait_until(lambda: not self.runs or any('"port":' in line for line in self.lines), "the server listens")
        assert self.runs, f"the server did not start: {self.lines}"
        return self

    @contextlib.contextmanager
    def full_disk(self):
        """Within `with`, a server that was started with `file_bytes_max` can't store anything more."""
        assert self.file_bytes_max is not None
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        try:
            yield
        finally:
            self.allow_files()

    def allow_files(self):
        """Lifts the limit on file sizes, as if the disk had space again."""
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    @property
    def runs(self):
        return self.process is not None and self.process.poll() is None

    def has_lived(self):
        """Checks that the server has survived the tests that share it."""
        assert self.runs, f"the server ended with {self.process.returncode}: {self.lines[-3:]}"

    def kill(self):
        if self.runs:
            self.process.kill()
            self.process.wait()

    def restart(self):
        """Kills the server and starts it again."""
        self.kill()
        return self.start()

    def terminate(self):
        """Sends SIGTERM, waits until the server has exited, and returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=SECONDS)

    def freeze(self):
        """Suspends the server, and waits until all its threads have stopped: the signal stops one at first."""
        self.process.send_signal(signal.SIGSTOP)
        wait_until(lambda: list(self._thread_states()), "it stands still", holds=lambda states: set(states) == {"T"})

    def _thread_states(self):
        """The letters in /proc that tell the state of each thread."""
        folder = f"/proc/{self.process.pid}/task"
        for thread in os.listdir(folder):
            # The thread might have ended since the folder was listed.
            with contextlib.suppress(OSError), open(f"{folder}/{thread}/stat", encoding="ascii") as file:
                yield file.read().rpartition(")")[2].split()[0]

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    @property
    def lines(self):
        """The lines that the server has logged so far."""
        return self.output.so_far() if self.output else []

    @property
    def log(self):
        return [json.loads(line) for line in self.lines]

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def socket(self, room):
        return f"ws://127.0.0.1:{self.port}/v1/rooms/{room}/sync"

    def _http(self, method, path, body, headers):
        request = urllib.request.Request(self.url(path), data=body, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as answer:
                return Answer(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.headers, error.read())

    async def http(self, method, path, body=None, headers=None):
        headers = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        return await asyncio.to_thread(self._http, method, path, body, headers)

    async def get(self, path, headers=None):
        return await self.http("GET", path, headers=headers)

    async def shapes(self, room):
        """The shapes of a room, in drawing order."""
        return (await self.get(f"/v1/rooms/{room}")).json["shapes"]

    async def named(self, room):
        """The shapes of a room by their names."""
        return {shape["name"]: shape for shape in await self.shapes(room)}

    async def positions(self, room):
        """The positions of the shapes of a room, by identifier."""
        return {shape["id"]: shape["position"] for shape in await self.shapes(room)}

    async def metrics(self, headers=None):
        """All metrics by name, including their labels."""
        lines = (await self.get("/metrics", headers)).body.decode().splitlines()
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}

    async def metric(self, name):
        return (await self.metrics())[name]

    async def has(self, name, number):
        """Waits until a metric has this value."""
        await eventually(lambda: self.metric(name), f"{name} is {number}", holds=lambda found: found == number)

    async def answers(self, path, status=200, **options):
        """Waits until a request gets this status, and returns the response."""
        return await eventually(
            lambda: self.get(path, **options), f"{path} is answered with {status}", holds=lambda answer: answer.status == status)

    async def logged(self, message=None, **members):
        """Waits for log lines with this message and these members, and returns all of them."""
        members |= {"message": message} if message else {}
        return await eventually(
            lambda: [line for line in self.log if members.items() <= line.items()],
            lambda: f"a line with {members} behind {self.lines[-3:]}")

    async def write(self, room, count=1, **properties):
        """Makes `count` shapes over HTTP, and returns their identifiers."""
        shapes = [identifier() for _ in range(count)]
        operations = [{"shape": shape, "set": {"kind": "rectangle"} | properties} for shape in shapes]
        answer = await self.http("POST", f"/v1/rooms/{room}/ops", {"ops": operations})
        assert answer.status == 200, answer.body
        return shapes


_number = int.from_bytes(os.urandom(3), "big") << 20


def identifier():
    """A new random identifier."""
    global _number
    _number += 1
    return spelled(_number)


def run(*flags, environment=None):
    """Runs the server until it exits. Returns the exit code, the standard output and the standard error."""
    done = subprocess.run(
        [BINARY, *map(str, flags)], capture_output=True, text=True, timeout=SECONDS, env=os.environ | (environment or {})
    )
    return done.returncode, done.stdout, done.stderr


def resident(process):
    """The resident memory of a process in bytes."""
    with open(f"/proc/{process.pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
