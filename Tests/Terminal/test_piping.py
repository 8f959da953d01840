"""pipe: operations in, answers out."""

import asyncio
import json
import os
import random
import signal
import socket

import terminal
from server import Server, identifier
from terminal import between, run, start, without
from waiting import SECONDS, eventually


def move(shape, x):
    return {"shape": shape, "set": {"position": [x, 0]}}


async def test_each_line_is_answered(shared):
    """Single operations, groups, ids, and shapes without an identifier. The exit code tells that all was accepted."""
    shape = identifier()
    lines = [
        {"shape": shape, "set": {"kind": "star"}},
        {"id": "two", "ops": [move(shape, 1), {"set": {"kind": "ellipse", "name": "Made up"}}]},
        "",
        {"id": 7, "set": {"kind": "rectangle"}},
    ]
    done = await run(shared, "pipe", "lines", input="\n".join(l if l == "" else json.dumps(l) for l in lines))
    first, two, seven = sorted(done.lines, key=lambda answer: answer["line"])
    assert first["type"] == "ack" and first["line"] == 1 and "id" not in first and first["cursor"]
    assert two["id"] == "two" and two["line"] == 2 and len(two["shapes"]) == 1
    assert seven["id"] == 7 and seven["line"] == 4, seven
    there = await shared.positions("lines")
    assert set(there) == {shape, *two["shapes"], *seven["shapes"]} and there[shape] == [1, 0]
    assert done.err == ""


async def test_what_is_refused_is_said_and_the_rest_goes_on(shared):
    """By the client or the server. A group is accepted whole or not at all. The exit code is 1."""
    shape = identifier()
    lines = [
        "{not json", '"text"', "[1]", {"ops": 3}, {"ops": []}, {"set": {}}, {"shape": "sun", "set": {"kind": "star"}},
        {"shape": shape, "set": {"colour": 1}}, {"ops": [{"shape": shape, "set": {"kind": "star"}}, move(shape, "left")]},
        {"shape": shape, "at": "1.0.aaa-aaa-aaa", "set": {"kind": "star"}}, {"shape": shape, "set": {"kind": "star"}},
    ]
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    done = await run(shared, "pipe", "refused", input=text, code=1)
    answers = sorted(done.lines, key=lambda answer: answer["line"])
    codes = [answer.get("code", "ack") for answer in answers]
    assert codes == ["bad_message"] * 6 + ["bad_shape", "bad_property", "bad_value", "bad_stamp", "ack"], codes
    assert answers[8]["op"] == 1 and all(answer["message"] for answer in answers[:10])
    assert list(await shared.positions("refused")) == [shape]


async def test_a_long_line_is_refused_not_read(shared):
    """The line is longer than a megabyte. The next line is read as usual."""
    star = '{"set":{"kind":"star"}}'
    done = await run(shared, "pipe", "long", input="\n".join(["x" * 3_000_000, star, " " * (1 << 20) + "x", star]), code=1)
    # The client refuses some lines itself, without waiting for the server's answers to earlier lines. So the answers
    # are sorted.
    answers = sorted(done.lines, key=lambda answer: answer["line"])
    assert [(answer["line"], answer["type"]) for answer in answers] == [(1, "reject"), (2, "ack"), (3, "reject"), (4, "ack")], answers
    assert all("longer than a megabyte" in answer["message"] for answer in answers[::2]), answers


async def test_input_that_cannot_be_read_is_no_end(shared):
    """Reading fails. Or it has to wait, because another process has made the pipe non-blocking."""
    folder = os.open("/", os.O_RDONLY)
    async with await start(shared, "pipe", "unread", stdin=folder) as pipe:
        done = await pipe.end()
    os.close(folder)
    assert done.code == 1 and "standard input: Is a directory" in done.err, done
    # The beginning of a line is not a line. A socket is reset if its other end is closed and hasn't read everything.
    near, far = socket.socketpair()
    near.send(b"unread")
    far.sendall(b'{"set":{"kind":"star"}}\n{"set":{"kind":"star"}}')
    far.close()
    async with await start(shared, "pipe", "unread", stdin=near) as pipe:
        near.close()
        done = await pipe.end()
    assert done.code == 1 and "standard input: Connection reset by peer" in done.err, done
    assert [(answer["type"], answer["line"]) for answer in done.lines] == [("ack", 1)], done
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    async with await start(shared, "pipe", "unread", stdin=reading) as pipe:
        os.close(reading)
        # The next line is written only after the client has found the pipe empty again and again.
        for number in range(1, 20):
            os.write(writing, b'{"set":{"kind":"star"}}\n')
            assert (await pipe.object())["line"] == number
        os.close(writing)
        done = await pipe.end()
        assert (done.code, done.err) == (0, ""), done


async def test_answers_that_nobody_reads_are_no_success(shared):
    """The reader has enough after the first answer. What was not sent must not count as accepted. If all was, it does."""
    for lines, code in [(3_000, 1), (2, 0)]:
        process = await asyncio.create_subprocess_shell(
            f"'{terminal.BINARY}' pipe unheard | head -n 1 >&2; echo ${{PIPESTATUS[0]}}",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            executable="/bin/bash", env=terminal.environment(shared),
        )
        told = process.communicate(b'{"set":{"kind":"star"}}\n' * lines)
        out, err = await asyncio.wait_for(told, terminal.SECONDS)
        assert out.decode().strip() == str(code), (out, err)
        assert (b"nobody reads the answers any more" in err) == (code == 1), err


async def test_a_room_that_is_gone_for_good_ends_it(shared):
    """A program waits for its answer before it writes the next line. It is told, and why."""
    async with await start(shared, "pipe", "deleted") as pipe:
        await pipe.write({"set": {"kind": "star"}})
        assert (await pipe.object())["type"] == "ack"
        assert (await shared.http("DELETE", "/v1/rooms/deleted")).status == 204
        assert await asyncio.wait_for(pipe.process.wait(), SECONDS) == 1
        assert "there is no such room" in (await pipe.process.stderr.read()).decode()


async def test_it_reads_no_more_than_may_be_unanswered(shared):
    """The server answers nothing. Beyond the limit the input stays in the pipe."""
    sent = []

    async def note(message):
        sent.append(message[0])

    async with between(shared, "window", down=without([0x44]), up=note) as there:
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        async with await start(None, "pipe", "window", "--window", 5, "--server", there, stdin=reading) as pipe:
            line = json.dumps({"set": {"kind": "star", "name": "x" * 100}}).encode() + b"\n"
            taken = 0

            async def full():
                nonlocal taken
                try:
                    while True:
                        taken += os.write(writing, line * 100)
                except BlockingIOError:
                    return sent.count(2) == 5

            await eventually(full, "the window is full")
            assert sent.count(2) == 5 and taken < 1_000_000
        os.close(writing)


async def test_a_server_that_dies_in_the_middle_loses_nothing(shared):
    """The server is killed and restarted twice. Every line is acknowledged once, and every last position is stored."""
    with Server() as own:
        shapes, chance = [identifier() for _ in range(20)], random.Random(1)
        last = {}
        async with await start(own, "pipe", "killed", "--window", 32) as pipe:
            answers = []

            async def collect():
                while line := await pipe.process.stdout.readline():
                    answers.append(json.loads(line))

            async def feed():
                for shape in shapes:
                    await pipe.write({"shape": shape, "set": {"kind": "rectangle"}})
                for number in range(1_500):
                    shape = chance.choice(shapes)
                    last[shape] = [number, 0]
                    await pipe.write(move(shape, number))
                pipe.process.stdin.close()

            collecting, feeding = asyncio.create_task(collect()), asyncio.create_task(feed())
            for enough in (200, 700):
                await eventually(lambda: len(answers) >= enough, f"{enough} answers")
                await asyncio.to_thread(own.restart)
            await feeding
            await collecting
            assert await pipe.process.wait() == 0
            told = (await pipe.process.stderr.read()).decode()
            assert told.count("offline") >= 2 and "back" in told, "the faults have happened"
        assert [answer["line"] for answer in sorted(answers, key=lambda answer: answer["line"])] == list(range(1, 1_521))
        assert {answer["type"] for answer in answers} == {"ack"}
        there = await own.positions("killed")
        assert {shape: there[shape] for shape in last} == last
        await run(own, "check", "killed")


async def test_more_than_the_server_allows_is_held_back(shared):
    """The client keeps to a low rate limit. Nothing is refused, and the connection stays open."""
    with Server("--max-ops-per-second", 200) as own:
        lines = "\n".join(json.dumps({"set": {"kind": "star"}}) for _ in range(500))
        done = await run(own, "pipe", "rates", input=lines)
        assert len(done.lines) == 500 and len(await own.positions("rates")) == 500
        refused = await own.metric('canvas_refusals_total{code="rate_limited"}')
        assert refused < 20, refused


async def test_an_interrupt_lets_arrive_what_was_read(shared):
    """SIGINT comes while the input is still open. The lines that were read are answered, and the exit code is 130."""
    async with await start(shared, "pipe", "interrupted") as pipe:
        for _ in range(10):
            await pipe.write({"set": {"kind": "star"}})
        first = await pipe.object()
        assert first["type"] == "ack"

        async def all_there():
            answer = await shared.get("/v1/rooms/interrupted")
            return answer.status == 200 and len(answer.json["shapes"]) == 10

        await eventually(all_there, "ten shapes")
        done = await pipe.end(signal.SIGINT)
        assert done.code == 130 and len(done.lines) == 9, done


async def test_a_server_that_stays_away_is_given_up(shared):
    """After --patience the client lists the unanswered lines, and the exit code is 1. So it is while the input stays open:
    a program may wait for its answer before it writes the next line."""
    for ends in (True, False):
        with Server() as own:
            async with await start(own, "pipe", "patience", "--patience", "3s") as pipe:
                await pipe.write({"set": {"kind": "star"}})
                assert (await pipe.object())["type"] == "ack"
                own.kill()
                await pipe.write({"id": 5, "set": {"kind": "star"}})
                if ends:
                    pipe.process.stdin.close()
                assert await pipe.object() == {"type": "unanswered", "line": 2, "id": 5}
                assert await asyncio.wait_for(pipe.process.wait(), SECONDS) == 1


async def test_a_server_that_answers_slowly_is_not_given_up(shared):
    """Each answer takes less than --patience, and all of them take longer. A line is always unanswered."""
    async def delay(message):
        await asyncio.sleep(0.5 if message[0] == 0x44 else 0)
        return message

    async with between(shared, "slow-pipe", down=delay) as there:
        async with await start(None, "pipe", "slow-pipe", "--window", 2, "--patience", "2s", "--server", there) as pipe:
            await pipe.write(*({"set": {"kind": "star"}} for _ in range(8)))
            for number in range(1, 9):
                assert (await pipe.object())["line"] == number
            pipe.process.stdin.close()
            assert await asyncio.wait_for(pipe.process.wait(), SECONDS) == 0
