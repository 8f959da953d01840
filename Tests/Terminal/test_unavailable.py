"""A server that runs but can't answer yet, because it waits for its database."""

import asyncio
import contextlib
import json

import postgres
from database import waiting
from ports import free_port
from relay import Relay
from server import Server
from terminal import between, run, start

WELCOME = 0x41
WORDS = "the server can't answer yet (HTTP status 503)"


async def test_commands_that_run_once_wait_for_a_server_that_starts():
    """One line says what the command waits for. Each command takes effect once."""
    async with contextlib.AsyncExitStack() as stack:
        cluster = stack.enter_context(postgres.Cluster())
        # The relay holds back the database's bytes, which takes no time. Stopping and starting the database would take
        # seconds.
        relay = await stack.enter_async_context(Relay(cluster.ports[0]))
        relay.hold()
        server = Server(data=f"postgresql://canvas@127.0.0.1:{relay.own}/postgres")
        await stack.enter_async_context(waiting(server))
        commands = {}
        for name, words in {
            "rooms": ["rooms", "--json", "--over", "100ms"],
            "add": ["add", "garden", "star", "name=Sun"],
            "pipe": ["pipe", "garden"],
        }.items():
            commands[name] = await stack.enter_async_context(await start(server, *words))
        await commands["pipe"].write({"set": {"kind": "star", "name": "Moon"}})
        commands["pipe"].process.stdin.close()
        for command in commands.values():
            line = (await command.process.stderr.readline()).decode()
            assert "waiting: " in line and WORDS in line and "Ctrl-C" in line, line
        relay.let_go()
        for name, command in commands.items():
            done = await command.end()
            assert (done.code, done.err) == (0, ""), (name, done)
        shapes = json.loads((await run(server, "show", "garden", "--json")).out)["shapes"]
        assert sorted(shape["name"] for shape in shapes) == ["Moon", "Sun"]


async def test_a_room_that_takes_long_to_come_is_waited_for_after_a_refusal(shared):
    """The server has sent its welcome, but the drawing arrives later."""
    await shared.write("slow", name="Sun")

    async def delay(message):
        await asyncio.sleep(0 if message[0] == WELCOME else 0.5)
        return message

    async with between(shared, "slow", down=delay, refused=1) as there:
        done = await run(None, "move", "slow", "Sun", 7, 7, "--server", there)
        assert "moved Sun to 7, 7" in done.out, done


async def test_commands_that_run_once_give_up_after_ten_seconds():
    """The exit codes are the usual ones. A request that may change something is made once."""
    server = Server(data=f"postgresql://canvas@127.0.0.1:{free_port()}/postgres")
    async with waiting(server):
        begun = asyncio.get_running_loop().time()
        done = await run(server, "lock", "garden", code=1)
        assert "try again" in done.err and WORDS not in done.err
        commands = [(1, "show", "garden"), (2, "add", "garden"), (2, "pipe", "garden"), (2, "bot", "garden", "--for", "1s", "--quiet")]
        for done in await asyncio.gather(*(run(server, *words, code=code) for code, *words in commands)):
            told, gave_up = done.err.splitlines()
            assert "waiting: " in told and WORDS in told, done
            assert "waiting: " not in gave_up, done
        assert asyncio.get_running_loop().time() - begun > 8


async def test_a_drawing_that_comes_slowly_is_waited_for(shared):
    """Its parts come over a slow line, and all of them take longer than the command's patience."""
    for _ in range(3):
        await shared.write("broad", 200, text="x" * 4_000)
    parts = 0

    async def delay(message):
        nonlocal parts
        parts += message[0] != WELCOME
        await asyncio.sleep(0 if message[0] == WELCOME else 1)
        return message

    async with between(shared, "broad", down=delay) as there:
        done = await run(None, "add", "broad", "star", "name=Sun", "--patience", "6s", "--server", there)
        assert "made Sun" in done.out and parts > 7, (done, parts)
