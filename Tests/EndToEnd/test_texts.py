"""Text in shapes, and clients that know nothing of it."""

import binary
from client import Client, agree, stamp
from server import identifier
from test_binary import BinaryClient

# The properties and kinds that a client knew before there were texts.
KNOWN, KINDS = {"deleted", *binary.PROPERTIES[: binary.PROPERTIES.index("text")]}, binary.KINDS[:5]
NOTE = {"kind": "ellipse", "position": [5, 6], "text": "Buy milk,\n“and” bread", "textSize": 24, "textAlign": "left", "textPlace": "top"}


async def test_a_text_reaches_everyone_who_knows_of_it(shared):
    """S9, C12: In an operation and in a state, and over HTTP. A drawing says nothing of texts where there are none."""
    room = "texts"
    ann = await Client.join(shared, room, vocabulary=2)
    bob = await Client.join(shared, room, vocabulary=2)
    note, plain = identifier(), identifier()
    answer = await ann.write({"shape": note, "set": NOTE}, {"shape": plain, "set": {"kind": "star"}})
    assert answer["type"] == "ack"
    delivered = await bob.until("ops")
    assert delivered["ops"][0]["set"] == NOTE
    late = await Client.join(shared, room, vocabulary=9)
    assert late.live == bob.live
    drawing = {shape["id"]: shape for shape in (await shared.get(f"/v1/rooms/{room}")).json["shapes"]}
    assert {name: drawing[note][name] for name in NOTE} == NOTE
    assert "text" not in drawing[plain] and "textSize" not in drawing[plain]
    picture = (await shared.get(f"/v1/rooms/{room}/picture.svg")).body.decode()
    assert ">Buy milk,</tspan>" in picture and "“and” bread" in picture


class OldClient(BinaryClient):
    """A client of before there were texts. It fails at whatever it doesn't know."""

    def decode(self, frame):
        message = super().decode(frame)
        for operation in message.get("ops", []):
            assert set(operation["set"]) <= KNOWN and operation["set"].get("kind", "star") in KINDS, operation
        return message


async def test_a_program_of_the_version_before_goes_on(shared):
    """C12, S10: In a room with all that it doesn't know: live, in a state, after a resume, in acks. Its edits leave that alone."""
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
    # Nothing in these is known to it: the second is told as an empty message.
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
    # It moves and colours all of it. What comes too late it is told of.
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
