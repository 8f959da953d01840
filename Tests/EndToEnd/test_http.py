import asyncio
import gzip
import itertools
import json
import socket
import xml.etree.ElementTree as XML

import brotli
from client import Client, stamp
from server import Server, identifier
from waiting import eventually, moment

NAMES = [
    "id", "kind", "name", "position", "size", "rotation", "fill", "stroke", "strokeWidth", "alpha", "visible", "z",
    "cornerRadius", "points", "innerRatio",
]


async def test_the_page_is_served_as_a_browser_wants_it(shared):
    """With types, a strict policy, an entity tag for each encoding, and compressed as asked."""
    for path in ["/", "/r/some.room"]:
        page = await shared.get(path)
        assert page.status == 200 and page.headers["Content-Type"] == "text/html; charset=utf-8"
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy and "'wasm-unsafe-eval'" in policy and "unsafe-inline" not in policy
        # These have no default, so a policy without them lets other sites frame the page, and forms send to them.
        assert {f"{word} 'none'" for word in ("base-uri", "form-action", "frame-ancestors")} <= set(policy.split("; "))
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert b"<script>" not in page.body and b"style=" not in page.body
        for tag in [page.headers["ETag"], "W/" + page.headers["ETag"]]:
            same = await shared.get(path, {"If-None-Match": tag})
            assert same.status == 304 and same.body == b""
        packed = await shared.get(path, {"Accept-Encoding": "gzip, deflate, br, zstd"})
        assert packed.headers["Content-Encoding"] == "br" and brotli.decompress(packed.body) == page.body
        assert page.headers["Referrer-Policy"] == "no-referrer"
    for accepted, coding in [
        ("gzip;q=1, br;q=0.5", "gzip"), ("BR ; Q=0.8", "br"), ("br;level=1;q=0.3", "br"), ("", None), ("identity, br;q=0.9", None),
        ("br;q=2", None), ("br;q=", None), ("br;q=0.0001", None), ("br;q=-1, gzip;q=nan", None), (";q=1,,;", None),
    ]:
        answer = await shared.get("/room/room.css", {"Accept-Encoding": accepted})
        assert answer.headers["Content-Encoding"] == coding and answer.headers["Vary"] == "Accept-Encoding", accepted
    path = "/room/room.css"
    tags = {coding: (await shared.get(path, {"Accept-Encoding": coding})).headers["ETag"] for coding in ("br", "gzip", "identity")}
    assert len(set(tags.values())) == 3
    for coding, held in itertools.product(tags, tags):
        answer = await shared.get(path, {"Accept-Encoding": coding, "If-None-Match": tags[held]})
        assert (answer.status, answer.headers["ETag"]) == (304 if held == coding else 200, tags[coding])
    for path, kind in [("/room/room.css", "text/css; charset=utf-8"), ("/icon.svg", "image/svg+xml")]:
        assert (await shared.get(path)).headers["Content-Type"] == kind
    head = await shared.http("HEAD", "/")
    assert head.status == 200 and head.body == b"" and int(head.headers["Content-Length"]) > 100


async def test_what_was_compressed_beforehand_is_sent_where_it_is_the_same(tmp_path):
    """It must match the original's current content, and is never served under its own name."""
    text = b"".join(b"%d " % (number * number) for number in range(5000))
    files = {
        "same": brotli.compress(text, quality=1), "other": brotli.compress(text[:-1] + b"!"), "longer": brotli.compress(text + b"!"),
        "shorter": brotli.compress(text[:-1]), "broken": b"words", "cut": brotli.compress(text)[:-9], "empty": b"",
    }
    for name, compressed in files.items():
        (tmp_path / f"{name}.wasm").write_bytes(text)
        (tmp_path / f"{name}.wasm.br").write_bytes(compressed)
    with Server("--web", tmp_path) as server:
        for name, compressed in files.items():
            answer = await server.get(f"/{name}.wasm", {"Accept-Encoding": "br"})
            assert answer.headers["Content-Type"] == "application/wasm" and answer.headers["Content-Encoding"] == "br"
            assert brotli.decompress(answer.body) == text
            assert (answer.body == compressed) == (name == "same"), name
            assert (await server.get(f"/{name}.wasm")).body == text
        listing = json.loads((await server.get("/page.json")).body)
        assert listing["files"] == sorted(f"/{name}.wasm" for name in files)


async def test_nothing_outside_of_web_is_served(tmp_path):
    """Neither by dots, escaped or not, nor by links. Hidden files are not served either."""
    for name, text in [
        ("secret", "no"), ("web-private/secret", "no"), ("web/.hidden", "no"), ("web/core.wasm", "\0asm"), ("web/index.html", "<p>"),
    ]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "web/link").symlink_to(tmp_path / "secret")
    # The link leads to a folder outside of the root. But the folder's path begins with the text of the root's path.
    (tmp_path / "web/beside").symlink_to(tmp_path / "web-private")
    with Server("--web", tmp_path / "web") as server:
        assert (await server.get("/core.wasm")).headers["Content-Type"] == "application/wasm"
        for path in [
            "/link", "/beside/secret", "/.hidden", "/../secret", "/%2e%2e/secret", "/..%2fsecret", "/r/../../secret", "//secret", "/nothing",
            "/core.wasm/", "/%00", "/core.wasm%00.js",
        ]:
            with socket.create_connection(("127.0.0.1", server.port)) as plain:
                plain.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                answer = await asyncio.to_thread(lambda: plain.makefile("rb").read())
                served = path == "/core.wasm/"
                assert served or answer.split()[1] in (b"404", b"400"), (path, answer)
                assert not answer.endswith(b"no"), path


async def test_the_files_of_the_page_are_listed_with_their_version(shared, tmp_path):
    """The list has exactly the served files. The version changes if any file changes."""
    listing = (await shared.get("/page.json")).json
    assert {"/index.html", "/room.html", "/room/room.js", "/worker.js", "/room/room.css"} <= set(listing["files"])
    assert listing["files"] == sorted(listing["files"])
    for path in listing["files"]:
        assert (await shared.get(path)).status == 200, path
    web = tmp_path / "web"
    (web / "deep/.hidden").mkdir(parents=True)
    for name in ["room.html", "deep/a.js", "deep/a.js.map", ".secret", "deep/.hidden/b.js", "../outside.js"]:
        (web / name).write_text(name)
    (web / "link.js").symlink_to(tmp_path / "outside.js")
    (web / "up").symlink_to(tmp_path)
    with Server("--web", web) as server:
        first = (await server.get("/page.json")).json
        assert first["files"] == ["/deep/a.js", "/room.html"]
        assert (await server.get("/page.json")).json == first
        (web / "deep/a.js").write_text("changed")
        await eventually(
            lambda: server.get("/page.json"), "a new version, since the list is made once a second",
            holds=lambda answer: answer.json["version"] != first["version"])


async def test_h18_history_tells_who_did_something_and_when(shared):
    """H18: What an actor does without a pause is one step, with times that `at` accepts."""
    ann, ben = await Client.join(shared, "steps"), await Client.join(shared, "steps")
    shapes = [identifier() for _ in range(3)]
    await ann.write(*({"shape": shape, "set": {"kind": "star"}} for shape in shapes))
    await ann.write({"shape": shapes[0], "set": {"fill": "#FF0000"}})
    moment()
    await ben.write(*({"shape": shape, "set": {"deleted": True}} for shape in shapes[:2]))
    history = (await shared.get("/v1/rooms/steps/history?steps=1")).json
    assert (history["operations"], history["cursor"]) == (6, (await shared.get("/v1/rooms/steps")).json["cursor"])
    assert [(step["actor"], step["operations"], step["removed"]) for step in history["steps"]] == [(ann.actor, 4, 0), (ben.actor, 2, 2)]
    assert history["from"] == history["steps"][0]["from"] <= history["steps"][0]["to"] < history["steps"][1]["from"]
    assert history["steps"][1]["to"] == history["to"]
    before = (await shared.get(f"/v1/rooms/steps?at={history['steps'][1]['from'] - 1}")).json["shapes"]
    assert {shape["id"] for shape in before} == set(shapes)
    assert (await shared.get(f"/v1/rooms/steps?at={history['from'] - 1}")).json["shapes"] == []
    assert "steps" not in (await shared.get("/v1/rooms/steps/history")).json
    assert (await shared.get("/v1/rooms/steps/history?steps=many")).status == 400
    assert (await shared.get("/v1/rooms/steps-nobody/history?steps=1")).status == 404


async def test_rooms_are_listed(shared):
    """C1: The list is sorted by name, and has each room's number of shapes, peers, cursor and number of operations."""
    await shared.write("list-b", 3)
    await shared.write("list-a")
    ann = await Client.join(shared, "list-a")
    await Client.join(shared, "list-empty")
    rooms = [room for room in (await shared.get("/v1/rooms")).json["rooms"] if room["room"].startswith("list-")]
    assert [room["room"] for room in rooms] == ["list-a", "list-b"]
    assert rooms[0] == {"room": "list-a", "shapes": 1, "peers": 1, "cursor": ann.cursor, "operations": 1}
    assert rooms[1]["shapes"] == 3 and rooms[1]["peers"] == 0


async def test_a_list_of_rooms_opens_only_so_many():
    """After a crash, each request for the list counts the shapes of a few more rooms."""
    with Server() as server:
        await asyncio.gather(*[server.write(f"crashed-{number:03}", 2) for number in range(150)])
        server.restart()

        async def listed():
            rooms = (await server.get("/v1/rooms")).json["rooms"]
            assert [room["room"] for room in rooms] == [f"crashed-{number:03}" for number in range(150)]
            assert all(room["operations"] == 2 and room["cursor"] for room in rooms)
            uncounted = [room for room in rooms if room.get("uncounted")]
            assert all(room["shapes"] == (0 if room in uncounted else 2) for room in rooms)
            return uncounted

        assert 150 - 64 <= len(await listed()) < 150
        await eventually(listed, "all are counted", holds=lambda uncounted: not uncounted)
    with Server("--max-rooms", 2) as server:
        for number in range(3):
            await server.write(f"open-{number}")
        clients = [await Client.join(server, f"open-{number}") for number in range(2)]
        # The limit on open rooms is reached, and no open room is idle. So the third room stays closed.
        *others, closed = (await server.get("/v1/rooms")).json["rooms"]
        assert [(room["room"], room["shapes"]) for room in others] == [("open-0", 1), ("open-1", 1)]
        assert (closed["room"], closed["operations"], closed["uncounted"]) == ("open-2", 1, True)
        assert all(client.cursor for client in clients)


async def test_a_room_as_a_drawing(shared):
    """S1, S3, S5: In drawing order, with all properties, with stamps if asked, with an entity tag."""
    ann = await Client.join(shared, "drawing")
    below, above = identifier(), identifier()
    await ann.write(
        {"shape": above, "set": {"kind": "roundedRectangle", "z": "W"}}, {"shape": below, "set": {"kind": "star", "name": "Sun"}}
    )
    answer = await shared.get("/v1/rooms/drawing")
    drawing = answer.json
    assert drawing["room"] == "drawing" and drawing["cursor"] == ann.cursor
    assert [shape["id"] for shape in drawing["shapes"]] == [below, above]
    assert all(list(shape) == NAMES for shape in drawing["shapes"])
    assert drawing["shapes"][0]["name"] == "Sun" and drawing["shapes"][0]["size"] == [150, 120]
    assert drawing["shapes"][1]["name"] == f"Rounded rectangle {above[-3:]}"
    stamped = (await shared.get("/v1/rooms/drawing?stamps=1")).json["shapes"][0]["stamps"]
    assert stamped == {name: entry[0] for name, entry in ann.live[below].items()}
    assert answer.headers["Cache-Control"] == "no-cache", "a browser asks again before it shows what it has"
    for tag in [answer.headers["ETag"], answer.headers["ETag"].removeprefix("W/")]:
        assert (await shared.get("/v1/rooms/drawing", {"If-None-Match": tag})).status == 304


async def test_what_is_made_anew_is_compressed_where_asked():
    """By gzip, which is fast, even if brotli is preferred. Without either it isn't compressed."""
    with Server() as server:
        await asyncio.gather(*[server.write(f"packed-{number}", 20, size=[200, 200]) for number in range(20)])
        room = "/v1/rooms/packed-0"
        for path in [room, f"{room}?stamps=1", f"{room}/picture.svg", f"{room}/overlaps", "/v1/rooms", "/metrics"]:
            plain = await server.get(path, {"Accept-Encoding": "br;q=0, gzip;q=0"})
            assert "Content-Encoding" not in plain.headers and plain.headers["Vary"] == "Accept-Encoding", path
            for accepted in ["gzip", "br, gzip;q=0.5"]:
                packed = await server.get(path, {"Accept-Encoding": accepted})
                assert packed.headers["Content-Encoding"] == "gzip" and packed.headers["Vary"] == "Accept-Encoding", path
                assert int(packed.headers["Content-Length"]) == len(packed.body) < len(plain.body), path
                body = gzip.decompress(packed.body)
                # The metrics are not compared, because their counters change with each request.
                assert body == plain.body if path != "/metrics" else b"canvas_ready 1\n" in body, path


async def test_a_room_as_it_was(shared):
    """The past can be requested by cursor and by time: as a drawing, as a picture, and as overlaps."""
    ann = await Client.join(shared, "history")
    shape = identifier()
    await ann.write({"shape": shape, "set": {"kind": "star", "alpha": 1}})
    first, between = ann.cursor, moment()
    other = identifier()
    await ann.write({"shape": shape, "set": {"alpha": 2}}, {"shape": other, "set": {"kind": "star"}}, id=2)
    now = (await shared.get("/v1/rooms/history")).json
    for at, shapes in [(first, [shape]), (between, [shape]), (ann.cursor, sorted([shape, other])), (5, [])]:
        picture = (await shared.get(f"/v1/rooms/history/picture.svg?at={at}")).body
        assert picture.count(b"</polygon>") == len(shapes), at
        was = (await shared.get(f"/v1/rooms/history/overlaps?at={at}")).json
        assert was["overlaps"] == ([shapes] if len(shapes) == 2 else []), at
        assert at in (5, between) or was["cursor"] == at
        assert (await shared.get(f"/v1/rooms/history/overlaps?box=10,10,99,99&at={at}")).json == {"shapes": shapes}, at
    for what in ["picture.svg", "overlaps", "overlaps?box=1,1,1,1"]:
        answer = await shared.get(f"/v1/rooms/history/{what}{'&' if '?' in what else '?'}at=nonsense")
        assert answer.status == 400, what
    for at in [first, between]:
        was = (await shared.get(f"/v1/rooms/history?at={at}")).json
        assert [entry["alpha"] for entry in was["shapes"]] == [1] and was["cursor"] == first, at
    assert (await shared.get(f"/v1/rooms/history?at={ann.cursor}")).json == now
    assert (await shared.get("/v1/rooms/history?at=5")).json["shapes"] == []
    assert (await shared.get("/v1/rooms/history?at=nonsense")).status == 400
    other = await Client.join(shared, "history-other")
    await other.write({"shape": identifier(), "set": {"kind": "star"}})
    answer = await shared.get(f"/v1/rooms/history?at={other.cursor}")
    assert answer.status == 409 and answer.error == "other_cursor"
    assert (await shared.get("/v1/rooms/history?stamps=maybe")).status == 400


async def test_history_that_is_not_kept():
    """A request for a past state that is no longer stored gets 404. The current state can still be read."""
    first = Server()
    with first:
        await first.write("kept")
        moment()
        await first.write("kept")
        span = (await first.get("/v1/rooms/kept/history")).json
        assert span["from"] < span["to"] and span["operations"] == 2
        assert len((await first.get(f"/v1/rooms/kept?at={span['from']}")).json["shapes"]) == 1
        # The server drops only history that a snapshot includes. It writes a snapshot when it exits.
        assert await asyncio.to_thread(first.terminate) == 0
        with Server("--history-ms", 0, data=first.data) as server:
            answer = await server.answers(f"/v1/rooms/kept?at={span['from']}", 404)
            assert answer.error == "not_kept", answer.body
            for what in ["picture.svg", "overlaps"]:
                answer = await server.get(f"/v1/rooms/kept/{what}?at={span['from']}")
                assert answer.status == 404 and answer.error == "not_kept", answer.body
            before = await server.get(f"/v1/rooms/kept?at={span['from'] - 1}")
            assert before.status == 200 and before.json["shapes"] == [], "before the room's beginning"
            assert len(await server.shapes("kept")) == 2
            kept = (await server.get("/v1/rooms/kept/history?steps=1")).json
            assert kept == span | {"from": span["to"], "operations": 0, "steps": []}
            moment()
            await server.write("kept")
            kept = (await server.get("/v1/rooms/kept/history")).json
            assert (kept["from"], kept["operations"]) == (span["to"], 1) and kept["from"] < kept["to"]
            assert len((await server.get(f"/v1/rooms/kept?at={kept['from']}")).json["shapes"]) == 2


async def test_overlaps_boxes_and_free_places(shared):
    """Asks which shapes overlap, what a box would overlap, and where a box would be free."""
    box = {"position": [0, 0], "size": [100, 100]}
    one, two = await shared.write("places", 2, **box)
    answer = (await shared.get("/v1/rooms/places/overlaps")).json
    assert answer["overlaps"] == [sorted([one, two])] and answer["room"] == "places" and answer["cursor"]
    touched = (await shared.get("/v1/rooms/places/overlaps?box=90,90,50,50")).json
    assert sorted(touched["shapes"]) == sorted([one, two])
    assert (await shared.get("/v1/rooms/places/overlaps?box=100,0,50,50")).json == {"shapes": []}
    x, y = (await shared.get("/v1/rooms/places/free?size=50,50&near=60,50")).json["position"]
    assert (await shared.get(f"/v1/rooms/places/overlaps?box={x},{y},50,50")).json == {"shapes": []}
    assert (await shared.get("/v1/rooms/places/free?size=50,50&near=300,300")).json == {"position": [300, 300]}
    assert (await shared.get("/v1/rooms/places/free?size=50,50")).json == {"position": [0, -50]}, "nearest to the origin"
    for query in [
        "overlaps?box=1,2,3", "overlaps?box=a,b,c,d", "overlaps?box=0,0,0,0", "overlaps?box=nan,0,5,5", "overlaps?box=0,0,5,-5",
        "overlaps?box=%FF", "free?size=5,5&near=%C3%28", "free?size=%", "overlaps?box=0,0,1e999,5", "overlaps?box=", "free", "free?size=0x5,5", "free?size=0.5,5", "free?size=2e6,5", "free?size=5,5&near=2e7,0",
    ]:
        assert (await shared.get(f"/v1/rooms/places/{query}")).status == 400, query


async def test_no_place_is_free_where_shapes_cover_all_positions(shared):
    """Rectangles of the largest size lie side by side, from the first position to behind the last."""
    edges = [number * 1e6 for number in range(-10, 11)]
    tiles = [{"kind": "rectangle", "position": [x, y], "size": [1e6, 1e6]} for x in edges for y in edges]
    operations = [{"shape": identifier(), "set": tile} for tile in tiles]
    assert (await shared.http("POST", "/v1/rooms/covered/ops", {"ops": operations})).status == 200
    for query in ["size=9,9", "size=1,1&near=1e7,1e7", "size=1e6,1e6&near=-1e7,0"]:
        answer = await shared.get(f"/v1/rooms/covered/free?{query}")
        assert (answer.status, answer.json["error"]["code"]) == (409, "no_place"), query


async def test_boxes_of_any_size_anywhere_are_asked_about(shared):
    """Tries boxes around all shapes, around half of them, around none, and boxes smaller than any shape."""
    left, ellipse, right = identifier(), identifier(), identifier()
    await shared.http("POST", "/v1/rooms/boxes/ops", {"ops": [
        {"shape": left, "set": {"kind": "rectangle", "position": [-1e7, -1e7], "size": [100, 100]}},
        {"shape": ellipse, "set": {"kind": "ellipse", "position": [-50, -50], "size": [100, 100]}},
        {"shape": right, "set": {"kind": "star", "position": [1e7, 1e7], "size": [1e6, 1e6], "rotation": 45}},
    ]})
    for box, shapes in [
        ("-2e7,-2e7,4e7,4e7", [left, ellipse, right]), ("-1e308,-1e308,1.7e308,1.7e308", [left, ellipse, right]),
        ("-1e300,-1e300,2e300,2e300", [left, ellipse, right]), ("-1e30,-1e30,1e30,1e30", [left, ellipse]),
        ("0,-1e300,1e300,2e300", [ellipse, right]), ("1e308,1e308,1e308,1e308", []), ("-1e308,0,1,1", []),
        ("-0.25,-0.25,0.5,0.5", [ellipse]), ("-9999950,-9999950,1e-3,1e-3", [left]), ("40,40,1e-9,1e-9", []), ("5,5,1e-300,1e-300", [ellipse]),
    ]:
        answer = await shared.get(f"/v1/rooms/boxes/overlaps?box={box}")
        assert answer.status == 200 and answer.json == {"shapes": sorted(shapes)}, (box, answer.body)


async def test_the_picture(shared):
    """The picture is an SVG without anything that a browser would execute."""
    await shared.write("picture", name="<script>alert(1)</script>")
    answer = await shared.get("/v1/rooms/picture/picture.svg")
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    drawing = XML.fromstring(answer.body)
    assert drawing.tag.endswith("svg") and b"<script" not in answer.body
    assert (await shared.get("/v1/rooms/picture/picture.svg", {"If-None-Match": answer.headers["ETag"]})).status == 304


async def test_operations_over_http(shared):
    """H4: Answered operations are durable and sent to all. They are refused as over a WebSocket."""
    ann = await Client.join(shared, "posted")
    (shape,) = await shared.write("posted")
    await ann.sees(shape)
    at = stamp("zzz-zzz-zzz")
    body = {"ops": [{"shape": shape, "at": at, "set": {"alpha": 3}}]}
    answer = await shared.http("POST", "/v1/rooms/posted/ops", body)
    assert answer.status == 200 and set(answer.json) == {"cursor"}
    assert (await shared.get("/v1/rooms/posted?stamps=1")).json["shapes"][0]["stamps"]["alpha"] == at
    for body, status, code in [
        ({"ops": [{"shape": shape, "set": {"alpha": 11}}]}, 400, "bad_value"),
        ({"ops": [{"shape": shape, "at": stamp("zzz-zzz-zzz", ahead=99999), "set": {"alpha": 1}}]}, 400, "clock_ahead"),
        ({}, 400, "bad_message"),
        (b"{", 400, "bad_message"),
        ({"id": "a" * 1023, "ops": [{"shape": shape, "set": {"alpha": 1}}]}, 400, "bad_message"),
        ({"ops": [{"shape": shape, "set": {"alpha": 1}}] * 1025}, 413, "too_many_ops"),
    ]:
        answer = await shared.http("POST", "/v1/rooms/posted/ops", body, {"Content-Type": "application/json"})
        assert (answer.status, answer.error) == (status, code), (body, answer.body)
    answer = await shared.http("POST", "/v1/rooms/posted/ops", b"{}", {"Content-Type": "text/plain"})
    assert answer.status == 415
    # curl sends this content type by default, so it is accepted. It is refused if a page sends the request.
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    body = {"ops": [{"shape": shape, "set": {"alpha": 3}}]}
    assert (await shared.http("POST", "/v1/rooms/posted/ops", body, form)).status == 200
    page = {**form, "Origin": f"http://127.0.0.1:{shared.port}"}
    assert (await shared.http("POST", "/v1/rooms/posted/ops", body, page)).status == 415
    answer = await shared.http("POST", "/v1/rooms/posted/ops", b" " * 1_048_577, {"Content-Type": "application/json"})
    assert answer.status == 413 and answer.error == "too_large"


async def test_a_drawing_with_long_texts_can_be_posted_again():
    """H8: However few shapes a room may have, a body may be as long as a drawing with all the text that it may have."""
    with Server("--max-shapes", 10, "--max-message-bytes", 16_384) as server:
        for _ in range(10):
            ops = {"ops": [{"shape": identifier(), "set": {"kind": "text", "text": '"' * 4_096}}]}
            assert (await server.http("POST", "/v1/rooms/long/ops", ops)).status == 200
        drawing = (await server.get("/v1/rooms/long")).body
        assert len(drawing) > 80_000
        # Some editors put a byte order mark before a text.
        for room, text in ("again", drawing), ("marked", b"\xef\xbb\xbf" + drawing):
            answer = await server.http("POST", f"/v1/rooms/{room}/layout", text)
            assert answer.status == 200 and len(answer.json["shapes"]) == 10, answer.body
        ops = b'\xef\xbb\xbf{"ops":[{"shape":"%s","set":{"alpha":3}}]}' % identifier().encode()
        assert (await server.http("POST", "/v1/rooms/long/ops", ops)).status == 200


async def test_layouts_and_drawings_are_taken(shared):
    """H10: Squares in single quotes are accepted, and so is a drawing in the form in which the server sends it."""
    layout = b"{'squares': [{ 'x': 120, 'y': 230, 'colour': '#FF0000', 'size': 250}, {'x': 1, 'y': 2, 'colour': '#00FF00', 'size': 30}]}"
    answer = await shared.http("POST", "/v1/rooms/layout/layout", layout, {"Content-Type": "application/json"})
    assert answer.status == 200, answer.body
    drawing = (await shared.get("/v1/rooms/layout")).json
    assert answer.json == {"cursor": drawing["cursor"], "shapes": [shape["id"] for shape in drawing["shapes"]]}
    first = drawing["shapes"][0]
    assert (first["position"], first["size"], first["fill"]) == ([120, 230], [250, 250], "#FF0000")
    answer = await shared.http("POST", "/v1/rooms/layout-copy/layout", drawing)
    copy = await shared.shapes("layout-copy")
    assert [shape["fill"] for shape in copy] == ["#FF0000", "#00FF00"]
    nothing = await shared.http("POST", "/v1/rooms/nothing-in-it/layout", {"squares": []})
    assert nothing.status == 200 and nothing.json["shapes"] == []
    assert not [line for line in shared.log if line.get("room") == "nothing-in-it"], "nobody pays for a line about nothing"
    answer = await shared.http("POST", "/v1/rooms/layout/layout", {"squares": [{"x": 1}]})
    assert answer.status == 400 and "squares[0]" in answer.json["error"]["message"]
    text = {"Content-Type": "text/plain;charset=UTF-8"}
    assert (await shared.http("POST", "/v1/rooms/layout/layout", layout, text)).status == 200
    page = text | {"Origin": f"http://127.0.0.1:{shared.port}"}
    assert (await shared.http("POST", "/v1/rooms/layout/layout", layout, page)).status == 415


async def test_a_layout_is_taken_whole_or_not_at_all():
    """Even if it is as long as many messages, and the server is killed while it stores it."""
    many = {"squares": [{"x": number, "y": 0, "colour": "#FF0000", "size": 5} for number in range(3000)]}
    with Server() as server:
        ann = await Client.join(server, "many")
        answer = await server.http("POST", "/v1/rooms/many/layout", many)
        assert answer.status == 200 and len(answer.json["shapes"]) == 3000
        span = (await server.get("/v1/rooms/many/history")).json
        assert span["operations"] == 3000 and span["from"] == span["to"]
        first = await server.get(f"/v1/rooms/many?at={span['from']}")
        assert [shape["id"] for shape in first.json["shapes"]] == answer.json["shapes"]

        async def seen():
            await ann.receive()
            return len(ann.live) == 3000 and ann.cursor == answer.json["cursor"]

        await eventually(seen, "all shapes are seen, and the layout's cursor")
        server.restart()
        assert [shape["id"] for shape in await server.shapes("many")] == answer.json["shapes"]


async def test_the_largest_room_can_be_posted_back():
    """A drawing with the maximum number of shapes can be fetched and posted back."""
    with Server("--max-ops-per-second", 200_000) as server:
        squares = ",".join(f"{{'x':{at % 1000 * 10},'y':{at // 1000 * 10},'colour':'#FF0000','size':9}}" for at in range(100_000))
        json_type = {"Content-Type": "application/json"}
        answer = await server.http("POST", "/v1/rooms/large/layout", f"{{'squares':[{squares}]}}".encode(), json_type)
        assert answer.status == 200, answer.body[:200]
        drawing = (await server.get("/v1/rooms/large")).body
        assert len(drawing) > 16 << 20
        answer = await server.http("POST", "/v1/rooms/copy/layout", drawing, json_type)
        assert answer.status == 200 and len(answer.json["shapes"]) == 100_000, answer.body[:200]
        everything = await server.get("/v1/rooms/copy/overlaps?box=-1e300,-1e300,2e300,2e300")
        assert len(everything.json["shapes"]) == 100_000


async def test_what_is_not_there_and_what_is_not_allowed(shared):
    """H1, H2, H3: Unknown paths get 404, and wrong methods get 405 with the allowed methods. The errors are JSON."""
    for path in ["/v1", "/v1/rooms/nobody", "/v1/rooms/nobody/overlaps", "/v1/rooms/a%20b", "/v1/rooms/x/y", "/v1/x", "/r/a%20b"]:
        answer = await shared.get(path)
        assert answer.status == 404 and answer.json["error"]["message"], path
    for method, path, allowed in [
        ("POST", "/v1/rooms", "GET, HEAD"), ("PUT", "/v1/rooms/x", "GET, HEAD, DELETE"), ("GET", "/v1/rooms/x/ops", "POST"),
        ("DELETE", "/healthz", "GET, HEAD"), ("POST", "/", "GET, HEAD"), ("PATCH", "/v1/rooms/x/layout", "POST"),
    ]:
        answer = await shared.http(method, path)
        assert answer.status == 405 and answer.headers["Allow"] == allowed and answer.error == "method_not_allowed"
    await shared.write("heads")
    for path in ["/", "/v1/rooms", "/v1/rooms/heads", "/v1/rooms/heads/overlaps", "/v1/rooms/heads/picture.svg", "/healthz", "/metrics"]:
        answer = await shared.http("HEAD", path)
        assert answer.status == 200 and answer.body == b"", path


async def test_a_person_is_told_in_words_what_is_not_there(shared):
    """A browser gets a page with a link to the rooms and the same headers. A program gets JSON."""
    accepting = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    for path in ["/r/bad%20name", "/r//", "/nothing"]:
        page = await shared.get(path, accepting)
        assert page.status == 404 and page.headers["Content-Type"] == "text/html; charset=utf-8", path
        assert "default-src 'self'" in page.headers["Content-Security-Policy"] and b'href="/"' in page.body
        assert b"<script" not in page.body and b"style=" not in page.body
        again = await shared.get(path, accepting | {"If-None-Match": page.headers["ETag"]})
        assert again.status == 404 and again.body == page.body
        for headers in [{}, {"Accept": "*/*"}, {"Accept": "application/json"}]:
            assert (await shared.get(path, headers)).json["error"]["code"] in ("no_such_room", "not_found")
    assert (await shared.get("/v1/rooms/nobody", accepting)).error == "no_such_room", "the interface is for programs"
    assert (await shared.get("/missing.html")).status == 200
