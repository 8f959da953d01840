"""Newer properties and kinds (texts, styles, lines and ink), and older clients that don't know them."""

import binary
from client import Client, agree, stamp
from server import identifier
from test_binary import BinaryClient

PATH = [[0, 0], [32768, 65535], [65535, 0]]
INK = {"kind": "ink", "position": [10, 10], "size": [200, 100], "stroke": "#2F6FED", "strokeWidth": 4, "path": [[0, 0, 40], [300, 65535], [65535, 7, 160]]}
NOTE = {"kind": "ellipse", "position": [5, 6], "text": "Buy milk,\n“and” bread", "textSize": 24, "textAlign": "left", "textPlace": "top"}
FRAME = {"kind": "rectangle", "strokeWidth": 4, "dash": "dashed", "filled": False, "locked": True, "group": "afy-kw5-t7o"}
# The properties and kinds that a client knew before there were texts.
KNOWN, KINDS = {"deleted", *binary.PROPERTIES[: binary.PROPERTIES.index("text")]}, binary.KINDS[:5]


def line(**more):
    return {"kind": "line", "position": [0, 0], "size": [300, 100], "stroke": "#767676", "strokeWidth": 4, "path": PATH} | more


async def test_everyone_is_told_what_they_know_of(shared):
    """C12, S9, S10, S11, S12, S13: Each client gets only the properties that it knows, in both encodings, live, in a
    state, over HTTP and in a picture. Older clients get rectangles in place of kinds that they don't know. A drawing
    has only the properties that a shape has."""
    room = "told"
    ann, bob = await Client.join(shared, room, vocabulary=3), await BinaryClient.enter(shared, room, vocabulary=3)
    texts, old = await Client.join(shared, room, vocabulary=2), await BinaryClient.enter(shared, room)
    square, tied, ink, note, frame, plain = (identifier() for _ in range(6))
    made = {
        square: {"kind": "rectangle", "text": "hi", "filled": False},
        tied: line(**{"from": [square, 65535, 32768], "to": [], "fromEnd": "dot", "toEnd": "arrow"}),
        ink: INK, note: NOTE, frame: FRAME, plain: {"kind": "star"},
    }
    assert (await ann.write(*({"shape": shape, "set": values} for shape, values in made.items())))["type"] == "ack"

    async def told(client):
        return [operation["set"] for operation in (await client.until("ops"))["ops"]]

    assert await told(bob) == list(made.values())
    of_lines = ("kind", "position", "size", "stroke", "strokeWidth")
    boxes = [{name: values[name] for name in of_lines} | {"kind": "rectangle"} for values in (made[tied], INK)]
    bare = {"kind": "rectangle", "strokeWidth": 4}
    assert await told(texts) == [{"kind": "rectangle", "text": "hi"}, *boxes, NOTE, bare, {"kind": "star"}]
    assert await told(old) == [{"kind": "rectangle"}, *boxes, {"kind": "ellipse", "position": [5, 6]}, bare, {"kind": "star"}]
    for client in (ann, texts, old):
        await client.agrees()
    late = await BinaryClient.enter(shared, room, vocabulary=9)
    assert late.live == bob.live and {name: value for name, (_, value) in late.live[frame].items()} == FRAME

    async def drawing():
        return {each["id"]: each for each in (await shared.get(f"/v1/rooms/{room}")).json["shapes"]}

    drawn = await drawing()
    for shape, values in made.items():
        assert {name: drawn[shape][name] for name in values} == values
    assert not {"text", "textSize", "locked", "path"} & set(drawn[plain])
    picture = (await shared.get(f"/v1/rooms/{room}/picture.svg")).body.decode()
    assert ">Buy milk,</tspan>" in picture and "“and” bread" in picture
    assert 'fill="none" stroke="#000000" stroke-width="4" stroke-dasharray="12 8"' in picture
    # The old client doesn't know the kind `line`, and moves such a shape. That must not change the line's path.
    assert (await old.write({"shape": tied, "set": {"position": [50, 60]}}))["type"] == "ack"
    after = (await drawing())[tied]
    assert after["path"] == PATH and after["kind"] == "line" and after["position"] == [50, 60]
    # A lock is only advice to clients. The server lets everybody change a locked shape.
    assert (await bob.write({"shape": frame, "set": {"position": [9, 9], "group": ""}}))["type"] == "ack"
    while {"position": [9, 9], "group": ""} not in await told(ann):
        pass


async def test_a_picture_draws_the_ends_where_the_shapes_are(shared):
    """S14: A tied end is drawn at its place in the shape's box, which may be rotated. The other points of the line
    stay."""
    room = "pictured"
    ann = await Client.join(shared, room, vocabulary=3)
    square, arrow = identifier(), identifier()
    await ann.write(
        {"shape": square, "set": {"kind": "rectangle", "position": [500, 500], "size": [100, 50], "rotation": 90}},
        {"shape": arrow, "set": {
            "kind": "line", "position": [0, 0], "size": [10, 10], "strokeWidth": 2, "stroke": "#112233", "to": [square, 65535, 0], "toEnd": "dot",
        }},
    )
    picture = (await shared.get(f"/v1/rooms/{room}/picture.svg")).body.decode()
    # The square is rotated by 90 degrees. So its upper right corner, where the line ends, is drawn at (575, 575).
    assert 'd="M0,0L575,575" stroke="#112233" stroke-width="2"' in picture, picture
    assert '<circle cx="575" cy="575" r="4" fill="#112233"/>' in picture, picture
    # When the shape is deleted, the line's end is drawn at the point that is stored in the line. A client may update
    # that point when it deletes the shape, but this client doesn't.
    await ann.write({"shape": square, "set": {"deleted": True}})
    picture = (await shared.get(f"/v1/rooms/{room}/picture.svg")).body.decode()
    assert 'd="M0,0L10,10"' in picture, picture


async def test_copies_are_tied_to_copies(shared):
    """S14: Copies of a line and its shape are tied to each other, and not to the originals."""
    square, arrow = "afy-kw5-t7o", "abc-abc-abc"
    document = {"shapes": [
        {"id": arrow, "kind": "line", "from": [square, 0, 0], "to": ["zzz-zzz-zzz", 1, 1], "path": PATH}, {"id": square, "kind": "star"},
    ]}
    for _ in range(2):
        assert (await shared.http("POST", "/v1/rooms/copied/layout", document)).status == 200
    shapes = (await shared.get("/v1/rooms/copied")).json["shapes"]
    for line, star in (shapes[:2], shapes[2:]):
        assert line["from"] == [star["id"], 0, 0] and star["id"] != square
        assert line["to"] == [] and line["path"] == PATH


class OldClient(BinaryClient):
    """A client from before texts existed. It fails at anything that it doesn't know."""

    def decode(self, frame):
        message = super().decode(frame)
        for operation in message.get("ops", []):
            assert set(operation["set"]) <= KNOWN and operation["set"].get("kind", "star") in KINDS, operation
        return message


async def test_a_program_of_the_version_before_goes_on(shared):
    """C12, S10: An older client works in a room that has properties and kinds it doesn't know, live, in a state,
    after a resume and in acknowledgements. Its edits leave them unchanged."""
    room = "before"
    newer = {
        "text": {"kind": "text", "text": "Hi", "textSize": 40, "textAlign": "left", "textPlace": "top"},
        "line": {"kind": "line", "path": [[0, 0], [65535, 65535]], "from": ["afy-kw5-t7o", 0, 0], "to": [], "toEnd": "arrow", "fromEnd": "dot"},
        "ink": {"kind": "ink", "path": [[0, 0], [9, 65535, 50]], "strokeWidth": 3, "stroke": "#112233"},
        "star": {"kind": "star", "points": 7, "dash": "dashed", "filled": False, "locked": True, "group": "afy-kw5-t7o", "text": "in a star"},
    }
    ann = await Client.join(shared, room, name="Ann", vocabulary=3)
    old = await OldClient.enter(shared, room, name="Old", overlaps=True, key="")
    shapes = {name: identifier() for name in newer}
    await ann.write(*({"shape": shapes[name], "set": values} for name, values in newer.items()))
    # The old client doesn't know the text property, so its message about this edit has no operations.
    await ann.write({"shape": shapes["text"], "set": {"text": "Hello"}})
    await ann.write({"shape": shapes["line"], "set": {"deleted": True}})
    await ann.send({"type": "presence", "state": {"ink": {"shape": "afy-kw5-t7o", "points": [1, 2]}}})
    await old.until("presence")
    late, back = await OldClient.enter(shared, room), await OldClient.enter(shared, room, since=old.cursor)
    await agree(old, late)
    assert back.seen == []
    assert {shape: values["kind"][1] for shape, values in late.live.items()} == {
        shapes["text"]: "rectangle", shapes["ink"]: "rectangle", shapes["star"]: "star",
    }
    assert late.live == old.live and late.erased == old.erased
    # The old client moves and colours all shapes. The properties that it doesn't know must stay unchanged.
    for name in ("text", "ink", "star"):
        answer = await old.write({"shape": shapes[name], "set": {"position": [70, 80], "fill": "#ABCDEF", "alpha": 5}})
        assert answer["type"] == "ack", answer
    ahead = stamp(ann.actor, ahead=30_000)
    await ann.write({"shape": shapes["star"], "at": ahead, "set": {"rotation": 45, "text": "later", "locked": False}})
    answer = await old.write({"shape": shapes["star"], "at": stamp(old.actor), "set": {"rotation": 10}})
    assert answer["superseded"] == [{"op": 0, "property": "rotation", "by": ahead}]
    await agree(old, late)
    drawn = {shape["id"]: shape for shape in (await shared.get(f"/v1/rooms/{room}")).json["shapes"]}
    for name in ("text", "ink", "star"):
        kept = newer[name] | {"position": [70, 80], "fill": "#ABCDEF", "alpha": 5} | {
            "text": {"text": "Hello"}, "star": {"rotation": 45, "text": "later", "locked": False},
        }.get(name, {})
        assert {key: drawn[shapes[name]][key] for key in kept} == kept
