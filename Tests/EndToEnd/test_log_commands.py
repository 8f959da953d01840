"""`SyncServer log …`: the commands with which operators check and repair stored rooms."""

import asyncio
import contextlib
import os
import shutil
import signal

from client import Client
from ports import free_port
from server import Server, run
from waiting import eventually

NEEDLE = "a-name-to-be-found"


def log(*arguments, environment=None):
    return asyncio.to_thread(run, "log", *arguments, environment=environment)


async def log_says(words, *arguments, code=0, environment=None):
    """Runs a command that ends with this code, and prints all these words."""
    found, out, said = await log(*arguments, environment=environment)
    assert found == code and all(each in out for each in words), (arguments, found, out, said)


def content(path):
    with open(path, "rb") as file:
        return file.read()


@contextlib.asynccontextmanager
async def stored(end=signal.SIGKILL):
    """A directory with the rooms `torn`, of three records, and `whole`, of one. Snapshots only if it is stopped."""
    with Server() as server:
        shapes = [(await server.write("torn", name=name))[0] for name in ("before", NEEDLE, "after")]
        await server.write("whole", 3)
        server.process.send_signal(end)
        server.process.wait()
        if end == signal.SIGKILL:
            # The next start copies the write-ahead log into the database file.
            server.start()
            server.kill()
        server.made = shapes
        yield server


def damage(server, name=NEEDLE, find=bytes.find):
    """Changes a byte of the record with this name, and not of its snapshot, or the other way by `bytes.rfind`."""
    path = os.path.join(server.data, "canvas.db")
    whole = content(path)
    place = find(whole, name.encode())
    assert place > 0
    with open(path, "r+b") as file:
        file.seek(place)
        file.write(b"b")


async def test_verify_tells_what_is_sound_also_of_a_running_server(shared):
    """The command prints the number of rooms and records, and changes nothing, even while a server is running."""
    await shared.write("verified", 2)
    code, out, words = await log("verify", "--data", shared.data)
    assert code == 0 and words == "" and out.count("\n") == 1 and " all sound" in out, (out, words)
    async with stored() as server:
        before = {name: content(os.path.join(server.data, name)) for name in ("canvas.db", "canvas.lock")}
        await log_says(["2 rooms with 4 records"], "verify", environment={"CANVAS_DATA": server.data})
        for name, was in before.items():
            assert content(os.path.join(server.data, name)) == was, name


async def test_a_damaged_record_is_found_and_cut_only_when_told(shared, tmp_path):
    """The records before it and the other rooms are usable again. Only `--cut` drops any. A move carries the others."""
    async with stored() as server:
        damage(server)
        for command, told in [
            (["verify"], "the room can't be used"), (["repair"], "no newer snapshot covers it"),
            (["repair", "--room", "torn"], "room torn is still damaged"),
        ]:
            code, out, words = await log(*command, "--data", server.data)
            assert code == 1 and words == "" and told in out, (command, out, words)
            assert "room torn is damaged at position 2; " in out, (command, out)
        moved = ["left out: room torn is damaged at position 2", "1 rooms moved, 0 were there already, 1 left out"]
        await log_says(moved, "move", "--from", server.data, "--to", str(tmp_path / "moved"), code=1)
        await log_says(["1 rooms with 1 records"], "verify", "--data", str(tmp_path / "moved"))
        await log_says([": 1 faults in "], "verify", "--data", server.data, code=1)
        code, out, _ = await log("repair", "--data", server.data, "--room", "whole", "--cut")
        assert code == 0 and out == f"{server.data}: room whole can be used\n", out
        repaired = "room torn is damaged at position 2; repaired: the room now ends at position 1"
        await log_says([repaired], "repair", "--data", server.data, "--cut")
        await log_says(["2 rooms with 2 records"], "verify", "--data", server.data)
        server.start()
        assert [shape["id"] for shape in await server.shapes("torn")] == server.made[:1]
        assert len(await server.shapes("whole")) == 3
        await server.write("torn")


async def test_damage_is_repaired_where_something_else_holds_the_drawing(shared):
    """A snapshot stands for a damaged record, and records for a damaged snapshot. Nothing of the drawing is lost."""
    for find, found, repaired in [
        (bytes.find, "the room can be used, its history is lost", "its history up to the newest snapshot is dropped"),
        (bytes.rfind, "the room can be used, its history is lost", "the room can be used without it"),
    ]:
        async with stored(end=signal.SIGTERM) as server:
            damage(server, find=find)
            await log_says(["torn", found, ": 1 faults in 2 rooms"], "verify", "--data", server.data, code=1)
            await log_says([f"; repaired: {repaired}", "all rooms can be used"], "repair", "--data", server.data)
            await log_says(["2 rooms with", "all sound"], "verify", "--data", server.data)
            server.start()
            assert [shape["id"] for shape in await server.shapes("torn")] == server.made


async def test_a_backup_is_whole_and_its_cursors_are_not_taken_for_newer_ones(tmp_path):
    """Made while everybody writes, and restored as deploy/README.md says."""
    with Server() as server:
        acknowledged, isWriting = [], True

        async def write(number):
            while isWriting:
                acknowledged.extend(await server.write(f"room{number % 3}", 5))

        writers = [asyncio.create_task(write(number)) for number in range(6)]
        await eventually(lambda: len(acknowledged) >= 200, "much is written")
        before = list(acknowledged)
        copy = tmp_path / "copy.db"
        await log_says(["3 rooms with", "all sound"], "backup", "--data", server.data, "--to", copy)
        assert os.stat(copy).st_mode & 0o077 == 0
        await log_says(["3 rooms with", "all sound"], "verify", "--data", copy)
        isWriting = False
        await asyncio.gather(*writers)
        late = (await server.write("room0"))[0]
        ann = await Client.join(server, "room0")
        assert late in ann.live
        assert await asyncio.to_thread(server.terminate) == 0
        for rest in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(server.data, "canvas.db" + rest))
        shutil.copy(copy, os.path.join(server.data, "canvas.db"))
        server.start()
        rooms = [await server.shapes(f"room{number}") for number in range(3)]
        restored = {shape["id"] for room in rooms for shape in room}
        assert set(before) <= restored and late not in restored
        for _ in range(50):
            await server.write("room0")
        again = await Client.join(server, "room0", since=ann.cursor, actor=ann.actor, key=ann.welcome["key"], state=False)
        first = await again.until("ops")
        assert first.get("reset") is True, "the place is of another life of the room"
        code, out, words = await log("backup", "--data", server.data, "--to", copy)
        assert code == 1 and words == f"SyncServer: {copy} already exists\n"


async def test_log_commands_that_cannot_be_used_exit_with_64(tmp_path):
    """The command prints one line that says why: ConfigurationTests. It prints the help only to a terminal."""
    for arguments, said in [([], "verify, repair, backup or move"), (["backup", "--data", "d"], "needs --to")]:
        code, out, words = await log(*arguments)
        assert code == 64 and out == "" and words.count("\n") == 1 and said in words, (arguments, words)
    for arguments in (["--help"], ["repair", "--help"]):
        code, out, _ = await log(*arguments)
        assert code == 0 and all(f"log {verb} --data" in out for verb in ("verify", "repair", "backup")), out
        assert max(map(len, out.splitlines())) <= 120
    for verb in (["verify"], ["repair"], ["backup", "--to", "copy"]):
        for folder, said in [(tmp_path, f"canvas.db in {tmp_path}"), (tmp_path / "none", f"{tmp_path}/none")]:
            code, out, words = await log(*verb, "--data", folder)
            assert code == 1 and words == f"SyncServer: there is no {said}\n" and os.listdir(tmp_path) == [], words


async def test_a_backup_that_cannot_be_written_names_the_copy(shared, tmp_path):
    """The original stays intact. A backup can be used like a directory, as long as nothing is written to it."""
    copy = tmp_path / "none" / "copy.db"
    code, out, words = await log("backup", "--data", shared.data, "--to", copy)
    assert code == 1 and out == "" and words.count("\n") == 1 and words.startswith(f"SyncServer: reading or writing {copy}.unfinished "), words
    copy = tmp_path / "copy.db"
    await log_says([], "backup", "--data", shared.data, "--to", copy)
    await log_says([], "backup", "--data", copy, "--to", f"{copy}2")
    for command in (["repair", "--data", copy], ["move", "--from", copy, "--to", tmp_path / "other"]):
        code, out, words = await log(*command)
        assert code == 1 and words == f"SyncServer: {copy} is a file; this takes a data directory\n", words
    assert sorted(os.listdir(tmp_path)) == ["copy.db", "copy.db2"]


async def test_a_move_that_cannot_be_done_leaves_nothing(tmp_path):
    """The command says what is wrong with the place, or that the room isn't there."""
    async with stored() as server:
        file = tmp_path / "file"
        file.write_text("")
        code, out, words = await log("move", "--from", server.data, "--to", str(file))
        assert (code, out, words) == (1, "", f"SyncServer: {file} is a file; this takes a data directory\n")
        code, out, words = await log("move", "--from", server.data, "--to", str(tmp_path / "to"), "--room", "nope")
        assert (code, out, words) == (1, "", f"SyncServer: {server.data}: there is no room nope\n")
        assert os.listdir(tmp_path) == ["file"]
        code, out, words = await log("move", "--from", server.data, "--to", server.data + "/")
        assert code == 64 and words.startswith(f"SyncServer: --to {server.data}/: the rooms need another place"), words


async def test_a_move_that_was_killed_while_it_began_still_carries_the_secret(tmp_path):
    """It leaves a database without a secret. The actors' keys are made from the secret, so people stay who they are."""
    async with stored() as server:
        (tmp_path / "canvas.db").write_bytes(b"")
        await log_says(["2 rooms moved"], "move", "--from", server.data, "--to", str(tmp_path))
        assert content(tmp_path / "canvas.secret") == content(os.path.join(server.data, "canvas.secret"))


async def test_commands_dont_wait_for_ever_for_a_database(tmp_path):
    """The commands give up after ten seconds, and say why. A backup leaves nothing for which the next would be refused."""
    url = f"postgresql://127.0.0.1:{free_port()}/nowhere"
    commands = [("verify", "--data", url), ("backup", "--data", url, "--to", str(tmp_path / "copy"))]
    for code, _, words in await asyncio.gather(*(log(*command) for command in commands)):
        assert code == 1 and "waiting for the database" in words and words.count("\n") >= 2, words
    assert os.listdir(tmp_path) == []
