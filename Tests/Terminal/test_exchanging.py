"""import and export: drawings, layouts, pictures."""

import array
import asyncio
import fcntl
import json
import os
import signal
import struct
import subprocess
import termios
import zlib

import terminal
from server import Server, identifier
from terminal import run, start
from waiting import SECONDS, eventually

LAYOUT = "{'squares': [{ 'x': 120, 'y': 230, 'colour': '#FF0000', 'size': 250}, {'x': 20, 'y': 30, 'colour': '#00ff00', 'size': 50}]}"


def pixels(png):
    """Decodes a PNG: width, height, and rows of (red, green, blue). Written from the format's specification."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    place, parts = 8, {}
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place : place + 8])
        data = png[place + 8 : place + 8 + length]
        assert zlib.crc32(kind + data) == struct.unpack(">I", png[place + 8 + length : place + 12 + length])[0]
        parts[kind] = parts.get(kind, b"") + data
        place += 12 + length
    width, height, depth, color, *rest = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert (depth, color, rest) == (8, 2, [0, 0, 0]) and parts[b"IEND"] == b""
    raw = zlib.decompress(parts[b"IDAT"])
    assert len(raw) == height * (1 + 3 * width)
    rows, above = [], bytes(3 * width)
    for row in range(height):
        start = row * (1 + 3 * width)
        assert raw[start] == 2
        above = bytes((one + other) % 256 for one, other in zip(raw[start + 1 : start + 1 + 3 * width], above))
        rows.append([tuple(above[3 * x : 3 * x + 3]) for x in range(width)])
    return width, height, rows


async def test_a_layout_in_single_quotes_comes_in_from_standard_input(shared):
    """The layout is placed in front, as one undo step. Options can move it."""
    await run(shared, "import", "layout", "-", input=LAYOUT)
    shapes = await shared.shapes("layout")
    assert [(shape["position"], shape["size"], shape["fill"]) for shape in shapes] == [
        ([120, 230], [250, 250], "#FF0000"), ([20, 30], [50, 50], "#00FF00"),
    ]
    await run(shared, "import", "layout", "-", "--at", "1000,2000", input=LAYOUT)
    assert [shape["position"] for shape in await shared.shapes("layout")][2:] == [[1100, 2200], [1000, 2000]]
    await run(shared, "undo", "layout")
    assert await shared.shapes("layout") == shapes


async def test_a_tied_line_counts_where_it_is_drawn_when_a_drawing_is_placed(shared):
    """S14: the line's own box is from before its shapes were moved."""
    sun, moon = identifier(), identifier()
    drawing = {"shapes": [
        {"id": sun, "kind": "rectangle", "position": [0, 0], "size": [100, 100]},
        {"id": moon, "kind": "rectangle", "position": [400, 0], "size": [100, 100]},
        {"kind": "line", "id": identifier(), "position": [-5000, -5000], "size": [10, 10],
         "from": [sun, 32768, 32768], "to": [moon, 0, 32768]},
    ]}
    await run(shared, "import", "tied", "-", "--at", "1000,2000", input=json.dumps(drawing))
    assert [shape["position"] for shape in await shared.shapes("tied")][:2] == [[1000, 2000], [1400, 2000]]


async def test_a_drawing_goes_out_and_comes_back(shared, tmp_path):
    """The drawing is imported as a copy with new identifiers, or as the same shapes with their own identifiers."""
    await run(shared, "import", "there", "-", input=LAYOUT)
    await run(shared, "add", "there", "star", "name=Sun", "rotation=20", "points=9", "stroke=#112233", "strokeWidth=3")
    path = tmp_path / "there.json"
    assert (await run(shared, "export", "there", path)).out == ""
    text = path.read_text()
    assert json.loads(text)["shapes"] == await shared.shapes("there") and text.endswith("}\n")
    for words in ["copy", path], ["same", path, "--same"], ["same", path, "--same"]:
        await run(shared, "import", *words)
    there, copy = await shared.shapes("there"), await shared.shapes("copy")
    assert await shared.shapes("same") == there
    assert {shape["id"] for shape in copy}.isdisjoint(shape["id"] for shape in there)
    # Names are not compared, because default names depend on the identifiers.
    bare = lambda shapes: [{key: value for key, value in shape.items() if key not in ("id", "z", "name")} for shape in shapes]
    assert bare(copy) == bare(there) and copy[2]["name"] == "Sun"


async def test_pictures(shared, tmp_path):
    """Exports an SVG with overlaps, and a PNG with the right colours at the right places."""
    square = lambda name, x, fill: {"shape": identifier(), "set": {"kind": "rectangle", "name": name, "position": [x, 0], "size": [100, 100], "fill": fill}}
    await shared.http("POST", "/v1/rooms/pictures/ops", {"ops": [square("a", 0, "#FF0000"), square("b", 80, "#0000FF")]})
    svg = (await run(shared, "export", "pictures", "--format", "svg")).out
    assert svg.startswith("<svg") and "#FF8C1A" in svg
    await run(shared, "export", "pictures", tmp_path / "p.PNG", "--scale", "1")
    width, height, rows = pixels((tmp_path / "p.PNG").read_bytes())
    assert (width, height) == (220, 140)
    assert rows[70][40] == (255, 0, 0) and rows[70][180] == (0, 0, 255)
    overlap = rows[70][110]
    assert overlap[0] > 90 and overlap[1] > 40, overlap
    paper = rows[2][2]
    assert min(paper) > 230 and rows[137][217] == paper
    # The circle must be as wide as it is high, and the corners of its box must have the background's colour.
    await shared.write("round", kind="ellipse", size=[100, 100], fill="#000000")
    width, height, rows = pixels((await run(shared, "export", "round", "--format", "png", "--scale", "2")).bytes)
    assert (width, height) == (280, 280)
    dark = [[sum(pixel) < 384 for pixel in row] for row in rows]
    across, down = sum(dark[140]), sum(row[140] for row in dark)
    assert abs(across - 200) <= 2 and abs(down - 200) <= 2 and not dark[45][45], (across, down)
    area = sum(map(sum, dark))
    assert abs(area - 31416) < 250, area


async def test_a_picture_in_pixels_says_that_texts_are_not_in_it(shared):
    """A PNG has no texts, and the command says so. It says nothing for an SVG, or if no visible shape has a text."""
    await run(shared, "add", "pixels-and-words", "note", "name=List")
    await run(shared, "add", "pixels-and-words", "text", "text=Hidden", "visible=no")
    assert (await run(shared, "export", "pixels-and-words", "--format", "png")).err == ""
    await run(shared, "set", "pixels-and-words", "List", "text=Buy milk")
    done = await run(shared, "export", "pixels-and-words", "--format", "png")
    assert done.err == "sync-client: texts are not in a PNG; export to an SVG has them\n" and pixels(done.bytes), done
    done = await run(shared, "export", "pixels-and-words", "--format", "svg")
    assert done.err == "" and "Buy milk" in done.out


async def test_what_is_no_drawing_or_no_file(shared, tmp_path):
    """The exit code is 1, with the place of the error. Nothing is written."""
    path = tmp_path / "wrong.json"
    for text, said in [
        ("{", "ends too early"), ("{}", "neither a layout"), ('{"shapes":[]}', "no shapes"),
        ('{"shapes":[{"kind":"blob"}]}', "shapes[0].kind"), ("{'squares':[{'x':1}]}", "squares[0]"),
    ]:
        path.write_text(text)
        assert said in (await run(shared, "import", "nothing", path, code=1)).err, text
    assert "No such file" in (await run(shared, "import", "nothing", tmp_path / "none", code=1)).err
    await shared.write("something")
    assert "No such file" in (await run(shared, "export", "something", tmp_path / "no/where.svg", code=1)).err
    assert "ends in .json" in (await run(shared, "export", "something", tmp_path / "plain", code=64)).err
    assert os.listdir(tmp_path) == ["wrong.json"]
    assert (await shared.get("/v1/rooms/nothing")).status == 404


async def test_what_is_the_same_is_not_restored(shared):
    """import --same sends only differences. Shown names don't count as differences."""
    for name in ["Sun", "Sun", "Moon"]:
        await run(shared, "add", "unchanged", f"name={name}")
    await run(shared, "add", "unchanged", "star")
    saved = (await run(shared, "show", "unchanged", "--json")).out
    before = (await shared.get("/v1/rooms/unchanged/history")).json["operations"]
    done = await run(shared, "import", "unchanged", "-", "--same", input=saved)
    assert done.out == "nothing changed\n", done
    assert (await shared.get("/v1/rooms/unchanged/history")).json["operations"] == before, "no operation was sent"
    await run(shared, "set", "unchanged", "Moon", "fill=red")
    await run(shared, "delete", "unchanged", "Sun 2")
    done = await run(shared, "import", "unchanged", "-", "--same", input=saved)
    assert len(done.out.splitlines()) == 2 and "coloured Moon" in done.out and "made Sun 2" in done.out, done
    assert json.loads((await run(shared, "show", "unchanged", "--json")).out)["shapes"] == json.loads(saved)["shapes"]


async def test_more_than_goes_into_one_message(shared):
    """Imports five thousand shapes at two thousand a second. All of them arrive, and one undo removes them."""
    shapes = [{"kind": "rectangle", "position": [n % 100 * 10, n // 100 * 10], "size": [8, 8]} for n in range(5000)]
    done = await run(shared, "import", "many", "-", input=json.dumps({"shapes": shapes}))
    assert done.out == "made 5000 shapes\n"
    assert len(await shared.shapes("many")) == 5000
    assert (await run(shared, "undo", "many")).out == "deleted 5000 shapes\n"
    assert await shared.shapes("many") == []


async def test_a_drawing_whose_export_fails_is_still_the_one_of_before(shared, tmp_path):
    """The new file is written next to the old one and then renamed. A symbolic link stays."""
    await shared.write("kept", 3, name="a long name " * 9)
    path, link = tmp_path / "kept.json", tmp_path / "link.json"
    await run(shared, "export", "kept", path)
    link.symlink_to(path)
    before = path.read_text()
    await shared.write("kept")
    # The shell limits files to one block.
    script = f'ulimit -f 1; trap "" XFSZ; exec {terminal.BINARY} export kept {path}'
    failed = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=terminal.environment(shared, None))
    assert failed.returncode == 1 and "kept.json" in failed.stderr, failed
    assert path.read_text() == before
    assert sorted(os.listdir(tmp_path)) == ["kept.json", "link.json"]
    # The link may be older than the file to which it leads.
    for is_older in (False, True):
        if is_older:
            path.unlink()
        await run(shared, "export", "kept", link)
        assert link.is_symlink() and len(json.loads(path.read_text())["shapes"]) == 4


async def test_a_file_that_is_replaced_keeps_its_mode_and_owner(shared, tmp_path):
    """A file that can't be replaced by one with the same owner, or not at all, is overwritten where it is."""
    await shared.write("owned")
    path = tmp_path / "owned.svg"

    def export(*before):
        """Returns the file's inode after it was overwritten."""
        path.write_text("old" * 10_000)
        words = [*before, terminal.BINARY, "export", "owned", path]
        done = subprocess.run(words, capture_output=True, text=True, env=terminal.environment(shared), umask=0o077)
        assert done.returncode == 0, done
        assert path.read_text().startswith("<svg") and path.read_text().rstrip().endswith("</svg>"), "nothing of before is left"
        assert os.listdir(tmp_path) == ["owned.svg"]
        return path.stat().st_ino

    path.touch()
    path.chmod(0o666)
    export()
    assert path.stat().st_mode & 0o7777 == 0o666
    if os.geteuid() != 0:
        return
    powerless = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    # A file of the user's own, with a group that they aren't in, is replaced. If the new one can't be written, it stays.
    os.chown(path, 0, 12346)
    path.write_text("old")
    words = [*powerless, "bash", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "bash", terminal.BINARY, "export", "owned", path]
    done = subprocess.run(words, capture_output=True, text=True, env=terminal.environment(shared))
    assert "File too large" in done.stderr and path.read_text() == "old" and os.listdir(tmp_path) == ["owned.svg"], done
    before = path.stat().st_ino
    assert export(*powerless) != before and path.stat().st_gid != 12346
    os.chown(path, 12345, 12346)
    export()
    before = path.stat()
    assert (before.st_uid, before.st_gid, before.st_mode & 0o7777) == (12345, 12346, 0o666)
    assert export(*powerless) == before.st_ino
    assert path.stat().st_uid == 12345
    # A file that is mounted, as into a container. Some containers allow no mounts.
    if subprocess.run(["unshare", "--mount", "mount", "--bind", path, path], capture_output=True).returncode == 0:
        mounted = ["unshare", "--mount", "sh", "-c", 'mount --bind "$4" "$4" && exec "$@"', "sh"]
        assert export(*mounted) == before.st_ino


async def test_an_export_into_a_named_pipe_waits_for_its_reader(shared, tmp_path):
    """The drawing is larger than the pipe. If nobody reads, a signal ends the command."""
    await shared.write("piped", count=1000)
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    async with await start(shared, "export", "piped", pipe) as export:
        assert len(json.loads(await asyncio.to_thread(pipe.read_bytes))["shapes"]) == 1000
        assert (await export.end()).code == 0
    async with await start(shared, "export", "piped", pipe) as export:
        # By then it has the drawing, and waits.
        await asyncio.sleep(1)
        assert (await export.end(signal.SIGTERM)).code == 143


async def test_closed_descriptors_are_no_sockets(shared):
    """The client starts without standard input and output. The edit is made once, and the command succeeds."""
    script = f"exec {terminal.BINARY} add closed star <&- >&- 2>&-"
    assert subprocess.run(["bash", "-c", script], env=terminal.environment(shared, None)).returncode == 0
    assert len(await shared.shapes("closed")) == 1


async def test_a_room_s_state_is_its_own(shared):
    """The state of each room is in files that no other room's name can produce."""
    for room in ["mine.new", "mine.lock", "mine"]:
        await run(shared, "add", room, "star")
    for room in ["mine.new", "mine.lock", "mine"]:
        await run(shared, "undo", room)
        assert await shared.shapes(room) == []


async def test_what_was_added_since_is_not_in_a_restored_shape(shared):
    """A file leaves out what nobody had set. import --same takes it from the shapes that are there."""
    for name in ["Sun", "Moon"]:
        await run(shared, "add", "added", "name=" + name)
    await run(shared, "set", "added", "Moon", "text=Buy milk")
    before = await shared.shapes("added")
    saved = (await run(shared, "export", "added", "-")).out
    await run(shared, "set", "added", "Sun", "text=Later", "dash=dotted", "textSize=40", "filled=no", "locked=yes")
    assert await shared.shapes("added") != before
    await run(shared, "import", "added", "-", "--same", input=saved)
    sun, moon = await shared.shapes("added")
    assert (sun["text"], sun["dash"], sun["filled"], sun["locked"]) == ("", "solid", True, False), sun
    assert moon == before[1], "what is as in the file isn't written"
    assert (await run(shared, "import", "added", "-", "--same", input=saved)).out == "nothing changed\n"
    # A shape that is copied has nothing that could be taken from it.
    await run(shared, "import", "added", "-", input=saved)
    assert "text" not in (await shared.shapes("added"))[2]


async def test_a_file_may_begin_with_a_byte_order_mark(shared):
    await run(shared, "import", "marked", "-", input=b"\xef\xbb\xbf" + LAYOUT.encode())
    assert len(await shared.shapes("marked")) == 2


async def test_as_many_shapes_as_the_room_takes(shared):
    """The limit is the room's own, and what is beyond it is refused as a whole."""
    drawing = json.dumps({"shapes": [{"kind": "star"}] * 100_001})
    done = await run(shared, "import", "beyond", "-", input=drawing, code=1)
    assert "- has 100001 shapes, and the room takes 100000" in done.err, done
    assert (await shared.get("/v1/rooms/beyond")).status == 404
    with Server("--max-shapes", 200_000, "--max-ops-per-second", 1_000_000) as large:
        assert (await run(large, "import", "large", "-", input=drawing)).out == "made 100001 shapes\n⚠ there are too many overlaps to list\n"


async def test_an_import_that_is_refused_in_its_middle_says_what_is_stored():
    """The room is filled by others than the import's first messages. Undo takes back what is stored."""
    drawing = json.dumps({"shapes": [{"kind": "star"}] * 3_000})
    with Server("--max-shapes", 3_000) as small:
        await small.write("full", name="Sun")
        done = await run(small, "import", "full", "-", input=drawing, code=1)
        stored = len(await small.shapes("full")) - 1
        assert 0 < stored < 3_000
        assert f"{stored} of the edit's 3000 operations are stored; undo takes back what is stored" in done.err, done
        await run(small, "undo", "full")
        assert list(await small.named("full")) == ["Sun"]
        report = (await run(small, "import", "full", "-", "--json", input=drawing, code=1)).object
        assert (report["operations"], report["stored"]) == (3_000, len(await small.shapes("full")) - 1), report["stored"]
        assert len(report["refused"]) == 3_000 - report["stored"]
        assert sum(event["event"] == "made" for event in report["events"]) == report["stored"]
    with Server("--max-shapes", 1) as small:
        await run(small, "add", "none")
        assert "are stored" not in (await run(small, "add", "none", code=1)).err


async def test_a_signal_ends_a_command_that_waits_for_its_drawing(shared):
    """Nobody writes to its standard input any more, and nobody closes it."""
    read, write = os.pipe()

    async def unread():
        count = array.array("i", [0])
        fcntl.ioctl(read, termios.FIONREAD, count)
        return count[0]

    try:
        async with await start(shared, "import", "waits", "-", stdin=read) as command:
            os.write(write, b"{")
            await eventually(unread, "it has read what there is", holds=lambda count: count == 0)
            command.process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(command.process.wait(), SECONDS) == 143
    finally:
        os.close(read)
        os.close(write)


async def test_a_signal_ends_a_command_that_waits_for_a_named_pipe(shared, tmp_path):
    """Nobody opens the pipe to write to it. A second SIGHUP ends nothing, because two come when a terminal goes."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    async with await start(shared, "import", "waits", pipe) as command:
        opened = f"/proc/{command.process.pid}/fd"
        await eventually(lambda: [os.readlink(f"{opened}/{each}") for each in os.listdir(opened)], "it has opened the pipe",
                         holds=lambda files: str(pipe) in files)
        command.process.send_signal(signal.SIGHUP)
        assert await asyncio.wait_for(command.process.wait(), SECONDS) == 128 + signal.SIGHUP
