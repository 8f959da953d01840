"""What operators can do with rooms and people, what the audit log records of that, and who is an operator without
tokens."""

import asyncio
import json
import os
import signal
import socket
import stat
import time

import raw
from client import Client, stamp
from server import Server, identifier, run
from test_tokens import ANN, GUEST, KEEPER, LINES, asking, bearer, enter, knock, post
from waiting import eventually


def records(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


async def peers(server, room):
    answer = await server.get(f"/v1/rooms/{room}/peers", bearer(KEEPER))
    assert answer.status == 200, answer.body
    return answer.json


async def test_operators_see_who_is_in_a_room():
    """H14: The list shows each actor with role, token's label and address. Only operators may request it."""
    with asking() as (server, _):
        ann, guest = await enter(server, "demo", ANN, name="Ann", color="#112233"), await enter(server, "demo", GUEST, name="Eve")
        await enter(server, "team-a", ANN)
        found = await peers(server, "demo")
        expected = [
            {"actor": ann.actor, "name": "Ann", "color": "#112233", "role": "editor", "token": "Ann's laptop", "address": "127.0.0.1"},
            {"actor": guest.actor, "name": "Eve", "color": guest_color(found, guest), "role": "viewer", "token": "line 3",
             "address": "127.0.0.1"},
        ]
        assert found == {"room": "demo", "locked": False, "peers": sorted(expected, key=lambda each: each["actor"])}
        assert (await peers(server, "empty"))["peers"] == []
        for token in (ANN, GUEST):
            for method, path in [("GET", "peers"), ("DELETE", f"peers/{ann.actor}"), ("PUT", "lock"), ("DELETE", "lock")]:
                answer = await server.http(method, f"/v1/rooms/demo/{path}", headers=bearer(token))
                assert answer.status == 403 and answer.error == "forbidden", (token, path)
        for method, path, status in [("POST", "peers", 405), ("GET", "lock", 405), ("GET", f"peers/{ann.actor}", 405),
                                     ("DELETE", "peers/nobody", 404), ("PUT", "lock/x", 404), ("GET", "peers/a/b", 404)]:
            answer = await server.http(method, f"/v1/rooms/demo/{path}", headers=bearer(KEEPER))
            assert answer.status == status, (method, path, answer.body)


def guest_color(found, guest):
    return next(each["color"] for each in found["peers"] if each["actor"] == guest.actor)


async def test_an_operator_removes_a_peer():
    """H14: It gets the error `removed` and is closed with 4403. No other connection is affected."""
    with asking() as (server, _):
        ann, guest = await enter(server, "demo", ANN), await enter(server, "demo", GUEST)
        path = f"/v1/rooms/demo/peers/{ann.actor}"
        assert (await server.http("DELETE", path, headers=bearer(KEEPER))).status == 204
        assert (await ann.until("error"))["code"] == "removed" and await ann.closed() == 4403
        assert (await guest.until("leave"))["actor"] == ann.actor
        answer = await server.http("DELETE", path, headers=bearer(KEEPER))
        assert answer.status == 404 and answer.error == "no_such_peer"


async def test_only_operators_write_to_a_locked_room():
    """H15: Editors become viewers, also over HTTP and after a restart. Deleting the room ends the lock."""
    with asking() as (server, _):
        async def lock(method, room="demo"):
            assert (await server.http(method, f"/v1/rooms/{room}/lock", headers=bearer(KEEPER))).status == 204

        async def draws(token, room="demo"):
            client = await enter(server, room, token)
            answer = await client.write({"shape": identifier(), "set": {"kind": "star"}})
            over_http = [(await post(server, room, token, what)).status for what in ("ops", "layout")]
            if client.welcome["role"] == "editor":
                assert answer["type"] == "ack" and over_http == [200, 200]
                return True
            assert answer["type"] == "reject" and answer["code"] == "read_only" and over_http == [403, 403]
            return False

        ann, keeper = await enter(server, "demo", ANN), await enter(server, "demo", KEEPER)
        guest, elsewhere = await enter(server, "demo", GUEST), await enter(server, "team-a", ANN)
        assert await draws(ANN)
        await lock("PUT")
        await lock("PUT")
        assert await ann.closed() == 1001
        for client in (keeper, elsewhere):
            await client.draw()
        assert (await peers(server, "demo"))["locked"] is True and not guest.errors
        for _ in range(2):
            assert not await draws(ANN) and await draws(KEEPER) and await draws(ANN, "team-a")
            server.restart()
        looking = await enter(server, "demo", ANN)
        assert looking.welcome["role"] == "viewer"
        await lock("DELETE")
        assert await looking.closed() == 1001 and await draws(ANN)
        await lock("PUT", "team-a")
        assert (await server.http("DELETE", "/v1/rooms/team-a", headers=bearer(KEEPER))).status == 204
        assert await draws(ANN, "team-a")


async def test_an_operator_takes_back_what_one_actor_wrote(tmp_path):
    """H16: By new operations, which all get. Later values of others stay, and the history has both."""
    path = str(tmp_path / "audit.jsonl")
    with asking(LINES, "--audit", path) as (server, _):
        ann, eve = await enter(server, "demo", ANN), await enter(server, "demo", KEEPER)
        star, circle, square, drawn = (identifier() for _ in range(4))

        async def write(client, shape, **values):
            await client.accepted({"shape": shape, "set": values})

        for shape in (star, circle, square):
            await write(ann, shape, kind="star", rotation=30)
        before = ann.cursor
        await write(eve, star, deleted=True)
        await write(eve, circle, rotation=60, alpha=3)
        await write(eve, square, rotation=60)
        await write(eve, drawn, kind="star")
        await write(ann, square, rotation=90)
        await write(ann, drawn, rotation=5)
        spoilt = ann.cursor

        async def take_back(actor, token=KEEPER, room="demo"):
            return await server.http("DELETE", f"/v1/rooms/{room}/writing/{actor}", headers=bearer(token))

        answer = await take_back(eve.actor)
        assert answer.status == 200 and sorted(answer.json["shapes"]) == sorted([star, circle, drawn]), answer.body

        async def drawing(at=None):
            query = f"?at={at}" if at else ""
            answer = await server.get(f"/v1/rooms/demo{query}", bearer(ANN))
            return {shape["id"]: (shape["rotation"], shape["alpha"]) for shape in answer.json["shapes"]}

        assert await drawing() == {star: (30, 10), circle: (30, 10), square: (90, 10)}
        assert drawn in await drawing(spoilt) and star not in await drawing(spoilt)
        assert set(await drawing(before)) == {star, circle, square}
        # Taking back a second time changes nothing, even after a restart.
        server.restart()
        assert (await take_back(eve.actor)).json["shapes"] == []
        for actor, token, room, status, code in [
            (identifier(), KEEPER, "demo", 404, "no_such_actor"), ("nobody", KEEPER, "demo", 404, "no_such_actor"),
            (eve.actor, KEEPER, "empty", 404, "no_such_room"), (eve.actor, ANN, "demo", 403, "forbidden"),
        ]:
            answer = await take_back(actor, token, room)
            assert answer.status == status and answer.error == code, (actor, room, answer.body)
        assert [(line["event"], line["actor"]) for line in records(path) if line["event"] == "took_back"] == [
            ("took_back", eve.actor)]


async def test_what_was_taken_back_before_a_refusal_is_told(tmp_path):
    """H16: The parts that were written before a refusal stay. The audit log tells of them."""
    path = tmp_path / "audit"
    with Server("--max-ops-per-message", 4, "--max-shapes", 12, "--audit", path) as server:
        eve, ann = await Client.join(server, "demo"), await Client.join(server, "demo")
        old, new = [identifier() for _ in range(8)], [identifier() for _ in range(6)]
        for part in (old[:4], old[4:]):
            await write_all(ann, part, kind="star")
        for part in (old[:4], old[4:]):
            await write_all(eve, part, deleted=True)
        for part in (new[:4], new[4:]):
            await write_all(ann, part, kind="star")
        answer = await server.http("DELETE", f"/v1/rooms/demo/writing/{eve.actor}")
        assert (answer.status, answer.error) == (409, "room_full")
        back = {shape["id"] for shape in await server.shapes("demo")} & set(old)
        assert len(back) == 4
        assert [(line["event"], line["actor"]) for line in records(path) if line["event"] == "took_back"] == [
            ("took_back", eve.actor)]


async def write_all(client, shapes, **values):
    await client.accepted(*[{"shape": shape, "set": values} for shape in shapes])


async def test_an_operator_has_a_room_forget_deletions():
    """H17: The memory is empty, and earlier stamps are `too_old`, even after a crash."""
    with asking(LINES, "--max-erasures", "20") as (server, _):
        ann = await enter(server, "demo", ANN)
        shape = identifier()
        await ann.write({"shape": shape, "set": {"kind": "star"}})
        await ann.write(*({"shape": identifier(), "set": {"deleted": True}} for _ in range(20)), id=2)
        await ann.refused("room_full", {"shape": identifier(), "set": {"kind": "star"}}, id=3)

        async def memory(method="GET", query="", token=KEEPER):
            return await server.http(method, f"/v1/rooms/demo/erasures{query}", headers=bearer(token))

        assert (await memory()).json == {"room": "demo", "erasures": 20, "most": 20, "forgottenBefore": 0}
        assert (await memory("DELETE", "?before=1000")).status == 204 and (await memory()).json["erasures"] == 20
        for query in ("?before=soon", f"?before={int(time.time() * 1e3) + 60_000}"):
            assert (await memory("DELETE", query)).status == 400
        assert (await memory("GET", "?before=1")).status == 400
        for method in ("GET", "DELETE"):
            assert (await memory(method, token=ANN)).status == 403
        assert (await memory("POST")).status == 405
        late = stamp(ann.actor, ahead=-30_000)
        assert (await memory("DELETE")).status == 204
        assert (await memory()).json["erasures"] == 0 and (await memory()).json["forgottenBefore"] > 1000
        for _ in range(2):
            await ann.refused("too_old", {"shape": identifier(), "at": late, "set": {"kind": "star"}}, id=4)
            await ann.draw()
            server.restart()
            ann = await enter(server, "demo", ANN, actor=ann.actor, key=ann.welcome["key"])
        assert (await server.http("DELETE", "/v1/rooms/empty/erasures", headers=bearer(KEEPER))).status == 404


async def test_stamps_over_http_are_for_operators():
    """W2: An editor's HTTP request can't use stamps of another actor, even if other operations in it have no stamps."""
    with asking() as (server, _):
        ann = await enter(server, "demo", ANN)
        forged = {"shape": identifier(), "at": stamp(ann.actor), "set": {"kind": "star"}}
        plain = {"shape": identifier(), "set": {"kind": "star"}}
        answer = await server.http("POST", "/v1/rooms/demo/ops", {"ops": [plain, forged]}, bearer(ANN))
        assert answer.status == 400 and answer.error == "bad_stamp" and "operation 1" in answer.json["error"]["message"]
        assert (await server.http("POST", "/v1/rooms/demo/ops", {"ops": [plain]}, bearer(ANN))).status == 200
        assert (await server.http("POST", "/v1/rooms/demo/ops", {"ops": [forged]}, bearer(KEEPER))).status == 200


async def test_a_server_that_is_told_twice_to_stop_leaves_no_gap_in_its_audit_log(tmp_path):
    """Writes that were only counted get their line. The client's connection keeps the server from ending at once: it
    doesn't answer the closing."""
    path = str(tmp_path / "audit.jsonl")
    with Server("--audit", path) as server:
        silent = await raw.connect(server.port, "demo")
        for _ in range(3):
            operation = {"shape": identifier(), "set": {"kind": "star"}}
            assert (await server.http("POST", "/v1/rooms/demo/ops", {"ops": [operation]})).status == 200
        server.process.send_signal(signal.SIGTERM)
        await server.logged("stopping")
        assert await asyncio.to_thread(server.terminate) == 1
        assert [line["requests"] for line in records(path)] == [1, 2]
        silent[1].close()


async def test_the_audit_log_says_who_did_what(tmp_path):
    """The log says who entered, was refused or removed, and who locked or deleted rooms, by actor and token's label. It
    never shows a token. SIGHUP makes the server reopen the file."""
    path = str(tmp_path / "audit.jsonl")
    with asking(LINES_WITH_LABELS, "--audit", path) as (server, _):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        ann = await enter(server, "demo", ANN, name="Ann")
        await knock(server, "other", ANN)
        await knock(server, "demo")
        assert (await post(server, "demo", GUEST)).status == 403
        for method, what in [("PUT", "/lock"), ("DELETE", "/lock"), ("DELETE", "")]:
            if what == "/lock" and method == "PUT":
                assert (await server.http("DELETE", f"/v1/rooms/demo/peers/{ann.actor}", headers=bearer(KEEPER))).status == 204
                posted = await post(server, "demo", KEEPER)
                assert posted.status == 200
            assert (await server.http(method, f"/v1/rooms/demo{what}", headers=bearer(KEEPER))).status == 204
        found = records(path)
        where = {"address": "127.0.0.1"}
        expected = [
            {"event": "entered", "room": "demo", "actor": ann.actor, "token": "Ann", "role": "editor", "name": "Ann"},
            {"event": "refused", "room": "other", "token": "Ann", "code": "forbidden"},
            {"event": "refused", "room": "demo", "code": "no_token"},
            {"event": "refused", "room": "demo", "token": "Guest", "code": "http_403", "request": "POST /v1/rooms/demo/ops"},
            {"event": "refused", "room": "demo", "actor": ann.actor, "token": "Ann", "code": "removed"},
            {"event": "removed", "room": "demo", "actor": ann.actor, "token": "Keeper"},
            {"event": "wrote", "room": "demo", "actor": posted.headers["Canvas-Actor"], "token": "Keeper", "requests": 1, "operations": 1},
            {"event": "locked", "room": "demo", "token": "Keeper"},
            {"event": "unlocked", "room": "demo", "token": "Keeper"},
            {"event": "deleted", "room": "demo", "token": "Keeper"},
        ]
        assert [{key: value for key, value in line.items() if key not in ("time", "reason")} for line in found] == [
            each | where for each in expected]
        assert all(line["time"].endswith("Z") for line in found)
        os.rename(path, path + ".1")
        server.process.send_signal(signal.SIGHUP)
        await eventually(lambda: os.path.exists(path), "the file is opened anew")
        await enter(server, "demo", GUEST)
        assert [line["event"] for line in records(path)] == ["entered"]
        for place in (path, path + ".1"):
            with open(place) as file:
                text = file.read()
            assert not any(token in text for token in (ANN, GUEST, KEEPER))
    code, _, said = await asyncio.to_thread(run, "--data", "memory", "--audit", str(tmp_path / "no" / "file"))
    assert code == 64 and said.startswith("SyncServer: --audit ") and said.count("\n") == 1


LINES_WITH_LABELS = f"{ANN} editor demo team-*  # Ann\n{GUEST} viewer * # Guest\n{KEEPER} operator * # Keeper\n"


def foreign_address():
    """An address of this machine that is not a loopback address, or None."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket selects the local address without sending a packet.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address = probe.getsockname()[0]
    return None if address.startswith("127.") else address


def reaches(address, port):
    try:
        with socket.create_connection((address, port), timeout=5):
            return True
    except OSError:
        return False


async def test_without_tokens_only_this_machine_is_let_in():
    """It listens only on loopback, and says so, unless told `--open` or given tokens."""
    address = foreign_address()
    for flags, is_open in [(["--host", "0.0.0.0"], False), (["--host", "::"], False), (["--host", "0.0.0.0", "--open"], True)]:
        with Server(*flags) as server:
            assert reaches("127.0.0.1", server.port)
            warned = [line for line in server.log if line["level"] == "warning" and "--open" in line["message"]]
            assert bool(warned) is not is_open, flags
            if address:
                assert reaches(address, server.port) is is_open, flags
    with asking(LINES_WITH_LABELS, "--host", "0.0.0.0") as (server, _):
        assert not address or reaches(address, server.port)
    code, _, said = await asyncio.to_thread(run, "--data", "memory", "--port", 0, "--host", "192.0.2.1")
    assert code == 64 and "--open" in said and said.count("\n") == 1, said
