"""The terminal client as a process. It runs until it exits, or keeps running while the test talks to it."""

import asyncio
import contextlib
import http
import json
import os
import shutil
import tempfile

import websockets
from waiting import SECONDS

BINARY = ""
_state = ""


@contextlib.contextmanager
def own_state():
    """A folder in which tested commands store their state, in place of that of whoever runs the tests."""
    global _state
    _state = tempfile.mkdtemp(prefix="canvas-state-")
    try:
        yield
    finally:
        shutil.rmtree(_state, ignore_errors=True)


def environment(server, state=None, **variables):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("CANVAS_") and key != "NO_COLOR"}
    kept |= {"XDG_STATE_HOME": state or _state, "TZ": "UTC"}
    if server is not None:
        kept["CANVAS_SERVER"] = f"ws://127.0.0.1:{server.port}"
    return kept | variables


class Done:
    def __init__(self, code, out, err):
        self.code, self.bytes, self.err = code, out, err

    @property
    def out(self):
        return self.bytes.decode()

    @property
    def lines(self):
        """The lines of the output, each of which must be a JSON object."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def object(self):
        (line,) = self.lines
        return line

    def __repr__(self):
        return f"exit {self.code}\n{self.out[-2000:]}\n{self.err[-2000:]}"


class Running:
    """A client that keeps running: `async with start(…) as client`."""

    def __init__(self, process):
        self.process = process

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()

    async def line(self):
        line = await asyncio.wait_for(self.process.stdout.readline(), SECONDS)
        assert line.endswith(b"\n"), (line, await self.process.stderr.read())
        return line.decode().rstrip("\n")

    async def object(self):
        return json.loads(await self.line())

    async def until(self, **members):
        while True:
            found = await self.object()
            if all(found.get(key) == value for key, value in members.items()):
                return found

    async def write(self, *objects):
        for one in objects:
            self.process.stdin.write((one if isinstance(one, str) else json.dumps(one)).encode() + b"\n")
        await self.process.stdin.drain()

    async def end(self, signal=None):
        """Waits until the client exits. Returns the exit code and the remaining output."""
        if signal is not None:
            self.process.send_signal(signal)
        out, err = await asyncio.wait_for(self.process.communicate(), SECONDS)
        return Done(self.process.returncode, out, err.decode())


async def start(server, *words, state=None, variables=None, stdin=None):
    return Running(
        await asyncio.create_subprocess_exec(
            BINARY,
            *map(str, words),
            stdin=asyncio.subprocess.PIPE if stdin is None else stdin,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(server, state, **(variables or {})),
            limit=1 << 24,
        )
    )


async def run(server, *words, input=b"", state=None, variables=None, code=0):
    """Runs the client until it exits, and checks the exit code."""
    client = await start(server, *words, state=state, variables=variables)
    data = input if isinstance(input, bytes) else input.encode()
    try:
        out, err = await asyncio.wait_for(client.process.communicate(data), SECONDS)
    except asyncio.TimeoutError:
        client.process.kill()
        raise AssertionError(f"{words} did not end") from None
    done = Done(client.process.returncode, out, err.decode())
    assert code is None or done.code == code, (words, done)
    return done


async def on_terminal(server, *words, variables=None):
    """The client's output when its standard output is a terminal."""
    command = " ".join(f"'{word}'" for word in (BINARY, *map(str, words)))
    process = await asyncio.create_subprocess_exec(
        "script", "-qec", command, "/dev/null",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env=environment(server, **({"TERM": "xterm-256color"} | (variables or {}))),
    )
    out, _ = await asyncio.wait_for(process.communicate(), SECONDS)
    return out.decode()


def without(kinds):
    """For `between`: drops server messages of these kinds. The caller may change `kinds` at any time."""
    async def keep_back(message):
        return None if message[0] in kinds else message

    return keep_back


@contextlib.asynccontextmanager
async def between(server, room, down=None, up=None, refused=0):
    """A proxy between the client and a room. `down` may change or delay each message of the server, or drop it by
    returning None. `up` gets each message of the client before it is sent on. The first `refused` connections are
    refused, as by a server that can't answer yet. Yields the address to connect to."""
    binary = {"subprotocols": ["canvas.v1.bin"], "max_size": None, "compression": None}

    def refuse(connection, _):
        nonlocal refused
        refused -= 1
        return connection.respond(http.HTTPStatus.SERVICE_UNAVAILABLE, "") if refused >= 0 else None

    async def forward(client):
        token = {name: value for name, value in client.request.headers.raw_items() if name == "Authorization"}
        async with websockets.connect(server.socket(room), additional_headers=token, **binary) as there:

            async def bring():
                with contextlib.suppress(websockets.ConnectionClosed):
                    async for message in there:
                        changed = await down(message) if down else message
                        if changed is not None:
                            await client.send(changed)
                # The server's own close codes are passed on, because some of them are final.
                if (there.close_code or 0) >= 4000:
                    await client.close(there.close_code, there.close_reason or "")

            bringing = asyncio.create_task(bring())
            with contextlib.suppress(websockets.ConnectionClosed):
                async for message in client:
                    if up:
                        await up(message)
                    await there.send(message)
            bringing.cancel()

    async with websockets.serve(forward, "127.0.0.1", 0, process_request=refuse, **binary) as proxy:
        yield f"ws://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"


@contextlib.asynccontextmanager
async def silent_server():
    """A server that answers nothing. Yields its address, and an event that is set once something has connected."""
    connected = asyncio.Event()

    async def say_nothing(reader, writer):
        connected.set()
        await reader.read()
        writer.close()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as silent:
        yield f"ws://127.0.0.1:{silent.sockets[0].getsockname()[1]}", connected
