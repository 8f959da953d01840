"""Every message of the protocol, and every code of a refusal."""

import asyncio
import json
import time

from client import Client, connect, stamp
from server import Server, identifier
from waiting import SECONDS


async def test_welcome_tells_room_actor_role_clock_limits_and_peers(shared):
    """C6, C7: A hello is answered by a welcome with all its members, and by the state of an empty room."""
    ann = await connect(shared, "welcome")
    await ann.send({"type": "hello", "name": "Ann", "color": "#E4572E", "actor": "k3j-9x2-m1p"})
    welcome = await ann.receive()
    assert welcome["room"] == "welcome" and welcome["actor"] == "k3j-9x2-m1p" and welcome["role"] == "editor"
    assert abs(welcome["time"] - time.time() * 1000) < 5000
    assert welcome["limits"] == {
        "messageBytes": 1048576, "opsPerMessage": 1024, "opsPerSecond": 2000, "shapes": 100000,
        "clockAheadMs": 60000, "presenceBytes": 4096, "horizonMs": 2592000000,
    }
    assert welcome["peers"] == []
    state = await ann.receive()
    assert state["ops"] == [] and state["reset"] is True and "more" not in state
    bob = await Client.join(shared, "welcome", name="Bob", readonly=True)
    assert bob.welcome["role"] == "viewer"
    assert [(peer["name"], peer["color"]) for peer in bob.welcome["peers"]] == [("Ann", "#E4572E")]
    joined = await ann.until("join")
    assert joined["peer"]["name"] == "Bob" and joined["peer"]["actor"] == bob.actor
    await bob.close()
    assert (await ann.until("leave"))["actor"] == bob.actor


async def test_ids_come_back_as_they_were_written(shared):
    """W1: Byte for byte, for every kind of message. Without an id the answer has none."""
    ann = await Client.join(shared, "ids")

    async def answer(message, kind):
        await ann.send(message)
        while json.loads(text := await asyncio.wait_for(ann.socket.recv(), SECONDS))["type"] != kind:
            pass
        return text

    for id in ["0", "-0", "1.50", "1e2", "12345678901234567890", '""', '"a\\u0041 \\/1"']:
        star = f'{{"shape":"{identifier()}","set":{{"kind":"star"}}}}'
        for message, kind in [
            (f'{{"type":"ops","id":{id},"ops":[{star}]}}', "ack"), (f'{{"ops":[5],"id":{id},"type":"ops"}}', "reject"),
            (f'{{"type":"ping","id":{id}}}', "pong"),
        ]:
            assert f'{{"type":"{kind}","id":{id},' in await answer(message, kind), (message, id)
    for message, kind in [(f'{{"type":"ops","ops":[{star}]}}', "ack"), ('{"type":"ops","ops":[]}', "reject"), ('{"type":"ping"}', "pong")]:
        assert '"id"' not in await answer(message, kind), message
    assert json.loads(await answer('{"type":"ops","id":[1],"ops":[]}', "reject"))["code"] == "bad_message"


async def test_ping_and_digest(shared):
    """M9, R4, R5: A ping's answer has the server's time. An independent client computes the same digest."""
    ann = await Client.join(shared, "digest")
    await ann.send({"type": "ping", "id": 7})
    pong = await ann.until("pong", id=7)
    assert abs(pong["time"] - time.time() * 1000) < 5000
    for _ in range(20):
        await ann.write({"shape": identifier(), "set": {"kind": "polygon", "points": 6, "fill": "#010203"}})
    await ann.send({"type": "digest"})
    digest = await ann.until("digest")
    assert digest["hash"] == ann.digest and digest["cursor"] == ann.cursor


async def refused(client, operation, code, id=1):
    answer = await client.write(operation, id=id)
    assert answer["type"] == "reject" and answer["code"] == code and answer["message"], (answer, operation)
    return answer


async def test_each_refusal_has_its_code(shared):
    """W5, W6: A refused message changes nothing, and the connection stays open."""
    ann = await Client.join(shared, "refusals")
    shape = identifier()
    good = {"shape": shape, "set": {"kind": "rectangle"}}
    await ann.send({"type": "ops", "id": 1})
    assert (await ann.until("reject"))["code"] == "bad_message"
    await refused(ann, {"shape": shape, "set": {}}, "bad_message")
    await refused(ann, {"shape": "no", "set": {"kind": "star"}}, "bad_shape")
    await refused(ann, {"shape": shape, "at": "yesterday", "set": {"kind": "star"}}, "bad_stamp")
    await refused(ann, {"shape": shape, "at": stamp("aaa-aaa-aaa"), "set": {"kind": "star"}}, "bad_stamp")
    await refused(ann, {"shape": shape, "set": {"colour": "#000000"}}, "bad_property")
    # JSONEncodingRefusalTests and PropertyTableTests have the values that each property refuses.
    await refused(ann, {"shape": shape, "set": {"text": "é" * 2049}}, "bad_value")
    await refused(ann, {"shape": shape, "at": stamp(ann.actor, ahead=120000), "set": {"kind": "star"}}, "clock_ahead")
    await refused(ann, {"shape": shape, "at": f"5.0.{ann.actor}", "set": {"kind": "star"}}, "too_old")
    answer = await ann.write(good, {"shape": shape, "set": {"alpha": 11}}, id=3)
    assert answer["code"] == "bad_value" and answer["op"] == 1
    answer = await ann.write(*[good] * 1025, id=4)
    assert answer["code"] == "too_many_ops"
    assert ann.live == {}
    viewer = await Client.join(shared, "refusals", readonly=True)
    await refused(viewer, good, "read_only")
    await ann.accepted(good, id=5)


async def test_a_log_that_cannot_be_written_is_unavailable_until_it_can():
    """W6, W7: Writes are refused, `/readyz` fails, and reads work. With space all is well."""
    with Server(file_bytes_max=200_000) as server:
        ann = await Client.join(server, "disk")
        good = await ann.write({"shape": identifier(), "set": {"kind": "rectangle", "name": "kept"}})
        assert good["type"] == "ack"
        filler = [{"shape": identifier(), "set": {"kind": "rectangle", "name": "x" * 120}} for _ in range(1000)]
        answer, number = good, 2
        while answer["type"] == "ack" and number < 20:
            answer = await ann.write(*filler, id=number)
            number += 1
        assert answer["type"] == "reject" and answer["code"] == "unavailable", answer
        assert (await server.get("/readyz")).status == 503
        assert (await server.get("/healthz")).status == 200
        assert (await server.get("/v1/rooms/disk")).status == 200
        posted = await server.http("POST", "/v1/rooms/disk/ops", {"ops": filler[:1]})
        assert posted.status == 503 and posted.error == "unavailable" and posted.headers["Retry-After"] == "1"
        server.allow_files()
        await server.answers("/readyz")
        await ann.draw()
        shapes = await server.shapes("disk")
        assert any(shape["name"] == "kept" for shape in shapes) and any(shape["kind"] == "star" for shape in shapes)
