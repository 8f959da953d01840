"""Nobody can exhaust the server: with unfinished requests, with many or long requests, or with hidden characters."""

import asyncio
import json
import os
import stat
import time

from client import Client, connect
from server import Server, identifier
from raw import Raw
from test_limits import idle, status, told
from waiting import SECONDS, eventually


async def test_operators_addresses_have_one_spelling(shared):
    """H11: A proxy blocks `/metrics` with one rule, so no other spelling of the path may work."""
    assert (await shared.get("/metrics")).status == 200
    for path in ("/metrics/", "/%6detrics", "/metric%73", "//metrics", "/healthz/", "/%72eadyz"):
        assert (await shared.get(path)).status == 404, path


HIDDEN = ["\u202eevil", "An\u200bn", "\u2067Ann", "Ann\ufeff", "An\u200dn", "\U000e0041Ann"]


async def test_names_hide_nothing(shared):
    """S8: Names have no invisible characters and none that turn the text, whichever way they come."""
    ann = await Client.join(shared, "hidden", name="نامه\u200cها 👩\u200d🚀")
    for name in HIDDEN:
        shape = {"shape": identifier(), "set": {"kind": "star", "name": name}}
        answer = await ann.write(shape)
        assert (answer["type"], answer["code"], answer["op"]) == ("reject", "bad_value", 0), name
        refused = await shared.http("POST", "/v1/rooms/hidden/ops", {"ops": [shape]})
        assert (refused.status, refused.error) == (400, "bad_value")
        drawing = {"room": "x", "cursor": "1", "shapes": [{"id": identifier(), "kind": "star", "name": name}]}
        # A drawing may be older than the rule about hidden characters. So its names are cleaned, and the drawing is not
        # refused.
        assert (await shared.http("POST", "/v1/rooms/hidden/layout", drawing)).status == 200
        names = [stored.get("name") for stored in await shared.shapes("hidden")]
        assert name not in names, names
        bob = await connect(shared, "hidden")
        await bob.send({"type": "hello", "name": name})
        assert await bob.closed() == 4400 and bob.errors == []
    await ann.accepted({"shape": identifier(), "set": {"kind": "star", "name": "שלום ❤\ufe0f"}})


async def test_what_is_stored_is_its_owners():
    """Other users of the machine can't read the rooms. Files that they could read are closed and logged."""
    old = os.umask(0o022)
    try:
        with Server() as server:
            await server.write("private")
            files = {name: os.path.join(server.data, name) for name in os.listdir(server.data)}
            assert {"canvas.db", "canvas.lock"} <= set(files)
            for name, path in files.items():
                assert stat.S_IMODE(os.stat(path).st_mode) & 0o077 == 0, name
            server.terminate()
            os.chmod(files["canvas.db"], 0o644)
            server.start()
            assert stat.S_IMODE(os.stat(files["canvas.db"]).st_mode) == 0o640, "the group's rights are the operator's"
            said = [line for line in server.log if line.get("file") == files["canvas.db"]]
            assert len(said) == 1 and said[0]["level"] == "warning"
    finally:
        os.umask(old)


async def asked_for_the_time(raw):
    """The server's clock, asked by a ping. It shows how long the server has paused, however busy the machine is."""
    raw.send(1, b'{"type":"ping"}')
    return (await raw.message("pong"))["time"]


async def test_pings_and_bytes_count_toward_the_rate():
    """R10: WebSocket pings count toward the rate of messages. A message that isn't operations counts by its length: a
    ping of 20 KB as twenty. Bytes have a rate too. The server delays reading, and all are answered."""
    with Server("--max-messages-per-second", 20, "--max-bytes-per-second", 131_072, "--max-message-bytes", 131_072) as server:
        raw = await Raw.open(server)
        raw.send(1, b'{"type":"hello"}')
        await raw.message("ops")
        began = await asked_for_the_time(raw)
        for number in range(100):
            raw.send(9, b"%d" % number)
            assert await raw.frame() == (10, b"%d" % number)
        # The server reads forty pings at once, and then at most forty a second. So a hundred pings take more than a
        # second.
        assert await asked_for_the_time(raw) - began > 1_000

        ann = await Client.join(server, "short")
        for number in range(4):
            await ann.send('{"type":"ping","id":%d' % number + " " * 20_480 + "}")
        answered = [(await ann.until("pong", id=number))["time"] for number in range(4)]
        assert answered[3] - answered[0] > 900, "the fourth is read at least a second after the first"

        bob, padding = await Client.join(server, "bytes"), " " * 100_000
        for number in range(5):
            text = json.dumps({"type": "ops", "id": number, "ops": [{"shape": identifier(), "set": {"kind": "star"}}]})
            await bob.send(text[:-1] + padding + "}")
        for number in range(5):
            await bob.until("ack", id=number)
        await bob.send({"type": "ping"})
        # The room accepts 256 KiB at once, and then 128 KiB a second. The messages have about 500 KB.
        assert (await bob.until("pong"))["time"] - bob.welcome["time"] > 1_000


async def answer(raw):
    raw.send(1, b'{"type":"ping","id":2}')
    return await raw.message("pong")


async def test_a_message_is_finished_or_given_up():
    """X3: A connection with an unfinished message is closed with 4408 after a timeout. If there are too many
    unfinished messages, the connection with the oldest is closed earlier: UnfinishedTests."""
    with Server("--message-ms", 500, "--max-messages-per-second", 20) as server:
        raw = await Raw.open(server)
        raw.send(1, b'{"type":"hello"}')
        await raw.message("ops")
        # A message whose first part is empty ends like any other.
        raw.send(1, b"", final=False)
        raw.send(0, b'{"type":"ping","id":1}')
        begun = (await raw.message("pong"))["time"]
        while (await answer(raw))["time"] < begun + 1_000:
            pass
        raw.send(1, b'{"type":', final=False)
        raw.send(9, b"here")
        assert await raw.ended() == 4408

        # Who pings faster than the rate is read with pauses. The time goes by more slowly then, but it does.
        raw = await Raw.open(server)
        raw.send(1, b'{"type":"hello"}')
        await raw.message("ops")
        raw.send(1, b'{"type":', final=False)
        for number in range(400):
            raw.send(9, b"%d" % number)
            opcode, payload = await raw.frame()
            if opcode != 10:
                break
        assert opcode == 1 and json.loads(payload)["code"] == "no_sign_of_life" and await raw.ended() == 4408


async def test_unfinished_requests_make_way():
    """H13: Unfinished requests and idle connections don't keep other clients out, even those from the same address."""
    with Server("--max-http-connections-per-address", 20, "--upload-stall-ms", 60_000) as server:
        half = [await idle(server) for _ in range(20)]
        for number, (_, writer) in enumerate(half):
            if number % 3 == 0:
                writer.write(b"GET /healthz HTTP/1.1\r\nHost:")
            elif number % 3 == 1:
                writer.write(b"POST /v1/rooms/a/ops HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nshort")
        for _ in range(5):
            await eventually(lambda: told(server), "what has waited for nothing makes way", holds=status(200))
        # All evicted connections must be among those that had not sent a byte (`number % 3 == 2`).
        reading = {asyncio.create_task(reader.read()): number for number, (reader, _) in enumerate(half)}
        ended, rest = await asyncio.wait(reading, timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED)
        assert {reading[one] % 3 for one in ended} == {2}
        for one in rest:
            one.cancel()
        for _, writer in half:
            writer.close()


async def test_an_upload_that_stops_is_given_up():
    """H13: A request is dropped if no byte of its body arrives within an interval."""
    with Server("--upload-stall-ms", 300) as server:
        reader, writer = await idle(server)
        writer.write(b"POST /v1/rooms/a/ops HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx")
        line = await asyncio.wait_for(reader.readline(), SECONDS)
        assert line.startswith(b"HTTP/1.1 408 ")
        writer.close()


async def test_what_is_written_in_a_day_is_bounded():
    """W11: There is a daily limit on writes for an address. DayQuotaTests has that of a token. Repeated operations that were accepted
    before are still accepted, and other clients are not affected."""
    with Server("--day-bytes-per-address", 4_096) as server:
        ann = await Client.join(server, "day")
        first = {"shape": identifier(), "at": f"{int(time.time() * 1000)}.0.{ann.actor}", "set": {"kind": "star"}}
        await ann.accepted(first)
        for _ in range(200):
            answer = await ann.write({"shape": identifier(), "set": {"kind": "star", "name": "x" * 100}})
            if answer["type"] == "reject":
                break
        assert answer["code"] == "quota_exceeded" and "address" in answer["message"]
        await ann.accepted(first)
        answer = await server.http("POST", "/v1/rooms/day/ops", {"ops": [{"shape": identifier(), "set": {"kind": "star"}}]})
        assert (answer.status, answer.error) == (429, "quota_exceeded")
        assert int(answer.headers["Retry-After"]) >= 1
        layout = {"squares": [{"x": 1, "y": 1, "colour": "#FF0000", "size": 5}]}
        assert (await server.http("POST", "/v1/rooms/day/layout", layout)).status == 429
        assert (await server.get("/v1/rooms/day")).status == 200


async def test_rooms_made_at_the_same_moment_count_one_after_the_other():
    """W11: The server reads all these messages in one iteration of its loop, because it stood still as they came."""
    with Server("--day-rooms-per-address", 3) as server:
        clients = [await Client.join(server, f"room{number}") for number in range(12)]
        server.freeze()
        for client in clients:
            await client.send({"type": "ops", "id": 1, "ops": [{"shape": identifier(), "set": {"kind": "star"}}]})
        server.thaw()
        answers = [await client.answer() for client in clients]
        assert sorted(answer.get("code", "stored") for answer in answers) == 9 * ["quota_exceeded"] + 3 * ["stored"]


async def test_a_reserve_of_disk_is_for_deletions(tmp_path):
    """W6: Below the reserve only deletions are accepted, and other operations refused for now."""
    data = str(tmp_path)
    with Server(data=data) as server:
        first, second = await server.write("low", count=2)
    with Server("--storage-reserve-bytes", 1 << 49, data=data) as server:

        async def low():
            return (await server.get("/readyz")).status == 503

        await eventually(low, "it looks at the disk")
        assert await server.metric("canvas_storage_low") == 1
        await server.logged("the disk is nearly full: only deletions are stored")
        ann = await Client.join(server, "low")
        await ann.refused("storage_low", {"shape": identifier(), "set": {"kind": "star"}})
        answer = await ann.write({"shape": identifier(), "set": {"deleted": True}})
        assert answer["code"] == "storage_low", "a deletion of nothing only takes space"
        await ann.accepted({"shape": first, "set": {"deleted": True}})
        body = {"ops": [{"shape": second, "set": {"alpha": 3}}]}
        answer = await server.http("POST", "/v1/rooms/low/ops", body)
        assert (answer.status, answer.error) == (507, "storage_low")
        assert (await server.http("DELETE", "/v1/rooms/low")).status == 204
    with Server(data=data) as server:
        assert (await server.get("/readyz")).status == 200
        await server.write("low")


async def test_a_square_is_charged_for_all_that_it_moves():
    """H8: At the end of the drawing order one square moves all shapes, so the next request has to wait."""
    with Server("--max-ops-per-second", 50, "--max-ops-per-message", 600) as server:
        ann = await Client.join(server, "crowded")
        shapes = [{"shape": identifier(), "set": {"kind": "star", "z": "z" * 64}} for _ in range(500)]
        await ann.accepted(*shapes)
        body = {"squares": [{"x": 1, "y": 1, "colour": "#FF0000", "size": 5}]}
        assert (await server.http("POST", "/v1/rooms/crowded/layout", body)).status == 200
        # 600 operations are accepted at once. Adding the square has used 501 of them: one for itself, and 500 for the
        # shapes that it moved.
        operations = [{"shape": identifier(), "set": {"kind": "star"}} for _ in range(400)]
        answer = await server.http("POST", "/v1/rooms/crowded/ops", {"ops": operations})
        assert (answer.status, answer.error) == (429, "rate_limited")
