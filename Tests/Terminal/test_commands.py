"""Messages, exit codes, and the commands that look at a room: show, check."""

import asyncio
import fcntl
import json
import os
import re
import select
import signal
import struct
import termios
import time

import server
import terminal
from client import Client
from server import identifier
from terminal import between, on_terminal, run, silent_server, start, without
from terminals import Terminal
from waiting import SECONDS, eventually, moment


async def test_words_that_make_no_sense_exit_with_64(shared):
    """One line on standard error with the wrong word and the reason, and nothing on standard output."""
    for words, said in [
        ([], "no command. Usage: sync-client COMMAND"),
        (["dance"], "dance: there is no such command. sync-client --help"),
        (["show", "room", "--stamp"], "--stamp: show has no such option. Did you mean --stamps?"),
        (["show"], "show needs ROOM. Usage: sync-client show ROOM"),
        (["show", "a/b"], "a/b: a room's name"),
        (["show", "room", "--server", "ws://127.0.0.1:eighty"], "a server is given as"),
        (["show", "room", "--color", "gren"], "gren: must be a colour such as red, F00 or '#FF0000'. Did you mean green?"),
        (["move", "room", "Sun", "left", "3"], "X and Y are numbers"),
        (["move", "room", "Sun", "1e99", "3"], "position must be"),
        (["set", "room", "Sun", "alpha=30"], "alpha is 10 % to 100 % in steps of 10 %, such as alpha=70%. Did you mean alpha=30%?"),
        (["set", "room", "Sun", "colour=red"], "there is no such property. Did you mean fill?"),
        (["set", "room", "Sun", "rotatoin=3"], "there is no such property. Did you mean rotation?"),
        (["set", "room", "Sun", "kind=oval"], "Did you mean ellipse?"),
        (["add", "room", "rect"], "rect: there is no such kind of shape. Did you mean rectangle?"),
        (["order", "room", "Sun", "top"], "Did you mean front?"),
        (["bot", "room", "--behaviour", "wonder"], "must be one of scatter, wander, orbit, swarm, grid. Did you mean wander?"),
        (["--jsn", "rooms"], "--jsn: there is no such option. Did you mean --json?"),
        (["--server"], "no command"),
        (["order", "room", "Sun", "above"], "above needs another shape"),
    ]:
        done = await run(shared, *words, code=64)
        assert said in done.err and done.err.count("\n") == 1 and done.out == "", (words, done)


async def test_words_that_are_not_utf_8_are_refused(shared, tmp_path):
    """Repaired, the name would be that of another file."""
    (tmp_path / "caf\N{REPLACEMENT CHARACTER}.json").write_text("precious")
    for words in [["export", "room", os.fsencode(tmp_path) + b"/caf\xe9.json"], [b"caf\xe9"]]:
        process = await asyncio.create_subprocess_exec(
            terminal.BINARY, *words, stderr=asyncio.subprocess.PIPE, env=terminal.environment(shared))
        _, err = await asyncio.wait_for(process.communicate(), SECONDS)
        assert process.returncode == 64 and "is not UTF-8" in err.decode() and err.count(b"\n") == 1, err
    assert [path.read_text() for path in tmp_path.iterdir()] == ["precious"]


async def test_a_mistyped_variable_is_named(shared):
    """The message names the variable that was probably meant. Variables of the server and of the tests are accepted."""
    await shared.write("variables")
    flags = re.findall(r"^  --([a-z-]+)", server.run("--help")[1], re.M)
    known = {"CANVAS_" + flag.replace("-", "_").upper(): "1" for flag in flags if flag not in ("help", "version", "manual", "completion")}
    assert len(known) > 40
    done = await run(shared, "show", "variables", variables=known | {"CANVAS_STRICT": "1", "CANVAS_TOKEN": ""})
    assert done.err == "", done
    done = await run(shared, "show", "variables", variables={"CANVAS_SEVER": "ws://127.0.0.1:1", "CANVAS_BLUE": "1"})
    assert done.err.splitlines() == [
        "sync-client: the variable CANVAS_BLUE means nothing.",
        "sync-client: the variable CANVAS_SEVER means nothing. Did you mean CANVAS_SERVER?",
    ] and "1 shape" in done.out, done


async def test_a_notice_that_nobody_reads_keeps_no_edit_from_being_made(shared):
    reading, writing = os.pipe()
    os.close(reading)
    variables = terminal.environment(shared, CANVAS_BLUE="1")
    process = await asyncio.create_subprocess_exec(terminal.BINARY, "add", "unheeded", "star", stderr=writing, env=variables)
    os.close(writing)
    assert await asyncio.wait_for(process.wait(), SECONDS) == 0
    assert len(await shared.shapes("unheeded")) == 1


async def test_a_variable_with_a_wrong_value_is_named():
    done = await run(None, "show", "demo", variables={"CANVAS_SERVER": ""}, code=64)
    assert done.err == "sync-client: CANVAS_SERVER=: a server is given as ws://127.0.0.1:8080\n", done


async def test_errors_are_for_programs_where_the_answers_are(shared):
    """With --json every error is an object with a code and a message, whether the client or the server reports it."""
    nowhere = ["--server", "ws://127.0.0.1:1"]
    for words, exits, code, said in [
        (["dance", "--json"], 64, "usage", "there is no such command"),
        (["show", "room", "--json", "--bold"], 64, "usage", "--bold"),
        (["show", "nobody", "--json"], 1, "no_such_room", "nobody has written"),
        (["delete", "nobody", "Sun", "--json"], 1, "failed", "no shape Sun"),
        (["add", "room", "--json", *nowhere], 2, "not_connected", "no server answers"),
        (["watch", "room", "--json", *nowhere], 2, "not_connected", "no server answers"),
    ]:
        done = await run(shared, *words, code=exits)
        error = json.loads(done.err)["error"]
        assert error["code"] == code and said in error["message"] and done.out == "", (words, done)
        assert error.keys() == {"code", "message"}, error


async def test_show_is_a_table_in_drawing_order(shared):
    """Shapes are listed from back to front, with the overlaps of each and their sizes."""
    shape = lambda name, x, z, **more: {"shape": identifier(), "set": {"kind": "rectangle", "name": name, "position": [x, 0], "size": [100, 100], "z": z} | more}
    operations = [shape("Front", 75, "c"), shape("Back", 0, "a"), shape("Ghost", 0, "b", visible=False)]
    await shared.http("POST", "/v1/rooms/table/ops", {"ops": operations})
    lines = (await run(shared, "show", "table")).out.splitlines()
    names = [line.split()[1] for line in lines[1:4]]
    assert names == ["Back", "Ghost", "Front"], lines
    assert "Front 25 %" in lines[1] and "hidden" in lines[2] and "%" not in lines[2] and "Back 25 %" in lines[3], lines
    assert lines[-1] == "3 shapes, 1 overlap", lines


async def test_show_gives_the_drawing_the_picture_and_the_past(shared):
    """`--json` as the server answers, `--svg` a picture, `--at` the past, `--stamps` who and when."""
    await shared.write("past", name="Sun")
    first = json.loads((await shared.get("/v1/rooms/past")).body)
    between = moment()
    await shared.write("past", name="Moon")
    assert (await run(shared, "show", "past", "--json")).object == (await shared.get("/v1/rooms/past")).json
    then = (await run(shared, "show", "past", "--json", "--at", between)).object
    assert then["shapes"] == first["shapes"]
    assert "no shapes" in (await run(shared, "show", "past", "--at", "1h")).out
    assert "no shapes" in (await run(shared, "show", "past", "--at", "2020-02-29T12:30Z")).out
    picture = (await run(shared, "show", "past", "--svg")).out
    assert picture.startswith("<svg") and "<title>Sun</title>" in picture
    stamped = (await run(shared, "show", "past", "--stamps")).out
    assert len(re.findall(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +[0-9a-z-]{11}$", stamped, re.M)) == 2, stamped


async def test_a_moment_to_come_is_refused(shared, tmp_path):
    """The command would only show the present. The message has the time of the room's newest change."""
    await shared.write("future")
    newest = (await shared.get("/v1/rooms/future/history")).json["to"]
    wanted = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(newest / 1000))
    for words in [["show", "future"], ["export", "future", tmp_path / "picture.svg"]]:
        done = await run(shared, *words, "--at", "2999-01-01T00:00", code=64)
        assert f"2999-01-01 00:00:00 is in the future. The newest change of future is of {wanted}." in done.err, done
    assert os.listdir(tmp_path) == []
    assert "future" in (await run(shared, "show", "future", "--at", newest + 1, "--json")).out


async def test_colours_are_for_terminals(shared):
    """None in pipes, with NO_COLOR, --no-color, or a dumb terminal. Else as many as the terminal has."""
    await shared.write("colours", name="Sun")
    assert "\x1b[" not in (await run(shared, "show", "colours")).out
    assert "\x1b[" in await on_terminal(shared, "show", "colours")
    for words, variables in [(["--no-color"], {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"})]:
        assert "\x1b[" not in await on_terminal(shared, "show", "colours", *words, variables=variables)
    await shared.write("depths", name="Sun", fill="#E4572E")
    for variables, code in [({"COLORTERM": "truecolor"}, "38;2;228;87;46"), ({"COLORTERM": ""}, "38;5;"), ({"TERM": "linux", "COLORTERM": ""}, "31")]:
        told = await on_terminal(shared, "show", "depths", variables=variables)
        assert f"\x1b[{code}" in told and told.count("38;") == code.count("38;"), (variables, told)


async def test_check_compares_with_the_server(shared):
    """The replica has the server's digest, which the command prints."""
    await shared.write("checked", count=3)
    told = (await run(shared, "check", "checked", "--json")).object
    client = await Client.join(shared, "checked")
    assert told == {"room": "checked", "verdict": "agrees", "shapes": 3, "hash": client.digest}
    assert (await run(shared, "check", "checked")).out.startswith("agrees: checked, 3 shapes")
    mistyped = await run(shared, "check", "chekced", code=1)
    assert "nobody has written to this room" in mistyped.err and not mistyped.out, mistyped


async def test_a_password_in_an_address_is_not_repeated():
    """The password isn't printed, because messages end up in logs. The exit code is 64."""
    login = "ann:hunter2"
    for there in (f"ws://{login}@127.0.0.1:8080", f"http://{login}@[::1]/x", f"{login}@localhost"):
        refused = await run(None, "show", "demo", "--server", there, code=64)
        assert "hunter2" not in refused.err and "without a name and a password" in refused.err, refused


async def test_check_says_when_replica_and_server_differ(shared):
    """A proxy changes the server's answer. The exit code is 1."""
    await shared.write("forged", count=2, position=[1, 2])

    async def forge(message):
        # Changes the answer to a digest. Its last eight bytes are the hash.
        return message[:-1] + bytes([message[-1] ^ 1]) if message[0] == 0x4B else message

    async with between(shared, "forged", down=forge) as there:
        done = await run(None, "check", "forged", "--server", there, code=1)
        assert done.out.startswith("disagrees"), done


async def test_check_says_when_the_server_does_not_answer(shared):
    """The answer is lost. It isn't said that the room kept changing."""
    await shared.write("unasked", count=2)
    async with between(shared, "unasked", down=without([0x4B])) as there:
        done = await run(None, "check", "unasked", "--server", there, "--within", "500ms", code=1)
        assert (done.out, done.err) == ("", "sync-client: the server doesn't say what its digest is\n"), done


async def test_check_takes_no_time_of_nothing(shared):
    """It isn't said that the room kept changing."""
    done = await run(shared, "check", "unasked", "--within", "0s", code=64)
    assert (done.out, done.err) == ("", "sync-client: --within: must be longer than 0\n"), done


async def test_check_ends_when_the_room_is_gone(shared):
    await shared.write("unchecked", count=2)

    async def delete(message):
        if message[0] != 0x4B:
            return message
        assert (await shared.http("DELETE", "/v1/rooms/unchecked")).status == 204

    async with between(shared, "unchecked", down=delete) as there:
        done = await run(None, "check", "unchecked", "--server", there, "--within", "1h", code=1)
        assert "there is no such room" in done.err, done


async def test_a_reader_that_has_enough_is_no_failure(shared):
    """The reader closes the pipe. No message is printed, and the exit code is 0."""
    for _ in range(3):
        await shared.write("enough", count=1000, fill="#123456")
    process = await asyncio.create_subprocess_shell(
        f"'{terminal.BINARY}' show enough --json | head -c 10; echo; echo ${{PIPESTATUS[0]}}",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, executable="/bin/bash",
        env=terminal.environment(shared),
    )
    out, err = await asyncio.wait_for(process.communicate(), terminal.SECONDS)
    assert out.decode().splitlines() == ['{"room":"e', "0"] and err == b"", (out, err)


async def test_a_command_ends_though_its_reader_takes_nothing(shared):
    """The pipe to the reader is full, and the reader sleeps. The first signal ends the command."""
    reading, writing = os.pipe()
    process = await asyncio.create_subprocess_exec(
        terminal.BINARY, "pipe", "asleep", stdin=asyncio.subprocess.PIPE, stdout=writing, env=terminal.environment(shared))
    os.close(writing)
    feeding = asyncio.create_task(process.communicate(b'{"set":{"kind":"star"}}\n' * 3_000))
    # The last of the pipe's pages isn't filled, and of each other page the end in which no line has room.
    much = fcntl.fcntl(reading, fcntl.F_GETPIPE_SZ) - 6_000

    def waiting():
        return struct.unpack("i", fcntl.ioctl(reading, termios.FIONREAD, bytes(4)))[0]

    await eventually(waiting, "the pipe is full", holds=lambda count: count > much)
    process.send_signal(signal.SIGTERM)
    await asyncio.wait_for(feeding, terminal.SECONDS)
    os.close(reading)
    assert process.returncode == 128 + signal.SIGTERM


async def test_a_command_whose_terminal_takes_nothing_ends_at_the_first_signal():
    """The terminal is ready for less than a line, as when it is stopped by Control-S."""
    with server.Server() as own:
        for _ in range(3):
            await own.write("stopped", count=1000, fill="#123456")
        words = [terminal.BINARY, "show", "stopped", "--json", "--server", f"ws://127.0.0.1:{own.port}"]
        with Terminal(words) as screen:
            await asyncio.to_thread(select.select, [screen.master], [], [], SECONDS)
            screen.process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(screen.process.wait, SECONDS) == 128 + signal.SIGTERM


async def test_watching_ends_when_nobody_reads(shared):
    """The watcher ends in a quiet room too, where it writes nothing."""
    await shared.write("quiet")
    async with await start(shared, "watch", "quiet") as watch:
        assert "1 shape" in await watch.line()
        # Closes the test's end of the pipe.
        watch.process._transport.get_pipe_transport(1).close()
        assert await asyncio.wait_for(watch.process.wait(), terminal.SECONDS) == 0
        assert await watch.process.stderr.read() == b""


async def test_what_can_not_be_written_is_a_failure(shared):
    """The disk is full. The exit code is 1, with a message."""
    await shared.write("full-disk")
    with open("/dev/full", "wb") as full:
        for words in [["show"], ["export"], ["watch"], ["check"]]:
            process = await asyncio.create_subprocess_exec(
                terminal.BINARY, *words, "full-disk", stdout=full, stderr=asyncio.subprocess.PIPE,
                env=terminal.environment(shared),
            )
            _, err = await asyncio.wait_for(process.communicate(), terminal.SECONDS)
            assert process.returncode == 1 and b"No space left" in err, (words, err)


async def test_a_token_from_a_pipe_goes_with_every_request(shared):
    """A pipe, such as <(…) in a shell, can be read only once."""
    asked = []

    async def answer(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        asked.append(head.split()[1])
        body = b'{"rooms":[]}' if "Authorization: Bearer secret\r\n" in head else b""
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as listening:
        reading, writing = os.pipe()
        os.write(writing, b"secret\n")
        os.close(writing)
        address = f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        words = ["rooms", "--over", "1ms", "--server", address, "--token-file", "/dev/stdin"]
        async with await start(None, *words, stdin=reading) as client:
            done = await client.end()
        os.close(reading)
    assert done.code == 0 and asked.count("/v1/rooms") == 2, done


async def test_a_signal_ends_a_command_that_waits_for_its_token(shared, tmp_path):
    pipe = tmp_path / "token"
    os.mkfifo(pipe)
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        async with await start(shared, "rooms", "--token-file", pipe) as client:
            # This returns once the client has opened the pipe.
            writing = await asyncio.wait_for(asyncio.to_thread(os.open, pipe, os.O_WRONLY), SECONDS)
            done = await client.end(number)
            os.close(writing)
        assert (done.code, done.err) == (128 + number, ""), done


async def test_an_interrupt_ends_a_request_without_an_answer():
    async with silent_server() as (address, connected):
        async with await start(None, "show", "demo", "--server", address) as client:
            await asyncio.wait_for(connected.wait(), SECONDS)
            done = await client.end(signal.SIGTERM)
    assert (done.code, done.err) == (143, ""), done


async def test_the_token_goes_with_every_request(shared):
    """From a flag or a variable, with HTTP and WebSockets. A wrong one is said, with exit code 2."""
    heads = []

    async def refuse(reader, writer):
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as asked:
        there = ["--server", f"ws://127.0.0.1:{asked.sockets[0].getsockname()[1]}"]
        for words, variables in [(["--token", "s3cret"], {}), ([], {"CANVAS_TOKEN": "s3cret"})]:
            for command in ["show", "check", "add", "pipe", "bot"]:
                done = await run(None, command, "room", *there, *words, variables=variables, code=2)
                assert "valid token" in done.err, (command, done)
    assert len(heads) >= 10 and all("Authorization: Bearer s3cret\r\n" in head for head in heads), heads
