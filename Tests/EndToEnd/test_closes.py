"""Tests every close code."""

import contextlib
import itertools

import websockets

from client import Client, connect
from raw import Raw
from server import Server, identifier


async def code_after(shared, *messages, room="closing", **options):
    client = await connect(shared, room, **options)
    # The server might close the connection before all messages are sent.
    with contextlib.suppress(websockets.ConnectionClosed):
        for message in messages:
            await client.send(message)
    return await client.closed()


async def test_silence_is_4408():
    """The server closes with this code if no hello comes in time, whatever else arrives, and if no pong comes."""
    with Server("--hello-ms", 1000, "--idle-ms", 1000, "--pong-ms", 100) as server:
        client = await connect(server, "silent")
        assert await client.closed() == 4408
        deaf = await Raw.open(server, "silent")
        deaf.send(1, b'{"type":"hello"}')
        assert (await deaf.message("error"))["code"] == "no_sign_of_life"
        assert await deaf.ended() == 4408, "it answers no ping"


async def test_broken_frames_are_1002():
    """The close is also counted in the metrics."""
    with Server() as server:
        raw = await Raw.open(server)
        raw.send(3, b"")
        assert await raw.ended() in (None, 1002), "a frame of a kind that there is not"
        assert [line["code"] for line in await server.logged("refused")] == ["protocol_error"]
        assert await server.metric('canvas_refusals_total{code="protocol_error"}') == 1


async def test_too_many_are_4429():
    """From one address, in one room, and if a client exceeds the rate of operations for long."""
    with Server(
        "--max-connections-per-address", 3, "--max-connections-per-room", 2, "--max-ops-per-second", 1,
        "--max-ops-per-message", 1, "--max-refusals-ignored", 5,
    ) as server:
        ann, _ = await Client.join(server, "many"), await Client.join(server, "many")
        assert await code_after(server, {"type": "hello"}, room="many") == 4429
        other = await Client.join(server, "other")
        assert await code_after(server, room="many") == 4429
        await other.close()
        operation = {"shape": identifier(), "set": {"kind": "star"}}
        for number in range(60):
            await ann.send({"type": "ops", "id": number, "ops": [operation]})
        answers = {}
        while len(answers) < 60:
            message = await ann.receive()
            if message["type"] in ("ack", "reject"):
                answers[message["id"]] = message.get("code", "taken")
        assert list(answers.values()).count("rate_limited") > 40, "each is answered, and none of them ends it"
        with contextlib.suppress(websockets.ConnectionClosed):
            for number in itertools.count(60):
                await ann.write(operation, id=number)
        assert ann.socket.close_code == 4429
        assert ann.errors == ["too_many"]


async def test_what_is_over_the_rate_of_messages_is_answered_later():
    """R10: Each ping gets its pong, the newest presence arrives, and no connection is closed."""
    with Server("--max-messages-per-second", 50) as server:
        ann, bob = await Client.join(server, "rate"), await Client.join(server, "rate")
        for number in range(150):
            await ann.send({"type": "ping", "id": number})
        for number in range(25):
            await ann.send({"type": "presence", "state": {"number": number}})
        answered = [(await ann.until("pong", id=number))["time"] for number in range(150)]
        while {"number": 24} not in [peer["state"] for peer in (await bob.until("presence"))["peers"]]:
            pass
        # The room accepts a hundred messages at once, and then fifty a second. So the last of the 150 answers comes
        # about a second after the first, by the server's clock.
        assert answered[-1] - answered[0] > 900
        viewer = await Client.join(server, "rate", readonly=True)
        for number in range(150):
            await viewer.send({"type": "ops", "id": number, "ops": [{"shape": identifier(), "set": {"kind": "star"}}]})
        for number in range(150):
            await viewer.until("reject", id=number, code="read_only")
        await ann.draw()
