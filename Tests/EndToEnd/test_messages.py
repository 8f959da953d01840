"""Every message of the contract, and every code of a refusal."""

import asyncio
import json
import time

from client import SECONDS, Client, connect, eventually, stamp
from server import Server, identifier


async def test_welcome_tells_room_actor_role_clock_limits_and_peers(shared):
    """C6, C7: Hello is answered by a welcome with all its members, and a state that is empty."""
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


async def test_operations_reach_everyone_and_are_acknowledged(shared):
    """D4: One member writes. All see the same operation. The writer sees it too, and then gets the acknowledgement."""
    ann, bob = await Client.join(shared, "everything"), await Client.join(shared, "everything")
    shape, at = identifier(), stamp(ann.actor)
    everything = {
        "kind": "star", "name": "Sun", "position": [45, 44], "size": [10, 20], "rotation": 12.5, "fill": "#FF0000",
        "stroke": "#00FF00", "strokeWidth": 2, "alpha": 7, "visible": False, "z": "Vx", "cornerRadius": 3, "points": 7,
        "innerRatio": 0.25,
    }
    acknowledged = await ann.write({"shape": shape, "at": at, "set": everything}, id="first")
    assert acknowledged["type"] == "ack" and acknowledged["id"] == "first" and "superseded" not in acknowledged
    delivered = await bob.until("ops")
    assert delivered["ops"] == [{"shape": shape, "at": at, "set": everything}]
    assert delivered["cursor"] == acknowledged["cursor"] == ann.cursor
    assert ann.live == bob.live and shape in ann.live


async def test_ids_come_back_as_they_were_written(shared):
    """W1: To the byte, for every kind of message. The answer to a message without an id has none."""
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


async def test_the_server_stamps_what_has_no_stamp(shared):
    """W2, D8: An operation without `at` gets one of the connection's actor, near the server's clock."""
    ann = await Client.join(shared, "stamping")
    shape = identifier()
    await ann.write({"shape": shape, "set": {"kind": "ellipse"}})
    milliseconds, _, actor = ann.live[shape]["kind"][0].split(".")
    assert actor == ann.actor and abs(int(milliseconds) - time.time() * 1000) < 5000


async def test_superseded_names_the_winner(shared):
    """W4: A writer with an older stamp is told which value lost, and to whom."""
    ann, bob = await Client.join(shared, "lost"), await Client.join(shared, "lost")
    shape, newer = identifier(), stamp(ann.actor, ahead=5000)
    await ann.write({"shape": shape, "at": newer, "set": {"kind": "rectangle", "alpha": 3}})
    older = {"shape": shape, "at": stamp(bob.actor), "set": {"alpha": 9, "rotation": 5}}
    answer = await bob.write(older)
    assert answer["superseded"] == [{"op": 0, "property": "alpha", "by": newer}]
    assert (await bob.write(older, id=2))["type"] == "ack", "sending again is harmless"
    assert bob.live[shape]["alpha"][1] == 3 and bob.live[shape]["rotation"][1] == 5


async def test_deleting_beats_edits_and_writing_anew_brings_back(shared):
    """M4, M5: An erasure hides all values that aren't newer than the erasure."""
    ann = await Client.join(shared, "deleting")
    shape = identifier()
    await ann.write({"shape": shape, "at": stamp(ann.actor), "set": {"kind": "rectangle", "alpha": 4}})
    await ann.write({"shape": shape, "at": stamp(ann.actor, ahead=100), "set": {"deleted": True}}, id=2)
    answer = await ann.write({"shape": shape, "at": stamp(ann.actor, ahead=200), "set": {"rotation": 1}}, id=3)
    assert answer["type"] == "ack" and shape not in ann.live
    await ann.write({"shape": shape, "at": stamp(ann.actor, ahead=300), "set": {"kind": "ellipse"}}, id=4)
    late = await Client.join(shared, "deleting")
    assert set(late.live) == {shape} and "alpha" not in late.live[shape]
    assert late.live == ann.live


async def test_presence_goes_to_the_others(shared):
    """R2: Each member gets the newest state of the others, and not its own."""
    ann, bob = await Client.join(shared, "presence"), await Client.join(shared, "presence")
    for x in range(5):
        await ann.send({"type": "presence", "state": {"cursor": [x, 1]}})
    while (message := await bob.until("presence"))["peers"][0]["state"] != {"cursor": [4, 1]}:
        assert message["peers"][0]["actor"] == ann.actor
    carol = await Client.join(shared, "presence")
    states = {peer["actor"]: peer.get("state", {}) for peer in carol.welcome["peers"]}
    assert states[ann.actor] == {"cursor": [4, 1]}


async def test_ping_and_digest(shared):
    """M9, R4, R5: A pong with the clock; a digest that a client of another make comes to as well."""
    ann = await Client.join(shared, "digest")
    await ann.send({"type": "ping", "id": 7})
    pong = await ann.until("pong", id=7)
    assert abs(pong["time"] - time.time() * 1000) < 5000
    for _ in range(20):
        await ann.write({"shape": identifier(), "set": {"kind": "polygon", "points": 6, "fill": "#010203"}})
    await ann.send({"type": "digest"})
    digest = await ann.until("digest")
    assert digest["hash"] == ann.digest and digest["cursor"] == ann.cursor


async def test_overlaps_begin_and_end(shared):
    """R6, S7: First all present pairs, then each pair that begins or ends, the smaller identifier first."""
    ann = await Client.join(shared, "pairs", state=False, overlaps=True)
    assert (await ann.until("overlaps")) == {"type": "overlaps", "began": [], "ended": []}
    one, two = sorted([identifier(), identifier()])
    box = {"kind": "rectangle", "position": [0, 0], "size": [100, 100]}
    await ann.send({"type": "ops", "ops": [{"shape": two, "set": box}, {"shape": one, "set": box}]})
    assert (await ann.until("overlaps"))["began"] == [[one, two]]
    bob = await Client.join(shared, "pairs", state=False, overlaps=True)
    assert (await bob.until("overlaps"))["began"] == [[one, two]]
    await ann.send({"type": "ops", "ops": [{"shape": two, "set": {"position": [100, 0]}}]})
    assert (await ann.until("overlaps"))["ended"] == [[one, two]], "touching is not overlapping"


async def test_unknown_messages_are_named_and_the_connection_goes_on(shared):
    """R7: The answer is `unknown_type`, and the connection works as before."""
    ann = await Client.join(shared, "unknown")
    await ann.send({"type": "teleport"})
    assert (await ann.until("error"))["code"] == "unknown_type"
    assert (await ann.write({"shape": identifier(), "set": {"kind": "star"}}))["type"] == "ack"


async def refused(client, operation, code, id=1):
    answer = await client.write(operation, id=id)
    assert answer["type"] == "reject" and answer["code"] == code and answer["message"], (answer, operation)
    return answer


async def test_each_refusal_has_its_code(shared):
    """W5, W6: Nothing of a refused message is applied, and the connection goes on."""
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
    for name, value in [
        ("kind", "blob"), ("name", ""), ("position", [1]), ("size", [0, 5]), ("alpha", 0), ("alpha", 1.5), ("fill", "red"),
        ("visible", 1), ("z", "V0"), ("points", 2), ("innerRatio", 2), ("rotation", None), ("deleted", False),
    ]:
        await refused(ann, {"shape": shape, "set": {name: value}}, "bad_value")
    await refused(ann, {"shape": shape, "at": stamp(ann.actor, ahead=120000), "set": {"kind": "star"}}, "clock_ahead")
    await refused(ann, {"shape": shape, "at": f"5.0.{ann.actor}", "set": {"kind": "star"}}, "too_old")
    answer = await ann.write(good, {"shape": shape, "set": {"alpha": 11}}, id=3)
    assert answer["code"] == "bad_value" and answer["op"] == 1
    answer = await ann.write(*[good] * 1025, id=4)
    assert answer["code"] == "too_many_ops"
    assert ann.live == {}
    viewer = await Client.join(shared, "refusals", readonly=True)
    await refused(viewer, good, "read_only")
    assert (await ann.write(good, id=5))["type"] == "ack"


async def test_limits_of_a_room_and_a_rate():
    """W6, H6: `room_full` and `rate_limited`, as the flags say and welcome tells; over HTTP with `Retry-After`."""
    with Server("--max-shapes", 3, "--max-ops-per-second", 4, "--max-ops-per-message", 8) as server:
        ann = await Client.join(server, "full")
        assert ann.welcome["limits"]["shapes"] == 3 and ann.welcome["limits"]["opsPerMessage"] == 8
        shapes = [{"shape": identifier(), "set": {"kind": "rectangle"}} for _ in range(4)]
        assert (await ann.write(*shapes))["code"] == "room_full"
        assert (await ann.write(*shapes[:3], id=2))["type"] == "ack"
        bob = await Client.join(server, "rate")
        assert (await bob.write(*shapes[:2] * 4))["type"] == "ack"
        assert (await bob.write(*shapes[:2] * 4, id=2))["code"] == "rate_limited"

        async def refused():
            answer = await server.http("POST", "/v1/rooms/rate/ops", {"ops": shapes[:2] * 4})
            assert answer.status in (200, 429), answer.body
            return answer if answer.status == 429 else None

        answer = await eventually(refused, "too many over HTTP")
        assert answer.error == "rate_limited" and 1 <= int(answer.headers["Retry-After"]) <= 60


async def test_a_log_that_cannot_be_written_is_unavailable_until_it_can():
    """W6, W7: Writers are refused, readers go on, `/readyz` says no. When the disk has room again, writing works again."""
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

        async def ready():
            return (await server.get("/readyz")).status == 200

        await eventually(ready, "ready again")
        assert (await ann.write({"shape": identifier(), "set": {"kind": "star"}}, id=99))["type"] == "ack"
        shapes = (await server.get("/v1/rooms/disk")).json["shapes"]
        assert any(shape["name"] == "kept" for shape in shapes) and any(shape["kind"] == "star" for shape in shapes)
