"""What an operator sees: flags, signals, logs, metrics."""

import asyncio
import itertools
import json
import os
import re
import subprocess
import tempfile
import time

import server as process
from client import Client, eventually
from server import Server, identifier, run, skip, tool
from test_frames import Raw


async def test_flags_that_cannot_be_used_exit_with_64(shared):
    """One line that says which and why."""
    for arguments, environment, words in [
        (["--prot", "1"], {}, ["--prot", "no such flag"]),
        (["--port", "http"], {}, ["--port http", "0 to 65535"]),
        (["--port"], {}, ["--port needs a value"]),
        (["--max-shapes=0"], {}, ["--max-shapes 0", "from 1 to"]),
        (["--proxies", "10.0.0.0/33"], {}, ["--proxies 10.0.0.0/33", "numeric addresses"]),
        (["--proxies", "localhost"], {}, ["--proxies localhost", "numeric addresses"]),
        (["--log-format", "xml"], {}, ["--log-format xml", "text or json"]),
        ([], {"CANVAS_MAX_SHAPES": "many"}, ["CANVAS_MAX_SHAPES=many", "whole number"]),
    ]:
        code, out, words_said = await asyncio.to_thread(lambda: run(*arguments, environment=environment))
        assert code == 64 and out == "" and words_said.count("\n") == 1, (arguments, code, words_said)
        assert all(word in words_said for word in words), words_said


async def test_help_and_version(shared):
    """All flags, grouped, with what is so unless they are set."""
    code, out, _ = await asyncio.to_thread(run, "--help")
    assert code == 0
    for flag in ["--host", "--port", "--data", "--web", "--log-level", "--log-format", "--max-message-bytes", "--max-shapes",
                 "--max-ops-per-message", "--max-ops-per-second", "--max-clock-ahead-ms", "--max-presence-bytes", "--beat-ms"]:
        assert len(re.findall(rf"^  {flag} ", out, re.M)) == 1, flag
    assert "(8080)" in out and "(100000)" in out and max(map(len, out.splitlines())) <= 120
    code, out, _ = await asyncio.to_thread(run, "--version")
    assert code == 0 and re.fullmatch(r"SyncServer \d+\.\d+\.\d+\n", out)


async def test_a_variable_is_as_good_as_a_flag_and_a_flag_goes_before(shared):
    """`CANVAS_MAX_SHAPES` and `--max-shapes`."""
    with Server("--max-shapes", 7, environment={"CANVAS_MAX_SHAPES": "5", "CANVAS_MAX_PRESENCE_BYTES": "99"}) as server:
        limits = (await Client.join(server, "room")).welcome["limits"]
        assert limits["shapes"] == 7 and limits["presenceBytes"] == 99


async def test_sigterm_makes_durable_what_is_in_hand(shared):
    """Everyone hears 1001, the server exits with 0 within ten seconds, what was acknowledged is there again."""
    with Server() as server:
        writers = [await Client.join(server, f"term{number}") for number in range(3)]
        acknowledged = {client: [] for client in writers}

        async def write(client):
            number = 0
            try:
                while True:
                    shape = identifier()
                    answer = await client.write({"shape": shape, "set": {"kind": "star"}}, id=number)
                    assert answer["type"] == "ack", answer
                    acknowledged[client].append(shape)
                    number += 1
            except Exception:
                return client.socket.close_code

        tasks = [asyncio.create_task(write(client)) for client in writers]

        async def busy():
            return all(len(shapes) > 5 for shapes in acknowledged.values())

        await eventually(busy, "all write")
        began = time.monotonic()
        code = await asyncio.to_thread(server.terminate)
        assert code == 0 and time.monotonic() - began < 10
        assert [await task for task in tasks] == [1001, 1001, 1001]
        assert server.log[-1]["message"] == "stopped"
        server.start()
        for number, client in enumerate(writers):
            shapes = {shape["id"] for shape in (await server.get(f"/v1/rooms/term{number}")).json["shapes"]}
            assert set(acknowledged[client]) <= shapes and {entry["shape"] for entry in client.seen} <= shapes
        assert await asyncio.to_thread(server.terminate) == 0


async def test_sigterm_waits_for_nobody_who_does_not_answer():
    """A peer that never reads, one before its hello, one in the middle of a request; those who listen still hear 1001."""
    with Server() as server:
        deaf = await Raw.open(server, "term")
        deaf.send(1, b'{"type":"hello"}')
        silent = await Raw.open(server, "term")
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"POST /v1/rooms/term/ops HTTP/1.1\r\nHost: l\r\nContent-Length: 100\r\n\r\n{")
        ann = await Client.join(server, "term")
        began = time.monotonic()
        code = await asyncio.to_thread(server.terminate)
        assert code == 0 and time.monotonic() - began < 10
        assert await ann.closed() == 1001 and await deaf.ended() == 1001 and await silent.ended() == 1001
        writer.close()


async def test_a_port_in_use_is_one_line(shared):
    """And exit 1."""
    with tempfile.TemporaryDirectory() as folder:
        code, _, words = await asyncio.to_thread(run, "--port", shared.port, "--data", folder)
    assert code == 1 and words == f"SyncServer: port {shared.port} on 127.0.0.1 is in use\n", words
    code, _, words = await asyncio.to_thread(run, "--host", "192.0.2.1", "--port", "0", "--data", "memory")
    assert code == 1 and words.count("\n") == 1 and "192.0.2.1" in words


async def test_a_directory_in_use_or_out_of_reach_is_one_line(shared):
    """A second server on the same, a file in the way."""
    code, _, words = await asyncio.to_thread(run, "--port", "0", "--data", shared.data)
    assert code == 1 and words.count("\n") == 1 and f"in use by another server, process {shared.process.pid}" in words, words
    code, _, words = await asyncio.to_thread(run, "--port", "0", "--data", "/dev/null/rooms")
    assert code == 1 and words.count("\n") == 1 and "/dev/null/rooms" in words, words


async def test_the_log_tells_who_came_what_was_refused_and_which_shapes_were_made():
    """As JSON, one object a line; a flood of refusals is a number."""
    with Server("--log-level", "debug") as server:
        ann = await Client.join(server, "logged", name="Ann")
        await ann.write({"shape": "afy-kw5-t7o", "set": {
            "kind": "rectangle", "position": [45, 44], "size": [89, 92], "fill": "#EBC641", "alpha": 7}})
        for number in range(30):
            await ann.write({"shape": "no", "set": {"kind": "star"}}, id=number)

        async def summed():
            return [line for line in server.log if line["message"] == "refused more"]

        (more,) = await eventually(summed, "the rest as a number")
        assert more["count"] >= 15
        lines = server.log
        assert all({"time", "level", "message"} <= set(line) for line in lines)
        (joined,) = [line for line in lines if line["message"] == "joined"]
        assert joined["room"] == "logged" and joined["actor"] == ann.actor and joined["address"] == "127.0.0.1"
        words = "shape (afy-kw5-t7o), X: 45.0, Y: 44.0, W: 89.0, H: 92.0, R: 235.0, G: 198.0, B: 65.0, Alpha: 0.7"
        assert [line["level"] for line in lines if line["message"] == words] == ["debug"]
        refused = [line for line in lines if line["message"] == "refused"]
        assert refused and refused[0]["code"] == "bad_shape" and refused[0]["address"] == "127.0.0.1" and refused[0]["reason"]


SAMPLE = re.compile(r'([a-z_]+)(?:\{([a-z]+)="([^"\\\n]*)"\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$')


async def test_metrics_are_what_prometheus_reads(shared):
    """Each named and typed once, counters end in _total, histograms are sums that end in all."""
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
        "canvas_frames_total", "canvas_beats_total", "canvas_fell_off_total", "canvas_snapshot_digest_mismatches_total",
        "canvas_log_database_bytes", "process_open_fds", "process_max_fds", "process_start_time_seconds",
    ]:
        assert (name, None, None) in samples, name
    for name in ["canvas_delivery_seconds", "canvas_log_commit_seconds", "canvas_log_commit_records", "canvas_clock_behind_seconds",
                 "canvas_beat_operations", "canvas_beat_frames"]:
        assert samples[f"{name}_count", None, None] >= 1, name
    assert samples["canvas_refusals_total", "code", "bad_value"] >= 0
    assert any(name == "canvas_build_info" for name, _, _ in samples)
    assert samples["canvas_joins_total", "state", "whole"] >= 1
    assert {value for name, _, value in samples if name == "canvas_caught_up_total"} == {"whole", "difference"}


async def test_metrics_pass_promtool(shared):
    """Prometheus' own check finds nothing to say."""
    promtool = tool("promtool") or skip("promtool is not here; scripts/setup test fetches it")
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
    """Anew and resumed; a beat's operations, and the frames with which it went out."""
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
            while not set(shapes) <= set(client.live):
                await client.receive()
        assert await server.metric("canvas_beat_operations_sum") == gathered + 7
        assert await server.metric("canvas_beats_total") == beats + 1 == await server.metric("canvas_beat_operations_count")
        assert await server.metric("canvas_beat_frames_sum") == frames + 3


async def test_how_long_operations_take_is_measured_while_people_move():
    """What two of them show is never all told at one time."""
    with Server("--presence-interval-ms", 100) as server:
        ann, bob = await Client.join(server, "moving"), await Client.join(server, "moving")
        writer = await Client.join(server, "moving")

        async def move(client):
            for number in itertools.count():
                await client.send({"type": "presence", "state": {"number": number}})
                await asyncio.sleep(0.005)

        moving = [asyncio.create_task(move(ann))]
        await bob.until("presence")
        moving.append(asyncio.create_task(move(bob)))
        await ann.until("presence")
        for number in range(20):
            await writer.write({"shape": identifier(), "set": {"kind": "star"}}, id=number)
            assert await server.metric("canvas_delivery_seconds_count") == number + 1
        for task in moving:
            task.cancel()


async def test_a_short_hold_of_many_idle_connections():
    """A thousand that only listen: a few kilobytes each, and they all hear."""
    with Server() as server:
        before = await server.metric("process_resident_memory_bytes")
        clients = [await Client.join(server, f"idle{number % 100}") for number in range(1000)]
        grown = await server.metric("process_resident_memory_bytes") - before
        assert grown / 1000 < 24_000, grown
        (shape,) = await server.write("idle7")
        for client in clients[7::100]:
            while shape not in client.live:
                await client.receive()
        await asyncio.gather(*[client.close() for client in clients])
