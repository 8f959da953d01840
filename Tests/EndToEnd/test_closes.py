"""Every close code."""

import asyncio
import contextlib
import itertools
import json
import socket
import time

import websockets

from client import Client, connect, eventually
from server import Server, identifier
from test_frames import Raw


async def code_after(shared, *messages, room="closing", **options):
    client = await connect(shared, room, **options)
    # The goodbye may be here before everything is sent.
    with contextlib.suppress(websockets.ConnectionClosed):
        for message in messages:
            await client.send(message)
    return await client.closed()


async def test_wrong_frames_are_1003_and_garbage_is_1007(shared):
    """A frame of the wrong type, and frames that aren't JSON, an object or UTF-8; before hello and after."""
    for hello in ([], [{"type": "hello"}]):
        assert await code_after(shared, *hello, b"{}") == 1003
        assert await code_after(shared, *hello, "{") == 1007
        assert await code_after(shared, *hello, "[1]") == 1007
    assert await code_after(shared, '{"type":"hello"}', subprotocols=["canvas.v1.bin"]) == 1003
    client = await Client.join(shared, "closing")
    client.socket.transport.write(bytes([0x81, 0x82, 0, 0, 0, 0, 0xC3, 0x28]))
    await client.until("error", code="malformed")
    assert await client.closed() == 1007


async def test_too_long_is_1009(shared):
    """By one byte."""
    client = await Client.join(shared, "long")
    padding = 1_048_576 - len('{"type":"digest","x":""}')
    await client.send('{"type":"digest","x":"' + "y" * padding + '"}')
    await client.until("digest")
    await client.send('{"type":"digest","x":"' + "y" * (padding + 1) + '"}')
    await client.until("error", code="too_large")
    assert await client.closed() == 1009


async def test_bad_hellos_are_4400(shared):
    """A message before hello, a second hello, a bad field."""
    assert await code_after(shared, {"type": "digest"}) == 4400
    assert await code_after(shared, {"type": "hello"}, {"type": "hello"}) == 4400
    for field in [{"actor": "x"}, {"color": "red"}, {"name": ""}, {"name": "n" * 129}, {"overlaps": 1}, {"since": 5}]:
        assert await code_after(shared, {"type": "hello"} | field) == 4400, field


async def test_a_close_says_why_before_it(shared):
    """R7, R11: An `error` with a code and words, then the close with a reason."""
    client = await connect(shared, "why")
    await client.send({"type": "digest"})
    error = await client.receive()
    assert error["type"] == "error" and error["code"] == "bad_hello" and error["message"]
    assert await client.closed() == 4400


async def test_no_such_room_is_4404(shared):
    """C1: A name that no room may have, and a room that was deleted."""
    assert await code_after(shared, room="no%20room") == 4404
    assert await code_after(shared, room="x" * 65) == 4404
    client = await Client.join(shared, "gone")
    await client.write({"shape": identifier(), "set": {"kind": "star"}})
    assert (await shared.http("DELETE", "/v1/rooms/gone")).status == 204
    assert (await client.until("error", code="no_such_room"))["message"] == "the room was deleted"
    assert await client.closed() == 4404


async def test_an_actor_that_joins_elsewhere_is_4409(shared):
    """C9: With its key. The newer connection stays, and goes on as the same."""
    first = await Client.join(shared, "twice")
    second = await Client.join(shared, "twice", actor=first.actor, key=first.welcome["key"])
    await first.until("error", code="actor_elsewhere")
    assert await first.closed() == 4409
    assert second.actor == first.actor
    assert (await second.write({"shape": identifier(), "set": {"kind": "star"}}))["type"] == "ack"


async def test_silence_is_4408():
    """No hello in time, whatever else arrives; no pong in time."""
    with Server("--hello-ms", 1000, "--idle-ms", 1000, "--pong-ms", 100) as server:
        client = await connect(server, "silent")
        assert await client.closed() == 4408
        deaf = await Raw.open(server, "silent")
        deaf.send(1, b'{"type":"hello"}')
        assert (await deaf.message("error"))["code"] == "no_sign_of_life"
        assert await deaf.ended() == 4408, "it answers no ping"


async def test_broken_frames_are_1002():
    """The metrics have a name for this close."""
    with Server() as server:
        raw = await Raw.open(server)
        raw.send(3, b"")
        assert await raw.ended() in (None, 1002), "a frame of a kind that there is not"

        async def refused():
            return [line for line in server.log if line["message"] == "refused"]

        assert [line["code"] for line in await eventually(refused, "it is logged")] == ["protocol_error"]
        assert await server.metric('canvas_refusals_total{code="protocol_error"}') == 1


async def test_too_many_are_4429():
    """Connections from one address and in one room, and operations over the rate for long."""
    with Server(
        "--max-connections-per-address", 3, "--max-connections-per-room", 2, "--max-ops-per-second", 1,
        "--max-ops-per-message", 1, "--max-refusals-ignored", 5,
    ) as server:
        ann, _ = await Client.join(server, "many"), await Client.join(server, "many")
        assert await code_after(server, {"type": "hello"}, room="many") == 4429
        other = await Client.join(server, "other")
        assert await code_after(server, room="many") == 4429
        await other.close()
        began = time.monotonic()
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
                await asyncio.sleep(0.02)
        assert ann.socket.close_code == 4429 and time.monotonic() - began >= 2
        assert ann.errors == ["too_many"]


async def test_what_is_over_the_rate_of_messages_is_answered_later():
    """R10: Nothing is dropped: each ping gets its pong, the newest presence arrives, and no connection is closed."""
    with Server("--max-messages-per-second", 50) as server:
        ann, bob = await Client.join(server, "rate"), await Client.join(server, "rate")
        began = time.monotonic()
        for number in range(150):
            await ann.send({"type": "ping", "id": number})
        for number in range(25):
            await ann.send({"type": "presence", "state": {"number": number}})
        for number in range(150):
            await ann.until("pong", id=number)
        while {"number": 24} not in [peer["state"] for peer in (await bob.until("presence"))["peers"]]:
            pass
        # A hundred at once, and then fifty a second.
        assert time.monotonic() - began > 1
        viewer = await Client.join(server, "rate", readonly=True)
        for number in range(150):
            await viewer.send({"type": "ops", "id": number, "ops": [{"shape": identifier(), "set": {"kind": "star"}}]})
        for number in range(150):
            await viewer.until("reject", id=number, code="read_only")
        assert (await ann.write({"shape": identifier(), "set": {"kind": "star"}}))["type"] == "ack"


async def test_requests_without_a_room_are_not_upgraded(shared):
    """Only the addresses of rooms accept WebSockets."""
    with socket.create_connection(("127.0.0.1", shared.port)) as plain:
        plain.sendall(
            b"GET /elsewhere HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        answer = await asyncio.to_thread(plain.recv, 4096)
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "not_found"
