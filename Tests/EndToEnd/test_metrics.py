"""`/metrics`: Prometheus can read the metrics, and their values are right."""

import asyncio
import json
import re
import signal
import subprocess
import time

import pytest

from client import Client, connect, stamp
from server import Server, identifier, tool
from raw import Raw
from test_log_commands import damage, stored
from waiting import eventually


async def grown(server, before):
    """The metrics that have grown since `before`, with their growth."""
    after = await server.metrics()
    return {name: value - before.get(name, 0) for name, value in after.items() if value != before.get(name, 0)}


STAR = {"kind": "star"}


async def test_metrics_count_connections_requests_and_messages():
    """Each connection, request, message and close is counted once. Bytes are counted as they are on the wire."""
    with Server("--max-connections-per-room", 3) as server:
        before = await server.metrics()
        assert before["canvas_connections"] == 0 and before["canvas_ready"] == 1
        ann, bob = await Client.join(server, "counted"), await Client.join(server, "counted")
        for _ in range(5):
            await ann.send({"type": "ping"})
            await ann.until("pong")
        change = await grown(server, before)
        assert change["canvas_connections"] == change["canvas_connections_opened_total"] == 2
        assert change["canvas_messages_in_total"] == 7
        assert not any(name.startswith("canvas_closes_total") for name in change)

        # Of WebSocket frames, only the payload is counted. The test's requests for the metrics are counted too, so the
        # test subtracts their bytes.
        raw = await Raw.open(server, "counted")
        raw.send(1, b'{"type":"hello"}')
        await raw.message("ops")
        first = await server.metrics()
        second = await server.metrics()
        for _ in range(10):
            raw.send(1, b'{"type":"ping"}')
            await raw.message("pong")
        third = await server.metrics()
        name = "canvas_received_bytes_total"
        assert third[name] - second[name] - (second[name] - first[name]) == 10 * 15

        held = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(4)]
        await server.has("canvas_http_connections", third["canvas_http_connections"] + 4)
        for _, writer in held:
            writer.close()
        await server.has("canvas_http_connections", third["canvas_http_connections"])
        before = await server.metrics()
        for _ in range(3):
            assert (await server.get("/v1/rooms/nobody")).status == 404
        assert await (await connect(server, "no%20room")).closed() == 4404
        crowded = await connect(server, "counted")
        await crowded.greet()
        assert await crowded.closed() == 4429
        again = await Client.join(server, "counted", actor=bob.actor, key=bob.welcome["key"])
        assert await bob.closed() == 4409
        await ann.send("[]")
        assert await ann.closed() == 1007
        await again.send('{"x":"' + "y" * 1_048_576 + '"}')
        assert await again.closed() == 1009
        raw.writer.close()
        await server.has("canvas_connections", 0)
        change = await grown(server, before)
        closes = {name: value for name, value in change.items() if name.startswith("canvas_closes_total")}
        assert closes == {f'canvas_closes_total{{code="{code}"}}': 1 for code in (1007, 1009, 4404, 4409, 4429)}, closes
        assert change["canvas_connections_opened_total"] == 3 and change['canvas_http_requests_total{status="404"}'] == 3


async def test_metrics_count_what_rooms_do():
    """Operations, refusals, digests, states and shapes are counted, including those of rooms that are closed again."""
    with Server("--room-idle-ms", 0) as server:
        ann = await Client.join(server, "busy")
        before = await server.metrics()
        shapes = [identifier() for _ in range(7)]
        await ann.write(*[{"shape": shape, "set": STAR} for shape in shapes])
        for number in range(3):
            assert (await ann.write({"shape": shapes[0], "set": {"alpha": 11}}, id=number))["code"] == "bad_value"
        assert (await ann.write({"shape": shapes[0], "at": stamp(ann.actor, ahead=120_000), "set": STAR}, id=4))["code"] == "clock_ahead"
        assert (await server.http("POST", "/v1/rooms/busy/ops", {"ops": [{"shape": shapes[0], "set": {"alpha": 0}}]})).status == 400
        for _ in range(2):
            await ann.send({"type": "digest"})
            await ann.until("digest")
        change = await grown(server, before)
        assert change["canvas_operations_in_total"] == change["canvas_deliveries_total"] == change["canvas_shapes_open"] == 7
        refusals = {name: value for name, value in change.items() if name.startswith("canvas_refusals_total")}
        assert refusals == {'canvas_refusals_total{code="bad_value"}': 3, 'canvas_refusals_total{code="clock_ahead"}': 1,
                            'canvas_refusals_total{code="http_400"}': 1}, refusals
        assert change["canvas_digests_total"] == 2 and "canvas_states_made_total" not in change
        assert change["canvas_log_commits_total"] == change["canvas_log_records_total"] == 1 and change["canvas_log_rooms"] == 1

        bob = await Client.join(server, "busy")
        assert (await grown(server, before))["canvas_states_made_total"] == 1
        await ann.write({"shape": shapes[0], "set": {"deleted": True}}, id=5)
        while shapes[0] in bob.live:
            await bob.receive()
        change = await grown(server, before)
        assert change["canvas_shapes_open"] == 6 and change["canvas_deliveries_total"] == 7 + 2
        await ann.close()
        await bob.close()
        await server.has("canvas_rooms_open", 0)
        after = await grown(server, before)
        assert "canvas_shapes_open" not in after and after["canvas_rooms_open"] == -1
        for name in ("canvas_digests_total", "canvas_states_made_total", 'canvas_refusals_total{code="bad_value"}'):
            assert after[name] == change[name], name


async def test_metrics_tell_how_far_clocks_are_off():
    """By the newest stamp of each WebSocket message. The server's and those over HTTP don't count."""
    with Server() as server:
        ann = await Client.join(server, "clocks")
        before = await server.metrics()

        async def told(*aheads):
            operations = [{"shape": identifier(), "at": stamp(ann.actor, ahead=ahead), "set": STAR} for ahead in aheads]
            await ann.write(*operations, {"shape": identifier(), "set": STAR}, id=str(aheads))
            change = await grown(server, before)
            return [change.get(f"canvas_clock_{side}_seconds_{part}", 0) for side in ("ahead", "behind") for part in ("count", "sum")]

        assert await told() == [0, 0, 0, 0]
        ahead, seconds, behind, _ = await told(20_000)
        assert (ahead, behind) == (1, 0) and 10 < seconds <= 20
        ahead, _, behind, seconds = await told(-40_000)
        assert (ahead, behind) == (1, 1) and 40 <= seconds < 100
        # Only the newest of these three stamps counts, because a message may also contain older edits.
        ahead, seconds, behind, _ = await told(-40_000, 20_000, -90_000)
        assert (ahead, behind) == (2, 1) and 20 < seconds <= 40
        body = {"ops": [{"shape": identifier(), "at": stamp(identifier(), ahead=5_000), "set": STAR}]}
        assert (await server.http("POST", "/v1/rooms/clocks/ops", body)).status == 200
        assert (await told())[::2] == [2, 1]


async def test_metrics_tell_of_the_log():
    """The metrics include the sizes of the log's files, and how long checkpoints took."""
    with Server("--max-ops-per-second", 1_000_000, "--max-ops-per-message", 65536, "--max-message-bytes", 16 << 20) as server:
        before = await server.metrics()
        body = json.dumps({"ops": [{"shape": identifier(), "set": STAR | {"name": "x" * 128}} for _ in range(40_000)]}).encode()

        async def write():
            answer = await server.http("POST", "/v1/rooms/large/ops", body, {"Content-Type": "application/json"})
            assert answer.status == 200, answer.body

        await write()
        change = await grown(server, before)
        assert change["canvas_log_bytes_total"] > 40_000 * 128 and change["canvas_log_write_ahead_bytes"] > 40_000 * 128
        assert "canvas_log_checkpoint_seconds_count" not in change

        async def carried():
            await write()
            return await server.metric("canvas_log_checkpoint_seconds_count") > 0

        await eventually(carried, "the write-ahead log is carried over")
        change = await grown(server, before)
        assert change["canvas_log_checkpoint_seconds_sum"] > 0
        assert change["canvas_log_database_bytes"] > 20 << 20


async def test_damage_is_found_though_nobody_asks_for_the_room():
    """Background verification finds it, and metrics and log tell of it and of when all was read."""
    for end, status in [(signal.SIGKILL, 503), (signal.SIGTERM, 200)]:
        async with stored(end=end) as server:
            damage(server)
            began = time.time()
            with server.start():
                metrics = await eventually(
                    server.metrics, "a round has ended", holds=lambda found: "canvas_log_verified_timestamp_seconds" in found)
                assert int(began) <= metrics["canvas_log_verified_timestamp_seconds"] <= time.time()
                assert metrics["canvas_log_damaged_rooms"] == 1 and metrics["canvas_log_verified_rooms_total"] == 2
                assert metrics["canvas_log_verified_bytes_total"] > 2 * 10
                (found,) = [line for line in server.log if line["message"] == "room torn is damaged at position 2"]
                assert found["level"] == "error" and found["room"] == "torn"
                (told,) = [line for line in server.log if line["message"] == "verified all rooms"]
                # Records after a damaged one are useless, so they are neither read nor counted.
                assert told["level"] == "info" and told["rooms"] == 2 and told["records"] == 2 and told["damaged"] == 1
                assert told["bytes"] == metrics["canvas_log_verified_bytes_total"]
                (summary,) = [line for line in server.log if "log repair" in line["message"]]
                assert summary["level"] == "error" and summary["rooms"] == "torn"
                assert (await server.get("/v1/rooms/torn")).status == status
                assert (await server.get("/v1/rooms/whole")).status == 200


async def test_a_room_that_is_open_is_saved_from_damage_of_what_is_stored():
    """When the damage is found, a snapshot of the drawing in memory is written."""
    async with stored() as server:
        server.flags = ["--verify-every-ms", "1"]
        with server.start():
            ann = await Client.join(server, "torn")
            assert set(server.made) <= set(ann.live)
            damage(server)
            # A new record makes the server read the file again instead of using its cache.
            await ann.write({"shape": identifier(), "set": {"kind": "star"}}, id=1)
            await server.logged("room torn is damaged at position 2")

            async def taken():
                answer = await ann.write({"shape": identifier(), "set": {"kind": "star"}})
                return answer["type"] == "ack"

            await eventually(taken, "the room takes operations")
            shapes = set(ann.live)
            await ann.close()
            server.restart()
            assert {shape["id"] for shape in await server.shapes("torn")} >= shapes


SAMPLE = re.compile(r'([a-z_]+)(?:\{([a-z]+)="([^"\\\n]*)"(?:,[a-z]+="[^"\\\n]*")*\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$')


async def test_metrics_are_what_prometheus_reads(shared):
    """Each is declared once, counters end in `_total`, and histograms add up."""
    ann = await Client.join(shared, "metrics")
    await ann.write({"shape": identifier(), "at": f"{ann.welcome['time']}.0.{ann.actor}", "set": {"kind": "star"}})
    answer = await shared.get("/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    types, helped, samples = {}, set(), {}
    text = answer.body.decode()
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split()[2]
            assert name not in helped and len(line.split()) > 3
            helped.add(name)
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split()
            assert name not in types and kind in ("counter", "gauge", "histogram") and name in helped
            assert (kind == "counter") == name.endswith("_total"), name
            types[name] = kind
        else:
            name, label, value, number = SAMPLE.match(line.replace("+Inf", "Inf")).groups()
            family = name if name in types else re.sub(r"_(bucket|sum|count)$", "", name)
            assert family in types and (name, label, value) not in samples, line
            samples[name, label, value] = float(number)
    for name, kind in types.items():
        if kind == "histogram":
            buckets = [number for (sample, _, _), number in samples.items() if sample == f"{name}_bucket"]
            assert buckets == sorted(buckets) and buckets[-1] == samples[f"{name}_count", None, None], name
    for name in [
        "canvas_connections", "canvas_rooms_open", "canvas_operations_in_total", "canvas_deliveries_total", "canvas_sent_bytes_total",
        "canvas_frames_total", "canvas_beats_total", "canvas_leaps_total", "canvas_fell_off_total", "canvas_snapshot_digest_mismatches_total",
        "canvas_log_database_bytes", "canvas_log_verified_rooms_total", "process_open_fds", "process_max_fds", "process_start_time_seconds",
    ]:
        assert (name, None, None) in samples, name
    assert samples["canvas_loop_longest_turn_seconds", None, None] > 0
    for name in ["canvas_loop_turn_seconds", "canvas_delivery_seconds", "canvas_log_commit_seconds", "canvas_log_commit_records", "canvas_clock_behind_seconds",
                 "canvas_beat_operations", "canvas_beat_frames"]:
        assert samples[f"{name}_count", None, None] >= 1, name
    assert ("canvas_refusals_total", "code", "bad_value") in samples
    assert any(name == "canvas_build_info" for name, _, _ in samples)
    assert samples["canvas_joins_total", "state", "whole"] >= 1
    assert {value for name, _, value in samples if name == "canvas_caught_up_total"} == {"whole", "difference"}


async def test_metrics_pass_promtool(shared):
    """Prometheus' own format check accepts the metrics."""
    promtool = tool("promtool") or pytest.skip("promtool is not here; scripts/setup test fetches it")
    ann = await Client.join(shared, "promtool")
    await ann.write({"shape": identifier(), "set": {"kind": "star"}})
    await ann.write({"shape": "no", "set": {"kind": "star"}})
    text = (await shared.get("/metrics")).body

    def check(text):
        done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, timeout=20)
        return done.returncode, done.stdout + done.stderr

    assert await asyncio.to_thread(check, text) == (0, b"")
    code, words = await asyncio.to_thread(check, text.replace(b"canvas_beats_total", b"canvas_beats"))
    assert code != 0 and b"canvas_beats" in words, "it does find what is wrong"


async def test_metrics_tell_how_readers_came_and_how_beats_gather():
    """New and resumed readers are counted, and so are the operations and frames of each broadcast."""
    with Server() as server:
        await server.write("counted")
        ann = await Client.join(server, "counted")
        bob = await Client.join(server, "counted", since="nonsense")
        again = await Client.join(server, "counted", since=ann.cursor)
        assert await server.metric('canvas_joins_total{state="whole"}') == 2
        assert await server.metric('canvas_joins_total{state="difference"}') == 1
        await asyncio.gather(*[client.until("join") for client in (ann, bob)])
        beats, frames = await server.metric("canvas_beats_total"), await server.metric("canvas_beat_frames_sum")
        gathered = await server.metric("canvas_beat_operations_sum")
        shapes = await server.write("counted", 7)
        for client in (ann, bob, again):
            await client.sees(*shapes)
        assert await server.metric("canvas_beat_operations_sum") == gathered + 7
        assert await server.metric("canvas_beats_total") == beats + 1 == await server.metric("canvas_beat_operations_count")
        assert await server.metric("canvas_beat_frames_sum") == frames + 3
